#!/usr/bin/env python3
"""Compares `fgnn ber` with error rates measured by other programs.

  bench/ldpc/reference.py FGNN DATA [--frames N] [--only burst|aff3ct]

FGNN is the program; DATA is a folder with the codes as DATA/ldpc/*.alist and the logs of aff3ct as
DATA/ldpc/ref_curves/*.txt. Prints a line per cell with both rates and their difference in standard
deviations of the two measurements together; the exit code is 1 when one differs by more than 4, or
when more than one in ten differs by more than 2.
"""
import argparse
import json
import math
import re
import subprocess
import sys
from pathlib import Path

# Bit error rates on the paper's (96,48) code (96.3.963 with the ones of `fgnn code convert --paper`),
# burst noise of strength 0 … 5 (rows) at SNR 0 … 4 dB (columns), 10^4 words per cell.
BURST = {
    "mackay": """.127 .0710 .0239 .00392 .00036
                 .135 .0821 .0362 .00991 .00222
                 .146 .102 .0609 .0358 .0211
                 .154 .115 .0804 .0574 .0444
                 .158 .121 .0918 .0700 .0608
                 .160 .126 .0986 .0800 .0722""",
    "sum-product:iterations=50,llr=marginal": """.128 .0728 .0251 .00442 .00042
                 .135 .0830 .0369 .00975 .00195
                 .146 .0989 .0521 .0202 .00539
                 .152 .107 .0581 .0225 .00657
                 .152 .108 .0594 .0217 .00595
                 .152 .107 .0580 .0214 .00543""",
    "osd:order=3,llr=mixture": """.108 .0406 .00646 .00059 .00004
                 .122 .0532 .0141 .00203 .00028
                 .144 .0752 .0278 .00716 .00160
                 .155 .0861 .0327 .00846 .00182
                 .157 .0875 .0337 .00722 .00147
                 .153 .0858 .0310 .00689 .00114""",
}
BURST_WORDS = 10000

# Logs of aff3ct: the code and the same decoder here.
AFF3CT = {
    "LDPC_N128_K64_hlayered_SPA_i50_CCSDS": ("CCSDS_64_128", "sum-product:schedule=layered,iterations=50"),
    "LDPC_N576_K288_flooding_SPA_i100_WiMAX": ("WIMAX_288_576", "sum-product:iterations=100"),
    "LDPC_N576_K288_flooding_AMS_min_i100_WiMAX": ("WIMAX_288_576", "min-sum:iterations=100"),
    "LDPC_N648_K540_hlayered_SPA_i40_Wi-Fi": ("WIFI_540_648", "sum-product:schedule=layered,iterations=40"),
}


def measure(program, *arguments):
    """The cells that `fgnn ber --json` prints."""
    command = [program, "ber", *map(str, arguments), "--json"]
    return [json.loads(line) for line in subprocess.check_output(command, text=True).splitlines()]


def bit_deviation(cell, words):
    """Standard deviation of a bit error rate after so many words: errors of a word come together."""
    mean = cell["bit_errors"] / cell["frames"]
    variance = max(cell["squared_bit_errors"] / cell["frames"] - mean * mean, 0)
    return math.sqrt(variance / words) / cell["dimension"]


class Verdict:
    def __init__(self):
        self.deviations = []

    def add(self, what, ours, theirs, deviation):
        z = (ours - theirs) / deviation if deviation > 0 else 0
        self.deviations.append(abs(z))
        print(f"{what:<64} {ours:10.3e} {theirs:10.3e} {z:+6.1f}", flush=True)

    def exit_code(self):
        far = sum(z > 2 for z in self.deviations)
        print(f"{len(self.deviations)} cells, {far} differ by more than 2 deviations, "
              f"the farthest by {max(self.deviations, default=0):.1f}")
        return int(max(self.deviations, default=0) > 4 or far > max(1, len(self.deviations) / 10))


def compare_burst(program, data, frames, verdict):
    decoders = [f"--decoder={name}" for name in BURST]
    cells = measure(program, data / "ldpc/96.3.963.A2.alist", *decoders, "--snr", "0:4:1",
                    "--burst", "0:5:1", "--frames", frames, "--errors", 0)
    tables = {name: [[float(v) for v in row.split()] for row in text.splitlines()]
              for name, text in BURST.items()}
    for cell in cells:
        known = tables[cell["decoder"]][round(cell["sigma_b"])][round(cell["snr_db"])]
        deviation = math.hypot(bit_deviation(cell, cell["frames"]), bit_deviation(cell, BURST_WORDS),
                               0.004 * known)  # the table has three digits
        verdict.add(f"{cell['decoder']} sigma_b {cell['sigma_b']:g} {cell['snr_db']:g} dB, BER",
                    cell["ber"], known, deviation)


def compare_aff3ct(program, data, frames, verdict):
    row = re.compile(r"^\s*[-\d.]+\s*\|\s*([-\d.]+)\s*\|\s*(\d+)\s*\|\s*(\d+)\s*\|\s*(\d+)\s*\|")
    for log, (code, decoder) in AFF3CT.items():
        for line in (data / f"ldpc/ref_curves/{log}.txt").read_text().splitlines():
            found = row.match(line)
            if not found:
                continue
            ebn0, words, wrong = found[1], int(found[2]), int(found[4])
            if wrong / words < 100 / frames:
                continue  # too rare for this many words
            cell, = measure(program, data / f"ldpc/{code}.alist", "--decoder", decoder, "--ebn0", ebn0,
                            "--frames", frames, "--errors", 1000)
            p = wrong / words
            deviation = math.sqrt(p * (1 - p) * (1 / words + 1 / cell["frames"]))
            verdict.add(f"{code} {decoder} Eb/N0 {ebn0} dB, FER", cell["fer"], p, deviation)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--frames", type=int, help="words per cell; 10000 for burst, 10^6 for aff3ct")
    parser.add_argument("--only", choices=["burst", "aff3ct"])
    options = parser.parse_args()
    verdict = Verdict()
    print(f"{'cell':<64} {'fgnn':>10} {'reference':>10} {'z':>6}")
    if options.only != "aff3ct":
        compare_burst(options.program, options.data, options.frames or 10000, verdict)
    if options.only != "burst":
        compare_aff3ct(options.program, options.data, options.frames or 1000000, verdict)
    sys.exit(verdict.exit_code())


if __name__ == "__main__":
    main()

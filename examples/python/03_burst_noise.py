"""Decoding with burst noise: sum-product, ordered statistics and a trained network.

Bursts are known of by the network alone: it judges by the word how strong they are.
"""
import numpy as np

import fgnn
from fgnn.codes import Channel, Decoder

code = fgnn.codes.peg(96, 48, seed=1)
print(code, "girth", code.girth())
rng = np.random.default_rng(0)
words = code.encode(rng.integers(2, size=(2000, code.dimension)))

print("bursts  uncoded   sum-product  osd        network")
for strength in (0, 2, 5):
    channel = Channel("burst", sigma=fgnn.codes.sigma_of(3), burst_sigma=strength)
    received = channel.transmit(words, seed=strength)
    rates = [np.mean((received > 0) != words)]
    for name in ("sum-product", "osd:order=1", "fgnn:ldpc-sum"):
        decoded = Decoder(code, name)(observed=received, channel=channel)
        rates.append(np.mean(decoded.bits != words))
    print(f"{strength:6d}  " + "  ".join(f"{rate:9.5f}" for rate in rates))

# The same with words of the simulator's own, and intervals, as `fgnn ber` does it.
for row in fgnn.codes.ber(code, ["sum-product"], channel, frames=2000):
    print(f"{row['decoder']}: bit error rate {row['ber']:.5f} of {row['frames']} words")

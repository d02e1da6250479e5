"""Codes, channels, decoders and error rates, against numpy and against the program."""
import json
import os
import subprocess

import numpy as np
import pytest

import fgnn
from fgnn.codes import Channel, Decoder, from_matrix, peg, regular, sigma_of

HAMMING = np.array([[1, 1, 0, 1, 1, 0, 0], [1, 0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 0, 0, 1]])


def dense(code):
    starts, ones = code.rows
    matrix = np.zeros((code.num_checks, code.length), dtype=int)
    matrix[np.repeat(np.arange(code.num_checks), np.diff(starts)), ones] = 1
    return matrix


def test_a_matrix_is_its_code():
    code = from_matrix(HAMMING, name="hamming")
    assert (code.length, code.dimension, code.num_checks, code.name) == (7, 4, 3, "hamming")
    assert np.array_equal(dense(code), HAMMING)
    messages = np.array([[m >> i & 1 for i in range(4)] for m in range(16)])
    words = code.encode(messages)
    assert not (words @ HAMMING.T % 2).any() and len(np.unique(words, axis=0)) == 16
    assert np.array_equal(words[:, code.information], messages)
    assert code.holds(words).all() and not code.holds(words ^ [1, 0, 0, 0, 0, 0, 0]).any()
    assert code.encode(messages.reshape(2, 8, 4).astype(np.uint8)).shape == (2, 8, 7)
    assert code.girth() == 4
    assert code.graph().score(words[5]) == 0 and code.graph().num_factors == 3


def test_sparse_matrices_are_taken_as_they_are():
    sparse = pytest.importorskip("scipy.sparse")
    assert np.array_equal(dense(from_matrix(sparse.coo_matrix(HAMMING))), HAMMING)


def test_codes_are_made_from_seeds_and_kept_in_files(tmp_path):
    for code in (peg(48, 24, seed=3), regular(48, 3, 6, seed=3)):
        code.save(str(tmp_path / "code.alist"))
        assert np.array_equal(dense(fgnn.codes.read(tmp_path / "code.alist")), dense(code))
        assert (dense(code).sum(0) == 3).all()
    assert np.array_equal(dense(peg(48, seed=3)), dense(peg(48, seed=3)))
    assert not np.array_equal(dense(peg(48, seed=3)), dense(peg(48, seed=4)))


def test_channels_do_what_they_say():
    words = np.random.default_rng(0).integers(2, size=(500, 200))
    for channel, noise in ((Channel(sigma=0.7), 0.7), (Channel("burst", sigma=0.5, burst_sigma=3.0),
                                                       np.sqrt(0.25 + 0.05 * 9))):
        observed = channel.transmit(words, seed=1)
        assert observed.dtype == np.float32 and observed.shape == words.shape
        assert (observed - (2 * words - 1)).std() == pytest.approx(noise, rel=0.02)
        assert np.array_equal(channel.transmit(words[7:], seed=1, first=7), observed[7:])
    channel = Channel(sigma=0.5)
    observed = channel.transmit(words)
    assert channel.llr(observed) == pytest.approx(2 * observed / 0.25, rel=1e-5)
    assert (Channel("bsc", flip=0.1).transmit(words) > 0).mean() == pytest.approx(0.5, abs=0.01)
    assert (Channel("bec", flip=0.2).transmit(words) == 0).mean() == pytest.approx(0.2, abs=0.01)
    assert sigma_of(0, "esn0") == pytest.approx(np.sqrt(0.5))


def posterior(code, llr):
    """log P(1) / P(0) of every bit, by going through all words."""
    k = code.dimension
    words = code.encode(np.array([[m >> i & 1 for i in range(k)] for m in range(2**k)]))
    weights = np.exp(llr @ words.T.astype(float))
    ones = weights @ words
    return np.log(ones / (weights.sum(1, keepdims=True) - ones))


def test_decoders_find_what_is_likeliest():
    code = from_matrix(HAMMING)
    channel = Channel(sigma=0.8)
    words = code.encode(np.random.default_rng(1).integers(2, size=(300, 4)))
    llr = channel.llr(channel.transmit(words, seed=2))
    exact = posterior(code, llr)
    # Ordered statistics of every order go through all words: the likeliest word.
    best = Decoder(code, "osd:order=4")(llr)
    score = (llr * best.bits).sum(1)
    every = code.encode(np.array([[m >> i & 1 for i in range(4)] for m in range(16)]))
    assert score == pytest.approx((llr @ every.T).max(1), abs=1e-4)
    assert best.valid.all() and code.holds(best.bits).all()
    bp = Decoder(code, "sum-product:iterations=50")(llr, soft=True)
    assert bp.soft.shape == llr.shape and bp.iterations.shape == (300,)
    assert ((bp.soft > 0) == (exact > 0)).mean() > 0.97
    assert np.array_equal(bp.bits, bp.soft > 0)
    assert bp.valid.mean() > 0.9


def test_shapes_threads_and_batches_do_not_matter():
    code = peg(96, seed=1)
    channel = Channel(sigma=0.6)
    words = code.encode(np.random.default_rng(0).integers(2, size=(400, code.dimension)))
    llr = channel.llr(channel.transmit(words))
    decoder = Decoder(code)
    whole = decoder(llr, threads=2)
    assert np.array_equal(decoder(llr.reshape(4, 100, 96), threads=1).bits.reshape(400, 96),
                          whole.bits)
    one = decoder(llr[17])
    assert np.array_equal(one.bits, whole.bits[17]) and one.valid == whole.valid[17]
    assert np.array_equal(decoder(observed=channel.transmit(words), channel=channel).bits,
                          whole.bits)
    assert decoder(np.zeros((0, 96))).bits.shape == (0, 96)


def test_learned_decoders_see_the_channel():
    code = peg(96, seed=1)
    channel = Channel("burst", sigma=0.5, burst_sigma=3.0)
    words = code.encode(np.random.default_rng(0).integers(2, size=(200, code.dimension)))
    observed = channel.transmit(words, seed=5)
    learned = Decoder(code, "fgnn:ldpc-sum")(observed=observed, channel=channel)
    assert (learned.bits != words).mean() < ((observed > 0) != words).mean()
    with pytest.raises(fgnn.UsageError, match="channel's output"):
        Decoder(code, "fgnn:ldpc-sum")(channel.llr(observed))


def test_punctured_positions_are_not_listened_to():
    code = from_matrix(HAMMING, punctured=[6])
    assert code.punctured.tolist() == [6] and code.rate == pytest.approx(4 / 6)
    llr = np.full((1, 7), -3.0)
    llr[0, 6] = 100
    assert not Decoder(code)(llr).bits.any()


def test_error_rates_are_the_program_s(tmp_path):
    code = peg(96, seed=1)
    file = str(tmp_path / "code.alist")
    code.save(file)
    said = subprocess.run(
        [os.environ["FGNN_PROGRAM"], "ber", file, "--snr", "1,2", "--decoder",
         "sum-product,osd:order=1", "--frames", "500", "--errors", "0", "--seed", "7", "--json"],
        check=True, capture_output=True, text=True).stdout
    theirs = [json.loads(line) for line in said.splitlines()]
    ours = fgnn.codes.ber(fgnn.codes.read(file), ["sum-product", "osd:order=1"],
                          [Channel(sigma=sigma_of(d)) for d in (1, 2)], frames=500, errors=0,
                          seed=7)
    assert len(ours) == len(theirs) == 4
    for mine, its in zip(ours, theirs):
        for key in ("decoder", "snr_db", "ber", "fer", "frames", "bit_errors", "frame_errors"):
            assert mine[key] == its[key]


@pytest.mark.parametrize("wrong, error, words", [
    (lambda c: Decoder(c, "sum-produkt"), fgnn.UsageError, "did you mean"),
    (lambda c: Decoder(c)(np.zeros(5)), fgnn.UsageError, "7 numbers"),
    (lambda c: Decoder(c)(), ValueError, "ratios"),
    (lambda c: Decoder(c)(observed=np.zeros(7)), ValueError, "channel"),
    (lambda c: c.encode([[0, 1, 2, 0]]), fgnn.UsageError, "zeros and ones"),
    (lambda c: c.encode([[0, 256, 0, 0]]), fgnn.UsageError, "zeros and ones"),
    (lambda c: c.encode([[0.5, 0, 0, 0]]), fgnn.UsageError, "float64"),
    (lambda c: c.encode([[0, 1]]), fgnn.UsageError, "4 bits"),
    (lambda c: Channel("awgm"), fgnn.UsageError, "awgn"),
    (lambda c: Channel(sigma=-1), fgnn.UsageError, ""),
    (lambda c: from_matrix([[0, 2]]), ValueError, "zeros and ones"),
    (lambda c: fgnn.codes.read("nowhere.alist"), fgnn.FileError, "nowhere"),
    (lambda c: regular(10, 3, 7), fgnn.UsageError, ""),
])
def test_what_makes_no_sense_is_refused(wrong, error, words):
    with pytest.raises(error) as caught:
        wrong(from_matrix(HAMMING))
    assert words in str(caught.value) and "\n" not in str(caught.value)

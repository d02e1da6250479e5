"""Binary linear codes: read, make, encode, send through channels, decode in batches.

Ratios are log P(1) / P(0): positive where a one is likelier. (Much of the literature has the
opposite sign.)

>>> import numpy as np, fgnn
>>> code = fgnn.codes.peg(96, 48, seed=1)
>>> messages = np.random.default_rng(0).integers(2, size=(1000, code.dimension))
>>> words = code.encode(messages)
>>> channel = fgnn.codes.Channel("awgn", sigma=0.6)
>>> received = channel.transmit(words, seed=1)
>>> decoded = fgnn.codes.Decoder(code, "sum-product")(channel.llr(received))
>>> bool((decoded.bits != words).mean() < 0.01 < ((received > 0) != words).mean())
True
"""
import json
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fgnn import _core
from fgnn._core import Channel, Code
from fgnn.solvers import ProgressFunction

__all__ = ["Channel", "Code", "Decoded", "Decoder", "ber", "decoders", "from_matrix", "peg", "read",
           "regular", "sigma_of"]


def read(file) -> Code:
    """A code from a file: .alist, .qc, or a graph of parity checks."""
    return _core.read_code(str(file))


def from_matrix(matrix: Any, punctured: Sequence[int] = (), name: str = "matrix") -> Code:
    """A code from its parity-check matrix, an array of zeros and ones or one of scipy.sparse.

    `punctured` are positions that are not sent.

    >>> code = fgnn.codes.from_matrix([[1, 1, 1, 0], [0, 1, 1, 1]])
    >>> code.length, code.dimension, code.rate
    (4, 2, 0.5)
    >>> code.holds([[1, 1, 0, 1], [1, 0, 0, 0]])
    array([ True, False])
    """
    if hasattr(matrix, "tocsr"):
        sparse = matrix.tocsr()
        if not np.isin(sparse.data, (0, 1)).all():
            raise ValueError("from_matrix: the matrix holds more than zeros and ones")
        sparse.eliminate_zeros()
        starts, ones, columns = sparse.indptr, sparse.indices, sparse.shape[1]
    else:
        dense = np.asarray(matrix)
        if dense.ndim != 2 or not np.isin(dense, (0, 1)).all():
            raise ValueError("from_matrix: needs a matrix of zeros and ones")
        ones = np.nonzero(dense)[1]
        starts = np.concatenate([[0], np.cumsum((dense != 0).sum(1))])
        columns = dense.shape[1]
    return _core.code_of_rows(name, starts, ones, columns, np.asarray(punctured, dtype=np.int64))


def peg(length: int, checks: Optional[int] = None, column_weight: int = 3, seed: int = 0,
        girth: int = 0) -> Code:
    """A code by progressive edge growth, with few short cycles; half as many checks as bits.

    girth: do not look for longer cycles; 0: as far as the graph goes.

    >>> fgnn.codes.peg(64, seed=2)
    <fgnn.codes.Code peg-64-32: 32 bits of 64>
    """
    return _core.peg_code(length, length // 2 if checks is None else checks, column_weight, seed,
                          girth)


def regular(length: int, column_weight: int = 3, row_weight: int = 6, seed: int = 0) -> Code:
    """A random code with the same weight in all columns and in all rows."""
    return _core.regular_code(length, column_weight, row_weight, seed)


def sigma_of(decibels: float, scale: str = "snr", rate: float = 0.5) -> float:
    """The noise of a ratio in dB: "snr" is 20 log10(1/sigma), "ebn0" and "esn0" the usual ones.

    >>> fgnn.codes.sigma_of(0)
    1.0
    """
    return _core.sigma_of(decibels, scale, rate)


class Decoded(NamedTuple):
    """What a decoder says of words."""

    bits: NDArray[np.uint8]
    """Zeros and ones, in the shape of what was given."""
    iterations: NDArray[np.uint32]
    """Of each word."""
    valid: NDArray[np.bool_]
    """Of each word whether all checks hold."""
    soft: Optional[NDArray[np.float32]]
    """log P(1) / P(0) of each bit, where it was asked for."""


class Decoder:
    """A decoder of a code, by its name: "sum-product:iterations=20", "osd:order=3", "fgnn:ldpc", …

    decoders() lists them; "fgnn:FILE" is a trained network. It is called with the ratios of words,
    one in each row; or with what was observed and the channel, from which the decoder makes the
    ratios that suit it. Trained networks need the latter.

    >>> code = fgnn.codes.peg(32, seed=1)
    >>> decoder = fgnn.codes.Decoder(code, "min-sum:scale=0.8")
    >>> decoder(np.full(code.length, -1.0)).bits.sum()
    0
    """

    def __init__(self, code: Code, name: str = "sum-product") -> None:
        self._decoder = _core.NamedDecoder(code, name)

    @property
    def code(self) -> Code:
        """Whose words it decodes."""
        return self._decoder.code

    @property
    def name(self) -> str:
        """As it was given."""
        return self._decoder.name

    def __call__(self, llr: Optional[ArrayLike] = None, *, observed: Optional[ArrayLike] = None,
                 channel: Optional[Channel] = None, soft: bool = False,
                 threads: int = 0) -> Decoded:
        """Decodes words given by their ratios, or as they were observed on a channel."""
        if (llr is None) == (observed is None):
            raise ValueError("Decoder: needs either ratios or what was observed")
        if observed is not None and channel is None:
            raise ValueError("Decoder: what was observed needs the channel")
        return Decoded(*self._decoder.decode(llr, observed, channel, soft, threads))

    def __repr__(self) -> str:
        return f"<fgnn.codes.Decoder {self.name} of {self.code.name}>"


def ber(code: Code, decoders: Union[str, Sequence[str]],
        channels: Union[Channel, Iterable[Channel]], *, frames: int = 100000, errors: int = 100,
        seed: int = 0, zero_words: bool = False, threads: int = 0,
        progress: Optional[ProgressFunction] = None) -> List[Dict[str, Any]]:
    """Error rates by simulation: a dictionary per channel and decoder, as `fgnn ber --json` has it.

    A cell ends with so many wrong words (`errors`) or after `frames` words. All decoders see the
    same words; a seed gives the same counts on any number of threads.

    >>> code = fgnn.codes.peg(96, 48, seed=1)
    >>> noise = fgnn.codes.Channel(sigma=fgnn.codes.sigma_of(2))
    >>> rows = fgnn.codes.ber(code, ["sum-product", "min-sum"], noise, frames=2000)
    >>> [row["decoder"] for row in rows], rows[0]["ber"] < rows[1]["ber"] < 0.05
    (['sum-product', 'min-sum'], True)
    """
    names = [decoders] if isinstance(decoders, str) else list(decoders)
    all_channels = [channels] if isinstance(channels, Channel) else list(channels)
    rows = _core.error_rates(code, names, all_channels, frames, errors, seed, zero_words, threads,
                             progress)
    return [json.loads(row) for row in rows]


def decoders() -> List[Dict[str, Any]]:
    """All decoders: name, description, cost, settings."""
    return _core.decoders()

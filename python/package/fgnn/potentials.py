"""Potentials: functions of the states of some variables, as natural logarithms.

Minus infinity forbids. Factors on many variables need no table where their structure says it all:

>>> import fgnn
>>> budget = fgnn.at_most(2)              # at most two of the variables are in state 1
>>> budget.score([1, 1, 1], shape=[2, 2, 2])
-inf
>>> fgnn.parity().table(shape=[2, 2])
array([[  0., -inf],
       [-inf,   0.]])
"""
from typing import Iterable, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from fgnn import _core
from fgnn._core import Potential




def table(log_values: ArrayLike) -> Potential:
    """A dense table: one axis per variable, its length the variable's number of states.

    >>> fgnn.table([[0, 1, 2], [3, 4, 5]]).score([1, 2], shape=[2, 3])
    5.0
    """
    return _core.table(np.asarray(log_values, dtype=np.float64))


def sparse(shape: Sequence[int], rows: ArrayLike, log_values: ArrayLike,
           otherwise: float = -np.inf) -> Potential:
    """Listed joint states with their log-values, and one value for all others.

    >>> fgnn.sparse([3, 3], rows=[[0, 1], [2, 2]], log_values=[0.5, 1.5]).table([3, 3])
    array([[-inf,  0.5, -inf],
           [-inf, -inf, -inf],
           [-inf, -inf,  1.5]])
    """
    return _core.sparse([int(s) for s in shape], np.asarray(rows), np.asarray(log_values, float),
                        otherwise)


def _chosen(chosen: Union[int, Sequence]) -> list:
    """Lists of states, one for all positions or one for each."""
    if isinstance(chosen, (int, np.integer)):
        return [[int(chosen)]]
    return [[int(s) for s in np.atleast_1d(c)] for c in chosen]


def count(log_values: Iterable[float], beyond: float = -np.inf,
          chosen: Union[int, Sequence] = 1) -> Potential:
    """A function of how many variables are in a chosen state; `log_values[k]` is that of k.

    `chosen` is a state, or a list with the chosen state or states of each position; `beyond` is
    the value of counts after the last that is listed.

    >>> fgnn.count([0.0, -1.0, -3.0]).score([1, 0, 1], shape=[2, 2, 2])
    -3.0
    """
    return _core.count([float(v) for v in log_values], beyond, _chosen(chosen))


def at_most(k: int, chosen: Union[int, Sequence] = 1) -> Potential:
    """No more than k variables are in a chosen state."""
    return _core.counting("at-most", k, _chosen(chosen))


def at_least(k: int, chosen: Union[int, Sequence] = 1) -> Potential:
    """No fewer than k variables are in a chosen state."""
    return _core.counting("at-least", k, _chosen(chosen))


def exactly(k: int, chosen: Union[int, Sequence] = 1) -> Potential:
    """Just k variables are in a chosen state."""
    return _core.counting("exactly", k, _chosen(chosen))


def exactly_one(chosen: Union[int, Sequence] = 1) -> Potential:
    """Just one variable is in a chosen state."""
    return exactly(1, chosen)


def parity(odd: bool = False) -> Potential:
    """An even (or odd) number of binary variables is in state 1: a parity check."""
    return _core.parity(odd)


def all_different() -> Potential:
    """No two variables are in the same state.

    >>> fgnn.all_different().score([2, 0, 2], shape=[3, 3, 3])
    -inf
    """
    return _core.all_different()


def low_rank(weights: Sequence[ArrayLike], factors: Optional[ArrayLike] = None,
             log_scale: float = 0.0) -> Potential:
    """A sum of R products: exp(log_scale) * sum_r factors[r] * prod_j weights[j][x_j, r].

    `weights[j]` is a matrix of the states of variable j by R; the numbers are not logarithms.

    >>> w = [[1.0, 0.5], [2.0, 0.25]]
    >>> float(np.exp(fgnn.low_rank([w, w, w]).score([1, 1, 0], shape=[2, 2, 2])).round(6))
    4.03125
    """
    arrays = [np.asarray(w, dtype=np.float64) for w in weights]
    if any(w.ndim != 2 for w in arrays):
        raise ValueError("low_rank: weights must be matrices of states by terms")
    if factors is None:
        factors = np.ones(arrays[0].shape[1] if arrays else 0)
    return _core.low_rank([w.shape[0] for w in arrays], [float(f) for f in np.ravel(factors)],
                          arrays, log_scale)


def max_rank_one(weights: Sequence[ArrayLike]) -> Potential:
    """A maximum of Z sums of logarithms: max_z sum_j weights[j][x_j, z].

    >>> w = [[0.0, -1.0], [-1.0, 0.0]]
    >>> fgnn.max_rank_one([w, w]).table([2, 2])
    array([[ 0., -1.],
           [-1.,  0.]])
    """
    arrays = [np.asarray(w, dtype=np.float64) for w in weights]
    if any(w.ndim != 2 for w in arrays):
        raise ValueError("max_rank_one: weights must be matrices of states by terms")
    terms = np.concatenate(arrays).T if arrays else np.zeros((0, 0))
    return _core.max_rank_one([w.shape[0] for w in arrays], terms.tolist())


def robust_potts(otherwise: float, labels: Union[None, Iterable[Tuple[float, float]]] = None
                 ) -> Potential:
    """Labels that should agree: max(otherwise, max_l best_l - slope_l * #{variables not in l}).

    `labels` has a pair (best, slope) for all labels alike, or for each. None: 0 when all are equal.

    >>> fgnn.robust_potts(-2.0, [(0.0, 1.0)]).score([1, 1, 0], shape=[2, 2, 2])
    -1.0
    """
    if labels is None:
        labels = [(0.0, np.inf)]
    return _core.robust_potts(otherwise, [(float(b), float(s)) for b, s in labels])


def potential(text: str, shape: Optional[Sequence[int]] = None) -> Potential:
    """What stands behind the colon of a factor in an .fgt file; the shape where the words need it.

    >>> fgnn.potential("at-most 1").score([1, 1], shape=[2, 2])
    -inf
    """
    return _core.potential_of_text(text, None if shape is None else [int(s) for s in shape])


def potential_kinds() -> list:
    """All kinds: (name, formula, memory)."""
    return _core.potential_kinds()

"""Inference and learning on factor graphs: the library fgnn from numpy.

>>> import numpy as np, fgnn
>>> b = fgnn.Builder()
>>> x = b.variables("x", 3, 2)                       # three binary variables
>>> b.unary(x, [[0.0, 2.0], [0.0, 0.5], [1.0, 0.0]])  # natural logarithms everywhere
>>> b.factors([[0, 1], [1, 2]], np.log([[2.0, 1.0], [1.0, 2.0]]))
>>> b.factor(x, fgnn.at_most(2))
>>> graph = b.build()
>>> fgnn.map(graph).assignment
array([1, 1, 0], dtype=uint32)
>>> fgnn.infer(graph).marginals.round(3)
array([[0.154, 0.846],
       [0.45 , 0.55 ],
       [0.906, 0.094]])

The guide is docs/python.md. help() of every function has an example.
"""
from fgnn import _core, codes, convert, networks, notebook
from fgnn._core import ExactPlan, FactorGraph, Messages, Potential, Progress, Result
from fgnn.builder import Builder
from fgnn.errors import (Error, FileError, FormatError, InfeasibleError, InternalError, ModelError,
                         StoppedError, TimeLimitError, TooLargeError, TooWideError,
                         UnsupportedError, UsageError)
from fgnn.potentials import (all_different, at_least, at_most, count, exactly, exactly_one,
                             low_rank, max_rank_one, parity, potential, potential_kinds, robust_potts, sparse,
                             table)
from fgnn.solvers import (Comparison, certify, compare, formats, infer, map, max_product, methods,
                          parse, read, read_evidence, sum_product)
from fgnn.training import train, train_settings

for _class in (ExactPlan, FactorGraph, Messages, Potential, Progress, Result):
    _class.__module__ = "fgnn"
setattr(FactorGraph, "_repr_html_", notebook.of_graph)
setattr(Result, "_repr_html_", notebook.of_result)

__version__ = _core.version
__all__ = [name for name in dir() if not name.startswith("_")]

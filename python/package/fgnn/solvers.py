"""Marginals, best assignments and what proves them: every method of the library.

Settings of methods are keyword arguments with the names that the program has (`fgnn list methods`),
and what makes no sense is refused in the same words.
"""
import html
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from fgnn import _core
from fgnn._core import FactorGraph, Messages, Progress, Result

Evidence = Mapping[Union[int, str], Union[int, ArrayLike]]
ProgressFunction = Callable[[Progress], Optional[bool]]


def _limit(seconds: Optional[float]) -> float:
    return np.inf if seconds is None else seconds


def _bytes(memory: Union[int, str]) -> int:
    return _core.parse_bytes(memory) if isinstance(memory, str) else int(memory)


def _text(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, (bool, np.bool_)) else str(value)


def _solve(query, graph, method, evidence, time_limit, memory, threads, seed, progress, settings):
    texts = {name.replace("_", "-"): _text(value) for name, value in settings.items()
             if value is not None} if settings else {}
    return _core.solve(graph, query, method, texts, evidence, _bytes(memory), _limit(time_limit),
                       threads, seed, progress)


def infer(graph: FactorGraph, method: str = "auto", *, evidence: Optional[Evidence] = None,
          time_limit: Optional[float] = None, memory: Union[int, str] = 8 << 30, threads: int = 0,
          seed: int = 0, progress: Optional[ProgressFunction] = None, **settings: Any) -> Result:
    """The probability of each state of each variable, and the partition function.

    method      "auto" (exact where it fits, else belief propagation), "exact", "sum-product", …;
                methods("infer") lists them, "fgnn:FILE" is a trained network
    evidence    from variables (numbers or names) to an observed state, or to log-weights of states
    time_limit  seconds; memory: bytes, or text such as "2G"; threads: 0 for all processors
    progress    is called with a Progress now and then; where it returns False, solving stops
    settings    of the method: iterations=, damping=, schedule=, …

    >>> import numpy as np, fgnn
    >>> b = fgnn.Builder()
    >>> rain, wet = b.variable("rain", 2), b.variable("wet", 2)
    >>> b.unary(rain, np.log([0.8, 0.2]))
    >>> b.factor([rain, wet], np.log([[0.9, 0.1], [0.2, 0.8]]))
    >>> result = fgnn.infer(b.build(), evidence={"wet": 1})
    >>> result.status
    'exact'
    >>> result.marginals[rain].round(4)
    array([0.3333, 0.6667])

    Raises InfeasibleError where every assignment is forbidden. Ctrl-C stops the method; the
    KeyboardInterrupt has the answer found so far as its `result`.
    """
    return _solve("infer", graph, method, evidence, time_limit, memory, threads, seed, progress,
                  settings)


def map(graph: FactorGraph, method: str = "auto", *, evidence: Optional[Evidence] = None,
        time_limit: Optional[float] = None, memory: Union[int, str] = 8 << 30, threads: int = 0,
        seed: int = 0, progress: Optional[ProgressFunction] = None, **settings: Any) -> Result:
    """The assignment of the highest score, with an upper bound of all scores; or the k best.

    method      "auto", "exact", "max-product", "mplp", "ad3", "branch-and-bound", …;
                methods("map") lists them, "fgnn:FILE" is a trained network
    settings    of the method: k=, iterations=, damping=, rounding=, …

    The other arguments are those of infer().

    >>> import numpy as np, fgnn
    >>> b = fgnn.Builder()
    >>> x = b.variables("x", 4, 2)
    >>> b.unary(x, [[0, 1.0], [0, 2.0], [0, 3.0], [0, 4.0]])
    >>> b.factor(x, fgnn.at_most(2))
    >>> g = b.build()
    >>> result = fgnn.map(g, "exact", k=2)
    >>> result.assignment, result.score, result.gap
    (array([0, 0, 1, 1], dtype=uint32), 7.0, 0.0)
    >>> result.solutions[1]
    (6.0, array([0, 1, 0, 1], dtype=uint32))
    """
    return _solve("map", graph, method, evidence, time_limit, memory, threads, seed, progress,
                  settings)


def _propagate(maxima, graph, evidence, warm, progress, options):
    given = {name: value for name, value in options.items() if value is not None}
    return _core.propagate(graph, maxima, given, evidence, warm, progress)


def sum_product(graph: FactorGraph, *, evidence: Optional[Evidence] = None,
                warm: Union[None, Messages, Result] = None, schedule: str = "sequential",
                iterations: int = 200, tolerance: float = 1e-8, damping: Optional[float] = None,
                temperature: float = 1.0, single_precision: bool = False, threads: int = 0,
                seed: int = 0, time_limit: Optional[float] = None,
                progress: Optional[ProgressFunction] = None) -> Result:
    """Loopy belief propagation: marginals, the Bethe approximation of log Z, and messages.

        n_{i->c}(x_i) = theta_i(x_i) + sum_{d != c} m_{d->i}(x_i)
        m_{c->i}(x_i) = log sum_{x_c without x_i} exp[ log phi_c(x_c) + sum_{j != i} n_{j->c}(x_j) ]

    Exact on trees; elsewhere it may not converge, and the status says so.

    schedule    flooding, sequential, random, residual or layered
    tolerance   it ends when no message changes by more
    damping     the share of the old message that is kept
    temperature towards 0 it becomes max-product
    warm        messages to start from: Messages(graph), or those of a result on the same graph

    >>> import numpy as np, fgnn
    >>> b = fgnn.Builder()
    >>> x = b.variables("x", 3, 2)
    >>> b.unary(x[0], [0.0, 1.0])
    >>> b.factors([[0, 1], [1, 2]], np.log([[2.0, 1.0], [1.0, 2.0]]))
    >>> g = b.build()
    >>> result = fgnn.sum_product(g)
    >>> result.status, result.iterations
    ('converged', 2)
    >>> result.marginals.round(4)
    array([[0.2689, 0.7311],
           [0.423 , 0.577 ],
           [0.4743, 0.5257]])
    >>> result.factor_belief(1).round(4)
    array([[0.282 , 0.141 ],
           [0.1923, 0.3847]])
    >>> fgnn.sum_product(g, warm=result).iterations
    1
    """
    return _propagate(False, graph, evidence, warm, progress, {
        "schedule": schedule, "iterations": iterations, "tolerance": tolerance, "damping": damping,
        "temperature": temperature, "single_precision": single_precision, "threads": threads,
        "seed": seed, "time_limit": time_limit})


def max_product(graph: FactorGraph, *, evidence: Optional[Evidence] = None,
                warm: Union[None, Messages, Result] = None, schedule: str = "sequential",
                iterations: int = 200, tolerance: float = 1e-8, damping: Optional[float] = None,
                decimate: bool = True, single_precision: bool = False, threads: int = 0,
                seed: int = 0, time_limit: Optional[float] = None,
                progress: Optional[ProgressFunction] = None) -> Result:
    """The same with maxima in place of sums: an assignment, and max-marginals.

    With `decimate` variables are decided one after another, so that they fit together; else every
    variable takes the state of its own best belief. The other arguments are those of
    sum_product().

    >>> import numpy as np, fgnn
    >>> b = fgnn.Builder()
    >>> x = b.variables("x", 3, 2)
    >>> b.unary(x[0], [0.0, 1.0])
    >>> b.factors([[0, 1], [1, 2]], np.log([[2.0, 1.0], [1.0, 2.0]]))
    >>> fgnn.max_product(b.build()).assignment
    array([1, 1, 1], dtype=uint32)
    """
    return _propagate(True, graph, evidence, warm, progress, {
        "schedule": schedule, "iterations": iterations, "tolerance": tolerance, "damping": damping,
        "decimate": decimate, "single_precision": single_precision, "threads": threads,
        "seed": seed, "time_limit": time_limit})


def certify(graph: FactorGraph, assignment: ArrayLike, method: str = "ad3", *,
            evidence: Optional[Evidence] = None, time_limit: Optional[float] = None,
            threads: int = 0, seed: int = 0) -> Dict[str, Any]:
    """How good an assignment is, whoever found it: a bound from a relaxation ("ad3" or "mplp").

    >>> import fgnn
    >>> b = fgnn.Builder()
    >>> x = b.variables("x", 2, 2)
    >>> b.unary(x, [0.0, 1.0])
    >>> b.factor(x, fgnn.at_most(1))
    >>> certificate = fgnn.certify(b.build(), [1, 0])
    >>> certificate["proved"], round(certificate["bound"], 6)
    (True, 1.0)
    """
    return _core.certify(graph, np.asarray(assignment), method, evidence, _limit(time_limit),
                         threads, seed)


class Comparison(List[Dict[str, Any]]):
    """A row per method; printed, a table."""

    table: str

    def __repr__(self) -> str:
        return self.table

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.table)}</pre>"


def compare(graphs: Union[FactorGraph, Iterable[FactorGraph]],
            methods: Union[str, Sequence[str]] = "max-product,mplp,ad3,exact", *,
            evidence: Optional[Evidence] = None, time_limit: Optional[float] = None,
            threads: int = 0, seed: int = 0) -> Comparison:
    """Several methods on the same graphs, against the exact MAP where that is feasible.

    A method may have settings of its own: "max-product:damping=0.5,iterations=50". Agreement is the
    percentage of variables in the state of the exact MAP.

    >>> import fgnn
    >>> b = fgnn.Builder()
    >>> x = b.variables("x", 4, 2)
    >>> b.unary(x, [[0, 1.0], [0, 2.0], [0, 3.0], [0, 4.0]])
    >>> b.factor(x, fgnn.at_most(2))
    >>> [(row["method"], row["agreement"]) for row in fgnn.compare(b.build(), "ad3,exact")]
    [('ad3', 100.0), ('exact', 100.0)]
    """
    if isinstance(graphs, FactorGraph):
        graphs = [graphs]
    text = methods if isinstance(methods, str) else ",".join(methods)
    rows, table = _core.compare(list(graphs), text, evidence, _limit(time_limit), threads, seed)
    comparison = Comparison(rows)
    comparison.table = table
    return comparison


def methods(query: Optional[str] = None) -> List[Dict[str, Any]]:
    """All methods, or those for "infer" or "map": name, description, cost, guarantee, settings.

    >>> "sum-product" in [m["name"] for m in fgnn.methods("infer")]
    True
    """
    return [m for m in _core.methods() if query is None or m["query"] == query]


def read(file, format: str = "", *, memory: Union[int, str] = 8 << 30,
         time_limit: Optional[float] = None) -> FactorGraph:
    """A graph from a file: .uai, .fgt, .fg and others (formats()), by its ending."""
    return _core.read(str(file), format, _bytes(memory), _limit(time_limit))


def parse(text: str) -> FactorGraph:
    """A graph from text in the format .fgt.

    >>> fgnn.parse("fgnn 1  var x[3] 2  factor x[0..2] : parity even").score([1, 1, 0])
    0.0
    """
    return _core.parse(text)


def read_evidence(graph: FactorGraph, file) -> Dict[int, Any]:
    """UAI evidence from a file, as infer() and map() take it."""
    return _core.read_evidence(graph, str(file))


def formats() -> list:
    """All formats of files: (name, ending, description)."""
    return _core.formats()

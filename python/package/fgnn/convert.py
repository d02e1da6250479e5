"""To and from networkx and scipy, which are imported only where they are used."""
from typing import Any, Hashable, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from fgnn._core import Code, FactorGraph
from fgnn.builder import Builder


def to_networkx(graph: FactorGraph) -> Any:
    """The bipartite graph of variables (by their names) and factors (0, 1, …), as a networkx.Graph.

    Variables have the attributes bipartite=0, states and unary; factors bipartite=1, kind and
    scope.

    >>> import fgnn.convert
    >>> g = fgnn.parse("fgnn 1  var x[3] 2  factor x[0] x[1] x[2] : parity even")
    >>> sorted(fgnn.convert.to_networkx(g)[0])  # doctest: +SKIP
    ['x[0]', 'x[1]', 'x[2]']
    """
    import networkx

    result = networkx.Graph()
    names, unaries = graph.names, graph.unaries
    for v, name in enumerate(names):
        result.add_node(name, bipartite=0, states=int(graph.states[v]), unary=unaries[v])
    for c in range(graph.num_factors):
        scope = [names[v] for v in graph.scope(c)]
        result.add_node(c, bipartite=1, kind=graph.potential(c).kind, scope=scope)
        result.add_edges_from((name, c) for name in scope)
    return result


def from_networkx(graph: Any, unaries: Union[str, Mapping[Hashable, ArrayLike]] = "unary",
                  tables: Union[str, ArrayLike] = "table") -> FactorGraph:
    """A pairwise model: a variable for each node of a networkx.Graph, a factor for each edge.

    `unaries` names the attribute of nodes with their log-potentials, or maps nodes to them.
    `tables` names the attribute of edges (u, v) with a table of u's states by v's, in the order in
    which graph.edges has u and v; or it is one table for all. Variables are called x[0], x[1], …
    in the order of the nodes.

    >>> import networkx  # doctest: +SKIP
    >>> ring = networkx.cycle_graph(5)  # doctest: +SKIP
    >>> fgnn.convert.from_networkx(ring, {v: [0.0, 1.0] for v in ring},
    ...                            tables=[[0.0, 0.0], [0.0, -2.0]])  # doctest: +SKIP
    <fgnn.FactorGraph: 5 variables, 5 factors, 10 edges>
    """
    nodes = list(graph)
    number = {node: v for v, node in enumerate(nodes)}
    own = [np.asarray(graph.nodes[node][unaries] if isinstance(unaries, str) else unaries[node],
                      dtype=np.float64) for node in nodes]
    b = Builder()
    if nodes:
        b.variables("x", len(nodes), [len(u) for u in own])
    for v, u in enumerate(own):
        b.unary(v, u)
    for u, v, attributes in graph.edges(data=True):
        b.factor([number[u], number[v]], attributes[tables] if isinstance(tables, str) else tables)
    return b.build()


def incidence(graph: FactorGraph) -> Any:
    """The matrix of factors by variables, 1 where the factor has the variable; scipy.sparse."""
    import scipy.sparse

    return scipy.sparse.csr_matrix(
        (np.ones(graph.num_edges, dtype=np.int8), graph.edge_variables.astype(np.int64),
         graph.first_edges.astype(np.int64)), shape=(graph.num_factors, graph.num_variables))


def parity_matrix(code: Code) -> Any:
    """The parity-check matrix of a code; scipy.sparse. codes.from_matrix() is the way back."""
    import scipy.sparse

    starts, ones = code.rows
    return scipy.sparse.csr_matrix(
        (np.ones(len(ones), dtype=np.uint8), ones.astype(np.int64), starts.astype(np.int64)),
        shape=(code.num_checks, code.length))


def pairwise(unaries: Sequence[ArrayLike], edges: ArrayLike, tables: ArrayLike) -> FactorGraph:
    """A pairwise model from arrays: log-potentials of n variables, m pairs, and their table(s).

    >>> fgnn.convert.pairwise(np.zeros((4, 3)), [[0, 1], [1, 2], [2, 3]], np.eye(3))
    <fgnn.FactorGraph: 4 variables, 3 factors, 6 edges>
    """
    b = Builder()
    own = [np.asarray(u, dtype=np.float64) for u in unaries]
    if own:
        b.variables("x", len(own), [len(u) for u in own])
    for v, u in enumerate(own):
        b.unary(v, u)
    b.factors(np.asarray(edges, dtype=np.int64).reshape(-1, 2), tables)
    return b.build()

"""networkx and scipy, where they are."""
import numpy as np
import pytest

import fgnn
from fgnn import convert


def model():
    b = fgnn.Builder()
    x = b.variables("x", 4, [2, 3, 2, 2])
    b.unary(x[1], [0.0, 1.0, 2.0])
    b.factor([0, 1], np.arange(6.0).reshape(2, 3))
    b.factor([0, 2, 3], fgnn.parity())
    return b.build()


def test_the_bipartite_graph_of_variables_and_factors():
    networkx = pytest.importorskip("networkx", reason="there is no networkx")
    g = convert.to_networkx(model())
    assert networkx.is_bipartite(g) and g.number_of_edges() == 5
    assert sorted(g[1]) == ["x[0]", "x[2]", "x[3]"] and g.nodes[1]["kind"] == "parity"
    assert g.nodes["x[1]"]["unary"].tolist() == [0, 1, 2] and g.nodes["x[1]"]["states"] == 3


def test_pairwise_models_of_networkx():
    networkx = pytest.importorskip("networkx", reason="there is no networkx")
    rng = np.random.default_rng(0)
    g = networkx.Graph()
    for node, states in zip("abc", (2, 3, 2)):
        g.add_node(node, unary=rng.normal(size=states))
    g.add_edge("a", "b", table=rng.normal(size=(2, 3)))
    g.add_edge("c", "b", table=rng.normal(size=(2, 3)).T)  # edges have b before c
    order = [e for e in g.edges]
    assert order == [("a", "b"), ("b", "c")]
    model = convert.from_networkx(g)
    x = [1, 2, 0]
    unary = {n: g.nodes[n]["unary"] for n in "abc"}
    assert model.score(x) == pytest.approx(
        unary["a"][1] + unary["b"][2] + unary["c"][0] + g.edges["a", "b"]["table"][1, 2]
        + g.edges["b", "c"]["table"][2, 0])
    ring = convert.from_networkx(networkx.cycle_graph(5), {v: [0.0, 1.0] for v in range(5)},
                                 tables=[[0.0, 0.0], [0.0, -2.0]])
    assert fgnn.map(ring).score == 2
    empty = convert.from_networkx(networkx.Graph())
    assert empty.num_variables == 0


def test_sparse_matrices():
    pytest.importorskip("scipy.sparse", reason="there is no scipy")
    assert convert.incidence(model()).toarray().tolist() == [[1, 1, 0, 0], [1, 0, 1, 1]]
    code = fgnn.codes.peg(32, seed=1)
    matrix = convert.parity_matrix(code)
    word = code.encode(np.ones(code.dimension, int))
    assert matrix.shape == (16, 32) and not (matrix @ word % 2).any()
    again = fgnn.codes.from_matrix(matrix)
    assert all(np.array_equal(*pair) for pair in zip(again.rows, code.rows))


def test_pairwise_models_of_arrays():
    rng = np.random.default_rng(0)
    unaries, tables = rng.normal(size=(4, 2)), rng.normal(size=(3, 2, 2))
    g = convert.pairwise(unaries, [[0, 1], [1, 2], [3, 0]], tables)
    x = [1, 0, 1, 1]
    assert g.score(x) == pytest.approx(unaries[range(4), x].sum() + tables[0][1, 0]
                                       + tables[1][0, 1] + tables[2][1, 1])

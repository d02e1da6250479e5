"""Graphs: built from arrays, read from files, looked at as arrays."""
import itertools
import pickle

import numpy as np
import pytest

import fgnn


def grid(side=3, states=2, seed=0):
    rng = np.random.default_rng(seed)
    b = fgnn.Builder()
    x = b.variables("x", (side, side), states)
    b.unary(x, rng.normal(size=(side, side, states)))
    for pairs in (np.stack([x[:, :-1], x[:, 1:]], -1), np.stack([x[:-1], x[1:]], -1)):
        b.factors(pairs, rng.normal(size=(pairs.size // 2, states, states)))
    return b.build()


def all_states(graph):
    return itertools.product(*(range(s) for s in graph.states))


def test_what_is_built_is_there():
    b = fgnn.Builder()
    x = b.variables("x", 2, 2)
    y = b.variable("y", 3)
    b.unary(x, [0.5, 1.0])
    b.unary("y", [1.0, 2.0, 3.0])
    b.unary(y, [0.0, 0.0, 1.0])  # adds
    b.constant(0.25)
    table = np.arange(6.0).reshape(2, 3)
    b.factor([x[1], "y"], table)
    b.factor([0, 1], fgnn.parity())
    assert (b.num_variables, b.num_factors) == (3, 2)
    g = b.build()
    assert (g.num_variables, g.num_factors, g.num_edges) == (3, 2, 4)
    assert g.states.tolist() == [2, 2, 3]
    assert [u.tolist() for u in g.unaries] == [[0.5, 1.0], [0.5, 1.0], [1.0, 2.0, 4.0]]
    assert g.scope(0).tolist() == [1, 2]
    assert g.edge_variables.tolist() == [1, 2, 0, 1]
    assert g.first_edges.tolist() == [0, 2, 4]
    assert g.names == ["x[0]", "x[1]", "y"]
    assert g.find("x[1]") == 1 and g.name(2) == "y"
    assert g.shape(0) == (2, 3)
    assert np.array_equal(g.potential(0).table(g.shape(0)), table)
    assert g.score([1, 1, 2]) == 0.25 + 1 + 1 + 4 + 5
    assert g.score([0, 1, 0]) == -np.inf


def test_many_factors_in_one_call_are_those_of_many_calls():
    rng = np.random.default_rng(1)
    scopes = np.array([[0, 1, 2], [2, 3, 4], [4, 0, 1]])
    tables = rng.normal(size=(3, 2, 2, 2))
    many, single = fgnn.Builder(), fgnn.Builder()
    for b in (many, single):
        b.variables("x", 5, 2)
    many.factors(scopes, tables)
    many.factors(scopes, tables[0])
    many.factors(scopes, fgnn.at_most(2))
    many.factors(scopes, [fgnn.parity(), fgnn.parity(True), fgnn.all_different()])
    for scope, table in zip(scopes, tables):
        single.factor(scope, table)
    for scope in scopes:
        single.factor(scope, tables[0])
    for scope in scopes:
        single.factor(list(scope), fgnn.at_most(2))
    for scope, p in zip(scopes, [fgnn.parity(), fgnn.parity(True), fgnn.all_different()]):
        single.factor(tuple(scope), p)
    assert many.build() == single.build()


def test_arrays_are_on_the_memory_of_the_graph():
    g = grid()
    for array in (g.states, g.unaries, g.edge_variables, g.scope(0)):
        assert not array.flags.owndata and not array.flags.writeable
    assert g.unaries.ctypes.data == g.unaries.ctypes.data
    unaries = grid().unaries  # keeps its graph
    assert np.array_equal(unaries, g.unaries)


@pytest.mark.parametrize("ending", [".uai", ".fgt", ".fg"])
def test_files_hold_the_graph(tmp_path, ending):
    g = grid(states=3)
    file = tmp_path / ("model" + ending)
    g.save(str(file))
    again = fgnn.read(file)
    assert again.num_variables == g.num_variables
    for x in list(all_states(g))[::1000]:
        assert again.score(x) == pytest.approx(g.score(x))


def test_text_and_pickles_hold_all_of_it():
    b = fgnn.Builder()
    x = b.variables("x", 4, 3)
    b.unary(x, np.random.default_rng(0).normal(size=(4, 3)))
    w = np.random.default_rng(1).uniform(0.1, 1, size=(3, 2))
    for p in (fgnn.all_different(), fgnn.count([0, 0.1, 0.7]), fgnn.low_rank([w] * 4, [1.0, 2.0]),
              fgnn.max_rank_one([w] * 4), fgnn.robust_potts(-1.0),
              fgnn.sparse([3] * 4, [[0, 1, 2, 0]], [0.5], otherwise=-1.0)):
        b.factor(x, p)
    g = b.build()
    assert fgnn.parse(g.text()) == g
    assert pickle.loads(pickle.dumps(g)) == g


def test_other_unaries_and_evidence():
    g = grid()
    other = g.with_unaries(np.zeros((9, 2)))
    assert np.array_equal(other.unaries, np.zeros((9, 2))) and other.same_structure(g)
    given = g.given({"x[4]": 1, 0: [0.0, 2.0]})
    assert given.unaries[4, 0] == -np.inf
    assert given.unaries[0].tolist() == (g.unaries[0] + [0.0, 2.0]).tolist()
    assert given.score([0] * 9) == -np.inf


def test_potentials_are_the_functions_they_say():
    shape = [2, 2, 2]
    every = list(itertools.product(range(2), repeat=3))
    for p, allowed in ((fgnn.at_most(1), lambda n: n <= 1), (fgnn.at_least(2), lambda n: n >= 2),
                       (fgnn.exactly(2), lambda n: n == 2), (fgnn.exactly_one(), lambda n: n == 1),
                       (fgnn.parity(), lambda n: n % 2 == 0), (fgnn.parity(True), lambda n: n % 2)):
        table = p.table(shape)
        for x in every:
            assert p.score(x, shape) == table[x] == (0.0 if allowed(sum(x)) else -np.inf)
    assert fgnn.at_most(1, chosen=0).score([0, 0, 1], shape) == -np.inf
    assert fgnn.at_most(1, chosen=[[0], [1], [0, 1]]).score([0, 0, 1], shape) == -np.inf
    assert fgnn.potential("at-most 1") == fgnn.at_most(1)
    assert {k[0] for k in fgnn.potential_kinds()} >= {"table", "count", "parity", "low-rank"}


@pytest.mark.parametrize("wrong, error, words", [
    (lambda b: b.factor([0, 7], np.zeros((2, 2))), fgnn.ModelError, "7"),
    (lambda b: b.factor([0, 0], np.zeros((2, 2))), fgnn.ModelError, "x[0]"),
    (lambda b: b.factor([0, 1], np.zeros((2, 3))), fgnn.ModelError, "2 x 3"),
    (lambda b: b.factor([0, "z"], np.zeros((2, 2))), fgnn.ModelError, "'z'"),
    (lambda b: b.unary(0, [0.0, np.nan]), fgnn.ModelError, "x[0]"),
    (lambda b: b.unary([0, 1], np.zeros((3, 2))), fgnn.UsageError, "3 rows for 2 variables"),
    (lambda b: b.factors([[0.5, 1.0]], np.zeros((2, 2))), fgnn.UsageError, "float64"),
    (lambda b: b.factors([[0, -1]], np.zeros((2, 2))), fgnn.UsageError, "-1 is out of range"),
    (lambda b: b.factors([[0, 1]], np.zeros((2, 2, 2))), fgnn.UsageError, "2 axes"),
    (lambda b: b.factors([[0, 1]], [fgnn.parity()] * 2), fgnn.UsageError, "2 potentials"),
    (lambda b: b.variables("x", 2, 2), fgnn.ModelError, "x"),
    (lambda b: b.factor([0, 1, 2], fgnn.potential("nonsense")), fgnn.FormatError, "nonsense"),
])
def test_what_makes_no_sense_is_refused_by_name(wrong, error, words):
    b = fgnn.Builder()
    b.variables("x", 3, 2)
    with pytest.raises(error) as caught:
        wrong(b)
    assert words in str(caught.value) and "\n" not in str(caught.value)
    assert b.num_factors == 0


def test_files_that_are_not_there():
    with pytest.raises(fgnn.FileError, match="nowhere.uai"):
        fgnn.read("nowhere.uai")
    with pytest.raises(OSError):
        fgnn.read("nowhere.uai")
    with pytest.raises(fgnn.FormatError, match="text:1:1"):
        fgnn.parse("nonsense")


def test_notebooks_show_tables_and_drawings():
    g = grid()
    page = g._repr_html_()
    assert page.count("<circle") == 9 and page.count("<rect") == 12 and page.count("<line") == 24
    assert "table factors" in page
    assert "<svg" not in grid(10)._repr_html_()
    assert "x[8]" in fgnn.infer(g)._repr_html_()
    assert "score" in fgnn.map(grid(5))._repr_html_() and "and 5 more" in fgnn.map(
        grid(5))._repr_html_()
    assert "ad3" in fgnn.compare(g, "ad3")._repr_html_()

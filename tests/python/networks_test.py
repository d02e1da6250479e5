"""Networks on graphs from arrays, against plain loops and against the program."""
import numpy as np
import pytest

import fgnn
from fgnn.networks import Graphs, Network, Relation, join

TRIPLES = [[i, (i + 1) % 6, (i + 2) % 6] for i in range(6)]


def rings(copies=3, seed=0, **more):
    rng = np.random.default_rng(seed)
    return Graphs(rng.normal(size=(copies, 6, 2)), {"triple": Relation(TRIPLES, **more)})


def test_graphs_show_what_they_were_made_of():
    rng = np.random.default_rng(0)
    features, kinds = rng.normal(size=(3, 6, 4)), rng.normal(size=(3, 5))
    g = rings(features=features, kind_features=kinds, mask=np.arange(18) % 5 > 0)
    assert (g.copies, g.num_graphs, g.num_variables) == (3, 3, 6)
    assert np.array_equal(g.variables, np.random.default_rng(0).normal(size=(3, 6, 2)))
    [relation] = g.relations
    assert relation["factors"] == 6 and relation["kinds"] == 3 and relation["name"] == "triple"
    assert np.array_equal(relation["edge_variable"].reshape(6, 3), TRIPLES)
    assert np.array_equal(relation["factor"], features)
    assert np.array_equal(relation["edge"][0], kinds)
    assert relation["mask"].reshape(3, 18).tolist() == [list(np.arange(18) % 5 > 0)] * 3
    assert not g.variables.flags.owndata and not g.variables.flags.writeable


def test_edges_in_any_order_are_the_scopes():
    order = np.random.default_rng(1).permutation(18)
    edges = np.stack([np.repeat(np.arange(6), 3), np.ravel(TRIPLES), np.tile(range(3), 6)])
    features = np.random.default_rng(2).normal(size=(18, 2))
    x = np.random.default_rng(0).normal(size=(3, 6, 2))
    sorted_ = Graphs(x, {"t": Relation(edges=edges, edge_features=features)})
    mixed = Graphs(x, {"t": Relation(edges=edges[:, order], edge_features=features[order])})
    net = Network("2*FGNN(8, q=mlp) - Out(2)", sorted_, seed=1)
    assert net(mixed) == pytest.approx(net(sorted_), abs=1e-5)
    by_scopes = Graphs(x, {"t": Relation(TRIPLES)})
    by_edges = Graphs(x, {"t": Relation(edges=edges[:, order])})
    net = Network("2*FGNN(8) - Out(2)", by_scopes, seed=1)
    assert net(by_edges) == pytest.approx(net(by_scopes), abs=1e-5)


def test_a_linear_map_is_numpy_s():
    g = rings()
    net = Network("FC(4, norm=none, activation=relu) - Out(3)", g, seed=2)
    w = net.weights
    hidden = np.maximum(g.variables @ w["0.variable.linear.weight"]
                        + w["0.variable.linear.bias"], 0)
    expected = hidden @ w["1.out.weight"] + w["1.out.bias"]
    assert net(g) == pytest.approx(expected, abs=1e-5)
    w["1.out.bias"][:] += 1  # on the network's own memory
    assert net(g) == pytest.approx(expected + 1, abs=1e-5)


def test_copies_unions_and_single_graphs_have_the_same_answers():
    g = rings(copies=4)
    net = Network("FC(8) - 2*FGNN(8) - Out(2)", g, seed=1)
    whole = net(g)
    assert whole.shape == (4, 6, 2)
    each = [Graphs(g.variables[i], {"triple": Relation(TRIPLES)}) for i in range(4)]
    assert np.concatenate([net(one) for one in each]) == pytest.approx(whole, abs=1e-5)
    union = join(each)
    assert union.num_graphs == 4
    assert net(union).reshape(4, 6, 2) == pytest.approx(whole, abs=1e-5)
    assert net(each[0].with_features(g.variables)) == pytest.approx(whole, abs=1e-5)
    assert np.array_equal(net(g, threads=1), net(g, threads=2))
    # The same from flat arrays with offsets.
    scopes = np.concatenate([np.array(TRIPLES) + 6 * i for i in range(4)])
    flat = Graphs(g.variables.reshape(24, 2),
                  {"triple": Relation(scopes, offset=range(0, 25, 6))}, offset=range(0, 25, 6))
    assert flat.num_graphs == 4
    pooled = Network("FGNN(8) - Pool(mean) - Out(3)", g, seed=1)
    assert pooled(flat) == pytest.approx(pooled(g), abs=1e-5)
    assert pooled(flat).shape == (4, 3)


def test_files_hold_networks(tmp_path):
    g = rings()
    net = Network("FC(8) - 2*FGNN(8) - Out(2)", g, seed=1)
    net.save(tmp_path / "net.safetensors", dtype="f64")
    again = Network.load(tmp_path / "net.safetensors")
    assert again.description == net.description and np.array_equal(again(g), net(g))
    assert again.num_weights == net.num_weights == sum(
        w.size for name, w in net.weights.items() if "norm.mean" not in name
        and "norm.variance" not in name)


def test_networks_that_come_with_the_library_run():
    net = Network.load("d3")
    assert net.metadata["task"] == "synthetic"
    with pytest.raises(fgnn.UsageError, match="relations"):
        net(rings())
    assert {name for name, *_ in fgnn.networks.presets()} >= {"fgnn"}


@pytest.mark.parametrize("wrong, error, words", [
    (lambda: Graphs(np.zeros(3), {}), ValueError, "axis"),
    (lambda: Graphs(np.zeros((3, 1)), {"p": Relation()}), ValueError, "scopes or edges"),
    (lambda: Graphs(np.zeros((3, 1)), {"p": Relation([[0, 3]])}), fgnn.UsageError, ""),
    (lambda: Graphs(np.zeros((3, 1)), {"p": Relation([[0, 1]], features=np.zeros((2, 1)))}),
     fgnn.UsageError, "2 rows where 1"),
    (lambda: Graphs(np.zeros((4, 3, 1)), {"p": Relation([[0, 1]], features=np.zeros((2, 1, 1)))}),
     fgnn.UsageError, "2 copies, not 4"),
    (lambda: Network("FGMN(8) - Out(2)", rings()), fgnn.Error, "FGNN"),
    (lambda: Network("FC(8) - Out(2)", rings())(
        Graphs(np.zeros((6, 3)), {"triple": Relation(TRIPLES)})), fgnn.UsageError,
     "3 variable features where 2"),
    (lambda: Network("FC(8) - Out(2)", rings())(
        Graphs(np.zeros((6, 2)), {"pair": Relation(TRIPLES)})), fgnn.UsageError, "'pair'"),
    (lambda: Network.load("nowhere"), fgnn.FileError, "nowhere"),
    (lambda: Network("Out(2)", rings()).save("x.safetensors", "f8"), fgnn.UsageError, "f32"),
    (lambda: join([rings(), Graphs(np.zeros((6, 3)), {"triple": Relation(TRIPLES)})]),
     fgnn.UsageError, "variable features"),
    (lambda: rings().with_features(factors={"pair": np.zeros((6, 1))}), ValueError, "'pair'"),
])
def test_what_makes_no_sense_is_refused(wrong, error, words):
    with pytest.raises(error) as caught:
        wrong()
    assert words in str(caught.value) and "\n" not in str(caught.value)

"""Training from Python."""
import os
import signal
import threading

import numpy as np
import pytest

import fgnn
from fgnn.networks import Graphs, Network, Relation

NETWORK = "2*FGNN(8) - Out(2)"
QUICK = dict(steps=150, batch=20, rate=1e-2, interval=50)


def ring(x):
    """Three in a row share a factor; a switch is of class 1 when it and its neighbours are on."""
    n = x.shape[-1]
    triples = [[i, (i + 1) % n, (i + 2) % n] for i in range(n)]
    y = x & np.roll(x, 1, -1) & np.roll(x, -1, -1)
    return Graphs(x[..., None], {"triple": Relation(triples)}), y


def rings(count, seed=0, sizes=(6,)):
    rng = np.random.default_rng(seed)
    return [ring(rng.integers(2, size=int(rng.choice(sizes)))) for _ in range(count)]


def test_lists_of_graphs_of_many_sizes_train():
    graphs, labels = zip(*rings(200, sizes=(5, 6, 7, 8)))
    seen = []
    net = fgnn.train(list(graphs), list(labels), network=NETWORK,
                     callback=lambda step, logged: seen.append((step, logged)), **QUICK)
    assert net.report["validation"]["accuracy"] > 0.95
    assert net.report["last_loss"] < net.report["first_loss"]
    assert [step for step, _ in seen] == [50, 100, 150] and all(seen)
    larger, wanted = ring(np.random.default_rng(9).integers(2, size=(4, 20)))
    assert (net(larger).argmax(-1) == wanted).mean() > 0.9


def test_copies_of_one_graph_are_as_good_as_a_list():
    x = np.random.default_rng(0).integers(2, size=(60, 6))
    many, labels = ring(x)
    each = [ring(row) for row in x]
    options = dict(network=NETWORK, steps=5, batch=8, seed=3, validation=None)
    a = fgnn.train(many, labels, **options)
    b = fgnn.train([g for g, _ in each], [y for _, y in each], **options)
    for name, weight in a.weights.items():
        assert weight == pytest.approx(b.weights[name], abs=1e-4), name
    again = fgnn.train(many, labels, **options)
    assert all(np.array_equal(w, again.weights[name]) for name, w in a.weights.items())


def test_classes_and_numbers_of_whole_graphs():
    x = np.random.default_rng(0).integers(2, size=(200, 6))
    graphs, _ = ring(x)
    majority = (x.sum(1) > 3).astype(int)
    net = fgnn.train(graphs, majority, network="FGNN(16) - Pool(mean) - FC(16) - Out(2)", **QUICK)
    assert net.report["validation"]["accuracy"] > 0.85
    share = x.mean(1, keepdims=True)
    net = fgnn.train(graphs, share, network="FC(16) - Pool(mean) - Out(1)", **QUICK)
    assert "accuracy" not in net.report["validation"] and net.report["validation"]["loss"] < 0.02
    assert np.abs(net(graphs) - share).mean() < 0.1


def test_a_run_is_kept_and_goes_on(tmp_path):
    graphs, labels = ring(np.random.default_rng(0).integers(2, size=(40, 6)))
    folder = tmp_path / "run"
    options = dict(network=NETWORK, batch=8, validation=(graphs, labels), folder=folder)
    net = fgnn.train(graphs, labels, steps=20, interval=10, **options)
    assert net.report["first_step"] == 0
    with pytest.raises(fgnn.Error):
        fgnn.train(graphs, labels, steps=20, interval=10, **options)
    again = fgnn.train(graphs, labels, steps=20, interval=10, resume=True, **options)
    assert again.report["first_step"] == 20
    loaded = Network.load(folder)
    assert loaded(graphs) == pytest.approx(net(graphs), abs=1e-5)
    further = fgnn.train(graphs, labels, **{**options, "network": loaded, "folder": None},
                         steps=10, interval=10)
    assert further.description == net.description


def test_callbacks_end_it_and_their_errors_arrive():
    graphs, labels = ring(np.random.default_rng(0).integers(2, size=(40, 6)))
    net = fgnn.train(graphs, labels, network=NETWORK, steps=10**9, interval=5, batch=8,
                     schedule="constant", callback=lambda step, logged: step < 15)
    assert net.report["interrupted"] and net.report["steps"] == 15

    def fail(step, logged):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fgnn.train(graphs, labels, network=NETWORK, steps=10**9, interval=5, batch=8, callback=fail)


def test_ctrl_c_keeps_the_network():
    graphs, labels = ring(np.random.default_rng(0).integers(2, size=(40, 6)))
    running = threading.Event()
    killer = threading.Thread(
        target=lambda: (running.wait(60), os.kill(os.getpid(), signal.SIGINT)))
    killer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        fgnn.train(graphs, labels, network=NETWORK, steps=10**9, interval=5, batch=8,
                   callback=lambda step, logged: running.set())
    killer.join()
    assert caught.value.result(graphs).shape == (40, 6, 2)
    assert caught.value.result.report["interrupted"]


@pytest.mark.parametrize("change, error, words", [
    (dict(labels=np.zeros((4, 6, 2))), None, None),  # numbers: regression
    (dict(labels=np.zeros((4, 6), int), loss="l3"), fgnn.UsageError, "l3"),
    (dict(labels=np.zeros((4, 6)), loss="cross-entropy"), fgnn.UsageError, "whole numbers"),
    (dict(labels=np.zeros((4, 5), int)), fgnn.UsageError, "labels"),
    (dict(labels=np.full((4, 6), 7)), fgnn.UsageError, "class 7"),
    (dict(labels=np.zeros(5, int)), fgnn.UsageError, "5 numbers for 4 graphs"),
    (dict(labels=np.zeros((4, 6), int), stepps=3), fgnn.UsageError, "did you mean"),
    (dict(labels=np.zeros((4, 6), int), rate=-1), fgnn.UsageError, "rate"),
    (dict(labels=np.zeros((4, 6), int), network="FGNN(8) - Out"), fgnn.Error, "Out"),
])
def test_what_makes_no_sense_is_refused(change, error, words):
    graphs, _ = ring(np.zeros((4, 6), int))
    given = {"network": NETWORK, "steps": 2, "batch": 2, **change}
    if error is None:
        fgnn.train(graphs, **given)
        return
    with pytest.raises(error) as caught:
        fgnn.train(graphs, **given)
    assert words in str(caught.value) and "\n" not in str(caught.value)

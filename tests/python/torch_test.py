"""Layers inside PyTorch: the engine and the reference agree on outputs and gradients."""
import copy
import io

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="there is no PyTorch (Debian: python3-torch)")

import fgnn.torch  # noqa: E402
from fgnn.networks import Graphs, Network, Relation, join  # noqa: E402

RING = [[i, (i + 1) % 5, (i + 2) % 5] for i in range(5)]
PAIRS = [[0, 1], [1, 2], [3, 4]]


def graphs(copies=4, edge_features=False):
    rng = np.random.default_rng(0)
    pair = Relation(PAIRS, edge_features=rng.normal(size=(copies, 6, 2))) if edge_features else (
        Relation(PAIRS, features=rng.normal(size=(copies, 3, 2))))
    return Graphs(rng.normal(size=(copies, 5, 3)), {
        "ring": Relation(RING, kind_features=rng.normal(size=(3, 2)) if edge_features else None,
                         mask=np.arange(15) != 7), "pair": pair})


TEXTS = ["FC(6) - 2*FGNN(6) - Out(2)",
         "2*FGNN(6, norm=batch, aggregate=max+sum) - Pool(mean) - FC(4) - Out(3)",
         "FC(5) - Res[FC(5, norm=layer) - FGNN(5, norm=instance)] - Global(max) - Out(1)",
         "FGNN(4) - 3@FGNN(4, activation=tanh, norm=none) - Out(2)"]


def both(text, g, dtype=torch.float64, **options):
    ours = fgnn.torch.Network(text, g, seed=3, dtype=dtype, **options)
    return ours, fgnn.torch.reference(ours.saved(), dtype=dtype)


def expect_same(ours, theirs, tolerance=1e-9):
    assert ours is not None and theirs is not None
    assert ours.detach().numpy() == pytest.approx(theirs.detach().numpy(), abs=tolerance)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("training", [False, True])
def test_outputs_gradients_and_moments_agree(text, training):
    g = graphs()
    pair = both(text, g)
    leaves = []
    for net in pair:
        net.train(training)
        x = torch.tensor(g.variables, requires_grad=True)
        f = torch.tensor(g.relations[1]["factor"], requires_grad=True)
        output = net(g, torch.tanh(x), factor={"pair": f})  # between layers of somebody's own
        torch.manual_seed(1)
        (output * torch.randn(output.shape, dtype=output.dtype)).sum().backward()
        leaves.append((output, x, f))
    (a, xa, fa), (b, xb, fb) = leaves
    expect_same(a, b)
    expect_same(xa.grad, xb.grad)
    expect_same(fa.grad, fb.grad)
    names = dict(pair[0].named_parameters())
    assert names.keys() == dict(pair[1].named_parameters()).keys() and names
    for name, parameter in pair[1].named_parameters():
        other = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        expect_same(names[name].grad, other)
    buffers = dict(pair[0].named_buffers())
    for name, buffer in pair[1].named_buffers():
        expect_same(buffers[name], buffer)


def test_edge_features_and_shared_features_have_gradients():
    g = graphs(edge_features=True)
    pair = both("2*FGNN(5, q=mixture, bases=3) - Out(2)", g)
    found = []
    for net in pair:
        net.eval()
        ring, own = g.relations
        shared = torch.tensor(ring["edge"][0], requires_grad=True)
        each = torch.tensor(own["edge"], requires_grad=True)
        x = torch.tensor(g.variables[0], requires_grad=True)  # of all copies
        net(g, x, edge={"ring": shared, "pair": each}).square().sum().backward()
        found.append((shared.grad, each.grad, x.grad))
    for a, b in zip(*found):
        expect_same(a, b)


def test_single_precision_is_near():
    g = graphs()
    ours, theirs = both(TEXTS[0], g, dtype=torch.float32)
    a, b = ours(g), theirs(g)
    assert a.dtype == torch.float32
    expect_same(a, b, 1e-4)


def test_rounded_products_are_near():
    g = graphs()
    ours, theirs = both("FC(64) - FGNN(64) - Out(2)", g, dtype=torch.float32, products="bf16")
    expect_same(ours(g), theirs(g), 0.1)
    with pytest.raises(ValueError, match="bf16"):
        fgnn.torch.Network(TEXTS[0], g, products="bf8")


def test_gradients_are_slopes():
    g = graphs()
    net = fgnn.torch.Network("FGNN(4, activation=tanh, aggregate=sum, norm=none) - Out(2)", g,
                             dtype=torch.float64).eval()
    x = torch.tensor(g.variables, requires_grad=True)
    assert torch.autograd.gradcheck(lambda y: net(g, y), (x,))


def test_parameters_are_on_the_engine_s_memory_and_train():
    g = graphs(copies=32)
    target = torch.tensor(g.variables[:, :, :1] > 0, dtype=torch.float32)
    net = fgnn.torch.Network("2*FGNN(8) - Out(1)", g)
    places = [p.data_ptr() for p in net.parameters()]
    optimiser = torch.optim.Adam(net.parameters(), 1e-2)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(g), target)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]
    assert places == [p.data_ptr() for p in net.parameters()]
    assert all(a.data_ptr() == b.data_ptr() for a, b in zip(net._tensors(), net._views))


def test_two_runs_before_the_backward_runs():
    g = graphs()
    ours, theirs = both(TEXTS[0], g)
    for net in (ours, theirs):
        net.train()
        a, b = net(g), net(g, torch.tensor(2 * g.variables))
        (a.sum() + (b ** 2).sum()).backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters()):
        expect_same(p.grad, q.grad, 1e-8)
    for p, q in zip(ours.buffers(), theirs.buffers()):
        expect_same(p, q)  # every run moved them once


def test_dropout_is_the_same_backwards_and_differs_between_runs():
    g = graphs()
    net = fgnn.torch.Network("FC(64, norm=none) - Dropout(0.5) - Out(1)", g, dtype=torch.float64)
    net.train()
    torch.manual_seed(0)
    a, b = net(g), net(g)
    assert not torch.equal(a, b)
    torch.manual_seed(0)
    assert torch.equal(net(g), a)
    assert torch.equal(net.eval()(g), net(g))
    # The gradient of the last layer's weights is of what was dropped: the output is linear in them.
    net.train()
    output = net(g)
    [gradient] = torch.autograd.grad(output.sum(), [getattr(net, "2/out/weight")])
    bias = getattr(net, "2/out/bias").sum() * output.numel()
    expect_same((gradient * getattr(net, "2/out/weight")).sum() + bias, output.sum())
    reference = fgnn.torch.reference(net.saved())
    assert not torch.equal(reference(g), reference(g))


def test_weights_that_change_before_the_backward_run_are_noticed():
    g = graphs()
    net = fgnn.torch.Network(TEXTS[0], g)
    output = net(g).sum()
    with torch.no_grad():
        next(net.parameters()).add_(1)
    with pytest.raises(RuntimeError, match="modified"):
        output.backward()


def test_modules_are_copied_saved_and_loaded(tmp_path):
    g = graphs()
    net = fgnn.torch.Network(TEXTS[1], g).eval()
    output = net(g)
    twin = copy.deepcopy(net)
    assert torch.equal(twin(g), output)
    with torch.no_grad():
        next(twin.parameters()).add_(1)
    assert not torch.equal(twin(g), output) and torch.equal(net(g), output)
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)
    buffer.seek(0)
    other = fgnn.torch.Network(TEXTS[1], g, seed=9).eval()
    assert not torch.equal(other(g), output)
    other.load_state_dict(torch.load(buffer))
    assert torch.equal(other(g), output)
    net.save(tmp_path / "net.safetensors")
    assert np.array_equal(Network.load(tmp_path / "net.safetensors")(g), output.detach().numpy())
    again = fgnn.torch.Network.load(tmp_path / "net.safetensors").eval()
    assert torch.equal(again(g), output)
    theirs = fgnn.torch.reference(Network.load(tmp_path / "net.safetensors")).eval()
    expect_same(theirs(g), output, 1e-4)
    theirs.save(tmp_path / "again.safetensors")
    assert np.array_equal(Network.load(tmp_path / "again.safetensors")(g), output.detach().numpy())


def test_a_copied_module_trains_and_keeps_its_moments():
    g = graphs()
    net = copy.deepcopy(fgnn.torch.Network(TEXTS[1], g, dtype=torch.float64))
    reference = fgnn.torch.reference(net.saved(), dtype=torch.float64)
    for module in (net, reference):
        module.train()
        module(g).sum().backward()
    for p, q in zip(net.buffers(), reference.buffers()):
        expect_same(p, q)


def test_unions_of_graphs():
    g = graphs(copies=3)
    ours, theirs = both(TEXTS[1], g)
    alone = [Graphs(g.variables[i], {
        "ring": Relation(RING, mask=np.arange(15) != 7),
        "pair": Relation(PAIRS, features=g.relations[1]["factor"][i])}) for i in range(3)]
    for net in (ours, theirs):
        net.eval()
        expect_same(net(join(alone)), net(g))


def test_without_gradients_nothing_is_kept():
    g = graphs()
    net = fgnn.torch.Network(TEXTS[0], g)
    with torch.no_grad():
        assert not net(g).requires_grad
    with pytest.raises(ValueError, match="'hexagon'"):
        net(g, factor={"hexagon": torch.zeros(1)})

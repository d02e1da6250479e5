"""The network of `fgnn bench learn` as a careful PyTorch user would write it, eager.

Eight FGNN layers of width 64 with maxima, on graphs of D3's shape. Whatever depends on the graphs
alone is made once: edges are ordered by kind, so that those of one kind lie side by side, and
aggregation is a maximum over a table of who meets where, which is faster here than scatter_reduce,
index_reduce and segment_reduce. --clever adds the algebra that fgnn itself uses: M's first linear
map runs on nodes instead of edges, and a mixture is summed to one matrix per kind. --traced runs
inference by TorchScript, without Python. (torch.compile came with PyTorch 2; Debian 12 has 1.13.)

Prints one JSON line: graphs per second in training or inference, or the microseconds of one graph
alone, the growth of peak memory, and which BLAS ran on how many threads.
"""
import argparse
import json

# Before torch.
from measuring import best_microseconds, peak_bytes, rate, training_step, use_threads

import torch
from torch import nn

LENGTH, ORDER = 30, 9  # of D3: variables in a chain, variables in a budget
BASES, Q_HIDDEN = 16, 64  # of a mixture


def edges_of_chain(length, order):
    """(factor, variable, position) of the pairs and of the budgets of a chain."""
    pair = [(i, i + j, j) for i in range(length - 1) for j in range(2)]
    budget = [(i, i + j, j) for i in range(length - order + 1) for j in range(order)]
    return [torch.tensor(e).T for e in (pair, budget)]


def batched(edges, copies, factors, variables):
    offset = torch.arange(copies).repeat_interleave(edges.shape[1])
    factor, variable, kind = (e.repeat(copies) for e in edges)
    return factor + offset * factors, variable + offset * variables, kind


class Meeting:
    """Who meets at each node: slots x nodes numbers of edges. Every node has one."""

    def __init__(self, node, nodes):
        order, degree = node.argsort(stable=True), node.bincount(minlength=nodes)
        first = degree.cumsum(0) - degree
        self.slots = order[first].repeat(int(degree.max()), 1)  # a repeated edge changes no maximum
        self.slots[torch.arange(len(node)) - first[node[order]], node[order]] = order
        self.shape = self.slots.shape
        # Edges of factors of one arity, ordered by position, are this table already.
        self.in_order = torch.equal(self.slots.ravel(), torch.arange(len(node)))

    def largest(self, y):
        y = (y if self.in_order else y[self.slots]).view(*self.shape, y.shape[1])
        # amax is faster, but its gradient is slower: it looks for all that are equal.
        return y.max(0).values if torch.is_grad_enabled() else y.amax(0)


class Edges:
    """The edges of one factor type, ordered by kind."""

    def __init__(self, factor, variable, kind, factors, variables, kinds):
        by_kind = kind.argsort(stable=True)
        self.factor, self.variable, self.kind = factor[by_kind], variable[by_kind], kind[by_kind]
        self.counts = kind.bincount(minlength=kinds).tolist()
        self.feature = torch.eye(kinds)
        self.at_factor = Meeting(self.factor, factors)
        self.at_variable = Meeting(self.variable, variables)


def by_kind(h, matrices, counts):
    """Rows of each kind times its matrix; one call where all kinds have as many."""
    if len(set(counts)) == 1:
        return torch.bmm(h.view(len(counts), counts[0], -1), matrices).view(len(h), -1)
    return torch.cat([part @ q for part, q in zip(h.split(counts), matrices)])


class Message(nn.Module):
    """AGG over edges of Q[kind] relu(W [target, source] + b)."""

    def __init__(self, target, source, width, kinds, q, clever):
        super().__init__()
        self.m = nn.Linear(target + source, width)
        self.target, self.width, self.clever = target, width, clever
        self.mixed = q == "mixture"
        matrices = torch.empty(BASES if self.mixed else kinds, width, width)
        self.q = nn.Parameter(matrices.uniform_(-1, 1) / width**0.5)
        if self.mixed:
            self.mix = nn.Sequential(nn.Linear(kinds, Q_HIDDEN), nn.ReLU(),
                                     nn.Linear(Q_HIDDEN, BASES))

    def forward(self, target, source, t, s, edges, meeting):
        if self.clever:
            w = self.m.weight
            h = (nn.functional.linear(target, w[:, :self.target])[t]
                 + nn.functional.linear(source, w[:, self.target:], self.m.bias)[s])
        else:
            h = self.m(torch.cat([target[t], source[s]], 1))
        return meeting.largest(self.times_q(torch.relu_(h), edges))

    def times_q(self, h, edges):
        if not self.mixed:
            return by_kind(h, self.q, edges.counts)
        c = self.mix(edges.feature)
        if self.clever:
            return by_kind(h, (c @ self.q.view(BASES, -1)).view(-1, self.width, self.width),
                           edges.counts)
        # The published network: every edge's message by every basis, then mixed.
        y = h @ self.q.permute(1, 0, 2).reshape(self.width, -1)
        return torch.bmm(c[edges.kind][:, None], y.view(len(h), BASES, self.width))[:, 0]


def update(inputs, width):
    return nn.Sequential(nn.Linear(inputs, width, bias=False), nn.BatchNorm1d(width),
                         nn.ReLU(inplace=True))


class Layer(nn.Module):
    def __init__(self, variable, factors, width, kinds, *how):
        super().__init__()
        self.vf = nn.ModuleList(Message(f, variable, width, k, *how)
                                for f, k in zip(factors, kinds))
        self.fv = nn.ModuleList(Message(variable, width, width, k, *how) for k in kinds)
        self.up_f = nn.ModuleList(update(width, width) for _ in factors)
        self.up_v = update(width * len(kinds), width)

    def forward(self, f, gs, all_edges):
        new, received = [], []
        for vf, up, g, e in zip(self.vf, self.up_f, gs, all_edges):
            m = up(vf(g, f, e.factor, e.variable, e, e.at_factor))
            new.append(g + m if g.shape == m.shape else m)
        for fv, g, e in zip(self.fv, new, all_edges):
            received.append(fv(f, g, e.variable, e.factor, e, e.at_variable))
        m = self.up_v(torch.cat(received, 1))
        return (f + m if f.shape == m.shape else m), new


class Network(nn.Module):
    def __init__(self, layers, width, *how):
        super().__init__()
        self.layers = nn.ModuleList(
            [Layer(2, [2 * 2, ORDER], width, [2, ORDER], *how)]
            + [Layer(width, [width, width], width, [2, ORDER], *how) for _ in range(layers - 1)])
        self.out = nn.Linear(width, 2)

    def forward(self, f, gs, all_edges):
        for layer in self.layers:
            f, gs = layer(f, gs, all_edges)
        return self.out(f)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seconds", type=float, default=3)
    p.add_argument("--q", choices=["table", "mixture"], default="table")
    p.add_argument("--clever", action="store_true", help="with the algebra that fgnn uses")
    p.add_argument("--traced", action="store_true", help="inference by TorchScript: no Python")
    p.add_argument("--what", choices=["train", "infer", "one"], default="train",
                   help="one: a single graph on one thread, in microseconds")
    a = p.parse_args()
    if a.what == "one":
        a.batch = a.threads = 1
    used = use_threads(a.threads)
    torch.manual_seed(0)
    n = a.batch
    edges, gs = [], []
    for e, count, width in zip(edges_of_chain(LENGTH, ORDER), (LENGTH - 1, LENGTH - ORDER + 1),
                               (2 * 2, ORDER)):
        kinds = int(e[2].max()) + 1
        edges.append(Edges(*batched(e, n, count, LENGTH), n * count, n * LENGTH, kinds))
        gs.append(torch.randn(n * count, width))
    f = torch.randn(n * LENGTH, 2)
    y = torch.randint(0, 2, (n * LENGTH,))
    net = Network(8, 64, a.q, a.clever)
    train = training_step(net, lambda: nn.functional.cross_entropy(net(f, gs, edges), y))

    def forward(f, gs):
        return net(f, gs, edges)

    if a.what != "train":
        net.eval().requires_grad_(False)
        with torch.no_grad():
            forward = torch.jit.trace(forward, (f, gs)) if a.traced else forward

    @torch.inference_mode()
    def infer():
        forward(f, gs)

    before = peak_bytes()
    if a.what == "one":
        speed = {"microseconds": best_microseconds(infer, a.seconds)}
    else:
        speed = {"instances_per_second": rate(train if a.what == "train" else infer, n, a.seconds)}
    print(json.dumps({"what": a.what, "q": a.q, "clever": a.clever, "traced": a.traced, "batch": n,
                      **used, **speed, "peak_bytes": peak_bytes() - before,
                      "parameters": sum(x.numel() for x in net.parameters())}))


if __name__ == "__main__":
    main()

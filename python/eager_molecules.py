"""The molecular network of `fgnn bench learn` as a careful PyTorch user would write it, eager.

PyTorch Geometric's QM9 example (NNConv with a matrix per pair of atoms, which is made once for the
three tied steps, a GRU, Set2Set) with three steps of factor message passing behind the GRU: a factor
at every atom, edges ordered by kind, a matrix product per kind, maximum towards factors and sum
towards atoms. Molecules are chains of the given sizes. Prints one JSON line with the molecules per
second of training, the growth of peak memory, and which BLAS ran on how many threads.
"""
import argparse

# Before torch.
from measuring import print_training, use_threads

import torch
from torch import nn

KINDS = 20


def chains(sizes):
    """All ordered pairs, and the edges of factors (kind, factor, atom) ordered by kind."""
    pairs, edges, first = [], [], 0
    for n in sizes:
        pairs += [(first + i, first + j) for i in range(n) for j in range(n) if i != j]
        for c in range(n):
            edges.append((c % 5 * 4, first + c, first + c))
            edges += [(c % 5 * 4 + 1, first + c, first + i) for i in (c - 1, c + 1) if 0 <= i < n]
        first += n
    target, source = torch.tensor(pairs).T
    kind, factor, atom = torch.tensor(sorted(edges)).T
    return target, source, factor, atom, kind.bincount(minlength=KINDS).tolist()


class Mpnn(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.start = nn.Linear(11, width)
        self.edge = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, width * width))
        self.root = nn.Linear(width, width)
        self.gru = nn.GRUCell(width, width)

    def forward(self, x, e, target, source, degree):
        h = torch.relu(self.start(x))
        w = h.shape[1]
        matrices = self.edge(e).view(-1, w, w)
        for _ in range(3):
            m = torch.bmm(h[source].unsqueeze(1), matrices).squeeze(1)
            m = torch.zeros_like(h).index_add(0, target, m) / degree + self.root(h)
            h = self.gru(torch.relu(m), h)
        return h


class Direction(nn.Module):
    """Messages along edges ordered by kind, with a matrix by kind."""

    def __init__(self, source, target, hidden, out):
        super().__init__()
        self.source = nn.Linear(source, hidden)
        self.target = nn.Linear(target, hidden, bias=False) if target else None
        self.q = nn.Parameter(torch.empty(KINDS, hidden, out).uniform_(-.125, .125))

    def forward(self, x, y, at_source, at_target, counts, rows, largest):
        h = self.source(x)[at_source]
        if self.target is not None:
            h = h + self.target(y)[at_target]
        parts = torch.relu(h).split(counts)
        m = torch.cat([p @ q for p, q in zip(parts, self.q)])
        out = m.new_zeros(rows, m.shape[1])
        if not largest:
            return out.index_add(0, at_target, m)
        return out.scatter_reduce(0, at_target[:, None].expand_as(m), m, "amax", include_self=False)


class Layer(nn.Module):
    def __init__(self, width, rank, first):
        super().__init__()
        self.up = Direction(width, 0 if first else rank, width, rank)
        self.down = Direction(rank, width, width, width)
        self.norms = nn.ModuleList([nn.LayerNorm(rank), nn.LayerNorm(width)])

    def forward(self, f, g, factor, atom, counts):
        rows = len(f)
        m = torch.relu(self.norms[0](self.up(f, g, atom, factor, counts, rows, True)))
        g = m if g is None else g + m
        m = torch.relu(self.norms[1](self.down(g, f, factor, atom, counts, rows, False)))
        return f + m, g


class Set2Set(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lstm = nn.LSTMCell(2 * width, width)

    def forward(self, x, graph, graphs):
        q = x.new_zeros(graphs, 2 * x.shape[1])
        state = (x.new_zeros(graphs, x.shape[1]), x.new_zeros(graphs, x.shape[1]))
        for _ in range(3):
            state = self.lstm(q, state)
            match = (x * state[0][graph]).sum(1)
            most = match.new_zeros(graphs).scatter_reduce(0, graph, match, "amax",
                                                          include_self=False)
            share = (match - most[graph]).exp()
            share = share / share.new_zeros(graphs).index_add(0, graph, share)[graph]
            r = torch.zeros_like(state[0]).index_add(0, graph, share[:, None] * x)
            q = torch.cat([state[0], r], 1)
        return q


class Network(nn.Module):
    def __init__(self, rank, width=64):
        super().__init__()
        self.mpnn = Mpnn(width)
        self.layers = nn.ModuleList(Layer(width, rank, k == 0) for k in range(3))
        self.read = Set2Set(2 * width)
        self.out = nn.Sequential(nn.Linear(4 * width, width), nn.ReLU(), nn.Linear(width, 12))

    def forward(self, x, e, target, source, degree, factor, atom, counts, graph, graphs):
        h = self.mpnn(x, e, target, source, degree)
        f, g = h, None
        for layer in self.layers:
            f, g = layer(f, g, factor, atom, counts)
        return self.out(self.read(torch.cat([h, f], 1), graph, graphs))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sizes", required=True, help="atoms of each molecule, with commas between")
    p.add_argument("--rank", type=int, default=512)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seconds", type=float, default=3)
    a = p.parse_args()
    used = use_threads(a.threads)
    torch.manual_seed(0)
    sizes = [int(n) for n in a.sizes.split(",")]
    target, source, factor, atom, counts = chains(sizes)
    graph = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    degree = (torch.tensor(sizes) - 1)[graph][:, None].float()
    x, e = torch.rand(sum(sizes), 11), torch.rand(len(target), 4)
    y = torch.randn(len(sizes), 12)
    net = Network(a.rank)
    print_training(net, lambda: nn.functional.l1_loss(
        net(x, e, target, source, degree, factor, atom, counts, graph, len(sizes)), y),
        len(sizes), a.seconds, used)


if __name__ == "__main__":
    main()

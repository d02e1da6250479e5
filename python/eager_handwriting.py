"""The handwriting network of `fgnn bench learn` as a careful PyTorch user would write it, eager.

Three convolutions and a linear layer per letter, then three layers of low-rank factors of orders 1
to k: a linear map per variable, a scale and shift by place on edges, sums by index_add. Images are
in channels_last and edges ordered by place, both because that is faster here. Prints one JSON line
with the words per second of training, on words of the same lengths, the growth of peak memory, and
which BLAS ran on how many threads.
"""
import argparse

# Before torch.
from measuring import print_training, use_threads

import torch
from torch import nn


def windows(lengths, order):
    """Factors and variables of one order's edges over words of these lengths, ordered by place,
    and how many there are of each place."""
    edges, first = [], 0
    for n in lengths:
        edges += [(i - c + order, first + c, first + i)
                  for c in range(n) for i in range(max(0, c - order), min(n, c + order + 1))]
        first += n
    place, factor, variable = torch.tensor(sorted(edges)).T
    return factor, variable, place.bincount(minlength=2 * order + 1).tolist()


class Places(nn.Module):
    """Messages with a diagonal matrix by place, summed."""

    def __init__(self, kinds, width, shifted):
        super().__init__()
        self.scale = nn.Parameter(torch.empty(kinds, width).uniform_(-1, 1))
        self.shift = nn.Parameter(torch.empty(kinds, width).uniform_(-.5, .5)) if shifted else None

    def forward(self, x, target, source, counts):
        parts = x[source].split(counts)
        if self.shift is None:
            y = torch.cat([part * a for part, a in zip(parts, self.scale)])
        else:
            y = torch.relu_(torch.cat([torch.addcmul(b, part, a)
                                       for part, a, b in zip(parts, self.scale, self.shift)]))
        return torch.zeros_like(x).index_add(0, target, y)


class Layer(nn.Module):
    def __init__(self, width, rank, orders):
        super().__init__()
        self.terms = nn.ModuleList(nn.Linear(width, rank) for _ in orders)
        self.up = nn.ModuleList(Places(2 * k + 1, rank, True) for k in orders)
        self.norm = nn.ModuleList(nn.BatchNorm1d(rank) for _ in orders)
        self.down = nn.ModuleList(Places(2 * k + 1, rank, False) for k in orders)
        self.update = nn.Sequential(nn.Linear(rank * len(orders), width, bias=False),
                                    nn.BatchNorm1d(width), nn.ReLU(inplace=True))

    def forward(self, f, gs, edges):
        new, received = [], []
        for r, (c, i, counts) in enumerate(edges):
            m = torch.relu_(self.norm[r](self.up[r](self.terms[r](f), c, i, counts)))
            g = m if gs is None else gs[r] + m
            new.append(g)
            received.append(self.down[r](g, i, c, counts))
        return f + self.update(torch.cat(received, 1)), new


class Network(nn.Module):
    def __init__(self, features, rank, order):
        super().__init__()

        def conv(i, o, pool):
            return [nn.Conv2d(i, o, 3, padding=1, bias=False), *([nn.MaxPool2d(2)] if pool else []),
                    nn.BatchNorm2d(o), nn.ReLU(inplace=True)]

        self.letters = nn.Sequential(
            *conv(1, 32, False), *conv(32, 64, True), *conv(64, 128, True), nn.Flatten(),
            nn.Dropout(.3), nn.Linear(1024, features, bias=False), nn.BatchNorm1d(features),
            nn.ReLU(inplace=True))
        self.layers = nn.ModuleList(Layer(features, rank, range(1, order + 1)) for _ in range(3))
        self.out = nn.Sequential(nn.Dropout(.3), nn.Linear(features, 26))

    def forward(self, x, edges):
        f = self.letters(x)
        f = f * (torch.rand(len(f), 1) > .2)
        gs = None
        for layer in self.layers:
            f, gs = layer(f, gs, edges)
        return self.out(f)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lengths", required=True, help="letters of each word, with commas between")
    p.add_argument("--order", type=int, default=3)
    p.add_argument("--rank", type=int, default=1024)
    p.add_argument("--features", type=int, default=512)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seconds", type=float, default=3)
    a = p.parse_args()
    used = use_threads(a.threads)
    torch.manual_seed(0)
    lengths = [int(n) for n in a.lengths.split(",")]
    edges = [windows(lengths, k) for k in range(1, a.order + 1)]
    x = (torch.rand(sum(lengths), 1, 16, 8) < .3).float().to(memory_format=torch.channels_last)
    y = torch.randint(0, 26, (sum(lengths),))
    net = Network(a.features, a.rank, a.order).to(memory_format=torch.channels_last)
    print_training(net, lambda: nn.functional.cross_entropy(net(x, edges), y), len(lengths),
                   a.seconds, used)


if __name__ == "__main__":
    main()

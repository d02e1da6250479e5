"""The matching network of `fgnn bench learn` as a careful PyTorch user would write it, eager.

Objects are padded to the largest one, so that pairwise messages on the complete graph of each are
one broadcast, and factors are masked maxima and means. Prints one JSON line with the pairs per
second of training on pairs of the same sizes, the growth of peak memory, and which BLAS ran on how
many threads.
"""
import argparse

# Before torch.
from measuring import print_training, use_threads

import torch
from torch import nn


class Pairs(nn.Module):
    """max_j relu(A f_i + B f_j + E a_ij) * (G a_ij), a linear map, layer norm, residual."""

    def __init__(self, w, code):
        super().__init__()
        self.target, self.source = nn.Linear(w, w), nn.Linear(w, w, bias=False)
        self.shift, self.gate = nn.Linear(code, w, bias=False), nn.Linear(code, w)
        self.update = nn.Sequential(nn.Linear(w, w), nn.LayerNorm(w))

    def forward(self, f, code, hidden):
        h = torch.relu(self.target(f)[:, :, None] + self.source(f)[:, None] + self.shift(code))
        m = (h * self.gate(code)).masked_fill(hidden, -1e9).amax(2)
        return f + self.update(m)


class Sides(nn.Module):
    """Two factors over all points of a pair, one seen from each side: FGNN with two kinds of edge."""

    def __init__(self, w, first):
        super().__init__()
        self.up_f, self.up_q = nn.Linear(w, w), nn.Parameter(torch.randn(2, w, w) / w ** .5)
        self.up_g = None if first else nn.Linear(w, w, bias=False)
        self.factor = nn.Sequential(nn.Linear(2 * w, w), nn.LayerNorm(w))
        self.down_g, self.down_f = nn.Linear(w, w), nn.Linear(w, w, bias=False)
        self.down_q = nn.Parameter(torch.randn(2, w, w) / w ** .5)
        self.update = nn.Sequential(nn.Linear(w, w), nn.LayerNorm(w))

    def forward(self, f, g, real):
        b = len(f) // 2
        x = self.up_f(f).view(b, 2, -1, f.shape[-1])
        real = real.view(b, 2, -1, 1)
        count = real.sum((1, 2))
        made = []
        for side in range(2):
            h = x if self.up_g is None else x + self.up_g(g[:, side])[:, None, None]
            h = torch.relu(h)
            y = torch.stack([h[:, s] @ self.up_q[int(s != side)] for s in range(2)], 1)
            top = y.masked_fill(~real, -1e9).flatten(1, 2).amax(1)
            mean = (y * real).sum((1, 2)) / count
            made.append(self.factor(torch.cat([top, mean], 1)))
        new = torch.stack(made, 1)
        g = new if g is None else g + new
        own = self.down_f(f).view(b, 2, -1, f.shape[-1])
        from_factor = self.down_g(g)
        sums = []
        for s in range(2):
            sums.append(sum(torch.relu(own[:, s] + from_factor[:, side][:, None])
                            @ self.down_q[int(s != side)] for side in range(2)))
        m = torch.stack(sums, 1).flatten(0, 1)
        return f + self.update(m), g


class Network(nn.Module):
    def __init__(self, features, w, code, factors):
        super().__init__()
        self.start = nn.Sequential(nn.Linear(features + 2, w), nn.LayerNorm(w))
        self.code = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, code), nn.ReLU())
        self.pairs = nn.ModuleList(Pairs(w, code) for _ in range(3))
        self.sides = nn.ModuleList(Sides(w, k == 0) for k in range(3)) if factors else None
        self.out, self.scale = nn.Linear(w, w), nn.Parameter(torch.tensor(3.86))

    def forward(self, x, real):
        position = x[..., :2]
        code = self.code(position[:, :, None] - position[:, None])
        hidden = ~real[:, None, :, None]
        f, g = self.start(x), None
        for k, pairs in enumerate(self.pairs):
            f = pairs(f, code, hidden)
            if self.sides is not None:
                f, g = self.sides[k](f, g, real)
        return nn.functional.normalize(self.out(f), dim=-1) * self.scale


def loss_of(y, real, partner):
    """Rows and columns of the scores; partner[b, i] is the column of row i, or -1."""
    y = y.view(len(y) // 2, 2, *y.shape[1:])
    real = real.view(len(y), 2, -1)
    scores = (y[:, 0] @ y[:, 1].transpose(1, 2)).masked_fill(~real[:, 1][:, None], -1e9)
    back = (y[:, 1] @ y[:, 0].transpose(1, 2)).masked_fill(~real[:, 0][:, None], -1e9)
    entropy = nn.functional.cross_entropy
    inverse = torch.full_like(partner, -1)
    b, i = torch.nonzero(partner >= 0, as_tuple=True)
    inverse[b, partner[b, i]] = i
    return (entropy(scores.flatten(0, 1), partner.flatten(), ignore_index=-1)
            + entropy(back.flatten(0, 1), inverse.flatten(), ignore_index=-1)) / 2


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sizes", required=True, help="points of each pair's sides, commas between")
    p.add_argument("--features", type=int, default=1024)
    p.add_argument("--width", type=int, default=192)
    p.add_argument("--code", type=int, default=32)
    p.add_argument("--no-factors", action="store_true")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seconds", type=float, default=3)
    a = p.parse_args()
    used = use_threads(a.threads)
    torch.manual_seed(0)
    sizes = [int(n) for n in a.sizes.split(",")]
    most = max(sizes)
    real = torch.tensor([[i < n for i in range(most)] for n in sizes for _ in range(2)])
    x = torch.randn(2 * len(sizes), most, a.features + 2) * real[..., None]
    partner = torch.full((len(sizes), most), -1)
    for b, n in enumerate(sizes):
        partner[b, :n] = torch.randperm(n)
    net = Network(a.features, a.width, a.code, not a.no_factors)
    print_training(net, lambda: loss_of(net(x, real), real, partner), len(sizes), a.seconds, used)


if __name__ == "__main__":
    main()

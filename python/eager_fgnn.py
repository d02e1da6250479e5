"""The network of `fgnn bench learn` as a PyTorch user would write it: gather, linear, scatter, eager.

Prints one JSON line with what it measured on graphs of D3's shape: instances per second in training
or inference, and the growth of its peak memory.
"""
import argparse
import json
import resource
import time

import torch
from torch import nn


def edges_of_chain(length, order):
    """(factor, variable, position) of the pairs and of the budgets of a chain."""
    pair = [(i, i + j, j) for i in range(length - 1) for j in range(2)]
    budget = [(i, i + j, j) for i in range(length - order + 1) for j in range(order)]
    return [torch.tensor(e).T for e in (pair, budget)]


def batched(edges, copies, factors, variables):
    offset = torch.arange(copies).repeat_interleave(edges.shape[1])
    factor, variable, kind = (e.repeat(copies) for e in edges)
    return factor + offset * factors, variable + offset * variables, kind


class Message(nn.Module):
    """AGG over edges of Q[kind] relu(W [target, source] + b), as one would write it."""

    def __init__(self, target, source, width, kinds, q):
        super().__init__()
        self.m = nn.Linear(target + source, width)
        self.kind_of_q = q
        self.width = width
        if q == "table":
            self.q = nn.Parameter(torch.empty(kinds, width, width).uniform_(-1, 1) / width**0.5)
        else:
            self.bases = nn.Parameter(torch.empty(16, width, width).uniform_(-1, 1) / width**0.5)
            self.mix = nn.Sequential(nn.Linear(kinds, 64), nn.ReLU(), nn.Linear(64, 16))
        self.kinds = kinds

    def forward(self, target, source, t, s, kind):
        h = torch.relu(self.m(torch.cat([target[t], source[s]], 1)))
        if self.kind_of_q == "table":  # one product per kind of edge
            parts = [(kind == k).nonzero()[:, 0] for k in range(self.kinds)]
            y = torch.cat([h[p] @ self.q[k] for k, p in enumerate(parts)])
            t = torch.cat([t[p] for p in parts])
        else:  # the published network: a mixture of 16 matrices, by a network on the edge's feature
            c = self.mix(nn.functional.one_hot(kind, self.kinds).to(h.dtype))
            all_bases = self.bases.permute(1, 0, 2).reshape(self.width, -1)
            y = torch.einsum("eto,et->eo", (h @ all_bases).view(len(h), 16, self.width), c)
        out = torch.full((len(target), self.width), -torch.inf)
        return out.scatter_reduce(0, t[:, None].expand(-1, self.width), y, "amax")


class Layer(nn.Module):
    def __init__(self, variable, factors, width, kinds, q):
        super().__init__()
        self.vf = nn.ModuleList(Message(f, variable, width, k, q) for f, k in zip(factors, kinds))
        self.fv = nn.ModuleList(Message(variable, width, width, k, q) for k in kinds)
        self.up_f = nn.ModuleList(nn.Sequential(nn.Linear(width, width, bias=False),
                                                nn.BatchNorm1d(width), nn.ReLU()) for _ in factors)
        self.up_v = nn.Sequential(nn.Linear(width * len(kinds), width, bias=False),
                                  nn.BatchNorm1d(width), nn.ReLU())

    def forward(self, f, gs, edges):
        new = []
        for vf, up, g, (c, i, k) in zip(self.vf, self.up_f, gs, edges):
            m = up(vf(g, f, c, i, k))
            new.append(g + m if g.shape == m.shape else m)
        received = []
        for fv, g, (c, i, k) in zip(self.fv, new, edges):
            m = fv(f, g, i, c, k)
            received.append(torch.where(torch.isinf(m), torch.zeros_like(m), m))
        m = self.up_v(torch.cat(received, 1))
        return (f + m if f.shape == m.shape else m), new


class Network(nn.Module):
    def __init__(self, layers, width, q):
        super().__init__()
        first = Layer(2, [4, 9], width, [2, 9], q)
        self.layers = nn.ModuleList(
            [first] + [Layer(width, [width, width], width, [2, 9], q) for _ in range(layers - 1)])
        self.out = nn.Linear(width, 2)

    def forward(self, f, gs, edges):
        for layer in self.layers:
            f, gs = layer(f, gs, edges)
        return self.out(f)


def rate(step, instances, seconds):
    step(), step()
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds or count < 2:
        step()
        count += 1
    return instances * count / (time.perf_counter() - start)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seconds", type=float, default=3)
    p.add_argument("--q", choices=["table", "mixture"], default="table")
    p.add_argument("--what", choices=["train", "infer"], default="train")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    n, length, order = a.batch, 30, 9
    counts = [length - 1, length - order + 1]
    edges = [batched(e, n, c, length) for e, c in zip(edges_of_chain(length, order), counts)]
    f = torch.randn(n * length, 2)
    gs = [torch.randn(n * counts[0], 4), torch.randn(n * counts[1], 9)]
    y = torch.randint(0, 2, (n * length,))
    net = Network(8, 64, a.q)
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)

    def train():
        optimiser.zero_grad()
        nn.functional.cross_entropy(net(f, gs, edges), y).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()

    def infer():
        with torch.no_grad():
            net(f, gs, edges)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if a.what == "infer":
        net.eval()
    speed = rate(train if a.what == "train" else infer, n, a.seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"what": a.what, "q": a.q, "batch": n, "threads": a.threads,
                      "instances_per_second": speed, "peak_bytes": (peak - before) * 1024,
                      "parameters": sum(x.numel() for x in net.parameters())}))


if __name__ == "__main__":
    main()

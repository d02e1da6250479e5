"""Measures the Python package: calls, memory, graphs from arrays, a training step inside PyTorch.

    ./run python python/measure_package.py [calls] [memory] [grid] [torch]

Prints a line for each figure. The machine should have nothing else to do; where it has, times are
the best of several rounds, and ratios are of two sides that took turns.
"""
import argparse
import os
import sys
import time

import numpy as np

import fgnn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def best(step, rounds=5, number=1):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(number):
            step()
        times.append((time.perf_counter() - start) / number)
    return min(times)


def small_graph():
    b = fgnn.Builder()
    b.variables("x", 3, 2)
    b.factors([[0, 1], [1, 2]], np.log([[2.0, 1.0], [1.0, 2.0]]))
    return b.build()


def calls():
    """All of a call on three variables, and what the method itself says that it took."""
    g = small_graph()
    for what, step in (
            ("map enumerate", lambda: fgnn.map(g, "enumerate")),
            ("sum_product", lambda: fgnn.sum_product(g, threads=1)),
            ("infer exact", lambda: fgnn.infer(g, "exact", threads=1)),
            ("infer exact, evidence", lambda: fgnn.infer(g, "exact", threads=1, evidence={0: 1}))):
        inside = min(step().seconds for _ in range(2000))
        print(f"calls   {what}: {1e6 * best(step, number=2000):.1f} µs, "
              f"{1e6 * inside:.1f} of them in the method")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory():
    g = small_graph()

    def solve(count):
        for i in range(count):
            fgnn.sum_product(g, threads=1).marginals
            fgnn.map(g, "enumerate", evidence={0: i % 2}).assignment

    solve(5000)
    before = resident()
    solve(100000)
    print(f"memory  growth over 100000 solves: {(resident() - before) / 1024:.0f} KiB")


def grid():
    """A million variables, with a table for all pairs and with one for each."""
    side = 1000
    unaries = np.random.default_rng(0).normal(size=(side, side, 2))
    tables = np.random.default_rng(1).normal(size=(2 * side * (side - 1), 2, 2))

    def build(own):
        b = fgnn.Builder()
        x = b.variables("x", (side, side), 2)
        b.unary(x, unaries)
        pairs = np.concatenate([np.stack([x[:, :-1], x[:, 1:]], -1).reshape(-1, 2),
                                np.stack([x[:-1], x[1:]], -1).reshape(-1, 2)])
        b.factors(pairs, tables if own else tables[0])
        return b.build()

    for own, what in ((False, "one table"), (True, "own tables")):
        kept = []  # taking a graph apart is not counted
        seconds = best(lambda: kept.append(build(own)), 3)
        print(f"grid    {side * side} variables, {what}: {seconds:.3f} s")


def step_in_torch(seconds=2.0, threads=2, batch=32, products="float"):
    """Graphs of D3's shape, eight layers of width 64: the engine against python/eager_fgnn.py."""
    from measuring import rate, training_step, use_threads

    import eager_fgnn
    import torch
    from torch.nn.functional import cross_entropy

    import fgnn.torch
    from fgnn.networks import Graphs, Relation

    used = use_threads(threads)
    torch.manual_seed(0)
    length, order = eager_fgnn.LENGTH, eager_fgnn.ORDER
    f = torch.randn(batch, length, 2)
    g = [torch.randn(batch, n, w) for n, w in ((length - 1, 4), (length - order + 1, order))]
    y = torch.randint(0, 2, (batch * length,))
    graphs = Graphs(f.numpy(), {
        name: Relation([range(i, i + arity) for i in range(length - arity + 1)], features=x.numpy())
        for name, arity, x in (("pair", 2, g[0]), ("budget", order, g[1]))})
    ours = fgnn.torch.Network("fgnn-8", graphs, products=products, threads=threads)
    edges = [eager_fgnn.Edges(*eager_fgnn.batched(e, batch, x.shape[1], length),
                              batch * x.shape[1], batch * length, int(e[2].max()) + 1)
             for e, x in zip(eager_fgnn.edges_of_chain(length, order), g)]
    eager = eager_fgnn.Network(8, 64, "table", False)
    flat = [x.reshape(-1, x.shape[-1]) for x in g]
    features = dict(zip(("pair", "budget"), g))
    sides = {
        "engine": training_step(ours, lambda: cross_entropy(
            ours(graphs, f, features).reshape(-1, 2), y)),
        "eager": training_step(eager, lambda: cross_entropy(
            eager(f.reshape(-1, 2), flat, edges), y))}
    speeds = {name: 0.0 for name in sides}
    for _ in range(3):
        for name, step in sides.items():
            speeds[name] = max(speeds[name], rate(step, batch, seconds))
    weights = [sum(p.numel() for p in net.parameters()) for net in (ours, eager)]
    print(f"torch   {weights} weights, {threads} threads, batch {batch}, products {products}, "
          f"BLAS {used['blas']}: "
          f"{speeds['engine']:.0f} and {speeds['eager']:.0f} graphs/s, "
          f"ratio {speeds['engine'] / speeds['eager']:.1f}")


PARTS = {"calls": calls, "memory": memory, "grid": grid, "torch": step_in_torch}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], help="all where none is named")
    for part in parser.parse_args().part or PARTS:
        PARTS[part]()

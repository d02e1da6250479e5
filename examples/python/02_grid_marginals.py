"""Marginals of a grid: a noisy picture cleaned by belief propagation, drawn by matplotlib.

Usage: 02_grid_marginals.py [PICTURE.png]
"""
import sys

import matplotlib
import numpy as np

import fgnn

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

SIDE, NOISE = 64, 1.2
rows, columns = np.mgrid[:SIDE, :SIDE] / SIDE - 0.5
truth = (np.hypot(rows, columns) < 0.4) & ~(np.hypot(rows + 0.1, columns) < 0.15)
seen = 2.0 * truth - 1 + NOISE * np.random.default_rng(0).normal(size=truth.shape)

b = fgnn.Builder()
x = b.variables("x", truth.shape, 2)
b.unary(x, np.stack([0 * seen, 2 * seen / NOISE**2], axis=-1))  # the ratio of the likelihoods
alike = 1.2 * np.eye(2)
b.factors(np.stack([x[:, :-1], x[:, 1:]], axis=-1), alike)
b.factors(np.stack([x[:-1], x[1:]], axis=-1), alike)
result = fgnn.sum_product(b.build())
print(result)
p = result.marginals[:, 1].reshape(truth.shape)
before, after = np.mean((seen > 0) != truth), np.mean((p > 0.5) != truth)
print(f"wrong pixels: {before:.1%} before, {after:.1%} after")

figure, axes = pyplot.subplots(1, 3, figsize=(9, 3.2))
for axis, image, title in zip(axes, (seen, p, truth), ("seen", "p(x = 1)", "truth")):
    axis.imshow(image, cmap="gray")
    axis.set_title(title)
    axis.axis("off")
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "grid_marginals.png")

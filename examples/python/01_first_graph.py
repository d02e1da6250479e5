"""A first graph: whether it rained, judged by the lawn.

Variables, factors from arrays, marginals, evidence, the best assignments, and an error.
"""
import numpy as np

import fgnn

b = fgnn.Builder()
rain, sprinkler, wet = (b.variable(name, 2) for name in ("rain", "sprinkler", "wet"))
b.unary(rain, np.log([0.8, 0.2]))  # logarithms everywhere
b.factor([rain, sprinkler], np.log([[0.6, 0.4], [0.99, 0.01]]))
p_wet = np.array([[0.01, 0.8], [0.9, 0.99]])  # given rain and sprinkler
b.factor([rain, sprinkler, wet], np.log(np.stack([1 - p_wet, p_wet], axis=-1)))
graph = b.build()
print(graph)

before = fgnn.infer(graph)
after = fgnn.infer(graph, evidence={"wet": 1})
print(f"rain: {before.marginals[rain, 1]:.3f}, when the lawn is wet {after.marginals[rain, 1]:.3f}")

for score, states in fgnn.map(graph, "exact", evidence={"wet": 1}, k=3).solutions:
    names = [graph.name(v) for v in range(3) if states[v]]
    print(f"score {score:7.3f}: {', '.join(names)}")

try:
    fgnn.infer(graph, evidence={"wett": 1})
except fgnn.ModelError as error:
    print(error)

"""Training on graphs of your own: which rooms of a museum a guard can see to.

A museum is a tree of rooms; some have a guard. A guard sees the room and its neighbours, and a room
that nobody sees is a class of its own. Corridors are factors on two rooms, and every room with its
neighbours is a factor of as many rooms as there are: factors of any size, of which no order is
known, are written as edges. Museums differ in size, and those of the test are larger.
"""
import numpy as np

import fgnn
from fgnn.networks import Graphs, Relation, join

rng = np.random.default_rng(0)


def museum(rooms):
    parent = [int(rng.integers(i)) for i in range(1, rooms)]  # of rooms 1, 2, …
    corridors = [[i + 1, p] for i, p in enumerate(parent)]
    neighbours = [[i] for i in range(rooms)]
    for i, p in corridors:
        neighbours[i].append(p)
        neighbours[p].append(i)
    guard = rng.random(rooms) < 0.3
    watched = np.array([guard[around].any() for around in neighbours])
    around = [(c, v, int(c != v)) for c, all_ in enumerate(neighbours) for v in all_]
    graph = Graphs(np.stack([guard, ~guard], axis=1), {
        "corridor": Relation(scopes=corridors),
        "around": Relation(edges=np.transpose(around)),  # factors, rooms, kinds: its own, another
    })
    return graph, watched.astype(int)


graphs, labels = zip(*(museum(int(rng.integers(5, 15))) for _ in range(400)))
network = fgnn.train(
    list(graphs), list(labels), network="FC(16) - 2*FGNN(16) - Out(2)", steps=300, batch=32,
    rate=1e-2, interval=100,
    callback=lambda step, logged: print(f"step {step}: {logged['validation_accuracy']:.3f} right"))
print(network)

graphs, labels = zip(*(museum(60) for _ in range(20)))
answers = network(join(graphs))[0].argmax(-1)
accuracy = np.mean(answers == np.concatenate(labels))
print(f"museums of 60 rooms: accuracy {accuracy:.3f}")
assert accuracy > 0.95

network.save("museums.safetensors")  # for fgnn.networks.Network.load, or the program

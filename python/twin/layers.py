"""What the items of a network are made of: weights by name, linear maps, norms, the matrices Q."""
import torch
from torch.nn import functional

EPSILON, MOMENTUM = 1e-5, 0.1  # of norms
LEAST_LOGGED, LEAST_SLOPED = 1e-300, 1e-13


def log(x):
    """Finite where products vanish; without slope where what is left of a sum is noise."""
    return torch.where(x > LEAST_SLOPED, x, x.detach().clamp(min=LEAST_LOGGED)).log()


ACTIVATIONS = {"identity": lambda x: x, "relu": torch.relu, "leaky": functional.leaky_relu,
               "tanh": torch.tanh, "sigmoid": torch.sigmoid, "exp": torch.exp, "log": log}


class Layers:
    def __init__(self, weights, batch):
        self.weights, self.batch = weights, batch
        self.used, self.fixed = set(), set()  # names; what is fixed has no gradient

    def weight(self, name):
        if name not in self.weights:
            raise ValueError(f"the model has no weight '{name}'")
        self.used.add(name)
        return self.weights[name]

    def linear(self, name, x, bias=True, activation="identity"):
        """act([x1, x2, …] W + b)"""
        x = torch.cat(x, 1) if isinstance(x, list) else x
        y = x @ self.weight(name + ".weight")
        return ACTIVATIONS[activation](y + self.weight(name + ".bias") if bias else y)

    def by_kind(self, name, x, kind):
        """Each row times the matrix of its kind."""
        return torch.einsum("eh,eho->eo", x, self.weight(name)[kind])

    def network_q(self, name, h, features, row, q):
        """Each row h_e times Q_e = sum_b c_b(features of e) Q_b."""
        c = self.linear(name + ".q.hidden", features, activation="relu")
        if q == "mixture":
            c = self.linear(name + ".q.mix", c)
        return torch.einsum("eb,eh,bho->eo", c[row], h, self.weight(name + ".q.bases"))

    def times_q(self, name, h, r, o):
        relation = self.batch.relations[r]
        if o.q == "identity":
            return h
        if o.q == "table":
            return self.by_kind(name + ".q", h, relation.kind)
        return self.network_q(name, h, self.batch.edge[r], relation.feature, o.q)

    def moments(self, name, x, kind, graph):
        """Mean and variance that normalise x."""
        if kind == "layer":
            return x.mean(1, keepdim=True), x.var(1, unbiased=False, keepdim=True)
        if kind == "instance":
            graph = graph.to(x.device)

            def by_graph(y):
                sums = y.new_zeros(self.batch.graphs, y.shape[1]).index_add(0, graph, y)
                return (sums / graph.bincount(minlength=len(sums)).clamp(min=1)[:, None])[graph]
            mean = by_graph(x)
            return mean, by_graph((x - mean) ** 2)
        running = [self.weight(f"{name}.{moment}") for moment in ("mean", "variance")]
        if not self.batch.training or len(x) == 0:
            return running
        mean, variance = x.mean(0), x.var(0, unbiased=False)
        with torch.no_grad():  # remembered for evaluation, without the bias of few rows
            running[0] += MOMENTUM * (mean - running[0])
            running[1] += MOMENTUM * (variance * len(x) / max(1, len(x) - 1) - running[1])
        return mean, variance

    def normalise(self, name, x, o, graph=None):
        """act(norm(x))."""
        return ACTIVATIONS[o.activation](self.norm(name, x, o, graph))

    def norm(self, name, x, o, graph=None):
        """graph is the graph of each row, for instance norms."""
        if o.norm == "none":
            return x
        mean, variance = self.moments(name, x, o.norm, graph)
        x = (x - mean) / torch.sqrt(variance + EPSILON)
        return x * self.weight(name + ".scale") + self.weight(name + ".shift")

    def update(self, name, x, width, before, o, graph=None):
        """before + act(norm([x1, x2, …] W)), the residual link where widths agree; with normed=sum
        norm(before + act([x1, x2, …] W))."""
        if o.update or len(x) > 1 or x[0].shape[1] != width:
            x = self.linear(name + ".linear", x, bias=o.norm in ("none", "layer"))
        else:
            x = x[0]
        linked = o.residual and before is not None and before.shape == x.shape
        if o.normed == "sum":
            x = ACTIVATIONS[o.activation](x)
            return self.norm(name + ".norm", x + before if linked else x, o, graph)
        y = self.normalise(name + ".norm", x, o, graph)
        return y + before if linked else y

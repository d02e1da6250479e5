"""A network read from its text and run at once, in eager PyTorch: the readable twin of the engine.

The equations are those of Zhang et al. 2023 as the engine's builder has them; nothing is regrouped
or fused, so that an error of the engine's algebra cannot be here as well.
"""
import copy

import torch
from torch.nn import functional

from . import propagation
from .graphs import aggregate, meeting
from .layers import ACTIVATIONS, Layers
from .network_text import Options, parse


class Network(Layers):
    def __init__(self, description, weights, batch):
        super().__init__(weights, batch)
        self.text, self.defaults = description["network"], description.get("fgnn", {})
        self.names = [r["name"] for r in description["schema"]["relations"]]
        self.kinds = [r["kinds"] for r in description["schema"]["relations"]]
        self.variable, self.graph, self.image = batch.variable, None, None
        self.factor = list(batch.factor)
        self.edge = [None] * len(self.names)  # latents on messages

    def run(self):
        self.sequence(parse(self.text), "")
        return self.last()

    def last(self):
        return self.variable if self.graph is None else self.graph

    def set_last(self, x):
        if self.graph is None:
            self.variable = x
        else:
            self.graph = x

    def sequence(self, items, prefix):
        for i, item in enumerate(items):
            for t in range(item.times):
                own = item.times > 1 and not item.tied
                self.item(item, f"{prefix}{i}_{t}" if own else f"{prefix}{i}")

    def item(self, item, name):
        if item.name == "":
            return self.sequence(item.inside, name + ".")
        if item.name == "Res":
            return self.residual(item, name)
        if item.name in ("SumProduct", "MaxProduct"):
            run = getattr(propagation, item.name)
            self.variable = run(self, item, name).beliefs()
            return
        o = Options({**self.defaults, **item.options})
        argument = item.arguments[0]
        if item.name in ("FC", "MLP"):
            self.fully_connected(name, int(argument), o)
        elif item.name == "FGNN":
            form = self.low_rank if o.rank else getattr(self, f"on_{o.form}s")
            form(name, int(argument), o)
        elif item.name == "MPNN":
            if item.options.get("aggregate", "sum") != "sum":
                raise ValueError("the twin's MPNN has sums alone")
            self.mpnn(name, int(argument), o)
        elif item.name == "EdgeConv":
            self.edge_conv(name, o)
        elif item.name == "Out":
            self.set_last(self.linear(name + ".out", self.last()))
        elif item.name == "Pool":
            self.graph = aggregate(self.variable, self.batch.at_graph, argument)
        elif item.name == "Global":
            pooled = aggregate(self.variable, self.batch.at_graph, argument)
            self.variable = self.linear(
                name + ".global", [self.variable, pooled[self.batch.graph_of["variable"]]],
                activation="relu")
        elif item.name == "Image":
            self.image = [int(side) for side in item.arguments]
        elif item.name == "Conv":
            self.convolution(name, int(argument), int(item.options.get("size", 3)),
                             int(item.options.get("pool", 1)), o)
        elif item.name == "Dropout":
            self.set_last(self.dropped(self.last(), float(argument), item.options))
        elif item.name == "Chain":
            own = self.linear(name + ".out", self.variable)
            pairs = self.weight(name + ".pairs").reshape(1, -1)
            self.variable = torch.cat([own, pairs.expand(len(own), -1)], 1)
        else:
            raise ValueError(f"'{item.name}' is not a layer")

    def dropped(self, x, share, options):
        if self.batch.training and share > 0:
            raise ValueError("Dropout in training draws numbers that only the engine knows")
        return x.clone()  # a step of its own: Res around it adds its input

    def residual(self, item, name):
        variable, graph, factor = self.variable, self.graph, list(self.factor)
        self.sequence(item.inside, name + ".")

        def join(now, before):
            return now if now is before or now is None or before is None else now + before

        self.variable, self.graph = join(self.variable, variable), join(self.graph, graph)
        self.factor = [join(*pair) for pair in zip(self.factor, factor)]

    def fully_connected(self, name, w, o):
        o.residual = False
        if self.graph is not None:
            self.graph = self.update(name + ".graph", [self.graph], w, None, o)
            return
        graph_of = self.batch.graph_of
        self.variable = self.update(name + ".variable", [self.variable], w, None, o,
                                    graph_of["variable"])
        for r, g in enumerate(self.factor):
            if g is not None:
                n = f"{name}.{self.names[r]}"
                self.factor[r] = self.update(n, [g], w, None, o, graph_of[r])

    # FGNN, the three forms

    def on_nodes(self, name, w, o):
        """g_c <- g_c + update(m_c), then f_i <- f_i + update(m_i), of M, Q and AGG in message()."""
        f, before = self.variable, list(self.factor)
        for r, relation in enumerate(self.batch.relations):
            n, g = f"{name}.{self.names[r]}.vf", before[r]
            m = self.message(n, r, None if g is None else g[relation.factor], f[relation.variable],
                             relation.at_factor, w, o)
            self.factor[r] = self.update(n + ".update", [m], w, g, o, self.batch.graph_of[r])
        received = []
        for r, relation in enumerate(self.batch.relations):
            old = o.order == "together" and before[r] is not None
            g = before[r] if old else self.factor[r]
            received.append(self.message(f"{name}.{self.names[r]}.fv", r, f[relation.variable],
                                         g[relation.factor], relation.at_variable, w, o))
        self.variable = self.update(name + ".variable.update", received or [f], w, f, o,
                                    self.batch.graph_of["variable"])

    def message(self, name, r, target, source, slots, w, o):
        """AGG over edges of Q_e M([target, source]), both given by edge."""
        act = ACTIVATIONS[o.activation]
        x = self.linear(name + ".source", source)
        if target is not None:
            x = x + self.linear(name + ".target", target, bias=False)
        h = act(x)
        for k in range(1, len(o.m)):
            h = self.linear(f"{name}.m{k}", h, activation=o.activation)
        y = self.times_q(name, h, r, o)
        return torch.cat([aggregate(y, slots, a, o.temperature) for a in o.aggregates], 1)

    def low_rank(self, name, w, o):
        """Factors of width R, whose matrices are diagonal by kind of edge."""
        f, received = self.variable, []
        factors, variables = copy.copy(o), copy.copy(o)
        factors.update, variables.update = False, True
        for r, relation in enumerate(self.batch.relations):
            n, g = f"{name}.{self.names[r]}", self.factor[r]
            y = self.linear(n + ".terms", f[relation.variable])
            y = y * self.weight(n + ".vf.scale")[relation.kind]
            if o.activation != "identity":
                shift = self.weight(n + ".vf.shift")[relation.kind]
                y = ACTIVATIONS[o.activation](y + shift)
            m = aggregate(y, relation.at_factor, o.aggregates[0])
            if g is not None and g.shape[1] != o.rank:
                g = self.linear(n + ".start", g)
            g = self.update(n + ".factor", [m], o.rank, g, factors, self.batch.graph_of[r])
            self.factor[r] = g
            y = g[relation.factor] * self.weight(n + ".fv.scale")[relation.kind]
            received.append(aggregate(y, relation.at_variable, "sum"))
        self.variable = self.update(name + ".variable.update", received or [f], w, f, variables,
                                    self.batch.graph_of["variable"])

    def on_messages(self, name, w, o):
        """Latents x_e on messages to factors, y_e on messages to variables."""
        f, y, sums = self.variable, [], []
        for r, relation in enumerate(self.batch.relations):
            n, g = f"{name}.{self.names[r]}", self.factor[r]
            if self.edge[r] is None:
                self.edge[r] = self.linear(n + ".start", f[relation.variable])
            h = self.linear(n + ".m", self.edge[r], activation=o.activation)
            received = [relation.without_receiver(self.times_q(n, h, r, o), "factor",
                                                  o.aggregates[0], o.temperature)]
            if g is not None:
                received.append(g[relation.factor])
            y.append(self.linear(n + ".y", received, activation=o.activation))
            sums.append(aggregate(y[r], relation.at_variable, "sum"))
        for r, relation in enumerate(self.batch.relations):
            received = [relation.without_receiver(y[r], "variable", "sum"), f[relation.variable]]
            received += [s[relation.variable] for q, s in enumerate(sums) if q != r]
            self.edge[r] = self.update(f"{name}.{self.names[r]}.x", received, w, self.edge[r], o,
                                       self.batch.graph_of[r][relation.factor])
        self.variable = self.update(name + ".variable.update", sums or [f], w, f, o,
                                    self.batch.graph_of["variable"])

    # The baselines' layers

    def mpnn(self, name, w, o):
        """f <- GRU(f, sum over neighbours j of Q(features of the factor between) f_j)"""
        if self.variable.shape[1] != w:
            self.variable = self.update(name + ".start", [self.variable], w, None, o,
                                        self.batch.graph_of["variable"])
        f, features = self.variable, self.batch.factor
        heard = [r for r, x in enumerate(features) if x is not None]
        heard = [r for r in heard if self.kinds[r] <= 2] or heard  # of pairs, where there are any
        message = 0
        for r in heard:
            early, late, factor = self.batch.relations[r].pairs()
            for source, target, way in ((early, late, "later"), (late, early, "earlier")):
                y = self.network_q(f"{name}.{self.names[r]}.{way}", f[source], features[r], factor,
                                   "mlp")
                message = message + aggregate(y, meeting(target, len(f)), "sum")
        a = self.linear(name + ".gru.input", message).split(w, 1)
        b = self.linear(name + ".gru.hidden", f).split(w, 1)
        reset, keep = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
        self.variable = (1 - keep) * torch.tanh(a[2] + reset * b[2]) + keep * f

    def edge_conv(self, name, o):
        """f_i <- max over the nearest j of act(A f_i + B f_j + b)"""
        f, neighbours = self.variable, []
        graph_of = self.batch.graph_of["variable"]
        for row, here in zip(f.detach(), graph_of):
            rows = (graph_of == here).nonzero()[:, 0]
            distance = ((f.detach()[rows] - row) ** 2).sum(1).cpu()
            neighbours.append(rows[distance.sort(stable=True).indices[:o.neighbours]])
        target = torch.arange(len(f)).repeat_interleave(torch.tensor([len(n) for n in neighbours]))
        y = (self.linear(name + ".self", f[target])
             + self.linear(name + ".neighbour", f[torch.cat(neighbours)], bias=False))
        nearest = aggregate(ACTIVATIONS[o.activation](y), meeting(target, len(f)), "max")
        self.variable = self.normalise(name + ".norm", nearest, o, graph_of)

    def convolution(self, name, channels, size, pool, o):
        """Rows are images, the channels of a pixel side by side."""
        height, width = self.image
        x = self.variable.reshape(len(self.variable), height, width, -1).permute(0, 3, 1, 2)
        weight = self.weight(name + ".conv.weight").reshape(size, size, -1, channels)
        bias = self.weight(name + ".conv.bias") if o.norm == "none" else None
        x = functional.conv2d(x, weight.permute(3, 2, 0, 1), bias, padding=size // 2)
        if pool > 1:
            x = functional.max_pool2d(x, pool, ceil_mode=True)
        self.image = x.shape[2:]
        pixels = self.normalise(name + ".norm", x.permute(0, 2, 3, 1).reshape(-1, channels), o)
        self.variable = pixels.reshape(len(x), -1)

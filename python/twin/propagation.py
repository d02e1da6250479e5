"""Belief propagation as layers with weights: the items SumProduct and MaxProduct of a network."""
import torch

from .graphs import aggregate, meeting
from .layers import log


def numbers(item, key):
    return [int(n) for n in item.options[key].split("+")]


class SumProduct:
    """t iterations of low-rank sum-product in message form, with S states; on every edge (c, i):

    N_e = theta_i + sum of M_e' at i, e' != e          logarithms of messages to the factor
    q_e = product of softmax(N_e') U at c, e' != e     U is S x R by kind
    F_e = log((lambda_c * q_e) D)                      D is R x S by kind
    M_e <- [F_e, M_e] B                                fresh and old: damping

    and with latents h_e on the messages, which B sees as well.
    """

    def __init__(self, net, item, name):
        self.net, self.name, self.relations = net, name, net.batch.relations
        self.iterations = int(item.arguments[0])
        self.tied = item.options.get("tied") == "yes"
        self.latents = int(item.options.get("latents", 0))
        features = net.variable
        states = int(item.options.get("states", features.shape[1]))
        self.unary = net.linear(name + ".unary", features, bias=False)
        wider = self.latents and states < features.shape[1]
        self.features = [features[r.variable] if wider else None for r in self.relations]
        self.lam = [None if g is None else self.term_weights(r, g)
                    for r, g in enumerate(net.factor)]
        self.message = [features.new_zeros(r.edges, states) for r in self.relations]
        self.latent = [features.new_zeros(r.edges, self.latents) for r in self.relations]
        self.fixed = item.options.get("fixed") == "yes"

    def term_weights(self, r, factor):
        n = f"{self.name}.{self.net.names[r]}"
        potential = self.net.linear(n + ".potential", factor, activation="exp")
        return self.net.linear(n + ".lambda", potential)[self.relations[r].factor]

    def beliefs(self):
        for t in range(self.iterations):
            self.iterate(self.name if self.tied else f"{self.name}_{t}")
        if self.fixed:
            potentials = (".up", ".down", ".potential.weight", ".potential.bias", ".lambda.weight",
                          ".lambda.bias")
            self.net.fixed |= {p for p in self.net.used
                               if p.startswith(self.name) and p.endswith(potentials)}
        return self.unary + sum(self.at_variables(self.message))

    def at_variables(self, x):
        return [aggregate(x[r], relation.at_variable, "sum")
                for r, relation in enumerate(self.relations)]

    def iterate(self, name):
        sums, latent_sums = self.at_variables(self.message), self.at_variables(self.latent)
        before = list(self.latent)
        for r, relation in enumerate(self.relations):
            n = f"{name}.{self.net.names[r]}"
            from_others = self.unary + sum(s for q, s in enumerate(sums) if q != r)
            to_factor = (relation.without_receiver(self.message[r], "variable", "sum")
                         + from_others[relation.variable])
            up = self.net.by_kind(n + ".up", to_factor.softmax(1), relation.kind)
            product = relation.without_receiver(up, "factor", "product")
            if self.lam[r] is not None:
                product = product * self.lam[r]
            fresh = log(self.net.by_kind(n + ".down", product, relation.kind))
            blended = [fresh, self.message[r]]
            if self.latents:
                self.latent[r] = self.new_latent(n, r, to_factor, fresh, before[r], latent_sums)
                blended.append(self.latent[r])
            self.message[r] = self.net.linear(n + ".blend", blended, bias=False)

    def new_latent(self, n, r, to_factor, fresh, before, sums):
        relation = self.relations[r]
        seen = [to_factor, before] + [x for x in [self.features[r]] if x is not None]
        channel = self.net.linear(n + ".channel", seen, activation="tanh")
        seen += [relation.without_receiver(channel, "factor", "product"), fresh,
                 relation.without_receiver(before, "variable", "sum")]
        seen += [s[relation.variable] for q, s in enumerate(sums) if q != r]
        seen += [x for x in [self.lam[r]] if x is not None]
        return self.net.linear(n + ".latent", seen, activation="tanh")


class MaxProduct:
    """t iterations of max-product on factors that are maxima of Z rank-1 terms, by maxima alone.

    Numbers are costs: what a state scores below the best. A message is put at its position within
    the factor (its slot at the variable), zeros elsewhere, so that a maximum loses nothing.
    """

    def __init__(self, net, item, name):
        self.net, self.name, self.relations = net, name, net.batch.relations
        self.iterations, self.terms = int(item.arguments[0]), numbers(item, "terms")
        self.states, slots = net.variable.shape[1], numbers(item, "slots")
        self.unary = self.excess(name + ".unary", [net.variable])
        self.phi, self.message, self.at_variable, self.position, self.slot = [], [], [], [], []
        for r, relation in enumerate(self.relations):
            n = f"{name}.{net.names[r]}"
            potential = net.linear(n + ".potential", net.factor[r])[relation.factor]
            self.phi.append(net.by_kind(n + ".phi", potential, relation.kind))
            self.message.append(potential.new_zeros(relation.edges, self.states))
            self.at_variable.append(potential.new_zeros(len(self.unary), slots[r] * self.states))
            self.position.append(place(relation.factor, relation.factors))
            self.slot.append(place(relation.variable, len(self.unary)))

    def beliefs(self):
        for _ in range(self.iterations):
            before = list(self.at_variable)
            for r in range(len(self.relations)):
                self.iterate(r, before)
        return self.net.linear(self.name + ".beliefs", [self.unary] + self.at_variable, bias=False)

    def iterate(self, r, before):
        n, net, relation = f"{self.name}.{self.net.names[r]}", self.net, self.relations[r]
        others = [self.unary] + [x for q, x in enumerate(before) if q != r]
        rest = net.linear(n + ".rest", others, bias=False)[relation.variable]
        own = net.by_kind(n + ".other_slots", before[r][relation.variable], self.slot[r])
        to_factor = self.excess(n + ".to_factor", [own, rest])
        best = self.chain(n + ".over_states", [to_factor, self.phi[r]], self.states)
        placed = net.by_kind(n + ".place", best, self.position[r])
        at_factor = aggregate(placed, relation.at_factor, "max")[relation.factor]
        by_term = net.by_kind(n + ".other_positions", at_factor, self.position[r])
        over_terms = self.chain(n + ".over_terms", [by_term, self.phi[r]], self.terms[r])
        fresh = self.excess(n + ".to_variable", [over_terms])
        self.message[r] = net.linear(n + ".blend", [fresh, self.message[r]], bias=False)
        slotted = net.by_kind(n + ".slot", self.message[r], self.slot[r])
        self.at_variable[r] = aggregate(slotted, relation.at_variable, "max")

    def chain(self, name, x, entries):
        """Minima of so many entries, by layers with ReLU that halve them."""
        k = 0
        while entries > 1:
            x = self.net.linear(f"{name}.{k}", x, bias=False, activation="relu")
            entries, k = (entries + 1) // 2, k + 1
        return self.net.linear(name + ".out", x, bias=False)

    def excess(self, name, x):
        """y - min y of the sum y of the inputs, clamped."""
        y = self.net.linear(name + ".difference", x, bias=False, activation="relu")
        y = self.chain(name + ".largest", y, self.states)
        y = self.net.linear(name + ".above", y, activation="relu")
        return self.net.linear(name + ".clamp", y, bias=False)


def place(node, nodes):
    """Each edge's number among those at the same node."""
    places = torch.zeros(len(node), dtype=torch.long)
    for edges in meeting(node, nodes).tolist():
        for number, edge in enumerate(e for e in edges if e >= 0):
            places[edge] = number
    return places

"""The graphs of a batch as rows of numbers, and what meets where.

A batch is copies of a template: row r of copy b is row b * rows + r. Here the copies are written
out, so that every edge of every copy has its number, and aggregation is a table: who meets at each
node, by the numbers of their rows, with -1 where nobody is.
"""
import torch


def meeting(node, nodes, present=None):
    """The rows that meet at each node, in their order; rows that are not present stay away."""
    lists = [[] for _ in range(nodes)]
    for row, at in enumerate(node.tolist()):
        if present is None or present[row]:
            lists[at].append(row)
    most = max([1] + [len(rows) for rows in lists])
    return torch.tensor([rows + [-1] * (most - len(rows)) for rows in lists],
                        dtype=torch.long).reshape(nodes, most)


def aggregate(y, slots, how, temperature=1.0):
    """One row per row of slots; nobody is worth 0, and 1 in a product."""
    slots = slots.to(y.device)  # what meets where is made on the CPU
    absent = slots < 0
    values = torch.cat([y, y.new_zeros(1, y.shape[1])])[slots]  # -1 is the row of zeros at the end
    if how == "sum":
        return values.sum(1)
    if how == "mean":
        return values.sum(1) / (~absent).sum(1, keepdim=True).clamp(min=1)
    if how == "product":
        return values.masked_fill(absent[:, :, None], 1).prod(1)
    nobody = absent.all(1, keepdim=True)
    values = values.masked_fill((absent & ~nobody)[:, :, None], -torch.inf)
    if how == "max":
        return values.max(1).values  # of several that are equal the first has the gradient
    return (temperature * torch.logsumexp(values / temperature, 1)).masked_fill(nobody, 0)


class Relation:
    """The edges of one factor type."""

    def __init__(self, edges, factors, variables, kinds, own_kinds, copies, mask):
        factor, variable, kind = torch.tensor(edges, dtype=torch.long)
        one, copy = len(factor), torch.arange(copies).repeat_interleave(len(factor))
        self.edges, self.factors = copies * one, copies * factors
        self.factor = factor.repeat(copies) + copy * factors
        self.variable = variable.repeat(copies) + copy * variables
        self.kind = kind.repeat(copies)
        # Features belong to kinds of the model, or to kinds of each graph.
        self.feature = self.kind + copy * kinds if own_kinds else self.kind
        self.mask = torch.ones(self.edges, dtype=torch.bool) if mask is None else mask
        self.at_factor = meeting(self.factor, self.factors, self.mask.tolist())
        self.at_variable = meeting(self.variable, copies * variables, self.mask.tolist())

    def without_receiver(self, y, at, how, temperature=1.0):
        """For each edge the aggregate of the other edges at the same node."""
        node, slots = ((self.factor, self.at_factor) if at == "factor"
                       else (self.variable, self.at_variable))
        others = slots[node]
        others = torch.where(others == torch.arange(self.edges)[:, None], -1, others)
        return aggregate(y, others, how, temperature) * self.mask.to(y.device)[:, None]

    def pairs(self):
        """(earlier variable, later variable, factor) of all pairs within a factor."""
        first, second = [], []
        for edges in meeting(self.factor, self.factors).tolist():
            edges = [e for e in edges if e >= 0]
            for i, e in enumerate(edges):
                first += [e] * (len(edges) - i - 1)
                second += edges[i + 1:]
        first, second = (torch.tensor(e, dtype=torch.long) for e in (first, second))
        return self.variable[first], self.variable[second], self.factor[first]


class Batch:
    def __init__(self, metadata, tensors, schema):
        self.training = metadata["mode"] == "training"
        copies, variables = int(metadata["copies"]), int(metadata["variables"])
        self.variable = _features(tensors, "variable", schema["variable_features"])
        self.relations, self.factor, self.edge = [], [], []
        offset = {"variable": _copied(tensors["graphs.variable_offset"], copies)}
        for r, relation in enumerate(schema["relations"]):
            name = f"relation.{r}"
            mask = tensors.get(name + ".mask")
            self.relations.append(Relation(
                tensors[name + ".edges"], int(metadata[name + ".factors"]), variables,
                int(metadata[name + ".kinds"]), metadata[name + ".own_kinds"] == "1", copies,
                None if mask is None or mask.size == 0 else torch.as_tensor(mask.ravel() != 0)))
            self.factor.append(_features(tensors, name + ".factor", relation["factor_features"]))
            self.edge.append(_features(tensors, name + ".edge", relation["edge_features"]))
            offset[r] = _copied(tensors[f"graphs.factor_offset.{r}"], copies)
        self.graphs = len(offset["variable"]) - 1
        # The graph of each row.
        self.graph_of = {key: torch.arange(self.graphs).repeat_interleave(o.diff())
                         for key, o in offset.items()}
        self.at_graph = meeting(self.graph_of["variable"], self.graphs)


def _features(tensors, name, width):
    """Rows that gradients are asked for; None where the network takes none."""
    if width == 0:
        return None
    values = torch.tensor(tensors[name], dtype=torch.float64).reshape(-1, width)
    return values.requires_grad_()


def _copied(offset, copies):
    """The offsets of the graphs of all copies, from those of a template."""
    offset = torch.tensor(offset, dtype=torch.long)
    first = torch.arange(copies)[:, None] * offset[-1]
    return torch.cat([offset[:1], (first + offset[1:]).ravel()])

"""Networks inside PyTorch models: on fgnn's engine, and in plain PyTorch operations.

`Network` is a torch.nn.Module whose forward and backward run on the engine (CPU), so that it can
sit between layers of your own; any version of PyTorch will do, nothing is linked against it.
`reference` makes the same network of plain PyTorch operations, for checking, and where tensors are
elsewhere. Both take the same graphs and read and write the same files.
"""
from typing import Any, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from fgnn import _core
from fgnn.networks import Graphs
from fgnn.networks import Network as Saved
from fgnn.twin import network as twin
from fgnn.twin.graphs import Batch

__all__ = ["Network", "reference"]

Features = Optional[Mapping[str, torch.Tensor]]


class _Module(nn.Module):
    """What both have: parameters and running moments by the names of the file, "/" for "."."""

    def __init__(self, saved: Saved) -> None:
        super().__init__()
        self.description = saved.description
        self.metadata = saved.metadata
        self._names = [(name, name.replace(".", "/"), trained)
                       for name, _, trained in saved._model.parameters]

    def _register(self, values: Iterator[torch.Tensor]) -> None:
        for (_, key, trained), value in zip(self._names, values):
            if trained:
                self.register_parameter(key, nn.Parameter(value))
            else:
                self.register_buffer(key, value)

    def _tensors(self) -> List[torch.Tensor]:
        return [getattr(self, key) for _, key, _ in self._names]

    def saved(self) -> Saved:
        """The network with its present weights, without PyTorch."""
        model = Saved(self.description)
        for (name, _, _), value in zip(self._names, self._tensors()):
            model._model.set_weight(name, value.detach().cpu().numpy())
        model._model.metadata = self.metadata
        return model

    def save(self, file) -> None:
        """To a file of safetensors that the program and fgnn.networks read."""
        self.saved().save(file, "f64" if self._tensors()[0].dtype == torch.float64 else "f32")

    @classmethod
    def load(cls, file_or_name, **options):
        """From such a file, the folder of a training, or a network by its name."""
        return cls(Saved.load(file_or_name), **options)


def _given(network: Union[str, Mapping[str, Any], Saved], graphs: Optional[Graphs],
           seed: int) -> Saved:
    return network if isinstance(network, Saved) else Saved(network, graphs, seed=seed)


def _features(graphs: Graphs, variable, factor: Features, edge: Features
              ) -> Tuple[List[str], List[torch.Tensor]]:
    """What is given as tensors, by its place: "variable", "factor:NAME", "edge:NAME"."""
    names = {r["name"] for r in graphs.relations}
    places, tensors = [], []
    if variable is not None:
        places, tensors = ["variable"], [variable]
    for what, given in (("factor", factor), ("edge", edge)):
        for name, tensor in (given or {}).items():
            if name not in names:
                raise ValueError(f"there is no relation '{name}'")
            places.append(f"{what}:{name}")
            tensors.append(tensor)
    return places, tensors


def _with(graphs: Graphs, places: List[str], tensors) -> Graphs:
    """The graphs with these features in the place of their own."""
    arrays = {place: t.detach().cpu().numpy() for place, t in zip(places, tensors)}
    if not arrays:
        return graphs

    def named(what):
        return {p.split(":", 1)[1]: a for p, a in arrays.items() if p.startswith(what + ":")}

    return graphs.with_features(arrays.get("variable"), named("factor"), named("edge"))


class _Run(torch.autograd.Function):
    @staticmethod
    def forward(ctx, net, graphs, places, *tensors):
        features, weights = tensors[:len(places)], tensors[len(places):]
        ctx.net, ctx.places = net, places
        ctx.graphs = _with(graphs, places, features)
        ctx.shapes = [t.shape for t in features]
        ctx.training, ctx.threads = net.training, net.threads
        ctx.seed = int(torch.randint(2**62, ())) if net.training else 0
        ctx.save_for_backward(*features, *weights)  # which tells whether they have changed since
        wanted = any(ctx.needs_input_grad[3:])
        output, ctx.run = net._forwards(ctx, wanted, moving=True)
        return torch.from_numpy(output)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        net = ctx.net
        ctx.saved_tensors  # raises where they have changed
        if ctx.run is not net._run:  # another run came in between: once more, moments as they are
            net._forwards(ctx, True, moving=False)
        net._run = None
        engine = net._engine
        engine.backwards(gradient.detach().contiguous().numpy())
        variable, factor, edge = engine.input_gradients()
        names = [r["name"] for r in ctx.graphs.relations]
        gradients: List[Optional[torch.Tensor]] = []
        for place, shape, needed in zip(ctx.places, ctx.shapes, ctx.needs_input_grad[3:]):
            if not needed:
                gradients.append(None)
                continue
            what, _, name = place.partition(":")
            own = variable if what == "variable" else (
                factor if what == "factor" else edge)[names.index(name)]
            own = torch.from_numpy(own).reshape(-1, *shape[-2:])  # copies first
            gradients.append(own.sum(0).reshape(shape) if len(shape) == 2 or shape[0] != len(own)
                             else own)
        trained = [i for i, (_, _, t) in enumerate(net._names) if t]
        for i, needed in zip(trained, ctx.needs_input_grad[3 + len(ctx.places):]):
            gradients.append(torch.from_numpy(engine.weight_gradient(i)) if needed else None)
        return (None, None, None, *gradients)


class Network(_Module):
    """A network as a module on fgnn's engine.

    `network` is a description as for fgnn.networks.Network, with the `graphs` it is to run on where
    the description has no schema, or a network that was loaded. Parameters are on the engine's own
    memory, where optimisers change them in place. Arithmetic is in float32, or in float64
    (dtype=torch.float64); products="bf16" rounds what is multiplied by matrices, which is faster on
    processors that have instructions for it.

    >>> import torch, fgnn.torch
    >>> from fgnn.networks import Graphs, Relation
    >>> chain = Graphs(np.zeros((4, 3)), {"pair": Relation([[0, 1], [1, 2], [2, 3]])})
    >>> net = fgnn.torch.Network("2*FGNN(8) - Out(2)", chain)
    >>> x = torch.randn(16, 4, 3, requires_grad=True)
    >>> net(chain, x).sum().backward()
    >>> x.grad.shape
    torch.Size([16, 4, 3])
    """

    def __init__(self, network: Union[str, Mapping[str, Any], Saved],
                 graphs: Optional[Graphs] = None, *, seed: int = 0,
                 dtype: torch.dtype = torch.float32, products: str = "float",
                 threads: int = 0) -> None:
        saved = _given(network, graphs, seed)
        super().__init__(saved)
        if dtype not in (torch.float32, torch.float64):
            raise ValueError("Network: dtype must be torch.float32 or torch.float64")
        if products not in ("float", "bf16"):
            raise ValueError("Network: products must be float or bf16")
        self.dtype, self.products, self.threads = dtype, products, threads
        self._start(saved)
        self._register(iter(self._views))

    def _start(self, saved: Saved) -> None:
        kind: Any = _core.Engine32 if self.dtype == torch.float32 else _core.Engine64
        self._engine: Any = kind(saved._model, self.products == "bf16")
        self._views = [torch.from_numpy(self._engine.parameter(i))
                       for i in range(len(self._names))]
        self._run: Any = None

    def forward(self, graphs: Graphs, variable: Optional[torch.Tensor] = None,
                factor: Features = None, edge: Features = None) -> torch.Tensor:
        """The output rows: (copies, variables, width), or (graphs, width) behind a Pool.

        Tensors are features in the place of the graphs' own (Graphs.with_features) and get
        gradients: `variable`, and by relation `factor` and `edge`.
        """
        places, tensors = _features(graphs, variable, factor, edge)
        if any(t.device.type != "cpu" for t in tensors):
            raise ValueError("Network runs on the CPU; elsewhere take fgnn.torch.reference")
        weights = [t for (_, _, trained), t in zip(self._names, self._tensors()) if trained]
        tensors = [t.to(self.dtype) for t in tensors]
        return _Run.apply(self, graphs, places, *tensors, *weights)

    def _forwards(self, ctx, backwards: bool, moving: bool):
        """The output, and what tells this run from others."""
        tensors = self._tensors()
        with torch.no_grad():
            for view, tensor in zip(self._views, tensors):
                if view.data_ptr() != tensor.data_ptr():  # the module was copied or moved
                    view.copy_(tensor)
            output = self._engine.forwards(ctx.graphs._batch, ctx.training, backwards, ctx.threads,
                                           ctx.seed, 0.1 if moving else 0.0)
            for (_, _, trained), view, tensor in zip(self._names, self._views, tensors):
                if not trained and view.data_ptr() != tensor.data_ptr():
                    tensor.copy_(view)
        self._run = object()
        return output, self._run

    def __getstate__(self):
        state = dict(self.__dict__)
        for mine in ("_engine", "_views", "_run"):
            del state[mine]
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        self._start(Saved(self.description))


class _TwinNetwork(twin.Network):
    def dropped(self, x, share, options):
        if not self.batch.training or share == 0:
            return x.clone()
        if options.get("rows") == "yes":
            return x * functional.dropout(x.new_ones(len(x), 1), share)
        return functional.dropout(x, share)


class _Reference(_Module):
    def __init__(self, saved: Saved, dtype: torch.dtype = torch.float32) -> None:
        super().__init__(saved)
        weights = saved.weights
        self._register(torch.tensor(weights[name]).to(dtype) for name, _, _ in self._names)
        self._kept: Tuple[Any, Any] = (None, None)

    def forward(self, graphs: Graphs, variable: Optional[torch.Tensor] = None,
                factor: Features = None, edge: Features = None) -> torch.Tensor:
        """As Network.forward."""
        places, tensors = _features(graphs, variable, factor, edge)
        given = dict(zip(places, tensors))
        like = self._tensors()[0]
        shown = _with(graphs, places, tensors) if any(t.dim() == 3 for t in tensors) else graphs
        batch = self._batch(shown, graphs)
        copies = shown.copies

        def rows(tensor, array, repeat):
            if tensor is None:
                return None if array is None else torch.tensor(
                    array, dtype=like.dtype, device=like.device).reshape(-1, array.shape[-1])
            tensor = tensor.to(like.dtype)
            if repeat:
                tensor = tensor.expand(copies, *tensor.shape[-2:])
            return tensor.reshape(-1, tensor.shape[-1])

        batch.variable = rows(given.get("variable"), shown.variables, True)
        for r, relation in enumerate(shown.relations):
            name = relation["name"]
            batch.factor[r] = rows(given.get("factor:" + name), relation["factor"], True)
            batch.edge[r] = rows(given.get("edge:" + name), relation["edge"],
                                 relation["own_kinds"])
        batch.training = self.training
        weights = {name: tensor for (name, _, _), tensor in zip(self._names, self._tensors())}
        net = _TwinNetwork(self.description, weights, batch)
        output = net.run()
        shape = (-1,) if net.graph is not None else (copies, -1)
        return output.reshape(*shape, output.shape[-1])

    def _batch(self, shown: Graphs, graphs: Graphs) -> Batch:
        """The structure, made once for the same graphs and as many copies."""
        if self._kept[0] is not None:
            known, copies = self._kept[0]
            if known is graphs and copies == shown.copies:
                return self._kept[1]
        metadata = {"mode": "evaluation", "copies": str(shown.copies),
                    "variables": str(shown.num_variables)}
        tensors = {"graphs.variable_offset": shown._batch.offset.astype(np.int64)}
        features: Any = {"variable_features": 0, "relations": []}
        for r, relation in enumerate(shown.relations):
            name = f"relation.{r}"
            kind = relation["edge_kind"]
            if len(kind) == 0:
                kind = np.zeros_like(relation["edge_factor"])
            tensors[name + ".edges"] = np.stack(
                [relation["edge_factor"], relation["edge_variable"], kind]).astype(np.int64)
            tensors[f"graphs.factor_offset.{r}"] = relation["offset"].astype(np.int64)
            if relation["mask"] is not None:
                tensors[name + ".mask"] = relation["mask"]
            metadata[name + ".factors"] = str(relation["factors"])
            metadata[name + ".kinds"] = str(relation["kinds"])
            metadata[name + ".own_kinds"] = "1" if relation["own_kinds"] else "0"
            features["relations"].append({"factor_features": 0, "edge_features": 0})
        batch = Batch(metadata, tensors, features)
        self._kept = ((graphs, shown.copies), batch)
        return batch

    def __getstate__(self):
        return {**self.__dict__, "_kept": (None, None)}


def reference(network: Union[str, Mapping[str, Any], Saved], graphs: Optional[Graphs] = None, *,
              seed: int = 0, dtype: torch.dtype = torch.float32) -> nn.Module:
    """The same network in plain PyTorch operations: readable, slow, on any device.

    It is made of fgnn.twin, where every layer is written out, and knows the layers FC, FGNN, MPNN,
    EdgeConv, Conv, Pool, Global, Dropout, Chain, SumProduct, MaxProduct and Out. Called as Network
    is, with tensors on the device of its parameters.
    """
    return _Reference(_given(network, graphs, seed), dtype)

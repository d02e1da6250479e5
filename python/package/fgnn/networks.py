"""Networks on factor graphs: graphs with features from arrays, saved networks loaded and run.

>>> import numpy as np, fgnn
>>> from fgnn.networks import Graphs, Network, Relation
>>> triples = [[i, (i + 1) % 6, (i + 2) % 6] for i in range(6)]      # factors on a ring of six
>>> x = np.random.default_rng(0).normal(size=(5, 6, 2))               # five copies, two features
>>> rings = Graphs(x, {"triple": Relation(scopes=triples)})
>>> rings
<fgnn.networks.Graphs: 5 graphs, triple: 6 factors>
>>> net = Network("2*FGNN(16) - Out(3)", rings, seed=1)
>>> net(rings).shape
(5, 6, 3)
"""
import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fgnn import _core

__all__ = ["Graphs", "Network", "Relation", "join", "presets", "shipped"]


@dataclass
class Relation:
    """The factors of one type, which share weights, and their edges to variables."""

    scopes: Optional[ArrayLike] = None
    """A row of variables for each factor; the kind of an edge is its place in the row."""
    edges: Optional[ArrayLike] = None
    """In place of scopes: rows of factors, of variables and, where there are, of kinds."""
    factors: Optional[int] = None
    """How many there are; from scopes or edges where it is not said."""
    kinds: Optional[int] = None
    """How many kinds of edges there are, each with a matrix of its own; the same."""
    features: Optional[ArrayLike] = None
    """Numbers on factors: (factors, width), or (copies, factors, width)."""
    kind_features: Optional[ArrayLike] = None
    """Numbers on kinds: (kinds, width)."""
    edge_features: Optional[ArrayLike] = None
    """Numbers on edges: (edges, width) or (copies, edges, width). Every edge is then a kind."""
    mask: Optional[ArrayLike] = None
    """By edge: 0 takes it out."""
    offset: Optional[ArrayLike] = None
    """Where the factors of each graph begin, and the end, for several graphs in one structure."""

    def _parts(self, name):
        """(what the structure takes, features of factors, of kinds, mask)"""
        if (self.scopes is None) == (self.edges is None):
            raise ValueError(f"relation {name}: needs either scopes or edges")
        if self.scopes is not None:
            scopes = np.asarray(self.scopes, dtype=np.int64)
            if scopes.ndim != 2:
                raise ValueError(f"relation {name}: scopes are a matrix, a row for each factor")
            factor = np.repeat(np.arange(len(scopes)), scopes.shape[1])
            variable = scopes.ravel()
            kind = np.tile(np.arange(scopes.shape[1]), len(scopes))
            factors, kinds = len(scopes), scopes.shape[1]
        else:
            edges = np.asarray(self.edges, dtype=np.int64)
            if edges.ndim != 2 or len(edges) not in (2, 3):
                raise ValueError(f"relation {name}: edges are rows of factors, variables and kinds")
            factor, variable = edges[:2]
            kind = edges[2] if len(edges) == 3 else np.zeros(edges.shape[1], dtype=np.int64)
            factors = int(factor.max(initial=-1)) + 1
            kinds = int(kind.max(initial=0)) + 1
        factors = self.factors if self.factors is not None else factors
        kinds = self.kinds if self.kinds is not None else max(kinds, 1)
        order = np.argsort(factor, kind="stable")
        features, own = self.kind_features, self.edge_features is not None
        if own:
            if features is not None:
                raise ValueError(f"relation {name}: has features of edges or of kinds, not both")
            kinds, kind = len(order), np.arange(len(order))
            features = np.asarray(self.edge_features, dtype=np.float64)
        mask = None
        if self.mask is not None:
            mask = (np.asarray(self.mask) != 0).reshape(-1, len(order))[:, order].astype(np.uint8)
        kind = kind[order]
        return (name, factors, kinds, own, factor[order], variable[order], kind,
                self.offset), self.features, features, mask


class Graphs:
    """Graphs of one structure with their features: one, or many copies.

    `variables` are features, (variables, width) or (copies, variables, width); relations by name
    are the types of factors. join() puts graphs of different structure side by side. With `offset`
    (and those of the relations) the arrays hold several graphs one after another.
    """

    def __init__(self, variables: ArrayLike, relations: Mapping[str, Relation], *,
                 offset: Optional[ArrayLike] = None) -> None:
        x = np.asarray(variables, dtype=np.float64)
        if x.ndim not in (2, 3):
            raise ValueError("Graphs: features of variables need an axis of variables and one of "
                             "features")
        parts = [relation._parts(name) for name, relation in relations.items()]
        self._batch = _core.GraphBatch(x.shape[-2], [p[0] for p in parts], offset, x,
                                       [p[1] for p in parts], [p[2] for p in parts],
                                       [p[3] for p in parts])

    @classmethod
    def _of(cls, batch):
        graphs = cls.__new__(cls)
        graphs._batch = batch
        return graphs

    @property
    def copies(self) -> int:
        """How many copies of the structure there are."""
        return self._batch.copies

    @property
    def num_graphs(self) -> int:
        """How many graphs there are in all."""
        return self._batch.num_graphs

    @property
    def num_variables(self) -> int:
        """Of the structure."""
        return self._batch.num_variables

    @property
    def variables(self) -> Optional[NDArray[np.float64]]:
        """Features as (copies, variables, width), on the graphs' own memory."""
        return self._batch.variable

    @property
    def relations(self) -> List[Dict[str, Any]]:
        """Each with its name, sizes, edges in order of factors, and features."""
        return self._batch.relations

    def with_features(self, variables: Optional[ArrayLike] = None,
                      factors: Optional[Mapping[str, ArrayLike]] = None,
                      edges: Optional[Mapping[str, ArrayLike]] = None) -> "Graphs":
        """The same structure with other features, and as many copies as they are of.

        What is not given stays; of several copies the first one's. The features of edges are in the
        order of relations[…]["edge_factor"].

        >>> from fgnn.networks import Graphs, Relation
        >>> g = Graphs(np.zeros((3, 1)), {"pair": Relation([[0, 1], [1, 2]])})
        >>> g.with_features(np.ones((8, 3, 1))).copies
        8
        """
        own = self.relations
        named = {relation["name"] for relation in own}
        for given in (factors or {}, edges or {}):
            for name in given:
                if name not in named:
                    raise ValueError(f"with_features: there is no relation '{name}'")
        copies = 1
        for array in (variables, *(factors or {}).values(), *(edges or {}).values()):
            if array is not None and np.ndim(array) == 3:
                copies = max(copies, np.shape(array)[0])

        def kept(array):
            return array if array is None or len(array) == copies else array[0]

        x = kept(self.variables) if variables is None else np.asarray(variables, np.float64)
        def pick(given, key):
            return [np.asarray(given[r["name"]], np.float64) if given and r["name"] in given
                    else r[key][0] if r[key] is not None and not r["own_kinds"] and key == "edge"
                    else kept(r[key]) for r in own]

        return Graphs._of(self._batch.again(x, pick(factors, "factor"), pick(edges, "edge")))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{r['name']}: {r['factors']} factors" for r in self.relations)
        return f"<fgnn.networks.Graphs: {self.num_graphs} graphs, {sizes}>"


def join(graphs: Iterable[Graphs]) -> Graphs:
    """Graphs side by side in one; those of one structure (with_features()) become its copies.

    >>> from fgnn.networks import Graphs, Relation
    >>> chain = [Graphs(np.zeros((n, 1)), {"pair": Relation([[i, i + 1] for i in range(n - 1)])})
    ...          for n in (3, 5)]
    >>> fgnn.networks.join(chain).num_graphs
    2
    """
    return Graphs._of(_core.join_graphs([g._batch for g in graphs]))


class Network:
    """A network with its weights, on graphs of any size whose features are of its widths.

    `network` is a description as text, such as "4*FGNN(64) - Out(2)", a preset (presets()), a file
    of JSON or a dictionary (docs/learning.md); `graphs` say what features there are, where the
    description does not. Weights are drawn by the seed; fgnn.train() trains them.
    """

    report: Dict[str, Any] = {}
    """Of a network that fgnn.train() has trained: how that went."""

    def __init__(self, network: Union[str, Mapping[str, Any]], graphs: Optional[Graphs] = None, *,
                 seed: int = 0) -> None:
        text = network if isinstance(network, str) else json.dumps(network)
        self._model = _core.Model(text, graphs._batch if graphs is not None else None, seed)

    @classmethod
    def _of(cls, model):
        network = cls.__new__(cls)
        network._model = model
        return network

    @classmethod
    def load(cls, file_or_name) -> "Network":
        """From a file, the folder of a training, or one that comes with the library (shipped()).

        >>> fgnn.networks.Network.load("d3").description["schema"]["variable_features"]
        2
        """
        return cls._of(_core.load_model(str(file_or_name)))

    def save(self, file, dtype: str = "f32") -> None:
        """To a file of safetensors, with the description in it; dtype: f16, f32 or f64."""
        self._model.save(str(file), dtype)

    @property
    def description(self) -> Dict[str, Any]:
        """The network's text, the defaults of its layers and the features that it takes."""
        return json.loads(self._model.description)

    @property
    def metadata(self) -> Dict[str, str]:
        """What else the file says: the task, how it was trained."""
        return self._model.metadata

    @property
    def weights(self) -> Dict[str, NDArray[np.float64]]:
        """All by their names, as arrays on the network's own memory: they may be written to."""
        return {name: self._model.weight(name) for name, _, _ in self._model.parameters}

    @property
    def num_weights(self) -> int:
        """Trained numbers."""
        return self._model.trained_numbers

    def __call__(self, graphs: Graphs, *, threads: int = 0) -> NDArray[np.float32]:
        """The rows of the output: (copies, variables, width), or (graphs, width) behind a Pool."""
        return self._model.run(graphs._batch, threads)

    def __repr__(self) -> str:
        return f"<fgnn.networks.Network {self.description['network']}: {self.num_weights} weights>"


def presets() -> list:
    """Networks that have a name: (name, description, JSON)."""
    return _core.presets()


def shipped() -> List[str]:
    """The names of trained networks that come with the library, for Network.load().

    >>> "d3" in fgnn.networks.shipped()
    True
    """
    return _core.shipped_networks()

"""Training of networks on graphs from arrays, by the library's own engine."""
import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from fgnn import _core
from fgnn.networks import Graphs, Network
from fgnn.solvers import ProgressFunction, _text

Labels = Union[ArrayLike, Sequence[ArrayLike]]
Callback = Callable[[int, Dict[str, float]], Optional[bool]]


def _lists(graphs: Union[Graphs, Sequence[Graphs]], labels: Labels):
    if isinstance(graphs, Graphs):
        return [graphs._batch], [np.asarray(labels)]
    return [g._batch for g in graphs], [np.asarray(y) for y in labels]  # type: ignore[union-attr]


def train(graphs: Union[Graphs, Sequence[Graphs]], labels: Labels, *,
          network: Union[str, Mapping[str, Any], Network] = "4*FGNN(64) - Out(2)",
          loss: Optional[str] = None,
          validation: Union[None, float, Tuple[Any, Any]] = 0.1, folder=None,
          resume: bool = False, callback: Optional[Callback] = None,
          progress: Optional[ProgressFunction] = None, **options: Any) -> Network:
    """Trains a network on labelled graphs; returns the best one by validation.

    graphs      a list of graphs of any sizes, or one Graphs of many copies; labels: an array for
                each of them. Behind "Out" they are of variables, behind "Pool" of graphs
    labels      whole numbers are classes (below 0: do not care); others numbers to come near
    network     as text, or a Network to go on from
    loss        cross-entropy (of classes, the default), l2 (of numbers, the default), l1,
                binary-cross-entropy or chain
    validation  graphs and labels, or the share of the graphs, the last of them, that is kept for it
    folder      keeps checkpoints, the log and the best model; with `resume` a run goes on
    callback    is called with the step and what was logged after every validation, and ends
                training by returning False; Ctrl-C does so too, and the KeyboardInterrupt has the
                network as its `result`
    options     steps=, batch=, rate=, interval=, seed=, threads=, … (train_settings())

    The network's `report` has steps, losses, seconds and the measures of validation.

    >>> from fgnn.networks import Graphs, Relation
    >>> x = np.random.default_rng(0).integers(2, size=(200, 8, 1))
    >>> pairs = [[i, (i + 1) % 8] for i in range(8)]
    >>> rings = Graphs(x, {"pair": Relation(pairs)})
    >>> y = x[:, :, 0] & np.roll(x[:, :, 0], -1, axis=1)   # on, and the next one too
    >>> net = fgnn.train(rings, y, network="2*FGNN(16) - Out(2)", steps=200, batch=20, rate=1e-2)
    >>> net.report["validation"]["accuracy"] > 0.95
    True
    >>> net(rings).argmax(-1).shape
    (200, 8)
    """
    batches, wanted = _lists(graphs, labels)
    held, held_labels, share = [], [], 0.0
    if isinstance(validation, (int, float)):
        share = float(validation)
    elif validation is not None:
        held, held_labels = _lists(*validation)
    if loss is None:
        whole = all(y.dtype.kind in "iub" for y in wanted)
        loss = "cross-entropy" if whole else "l2"
    start = network._model if isinstance(network, Network) else None
    text = "" if start is not None else (
        network if isinstance(network, str) else json.dumps(network))
    texts = {name: _text(value) for name, value in options.items()}
    try:
        answer = _core.train(batches, wanted, held, held_labels, share, text, start, loss, texts,
                             "" if folder is None else str(folder), resume, callback, progress)
    except KeyboardInterrupt as error:
        found = getattr(error, "result", None)
        if found is not None:
            setattr(error, "result", _network(*found))
        raise
    return _network(*answer)


def _network(model, report) -> Network:
    network = Network._of(model)
    network.report = report
    return network


def train_settings() -> List[Tuple[str, str, str]]:
    """The options of training: (name, default, description).

    >>> [name for name, default, text in fgnn.train_settings()][:2]
    ['steps', 'batch']
    """
    return _core.train_settings()

"""The oracle: a network of fgnn run in eager PyTorch, forwards and backwards, in double precision.

    eager_twin.py MODEL BATCH OUT     one network
    eager_twin.py                     many: lines "MODEL BATCH OUT" on the standard input

MODEL is a model saved by fgnn, BATCH features, structure and the gradient G of the output; both are
safetensors. OUT gets the output, the gradients of sum(output * G) by every trained weight and by
all features, and in training the running moments of batch norms.
"""
import json
import os
import struct
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the networks of tests are small

import torch  # noqa: E402

from twin import tensor_file  # noqa: E402
from twin.graphs import Batch  # noqa: E402
from twin.network import Network  # noqa: E402

PREFIX = "model."


def is_moment(name):
    return name.endswith((".norm.mean", ".norm.variance"))


def load(model):
    """The description, and the weights by name, as leaves."""
    metadata, tensors = tensor_file.read(model)
    weights = {name[len(PREFIX):]: torch.tensor(values, dtype=torch.float64)
               for name, values in tensors.items() if name.startswith(PREFIX)}
    for name, weight in weights.items():
        weight.requires_grad_(not is_moment(name))
    return json.loads(metadata["architecture"]), weights


def features(batch):
    """Those of the batch by the names of its file."""
    named = {"variable": batch.variable}
    for r in range(len(batch.relations)):
        named[f"relation.{r}.factor"] = batch.factor[r]
        named[f"relation.{r}.edge"] = batch.edge[r]
    return {name: x for name, x in named.items() if x is not None}


def run(model, batch_file, out):
    description, weights = load(model)
    metadata, tensors = tensor_file.read(batch_file)
    batch = Batch(metadata, tensors, description["schema"])
    network = Network(description, weights, batch)
    output = network.run()
    unknown = weights.keys() - network.used
    if unknown:
        raise ValueError(f"the network does not use '{min(unknown)}'")
    leaves = {PREFIX + name: w for name, w in weights.items()
              if w.requires_grad and name not in network.fixed}
    leaves.update(features(batch))
    given = torch.tensor(tensors["output_gradient"]).reshape(output.shape)
    gradients = torch.autograd.grad(output, list(leaves.values()), given, allow_unused=True)
    results = {"output": output.detach()}
    for (name, leaf), gradient in zip(leaves.items(), gradients):
        results["gradient." + name] = torch.zeros_like(leaf) if gradient is None else gradient
    if batch.training:
        results.update({PREFIX + name: w for name, w in weights.items() if is_moment(name)})
    tensor_file.write(out, {name: x.numpy() for name, x in results.items()})


def main(arguments):
    if len(arguments) not in (0, 3):
        sys.exit(__doc__)
    torch.set_num_threads(1)
    failed = False
    for files in [arguments] if arguments else (line.split() for line in sys.stdin):
        try:
            if len(files) != 3:
                raise ValueError("is not MODEL BATCH OUT")
            run(*files)
        except (ValueError, RuntimeError, LookupError, OSError, struct.error) as error:
            what = f"has no {error}" if isinstance(error, KeyError) else str(error)
            print(f"eager_twin.py: {' '.join(files)}: {what}".replace("\n", " "), file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])

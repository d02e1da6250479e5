"""Lists what a safetensors file holds, with numpy alone: python3 read_model.py model.safetensors"""

import json
import struct
import sys

import numpy

DTYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "u1"}


def read(path):
    """The metadata, and the tensors by name."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = numpy.frombuffer(data[begin:end], DTYPES[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return metadata, tensors


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    metadata, tensors = read(sys.argv[1])
    for key, value in metadata.items():
        print(f"{key}: {value}")
    for name, tensor in tensors.items():
        mean = tensor.mean(dtype="f8") if tensor.size else float("nan")
        print(f"{name} {tensor.dtype} {tensor.shape} mean {mean:.6g}")

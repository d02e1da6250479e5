"""safetensors files with numpy alone: a length of 8 bytes, a header in JSON, then the numbers."""
import json
import struct

import numpy

DTYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "|u1"}


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


def write(path, tensors, metadata=None):
    names = {numpy.dtype(code): name for name, code in DTYPES.items()}
    header, begin = {"__metadata__": metadata} if metadata else {}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": names[values.dtype], "shape": list(values.shape),
                        "data_offsets": [begin, begin + values.nbytes]}
        begin += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # the numbers begin at a multiple of 8 bytes
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(numpy.ascontiguousarray(values).tobytes())

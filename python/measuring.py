"""What the baselines share: a step of training, its speed and memory, and who did the arithmetic.

Debian's PyTorch calls whatever libblas.so.3 is installed, which may be the slow reference, and a
library with threads of its own does not hear of torch.set_num_threads: a baseline has to say both.
Import this before torch, which loads the library.
"""
import ctypes
import json
import os
import resource
import time


def _kernels_of_this_processor():
    """What OpenBLAS has for it. Left alone it takes processors that are newer than itself for a
    Prescott of 2004, and multiplies at a quarter of the speed."""
    with open("/proc/cpuinfo") as cpuinfo:
        flags = next((set(line.split()) for line in cpuinfo if line.startswith("flags")), set())
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    return {"OPENBLAS_CORETYPE": "Haswell"} if {"avx2", "fma"} <= flags else {}


os.environ.update({**_kernels_of_this_processor(), **os.environ})

import torch  # noqa: E402
from torch import nn  # noqa: E402


def _mapped_libraries():
    with open("/proc/self/maps") as maps:
        return sorted({line.split()[-1] for line in maps if ".so" in line})


def _blas():
    """Its name, that of Debian's alternative where it is one, and its file."""
    torch.ones(64, 64) @ torch.ones(64, 64)  # loads it
    libraries = _mapped_libraries()
    for known in ("openblas", "mkl_rt", "mkl_core", "blis", "atlas", "blas"):
        for path in libraries:
            file = os.path.basename(path)
            if file.startswith("lib" + known):
                folder = os.path.basename(os.path.dirname(path))
                alternative = "reference" if folder == "blas" else folder
                return (alternative if "blas" in folder else known), path
    return "built in", None


def use_threads(count):
    """Sets the threads of PyTorch and of OpenBLAS; says what is used, for a line of results."""
    torch.set_num_threads(count)
    name, path = _blas()
    used = {"blas": name, "torch_threads": torch.get_num_threads()}
    if name.startswith("openblas"):
        library = ctypes.CDLL(path)
        library.openblas_set_num_threads(count)
        used["blas_threads"] = library.openblas_get_num_threads()
        library.openblas_get_corename.restype = ctypes.c_char_p
        used["blas_kernels"] = library.openblas_get_corename().decode()
    return used


def rate(step, instances, seconds):
    step(), step()
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds or count < 2:
        step()
        count += 1
    return instances * count / (time.perf_counter() - start)


def best_microseconds(step, seconds):
    step(), step()
    start, best = time.perf_counter(), float("inf")
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        step()
        best = min(best, time.perf_counter() - before)
    return 1e6 * best


def training_step(net, loss):
    """A function that takes one step of Adam on loss()."""
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)

    def step():
        optimiser.zero_grad(set_to_none=True)
        loss().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()

    return step


def peak_bytes():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def print_training(net, loss, instances, seconds, used):
    """Speed and memory of training on loss(), of so many instances, as a line of JSON; `used` is what
    use_threads said."""
    train = training_step(net, loss)
    before = peak_bytes()
    speed = rate(train, instances, seconds)
    print(json.dumps({"what": "train", "batch": instances, **used, "instances_per_second": speed,
                      "peak_bytes": peak_bytes() - before,
                      "parameters": sum(v.numel() for v in net.parameters())}))

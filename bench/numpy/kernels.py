# SPDX-License-Identifier: Apache-2.0
"""Kernels that compute much against NumPy, both on two threads.

The kernels are those of bench/cpp/kernels.asc. NumPy works on one thread, so each of two
threads has it compute a half: its functions let go of the interpreter's lock.
"""

import ctypes
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from measure import TREE, Row, take_turns

LIBRARY = TREE / "build/release/bench/libbench_kernels.so"
KERNELS = {"exp": 3, "tanh": 4, "gelu": 5}  # enum BenchKernel
TYPES = {"half": (0, np.float16), "float": (1, np.float32)}  # enum BenchType
COUNT = 1 << 22
VECTOR_CORES = 48


def gelu(x, out):
    """As the kernel does it: one operation after the other, into arrays that are there."""
    number = x.dtype.type
    np.multiply(x, x, out=out)
    np.multiply(out, number(0.7978845608 * 0.044715), out=out)
    np.add(out, number(0.7978845608), out=out)
    np.multiply(out, x, out=out)
    np.tanh(out, out=out)
    np.add(out, number(1), out=out)
    np.multiply(out, number(0.5), out=out)
    np.multiply(out, x, out=out)


RIVALS = {
    "exp": lambda x, out: np.exp(x, out=out),
    "tanh": lambda x, out: np.tanh(x, out=out),
    "gelu": gelu,
}


def device_array(library, dtype):
    """An array in the memory that kernels reach; lives as long as the process."""
    nbytes = COUNT * np.dtype(dtype).itemsize
    buffer = (ctypes.c_char * nbytes).from_address(library.bench_malloc(nbytes))
    return np.frombuffer(buffer, dtype)


def on_threads(threads, function, parts):
    list(threads.map(lambda part: function(*part), parts))


def rows():
    library = ctypes.CDLL(str(LIBRARY))
    library.bench_malloc.restype = ctypes.c_void_p
    library.bench_malloc.argtypes = [ctypes.c_uint64]
    pointer, integer = ctypes.c_void_p, ctypes.c_uint32
    library.bench_launch.argtypes = [
        *(ctypes.c_int, ctypes.c_int, integer),
        *(pointer, pointer, pointer, integer, ctypes.c_float),
    ]
    with ThreadPoolExecutor(2) as threads:
        for type_name, (type_number, dtype) in TYPES.items():
            x, out = (device_array(library, dtype) for _ in range(2))
            x[:] = np.random.default_rng(0).uniform(-4, 4, COUNT)
            halves = [
                (x[part], np.empty(COUNT // 2, dtype)) for part in np.s_[: COUNT // 2, COUNT // 2 :]
            ]
            for name, kernel in KERNELS.items():
                address = x.ctypes.data
                arguments = (kernel, type_number, VECTOR_CORES, address, address, out.ctypes.data)
                times = take_turns(
                    {
                        "ours": partial(library.bench_launch, *arguments, COUNT, 1.0),
                        "numpy": partial(on_threads, threads, RIVALS[name], halves),
                    },
                    rounds=9,
                )
                far = np.abs(out.astype(np.float64) - np.concatenate([half[1] for half in halves]))
                if not far.max() < 0.1:
                    raise SystemExit(f"{name} {type_name}: kernel and NumPy differ by {far.max()}")
                yield Row(
                    f"{name} {type_name}, 4 M elements",
                    times.median("ours") * 1e3,
                    times.median("numpy") * 1e3,
                    "NumPy on two threads",
                    "ms",
                )

# SPDX-License-Identifier: Apache-2.0
"""A matrix product through the cube unit against torch.mm, both into memory that is there.

The kernel is that of bench/cpp/matmul.asc. torch's product of halves is slow on processors that do
not multiply them themselves, so all types are measured against its product of floats.
"""

import ctypes
import time
from functools import partial

import torch
from measure import THREADS, TREE, Row, take_turns

LIBRARY = TREE / "build/release/bench/libbench_kernels.so"
# Type: its number in enum BenchType, what a product is made of, and the bound of the time.
TYPES = {
    "float": (1, torch.float32, torch.float32, 1 / 0.6),
    "half": (0, torch.float16, torch.float16, 2),
    "bfloat16": (2, torch.bfloat16, torch.bfloat16, 2),
    "int8": (3, torch.int8, torch.int32, 2),
}
SIDE = 1024
CUBE_CORES = 24


def device_matrix(library, dtype):
    """A matrix in the memory that kernels reach; lives as long as the process."""
    nbytes = SIDE * SIDE * torch.empty((), dtype=dtype).element_size()
    buffer = (ctypes.c_char * nbytes).from_address(library.bench_malloc(nbytes))
    return torch.frombuffer(buffer, dtype=dtype).reshape(SIDE, SIDE)


def once(function):
    """The second of two calls: torch's halves take seconds."""
    function()
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def rows():
    torch.set_num_threads(THREADS)
    library = ctypes.CDLL(str(LIBRARY))
    library.bench_malloc.restype = ctypes.c_void_p
    library.bench_malloc.argtypes = [ctypes.c_uint64]
    integer, pointer = ctypes.c_uint32, ctypes.c_void_p
    library.bench_launch_matmul.argtypes = [
        *(ctypes.c_int, integer),
        *(pointer, pointer, pointer, integer, integer, integer),
    ]
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randint(-8, 9, (SIDE, SIDE), generator=generator) for _ in range(2))
    x_float, y_float, out_float = x.float(), y.float(), torch.empty(SIDE, SIDE)
    expected = x_float @ y_float
    for name, (number, dtype, out_dtype, target) in TYPES.items():
        a, b, c = (device_matrix(library, t) for t in (dtype, dtype, out_dtype))
        a.copy_(x), b.copy_(y)
        arguments = (number, CUBE_CORES, a.data_ptr(), b.data_ptr(), c.data_ptr())
        functions = {
            "ours": partial(library.bench_launch_matmul, *arguments, SIDE, SIDE, SIDE),
            "torch": partial(torch.mm, x_float, y_float, out=out_float),
        }
        times = take_turns(functions, rounds=9, seconds=0.05)
        torch.testing.assert_close(c, expected.to(out_dtype), rtol=0, atol=0)
        ms = 1e3
        ours = times.median("ours") * ms
        title = f"torch: matmul {name} {SIDE}x{SIDE}x{SIDE} through the cube unit"
        rival = times.median("torch") * ms
        yield Row(title, ours, rival, "torch.mm of floats", "ms", target=target)
        if dtype in (torch.float16, torch.bfloat16):
            theirs = torch.empty(SIDE, SIDE, dtype=dtype)
            own = once(partial(torch.mm, x.to(dtype), y.to(dtype), out=theirs)) * ms
            yield Row(title, ours, own, f"torch.mm of {name}", "ms", target=None)

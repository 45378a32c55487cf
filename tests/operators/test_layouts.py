# SPDX-License-Identifier: Apache-2.0
"""The layout operators: every element where it belongs, zeros where there is none, and refusals."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch

import bascule
import bascule.torch

_spec = importlib.util.spec_from_file_location("table", Path(__file__).with_name("table.py"))
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)

DTYPES = ("float16", "float32", "bfloat16")
IMAGES = [(1, 1, 1, 1), (2, 17, 5, 7), (1, 16, 4, 4), (3, 8, 1, 33), (1, 40, 31, 61), (2, 3, 0, 5)]
IMAGES += [(0, 3, 4, 5), (1, 7, 3, 2049), (2, 33, 13, 17), (1, 15, 1, 1)]
MATRICES = [
    (1, 1),
    (16, 16),
    (17, 15),
    (31, 33),
    (2, 3, 40, 61),
    (0, 5),
    (5, 0),
    (3, 0, 7),
    (33, 8),
]
MATRICES += [(100, 1030), (4, 1, 2), (61, 300)]


@pytest.fixture(scope="module")
def library(built):
    return bascule.load(built("operators/layouts"))


def wide(dtype):
    return 8 if dtype == "float32" else 16


def numbers(shape, dtype):
    values = np.arange(1, 1 + int(np.prod(shape))) % 251 + 1
    return values.reshape(shape).astype(table.dtype(dtype))


def blocks_of(x, c0):
    n, c, h, w = x.shape
    c1 = -(-c // c0)
    filled = np.zeros((n, c1 * c0, h, w), x.dtype)
    filled[:, :c] = x
    return filled.reshape(n, c1, c0, h, w).transpose(0, 1, 3, 4, 2)


def strips_of(x, n0):
    *batch, m, n = x.shape
    m1, n1 = -(-m // 16), -(-n // n0)
    filled = np.zeros((*batch, m1 * 16, n1 * n0), x.dtype)
    filled[..., :m, :n] = x
    rank = len(batch)
    order = [*range(rank), rank + 2, rank, rank + 1, rank + 3]
    return filled.reshape(*batch, m1, 16, n1, n0).transpose(order)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", IMAGES)
def test_images(library, shape, dtype):
    x = numbers(shape, dtype)
    blocks = library.nchw_to_nc1hwc0(x)
    np.testing.assert_array_equal(blocks, blocks_of(x, wide(dtype)))
    np.testing.assert_array_equal(library.nc1hwc0_to_nchw(blocks, channels=shape[1]), x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", MATRICES)
def test_matrices(library, shape, dtype):
    x = numbers(shape, dtype)
    strips = library.nd_to_nz(x)
    np.testing.assert_array_equal(strips, strips_of(x, wide(dtype)))
    back = library.nz_to_nd(strips, rows=shape[-2], columns=shape[-1])
    np.testing.assert_array_equal(back, x)


def test_gradients(built):
    ops = bascule.torch.load(built("operators/layouts"))
    x = torch.randn(2, 5, 3, 4, requires_grad=True)
    for there, back in (
        (ops.nchw_to_nc1hwc0, lambda y: ops.nc1hwc0_to_nchw(y, channels=5)),
        (ops.nd_to_nz, lambda y: ops.nz_to_nd(y, rows=3, columns=4)),
    ):
        y = there(x)
        dout = torch.randn_like(y)
        (dx,) = torch.autograd.grad(y, x, dout)
        torch.testing.assert_close(dx, back(dout))
        z = y.detach().requires_grad_()
        back_dout = torch.randn_like(x)
        (dz,) = torch.autograd.grad(back(z), z, back_dout)
        torch.testing.assert_close(dz, there(back_dout))
    torch.library.opcheck(ops.nchw_to_nc1hwc0, (x,))
    torch.library.opcheck(ops.nd_to_nz, (x,))


@pytest.mark.parametrize(
    ("name", "shape", "attributes", "reason"),
    [
        ("nchw_to_nc1hwc0", (3, 4, 5), {}, "x is (3, 4, 5); it has four dimensions, NCHW"),
        ("nc1hwc0_to_nchw", (1, 2, 3, 4, 7), {"channels": 9}, "NC1HWC0, the last of them 8"),
        ("nc1hwc0_to_nchw", (1, 2, 3, 4, 8), {"channels": 8}, "channels is 8; x has 2 blocks of 8"),
        ("nd_to_nz", (3,), {}, "x is (3,); it has at least two dimensions"),
        ("nz_to_nd", (1, 1, 16, 8), {"rows": 17, "columns": 8}, "rows is 17; x has 1 fractals"),
        ("nz_to_nd", (1, 1, 16, 8), {"rows": 1, "columns": 9}, "columns is 9; x has 1 strips"),
        ("nz_to_nd", (1, 1, 15, 8), {"rows": 1, "columns": 1}, "the last two of them 16 and 8"),
    ],
)
def test_refusals(library, name, shape, attributes, reason):
    with pytest.raises(bascule.InvalidArgument) as error:
        library.find(name)(np.ones(shape, np.float32), **attributes)
    assert reason in str(error.value)

# SPDX-License-Identifier: Apache-2.0
"""quant_matmul to the last bit, and which scales it refuses."""

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


@pytest.fixture(scope="module")
def quant_matmul(built):
    return bascule.load(built("operators/quant_matmul")).quant_matmul


def exact(a, b, scale, transpose_a=False, transpose_b=False):
    """What the README says, rounding for rounding."""
    a = np.swapaxes(a, -1, -2) if transpose_a and a.ndim > 1 else a
    b = np.swapaxes(b, -1, -2) if transpose_b and b.ndim > 1 else b
    sums = np.matmul(a.astype(np.int32), b.astype(np.int32)).astype(np.float32)
    factor = scale.astype(np.float32)
    with np.errstate(over="ignore"):
        return (sums * (factor[0] if scale.size == 1 else factor)).astype(scale.dtype)


def test_cases_of_the_project(quant_matmul):
    generator = np.random.default_rng(1)
    for case in table.cases("quant_matmul"):
        for dtype in DTYPES:
            a, b = (generator.integers(-128, 128, s).astype(np.int8) for s in case["shapes"][:2])
            scale = generator.uniform(0.001, 0.01, case["shapes"][2]).astype(table.dtype(dtype))
            out = np.asarray(quant_matmul(a, b, scale, **case["attributes"]))
            want = exact(a, b, scale, **case["attributes"])
            assert out.dtype == want.dtype
            np.testing.assert_array_equal(out.astype(np.float32), want.astype(np.float32))


def test_what_is_too_large(quant_matmul):
    a, b = np.full((1, 3000), 127, np.int8), np.full((3000, 1), 127, np.int8)
    one = np.ones(1, np.float16)
    np.testing.assert_array_equal(quant_matmul(a, b, one), [[np.inf]])
    np.testing.assert_array_equal(quant_matmul(-a, b, one), [[-np.inf]])
    lines = np.full((1, 140000), -128, np.int8)
    out = quant_matmul(lines, lines, np.ones(1, np.float32), transpose_b=True)
    np.testing.assert_array_equal(out, [[2.0**31]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (-0.5, "-0.5"), (np.nan, "nan"), (np.inf, "inf"), (-0.0, "-0")]
)
def test_scales_that_are_none(quant_matmul, dtype, value, text):
    a, b = np.ones((2, 5), np.int8), np.ones((5, 4), np.int8)
    scale = np.ones(4, table.dtype(dtype))
    scale[3] = value
    with pytest.raises(bascule.InvalidArgument) as error:
        quant_matmul(a, b, scale)
    assert str(error.value).endswith(f"scale[3] is {text}; every scale is a finite number above 0")
    scale[3] = 6e-8 if dtype == "float16" else 1e-40  # subnormal ones are fine
    np.testing.assert_array_equal(quant_matmul(a, b, scale), exact(a, b, scale))


def test_impossible_shapes(quant_matmul):
    a, b = np.ones((2, 5), np.int8), np.ones((5, 4), np.int8)
    for scale in (np.ones(3, np.float32), np.ones((1, 4), np.float32), np.ones(0, np.float32)):
        with pytest.raises(bascule.InvalidArgument, match=r"expected \(1,\), or \(4,\)"):
            quant_matmul(a, b, scale)
    with pytest.raises(bascule.InvalidArgument, match="b has 5 rows and a 2 columns"):
        quant_matmul(a, b, np.ones(1, np.float32), transpose_a=True, transpose_b=False)


def test_torch(built):
    op = bascule.torch.load(built("operators/quant_matmul")).quant_matmul
    a = torch.arange(-20, 20, dtype=torch.int8).reshape(5, 8)
    b = torch.arange(-12, 12, dtype=torch.int8).reshape(8, 3)
    scale = torch.tensor([0.5, 0.25, 2.0])
    want = (a.int() @ b.int()).float() * scale
    torch.testing.assert_close(op(a, b, scale), want, rtol=0, atol=0)
    torch.library.opcheck(op, (a, b, scale))

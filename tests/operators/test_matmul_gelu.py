# SPDX-License-Identifier: Apache-2.0
"""matmul_gelu: its cases, its gradient beside torch's, and refusals."""

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
def matmul_gelu(built):
    return bascule.load(built("operators/matmul_gelu")).matmul_gelu


@pytest.fixture(scope="module")
def torch_matmul_gelu(built):
    return bascule.torch.load(built("operators/matmul_gelu")).matmul_gelu


def test_cases_of_the_project(matmul_gelu):
    defaults = {"transpose_a": False, "transpose_b": False, "approximate": "none"}
    reference = table.reference_module("matmul_gelu").matmul_gelu_reference
    generator = np.random.default_rng(1)
    for case in table.cases("matmul_gelu"):
        attributes = {**defaults, **case.get("attributes", {})}
        for dtype in DTYPES:
            inputs = [
                None if s is None else generator.uniform(*limits, s).astype(table.dtype(dtype))
                for s, limits in zip(case["shapes"], case["ranges"])
            ]
            wide = [None if x is None else x.astype(np.float64) for x in inputs]
            want = np.asarray(reference(*wide, **attributes))
            out = np.asarray(matmul_gelu(*inputs, **attributes))
            assert out.dtype == table.dtype(dtype) and out.shape == want.shape
            far = np.abs(out.astype(np.float64) - want)
            terms = max(inputs[0].shape[-2:], default=1)
            bound = table.ROUNDING[dtype] * 1.01 + 2.0**-24 * (max(terms, 61) + 16)
            assert (far <= bound * np.abs(want) + 1e-7).all(), (case, dtype)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("turned", [False, True])
def test_gradients(torch_matmul_gelu, approximate, turned):
    generator = torch.Generator().manual_seed(2)
    for m, k, n in ((1, 17, 31), (15, 1, 17), (33, 31, 1), (13, 0, 5), (0, 7, 5), (7, 11, 0)):
        a = torch.randn(2, *((k, m) if turned else (m, k)), generator=generator)
        b = torch.randn((n, k) if turned else (k, n), generator=generator)
        bias = torch.randn(n, generator=generator)
        for tensor in (a, b, bias):
            tensor.requires_grad_()
        out = torch_matmul_gelu(
            a, b, bias, transpose_a=turned, transpose_b=turned, approximate=approximate
        )
        product = (a.mT @ b.mT if turned else a @ b) + bias
        theirs = torch.nn.functional.gelu(product, approximate=approximate)
        dout = torch.randn(theirs.shape, generator=generator)
        torch.testing.assert_close(out, theirs, rtol=1e-5, atol=1e-5)
        got = torch.autograd.grad(out, (a, b, bias), dout)
        want = torch.autograd.grad(theirs, (a, b, bias), dout)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def test_torch_opcheck(torch_matmul_gelu):
    a, b = (torch.randn(shape, requires_grad=True) for shape in ((2, 5, 7), (7, 3)))
    torch.library.opcheck(torch_matmul_gelu, (a, b))


def test_refusals(matmul_gelu):
    a, b = np.ones((2, 5), np.float32), np.ones((4, 3), np.float32)
    with pytest.raises(bascule.InvalidArgument, match="b has 4 rows and a 5 columns"):
        matmul_gelu(a, b)
    with pytest.raises(bascule.InvalidArgument, match='approximate is "sine"; it must be'):
        matmul_gelu(a, np.ones((5, 3), np.float32), None, approximate="sine")

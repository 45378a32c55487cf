# SPDX-License-Identifier: Apache-2.0
"""matmul and its gradient: against the reference, at odd sizes, in all layouts, and refusals.

Every element type and case of the project, also without elements, comes from its reference.py.
"""

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
SIZES = (1, 15, 17, 31, 33, 61)


@pytest.fixture(scope="module")
def library(built):
    return bascule.load(built("operators/matmul"))


@pytest.fixture(scope="module")
def torch_matmul(built):
    return bascule.torch.load(built("operators/matmul")).matmul


def inputs_of(case, dtype, seed):
    generator = np.random.default_rng(seed)
    low, high = case["ranges"][0]
    return [
        None if shape is None else generator.uniform(low, high, shape).astype(table.dtype(dtype))
        for shape in case["shapes"]
    ]


def close(out, want, dtype, terms):
    """A sum of float32 is off by half a unit of each of its terms at most, and rounded once."""
    out = np.asarray(out)
    assert out.dtype == table.dtype(dtype) and out.shape == np.shape(want)
    far = np.abs(out.astype(np.float64) - want)
    allowed = table.ROUNDING[dtype] * np.abs(want) * 1.01 + 2.0**-24 * terms * np.abs(want) + 1e-7
    assert (far <= allowed).all()


def test_cases_of_the_project(library):
    reference = table.reference_module("matmul")
    defaults = {"transpose_a": False, "transpose_b": False}
    for name in ("matmul", "matmul_grad"):
        function = getattr(reference, f"{name}_reference")
        for seed, case in enumerate(getattr(reference, f"{name}_cases")()):
            attributes = {**defaults, **case.get("attributes", {})}
            for dtype in DTYPES:
                inputs = inputs_of(case, dtype, seed)
                wide = [None if x is None else x.astype(np.float64) for x in inputs]
                want = function(*wide, **attributes)
                got = library.find(name)(*inputs, **attributes)
                pairs = zip(got, want) if isinstance(want, tuple) else [(got, want)]
                for out, expected in pairs:
                    close(out, expected, dtype, max(max(x.shape, default=1) for x in inputs[:2]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_odd_size(library, dtype):
    generator = np.random.default_rng(1)
    for m in SIZES:
        for k in SIZES:
            for n in SIZES:
                a, b = (
                    generator.uniform(0.1, 1, shape).astype(table.dtype(dtype))
                    for shape in ((m, k), (k, n))
                )
                want = a.astype(np.float64) @ b.astype(np.float64)
                close(library.matmul(a, b), want, dtype, k)


@pytest.mark.parametrize("turned", [False, True])
def test_gradients_at_odd_sizes(torch_matmul, turned):
    for m, k, n in ((1, 17, 31), (15, 1, 17), (33, 31, 1), (13, 0, 5), (0, 7, 5), (7, 11, 0)):
        for batch in ((), (3,), (0,)):
            a = torch.randn(*batch, *((k, m) if turned else (m, k)), requires_grad=True)
            b = torch.randn(*batch, *((n, k) if turned else (k, n)), requires_grad=True)
            bias = torch.randn(n, requires_grad=True)
            out = torch_matmul(a, b, bias, transpose_a=turned, transpose_b=turned)
            theirs = (a.mT @ b.mT if turned else a @ b) + bias
            dout = torch.randn_like(out)
            got = torch.autograd.grad(out, (a, b, bias), dout)
            want = torch.autograd.grad(theirs, (a, b, bias), dout)
            torch.testing.assert_close(out, theirs, rtol=1e-5, atol=1e-5)
            torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-4)


def test_gradients_against_differences(torch_matmul):
    generator = torch.Generator().manual_seed(3)
    for shapes in (((5, 17), (17, 3)), ((2, 1, 3, 5), (3, 5, 2)), ((7,), (7,)), ((3, 7), (7,))):
        tensors = [torch.rand(shape, generator=generator) for shape in shapes]
        assert bascule.gradcheck(torch_matmul, *tensors, reference=np.matmul).ok


def test_layouts(library):
    generator = np.random.default_rng(2)
    a = generator.uniform(-1, 1, (17, 33)).astype(np.float32)
    b = generator.uniform(-1, 1, (33, 31)).astype(np.float32)
    plain = library.matmul(a, b)
    for layout in (
        lambda x: x.T.copy().T,
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: np.vstack([x, x])[len(x) :],
        lambda x: x[::-1].copy()[::-1],
    ):
        np.testing.assert_array_equal(library.matmul(layout(a), layout(b)), plain)
    np.testing.assert_array_equal(library.matmul(a.T.copy(), b, None, transpose_a=True), plain)
    np.testing.assert_array_equal(library.matmul(a, b.T.copy(), None, transpose_b=True), plain)
    batch = np.broadcast_to(a, (3, *a.shape))
    np.testing.assert_array_equal(library.matmul(batch, b), np.broadcast_to(plain, (3, 17, 31)))


def test_large_pitches(library):
    """Rows farther apart than a copy of matrices can say."""
    generator = np.random.default_rng(4)
    a = generator.integers(-3, 4, (3, 5)).astype(np.float32)
    b = generator.integers(-3, 4, (5, 65600)).astype(np.float32)
    np.testing.assert_array_equal(library.matmul(a, b), a @ b)
    want = np.ascontiguousarray(b) @ b.T
    np.testing.assert_array_equal(library.matmul(b, b, None, transpose_b=True), want)


def test_infinities_and_nan(library):
    a = np.array([[np.inf, 1], [np.nan, 1], [2, 1]], np.float32)
    b = np.array([[1, 2], [3, 4]], np.float32)
    want = [[np.inf, np.inf], [np.nan, np.nan], [5, 8]]
    np.testing.assert_array_equal(library.matmul(a, b), np.array(want, np.float32))


def test_torch_opcheck(torch_matmul):
    a, b, bias = torch.randn(2, 5, 7), torch.randn(7, 3), torch.randn(3)
    for tensor in (a, b, bias):
        tensor.requires_grad_()
    torch.library.opcheck(torch_matmul, (a, b, bias))
    torch.library.opcheck(torch_matmul, (a, b))


@pytest.mark.parametrize(
    ("shapes", "attributes", "reason"),
    [
        (
            ((3, 5), (4, 5)),
            {},
            "b has 4 rows and a 5 columns, which have to be as many: a is (3, 5) and b is (4, 5)",
        ),
        (
            ((5, 3), (5, 4)),
            {"transpose_b": True},
            "b has 4 rows and a 3 columns, which have to be as many: a is (5, 3) and b is (5, 4), "
            "transposed",
        ),
        (
            ((2, 3, 4), (3, 4, 5)),
            {},
            "dimension 0 of a's and b's batches cannot be broadcast, 2 to 3: a is (2, 3, 4) and b "
            "is (3, 4, 5)",
        ),
        (((), (3,)), {}, "a has no dimension; it needs at least one"),
        (((3,), ()), {}, "b has no dimension; it needs at least one"),
        (
            ((2, 3), (3, 4), (5,)),
            {},
            "bias is (5,); expected (4,), an element for each column of b: a is (2, 3) and b is "
            "(3, 4)",
        ),
    ],
)
def test_impossible_shapes(library, shapes, attributes, reason):
    inputs = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(bascule.InvalidArgument) as error:
        library.matmul(*inputs, **attributes)
    assert str(error.value).endswith(reason)


def test_a_bias_that_is_left_out_is_told_as_such(library):
    a, b = np.ones((2, 3), np.float32), np.ones((4, 5), np.float32)
    for inputs in ((a, b), (a, b, None)):
        with pytest.raises(bascule.InvalidArgument) as error:
            library.matmul(*inputs)
        assert "refuses a (2, 3), b (4, 5), bias left out: " in str(error.value)
    with pytest.raises(bascule.InvalidArgument) as error:
        library.matmul(a, b[:3].astype(np.float16))
    assert str(error.value).startswith(
        "matmul was called with a float32, b float16, bias left out. It supports: "
    )

# SPDX-License-Identifier: Apache-2.0
"""conv2d and its gradient: against the reference and torch, in all layouts, and refusals.

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


@pytest.fixture(scope="module")
def library(built):
    return bascule.load(built("operators/conv2d"))


@pytest.fixture(scope="module")
def torch_conv2d(built):
    return bascule.torch.load(built("operators/conv2d")).conv2d


def close(out, want, dtype, terms):
    """A sum of float32 is off by half a unit of each of its terms at most, and rounded once."""
    out = np.asarray(out)
    assert out.dtype == table.dtype(dtype) and out.shape == np.shape(want)
    far = np.abs(out.astype(np.float64) - want)
    allowed = table.ROUNDING[dtype] * np.abs(want) * 1.01 + 2.0**-24 * terms * np.abs(want) + 1e-7
    assert (far <= allowed).all()


def test_cases_of_the_project(library):
    reference = table.reference_module("conv2d")
    generator = np.random.default_rng(1)
    for name in ("conv2d", "conv2d_grad"):
        function = getattr(reference, f"{name}_reference")
        for case in getattr(reference, f"{name}_cases")():
            for dtype in DTYPES:
                inputs = [
                    None if s is None else generator.uniform(0.1, 1, s).astype(table.dtype(dtype))
                    for s in case["shapes"]
                ]
                wide = [None if x is None else x.astype(np.float64) for x in inputs]
                want = function(*wide, **case["attributes"])
                got = library.find(name)(*inputs, **case["attributes"])
                pairs = zip(got, want) if isinstance(want, tuple) else [(got, want)]
                for out, expected in pairs:
                    close(out, expected, dtype, inputs[0].size + inputs[1].size)


@pytest.mark.parametrize("size", [1, 15, 17, 31, 33, 61])
def test_odd_sizes(torch_conv2d, size):
    generator = torch.Generator().manual_seed(size)
    for channels, filters, kernel, stride, padding in (
        (3, 5, (3, 3), (1, 1), (1, 1)),
        (size, 2, (1, 1), (1, 1), (0, 0)),
        (2, size, (1, 3), (2, 2), (1, 1)),
        (17, 15, (2, 2), (1, 3), (1, 0)),
    ):
        x = torch.randn(2, channels, size, size + 2, generator=generator)
        weight = torch.randn(filters, channels, *kernel, generator=generator)
        bias = torch.randn(filters, generator=generator)
        for tensor in (x, weight, bias):
            tensor.requires_grad_()
        out = torch_conv2d(x, weight, bias, stride=stride, padding=padding)
        theirs = torch.nn.functional.conv2d(x, weight, bias, stride, padding)
        dout = torch.randn(theirs.shape, generator=generator)
        got = torch.autograd.grad(out, (x, weight, bias), dout)
        want = torch.autograd.grad(theirs, (x, weight, bias), dout)
        torch.testing.assert_close(out, theirs, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("shape", "weight", "attributes"),
    [
        # Images one after the other, as the columns of both do not fit the workspace.
        ((2, 64, 120, 121), (2, 64, 3, 3), {"padding": [1]}),
        # Lines that do not fit the vector unit's memory.
        ((1, 1, 3, 24001), (2, 1, 2, 3), {"padding": [1]}),
        ((2, 2, 3, 24001), (3, 2, 1, 5), {"padding": [0, 9], "stride": [1, 3]}),
        ((1, 1, 2, 9001), (1, 1, 1, 1), {"stride": [1, 63]}),
        # Many lines, in each phase.
        ((1, 2, 700, 70), (3, 2, 5, 4), {"padding": [7, 6], "stride": [3, 2], "dilation": [2, 3]}),
        ((1, 1, 301, 150), (1, 1, 2, 2), {"padding": [255, 40], "dilation": [200, 61]}),
        # More points than windows reach in one line.
        ((1, 2, 40, 41), (2, 2, 25, 26), {"padding": [3], "stride": [2]}),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_gradients_in_parts(torch_conv2d, shape, weight, attributes, dtype):
    generator = torch.Generator().manual_seed(7)
    inputs = [(torch.rand(s, generator=generator) + 0.1).to(dtype) for s in (shape, weight)]
    theirs = [tensor.double().requires_grad_() for tensor in inputs]
    mine = [tensor.requires_grad_() for tensor in inputs]
    out = torch_conv2d(*mine, None, **attributes)
    expected = torch.nn.functional.conv2d(*theirs, **attributes)
    dout = torch.rand(out.shape, generator=generator).to(dtype)
    got = torch.autograd.grad(out, mine, dout)
    want = torch.autograd.grad(expected, theirs, dout.double())
    rtol = 1e-4 if dtype == torch.float32 else 2.0**-11 * 1.01
    for ours, exact in zip(got, want):
        torch.testing.assert_close(ours.double(), exact, rtol=rtol, atol=1e-4)


def test_gradients_against_differences(torch_conv2d):
    generator = torch.Generator().manual_seed(3)
    x = torch.rand(2, 2, 5, 4, generator=generator)
    weight = torch.rand(3, 2, 3, 2, generator=generator)
    reference = table.reference_module("conv2d").conv2d_reference
    given = {"stride": [2, 1], "padding": [1, 0], "dilation": [1, 2], "groups": 1}
    assert bascule.gradcheck(
        lambda a, b: torch_conv2d(a, b, None, **given),
        x,
        weight,
        reference=lambda a, b: reference(a, b, None, **given),
    ).ok


@pytest.mark.parametrize(
    ("image", "filters", "kernel", "stride", "padding", "dilation", "groups"),
    [
        # Lines that begin at strips of L0C, and lines whose pitch is taken away.
        ((2, 3, 9, 16), 5, (3, 3), (1, 1), (0, 0), (1, 1), 1),
        ((2, 3, 9, 18), 5, (3, 3), (1, 1), (0, 0), (1, 1), 1),
        ((2, 64, 7, 7), 33, (3, 3), (1, 1), (1, 1), (1, 1), 1),
        ((1, 3, 21, 32), 5, (1, 3), (1, 1), (1, 1), (1, 1), 1),
        # Phases of strides: each used or not, with odd rests, in step with dilations or not.
        ((1, 3, 17, 19), 4, (5, 5), (3, 3), (2, 2), (1, 1), 1),
        ((2, 4, 13, 11), 6, (3, 4), (2, 3), (1, 2), (2, 3), 2),
        ((1, 2, 23, 22), 3, (3, 3), (4, 6), (3, 5), (2, 4), 1),
        ((1, 2, 9, 300), 3, (1, 5), (7, 63), (0, 200), (1, 3), 1),
        ((2, 5, 8, 9), 7, (1, 1), (2, 3), (0, 0), (1, 1), 1),
        ((1, 3, 40, 6), 2, (5, 1), (2, 1), (4, 0), (3, 1), 1),
        # Zeros that come with lines: of several planes at once, of phases, not behind the last
        # line, and too many of them.
        ((9, 7, 10, 11), 5, (3, 3), (1, 1), (1, 2), (1, 1), 1),
        ((3, 5, 11, 13), 4, (3, 3), (2, 1), (1, 1), (1, 1), 1),
        ((3, 4, 10, 11), 5, (3, 3), (1, 1), (0, 1), (1, 1), 1),
        ((2, 3, 10, 11), 5, (3, 3), (1, 1), (1, 20), (1, 1), 1),
        # Windows that see zeros alone, or more of them than of the image.
        ((1, 1, 1, 1), 2, (3, 3), (1, 1), (9, 10), (1, 1), 1),
        ((1, 2, 3, 2), 2, (5, 6), (1, 1), (2, 3), (1, 1), 1),
        ((1, 2, 3, 3), 2, (1, 1), (1, 1), (3, 40), (1, 1), 1),
        # More than a tile, a buffer of a vector core, and a copy's distance of rows.
        ((1, 9, 70, 130), 70, (3, 3), (1, 1), (1, 1), (1, 1), 1),
        ((1, 1, 3, 70001), 1, (3, 3), (1, 1), (1, 1), (1, 1), 1),
        ((1, 1, 3, 70001), 2, (3, 1), (1, 1), (0, 0), (1, 1), 1),
        ((1, 3, 2, 70001), 2, (1, 1), (1, 1), (1, 0), (1, 1), 1),
        ((1, 1, 3, 40003), 2, (1, 2), (2, 2), (0, 1), (1, 1), 1),
        ((1, 100, 3, 3), 1, (3, 3), (1, 1), (1, 1), (1, 1), 100),
        ((1, 1, 60, 60), 2, (33, 31), (2, 1), (16, 15), (1, 1), 1),
    ],
)
def test_windows_over_planes(library, image, filters, kernel, stride, padding, dilation, groups):
    generator = torch.Generator().manual_seed(5)
    filters *= groups
    x = torch.rand(image, generator=generator) - 0.5
    weight = torch.rand(filters, image[1] // groups, *kernel, generator=generator) - 0.5
    bias = torch.rand(filters, generator=generator)
    for dtype in DTYPES:
        inputs = [t.numpy().astype(table.dtype(dtype)) for t in (x, weight, bias)]
        wide = [torch.from_numpy(t.astype(np.float64)) for t in inputs]
        want = torch.nn.functional.conv2d(*wide, stride, padding, dilation, groups)
        got = library.conv2d(
            *inputs,
            stride=list(stride),
            padding=list(padding),
            dilation=list(dilation),
            groups=groups,
        )
        sums = torch.nn.functional.conv2d(
            *(t.abs() for t in wide), stride, padding, dilation, groups
        )
        allowed = table.ROUNDING[dtype] * np.abs(want.numpy()) * 1.01 + 2.0**-20 * sums.numpy()
        far = np.abs(np.asarray(got).astype(np.float64) - want.numpy())
        assert got.shape == tuple(want.shape) and (far <= allowed).all()


def test_layouts(library):
    generator = np.random.default_rng(2)
    x = generator.uniform(-1, 1, (2, 5, 7, 9)).astype(np.float32)
    weight = generator.uniform(-1, 1, (3, 5, 3, 3)).astype(np.float32)
    plain = library.conv2d(x, weight, None, padding=[1])
    for layout in (
        lambda t: t.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2),
        lambda t: np.repeat(t, 2, axis=3)[..., ::2],
        lambda t: t[::-1].copy()[::-1],
    ):
        np.testing.assert_array_equal(
            library.conv2d(layout(x), layout(weight), None, padding=[1]), plain
        )


def test_torch_opcheck(torch_conv2d):
    x, weight, bias = torch.randn(2, 4, 5, 6), torch.randn(6, 2, 3, 3), torch.randn(6)
    for tensor in (x, weight, bias):
        tensor.requires_grad_()
    torch.library.opcheck(torch_conv2d, (x, weight, bias, [2, 1], [1, 0], [1, 1], 2))


X, WEIGHT = (2, 4, 5, 6), (6, 4, 3, 3)


@pytest.mark.parametrize(
    ("shapes", "attributes", "reason"),
    [
        (((4, 5, 6), WEIGHT), {}, "x is (4, 5, 6); it has four dimensions, NCHW"),
        ((X, (6, 4, 3)), {}, "weight is (6, 4, 3); it has four dimensions: filters, channels of a"),
        ((X, (6, 3, 3, 3)), {}, "x has 4 channels and weight takes 3 for each of 1 groups"),
        ((X, (5, 2, 3, 3)), {"groups": 2}, "weight has 5 filters, which groups does not divide"),
        ((X, (0, 4, 3, 3)), {}, "weight has no filter"),
        (((2, 4, 0, 6), WEIGHT), {"padding": [3]}, "x has no height or no width"),
        ((X, WEIGHT, (4,)), {}, "bias is (4,); expected (6,), an element for each filter"),
        ((X, (6, 4, 7, 3)), {}, "weight's height is 7 with dilation, which is more than x's, 5"),
        ((X, WEIGHT), {"dilation": [1, 3]}, "weight's width is 7 with dilation, which is more"),
        ((X, WEIGHT), {"stride": [0]}, "stride is 0; it is 1 to 63"),
        ((X, WEIGHT), {"stride": [1, 1, 1]}, "stride has 3 numbers; it has one for both"),
        ((X, WEIGHT), {"padding": [-1, 0]}, "padding is -1; it is 0 to 255"),
        ((X, WEIGHT), {"groups": 0}, "groups is 0; it is at least 1"),
    ],
)
def test_impossible_shapes(library, shapes, attributes, reason):
    inputs = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(bascule.InvalidArgument) as error:
        library.conv2d(*inputs, **attributes)
    assert reason in str(error.value)

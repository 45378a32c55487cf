# SPDX-License-Identifier: Apache-2.0
"""bascule.gradcheck on NumPy arrays: what is right passes, every wrong gradient is caught."""

import numpy as np
import pytest

import bascule
from bascule import xp
from bascule.gradient import Gradient

X = np.random.default_rng(1).uniform(-4, 4, (4, 3)).astype(np.float32)
Y = np.random.default_rng(2).uniform(-4, 4, (4, 3)).astype(np.float32)
ROW = Y[0].copy()


class Product:
    """out = 2.5 * x * y, y broadcast where it has fewer dimensions; `bprop` is its gradient."""

    name = "product"
    inputs = ("x", "y")
    outputs = ("out",)

    def __init__(self, bprop):
        self.gradient = Gradient.of_function(bprop, self.name, self.inputs, self.outputs)

    def __call__(self, x, y):
        return np.asarray(x * y * x.dtype.type(2.5))


def reference(x, y):
    return 2.5 * x * y


def right(x, y, out, dout):
    dout = dout * 2.5
    return xp.sum_to(dout * y, x.shape), xp.sum_to(dout * x, y.shape)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("y", [Y, ROW], ids=["one shape", "broadcast"])
def test_right_gradients_pass(dtype, y):
    report = bascule.gradcheck(
        Product(right), X.astype(dtype), y.astype(dtype), reference=reference
    )
    assert report.ok
    assert report.gradient["count"] == X.size + y.size
    assert report.forward["verdict"] == "ok"
    assert str(report).startswith("gradient of product: ok, ")


# What is wrong, the second input, and the guess.
GALLERY = {
    "sign": (lambda x, y, out, dout: (-dout * y * 2.5, dout * x * 2.5), Y, "the sign"),
    "factor": (
        lambda x, y, out, dout: (dout * y, dout * x),
        Y,
        "a factor: it is 0.4 times what it should be",
    ),
    "factor x": (lambda x, y, out, dout: (dout * y * 2.5, dout * 2.5), Y, "missing factor: x"),
    "dout": (
        lambda x, y, out, dout: (y * 2.5, dout * x * 2.5),
        Y,
        "missing factor: the gradient of the output (dout) is not multiplied in",
    ),
    "swapped": (
        lambda x, y, out, dout: (dout * x * 2.5, dout * y * 2.5),
        Y,
        "swapped inputs: this is the gradient of 'y'",
    ),
    "swapped, broadcast": (
        lambda x, y, out, dout: right(x, y, out, dout)[::-1],
        ROW,
        "swapped inputs: this is the gradient of 'y'",
    ),
    "sum": (
        lambda x, y, out, dout: (dout * y * 2.5, dout * x * 2.5),
        ROW,
        "missing sum over the broadcast dimension (0,); summed, it is right: xp.sum_to(…, y.shape)",
    ),
    "sum, one row": (
        lambda x, y, out, dout: (dout * y * 2.5, dout[0] * x[0] * 2.5),
        ROW,
        "missing sum: it is one of 4 terms, those over the broadcast dimensions have to be summed",
    ),
    "sum, a mean": (
        lambda x, y, out, dout: (dout * y * 2.5, xp.mean(dout * x * 2.5, 0)),
        ROW,
        "a factor: it is 1/4 of what it should be, a mean in place of a sum?",
    ),
    "shape": (
        lambda x, y, out, dout: (xp.reshape(dout * y * 2.5, (12,)), dout * x * 2.5),
        Y,
        "wrong shape: its elements are right, a reshape is missing: xp.reshape(…, x.shape)",
    ),
    "none": (
        lambda x, y, out, dout: (dout * y * 2.5, None),
        Y,
        "zeros are meant: xp.zeros_like(y)",
    ),
    "count": (lambda x, y, out, dout: (dout * y * 2.5,), Y, "wrong count"),
    "type": (
        lambda x, y, out, dout: (dout * y * 2.5, (dout * x * 2.5).astype(np.float64)),
        Y,
        "wrong type: xp.cast(…, y.dtype)",
    ),
    "zeros": (
        lambda x, y, out, dout: (xp.zeros_like(x), dout * x * 2.5),
        Y,
        "0 everywhere: nothing flows back, or it was stopped",
    ),
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("wrong", GALLERY)
def test_gallery(wrong, dtype):
    bprop, y, guess = GALLERY[wrong]
    report = bascule.gradcheck(
        Product(bprop),
        X.astype(dtype),
        y.astype(dtype),
        reference=reference,
        raise_exception=False,
    )
    assert report.verdict == "failed"
    assert report.gradient["guess"] == guess
    assert guess in str(report)


def test_failures_raise_with_the_place():
    with pytest.raises(bascule.CheckFailed) as caught:
        bascule.gradcheck(Product(GALLERY["sign"][0]), X, Y, reference=reference)
    text = str(caught.value)
    assert text.startswith("gradient of product: failed: dx[0, 0]: expected ")
    assert "; 12 of 24 wrong; perhaps: the sign" in text
    assert isinstance(caught.value, AssertionError)
    assert caught.value.report.gradient["first"]["input"] == "x"


def test_forward_comes_first():
    report = bascule.gradcheck(
        Product(right), X, Y, reference=lambda x, y: x * y, raise_exception=False
    )
    assert report.gradient is None
    assert str(report).startswith(
        "product: forward failed, so its gradient was not judged: out[0, 0]"
    )


def test_without_a_reference():
    assert bascule.gradcheck(Product(right), X, Y).ok
    assert not bascule.gradcheck(Product(GALLERY["sign"][0]), X, Y, raise_exception=False).ok
    half = X.astype(np.float16), Y.astype(np.float16)
    report = bascule.gradcheck(Product(right), *half, raise_exception=False)
    assert report.verdict == "not checkable"
    with pytest.raises(bascule.CheckFailed, match="not checkable: there is no reference, and"):
        bascule.gradcheck(Product(right), *half)


def test_operators_of_libraries(my_mul_path, products_path):
    my_mul = bascule.load(my_mul_path).my_mul
    assert bascule.gradcheck(my_mul, X, Y, reference=lambda x, y: x * y).ok
    wrong = bascule.Custom(str(my_mul_path), bprop=lambda x, y, out, dout: (dout * x, dout * y))
    with pytest.raises(bascule.CheckFailed, match="perhaps: swapped inputs"):
        bascule.gradcheck(wrong, X, Y)
    products = bascule.load(products_path).products

    def both(x, y, *, swap):
        return (x * x, x * y) if swap else (x * y, x * x)

    for swap in (False, True):
        assert bascule.gradcheck(products, X, Y, reference=both, swap=swap).ok


def test_what_cannot_be_checked_says_so():
    with pytest.raises(bascule.InvalidArgument, match="no inputs came"):
        bascule.gradcheck(Product(right))
    with pytest.raises(bascule.InvalidArgument, match="has no gradient to check"):
        bascule.gradcheck(np.sin, X)
    with pytest.raises(bascule.InvalidArgument, match="no input is floating"):
        bascule.gradcheck(Product(right), X.astype(np.int32), Y.astype(np.int32))
    with pytest.raises(bascule.InvalidArgument, match="raised ZeroDivisionError"):
        bascule.gradcheck(Product(right), X, Y, reference=lambda x, y: 1 / 0)
    with pytest.raises(bascule.InvalidArgument, match=r"gives shape \(3,\) for output 0"):
        bascule.gradcheck(Product(right), X, Y, reference=lambda x, y: x[0])


def test_the_fixture(bascule_gradcheck):
    assert bascule_gradcheck is bascule.gradcheck

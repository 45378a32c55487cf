# SPDX-License-Identifier: Apache-2.0
"""An operator with two lists, an optional input and a saved output: checked, and in frameworks."""

import numpy as np
import pytest

import bascule
from bascule.check import Options, check_operator


@pytest.fixture(scope="module")
def path(built):
    return built("tests/operators/dots")


def arrays(terms=3, shape=(4, 3)):
    generator = np.random.default_rng(3)
    one = lambda: generator.uniform(-4, 4, shape).astype(np.float32)  # noqa: E731
    return [one() for _ in range(terms)], [one() for _ in range(terms)], one()


def reference(x, y, bias):
    return sum(a * b for a, b in zip(x, y)) + (0 if bias is None else bias)


def test_check(path):
    report = check_operator(bascule.load(path).dots, Options(frameworks=["numpy"]))
    assert report.ok, report
    lines = {line.direction: line for line in report.lines}
    assert lines["forward"].cases > 40 and lines["gradient"].cases > 40
    # Also of several lists, which go to the runtime with their lengths.
    assert (lines["same bits"].cases, lines["same bits"].failed) == (1, 0)


@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("terms", [1, 3])
def test_gradcheck(path, terms, with_bias):
    x, y, bias = arrays(terms)
    inputs = (x, y, bias) if with_bias else (x, y)
    report = bascule.gradcheck(bascule.load(path).dots, *inputs)
    assert report.ok
    assert report.gradient["count"] == (2 * terms + with_bias) * x[0].size
    assert report.forward["verdict"] == "ok"


# What is wrong, and how that is told.
GALLERY = {
    "sign": (lambda x, y, dout: ([-dout * b for b in y], [dout * a for a in x]), "the sign"),
    "swapped": (
        lambda x, y, dout: ([dout * a for a in x], [dout * b for b in y]),
        "swapped inputs: this is the gradient of 'y[0]'",
    ),
    "one for another": (
        lambda x, y, dout: ([dout * b for b in y[::-1]], [dout * a for a in x]),
        "swapped inputs: this is the gradient of 'x[2]'",
    ),
    "factor": (
        lambda x, y, dout: ([2 * dout * b for b in y], [dout * a for a in x]),
        "a factor: it is 2 times what it should be",
    ),
    "dout": (
        lambda x, y, dout: (list(y), [dout * a for a in x]),
        "missing factor: the gradient of the output (dout) is not multiplied in",
    ),
    "count": (
        lambda x, y, dout: ([dout * b for b in y[1:]], [dout * a for a in x]),
        "the gradient function returned 6 gradients for 7 inputs",
    ),
    "none": (
        lambda x, y, dout: ([dout * y[0], None, dout * y[2]], [dout * a for a in x]),
        "the gradient of input 'x[1]' is None",
    ),
    "bias": (
        lambda x, y, dout: ([dout * b for b in y], [dout * a for a in x], 2 * dout),
        "a factor: it is 2 times what it should be",
    ),
}


@pytest.mark.parametrize("wrong", GALLERY)
def test_wrong_gradients(path, wrong):
    returned, told = GALLERY[wrong]

    def bprop(x, y, bias, out, first, dout):
        return (*returned(x, y, dout), dout)[:3]

    def right(x, y, bias, out, first, dout):
        return [dout * b for b in y], [dout * a for a in x], dout

    x, y, bias = arrays()
    assert bascule.gradcheck(bascule.Custom(str(path), bprop=right), x, y, bias).ok
    with pytest.raises(bascule.CheckFailed) as error:
        bascule.gradcheck(bascule.Custom(str(path), bprop=bprop), x, y, bias)
    assert told in str(error.value)


def test_torch(path):
    torch = pytest.importorskip("torch")
    import bascule.torch

    dots = bascule.torch.load(path).dots

    def tensors(values):
        return [torch.tensor(v, requires_grad=True) for v in values]

    x, y, bias = arrays()
    for given in (bias, None):
        xs, ys = tensors(x), tensors(y)
        b = None if given is None else torch.tensor(given, requires_grad=True)
        out = dots(xs, ys, b)
        np.testing.assert_allclose(out.detach().numpy(), reference(x, y, given), rtol=1e-5)
        dout = torch.arange(out.numel(), dtype=torch.float32).reshape(out.shape)
        out.backward(dout)
        for a, c in zip(xs, ys):
            torch.testing.assert_close(a.grad, dout * c.detach())
            torch.testing.assert_close(c.grad, dout * a.detach())
        assert b is None or torch.equal(b.grad, dout)
    results = torch.library.opcheck(dots, (tensors(x), tensors(y), torch.tensor(bias)))
    assert set(results.values()) == {"SUCCESS"}
    report = check_operator(bascule.load(path).dots, Options(frameworks=["torch"]))
    assert report.ok, report
    assert all(report.totals()[way]["gradient"] > 40 for way in ("torch", "torch.compile"))

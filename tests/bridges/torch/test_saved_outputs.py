# SPDX-License-Identifier: Apache-2.0
"""Outputs that only the gradient gets, and outputs made again for it."""

import pytest
import torch

import bascule
import bascule.torch
from bascule import GradientError, InvalidArgument


@pytest.fixture(scope="module")
def ops(saving_path):
    return bascule.torch.load(saving_path)


def inputs():
    torch.manual_seed(0)
    x, y = torch.rand(7) + 1, torch.randn(7)
    return x.requires_grad_(), y.requires_grad_()


def held(op, x, y):
    """Bytes that the graph of a call keeps, beyond the inputs."""
    kept = {}

    def pack(tensor):
        kept[tensor.data_ptr()] = tensor.nbytes
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        out = op(x, y)
    return sum(kept.values()), out


def test_callers_do_not_see_them(ops):
    x, y = inputs()
    out = ops.products(x, y)
    assert isinstance(out, torch.Tensor) and torch.equal(out, x * y)
    with torch.no_grad():
        assert torch.equal(ops.products(x, y), x * y)
    out.sum().backward()
    torch.testing.assert_close(x.grad, y.detach())
    torch.testing.assert_close(y.grad, x.detach())
    dx, dy = torch.autograd.grad(ops.products(x, y, swap=True).sum(), (x, y))
    torch.testing.assert_close(dx, 2 * x.detach())
    assert not dy.any()


def test_opcheck(ops):
    assert set(torch.library.opcheck(ops.products, inputs()).values()) == {"SUCCESS"}
    full = torch.ops.saving.products_with_saved.default
    results = torch.library.opcheck(
        full, inputs(), test_utils=("test_schema", "test_faketensor", "test_autograd_registration")
    )
    assert set(results.values()) == {"SUCCESS"}


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled(ops, backend):
    torch._dynamo.reset()
    f = torch.compile(lambda x, y: ops.products(x, y) + 1, backend=backend, fullgraph=True)
    x, y = inputs()
    out = f(x, y)
    assert torch.equal(out, x * y + 1)
    dx, dy = torch.autograd.grad(out.sum(), (x, y))
    torch.testing.assert_close(dx, y.detach())
    torch.testing.assert_close(dy, x.detach())
    with torch.no_grad():
        assert torch.equal(f(x, y), x * y + 1)


def test_exported(ops):
    class Net(torch.nn.Module):
        def forward(self, x, y):
            return ops.products(x, y) + 1

    x, y = (v.detach() for v in inputs())
    program = torch.export.export(Net(), (x, y))
    assert torch.equal(program.module()(x, y), x * y + 1)


def test_transforms(ops):
    x, y = (v.detach() for v in inputs())

    def f(a, b):
        return ops.products(a, b).sum()

    torch.testing.assert_close(torch.func.grad(f, (0, 1))(x, y), (y, x))
    batched = torch.func.vmap(torch.func.grad(f))(x.expand(3, 7), y.expand(3, 7))
    torch.testing.assert_close(batched, y.expand(3, 7))
    assert torch.equal(torch.func.vmap(ops.products)(x.expand(3, 7), y.expand(3, 7))[2], x * y)


def test_second_order_is_an_error(ops):
    x, y = inputs()
    _, dy = torch.autograd.grad(ops.products(x, y).sum(), (x, y), create_graph=True)
    with pytest.raises(GradientError) as error:
        dy.sum().backward()
    assert str(error.value) == (
        "products: its gradient reads the saved output 'square', which has no gradient itself, so "
        "a second derivative is not to be had."
    )
    with pytest.raises(GradientError, match="saved output 'square'"):
        torch.func.grad(
            lambda a: torch.func.grad(lambda b: ops.products(a, b).sum())(y.detach()).sum()
        )(x.detach())


def test_custom(saving_path):
    x, y = inputs()
    own = bascule.Custom(f"{saving_path}:products")
    own(x, y).sum().backward()
    torch.testing.assert_close(y.grad, x.detach())

    def without(x, y, product, dproduct, *, tile, swap):
        return dproduct * y * 2, dproduct * x

    def with_saved(x, y, product, square, dproduct, *, tile, swap):
        return dproduct * square, dproduct * x

    for bprop, expected in ((without, 2 * y), (with_saved, x * x)):
        other = bascule.Custom(f"{saving_path}:products", bprop=bprop)
        (dx,) = torch.autograd.grad(other(x, y).sum(), x)
        torch.testing.assert_close(dx, expected.detach())
    with pytest.raises(GradientError, match=r"expected \(x, y, product, square, dproduct\)"):
        bascule.Custom(f"{saving_path}:products", bprop=lambda x, y: None)(x, y)


def test_bytes_kept(ops, saving_path):
    """x and y are the caller's; `square` is what the operator keeps beside them."""
    x, y = inputs()
    kept, out = held(ops.products, x, y)
    assert kept == 3 * x.nbytes  # x, y, square
    again = bascule.torch.load(saving_path, namespace="again", recompute=True)
    kept, out = held(again.products, x, y)
    assert kept == 2 * x.nbytes  # x, y
    dx, dy = torch.autograd.grad(out.sum(), (x, y))
    torch.testing.assert_close(dx, y.detach())
    torch.testing.assert_close(dy, x.detach())
    custom = bascule.Custom(f"{saving_path}:products", recompute=True)
    kept, out = held(custom, x, y)
    assert kept == 2 * x.nbytes


def test_recomputing_is_chosen_by_operator(saving_path):
    x, y = inputs()
    ops = bascule.torch.load(saving_path, namespace="chosen", recompute={"products": True})
    before = ops.products, ops._library.products.native.statistics()["calls"]
    ops.products(x, y).sum().backward()
    assert ops._library.products.native.statistics()["calls"] == before[1] + 2
    with pytest.raises(InvalidArgument, match="recompute"):
        bascule.torch.load(saving_path, namespace="chosen")
    with pytest.raises(bascule.OperatorNotFound, match="has no operator 'prod'"):
        bascule.torch.load(saving_path, namespace="other", recompute={"prod": True})
    assert bascule.torch.load(saving_path, namespace="chosen", recompute=True).products is before[0]


@pytest.mark.parametrize("how", ["compile", "func", "second order"])
def test_recomputed(saving_path, how):
    ops = bascule.torch.load(saving_path, namespace="again", recompute=True)
    x, y = inputs()
    if how == "compile":
        torch._dynamo.reset()
        f = torch.compile(ops.products, backend="aot_eager", fullgraph=True)
        dy = torch.autograd.grad(f(x, y).sum(), y)[0]
    elif how == "func":
        dy = torch.func.grad(lambda b: ops.products(x.detach(), b).sum())(y.detach())
    else:
        _, dy = torch.autograd.grad(ops.products(x, y).sum(), (x, y), create_graph=True)
        with pytest.raises(GradientError, match="saved output 'square'"):
            dy.sum().backward()
    torch.testing.assert_close(dy.detach(), x.detach())

# SPDX-License-Identifier: Apache-2.0
"""Lone kernels on torch tensors, with the gradient given to Custom."""

import pytest

import bascule

torch = pytest.importorskip("torch")


def bprop(x, y, out, dout):
    return dout * y, dout * x


def custom(path, kernel, **options):
    return bascule.Custom(f"{path}:{kernel}", lambda x, y: x.shape, lambda x, y: x.dtype, **options)


@pytest.mark.parametrize(
    ("kernel", "dtype"), [("mul_half", torch.float16), ("mul_float", torch.float32)]
)
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 513, 100003])
def test_forward_and_backward(lone_path, kernel, dtype, n):
    op = custom(lone_path, kernel, bprop=bprop)
    x = torch.rand(n).to(dtype).requires_grad_()
    y = torch.rand(n).to(dtype).requires_grad_()
    out = op(x, y)
    assert out.dtype == dtype
    assert torch.equal(out, x * y)
    out.sum().backward()
    assert torch.equal(x.grad, y)
    assert torch.equal(y.grad, x)


@pytest.mark.parametrize("n", [1, 15, 16, 17])
def test_naive_bfloat16(lone_path, n):
    op = custom(lone_path, "naive_bfloat16")
    x, y = torch.rand(n).bfloat16(), torch.rand(n).bfloat16()
    assert torch.equal(op(x, y), x * y)


def test_not_contiguous(lone_path):
    op = custom(lone_path, "mul_float", bprop=bprop)
    x = torch.rand(7, 13).t().requires_grad_()
    y = torch.rand(13, 14)[:, ::2]
    assert torch.equal(op(x, y), x * y)


def test_compiled_and_transformed(lone_path):
    op = custom(lone_path, "mul_float", bprop=bprop)
    x, y = torch.rand(17), torch.rand(17)
    compiled = torch.compile(lambda x, y: op(x, y) + 1, fullgraph=True, backend="eager")
    assert torch.equal(compiled(x, y), x * y + 1)
    assert torch.equal(torch.func.grad(lambda x: op(x, y).sum())(x), y)
    assert torch.equal(torch.func.vmap(op)(x.reshape(17, 1), y.reshape(17, 1)).flatten(), x * y)


def test_left_out_and_wrong(lone_path):
    op = bascule.Custom(f"{lone_path}:add_one_or_bias", lambda x, b: x, lambda x, b: x)
    x = torch.rand(9)
    assert torch.equal(op(x, None), x + 1)
    with pytest.raises(bascule.GradientError, match="a lone kernel comes without one, unless"):
        op(x.requires_grad_(), None)
    with pytest.raises(bascule.KernelError, match="takes 'argument 1' for float16"):
        custom(lone_path, "mul_half")(x.detach(), x.detach())


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda x, y, out, dout: (dout.sum(), dout * x), r"input 'x' has shape \(\)"),
        (lambda x, y, out, dout: (dout * y, None), "input 'y' is None"),
        (lambda x, y, out, dout: (dout * y,), r"1 gradient for 2 inputs \(x, y\)"),
    ],
)
def test_wrong_gradients(lone_path, wrong, sentence):
    op = custom(lone_path, "mul_float", bprop=wrong)
    x = torch.ones(3, 5, requires_grad=True)
    y = torch.ones(3, 5, requires_grad=True)
    with pytest.raises(bascule.GradientError, match=f"^mul_float: .*{sentence}"):
        op(x, y).sum().backward()

# SPDX-License-Identifier: Apache-2.0
"""torch.library.opcheck, torch.compile, torch.export, torch.func, forward mode."""

import pytest
import torch
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import make_fx

import bascule

FORWARD_MODE = (
    "my_mul has no rule for forward-mode differentiation (jvp, jacfwd, hessian). Use reverse mode: "
    "torch.func.vjp, jacrev, jacrev(jacrev(f))."
)


@pytest.fixture
def x():
    return torch.randn(3, 5, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def y():
    return torch.randn(3, 5, generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("grad", [False, True])
def test_opcheck(my_mul, dtype, grad):
    x, y = (torch.randn(3, 5).to(dtype).requires_grad_(grad) for _ in range(2))
    results = torch.library.opcheck(my_mul, (x, y))
    assert set(results.values()) == {"SUCCESS"}


def test_opcheck_with_attributes(products):
    x, y = (torch.randn(3, 5, requires_grad=True) for _ in range(2))
    for attributes in ({}, {"swap": True}, {"tile": 16, "swap": True}):
        results = torch.library.opcheck(products, (x, y), attributes)
        assert set(results.values()) == {"SUCCESS"}


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compile(my_mul, x, y, backend):
    torch._dynamo.reset()
    compiled = torch.compile(lambda a, b: my_mul(a, b) * 2 + a, backend=backend, fullgraph=True)
    a = x.clone().requires_grad_()
    out = compiled(a, y)
    torch.testing.assert_close(out, x * y * 2 + x)
    (grad,) = torch.autograd.grad(out.sum(), a)
    torch.testing.assert_close(grad, 2 * y + 1)


def test_compile_with_dynamic_shapes(my_mul):
    torch._dynamo.reset()
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(lambda a, b: my_mul(a, b) - a, backend=counter, dynamic=True)
    for length in (3, 4, 17, 1000):
        a, b = torch.randn(length, 5), torch.randn(length, 5)
        torch.testing.assert_close(compiled(a, b), a * b - a)
    assert counter.frame_count == 1


def test_compile_with_attributes(products, x, y):
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda a, b: products(a, b, swap=True), backend="aot_eager", fullgraph=True
    )
    square, product = compiled(x, y)
    torch.testing.assert_close(product, x * y)
    torch.testing.assert_close(square, x * x)


def test_compile_a_custom(my_mul_path, x, y):
    torch._dynamo.reset()
    op = bascule.Custom(
        f"{my_mul_path}:my_mul",
        out_shape=lambda x, y: x,
        out_dtype=lambda x, y: x,
        bprop=lambda x, y, out, dout: (dout * y, dout * x),
    )
    compiled = torch.compile(lambda a, b: op(a, b) * 2, backend="aot_eager", fullgraph=True)
    a = x.clone().requires_grad_()
    (grad,) = torch.autograd.grad(compiled(a, y).sum(), a)
    torch.testing.assert_close(grad, 2 * y)


def test_symbolic_shapes(my_mul, x, y):
    graph = make_fx(my_mul, tracing_mode="symbolic")(x, y).graph
    first, *_ = graph.find_nodes(op="placeholder")
    (call,) = graph.find_nodes(op="call_function", target=my_mul)
    shape = call.meta["val"].shape
    assert str(shape) == str(first.meta["val"].shape)
    assert all(isinstance(n, torch.SymInt) for n in shape)


def test_export(my_mul, x, y):
    class Net(torch.nn.Module):
        def forward(self, a, b):
            return my_mul(a, b) + 1

    rows = torch.export.Dim("rows")
    program = torch.export.export(Net(), (x, y), dynamic_shapes=({0: rows}, {0: rows}))
    for n in (3, 11):
        a, b = torch.randn(n, 5), torch.randn(n, 5)
        torch.testing.assert_close(program.module()(a, b), a * b + 1)


def test_meta(my_mul, x):
    out = my_mul(x.to("meta"), x.to("meta"))
    assert out.device.type == "meta"
    assert out.shape == x.shape


def test_grad(my_mul, x, y):
    grad = torch.func.grad(lambda a: my_mul(a, y).sum())
    assert torch.equal(grad(x), y)


def test_nested_grad(my_mul, x, y):
    def f(a):
        return my_mul(a, my_mul(a, y)).sum()

    second = torch.func.grad(lambda a: torch.func.grad(f)(a).sum())(x)
    torch.testing.assert_close(second, 2 * y)
    hessian = torch.func.jacrev(torch.func.jacrev(f))(x)
    torch.testing.assert_close(hessian.reshape(15, 15), torch.diag(2 * y.reshape(15)))


def test_grad_inside_autograd(my_mul, x, y):
    outer = y.clone().requires_grad_()
    inner = torch.func.grad(lambda a: my_mul(a, my_mul(a, outer)).sum())(x)
    (grad,) = torch.autograd.grad(inner.sum(), outer)
    torch.testing.assert_close(grad, 2 * x)


def test_jacrev(my_mul, x, y):
    jacobian = torch.func.jacrev(lambda a: my_mul(a, y))(x)
    torch.testing.assert_close(jacobian.reshape(15, 15), torch.diag(y.reshape(15)))


@pytest.mark.parametrize("dims", [(0, 0), (1, 1), (0, None), (None, 1)])
def test_vmap(my_mul, x, y, dims):
    batched = next(d for d in dims if d is not None)
    values = [v if d is not None else v.select(batched, 0) for v, d in zip((x, y), dims)]
    ours = torch.func.vmap(my_mul, dims)(*values)
    assert torch.equal(ours, torch.func.vmap(torch.mul, dims)(*values))


def test_vmap_of_nothing(my_mul):
    assert torch.func.vmap(my_mul)(torch.ones(0, 5), torch.ones(0, 5)).shape == (0, 5)


def test_vmap_of_two_outputs(products, x, y):
    product, square = torch.func.vmap(lambda a, b: products(a, b, tile=16))(x, y)
    assert torch.equal(product, x * y)
    assert torch.equal(square, x * x)


def test_vmap_and_grad(my_mul, x, y):
    per_row = torch.func.vmap(torch.func.grad(lambda a, b: my_mul(a, b).sum()))
    assert torch.equal(per_row(x, y), y)
    through = torch.func.grad(lambda a: torch.func.vmap(my_mul)(a, y).sum())
    assert torch.equal(through(x), y)


@pytest.mark.parametrize(
    "run",
    [
        lambda f, x: torch.func.jvp(f, (x,), (x,)),
        lambda f, x: torch.func.jacfwd(f)(x),
        lambda f, x: torch.func.hessian(lambda a: f(a).sum())(x),
        lambda f, x: _dual(f, x, False),
        lambda f, x: _dual(f, x, True),
    ],
    ids=["jvp", "jacfwd", "hessian", "dual", "dual with grad"],
)
def test_forward_mode_is_an_error(my_mul, x, y, run):
    with pytest.raises(bascule.Unsupported) as error:
        run(lambda a: my_mul(a, y), x)
    assert str(error.value) == FORWARD_MODE


def _dual(f, x, requires_grad):
    with forward_ad.dual_level():
        return f(forward_ad.make_dual(x.clone().requires_grad_(requires_grad), x))


def test_forward_mode_elsewhere_does_not_matter(my_mul, x, y):
    with forward_ad.dual_level():
        forward_ad.make_dual(x, x)
        assert torch.equal(my_mul(x, y), x * y)


def test_profiler_sees_the_operator(my_mul, x, y):
    with torch.profiler.profile() as profile:
        my_mul(x, y)
    assert "my_mul::my_mul" in {event.key for event in profile.key_averages()}

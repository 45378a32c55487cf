# SPDX-License-Identifier: Apache-2.0
"""An operator whose input is a list of tensors, as a torch operator."""

import types

import pytest
import torch

import bascule
import bascule.torch
from bascule.torch.register import schema_of

SHAPES = [(2, 3), (2, 1), (2, 5)]


@pytest.fixture(scope="module")
def concat(built):
    return bascule.torch.load(built("operators/concat")).concat


def tensors(dtype=torch.float32, shapes=SHAPES):
    generator = torch.Generator().manual_seed(5)
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


def test_schema(concat):
    assert str(concat._schema) == "concat::concat(Tensor[] x, int axis=0) -> Tensor"


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.bfloat16])
def test_opcheck(concat, dtype):
    results = torch.library.opcheck(concat, (tensors(dtype),), {"axis": 1})
    assert set(results.values()) == {"SUCCESS"}


@pytest.mark.parametrize("shapes", [SHAPES, [(2, 4)], [(2, 0), (2, 3)], [(2, 1)] * 100])
def test_values_and_gradients_are_those_of_torch(concat, shapes):
    ours, theirs = tensors(shapes=shapes), tensors(shapes=shapes)
    dout = torch.arange(float(2 * sum(s[1] for s in shapes))).reshape(2, -1)
    out = concat(ours, axis=1)
    same = torch.cat(theirs, 1)
    assert torch.equal(out, same)
    out.backward(dout)
    same.backward(dout)
    for a, b in zip(ours, theirs):
        assert torch.equal(a.grad, b.grad)


def test_some_members_need_a_gradient(concat):
    a, b, c = (t.detach() for t in tensors())
    b.requires_grad_()
    out = concat([a, b, c], axis=1)
    assert out.requires_grad
    (gradient,) = torch.autograd.grad(out.sum(), b)
    assert torch.equal(gradient, torch.ones(2, 1))
    assert not concat([a, c], axis=1).requires_grad
    with torch.no_grad():
        assert not concat([a, b], axis=1).requires_grad


def test_one_tensor_in_two_places(concat):
    (a,) = tensors(shapes=[(3,)])
    concat([a, a, a]).sum().backward()
    assert torch.equal(a.grad, torch.full((3,), 3.0))


def test_layouts(concat):
    x = torch.randn(4, 6)
    members = [x.T, x.T[:, :1].expand(6, 2), torch.randn(8, 6).T[:, ::2], -x.T]
    assert torch.equal(concat(members, axis=1), torch.cat(members, 1))
    negative = torch.randn(6, 4, dtype=torch.complex64).conj().imag
    assert negative.is_neg()
    assert torch.equal(concat([x.T, negative], axis=1), torch.cat([x.T, negative], 1))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled(concat, dynamic):
    torch._dynamo.reset()
    function = torch.compile(
        lambda *x: concat(list(x), axis=1) * 2,
        backend="aot_eager",
        fullgraph=True,
        dynamic=dynamic,
    )
    for widths in ([3, 4], [5, 4], [6, 9]):
        ours = tensors(shapes=[(2, w) for w in widths])
        theirs = tensors(shapes=[(2, w) for w in widths])
        out, same = function(*ours), torch.cat(theirs, 1) * 2
        assert torch.equal(out, same)
        out.square().sum().backward()
        same.square().sum().backward()
        for a, b in zip(ours, theirs):
            assert torch.equal(a.grad, b.grad)


def test_function_transforms(concat):
    x, y = torch.randn(4, 2), torch.randn(4, 3)
    batched = torch.func.vmap(lambda a, b: concat([a, b]))(x, y)
    assert torch.equal(batched, torch.cat([x, y], 1))
    # One of them is the same for all.
    batched = torch.func.vmap(lambda a, b: concat([a, b]), in_dims=(0, None))(x, y[0])
    assert torch.equal(batched, torch.cat([x, y[0].expand(4, 3)], 1))
    da, db = torch.func.grad(lambda a, b: concat([a, b]).square().sum(), argnums=(0, 1))(x[0], y[0])
    assert torch.equal(da, 2 * x[0]) and torch.equal(db, 2 * y[0])
    with pytest.raises(bascule.Unsupported):
        torch.func.jvp(lambda a: concat([a, a]), (x[0],), (x[0],))


def test_bound_calls(built):
    op = bascule.Custom(str(built("operators/concat")))
    members = tensors()
    before = op.stats().backward
    op(members, axis=1).sum().backward()
    assert all(torch.equal(t.grad, torch.ones_like(t)) for t in members)
    assert op.stats().backward == before + 1


def test_refusals(concat):
    with pytest.raises(bascule.InvalidArgument, match="the list 'x' is empty and no other input"):
        concat([])
    sparse = torch.eye(3).to_sparse()
    with pytest.raises(bascule.Unsupported, match=r"input 'x\[1\]' is a torch.sparse_coo tensor"):
        concat([torch.eye(3), sparse])
    with pytest.raises(
        bascule.InvalidArgument, match="x\\[0\\] is float32 and x\\[1\\] is float16"
    ):
        concat([torch.zeros(1), torch.zeros(1, dtype=torch.float16)])


def test_what_torch_cannot_say():
    operator = types.SimpleNamespace(
        name="op",
        schema={
            "inputs": [{"name": "x", "kind": "dynamic"}],
            "outputs": [{"name": "y", "kind": "dynamic"}],
        },
        outputs=("y",),
        attributes={},
    )
    with pytest.raises(bascule.Unsupported) as error:
        schema_of(operator, "op")
    assert str(error.value) == (
        "op: output 'y' is a list of tensors, and a call in torch does not say how many; with "
        "NumPy arrays, out= does."
    )
    operator.schema["outputs"][0]["kind"] = "required"
    operator.attributes = {"f": {"name": "f", "kind": "bool_list", "default": [True, False]}}
    text = schema_of(operator, "op")
    assert text == "op(Tensor[] x, bool[] f=[True, False]) -> Tensor"
    torch._C.parse_schema("test::" + text)
    operator.attributes = {"g": {"name": "g", "kind": "int_lists", "default": [[1], []]}}
    with pytest.raises(bascule.Unsupported) as error:
        schema_of(operator, "op")
    assert str(error.value) == (
        "op: attribute 'g' is a list of lists of integers, for which torch's schemas have no type."
    )

# SPDX-License-Identifier: Apache-2.0
"""Registration: namespaces, schemas, two libraries, what cannot be found."""

import shutil
import types

import pytest
import torch

import bascule
import bascule.torch
from bascule.torch.register import schema_of


def test_namespace_is_the_library(my_mul, my_mul_path):
    ops = bascule.torch.load(my_mul_path)
    assert ops.my_mul is torch.ops.my_mul.my_mul.default
    assert str(ops.my_mul._schema) == "my_mul::my_mul(Tensor x, Tensor y) -> Tensor"
    assert repr(ops) == f"<torch.ops.my_mul from {my_mul_path}>"


def test_schema_with_attributes(products):
    assert str(products._schema) == (
        "products::products(Tensor x, Tensor y, int tile=1024, bool swap=False) -> (Tensor, Tensor)"
    )


def test_schema_of_every_kind_of_attribute():
    attributes = [
        {"name": "a", "kind": "int", "default": 3},
        {"name": "b", "kind": "float"},
        {"name": "c", "kind": "float", "default": 0.5},
        {"name": "d", "kind": "string", "default": 'a "b"'},
        {"name": "e", "kind": "int_list", "default": [1, 2]},
        {"name": "f", "kind": "float_list", "default": [0.5]},
    ]
    inputs = [{"name": "x", "kind": "required"}, {"name": "y", "kind": "optional"}]
    operator = types.SimpleNamespace(
        name="op",
        schema={"inputs": inputs},
        outputs=("p", "q"),
        attributes={a["name"]: a for a in attributes},
    )
    text = schema_of(operator, "op")
    assert text == (
        "op(Tensor x, Tensor? y, int a, float b, float c=0.5, "
        'str d="a \\"b\\"", int[] e=[1, 2], float[] f=[0.5]) -> (Tensor, Tensor)'
    )
    torch._C.parse_schema("test::" + text)


def test_own_namespace(my_mul_path):
    ops = bascule.torch.load(my_mul_path, namespace="own_namespace")
    assert ops.my_mul is torch.ops.own_namespace.my_mul.default


def test_the_same_library_twice(my_mul, my_mul_path, tmp_path):
    assert bascule.torch.load(my_mul_path).my_mul is my_mul
    copy = tmp_path / my_mul_path.name
    shutil.copy(my_mul_path, copy)
    assert bascule.torch.load(copy).my_mul is my_mul


def test_another_library_in_the_same_place(my_mul_path, tmp_path):
    other = tmp_path / "libmy_mul.so"
    other.write_bytes(my_mul_path.read_bytes() + b"\0")  # another content, the same code

    bascule.torch.load(my_mul_path, namespace="same_place")
    with pytest.raises(bascule.InvalidArgument) as error:
        bascule.torch.load(other, namespace="same_place")
    assert str(error.value) == (
        f"torch.ops.same_place.my_mul is registered from {my_mul_path} already; {other} is another "
        "library, or another build of it. Pass another namespace=, or start a new process."
    )
    x = torch.ones(3)
    assert torch.equal(bascule.torch.load(other, namespace="other_place").my_mul(x, x), x)


@pytest.mark.parametrize("namespace", ["aten", "prim", "no-name", ""])
def test_impossible_namespaces(my_mul_path, namespace):
    with pytest.raises(bascule.InvalidArgument) as error:
        bascule.torch.load(my_mul_path, namespace=namespace)
    assert str(error.value) == (
        f"'{namespace}' cannot be the namespace of {my_mul_path} in torch.ops; pass another, "
        "namespace=."
    )


def test_unknown_operator(my_mul_path):
    ops = bascule.torch.load(my_mul_path)
    with pytest.raises(bascule.OperatorNotFound) as error:
        _ = ops.my_mull
    assert str(error.value) == (
        f"{my_mul_path} has no operator 'my_mull'. It has: my_mul. Was 'my_mul' meant?"
    )
    assert not hasattr(ops, "my_mull")


def test_unknown_library_lists_every_place(tmp_path, monkeypatch):
    monkeypatch.setenv("BASCULE_PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(bascule.LibraryNotFound) as error:
        bascule.torch.load("no_such_library")
    said = str(error.value)
    assert said.startswith("no operator library called 'no_such_library' was found. Looked for ")
    assert f"BASCULE_PATH: {tmp_path}: no library is there" in said
    assert "the working directory" not in said
    assert "the folder of the calling script" not in said
    assert isinstance(error.value, FileNotFoundError)


def test_a_bound_operator_goes_with_its_owner(my_mul_path):
    import gc

    op = bascule.Custom(f"{my_mul_path}:my_mul", bprop=lambda x, y, out, dout: (dout, dout))
    x = torch.ones(3, requires_grad=True)
    out = op(x, x)
    names = {n for n in dir(torch.ops.bascule_bound) if n.startswith("my_mul_")}
    assert names
    del op
    gc.collect()
    out.sum().backward()  # what was computed stays differentiable
    assert torch.equal(x.grad, torch.full((3,), 2.0))

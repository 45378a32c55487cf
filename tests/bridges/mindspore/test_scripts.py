# SPDX-License-Identifier: Apache-2.0
"""Whole scripts as users bring them, in a process of their own, beside libmy_mul.so."""

import pytest

HEAD = """
import os
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops
ms.set_context(mode=ms.GRAPH_MODE if os.environ["MODE"] == "GRAPH" else ms.PYNATIVE_MODE)
"""

# MindSpore's own class and nothing of ours: the library is all there is.
OWN = (
    HEAD
    + """
def gradient(x, y, out, dout):
    return dout * y, dout * x

class Product(nn.Cell):
    def __init__(self):
        super().__init__()
        self.run = ops.Custom("./libmy_mul.so:my_mul", out_shape=lambda x, y: x,
                              out_dtype=lambda x, y: x, func_type="aot", bprop=gradient)

    def construct(self, x, y):
        return self.run(x, y)

product = Product()
random = np.random.default_rng(5)
for dtype in (np.float32, np.float16):
    for shape in [(1,), (17,), (4096,), (100003,), (2, 3, 7)]:
        a, b = (random.standard_normal(shape).astype(dtype) for _ in range(2))
        assert (product(Tensor(a), Tensor(b)).asnumpy() == a * b).all(), (dtype, shape)
        da, db = ms.grad(product, (0, 1))(Tensor(a), Tensor(b))
        assert (da.asnumpy() == b).all() and (db.asnumpy() == a).all(), (dtype, shape)
import sys
assert not any(name.startswith("bascule") for name in sys.modules)
print("done")
"""
)

# A tutorial's script, its import changed.
TUTORIAL = (
    HEAD
    + """
from bascule.mindspore import Custom

def infer_shape(x, y):
    return x.shape

def infer_dtype(x, y):
    return x.dtype

def gradient(x, y, out, dout):
    dx = dout * y
    dy = dout * x
    return dx, dy

my_mul = Custom(func="my_mul", out_shape=infer_shape, out_dtype=infer_dtype, func_type="aot",
                bprop=gradient)
a = Tensor(np.array([[2, 3], [4, 5]]), ms.float16)
b = Tensor(np.array([[6, 7], [8, 9]]), ms.float16)
print(my_mul(a, b).asnumpy().tolist())
da, db = ms.grad(my_mul, grad_position=(0, 1))(a, b)
print(da.asnumpy().tolist(), db.asnumpy().tolist(), da.dtype)
"""
)

WRONG = (
    HEAD
    + """
from bascule.mindspore import Custom

def total(a, b, out, dout):
    return dout * b, dout.sum()

def absent(a, b, out, dout):
    return None, dout * a

def single(a, b, out, dout):
    return [dout * b]

a = Tensor(np.ones((2, 7)), ms.float32)
for gradient in (total, absent, single):
    op = Custom(func="my_mul", out_shape=lambda a, b: a, out_dtype=lambda a, b: a, bprop=gradient)
    try:
        ms.grad(op, grad_position=(0, 1))(a, a)
    except ValueError as error:
        print(str(error).splitlines()[0])
"""
)

# A process that imports torch too, in either order.
BOTH = (
    HEAD.replace("import mindspore as ms", "{imports}")
    + """
from bascule.mindspore import Custom
a = Tensor(np.ones(17, np.float32))
print(Custom("my_mul")(a, a).asnumpy().sum() + torch.ones(3).sum().item())
"""
)


def lines(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


@pytest.fixture(params=["GRAPH", "PYNATIVE"])
def script_mode(request):
    return request.param


def test_own_class(run_script, script_mode):
    assert lines(run_script(OWN, script_mode)) == ["done"]


def test_tutorial(run_script, script_mode, tmp_path):
    result = run_script(TUTORIAL, script_mode)
    assert lines(result) == [
        "[[12.0, 21.0], [32.0, 45.0]]",
        "[[6.0, 7.0], [8.0, 9.0]] [[2.0, 3.0], [4.0, 5.0]] Float16",
    ]
    told = f"bascule: my_mul is {tmp_path}/libmy_mul.so (the folder of the calling script)"
    assert told in result.stderr.splitlines()


def test_wrong_gradients(run_script, script_mode):
    assert lines(run_script(WRONG, script_mode)) == [
        "my_mul: the gradient of input 'y' has shape (); expected (2, 7), the shape of the input. "
        "Broadcasting is not summed back unasked.",
        "my_mul: the gradient of input 'x' is None; expected a tensor of shape (2, 7). Return "
        "zeros (xp.zeros_like(x)) where the output does not depend on it.",
        "my_mul: the gradient function returned 1 gradient for 2 inputs (x, y). Return one "
        "gradient per input, zeros where there is none.",
    ]


def test_search_can_be_turned_off(run_script):
    result = run_script(TUTORIAL, "PYNATIVE", BASCULE_NO_CWD="1")
    assert result.returncode == 1
    assert "the working directory: turned off by BASCULE_NO_CWD" in result.stderr


def test_search_path_comes_first(run_script, my_mul):
    folder = my_mul.rpartition("/")[0]
    result = run_script(TUTORIAL, "PYNATIVE", BASCULE_PATH=folder)
    assert lines(result)
    assert "bascule: my_mul is" not in result.stderr


@pytest.mark.parametrize(
    "imports",
    [
        "torch, mindspore as ms",
        pytest.param("mindspore as ms, torch", marks=pytest.mark.slow),
    ],
)
def test_torch_in_the_same_process(run_script, imports):
    pytest.importorskip("torch")
    script = BOTH.format(imports=f"import {imports}")
    assert lines(run_script(script, "PYNATIVE")) == ["20.0"]

# SPDX-License-Identifier: Apache-2.0
"""bascule.gradcheck and bascule.check in MindSpore, in both modes."""

import mindspore
import numpy as np
import pytest

import bascule
from bascule.check import Options, check_operator
from bascule.mindspore import Custom


@pytest.fixture
def tensors():
    generator = np.random.default_rng(1)
    return [mindspore.Tensor(generator.uniform(-4, 4, (4, 3)).astype(np.float32)) for _ in "xy"]


def test_gradcheck(mode, my_mul, tensors):
    def reference(x, y):
        return x * y

    assert bascule.gradcheck(Custom(my_mul), *tensors, reference=reference).ok
    assert bascule.gradcheck(Custom(my_mul), *tensors).ok

    def swapped(x, y, out, dout):
        return dout * x, dout * y

    wrong = Custom(my_mul, bprop=swapped)
    with pytest.raises(bascule.CheckFailed, match="perhaps: swapped inputs"):
        bascule.gradcheck(wrong, *tensors, reference=reference)
    half = [t.astype(mindspore.float16) for t in tensors]
    assert bascule.gradcheck(Custom(my_mul), *half, reference=reference).ok
    assert bascule.gradcheck(mindspore.ops.square, tensors[0], reference=np.square).ok


def test_both_modes(my_mul):
    operator = bascule.load(my_mul).my_mul
    report = check_operator(operator, Options(frameworks=["mindspore"], dtypes=["float32"]))
    assert report.ok, report
    assert {line.framework for line in report.lines if line.direction == "gradient"} == {
        "mindspore.pynative",
        "mindspore.graph",
    }


def test_lists(mode, built):
    generator = np.random.default_rng(1)
    members = [
        mindspore.Tensor(generator.uniform(-4, 4, (2, n)).astype(np.float32)) for n in (3, 1)
    ]
    concat = str(built("operators/concat"))

    def reference(x):
        return np.concatenate(x, 1)

    axis = {"axis": 1}
    report = bascule.gradcheck(Custom(concat, attributes=axis), members, reference=reference)
    assert report.ok and report.gradient["count"] == 8

    def turned(x, out, dout, *, axis):
        return [dout[:, 1:], dout[:, :1]]

    wrong = Custom(concat, attributes=axis, bprop=turned)
    with pytest.raises(bascule.CheckFailed):
        bascule.gradcheck(wrong, members, reference=reference)


def test_lists_in_every_case(built):
    operator = bascule.load(built("operators/concat")).concat
    report = check_operator(operator, Options(frameworks=["mindspore"], dtypes=["float32"]))
    assert report.ok, report
    totals = report.totals()
    assert totals["mindspore.pynative"] == {"forward": 72, "gradient": 60}
    assert totals["mindspore.graph"]["forward"] == 72
    assert totals["mindspore.graph"]["gradient"] >= 15


def test_saved_outputs_leave_nothing_behind(saving_path):
    operator = bascule.load(saving_path).products
    report = check_operator(operator, Options(frameworks=["mindspore"], dtypes=["float32"]))
    assert report.ok, report
    (memory,) = (line for line in report.lines if line.direction == "memory")
    assert (memory.framework, memory.cases, memory.failed) == ("mindspore.pynative", 1, 0)

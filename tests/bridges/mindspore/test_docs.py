# SPDX-License-Identifier: Apache-2.0
"""Every Python block of docs/mindspore.md, run in its order in one script, in both modes."""

import re
import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs/mindspore.md"

HEAD = """
import os
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
ms.set_context(mode=ms.GRAPH_MODE if os.environ["MODE"] == "GRAPH" else ms.PYNATIVE_MODE)
x, y = Tensor([1.0, 2.0], ms.float32), Tensor([3.0, 4.0], ms.float32)
"""
TAIL = """
assert (out.asnumpy() == [3, 8]).all() and (dx.asnumpy() == [3, 4]).all()
assert (ms.grad(Product())(x, y).asnumpy() == [3, 4]).all()
assert (ms.grad(my_mul, 1)(x, y).asnumpy() == [1, 2]).all()
assert loss.asnumpy() < 1e-3
assert (leaky_relu(Tensor([-2.0, 4.0], ms.float32)).asnumpy() == [-1, 4]).all()
assert (double(x).asnumpy() == [2, 4]).all() and (ms.grad(double)(x).asnumpy() == 2).all()
"""


@pytest.mark.parametrize("mode_name", ["GRAPH", "PYNATIVE"])
def test_page(run_script, mode_name, built, tmp_path):
    shutil.copy(built("operators/leaky_relu"), tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) >= 7
    result = run_script("\n".join([HEAD, *blocks, TAIL]), mode_name)
    assert result.returncode == 0, result.stderr

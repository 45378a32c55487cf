# SPDX-License-Identifier: Apache-2.0
"""How a tensor finds its bridge, and what is said where there is none."""

import subprocess
import sys
import types
from importlib.machinery import ModuleSpec

import numpy as np
import pytest

import bascule
from bascule import bridges


def tensor_of(module):
    return type("Tensor", (), {"__module__": module})()


def test_a_bridge_is_a_subpackage():
    assert bridges.is_bridge("torch")
    for name in ("lib", "include", "operator", "no_such_framework"):
        assert not bridges.is_bridge(name)
        with pytest.raises(AttributeError):
            getattr(bascule, name if name != "operator" else "no_such_module")


def test_framework_of():
    assert bridges.framework_of(tensor_of("torch.sparse")) == "torch"
    assert bridges.framework_of(type("Own", (type(tensor_of("torch")),), {})()) == "torch"
    for value in (np.ones(3), 1.0, None, tensor_of("operator")):
        assert bridges.framework_of(value) is None


def test_a_bridge_that_binds_nothing(my_mul_path, monkeypatch):
    empty = types.ModuleType("bascule.torch")
    empty.__spec__ = ModuleSpec("bascule.torch", None, origin="empty", is_package=True)
    monkeypatch.setitem(sys.modules, "bascule.torch", empty)
    with pytest.raises(bascule.Unsupported) as error:
        bascule.load(my_mul_path).my_mul(tensor_of("torch"))
    assert str(error.value) == (
        "my_mul: tensors of torch are taken by the functions of bascule.torch only."
    )


def test_without_the_framework():
    code = "import sys; sys.modules['torch'] = None; import bascule.torch"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stderr.splitlines()[-1] == (
        "ImportError: bascule.torch needs PyTorch 2.10 or later, which cannot be imported: import "
        "of torch halted; None in sys.modules. Install it with `pip install 'bascule[torch]'`."
    )

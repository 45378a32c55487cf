# SPDX-License-Identifier: Apache-2.0
"""What the MindSpore tests share: both modes, and libraries to call."""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

# A developer's environment must not decide what is found.
os.environ.pop("BASCULE_PATH", None)
os.environ.pop("BASCULE_NO_CWD", None)
os.environ.setdefault("GLOG_v", "4")  # MindSpore logs every refusal with a page of stack

if importlib.util.find_spec("mindspore") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MindSpore writes a file into the working directory whenever a graph is refused."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=["GRAPH", "PYNATIVE"])
def mode(request):
    """Sets each of MindSpore's modes in turn; the value is its name."""
    import mindspore

    mindspore.set_context(mode=getattr(mindspore, f"{request.param}_MODE"))
    return request.param


@pytest.fixture(scope="session")
def my_mul(my_mul_path):
    """libmy_mul.so as text: what users pass."""
    return str(my_mul_path)


@pytest.fixture
def run_script(tmp_path, my_mul):
    """run_script(text, mode): runs a user's script beside libmy_mul.so; its completed process."""
    shutil.copy(my_mul, tmp_path / "libmy_mul.so")

    def run(text, mode, **environment):
        script = tmp_path / "script.py"
        script.write_text(text)
        return subprocess.run(
            [sys.executable, str(script)],
            cwd=tmp_path,
            env={**os.environ, "MODE": mode, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run

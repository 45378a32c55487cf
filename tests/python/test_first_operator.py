# SPDX-License-Identifier: Apache-2.0
"""docs/first_operator.md, followed to the letter."""

import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs/first_operator.md"


def bascule(arguments, folder):
    command = [sys.executable, "-m", "bascule", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def machine_seconds():
    """What the commands took of the processors; on a busy machine the clock says nothing."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def blocks(language):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    return [text for name, text in fenced if name == language]


def replace(file, pattern, text):
    old = file.read_text("utf-8")
    assert len(re.findall(pattern, old, re.M | re.S)) == 1
    file.write_text(re.sub(pattern, lambda _: text, old, flags=re.M | re.S), "utf-8")


def test_the_page(tmp_path):
    pytest.importorskip("torch")
    began = machine_seconds()
    shown = re.findall(r"^ {4}bascule (.*)$", PAGE.read_text("utf-8"), re.M)
    assert [line.split()[0] for line in shown] == ["new", "build", "run", "check"]
    for line in shown:
        result = bascule(shlex.split(line), tmp_path)
        assert result.returncode == 0, (line, result.stdout, result.stderr)
    assert result.stdout.splitlines()[-1].startswith("ok (")
    assert "gradient   float16  torch.compile" in result.stdout
    assert machine_seconds() - began < 60

    (kernel,) = blocks("cpp")
    reference, gradient, call = blocks("python")
    (failure,) = blocks("")
    project = tmp_path / "my_op"
    replace(project / "op_kernel/my_op.cpp", r"^    AscendC::Mul\(out, x, y, count\);\n", kernel)
    replace(project / "reference.py", r"^def reference.*?\n(?=\n)", reference)
    check = ["check", "my_op", "--framework", "numpy"]
    result = bascule(check, tmp_path)
    assert result.returncode == 1
    assert re.findall(
        r"^  forward +float\d+ +numpy +\d+ +\d+ +\S+ +(\w+)", result.stdout, re.M
    ) == [
        "ok",
        "ok",
    ], result.stdout
    assert failure in result.stdout
    replace(project / "gradient.py", r"^def bprop.*\Z", gradient)
    result = bascule(check, tmp_path)
    assert result.returncode == 0, result.stdout

    program = subprocess.run(
        [sys.executable, "-c", call], cwd=tmp_path, capture_output=True, text=True
    )
    assert program.returncode == 0, program.stderr
    assert program.stdout.startswith("tensor([[")

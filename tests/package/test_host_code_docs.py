# SPDX-License-Identifier: Apache-2.0
"""The program of docs/host_code.md that calls a tiling function by hand, by the line it shows."""

import os
import re
import subprocess
from pathlib import Path

import bascule

TEXT = (Path(__file__).resolve().parents[2] / "docs/host_code.md").read_text("utf-8")


def test_tiling_by_hand(built, tmp_path):
    (program,) = re.findall(r"```cpp\n(.*?)```", TEXT, re.S)
    (line,) = re.findall(r"```\n(g\+\+.*)\n```", TEXT)
    (tmp_path / "test.cpp").write_text(program)
    library = built("operators/leaky_relu")
    line = line.replace("$(bascule prefix)", str(bascule.prefix()))
    line = line.replace("libleaky_relu.so", str(library)).replace(
        "g++", "g++ -Wall -Wextra -Werror"
    )
    environment = {k: v for k, v in os.environ.items() if k != "BASCULE_RUNTIME"}
    result = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, "48 blocks\n"), result.stderr

# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: operator libraries, built once per run by the command users have."""

import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

TREE = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Callable[[str], Path]:
    """built("operators/my_mul") is the path of that project's library."""
    folder = tmp_path_factory.mktemp("libraries")
    done: dict[str, Path] = {}

    def build(project: str) -> Path:
        if project not in done:
            output = folder / f"lib{Path(project).name}.so"
            command = [sys.executable, "-m", "bascule", "build", TREE / project, "-o", output]
            result = subprocess.run(command, capture_output=True, text=True)
            assert result.returncode == 0, result.stdout + result.stderr
            done[project] = output
        return done[project]

    return build


@pytest.fixture(scope="session")
def my_mul_path(built) -> Path:
    """libmy_mul.so: out = x * y, float16 and float32, one shape."""
    return built("operators/my_mul")


@pytest.fixture(scope="session")
def clip_path(built) -> Path:
    """libclip.so: tiling data by host classes, a branch for each of two tiling keys."""
    return built("tests/operators/clip")


@pytest.fixture(scope="session")
def products_path(built) -> Path:
    """libproducts.so: two outputs (x * y, x * x) and two attributes, float32."""
    return built("tests/operators/products")

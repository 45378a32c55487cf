# SPDX-License-Identifier: Apache-2.0
"""The programs in docs/c_api.md compile against the installed package, warn of nothing, and run."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import bascule

TREE = Path(__file__).resolve().parents[2]
TEXT = (TREE / "docs/c_api.md").read_text("utf-8")

PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(user C CXX)
find_package(bascule REQUIRED)
add_compile_options(-Wall -Wextra -Werror -pedantic-errors)
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_EXTENSIONS OFF)
foreach(language IN ITEMS c cpp)
  add_executable(user_${language} user.${language})
  target_link_libraries(user_${language} PRIVATE bascule::bascule)
endforeach()
"""


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def block(language):
    (found,) = [b for b in re.findall(rf"```{language}\n(.*?)```", TEXT, re.S) if "main(" in b]
    return found


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user")
    (folder / "CMakeLists.txt").write_text(PROJECT)
    for language in ("c", "cpp"):
        (folder / f"user.{language}").write_text(block(language))
    cmake = shutil.which("cmake")
    prefix = f"-DCMAKE_PREFIX_PATH={bascule.prefix()}"
    run(cmake, "-S", folder, "-B", folder / "b", prefix)
    run(cmake, "--build", folder / "b")
    return folder / "b"


def test_c(programs, my_mul_path):
    out = run(programs / "user_c", my_mul_path)
    assert re.fullmatch(r"7\n\d+ blocks, \d+ bytes of tiling data\n", out)


def test_cpp(programs, my_mul_path):
    out = run(programs / "user_cpp", my_mul_path)
    lines = out.splitlines()
    assert lines[:4] == ["my_mul", "7", "100, and 2 inputs were packed", "3 rows"]
    assert re.fullmatch(r"\d+ blocks", lines[4])
    assert lines[5].startswith("status 1: my_mul: its shape inference refuses x (3,), y (15,)")
    assert len(lines) == 6


def test_the_list_of_plans_is_json():
    (text,) = re.findall(r"```json\n(.*?)```", TEXT, re.S)
    assert [entry["operator"] for entry in json.loads(text)] == ["my_mul", "reduce_sum"]

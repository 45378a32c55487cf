# SPDX-License-Identifier: Apache-2.0
"""Plans from Python: looked at, made ahead, carried in files and in libraries."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bascule

TREE = Path(__file__).resolve().parents[2]


def infos(*shape, dtype="float32"):
    return [{"shape": list(shape), "dtype": dtype}] * 2


@pytest.fixture(scope="module")
def library(my_mul_path):
    return bascule.load(my_mul_path)


def test_a_plan_is_looked_at(library):
    op = library.my_mul
    before = op.stats()
    plan = op.plan(((123, 7), "float32"), ((123, 7), "float32"))
    assert plan["block_count"] >= 1
    assert len(plan["tiling_data"]) > 0
    x = np.ones((123, 7), np.float32)
    op(x, x)
    after = op.stats()
    assert after.tiling_runs == before.tiling_runs + 1
    assert after.plan_hits > before.plan_hits
    with pytest.raises(bascule.InvalidArgument, match="2 inputs expected"):
        op.plan(((3,), "float32"))


def test_plans_travel_in_a_file(library, tmp_path):
    assert library.plan([{"inputs": infos(9, n)} for n in range(20)]) == 20
    library.save_plans(tmp_path / "plans")
    count = library.load_plans(tmp_path / "plans")
    assert count >= 20
    code = (
        "import sys, bascule, numpy\n"
        "library = bascule.load(sys.argv[1])\n"
        "print(library.load_plans(sys.argv[2]))\n"
        "x = numpy.ones((9, 5), numpy.float32)\n"
        "library.my_mul(x, x)\n"
        "print(library.my_mul.stats().tiling_runs)\n"
    )
    command = [sys.executable, "-c", code, library.path, tmp_path / "plans"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout == f"{count}\n0\n", result.stderr
    (tmp_path / "plans").write_bytes((tmp_path / "plans").read_bytes()[:-9])
    with pytest.raises(bascule.InvalidArgument, match="are damaged"):
        library.load_plans(tmp_path / "plans")


def build(project, *options):
    command = [sys.executable, "-m", "bascule", "build", project, *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_library_carries_plans(tmp_path):
    project = tmp_path / "my_mul"
    shutil.copytree(TREE / "operators/my_mul", project, ignore=shutil.ignore_patterns("build_out"))
    listed = [{"inputs": infos(31, 3)}, {"inputs": infos(0, dtype="float16")}]
    (project / "plans.json").write_text(json.dumps(listed))
    result = build(project)
    assert result.returncode == 0, result.stdout + result.stderr
    library = bascule.load(project / "build_out/libmy_mul.so")
    assert library.my_mul.stats().plans_loaded == 2
    x = np.full((31, 3), 3, np.float32)
    np.testing.assert_array_equal(library.my_mul(x, x), x * x)
    assert library.my_mul.stats().tiling_runs == 0
    result = build(project)
    assert "unchanged" in result.stdout

    other = tmp_path / "other.json"
    other.write_text(json.dumps([{"inputs": infos(4, 4)}, {"inputs": infos(4)[:1]}]))
    result = build(project, "--plans", other)
    assert result.returncode == 1
    assert f"the plans of {other} cannot be made" in result.stderr
    assert "entry 2 of the list of plans" in result.stderr
    assert "my_mul takes 2 inputs (x, y), but 1 was passed." in result.stderr
    other.write_text(json.dumps([{"inputs": infos(4, 4)}]))
    assert build(project, "--plans", other).returncode == 0
    library = bascule.load(project / "build_out/libmy_mul.so")
    assert library.my_mul.stats().plans_loaded == 1
    result = build(project, "--plans", tmp_path / "nowhere.json")
    assert result.returncode == 1
    assert f"there is no file {tmp_path}/nowhere.json with shapes to plan" in result.stderr

# SPDX-License-Identifier: Apache-2.0
"""`bascule build`, `info` and `run`: what they print, and how they end."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TREE = Path(__file__).resolve().parents[2]


def bascule(*arguments, cwd=None):
    command = [sys.executable, "-m", "bascule", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("projects") / "my_mul"
    ignored = shutil.ignore_patterns("build_out")
    shutil.copytree(TREE / "operators/my_mul", folder, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def library(project):
    result = bascule("build", project)
    assert result.returncode == 0, result.stderr
    assert "op_kernel/my_mul.cpp for x float16, y float16, out float16" in result.stdout
    path = project / "build_out/libmy_mul.so"
    last = result.stdout.splitlines()[-1]
    assert last.startswith(f"{path}  (built, ")
    return path


def test_build_again_reuses(project, library):
    result = bascule("build", project)
    assert result.returncode == 0
    steps, last = result.stdout.splitlines()[:-1], result.stdout.splitlines()[-1]
    assert steps
    assert all(line.split()[0] == "reused" for line in steps)
    assert last.startswith(f"{library}  (unchanged, ")


def test_build_report(project, library):
    result = bascule("build", project, "--json")
    report = json.loads(result.stdout)
    assert report["output"] == str(library)
    assert report["operators"] == ["my_mul"]


def test_build_shows_the_compilers_words(project, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(project, broken, ignore=shutil.ignore_patterns("build_out"))
    kernel = broken / "op_kernel/my_mul.cpp"
    kernel.write_text(kernel.read_text(encoding="utf-8") + "\nthis is no C++\n", encoding="utf-8")
    result = bascule("build", broken)
    assert result.returncode == 1
    assert "bascule build: op_kernel/my_mul.cpp for x float16" in result.stderr
    assert "does not compile" in result.stderr
    assert "error:" in result.stderr
    assert "op_host/my_mul.cpp" in result.stdout  # what was compiled before
    assert json.loads(bascule("build", broken, "--json").stdout)["status"] == "failed"


def test_build_with_headers_and_macros_of_a_repository(tmp_path):
    (tmp_path / "common").mkdir()
    (tmp_path / "common/shared.h").write_text("#define SHARED 1\n")
    kernel = tmp_path / "nothing.cpp"
    kernel.write_text(
        '#include "kernel_operator.h"\n#include "shared.h"\n#if SHARED != 1 || OWN != 2\n'
        '#error no\n#endif\nextern "C" __global__ __aicore__ void nothing(GM_ADDR x) {}\n'
    )
    result = bascule("build", kernel, "-I", tmp_path / "common", "-D", "OWN=2")
    assert result.returncode == 0, result.stderr
    result = bascule("build", kernel)
    assert result.returncode == 1
    assert "shared.h: No such file" in result.stderr


def test_build_of_a_file_that_launches_its_kernel(tmp_path):
    """As tutorials' files do, in a function beside the kernel."""
    launch = (
        "#ifndef __CCE_KT_TEST__\n"
        "void %s_do(uint32_t blocks, void* l2ctrl, void* stream%s) {\n"
        "  %s<<<blocks, l2ctrl, stream>>>(%s);\n"
        "}\n"
        "#endif\n"
    )
    kernel = tmp_path / "nothing.cpp"
    kernel.write_text(
        '#include "kernel_operator.h"\n'
        'extern "C" __global__ __aicore__ void nothing(GM_ADDR x) {}\n'
        + launch
        % ("nothing", ", uint8_t* x", "nothing", "x")
    )
    result = bascule("build", kernel)
    assert result.returncode == 0, result.stderr

    folder = tmp_path / "clip"
    shutil.copytree(TREE / "tests/operators/clip", folder)
    source = folder / "op_kernel/clip.cpp"
    pointers = ("x", "out", "workspace", "tiling")
    source.write_text(
        source.read_text("utf-8")
        + launch
        % ("clip", "".join(f", uint8_t* {p}" for p in pointers), "clip", ", ".join(pointers)),
        "utf-8",
    )
    result = bascule("build", folder)
    assert result.returncode == 0, result.stderr
    result = bascule("run", f"{folder}:clip", "float32[40]")
    assert result.returncode == 0, result.stderr


def test_build_of_nothing(tmp_path):
    result = bascule("build", tmp_path / "nothing")
    assert result.returncode == 1
    assert result.stderr.startswith(f"bascule build: there is no project {tmp_path}/nothing")
    report = json.loads(bascule("build", tmp_path / "nothing", "--json").stdout)
    assert (report["status"], report["kind"]) == ("failed", "NotFound")
    assert report["error"].startswith(f"there is no project {tmp_path}/nothing")


def test_build_of_a_source_that_is_not_utf8(tmp_path):
    """As editors elsewhere write them; the compiler quotes the line."""
    kernel = tmp_path / "old.cpp"
    kernel.write_bytes('#include "kernel_operator.h"\nint x = \u4e58;  // \u4e58\n'.encode("gbk"))
    result = bascule("build", kernel, "--json")
    assert result.returncode == 1
    assert "old.cpp does not compile:" in json.loads(result.stdout)["error"]


def rows(text):
    """The words of each line."""
    return [line.split() for line in text.splitlines()]


def test_info(project, library):
    result = bascule("info", library)
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{library}, built by bascule ")
    assert lines[1].startswith("library interface 1, kernel interface 1, sources ")
    assert "my_mul (MyMul), 4 combinations of dtypes, cores AIV" in lines
    told = rows(result.stdout)
    for row in (
        "input x required float16, float32, bfloat16, int32 ND",
        "input y required float16, float32, bfloat16, int32 ND",
        "output out required float16, float32, bfloat16, int32 ND",
        "gradient my_mul_bprop gradient.py",
    ):
        assert row.split() in told
    assert (
        "        return xp.sum_to(dout * y, x.shape), xp.sum_to(dout * x, y.shape)" in lines
    )  # the file's text
    assert json.loads(bascule("info", library, "--json").stdout)["operators"][0]["type"] == "MyMul"
    assert bascule("info", project).stdout == result.stdout  # which builds it
    for more in ((), ("--json",)):
        result = bascule("info", f"{library}:my_add", *more)
        assert result.returncode == 1
        assert (
            result.stderr == f"bascule info: {library} has no operator 'my_add'. It has: my_mul.\n"
        )


def test_info_of_attributes(products_path):
    told = rows(bascule("info", products_path).stdout)
    assert ["attribute", "tile", "int", "1024"] in told
    assert ["attribute", "swap", "bool", "false"] in told


def test_info_of_several_operators(backward_path):
    result = bascule("info", backward_path)
    told = rows(result.stdout)
    assert ["gradient", "scaled_mul_grad", "operator"] in told
    assert ["gradient", "none", "a", "step", "has", "no", "slope"] in told
    assert result.stdout.count("combination of dtypes") == 3
    assert result.stdout.count("scaled_mul_bprop =") == 1
    one = bascule("info", f"{backward_path}:positive").stdout
    assert one.count("combination of dtypes") == 1
    # A name, too.
    named = subprocess.run(
        [sys.executable, "-m", "bascule", "info", "positive"],
        capture_output=True,
        text=True,
        env={**os.environ, "BASCULE_PATH": str(backward_path.parent)},
    )
    assert named.stdout == one


def test_build_says_what_changed(project, library):
    header = project / "op_kernel/my_mul_tiling.h"
    header.write_text(header.read_text(encoding="utf-8") + "\n// changed\n", encoding="utf-8")
    lines = bascule("build", project).stdout.splitlines()
    (kernel,) = [line for line in lines if "for x float16" in line]
    assert kernel.endswith("(op_kernel/my_mul_tiling.h changed)")
    lines = bascule("build", project).stdout.splitlines()
    assert all(line.split()[0] == "reused" for line in lines[:-1])
    lines = bascule("build", project, "--force").stdout.splitlines()
    assert all(line.endswith("(forced)") for line in lines[:-1])
    library.unlink()
    assert any(
        "(its result is gone)" in line for line in bascule("build", project).stdout.splitlines()
    )


def test_info_of_no_library(tmp_path):
    file = tmp_path / "libnone.so"
    file.write_text("nothing")
    result = bascule("info", file)
    assert result.returncode == 1
    assert result.stderr.startswith("bascule info: ")
    assert str(file) in result.stderr


def test_run_on_files(library, tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    result = bascule("run", f"{library}:my_mul", "x.npy", "x.npy", "-o", "out.npy", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0] == "out: float32 [2, 3]"
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), x * x)


def test_run_with_attributes(products_path):
    arguments = ("float32[4]", "float32[4]", "-a", "swap=true", "-a", "tile=8")
    swapped = bascule("run", products_path, *arguments).stdout.splitlines()
    plain = bascule("run", products_path, *arguments[:2]).stdout.splitlines()
    assert (swapped[1], swapped[3]) == (plain[3], plain[1])


def test_run_refused(library):
    result = bascule("run", library, "float32[3]")
    assert result.returncode == 1
    assert result.stderr == "bascule run: my_mul: 2 inputs expected (x, y), 1 came.\n"
    result = bascule("run", library, "float32[3]", "no-such.npy")
    assert result.returncode == 1
    assert "no-such.npy" in result.stderr


def test_usage():
    assert bascule().returncode == 2
    assert bascule("build").returncode == 2

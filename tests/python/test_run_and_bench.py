# SPDX-License-Identifier: Apache-2.0
"""`bascule run` and `bascule bench`, and the page about the command line."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TREE = Path(__file__).resolve().parents[2]
PAGE = TREE / "docs/command_line.md"
KERNEL = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR out) {
  AscendC::GlobalTensor<float> a, b;
  const uint32_t total = AscendC::GetTensorNum();
  a.SetGlobalBuffer((__gm__ float*)x, total);
  b.SetGlobalBuffer((__gm__ float*)out, total);
  if (AscendC::GetBlockIdx() == 0) {
    for (uint32_t i = 0; i < total; ++i) b.SetValue(i, 2.0f * a.GetValue(i));
  }
}
"""


def bascule(*arguments, cwd=None):
    command = [sys.executable, "-m", "bascule", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def report(*arguments, cwd=None):
    result = bascule(*arguments, "--json", cwd=cwd)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# --- run


def test_run_as_options(my_mul_path, tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    told = report(
        *("run", f"{my_mul_path}:my_mul", "--input", "x.npy", "--input", "x.npy"),
        *("--output", "out.npy", "--blocks", "1"),
        cwd=tmp_path,
    )
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), x * x)
    assert told["blocks"] == 1
    assert told["inputs"] == [{"dtype": "float32", "shape": [2, 3]}] * 2
    assert told["outputs"] == [
        {
            "name": "out",
            "dtype": "float32",
            "shape": [2, 3],
            "file": "out.npy",
            "values": (x * x).tolist(),
        }
    ]


def test_run_limits_blocks(my_mul_path):
    inputs = ("float32[1000000]", "float32[1000000]")
    assert report("run", my_mul_path, *inputs)["blocks"] == 48
    told = report("run", my_mul_path, *inputs, "--blocks", "5")
    assert told["blocks"] == 5
    assert told["outputs"][0]["values"] is None
    assert bascule("run", my_mul_path, *inputs, "--blocks", "0").returncode == 1
    refused = bascule("run", my_mul_path, *inputs, "--blocks", "1000")
    assert refused.returncode == 1
    assert "Ascend910B has 48 vector cores" in refused.stderr


def test_run_seed(my_mul_path):
    def values(*seed):
        told = report("run", my_mul_path, "float32[4]", "float32[4]", *seed)
        return told["outputs"][0]["values"]

    assert values() == values("--seed", "0") != values("--seed", "1")


def test_run_in_bfloat16(my_mul_path):
    told = report("run", my_mul_path, "bfloat16[4]", "bfloat16[]")
    assert told["outputs"][0]["dtype"] == "bfloat16"
    assert len(told["outputs"][0]["values"]) == 4


def test_run_a_kernel(tmp_path):
    (tmp_path / "scale.cpp").write_text(KERNEL)
    x = np.arange(5, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    told = report("run", "scale.cpp", "x.npy", cwd=tmp_path)
    assert told["blocks"] is None
    assert told["outputs"][0]["values"] == (2 * x).tolist()
    other = ("run", "scale.cpp", "x.npy", "--result", "float32[5]", "-o", "out.npy")
    assert bascule(*other, cwd=tmp_path).returncode == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), 2 * x)
    refused = bascule("run", "scale.cpp", "x.npy", "--blocks", "2", cwd=tmp_path)
    assert refused.returncode == 1
    assert "scale is a lone kernel: how many blocks run follows" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no.txt"], "no.txt cannot be read as a .npy file"),
        (["float33[3]"], "'float33' is no element type that NumPy knows"),
        (["float32[3]", "float32[3]", "-a", "scale"], "'scale' is no attribute; write NAME=JSON"),
        (["float32[3]", "float32[3]", "-a", "scale=x"], "'scale=x' is no attribute"),
        (["float32[3]", "float32[3]", "--result", "float32[3]"], "--result is for lone kernels"),
        (["float32[3]", "float32[3]", "-o", "a.npy", "-o", "b.npy"], "--output came 2 times"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_run_refuses(my_mul_path, tmp_path, arguments, sentence):
    (tmp_path / "no.txt").write_text("no numbers")
    result = bascule("run", my_mul_path, *arguments, cwd=tmp_path)
    assert result.returncode == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


# --- bench


@pytest.fixture(scope="module")
def benched(my_mul_path, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    result = bascule(
        *("bench", my_mul_path, "float32[200000]", "float32[200000]", "--json"),
        *("--cores", "1,4", "--ub", "2,16,0", "--rounds", "2", "--plot", "plot.svg"),
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), folder


def test_bench_rows(benched):
    told, _ = benched
    rows = {(row["ub_kib"], row["cores"]): row for row in told["combinations"]}
    assert set(rows) == {(ub, cores) for ub in (2, 16, None) for cores in (1, 4)}
    for (ub, cores), row in rows.items():
        if ub == 2:  # six buffers do not fit, with 512 bytes for each
            assert row["error"].startswith("my_mul: ")
            assert "ms" not in row
        else:
            assert row["blocks"] == cores
            assert row["ms"] >= row["fastest_ms"] > 0
    assert told["best"]["ms"] == min(row["ms"] for row in rows.values() if "ms" in row)


def test_bench_rivals(benched):
    told, _ = benched
    names = [rival["name"] for rival in told["rivals"]]
    assert names == ["NumPy, the reference", "torch, the reference"]
    assert all(rival["ms"] > 0 for rival in told["rivals"])


def test_bench_plot(benched):
    _, folder = benched
    text = (folder / "plot.svg").read_text()
    assert "<svg" in text


def test_bench_as_text(my_mul_path):
    arguments = ("bench", my_mul_path, "int32[5000]", "int32[]", "--cores", "2", "--ub", "2,0")
    result = bascule(*arguments, "--rounds", "1")
    assert result.returncode == 0, result.stderr
    assert re.search(r"2 KiB +2 +does not fit: my_mul: ", result.stdout)
    assert re.search(r"^best: unified buffer all, 2 cores: ", result.stdout, re.MULTILINE)
    assert "NumPy, the reference: " in result.stdout


def test_bench_where_nothing_fits(my_mul_path):
    arguments = ("bench", my_mul_path, "float32[8]", "float32[8]", "--cores", "1", "--ub", "1")
    result = bascule(*arguments, "--rounds", "1")
    assert result.returncode == 1
    assert "no combination fits" in result.stdout


def test_bench_refuses(my_mul_path, tmp_path):
    result = bascule("bench", my_mul_path, "--plot", tmp_path / "plot.txt")
    assert result.returncode == 1
    assert "a plot is a .png or a .svg file" in result.stderr
    assert bascule("bench", my_mul_path, "--cores", "x").returncode == 2


# --- the page


def test_every_command_of_the_page_works(tmp_path):
    for name in ("my_mul", "reduce_sum", "concat"):
        shutil.copytree(
            TREE / "operators" / name, tmp_path / name, ignore=shutil.ignore_patterns("build_out")
        )
    (tmp_path / "scale.cpp").write_text(KERNEL)
    np.save(tmp_path / "x.npy", np.arange(5, dtype=np.float32))
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) > 15
    bascule("build", "my_mul", cwd=tmp_path)  # the first line shown looks at the library
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "bascule"
        result = bascule(*arguments, cwd=tmp_path)
        assert result.returncode == 0, (line, result.stdout, result.stderr)


def test_the_page_tells_every_option():
    from bascule.cli import make_parser
    from bascule.commands.completion import subcommands

    sections = dict(
        re.findall(r"^## (bascule \w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)
    )
    commands = {command.prog: command for command in subcommands(make_parser())}
    assert set(sections) <= set(commands)
    for name in ("bascule build", "bascule run", "bascule bench"):
        for action in commands[name]._actions:
            options = set(action.option_strings) - {"-h", "--help"}
            assert not options or any(o in sections[name] for o in options), (name, options)


def test_the_exit_status_of_an_interrupted_command():
    command = "import bascule.cli, os, signal; import bascule.commands.prefix as p\n"
    # Tests may run in a background job, which its shell has ignore the signal.
    command += "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command += "p.bascule.prefix = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
    command += "raise SystemExit(bascule.cli.main(['prefix']))"
    result = subprocess.run([sys.executable, "-c", command], env=os.environ)
    assert result.returncode == 130

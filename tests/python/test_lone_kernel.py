# SPDX-License-Identifier: Apache-2.0
"""Lone kernels on NumPy arrays: by attribute with out=, and described by Custom."""

import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import bascule

LENGTHS = (0, 1, 15, 16, 17, 513, 100003)


def numbers(count, dtype, seed=0):
    return np.random.default_rng(seed).uniform(-4, 4, count).astype(dtype)


def same(x, y):
    return x


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("n", LENGTHS)
def test_every_length(lone_path, dtype, n):
    kernel = {"float16": "mul_half", "float32": "mul_float"}[dtype]
    op = bascule.Custom(f"{lone_path}:{kernel}", same, same, func_type="aot")
    x, y = numbers(n, dtype), numbers(n, dtype, 1)
    out = op(x, y)
    assert (out.dtype, out.shape) == (x.dtype, x.shape)
    np.testing.assert_array_equal(out, x * y)
    again = np.empty_like(x)
    assert getattr(bascule.load(lone_path), kernel)(x, y, out=again) is again
    np.testing.assert_array_equal(again, x * y)


@pytest.mark.parametrize("dtype", ["float16", "float32", "bfloat16"])
@pytest.mark.parametrize("n", [0, 1, 7, 15, 16, 17, 767, 768])
def test_the_tutorial_manner(lone_path, dtype, n):
    if dtype == "bfloat16":
        dtype = pytest.importorskip("ml_dtypes").bfloat16
    kernel = {"float16": "naive_half", "float32": "naive_float"}.get(dtype, "naive_bfloat16")
    op = bascule.Custom(f"{lone_path}:{kernel}", same, same)
    x, y = numbers(n, dtype), numbers(n, dtype, 1)
    np.testing.assert_array_equal(op(x, y), x * y)


def test_not_contiguous(lone_path):
    op = bascule.Custom(f"{lone_path}:naive_float", same, same)
    whole = numbers(13 * 7 * 3, "float32").reshape(13, 21)
    for x in (whole.T, whole[::-1, ::3], np.broadcast_to(whole[:1], whole.shape)):
        y = numbers(x.size, "float32", 2).reshape(x.shape)
        np.testing.assert_array_equal(op(x, y), x * y)
    out = np.zeros((13, 21), np.float32)
    bascule.load(lone_path).mul_float(whole[:, ::3], whole[:, ::3], out=out[:, ::3])
    expected = np.zeros_like(out)
    expected[:, ::3] = whole[:, ::3] ** 2
    np.testing.assert_array_equal(out, expected)


def test_several_threads(lone_path):
    op = bascule.Custom(f"{lone_path}:mul_float", same, same)
    wrong = []

    def work(seed):
        for n in (17, 513, 5003):
            x = numbers(n, "float32", seed)
            if not (op(x, x) == x * x).all():
                wrong.append((seed, n))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        (lambda x: [(), ()], lambda x: ["int32", np.int32]),
        ([(), ()], ["int32", "int32"]),
        (lambda *all_of_them: [(), ()], ["int32", "int32"]),
        (lambda x: [(), ()] if x[0] == 100003 else None, ["int32", "int32"]),
    ],
)
def test_several_outputs(lone_path, shape, dtype):
    op = bascule.Custom(f"{lone_path}:shares", shape, dtype)
    blocks, share = op(np.zeros(100003, np.float32))
    assert (int(blocks), int(share)) == (48, 2088)


def test_an_input_may_be_left_out(lone_path):
    op = bascule.Custom(f"{lone_path}:add_one_or_bias", lambda x, bias: x, lambda x, bias: x)
    x = numbers(17, "float32")
    np.testing.assert_array_equal(op(x, None), x + 1)
    np.testing.assert_array_equal(op(x, x), x + x)


def test_names(lone_path):
    library = bascule.load(lone_path)
    assert {"naive_half", "shop::negate", "negate_as<float>"} <= set(dir(library))
    x = numbers(9, "float32")
    out = np.empty_like(x)
    np.testing.assert_array_equal(library.find("shop::negate")(x, out=out), -x)
    for name, sentence in {
        "naive_half_kernel": "has no kernel 'naive_half_kernel'; was 'naive_half' meant? ",
        "lone_helper": "is a function and no kernel: it was not declared __global__ __aicore__",
    }.items():
        for ask in (library.find, lambda n: bascule.Custom(f"{lone_path}:{n}", same, same)):
            with pytest.raises(bascule.OperatorNotFound) as error:
                ask(name)
            assert sentence in str(error.value)
            said = str(error.value)
            assert "The library's kernels: add_one_or_bias, constants, copy_words, " in said
    with pytest.raises(bascule.InvalidArgument, match="say which"):
        bascule.Custom(str(lone_path), same, same)


X = np.ones(8, np.float32)


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda path: bascule.Custom(f"{path}:naive_half", same, same)(X, X),
            bascule.KernelError,
            "the kernel takes 'argument 1' for float16, and the tensor that was passed is float32",
        ),
        (
            lambda path: bascule.Custom(f"{path}:reads_tiling", same, same)(
                X.astype("float16"), X.astype("float16")
            ),
            bascule.KernelError,
            "argument 5 (workspace, tiling data or another tensor), which was not passed",
        ),
        (
            lambda path: bascule.Custom(f"{path}:writes_nothing", same, same)(X, X),
            bascule.KernelError,
            "wrote nothing to output 1",
        ),
        (
            lambda path: bascule.Custom(f"{path}:mul_float", same, same)(X),
            bascule.InvalidArgument,
            "mul_float: 2 inputs expected (x, y), 1 came.",
        ),
        (
            lambda path: bascule.Custom(f"{path}:mul_float", same),
            bascule.InvalidArgument,
            "mul_float: out_dtype was left out, and ",
        ),
        (
            lambda path: bascule.Custom(f"{path}:mul_float", lambda x, y: "a", same)(X, X),
            bascule.InvalidArgument,
            "mul_float: out_shape: 'a' is no shape.",
        ),
        (
            lambda path: bascule.Custom(f"{path}:mul_float", same, lambda x, y: "half")(X, X),
            bascule.InvalidArgument,
            "'half' is not the name of an element type.",
        ),
        (
            lambda path: bascule.Custom(f"{path}:mul_float", lambda x, y: (x, y), same)(X, X),
            bascule.InvalidArgument,
            "mul_float: out_shape describes 2 outputs, out_dtype 1.",
        ),
        (
            lambda path: bascule.Custom(f"{path}:mul_float", same, same)(X, X, axis=1),
            bascule.InvalidArgument,
            "mul_float has no attribute 'axis'",
        ),
        (
            lambda path: bascule.load(path).mul_float(X, X),
            bascule.Unsupported,
            "mul_float is known by its symbol only: nothing tells the shapes and element types",
        ),
    ],
)
def test_sentences(lone_path, call, kind, sentence):
    with pytest.raises(kind) as error:
        call(lone_path)
    assert sentence in str(error.value)


def test_the_padding_is_told_once(lone_path):
    code = f"""
import numpy as np, bascule
lib = bascule.load({str(lone_path)!r})
x = np.ones(9, np.float32)
out = np.empty_like(x)
for _ in range(3):
    lib.mul_float(x, x, out=out)
    lib.naive_float(x, x, out=out)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stderr.count("\n") == 1
    assert said.stderr.startswith(
        "bascule: warning: naive_float: argument 1 has 36 bytes, which is no multiple of 32"
    )


def test_what_the_page_shows_runs(tmp_path, monkeypatch):
    tree = Path(__file__).parents[2]
    page = (tree / "docs/lone_kernels.md").read_text()
    (tmp_path / "CMakeLists.txt").write_text(re.search(r"```cmake\n(.*?)```", page, re.S)[1])
    shutil.copyfile(tree / "examples/my_mul_naive/my_mul.cpp", tmp_path / "my_mul.cpp")
    for command in (
        ["cmake", "-S", tmp_path, "-B", tmp_path, f"-DASCEND_HOME={bascule.prefix()}"],
        ["cmake", "--build", tmp_path],
    ):
        subprocess.run(command, check=True, capture_output=True)
    monkeypatch.chdir(tmp_path)
    x, y = numbers(17, "float16"), numbers(17, "float16", 1)
    names = {"x": x, "y": y, "a": x, "b": y, "c": np.empty_like(x)}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(block, names)
    np.testing.assert_array_equal(names["out"], x * y)
    np.testing.assert_array_equal(names["c"], x * y)


def test_info_lists_the_kernels(lone_path):
    command = [sys.executable, "-m", "bascule", "info", str(lone_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == f"{lone_path}, lone kernels (no manifest; docs/lone_kernels.md)"
    assert {"  naive_half", "  shop::negate", "  negate_as<float>"} <= set(said)
    assert "  lone_helper" not in said

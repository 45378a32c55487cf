# SPDX-License-Identifier: Apache-2.0
"""Kernels that are compiled in several forms: for each data type, tiling key and kind of core."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import bascule
from bascule import _native

TREE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def selections_path(built):
    return built("tests/operators/selections")


def numbers(dtype, length):
    return (np.arange(length) % 23 - 11).astype(dtype)


@pytest.mark.parametrize("length", [1, 8, 77])
@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize("addend", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_an_instance_for_each_selection(selections_path, dtype, addend, negate, length):
    x = numbers(dtype, length)
    out = bascule.load(selections_path).selections(x, addend=addend, negate=negate)
    np.testing.assert_array_equal(out, -(x + addend) if negate else x + addend)


@pytest.mark.parametrize("addend", [9, 300])
def test_a_selection_of_one_type(selections_path, addend):
    x = numbers("int32", 50)
    out = bascule.load(selections_path).selections(x, addend=addend)
    np.testing.assert_array_equal(out, x + addend)


@pytest.mark.parametrize(
    ("dtype", "addend", "reason"),
    [
        (
            "float32",
            9,
            "no ASCENDC_TPL_ARGS_SEL selects D_T = 0, ADDEND = 9, NEGATE = 0; the kernel has no "
            "such instance",
        ),
        (
            "float16",
            3,
            "GET_TPL_TILING_KEY was given 3 for the template parameter ADDEND; "
            "ASCENDC_TPL_ARGS_DECL lists 0, 1, 2, 4, 5, 12, 9, 300",
        ),
        ("float16", -1, "addend is -1, which is below 0"),
    ],
)
def test_no_such_instance(selections_path, dtype, addend, reason):
    with pytest.raises(bascule.InvalidArgument) as error:
        bascule.load(selections_path).selections(numbers(dtype, 3), addend=addend)
    assert str(error.value).endswith(f"its tiling refuses x (3,): {reason}")


def test_types_that_kernels_do_not_know_are_left_out(selections_path):
    manifest = json.loads(_native.manifest_read(str(selections_path)))
    (op,) = manifest["operators"]
    assert op["inputs"][0]["dtypes"] == ["float32", "float16", "int32"]
    assert [kernel["column"] for kernel in op["kernels"]] == [0, 1, 2]
    assert [kernel["type"] for kernel in op["kernels"]] == ["AIV_ONLY"] * 3


@pytest.mark.parametrize("optimize", [0, 2])
def test_types_and_kinds_of_core_have_their_own_code(tmp_path, optimize):
    library = tmp_path / "libcores.so"
    report = json.loads(
        _native.build(
            str(TREE / "tests/operators/cores"),
            json.dumps({"output": str(library), "optimize": optimize}),
        )
    )
    assert report["status"] == "built", report
    cores = bascule.load(library).cores
    for dtype in ["float32", "float16", "int32", "float16", "float32"]:
        x = numbers(dtype, 333)
        np.testing.assert_array_equal(cores(x), x * 3 + x.dtype.itemsize)
    manifest = json.loads(_native.manifest_read(str(library)))
    assert [kernel["type"] for kernel in manifest["operators"][0]["kernels"]] == ["MIX_AIC_1_2"] * 3


def build_variant(tmp_path, *replacements):
    """The report of the project `cores` with changes to its kernel, and its library."""
    project = tmp_path / "cores"
    shutil.copytree(TREE / "tests/operators/cores", project)
    kernel = project / "op_kernel/cores.cpp"
    text = kernel.read_text()
    for before, after in replacements:
        assert before in text
        text = text.replace(before, after)
    kernel.write_text(text)
    report = json.loads(_native.build(str(project), "{}"))
    assert report["status"] == "built", report
    return report


def test_core_type_is_a_constant_in_projects(tmp_path):
    """`if constexpr (g_coreType == …)` in an operator's kernel, which no driver rewrites."""
    report = build_variant(
        tmp_path,
        (
            "  part.Process();",
            "  if constexpr (g_coreType == AIC) part.Cube();\n  else part.Vector();",
        ),
        ("  __aicore__ void Process();", "  __aicore__ void Cube();\n  __aicore__ void Vector();"),
        ("#ifdef __DAV_C220_CUBE__\n__aicore__ int Part::Bytes() { return -1; }", ""),
        (
            "__aicore__ void Part::Process() {\n  factor_",
            "__aicore__ void Part::Cube() {\n  factor_",
        ),
        ("}\n#endif\n\n#ifdef __DAV_C220_VEC__\n", "}\n"),
        ("__aicore__ void Part::Process() {\n  Cross", "__aicore__ void Part::Vector() {\n  Cross"),
        ("}\n#endif\n", "}\n"),
    )
    assert report["messages"] == []
    cores = bascule.load(report["output"]).cores
    x = numbers("float16", 333)
    np.testing.assert_array_equal(cores(x), x * 3 + 2)


def test_cube_parts_without_a_type_are_warned_about(tmp_path):
    report = build_variant(tmp_path, ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);", ""))
    assert report["messages"] == [
        {
            "step": "op_kernel/cores.cpp",
            "text": "the kernel cores has parts for cube cores (__DAV_C220_CUBE__, g_coreType) and "
            "does not say which cores it is for, so it runs on vector cores only. If it is for "
            "both, say so at its beginning: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);",
        }
    ]


@pytest.mark.parametrize(("dtype", "start"), [("float32", 2.5), ("float16", -3)])
def test_tiling_reads_values_and_outputs_begin_with_some(built, dtype, start):
    values = bascule.load(built("tests/operators/values")).values
    x = numbers(dtype, 37)
    # The same shapes each time: another factor is another plan.
    for factor in [np.array([3], "int32"), np.array([5, 0, 7], "int32")[:1], np.array(-2, "int32")]:
        product, total = values(x, factor)
        np.testing.assert_array_equal(product, x * factor.reshape(-1)[0].astype(dtype))
        np.testing.assert_array_equal(total, x + np.array(start, dtype))
    with pytest.raises(bascule.InvalidArgument) as error:
        values(x, np.zeros(1, "int32"))
    assert str(error.value) == ("values: its tiling refuses x (37,), factor (1,): the factor is 0")


def test_outputs_that_are_a_list(tmp_path):
    """Only the caller knows how many there are, so NumPy takes them in `out`."""
    for part in ("op_host", "op_kernel"):
        (tmp_path / part).mkdir()
        file = f"{part}/list_scale.cpp"
        shutil.copyfile(TREE / "tests/aclnn/project" / file, tmp_path / file)
    report = json.loads(_native.build(str(tmp_path), "{}"))
    list_scale = bascule.load(report["output"]).list_scale
    xs = [np.arange(4, dtype=np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)]
    ys = [np.zeros_like(x) for x in xs]
    (returned,) = list_scale(xs, out=[ys])
    for given, y in zip(ys, returned):
        assert np.shares_memory(given, y)
    np.testing.assert_array_equal(ys[0], [3, 4, 5, 6])
    np.testing.assert_array_equal(ys[1], [[0, -1, -2], [-3, -4, -5]])
    with pytest.raises(bascule.Unsupported) as error:
        list_scale(xs)
    assert str(error.value) == (
        "list_scale: output 'ys' is a list of tensors, and nothing but the caller says how many. "
        "Pass NumPy arrays for them (out=)."
    )

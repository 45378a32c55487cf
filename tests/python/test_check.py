# SPDX-License-Identifier: Apache-2.0
"""`bascule check`: what it says of operators that are right, wrong, and not to be judged."""

import json
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import bascule
from bascule import _native
from bascule.check import Options, check_operator
from bascule.new import make_project

KERNEL = "op_kernel/my_op.cpp"


def command(*arguments, cwd=None):
    words = [sys.executable, "-m", "bascule", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project `bascule new` makes, built; tests copy it and change what they like."""
    folder = tmp_path_factory.mktemp("check") / "my_op"
    make_project("my_op", folder)
    assert command("build", folder).returncode == 0
    return folder


@pytest.fixture
def changed(project, tmp_path):
    """changed(file, (old, new), …): the library of a copy with these changes."""

    def change(file, *changes):
        folder = tmp_path / "my_op"
        if not folder.exists():
            shutil.copytree(project, folder)
        text = (folder / file).read_text("utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (folder / file).write_text(text, "utf-8")
        return folder

    return change


def operator_of(folder):
    report = json.loads(_native.build(str(folder), json.dumps({"prefix": str(bascule.prefix())})))
    return next(iter(bascule.load(report["output"])))


def line(report, direction, dtype="float32", framework="numpy"):
    (found,) = (
        one
        for one in report.lines
        if (one.direction, one.dtype, one.framework) == (direction, dtype, framework)
    )
    return found


NUMPY = Options(frameworks=["numpy"], again="bascule check my_op")


def test_a_right_operator(project):
    result = command("check", project, "--framework", "numpy")
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"my_op ({project}/build_out/libmy_op.so)"
    assert lines[1].split() == [
        "direction",
        "dtype",
        "framework",
        "cases",
        "elements",
        "worst",
        "ulp",
    ]
    shown = [re.split(r"\s{2,}", text.strip()) for text in lines[2:10]]
    assert [(row[0], row[1], row[-1]) for row in shown] == [
        (direction, dtype, "ok")
        for dtypes in (("forward", "gradient"), ("same bits", "memory"))
        for dtype in ("float16", "float32")
        for direction in dtypes
    ]
    # Forward rounds once.
    assert all(float(row[5]) <= 0.5 for row in shown[:4])
    assert re.search(
        r"gradient: 2 operators, \d+ bytes saved for backward, \d+ % of the time", result.stdout
    )
    assert re.fullmatch(r"ok \(\d+\.\d s\)", lines[-1])


def test_cases_cover_what_operators_get_wrong(project):
    schema = operator_of(project).schema
    cases = json.loads(_native.check_cases(json.dumps(schema)))
    groups = {case["group"] for case in cases}
    assert {
        "aligned",
        "tail",
        "one",
        "empty",
        "prime",
        "not contiguous",
        "special values",
    } <= groups
    assert "more blocks than work" in groups
    # The reference's own cases are tried as well.
    own = json.loads(_native.check_cases(json.dumps(schema), '{"cases": [{"shapes": [[9], [9]]}]}'))
    assert own[0]["group"] == "own"


def test_a_wrong_tail(changed):
    # Copies whole datablocks only: the elements behind them never leave the core.
    folder = changed(
        KERNEL,
        (
            "AscendC::DataCopyPad(outGm[offset], out, copy);",
            "if (count > 16) AscendC::DataCopy(outGm[offset], out, count / 16 * 16);",
        ),
    )
    report = check_operator(operator_of(folder), NUMPY)
    assert not report.ok
    failed = line(report, "forward")
    assert failed.verdict == "failed"
    assert failed.failure["guess"].endswith("elements are wrong: the tail") or failed.failure[
        "guess"
    ].startswith("every element is 0")
    number = failed.failure["case"]
    assert failed.failure["again"] == f"bascule check my_op --case {number} --framework numpy"
    # A gradient is not judged where forward failed.
    assert line(report, "gradient").cases < line(report, "forward").cases
    # What is never written is found by the bits, too.
    assert line(report, "same bits").failure["guess"] == "the element is never written"

    again = command("check", folder, "--case", number, "--framework", "numpy")
    assert again.returncode == 1
    assert "again: bascule check" in again.stdout
    assert len([t for t in again.stdout.splitlines() if t.startswith("  forward")]) == 2
    with pytest.raises(bascule.CheckFailed, match="forward float16 numpy failed in case"):
        report.raise_failure()


def test_what_was_never_written_on_chip_is_found(changed):
    # y is copied for the first tile of a block only; later tiles use what is there.
    folder = changed(
        KERNEL,
        (
            "AscendC::DataCopy(y, yGm[offset], count);",
            "if (count < 100) AscendC::DataCopy(y, yGm[offset], count);",
        ),
    )
    report = check_operator(operator_of(folder), NUMPY)
    assert line(report, "same bits").failure["guess"] == (
        "it depends on what was in on-chip memory before: read before it was written"
    )


WRONG = {
    "sign": ("return dout * y, dout * x", "return -dout * y, dout * x", "the sign"),
    "factor": (
        "return dout * y, dout * x",
        "return 2 * dout * y, dout * x",
        "a factor: it is 2 times what it should be",
    ),
    "missing factor": ("return dout * y, dout * x", "return dout, dout * x", "missing factor: y"),
    "swapped": (
        "return dout * y, dout * x",
        "return dout * x, dout * y",
        "swapped inputs: this is the gradient of 'y'",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_gradients(changed, wrong):
    old, new, guess = WRONG[wrong]
    folder = changed("gradient.py", (old, new))
    report = check_operator(operator_of(folder), NUMPY)
    assert line(report, "forward").verdict == "ok"
    for dtype in ("float16", "float32"):
        failed = line(report, "gradient", dtype)
        assert failed.verdict == "failed"
        assert failed.failure["guess"] == guess
        assert failed.failure["first"]["input"] == "x"


def test_wrong_shape(changed):
    folder = changed(
        "gradient.py",
        ("def bprop", "from bascule import xp\n\n\ndef bprop"),
        ("return dout * y, dout * x", "return xp.reshape(dout * y, (-1,)), dout * x"),
    )
    report = check_operator(operator_of(folder), NUMPY)
    failure = line(report, "gradient").failure
    assert "the gradient of input 'x' has shape" in failure["what"]
    assert failure["guess"].startswith("wrong shape: its elements are right")


def test_stopped_gradients_are_warned_about(changed):
    folder = changed(
        "gradient.py",
        ("def bprop", "from bascule import xp\n\n\ndef bprop"),
        (
            "return dout * y, dout * x",
            "return xp.stop_gradient(dout * y), xp.stop_gradient(dout * x)",
        ),
    )
    report = check_operator(operator_of(folder), NUMPY)
    assert report.ok
    assert report.warnings == [
        "every gradient of my_op is stopped (xp.stop_gradient or a constant): no second derivative "
        "flows, and nothing in front of it may train"
    ]


def test_cases_are_left_out_where_arrays_of_their_type_need_a_package(built, monkeypatch):
    """Own cases, too, which are failures where the operator refuses them."""
    operator = bascule.load(built("operators/mul_scale")).mul_scale
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    types = ["float32", "bfloat16"]
    report = check_operator(operator, Options(frameworks=["numpy"], dtypes=types))
    assert report.ok, [line.as_dict() for line in report.lines]
    forward = [line for line in report.lines if line.direction == "forward"]
    [line] = [line for line in forward if line.dtype == "bfloat16"]
    [reason] = line.skipped
    assert reason.startswith("bfloat16 arrays need ml_dtypes, which cannot be imported: ")


def test_a_gradient_that_is_an_operator_is_not_taken_for_a_stopped_one(built):
    operator = bascule.load(built("operators/gelu")).gelu
    report = check_operator(operator, Options(frameworks=["numpy"], dtypes=["float32"]))
    assert report.ok, report
    assert report.cost["stopped"] is False
    assert report.warnings == []


def test_costly_gradients_get_a_hint(changed):
    folder = changed(
        "gradient.py",
        ("def bprop", "from bascule import xp\n\n\ndef bprop"),
        (
            "return dout * y, dout * x",
            "both = xp.tanh(x) * dout\n    for _ in range(9):\n        both = xp.tanh(both)\n"
            "    both = both * xp.zeros_like(x)\n    return dout * y + both, dout * x",
        ),
    )
    report = check_operator(operator_of(folder), NUMPY)
    assert report.cost["operators"] == 16
    assert report.cost["bytes_saved"] == report.cost["input_bytes"]
    assert len(report.hints) == 1
    assert report.hints[0].startswith("a backward kernel would pay: the gradient of my_op runs 16")


def test_without_a_reference(changed):
    folder = changed("gradient.py")
    (folder / "reference.py").unlink()
    result = command("check", folder, "--framework", "numpy")
    assert result.returncode == 0, result.stdout
    text = result.stdout
    assert "no reference.py: forward is not checkable" in text
    for dtype in ("float16", "float32"):
        assert re.search(rf"forward +{dtype} +numpy +0 +0 +not checkable \(no reference", text)
    assert re.search(r"gradient +float32 +numpy +\d+ +\d+ +[\d.e-]+ +ok", text)
    # Of 16-bit floats nothing can be said, and nothing is.
    assert re.search(
        r"gradient +float16 +numpy +0 +0 +not checkable \(there is no reference, and", text
    )
    assert "float16  numpy  ok" not in re.sub(" +", "  ", text.partition("same bits")[0])
    only_half = command("check", folder, "--framework", "numpy", "--dtype", "float16")
    assert only_half.returncode == 1
    assert only_half.stdout.splitlines()[-1].startswith("not checkable (")
    # A wrong gradient is found all the same.
    folder = changed("gradient.py", ("return dout * y", "return -dout * y"))
    report = check_operator(operator_of(folder), NUMPY)
    assert line(report, "gradient").failure["guess"] == "the sign"


def test_without_a_gradient(changed):
    folder = changed("gradient.py")
    (folder / "gradient.py").unlink()
    report = check_operator(operator_of(folder), NUMPY)
    assert report.ok
    assert not [one for one in report.lines if one.direction == "gradient"]
    assert report.warnings == [
        "my_op has no gradient (its project declares none): nothing in front of it will train"
    ]


def test_references_that_fail(changed):
    folder = changed("reference.py", ("return x * y", "return x * z"))
    report = check_operator(operator_of(folder), NUMPY)
    assert "reference.py raised NameError in line 5: name 'z' is not defined" in str(report)
    folder = changed("reference.py", ("return x * z", "return x * y"), ("(1000, 3)]", "(1000, 4)]"))
    report = check_operator(operator_of(folder), NUMPY)
    assert "the operator refuses its own case" in line(report, "forward").failure["what"]


def test_json_and_junit(changed, tmp_path):
    folder = changed("gradient.py", ("return dout * y", "return -dout * y"))
    file = tmp_path / "junit.xml"
    result = command(
        "check", folder, "--framework", "numpy", "--dtype", "float32", "--json", "--junit", file
    )
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert report["status"] == "failed"
    (operator,) = report["operators"]
    assert {one["dtype"] for one in operator["lines"]} == {"float32"}
    failed = [one for one in operator["lines"] if one["verdict"] == "failed"]
    assert [one["direction"] for one in failed] == ["gradient"]
    suite = ElementTree.parse(file).getroot().find("testsuite")
    assert suite.get("failures") == "1"
    assert suite.get("tests") == str(len(operator["lines"]))
    failure = suite.find("testcase/failure")
    assert "perhaps: the sign" in failure.text
    assert "--case" in failure.text


def test_usage(project):
    library = project / "build_out/libmy_op.so"
    result = command("check", library, "--case", "10000")
    assert result.returncode == 1
    assert "my_op has no case 10000; it has 0 to" in result.stderr
    result = command("check", library, "--dtype", "int8")
    assert result.stderr == ("bascule check: my_op takes no int8; it takes float16, float32.\n")
    result = command("check", library, "--framework", "jax")
    assert result.stderr.startswith("bascule check: there is no framework 'jax' here; there are")


def test_frameworks_that_are_not_installed_are_named(project):
    pytest.importorskip("torch")
    result = command("check", project, "--case", "0")
    assert result.returncode == 0, result.stdout
    assert "mindspore is not installed: bascule.mindspore needs" in result.stdout
    assert "torch.compile" in result.stdout
    result = command("check", project, "--framework", "mindspore")
    assert result.returncode == 1
    assert "none of the frameworks asked for is installed" in result.stderr


def test_operators_with_several_outputs_and_attributes(products_path):
    products = bascule.load(products_path).products
    report = check_operator(products, NUMPY)
    assert line(report, "gradient").verdict == "ok"  # of the operator itself
    assert line(report, "forward").verdict == "not checkable"


def test_lone_kernels_are_refused_with_what_to_do(lone_path):
    result = command("check", lone_path)
    assert result.returncode == 1
    assert "is a lone kernel" in result.stderr
    assert "gradcheck" in result.stderr


def test_fill_keeps_to_the_elements():
    memory = np.zeros(20, np.float32)
    _native.check_fill(memory[2:18:3], json.dumps({"low": 1, "high": 2, "seed": 5}))
    assert np.count_nonzero(memory) == 6
    assert np.count_nonzero(memory[2:18:3]) == 6


def test_the_fixture(bascule_check, project, changed):
    (report,) = bascule_check(project, frameworks=["numpy"], dtypes=["float32"])
    assert report.ok
    folder = changed("gradient.py", ("return dout * y", "return -dout * y"))
    with pytest.raises(bascule.CheckFailed, match="perhaps: the sign"):
        bascule_check(folder, frameworks=["numpy"])

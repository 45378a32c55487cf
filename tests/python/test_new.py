# SPDX-License-Identifier: Apache-2.0
"""`bascule new`: names it takes and refuses, and what it makes."""

import json
import re
import subprocess
import sys

import pytest

from bascule.new import class_name, snake_case


def bascule(*arguments, cwd=None):
    command = [sys.executable, "-m", "bascule", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def refusal(name, folder):
    result = bascule("new", name, cwd=folder)
    assert result.returncode == 1
    assert result.stdout == ""
    return result.stderr.removeprefix("bascule new: ").strip()


@pytest.mark.parametrize(
    ("name", "proper"),
    [
        ("MyOp", "my_op"),
        ("myOp", "my_op"),
        ("my-op", "my_op"),
        ("my op", "my_op"),
        ("my__op", "my_op"),
        ("_my_op_", "my_op"),
        ("my_2d", "my2d"),
        ("2my_op", "my_op"),
        ("HTTPServer", "http_server"),
        ("../my_op", "my_op"),
    ],
)
def test_a_name_that_is_no_snake_case_is_told_what_would_be(name, proper, tmp_path):
    assert refusal(name, tmp_path) == (
        f"'{name}' is no name for an operator; {proper} would be. It is lower-case words with an "
        "underscore between them, each beginning with a letter: the class in op_host is called "
        f"{class_name(proper)}, and its snake case has to be the name."
    )
    assert not list(tmp_path.iterdir())


def test_names_that_are_taken(tmp_path):
    assert refusal("class", tmp_path) == (
        "'class' is a keyword of Python; my_class would be a name for an operator."
    )
    assert refusal("template", tmp_path) == (
        "'template' is a keyword of C++; my_template would be a name for an operator."
    )
    for word in ("xor", "bitand", "co_await", "requires"):
        assert refusal(word, tmp_path) == (
            f"'{word}' is a keyword of C++; my_{word} would be a name for an operator."
        )
    assert refusal("half", tmp_path) == (
        "'half' is a type of Ascend C; my_half would be a name for an operator."
    )
    assert refusal("exp", tmp_path) == (
        "'exp' is a function of the C library, and an operator's library exports a function of the "
        "operator's name; my_exp would be a name for an operator."
    )
    assert refusal("", tmp_path).startswith("'' is no name for an operator. It is lower-case words")


def test_a_folder_that_exists(tmp_path):
    (tmp_path / "my_op").mkdir()
    (tmp_path / "my_op/notes.txt").write_text("mine")
    assert refusal("my_op", tmp_path) == (
        "the folder my_op exists and is not empty; choose another name, or remove it."
    )
    assert [file.name for file in (tmp_path / "my_op").iterdir()] == ["notes.txt"]
    (tmp_path / "a_file").write_text("mine")
    assert refusal("a_file", tmp_path) == (
        "a_file exists and is no folder; choose another name or place."
    )


def test_class_and_snake_case_are_the_toolkits():
    for name, type_name in {"my_mul": "MyMul", "conv2d": "Conv2d", "a_b": "AB"}.items():
        assert class_name(name) == type_name
    assert snake_case("Conv2DCustom") == "conv2_d_custom"
    assert snake_case("MyMul") == "my_mul"


def test_the_project_passes_its_own_check(tmp_path):
    result = bascule("new", "scale_rows", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "next: bascule check scale_rows"
    folder = tmp_path / "scale_rows"
    files = sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())
    assert files == [
        ".gitignore",
        "README.md",
        "gradient.py",
        "op_host/scale_rows.cpp",
        "op_kernel/scale_rows.cpp",
        "op_kernel/tiling_data.h",
        "reference.py",
        "tests/test_operator.py",
    ]
    # The name stands in the host's class and in the kernel's function, and in no other code.
    for file in files:
        text = (folder / file).read_text(encoding="utf-8")
        assert "new_operator" not in text.lower(), file
        assert "NewOperator" not in text, file
        count = len(re.findall("scale_rows|ScaleRows", text))
        if file.endswith((".py", ".h", ".gitignore")):
            assert count == 0, file
    assert "void scale_rows(" in (folder / "op_kernel/scale_rows.cpp").read_text("utf-8")

    result = bascule("check", "scale_rows", "--framework", "numpy", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["status"] == "ok"
    verdicts = {
        (line["direction"], line["dtype"], line["verdict"])
        for line in report["operators"][0]["lines"]
    }
    directions = ("forward", "gradient", "same bits", "memory")
    assert verdicts == {(d, t, "ok") for d in directions for t in ("float16", "float32")}

    # Its own test, by the fixture that comes with bascule.
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    assert "1 passed" in result.stdout


def test_json_and_another_folder(tmp_path):
    result = bascule("new", "my_op", "--folder", tmp_path / "elsewhere", "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["class"] == "MyOp"
    assert "op_kernel/my_op.cpp" in report["files"]
    assert (tmp_path / "elsewhere/op_host/my_op.cpp").is_file()

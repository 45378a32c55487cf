# SPDX-License-Identifier: Apache-2.0
"""Operator projects with their own CMake files: built, packed, installed, called by a program."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import bascule

HERE = Path(__file__).resolve().parent.parent / "aclnn"
CMAKE = shutil.which("cmake")


def run(*command, code=0, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout + result.stderr


@pytest.fixture
def environment(tmp_path):
    """What set_env.sh of the installation sets, with a folder for packages of the test's own."""
    script = f'. "{bascule.prefix()}/set_env.sh" && env -0'
    said = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    values = dict(line.decode().split("=", 1) for line in said.split(b"\0") if line)
    assert values["ASCEND_HOME_PATH"] == str(bascule.prefix())
    assert values["ASCEND_OPP_PATH"] == f"{bascule.prefix()}/opp"
    values["ASCEND_OPP_PATH"] = str(tmp_path / "opp")
    return values


def configure(project, folder, environment, *settings, code=0):
    return run(CMAKE, "-S", project, "-B", folder, *settings, code=code, env=environment)


def build(folder, environment, *targets, code=0):
    targets = ("--target", *targets) if targets else ()
    return run(CMAKE, "--build", folder, *targets, code=code, env=environment)


def build_program(folder, environment, *settings):
    configure(HERE / "program", folder, environment, *settings)
    build(folder, environment)
    return folder / "program"


def call_by_name(folder, environment):
    """aclopExecuteV2 and what comes before it, with the package that is installed."""
    tensor = {"name": "x", "format": "ND", "shape": [2, 3], "type": "float"}
    description = [{"op": "ScaleAdd", "input_desc": [tensor], "output_desc": [tensor]}]

    def atc(*options, code=0):
        (folder / "single.json").write_text(json.dumps(description))
        return run("atc", *options, code=code, cwd=folder, env=environment)

    atc("--singleop=single.json", "--output=models", "--soc_version=Ascend910B1")
    assert json.loads((folder / "models/0_ScaleAdd.om").read_text()) == description[0]
    tensor["type"] = "int32"
    said = atc("--singleop=single.json", code=1)
    assert 'ScaleAdd does not take int32 as x; it takes ["float16","float32"]' in said
    description[0]["op"] = "NoSuch"
    assert "no installed package has an operator NoSuch" in atc("--singleop=single.json", code=1)
    assert "whole models are not converted here" in atc("--model=net.onnx", code=1)
    assert "single.json is no option --name=value" in atc("single.json", code=1)

    configure(HERE / "by_name", folder / "by_name", environment)
    build(folder / "by_name", environment)
    assert "test pass" in run(folder / "by_name/by_name", cwd=folder, env=environment)


def test_run_package(tmp_path, environment):
    folder = tmp_path / "project"
    said = configure(HERE / "project", folder, environment, "-DTYPE=RUN", "-Dvendor_name=mine")
    assert "ASC: the kernel option --save-temp-files has no effect here" in said
    build(folder, environment, "binary", "package")
    (installer,) = folder.glob("custom_opp_*.run")
    assert run(installer, env=environment).endswith("SUCCESS\n")
    vendor = tmp_path / "opp/vendors/mine"
    library = vendor / "op_api/lib/libcust_opapi.so"
    assert (vendor / "op_api/include/aclnn_scale_add.h").exists()
    program = build_program(tmp_path / "program", environment, "-DVENDOR=mine")
    assert "test pass" in run(program, env=environment)

    call_by_name(tmp_path, environment)

    # The library is an operator library as any other, also where it was moved to.
    moved = shutil.copy(library, tmp_path / "libmoved.so")
    scale_add = bascule.load(moved).scale_add
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(scale_add(x, None, scale_factor=3.0, offsets=[1]), x * 3 + 1)

    # Lists in, lists out; an attribute that is a list of lists.
    xs = [x, x[:1], x[::-2]]
    ys = [np.zeros(5, np.float32), np.zeros(1, np.float32), np.zeros(3, np.float32)]
    list_scale = bascule.load(moved).list_scale
    list_scale(xs, out=ys, flags=[True], groups=[[], [2, 3], [4]])
    np.testing.assert_array_equal(ys[0], -x)
    np.testing.assert_array_equal(ys[1], x[:1] + 5)
    np.testing.assert_array_equal(ys[2], x[::-2] + 4)
    with pytest.raises(bascule.Unsupported) as error:
        list_scale(xs)
    assert str(error.value) == (
        "list_scale: output 'ys' is a list of tensors, and nothing but the caller says how many. "
        "Pass NumPy arrays for them (out=)."
    )
    declared = {a["name"]: a for a in list_scale.schema["attributes"]}
    assert declared["flags"]["kind"] == "bool_list" and declared["flags"]["default"] == [
        False,
        True,
    ]
    assert declared["groups"]["kind"] == "int_lists"
    assert declared["groups"]["default"] == [[1, 2], [], [10]]
    with pytest.raises(bascule.InvalidArgument) as error:
        list_scale(xs, out=ys, groups=[1, 2])
    assert "list_scale: attribute 'groups' takes int_lists, [1, 2] came." in str(error.value)

    # Another folder, again over what is there, and away.
    for _ in range(2):
        said = run(installer, f"--install-path={tmp_path}/other", env=environment)
        assert f"source {tmp_path}/other/vendors/mine/bin/set_env.bash" in said
    other = tmp_path / "other/vendors"
    (other / "config.ini").write_text("load_priority=yours,mine\n")
    run(installer, f"--install-path={tmp_path}/other", "--quiet", env=environment)
    assert (other / "config.ini").read_text() == "load_priority=mine,yours\n"
    assert sorted(path.name for path in other.iterdir()) == ["config.ini", "mine"]
    script = f"source {other}/mine/bin/set_env.bash && echo $ASCEND_CUSTOM_OPP_PATH"
    assert run("bash", "-c", script, env=environment).startswith(f"{other}/mine:")
    run("bash", other / "mine/scripts/uninstall.sh", env=environment)
    assert [path.name for path in other.iterdir()] == ["config.ini"]
    assert (other / "config.ini").read_text() == "load_priority=yours\n"
    assert "--no-such is not known" in run(installer, "--no-such", code=1, env=environment)
    said = run(installer, "--install-path=here", code=1, env=environment)
    assert "--install-path is here; it has to be an absolute path" in said


@pytest.mark.parametrize("kind", ["SHARED", "STATIC"])
def test_library_package(tmp_path, environment, kind):
    installed = tmp_path / "installed"
    settings = (f"-DTYPE={kind}", "-Dvendor_name=mine", f"-DCMAKE_INSTALL_PREFIX={installed}")
    folder = tmp_path / "project"
    configure(HERE / "project", folder, environment, *settings, f"-DINSTALL_TO={installed}")
    build(folder, environment, "binary", "install")
    name = "libmine.a" if kind == "STATIC" else "libcust_opapi.so"
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    assert files == {
        f"lib/{name}",
        "lib/cmake/mine/mine-config.cmake",
        "include/aclnn_scale_add.h",
        "include/aclnn_accumulate.h",
        "include/aclnn_list_scale.h",
    }
    program = build_program(
        tmp_path / "program", environment, "-DFIND=mine", f"-DCMAKE_PREFIX_PATH={installed}"
    )
    assert "test pass" in run(program, env=environment)


def test_a_definition_that_changes_changes_the_functions(tmp_path, environment):
    project = tmp_path / "source"
    shutil.copytree(HERE / "project", project)
    folder = tmp_path / "b"
    configure(project, folder, environment, "-DTYPE=RUN", "-Dvendor_name=mine")
    build(folder, environment, "binary")
    header = folder / "autogen/aclnn_scale_add.h"
    assert "double scaleFactor" in header.read_text()
    source = project / "op_host/scale_add.cpp"
    source.write_text(source.read_text().replace('"scale_factor"', '"factor"'))
    build(folder, environment, "binary")
    assert "double factor" in header.read_text()
    # An operator that is gone takes its functions with it.
    (project / "op_host/accumulate.cpp").unlink()
    configure(project, folder, environment)
    build(folder, environment, "binary")
    assert not (folder / "autogen/aclnn_accumulate.cpp").exists()
    library = bascule.load(folder / "npu_op/mine/lib/libcust_opapi.so")
    assert [op["name"] for op in library.manifest["operators"]] == ["list_scale", "scale_add"]


@pytest.mark.parametrize(
    "edits, settings, says",
    [
        (
            {},
            ["-DTYPE=RUN", "-DASCEND_COMPUTE_UNIT=ascend310p"],
            "bascule runs operators for ascend910b",
        ),
        ({}, ["-DTYPE=ZIP"], "TYPE is RUN, SHARED or STATIC, not 'ZIP'"),
        ({}, ["-DTYPE=RUN", "-DENABLE_CROSS_COMPILE=True"], "cross-compilation is not supported"),
        (
            {"op_host/scale_add.cpp": ("OP_ADD(ScaleAdd)", "OP_ADD(ScaleSub)")},
            ["-DTYPE=RUN"],
            "op_host/scale_add.cpp does not compile",
        ),
        (
            {"op_host/CMakeLists.txt": ("cust_optiling TILING", "cust_optiling TILES")},
            ["-DTYPE=RUN"],
            "the type is TILING, ACLNN, GRAPH, TF_PLUGIN or ONNX_PLUGIN, not 'TILES'",
        ),
        (
            {"op_host/CMakeLists.txt": ("LIBRARY cust_optiling", "LIBRARY no_such")},
            ["-DTYPE=RUN"],
            "no_such was not made by npu_op_library",
        ),
    ],
)
def test_what_cannot_be_is_said_when_configuring(tmp_path, environment, edits, settings, says):
    project = tmp_path / "source"
    shutil.copytree(HERE / "project", project)
    for name, (old, new) in edits.items():
        text = (project / name).read_text()
        assert old in text
        (project / name).write_text(text.replace(old, new))
    said = configure(project, tmp_path / "b", environment, "-Dvendor_name=mine", *settings, code=1)
    assert says in " ".join(said.split())


@pytest.mark.parametrize(
    "name, old, new, says",
    [
        (
            "op_kernel/CMakeLists.txt",
            "LIBRARY ascendc_kernels",
            "FILES CMakeLists.txt",
            "has no kernels",
        ),
        ("op_host/CMakeLists.txt", "LIBRARY cust_optiling", "LIBRARY", "has no host sources"),
        ("op_kernel/CMakeLists.txt", "in_place.cpp", "elsewhere.cpp", "elsewhere.cpp"),
    ],
)
def test_what_cannot_be_is_said_when_building(tmp_path, environment, name, old, new, says):
    project = tmp_path / "source"
    shutil.copytree(HERE / "project", project)
    text = (project / name).read_text()
    assert old in text
    (project / name).write_text(text.replace(old, new))
    folder = tmp_path / "b"
    configure(project, folder, environment, "-DTYPE=RUN", "-Dvendor_name=mine")
    assert says in build(folder, environment, "binary", code=2)


def test_the_program_behind_it_says_how_it_is_used():
    said = run(bascule.prefix() / "bin/bascule-npu-op", code=2)
    assert said.startswith("usage: bascule-npu-op generate SETTINGS")
    said = run(bascule.prefix() / "bin/bascule-npu-op", "build", os.devnull + "/x", code=1)
    assert said.startswith("bascule: ")

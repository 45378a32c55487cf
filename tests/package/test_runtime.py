# SPDX-License-Identifier: Apache-2.0
"""Where a library finds the runtime in a process without bascule, and what it says."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import bascule
from bascule import _native

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
RIGHT = "4 10 18"
RUNTIME = bascule.prefix() / "lib/libbascule.so"


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """host(library…, VARIABLE=value): the lines of runtime_host.cpp, in an empty environment."""
    program = tmp_path_factory.mktemp("host") / "host"
    source = HERE / "runtime_host.cpp"
    subprocess.run(
        ["g++", "-std=c++17", "-O1", source, "-o", program, "-ldl", "-pthread"], check=True
    )

    def run(*libraries, **environment):
        result = subprocess.run(
            [program, *libraries], capture_output=True, text=True, env=environment, timeout=60
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """built(static): libmy_mul.so, its prefix a folder of its own that a test may take away."""
    folder = tmp_path_factory.mktemp("built")
    prefix = folder / "prefix"
    prefix.mkdir()
    for name in ("include", "lib"):
        (prefix / name).symlink_to(bascule.prefix() / name)
    done = {}

    def build(static):
        if static not in done:
            output = folder / ("static" if static else "plain") / "libmy_mul.so"
            options = {"output": str(output), "prefix": str(prefix), "static": static}
            _native.build(str(TREE / "operators/my_mul"), json.dumps(options))
            done[static] = output
        return done[static]

    build.prefix = prefix
    return build


@pytest.fixture
def gone(built):
    """Both libraries are built, and the installation is gone while the test runs."""
    built(False), built(True)
    away = built.prefix.with_name("away")
    built.prefix.rename(away)
    yield built.prefix
    away.rename(built.prefix)


@pytest.fixture
def older(tmp_path):
    """A runtime of the time before there was an aot call."""
    source = tmp_path / "older.c"
    source.write_text(
        "#include <stdint.h>\n"
        "struct { uint32_t bytes, version; const void* kernel; const char* text; } api =\n"
        '    {24, 0, 0, "0.0.1"};\n'
        "const void* bascule_runtime_v1(void) { return &api; }\n"
    )
    path = tmp_path / "libbascule.so"
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", path], check=True)
    return path


def test_where_it_was_built_and_elsewhere(built, host, tmp_path):
    assert host(built(False)) == [RIGHT, "1"]
    moved = tmp_path / "moved.so"
    shutil.copyfile(built(False), moved)
    assert host(moved) == [RIGHT, "1"]


def test_missing(built, host, gone):
    library = built(False)
    not_there = "cannot open shared object file: No such file or directory"
    beside, installed = library.with_name("libbascule.so"), gone / "lib/libbascule.so"
    lines = [
        "my_mul: the bascule runtime was not found. Tried:",
        "  already in the process: no",
        "  BASCULE_RUNTIME: not set",
        f"  beside this library: {beside}: {beside}: {not_there}",
        f"  where bascule was installed: {installed}: {installed}: {not_there}",
        "Install bascule (pip install bascule), or set BASCULE_RUNTIME to its libbascule.so; "
        "`bascule prefix` prints where it lies.",
        "0",
    ]
    assert host(library) == lines
    lines[2] = f"  BASCULE_RUNTIME: /nowhere.so: /nowhere.so: {not_there}"
    assert host(library, BASCULE_RUNTIME="/nowhere.so") == lines
    lines[2] = "  BASCULE_RUNTIME: libm.so.6: loaded, and has no bascule_runtime_v1"
    assert host(library, BASCULE_RUNTIME="libm.so.6") == lines


def test_named_and_beside(built, host, gone, tmp_path):
    assert host(built(False), BASCULE_RUNTIME=str(RUNTIME)) == [RIGHT, "1"]
    for path in (built(False), RUNTIME):
        shutil.copyfile(path, tmp_path / path.name)
    assert host(tmp_path / "libmy_mul.so") == [RIGHT, "1"]


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("variable", ["BASCULE_RUNTIME", "LD_PRELOAD"])
def test_older(built, host, older, static, variable):
    assert host(built(static), **{variable: str(older)}) == [
        f"my_mul: the bascule runtime 0.0.1 at {older}, the first in this process, is older than "
        "this library; install the bascule that the library was built with, or build it again",
        "1",
    ]


def test_self_contained(built, host, gone, tmp_path):
    static, plain = built(True), built(False)
    assert host(static) == [RIGHT, "1"]
    assert host(static, BASCULE_RUNTIME=str(RUNTIME)) == [RIGHT, "1"]
    # What cannot be found is there once another library has brought it.
    assert host(static, plain) == [RIGHT, RIGHT, "1"]
    assert json.loads(_native.manifest_read(str(static)))["runtime"] == bascule.__version__
    assert bascule.load(static).path == static


def test_one_pool(built, host, tmp_path):
    """However many libraries bring or find a runtime, and in whichever order, there is one."""
    libraries = [built(True), built(False)]
    for number in range(3):
        libraries.append(tmp_path / f"lib{number}.so")
        shutil.copyfile(built(True), libraries[-1])
    assert host(*libraries) == [RIGHT] * 5 + ["1"]
    assert host(*reversed(libraries)) == [RIGHT] * 5 + ["1"]
    copies = libraries[2:]
    for _ in range(20):
        assert host(*copies, THREADS="1") == [RIGHT] * 3 + ["1"]


def test_static_needs_a_runtime(tmp_path):
    options = {
        "output": str(tmp_path / "libmy_mul.so"),
        "prefix": str(tmp_path),
        "static": True,
        "include_dirs": [str(bascule.prefix() / "include")],
    }
    with pytest.raises(bascule.BuildError) as error:
        _native.build(str(TREE / "operators/my_mul"), json.dumps(options))
    assert str(error.value) == (
        f"the option static needs the runtime, and {tmp_path}/lib/libbascule.so is none; give its "
        "installation with the option prefix (`bascule prefix`)"
    )


def test_static_is_not_for_lone_kernels(tmp_path):
    kernel = TREE / "tests/kernels/lone.cpp"
    options = {
        "output": str(tmp_path / "liblone.so"),
        "prefix": str(bascule.prefix()),
        "static": True,
    }
    with pytest.raises(bascule.Unsupported) as error:
        _native.build(str(kernel), json.dumps(options))
    assert str(error.value) == (
        "lone.cpp is a lone kernel: the build options static and plans are for projects"
    )

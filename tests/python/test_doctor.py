# SPDX-License-Identifier: Apache-2.0
"""`bascule doctor`: every finding, word for word, and that nothing of the library runs."""

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import bascule
from bascule import search
from bascule.commands import doctor

TREE = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch, tmp_path):
    for name in doctor.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(search, "_entry_points", list)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def library(tmp_path):
    """library("x", text, flags…) compiles C to libx.so; `manifest` and `headers` add notes."""

    def note(kind, *lines):
        return "\n".join(
            ['.section .note.bascule, "a", %note', ".balign 4", f".long 8, 2f - 1f, {kind}"]
            + ['.asciz "bascule"', "1:", *lines, "2: .balign 4", ""]
        )

    def make(name, text, *flags, manifest=None, headers=None):
        path = tmp_path / f"lib{name}.so"
        sources = [tmp_path / f"{name}.c"]
        sources[0].write_text(text)
        notes = []
        if manifest is not None:
            data = manifest if isinstance(manifest, str) else json.dumps(manifest)
            notes.append(note(1, ".byte " + ",".join(map(str, data.encode()))))
        if headers is not None:
            notes.append(note(2, f".long {headers}"))
        for number, lines in enumerate(notes):
            sources.append(tmp_path / f"{name}{number}.s")
            sources[-1].write_text(lines)
        command = ["gcc", "-shared", "-fPIC", "-w", "-o", path, *sources, *flags]
        subprocess.run(command, check=True)
        return path

    return make


def operator(name="my_mul", **members):
    parameter = {"name": "x", "kind": "required", "dtypes": ["float32"], "formats": ["ND"]}
    return {
        "name": name,
        "type": "MyMul",
        "inputs": [parameter],
        "outputs": [parameter],
        "attributes": [],
        "columns": 1,
        "kernels": [],
        "gradient": None,
        **members,
    }


def manifest(*operators, **members):
    return {
        "manifest": 1,
        "bascule": "0.1.0",
        "library_abi": 1,
        "kernel_abi": 1,
        "source_hash": "",
        "operators": list(operators),
        **members,
    }


EXPORTS = "int bascule_library_v1(void) { return 0; }\nint my_mul(void) { return 0; }\n"


def finding(target, name):
    """(status, text, todo) of one check; the report's verdict fits it."""
    report = doctor.examine(str(target))
    assert report["ok"] == all(c["status"] != "failed" for c in report["checks"])
    (found,) = [c for c in report["checks"] if c["check"] == name]
    return found["status"], found["text"], found["todo"]


def test_order_and_nothing_runs(built, tmp_path, monkeypatch):
    """The whole list, for a library whose code and gradient would leave a file behind."""
    project = tmp_path / "my_mul"
    shutil.copytree(TREE / "operators/my_mul", project, ignore=shutil.ignore_patterns("build_out"))
    trace = tmp_path / "trace"
    gradient = project / "gradient.py"
    gradient.write_text(gradient.read_text() + f'\nopen("{trace}", "w").write("gradient")\n')
    kernel = project / "op_kernel/my_mul.cpp"
    kernel.write_text(
        kernel.read_text()
        + "#include <stdio.h>\n#include <stdlib.h>\n"
        + '__attribute__((constructor)) static void Run() {\n  if (getenv("TRACE") != nullptr) '
        + 'fclose(fopen(getenv("TRACE"), "w"));\n}\n'
    )
    path = built(project)
    monkeypatch.setenv("TRACE", str(trace))
    result = subprocess.run(
        [sys.executable, "-m", "bascule", "doctor", path, "--json"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert [c["check"] for c in report["checks"]] == [
        "found",
        "readable",
        "machine",
        "dependencies",
        "symbols",
        "manifest",
        "version",
        "shadowed",
        "platform",
        "c++ runtime",
    ]
    assert {c["status"] for c in report["checks"]} == {"ok"}
    assert report["kind"] == "operators"
    assert not trace.exists()
    subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL('{path}')"], check=True)
    assert trace.exists()  # the library would have left it


def test_a_small_library_that_is_fine(library):
    path = library("fine", EXPORTS, "-nostdlib", manifest=manifest(operator()))
    assert finding(path, "readable") == ("ok", "an ELF shared library", "")
    assert finding(path, "machine") == ("ok", "for this processor", "")
    assert finding(path, "dependencies") == ("ok", "it needs no library", "")
    version = f"built by bascule 0.1.0; this runtime is {bascule.__version__}"
    assert finding(path, "version") == ("ok", version, "")
    assert finding(path, "c++ runtime") == ("ok", "it needs no version", "")


def test_headers_that_are_gone(tmp_path):
    """An installation without headers, in a process of its own."""
    here = Path(bascule.__file__).parent
    shutil.copytree(here, tmp_path / "bascule", ignore=shutil.ignore_patterns("include", "lib64"))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BASCULE_")}
    result = subprocess.run(
        [sys.executable, "-m", "bascule", "doctor", "--json"],
        env={**environment, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1, result.stderr
    (found,) = [c for c in json.loads(result.stdout)["checks"] if c["check"] == "headers"]
    assert found == {
        "check": "headers",
        "status": "failed",
        "text": "the Ascend C headers of bascule were not found. Looked in:\n"
        f"  {tmp_path}/bascule/include (the folder of the runtime)\n"
        "Install bascule (pip install bascule), or set BASCULE_PREFIX to what `bascule prefix` "
        "prints",
        "todo": "Install bascule again: `pip install bascule`.",
    }


def test_found(tmp_path):
    path = tmp_path / "libx.so"
    assert finding(path, "found") == (
        "failed",
        f"{path} does not exist",
        "Build it with `bascule build PROJECT`, or correct the path.",
    )
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_mul")
    assert finding("my_mul", "found") == (
        "failed",
        str(error.value),
        "Give a path, or set BASCULE_PATH to the library's folder.",
    )


def test_found_in_a_folder_that_others_may_write(tmp_path, write_manifest, monkeypatch):
    path = write_manifest(tmp_path / "a/libmy_mul.so", ["my_mul"])
    path.parent.chmod(0o777)
    assert finding(path, "trusted") == (
        "failed",
        f"loading it is refused: everybody may write to {path.parent}, so somebody else could "
        "have put it there",
        f"Move it, or `chmod go-w {path.parent}`.",
    )
    monkeypatch.setenv("BASCULE_PATH", str(path.parent))
    assert finding("my_mul", "found") == (
        "failed",
        f"the operator library {path} is refused: everybody may write to {path.parent}, so "
        f"somebody else could have put it there; move it, or `chmod go-w {path.parent}`",
        "",
    )


def test_readable(tmp_path, library):
    path = tmp_path / "libx.so"
    again = "Build the library again, or copy it again."
    path.write_text("text")
    assert finding(path, "readable") == ("failed", f"{path} is not an ELF file", again)
    path.unlink()
    path.symlink_to(path)
    assert finding(path, "readable") == (
        "failed",
        f"{path} cannot be read: Too many levels of symbolic links",
        again,
    )
    path.unlink()
    subprocess.run(["truncate", "-s", "4000", library("x", EXPORTS)], check=True)
    assert finding(path, "readable") == (
        "failed",
        f"{path} is damaged: a segment ends beyond the end of the file; the file is cut off",
        again,
    )
    source = tmp_path / "object.c"
    source.write_text("int x;")
    subprocess.run(["gcc", "-c", "-o", path, source], check=True)
    assert finding(path, "readable") == (
        "failed",
        f"{path} is an ELF file, and no shared library",
        "Link it with -shared.",
    )


def test_machine(tmp_path, write_manifest):
    path = write_manifest(tmp_path / "libx.so", machine=247)
    this = {"x86_64": "x86-64", "aarch64": "AArch64"}[os.uname().machine]
    assert finding(path, "machine") == (
        "failed",
        f"{path} is made for machine number 247; this process runs on {this}",
        "Build it on this machine: `bascule build PROJECT`.",
    )
    checks = [c["check"] for c in doctor.examine(str(path))["checks"]]
    assert checks == ["found", "readable", "machine"]


def test_dependencies(library, tmp_path, monkeypatch):
    dep = library("dep", "int dep(void) { return 1; }", "-Wl,-soname,libdep_of_x.so")
    path = library("x", "int dep(void); int x(void) { return dep(); }", dep)
    status, text, todo = finding(path, "dependencies")
    assert status == "failed"
    assert text.startswith(f"libdep_of_x.so, which {path} needs, was not found. Looked in /lib/")
    assert text.endswith(", /usr/lib, /etc/ld.so.cache")
    assert todo == "Install the package that holds it, or add its folder to LD_LIBRARY_PATH."

    (tmp_path / "libs").mkdir()
    dep.rename(tmp_path / "libs/libdep_of_x.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "libs"))
    assert finding(path, "dependencies")[:2] == ("ok", "found: libdep_of_x.so")
    monkeypatch.delenv("LD_LIBRARY_PATH")
    path = library(
        "x",
        "int dep(void); int x(void) { return dep(); }",
        f"-L{tmp_path}/libs",
        "-l:libdep_of_x.so",
        "-Wl,-rpath,$ORIGIN/libs",
    )
    assert finding(path, "dependencies")[:2] == ("ok", "found: libdep_of_x.so")


def test_undefined_symbols(library):
    todo = "Link the library that defines it; with -Wl,-z,defs the linker tells in time."
    path = library("x", "int nowhere(void); int x(void) { return nowhere(); }")
    assert finding(path, "dependencies") == (
        "failed",
        "undefined symbol nowhere: neither it nor a library it needs defines it",
        todo,
    )
    path = library("x", "int a(void), b(void); int x(void) { return a() + b(); }")
    assert finding(path, "dependencies") == (
        "failed",
        "undefined symbols a, b: neither it nor a library it needs defines them",
        todo,
    )


def test_symbols_of_an_operator_library(library, tmp_path):
    path = library("x", EXPORTS, manifest=manifest(operator("my_mul"), operator("my_add")))
    assert finding(path, "symbols") == (
        "failed",
        "it has a manifest and does not export my_add",
        "Build the library again with `bascule build`, and do not filter its symbols.",
    )
    path = library("x", EXPORTS, manifest=manifest(operator()))
    assert finding(path, "symbols") == ("ok", "operators: my_mul", "")
    assert finding(f"{path}:my_mul", "symbols") == ("ok", "operators: my_mul", "")
    assert finding(f"{path}:my_mul_kernel", "symbols") == (
        "failed",
        "it has no operator my_mul_kernel. It has operators: my_mul",
        "Was my_mul meant?",
    )
    assert finding(f"{path}:sum", "symbols") == (
        "failed",
        "it has no operator sum. It has operators: my_mul",
        f"Name one of those it has, as in {path}:my_mul.",
    )


def remove_section_headers(path):
    data = bytearray(path.read_bytes())
    data[40:48] = bytes(8)  # e_shoff
    data[60:64] = bytes(4)  # e_shnum, e_shstrndx
    path.write_bytes(data)


@pytest.mark.parametrize("described", [True, False])
def test_symbols_without_section_headers(library, described):
    path = library("x", EXPORTS, manifest=manifest(operator()) if described else None)
    remove_section_headers(path)
    assert finding(path, "symbols") == (
        "warning",
        "its section headers are gone, so its symbols cannot be read",
        "Keep them: `strip --strip-unneeded` does.",
    )


def test_kernels_and_functions_are_told_apart(library, lone_path):
    status, text, _ = finding(lone_path, "symbols")
    assert status == "ok"
    assert text.startswith("kernels: ")
    assert finding(lone_path, "manifest") == ("ok", "none: a library of lone kernels", "")
    assert finding(lone_path, "version") == ("ok", "kernel headers of version 1", "")

    functions = "int f(void) { return 0; } int fInferShape(void) { return 0; }\n"
    path = library("x", functions + "int g(void) { return 0; }")
    assert finding(path, "symbols") == (
        "ok",
        "aot functions: f; other functions: fInferShape, g",
        "",
    )
    assert finding(path, "manifest") == (
        "ok",
        "none: a library of functions, for MindSpore's aot kind only",
        "",
    )
    assert finding(f"{path}:", "found")[:2] == (
        "failed",
        f"'{path}:' names no operator library; expected a name, a path, or either with ':symbol'",
    )
    lost = library("y", "int bascule_library_v1(void) { return 0; }")
    assert finding(lost, "manifest") == (
        "failed",
        "none, though it exports bascule_library_v1 as operator libraries do",
        "Build the library again, or copy it again.",
    )
    assert finding(f"{path}:g_kernel", "symbols") == (
        "failed",
        "it has no function g_kernel. It has aot functions: f; other functions: fInferShape, g",
        "Was g meant?",
    )
    assert finding(library("x", "static int x;"), "symbols") == (
        "failed",
        "it exports no function",
        'Declare the kernel extern "C" __global__ __aicore__, with default visibility.',
    )


def test_kernel_headers(library):
    path = library("x", "int f(void) { return 0; }", headers=1)
    assert finding(path, "manifest") == (
        "warning",
        "none, and no function is declared __global__ __aicore__, so there is no kernel to launch",
        'Declare the kernel extern "C" __global__ __aicore__.',
    )
    path = library("x", "int f(void) { return 0; }", headers=99)
    assert finding(path, "version") == (
        "failed",
        "it was built with kernel headers of version 99; this runtime knows 1",
        "Update bascule: `pip install --upgrade bascule`.",
    )


GRADIENT = {"kind": "python", "function": "f", "text": "x = 1\n", "hash": "0"}


@pytest.mark.parametrize(
    ("damaged", "text"),
    [
        ("{", "{path} is damaged: its manifest cannot be read"),
        (
            {"manifest": 1, "operators": []},
            "the manifest is damaged: library_abi is missing",
        ),
        (
            manifest(operator(columns=2)),
            "the manifest is damaged: operators[0].inputs[0].dtypes has to be a list of 2 texts",
        ),
        (manifest(3), "the manifest is damaged: operators[0] is no object"),
        (
            manifest(operator(attributes=[{"name": 1}])),
            "the manifest is damaged: operators[0].attributes[0].name is number, and has to be "
            "string",
        ),
        (
            manifest(operator(gradient=GRADIENT)),
            "the manifest is damaged: operators[0].gradient.text does not have the hash that "
            "operators[0].gradient.hash says",
        ),
        (
            manifest(operator(gradient=1)),
            "the manifest is damaged: operators[0].gradient has to be an object or null",
        ),
    ],
)
def test_manifest(library, damaged, text):
    path = library("x", EXPORTS, manifest=damaged)
    assert finding(path, "manifest") == (
        "failed",
        text.replace("{path}", str(path)),
        "Build the library again.",
    )


def test_damaged_notes(library):
    path = library("x", EXPORTS, manifest=manifest(operator()))
    content = bytearray(path.read_bytes())
    header = content.index(b"bascule\0") - 12  # name length, length, type
    content[header + 4 : header + 8] = b"\xff" * 4
    path.write_bytes(content)
    assert finding(path, "manifest") == (
        "failed",
        f"{path} is damaged: a note is longer than its segment",
        "Build the library again.",
    )


def test_version(library):
    path = library("x", EXPORTS, manifest=manifest(operator(), manifest=2, bascule="9.0.0"))
    assert finding(path, "version") == (
        "failed",
        f"{path} was built by bascule 9.0.0, which is newer than this one; update bascule, or "
        "build the library again",
        "Update bascule (`pip install --upgrade bascule`), or build the library again with this "
        "version.",
    )
    path = library("x", EXPORTS, manifest=manifest(operator(), library_abi=2, bascule="9.0.0"))
    assert finding(path, "version") == (
        "failed",
        f"'{path}' was built with bascule 9.0.0, which is newer than this runtime "
        f"({bascule.__version__}). Install that version, or build the library again.",
        "Update bascule: `pip install --upgrade bascule`.",
    )


def test_shadowed(tmp_path, write_manifest, library, monkeypatch):
    path = library("my_mul", EXPORTS, manifest=manifest(operator()))
    assert finding(path, "shadowed") == (
        "ok",
        "no other library has its name or its operators",
        "",
    )
    other = write_manifest(tmp_path / "a/libmy_mul.so", ["my_add"])
    third = write_manifest(tmp_path / "a/libops.so", ["my_mul"])
    monkeypatch.setenv("BASCULE_PATH", f"{tmp_path}/a")
    assert finding(path, "shadowed") == (
        "warning",
        f"{other} has the same name (BASCULE_PATH); {third} has an operator my_mul, too "
        "(BASCULE_PATH)",
        f"Name the one you mean by its path, {path}, or take the others out of BASCULE_PATH.",
    )


def test_shadowed_by_a_link_to_nothing(tmp_path, library, monkeypatch):
    (tmp_path / "libgone.so").symlink_to("nowhere")
    monkeypatch.setenv("BASCULE_PATH", str(tmp_path))
    assert finding(library("x", "int f(void) { return 0; }"), "shadowed")[0] == "ok"


def test_platform(library):
    path = library("x", EXPORTS, manifest=manifest(operator(socs=["ascend310p"])))
    assert finding(path, "platform") == (
        "warning",
        "my_mul: its OpDef names no processor of the ascend910 family",
        'Here it runs as on Ascend910B; add AddConfig("ascend910b") if it is meant to.',
    )
    path = library("x", EXPORTS, manifest=manifest(operator(socs=["ascend910b"])))
    assert finding(path, "platform") == ("ok", "Ascend910B", "")


def test_newer_runtime_than_there_is(library, tmp_path, monkeypatch):
    def dependency(*versions):
        script = tmp_path / "versions.map"
        parts, before = [], ""
        for version in versions:
            parts.append(
                f"{version} {{ global: {'dep; local: *;' if not before else ''} }} {before};"
            )
            before = version
        if len(versions) > 1:
            parts[0] = f"{versions[0]} {{ local: *; }};"
            parts[-1] = f"{versions[-1]} {{ global: dep; }} {versions[-2]};"
        script.write_text("\n".join(parts))
        return library(
            "dep_of_y",
            "int dep(void) { return 1; }",
            f"-Wl,--version-script={script}",
            "-Wl,-soname,libdep_of_y.so",
        )

    dep = dependency("DEP_1.9", "DEP_1.10")
    path = library("y", "int dep(void); int y(void) { return dep(); }", dep)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    status, text, todo = finding(path, "c++ runtime")
    assert (status, todo) == ("ok", "")
    assert text.startswith("needs at most DEP_1.10")
    dependency("DEP_1.8", "DEP_1.9")
    assert finding(path, "c++ runtime") == (
        "failed",
        f"it needs DEP_1.10 of libdep_of_y.so; the one of this process, {dep}, has DEP_1.9 at most",
        "Build the library on this machine, or one as old; or put a newer one in front: "
        "LD_LIBRARY_PATH, `conda install libstdcxx-ng`.",
    )


def test_project(built, tmp_path):
    project = tmp_path / "my_mul"
    shutil.copytree(TREE / "operators/my_mul", project, ignore=shutil.ignore_patterns("build_out"))
    (project / "op_kernel/my_mul.cpp").unlink()
    report = doctor.examine(str(project))
    assert report["ok"] is False
    (only,) = report["checks"]
    assert only["text"].startswith("operator my_mul has no kernel file. Looked for:")
    assert (only["check"], only["todo"]) == ("build", "Mend it and build again.")


# --- the installation


def installed(name):
    (found,) = [c for c in doctor.examine_installation()["checks"] if c["check"] == name]
    return found["status"], found["text"], found["todo"]


def test_installation(capsys):
    report = doctor.examine_installation()
    assert report["ok"]
    assert [c["check"] for c in report["checks"]][:5] == [
        "bascule",
        "prefix",
        "compiler",
        "binutils",
        "headers",
    ]
    doctor.show(report)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok       bascule ")
    assert "\033" not in lines[0]


def program(folder, name, *lines):
    path = folder / name
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def test_compiler_and_binutils(tmp_path, monkeypatch):
    todo = "Only `bascule build` needs it; libraries that are built load without."
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed("compiler") == (
        "failed",
        "no C++ compiler was found. Looked for g++, clang++, c++ in PATH. Install one: `apt-get "
        "install g++` (Debian, Ubuntu), `dnf install gcc-c++` (Fedora), or set CXX",
        todo,
    )
    program(tmp_path, "g++", 'case "$1" in --version) echo "g++ 10.2.1";; *) echo 10;; esac')
    assert installed("binutils") == (
        "failed",
        "the program ld was not found in PATH; it belongs to GNU binutils: `apt-get install "
        "binutils` or `dnf install binutils`",
        todo,
    )
    program(tmp_path, "ld")
    program(tmp_path, "objcopy")
    assert installed("compiler") == (
        "failed",
        "g++ 10.2.1 is too old: version 11 or later is needed",
        "Install g++ 11 or clang 14 or later, and set CXX to it.",
    )
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert installed("compiler")[1].startswith(
        'the compiler "no-such-compiler" from CXX was not found. Install one: '
    )


def test_frameworks(monkeypatch):
    versions = {"torch": "2.9.1", "numpy": "2.1.0", "mindspore": "2.10.0"}

    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)
    assert doctor.check_framework("torch") == doctor.check(
        "torch",
        "warning",
        "2.9.1 is too old: bascule.torch needs 2.10 or later",
        "pip install --upgrade 'bascule[torch]'",
    )
    assert doctor.check_framework("mindspore") == doctor.check(
        "mindspore",
        "warning",
        "2.10.0, with NumPy 2.1.0: MindSpore computes gradients with NumPy 1 only",
        "pip install 'numpy<2'",
    )
    versions.pop("torch")
    assert doctor.check_framework("torch") == doctor.check(
        "torch",
        "ok",
        "not installed",
        "Only needed for bascule.torch: pip install 'bascule[torch]'.",
    )
    versions.update(mindspore="2.10.0", numpy="1.26.4")
    assert doctor.check_framework("mindspore") == doctor.check("mindspore", "ok", "2.10.0")


def test_environment(monkeypatch, tmp_path, write_manifest):
    monkeypatch.setenv("BASCULE_RUNTIME", f"{tmp_path}/libbascule.so")
    assert installed("BASCULE_RUNTIME") == (
        "failed",
        f"{tmp_path}/libbascule.so does not exist, so libraries that frameworks load find no "
        "runtime there",
        "Unset it, or set it to PREFIX/lib/libbascule.so; `bascule prefix` prints PREFIX.",
    )
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", "/opp/vendors")
    assert installed("ASCEND_CUSTOM_OPP_PATH") == (
        "ok",
        "/opp/vendors (not searched: what lies there is built for NPUs)",
        "",
    )
    write_manifest(tmp_path / "a/libops.so")
    for value, expected in (
        (f"{tmp_path}/a", ("ok", f"{tmp_path}/a: libops.so", "")),
        (f"{tmp_path}/b", ("warning", f"{tmp_path}/b is no folder", "Correct it.")),
        ("lib", ("warning", "'lib' is not absolute, and was ignored", "")),
    ):
        monkeypatch.setenv("BASCULE_PATH", value)
        assert installed("BASCULE_PATH") == expected


def test_command(tmp_path, library):
    path = library("x", EXPORTS, manifest=manifest(operator("my_add")))
    command = [sys.executable, "-m", "bascule", "doctor", path]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert f"ok       found         {path}, {path.stat().st_size} bytes" in lines
    at = lines.index("FAILED   symbols       it has a manifest and does not export my_add")
    assert lines[at + 1].strip() == (
        "-> Build the library again with `bascule build`, and do not filter its symbols."
    )
    as_json = subprocess.run([*command, "--json"], capture_output=True, text=True)
    assert as_json.returncode == 1
    report = json.loads(as_json.stdout)
    assert report["ok"] is False
    assert report["target"] == str(path)

# SPDX-License-Identifier: Apache-2.0
"""The library search: its order, what it refuses, and what it says."""

import importlib.metadata
import os
import platform
import sys

import pytest

import bascule
from bascule import search


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    monkeypatch.delenv("BASCULE_PATH", raising=False)
    monkeypatch.delenv("BASCULE_NO_CWD", raising=False)
    monkeypatch.setattr(search, "_entry_points", list)
    monkeypatch.setattr(search, "_told", set())


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A way to make a folder with libraries in it: folders("a", libmy_mul=b"1")."""
    monkeypatch.chdir(tmp_path)

    def make(name, **libraries):
        folder = tmp_path / name
        folder.mkdir(mode=0o755, exist_ok=True)
        for stem, content in libraries.items():
            (folder / f"{stem}.so").write_bytes(content)
        return folder

    return make


def test_path_is_taken_relative_to_the_working_directory(folders):
    folder = folders("a", libmy_mul=b"1")
    found = search.find_library("./a/libmy_mul.so:my_mul")
    assert found == (folder / "libmy_mul.so", "my_mul", "the path given", ())
    assert search.find_library(str(folder / "libmy_mul.so")).symbol is None


def test_path_that_does_not_exist_says_what_is_there(folders):
    folder = folders("a", libmy_add=b"1")
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("a/libmy_mul.so")
    assert str(error.value) == (
        f"the operator library {folder}/libmy_mul.so does not exist: "
        "there is libmy_add.so, which has another name"
    )
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("nowhere/libx.so")
    path = folder.parent / "nowhere/libx.so"
    assert str(error.value) == f"the operator library {path} does not exist: no such folder"
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("./a")
    assert str(error.value) == f"the operator library {folder} is a folder"


def test_what_is_no_file(folders):
    folder = folders("a")
    (folder / "libgone.so").symlink_to("nowhere")
    (folder / "libdir.so").mkdir()
    os.mkfifo(folder / "libpipe.so")
    long = "x" * 300 + ".so"
    for name, what in {
        "libgone.so": "is a link to nowhere, where no file is",
        "libdir.so": "is a folder",
        "libpipe.so": "is not a regular file",
        long: "cannot be looked at: File name too long",
    }.items():
        with pytest.raises(search.LibraryNotFound) as error:
            search.find_library(f"a/{name}")
        assert str(error.value) == f"the operator library {folder}/{name} {what}"
        with pytest.raises(search.LibraryNotFound) as error:
            search.find_library(name, local=True, script=folder)
        assert f"  the folder of the calling script: {folder}: {name} {what}" in str(error.value)
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("a/libother.so")
    assert str(error.value) == (
        f"the operator library {folder}/libother.so does not exist: no library is there"
    )


def test_folder_that_may_not_be_read(folders, monkeypatch):
    folder = folders("a")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may read everything
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("a/libx.so")
    assert str(error.value) == (
        f"the operator library {folder}/libx.so does not exist: the folder may not be read"
    )


def test_interactive_session_has_no_script(folders):
    folders(".")
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_mul", local=True, script=None)
    assert (
        "  the folder of the calling script: none, the session is interactive"
        in str(error.value).splitlines()
    )


def test_order(folders, monkeypatch, tmp_path, capfd):
    named = folders("named", libmy_mul=b"1")
    script = folders("script", libmy_mul=b"1")
    folders(".", libmy_mul=b"1")

    def place():
        return search.find_library("my_mul", local=True, script=script).place

    monkeypatch.setenv("BASCULE_PATH", str(named))
    assert place() == "BASCULE_PATH"
    assert capfd.readouterr().err == ""

    monkeypatch.setenv("BASCULE_PATH", ":named:")  # empty and relative entries do not count
    assert place() == "the folder of the calling script"
    assert capfd.readouterr().err == (
        f"bascule: my_mul is {script}/libmy_mul.so (the folder of the calling script)\n"
    )

    assert place() == "the folder of the calling script"
    assert capfd.readouterr().err == ""  # told once

    (script / "libmy_mul.so").unlink()
    assert place() == "the working directory"
    assert capfd.readouterr().err == (
        f"bascule: my_mul is {tmp_path}/libmy_mul.so (the working directory)\n"
    )


def test_packages_are_searched_without_being_imported(folders, monkeypatch, tmp_path):
    package = tmp_path / "site" / "my_ops_for_test"
    (package / "lib").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "lib" / "libmy_mul.so").write_bytes(b"1")
    monkeypatch.syspath_prepend(str(package.parent))
    points = [
        importlib.metadata.EntryPoint("ops", "my_ops_for_test.lib", search.ENTRY_POINTS),
        importlib.metadata.EntryPoint("gone", "no_such_package", search.ENTRY_POINTS),
    ]
    monkeypatch.setattr(search, "_entry_points", lambda: points)

    found = search.find_library("libmy_mul.so:my_mul")
    assert found[:3] == (
        package / "lib" / "libmy_mul.so",
        "my_mul",
        "the package my_ops_for_test.lib",
    )
    assert "my_ops_for_test" not in sys.modules
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_add")
    assert str(error.value).splitlines() == [
        "no operator library called 'my_add' was found. Looked for libmy_add.so in:",
        "  BASCULE_PATH: not set",
        f"  the package my_ops_for_test.lib: {package}/lib: "
        "there is libmy_mul.so, which has another name",
        "  the package no_such_package: named by an entry point, and not found",
        "Give its path (a name with a '/'), or add its folder to BASCULE_PATH; `bascule build` "
        "makes a library from a kernel.",
    ]


def test_not_found_lists_every_place(folders, monkeypatch, tmp_path):
    folders("named", libmy_add=b"1", libother=b"1")
    folders("script")
    folders(".", liba=b"", libb=b"", libc=b"", libd=b"", libe=b"")
    monkeypatch.setenv("BASCULE_PATH", f"{tmp_path}/named:lib:{tmp_path}/gone")
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_mul", local=True, script=tmp_path / "script")
    assert str(error.value) == "\n".join(
        [
            "no operator library called 'my_mul' was found. Looked for libmy_mul.so in:",
            f"  BASCULE_PATH: {tmp_path}/named: there is libmy_add.so, which has another name",
            "  BASCULE_PATH: 'lib' is not absolute, and was ignored",
            f"  BASCULE_PATH: {tmp_path}/gone: no such folder",
            "  installed packages: none has an entry point 'bascule.libraries'",
            f"  the folder of the calling script: {tmp_path}/script: no library is there",
            f"  the working directory: {tmp_path}: not among the libraries there "
            "(liba.so, libb.so, libc.so, libd.so and 1 more)",
            "Give its path (a name with a '/'), or add its folder to BASCULE_PATH; "
            "`bascule build` makes a library from a kernel.",
        ]
    )


def test_local_places_only_on_request_and_not_when_turned_off(folders, monkeypatch, tmp_path):
    script = folders("script", libmy_add=b"1")
    folders(".", libmy_mul=b"1")
    looked = [
        "  BASCULE_PATH: not set",
        "  installed packages: none has an entry point 'bascule.libraries'",
    ]
    for name, where, path in (
        ("my_mul", "in the working directory", "./libmy_mul.so"),
        ("libmy_add.so", "beside the script", f"{script}/libmy_add.so"),
    ):
        with pytest.raises(search.LibraryNotFound) as error:
            search.find_library(name, script=script)
        assert str(error.value).splitlines() == [
            f"no operator library called {name!r} was found. Looked for {path.split('/')[-1]} in:",
            *looked,
            f"{path.split('/')[-1]} lies {where}, where only bascule.mindspore.Custom looks; give "
            f"its path: {path}",
        ]

    monkeypatch.setenv("BASCULE_NO_CWD", "1")
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_mul", local=True)
    assert str(error.value).splitlines() == [
        "no operator library called 'my_mul' was found. Looked for libmy_mul.so in:",
        *looked,
        "  the folder of the calling script: turned off by BASCULE_NO_CWD",
        "  the working directory: turned off by BASCULE_NO_CWD",
        "Give its path (a name with a '/'), or add its folder to BASCULE_PATH; `bascule build` "
        "makes a library from a kernel.",
    ]

    monkeypatch.setenv("BASCULE_NO_CWD", "0")
    assert search.find_library("my_mul", local=True, quiet=True).place == "the working directory"


@pytest.mark.parametrize("call", ["load('my_mul')", "Custom('my_mul')"])
def test_only_mindspores_custom_looks_in_the_working_directory(folders, call, tmp_path):
    folders(".", libmy_mul=b"1")
    with pytest.raises(search.LibraryNotFound, match=r"give its path: ./libmy_mul.so$"):
        eval(call, {"load": bascule.load, "Custom": bascule.Custom})


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o757])
def test_folder_that_everybody_may_write_is_refused(folders, mode):
    folder = folders("shared", libmy_mul=b"1")
    folder.chmod(mode)
    with pytest.raises(search.UntrustedLibrary) as error:
        search.find_library("./shared/libmy_mul.so")
    assert str(error.value) == (
        f"the operator library {folder}/libmy_mul.so is refused: everybody may write to {folder}, "
        f"so somebody else could have put it there; move it, or `chmod go-w {folder}`"
    )


def test_folder_above_counts_unless_sticky(folders, tmp_path):
    folder = folders("above")
    (folder / "below").mkdir(mode=0o755)
    (folder / "below" / "libmy_mul.so").write_bytes(b"1")
    folder.chmod(0o1777)
    search.find_library("./above/below/libmy_mul.so")
    folder.chmod(0o777)
    with pytest.raises(search.UntrustedLibrary, match=rf"everybody may write to {folder}, so"):
        search.find_library("./above/below/libmy_mul.so")


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_ownership(folders, monkeypatch, tmp_path):
    folder = folders("shared", libmy_mul=b"1")
    os.chown(folder, 0, 65533)
    folder.chmod(0o775)
    with pytest.raises(search.UntrustedLibrary) as error:
        search.find_library("./shared/libmy_mul.so")
    assert str(error.value) == (
        f"the operator library {folder}/libmy_mul.so is refused: the group 65533 may write to "
        f"{folder}, so somebody else could have put it there; move it, or `chmod go-w {folder}`"
    )

    folder.chmod(0o755)
    os.chown(folder, 65533, 0)
    search.find_library("./shared/libmy_mul.so")  # named by the user: his choice
    monkeypatch.chdir(folder)
    with pytest.raises(search.UntrustedLibrary) as error:
        search.find_library("my_mul", local=True)
    assert str(error.value) == (
        f"the operator library {folder}/libmy_mul.so is refused: the working directory {folder} "
        "belongs to another user; give the library's path if you trust it"
    )


def test_library_that_others_may_write_is_refused(folders):
    path = folders("a", libmy_mul=b"1") / "libmy_mul.so"
    path.chmod(0o666)
    with pytest.raises(search.UntrustedLibrary) as error:
        search.find_library("./a/libmy_mul.so")
    assert str(error.value) == (
        f"the operator library {path} is refused: everybody may write to it; `chmod go-w {path}` "
        "if you trust what it holds"
    )


def test_hidden_library_is_warned_about_when_it_differs(folders, monkeypatch, tmp_path):
    first = folders("first", libmy_mul=b"1")
    folders("same", libmy_mul=b"1")
    other = folders("other", libmy_mul=b"2")
    monkeypatch.setenv("BASCULE_PATH", f"{first}:{tmp_path}/same")
    search.find_library("my_mul")
    monkeypatch.setenv("BASCULE_PATH", f"{first}:{other}:{tmp_path}/gone")
    with pytest.warns(UserWarning) as warned:
        search.find_library("my_mul")
    assert [str(w.message) for w in warned] == [
        f"{first}/libmy_mul.so is used, and hides another library of the same name: "
        f"{other}/libmy_mul.so. Looked for libmy_mul.so in:\n"
        f"  BASCULE_PATH: {first}: this one is used\n"
        f"  BASCULE_PATH: {other}: there is one, too\n"
        f"  BASCULE_PATH: {tmp_path}/gone: no such folder\n"
        "  installed packages: none has an entry point 'bascule.libraries'"
    ]


def test_operator_of_a_library_with_another_name(tmp_path, monkeypatch, write_manifest):
    ops = write_manifest(tmp_path / "a/libops.so", ["my_add", "my_mul"])
    monkeypatch.setenv("BASCULE_PATH", f"{tmp_path}/a:{tmp_path}/b")
    assert search.find_library("my_mul")[:3] == (ops, "my_mul", "BASCULE_PATH")

    more = write_manifest(tmp_path / "b/libmore.so", ["my_mul"])
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_mul")
    assert str(error.value).splitlines() == [
        "no operator library called 'my_mul' was found. Looked for libmy_mul.so in:",
        f"  BASCULE_PATH: {tmp_path}/a: not among the libraries there (libops.so)",
        f"  BASCULE_PATH: {tmp_path}/b: not among the libraries there (libmore.so)",
        "  installed packages: none has an entry point 'bascule.libraries'",
        "Several libraries have an operator 'my_mul'; say which:",
        f"  {ops}:my_mul (BASCULE_PATH)",
        f"  {more}:my_mul (BASCULE_PATH)",
    ]

    own = write_manifest(tmp_path / "b/libmy_mul.so", ["my_mul"])
    with pytest.warns(UserWarning) as warned:
        assert search.find_library("my_mul").path == own
    assert [str(w.message) for w in warned] == [
        f"the operator 'my_mul' of {own} is used; there is another of that name in {ops}, {more}"
    ]


def test_what_is_found_and_cannot_be_opened_says_where_else(tmp_path, monkeypatch, write_manifest):
    monkeypatch.setenv("BASCULE_PATH", f"{tmp_path}/a:{tmp_path}/b")
    path = write_manifest(tmp_path / "a/libmy_mul.so", ["my_mul"], kernel_abi=99, bascule="9.0.0")
    looked = (
        "\nLooked for libmy_mul.so in:\n"
        f"  BASCULE_PATH: {tmp_path}/a: this one is used\n"
        f"  BASCULE_PATH: {tmp_path}/b: no such folder\n"
        "  installed packages: none has an entry point 'bascule.libraries'"
    )
    with pytest.raises(bascule.VersionMismatch) as error:
        bascule.load("my_mul")
    assert str(error.value) == (
        f"'{path}' was built with bascule 9.0.0, which is newer than this runtime "
        f"({bascule.__version__}). Install that version, or build the library again." + looked
    )

    other = "AArch64" if platform.machine() == "x86_64" else "x86-64"
    this = "x86-64" if platform.machine() == "x86_64" else "AArch64"
    write_manifest(path, ["my_mul"], machine=183 if other == "AArch64" else 62)
    with pytest.raises(bascule.BadLibrary) as error:
        bascule.Custom("my_mul")
    assert str(error.value) == f"{path} is made for {other}; this process runs on {this}" + looked


def test_name_that_differs_by_a_suffix(my_mul_path, monkeypatch):
    monkeypatch.setenv("BASCULE_PATH", str(my_mul_path.parent))
    places = list(search.search_places())
    with pytest.raises(bascule.OperatorNotFound) as error:
        bascule.Custom("my_mul:my_mul_kernel")
    assert str(error.value).splitlines()[:2] == [
        f"{my_mul_path} has no operator 'my_mul_kernel'. It has: my_mul. Was 'my_mul' meant?",
        "Looked for libmy_mul.so in:",
    ]
    with pytest.raises(search.LibraryNotFound, match=r"there is libmy_mul.so, which has another"):
        bascule.load("my_mul_kernel")
    assert [place.what for place in places] == ["BASCULE_PATH", "installed packages"]


@pytest.mark.parametrize("name", ["", ":my_mul", "my_mul:"])
def test_names_of_nothing(name):
    with pytest.raises(ValueError) as error:
        search.find_library(name)
    assert str(error.value) == (
        f"{name!r} names no operator library; expected a name, a path, or either with ':symbol'"
    )


@pytest.mark.parametrize("name", ["my mul", "-o"])
def test_malformed_names(name):
    with pytest.raises(ValueError) as error:
        search.find_library(name)
    assert str(error.value) == f"{name!r} cannot be the name of an operator library"


def test_script_folder(tmp_path):
    (tmp_path / "caller.py").write_text("from bascule import search\nseen = search.script_folder()")
    scope = {"__file__": str(tmp_path / "caller.py"), "__name__": "caller"}
    exec((tmp_path / "caller.py").read_text(), scope)
    assert scope["seen"] == tmp_path
    scope = {"__name__": "__main__"}  # as in an interactive session
    exec("from bascule import search\nseen = search.script_folder()", scope)
    assert scope["seen"] is None

# SPDX-License-Identifier: Apache-2.0
"""The library search: its order, what it refuses, and what it says."""

import importlib.metadata
import os
import sys

import pytest

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
    assert found == (folder / "libmy_mul.so", "my_mul", "the path given")
    assert search.find_library(str(folder / "libmy_mul.so")).symbol is None


def test_path_that_does_not_exist_says_what_is_there(folders):
    folder = folders("a", libmy_add=b"1")
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("a/libmy_mul.so")
    assert str(error.value) == (
        f"the operator library {folder}/libmy_mul.so does not exist: "
        "there is libmy_add.so, which has another name"
    )
    with pytest.raises(search.LibraryNotFound, match=r"nowhere/libx.so does not exist: no such"):
        search.find_library("nowhere/libx.so")
    with pytest.raises(search.LibraryNotFound, match=r"/a is a folder$"):
        search.find_library("./a")


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
    assert found == (package / "lib" / "libmy_mul.so", "my_mul", "the package my_ops_for_test.lib")
    assert "my_ops_for_test" not in sys.modules
    with pytest.raises(search.LibraryNotFound, match="no_such_package: named by an entry point"):
        search.find_library("my_add")


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


def test_local_places_only_on_request_and_not_when_turned_off(folders, monkeypatch):
    folders(".", libmy_mul=b"1")
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_mul")
    assert "working directory" not in str(error.value)

    monkeypatch.setenv("BASCULE_NO_CWD", "1")
    with pytest.raises(search.LibraryNotFound) as error:
        search.find_library("my_mul", local=True)
    assert "the working directory: turned off by BASCULE_NO_CWD" in str(error.value)

    monkeypatch.setenv("BASCULE_NO_CWD", "0")
    assert search.find_library("my_mul", local=True, quiet=True).place == "the working directory"


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
    with pytest.raises(search.UntrustedLibrary, match=r"the group \S+ may write to"):
        search.find_library("./shared/libmy_mul.so")

    folder.chmod(0o755)
    os.chown(folder, 65533, 0)
    search.find_library("./shared/libmy_mul.so")  # named by the user: his choice
    monkeypatch.chdir(folder)
    with pytest.raises(search.UntrustedLibrary, match="belongs to another user"):
        search.find_library("my_mul", local=True)


def test_hidden_library_is_warned_about_when_it_differs(folders, monkeypatch, tmp_path):
    first = folders("first", libmy_mul=b"1")
    folders("same", libmy_mul=b"1")
    other = folders("other", libmy_mul=b"2")
    monkeypatch.setenv("BASCULE_PATH", f"{first}:{tmp_path}/same")
    search.find_library("my_mul")
    monkeypatch.setenv("BASCULE_PATH", f"{first}:{other}:{other}")
    with pytest.warns(UserWarning) as warned:
        search.find_library("my_mul")
    assert [str(w.message) for w in warned] == [
        f"{first}/libmy_mul.so is used, and hides another library of the same name: "
        f"{other}/libmy_mul.so"
    ]


@pytest.mark.parametrize("name", ["", ":my_mul", "my_mul:", "my mul", "-o"])
def test_malformed_names(name):
    with pytest.raises(ValueError, match=r"names no operator library|cannot be the name"):
        search.find_library(name)


def test_script_folder(tmp_path):
    (tmp_path / "caller.py").write_text("from bascule import search\nseen = search.script_folder()")
    scope = {"__file__": str(tmp_path / "caller.py"), "__name__": "caller"}
    exec((tmp_path / "caller.py").read_text(), scope)
    assert scope["seen"] == tmp_path
    scope = {"__name__": "__main__"}  # as in an interactive session
    exec("from bascule import search\nseen = search.script_folder()", scope)
    assert scope["seen"] is None

# SPDX-License-Identifier: Apache-2.0
"""tools/setup.py: what it says when it cannot go on, and that it leaves alone what is there."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]


@pytest.fixture
def setup(monkeypatch):
    monkeypatch.syspath_prepend(TREE / "tools")
    spec = importlib.util.spec_from_file_location("bascule_setup", TREE / "tools/setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.delenv("FRAMEWORKS", raising=False)
    monkeypatch.delenv("PYTHON", raising=False)
    return module


def pretend_python(monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", version)


@pytest.fixture
def nothing_made(setup, monkeypatch):
    monkeypatch.setattr(setup, "python_version_of", lambda environment: None)


def test_without_root_missing_packages_are_one_line_to_copy(setup, monkeypatch):
    monkeypatch.setattr(setup, "missing_packages", lambda groups: ["libelf-dev", "libhwy-dev"])
    monkeypatch.setattr(setup.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    with pytest.raises(setup.SetupError, match="libelf-dev") as error:
        setup.set_up_system(["build"])
    assert str(error.value).splitlines()[-1].strip() == (
        "sudo apt-get install -y libelf-dev libhwy-dev"
    )


def test_a_package_is_missing_when_neither_it_nor_what_it_brings_is_there(setup, monkeypatch):
    monkeypatch.setattr(
        setup,
        "listed_packages",
        lambda groups: [
            ("no-such-package", []),
            ("no-such-shell", ["command", "sh"]),
            ("no-such-tool", ["command", "no-such-tool"]),
        ],
    )
    monkeypatch.setattr(setup, "command_works", lambda name: name == "sh")
    dpkg = subprocess.CompletedProcess([], 1, stdout="other installed\n")
    monkeypatch.setattr(setup.subprocess, "run", lambda *args, **kwargs: dpkg)
    assert setup.missing_packages(["build"]) == ["no-such-package", "no-such-tool"]


def test_groups_choose_packages(setup):
    assert "clang-tidy" not in dict(setup.listed_packages(["build", "test"]))
    assert "clang-tidy" in dict(setup.listed_packages(["lint"]))


def test_packages_of_another_architecture_are_unpacked_and_never_installed(
    setup, monkeypatch, tmp_path
):
    monkeypatch.setattr(
        setup,
        "listed_packages",
        lambda groups: [("no-such-package", []), ("libelf-dev:arm64", [])],
    )
    dpkg = subprocess.CompletedProcess([], 1, stdout="")
    monkeypatch.setattr(setup.subprocess, "run", lambda *args, **kwargs: dpkg)
    assert setup.missing_packages(["arm64"]) == ["no-such-package"]

    made = []
    monkeypatch.setattr(setup, "TREE", tmp_path)
    monkeypatch.setattr(setup.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(setup.sysroot, "make", lambda *arguments: made.append(arguments))
    setup.set_up_sysroots(["arm64"])
    assert made == [(tmp_path / ".sysroot-arm64", "arm64", ["libelf-dev"])]

    # One that is there for the same list is left alone.
    (tmp_path / ".sysroot-arm64").mkdir()
    stamp = tmp_path / ".sysroot-arm64/.packages"
    stamp.write_text(setup.sysroot.stamp_text(["libelf-dev"]))
    setup.set_up_sysroots(["arm64"])
    assert len(made) == 1
    stamp.write_text(setup.sysroot.stamp_text(["libelf-dev", "libhwy-dev"]))
    setup.set_up_sysroots(["arm64"])
    assert len(made) == 2


def test_apt_is_told_what_the_cross_compiler_brings(setup, monkeypatch):
    lines = (
        "libc6-dev-arm64-cross\t2.36-8cross1\tlibc-dev-arm64-cross\n"
        "libgone-arm64-cross\t\t\n"
        "libgcc-s1-arm64-cross\t12.2.0-14cross1\t\n"
    )
    monkeypatch.setattr(setup.sysroot, "run", lambda command: (0, lines, ""))
    libc, gcc = setup.sysroot.toolchain_packages("arm64").strip().split("\n\n")
    assert libc.startswith("Package: libc6-dev\nStatus: install ok installed\n")
    assert "\nVersion: 2.36-8\n" in libc
    assert libc.endswith("\nProvides: libc-dev")
    assert gcc.startswith("Package: libgcc-s1\n")
    assert "Provides" not in gcc


@pytest.mark.usefixtures("nothing_made")
def test_an_unsupported_python_is_told_which_are(setup, monkeypatch):
    pretend_python(monkeypatch, (3, 9, 18))
    with pytest.raises(setup.SetupError) as error:
        setup.check_python(setup.wanted_environments())
    assert "Python 3.9" in str(error.value)
    assert "Supported: 3.10 to 3.12." in str(error.value)
    assert "PYTHON=python3.12" in str(error.value)


@pytest.mark.usefixtures("nothing_made")
def test_a_python_without_mindspore_is_told_the_way_out(setup, monkeypatch):
    pretend_python(monkeypatch, (3, 13, 0))
    with pytest.raises(setup.SetupError, match="FRAMEWORKS=torch leaves MindSpore out"):
        setup.check_python(setup.wanted_environments())
    monkeypatch.setenv("FRAMEWORKS", "torch")
    setup.check_python(setup.wanted_environments())


def test_environments_of_another_python_are_kept(setup, monkeypatch):
    monkeypatch.setattr(setup, "python_version_of", lambda environment: "3.11")
    pretend_python(monkeypatch, (3, 12, 0))
    setup.check_python(setup.wanted_environments())
    monkeypatch.setenv("PYTHON", "python3.12")
    with pytest.raises(setup.SetupError, match=r"made with Python 3\.11, and this is Python 3\.12"):
        setup.check_python(setup.wanted_environments())


@pytest.mark.parametrize(
    "wish, found",
    [("", 2), ("torch", 1), ("torch,mindspore", 2), ("mindspore torch", 2)],
)
def test_frameworks_are_chosen_by_name(setup, monkeypatch, wish, found):
    monkeypatch.setenv("FRAMEWORKS", wish)
    assert len(setup.wanted_environments()) == found


@pytest.mark.parametrize("wish", ["jax", "mindspore"])
def test_other_frameworks_are_refused(setup, monkeypatch, wish):
    monkeypatch.setenv("FRAMEWORKS", wish)
    with pytest.raises(setup.SetupError, match="is not one of: torch; torch,mindspore"):
        setup.wanted_environments()


def make_environment(setup, folder, text):
    """A copy of the running environment's claims, without packages of its own."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text("version = 3.11.7\n")
    requirements = folder / "requirements.txt"
    requirements.write_text(text)
    return setup.Environment("torch", folder, requirements, range(10, 14))


def test_an_environment_made_by_hand_counts(setup, tmp_path, monkeypatch):
    environment = make_environment(setup, tmp_path / "good", "# tools\npytest>=1\n")
    monkeypatch.setattr(setup, "python_of", lambda environment: Path(sys.executable))
    assert setup.is_ready(environment)
    assert setup.stamp_file(environment).is_file()

    # The stamp is believed without another look, but only for the same list.
    monkeypatch.setattr(setup, "python_of", lambda environment: Path("/bin/false"))
    assert setup.is_ready(environment)
    environment.requirements.write_text("pytest==0.1\n")
    assert not setup.is_ready(environment)


def test_an_environment_with_other_versions_does_not_count(setup, tmp_path, monkeypatch):
    environment = make_environment(setup, tmp_path / "old", "pytest==0.1\n")
    monkeypatch.setattr(setup, "python_of", lambda environment: Path(sys.executable))
    assert not setup.is_ready(environment)


def test_every_list_says_what_it_fetches_and_pins_it(setup):
    for environment in setup.ENVIRONMENTS:
        assert "on disk" in setup.fetch_text(environment)
        lines = environment.requirements.read_text().splitlines()
        pins = [line for line in lines if line and not line.startswith("#")]
        assert pins
        assert all("==" in pin for pin in pins)
        assert "torch==2.13.0" in pins

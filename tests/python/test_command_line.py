# SPDX-License-Identifier: Apache-2.0
"""What holds for every command: what it works on, `--json`, exit status, colour, completion."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bascule.cli import make_parser
from bascule.commands import NAMES
from bascule.commands.completion import subcommands
from bascule.commands.target import resolve
from bascule.errors import InvalidArgument, NotFound

TREE = Path(__file__).resolve().parents[2]
KERNEL = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR out) {
  AscendC::GlobalTensor<float> a, b;
  const uint32_t total = AscendC::GetTensorNum();
  a.SetGlobalBuffer((__gm__ float*)x, total);
  b.SetGlobalBuffer((__gm__ float*)out, total);
  if (AscendC::GetBlockIdx() == 0) {
    for (uint32_t i = 0; i < total; ++i) b.SetValue(i, 2.0f * a.GetValue(i));
  }
}
"""


def bascule(*arguments, cwd=None, **environment):
    command = [sys.executable, "-m", "bascule", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env={**os.environ, **environment}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the project my_mul and the kernel file scale.cpp."""
    folder = tmp_path_factory.mktemp("targets")
    ignored = shutil.ignore_patterns("build_out")
    shutil.copytree(TREE / "operators/my_mul", folder / "my_mul", ignore=ignored)
    (folder / "scale.cpp").write_text(KERNEL)
    return folder


def test_a_project(folder, monkeypatch):
    monkeypatch.chdir(folder)
    target = resolve("my_mul")
    assert target.project == Path("my_mul")
    assert target.library == folder / "my_mul/build_out/libmy_mul.so"
    assert target.operator is None
    assert resolve("./my_mul:my_mul").operator == "my_mul"
    assert resolve("my_mul:my_mul").open_operator().name == "my_mul"


def test_a_kernel_file(folder, monkeypatch):
    monkeypatch.chdir(folder)
    target = resolve("scale.cpp")
    assert target.project is None
    assert target.kernel_file == Path("scale.cpp")
    assert target.library == folder / "build_out/libscale.so"
    assert target.open_operator().name == "scale"
    assert bascule("info", "scale.cpp", cwd=folder).stdout.splitlines()[1:] == ["  scale"]


def test_a_library_and_a_name(my_mul_path, monkeypatch):
    assert resolve(f"{my_mul_path}:my_mul")[2:4] == (my_mul_path, "my_mul")
    monkeypatch.setenv("BASCULE_PATH", str(my_mul_path.parent))
    assert resolve("my_mul").library == my_mul_path


def test_nothing_of_the_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BASCULE_PATH", raising=False)
    with pytest.raises(NotFound) as caught:
        resolve("nothing:op")
    said = str(caught.value)
    assert said.startswith(
        "there is no project folder nothing, and no operator library called 'nothing' was found. "
        "Looked for libnothing.so in:\n  BASCULE_PATH: not set\n"
    )
    with pytest.raises(NotFound, match=r"there is no project folder \./nothing, and the operator"):
        resolve("./nothing")
    with pytest.raises(NotFound, match=r"there is no kernel file nothing\.cpp"):
        resolve("nothing.cpp")
    with pytest.raises(InvalidArgument, match="names no operator library"):
        resolve(":op")


def test_a_folder_that_is_no_project(tmp_path):
    result = bascule("info", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith(f"bascule info: {tmp_path} has no folder op_host; ")


def test_every_command_takes_json():
    commands = subcommands(make_parser())
    assert len(commands) == len(NAMES)
    for command in commands:
        assert "--json" in command.format_help(), command.prog


def test_a_failure_as_json(tmp_path):
    result = bascule("info", tmp_path / "libnone.so", "--json")
    assert result.returncode == 1
    said = json.loads(result.stdout)
    assert (said["status"], said["kind"]) == ("failed", "NotFound")
    assert result.stderr == f"bascule info: {said['error']}\n"


def test_prefix_as_json():
    said = json.loads(bascule("prefix", "--json").stdout)
    assert said["prefix"] == bascule("prefix").stdout.strip()


def test_wrong_usage_is_status_2():
    for arguments in ([], ["no-such-command"], ["info"], ["completion", "cmd.exe"]):
        assert bascule(*arguments).returncode == 2
    result = bascule("completion", "cmd.exe", "--json")
    assert result.returncode == 2
    said = json.loads(result.stdout)
    assert (said["status"], said["kind"]) == ("failed", "InvalidArgument")
    assert result.stderr.endswith(f"error: {said['error']}\n")


def test_an_error_of_the_system_is_a_sentence(tmp_path):
    name = "x" * 300
    result = bascule("new", name, cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == f"bascule new: {name}: File name too long\n"
    result = bascule("build", b"bad\xff.cpp".decode("utf-8", "surrogateescape"), cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == (
        "bascule build: 'bad\\udcff.cpp' cannot be used: names have to be UTF-8\n"
    )


def on_a_terminal(*arguments, **environment):
    """What the command writes to stderr when that is a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "bascule", *map(str, arguments)]
    environment = {**os.environ, "TERM": "xterm-256color", **environment}
    environment = {name: text for name, text in environment.items() if text is not None}
    # Read while it runs: a terminal that nobody reads stops whoever writes much.
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # how Linux says that nobody writes any more
            piece = b""
        if not piece:
            break
        said += piece
    os.close(ours)
    running.wait()
    return said.decode()


def test_colour_on_a_terminal_only(tmp_path):
    arguments = ("build", tmp_path / "nothing")
    assert "\x1b[1;31mbascule build: " in on_a_terminal(*arguments, NO_COLOR=None)
    assert "\x1b[1;31m" not in on_a_terminal(*arguments, NO_COLOR="1")
    assert "\x1b" not in bascule(*arguments).stderr


def test_progress_on_a_terminal_only(folder):
    project = folder / "my_mul"
    assert f"building {project}" in on_a_terminal("build", project, "--force")
    assert bascule("build", project, "--force").stderr == ""


def test_completion_in_bash():
    script = bascule("completion", "bash").stdout
    ask = """
COMP_WORDS=({words}); COMP_CWORD={last}
$(complete -p bascule | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    for words, wanted in (
        ("bascule bui", ["build"]),
        ("bascule completion f", ["fish"]),
        ("bascule info --js", ["--json"]),
    ):
        text = script + ask.format(words=words, last=len(words.split()) - 1)
        result = subprocess.run(["bash", "-c", text], capture_output=True, text=True)
        assert result.stdout.split() == wanted, result.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_in_other_shells(shell, tmp_path):
    script = bascule("completion", shell).stdout
    for name in NAMES:
        assert name in script
    assert json.loads(bascule("completion", shell, "--json").stdout)["script"] + "\n" == script
    if shutil.which(shell):  # a syntax check, where the shell is installed
        (tmp_path / "script").write_text(script)
        assert subprocess.run([shell, "-n", tmp_path / "script"]).returncode == 0

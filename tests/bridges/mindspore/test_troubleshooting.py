# SPDX-License-Identifier: Apache-2.0
"""docs/troubleshooting.md: each heading's message, provoked; its commands, run; doctor's order."""

import ctypes
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

import bascule
from bascule import _native, search
from bascule.commands import doctor
from bascule.mindspore import Custom

TREE = Path(__file__).resolve().parents[3]
TEXT = (TREE / "docs/troubleshooting.md").read_text("utf-8")
X = Tensor(np.ones((3, 4), np.float32))

# What MindSpore's tutorials say, and MindSpore 2.10 does not.
OF_TUTORIALS = {
    "can not find lib",
    "can not find symbol my_add",
    "func my_mul is not registered",
    "The number of gradients returned from bprop should be N",
    "The shape of gradient should be same as corresponding input",
}


def messages():
    """The messages of all headings: `this`, ``or `this' ``."""
    for heading in re.findall(r"^## (.*)$", TEXT, re.M):
        for twice, once in re.findall(r"``(.+?)``|`(.+?)`", heading):
            yield twice or once


class Net(nn.Cell):
    def __init__(self, func, bprop=None):
        super().__init__()
        self.op = ops.Custom(func, lambda x, y: x, lambda x, y: x, "aot", bprop)

    def construct(self, x, y):
        return self.op(x, y)


def own(func):
    """What MindSpore's own Custom says of a call."""
    return lambda p: Net(func.format(**vars(p)))(X, X).asnumpy()


def loaded(name):
    return lambda p: ctypes.CDLL(f"./{name}")


def too_few(x, y, out, dout):
    return (dout,)


def wrong_shape(x, y, out, dout):
    return dout.sum(), dout


def gradients(bprop, mode=ms.GRAPH_MODE):
    def run(p):
        ms.set_context(mode=mode, check_bprop=True)
        try:
            [g.asnumpy() for g in ms.grad(Net(f"{p.my_mul}:my_mul", bprop), (0, 1))(X, X)]
        finally:
            ms.set_context(check_bprop=False)

    return run


def of_process(path, **environment):
    """What a process without bascule prints that calls a function of a library."""
    code = f"import ctypes; ctypes.CDLL({str(path)!r})[{path.stem[3:]!r}](0, 0, 0, 0, 0, 0, 0)"
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BASCULE_")}
    result = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**clean, **environment},
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    raise RuntimeError(result.stderr)


def without_runtime(p):
    """Of a library whose installation is gone."""
    prefix = Path("prefix").absolute()
    prefix.mkdir()
    for name in ("include", "lib"):
        (prefix / name).symlink_to(bascule.prefix() / name)
    path = Path("libproducts.so").absolute()
    options = {"output": str(path), "prefix": str(prefix)}
    _native.build(str(TREE / "tests/operators/products"), json.dumps(options))
    shutil.rmtree(prefix)
    of_process(path)


def older_runtime(p):
    Path("older.c").write_text(
        "struct { unsigned bytes, version; const void* kernel; const char* text; } api ="
        ' {24, 0, 0, "0.0.1"};'
        "\nconst void* bascule_runtime_v1(void) { return &api; }\n"
    )
    compile_c("older.c", "libolder.so")
    of_process(p.my_mul, BASCULE_RUNTIME=str(Path("libolder.so").absolute()))


def compile_c(source, output, *flags):
    command = ["gcc", "-shared", "-fPIC", "-w", source, "-o", output, *flags]
    subprocess.run(command, check=True)


def undefined(p):
    Path("a.c").write_text("void nowhere(void); void* f(void) { return nowhere; }")
    compile_c("a.c", "a.so")
    ctypes.CDLL("./a.so")


def needs_a_file(p):
    Path("gone.c").write_text("int gone(void) { return 0; }")
    Path("b.c").write_text("int gone(void); int f(void) { return gone(); }")
    compile_c("gone.c", "libgone.so")
    compile_c("b.c", "b.so", "-L.", "-lgone")
    Path("libgone.so").unlink()
    ctypes.CDLL("./b.so")


def newer_version(p):
    Path("v.c").write_text("int f(void) { return 0; }")
    Path("u.c").write_text("int f(void); int g(void) { return f(); }")
    for version in ("99", "1"):
        Path("v.map").write_text(f"GLIBCXX_3.4.{version} {{ f; }};")
        compile_c("v.c", "libv.so", "-Wl,--version-script,v.map")
        if version == "99":
            compile_c("u.c", "libu.so", "-L.", "-lv", f"-Wl,-rpath,{Path.cwd()}")
    ctypes.CDLL("./libu.so")


def hidden(p):
    for name in ("one", "two"):
        Path(name).mkdir(mode=0o755)
        Path(name, "libmy_mul.so").write_bytes(name.encode())
    os.environ["BASCULE_PATH"] = f"{Path.cwd()}/one:{Path.cwd()}/two"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            search.find_library("my_mul")
    finally:
        del os.environ["BASCULE_PATH"]


def foreign_platform(p):
    operator = {"name": "my_mul", "socs": ["ascend310p"]}
    report = doctor.examine(str(p.write_manifest(Path("libx.so").absolute(), [operator])))
    raise RuntimeError(json.dumps(report))


def writable(p):
    Path("shared").mkdir()
    shutil.copy(p.my_mul, "shared")
    Path("shared").chmod(0o777)
    bascule.load("./shared/libmy_mul.so")


def another_processor(p):
    machine = 183 if platform.machine() == "x86_64" else 62
    bascule.load(p.write_manifest(Path("libx.so").absolute(), ["x"], machine=machine))


TOO_FEW = "the number of return values(gradients) must be equal to the number of input arguments"
PROVOKED = {
    "couldn't find the AOT binary file": own("./nowhere.so:my_mul"),
    "should be like 'file_name:func_name'": lambda p: ops.Custom(
        "my_mul", (3, 4), ms.float32, "aot"
    ),
    "Could not load this library": lambda p: torch_ops().load_library("./nowhere.so"),
    "no operator library called 'my_mul' was found": lambda p: bascule.load("my_mul"),
    "is refused: everybody may write to": writable,
    "is not an ELF file": lambda p: bascule.load("./text.so"),
    "invalid ELF header": loaded("text.so"),
    "file too short": loaded("short.so"),
    "the file is cut off": lambda p: bascule.load("./cut.so"),
    "wrong ELF class: ELFCLASS32": loaded("class32.so"),
    "is made for AArch64; this process runs on x86-64": another_processor,
    "undefined symbol: nowhere": undefined,
    "cannot open shared object file: No such file or directory": needs_a_file,
    "error occurs when fetching function 'my_add'": own("{my_mul}:my_add"),
    "undefined symbol: my_add": lambda p: ctypes.CDLL(p.my_mul).my_add,
    "has no operator 'my_add'": lambda p: Custom(f"{p.my_mul}:my_add"),
    "holds no manifest, so it is not an operator library": lambda p: _native.manifest_read(
        str(p.plain)
    ),
    "which is newer than this runtime": lambda p: bascule.load(
        p.write_manifest(Path("libx.so").absolute(), ["x"], kernel_abi=99)
    ),
    "is older than this library": older_runtime,
    "the bascule runtime was not found": without_runtime,
    "is used, and hides another library of the same name": hidden,
    "its OpDef names no processor of the ascend910 family": foreign_platform,
    "version `GLIBCXX_3.4.99' not found": newer_version,
    TOO_FEW: gradients(too_few),
    "should have the same shape as the 0th argument": gradients(wrong_shape, ms.PYNATIVE_MODE),
    "bprop not defined": gradients(None),
    "has no gradient": lambda p: ms.grad(Custom(f"{p.backward}:positive"))(X),
}
ON_X86 = ("is made for AArch64; this process runs on x86-64",)


def torch_ops():
    import torch

    return torch.ops


class Parts:
    """Libraries, good and bad, for the messages."""


@pytest.fixture
def parts(my_mul, plain, backward_path, write_manifest):
    parts = Parts()
    parts.my_mul, parts.plain, parts.backward = Path(my_mul), plain, backward_path
    parts.write_manifest = write_manifest
    header = bytearray(Path(sys.executable).read_bytes())
    Path("short.so").write_bytes(header[:20])
    Path("cut.so").write_bytes(Path(my_mul).read_bytes()[:4000])
    header[4] = 1
    Path("class32.so").write_bytes(header)
    Path("text.so").write_text("text" * 2000)
    return parts


@pytest.mark.parametrize("message", list(dict.fromkeys(messages())))
def test_message(parts, message):
    if message in OF_TUTORIALS:
        return
    if message in ON_X86 and platform.machine() != "x86_64":
        pytest.skip("names this processor")
    if message == "Could not load this library" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    with pytest.raises(Exception) as error:
        PROVOKED[message](parts)
    assert message in str(error.value)


def test_every_heading_is_a_message_that_is_provoked():
    headings = re.findall(r"^## (.*)$", TEXT, re.M)
    assert all(heading.startswith("`") for heading in headings)
    assert set(messages()) == set(PROVOKED) | OF_TUTORIALS


def test_sections_follow_doctors_order(parts):
    told = re.findall(r"Checks? ((?:`[^`]+`(?: and )?)+)\.", TEXT)
    order = re.findall(r"`([^`]+)`", "".join(told))
    shutil.copy(parts.my_mul, "libmy_mul.so")
    Path.cwd().chmod(0o777)  # for the check that speaks of refusals only
    os.environ["BASCULE_PATH"] = str(parts.my_mul.parent)
    try:
        names = [c["check"] for c in doctor.examine("./libmy_mul.so")["checks"]]
    finally:
        del os.environ["BASCULE_PATH"]
        Path.cwd().chmod(0o755)
    assert order == ["search", *names]


def test_commands(parts):
    """In a folder with the library and a project of its name."""
    shutil.copy(parts.my_mul, "libmy_mul.so")
    shutil.copytree(TREE / "operators/my_mul", "my_mul", ignore=shutil.ignore_patterns("build_out"))
    (block,) = re.findall(r"```console\n(.*?)```", TEXT, re.S)
    commands = re.findall(r"^\$ bascule (.*)$", block, re.M)
    assert len(commands) == 4
    for command in commands:
        result = subprocess.run(
            [sys.executable, "-m", "bascule", *command.split()], capture_output=True, text=True
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    symbols = subprocess.run(["nm", "-D", "libmy_mul.so"], capture_output=True, text=True).stdout
    assert " T my_mul\n" in symbols

# SPDX-License-Identifier: Apache-2.0
"""The `bascule` command. Parses, calls, prints; a subcommand is a function and a row.

Exit status: 0; 1 for a failure, with its sentence on stderr; 2 for wrong usage.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import bascule


class Command(NamedTuple):
    name: str
    summary: str  # one line, for the list of commands
    run: Callable[[argparse.Namespace], int]  # returns the exit status
    arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None


def run_prefix(arguments: argparse.Namespace) -> int:
    print(bascule.prefix())
    return 0


def build_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the project folder: op_host/, op_kernel/, …")
    parser.add_argument("-o", "--output", type=Path, help="the library to write")
    parser.add_argument("-j", "--jobs", type=int, help="compile so many files at a time")
    parser.add_argument("--compiler", help="the C++ compiler")
    parser.add_argument("--force", action="store_true", help="compile what did not change, too")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run_build(arguments: argparse.Namespace) -> int:
    from bascule import _native

    options = {
        "output": arguments.output and str(arguments.output),
        "prefix": str(bascule.prefix()),
        "jobs": arguments.jobs,
        "compiler": arguments.compiler,
        "force": arguments.force,
    }
    given = {name: value for name, value in options.items() if value is not None}
    failure = None
    try:
        text = _native.build(str(arguments.path), json.dumps(given))
    except bascule.Error as error:
        failure, text = error, getattr(error, "report", "{}")
    report = json.loads(text)
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        print_steps(report)
    if failure is not None:
        print(f"bascule build: {failure}", file=sys.stderr)
        return 1
    if not arguments.json:
        print(f"{report['output']}  ({report['status']}, {report['seconds']:.1f} s)")
    return 0


def print_steps(report: dict[str, Any]) -> None:
    for step in report.get("steps", ()):
        did = "reused" if step["reused"] else f"{step['seconds']:.1f} s"
        print(f"  {did:>7}  {step['name']}")
    for message in report.get("messages", ()):
        print(f"{message['step']}:\n{message['text'].rstrip()}", file=sys.stderr)


def info_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("library", help="a path, or a name to look for")
    parser.add_argument("--json", action="store_true", help="print the manifest as JSON")


def run_info(arguments: argparse.Namespace) -> int:
    from bascule import _native
    from bascule.search import find_library

    path = find_library(arguments.library, local=True, quiet=True).path
    try:
        manifest = json.loads(_native.manifest_read(str(path)))
    except bascule.BadLibrary as error:
        if "holds no manifest" not in str(error):
            raise
        manifest = bascule.Library(path).manifest  # lone kernels, or the sentence that says so
    if arguments.json:
        print(json.dumps(manifest, indent=2))
        return 0
    if "bascule" not in manifest:
        print(f"{path}, lone kernels (no manifest; docs/lone_kernels.md)")
        for kernel in manifest["operators"]:
            print(f"  {kernel['name']}")
        return 0
    print(f"{path}, built by bascule {manifest['bascule']}")
    for operator in manifest["operators"]:
        print(f"\n{operator['name']}")
        parameters = [("input", p) for p in operator["inputs"]]
        parameters += [("output", p) for p in operator["outputs"]]
        for role, parameter in parameters:
            kind = "" if parameter["kind"] == "required" else f", {parameter['kind']}"
            print(f"  {role + kind:<10} {parameter['name']:<8} {', '.join(parameter['dtypes'])}")
        for attribute in operator["attributes"]:
            required = attribute["required"]
            default = "required" if required else f"default {attribute['default']}"
            print(f"  {'attribute':<10} {attribute['name']:<8} {attribute['kind']}, {default}")
        gradient = operator["gradient"]
        text = f"{gradient['function']} in {gradient['file']}" if gradient else "none"
        print(f"  {'gradient':<10} {text}")
    return 0


def run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("operator", help="LIBRARY, or LIBRARY:OPERATOR")
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT", help="a .npy file, or float32[3,5] for random numbers"
    )
    parser.add_argument(
        "-a", "--attribute", action="append", default=[], metavar="NAME=JSON", help="an attribute"
    )
    parser.add_argument(
        "-o", "--output", action="append", default=[], type=Path, help="a .npy file per output"
    )


def run_run(arguments: argparse.Namespace) -> int:
    import numpy as np

    from bascule.custom import open_operator

    operator = open_operator(arguments.operator, script=None)
    generator = np.random.default_rng(0)
    inputs = [read_input(text, generator) for text in arguments.inputs]
    attributes = {}
    for text in arguments.attribute:
        name, _, value = text.partition("=")
        attributes[name] = json.loads(value)
    results = operator(*inputs, **attributes)
    results = results if isinstance(results, tuple) else (results,)
    for name, result in zip(operator.outputs, results):
        print(f"{name}: {result.dtype} {list(result.shape)}")
        print(np.array2string(result, threshold=64, edgeitems=3))
    for path, result in zip(arguments.output, results):
        np.save(path, result)
    return 0


def read_input(text: str, generator: Any) -> Any:
    """An array from a .npy file, or normal random numbers for a text such as "float32[3,5]"."""
    import numpy as np

    described = re.fullmatch(r"(\w+)\[([\d,\s]*)\]", text)
    if described is None:
        return np.load(text)
    shape = [int(n) for n in described[2].split(",") if n.strip()]
    return np.asarray(generator.standard_normal(shape) * 4).astype(described[1])


COMMANDS = (
    Command("build", "compile an operator project to a library", run_build, build_arguments),
    Command("info", "show what a library holds", run_info, info_arguments),
    Command("run", "call an operator on NumPy arrays", run_run, run_arguments),
    Command("prefix", "print the folder that holds include/, lib/ and share/cmake/", run_prefix),
)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bascule", description="Compile Ascend C operators for AI frameworks on CPU."
    )
    parser.add_argument("--version", action="version", version=f"bascule {bascule.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = subparsers.add_parser(
            command.name, help=command.summary, description=command.summary
        )
        command.arguments(subparser)
        subparser.set_defaults(run=command.run, command=command.name)
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    arguments = make_parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except (bascule.Error, OSError) as error:
        print(f"bascule {arguments.command}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

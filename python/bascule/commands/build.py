# SPDX-License-Identifier: Apache-2.0
"""`bascule build`."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import bascule
from bascule.commands import Command
from bascule.console import fail, print_json, progress, styled


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", type=Path, help="a project's folder (op_host/, op_kernel/, …), or a kernel's file"
    )
    parser.add_argument("-o", "--output", type=Path, help="the library to write")
    parser.add_argument("-j", "--jobs", type=int, help="compile so many files at a time")
    parser.add_argument("--compiler", help="the C++ compiler")
    parser.add_argument(
        "-I",
        dest="include",
        metavar="DIR",
        action="append",
        default=[],
        help="look for headers there, too, for host code and kernels",
    )
    parser.add_argument(
        "-D",
        dest="define",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        help="define a macro, for host code and kernels",
    )
    parser.add_argument(
        "--plans", type=Path, help="a JSON list of shapes to plan ahead (default: plans.json there)"
    )
    parser.add_argument("--force", action="store_true", help="compile what did not change, too")
    parser.add_argument(
        "--static", action="store_true", help="put the runtime into the library, too"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    from bascule import _native

    options = {
        "output": arguments.output and str(arguments.output),
        "prefix": str(bascule.prefix()),
        "jobs": arguments.jobs,
        "plans": arguments.plans and str(arguments.plans),
        "compiler": arguments.compiler,
        "force": arguments.force,
        "static": arguments.static,
    }
    flags = [f"-I{Path(folder).resolve()}" for folder in arguments.include]
    flags += [f"-D{definition}" for definition in arguments.define]
    if flags:
        options["flags"] = flags
    given = {name: value for name, value in options.items() if value is not None}
    failure = None
    try:
        with progress(f"building {arguments.path}"):
            text = _native.build(str(arguments.path), json.dumps(given))
    except bascule.Error as error:
        failure, text = error, getattr(error, "report", "{}")
    report = json.loads(text)
    if failure is not None:
        report.update(status="failed", error=str(failure), kind=type(failure).__name__)
    if arguments.json:
        print_json(report)
    else:
        print_steps(report)
    if failure is not None:
        fail("build", failure)
        return 1
    if not arguments.json:
        styled(f"{report['output']}  ({report['status']}, {report['seconds']:.1f} s)", "bold")
    return 0


def print_steps(report: dict[str, Any]) -> None:
    for step in report.get("steps", ()):
        did = "reused" if step["reused"] else f"{step['seconds']:.1f} s"
        reason = "" if step["reused"] else step["reason"]
        print(f"  {did:>7}  {step['name']}" + (f"  ({reason})" if reason else ""))
    for message in report.get("messages", ()):
        print(f"{message['step']}:\n{message['text'].rstrip()}", file=sys.stderr)


COMMAND = Command(
    "build", "compile an operator project, or a lone kernel, to a library", run, add_arguments
)

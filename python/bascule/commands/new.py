# SPDX-License-Identifier: Apache-2.0
"""`bascule new`."""

import argparse
import shlex
from pathlib import Path

from bascule.commands import Command
from bascule.console import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the operator's name in snake case, such as my_mul")
    parser.add_argument(
        "--folder", type=Path, help="where to put it; a folder of the operator's name unless told"
    )


def run(arguments: argparse.Namespace) -> int:
    from bascule.new import class_name, make_project

    folder = arguments.folder or Path(arguments.name)
    files = make_project(arguments.name, folder)
    if arguments.json:
        print_json(
            {
                "status": "made",
                "name": arguments.name,
                "class": class_name(arguments.name),
                "folder": str(folder),
                "files": [str(file.relative_to(folder)) for file in files],
            }
        )
        return 0
    shown = shlex.quote(str(folder))
    print(f"{folder}: the operator {arguments.name}, out = x * y")
    for file in files:
        print(f"  {file.relative_to(folder)}")
    print(f"next: bascule check {shown}")
    return 0


COMMAND = Command("new", "make the project of an operator to start from", run, add_arguments)

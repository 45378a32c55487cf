# SPDX-License-Identifier: Apache-2.0
"""The `bascule` command.

Exit status: 0; 1 for a failure, with its sentence on stderr; 2 for wrong usage.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Optional

import bascule
from bascule.commands import NAMES


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bascule", description="Compile Ascend C operators for AI frameworks on CPU."
    )
    parser.add_argument("--version", action="version", version=f"bascule {bascule.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in NAMES:
        command = importlib.import_module(f"bascule.commands.{name}").COMMAND
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

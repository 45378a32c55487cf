# SPDX-License-Identifier: Apache-2.0
"""The `bascule` command. Parses, calls, prints; a subcommand is a function and a row."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, Optional

import bascule


class Command(NamedTuple):
    name: str
    summary: str  # one line, for the list of commands
    run: Callable[[argparse.Namespace], int]  # returns the exit status
    arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None


def run_prefix(arguments: argparse.Namespace) -> int:
    print(bascule.prefix())
    return 0


COMMANDS = (
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
        subparser.set_defaults(run=command.run)
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    arguments = make_parser().parse_args(argv)
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())

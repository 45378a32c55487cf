# SPDX-License-Identifier: Apache-2.0
"""The `bascule` command.

Exit status: 0; 1 for a failure, with its sentence on stderr; 2 for wrong usage; 130 where Ctrl-C
ended it. Every command takes `--json`: one object on stdout, after a failure with "error" in it.
docs/command_line.md is the user's page.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Optional

import bascule
from bascule.commands import NAMES
from bascule.console import fail, print_json

INTERRUPTED = 130  # as a shell says of a command that SIGINT ended


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bascule", description="Compile Ascend C operators for AI frameworks on CPU."
    )
    parser.add_argument("--version", action="version", version=f"bascule {bascule.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in NAMES:
        command = importlib.import_module(f"bascule.commands.{name}").COMMAND
        subparser = subparsers.add_parser(
            command.name,
            help=command.summary,
            description=command.summary,
            conflict_handler="resolve",  # a command may say of --json what it prints
        )
        subparser.add_argument("--json", action="store_true", help="print one JSON object")
        command.arguments(subparser)
        subparser.set_defaults(run=command.run, command=command.name)
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    arguments = make_parser().parse_args(argv)
    try:
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (bascule.Error, OSError) as error:
        if arguments.json:
            print_json({"status": "failed", "error": str(error), "kind": type(error).__name__})
        fail(arguments.command, error)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())

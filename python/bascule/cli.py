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
from typing import NoReturn, Optional, Union

import bascule
from bascule.commands import NAMES
from bascule.console import fail, print_json

INTERRUPTED = 130  # as a shell says of a command that SIGINT ended


class Parser(argparse.ArgumentParser):
    """Wrong usage is told on stdout, too, where somebody asked for JSON there."""

    def error(self, message: str) -> NoReturn:
        if "--json" in self.typed:
            print_json({"status": "failed", "error": message, "kind": "InvalidArgument"})
        super().error(message)

    typed: Sequence[str] = ()


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(
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


def sentence_of(error: Union[bascule.Error, OSError]) -> str:
    """What an exception says; of the system's errors the file first, and no number."""
    if isinstance(error, bascule.Error) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def refuse_what_is_no_text(words: Sequence[str]) -> None:
    """Names of files are bytes, and reports, manifests and the C interface take UTF-8."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise bascule.InvalidArgument(
                f"{word!a} cannot be used: names have to be UTF-8"
            ) from None


def main(argv: Optional[Sequence[str]] = None) -> int:
    Parser.typed = sys.argv[1:] if argv is None else argv
    arguments = make_parser().parse_args(argv)
    try:
        refuse_what_is_no_text(Parser.typed)
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (bascule.Error, OSError) as error:
        sentence = sentence_of(error)
        if arguments.json:
            print_json({"status": "failed", "error": sentence, "kind": type(error).__name__})
        fail(arguments.command, sentence)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())

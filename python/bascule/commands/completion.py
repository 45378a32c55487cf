# SPDX-License-Identifier: Apache-2.0
"""`bascule completion`."""

import argparse

from bascule.commands import Command
from bascule.console import print_json

SHELLS = ("bash", "zsh", "fish")
FILES = ("target", "path", "input", "inputs", "output", "plot")  # arguments that may be files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)
    parser.epilog = 'in ~/.bashrc: eval "$(bascule completion bash)"'


def run(arguments: argparse.Namespace) -> int:
    import shtab

    from bascule.cli import make_parser

    parser = make_parser()
    for command in subcommands(parser):
        for argument in command._actions:  # argparse has no other way to ask
            if argument.dest in FILES:
                argument.complete = shtab.FILE
    script = shtab.complete(parser, shell=arguments.shell).rstrip()
    if arguments.json:
        print_json({"shell": arguments.shell, "script": script})
    else:
        print(script)
    return 0


def subcommands(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    (choices,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return list(choices.choices.values())


COMMAND = Command(
    "completion", "print a script that completes commands in a shell", run, add_arguments
)

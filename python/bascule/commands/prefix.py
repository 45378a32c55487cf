# SPDX-License-Identifier: Apache-2.0
"""`bascule prefix`."""

import argparse

import bascule
from bascule.commands import Command
from bascule.console import print_json


def run(arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json({"prefix": str(bascule.prefix()), "version": bascule.__version__})
    else:
        print(bascule.prefix())
    return 0


COMMAND = Command("prefix", "print the folder that holds include/, lib/ and share/cmake/", run)

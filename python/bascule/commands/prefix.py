# SPDX-License-Identifier: Apache-2.0
"""`bascule prefix`."""

import argparse

import bascule
from bascule.commands import Command


def run(arguments: argparse.Namespace) -> int:
    print(bascule.prefix())
    return 0


COMMAND = Command("prefix", "print the folder that holds include/, lib/ and share/cmake/", run)

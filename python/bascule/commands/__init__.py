# SPDX-License-Identifier: Apache-2.0
"""The commands of `bascule`: a module each, with its row `COMMAND`.

A module parses, calls the library and prints; what decides anything is in the library. All modules
are imported with the command line: what costs time (NumPy, the runtime) is imported where it runs.
`target.py` finds out what a command works on; `--json` is there for every command (cli.py).
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple


class Command(NamedTuple):
    name: str
    summary: str  # one line, for the list of commands
    run: Callable[[argparse.Namespace], int]  # returns the exit status
    arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None


# In the order of the list that `bascule --help` prints.
NAMES = ("new", "build", "check", "info", "run", "bench", "doctor", "prefix", "completion")

# SPDX-License-Identifier: Apache-2.0
"""`bascule run`."""

import argparse
import json
import re
from pathlib import Path
from typing import Any

from bascule.commands import Command
from bascule.commands.target import HELP, resolve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help=HELP)
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT", help="a .npy file, or float32[3,5] for random numbers"
    )
    parser.add_argument(
        "-a", "--attribute", action="append", default=[], metavar="NAME=JSON", help="an attribute"
    )
    parser.add_argument(
        "-o", "--output", action="append", default=[], type=Path, help="a .npy file per output"
    )


def run(arguments: argparse.Namespace) -> int:
    import numpy as np

    operator = resolve(arguments.target).open_operator()
    generator = np.random.default_rng(0)
    inputs = [read_input(text, generator) for text in arguments.inputs]
    attributes = {}
    for text in arguments.attribute:
        name, _, value = text.partition("=")
        attributes[name] = json.loads(value)
    results = operator(*inputs, **attributes)
    results = results if isinstance(results, tuple) else (results,)
    for name, result in zip(operator.outputs, results):
        print(f"{name}: {result.dtype} {list(result.shape)}")
        print(np.array2string(result, threshold=64, edgeitems=3))
    for path, result in zip(arguments.output, results):
        np.save(path, result)
    return 0


def read_input(text: str, generator: Any) -> Any:
    """An array from a .npy file, or normal random numbers for a text such as "float32[3,5]"."""
    import numpy as np

    described = re.fullmatch(r"(\w+)\[([\d,\s]*)\]", text)
    if described is None:
        return np.load(text)
    shape = [int(n) for n in described[2].split(",") if n.strip()]
    return np.asarray(generator.standard_normal(shape) * 4).astype(described[1])


COMMAND = Command("run", "call an operator on NumPy arrays", run, add_arguments)

# SPDX-License-Identifier: Apache-2.0
"""`bascule run`."""

import argparse
from pathlib import Path
from typing import Any, Optional

from bascule.commands import Command
from bascule.commands.arrays import (
    INPUT_HELP,
    blocks_of,
    in_lists,
    read_attributes,
    read_input,
    shape_and_dtype,
)
from bascule.commands.target import HELP, resolve
from bascule.console import print_json, styled
from bascule.errors import InvalidArgument, Unsupported

SHOWN = 64  # elements of an output that are printed whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help=HELP)
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help=INPUT_HELP)
    parser.add_argument(
        "-i", "--input", action="append", default=[], metavar="INPUT", help="the same, as an option"
    )
    parser.add_argument(
        "-a", "--attribute", action="append", default=[], metavar="NAME=JSON", help="an attribute"
    )
    parser.add_argument(
        "-o", "--output", action="append", default=[], type=Path, help="a .npy file per output"
    )
    parser.add_argument(
        "--result",
        action="append",
        default=[],
        metavar="DTYPE[SHAPE]",
        help="an output of a lone kernel; unless given there is one, like the first input",
    )
    parser.add_argument(
        "--blocks", type=int, metavar="N", help="plan for N vector cores: at most N blocks run"
    )
    parser.add_argument("--seed", type=int, default=0, help="of random numbers; 0 unless given")


def run(arguments: argparse.Namespace) -> int:
    import numpy as np

    from bascule import _native
    from bascule.operator import LoneKernel

    target = resolve(arguments.target)
    operator = target.open_operator()
    generator = np.random.default_rng(arguments.seed)
    inputs = [read_input(text, generator) for text in arguments.inputs + arguments.input]
    attributes = read_attributes(arguments.attribute)
    blocks: Optional[int] = None
    if isinstance(operator, LoneKernel):
        results = run_kernel(operator, inputs, attributes, arguments)
        names = [f"out{i + 1}" for i in range(len(results))] if len(results) > 1 else ["out"]
    else:
        if arguments.result:
            raise InvalidArgument(
                f"{operator.name}: --result is for lone kernels; this library says itself what "
                "its outputs are"
            )
        if arguments.blocks is not None:
            if arguments.blocks < 1:
                raise InvalidArgument(f"--blocks is {arguments.blocks}; 1 or more are possible")
            _native.plan_limits(vector_cores=arguments.blocks)
        given = in_lists(operator, inputs)
        results = operator(*given, **attributes)
        results = results if isinstance(results, tuple) else (results,)
        names = list(operator.outputs)
        blocks = blocks_of(operator, given, attributes)
    if len(arguments.output) > len(results):
        raise InvalidArgument(
            f"{operator.name}: --output came {len(arguments.output)} times, and there is "
            f"{len(results)} output" + ("s" if len(results) > 1 else "")
        )
    for path, result in zip(arguments.output, results):
        np.save(path, result)
    if arguments.json:
        print_json(
            {
                "operator": operator.name,
                "library": str(target.library),
                "blocks": blocks,
                "inputs": [{"dtype": x.dtype.name, "shape": list(x.shape)} for x in inputs],
                "attributes": attributes,
                "outputs": [
                    {
                        "name": name,
                        "dtype": result.dtype.name,
                        "shape": list(result.shape),
                        "file": str(path) if path else None,
                        "values": values(result),
                    }
                    for name, result, path in zip(
                        names, results, arguments.output + [None] * len(results)
                    )
                ],
            }
        )
        return 0
    for name, result in zip(names, results):
        styled(f"{name}: {result.dtype} {list(result.shape)}", "bold")
        print(np.array2string(result, threshold=SHOWN, edgeitems=3))
    return 0


def run_kernel(operator: Any, inputs: list, attributes: dict, arguments: Any) -> tuple:
    import numpy as np

    if attributes:
        raise InvalidArgument(f"{operator.name} is a lone kernel, which takes no attributes")
    if arguments.blocks is not None:
        raise Unsupported(
            f"{operator.name} is a lone kernel: how many blocks run follows from its first tensor, "
            "and --blocks would leave a part of it undone"
        )
    if arguments.result:
        results = tuple(np.zeros(*shape_and_dtype(text)) for text in arguments.result)
    elif inputs:
        results = (np.zeros_like(inputs[0]),)
    else:
        raise InvalidArgument(f"{operator.name}: give its inputs, or --result")
    operator(*inputs, out=results)
    return results


def values(result: Any) -> Any:
    """The elements as JSON has them, None where they are many."""
    if result.size > SHOWN:
        return None
    if result.dtype.kind in "biu":
        return result.tolist()
    return _numbers(result.astype("float64").tolist())


def _numbers(value: Any) -> Any:
    """JSON has no infinities and no NaN: they are texts, as in a manifest."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return value if abs(value) < float("inf") else str(value)


COMMAND = Command("run", "call an operator on NumPy arrays", run, add_arguments)

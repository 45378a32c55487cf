# SPDX-License-Identifier: Apache-2.0
"""Inputs and attributes as they are given on the command line, for `run` and `bench`."""

import json
import re
from collections.abc import Sequence
from typing import Any, Optional

from bascule.errors import InvalidArgument, Unsupported
from bascule.lists import grouped, nested

INPUT_HELP = "a .npy file, or float32[3,5] for random numbers"
DESCRIBED = re.compile(r"(\w+)\[([\d,\s]*)\]")


def dtype_of(name: str) -> Any:
    import numpy as np

    if name == "bfloat16":
        try:
            from ml_dtypes import bfloat16
        except ImportError as error:
            raise InvalidArgument(
                "bfloat16 needs the package ml_dtypes: pip install ml_dtypes"
            ) from error
        return np.dtype(bfloat16)
    try:
        return np.dtype(name)
    except TypeError as error:
        raise InvalidArgument(f"{name!r} is no element type that NumPy knows") from error


def shape_and_dtype(text: str) -> tuple[tuple[int, ...], Any]:
    """Of a text such as "float32[3,5]"."""
    described = DESCRIBED.fullmatch(text)
    if described is None:
        raise InvalidArgument(f"{text!r} describes no array; write one as float32[3,5]")
    shape = tuple(int(n) for n in described[2].split(",") if n.strip())
    return shape, dtype_of(described[1])


def read_input(text: str, generator: Any) -> Any:
    """An array from a .npy file, or normal random numbers for a text such as "float32[3,5]"."""
    import numpy as np

    if DESCRIBED.fullmatch(text) is None:
        try:
            return np.load(text)
        except ValueError as error:  # not such a file, or one with Python objects in it
            raise InvalidArgument(f"{text} cannot be read as a .npy file: {error}") from error
    shape, dtype = shape_and_dtype(text)
    numbers = np.asarray(generator.standard_normal(shape) * 4)
    return numbers > 0 if dtype == np.bool_ else numbers.astype(dtype)


def in_lists(operator: Any, arrays: list) -> list:
    """The arrays of a command line as the operator takes them: a list gets what others leave."""
    if not operator.input_lists:
        return arrays
    if len(operator.input_lists) > 1:
        raise Unsupported(
            f"{operator.name} takes several lists of tensors, and a command line does not say "
            "which array belongs to which; call it from Python"
        )
    (position,) = operator.input_lists
    length = len(arrays) - (len(operator.inputs) - 1)
    if length < 0:
        return arrays  # too few: the operator's own sentence
    counts = [None] * len(operator.inputs)
    counts[position] = length
    return grouped(arrays, tuple(counts))


def read_attributes(texts: Sequence[str]) -> dict[str, Any]:
    """Of texts such as "axes=[0,1]"."""
    attributes = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            if not equals:
                raise ValueError
            attributes[name] = json.loads(value)
        except ValueError as error:
            raise InvalidArgument(
                f"{text!r} is no attribute; write NAME=JSON, as in scale=0.5, axes=[0,1], "
                "keep_dims=true or mode='\"fast\"'"
            ) from error
    return attributes


def blocks_of(operator: Any, inputs: Sequence[Any], attributes: dict) -> Optional[int]:
    """How many blocks a call runs; None where that depends on what the inputs hold."""
    described = nested(lambda x: (x.shape, x.dtype.name), inputs)
    try:
        return operator.native.plan(described, attributes or None)["block_count"]
    except Unsupported:
        return None

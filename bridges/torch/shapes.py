# SPDX-License-Identifier: Apache-2.0
"""Output shapes for tensors without data: fake and meta tensors, symbolic sizes included.

The library's own shape function answers for numbers only. For sizes that are symbols while a
program is traced, it is asked about made-up numbers, one for each size that differs, and its answer
is translated back; a second set of numbers shows whether that was a coincidence.
"""

from collections.abc import Sequence
from typing import Any, Callable, Optional

import torch

from bascule.errors import Error
from bascule.lists import counts_of, flat, grouped

Described = tuple[tuple, str]

# Large primes, so that a sum or product of sizes is none of them.
_PROBES = (
    (10007, 10037, 10061, 10069, 10079, 10091, 10093, 10099, 10103, 10111, 10133, 10139),
    (20011, 20021, 20023, 20029, 20047, 20051, 20063, 20071, 20089, 20101, 20107, 20113),
)


def dtype_name(dtype: torch.dtype) -> str:
    """ "float32" for torch.float32."""
    return str(dtype)[len("torch.") :]


def infer(operator: Any, inputs: Sequence[Any], attributes: dict) -> list:
    """(sizes, torch.dtype) of each output, those saved for the gradient included.

    Sizes may hold symbols from the inputs' shapes. An input is a tensor, None, or a list of
    tensors.
    """
    tensors, counts = flat(inputs), counts_of(inputs)

    def ask(shapes: list) -> list:
        return operator.infer_all(*grouped(_pairs(shapes, dtypes), counts), **attributes)

    shapes = [None if t is None else tuple(t.shape) for t in tensors]
    dtypes = [None if t is None else dtype_name(t.dtype) for t in tensors]
    symbols = _classes(n for shape in shapes if shape is not None for n in shape)
    if symbols:
        outputs = _by_probing(ask, shapes, symbols)
        if outputs is None:
            # A shape that is no choice among the inputs' sizes: traced for these sizes alone.
            shapes = [None if s is None else tuple(int(n) for n in s) for s in shapes]
            symbols = []
    if not symbols:
        outputs = ask(shapes)
    return [(shape, getattr(torch, dtype)) for shape, dtype in outputs]


def _pairs(shapes: list, dtypes: list) -> list:
    return [None if s is None else (s, d) for s, d in zip(shapes, dtypes)]


def _is_symbol(size: Any) -> bool:
    return isinstance(size, torch.SymInt)


def _classes(sizes: Any) -> list:
    """One symbol for each distinct size; equal ones are found by asking, which keeps them equal."""
    found: list = []
    for size in filter(_is_symbol, sizes):
        if not any(size is other or _known_equal(size, other) for other in found):
            found.append(size)
    return found


def _known_equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # a size that depends on data: nothing is known of it
        return False


def _by_probing(ask: Callable[[list], list], shapes: list, symbols: list) -> Optional[list]:
    """The outputs by two sets of made-up sizes, or None where they do not settle it."""
    answers = []
    for probes in _PROBES:
        if len(symbols) > len(probes):
            return None
        numbered = [
            None if s is None else tuple(_probe(n, symbols, probes) for n in s) for s in shapes
        ]
        try:
            inferred = ask(numbered)
        except Error:
            return None
        answers.append([(_translated(s, symbols, probes), d) for s, d in inferred])
    first, second = answers
    for (shape, _), (other, _) in zip(first, second):
        if shape is None or other is None or len(shape) != len(other):
            return None
        if any(a is not b and not (a == b and not _is_symbol(a)) for a, b in zip(shape, other)):
            return None
    return first


def _probe(size: Any, symbols: list, probes: tuple) -> int:
    if not _is_symbol(size):
        return size
    for symbol, probe in zip(symbols, probes):
        if size is symbol or _known_equal(size, symbol):
            return probe
    raise AssertionError("every symbol has a class")


def _translated(shape: Optional[tuple], symbols: list, probes: tuple) -> Optional[tuple]:
    if shape is None:
        return None
    back = dict(zip(probes, symbols))
    return tuple(back.get(n, n) for n in shape)

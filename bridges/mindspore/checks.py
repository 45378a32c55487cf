# SPDX-License-Identifier: Apache-2.0
"""What a Custom asks before it calls its primitives, eagerly and while a graph is compiled.

Apart from the class, because mixed precision (`amp`, level O1) copies a cell's class into a file of
its own, with the names that the class's module imports and no others.
"""

import itertools
import weakref
from functools import partial

import mindspore
from mindspore import Tensor, mutable
from mindspore.ops import constexpr

from bascule.errors import InvalidArgument
from bascule.lists import flat, grouped
from bascule.mindspore.described import Described
from bascule.mindspore.tensors import TensorInfo, dtype_name

try:
    from mindspore.graph.api import _pynative_executor
except ImportError:  # not a public name
    _pynative_executor = None

# get_context("mode") takes 20 us, half of what MindSpore needs for a call.
_mode = getattr(mindspore.context, "_get_mode", partial(mindspore.get_context, "mode"))


def checked_inputs(
    described: Described, inputs: tuple, others: dict, differentiated: bool
) -> tuple:
    """The inputs of a call from Python, looked at; `others` came by name.

    `differentiated`: PYNATIVE is about to differentiate the cell by itself.
    """
    if others:
        raise InvalidArgument(
            f"{described.name}: {', '.join(others)} came by name; inputs go by position, and "
            "attributes have their defaults."
        )
    described.check_count(len(inputs))
    row, counts = inputs, None
    if described.lists:
        for index, value in enumerate(inputs):
            if described.lists[index] and not isinstance(value, (tuple, list)):
                raise _no_list(described, index, f"a {type(value).__name__}")
        counts = tuple(len(v) if is_list else None for is_list, v in zip(described.lists, inputs))
        row = tuple(flat(inputs))
        described = described.row(tuple(1 if n is None else n for n in counts)).described
    for index, value in enumerate(row):
        if not isinstance(value, Tensor):
            raise _no_tensor(described, index, f"a {type(value).__name__}")
    if _mode() == mindspore.GRAPH_MODE:
        # A graph compiled for unknown shapes stays broken after an error while it runs.
        described.outputs(tuple(TensorInfo(v.shape, dtype_name(v.dtype)) for v in row))
        if counts is not None:
            # A graph would be compiled for these very tensors.
            inputs = tuple(mutable(v) if isinstance(v, (tuple, list)) else v for v in inputs)
    elif differentiated:
        row = _distinct(row)
        inputs = row if counts is None else tuple(grouped(row, counts))
    return inputs


def is_differentiating() -> bool:
    """Whether PYNATIVE keeps what it runs for a gradient; True where that cannot be told."""
    return _pynative_executor is None or _pynative_executor.grad_flag()


def _distinct(inputs: tuple) -> tuple:
    """The inputs of a cell about to be differentiated by itself, each a tensor of its own.

    PYNATIVE adds the gradients of positions that hold the same tensor and returns the sum for each,
    where GRAPH returns each position's own. `.data` is the same memory with a gradient of its own.
    Inside a larger function the sum is right, and nothing is done.
    """
    if _pynative_executor is None or _pynative_executor.grad_flag():
        return inputs
    seen: set[int] = set()
    result = []
    for value in inputs:
        result.append(value.data if id(value) in seen else value)
        seen.add(id(value))
    return tuple(result)


def _no_tensor(described: Described, index: int, came: str) -> InvalidArgument:
    return InvalidArgument(
        f"{described.name}: input '{described.input_name(index)}' is {came}; expected a Tensor."
    )


def _no_list(described: Described, index: int, came: str) -> InvalidArgument:
    return InvalidArgument(
        f"{described.name}: input '{described.input_name(index)}' takes a list or tuple of "
        f"tensors, and {came} came."
    )


# While a graph is compiled, functions are called with constants: an operator goes by number.
_numbers = itertools.count()
_known: "weakref.WeakValueDictionary[int, Described]" = weakref.WeakValueDictionary()


def number_of(described: Described) -> int:
    """A number that stands for the operator as long as it lives."""
    if described.number is None:
        described.number = next(_numbers)
        _known[described.number] = described
    return described.number


# These three give what is made for lists of known lengths, `counts` having a number for each input.


@constexpr
def number_of_row(number, counts):
    return number_of(_known[number].row(counts).described)


@constexpr
def static_of_row(number, counts):
    return _known[number].row(counts).static


@constexpr
def dynamic_of_row(number, counts):
    return _known[number].row(counts).dynamic


@constexpr
def refuse_no_list(number, index):
    raise _no_list(_known[number], index, "something else")


@constexpr
def refuse_count(number, count):
    _known[number].check_count(count)
    raise _no_tensor(_known[number], count, "None")


@constexpr
def refuse_kind(number, index):
    raise _no_tensor(_known[number], index, "something else")


@constexpr
def check_dtypes(number, dtypes):
    _known[number].check_dtypes(tuple(map(dtype_name, dtypes)))
    return True


@constexpr
def refuse_unknown_shapes(number):
    _known[number].refuse_unknown_shapes()

# SPDX-License-Identifier: Apache-2.0
"""`out_shape` and `out_dtype` as callers give them: values, or functions of the inputs.

For a library with a manifest they are promises, compared with what it says; for a lone kernel they
are all that is known. Functions may be written for plain shapes and dtypes or for tensors.
"""

import inspect
from collections.abc import Sequence
from typing import Any, Callable, Optional

from bascule.errors import InvalidArgument
from bascule.gradient import plural

__all__ = ["Described", "GivenOutputs", "dtype_name", "numbered", "parameter_names"]

Pair = tuple[tuple[int, ...], str]  # a tensor's shape, and the name of its element type


class Described(tuple):
    """A shape, for `out_shape` and `out_dtype` functions of either kind.

    To one that expects shapes it is the tuple; to one that expects tensors it has `.shape` and
    `.dtype`.
    """

    dtype: str

    def __new__(cls, shape: tuple, dtype: str):
        self = super().__new__(cls, shape)
        self.dtype = dtype
        return self

    @property
    def shape(self) -> tuple:
        return tuple(self)


class _DType:
    """An element type by name, for functions that take dtypes and for those that read `.dtype`."""

    def __init__(self, name: str):
        self.name = name
        self.dtype = name

    def __eq__(self, other: Any) -> bool:
        return dtype_name(other) == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


class GivenOutputs:
    """What a caller says of the outputs of the operator called `name`; either may be None."""

    def __init__(self, name: str, shape: Any, dtype: Any):
        self.name = name
        self.shape = shape
        self.dtype = dtype

    def parameter_names(self) -> Optional[tuple[str, ...]]:
        """The inputs as the caller's functions name them, None where that cannot be told."""
        for value in (self.shape, self.dtype):
            if _is_function(value):
                return parameter_names(value)
        return None

    def shapes(self, inputs: Sequence[Optional[Pair]]) -> list[tuple[int, ...]]:
        """The shapes of the outputs; an input that was left out is None."""
        said = _evaluate(self.shape, [None if p is None else Described(*p) for p in inputs])
        try:
            several = list(said) if _is_nested(said) else [said]
            shapes = [tuple(shape) for shape in several]
        except TypeError:
            shapes = [(said,)]
        for shape in shapes:
            if not all(isinstance(n, int) and not isinstance(n, bool) for n in shape):
                raise InvalidArgument(f"{self.name}: out_shape: {said!r} is no shape.")
        return shapes

    def dtypes(self, inputs: Sequence[Optional[Pair]]) -> list[str]:
        """The names of the outputs' element types."""
        said = _evaluate(self.dtype, [None if p is None else _DType(p[1]) for p in inputs])
        several = list(said) if isinstance(said, (tuple, list)) else [said]
        return [dtype_name(dtype) for dtype in several]

    def infer(self, inputs: Sequence[Optional[Pair]]) -> list[Pair]:
        """Both, where both were given."""
        shapes, dtypes = self.shapes(inputs), self.dtypes(inputs)
        if len(shapes) != len(dtypes):
            raise InvalidArgument(
                f"{self.name}: out_shape describes {plural(len(shapes), 'output')}, out_dtype "
                f"{len(dtypes)}."
            )
        return list(zip(shapes, dtypes))

    def count(self, inputs: int) -> Optional[int]:
        """The number of outputs, None where only inputs that really come would tell it."""
        if not _is_function(self.shape):
            return len(self.shapes([]))
        for rank in (2, 1, 3, 4):  # made up, for a function that looks at one of its dimensions
            try:
                return len(self.shapes([((2,) * rank, "float32")] * inputs))
            except Exception:
                continue
        return None


def numbered(name: str, count: int) -> tuple[str, ...]:
    """Names for `count` parameters that nobody named: "out", or "out1", "out2", …"""
    return (name,) if count == 1 else tuple(f"{name}{i + 1}" for i in range(count))


def parameter_names(function: Callable) -> Optional[tuple[str, ...]]:
    """The positional parameters of a function, None where their number varies or is unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = inspect.Parameter
    if any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        return None
    positional = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in positional)


def dtype_name(dtype: Any) -> str:
    """ "float32", for torch.float32, numpy.float32, numpy.dtype("float32") and "float32"."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = getattr(dtype, "__name__", None) or str(dtype)
    return name.rpartition(".")[2].lower()  # MindSpore's are Float32 and the like


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)  # numpy.float32 is a type


def _evaluate(promise: Any, values: list) -> Any:
    return promise(*values) if _is_function(promise) else promise


def _is_nested(shape: Any) -> bool:
    return len(shape) > 0 and isinstance(shape[0], (tuple, list))

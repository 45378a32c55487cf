# SPDX-License-Identifier: Apache-2.0
"""What inference functions see of tensors, and MindSpore's element types by name.

MindSpore hands `out_shape` plain shapes and `out_dtype` plain dtypes, while its tutorials write
`x.shape` and `x.dtype` as if tensors came. ShapeView and DtypeView are both at once.
"""

from typing import Any, NamedTuple

import mindspore


class TensorInfo(NamedTuple):
    shape: tuple[int, ...]
    dtype: str  # "float16", "bool", ... as in the manifest

    def __str__(self) -> str:
        return f"{self.shape} {self.dtype}"


_names: dict[Any, str] = {}


def dtype_name(dtype: Any) -> str:
    """The name of a MindSpore dtype: "float16" for mindspore.float16."""
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = str(dtype).lower()
    return name


def dtype_named(name: str) -> Any:
    """The MindSpore dtype of that name."""
    return getattr(mindspore, "bool_" if name == "bool" else name)


class ShapeView(tuple):
    """A shape that also answers like a tensor: `x[0]`, `len(x)`, `x.shape`, `x.dtype`."""

    def __new__(cls, info: TensorInfo):
        view = super().__new__(cls, info.shape)
        view.dtype = dtype_named(info.dtype)
        return view

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self)

    @property
    def ndim(self) -> int:
        return len(self)

    @property
    def size(self) -> int:
        size = 1
        for dim in self:
            size *= dim
        return size


class DtypeView:
    """A dtype that also answers like a tensor: `x == mindspore.float16`, `x.dtype`, `x.shape`."""

    def __init__(self, info: TensorInfo):
        self.shape = info.shape
        self.dtype = dtype_named(info.dtype)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __eq__(self, other: object) -> bool:
        return self.dtype == (other.dtype if isinstance(other, DtypeView) else other)

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __str__(self) -> str:
        return str(self.dtype)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dtype, name)


def read_shape(value: Any) -> tuple[int, ...]:
    """A shape that a user gave: a sequence of int, or what an inference function was handed."""
    if isinstance(value, (ShapeView, DtypeView)):
        return value.shape
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    if isinstance(value, (tuple, list)) and all(type(dim) is int for dim in value):
        return tuple(value)
    raise TypeError(f"{value!r} is no shape")


def read_dtype(value: Any) -> str:
    """A dtype that a user gave, by name: a MindSpore dtype, or what a function was handed."""
    if isinstance(value, (DtypeView, ShapeView)):
        value = value.dtype
    if isinstance(value, mindspore.TensorType):
        value = value.element_type()
    if isinstance(value, mindspore.Type):
        return dtype_name(value)
    raise TypeError(f"{value!r} is no dtype")


def is_several(value: Any) -> bool:
    """Whether a given shape or dtype stands for several outputs: a sequence of such."""
    return (
        isinstance(value, (tuple, list))
        and not isinstance(value, ShapeView)
        and bool(value)
        and not all(type(item) is int for item in value)
    )

# SPDX-License-Identifier: Apache-2.0
"""`bascule.Custom`: an operator under MindSpore's argument names, for tensors of any framework."""

from pathlib import Path
from typing import Any, Callable, Optional

from bascule.errors import InvalidArgument, Unsupported
from bascule.gradient import Gradient
from bascule.operator import Caller, Library, Operator
from bascule.search import find_library, script_folder

__all__ = ["Custom", "Described", "open_operator"]


def open_operator(func: str, script: Optional[Path]) -> Operator:
    """The operator that a `func` text names: "library:operator", or a library with one operator.

    The library is a path or a name, looked for as bascule.search says; `script` is the folder of
    the calling script.
    """
    found = find_library(func, local=True, script=script)
    library = Library(found.path)
    return library.only() if found.symbol is None else library.find(found.symbol)


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


class Custom:
    """An operator of a library, with a gradient given here or the library's own.

        my_mul = bascule.Custom("./libmy_mul.so:my_mul", bprop=my_mul_bprop)
        my_mul(x, y).sum().backward()

    `func` names a library, a path or a name, and after a colon the operator; the operator may be
    left out where the library has one. `out_shape` and `out_dtype` are values, or functions of the
    inputs' shapes or dtypes; the library knows both by itself, so here they are promises that are
    compared with what it says. `bprop` is a gradient function (bascule.gradient says of what form);
    without one the library's own is used. Called on NumPy arrays or tensors of one framework,
    attributes by keyword; returns the same kind.
    """

    def __init__(
        self,
        func: str,
        out_shape: Any = None,
        out_dtype: Any = None,
        func_type: str = "aot",
        bprop: Optional[Callable] = None,
    ):
        if func_type != "aot":
            raise Unsupported(
                f"Custom: func_type '{func_type}' is not available in this version of bascule; "
                "'aot' is."
            )
        if not isinstance(func, str):
            raise InvalidArgument(
                f"Custom: func is a {type(func).__name__}; with func_type 'aot' it is a text such "
                "as './libmy_mul.so:my_mul'."
            )
        self.operator = open_operator(func, script_folder())
        operator = self.operator
        if bprop is None:
            self.gradient = operator.gradient
        else:
            self.gradient = Gradient.of_function(
                bprop, operator.name, operator.inputs, operator.outputs
            )
        self._caller = Caller(operator, self.gradient)
        self._caller.prepare()
        self._out_shape = out_shape
        self._out_dtype = out_dtype
        self._unchecked = out_shape is not None or out_dtype is not None

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        result = self._caller(*inputs, **attributes)
        if self._unchecked:
            self._compare(inputs, result)
        return result

    def _compare(self, inputs: tuple, result: Any) -> None:
        """Compares `out_shape` and `out_dtype` with a first result."""
        self._unchecked = False
        described = [
            Described(tuple(v.shape), _dtype_name(v.dtype)) if v is not None else None
            for v in inputs
        ]
        results = result if isinstance(result, tuple) else (result,)
        single = len(results) == 1
        if self._out_shape is not None:
            said = _evaluate(self._out_shape, described)
            shapes = [said] if single and not _is_nested(said) else list(said)
            got = [tuple(r.shape) for r in results]
            if [tuple(s) for s in shapes] != got:
                raise InvalidArgument(
                    f"{self.operator.name}: out_shape says {shapes}, the library says {got}."
                )
        if self._out_dtype is not None:
            dtypes = [None if d is None else _DType(d.dtype) for d in described]
            said = _evaluate(self._out_dtype, dtypes)
            several = list(said) if isinstance(said, (tuple, list)) else [said]
            names = [_dtype_name(dtype) for dtype in several]
            got = [_dtype_name(r.dtype) for r in results]
            if names != got:
                raise InvalidArgument(
                    f"{self.operator.name}: out_dtype says {names}, the library says {got}."
                )

    def __repr__(self) -> str:
        return f"Custom({self.operator!r})"


class _DType:
    """An element type by name, for functions that take dtypes and for those that read `.dtype`."""

    def __init__(self, name: str):
        self.name = name
        self.dtype = name

    def __eq__(self, other: Any) -> bool:
        return _dtype_name(other) == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


def _evaluate(promise: Any, values: list) -> Any:
    is_function = callable(promise) and not isinstance(promise, type)  # numpy.float32 is a type
    return promise(*values) if is_function else promise


def _is_nested(shape: Any) -> bool:
    return len(shape) > 0 and isinstance(shape[0], (tuple, list))


def _dtype_name(dtype: Any) -> str:
    """ "float32", for torch.float32, numpy.float32, numpy.dtype("float32") and "float32"."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = getattr(dtype, "__name__", None) or str(dtype)
    return name.rpartition(".")[2]

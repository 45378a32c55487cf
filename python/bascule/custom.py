# SPDX-License-Identifier: Apache-2.0
"""`bascule.Custom`: an operator under MindSpore's argument names, for tensors of any framework."""

from pathlib import Path
from typing import Any, Callable, Optional, Union

from bascule import _native
from bascule.errors import BadLibrary, InvalidArgument, Unsupported
from bascule.gradient import Gradient
from bascule.operator import Caller, Library, LoneKernel, Operator
from bascule.outputs import GivenOutputs, dtype_name, numbered, parameter_names
from bascule.pyfunc import operator_of
from bascule.search import Found, find_library, script_folder
from bascule.stats import Stats, stats_of

__all__ = ["Custom", "open_operator"]


def open_operator(func: str, script: Optional[Path] = None) -> Operator:
    """The operator that a `func` text names: "library:operator", or a library with one operator.

    The library is a path or a name, looked for as bascule.search says; `script` is the folder of
    the calling script, where an error says so if the library lies there.
    """
    found = find_library(func, script=script)
    with found.opening():
        return _operator_in(found)


def _operator_in(found: Found) -> Operator:
    library = Library(found.path)
    return library.only() if found.symbol is None else library.find(found.symbol)


def _operator_or_function(func: str, script: Optional[Path]) -> Operator:
    """Also a function in MindSpore's aot convention, of a library that has no manifest."""
    found = find_library(func, script=script)
    try:
        with found.opening():
            return _operator_in(found)
    except BadLibrary as error:
        if "holds no manifest" not in str(error):
            raise
    symbol = found.symbol or found.path.name.partition(".so")[0].removeprefix("lib")
    return LoneKernel(_native.open_function(str(found.path), symbol), str(found.path))


class Custom:
    """An operator of a library, with a gradient given here or the library's own.

        my_mul = bascule.Custom("./libmy_mul.so:my_mul", bprop=my_mul_bprop)
        my_mul(x, y).sum().backward()

    `func` names a library, a path or a name, and after a colon the operator; the operator may be
    left out where the library has one. `out_shape` and `out_dtype` are values, or functions of the
    inputs' shapes or dtypes. A library that `bascule build` made knows both by itself, and they are
    promises that are compared with what it says; of a lone kernel (docs/lone_kernels.md) and of a
    function in plain C++ that follows MindSpore's aot convention they are all that is known, so
    these need both. With `func_type="pyfunc"`, `func` is a Python function of NumPy arrays, which
    needs both, too. `bprop` is a gradient function (bascule.gradient says of what form); without
    one the library's own is used. `recompute`: outputs that it reads are made again from the inputs
    rather than kept; None: as the library says. Called on NumPy arrays or tensors of one framework,
    attributes by keyword; returns the same kind.
    """

    def __init__(
        self,
        func: Union[str, Callable],
        out_shape: Any = None,
        out_dtype: Any = None,
        func_type: str = "aot",
        bprop: Optional[Callable] = None,
        recompute: Optional[bool] = None,
    ):
        self._given = GivenOutputs("Custom", out_shape, out_dtype)
        if func_type == "pyfunc":
            self.operator = operator_of(func, self._given)
        elif func_type != "aot":
            raise Unsupported(
                f"Custom: func_type '{func_type}' is not available; 'aot' and 'pyfunc' are."
            )
        elif not isinstance(func, str):
            raise InvalidArgument(
                f"Custom: func is a {type(func).__name__}; with func_type 'aot' it is a text such "
                "as './libmy_mul.so:my_mul'. A Python function needs func_type 'pyfunc'."
            )
        else:
            self.operator = _operator_or_function(func, script_folder())
        self._given.name = self.operator.name
        self._bprop = bprop
        self._recompute = recompute
        self._unchecked = func_type == "aot" and (out_shape is not None or out_dtype is not None)
        self._caller: Optional[Caller] = None  # until it is known how many tensors it takes
        if isinstance(self.operator, LoneKernel):
            self._unchecked = False  # nobody else knows
            self._describe_early()
        else:
            self._prepare()

    def _prepare(self) -> None:
        operator = self.operator
        if self._bprop is None:
            self.gradient = operator.gradient
        else:
            self.gradient = Gradient.of_function(
                self._bprop, operator.name, operator.inputs, operator.outputs, operator.saved
            )
        self.gradient = self.gradient.recomputing(self._recompute)
        self._caller = Caller(operator, self.gradient)
        self._caller.prepare()

    def _describe_early(self) -> None:
        """Describes a lone kernel by the caller's functions, as far as they tell enough."""
        for argument, value in (
            ("out_shape", self._given.shape),
            ("out_dtype", self._given.dtype),
        ):
            if value is None:
                raise InvalidArgument(
                    f"{self.operator.name}: {argument} was left out, and {self.operator.source} "
                    "has no manifest to tell."
                )
        names = self._given.parameter_names()
        if names is None and callable(self._bprop):
            names = (parameter_names(self._bprop) or ())[:-2] or None  # as for one output
        count = None if names is None else self._given.count(len(names))
        if count is not None:
            self._describe(names, count)

    def _describe(self, inputs: tuple[str, ...], count: int) -> None:
        self.operator = self.operator.described(inputs, numbered("out", count), self._given.infer)
        self._prepare()

    def described_for(self, inputs: tuple) -> tuple[Operator, Gradient]:
        """The operator and its gradient, after what these inputs tell of a lone kernel."""
        if self._caller is None:
            count = len(self._given.shapes(_pairs(inputs)))
            names = self._given.parameter_names()
            if names is None or len(names) != len(inputs):
                names = tuple(f"in{i}" for i in range(len(inputs)))
            self._describe(names, count)
        return self.operator, self.gradient

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        if self._caller is None:
            self.described_for(inputs)
        result = self._caller(*inputs, **attributes)
        if self._unchecked:
            self._compare(inputs, result)
        return result

    def _compare(self, inputs: tuple, result: Any) -> None:
        """Compares `out_shape` and `out_dtype` with a first result."""
        self._unchecked = False
        pairs = _pairs(inputs)
        results = result if isinstance(result, tuple) else (result,)
        if self._given.shape is not None:
            said = self._given.shapes(pairs)
            got = [tuple(r.shape) for r in results]
            if said != got:
                raise InvalidArgument(
                    f"{self.operator.name}: out_shape says {said}, the library says {got}."
                )
        if self._given.dtype is not None:
            said = self._given.dtypes(pairs)
            got = [dtype_name(r.dtype) for r in results]
            if said != got:
                raise InvalidArgument(
                    f"{self.operator.name}: out_dtype says {said}, the library says {got}."
                )

    def stats(self) -> Stats:
        """How often the operator and its gradient ran in this process (bascule.stats)."""
        known = self._caller is not None
        return stats_of(self.operator, self.gradient if known else self.operator.gradient)

    def __repr__(self) -> str:
        return f"Custom({self.operator!r})"


def _pairs(inputs: tuple) -> list:
    return [None if v is None else (tuple(v.shape), dtype_name(v.dtype)) for v in inputs]

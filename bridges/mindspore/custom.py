# SPDX-License-Identifier: Apache-2.0
"""Custom: MindSpore's ops.Custom with its traps taken away.

It is a Cell around two primitives. `_static` infers in Python and serves PYNATIVE, and GRAPH where
shapes are known at compile time. `_dynamic` infers in the library's own NAMEInferShape, the only
form in which MindSpore takes unknown shapes. It is no good for the rest: it casts inputs to a dtype
that the library has without saying so, and makes a Python number of a result of rank 0.
"""

import itertools
import weakref
from functools import partial
from types import MethodType
from typing import Any, Callable, Optional, Union

import mindspore
from mindspore import Tensor, nn
from mindspore.ops import constexpr, isconstant

from bascule.errors import GradientError, InvalidArgument, Unsupported
from bascule.gradient import Gradient
from bascule.mindspore import library, pyfunc, source
from bascule.mindspore.operator import (
    Described,
    GivenOutputs,
    LibraryOperator,
    PlainOperator,
    numbered,
    parameter_names,
)
from bascule.mindspore.primitive import Dynamic, Static, registration
from bascule.mindspore.tensors import TensorInfo, dtype_name, is_several
from bascule.operator import Operator
from bascule.search import script_folder

try:
    from mindspore.graph.api import _pynative_executor
except ImportError:  # not a public name
    _pynative_executor = None

# get_context("mode") takes 20 us, half of what MindSpore needs for a call.
_mode = getattr(mindspore.context, "_get_mode", partial(mindspore.get_context, "mode"))

__all__ = ["Custom"]


class Custom(nn.Cell):
    """An operator as a cell: called on Tensors, differentiated, used in other cells and functions.

    Args:
        func: for "aot", an operator library: `"my_mul"`, `"./libmy_mul.so"` or
            `"./libmy_mul.so:my_mul"`, looked for as bascule.search says; for "pyfunc", a function
            of NumPy arrays.
        out_shape, out_dtype: functions of the inputs, written for tensors (`x.shape`) or for plain
            shapes and dtypes, or values; tuples where there are several outputs. A library with a
            manifest knows both, so they may be left out; given, they are compared.
        func_type: "aot" or "pyfunc".
        bprop: the gradient function, `(inputs…, out, dout)`; bascule.gradient states its rule. A
            library with a manifest has its own, which this replaces.
        reg_info: as in MindSpore, for a library without manifest.

    Called with one Tensor per input, by position; returns a Tensor, or a tuple of them. What the
    operator does not take raises InvalidArgument, a gradient against the rule GradientError; both
    are ValueErrors, and nothing has been launched.
    """

    def __init__(
        self,
        func: Union[str, Callable],
        out_shape: Any = None,
        out_dtype: Any = None,
        func_type: str = "aot",
        bprop: Optional[Callable] = None,
        reg_info: Any = None,
    ):
        super().__init__()
        given = GivenOutputs(out_shape, out_dtype)
        if func_type == "aot":
            if not isinstance(func, str):
                raise InvalidArgument(
                    f"Custom: func is a {type(func).__name__}; with func_type 'aot' it is a text "
                    "such as 'my_mul' or './libmy_mul.so:my_mul'."
                )
            found = library.locate(func, script_folder())
            self._set_up(*_of_library(found, given, bprop, reg_info))
        elif func_type == "pyfunc":
            self._set_up(*_of_function(func, given, bprop, reg_info))
        else:
            raise Unsupported(
                f"Custom: func_type is {func_type!r}; expected 'aot' or 'pyfunc'. The other kinds "
                "of MindSpore's Custom compile for its own devices: use mindspore.ops.Custom."
            )

    @classmethod
    def of_operator(cls, operator: Operator, gradient: Gradient) -> "Custom":
        """The cell of an operator that bascule.load gave, with `gradient`."""
        self = cls.__new__(cls)
        nn.Cell.__init__(self)
        self._set_up(*_of_operator(library.loadable(operator), GivenOutputs(None, None), gradient))
        return self

    def _set_up(
        self, described: Described, static: Optional[Static], dynamic: Optional[Dynamic]
    ) -> None:
        target = mindspore.get_context("device_target")
        if target != "CPU":
            raise Unsupported(
                f"{described.name}: MindSpore's device_target is {target}; bascule runs operators "
                "on CPU: mindspore.set_context(device_target='CPU')."
            )
        self.__name__ = described.name
        self._described = described
        self._key = next(_keys)
        _known[self._key] = described
        self._has_static = static is not None
        self._has_dynamic = dynamic is not None
        self._static = static
        self._dynamic = dynamic
        if described.input_names is not None:
            self.construct = self._fixed_construct(len(described.input_names))

    def __call__(self, *inputs: Tensor, **others: Any) -> Any:
        described = self._described
        if others:
            raise InvalidArgument(
                f"{described.name}: {', '.join(others)} came by name; inputs go by position, and "
                "attributes have their defaults."
            )
        described.check_count(len(inputs))
        for index, value in enumerate(inputs):
            if not isinstance(value, Tensor):
                raise _no_tensor(described, index, f"a {type(value).__name__}")
        if _mode() == mindspore.GRAPH_MODE:
            # A graph compiled for unknown shapes stays broken after an error while it runs.
            described.outputs(tuple(TensorInfo(v.shape, dtype_name(v.dtype)) for v in inputs))
        elif self.requires_grad:
            inputs = _distinct(inputs)
        return super().__call__(*inputs)

    def _fixed_construct(self, count: int) -> Callable:
        """construct() with `count` parameters: inside a graph, ms.grad fails on *inputs."""
        parameters = "".join(f", in{i}=None" for i in range(count))
        inputs = "".join(f"in{i}, " for i in range(count))
        text = f"def construct(self{parameters}):\n    return self.call(({inputs}))\n"
        return MethodType(source.define("construct", text, {}), self)

    def construct(self, *inputs):
        return self.call(inputs)

    def call(self, inputs):
        """Runs the operator on a tuple. GRAPH compiles this; its conditions are constants then."""
        dtypes = ()
        shapes_known = True
        for index in range(len(inputs)):
            if inputs[index] is None:
                return _refuse_count(self._key, index)
            if not isinstance(inputs[index], Tensor):
                return _refuse_kind(self._key, index)
            dtypes = dtypes + (inputs[index].dtype,)
            if not isconstant(inputs[index].shape):
                shapes_known = False
        if self._has_static and shapes_known:
            return self._static(*inputs)
        _check_dtypes(self._key, dtypes)
        if self._has_dynamic:
            return self._dynamic(*inputs)
        return _refuse_unknown(self._key)

    def extend_repr(self) -> str:
        return self._described.name


# What construct() asks while it is compiled, with constants: the operator goes by number.
_keys = itertools.count()
_known: "weakref.WeakValueDictionary[int, Described]" = weakref.WeakValueDictionary()


@constexpr
def _refuse_count(key, count):
    _known[key].check_count(count)
    raise _no_tensor(_known[key], count, "None")


@constexpr
def _refuse_kind(key, index):
    raise _no_tensor(_known[key], index, "something else")


@constexpr
def _check_dtypes(key, dtypes):
    _known[key].check_dtypes(tuple(map(dtype_name, dtypes)))
    return True


@constexpr
def _refuse_unknown(key):
    _known[key].refuse_unknown_shapes()


def _no_tensor(described: Described, index: int, came: str) -> InvalidArgument:
    return InvalidArgument(
        f"{described.name}: input '{described.input_name(index)}' is {came}; expected a Tensor."
    )


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


_Parts = tuple[Described, Optional[Static], Optional[Dynamic]]


def _of_library(found: library.Loadable, given: GivenOutputs, bprop: Any, reg_info: Any) -> _Parts:
    if found.operator is not None:
        operator = found.operator
        gradient = operator.gradient
        if bprop is not None:
            gradient = _given_gradient(bprop, operator.name, operator.inputs, operator.outputs)
        return _of_operator(found, given, gradient)

    func = f"{found.file}:{found.symbol}"
    if given.shape is None and reg_info is not None:
        names = _registered_names(reg_info)
        gradient = bprop and _given_gradient(bprop, found.symbol, names, ["out"])
        described = Described(found.symbol, names, ["out"], gradient)
        return described, None, Dynamic(described, func, reg_info, given.dtype)
    _need_outputs(found.symbol, given, f"{found.file} has no manifest to tell")
    described = _plain(found.symbol, given.parameter_names(), given, bprop)
    return described, Static(described, func, "aot", reg_info), None


def _of_operator(found: library.Loadable, given: GivenOutputs, gradient: Gradient) -> _Parts:
    described = LibraryOperator(found.operator, given, gradient)
    func = f"{found.file}:{found.symbol}"
    dynamic = None
    if len(described.output_names) == 1:  # NAMEInferShape gives one shape
        dynamic = Dynamic(described, func, registration(described))
    return described, Static(described, func, "aot"), dynamic


def _of_function(func: Any, given: GivenOutputs, bprop: Any, reg_info: Any) -> _Parts:
    if not callable(func):
        raise InvalidArgument(
            f"Custom: func is a {type(func).__name__}; with func_type 'pyfunc' it is a function."
        )
    name = getattr(func, "__name__", type(func).__name__)
    name = name if name.isidentifier() else "pyfunc"  # <lambda>
    _need_outputs(name, given, "a function does not tell")
    inputs = parameter_names(func) or given.parameter_names()
    if inputs is None:
        raise InvalidArgument(
            f"{name}: how many inputs it takes cannot be told; name the parameters of func."
        )
    described = _plain(name, inputs, given, bprop)
    return described, Static(described, pyfunc.checked(func, described), "pyfunc", reg_info), None


def _need_outputs(name: str, given: GivenOutputs, why: str) -> None:
    for argument, value in (("out_shape", given.shape), ("out_dtype", given.dtype)):
        if value is None:
            raise InvalidArgument(f"{name}: {argument} was left out, and {why}.")


def _plain(name: str, inputs: Any, given: GivenOutputs, bprop: Any) -> PlainOperator:
    """An operator known by what the caller gave; its gradient function counts its parameters."""
    parameters = parameter_names(bprop) if callable(bprop) else None
    if inputs is None and parameters is not None:
        inputs = parameters[:-2]
    outputs = 1
    if not callable(given.shape) and is_several(given.shape):
        outputs = len(given.shape)
    elif inputs is not None and parameters is not None:
        outputs = max(1, (len(parameters) - len(inputs)) // 2)
    outputs = numbered("out", outputs)
    gradient = None if bprop is None else _given_gradient(bprop, name, inputs, outputs)
    return PlainOperator(name, inputs, outputs, gradient, given)


def _given_gradient(bprop: Any, name: str, inputs: Any, outputs: Any) -> Gradient:
    if inputs is None:
        raise GradientError(
            f"{name}: how many inputs it takes cannot be told; name the parameters of bprop."
        )
    gradient = Gradient.of_function(bprop, name, inputs, outputs)
    gradient.get()  # refuses parameters that do not fit
    return gradient


def _registered_names(reg_info: Any) -> Optional[tuple[str, ...]]:
    if isinstance(reg_info, dict):
        return tuple(entry["name"] for entry in reg_info.get("inputs", ()))
    return None

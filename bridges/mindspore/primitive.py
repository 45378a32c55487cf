# SPDX-License-Identifier: Apache-2.0
"""MindSpore's ops.Custom, asking a Described operator for inference and gradient."""

from collections.abc import Iterable, Sequence
from typing import Any, Callable, Union

import mindspore
from mindspore import ops
from mindspore.ops import CustomRegOp

from bascule.mindspore.described import Described, LibraryOperator
from bascule.mindspore.tensors import TensorInfo, dtype_name, dtype_named


class _Differentiable(ops.Custom):
    """The gradient function is made when MindSpore first asks for it."""

    described: Described

    def __deepcopy__(self, memo):
        return self  # a copied cell runs the same function

    def get_bprop(self):
        return self.described.bprop()


class Static(_Differentiable):
    """Infers in Python, for shapes that are known. `func` and `func_type` as in ops.Custom."""

    def __init__(
        self, described: Described, func: Union[str, Callable], func_type: str, reg_info: Any = None
    ):
        # Functions, so that MindSpore does not look for inference in the library.
        super().__init__(func, _unused, _unused, func_type, None, reg_info)
        self.described = described
        self._last = None, None  # inputs, and the answer for them

    def __infer__(self, *args):
        inputs = tuple(_info(arg) for arg in args)
        asked, answer = self._last
        if asked != inputs:
            answer = _answer(self.described.outputs(inputs))
            self._last = inputs, answer
        return answer


class Dynamic(_Differentiable):
    """Infers in the library's NAMEInferShape, which MindSpore needs where shapes are not known."""

    def __init__(self, described: Described, func: str, reg_info: Any, out_dtype: Any = None):
        super().__init__(func, None, out_dtype, "aot", None, reg_info)
        self.described = described


def registration(described: LibraryOperator, name: str) -> Any:
    """The `reg_info` of an operator: its parameters, and the dtypes it takes together.

    MindSpore knows it by `name`, and keeps the first of a name.
    """
    register = CustomRegOp(name)
    for index, name in enumerate(described.input_names):
        register.input(index, name)
    for index, name in enumerate(described.output_names):
        register.output(index, name)
    for column in described.columns:
        register.dtype_format(*((dtype, "DefaultFormat") for dtype in column))
    return register.target("CPU").get_op_info()


def _answer(outputs: tuple[TensorInfo, ...]) -> dict:
    return {
        "shape": _one_or_all(info.shape for info in outputs),
        "dtype": tensor_types(info.dtype for info in outputs),
        "value": None,
    }


def tensor_types(dtypes: Iterable[str]) -> Any:
    """Element types of outputs as MindSpore takes them from inference."""
    return _one_or_all(mindspore.TensorType(dtype_named(dtype)) for dtype in dtypes)


def _one_or_all(values: Iterable) -> Any:
    values = tuple(values)
    return values[0] if len(values) == 1 else values


def _info(arg: dict) -> TensorInfo:
    return TensorInfo(tuple(arg["shape"]), element_name(arg["dtype"]))


def element_name(dtype: Any) -> str:
    """The name of a dtype as it comes to inference."""
    if isinstance(dtype, mindspore.TensorType):
        dtype = dtype.element_type()
    return dtype_name(dtype)


def _unused(*inputs: Sequence) -> None:
    raise AssertionError("Static infers for itself")

# SPDX-License-Identifier: Apache-2.0
"""From the arguments of Custom to what it consists of: a description and one or two primitives."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from bascule import lists
from bascule.errors import GradientError, InvalidArgument, Unsupported
from bascule.gradient import Gradient
from bascule.mindspore import library, pyfunc
from bascule.mindspore.counting import FunctionCounter, NativeCounter
from bascule.mindspore.described import (
    Described,
    DescribedKernel,
    GivenOutputs,
    LibraryOperator,
    PlainOperator,
)
from bascule.mindspore.primitive import Dynamic, Static, element_name, registration, tensor_types
from bascule.mindspore.tensors import is_several
from bascule.operator import LoneKernel, Operator
from bascule.outputs import numbered, parameter_names
from bascule.pyfunc import Counts, FunctionOperator, function_name, input_names


class Parts(NamedTuple):
    """One primitive may be missing: static where inference is the library's alone, dynamic where
    unknown shapes are not supported. Both are where inputs are lists: there described.row() gives
    the parts for lists of known lengths."""

    described: Described
    static: Optional[Static]
    dynamic: Optional[Dynamic]
    fewer: tuple[tuple[int, "Parts"], ...] = ()  # without the optional input in that place


def of_library(
    func: str,
    script: Optional[Path],
    given: GivenOutputs,
    bprop: Any,
    reg_info: Any,
    recompute: Optional[bool] = None,
    attributes: Optional[Mapping[str, Any]] = None,
) -> Parts:
    """For func_type "aot". `script` is the folder of the calling script."""
    if not isinstance(func, str):
        raise InvalidArgument(
            f"Custom: func is a {type(func).__name__}; with func_type 'aot' it is a text such as "
            "'my_mul' or './libmy_mul.so:my_mul'."
        )
    found = library.locate(func, script)
    if found.operator is not None:
        operator = found.operator
        gradient = operator.gradient
        if bprop is not None:
            gradient = _given_gradient(
                bprop, operator.name, operator.inputs, operator.outputs, operator.saved
            )
        return _with_manifest(found, given, gradient.recomputing(recompute), attributes or {})

    if attributes:
        raise Unsupported(f"{found.symbol}: {found.file} has no manifest to tell its attributes.")
    if isinstance(found.kernel, LoneKernel):
        return _lone_kernel(found.kernel, given, bprop)
    func = f"{found.file}:{found.symbol}"  # as MindSpore takes it
    if given.shape is None and reg_info is not None:
        names = _registered_names(reg_info)
        gradient = bprop and _given_gradient(bprop, found.symbol, names, ["out"])
        described = Described(found.symbol, names, ["out"], gradient)
        return Parts(described, None, Dynamic(described, func, reg_info, given.dtype))
    _need_outputs(found.symbol, given, f"{found.file} has no manifest to tell")
    described = _plain(found.symbol, given.parameter_names(), given, bprop)
    return Parts(described, Static(described, func, "aot", reg_info), None)


def _lone_kernel(kernel: LoneKernel, given: GivenOutputs, bprop: Any) -> Parts:
    """A kernel without operator project; MindSpore calls a function of the runtime for it."""
    _need_outputs(kernel.name, given, f"{kernel.source} has no manifest to tell")
    described = _plain(kernel.name, given.parameter_names(), given, bprop)
    if described.input_names is None:
        raise InvalidArgument(
            f"{kernel.name}: how many inputs it takes cannot be told; name the parameters of "
            "out_shape, out_dtype or bprop."
        )
    described.counter = NativeCounter(kernel.native)
    func = library.function_of(kernel, len(described.input_names))
    return Parts(described, Static(described, func, "aot"), None)


def of_operator(
    operator: Operator, gradient: Gradient, attributes: Optional[Mapping[str, Any]] = None
) -> Parts:
    """For an operator that bascule.load or bascule.Custom holds, its outputs described."""
    if operator.native.is_kernel:
        described = DescribedKernel(operator, gradient)
        func = library.function_of(operator, len(described.input_names))
        return Parts(described, Static(described, func, "aot"), None)
    if isinstance(operator, FunctionOperator):
        described = DescribedKernel(operator, gradient)
        checked = pyfunc.checked(operator.function, described)
        return Parts(described, Static(described, checked, "pyfunc"), None)
    given = GivenOutputs(None, None)
    return _with_manifest(library.loadable(operator), given, gradient, attributes or {})


def _with_manifest(
    found: library.Loadable,
    given: GivenOutputs,
    gradient: Gradient,
    attributes: Mapping[str, Any],
    left_out: frozenset[int] = frozenset(),
) -> Parts:
    """Without the inputs `left_out`, and for every optional one in front of these without it."""
    parts = _with_inputs(found, given, gradient, attributes, left_out)
    kinds = [parameter.get("kind") for parameter in found.operator.schema["inputs"]]
    fewer = tuple(
        (index, _with_manifest(found, given, gradient, attributes, left_out | {index}))
        for index in range(min(left_out, default=len(kinds)))
        if kinds[index] == "optional"
    )
    return parts._replace(fewer=fewer)


def _with_inputs(
    found: library.Loadable,
    given: GivenOutputs,
    gradient: Gradient,
    attributes: Mapping[str, Any],
    left_out: frozenset[int],
    counts: Optional[lists.Counts] = None,
) -> Parts:
    """Without the inputs `left_out`; of an operator with lists, for lists of these lengths."""
    operator = found.operator
    described = LibraryOperator(operator, given, gradient, attributes, left_out, counts)
    if described.lists:

        @functools.cache
        def row(lengths: tuple[int, ...]) -> Parts:
            present = iter(lengths)
            lengths = [0 if i in left_out else next(present) for i in range(len(operator.inputs))]
            counts = tuple(n if i in operator.input_lists else None for i, n in enumerate(lengths))
            return _with_inputs(found, given, gradient, attributes, left_out, counts)

        described.row = row
        return Parts(described, None, None)
    func = f"{found.file}:{found.symbol}"
    static = Static(described, func, "aot")
    described.again = static
    tensors = [
        0 if i in left_out else 1 if counts is None or counts[i] is None else counts[i]
        for i in range(len(operator.inputs))
    ]
    plain = all(n == 1 for n in tensors)
    name = operator.name if plain else "_".join([operator.name, *map(str, tensors)])
    # NAMEInferType is not told which inputs come.
    dtypes = None if plain else _out_dtype(described)
    dynamic = Dynamic(described, func, registration(described, name), dtypes)
    for primitive in (static, dynamic):
        for attribute in attributes:
            primitive.add_prim_attr(attribute, described.attributes[attribute])
        if not plain:
            primitive.add_prim_attr("bascule_counts", tensors)
    return Parts(described, static, dynamic)


def _out_dtype(described: LibraryOperator) -> Callable:
    """Inference of dtypes alone, as ops.Custom takes it."""

    def out_dtype(*dtypes: Any) -> Any:
        return tensor_types(described.output_dtypes(tuple(map(element_name, dtypes))))

    return out_dtype


def of_function(func: Any, given: GivenOutputs, bprop: Any, reg_info: Any) -> Parts:
    """For func_type "pyfunc"."""
    if not callable(func):
        raise InvalidArgument(
            f"Custom: func is a {type(func).__name__}; with func_type 'pyfunc' it is a function."
        )
    name = function_name(func)
    _need_outputs(name, given, "a function does not tell")
    inputs = input_names(func, given.parameter_names())
    if inputs is None:
        raise InvalidArgument(
            f"{name}: how many inputs it takes cannot be told; name the parameters of func."
        )
    described = _plain(name, inputs, given, bprop)
    described.counter = FunctionCounter(Counts())
    checked = pyfunc.checked(func, described)
    return Parts(described, Static(described, checked, "pyfunc", reg_info), None)


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


def _given_gradient(bprop: Any, name: str, inputs: Any, outputs: Any, saved: Any = ()) -> Gradient:
    if inputs is None:
        raise GradientError(
            f"{name}: how many inputs it takes cannot be told; name the parameters of bprop."
        )
    gradient = Gradient.of_function(bprop, name, inputs, outputs, saved)
    gradient.get()  # refuses parameters that do not fit
    return gradient


def _registered_names(reg_info: Any) -> Optional[tuple[str, ...]]:
    if isinstance(reg_info, dict):
        return tuple(entry["name"] for entry in reg_info.get("inputs", ()))
    return None

# SPDX-License-Identifier: Apache-2.0
"""Registers an operator with torch: schema, CPU kernel, fake kernel, gradient, vmap rule."""

import itertools
from typing import Any, Optional

import torch

from bascule.errors import Unsupported
from bascule.gradient import Gradient
from bascule.lists import Counts, counts_of, flat, grouped
from bascule.operator import needed_inputs
from bascule.torch.autograd import make_kernel
from bascule.torch.shapes import infer

__all__ = ["register", "schema_of"]

_TENSOR_TYPES = {"required": "Tensor", "optional": "Tensor?", "dynamic": "Tensor[]"}
_ATTRIBUTE_TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "string": "str",
    "int_list": "int[]",
    "float_list": "float[]",
    "bool_list": "bool[]",
}


def schema_of(operator: Any, name: str, output_count: Optional[int] = None) -> str:
    """The operator in torch's schema language: `my_mul(Tensor x, Tensor y) -> Tensor`.

    Attributes follow the inputs, in the order of the library's schema. One that stands before a
    required one has no default here: torch's schemas cannot say that. `output_count`: with so many
    outputs; None: with the operator's results.
    """
    arguments = []
    attributes = list(operator.attributes.values())
    required = sum(1 for _ in itertools.dropwhile(lambda a: "default" in a, reversed(attributes)))
    needed = needed_inputs(operator.schema)
    for i, parameter in enumerate(operator.schema["inputs"]):
        kind = parameter.get("kind", "required")
        may_be_left_out = i >= needed and required == 0
        arguments.append(
            f"{_TENSOR_TYPES[kind]} {parameter['name']}{'=None' if may_be_left_out else ''}"
        )
    for parameter in operator.schema.get("outputs", ()):
        if parameter.get("kind") == "dynamic":
            raise Unsupported(
                f"{operator.name}: output '{parameter['name']}' is a list of tensors, and a call "
                "in torch does not say how many; with NumPy arrays, out= does."
            )
    for attribute in attributes:
        if attribute["kind"] not in _ATTRIBUTE_TYPES:
            raise Unsupported(
                f"{operator.name}: attribute '{attribute['name']}' is a list of lists of integers, "
                "for which torch's schemas have no type."
            )
    for i, attribute in enumerate(attributes):
        text = f"{_ATTRIBUTE_TYPES[attribute['kind']]} {attribute['name']}"
        if i >= required:
            text += f"={_literal(attribute['default'])}"
        arguments.append(text)
    outputs = ["Tensor"] * (output_count or len(operator.outputs))
    returns = outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})"
    return f"{name}({', '.join(arguments)}) -> {returns}"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(list(value)) if isinstance(value, (list, tuple)) else repr(value)


def _as_tuple(results: Any) -> tuple:
    return results if isinstance(results, tuple) else (results,)


def _flat_dims(dims: Any, counts: Counts) -> list:
    """The batched axis of each tensor; torch gives None for a list without any."""
    row: list = []
    for dim, count in zip(dims, counts):
        if count is None:
            row.append(dim)
        else:
            row += [None] * count if dim is None else list(dim)
    return row


def _reason_against(tensor: torch.Tensor) -> str:
    """What keeps a tensor from the CPU's kernel; empty: nothing does."""
    if tensor.is_nested:
        return "a nested tensor; operators take dense ones: call them on its parts."
    if tensor.layout != torch.strided:
        return f"a {tensor.layout} tensor; operators take dense ones: pass x.to_dense()."
    if tensor.is_quantized:
        return "a quantized tensor, which no operator takes: pass x.dequantize()."
    if tensor.device.type != "cpu":
        return f"on {tensor.device}, and operators run on the CPU: pass x.cpu()."
    return ""


def _without(shape: Any, axis: int) -> list:
    return [n for i, n in enumerate(shape) if i != axis]


def register(library: torch.library.Library, operator: Any, gradient: Gradient, name: str) -> Any:
    """Makes `torch.ops.<namespace>.<name>` and returns its default overload.

    Where the operator has outputs that only its gradient gets, also `<name>_with_saved`. The
    registration ends with `library`, a torch.library.Library of that namespace.
    """
    operator.seen.frameworks.add("torch")
    full = None
    if operator.saved:
        everything = len(operator.outputs) + len(operator.saved)
        full = _register(library, operator, gradient, f"{name}_with_saved", everything, None)
    return _register(library, operator, gradient, name, len(operator.outputs), full)


def _register(
    library: torch.library.Library,
    operator: Any,
    gradient: Gradient,
    name: str,
    output_count: int,
    full: Any,
) -> Any:
    """One of the two, with the first `output_count` outputs; `full` has all (None: so has this)."""
    run, results = operator.native.run, None
    if full is not None:
        results = operator.results
    count = len(operator.inputs)
    attribute_names = tuple(operator.attributes)
    library.define(schema_of(operator, name, output_count))
    overload = getattr(getattr(torch.ops, library.ns), name).default
    qualified = f"{library.ns}::{name}"

    def fake(*arguments):
        operator.seen.traced = True
        tensors = arguments[:count] + (None,) * (count - len(arguments))
        attributes = dict(zip(attribute_names, arguments[count:]))
        device = next(t.device for t in flat(tensors) if t is not None)
        outputs = [
            torch.empty(shape, dtype=dtype, device=device)
            for shape, dtype in infer(operator, tensors, attributes)[:output_count]
        ]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def batched(info, dims, *arguments):
        # One call per element: nothing says that the operator takes a batch as a whole.
        inputs, values = arguments[:count], arguments[count:]
        counts = counts_of(inputs)
        pairs = list(zip(flat(inputs), _flat_dims(dims, counts)))
        if info.batch_size == 0:
            element = grouped(
                [v if d is None else v.new_empty(_without(v.shape, d)) for v, d in pairs], counts
            )
            outputs = [r.new_empty((0, *r.shape)) for r in _as_tuple(fake(*element, *values))]
        else:
            elements = (
                grouped([v if d is None else v.select(d, i) for v, d in pairs], counts)
                for i in range(info.batch_size)
            )
            results = [_as_tuple(overload(*element, *values)) for element in elements]
            outputs = [torch.stack(column) for column in zip(*results)]
        return (outputs[0], 0) if len(outputs) == 1 else (tuple(outputs), (0,) * len(outputs))

    def run_given(*arguments):
        outputs = run(*arguments, *(None,) * (count - len(arguments)))
        return outputs if results is None else results(outputs)

    def run_elsewhere(*arguments):
        for name, value in zip(operator.inputs, arguments):
            several = isinstance(value, (list, tuple))
            for i, member in enumerate(value if several else (value,)):
                reason = _reason_against(member) if isinstance(member, torch.Tensor) else ""
                if reason:
                    place = f"{name}[{i}]" if several else name
                    raise Unsupported(f"{operator.name}: input '{place}' is {reason}")
        return run_given(*arguments)  # says what is wrong where nothing is a tensor

    plain = results is None and operator.needed == count
    library.impl(name, run if plain else run_given, "CPU")
    for key in ("CompositeExplicitAutograd", "NestedTensorCPU"):  # whatever has no kernel here
        library.impl(name, run_elsewhere, key)
    kernel = make_kernel(operator, gradient, overload, full or overload, results)
    library.impl(name, kernel, "Autograd", with_keyset=True)
    torch.library.register_fake(qualified, fake, lib=library)
    torch.library.register_vmap(qualified, batched, lib=library)
    return overload

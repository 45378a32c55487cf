# SPDX-License-Identifier: Apache-2.0
"""Gradients of operators on NumPy arrays, which record nothing by themselves."""

from typing import Any, Callable

import numpy as np

from bascule import gradient as rule
from bascule.custom import Custom
from bascule.errors import GradientError, InvalidArgument
from bascule.gradient import plural
from bascule.operator import Operator

__all__ = ["vjp"]


def vjp(op: Any, *inputs: Any, **attributes: Any) -> tuple[Any, Callable]:
    """The result of an operator on NumPy arrays, and the function that gives its gradients.

        out, pullback = bascule.vjp(my_mul, x, y)
        dx, dy = pullback(np.ones_like(out))

    `op` is an operator of bascule.load, or a Custom. The function takes one gradient per output,
    of its shape and dtype (None: zeros), and returns a tuple with one gradient per input, None for
    an input that was left out. It may be called again.

    Raises GradientError where there is no gradient, or it breaks the rule of bascule.gradient.
    """
    if isinstance(op, Custom):
        operator, gradient = op.described_for(inputs)
    elif isinstance(op, Operator):
        operator, gradient = op, op.gradient
    else:
        raise InvalidArgument(
            f"vjp: the operator is a {type(op).__name__}; expected one of bascule.load, or a "
            "Custom."
        )
    bprop, form, reads = gradient.get()
    everything = operator.run_all(*inputs, **attributes)
    outputs = everything[: len(operator.outputs)]
    values = dict(zip(operator.attributes, operator.all_attributes(attributes)))
    again = gradient.recompute and form.reads_outputs(reads, len(inputs))
    kept = None if again else everything[: form.outputs]
    infos = [(output.shape, output.dtype) for output in outputs]

    def pullback(*douts: Any) -> tuple:
        if len(douts) != len(infos):
            raise GradientError(
                f"{operator.name}: {plural(len(infos), 'gradient')} of outputs expected "
                f"({', '.join(operator.outputs)}), {len(douts)} came."
            )
        given = []
        for name, (shape, dtype), passed in zip(operator.outputs, infos, douts):
            dout = np.zeros(shape, dtype) if passed is None else np.asarray(passed)
            if dout.shape != shape or dout.dtype != dtype:
                raise GradientError(
                    f"{operator.name}: the gradient of output '{name}' is {dout.shape} "
                    f"{dout.dtype}; expected {shape} {dtype}."
                )
            given.append(dout)
        seen = operator.run_all(*inputs, **attributes) if kept is None else kept
        operator.native.count_gradient()
        gradients = bprop(*form.arguments(inputs, seen, given), **values)
        return rule.check(operator.name, operator.inputs, inputs, gradients, np.ndarray)

    result = outputs if len(outputs) > 1 else outputs[0]
    del outputs, everything  # the pullback holds what it needs
    return result, pullback

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
    bprop, form, _ = gradient.get()
    result = operator.run_arrays(*inputs, **attributes)
    outputs = result if isinstance(result, tuple) else (result,)
    values = dict(zip(operator.attributes, operator.all_attributes(attributes)))

    def pullback(*douts: Any) -> tuple:
        if len(douts) != len(outputs):
            raise GradientError(
                f"{operator.name}: {plural(len(outputs), 'gradient')} of outputs expected "
                f"({', '.join(operator.outputs)}), {len(douts)} came."
            )
        given = []
        for name, output, passed in zip(operator.outputs, outputs, douts):
            dout = np.zeros_like(output) if passed is None else np.asarray(passed)
            if dout.shape != output.shape or dout.dtype != output.dtype:
                raise GradientError(
                    f"{operator.name}: the gradient of output '{name}' is {dout.shape} "
                    f"{dout.dtype}; expected {output.shape} {output.dtype}."
                )
            given.append(dout)
        operator.native.count_gradient()
        gradients = bprop(*form.arguments(inputs, outputs, given), **values)
        return rule.check(operator.name, operator.inputs, inputs, gradients, np.ndarray)

    return result, pullback

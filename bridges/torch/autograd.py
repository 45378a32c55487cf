# SPDX-License-Identifier: Apache-2.0
"""The kernel that torch calls first: plain calls, gradients, and everything in between.

The route, chosen by measurement: one kernel under torch's Autograd key looks at a call once. A
plain one (dense CPU tensors; no tracing, no transform, no lazy negation) goes straight to the
native module, inside an autograd.Function where an input requires a gradient; torch.library's
register_autograd costs two to three times as much. Any other call is handed on through the
dispatcher, so that torch.compile, torch.func and tensor subclasses see the operator. Under
torch.func the Function is applied to one level of the transform, as torch does for its own; a
forward-mode tangent is an error, because torch would drop it without a word.
"""

from typing import Any, Callable, Optional

import torch
from torch import _C
from torch._functorch.autograd_function import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

from bascule import gradient as rule
from bascule.errors import GradientError, Unsupported
from bascule.gradient import Gradient
from bascule.torch import xp

__all__ = ["make_kernel"]

# What the dispatcher says of a call whose tensors are dense, on the CPU and nothing more.
PLAIN = (
    _C.DispatchKeySet(_C.DispatchKey.CPU) | _C.DispatchKeySet(_C.DispatchKey.AutogradCPU)
).raw_repr()


class Facts:
    """Shape and dtype of an input that is not kept."""

    __slots__ = ("dtype", "shape")

    def __init__(self, tensor: torch.Tensor):
        self.shape = tensor.shape
        self.dtype = tensor.dtype


def make_function(
    operator: Any, gradient: Gradient, run: Callable[..., Any]
) -> type[_SingleLevelFunction]:
    """The autograd.Function of an operator: saves what the gradient function reads, and calls it.

    Its arguments are a key set, the inputs, the attribute values; `run` takes the same and returns
    the outputs. Runs the gradient's text.
    """
    bprop, form, reads = gradient.get(xp)
    names = operator.inputs
    attribute_names = tuple(operator.attributes)
    count, output_count = len(names), len(operator.outputs)
    saved_inputs = [i for i in range(count) if i in reads]
    saves_all = len(saved_inputs) == count
    if form.flat or output_count == 1:
        saved_outputs = [i for i in range(output_count) if count + i in reads]
    else:  # one parameter holds all outputs
        saved_outputs = list(range(output_count)) if count in reads else []
    trailing = (None,) * len(attribute_names)
    count_gradient = operator.native.count_gradient

    def forward(ctx, keyset, *arguments):
        result = run(keyset, *arguments)
        inputs = arguments[:count]
        if saves_all:
            saved = inputs
        else:
            saved = tuple([inputs[i] for i in saved_inputs])
            ctx.facts = [None if v is None else Facts(v) for v in inputs]
        if saved_outputs:
            outputs = (result,) if output_count == 1 else result
            saved += tuple([outputs[i] for i in saved_outputs])
        ctx.save_for_backward(*saved)
        if attribute_names:
            ctx.attributes = dict(zip(attribute_names, arguments[count:]))
        return result

    def backward(ctx, *douts):
        saved = ctx.saved_tensors
        if saves_all:
            inputs = facts = saved[:count]
        else:
            inputs, facts = [None] * count, ctx.facts
            for i, value in zip(saved_inputs, saved):
                inputs[i] = value
        outputs = [None] * output_count
        for i, value in zip(saved_outputs, saved[len(saved_inputs) :]):
            outputs[i] = value
        attributes = ctx.attributes if attribute_names else {}
        if type(douts[0]) is torch.Tensor:  # not while a compiler looks what would be done
            count_gradient()
        gradients = bprop(*form.arguments(inputs, outputs, douts), **attributes)
        gradients = rule.check(operator.name, names, facts, gradients, torch.Tensor)
        # A gradient that nobody needs, such as that of integers, goes no further.
        needed = ctx.needs_input_grad
        return None, *[g if needed[i + 1] else None for i, g in enumerate(gradients)], *trailing

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(operator.name, (_SingleLevelFunction,), methods)


def make_kernel(operator: Any, gradient: Gradient, overload: Any) -> Callable[..., Any]:
    """The kernel for torch's Autograd key; its arguments are a key set, inputs, attribute values.

    `overload` is the registered torch.ops overload, through which calls are handed on.
    """
    run = operator.native.run
    seen = operator.seen
    count = len(operator.inputs)
    fallbacks = (*(None,) * count, *(a.get("default") for a in operator.attributes.values()))
    total = len(fallbacks)
    applies: Any = None
    grad_enabled, any_requires_grad = torch.is_grad_enabled, _C._any_requires_grad
    transformed = _C._are_functorch_transforms_active

    def run_plain(keyset, *arguments):
        return run(*arguments)

    def hand_on(keyset, *arguments):
        with _C._AutoDispatchBelowAutograd():
            return overload.redispatch(keyset & _C._after_autograd_keyset, *arguments)

    def hand_to_next_level(keyset, *arguments):
        # The Function turned gradients off for its own level; the levels below want theirs.
        with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
            return hand_on(keyset, *arguments)

    def make_applies():
        nonlocal applies
        if gradient.kind == "none":
            raise GradientError(gradient.refusal())
        # Of autograd.Function's base, whose apply does not look for transforms: that is done below.
        applies = [
            make_function(operator, gradient, how).apply
            for how in (run_plain, hand_on, hand_to_next_level)
        ]
        return applies

    def kernel(keyset, *arguments):
        if len(arguments) < total:  # the dispatcher leaves out what equals its default
            arguments += fallbacks[len(arguments) :]
        if forward_ad._current_level >= 0:
            refuse_tangents(operator.name, arguments[:count])
        requires = False
        if not grad_enabled():
            seen.disabled += 1
        elif any_requires_grad(*arguments):
            requires = True
            seen.recorded += 1
        else:
            seen.plain += 1
        if keyset.raw_repr() == PLAIN:
            if requires:
                return (applies or make_applies())[0](None, *arguments)
            return run(*arguments)
        if not requires:
            return hand_on(keyset, *arguments)
        _, apply, apply_level = applies or make_applies()
        if transformed():
            with enable_single_level_autograd_function():
                return apply_level(keyset, *arguments)
        return apply(keyset, *arguments)

    return kernel


def refuse_tangents(operator: str, inputs: tuple[Optional[torch.Tensor], ...]) -> None:
    """Raises Unsupported where an input carries a forward-mode tangent."""
    for value in inputs:
        if value is not None and forward_ad.unpack_dual(value).tangent is not None:
            raise Unsupported(
                f"{operator} has no rule for forward-mode differentiation (jvp, jacfwd, hessian). "
                "Use reverse mode: torch.func.vjp, jacrev, jacrev(jacrev(f))."
            )

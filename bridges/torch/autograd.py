# SPDX-License-Identifier: Apache-2.0
"""The kernel that torch calls first: plain calls, gradients, and everything in between.

The route, chosen by measurement: one kernel under torch's Autograd key looks at a call once. A
plain one (dense CPU tensors; no tracing, no transform, no lazy negation) goes straight to the
native module, inside an autograd.Function where an input requires a gradient; torch.library's
register_autograd costs two to three times as much. Any other call is handed on through the
dispatcher, so that torch.compile, torch.func and tensor subclasses see the operator. Under
torch.func the Function is applied to one level of the transform, as torch does for its own; a
forward-mode tangent is an error, because torch would drop it without a word.

An operator with outputs that only its gradient gets is registered twice: as users call it, and as a
second operator that returns these outputs as well. The first one's gradient runs the second, so
that compilers and transforms see where the saved tensors come from.
"""

import types
from collections.abc import Sequence
from typing import Any, Callable, Optional

import torch
from torch import _C
from torch._functorch.autograd_function import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

from bascule import gradient as rule
from bascule.errors import GradientError, Unsupported
from bascule.gradient import Gradient
from bascule.lists import Counts, counts_of, flat, grouped, member_names
from bascule.torch import xp

__all__ = ["make_kernel"]

# What the dispatcher says of a call whose tensors are dense, on the CPU and nothing more.
PLAIN = (
    _C.DispatchKeySet(_C.DispatchKey.CPU) | _C.DispatchKeySet(_C.DispatchKey.AutogradCPU)
).raw_repr()

MOST_COUNTS = 64  # combinations of lengths whose Functions are kept


class Facts:
    """Shape and dtype of a tensor that is not kept."""

    __slots__ = ("dtype", "shape")

    def __init__(self, tensor: torch.Tensor):
        self.shape = tensor.shape
        self.dtype = tensor.dtype


def make_function(
    operator: Any, gradient: Gradient, run: Callable[..., Any], again: Callable[..., Any]
) -> type[_SingleLevelFunction]:
    """The autograd.Function of an operator: saves what the gradient function reads, and calls it.

    Its arguments are a key set, the inputs, the attribute values; `run` takes the same and returns
    the outputs, those saved for the gradient included. `again` takes inputs and attribute values
    and does the same through torch's dispatcher. Runs the gradient's text.
    """
    bprop, form, reads = gradient.get(xp)
    names = operator.inputs
    attribute_names = tuple(operator.attributes)
    count, results = len(names), len(operator.outputs)
    hidden = len(operator.saved)
    one = results + hidden == 1
    saved_outputs = form.reads_outputs(reads, count)
    recompute = gradient.recompute and bool(saved_outputs)
    saved_inputs = list(range(count)) if recompute else [i for i in range(count) if i in reads]
    if recompute:
        saved_outputs = []
    saves_all = len(saved_inputs) == count
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
            outputs = (result,) if one else result
            saved += tuple([outputs[i] for i in saved_outputs])
        ctx.save_for_backward(*saved)
        if hidden:
            ctx.set_materialize_grads(False)  # to know whether somebody differentiates these
            ctx.result_facts = [Facts(v) for v in result[:results]]
        if attribute_names:
            ctx.attributes = dict(zip(attribute_names, arguments[count:]))
        return result

    def backward(ctx, *douts):
        if hidden and all(dout is None for dout in douts):
            return (None,) * (1 + count + len(trailing))
        saved = ctx.saved_tensors
        if saves_all:
            inputs = facts = saved[:count]
        else:
            inputs, facts = [None] * count, ctx.facts
            for i, value in zip(saved_inputs, saved):
                inputs[i] = value
        attributes = ctx.attributes if attribute_names else {}
        if recompute:
            outputs = again(*inputs, *attributes.values())
            outputs = (outputs,) if one else outputs
        else:
            outputs = [None] * (results + hidden)
            for i, value in zip(saved_outputs, saved[len(saved_inputs) :]):
                outputs[i] = value
        if hidden:
            douts = refuse_hidden(operator, douts, ctx.result_facts)
        if type(douts[0]) is torch.Tensor:  # not while a compiler looks what would be done
            count_gradient()
        gradients = bprop(*form.arguments(inputs, outputs, douts), **attributes)
        gradients = rule.check(operator.name, names, facts, gradients, torch.Tensor)
        # A gradient that nobody needs, such as that of integers, goes no further.
        needed = ctx.needs_input_grad
        return None, *[g if needed[i + 1] else None for i, g in enumerate(gradients)], *trailing

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(operator.name, (_SingleLevelFunction,), methods)


def refuse_hidden(operator: Any, douts: tuple, facts: list[Facts]) -> list:
    """The gradients of the results, zeros where there is none.

    Raises GradientError where an output that only the gradient function saw is differentiated.
    """
    results = len(facts)
    for name, dout in zip(operator.saved, douts[results:]):
        if dout is not None:
            raise GradientError(
                f"{operator.name}: its gradient reads the saved output '{name}', which has no "
                "gradient itself, so a second derivative is not to be had."
            )
    known = next(dout for dout in douts if dout is not None)
    return [
        known.new_zeros(f.shape, dtype=f.dtype) if dout is None else dout
        for dout, f in zip(douts, facts)
    ]


def make_kernel(
    operator: Any,
    gradient: Gradient,
    overload: Any,
    full: Any,
    results: Optional[Callable[[Any], Any]],
) -> Callable[..., Any]:
    """The kernel for torch's Autograd key; its arguments are a key set, inputs, attribute values.

    `overload` is the registered torch.ops overload, through which calls are handed on, and `full`
    the one that returns the outputs saved for the gradient as well. `results` takes the outputs of
    `full` and gives those of `overload`; None: they are the same operator.
    """
    run_full = operator.native.run
    run = run_full if results is None else lambda *given: results(run_full(*given))
    seen = operator.seen
    count = len(operator.inputs)
    fallbacks = (*(None,) * count, *(a.get("default") for a in operator.attributes.values()))
    total = len(fallbacks)
    applies: Any = None
    grad_enabled, any_requires_grad = torch.is_grad_enabled, _C._any_requires_grad
    transformed = _C._are_functorch_transforms_active

    def run_plain(keyset, *arguments):
        return run_full(*arguments)

    def hand_on(keyset, *arguments):
        with _C._AutoDispatchBelowAutograd():
            return overload.redispatch(keyset & _C._after_autograd_keyset, *arguments)

    def hand_on_full(keyset, *arguments):
        with _C._AutoDispatchBelowAutograd():
            return full.redispatch(keyset & _C._after_autograd_keyset, *arguments)

    def hand_to_next_level(keyset, *arguments):
        # The Function turned gradients off for its own level; the levels below want theirs.
        with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
            return hand_on_full(keyset, *arguments)

    def make_applies():
        nonlocal applies
        if gradient.kind == "none":
            raise GradientError(gradient.refusal())
        # Of autograd.Function's base, whose apply does not look for transforms: that is done below.
        applies = [
            make_function(operator, gradient, how, full).apply
            for how in (run_plain, hand_on_full, hand_to_next_level)
        ]
        if results is not None:
            applies = [dropping(apply) for apply in applies]
        return applies

    def dropping(apply):
        return lambda keyset, *arguments: results(apply(keyset, *arguments))

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

    # torch looks for tensors among the arguments of a Function and not inside of them: each
    # combination of lengths is a Function of all tensors in one row.
    by_counts: dict[Counts, list] = {}

    def make_list_applies(counts):
        if gradient.kind == "none":
            raise GradientError(gradient.refusal())
        spread = Row(operator, counts)
        ways = [
            make_function(
                spread.operator,
                spread.gradient(gradient),
                spread.second(how),
                spread.first(full),
            ).apply
            for how in (run_plain, hand_on_full, hand_to_next_level)
        ]
        if results is not None:
            ways = [dropping(apply) for apply in ways]
        if len(by_counts) >= MOST_COUNTS:
            by_counts.clear()
        by_counts[counts] = ways
        return ways

    def list_kernel(keyset, *arguments):
        if len(arguments) < total:
            arguments += fallbacks[len(arguments) :]
        tensors = flat(arguments[:count])
        if forward_ad._current_level >= 0:
            refuse_tangents(operator.name, tensors)
        requires = False
        if not grad_enabled():
            seen.disabled += 1
        elif any_requires_grad(*tensors):
            requires = True
            seen.recorded += 1
        else:
            seen.plain += 1
        plain = keyset.raw_repr() == PLAIN
        if not requires:
            return run(*arguments) if plain else hand_on(keyset, *arguments)
        counts = counts_of(arguments[:count])
        apply_plain, apply, apply_level = by_counts.get(counts) or make_list_applies(counts)
        row = (*tensors, *arguments[count:])
        if plain:
            return apply_plain(None, *row)
        if transformed():
            with enable_single_level_autograd_function():
                return apply_level(keyset, *row)
        return apply(keyset, *row)

    return list_kernel if operator.input_lists else kernel


class Row:
    """An operator whose inputs are lists of known lengths, as one of all their tensors in a row."""

    def __init__(self, operator: Any, counts: Counts):
        self.counts = counts
        self.operator = types.SimpleNamespace(
            name=operator.name,
            inputs=tuple(member_names(operator.inputs, counts)),
            outputs=operator.outputs,
            saved=operator.saved,
            attributes=operator.attributes,
            native=operator.native,
        )
        self.total = len(self.operator.inputs)

    def first(self, call: Callable) -> Callable:
        """`call` of the inputs, then attribute values, as a function of the row."""
        return lambda *row: call(*grouped(row[: self.total], self.counts), *row[self.total :])

    def second(self, call: Callable) -> Callable:
        """The same where a key set comes first."""
        return lambda keyset, *row: call(
            keyset, *grouped(row[: self.total], self.counts), *row[self.total :]
        )

    def gradient(self, gradient: Gradient) -> Any:
        return types.SimpleNamespace(
            recompute=gradient.recompute, get=lambda backend: gradient.of_row(backend, self.counts)
        )


def refuse_tangents(operator: str, inputs: Sequence[Optional[torch.Tensor]]) -> None:
    """Raises Unsupported where an input carries a forward-mode tangent."""
    for value in inputs:
        if value is not None and forward_ad.unpack_dual(value).tangent is not None:
            raise Unsupported(
                f"{operator} has no rule for forward-mode differentiation (jvp, jacfwd, hessian). "
                "Use reverse mode: torch.func.vjp, jacrev, jacrev(jacrev(f))."
            )

# SPDX-License-Identifier: Apache-2.0
"""The gradient function MindSpore gets: the user's, and the rule of bascule.gradient around it.

MindSpore takes a gradient of the wrong shape without a word, and dies on None or a wrong count with
an internal error. The rule is therefore part of the function. PYNATIVE runs it; GRAPH reads its
source, so that source names every parameter, and what needs Python, the sentences, is in functions
that the compiler calls with constants. Where shapes are not constants, they are compared when the
graph runs.
"""

import inspect
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional, Union

from mindspore import Tensor, ops
from mindspore.ops import constexpr, isconstant

from bascule import gradient
from bascule.errors import GradientError, Unsupported
from bascule.lists import Counts, grouped, member_names
from bascule.mindspore import casts, source
from bascule.mindspore.tensors import dtype_name


class _Inputs(NamedTuple):
    """What a gradient function gets of an operator's inputs, and what MindSpore passes for them."""

    names: Sequence[str]
    places: Sequence[int]  # of those that come
    counts: Counts
    tensors: Sequence[str]  # names of what MindSpore passes: lists are their members

    @classmethod
    def of(
        cls, names: Sequence[str], left_out: Collection[int], counts: Optional[Counts]
    ) -> "_Inputs":
        counts = counts or (None,) * len(names)
        places = [i for i in range(len(names)) if i not in left_out]
        tensors = member_names([names[i] for i in places], [counts[i] for i in places])
        return cls(names, places, counts, tensors)


def checked(
    function: Callable,
    form: gradient.Form,
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    attributes: Mapping[str, Any],
    counter: Any = None,
    *,
    left_out: Collection[int] = (),
    counts: Optional[Counts] = None,
    results: Optional[int] = None,
    again: Optional[Callable] = None,
    widened: bool = False,
) -> Callable:
    """`function` with its result held against the rule, as a function GRAPH mode can read.

    Takes `(inputs…, out, dout)`, the last two tuples where there are several outputs. `attributes`
    are the values for the keyword parameters of `function`; constants, because a graph knows no
    other. `left_out` are the places of optional inputs that do not come: None for `function`.
    `counts`, where inputs are lists: what comes are single tensors, so many for each of `inputs`.
    `counter` (bascule.mindspore.counting) is told of every run. Only the first `results`
    outputs (None: all) are results; the others are for the gradient, and have none. `again` is the
    primitive, where graphs are to make outputs again instead of keeping them; PYNATIVE keeps them
    anyway. `widened`: `function` gets float32 for bfloat16, for which MindSpore lacks most of
    what a gradient is made of (on the CPU even x > y), and its results are made bfloat16 again.
    """
    results = len(outputs) if results is None else results
    name = f"{operator}_bprop"
    wanted = _keyword_parameters(function, attributes)
    constants = {key: value for key, value in attributes.items() if key in wanted}
    come = _Inputs.of(inputs, left_out, counts)
    text, graph_text = (
        _text(name, form, operator, come, outputs, constants, first, results, widened and when)
        for first, when in zip(
            _first_lines(counter, len(outputs), len(come.tensors), again), ("_now", "_compiled")
        )
    )
    readable = source.readable(function, f"{name}_given")
    names = {
        "given": readable or function,
        "Tensor": Tensor,
        "isconstant": isconstant,
        "dyn_shape": ops.dyn_shape,
        "depend": ops.depend,
        "again": again,
        "once": _once(operator),
        "wide_now": casts.wide_now,
        "narrow_now": casts.narrow_now,
        "wide_compiled": casts.wide,
        "narrow_compiled": casts.narrow,
        **_checks(operator, inputs, come.tensors),
    }
    if counter is not None:
        names.update(count=counter.count, tick=counter.tick, token=counter.token)
    if readable is not None:
        return source.define(name, text, names, graph_text=graph_text)
    called = getattr(function, "__qualname__", None) or type(function).__name__
    names["refuse"] = _refusing(
        Unsupported(
            f"{operator}: GRAPH mode compiles a gradient function from its source, and that of "
            f"{called} cannot be read. Give a function defined in a file, or use PYNATIVE mode."
        )
    )
    return source.define(name, text, names, graph_text=_refusal(name, len(come.tensors)))


def missing(operator: str, inputs: Sequence[str], reason: str) -> Callable:
    """The gradient function of an operator without gradient: refuses."""
    name = f"{operator}_bprop"
    refuse = _refusing(
        GradientError(
            f"{operator} has no gradient: {reason}. Where none is wanted, take its result through "
            "mindspore.ops.stop_gradient."
        )
    )
    return source.define(name, _refusal(name, len(inputs)), {"refuse": refuse})


def _keyword_parameters(function: Callable, attributes: Mapping[str, Any]) -> Collection[str]:
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return attributes
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


def _once(operator: str) -> Callable:
    """Passes on a saved output, and refuses to be differentiated: it has no gradient."""
    refuse = _refusing(
        GradientError(
            f"{operator}: its gradient reads a saved output, which has no gradient itself, so a "
            "second derivative is not to be had."
        )
    )
    names = {"refuse": refuse}
    text = "def refuse_second(dout):\n    return refuse()\n"
    return ops.InsertGradientOf(source.define("refuse_second", text, names))


def _first_lines(
    counter: Any, outputs: int, inputs: int, again: Optional[Callable]
) -> tuple[list[str], list[str]]:
    """Lines in front of the gradient function, for PYNATIVE and for GRAPH: they count, or run the
    operator again, after what comes in, so that the first run and this one are not merged."""
    first = "dout" if outputs == 1 else "dout[0]"
    eager, graph = [], []
    if counter is not None:
        counted = f"depend({first}, tick(depend(token, {first})))"
        eager.append("    count()")
        graph.append(
            f"    dout = {counted}" if outputs == 1 else f"    dout = ({counted},) + dout[1:]"
        )
    if again is not None:
        others = "".join(f", in{i}" for i in range(1, inputs))
        graph.append(f"    out = again(depend(in0, {first}){others})")
    return eager, graph


def _text(
    name: str,
    form: gradient.Form,
    operator: str,
    inputs: _Inputs,
    outputs: Sequence[str],
    constants: Mapping[str, Any],
    first: Sequence[str],
    results: int,
    widened: Union[bool, str],
) -> str:
    """`widened`: the ending of the functions that cast; False: nothing is."""
    ins = [f"in{i}" for i in range(len(inputs.tensors))]
    given = ["None"] * len(inputs.names)
    row = [_widening(x, widened) for x in ins]
    for i, value in zip(inputs.places, grouped(row, [inputs.counts[i] for i in inputs.places])):
        given[i] = value if isinstance(value, str) else f"[{', '.join(value)}]"
    if len(outputs) == 1:
        tails = ["out", "dout"]
    elif form.flat:
        tails = [f"out[{i}]" for i in range(results)]
        tails += [f"once(out[{i}])" for i in range(results, form.outputs)]
        tails += [f"dout[{i}]" for i in range(results)]
    elif widened:
        tails = [
            "({},)".format(", ".join(f"wide{widened}({t}[{i}])" for i in range(results)))
            for t in ("out", "dout")
        ]
    else:
        tails = [f"out[:{results}]", f"dout[:{results}]"]
    if len(outputs) == 1 or form.flat:
        tails = [_widening(tail, widened) for tail in tails]
    keywords = [f"{key}={_literal(value)}" for key, value in constants.items()]
    lines = [
        f"def {name}({', '.join([*ins, 'out', 'dout'])}):",
        *first,
        f"    got = given({', '.join([*given, *tails, *keywords])})",
        "    if not isinstance(got, (tuple, list)):",
        "        got = (got,)",
        *_lines_for_one_list(inputs.counts),
        f"    if len(got) != {len(inputs.names)}:",
        "        return refuse_count(len(got))",
    ]
    gradients = []  # one for each tensor that came
    for i in inputs.places:
        count = inputs.counts[i]
        if count is None:
            gradients.append(f"got[{i}]")
            continue
        lines += [
            f"    if not isinstance(got[{i}], (tuple, list)):",
            f"        return refuse_list({i}, {count}, got[{i}] is None, -1)",
            f"    if len(got[{i}]) != {count}:",
            f"        return refuse_list({i}, {count}, False, len(got[{i}]))",
        ]
        gradients += [f"got[{i}][{n}]" for n in range(count)]
    if widened:
        gradients = [f"narrow{widened}({got}, {x})" for got, x in zip(gradients, ins)]
    if gradients != [f"got[{i}]" for i in range(len(inputs.names))]:
        lines.append(f"    got = ({''.join(f'{got}, ' for got in gradients)})")
    for i, x in enumerate(ins):
        # Of an unknown rank a graph knows the shape only as a tensor, "[3 5]".
        ranked, unranked = (
            gradient.SENTENCES["shape"].format(
                operator=operator,
                input=inputs.tensors[i],
                got=f"{{{shape.format(f'got[{i}]')}}}",
                expected=f"{{{shape.format(x)}}}",
            )
            for shape in ("{}.shape", "dyn_shape({})")
        )
        lines += [
            f"    if not isinstance(got[{i}], Tensor):",
            f"        if isconstant({x}.shape):",
            f"            return refuse_kind({i}, got[{i}] is None, {x}.shape)",
            f"        return refuse_kind({i}, got[{i}] is None, '{inputs.tensors[i]}.shape')",
            f"    check_dtype({i}, {x}.dtype, got[{i}].dtype)",
            f"    if isconstant({x}.shape) and isconstant(got[{i}].shape):",
            f"        check_shape({i}, {x}.shape, got[{i}].shape)",
            f"    elif got[{i}].shape != {x}.shape:",
            f"        if isconstant({x}.ndim) and isconstant(got[{i}].ndim):",
            f"            raise ValueError(f{ranked!r})",
            f"        raise ValueError(f{unranked!r})",
        ]
    returned = "".join(f"got[{i}], " for i in range(len(ins)))
    return "\n".join([*lines, f"    return ({returned})", ""])


def _lines_for_one_list(counts: Counts) -> list[str]:
    """The gradient of the only input, a list, is one: it needs no tuple around it."""
    if len(counts) != 1 or counts[0] is None:
        return []
    return [
        "    elif len(got) != 1 or not isinstance(got[0], (tuple, list)):",
        "        got = (got,)",
    ]


def _widening(value: str, widened: Union[bool, str]) -> str:
    return f"wide{widened}({value})" if widened else value


def _literal(value: Any) -> str:
    return repr(tuple(value) if isinstance(value, list) else value)


def _checks(operator: str, inputs: Sequence[str], tensors: Sequence[str]) -> dict[str, Any]:
    """The functions that GRAPH mode calls while it compiles, with constants.

    `tensors` are the names of what comes: lists are their members.
    """

    def broken(kind, index, expected, got):
        return GradientError(
            gradient.SENTENCES[kind].format(
                operator=operator, input=tensors[index], expected=expected, got=got
            )
        )

    @constexpr
    def refuse_count(count):
        raise gradient.wrong_count(operator, inputs, count)

    @constexpr
    def refuse_list(index, expected, is_none, count):
        came = f"a list of {count}" if count >= 0 else "a Tensor"
        raise GradientError(
            gradient.SENTENCES["list"].format(
                operator=operator,
                input=inputs[index],
                expected=gradient.plural(expected, "tensor"),
                got="None" if is_none else came,
            )
        )

    @constexpr
    def refuse_kind(index, is_none, expected):
        raise broken("none" if is_none else "type", index, expected, "value of another kind")

    @constexpr
    def check_dtype(index, expected, got):
        if expected != got:
            raise broken("dtype", index, dtype_name(expected), dtype_name(got))
        return True

    @constexpr
    def check_shape(index, expected, got):
        if expected != got:
            raise broken("shape", index, expected, got)
        return True

    return {
        "refuse_count": refuse_count,
        "refuse_list": refuse_list,
        "refuse_kind": refuse_kind,
        "check_dtype": check_dtype,
        "check_shape": check_shape,
    }


def _refusal(name: str, count: int) -> str:
    parameters = "".join(f"in{i}, " for i in range(count))
    return f"def {name}({parameters}out, dout):\n    return refuse()\n"


def _refusing(error: Exception) -> Callable:
    @constexpr
    def refuse():
        raise error

    return refuse

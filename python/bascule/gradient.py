# SPDX-License-Identifier: Apache-2.0
"""What a gradient function is, and the one rule it has to keep in every framework.

A gradient function takes the operator's inputs, its output, the gradient of that output, and the
attributes by keyword; it returns one gradient per input:

    def my_mul_bprop(x, y, out, dout):
        return dout * y, dout * x

An input that is a list of tensors comes as a list, and its gradient is a list as long. With several
outputs it is either flat, `(x, out1, out2, dout1, dout2)`, or takes two tuples,
`(x, out, dout)`; the number of parameters tells which. Outputs that are saved for it, and are no
results, stand behind the others and have no gradients: `(x, out, mean, dout)`. It may do without
them.

The rule: as many gradients as inputs, each a tensor with its input's shape and element type, zeros
rather than None. Anything else is a GradientError that names the operator and the input. The
sentences stand here; a bridge whose framework compiles gradient functions from their source writes
the same checks into that source and takes the sentences from SENTENCES.

Nothing here imports a framework.
"""

import copy
import dis
import hashlib
import inspect
import linecache
import sys
import threading
import types
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

from bascule.errors import GradientError, Unsupported
from bascule.lists import Counts, flat, grouped, member_names

__all__ = [
    "SENTENCES",
    "Form",
    "Gradient",
    "as_tuple",
    "check",
    "check_list",
    "check_one",
    "form_of",
    "load_function",
    "output_names",
    "reads_of",
    "wrong_count",
]

# Filled with str.format; {operator} and {input} are names, {expected} and {got} texts.
SENTENCES = {
    "count": (
        "{operator}: the gradient function returned {got} for {expected} ({names}). Return one "
        "gradient per input, zeros where there is none."
    ),
    "none": (
        "{operator}: the gradient of input '{input}' is None; expected a tensor of shape "
        "{expected}. Return zeros (xp.zeros_like({input})) where the output does not depend on it."
    ),
    "list": (
        "{operator}: the gradient of input '{input}', a list of {expected}, is {got}. Return a "
        "list with one gradient for each of its tensors."
    ),
    "type": (
        "{operator}: the gradient of input '{input}' is a {got}; expected a tensor of shape "
        "{expected}."
    ),
    "shape": (
        "{operator}: the gradient of input '{input}' has shape {got}; expected {expected}, the "
        "shape of the input. Broadcasting is not summed back unasked."
    ),
    "dtype": (
        "{operator}: the gradient of input '{input}' has dtype {got}; expected {expected}, the "
        "dtype of the input. Use xp.cast."
    ),
}


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def wrong_count(operator: str, names: Sequence[str], got: int) -> GradientError:
    """The error of a gradient function of `operator`, with inputs `names`, that returned `got`."""
    return GradientError(
        SENTENCES["count"].format(
            operator=operator,
            got=plural(got, "gradient"),
            expected=plural(len(names), "input"),
            names=", ".join(names),
        )
    )


def check_one(
    operator: str, name: str, gradient: Any, shape: Sequence[int], dtype: Any, tensor_type: type
) -> None:
    """Raises GradientError unless `gradient` fits the input `name`, of `shape` and `dtype`.

    `tensor_type` is the framework's tensor class and `dtype` one of its element types.
    """
    where = {"operator": operator, "input": name}
    if gradient is None:
        raise GradientError(SENTENCES["none"].format(**where, expected=tuple(shape)))
    if not isinstance(gradient, tensor_type):
        got = type(gradient).__name__
        raise GradientError(SENTENCES["type"].format(**where, got=got, expected=tuple(shape)))
    if tuple(gradient.shape) != tuple(shape):
        raise GradientError(
            SENTENCES["shape"].format(**where, got=tuple(gradient.shape), expected=tuple(shape))
        )
    if gradient.dtype != dtype:
        raise GradientError(SENTENCES["dtype"].format(**where, got=gradient.dtype, expected=dtype))


def check(
    operator: str, names: Sequence[str], inputs: Sequence[Any], gradients: Any, tensor_type: type
) -> tuple:
    """The gradients as a tuple, after the rule. `inputs` are tensors, None where one was left out.

    The gradient of an input that was left out may be anything, and comes back as None. A list's is
    a list.
    """
    gradients = as_tuple(gradients, inputs)
    if len(gradients) != len(names):
        raise wrong_count(operator, names, len(gradients))
    left_out = False
    for name, value, gradient in zip(names, inputs, gradients):
        if value is None:
            left_out = True
        elif type(value) is list or type(value) is tuple:
            check_list(operator, name, gradient, len(value))
            for i, (member, one) in enumerate(zip(value, gradient)):
                check_one(operator, f"{name}[{i}]", one, member.shape, member.dtype, tensor_type)
        elif not (
            isinstance(gradient, tensor_type)
            and gradient.shape == value.shape
            and gradient.dtype == value.dtype
        ):
            check_one(operator, name, gradient, value.shape, value.dtype, tensor_type)
    if left_out:
        return tuple(g if v is not None else None for g, v in zip(gradients, inputs))
    return tuple(gradients)


def as_tuple(gradients: Any, inputs: Sequence[Any]) -> tuple:
    """What a gradient function returned, one for each input.

    A single input needs no tuple around its gradient, and that of a list is a list itself.
    """
    if not isinstance(gradients, (tuple, list)):
        return (gradients,)
    if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
        wrapped = len(gradients) == 1 and isinstance(gradients[0], (tuple, list))
        return tuple(gradients) if wrapped else (gradients,)
    return tuple(gradients)


def check_list(operator: str, name: str, gradients: Any, count: int) -> None:
    """Raises GradientError unless `gradients` is a list of `count`, as the input `name` is."""
    several = isinstance(gradients, (tuple, list))
    if several and len(gradients) == count:
        return
    got = "None" if gradients is None else f"a {type(gradients).__name__}"
    if several:
        got = f"a list of {len(gradients)}"
    raise GradientError(
        SENTENCES["list"].format(
            operator=operator, input=name, expected=plural(count, "tensor"), got=got
        )
    )


class Form(NamedTuple):
    """How a gradient function takes its arguments."""

    parameters: tuple[str, ...]  # the positional ones, as the function names them
    flat: bool  # outputs are separate parameters rather than two tuples
    outputs: int  # how many it takes: the results, and those saved for it unless it does without

    def arguments(
        self, inputs: Sequence[Any], outputs: Sequence[Any], douts: Sequence[Any]
    ) -> list:
        """The positional arguments for one call; `outputs` may be more than it takes."""
        outputs = outputs[: self.outputs]
        if self.flat:
            return [*inputs, *outputs, *douts]
        return [*inputs, tuple(outputs), tuple(douts)]

    def reads_outputs(self, reads: frozenset[int], inputs: int) -> list[int]:
        """The outputs among the positions that reads_of() gave, for an operator of `inputs`."""
        if self.flat:
            return [i for i in range(self.outputs) if inputs + i in reads]
        return list(range(self.outputs)) if inputs in reads else []


def form_of(
    function: Callable,
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    saved: Sequence[str] = (),
) -> Form:
    """The form of a gradient function; GradientError where its parameters fit none."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise GradientError(
            f"{operator}: the gradient function {function!r} has no signature to read: {error}"
        ) from error
    kinds = inspect.Parameter
    positional = []
    for parameter in signature.parameters.values():
        if parameter.kind is kinds.VAR_POSITIONAL:
            raise GradientError(
                f"{operator}: the gradient function takes *{parameter.name}. Name its parameters: "
                f"{_wanted(inputs, outputs, saved)}."
            )
        if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            positional.append(parameter.name)
    count = len(positional)
    tuples, flat = len(inputs) + 2, len(inputs) + 2 * len(outputs)
    if count not in (tuples, flat, flat + len(saved)):
        raise GradientError(
            f"{operator}: the gradient function takes {plural(count, 'parameter')} "
            f"({', '.join(positional)}); expected {_wanted(inputs, outputs, saved)}."
        )
    taken = len(outputs) + (len(saved) if count == flat + len(saved) else 0)
    return Form(tuple(positional), count != tuples or tuples == flat, taken)


def _wanted(inputs: Sequence[str], outputs: Sequence[str], saved: Sequence[str]) -> str:
    flat = f"({', '.join([*inputs, *outputs, *saved, *('d' + name for name in outputs)])})"
    if len(outputs) == 1 or saved:
        return flat
    return f"{flat}, or ({', '.join([*inputs, 'out', 'dout'])}) with two tuples"


# A function that looks at its own names this way may read any parameter.
_LOOKS_AT_NAMES = frozenset({"locals", "vars", "eval", "exec", "dir", "_getframe", "currentframe"})


def reads_of(function: Callable, form: Form) -> frozenset[int]:
    """Positions of `form.parameters` that the function may read.

    What is left out is proven unread: its name does not occur in the function's code. A framework
    need not keep such an input until the gradient is asked for.
    """
    everything = frozenset(range(len(form.parameters)))
    if type(function) is not types.FunctionType or hasattr(function, "__wrapped__"):
        return everything
    code = function.__code__
    if _LOOKS_AT_NAMES & set(code.co_names):
        return everything
    names = set(code.co_cellvars)
    for instruction in dis.get_instructions(code):
        value = instruction.argval
        names.update(value if isinstance(value, tuple) else (value,))
    return frozenset(i for i, name in enumerate(form.parameters) if name in names)


def load_function(
    text: str, function: str, operator: str, source: str, xp: Optional[types.ModuleType] = None
) -> Callable:
    """Runs the text of a gradient file and returns the function of that name.

    `source` says where the text comes from, in tracebacks. `xp` takes the place of bascule.xp in
    the text's names: a framework's own functions, without the look-up by tensor type. The module of
    the function is in sys.modules and its source in linecache, for frameworks that read sources.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    backend = xp.__name__.replace(".", "_") if xp is not None else "any"
    module = types.ModuleType(f"bascule_gradients.{operator}_{digest}_{backend}")
    file = f"<gradient of {operator} from {source} ({digest}, {backend})>"
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    sys.modules[module.__name__] = module
    if hasattr(xp, "known_length"):
        module.__dict__["len"] = xp.known_length
    exec(compile(text, file, "exec"), module.__dict__)
    if xp is not None:
        _bind(module.__dict__, xp)
    found = module.__dict__.get(function)
    if not callable(found):
        own = [v for v in module.__dict__.values() if isinstance(v, types.FunctionType)]
        there = [v.__name__ for v in own if v.__module__ == module.__name__]
        raise GradientError(
            f"{operator}: its gradient file has no function {function}. "
            + (f"It has: {', '.join(there)}." if there else "It has none.")
        )
    return found


def _bind(names: dict, xp: types.ModuleType) -> None:
    from bascule import xp as generic

    for name, value in list(names.items()):
        if value is generic:
            names[name] = xp
        elif getattr(value, "__module__", None) == generic.__name__:
            names[name] = getattr(xp, value.__name__)


def output_names(schema: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The results of an operator, and the outputs behind them that only its gradient gets."""
    names = tuple(p["name"] for p in schema["outputs"])
    saved = len((schema.get("gradient") or {}).get("saved", ()))
    return names[: len(names) - saved], names[len(names) - saved :]


def backward_function(
    schema: Mapping[str, Any],
    backward: Any,
    source: str,
    xp: Optional[types.ModuleType],
    constants: Optional[Mapping[str, Any]] = None,
) -> Callable:
    """The gradient function that calls another operator of the library, `backward`.

    That takes, by name, some of what a gradient function does, and the attributes of its own that
    the operator has, too. `constants` are their values in a framework where they are constants.
    """
    name = schema["name"]
    inputs = [p["name"] for p in schema["inputs"]]
    outputs, saved = output_names(schema)
    shared = [a["name"] for a in schema["attributes"] if a["name"] in backward.attributes]
    call = backward
    title = f"{backward.name} of {source}"
    # bascule's own xp is that of arrays, which the operator takes as it is.
    if xp is not None and xp.__name__ != "bascule.xp_numpy":
        framework = xp.__name__.rpartition(".")[0]
        module = sys.modules[framework]
        if hasattr(module, "bind_backward"):  # where attributes are constants
            values = constants or {}
            bound = {a: values[a] for a in shared if a in values}
            call = module.bind_backward(backward, bound)
            # A compiler finds `backward` through the module, which is named after the text.
            title += f" with {bound}"
            shared = []
        elif hasattr(module, "bind"):  # NumPy's operators need none
            call = module.bind(backward, _once(backward, source))
    parameters = _parameters(inputs, outputs, [a["name"] for a in schema["attributes"]], saved)
    arguments = ", ".join([*backward.inputs, *(f"{a}={a}" for a in shared)])
    text = f"# {title}\ndef {name}_bprop({parameters}):\n    return backward({arguments})\n"
    function = load_function(text, f"{name}_bprop", name, source, xp)
    function.__globals__["backward"] = call
    return function


def _parameters(
    inputs: Sequence[str],
    outputs: Sequence[str],
    attributes: Sequence[str],
    saved: Sequence[str] = (),
) -> str:
    names = [*inputs, *outputs, *saved, *(f"d{output}" for output in outputs)]
    return ", ".join([*names, "*", *attributes] if attributes else names)


def _once(backward: Any, source: str) -> "Gradient":
    """The gradient of an operator that is one itself: where it has none, only its use is an error.

    A framework may differentiate a gradient's operators as a matter of course, and not use that.
    """
    own = backward.gradient
    if own.kind != "none":
        return own
    name = f"{backward.name}_bprop"
    parameters = _parameters(own.inputs, own.outputs, list(backward.attributes))
    text = f"def {name}({parameters}):\n    return refuse()\n"

    def refuse() -> None:
        raise GradientError(own.refusal())

    function = load_function(text, name, backward.name, source)
    function.__globals__["refuse"] = refuse
    return Gradient.of_function(function, backward.name, own.inputs, own.outputs)


class Gradient:
    """The gradient of one operator: `function` made at the first request, and how to call it.

    `kind` is "python" (a bprop), "operator" (another one of the library) or "none" (with a
    `reason`). `outputs` are the operator's results, `saved` the outputs that only the gradient
    gets. `recompute`: outputs that it reads are made again for it from the inputs, rather than
    kept. `is_file`: a project's text, which bascule.xp's functions and operators calculate.
    Thread-safe.
    """

    def __init__(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        make: Optional[Callable[[Optional[types.ModuleType], Optional[Mapping]], Callable]],
        reason: str = "",
        saved: Sequence[str] = (),
        recompute: bool = False,
    ):
        self.operator = operator
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.saved = tuple(saved)
        self.recompute = recompute
        self.is_file = False
        self.kind = "none" if make is None else "python"
        self.reason = reason
        self._make = make
        self._made: dict[Any, tuple[Callable, Form, frozenset[int]]] = {}
        self._lock = threading.Lock()

    @classmethod
    def of_function(
        cls,
        function: Callable,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        saved: Sequence[str] = (),
    ) -> "Gradient":
        """The gradient that a caller passed as a function, as in Custom(bprop=...)."""
        if not callable(function):
            raise GradientError(
                f"{operator}: bprop is a {type(function).__name__}, not a function."
            )
        return cls(operator, inputs, outputs, lambda xp, constants: function, saved=saved)

    @classmethod
    def of_schema(
        cls, schema: Mapping[str, Any], source: str, find: Optional[Callable[[str], Any]] = None
    ) -> "Gradient":
        """The gradient that an operator's manifest entry declares.

        `source` is its library, `find` gives another operator of it.
        """
        name = schema["name"]
        outputs, saved = output_names(schema)
        names = [p["name"] for p in schema["inputs"]], outputs
        declared = schema.get("gradient") or {"kind": "none"}
        kept = {"saved": saved, "recompute": bool(declared.get("recompute"))}
        if declared["kind"] == "none":
            reason = declared.get("reason") or "its project declares none"
            return cls(name, *names, None, reason)
        if declared["kind"] == "operator" and find is not None:
            other = declared["operator"]
            self = cls(
                name,
                *names,
                lambda xp, constants: backward_function(schema, find(other), source, xp, constants),
                **kept,
            )
            self.kind = "operator"
            return self
        if declared["kind"] != "python":
            raise Unsupported(
                f"{name}: gradients of kind '{declared['kind']}' are unknown to this version of "
                "bascule; upgrade it."
            )
        text = declared["text"]
        function = declared.get("function") or f"{name}_bprop"
        self = cls(
            name,
            *names,
            lambda xp, constants: load_function(text, function, name, source, xp),
            **kept,
        )
        self.is_file = True
        return self

    def recomputing(self, recompute: Optional[bool]) -> "Gradient":
        """The same gradient with the caller's choice; None: as it is."""
        if recompute is None or recompute == self.recompute:
            return self
        other = copy.copy(self)
        other.recompute = recompute
        return other

    def get(
        self, xp: Optional[types.ModuleType] = None, constants: Optional[Mapping[str, Any]] = None
    ) -> tuple[Callable, Form, frozenset[int]]:
        """The function, its form, and the positions of its parameters that it may read.

        The first call runs the gradient's text, with `xp` for bascule.xp. `constants` are the
        attributes' values in a framework where an operator's attributes are constants.
        """
        key = xp if constants is None else (xp, repr(constants))
        with self._lock:
            if key not in self._made:
                if self._make is None:
                    raise GradientError(self.refusal())
                function = self._make(xp, constants)
                form = form_of(function, self.operator, self.inputs, self.outputs, self.saved)
                self._made[key] = function, form, reads_of(function, form)
            return self._made[key]

    def of_row(
        self, xp: Optional[types.ModuleType], counts: Counts
    ) -> tuple[Callable, Form, frozenset[int]]:
        """As get(), for inputs that are lists of known lengths (bascule.lists): of all tensors in a
        row, for frameworks that do not look into lists. Returns their gradients in a row."""
        function, form, reads = self.get(xp)
        names = member_names(self.inputs, counts)
        inputs, total = len(counts), len(names)

        def of_row(*arguments: Any, **attributes: Any) -> list:
            given = grouped(arguments[:total], counts)
            gradients = as_tuple(function(*given, *arguments[total:], **attributes), given)
            if len(gradients) != inputs:
                raise wrong_count(self.operator, self.inputs, len(gradients))
            for name, count, gradient in zip(self.inputs, counts, gradients):
                if count is not None:
                    check_list(self.operator, name, gradient, count)
            return flat(gradients)

        owners = [i for i, count in enumerate(counts) for _ in range(1 if count is None else count)]
        read = {at for at, owner in enumerate(owners) if owner in reads}
        read |= {at - inputs + total for at in reads if at >= inputs}
        parameters = (*names, *form.parameters[inputs:])
        return of_row, form._replace(parameters=parameters), frozenset(read)

    def refusal(self) -> str:
        """The sentence for a gradient that does not exist."""
        return (
            f"{self.operator} has no gradient: {self.reason}. An input that requires one cannot be "
            "passed; detach it, or declare a gradient."
        )

# SPDX-License-Identifier: Apache-2.0
"""Operator libraries in Python: open one, look at it, call its operators.

    lib = bascule.load("./libmy_mul.so")
    z = lib.my_mul(x, y)  # NumPy arrays in, a NumPy array out
    lib.my_mul(x, y, out=z)

An operator takes tensors of any framework with a bridge and gives back the same kind, with that
framework's gradients; NumPy arrays have none.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional, Union

from bascule import _native
from bascule.bridges import bridge, framework_of, imported
from bascule.errors import BadLibrary, InvalidArgument, NotFound, OperatorNotFound, Unsupported
from bascule.gradient import Gradient, output_names
from bascule.lists import flat
from bascule.search import find_library, script_folder
from bascule.stats import Seen, Stats, stats_of

__all__ = ["Library", "Operator", "load"]


def load(name: Union[str, Path]) -> "Library":
    """The operator library at a path, or of a name looked for as bascule.search says.

    Raises LibraryNotFound with every place looked at, BadLibrary for what is no operator library.
    """
    found = find_library(str(name), script=script_folder())
    if found.symbol is not None:
        raise InvalidArgument(
            f"load() takes a library without ':{found.symbol}'; its operators are attributes: "
            f"load({str(found.path)!r}).{found.symbol}"
        )
    with found.opening():
        return Library(found.path)


class Library:
    """An operator library; its operators are attributes. Loaded until the process ends."""

    def __init__(self, path: Union[str, Path]):
        self._native = _native.Library(str(path))
        source = self._native.path
        self._operators = {
            op.name: (LoneKernel if op.is_kernel else Operator)(op, source, self.find)
            for op in self._native.operators()
        }

    @property
    def path(self) -> Path:
        return Path(self._native.path)

    @property
    def manifest(self) -> dict:
        """What the library says of itself; docs/manifest.md."""
        return json.loads(self._native.manifest)

    @property
    def identity(self) -> int:
        """Equal for two libraries of the same content."""
        return self._native.identity

    def find(self, name: str) -> "Operator":
        """The operator called `name`; OperatorNotFound lists those there."""
        if name not in self._operators:
            if any(isinstance(op, LoneKernel) for op in self):
                try:
                    self._native.find(name)
                except NotFound as error:  # it knows what else is there
                    raise OperatorNotFound(str(error)) from None
            close = next((n for n in self._operators if _differ_by_suffix(n, name)), None)
            hint = f" Was '{close}' meant?" if close else ""
            raise OperatorNotFound(
                f"{self.path} has no operator '{name}'. It has: {', '.join(self._operators)}.{hint}"
            )
        return self._operators[name]

    def only(self) -> "Operator":
        """The one operator, or the one the file is named after; else InvalidArgument names them."""
        stem = self.path.name.partition(".so")[0]
        if stem.startswith("lib") and stem[3:] in self._operators:
            return self._operators[stem[3:]]
        if len(self._operators) != 1:
            raise InvalidArgument(
                f"{self.path} has {len(self._operators)} operators; say which, as in "
                f"'{self.path}:{next(iter(self._operators), 'name')}'. It has: "
                f"{', '.join(self._operators)}."
            )
        return next(iter(self))

    def plan(self, entries: Sequence[dict]) -> int:
        """Plans shapes ahead, and returns how many.

        An entry is {"operator": …, "inputs": [{"shape": …, "dtype": …}, …], "attributes": {…}}
        (docs/c_api.md).
        """
        return self._native.plan(json.dumps(list(entries)))

    def save_plans(self, path: Union[str, Path]) -> None:
        """Writes what tiling has decided so far to a file, for another process to load."""
        self._native.save_plans(str(path))

    def load_plans(self, path: Union[str, Path]) -> int:
        """Takes plans from a file of save_plans(), of this library's very content; how many."""
        return self._native.load_plans(str(path))

    def __getattr__(self, name: str) -> "Operator":
        if name.startswith("_"):  # Python's own look-ups, for copying and the like
            raise AttributeError(name)
        return self.find(name)

    def __iter__(self) -> Iterator["Operator"]:
        return iter(self._operators.values())

    def __len__(self) -> int:
        return len(self._operators)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._operators]

    def __repr__(self) -> str:
        return f"<bascule library {self.path}: {', '.join(self._operators)}>"


def _differ_by_suffix(one: str, other: str) -> bool:
    """Whether two names are one but for an ending, as in my_mul and my_mul_kernel."""
    return one.startswith(other) or other.startswith(one)


def _attribute(declared: dict) -> dict:
    """An attribute of the manifest: name, kind, and `default` unless it is required."""
    attribute = {"name": declared["name"], "kind": declared["kind"]}
    if not declared.get("required", False):
        default = declared.get("default")
        if attribute["kind"] == "float":  # JSON has no infinities: the manifest holds them as text
            default = float(default)
        elif attribute["kind"] == "float_list":
            default = [float(item) for item in default]
        attribute["default"] = default
    return attribute


def needed_inputs(schema: dict) -> int:
    """How many inputs a caller has to name: optional ones at the end may be left out."""
    kinds = [p.get("kind", "required") for p in schema["inputs"]]
    return max((i for i, kind in enumerate(kinds, 1) if kind != "optional"), default=0)


def _lists(parameters: Sequence[dict]) -> frozenset[int]:
    return frozenset(i for i, p in enumerate(parameters) if p.get("kind") == "dynamic")


class Operator:
    """One operator of a library.

    Calling it runs it on tensors of one framework; attributes go by keyword. A dynamic input is a
    list or tuple of tensors.
    """

    def __init__(
        self, native: Any, source: str, find: Optional[Callable[[str], "Operator"]] = None
    ):
        """`native` is a _native.Operator, `source` its library in sentences.

        `find` gives another operator of the library, for gradients that are one.
        """
        self.native = native
        self.source = source
        try:
            self.schema = json.loads(native.schema)
            self.inputs = tuple(p["name"] for p in self.schema["inputs"])
            self.needed = needed_inputs(self.schema)
            self.outputs, self.saved = output_names(self.schema)
            self.attributes = {a["name"]: _attribute(a) for a in self.schema["attributes"]}
            # Which inputs and outputs are lists of tensors.
            self.input_lists = _lists(self.schema["inputs"])
            self.output_lists = _lists(self.schema["outputs"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadLibrary(
                f"{source}: the manifest of {native.name} is damaged: {error!r}"
            ) from error
        self.gradient = Gradient.of_schema(self.schema, source, find)
        self.seen = Seen()
        self._caller = Caller(self, self.gradient)

    @property
    def name(self) -> str:
        return self.native.name

    def infer(
        self, *inputs: tuple, **attributes: Any
    ) -> list[tuple[Optional[tuple[int, ...]], Optional[str]]]:
        """(shape, dtype) of each output, from one (shape, dtype) per input.

        Dimensions of -1 are unknown, as is a shape or dtype of None. For a dynamic input it is a
        list of pairs.
        """
        return self.infer_all(*inputs, **attributes)[: len(self.outputs)]

    def infer_all(self, *inputs: tuple, **attributes: Any) -> list:
        """infer(), followed by the outputs that only the gradient gets."""
        return self.native.infer(inputs, attributes or None)

    def plan(self, *inputs: tuple, **attributes: Any) -> dict:
        """What tiling decides for inputs as of infer(): block_count, tiling_key, tiling_data,
        workspace_bytes. A call with these shapes finds it.
        """
        return self.native.plan(inputs, attributes or None)

    def positional(self, attributes: dict[str, Any]) -> tuple:
        """Attribute values in the order of the schema, up to the last one given."""
        unknown = [name for name in attributes if name not in self.attributes]
        if unknown:
            have = ", ".join(self.attributes) or "none"
            raise InvalidArgument(f"{self.name} has no attribute '{unknown[0]}'. It has: {have}.")
        values = []
        left = len(attributes)
        for name, declared in self.attributes.items():
            if left == 0:
                break
            if name in attributes:
                values.append(attributes[name])
                left -= 1
            elif "default" in declared:
                values.append(declared["default"])
            else:
                raise InvalidArgument(f"{self.name}: attribute '{name}' is missing.")
        return tuple(values)

    def all_attributes(self, attributes: dict[str, Any]) -> tuple:
        """The values of all attributes in the order of the schema, with defaults."""
        values = self.positional(attributes)
        rest = list(self.attributes.values())[len(values) :]
        missing = [a["name"] for a in rest if "default" not in a]
        if missing:
            raise InvalidArgument(f"{self.name}: attribute '{missing[0]}' is missing.")
        return (*values, *(a["default"] for a in rest))

    def run_arrays(self, *inputs: Any, **attributes: Any) -> Any:
        """On NumPy arrays, which have no gradients; the outputs are new arrays."""
        return self.results(self._run(inputs, attributes))

    def _complete(self, inputs: tuple) -> tuple:
        """With None for optional ones at the end that were left out."""
        # A lone kernel's inputs may all be None, but nothing says that one may be left out.
        if self.needed <= len(inputs) < len(self.inputs) and not self.native.is_kernel:
            inputs += (None,) * (len(self.inputs) - len(inputs))
        return inputs

    def _run(self, inputs: tuple, attributes: dict[str, Any]) -> Any:
        inputs = self._complete(inputs)
        if attributes:
            return self.native.run(*inputs, *self.positional(attributes))
        return self.native.run(*inputs)

    def run_all(self, *inputs: Any, **attributes: Any) -> tuple:
        """run_arrays(), always a tuple, followed by the outputs that only the gradient gets."""
        outputs = self._run(inputs, attributes)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    def results(self, outputs: Any) -> Any:
        """What a caller gets of the outputs that the library gives."""
        if not self.saved:
            return outputs
        return outputs[0] if len(self.outputs) == 1 else outputs[: len(self.outputs)]

    def stats(self) -> Stats:
        """How often it and its gradient ran in this process, and why the gradient did not."""
        return stats_of(self, self.gradient)

    def __call__(self, *inputs: Any, out: Any = None, **attributes: Any) -> Any:
        """Runs the operator. `out`, an array or a tuple of them, is for NumPy arrays only.

        An output that is dynamic is a list in `out`, whose length is the caller's choice.
        """
        if out is None:
            return self._caller(*inputs, **attributes)
        if self._caller.bound(inputs) != self.run_arrays:
            raise InvalidArgument(
                f"{self.name}: out= is for NumPy arrays, and the first input is a "
                f"{type(flat(inputs)[0]).__name__}."
            )
        several = isinstance(out, (tuple, list))
        if self.output_lists and len(self.outputs) == 1:  # the one output is the list
            several = several and len(out) == 1 and isinstance(out[0], (tuple, list))
        outputs = out if several else (out,)
        if self.saved and len(outputs) == len(self.outputs):
            outputs = [*outputs, *self._unwanted(inputs, attributes)]
        self.native.call(self._complete(inputs), outputs, attributes or None)
        return out

    def _unwanted(self, inputs: tuple, attributes: dict) -> list:
        """Arrays for the outputs that nobody asked for."""
        import numpy as np

        from bascule.dtypes import dtype_named

        pairs = [None if v is None else (v.shape, v.dtype.name) for v in inputs]
        infos = self.infer_all(*pairs, **attributes)[len(self.outputs) :]
        return [np.empty(shape, dtype_named(dtype)) for shape, dtype in infos]

    def __repr__(self) -> str:
        return f"<bascule operator {self.name}({', '.join(self.inputs)}) of {self.source}>"


class LoneKernel(Operator):
    """A kernel of a library without manifest, known by its symbol (docs/lone_kernels.md).

    Nobody knows how many inputs and outputs it takes, nor their shapes, but who calls it. Called
    with `out`, on NumPy arrays, it runs; for anything else it has to be described.
    """

    def described(
        self, inputs: Sequence[str], outputs: Sequence[str], infer: Callable[[list], list]
    ) -> Operator:
        """An operator with inputs and outputs of these names.

        `infer` makes a list of (shape, dtype), one for each output, from a list of them, one for
        each input, None for one that was left out.
        """
        schema = {
            "name": self.name,
            "inputs": [{"name": name, "kind": "optional"} for name in inputs],
            "outputs": [{"name": name} for name in outputs],
            "attributes": [],
            "gradient": self.schema["gradient"],
        }
        return Operator(self.native.described(json.dumps(schema), infer), self.source)

    def __call__(self, *inputs: Any, out: Any = None, **attributes: Any) -> Any:
        if out is None:
            return self.run_arrays(*inputs, **attributes)  # has the sentence
        for value in inputs:
            if framework_of(value) is not None:
                raise InvalidArgument(
                    f"{self.name}: out= is for NumPy arrays, and an input is a "
                    f"{type(value).__name__}. Use Custom with out_shape and out_dtype."
                )
        outputs = out if isinstance(out, (tuple, list)) else (out,)
        self.native.call(inputs, outputs, attributes or None)
        return out


class Caller:
    """Calls an operator on whatever tensors come, through their framework's bridge."""

    def __init__(self, operator: Operator, gradient: Gradient):
        self._operator = operator
        self._gradient = gradient
        self._by_type: dict[type, Callable] = {}  # by the type of the first input

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        function = self._by_type.get(type(inputs[0])) if inputs else None
        return (function or self.bound(inputs))(*inputs, **attributes)

    def prepare(self) -> None:
        """Binds to the frameworks that are imported, before a compiler traces the first call."""
        for module in imported():
            if hasattr(module, "bind"):
                function = module.bind(self._operator, self._gradient)
                self._by_type.update(dict.fromkeys(module.TENSOR_TYPES, function))

    def bound(self, inputs: tuple) -> Callable:
        """The function for tensors such as these."""
        values = flat(inputs) if self._operator.input_lists else inputs
        first = next((value for value in values if value is not None), None)
        function = self._by_type.get(type(first)) or self._bind(first)
        if first is not None:
            self._by_type[type(first)] = function
        return function

    def _bind(self, value: Any) -> Callable:
        framework = framework_of(value)
        self._operator.seen.frameworks.add(framework or "numpy")
        if framework is None:
            return self._operator.run_arrays  # NumPy; it refuses what is none
        bind = getattr(bridge(framework), "bind", None)
        if bind is None:
            raise Unsupported(
                f"{self._operator.name}: tensors of {framework} are taken by the functions of "
                f"bascule.{framework} only."
            )
        return bind(self._operator, self._gradient)

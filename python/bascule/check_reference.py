# SPDX-License-Identifier: Apache-2.0
"""A project's reference.py: what results are held against.

    def my_mul_reference(x, y):
        return x * y

    def my_mul_cases():
        yield {"shapes": [(3, 5), (5,)], "ranges": [(-4, 4), (0.1, 9)]}

The reference takes NumPy arrays, floating ones as float64, others as they are, None for an optional
input that is left out, and the attributes by keyword; it returns an array or a tuple of them. Where
it names `dtypes`, it gets the names of the inputs' element types.
"""

import inspect
import sys
import types
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from bascule.check_arrays import is_floating
from bascule.errors import InvalidArgument
from bascule.lists import Counts, grouped

__all__ = ["Reference", "ReferenceFailed", "dtypes_of"]


class ReferenceFailed(InvalidArgument):
    """A reference raised, or returned what cannot be compared."""


class Reference:
    """A reference function with its cases. `source` names it in sentences."""

    def __init__(self, function: Callable, cases: Optional[Callable] = None, source: str = ""):
        self.function = function
        self.source = source or getattr(function, "__qualname__", repr(function))
        self._cases = cases

    @classmethod
    def of_schema(cls, schema: dict, library: str) -> Optional["Reference"]:
        """The reference that an operator's manifest entry holds, or None. Runs its text."""
        declared = schema.get("reference")
        if not declared:
            return None
        module = types.ModuleType(f"bascule_references.{schema['name']}_{declared['hash'][:12]}")
        module.__file__ = f"<{declared['file']} of {library}>"
        sys.modules[module.__name__] = module
        try:
            exec(compile(declared["text"], module.__file__, "exec"), module.__dict__)
            function = getattr(module, declared["function"])
            cases = getattr(module, declared["cases"]) if "cases" in declared else None
        except Exception as error:
            raise ReferenceFailed(
                f"{schema['name']}: its {declared['file']} cannot be run: {_told(error)}"
            ) from error
        return cls(function, cases, declared["file"])

    def own_cases(self) -> list[dict]:
        """What the project wants to be tried with, as JSON can hold it."""
        if self._cases is None:
            return []
        try:
            return [_plain(case) for case in self._cases()]
        except Exception as error:
            raise ReferenceFailed(f"the cases of {self.source} failed: {_told(error)}") from error

    def bound(
        self,
        inputs: Sequence[Optional[np.ndarray]],
        attributes: dict,
        infos: Sequence,
        counts: Optional[Counts] = None,
        dtypes: Optional[Sequence] = None,
    ) -> Callable[[list], list]:
        """The function that _native.Check calls, for a call with these inputs and outputs.

        `counts` (bascule.lists) says which of the inputs belong to which list; `dtypes` is of the
        operator's inputs, where these are wider.
        """
        if dtypes is None:
            dtypes = dtypes_of(inputs, counts)
        keywords = self.keywords(attributes, dtypes)

        def call(floats: list) -> list:
            arguments = [
                given if floating is None else floating for given, floating in zip(inputs, floats)
            ]
            if counts is not None:
                arguments = grouped(arguments, counts)
            try:
                with np.errstate(all="ignore"):
                    results = self.function(*arguments, **keywords)
            except Exception as error:
                raise ReferenceFailed(f"{self.source} raised {_told(error)}") from error
            return comparable(results, infos, self.source)

        return call

    def keywords(self, attributes: dict, dtypes: Sequence) -> dict:
        """Those of the attributes that the reference names; `attributes` means a dict of all, and
        `dtypes` these, unless an attribute is called so."""
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            return attributes
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return attributes
        named = {p.name: attributes[p.name] for p in parameters if p.name in attributes}
        if "attributes" not in attributes and any(p.name == "attributes" for p in parameters):
            named["attributes"] = attributes  # all of them, as a dict
        if "dtypes" not in attributes and any(p.name == "dtypes" for p in parameters):
            named["dtypes"] = dtypes
        return named


def dtypes_of(inputs: Sequence[Optional[np.ndarray]], counts: Optional[Counts] = None) -> list:
    """The name of each input's element type, None for one left out; of a list its members'."""
    names = [None if a is None else a.dtype.name for a in inputs]
    return names if counts is None else grouped(names, counts)


def comparable(results: Any, infos: Sequence, source: str) -> list:
    """Results as float64 and int64 arrays of the outputs' shapes, or ReferenceFailed."""
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    if len(results) != len(infos):
        raise ReferenceFailed(f"{source} gives {len(results)} results for {len(infos)} outputs")
    arrays = []
    for number, (result, (shape, dtype)) in enumerate(zip(results, infos)):
        array = np.asarray(result)
        if array.shape != tuple(shape):
            raise ReferenceFailed(
                f"{source} gives shape {array.shape} for output {number}; the operator infers "
                f"{tuple(shape)}"
            )
        if is_floating(dtype):
            arrays.append(np.ascontiguousarray(array, np.float64).reshape(shape))
            continue
        if array.dtype.kind == "f" and not np.array_equal(array, np.rint(array)):
            raise ReferenceFailed(f"{source} gives fractions for output {number}, which is {dtype}")
        arrays.append(np.ascontiguousarray(array).astype(np.int64).reshape(shape))
    return arrays


def _plain(value: Any) -> Any:
    """Tuples as lists, NumPy's numbers as Python's."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _told(error: Exception) -> str:
    """The error with the line of the reference where it arose."""
    trace, line = error.__traceback__, None
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith("<") and " of " in file:
            line = trace.tb_lineno
        trace = trace.tb_next
    place = f" in line {line}" if line is not None else ""
    return f"{type(error).__name__}{place}: {error}"

# SPDX-License-Identifier: Apache-2.0
"""Operator libraries in PyTorch.

    ops = bascule.torch.load("./libmy_mul.so")  # registers torch.ops.my_mul.my_mul
    ops.my_mul(x, y).sum().backward()

Operators have schemas, gradients and fake kernels: they work under torch.compile(fullgraph=True),
torch.export, torch.func.grad, vjp, vmap and jacrev. Forward-mode differentiation is an error. vmap
calls the operator once per element of the batch.
"""

import itertools
import re
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

try:
    import torch
except ImportError as error:
    raise ImportError(
        f"bascule.torch needs PyTorch 2.10 or later, which cannot be imported: {error}. "
        "Install it with `pip install 'bascule[torch]'`."
    ) from error

from bascule.errors import InvalidArgument
from bascule.gradient import Gradient
from bascule.operator import Library, Operator
from bascule.operator import load as load_library
from bascule.torch.register import register
from bascule.torch.replace import replace

__all__ = ["TENSOR_TYPES", "Namespace", "bind", "load", "replace"]

TENSOR_TYPES = (torch.Tensor, torch.nn.Parameter)  # what bind()'s functions mostly get

# By namespace and operator: the identity and the path of its library, the overload, recompute.
_registered: dict[tuple[str, str], tuple[int, Path, Any, bool]] = {}
_handles: list[torch.library.Library] = []  # registrations end with these objects
_TAKEN = frozenset(
    {"aten", "prim", "prims", "profiler", "quantized", "inductor", "c10d", "higher_order"}
)


class Namespace(types.SimpleNamespace):
    """The operators of one library, as attributes: the overloads that torch.ops holds."""

    def __init__(self, name: str, library: Library, operators: dict[str, Any]):
        super().__init__(**operators)
        self._name = name
        self._library = library

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._library.find(name)  # raises, and says what is there

    def __repr__(self) -> str:
        return f"<torch.ops.{self._name} from {self._library.path}>"


def load(
    name: Union[str, Path],
    namespace: Optional[str] = None,
    recompute: Union[bool, Mapping[str, bool], None] = None,
) -> Namespace:
    """Registers the operators of a library under `torch.ops.<namespace>` and returns them.

    `name` is a path, or a name looked for as bascule.search says. The namespace is the library's
    file name without `lib` and what follows the first dot, unless told. The same library may be
    loaded again; another one with an operator of the same name in the same namespace is
    InvalidArgument.

    `recompute`, for all operators or by name: whether outputs that a gradient reads are made again
    from the inputs, rather than kept until then; what is not said is as the library has it.
    """
    library = load_library(name)
    if namespace is None:
        namespace = re.sub(r"\W", "_", re.sub(r"^lib(?=.)", "", library.path.name.split(".")[0]))
    if not namespace.isidentifier() or namespace in _TAKEN:
        raise InvalidArgument(
            f"'{namespace}' cannot be the namespace of {library.path} in torch.ops; pass another, "
            "namespace=."
        )
    choices = _choices(library, recompute)
    known = {op.name: _registered.get((namespace, op.name)) for op in library}
    for operator, entry in known.items():
        if entry is not None and entry[0] != library.identity:
            raise InvalidArgument(
                f"torch.ops.{namespace}.{operator} is registered from {entry[1]} already; "
                f"{library.path} is another library, or another build of it. Pass another "
                "namespace=, or start a new process."
            )
        if entry is not None and entry[3] != choices[operator].recompute:
            raise InvalidArgument(
                f"torch.ops.{namespace}.{operator} is registered with recompute={entry[3]} "
                "already; pass another namespace= for the other choice."
            )
    missing = [op for op in library if known[op.name] is None]
    if missing:
        handle = torch.library.Library(namespace, "FRAGMENT")
        _handles.append(handle)
        for operator in missing:
            gradient = choices[operator.name]
            overload = register(handle, operator, gradient, operator.name)
            entry = library.identity, library.path, overload, gradient.recompute
            _registered[namespace, operator.name] = entry
    overloads = {op.name: _registered[namespace, op.name][2] for op in library}
    return Namespace(namespace, library, overloads)


def _choices(
    library: Library, recompute: Union[bool, Mapping[str, bool], None]
) -> dict[str, Gradient]:
    """The gradients of all operators, with the caller's choices."""
    by_name = recompute if isinstance(recompute, Mapping) else {}
    for name in by_name:
        library.find(name)  # raises, and says what is there
    choice = None if isinstance(recompute, Mapping) else recompute
    return {op.name: op.gradient.recomputing(by_name.get(op.name, choice)) for op in library}


_numbers = itertools.count(1)


def bind(operator: Operator, gradient: Gradient) -> Any:
    """A function `(*inputs, **attributes)` on torch tensors, with the gradient given.

    Registered under `torch.ops.bascule_bound` for as long as the function lives.
    """
    handle = torch.library.Library("bascule_bound", "FRAGMENT")
    overload = register(handle, operator, gradient, f"{operator.name}_{next(_numbers)}")

    def call(*inputs: Any, **attributes: Any) -> Any:
        return overload(*inputs, **attributes)

    call.handle = handle
    return call

# SPDX-License-Identifier: Apache-2.0
"""Our operators in place of the modules of a model.

    with bascule.torch.replace(model) as replaced:
        print(replaced)  # what was replaced, what was left alone and why
        train(model)

A module stays the object it is, with its parameters, hooks, name and place: what changes is its
class, to one of this file, whose forward calls our operator. So state_dict, optimisers, parents and
`isinstance` see no difference, and undoing it is another change of class.

A forward whose input our operator does not take (another dtype or device, under autocast) is
torch's own.
"""

from typing import Any, Callable, NamedTuple, Optional

import torch
from torch import nn

from bascule import shipped
from bascule.errors import Error, InvalidArgument

__all__ = ["GELU", "Conv2d", "LayerNorm", "Linear", "Replacement", "Softmax", "replace"]

DTYPES = (torch.float32, torch.float16, torch.bfloat16)

_operators: dict[str, Any] = {}  # overloads, by name


def operator(name: str) -> Any:
    """The overload of a shipped operator, loaded at the first request."""
    found = _operators.get(name)
    if found is None:
        from bascule.torch import load

        found = _operators[name] = getattr(load(shipped.library(name)), name)
    return found


def _takes(x: torch.Tensor, parameter: Optional[torch.Tensor] = None) -> bool:
    """Whether our operators take an input, together with a parameter of its module."""
    if x.dtype not in DTYPES or x.device.type != "cpu" or x.layout != torch.strided:
        return False
    if parameter is not None and (parameter.dtype != x.dtype or parameter.device != x.device):
        return False
    return not torch.is_autocast_enabled("cpu")


class Linear(nn.Linear):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not _takes(input, self.weight):
            return super().forward(input)
        return operator("matmul")(input, self.weight, self.bias, False, True)


class Conv2d(nn.Conv2d):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not _takes(input, self.weight) or input.dim() not in (3, 4):
            return super().forward(input)
        images = input if input.dim() == 4 else input.unsqueeze(0)
        out = operator("conv2d")(
            images,
            self.weight,
            self.bias,
            list(self.stride),
            _padding_of(self),
            list(self.dilation),
            self.groups,
        )
        return out if input.dim() == 4 else out.squeeze(0)


class LayerNorm(nn.LayerNorm):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        axes = len(self.normalized_shape)
        if not _takes(input, self.weight) or tuple(input.shape[-axes:]) != self.normalized_shape:
            return super().forward(input)
        return operator("layer_norm")(input, self.weight, self.bias, axes, self.eps)


class GELU(nn.GELU):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not _takes(input):
            return super().forward(input)
        return operator("gelu")(input, self.approximate)


class Softmax(nn.Softmax):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not _takes(input):
            return super().forward(input)
        return operator("softmax")(input, self.dim)


def _padding_of(module: nn.Conv2d) -> list[int]:
    if module.padding == "valid":
        return [0, 0]
    if module.padding == "same":
        return [d * (k - 1) // 2 for d, k in zip(module.dilation, module.kernel_size)]
    return list(module.padding)


def _refuse_convolution(module: nn.Conv2d) -> str:
    if module.padding_mode != "zeros":
        return f"padding_mode is '{module.padding_mode}'; conv2d pads with zeros only"
    if module.padding == "same" and any(
        d * (k - 1) % 2 for d, k in zip(module.dilation, module.kernel_size)
    ):
        return "padding is 'same' of an even filter, which is uneven; conv2d pads both sides alike"
    reach = [d * (k - 1) + 1 for d, k in zip(module.dilation, module.kernel_size)]
    limits = (
        ("stride", module.stride, 63),
        ("padding", _padding_of(module), 255),
        ("dilation", module.dilation, 255),
        ("what a filter reaches over", reach, 255),
        ("a filter's points", [module.kernel_size[0] * module.kernel_size[1]], 512),
    )
    for what, values, most in limits:
        if max(values) > most:
            return f"{what}: {max(values)}; conv2d takes at most {most}"
    return ""


def _refuse_softmax(module: nn.Softmax) -> str:
    return "" if module.dim is not None else "its dim is None, which depends on the input's rank"


class _Row(NamedTuple):
    ours: type
    operator: str
    refuse: Callable[[Any], str] = lambda module: ""


_TABLE = {
    nn.Linear: _Row(Linear, "matmul"),
    nn.Conv2d: _Row(Conv2d, "conv2d", _refuse_convolution),
    nn.LayerNorm: _Row(LayerNorm, "layer_norm"),
    nn.GELU: _Row(GELU, "gelu"),
    nn.Softmax: _Row(Softmax, "softmax", _refuse_softmax),
}
_OURS = {row.ours: base for base, row in _TABLE.items()}


def _reason_against(module: nn.Module, missing: dict[str, str]) -> str:
    """Why a module that is one of the table's is left alone; empty: it is not."""
    kind = type(module)
    if kind in _OURS:
        return "it is replaced already"
    if kind not in _TABLE:
        base = next(base for base in _TABLE if isinstance(module, base))
        return f"it is a {kind.__name__}, a subclass of {base.__name__} that may do something else"
    if "forward" in vars(module):
        return "its forward is its own"
    for name, parameter in module.named_parameters(recurse=False):
        if parameter.dtype not in DTYPES:
            return f"its {name} is {parameter.dtype}; taken are float32, float16 and bfloat16"
        if parameter.device.type != "cpu":
            return f"its {name} is on {parameter.device}; our operators run on the CPU"
    row = _TABLE[kind]
    reason = row.refuse(module)
    if reason:
        return reason
    if row.operator not in missing:
        try:
            operator(row.operator)
            missing[row.operator] = ""
        except (Error, OSError) as error:
            missing[row.operator] = f"there is no operator {row.operator}: {error}"
    return missing[row.operator]


class Replacement:
    """What replace() did, and the way back.

    `replaced` has the name of the operator by the module's name, `left_alone` the reason; the
    model itself is named "". A context manager: leaving it undoes.
    """

    def __init__(self, model: nn.Module):
        self.replaced: dict[str, str] = {}
        self.left_alone: dict[str, str] = {}
        self._modules: list[nn.Module] = []
        missing: dict[str, str] = {}
        for name, module in model.named_modules():
            if not isinstance(module, tuple(_TABLE)):
                continue
            reason = _reason_against(module, missing)
            if reason:
                self.left_alone[name] = reason
                continue
            row = _TABLE[type(module)]
            self.replaced[name] = row.operator
            self._modules.append(module)
        for module in self._modules:
            module.__class__ = _TABLE[type(module)].ours

    def undo(self) -> None:
        """Gives the modules their classes back; once more does nothing."""
        for module in self._modules:
            if type(module) in _OURS:
                module.__class__ = _OURS[type(module)]
        self._modules = []

    def __enter__(self) -> "Replacement":
        return self

    def __exit__(self, *error: Any) -> None:
        self.undo()

    def __str__(self) -> str:
        lines = [f"replaced: {len(self.replaced)}"]
        lines += [f"  {name or '(the model)'}: {op}" for name, op in self.replaced.items()]
        lines += [f"left alone: {len(self.left_alone)}"]
        lines += [f"  {name or '(the model)'}: {why}" for name, why in self.left_alone.items()]
        return "\n".join(lines)


def replace(model: nn.Module) -> Replacement:
    """Has the Conv2d, Linear, LayerNorm, GELU and Softmax modules of a model call our operators.

    In place; the result says what was replaced and what was not, and undoes it. Operators that no
    library has yet are built, which takes a while once.
    """
    if not isinstance(model, nn.Module):
        raise InvalidArgument(f"replace takes a torch.nn.Module, not a {type(model).__name__}.")
    return Replacement(model)

# SPDX-License-Identifier: Apache-2.0
"""MindSpore: operator libraries as differentiable cells.

    from bascule.mindspore import Custom

    my_mul = Custom("my_mul")
    dx, dy = mindspore.grad(my_mul, grad_position=(0, 1))(x, y)

docs/mindspore.md tells the rest.
"""

from collections.abc import Mapping
from typing import Any, Callable

try:
    import mindspore
    import numpy
except ImportError as error:
    raise ImportError(
        f"bascule.mindspore needs MindSpore 2.10 or later, which cannot be imported: {error}. "
        "Install it with `pip install 'bascule[mindspore]'`."
    ) from error

if int(numpy.__version__.partition(".")[0]) >= 2:
    raise ImportError(
        f"MindSpore {mindspore.__version__} computes no gradients with NumPy "
        f"{numpy.__version__}, only with NumPy 1: `pip install 'numpy<2'`."
    )

from bascule.gradient import Gradient
from bascule.mindspore.custom import Custom
from bascule.operator import Operator

__all__ = ["TENSOR_TYPES", "Custom", "bind"]

KEPT_CELLS = 256  # of one operator, each for other attributes; dropped together when there are more
TENSOR_TYPES = (mindspore.Tensor, mindspore.Parameter)  # what bind()'s functions mostly get


def bind(operator: Operator, gradient: Gradient) -> Callable:
    """A function `(*inputs, **attributes)` on MindSpore's tensors, with the gradient given.

    For calls from Python; what GRAPH mode compiles needs a Custom.
    """
    cells: dict[tuple, Custom] = {}  # by attribute values; the first call alone may refuse

    def call(*inputs: Any, **attributes: Any) -> Any:
        key = operator.all_attributes(attributes) if attributes else ()
        key = tuple(map(repr, key))
        cell = cells.get(key)
        if cell is None:
            if len(cells) >= KEPT_CELLS:
                cells.clear()
            cell = cells[key] = Custom.of_operator(operator, gradient, attributes)
        return cell(*inputs)

    return call


def bind_backward(operator: Operator, attributes: Mapping[str, Any]) -> Custom:
    """An operator that is another's gradient: GRAPH mode compiles its call."""
    return Custom.of_operator(operator, operator.gradient, attributes)

# SPDX-License-Identifier: Apache-2.0
"""MindSpore: operator libraries as differentiable cells.

    from bascule.mindspore import Custom

    my_mul = Custom("my_mul")
    dx, dy = mindspore.grad(my_mul, grad_position=(0, 1))(x, y)

docs/mindspore.md tells the rest.
"""

from functools import lru_cache
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

TENSOR_TYPES = (mindspore.Tensor, mindspore.Parameter)  # what bind()'s functions mostly get


def bind(operator: Operator, gradient: Gradient) -> Callable:
    """A function `(*inputs, **attributes)` on MindSpore's tensors, with the gradient given.

    For calls from Python; what GRAPH mode compiles needs a Custom.
    """

    @lru_cache(maxsize=1)  # made at the first call, which alone may refuse the operator
    def cell() -> Custom:
        return Custom.of_operator(operator, gradient)

    def call(*inputs: Any, **attributes: Any) -> Any:
        return cell()(*inputs, **attributes)

    return call


def bind_backward(operator: Operator) -> Custom:
    """An operator that is another's gradient: GRAPH mode compiles its call."""
    return Custom.of_operator(operator, operator.gradient)

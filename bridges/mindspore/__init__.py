# SPDX-License-Identifier: Apache-2.0
"""MindSpore: operator libraries as differentiable cells.

    from bascule.mindspore import Custom

    my_mul = Custom("my_mul")
    dx, dy = mindspore.grad(my_mul, grad_position=(0, 1))(x, y)

docs/mindspore.md tells the rest.
"""

try:
    import mindspore as _mindspore
    import numpy as _numpy
except ImportError as error:
    raise ImportError(
        "bascule.mindspore needs MindSpore: pip install 'bascule[mindspore]'"
    ) from error

if int(_numpy.__version__.partition(".")[0]) >= 2:
    raise ImportError(
        f"MindSpore {_mindspore.__version__} computes no gradients with NumPy "
        f"{_numpy.__version__}, only with NumPy 1: pip install 'numpy<2'"
    )

from bascule.gradient import Gradient
from bascule.mindspore.custom import Custom
from bascule.operator import Operator

__all__ = ["Custom", "bind"]


def bind(operator: Operator, gradient: Gradient) -> Custom:
    """The operator as a callable for MindSpore's tensors, for the operators of bascule.load."""
    return Custom.of_operator(operator, gradient)

# SPDX-License-Identifier: Apache-2.0
"""The arrays of a case: made as its layouts say, filled by the runtime."""

import json
from typing import Any, Optional

import numpy as np

from bascule import _native
from bascule.dtypes import dtype_named

__all__ = ["filled", "make_inputs", "make_like"]


def filled(shape: tuple, dtype: np.dtype, layout: str, recipe: dict) -> np.ndarray:
    """An array with the numbers of `recipe`; `layout` says how its elements lie in memory."""
    rank = len(shape)
    if layout == "transposed" and rank > 1:
        array = np.empty(shape[::-1], dtype).T
    elif layout == "strided" and rank:
        array = np.empty((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    elif layout == "reversed" and rank:
        array = np.empty(shape, dtype)[..., ::-1]
    elif layout == "offset":
        array = np.empty(int(np.prod(shape)) + 3, dtype)[3:].reshape(shape)
    elif layout == "expanded" and rank and shape[0]:
        one = np.empty((1, *shape[1:]), dtype)
        _native.check_fill(one, json.dumps(recipe))
        return np.broadcast_to(one, shape)
    else:
        array = np.empty(shape, dtype)
    _native.check_fill(array, json.dumps(recipe))
    return array


def make_inputs(case: dict) -> list[Optional[np.ndarray]]:
    """The inputs of a case, None for one that is left out."""
    return [
        None
        if given["shape"] is None
        else filled(
            tuple(given["shape"]), dtype_named(given["dtype"]), given["layout"], given["fill"]
        )
        for given in case["inputs"]
    ]


def make_like(infos: list, seed: int) -> list[Optional[np.ndarray]]:
    """Gradients for outputs of these (shape, dtype): random numbers, None where not floating."""
    recipe = {"low": -2, "high": 2}
    return [
        filled(shape, dtype_named(dtype), "dense", {**recipe, "seed": seed + i})
        if is_floating(dtype)
        else None
        for i, (shape, dtype) in enumerate(infos)
    ]


def is_floating(dtype: Any) -> bool:
    return str(dtype) in ("float16", "bfloat16", "float32", "float64")

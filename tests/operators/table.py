# SPDX-License-Identifier: Apache-2.0
"""The shipped operators, with what all tests of them share: their cases, and how exact they are."""

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np

TREE = Path(__file__).resolve().parents[2]
NAMES = ("axpy", "leaky_relu", "mul_scale", "my_mul", "reduce_sum")
# Those with tests of their own.
OTHERS = (
    "concat",
    "conv2d",
    "gelu",
    "layer_norm",
    "layouts",
    "matmul",
    "matmul_gelu",
    "quant_matmul",
    "softmax",
)

# Half a unit in the last place, relative.
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "int32": 0}

# How many roundings of float32 a result has behind it beside its last, relative to its terms; one
# is that of an attribute. A sum of n terms has one for each time that their number was halved, and
# some for the terms that one place of a tile of sums got.
STEPS = {"axpy": 2, "leaky_relu": 1, "mul_scale": 2, "my_mul": 0, "reduce_sum": 12}


def reference_module(name: str) -> ModuleType:
    path = TREE / "operators" / name / "reference.py"
    spec = importlib.util.spec_from_file_location(f"{name}_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(name: str) -> Iterator[dict]:
    yield from getattr(reference_module(name), f"{name}_cases")()


def dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def make_inputs(case: dict, dtypes: Sequence[str], seed: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    inputs = []
    for i, (shape, name) in enumerate(zip(case["shapes"], dtypes)):
        low, high = case["ranges"][min(i, len(case["ranges"]) - 1)] if "ranges" in case else (-4, 4)
        values = np.asarray(generator.uniform(low, high, shape))
        inputs.append((values * 1000 if name == "int32" else values).astype(dtype(name)))
    return inputs


def expected(name: str, inputs: Sequence[np.ndarray], attributes: dict) -> Any:
    wide = [x if x.dtype == np.int32 else x.astype(np.float64) for x in inputs]
    function = getattr(reference_module(name), f"{name}_reference")
    return np.asarray(function(*wide, **attributes))


def assert_close(name: str, out: np.ndarray, want: np.ndarray, terms: np.ndarray) -> None:
    """`terms`: the sum of the terms' absolute values, to which errors of float are relative."""
    kind = out.dtype.name
    assert out.shape == want.shape
    if kind == "int32":
        np.testing.assert_array_equal(out, want)
        return
    far = np.abs(out.astype(np.float64) - want)
    # 1e-38, 6e-8: the least that the formats tell apart.
    least = 6e-8 if kind == "float16" else 1e-38
    allowed = ROUNDING[kind] * np.abs(want) * 1.001 + STEPS[name] * 2.0**-24 * terms + least
    worst = np.argmax(far - allowed) if far.size else 0
    assert (far <= allowed).all(), (
        f"{name} {kind} {out.shape}: {out.ravel()[worst]} came, {want.ravel()[worst]} expected"
    )

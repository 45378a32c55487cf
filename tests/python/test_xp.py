# SPDX-License-Identifier: Apache-2.0
"""bascule.xp: every backend has every function, and they agree with a float64 formula."""

import math

import numpy as np
import pytest

from bascule import xp, xp_numpy

A = np.array([[0.25, -1.5, 2.0], [3.0, -0.5, 1.0]])
B = np.array([[1.0, 2.0, -0.5], [0.5, 4.0, 1.0]])
P = np.abs(A)

# Function, arguments, what it gives.
CASES = [
    ("abs", (A,), np.abs(A)),
    ("amax", (A,), 3.0),
    ("amax", (A, 0), [3.0, -0.5, 2.0]),
    ("amax", (A, (0, 1), True), [[3.0]]),
    ("broadcast_to", (A, (2, 2, 3)), [A, A]),
    ("clip", (A, -1.0, 1.0), np.minimum(np.maximum(A, -1), 1)),
    ("clip", (A, None, 1.0), np.minimum(A, 1)),
    ("concat", ([A, B], 1), np.hstack([A, B])),
    ("cos", (A,), [[math.cos(v) for v in row] for row in A]),
    ("erf", (A,), [[math.erf(v) for v in row] for row in A]),
    ("exp", (A,), [[math.exp(v) for v in row] for row in A]),
    ("expand_dims", (A, -1), A.reshape(2, 3, 1)),
    ("full_like", (A, 2.5), [[2.5] * 3] * 2),
    ("log", (P,), [[math.log(v) for v in row] for row in P]),
    ("matmul", (A, B.T), [[sum(p * q for p, q in zip(r, s)) for s in B] for r in A]),
    ("maximum", (A, B), np.where(A > B, A, B)),
    ("maximum", (A, 0.0), np.where(A > 0, A, 0)),
    ("mean", (A, 1), A.sum(1) / 3),
    ("minimum", (A, B), np.where(A < B, A, B)),
    ("ones_like", (A,), [[1.0] * 3] * 2),
    ("pow", (P, 1.5), P * np.sqrt(P)),
    ("reciprocal", (A,), 1 / A),
    ("reshape", (A, (3, -1)), [[0.25, -1.5], [2.0, 3.0], [-0.5, 1.0]]),
    ("rsqrt", (P,), 1 / np.sqrt(P)),
    ("sigmoid", (A,), 1 / (1 + np.exp(-A))),
    ("sign", (A,), [[1, -1, 1], [1, -1, 1]]),
    ("sin", (A,), [[math.sin(v) for v in row] for row in A]),
    ("sqrt", (P,), P**0.5),
    ("square", (A,), A * A),
    ("squeeze", (A.reshape(2, 1, 3), 1), A),
    ("stop_gradient", (A,), A),
    ("sum", (A,), 4.25),
    ("sum", (A, -1, True), A.sum(1).reshape(2, 1)),
    ("sum_to", (A, (3,)), A.sum(0)),
    ("sum_to", (A, (2, 1)), A.sum(1).reshape(2, 1)),
    ("sum_to", (A, (2, 3)), A),
    ("sum_to", (A, ()), 4.25),
    ("tanh", (A,), [[math.tanh(v) for v in row] for row in A]),
    ("transpose", (A,), A.T),
    ("transpose", (A.reshape(1, 2, 3), (1, 2, 0)), A.reshape(2, 3, 1)),
    ("where", (A > 0, A, B), [[0.25, 2.0, 2.0], [3.0, 4.0, 1.0]]),
    ("zeros_like", (A,), [[0.0] * 3] * 2),
]


def as_numpy(value):
    return value


def as_torch(value):
    torch = pytest.importorskip("torch")
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    return [as_torch(v) for v in value] if isinstance(value, list) else value


FRAMEWORKS = {"numpy": as_numpy, "torch": as_torch}


def test_every_function_has_a_case():
    assert {name for name, _, _ in CASES} | {"cast"} == set(xp.__all__)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_backend_has_every_function(framework):
    backend = xp.backend_of(FRAMEWORKS[framework](A))
    assert [name for name in xp.__all__ if not callable(getattr(backend, name, None))] == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "case", range(len(CASES)), ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(CASES)]
)
def test_values(framework, case):
    name, arguments, expected = CASES[case]
    convert = FRAMEWORKS[framework]
    result = getattr(xp, name)(*[convert(a) for a in arguments])
    result = np.asarray(result)
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_results_keep_the_element_type(framework):
    convert = FRAMEWORKS[framework]
    x = convert(P.astype(np.float16))
    for name in ("exp", "erf", "sigmoid", "rsqrt", "sum", "mean", "amax", "square", "zeros_like"):
        assert getattr(xp, name)(x).dtype == x.dtype, name


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_cast(framework):
    convert = FRAMEWORKS[framework]
    x = convert(A)
    half = xp.cast(x, "float16")
    assert "float16" in str(half.dtype)
    assert xp.cast(half, x.dtype).dtype == x.dtype


def test_cast_to_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert xp.cast(A, "bfloat16").dtype == ml_dtypes.bfloat16


def test_large_arguments_of_sigmoid():
    x = np.array([-1e4, 1e4], dtype=np.float32)
    with np.errstate(over="raise", invalid="raise"):
        np.testing.assert_array_equal(xp_numpy.sigmoid(x), [0, 1])


def test_torch_gradients():
    torch = pytest.importorskip("torch")
    x = torch.ones(3, requires_grad=True)
    assert not xp.stop_gradient(x).requires_grad
    xp.maximum(x, torch.ones(3)).sum().backward()
    assert torch.equal(x.grad, torch.full((3,), 0.5))


def test_something_else_is_refused():
    with pytest.raises(TypeError) as error:
        xp.exp(1.0)
    assert str(error.value) == "a tensor was expected; float came"

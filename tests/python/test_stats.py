# SPDX-License-Identifier: Apache-2.0
"""stats() of operators called on arrays."""

import numpy as np
import pytest

import bascule

X = np.ones((3, 5), np.float32)


@pytest.fixture
def op(my_mul_path, tmp_path):
    """An operator that nobody called yet: a library of other content has counts of its own."""
    fresh = tmp_path / "libmy_mul.so"
    fresh.write_bytes(my_mul_path.read_bytes() + tmp_path.name.encode())
    return bascule.load(fresh).my_mul


def test_counts(op):
    assert str(op.stats()) == "my_mul: 0 forward, 0 backward. It was not called."
    op(X, X)
    op(X.T, X.T)
    stats = op.stats()
    assert (stats.forward, stats.backward, stats.packed_inputs) == (2, 0, 2)
    assert stats.packed_input_bytes == 2 * X.nbytes
    assert stats.plans == 2
    assert str(stats) == (
        "my_mul: 2 forward, 0 backward, 2 tensors copied because not dense. It was called on NumPy "
        "arrays, which record nothing; bascule.vjp gives gradients."
    )
    with pytest.raises(bascule.InvalidArgument):
        op(X, X[:, :2])
    assert op.stats().forward == 2


def test_vjp_counts(op):
    out, pullback = bascule.vjp(op, X, X)
    pullback(out)
    stats = op.stats()
    assert (stats.forward, stats.backward, stats.why_no_backward) == (1, 1, None)
    assert str(stats) == "my_mul: 1 forward, 1 backward"


def test_functions_count():
    op = bascule.Custom(lambda x: 2 * x, lambda x: x, lambda x: x, "pyfunc")
    op(X)
    assert op.stats().forward == 1
    assert op.stats().why_no_backward == "It has no gradient: Custom was given no bprop."

# SPDX-License-Identifier: Apache-2.0
"""Operators whose kernels change an input: results are new, unless the caller gives the memory."""

import numpy as np
import pytest
import torch

import bascule
import bascule.torch

PLACES = [3, 0, 3, 69]


@pytest.fixture(scope="module")
def path(built):
    return built("tests/operators/in_place")


def var():
    return np.arange(70, dtype=np.float32).reshape(10, 7)


def expected(by=(1, 1, 1, 1)):
    result = var().ravel()
    np.add.at(result, PLACES, np.array(by, np.float32))
    return result.reshape(10, 7)


def test_an_output_named_as_an_input(path):
    add = bascule.load(path).add_at_ref
    x, places = var(), np.array(PLACES, np.int32)
    np.testing.assert_array_equal(add(x, places), expected())
    np.testing.assert_array_equal(x, var())
    transposed = np.ascontiguousarray(x.T).T
    np.testing.assert_array_equal(add(transposed, places), expected())
    np.testing.assert_array_equal(transposed, var())
    add(transposed, places, out=transposed)
    np.testing.assert_array_equal(transposed, expected())
    # Nothing to add: the kernel writes nothing, and the output is what the input was.
    np.testing.assert_array_equal(add(x, places[:0]), var())
    with pytest.raises(bascule.InvalidArgument, match="output 'var' overlaps input 'var'"):
        add(x[:9], places[:1], out=x[1:])


def test_no_outputs(path):
    add = bascule.load(path).add_at
    x, places = var(), np.array(PLACES, np.int32)
    by = np.array([1, 2, 3, 4], np.float32)
    changed, same = add(x, places, by)
    np.testing.assert_array_equal(changed, expected(by))
    np.testing.assert_array_equal(same, places)
    np.testing.assert_array_equal(x, var())
    add(x, places, out=(x, places))  # the optional input left out
    np.testing.assert_array_equal(x, expected())


def test_in_torch(path):
    ops = bascule.torch.load(path, namespace="in_place")
    x, places = torch.from_numpy(var()), torch.tensor(PLACES, dtype=torch.int32)
    by = torch.tensor([1.0, 2.0, 3.0, 4.0])

    def both(x):
        return ops.add_at(x, places, by)[0], ops.add_at_ref(x, places)

    for function in (both, torch.compile(both, fullgraph=True, backend="aot_eager")):
        first, second = function(x)
        np.testing.assert_array_equal(first.numpy(), expected(by.numpy()))
        np.testing.assert_array_equal(second.numpy(), expected())
        np.testing.assert_array_equal(x, var())

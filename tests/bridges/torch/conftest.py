# SPDX-License-Identifier: Apache-2.0
"""The operators of the tests, registered once."""

import pytest

torch = pytest.importorskip("torch")


@pytest.fixture(scope="session")
def my_mul(my_mul_path):
    import bascule.torch

    return bascule.torch.load(my_mul_path).my_mul


@pytest.fixture(scope="session")
def products(products_path):
    import bascule.torch

    return bascule.torch.load(products_path).products

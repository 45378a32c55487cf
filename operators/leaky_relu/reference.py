# What LeakyRelu is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy as np


def leaky_relu_reference(x, *, negative_slope):
    return np.where(x >= 0, x, negative_slope * x)


def leaky_relu_cases():
    for shape in [(), (1,), (7,), (16,), (17,), (3, 5), (0, 4), (2, 3, 5, 7), (513,), (100003,)]:
        yield {"shapes": [shape]}
    yield {"shapes": [(33,)], "attributes": {"negative_slope": 0.25}}
    yield {"shapes": [(33,)], "attributes": {"negative_slope": 0.0}}
    yield {"shapes": [(33,)], "attributes": {"negative_slope": -1.5}}

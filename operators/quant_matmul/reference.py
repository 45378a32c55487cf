# What QuantMatmul is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy as np


def quant_matmul_reference(a, b, scale, *, transpose_a, transpose_b):
    if transpose_a and a.ndim > 1:
        a = np.swapaxes(a, -1, -2)
    if transpose_b and b.ndim > 1:
        b = np.swapaxes(b, -1, -2)
    sums = np.clip(np.matmul(a.astype(np.int64), b.astype(np.int64)), -(2**31), 2**31 - 1)
    return sums.astype(np.float32).astype(np.float64) * (scale.item() if scale.size == 1 else scale)


def quant_matmul_cases():
    # batches of a and of b, rows, terms, columns
    sizes = [
        ((2, 1), (3,), 4, 9, 5),
        ((), (), 15, 17, 31),
        ((), (), 1, 1, 1),
        ((), (), 33, 31, 17),
        ((), (), 1, 61, 40),
        ((), (), 40, 61, 1),
        ((), (), 129, 67, 259),
        ((), (), 0, 3, 5),
        ((), (), 3, 5, 0),
        ((3,), (), 17, 15, 13),
        ((), (3,), 1, 19, 5),
        ((0,), (), 3, 4, 5),
    ]
    for batch_a, batch_b, m, k, n in sizes:
        for turned_a, turned_b in ((False, False), (True, False), (False, True), (True, True)):
            for scale in ((1,), (n,)):
                yield {
                    "shapes": [
                        (*batch_a, *((k, m) if turned_a else (m, k))),
                        (*batch_b, *((n, k) if turned_b else (k, n))),
                        scale,
                    ],
                    "attributes": {"transpose_a": turned_a, "transpose_b": turned_b},
                    "ranges": [(-127, 127), (-127, 127), (0.001, 0.01)],
                }

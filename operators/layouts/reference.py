# What the layouts are compared with, and on what. A block has 32 bytes: the element type says how
# many elements that is.
# SPDX-License-Identifier: Apache-2.0
import numpy as np

_WIDE = {"float16": 16, "bfloat16": 16, "float32": 8}


def _filled(x, multiples):
    """x with zeros behind its last dimensions, up to multiples of these."""
    ends = [(0, 0)] * (x.ndim - len(multiples))
    sizes = x.shape[len(ends) :]
    return np.pad(x, ends + [(0, -size % m) for size, m in zip(sizes, multiples)])


def nchw_to_nc1hwc0_reference(x, *, dtypes):
    c0 = _WIDE[dtypes[0]]
    n, _, h, w = x.shape
    filled = _filled(x, [c0, 1, 1])
    return filled.reshape(n, filled.shape[1] // c0, c0, h, w).transpose(0, 1, 3, 4, 2)


def nc1hwc0_to_nchw_reference(x, *, channels):
    n, c1, h, w, c0 = x.shape
    if not (c1 - 1) * c0 < channels <= c1 * c0:
        raise ValueError("x has another number of blocks")
    return x.transpose(0, 1, 4, 2, 3).reshape(n, c1 * c0, h, w)[:, :channels]


def nd_to_nz_reference(x, *, dtypes):
    n0 = _WIDE[dtypes[0]]
    filled = _filled(x, [16, n0])
    *batch, m, n = filled.shape
    rank = len(batch)
    order = [*range(rank), rank + 2, rank, rank + 1, rank + 3]
    return filled.reshape(*batch, m // 16, 16, n // n0, n0).transpose(order)


def nz_to_nd_reference(x, *, rows, columns):
    *batch, n1, m1, m0, n0 = x.shape
    rank = len(batch)
    order = [*range(rank), rank + 1, rank + 2, rank, rank + 3]
    return x.transpose(order).reshape(*batch, m1 * m0, n1 * n0)[..., :rows, :columns]


# images, channels, height, width
_IMAGES = [
    *[(2, 17, 5, 7), (1, 1, 1, 1), (1, 5, 33, 61), (3, 13, 1, 31), (1, 31, 15, 17), (0, 11, 3, 3)],
    *[(1, 7, 3, 2049), (1, 3, 67, 129), (2, 3, 0, 5), (2, 3, 5, 0), (4, 16, 4, 4), (1, 64, 2, 2)],
    *[(n, c, h, w) for n, h, w in ((1, 1, 7), (2, 3, 16), (5, 2, 1)) for c in (1, 7, 8, 9, 15)],
    *[(n, c, h, w) for n, h, w in ((1, 3, 5), (3, 1, 17), (7, 1, 1)) for c in (16, 17, 24, 31)],
    *[(1, c, 2, 3) for c in (2, 3, 23, 32, 33, 47, 48, 49)],
    *[(n, 3, h, w) for n, h, w in ((13, 1, 2), (41, 1, 1), (49, 2, 1), (1, 31, 1), (1, 1, 513))],
    *[(1, 8, 8, 8), (2, 32, 1, 16), (1, 100, 3, 3), (3, 6, 10, 10)],
]

# batches, rows, columns
_MATRICES = [
    *[((2,), 17, 15), ((), 1, 1), ((), 31, 33), ((2, 3), 16, 61), ((), 100, 1030), ((0,), 5, 7)],
    *[((), 300, 61), ((3,), 7, 513), ((2, 1, 3), 5, 7), ((41,), 3, 2), ((49,), 1, 1)],
    *[((), m, n) for m in (1, 2, 15, 16, 17, 32, 33) for n in (1, 7, 8, 9, 16, 31)],
]


def nchw_to_nc1hwc0_cases():
    for image in _IMAGES:
        yield {"shapes": [image]}


def nc1hwc0_to_nchw_cases():
    for n, c, h, w in _IMAGES:
        for dtype, c0 in _WIDE.items():
            yield {
                "shapes": [(n, -(-c // c0), h, w, c0)],
                "attributes": {"channels": c},
                "dtypes": [dtype],
            }


def nd_to_nz_cases():
    for batch, rows, columns in _MATRICES:
        yield {"shapes": [(*batch, rows, columns)]}


def nz_to_nd_cases():
    for batch, rows, columns in _MATRICES:
        for dtype, n0 in _WIDE.items():
            yield {
                "shapes": [(*batch, -(-columns // n0), -(-rows // 16), 16, n0)],
                "attributes": {"rows": rows, "columns": columns},
                "dtypes": [dtype],
            }

# What the ways back are compared with, and on what. The ways there have no reference: it would not
# see the element type, which says how wide blocks are.
# SPDX-License-Identifier: Apache-2.0


def nc1hwc0_to_nchw_reference(x, *, channels):
    n, c1, h, w, c0 = x.shape
    if not (c1 - 1) * c0 < channels <= c1 * c0:
        raise ValueError("x has another number of blocks")
    return x.transpose(0, 1, 4, 2, 3).reshape(n, c1 * c0, h, w)[:, :channels]


def nz_to_nd_reference(x, *, rows, columns):
    *batch, n1, m1, m0, n0 = x.shape
    rank = len(batch)
    order = [*range(rank), rank + 1, rank + 2, rank, rank + 3]
    return x.transpose(order).reshape(*batch, m1 * m0, n1 * n0)[..., :rows, :columns]


def nc1hwc0_to_nchw_cases():
    for shape, channels in (
        ((2, 3, 5, 7), 17),
        ((1, 1, 1, 1), 1),
        ((1, 1, 33, 61), 5),
        ((3, 2, 1, 31), 13),
        ((1, 4, 15, 17), 31),
        ((0, 2, 3, 3), 11),
        ((1, 1, 3, 2049), 7),
    ):
        for c0 in (8, 16):
            if (shape[1] - 1) * c0 < channels <= shape[1] * c0:
                yield {"shapes": [(*shape, c0)], "attributes": {"channels": channels}}


def nz_to_nd_cases():
    for batch, rows, columns in (
        ((2,), 17, 15),
        ((), 1, 1),
        ((), 31, 33),
        ((2, 3), 16, 61),
        ((), 100, 1030),
        ((0,), 5, 7),
    ):
        for n0 in (8, 16):
            yield {
                "shapes": [(*batch, -(-columns // n0), -(-rows // 16), 16, n0)],
                "attributes": {"rows": rows, "columns": columns},
            }

# SPDX-License-Identifier: Apache-2.0
from bascule import xp


def products_bprop(x, y, product, square, dproduct, dsquare, *, tile, swap):
    if swap:
        dproduct, dsquare = dsquare, dproduct
    twice = dsquare * xp.full_like(x, 2.0)
    return dproduct * y + twice * x, dproduct * x

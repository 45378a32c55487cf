// Places in a layout, and whole numbers rounded up.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

static_assert(Crd2Idx(MakeCoord(1, 2, 3), MakeShape(3, 4, 5), MakeStride(20, 5, 1)) == 33, "");
static_assert(Crd2Idx(MakeCoord(11, 12),
                      MakeLayout(MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
                                 MakeStride(MakeStride(3, 6), MakeStride(1, 24)))) == 129,
              "a number along two axes");
static_assert(Crd2Idx(MakeCoord(MakeCoord(1, 5), 12), MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
                      MakeStride(MakeStride(3, 6), MakeStride(1, 24))) == 129,
              "places of both kinds");
static_assert(Crd2Idx(size_t{7}, MakeShape(2, 4), MakeStride(4, 1)) == 7 % 2 * 4 + 7 / 2, "");

constexpr Coord<int64_t, int64_t> kPlace = MakeCoord(int64_t{2}, int64_t{3});
static_assert(MakeLayout(MakeShape(int64_t{5}, int64_t{7}), MakeStride(int64_t{7}, 1))(kPlace) ==
                  17,
              "");

static_assert(Ceil(int64_t{7}, 2) == 4 && Ceil(8, 2) == 4 && Ceil(3U, 0U) == 0, "");

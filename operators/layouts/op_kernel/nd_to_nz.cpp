// Matrices from rows to strips of fractals.
// SPDX-License-Identifier: Apache-2.0
#include "layouts_kernels.h"

extern "C" __global__ __aicore__ void nd_to_nz(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(LayoutsTilingData);
  GET_TILING_DATA(data, tiling);
  Matrices<Moved<DTYPE_X>::Type>(data, x, out).template Run<true>();
}

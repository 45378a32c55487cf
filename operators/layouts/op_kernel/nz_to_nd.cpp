// Matrices from strips of fractals to rows.
// SPDX-License-Identifier: Apache-2.0
#include "layouts_kernels.h"

extern "C" __global__ __aicore__ void nz_to_nd(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(LayoutsTilingData);
  GET_TILING_DATA(data, tiling);
  Matrices<Moved<DTYPE_X>::Type>(data, x, out).template Run<false>();
}

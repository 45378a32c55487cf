// Images from blocks of channels to planes of channels.
// SPDX-License-Identifier: Apache-2.0
#include "layouts_kernels.h"

extern "C" __global__ __aicore__ void nc1hwc0_to_nchw(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                                      GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(LayoutsTilingData);
  GET_TILING_DATA(data, tiling);
  ChangeImages<Moved<DTYPE_X>::Type, false>(data, x, out);
}

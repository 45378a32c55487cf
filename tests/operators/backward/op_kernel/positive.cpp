// SPDX-License-Identifier: Apache-2.0
#include "backward_tiling.h"
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void positive(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(BackwardTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::GlobalTensor<float> xGm;
  AscendC::GlobalTensor<float> outGm;
  xGm.SetGlobalBuffer((__gm__ float*)x, data.length);
  outGm.SetGlobalBuffer((__gm__ float*)out, data.length);
  for (uint64_t i = 0; i < data.length; ++i) {
    outGm.SetValue(i, xGm.GetValue(i) > 0.0f ? 1.0f : 0.0f);
  }
}

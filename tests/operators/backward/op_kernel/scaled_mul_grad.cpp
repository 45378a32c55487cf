// SPDX-License-Identifier: Apache-2.0
#include "backward_tiling.h"
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scaled_mul_grad(GM_ADDR x, GM_ADDR y, GM_ADDR dout,
                                                      GM_ADDR dx, GM_ADDR dy, GM_ADDR workspace,
                                                      GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(BackwardTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::GlobalTensor<float> xGm;
  AscendC::GlobalTensor<float> yGm;
  AscendC::GlobalTensor<float> doutGm;
  AscendC::GlobalTensor<float> dxGm;
  AscendC::GlobalTensor<float> dyGm;
  xGm.SetGlobalBuffer((__gm__ float*)x, data.length);
  yGm.SetGlobalBuffer((__gm__ float*)y, data.length);
  doutGm.SetGlobalBuffer((__gm__ float*)dout, data.length);
  dxGm.SetGlobalBuffer((__gm__ float*)dx, data.length);
  dyGm.SetGlobalBuffer((__gm__ float*)dy, data.length);
  for (uint64_t i = 0; i < data.length; ++i) {
    dxGm.SetValue(i, data.factor * yGm.GetValue(i) * doutGm.GetValue(i));
    dyGm.SetValue(i, data.factor * xGm.GetValue(i) * doutGm.GetValue(i));
  }
}

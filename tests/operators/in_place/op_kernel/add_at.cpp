// Takes the inputs, the workspace and the tiling. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void add_at(GM_ADDR var, GM_ADDR places, GM_ADDR more,
                                             GM_ADDR workspace, GM_ADDR tiling) {
  (void)workspace;
  GET_TILING_DATA(data, tiling);
  GlobalTensor<float> to;
  GlobalTensor<int32_t> at;
  GlobalTensor<float> by;
  to.SetGlobalBuffer((__gm__ float*)var, data.length);
  at.SetGlobalBuffer((__gm__ int32_t*)places, data.places);
  if (more != nullptr) by.SetGlobalBuffer((__gm__ float*)more, data.places);
  for (uint32_t i = 0; i < data.places; ++i) to(at(i)) += more != nullptr ? by(i) : 1.0f;
}

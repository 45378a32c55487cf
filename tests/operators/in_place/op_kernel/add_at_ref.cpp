// Reads through one name, writes through the other. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void add_at_ref(GM_ADDR var, GM_ADDR places, GM_ADDR var_ref,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
  (void)workspace;
  GET_TILING_DATA(data, tiling);
  GlobalTensor<float> from;
  GlobalTensor<int32_t> at;
  GlobalTensor<float> to;
  from.SetGlobalBuffer((__gm__ float*)var, data.length);
  at.SetGlobalBuffer((__gm__ int32_t*)places, data.places);
  to.SetGlobalBuffer((__gm__ float*)var_ref, data.length);
  for (uint32_t i = 0; i < data.places; ++i) to(at(i)) = from(at(i)) + 1.0f;
}

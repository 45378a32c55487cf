// Tiling data travels as bytes. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

struct NotPlain {
  NotPlain(const NotPlain& other) : length(other.length) {}
  NotPlain() = default;
  uint32_t length = 0;
};

// expected: tiling data has to be a plain structure
extern "C" __global__ __aicore__ void kernel(GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(NotPlain);
  GET_TILING_DATA_WITH_STRUCT(NotPlain, data, tiling);
  (void)data;
}

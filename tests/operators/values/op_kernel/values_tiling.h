// SPDX-License-Identifier: Apache-2.0
#ifndef VALUES_TILING_H
#define VALUES_TILING_H

#include <cstdint>

struct ValuesTiling {
  uint32_t length;
  int32_t factor;
};

#endif  // VALUES_TILING_H

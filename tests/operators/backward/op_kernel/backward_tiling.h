// SPDX-License-Identifier: Apache-2.0
#ifndef BACKWARD_TILING_H
#define BACKWARD_TILING_H

#include <cstdint>

struct BackwardTilingData {
  uint64_t length;  // elements of each tensor
  float factor;
};

#endif  // BACKWARD_TILING_H

// SPDX-License-Identifier: Apache-2.0
#ifndef DOTS_TILING_H
#define DOTS_TILING_H

#include <cstdint>

struct DotsTilingData {
  uint64_t length;  // elements of each tensor
  uint32_t terms;   // tensors of each list
  uint32_t hasBias;
};

#endif  // DOTS_TILING_H

// SPDX-License-Identifier: Apache-2.0
#ifndef BALANCE_TILING_H
#define BALANCE_TILING_H

#include <cstdint>

struct BalanceTilingData {
  uint64_t length;  // of every tensor
  uint32_t hasFee;
  uint32_t unused;
};

#endif  // BALANCE_TILING_H

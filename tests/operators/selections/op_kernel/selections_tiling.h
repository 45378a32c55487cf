// SPDX-License-Identifier: Apache-2.0
#ifndef SELECTIONS_TILING_H
#define SELECTIONS_TILING_H

#include <cstdint>

struct SelectionsTiling {
  uint32_t length;
};

#endif  // SELECTIONS_TILING_H

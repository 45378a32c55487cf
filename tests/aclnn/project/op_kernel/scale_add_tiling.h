#ifndef SCALE_ADD_TILING_H
#define SCALE_ADD_TILING_H
#include <cstdint>

struct ScaleAddTiling {
  uint32_t length;
  float scale;
  float offset;
};

#endif  // SCALE_ADD_TILING_H

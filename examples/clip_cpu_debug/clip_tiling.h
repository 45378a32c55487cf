// What host code tells the kernel.
#ifndef CLIP_TILING_H
#define CLIP_TILING_H
#include <cstdint>

struct ClipTiling {
  uint32_t elements;  // of the whole tensor; a multiple of 16
  float low;
  float high;
};

#endif  // CLIP_TILING_H

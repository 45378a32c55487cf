// Which quarter turn a large angle falls into, and what is left of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_SIMD_REDUCE_ANGLE_H_
#define BASCULE_SIMD_REDUCE_ANGLE_H_

#include <cstdint>

namespace bascule::simd {

// angle = 2 pi n + quadrant pi/2 + rest with |rest| <= pi/4.
struct Angle {
  double rest;
  uint32_t quadrant;  // 0 … 3
};

// For |x| >= 2^20, exactly reduced and rounded once; infinities and NaN give NaN.
Angle ReduceLargeAngle(float x);

}  // namespace bascule::simd

#endif  // BASCULE_SIMD_REDUCE_ANGLE_H_

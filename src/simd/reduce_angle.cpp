// SPDX-License-Identifier: Apache-2.0
#include "simd/reduce_angle.h"

#include <bit>
#include <limits>

namespace bascule::simd {
namespace {

// The digits of 2/pi, after 32 zeros: the first digit of word 1 is worth one half.
constexpr uint32_t kTwoOverPi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                   0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};

using Wide = unsigned __int128;

}  // namespace

// x is an integer of 24 digits times 2^e. Of 2^e times 2/pi only what is worth less than 4 matters:
// whole quarter turns beyond are whole turns. 96 digits of it, times the integer, leave 94 behind
// the point, of which the last 24 may be wrong.
Angle ReduceLargeAngle(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t field = bits >> 23 & 0xff;
  if (field == 0xff) return {std::numeric_limits<double>::quiet_NaN(), 0};
  const uint32_t digits = (bits & 0x7fffff) | 0x800000;
  const int e = static_cast<int>(field) - 150;  // -3 … 104
  const int first = 30 + e;                     // the digit of the table that is then worth 2
  const int word = first / 32;
  const int shift = first % 32;
  Wide window = 0;
  for (int i = 0; i < 4; ++i) window = window << 32 | kTwoOverPi[word + i];
  window = window << shift >> 32;
  const Wide turns = (window * digits) << 32;  // modulo 4; the point is behind the second digit
  uint32_t quadrant = static_cast<uint32_t>(turns >> 126);
  // From -1/2 to 1/2 of a quarter turn, in parts of 2^128.
  const auto fraction = static_cast<__int128>(turns << 2);
  if (fraction < 0) ++quadrant;
  double rest = static_cast<double>(fraction) * 0x1.921fb54442d18p-128;
  if ((bits >> 31) != 0) {
    rest = -rest;
    quadrant = 0u - quadrant;
  }
  return {rest, quadrant & 3};
}

}  // namespace bascule::simd

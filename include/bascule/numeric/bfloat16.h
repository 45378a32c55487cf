// bfloat16, the upper half of a float: its conversions, and the class kernels call `bfloat16_t`.
//
// From float one integer formula, nearest even, the same on every compiler and CPU; overflow gives
// infinity, NaN keeps its sign and upper payload bits and is quiet. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_NUMERIC_BFLOAT16_H_
#define BASCULE_NUMERIC_BFLOAT16_H_

#include <cstdint>
#include <type_traits>

#include "bascule/numeric/convert.h"
#include "bascule/numeric/small_float.h"

namespace bascule {
namespace numeric {

constexpr uint16_t BfloatBitsFromFloat(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t top = bits >> 16;
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(top | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (top & 1u)) >> 16);  // a carry may reach infinity
}

constexpr float FloatFromBfloatBits(uint16_t bits) {
  const bool nan = (bits & 0x7fffu) > 0x7f80u;
  return __builtin_bit_cast(float, static_cast<uint32_t>(nan ? bits | 0x40u : bits) << 16);
}

struct BfloatFormat {
  using Layout = BfloatLayout;
  static constexpr float ToFloat(uint16_t bits) { return FloatFromBfloatBits(bits); }
  static constexpr uint16_t FromFloat(float value) { return BfloatBitsFromFloat(value); }
  static constexpr uint16_t FromDouble(double value) { return FromFloat(FloatToOdd(value)); }
};

}  // namespace numeric

using bfloat16_t = SmallFloat<numeric::BfloatFormat>;

static_assert(sizeof(bfloat16_t) == 2 && std::is_trivial<bfloat16_t>::value, "two plain bytes");

}  // namespace bascule

#endif  // BASCULE_NUMERIC_BFLOAT16_H_

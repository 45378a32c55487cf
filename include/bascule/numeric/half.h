// IEEE 754 binary16 (half): its conversions, and the class kernels call `half`.
//
// Conversions are one integer formula on every compiler and CPU: to float exactly (a signalling NaN
// becomes quiet, as float arithmetic would make it), from float and double with one rounding to
// nearest, ties to even; overflow gives infinity, NaN keeps its sign and upper payload bits and is
// quiet. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NUMERIC_HALF_H_
#define BASCULE_NUMERIC_HALF_H_

#include <cstdint>
#include <type_traits>

#include "bascule/numeric/convert.h"
#include "bascule/numeric/small_float.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace bascule {
namespace numeric {

constexpr uint16_t HalfBitsFromFloat(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN: upper payload bits, quiet
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65536 and above
  if (magnitude >= 0x38800000u) {  // normal: 2^-14 and above; a carry may reach infinity
    const uint32_t rounded = magnitude - 0x38000000u + 0x0fffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | (rounded >> 13));
  }
  if (magnitude < 0x33000000u) return sign;         // below 2^-25: zero
  const uint32_t shift = 126u - (magnitude >> 23);  // 14 … 24
  const uint32_t digits = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t kept = digits >> shift;
  const uint32_t rest = digits & ((1u << shift) - 1u);
  const uint32_t middle = 1u << (shift - 1u);
  const uint32_t up = (rest > middle || (rest == middle && (kept & 1u))) ? 1u : 0u;
  return static_cast<uint16_t>(sign | (kept + up));
}

constexpr float FloatFromHalfBits(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  uint32_t digits = half & 0x3ffu;
  uint32_t bits = 0;
  if (exponent == 0x1fu) {
    bits = sign | 0x7f800000u | (digits << 13) | (digits != 0 ? 0x400000u : 0u);
  } else if (exponent != 0) {
    bits = sign | ((exponent + 112u) << 23) | (digits << 13);
  } else if (digits == 0) {
    bits = sign;
  } else {
    uint32_t shift = 0;
    while ((digits & 0x400u) == 0) {
      digits <<= 1;
      ++shift;
    }
    bits = sign | ((113u - shift) << 23) | ((digits & 0x3ffu) << 13);
  }
  return __builtin_bit_cast(float, bits);
}

struct HalfFormat {
  using Layout = HalfLayout;
  // In plain run-time code a target with the instruction uses it: same bits, proved by a test.
  static constexpr float ToFloat(uint16_t bits) {
#if defined(__F16C__)
    if (!__builtin_is_constant_evaluated()) return _cvtsh_ss(bits);
#endif
    return FloatFromHalfBits(bits);
  }
  static constexpr uint16_t FromFloat(float value) {
#if defined(__F16C__)
    if (!__builtin_is_constant_evaluated()) {
      return static_cast<uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    return HalfBitsFromFloat(value);
  }
  static constexpr uint16_t FromDouble(double value) { return FromFloat(FloatToOdd(value)); }
};

}  // namespace numeric

using half_t = SmallFloat<numeric::HalfFormat>;

static_assert(sizeof(half_t) == 2 && std::is_trivial<half_t>::value, "two plain bytes");

}  // namespace bascule

#endif  // BASCULE_NUMERIC_HALF_H_

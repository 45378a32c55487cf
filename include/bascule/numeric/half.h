// IEEE 754 binary16 as a class with the arithmetic that kernels write.
//
// Conversions are one integer formula on every compiler and CPU: to float exactly (a signalling NaN
// becomes quiet, as float arithmetic would make it), from float and double with one rounding to
// nearest, ties to even; overflow gives infinity, NaN keeps its sign and upper payload bits and is
// quiet. Arithmetic between two halves is done in float and rounded once, which is exact for + - *
// / and sqrt (float has more than twice the digits). C++17, trivially copyable, two bytes.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NUMERIC_HALF_H_
#define BASCULE_NUMERIC_HALF_H_

#include <cstdint>
#include <type_traits>

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

// Rounding a double twice would be wrong; to odd first, then once to half, is right.
constexpr float FloatToOdd(double value) {
  const float near = static_cast<float>(value);
  const double back = static_cast<double>(near);
  if (back == value || value != value) return near;
  uint32_t bits = __builtin_bit_cast(uint32_t, near);
  if ((bits & 0x7fffffffu) == 0x7f800000u) return near;  // beyond float is beyond half
  if ((bits & 1u) == 0) {
    const bool toward_zero = (value < 0) ? (back < value) : (back > value);
    bits = toward_zero ? bits - 1u : bits + 1u;
  }
  return __builtin_bit_cast(float, bits);
}

}  // namespace numeric

class half_t {
 public:
  half_t() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
  constexpr half_t(T value) : bits_(FromNumber(value)) {}  // NOLINT: implicit, as in kernel code

  static constexpr half_t FromBits(uint16_t bits) {
    half_t out(0.0f);
    out.bits_ = bits;
    return out;
  }
  constexpr uint16_t Bits() const { return bits_; }

  // In plain run-time code a target with the instruction uses it: same bits, proved by a test.
  constexpr operator float() const {  // NOLINT: implicit, as in kernel code
#if defined(__F16C__)
    if (!__builtin_is_constant_evaluated()) return _cvtsh_ss(bits_);
#endif
    return numeric::FloatFromHalfBits(bits_);
  }

  constexpr half_t operator-() const { return FromBits(static_cast<uint16_t>(bits_ ^ 0x8000u)); }
  constexpr half_t operator+() const { return *this; }

  template <typename T>
  constexpr half_t& operator+=(T other) {
    return *this = half_t(float(*this) + float(other));
  }
  template <typename T>
  constexpr half_t& operator-=(T other) {
    return *this = half_t(float(*this) - float(other));
  }
  template <typename T>
  constexpr half_t& operator*=(T other) {
    return *this = half_t(float(*this) * float(other));
  }
  template <typename T>
  constexpr half_t& operator/=(T other) {
    return *this = half_t(float(*this) / float(other));
  }

 private:
  static constexpr uint16_t FromNumber(float value) {
#if defined(__F16C__)
    if (!__builtin_is_constant_evaluated()) {
      return static_cast<uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    return numeric::HalfBitsFromFloat(value);
  }
  static constexpr uint16_t FromNumber(double value) {
    return numeric::HalfBitsFromFloat(numeric::FloatToOdd(value));
  }
  // Every integer a half can hold apart from overflow is exact in double.
  template <typename T>
  static constexpr uint16_t FromNumber(T value) {
    return FromNumber(static_cast<double>(value));
  }

  uint16_t bits_;
};

// half with half is a half; half with float or double is what C++ makes of float with it; half with
// an integer is a half.
#define BASCULE_HALF_ARITHMETIC(op)                                                         \
  constexpr half_t operator op(half_t a, half_t b) { return half_t(float(a) op float(b)); } \
  constexpr float operator op(half_t a, float b) { return float(a) op b; }                  \
  constexpr float operator op(float a, half_t b) { return a op float(b); }                  \
  constexpr double operator op(half_t a, double b) { return double(float(a)) op b; }        \
  constexpr double operator op(double a, half_t b) { return a op double(float(b)); }        \
  template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>            \
  constexpr half_t operator op(half_t a, T b) {                                             \
    return half_t(float(a) op float(half_t(b)));                                            \
  }                                                                                         \
  template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>            \
  constexpr half_t operator op(T a, half_t b) {                                             \
    return half_t(float(half_t(a)) op float(b));                                            \
  }
BASCULE_HALF_ARITHMETIC(+)
BASCULE_HALF_ARITHMETIC(-)
BASCULE_HALF_ARITHMETIC(*)
BASCULE_HALF_ARITHMETIC(/)
#undef BASCULE_HALF_ARITHMETIC

#define BASCULE_HALF_COMPARISON(op)                                                \
  constexpr bool operator op(half_t a, half_t b) { return float(a) op float(b); }  \
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>> \
  constexpr bool operator op(half_t a, T b) {                                      \
    return double(float(a)) op double(b);                                          \
  }                                                                                \
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>> \
  constexpr bool operator op(T a, half_t b) {                                      \
    return double(a) op double(float(b));                                          \
  }
BASCULE_HALF_COMPARISON(==)
BASCULE_HALF_COMPARISON(!=)
BASCULE_HALF_COMPARISON(<)
BASCULE_HALF_COMPARISON(<=)
BASCULE_HALF_COMPARISON(>)
BASCULE_HALF_COMPARISON(>=)
#undef BASCULE_HALF_COMPARISON

static_assert(sizeof(half_t) == 2 && std::is_trivially_copyable<half_t>::value, "two plain bytes");

}  // namespace bascule

#endif  // BASCULE_NUMERIC_HALF_H_

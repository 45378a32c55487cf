// The behaviour that half and bfloat16 share in code: a class that reads like a number.
//
// - Converts implicitly from every arithmetic type, rounding once to nearest even, and to float,
//   exactly. Other types want a cast, so that `flag ? x : 0` and `flag ? x : 1.0` have one meaning.
//   `flag ? x : 1.0f` cannot: C++ refuses it for any class that converts both ways. Write
//   `flag ? x : half(1)`, or `flag ? float(x) : 1.0f`.
// - Arithmetic between two is done in float and rounded once, which is exact for + - * / (float has
//   more than twice the digits). With float or double it is what C++ makes of float with them; with
//   an integer the result is of the small type.
// C++17, trivially copyable, two bytes, usable in constant expressions.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NUMERIC_SMALL_FLOAT_H_
#define BASCULE_NUMERIC_SMALL_FLOAT_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "bascule/numeric/convert.h"

namespace bascule {

// `Format` names a layout of convert.h and has the fast conversions:
//   using Layout; static constexpr float ToFloat(uint16_t); static constexpr uint16_t
//   FromFloat(float); static constexpr uint16_t FromDouble(double).
template <typename Format>
class SmallFloat {
  template <typename T>
  static constexpr bool kIsFloat = std::is_same<T, float>::value;
  template <typename T>
  using IfNumber = std::enable_if_t<std::is_arithmetic<T>::value, int>;
  template <typename T>
  using IfInteger = std::enable_if_t<std::is_integral<T>::value, int>;
  template <typename T>
  using IfFloat = std::enable_if_t<kIsFloat<T>, int>;
  template <typename T>
  using IfOther = std::enable_if_t<std::is_arithmetic<T>::value && !kIsFloat<T>, int>;
  // Holds every value of T that a small float could equal.
  template <typename T>
  using Wide = std::conditional_t<kIsFloat<T>, float, double>;

 public:
  SmallFloat() = default;
  template <typename T, IfNumber<T> = 0>
  // NOLINTNEXTLINE: implicit, as in kernel code
  constexpr SmallFloat(T value) : bits_(FromNumber(value)) {}
  template <typename Other>
  explicit constexpr SmallFloat(SmallFloat<Other> other) : bits_(FromNumber(float(other))) {}

  static constexpr SmallFloat FromBits(uint16_t bits) {
    SmallFloat out(0.0f);
    out.bits_ = bits;
    return out;
  }
  constexpr uint16_t Bits() const { return bits_; }

  template <typename T, IfFloat<T> = 0>
  constexpr operator T() const {  // NOLINT: implicit, as in kernel code
    return Format::ToFloat(bits_);
  }
  template <typename T, IfOther<T> = 0>
  explicit constexpr operator T() const {
    return static_cast<T>(Format::ToFloat(bits_));
  }

  constexpr SmallFloat operator-() const {
    return FromBits(static_cast<uint16_t>(bits_ ^ Format::Layout::kSign));
  }
  constexpr SmallFloat operator+() const { return *this; }
  constexpr SmallFloat& operator++() { return *this += 1; }
  constexpr SmallFloat& operator--() { return *this -= 1; }
  constexpr SmallFloat operator++(int) {
    const SmallFloat old = *this;
    *this += 1;
    return old;
  }
  constexpr SmallFloat operator--(int) {
    const SmallFloat old = *this;
    *this -= 1;
    return old;
  }

#define BASCULE_SMALL_FLOAT_ARITHMETIC(op)                                               \
  friend constexpr SmallFloat operator op(SmallFloat a, SmallFloat b) {                  \
    return SmallFloat(float(a) op float(b));                                             \
  }                                                                                      \
  friend constexpr float operator op(SmallFloat a, float b) { return float(a) op b; }    \
  friend constexpr float operator op(float a, SmallFloat b) { return a op float(b); }    \
  friend constexpr double operator op(SmallFloat a, double b) { return double(a) op b; } \
  friend constexpr double operator op(double a, SmallFloat b) { return a op double(b); } \
  template <typename T, IfInteger<T> = 0>                                                \
  friend constexpr SmallFloat operator op(SmallFloat a, T b) {                           \
    return a op SmallFloat(b);                                                           \
  }                                                                                      \
  template <typename T, IfInteger<T> = 0>                                                \
  friend constexpr SmallFloat operator op(T a, SmallFloat b) {                           \
    return SmallFloat(a) op b;                                                           \
  }                                                                                      \
  template <typename T>                                                                  \
  constexpr SmallFloat& operator op##=(T other) {                                        \
    return *this = SmallFloat(*this op other);                                           \
  }                                                                                      \
  template <typename T, IfNumber<T> = 0>                                                 \
  friend constexpr T& operator op##=(T& a, SmallFloat b) {                               \
    return a = static_cast<T>(a op b);                                                   \
  }
  BASCULE_SMALL_FLOAT_ARITHMETIC(+)
  BASCULE_SMALL_FLOAT_ARITHMETIC(-)
  BASCULE_SMALL_FLOAT_ARITHMETIC(*)
  BASCULE_SMALL_FLOAT_ARITHMETIC(/)
#undef BASCULE_SMALL_FLOAT_ARITHMETIC

#define BASCULE_SMALL_FLOAT_COMPARISON(op)                                                       \
  friend constexpr bool operator op(SmallFloat a, SmallFloat b) { return float(a) op float(b); } \
  template <typename T, IfNumber<T> = 0>                                                         \
  friend constexpr bool operator op(SmallFloat a, T b) {                                         \
    return Wide<T>(a) op Wide<T>(b);                                                             \
  }                                                                                              \
  template <typename T, IfNumber<T> = 0>                                                         \
  friend constexpr bool operator op(T a, SmallFloat b) {                                         \
    return Wide<T>(a) op Wide<T>(b);                                                             \
  }
  BASCULE_SMALL_FLOAT_COMPARISON(==)
  BASCULE_SMALL_FLOAT_COMPARISON(!=)
  BASCULE_SMALL_FLOAT_COMPARISON(<)
  BASCULE_SMALL_FLOAT_COMPARISON(<=)
  BASCULE_SMALL_FLOAT_COMPARISON(>)
  BASCULE_SMALL_FLOAT_COMPARISON(>=)
#undef BASCULE_SMALL_FLOAT_COMPARISON

 private:
  static constexpr uint16_t FromNumber(float value) { return Format::FromFloat(value); }
  static constexpr uint16_t FromNumber(double value) { return Format::FromDouble(value); }
  static constexpr uint16_t FromNumber(long double value) {
    return Format::FromDouble(static_cast<double>(value));
  }
  template <typename T>
  static constexpr uint16_t FromNumber(T value) {
    if (sizeof(T) <= 4) return Format::FromDouble(static_cast<double>(value));  // exact so far
    return numeric::PutFloat<typename Format::Layout>(numeric::TakeInteger(value),
                                                      numeric::Rounding::kRint);
  }

  uint16_t bits_;
};

namespace numeric {

template <typename Format>
struct NumberType<SmallFloat<Format>> {
  static constexpr Number Take(SmallFloat<Format> value) {
    return TakeFloat<typename Format::Layout>(value.Bits());
  }
  static constexpr SmallFloat<Format> Put(const Number& number, Rounding rounding,
                                          Overflow overflow) {
    return SmallFloat<Format>::FromBits(
        PutFloat<typename Format::Layout>(number, rounding, overflow));
  }
};

}  // namespace numeric
}  // namespace bascule

template <typename Format>
class std::numeric_limits<bascule::SmallFloat<Format>> {
  using Number = bascule::SmallFloat<Format>;
  using Layout = typename Format::Layout;

 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int radix = 2;
  static constexpr int digits = Layout::kFraction + 1;
  static constexpr int min_exponent = Layout::kLowestExponent + 1;
  static constexpr int max_exponent = Layout::kHighestExponent + 1;
  static constexpr std::float_round_style round_style = std::round_to_nearest;

  static constexpr Number min() { return Number::FromBits(Layout::kFractionMask + 1); }
  static constexpr Number max() { return Number::FromBits(Layout::kLargest); }
  static constexpr Number lowest() { return -max(); }
  static constexpr Number denorm_min() { return Number::FromBits(1); }
  static constexpr Number epsilon() {
    return Number(1.0f / static_cast<float>(1u << Layout::kFraction));
  }
  static constexpr Number infinity() { return Number::FromBits(Layout::kInfinity); }
  static constexpr Number quiet_NaN() {
    return Number::FromBits(Layout::kInfinity | Layout::kQuiet);
  }
  // NOLINTEND(readability-identifier-naming)
};

#endif  // BASCULE_NUMERIC_SMALL_FLOAT_H_

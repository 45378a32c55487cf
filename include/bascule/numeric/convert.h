// Exact conversion between any two number formats, in every rounding mode.
//
// A value is taken apart into sign, digits and exponent without loss, and put together again in the
// other format with one rounding, in integers. So every conversion has one definition, the same on
// every compiler and CPU, also in constant expressions. Faster forms elsewhere are tested against
// these. C++17.
//
// Source of the modes: "Cast" and "precision conversion" of the Ascend C documentation; of what
// overflow, infinities and NaN become: its page on boundary values.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NUMERIC_CONVERT_H_
#define BASCULE_NUMERIC_CONVERT_H_

#include <cstdint>
#include <type_traits>

namespace bascule {
namespace numeric {

// Which of its two neighbours a value that falls between them becomes. The numbers are those of
// AscendC::RoundMode.
enum class Rounding : uint32_t {
  kNone = 0,   // as kRint
  kRint = 1,   // the nearer, of two equally near ones the even
  kFloor = 2,  // the lower
  kCeil = 3,   // the upper
  kRound = 4,  // the nearer, of two equally near ones that farther from zero
  kTrunc = 5,  // that nearer to zero
  kOdd = 6     // the odd
};

// What becomes of a value beyond the largest of a floating format, and of an infinity or NaN on its
// way to one. Integers always take the nearest value they have, and 0 for NaN.
enum class Overflow : uint32_t {
  kInfinity = 0,  // infinities and NaN stay what they are
  kSaturate = 1   // the largest value of the sign; 0 for NaN
};

// A floating format in IEEE 754's layout, by the widths of its fields.
template <typename BitsType, int kExponentBits, int kFractionBits>
struct BinaryFormat {
  using Bits = BitsType;
  static constexpr int kFraction = kFractionBits;
  static constexpr int kLowestExponent = 2 - (1 << (kExponentBits - 1));  // of normal numbers
  static constexpr int kHighestExponent = (1 << (kExponentBits - 1)) - 1;
  static constexpr Bits kOne = Bits{1};
  static constexpr Bits kSign = static_cast<Bits>(kOne << (kExponentBits + kFractionBits));
  static constexpr Bits kInfinity =
      static_cast<Bits>(((kOne << kExponentBits) - kOne) << kFractionBits);
  static constexpr Bits kLargest = static_cast<Bits>(kInfinity - kOne);
  static constexpr Bits kQuiet = static_cast<Bits>(kOne << (kFractionBits - 1));
  static constexpr Bits kFractionMask = static_cast<Bits>((kOne << kFractionBits) - kOne);
};

using HalfLayout = BinaryFormat<uint16_t, 5, 10>;
using BfloatLayout = BinaryFormat<uint16_t, 8, 7>;
using FloatLayout = BinaryFormat<uint32_t, 8, 23>;
using DoubleLayout = BinaryFormat<uint64_t, 11, 52>;

enum class Kind : uint8_t { kFinite, kInfinite, kNan };

// (-1)^negative * digits * 2^exponent; of a NaN, `digits` holds the fraction with its first bit on
// top.
struct Number {
  Kind kind;
  bool negative;
  int exponent;
  uint64_t digits;
};

template <typename Layout>
constexpr Number TakeFloat(typename Layout::Bits bits) {
  Number out = {Kind::kFinite, (bits & Layout::kSign) != 0, 0, 0};
  const uint64_t fraction = bits & Layout::kFractionMask;
  const int field = static_cast<int>((bits & Layout::kInfinity) >> Layout::kFraction);
  if ((bits & Layout::kInfinity) == Layout::kInfinity) {
    out.kind = fraction == 0 ? Kind::kInfinite : Kind::kNan;
    out.digits = fraction << (64 - Layout::kFraction);
    return out;
  }
  out.digits = field == 0 ? fraction : fraction | (uint64_t{1} << Layout::kFraction);
  out.exponent = Layout::kLowestExponent - Layout::kFraction + (field == 0 ? 0 : field - 1);
  return out;
}

template <typename T>
constexpr Number TakeInteger(T value) {
  const bool negative = value < T(0);
  const uint64_t bits = static_cast<uint64_t>(value);
  return {Kind::kFinite, negative, 0, negative ? uint64_t{0} - bits : bits};
}

// digits / 2^drop, rounded to an integer. Not for drop < 0.
constexpr uint64_t RoundDigits(uint64_t digits, int drop, bool negative, Rounding rounding) {
  if (drop == 0 || digits == 0) return digits;
  const uint64_t kept = drop < 64 ? digits >> drop : 0;
  // What is dropped, against one half: less, equal or more.
  int against_half = -1;
  bool exact = false;
  if (drop <= 64) {
    const uint64_t half = uint64_t{1} << (drop - 1);
    const uint64_t rest = drop < 64 ? digits & ((half << 1) - 1) : digits;
    exact = rest == 0;
    against_half = rest < half ? -1 : rest > half ? 1 : 0;
  }
  if (exact) return kept;
  bool up = false;
  switch (rounding) {
    case Rounding::kNone:
    case Rounding::kRint:
      up = against_half > 0 || (against_half == 0 && (kept & 1) != 0);
      break;
    case Rounding::kFloor:
      up = negative;
      break;
    case Rounding::kCeil:
      up = !negative;
      break;
    case Rounding::kRound:
      up = against_half >= 0;
      break;
    case Rounding::kTrunc:
      break;
    case Rounding::kOdd:
      up = (kept & 1) == 0;
      break;
  }
  return kept + (up ? 1 : 0);
}

// The code of a number in a floating format. A magnitude of 2^(highest exponent + 1) or more
// overflows in every mode; below it, only what rounds up to it does.
template <typename Layout>
constexpr typename Layout::Bits PutFloat(const Number& number, Rounding rounding,
                                         Overflow overflow = Overflow::kInfinity) {
  using Bits = typename Layout::Bits;
  const Bits sign = number.negative ? Layout::kSign : Bits{0};
  const bool saturate = overflow == Overflow::kSaturate;
  const Bits beyond = static_cast<Bits>(sign | (saturate ? Layout::kLargest : Layout::kInfinity));
  if (number.kind == Kind::kInfinite) return beyond;
  if (number.kind == Kind::kNan) {
    if (saturate) return Bits{0};
    const Bits payload = static_cast<Bits>(number.digits >> (64 - Layout::kFraction));
    return static_cast<Bits>(sign | Layout::kInfinity | Layout::kQuiet | payload);
  }
  if (number.digits == 0) return sign;
  const int top = 63 - __builtin_clzll(number.digits);
  const int exponent = top + number.exponent;  // of the first digit
  if (exponent > Layout::kHighestExponent) return beyond;
  const bool normal = exponent >= Layout::kLowestExponent;
  const int last = (normal ? exponent : Layout::kLowestExponent) - Layout::kFraction;
  const int drop = last - number.exponent;
  const uint64_t kept = drop > 0 ? RoundDigits(number.digits, drop, number.negative, rounding)
                                 : number.digits << -drop;
  // A normal number's leading one adds itself to the exponent; a carry goes on into it.
  const uint64_t field =
      normal ? static_cast<uint64_t>(exponent - Layout::kLowestExponent) << Layout::kFraction : 0;
  const uint64_t code = field + kept;
  return code >= Layout::kInfinity ? beyond : static_cast<Bits>(sign | code);
}

// The integer nearest to a number among lowest … highest, by the mode where it lies between two.
constexpr int64_t PutInteger(const Number& number, Rounding rounding, int64_t lowest,
                             uint64_t highest) {
  if (number.kind == Kind::kNan) return 0;
  const uint64_t limit = number.negative ? uint64_t{0} - static_cast<uint64_t>(lowest) : highest;
  uint64_t magnitude = limit;
  if (number.kind == Kind::kFinite) {
    if (number.exponent <= 0) {
      magnitude = RoundDigits(number.digits, -number.exponent, number.negative, rounding);
    } else if (number.digits == 0) {
      magnitude = 0;
    } else if (number.exponent <= __builtin_clzll(number.digits)) {
      magnitude = number.digits << number.exponent;
    }
    if (magnitude > limit) magnitude = limit;
  }
  return static_cast<int64_t>(number.negative ? uint64_t{0} - magnitude : magnitude);
}

// Take and Put for a C++ type; other number types specialise it.
template <typename T>
struct NumberType {
  static_assert(std::is_integral<T>::value, "not a number type that conversions know");
  static constexpr Number Take(T value) { return TakeInteger(value); }
  static constexpr T Put(const Number& number, Rounding rounding, Overflow) {
    constexpr bool kSigned = std::is_signed<T>::value;
    constexpr uint64_t kHighest = ~uint64_t{0} >> (64 - 8 * sizeof(T) + (kSigned ? 1 : 0));
    constexpr int64_t kLowest = kSigned ? -static_cast<int64_t>(kHighest) - 1 : 0;
    return static_cast<T>(PutInteger(number, rounding, kLowest, kHighest));
  }
};
template <>
struct NumberType<float> {
  static constexpr Number Take(float value) {
    return TakeFloat<FloatLayout>(__builtin_bit_cast(uint32_t, value));
  }
  static constexpr float Put(const Number& number, Rounding rounding, Overflow overflow) {
    return __builtin_bit_cast(float, PutFloat<FloatLayout>(number, rounding, overflow));
  }
};
template <>
struct NumberType<double> {
  static constexpr Number Take(double value) {
    return TakeFloat<DoubleLayout>(__builtin_bit_cast(uint64_t, value));
  }
  static constexpr double Put(const Number& number, Rounding rounding, Overflow overflow) {
    return __builtin_bit_cast(double, PutFloat<DoubleLayout>(number, rounding, overflow));
  }
};

template <typename To, typename From>
constexpr To Convert(From value, Rounding rounding = Rounding::kRint,
                     Overflow overflow = Overflow::kInfinity) {
  return NumberType<To>::Put(NumberType<From>::Take(value), rounding, overflow);
}

// The nearest integer by the mode, as a float; zeros are positive, infinities stay, NaN becomes
// quiet.
constexpr float RoundToInteger(float value, Rounding rounding) {
  Number number = NumberType<float>::Take(value);
  if (number.kind == Kind::kNan) return NumberType<float>::Put(number, rounding, {});
  if (number.kind == Kind::kInfinite || number.exponent >= 0) return value;
  number.digits = RoundDigits(number.digits, -number.exponent, number.negative, rounding);
  number.exponent = 0;
  if (number.digits == 0) number.negative = false;
  return NumberType<float>::Put(number, Rounding::kRint, Overflow::kInfinity);
}

// Rounding a double twice would be wrong; to odd first, then once to fewer digits, is right.
constexpr float FloatToOdd(double value) {
  const double magnitude = value < 0 ? -value : value;
  if (!(magnitude <= 3.4028234663852886e38)) {  // not a float: let the definition decide
    return Convert<float>(value, Rounding::kOdd);
  }
  const float near = static_cast<float>(value);
  const double back = static_cast<double>(near);
  if (back == value) return near;
  uint32_t bits = __builtin_bit_cast(uint32_t, near);
  if ((bits & 1u) == 0) {
    const bool toward_zero = (value < 0) ? (back < value) : (back > value);
    bits = toward_zero ? bits - 1u : bits + 1u;
  }
  return __builtin_bit_cast(float, bits);
}

}  // namespace numeric
}  // namespace bascule

#endif  // BASCULE_NUMERIC_CONVERT_H_

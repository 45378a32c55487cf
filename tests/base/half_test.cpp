// half against the definition: a value is rounded to the nearest of all halves, ties to the even
// one. SPDX-License-Identifier: Apache-2.0
#include "bascule/numeric/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace bascule {
namespace {

constexpr uint32_t kCodes = 65536;

bool IsNan(uint32_t code) { return (code & 0x7fff) > 0x7c00; }

// The value of a code from its fields, by arithmetic alone.
double ValueOf(uint32_t code) {
  const double sign = (code & 0x8000) != 0 ? -1 : 1;
  const int exponent = static_cast<int>((code >> 10) & 31);
  const double digits = code & 0x3ff;
  if (exponent == 31) return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(digits, -24);
  return sign * std::ldexp(1024 + digits, exponent - 25);
}

TEST(Half, EveryCodeHasItsValueAndComesBack) {
  for (uint32_t code = 0; code < kCodes; ++code) {
    const float value = numeric::FloatFromHalfBits(static_cast<uint16_t>(code));
    if (IsNan(code)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      // Quiet, with sign and payload kept.
      EXPECT_EQ(numeric::HalfBitsFromFloat(value), code | 0x200) << code;
      continue;
    }
    EXPECT_EQ(value, ValueOf(code)) << code;
    EXPECT_EQ(std::signbit(value), (code & 0x8000) != 0) << code;
    EXPECT_EQ(numeric::HalfBitsFromFloat(value), code) << code;
  }
}

// Between two neighbours: below, at and above the middle, as float and as double.
TEST(Half, RoundsToNearestEven) {
  for (uint32_t code = 0; code < 0x7bff; ++code) {
    const double low = ValueOf(code);
    const double high = ValueOf(code + 1);
    const double middle = (low + high) / 2;
    const uint32_t even = (code & 1) == 0 ? code : code + 1;
    const float exact = static_cast<float>(middle);
    ASSERT_EQ(exact, middle);
    EXPECT_EQ(numeric::HalfBitsFromFloat(exact), even) << code;
    EXPECT_EQ(numeric::HalfBitsFromFloat(std::nextafter(exact, 0.0f)), code) << code;
    EXPECT_EQ(numeric::HalfBitsFromFloat(std::nextafter(exact, 1e9f)), code + 1) << code;
    EXPECT_EQ(numeric::HalfBitsFromFloat(-exact), even | 0x8000) << code;
    // A double just beside the middle rounds the right way only if it is rounded once.
    EXPECT_EQ(half_t(std::nextafter(middle, 0.0)).Bits(), code) << code;
    EXPECT_EQ(half_t(std::nextafter(middle, 1e9)).Bits(), code + 1) << code;
    EXPECT_EQ(half_t(middle).Bits(), even) << code;
  }
}

TEST(Half, OverflowsToInfinityAtTheMiddle) {
  EXPECT_EQ(numeric::HalfBitsFromFloat(65504.0f), 0x7bff);
  EXPECT_EQ(numeric::HalfBitsFromFloat(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(numeric::HalfBitsFromFloat(65520.0f), 0x7c00);
  EXPECT_EQ(numeric::HalfBitsFromFloat(-1e30f), 0xfc00);
  EXPECT_EQ(half_t(1e300).Bits(), 0x7c00);
  EXPECT_EQ(half_t(100000).Bits(), 0x7c00);
  EXPECT_EQ(half_t(-2049).Bits(), half_t(-2048.0f).Bits());
}

// Where the compiler may use the machine's own conversion, it has to give the same bits.
TEST(Half, RunTimeConversionIsTheFormula) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    ASSERT_EQ(half_t(value).Bits(), numeric::HalfBitsFromFloat(value))
        << std::bit_cast<uint32_t>(value);
  }
  for (uint32_t code = 0; code < kCodes; ++code) {
    const float fast = half_t::FromBits(static_cast<uint16_t>(code));
    const float formula = numeric::FloatFromHalfBits(static_cast<uint16_t>(code));
    ASSERT_EQ(std::bit_cast<uint32_t>(fast), std::bit_cast<uint32_t>(formula)) << code;
  }
}

TEST(Half, ArithmeticRoundsOnce) {
  const half_t a = 1.0f / 3;
  const half_t b = 7;
  EXPECT_EQ((a * b).Bits(), half_t(float(a) * float(b)).Bits());
  EXPECT_EQ((b / a).Bits(), half_t(float(b) / float(a)).Bits());
  static_assert(std::is_same_v<decltype(a + b), half_t>);
  static_assert(std::is_same_v<decltype(a + 1.0f), float>);
  static_assert(std::is_same_v<decltype(1.0 * a), double>);
  static_assert(std::is_same_v<decltype(a * 2), half_t>);
  constexpr half_t two = half_t(1) + half_t(1);
  static_assert(two == 2 && two == 2.0f && two < half_t(3) && -two == -2.0);
  half_t sum = 0;
  sum += 1;
  sum -= 0.5f;
  sum *= half_t(4);
  sum /= 2;
  EXPECT_EQ(sum, 1.0f);
}

}  // namespace
}  // namespace bascule

// Conversions between number formats against their definition: the neighbours of a value are looked
// up or computed by the C library, and the mode's sentence picks one.
// SPDX-License-Identifier: Apache-2.0
#include "bascule/numeric/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "bascule/numeric/int4.h"

namespace bascule::numeric {
namespace {

constexpr Rounding kModes[] = {Rounding::kNone, Rounding::kRint,  Rounding::kFloor,
                               Rounding::kCeil, Rounding::kRound, Rounding::kTrunc,
                               Rounding::kOdd};
constexpr const char* kModeNames[] = {"NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"};

// Which of `low` < value < `high` a mode takes; `low_is_even` says which of them is even.
bool TakesHigh(long double low, long double value, long double high, bool low_is_even,
               Rounding mode) {
  const long double below = value - low;
  const long double above = high - value;
  switch (mode) {
    case Rounding::kFloor:
      return false;
    case Rounding::kCeil:
      return true;
    case Rounding::kTrunc:
      return value < 0;
    case Rounding::kOdd:
      return low_is_even;
    case Rounding::kRound:
      return above < below || (above == below && value > 0);
    default:
      return above < below || (above == below && !low_is_even);
  }
}

// Every finite value of a 16-bit format in ascending order, with the first value beyond at each
// end.
template <typename T>
struct Values {
  std::vector<double> value;
  std::vector<uint16_t> code;

  Values() {
    using Limits = std::numeric_limits<T>;
    const uint16_t infinity = Limits::infinity().Bits();
    for (uint32_t magnitude = infinity; magnitude > 0; --magnitude) Add(magnitude | 0x8000u);
    for (uint32_t magnitude = 0; magnitude <= infinity; ++magnitude) Add(magnitude);
  }
  void Add(uint32_t bits) {
    using Limits = std::numeric_limits<T>;
    const int fraction = Limits::digits - 1;
    const int field = static_cast<int>((bits & 0x7fff) >> fraction);
    const double digits = bits & ((1u << fraction) - 1);
    const double magnitude = field == 0
                                 ? std::ldexp(digits, Limits::min_exponent - Limits::digits)
                                 : std::ldexp(digits + (1 << fraction),
                                              field - 1 + Limits::min_exponent - Limits::digits);
    value.push_back((bits & 0x8000) != 0 ? -magnitude : magnitude);
    code.push_back(static_cast<uint16_t>(bits));
  }
  uint16_t Expect(long double wanted, Rounding mode) const {
    const uint16_t sign = std::signbit(wanted) ? 0x8000 : 0;
    if (wanted >= value.back() || wanted <= value.front()) {
      return sign | std::numeric_limits<T>::infinity().Bits();
    }
    if (wanted == 0) return sign;
    const size_t high = std::upper_bound(value.begin(), value.end(), wanted) - value.begin();
    const size_t low = high - 1;
    if (value[low] == wanted) return code[low];
    const bool up = TakesHigh(value[low], wanted, value[high], (code[low] & 1) == 0, mode);
    const uint16_t taken = up ? code[high] : code[low];
    return taken == 0 ? sign : taken;
  }
};

template <typename T>
class SixteenBits : public testing::Test {};
using SixteenBitTypes = testing::Types<half_t, bfloat16_t>;
TYPED_TEST_SUITE(SixteenBits, SixteenBitTypes);

TYPED_TEST(SixteenBits, EveryCodeHasItsValueAndComesBack) {
  const Values<TypeParam> values;
  for (size_t i = 0; i < values.code.size(); ++i) {
    const TypeParam code = TypeParam::FromBits(values.code[i]);
    if (i == 0 || i + 1 == values.code.size()) {
      EXPECT_TRUE(std::isinf(float(code)));
    } else {
      EXPECT_EQ(float(code), values.value[i]);
      EXPECT_EQ(Convert<double>(code), values.value[i]);
    }
    EXPECT_EQ(std::signbit(float(code)), (values.code[i] & 0x8000) != 0);
    EXPECT_EQ(TypeParam(float(code)).Bits(), code.Bits());
    for (Rounding mode : kModes) {
      EXPECT_EQ(Convert<TypeParam>(float(code), mode).Bits(), code.Bits());
      EXPECT_EQ(Convert<TypeParam>(double(code), mode).Bits(), code.Bits());
    }
  }
  constexpr uint32_t kQuiet =
      std::is_same_v<TypeParam, half_t> ? HalfLayout::kQuiet : BfloatLayout::kQuiet;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    if ((bits & 0x7fff) <= std::numeric_limits<TypeParam>::infinity().Bits()) continue;
    const TypeParam nan = TypeParam::FromBits(static_cast<uint16_t>(bits));
    EXPECT_TRUE(std::isnan(float(nan)));
    EXPECT_EQ(TypeParam(float(nan)).Bits(), bits | kQuiet) << bits;
    EXPECT_EQ(Convert<TypeParam>(nan).Bits(), bits | kQuiet) << bits;
    EXPECT_EQ(Convert<TypeParam>(nan, Rounding::kRint, Overflow::kSaturate).Bits(), 0);
  }
}

// Between two neighbours: just above the lower, around the middle, just below the upper.
TYPED_TEST(SixteenBits, EveryModeTakesItsNeighbour) {
  const Values<TypeParam> values;
  for (size_t i = 0; i + 1 < values.value.size(); ++i) {
    const double low = values.value[i];
    const double high = values.value[i + 1];
    const double middle = low + (high - low) / 2;
    const double inside[] = {std::nextafter(low, high), std::nextafter(middle, low), middle,
                             std::nextafter(middle, high), std::nextafter(high, low)};
    for (Rounding mode : kModes) {
      for (double value : inside) {
        ASSERT_EQ(Convert<TypeParam>(value, mode).Bits(), values.Expect(value, mode))
            << value << " " << kModeNames[static_cast<int>(mode)];
        if (mode == Rounding::kRint) {
          ASSERT_EQ(TypeParam(value).Bits(), values.Expect(value, mode)) << value;
        }
      }
      const float near[] = {std::nextafter(float(middle), float(low)), float(middle),
                            std::nextafter(float(middle), float(high))};
      for (float value : near) {
        ASSERT_EQ(Convert<TypeParam>(value, mode).Bits(), values.Expect(value, mode))
            << value << " " << kModeNames[static_cast<int>(mode)];
        if (mode == Rounding::kRint) {
          ASSERT_EQ(TypeParam(value).Bits(), values.Expect(value, mode)) << value;
        }
      }
    }
  }
}

// The constructor has fast forms; they are the definition.
TYPED_TEST(SixteenBits, ConstructorsRoundAsDefined) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    ASSERT_EQ(TypeParam(value).Bits(), Convert<TypeParam>(value).Bits()) << value;
    // Doubles of ordinary size, and of any.
    const double ordinary = std::ldexp(double(int64_t(random())), int(random() % 80) - 100);
    const double any = std::bit_cast<double>(random());
    ASSERT_EQ(TypeParam(ordinary).Bits(), Convert<TypeParam>(ordinary).Bits()) << ordinary;
    ASSERT_EQ(TypeParam(any).Bits(), Convert<TypeParam>(any).Bits()) << any;
    const int64_t integer = static_cast<int64_t>(random()) >> (random() % 64);
    ASSERT_EQ(TypeParam(integer).Bits(), Convert<TypeParam>(integer).Bits()) << integer;
    ASSERT_EQ(TypeParam(int32_t(integer)).Bits(), Convert<TypeParam>(int32_t(integer)).Bits());
  }
  EXPECT_EQ(TypeParam(~uint64_t{0}).Bits(), Convert<TypeParam>(~uint64_t{0}).Bits());
  // Above the middle of two neighbours by a digit that a double drops.
  EXPECT_EQ(bfloat16_t((int64_t{0x101} << 50) + 1).Bits(), bfloat16_t(int64_t{0x102} << 50).Bits());
}

TYPED_TEST(SixteenBits, IntegersRoundByMode) {
  const Values<TypeParam> values;
  for (Rounding mode : kModes) {
    for (int32_t i = -70000; i <= 70000; ++i) {
      ASSERT_EQ(Convert<TypeParam>(i, mode).Bits(), values.Expect(i, mode))
          << i << " " << kModeNames[static_cast<int>(mode)];
    }
    for (int shift = 8; shift < 63; ++shift) {
      for (int64_t around : {-1, 0, 1}) {
        for (int64_t digits : {0x100, 0x101, 0x201, 0x401, 0x403, 0x80f, 0x811}) {
          if (shift + 12 >= 63) continue;
          const int64_t i = (digits << shift) + around;
          ASSERT_EQ(Convert<TypeParam>(i, mode).Bits(), values.Expect(i, mode)) << i;
          ASSERT_EQ(Convert<TypeParam>(-i, mode).Bits(), values.Expect(-i, mode)) << -i;
        }
      }
    }
  }
}

TYPED_TEST(SixteenBits, OverflowIsInfinityOrTheLargest) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam largest = Limits::max();
  const double step = double(largest) - double(TypeParam::FromBits(largest.Bits() - 1));
  const double beyond = double(largest) + step;
  for (Rounding mode : kModes) {
    const std::string name = kModeNames[static_cast<int>(mode)];
    for (double value : {beyond, 1e300, double(INFINITY)}) {
      EXPECT_EQ(Convert<TypeParam>(value, mode).Bits(), Limits::infinity().Bits()) << name;
      EXPECT_EQ(Convert<TypeParam>(-value, mode).Bits(), (-Limits::infinity()).Bits()) << name;
      EXPECT_EQ(Convert<TypeParam>(value, mode, Overflow::kSaturate).Bits(), largest.Bits());
      EXPECT_EQ(Convert<TypeParam>(-value, mode, Overflow::kSaturate).Bits(), (-largest).Bits());
    }
    const bool up = mode == Rounding::kCeil || mode == Rounding::kRound ||
                    mode == Rounding::kRint || mode == Rounding::kNone;
    const TypeParam middle = Convert<TypeParam>(double(largest) + step / 2, mode);
    EXPECT_EQ(middle.Bits(), up ? Limits::infinity().Bits() : largest.Bits()) << name;
  }
}

// Towards integers: what the C library makes of the value, cut to the range.
template <typename To>
int64_t Whole(long double value, Rounding mode, long double lowest, long double highest) {
  if (std::isnan(value)) return 0;
  long double whole = std::floor(value);
  if (whole != value && std::isfinite(value)) {
    const bool even = std::fmod(whole, 2.0L) == 0;
    if (TakesHigh(whole, value, whole + 1, even, mode)) whole += 1;
  }
  return static_cast<int64_t>(std::clamp(whole, lowest, highest));
}

template <typename To, typename From>
void ExpectWhole(From value, Rounding mode) {
  const long double exact = static_cast<long double>(double(value));
  if constexpr (std::is_same_v<To, int4b_t>) {
    ASSERT_EQ(static_cast<int>(Convert<To>(value, mode)), Whole<To>(exact, mode, -8, 7))
        << double(value) << " " << kModeNames[static_cast<int>(mode)];
  } else {
    ASSERT_EQ(
        static_cast<int64_t>(Convert<To>(value, mode)),
        Whole<To>(exact, mode, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()))
        << double(value) << " to " << 8 * sizeof(To) << " bits "
        << kModeNames[static_cast<int>(mode)];
  }
}

template <typename From>
void ExpectEveryWhole(From value) {
  for (Rounding mode : kModes) {
    ASSERT_NO_FATAL_FAILURE(ExpectWhole<int4b_t>(value, mode));
    ASSERT_NO_FATAL_FAILURE(ExpectWhole<int8_t>(value, mode));
    ASSERT_NO_FATAL_FAILURE(ExpectWhole<uint8_t>(value, mode));
    ASSERT_NO_FATAL_FAILURE(ExpectWhole<int16_t>(value, mode));
    ASSERT_NO_FATAL_FAILURE(ExpectWhole<int32_t>(value, mode));
    ASSERT_NO_FATAL_FAILURE(ExpectWhole<uint32_t>(value, mode));
    ASSERT_NO_FATAL_FAILURE(ExpectWhole<int64_t>(value, mode));
  }
}

TYPED_TEST(SixteenBits, BecomeIntegers) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    ASSERT_NO_FATAL_FAILURE(ExpectEveryWhole(TypeParam::FromBits(static_cast<uint16_t>(bits))));
  }
}

std::vector<float> FloatsAroundIntegers() {
  std::vector<float> floats = {0.0f, -0.0f, NAN, INFINITY, -INFINITY, 1e-45f, -1e-45f, 3e38f};
  for (int exponent = -2; exponent < 65; ++exponent) {
    for (float digits : {1.0f, 1.25f, 1.5f, 1.75f, 1.9999999f}) {
      const float value = std::ldexp(digits, exponent);
      for (float shift : {-0.5f, 0.0f, 0.5f}) {
        const float at = value + shift;
        for (float f : {std::nextafter(at, 0.0f), at, std::nextafter(at, INFINITY)}) {
          floats.push_back(f);
          floats.push_back(-f);
        }
      }
    }
  }
  for (int i = -400; i < 400; ++i) floats.push_back(0.25f * static_cast<float>(i));
  return floats;
}

TEST(Floats, BecomeIntegers) {
  for (float value : FloatsAroundIntegers()) {
    ASSERT_NO_FATAL_FAILURE(ExpectEveryWhole(value));
    ASSERT_NO_FATAL_FAILURE(ExpectEveryWhole(double(value) * 1.0000000001));
  }
}

TEST(Floats, RoundToIntegerKeepsTheFormat) {
  for (Rounding mode : kModes) {
    for (float value : FloatsAroundIntegers()) {
      const float whole = RoundToInteger(value, mode);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(whole));
        continue;
      }
      long double low = std::floor(static_cast<long double>(value));
      if (low != value && TakesHigh(low, value, low + 1, std::fmod(low, 2.0L) == 0, mode)) low += 1;
      ASSERT_EQ(whole, static_cast<float>(low)) << value;
      ASSERT_FALSE(whole == 0 && std::signbit(whole) && std::fabs(value) > 0) << value;
    }
  }
}

// A float from what has more digits: the nearest and its neighbour on the other side.
template <typename From>
void ExpectFloat(From value, Rounding mode) {
  const long double exact = static_cast<long double>(value);
  const float near = static_cast<float>(value);
  const float got = Convert<float>(value, mode);
  if (near == exact || std::isnan(near) || std::isinf(near)) {
    ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(near)) << double(value);
    return;
  }
  const float low = near < exact ? near : std::nextafter(near, -INFINITY);
  const float high = near > exact ? near : std::nextafter(near, INFINITY);
  const bool even = (std::bit_cast<uint32_t>(low) & 1) == 0;
  ASSERT_EQ(got, TakesHigh(low, exact, high, even, mode) ? high : low)
      << double(value) << " " << kModeNames[static_cast<int>(mode)];
}

TEST(Floats, ComeFromWiderNumbers) {
  std::mt19937_64 random(2);
  for (Rounding mode : kModes) {
    for (int i = 0; i < 200000; ++i) {
      const int64_t wide = static_cast<int64_t>(random()) >> (random() % 64);
      ASSERT_NO_FATAL_FAILURE(ExpectFloat(wide, mode));
      ASSERT_NO_FATAL_FAILURE(ExpectFloat(static_cast<int32_t>(wide), mode));
      ASSERT_NO_FATAL_FAILURE(
          ExpectFloat(std::ldexp(double(wide), int(random() % 120) - 90), mode));
    }
    for (int shift = 0; shift < 39; ++shift) {  // ties and their neighbours
      for (int64_t digits : {0x1000001, 0x1000003, 0x1ffffff, 0x1fffffd}) {
        for (int64_t around : {-1, 0, 1}) {
          const int64_t wide = (digits << (shift == 0 ? 0 : shift)) + around;
          ASSERT_NO_FATAL_FAILURE(ExpectFloat(wide, mode));
          ASSERT_NO_FATAL_FAILURE(ExpectFloat(-wide, mode));
        }
      }
    }
  }
  EXPECT_EQ(Convert<float>(INT64_MAX), 9223372036854775808.0f);
  EXPECT_EQ(Convert<float>(INT64_MAX, Rounding::kTrunc), 9223371487098961920.0f);
  EXPECT_EQ(Convert<float>(INT64_MIN), -9223372036854775808.0f);
  EXPECT_EQ(Convert<float>(INT32_MAX, Rounding::kFloor), 2147483520.0f);
}

TEST(Integers, Saturate) {
  EXPECT_EQ(Convert<int16_t>(INT32_MAX), 32767);
  EXPECT_EQ(Convert<int16_t>(INT32_MIN), -32768);
  EXPECT_EQ(Convert<int32_t>(INT64_MAX), INT32_MAX);
  EXPECT_EQ(Convert<int32_t>(INT64_MIN), INT32_MIN);
  EXPECT_EQ(Convert<uint8_t>(-1), 0);
  EXPECT_EQ(Convert<uint64_t>(-1.5f), 0u);
  EXPECT_EQ(Convert<uint64_t>(3e38f), ~uint64_t{0});
  EXPECT_EQ(Convert<int64_t>(-3e38f), INT64_MIN);
  for (int32_t i = -70000; i < 70000; ++i) {
    ASSERT_EQ(Convert<int16_t>(i), std::clamp(i, -32768, 32767));
    ASSERT_EQ(Convert<int64_t>(i), i);
  }
}

TEST(Int4, ComesInPairs) {
  for (int first = -8; first < 8; ++first) {
    for (int second = -8; second < 8; ++second) {
      const uint8_t pair = PackInt4(int4b_t(first), int4b_t(second));
      EXPECT_EQ(static_cast<int>(FirstInt4(pair)), first);
      EXPECT_EQ(static_cast<int>(SecondInt4(pair)), second);
      EXPECT_EQ(pair & 15, first & 15);
    }
    EXPECT_EQ(float(Convert<half_t>(int4b_t(first))), float(first));
  }
}

static_assert(Convert<half_t>(2049.0f, Rounding::kCeil) == 2050);
static_assert(Convert<int32_t>(-2.5f, Rounding::kRound) == -3);
static_assert(Convert<bfloat16_t>(1e39) == std::numeric_limits<bfloat16_t>::infinity());

}  // namespace
}  // namespace bascule::numeric

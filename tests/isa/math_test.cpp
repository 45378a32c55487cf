// The elementary functions against the C library in double: how far off they are at most, over all
// halves and a sweep of all floats, on every CPU target; and their special values.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bascule/numeric/half.h"
#include "isa/row.h"
#include "isa/vector/math.h"
#include "simd/reduce_angle.h"
#include "simd/targets.h"

namespace bascule::isa {
namespace {

// The exact value for a source and, where the row has one, a second source or a scalar.
struct Function {
  const Row* row;
  double (*exact)(double a, double b);
};

constexpr double kGateScale = 0.5;  // the scalar of SwiGLU here

#define BASCULE_EXACT(name, expression)                                                     \
  {                                                                                         \
    &k##name##Row, [](double a, [[maybe_unused]] double b) -> double { return expression; } \
  }
const Function kFunctions[] = {
    BASCULE_EXACT(Exp, std::exp(a)),
    BASCULE_EXACT(Ln, std::log(a)),
    BASCULE_EXACT(Log, std::log(a)),
    BASCULE_EXACT(Log2, std::log2(a)),
    BASCULE_EXACT(Log10, std::log10(a)),
    BASCULE_EXACT(Sin, std::sin(a)),
    BASCULE_EXACT(Cos, std::cos(a)),
    BASCULE_EXACT(Tan, std::tan(a)),
    BASCULE_EXACT(Asin, std::asin(a)),
    BASCULE_EXACT(Acos, std::acos(a)),
    BASCULE_EXACT(Atan, std::atan(a)),
    BASCULE_EXACT(Sinh, std::sinh(a)),
    BASCULE_EXACT(Cosh, std::cosh(a)),
    BASCULE_EXACT(Tanh, std::tanh(a)),
    BASCULE_EXACT(Asinh, std::asinh(a)),
    BASCULE_EXACT(Acosh, std::acosh(a)),
    BASCULE_EXACT(Atanh, std::atanh(a)),
    BASCULE_EXACT(Erf, std::erf(a)),
    BASCULE_EXACT(Erfc, std::erfc(a)),
    BASCULE_EXACT(Power, std::pow(a, b)),
    BASCULE_EXACT(PowerOfTensor, std::pow(a, b)),
    BASCULE_EXACT(PowerOfScalar, std::pow(b, a)),
    BASCULE_EXACT(Floor, std::floor(a)),
    BASCULE_EXACT(Ceil, std::ceil(a)),
    BASCULE_EXACT(Trunc, std::trunc(a)),
    BASCULE_EXACT(Round, std::nearbyint(a)),
    BASCULE_EXACT(Frac, a - std::trunc(a)),
    BASCULE_EXACT(Sign, a > 0   ? 1
                        : a < 0 ? -1
                                : 0),
    BASCULE_EXACT(ClampMax, a > b ? b : a),
    BASCULE_EXACT(ClampMin, a < b ? b : a),
    BASCULE_EXACT(Sigmoid, 1 / (1 + std::exp(-a))),
    BASCULE_EXACT(Silu, a / (1 + std::exp(-a))),
    BASCULE_EXACT(Swish, a / (1 + std::exp(-b * a))),
    BASCULE_EXACT(Gelu, a / (1 + std::exp(-1.5957691216057307118 * (a + 0.044715 * a * a * a)))),
    BASCULE_EXACT(FasterGelu, a / (1 + std::exp(-1.702 * a))),
    BASCULE_EXACT(
        FasterGeluV2,
        a*(0.5 + std::copysign(
                     0.5 - 0.1444 * std::pow(std::fmin(0.7071 * std::fabs(a), 1.769) - 1.769, 2),
                     a < 0 ? -1 : 1))),
    BASCULE_EXACT(GeGLU,
                  a*(b / (1 + std::exp(-1.5957691216057307118 * (b + 0.044715 * b * b * b))))),
    BASCULE_EXACT(SwiGLU, a*(b / (1 + std::exp(-kGateScale * b)))),
    BASCULE_EXACT(ReGlu, a*(b < 0 ? 0 : b)),
};
#undef BASCULE_EXACT

TEST(Math, EveryRowIsMeasured) {
  std::set<const Row*> measured;
  for (const Function& function : kFunctions) measured.insert(function.row);
#define BASCULE_IS_MEASURED(name, ...) EXPECT_TRUE(measured.count(&k##name##Row)) << #name;
  BASCULE_MATHS(BASCULE_IS_MEASURED)
#undef BASCULE_IS_MEASURED
}

std::vector<float> SpecialFloats() {
  std::vector<float> floats = {0.0f,  -0.0f, 1.0f,   -1.0f,  0.5f,     -0.5f,    1.5f,
                               -1.5f, 2.0f,  -2.0f,  3.0f,   -3.0f,    1e-45f,   -1e-45f,
                               NAN,   1e30f, 1e-30f, -1e30f, INFINITY, -INFINITY};
  // Around where functions overflow, vanish, change their method or are undefined beyond.
  for (float edge :
       {3.4028235e38f, 1.1754944e-38f, 88.72284f,   103.97208f, 89.41599f,   9.01f,
        10.05f,        0.70710677f,    1.0f,        0.5f,       0.34657359f, 1048576.0f,
        1.5707964f,    3.1415927f,     16777216.0f, 8388607.5f, 2.5f,        0.125f,
        0.375f,        1.375f,         4.375f,      9.25f}) {
    for (float near : {std::nextafter(edge, 0.0f), edge, std::nextafter(edge, INFINITY)}) {
      floats.push_back(near);
      floats.push_back(-near);
    }
  }
  return floats;
}

// All special values first, then every 1999th float.
const std::vector<float>& SweptFloats() {
  static const std::vector<float> floats = [] {
    std::vector<float> out = SpecialFloats();
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 1999) {
      out.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    return out;
  }();
  return floats;
}

// Units in the last place of `Layout` between a result and the exact value.
template <typename Layout>
double Distance(double got, double exact) {
  const uint64_t bits = std::bit_cast<uint64_t>(exact) & 0x7ff0000000000000;
  const double power = std::bit_cast<double>(bits);  // the power of two below |exact|
  constexpr double kSmallest =
      std::bit_cast<double>(static_cast<uint64_t>(Layout::kLowestExponent + 1023) << 52);
  constexpr double kUnit = static_cast<double>(uint64_t{1} << Layout::kFraction);
  return std::fabs(got - exact) * kUnit / std::max(power, kSmallest);
}

// Why a result is wrong, whatever its bound: a special value that is not one, or another sign.
template <typename Layout, typename T>
const char* WrongKind(T got, double exact) {
  const T expected = T(exact);
  if (std::isnan(exact)) return std::isnan(float(got)) ? nullptr : "is no NaN";
  if (std::isnan(float(got))) return "is NaN";
  if (std::isinf(float(expected)) != std::isinf(float(got))) {
    // Within half a unit of the end either is a rounding of the other.
    return Distance<Layout>(double(float(std::numeric_limits<T>::max())), exact) < 1.5
               ? nullptr
               : "is infinite, or should be";
  }
  const bool zero = float(got) == 0 || float(expected) == 0;
  if (std::signbit(float(got)) != std::signbit(exact) && !(std::isnan(exact))) {
    return zero && exact != 0 && float(got) != 0 ? nullptr : "has the other sign";
  }
  return nullptr;
}

// Runs a function on every target and compares: NaN, infinities and signs are as they should be,
// and the distance is within the bound.
template <typename T>
void Compare(const Function& function, BasculeDType dtype, const std::vector<T>& a,
             const std::vector<T>& b, T scalar, double bound) {
  using Layout =
      std::conditional_t<std::is_same_v<T, float>, numeric::FloatLayout, numeric::HalfLayout>;
  const Body& body = *FindBody(*function.row, dtype, dtype);
  std::vector<double> exact(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    exact[i] = function.exact(double(float(a[i])), double(float(b.empty() ? scalar : b[i])));
  }
  std::vector<T> got(a.size());
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&scalar), sizeof(T));
  for (int64_t target : simd::UsableTargets()) {
    simd::UseTarget(target);
    body.simd()(got.data(), a.data(), b.empty() ? nullptr : b.data(), bits, a.size());
    double worst = 0;
    size_t worst_at = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      const char* wrong = WrongKind<Layout>(got[i], exact[i]);
      ASSERT_EQ(wrong, nullptr) << function.row->name << " of " << float(a[i]) << ", "
                                << float(b.empty() ? scalar : b[i]) << " on "
                                << simd::TargetName(target) << ": " << float(got[i]) << " " << wrong
                                << ", exact is " << exact[i];
      if (!std::isfinite(float(got[i]))) continue;
      const double distance = Distance<Layout>(double(float(got[i])), exact[i]);
      if (distance > worst) {
        worst = distance;
        worst_at = i;
      }
    }
    EXPECT_LE(worst, bound) << function.row->name << " of " << float(a[worst_at]) << " on "
                            << simd::TargetName(target) << ": " << float(got[worst_at])
                            << ", exact is " << exact[worst_at];
  }
  simd::UseTarget(0);
}

class MathTest : public testing::TestWithParam<Function> {};

constexpr float kScalar = 0.8f;  // for those that take one

TEST_P(MathTest, IsWithinItsBoundOverAllFloats) {
  Compare<float>(GetParam(), BASCULE_FLOAT, SweptFloats(), {}, kScalar, GetParam().row->ulp);
}

TEST_P(MathTest, IsWithinOneUnitOverAllHalves) {
  std::vector<half_t> halves;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    halves.push_back(half_t::FromBits(static_cast<uint16_t>(bits)));
  }
  const double bound = GetParam().row->ulp == 0 ? 0 : 1;
  Compare<half_t>(GetParam(), BASCULE_FLOAT16, halves, {}, half_t(kScalar), bound);
}

std::vector<Function> FunctionsOfOneTensor() {
  std::vector<Function> functions;
  for (const Function& function : kFunctions) {
    if (function.row->operand_count == 2) functions.push_back(function);
  }
  return functions;
}
INSTANTIATE_TEST_SUITE_P(Functions, MathTest, testing::ValuesIn(FunctionsOfOneTensor()),
                         [](const auto& info) { return std::string(info.param.row->name); });

const Function& FunctionOf(const Row& row) {
  for (const Function& function : kFunctions) {
    if (function.row == &row) return function;
  }
  return kFunctions[0];
}

TEST(Power, IsWithinItsBound) {
  std::vector<float> base;
  std::vector<float> exponent;
  const std::vector<float> specials = SpecialFloats();
  for (float a : specials) {
    for (float b : specials) {
      base.push_back(a);
      exponent.push_back(b);
    }
  }
  std::mt19937_64 random(7);
  auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int i = 0; i < 1000000; ++i) {
    // Any base, or one near 1, with an exponent that does not lead beyond the floats.
    const uint64_t kind = random();
    float a = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (kind % 4 == 0) a = static_cast<float>(1 + (uniform() - 0.5) * 0x1p-14);
    const double limit = 155 / (std::fabs(std::log2(std::fabs(double(a)))) + 1e-9);
    float b = static_cast<float>((2 * uniform() - 1) * limit);
    if (kind % 3 == 0) b = std::round(b);
    if (kind % 5 == 0) b = std::bit_cast<float>(static_cast<uint32_t>(random()));
    base.push_back(a);
    exponent.push_back(b);
  }
  Compare<float>(FunctionOf(kPowerRow), BASCULE_FLOAT, base, exponent, 0, kPowerRow.ulp);
  std::vector<half_t> half_base(base.begin(), base.end());
  std::vector<half_t> half_exponent(exponent.begin(), exponent.end());
  Compare<half_t>(FunctionOf(kPowerRow), BASCULE_FLOAT16, half_base, half_exponent, 0, 1);
}

TEST(Gates, AreWithinTheirBound) {
  std::vector<float> value;
  std::vector<float> gate;
  // An infinite value times a gate that vanishes is what the gate's last digit says.
  for (float a : SpecialFloats()) {
    for (float b : SpecialFloats()) {
      if (std::isinf(a)) continue;
      value.push_back(a);
      gate.push_back(b);
    }
  }
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(-20, 20);
  for (int i = 0; i < 200000; ++i) {
    value.push_back(uniform(random) * std::exp2(uniform(random)));
    gate.push_back(uniform(random));
  }
  std::vector<half_t> half_value;
  std::vector<half_t> half_gate;
  for (size_t i = 0; i < value.size(); ++i) {
    if (std::fabs(value[i]) > 65000) continue;
    half_value.push_back(half_t(value[i]));
    half_gate.push_back(half_t(gate[i]));
  }
  for (const Row* row : {&kGeGLURow, &kSwiGLURow, &kReGluRow}) {
    Compare<float>(FunctionOf(*row), BASCULE_FLOAT, value, gate, float(kGateScale), row->ulp);
    Compare<half_t>(FunctionOf(*row), BASCULE_FLOAT16, half_value, half_gate, half_t(kGateScale),
                    1);
  }
}

TEST(Power, TakesScalarsOnEitherSide) {
  const std::vector<float> floats = SpecialFloats();
  for (float scalar : floats) {
    for (const Row* row : {&kPowerOfTensorRow, &kPowerOfScalarRow}) {
      Compare<float>(FunctionOf(*row), BASCULE_FLOAT, floats, {}, scalar, row->ulp);
    }
  }
}

TEST(Power, OfIntegersWrapsAround) {
  EXPECT_EQ(IntegerPower(3, 4), 81);
  EXPECT_EQ(IntegerPower(-3, 3), -27);
  EXPECT_EQ(IntegerPower(0, 0), 1);
  EXPECT_EQ(IntegerPower(2, 31), INT32_MIN);
  EXPECT_EQ(IntegerPower(2, 32), 0);
  EXPECT_EQ(IntegerPower(3, 41), static_cast<int32_t>(0x7b5fb863u));
  EXPECT_EQ(IntegerPower(2, -1), 0);
  EXPECT_EQ(IntegerPower(1, INT32_MIN), 1);
  EXPECT_EQ(IntegerPower(-1, -3), -1);
  EXPECT_EQ(IntegerPower(-1, -4), 1);
  EXPECT_EQ(IntegerPower(0, -1), INT32_MAX);
  const int32_t base[] = {2, 3, 4, 5, 6};
  const int32_t exponent[] = {4, 3, 2, 1, 0};
  int32_t out[5];
  FindBody(kPowerRow, BASCULE_INT32, BASCULE_INT32)->simd()(out, base, exponent, 0, 5);
  EXPECT_EQ(std::vector<int32_t>(out, out + 5), (std::vector<int32_t>{16, 27, 16, 5, 1}));
}

// 355/113 and its like come close to a multiple of pi; large floats come closer.
TEST(Angle, LeavesTheRestOfTheNearestQuarterTurn) {
  std::mt19937 random(3);
  for (int i = 0; i < 200000; ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!(std::fabs(x) >= 0x1p20f && std::isfinite(x))) continue;
    const simd::Angle angle = simd::ReduceLargeAngle(x);
    ASSERT_LE(std::fabs(angle.rest), 0.7853981633974484);
    const double sines[] = {std::sin(angle.rest), std::cos(angle.rest), -std::sin(angle.rest),
                            -std::cos(angle.rest)};
    ASSERT_NEAR(sines[angle.quadrant], std::sin(double(x)), 1e-15) << x;
    ASSERT_NEAR(sines[(angle.quadrant + 1) & 3], std::cos(double(x)), 1e-15) << x;
  }
  EXPECT_TRUE(std::isnan(simd::ReduceLargeAngle(INFINITY).rest));
  EXPECT_TRUE(std::isnan(simd::ReduceLargeAngle(NAN).rest));
}

}  // namespace
}  // namespace bascule::isa

// The elementary functions as kernels call them: each name reaches its row, in every form, and
// without a count takes the whole source. How exact they are is tested in tests/isa.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::LocalTensor;
using AscendC::TPosition;
using test::KernelRunner;

constexpr uint32_t kCount = 40;

// A source of kCount numbers from 1/64 to 40/64, or so many more for functions that need them, a
// destination that starts as -7 and has room for more, temporary space that starts as 77.
template <typename T>
struct Tensors {
  explicit Tensors(T offset = 0)
      : dst(TPosition::VECCALC, 0, 2 * kCount),
        src(TPosition::VECCALC, 1024, kCount),
        tmp(TPosition::VECCALC, 2048, 256) {
    for (uint32_t i = 0; i < 2 * kCount; ++i) dst.SetValue(i, -7);
    for (uint32_t i = 0; i < kCount; ++i) src.SetValue(i, Source(i) + double(offset));
    for (uint32_t i = 0; i < 256; ++i) tmp.SetValue(i, 77);
  }
  static double Source(uint32_t i) { return (i + 1) / 64.0; }

  void Expect(const std::function<double(double)>& exact, uint32_t count, const char* what) {
    for (uint32_t i = 0; i < count; ++i) {
      const double expected = exact(double(src.GetValue(i)));
      const double tolerance = std::is_same_v<T, half> ? 1e-3 : 3e-7;
      ASSERT_NEAR(double(dst.GetValue(i)), expected, tolerance * (1 + std::fabs(expected)))
          << what << " " << i;
    }
    for (uint32_t i = count; i < 2 * kCount; ++i)
      ASSERT_EQ(dst.GetValue(i), -7) << what << " " << i;
    for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(tmp.GetValue(i), 77) << what;
  }

  LocalTensor<T> dst;
  LocalTensor<T> src;
  LocalTensor<uint8_t> tmp;
};

template <typename T>
void CheckAll() {
  KernelRunner(1).Run([] {
#define BASCULE_CHECK(name, offset, exact)                         \
  {                                                                \
    const std::function<double(double)> function = exact;          \
    Tensors<T> whole(offset);                                      \
    AscendC::name(whole.dst, whole.src);                           \
    whole.Expect(function, kCount, #name);                         \
    Tensors<T> counted(offset);                                    \
    AscendC::name(counted.dst, counted.src, 17);                   \
    counted.Expect(function, 17, #name);                           \
    Tensors<T> with_space(offset);                                 \
    AscendC::name(with_space.dst, with_space.src, with_space.tmp); \
    with_space.Expect(function, kCount, #name);                    \
    Tensors<T> both(offset);                                       \
    AscendC::name(both.dst, both.src, both.tmp, 33);               \
    both.Expect(function, 33, #name);                              \
  }
#define BASCULE_CHECK_LIKE_C(Name, name) \
  BASCULE_CHECK(Name, 0, [](double x) { return std::name(x); })
    BASCULE_CHECK_LIKE_C(Log, log)
    BASCULE_CHECK_LIKE_C(Log2, log2)
    BASCULE_CHECK_LIKE_C(Log10, log10)
    BASCULE_CHECK_LIKE_C(Sin, sin)
    BASCULE_CHECK_LIKE_C(Cos, cos)
    BASCULE_CHECK_LIKE_C(Tan, tan)
    BASCULE_CHECK_LIKE_C(Asin, asin)
    BASCULE_CHECK_LIKE_C(Acos, acos)
    BASCULE_CHECK_LIKE_C(Atan, atan)
    BASCULE_CHECK_LIKE_C(Sinh, sinh)
    BASCULE_CHECK_LIKE_C(Cosh, cosh)
    BASCULE_CHECK_LIKE_C(Tanh, tanh)
    BASCULE_CHECK_LIKE_C(Asinh, asinh)
    BASCULE_CHECK(Acosh, 1, [](double x) { return std::acosh(x); })
    BASCULE_CHECK_LIKE_C(Atanh, atanh)
    BASCULE_CHECK_LIKE_C(Erf, erf)
    BASCULE_CHECK_LIKE_C(Erfc, erfc)
    BASCULE_CHECK_LIKE_C(Floor, floor)
    BASCULE_CHECK_LIKE_C(Ceil, ceil)
    BASCULE_CHECK_LIKE_C(Trunc, trunc)
    BASCULE_CHECK_LIKE_C(Round, nearbyint)
    BASCULE_CHECK(Frac, 2, [](double x) { return x - std::trunc(x); })
    BASCULE_CHECK(Sign, 0, [](double) { return 1.0; })
    BASCULE_CHECK(Sigmoid, 0, [](double x) { return 1 / (1 + std::exp(-x)); })
    BASCULE_CHECK(Silu, 0, [](double x) { return x / (1 + std::exp(-x)); })
    BASCULE_CHECK(Gelu, 1, [](double x) {
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    })
    BASCULE_CHECK(FasterGelu, 1, [](double x) { return x / (1 + std::exp(-1.702 * x)); })
#undef BASCULE_CHECK_LIKE_C
#undef BASCULE_CHECK
  });
}

TEST(Math, EveryNameReachesItsRowInFloat) { CheckAll<float>(); }
TEST(Math, EveryNameReachesItsRowInHalf) { CheckAll<half>(); }

TEST(Math, ExpAndLnTakeMasks) {
  KernelRunner(1).Run([] {
    Tensors<float> t;
    AscendC::Exp(t.dst, t.src, 5, 1, {1, 1, 8, 8});
    t.Expect([](double x) { return std::exp(x); }, 5, "Exp");
    Tensors<float> u;
    uint64_t mask[] = {0xff};
    AscendC::Ln(u.dst, u.src, mask, 1, {1, 1, 8, 8});
    u.Expect([](double x) { return std::log(x); }, 8, "Ln");
    Tensors<half> library;
    AscendC::Exp<half, 15, false>(library.dst, library.src, library.tmp, 9);
    library.Expect([](double x) { return std::exp(x); }, 9, "Exp");
    Tensors<float> swish;
    AscendC::Swish(swish.dst, swish.src, 9, 2.0f);
    swish.Expect([](double x) { return x / (1 + std::exp(-2 * x)); }, 9, "Swish");
  });
}

template <typename T>
void CheckPower(T scalar) {
  KernelRunner(1).Run([&] {
    Tensors<T> t(1);
    AscendC::Power(t.dst, t.src, t.src, 20);
    t.Expect([](double x) { return std::pow(x, x); }, 20, "x^x");
    Tensors<T> u(1);
    AscendC::Power(u.dst, u.src, scalar);
    u.Expect([&](double x) { return std::pow(x, double(scalar)); }, kCount, "x^s");
    Tensors<T> v(1);
    AscendC::Power(v.dst, scalar, v.src, v.tmp, 3);
    v.Expect([&](double x) { return std::pow(double(scalar), x); }, 3, "s^x");
  });
}

TEST(Math, PowerTakesTensorsAndScalars) {
  CheckPower<float>(2.5f);
  CheckPower<half>(half(2.5f));
  CheckPower<int32_t>(3);
}

}  // namespace
}  // namespace bascule::engine

// The naive kernel of examples/my_mul_naive: it gives the right numbers, or an error and no
// numbers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "examples/my_mul_naive/my_mul.cpp"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

// Tensors as a lone kernel gets them: padded to a whole datablock, which lies in memory that goes
// on.
struct NaiveRun {
  static constexpr size_t kGuard = 4096;

  explicit NaiveRun(uint32_t elements) {
    const size_t padded = (elements + 15) / 16 * 16;
    for (std::vector<half>* tensor : {&x, &y, &out}) tensor->assign(padded + kGuard, half(-1.0f));
    for (uint32_t i = 0; i < elements; ++i) {
      x[i] = half(static_cast<float>(i % 61) / 4);
      y[i] = half(static_cast<float>(i % 19) - 9);
    }
    const uint64_t bytes = padded * sizeof(half);
    const uint32_t vector_cores = 40;
    const uint32_t share = ((elements + vector_cores - 1) / vector_cores + 15) / 16 * 16;
    error = test::KernelRunner(std::min(vector_cores, (elements + share - 1) / share))
                .FirstTensor(elements, sizeof(half))
                .Interval("x", x.data(), bytes, BASCULE_READ)
                .Interval("y", y.data(), bytes, BASCULE_READ)
                .Interval("out", out.data(), bytes, BASCULE_READ | BASCULE_WRITE)
                .Error([this] {
                  my_mul(reinterpret_cast<GM_ADDR>(x.data()), reinterpret_cast<GM_ADDR>(y.data()),
                         reinterpret_cast<GM_ADDR>(out.data()));
                });
    for (size_t i = padded; i < out.size(); ++i) guarded = guarded && out[i] == half(-1.0f);
  }

  std::vector<half> x, y, out;
  std::string error;
  bool guarded = true;
};

TEST(NaiveKernel, GivesTheRightNumbers) {
  for (const uint32_t elements : {1u, 15u, 16u, 17u, 31u, 513u, 639u, 640u, 20480u, 99839u}) {
    const NaiveRun run(elements);
    EXPECT_EQ(run.error, "") << elements;
    EXPECT_TRUE(run.guarded) << elements;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < elements; ++i) wrong += run.out[i] == run.x[i] * run.y[i] ? 0 : 1;
    EXPECT_EQ(wrong, 0u) << elements;
  }
}

TEST(NaiveKernel, EndsWithAnErrorWhereItsLastBlockReachesTooFar) {
  const NaiveRun run(100003);
  EXPECT_NE(run.error.find("block 39 of 40"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("reads 5024 bytes of 'x'"), std::string::npos) << run.error;
  EXPECT_TRUE(run.guarded);
}

TEST(NaiveKernel, EndsWithAnErrorWhereItsShareDoesNotFit) {
  const NaiveRun run(2000000);
  EXPECT_NE(run.error.find("the unified buffer"), std::string::npos) << run.error;
}

}  // namespace
}  // namespace bascule::engine

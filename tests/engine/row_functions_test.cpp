// Softmax and normalisation as kernels call them: where shapes come from, temporary space, more
// operands than four. What is computed is tested in tests/isa.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::LocalTensor;
using AscendC::TPosition;
using test::KernelRunner;

// Tensor `number` of 64 floats in the unified buffer.
LocalTensor<float> Tensor(uint32_t number) {
  return LocalTensor<float>(TPosition::VECCALC, number * 256, 64);
}
LocalTensor<uint8_t> Bytes(uint32_t address, uint32_t count) {
  return LocalTensor<uint8_t>(TPosition::VECCALC, address, count);
}

// 4 rows of 16: 0 to 7, the rest far below.
void FillRows(const LocalTensor<float>& src) {
  for (uint32_t i = 0; i < 64; ++i) {
    src.SetValue(i, i % 16 < 8 ? static_cast<float>(i % 16) : -100.0f);
  }
}
double Expected(uint32_t column) {
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += std::exp(i - 7.0);
  return std::exp(static_cast<int>(column) - 7.0) / sum;
}
void ExpectSoftmax(const LocalTensor<float>& dst, float scale = 1) {
  for (uint32_t i = 0; i < 64; ++i) {
    const double expected = i % 16 < 8 ? Expected(i % 16) : 0;
    EXPECT_NEAR(dst.GetValue(i) * scale, expected, 1e-6) << i;
  }
}

TEST(RowFunctions, FindTheirShape) {
  KernelRunner(1).Run([] {
    const auto src = Tensor(0);
    const auto dst = Tensor(1);
    const auto sum = Tensor(2);
    const auto max = Tensor(3);
    FillRows(src);
    SoftMaxTiling tiling;
    AscendC::SoftMax<float>(dst, sum, max, src, tiling, AscendC::SoftMaxShapeInfo{4, 16, 4, 16});
    ExpectSoftmax(dst);
    EXPECT_EQ(max.GetValue(31), 7.0f);
    EXPECT_EQ(sum.GetValue(24), sum.GetValue(31));

    tiling = bascule_tiling::SoftMaxSplit(4, 16, 4, 1024);
    AscendC::SoftMax<float>(src, src, tiling);
    ExpectSoftmax(src);

    FillRows(src);
    static constexpr AscendC::SoftmaxConfig kConfig = {true, 4, 8};
    AscendC::SoftMax<float, false, false, kConfig>(dst, src, tiling);
    for (uint32_t i = 0; i < 8; ++i) EXPECT_NEAR(dst.GetValue(i), Expected(i), 1e-6);
  });
  const std::string error =
      KernelRunner(1).Error([] { AscendC::SoftMax<float>(Tensor(1), Tensor(0), SoftMaxTiling()); });
  EXPECT_NE(error.find("SoftMax: the shape of the source is not known; pass a SoftMaxShapeInfo"),
            std::string::npos)
      << error;
}

TEST(RowFunctions, TellTooLittleTemporarySpace) {
  const AscendC::SoftMaxShapeInfo shape(4, 16, 4, 16);
  KernelRunner(1).Run([&] {
    FillRows(Tensor(0));
    AscendC::SoftMax<float>(Tensor(1), Tensor(0), Bytes(4096, 256), SoftMaxTiling(), shape);
    ExpectSoftmax(Tensor(1));
  });
  const std::string error = KernelRunner(1).Error([&] {
    AscendC::SoftMax<float>(Tensor(1), Tensor(0), Bytes(4096, 224), SoftMaxTiling(), shape);
  });
  EXPECT_NE(error.find("SoftMax: sharedTmpBuffer has 224 bytes; the device needs at least 256"),
            std::string::npos)
      << error;
}

// Two halves of a row, carried on: what the last round divides by is the sum of all.
TEST(RowFunctions, CarryStatisticsOn) {
  KernelRunner(1).Run([] {
    const auto src = Tensor(0);
    const auto sum = Tensor(2);
    const auto max = Tensor(3);
    const auto exp_max = Tensor(4);
    const AscendC::SoftMaxShapeInfo half(4, 8, 4, 8);
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t value = i / 32 * 8 + i % 8;
      src.SetValue(i, static_cast<float>(value));
    }
    AscendC::SoftmaxFlashV2<float>(src, sum, max, src, exp_max, sum, max, SoftMaxTiling(), half);
    AscendC::SoftmaxFlashV2<float, true>(src[32], sum, max, src[32], exp_max, sum, max,
                                         SoftMaxTiling(), half);
    double total = 0;
    for (int i = 0; i < 16; ++i) total += std::exp(i - 15.0);
    EXPECT_EQ(max.GetValue(5), 15.0f);
    EXPECT_NEAR(sum.GetValue(5), total, 1e-6);
    EXPECT_NEAR(exp_max.GetValue(5), std::exp(-8.0), 1e-9);
    EXPECT_NEAR(src.GetValue(0) * exp_max.GetValue(0), std::exp(-15.0), 1e-9);
    EXPECT_NEAR(src.GetValue(32 + 7), 1, 1e-6);
  });
}

TEST(RowFunctions, NormaliseAndTellWhichOperandDoesNotFit) {
  LayerNormTiling tiling;
  tiling.bLength = 2;
  tiling.sLength = 2;
  tiling.hLength = tiling.originalHLength = 16;
  KernelRunner(1).Run([&] {
    const auto gamma = Tensor(4);
    const auto beta = Tensor(5);
    FillRows(Tensor(0));
    for (uint32_t i = 0; i < 16; ++i) {
      gamma.SetValue(i, 2.0f);
      beta.SetValue(i, 1.0f);
    }
    AscendC::LayerNorm<float>(Tensor(1), Tensor(2), Tensor(3), Tensor(0), gamma, beta, 0.0f,
                              tiling);
    const double mean = (28 - 800) / 16.0;
    double variance = 0;
    for (uint32_t i = 0; i < 16; ++i)
      variance += std::pow(double(Tensor(0).GetValue(i)) - mean, 2) / 16;
    for (uint32_t row = 0; row < 4; ++row) {
      EXPECT_NEAR(Tensor(2).GetValue(row), mean, 1e-4);
      EXPECT_NEAR(Tensor(3).GetValue(row), variance, 1e-2);
      EXPECT_NEAR(Tensor(1).GetValue(row * 16 + 3), (3 - mean) / std::sqrt(variance) * 2 + 1, 1e-5);
    }
  });
  const std::string error = KernelRunner(1).Error([&] {
    const LocalTensor<float> outside(TPosition::VECCALC, 192 * 1024 - 32, 8);
    AscendC::LayerNorm<float>(Tensor(1), Tensor(2), Tensor(3), Tensor(0), Tensor(4), outside, 0.0f,
                              tiling);
  });
  EXPECT_NE(error.find("LayerNorm"), std::string::npos) << error;
  EXPECT_NE(error.find("reads 64 bytes at address"), std::string::npos) << error;
  const std::string unknown = KernelRunner(1).Error([&] {
    AscendC::LayerNorm<float>(Tensor(1), Tensor(2), Tensor(3), Tensor(0), Tensor(4), Tensor(5),
                              0.0f, LayerNormTiling());
  });
  EXPECT_NE(unknown.find("LayerNorm: the tiling holds no shape"), std::string::npos) << unknown;
}

TEST(RowFunctions, AdjustRowsOfAValue) {
  KernelRunner(1).Run([] {
    const auto res = Tensor(0);
    const auto max = Tensor(1);
    FillRows(res);
    for (uint32_t i = 0; i < 32; ++i) max.SetValue(i, i / 8 == 2 ? -1.0f : 1.0f);
    const AscendC::SoftMaxShapeInfo shape(4, 16, 4, 16);
    EXPECT_TRUE((AscendC::AdjustSoftMaxRes<float, float>(res, max, 0xbf800000, 5.0f, shape)));
    EXPECT_FALSE((AscendC::AdjustSoftMaxRes<float, float>(res, max, 0xff800000, 6.0f, shape)));
    EXPECT_EQ(res.GetValue(31), -100.0f);
    EXPECT_EQ(res.GetValue(32), 5.0f);
    EXPECT_EQ(res.GetValue(47), 5.0f);
    EXPECT_EQ(res.GetValue(48), 0.0f);
  });
}

}  // namespace
}  // namespace bascule::engine

// Cast as kernels call it: every call form, the widths of masks and strides, four-bit elements, the
// scale of int32_t to half, single numbers. What is computed is tested in tests/isa.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::Cast;
using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TPosition;
using test::KernelRunner;

// Two tensors in the unified buffer, the source counting up from -1 in steps of a half, the
// destination zeros.
template <typename T, typename U>
void Convert(const std::function<void(LocalTensor<T>, LocalTensor<U>)>& kernel) {
  KernelRunner(1).Run([&] {
    AscendC::TPipe pipe;
    AscendC::TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32 * 1024);
    LocalTensor<T> dst = buffer.Get<T>();
    LocalTensor<U> src = buffer.Get<uint8_t>()[16 * 1024].ReinterpretCast<U>();
    for (uint32_t i = 0; i < 16 * 1024 / sizeof(T); ++i) dst.SetValue(i, 0);
    for (uint32_t i = 0; i < 1024; ++i) src.SetValue(i, -1 + 0.5 * i);
    kernel(dst, src);
  });
}

TEST(Conversion, TakesACount) {
  Convert<int32_t, half>([](auto dst, auto src) {
    Cast(dst, src, RoundMode::CAST_CEIL, 100);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(dst.GetValue(i), -1 + (i + 1) / 2);
    EXPECT_EQ(dst.GetValue(100), 0);
  });
}

// Lanes are those of the wider type: 64 of int32_t, 4 datablocks of half.
TEST(Conversion, TakesMasksOfTheWiderType) {
  Convert<int32_t, half>([](auto dst, auto src) {
    Cast(dst, src, RoundMode::CAST_FLOOR, 64, 2, {1, 1, 8, 4});
    for (int i = 0; i < 128; ++i) EXPECT_EQ(dst.GetValue(i), (i - 2) >> 1) << i;
    EXPECT_EQ(dst.GetValue(128), 0);
  });
  Convert<half, float>([](auto dst, auto src) {
    uint64_t mask[2] = {0x8000000000000003, ~uint64_t{0}};
    Cast(dst, src, RoundMode::CAST_NONE, mask, 1, {1, 1, 4, 8});
    for (int i = 0; i < 128; ++i) {
      EXPECT_EQ(dst.GetValue(i), i < 2 || i == 63 ? -1 + 0.5 * i : 0) << i;
    }
  });
}

TEST(Conversion, TakesTheMaskRegisterAndCounterMode) {
  Convert<float, half>([](auto dst, auto src) {
    AscendC::SetVectorMask<float>(3);
    Cast<float, half, false>(dst, src, RoundMode::CAST_NONE, AscendC::MASK_PLACEHOLDER, 1,
                             {1, 1, 8, 4});
    EXPECT_EQ(dst.GetValue(2), 0.0f);
    EXPECT_EQ(dst.GetValue(1), -0.5f);
    AscendC::SetMaskCount();
    AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(70);
    Cast<float, half, false>(dst, src, RoundMode::CAST_NONE, AscendC::MASK_PLACEHOLDER, 1,
                             {1, 1, 8, 4});
    AscendC::SetMaskNorm();
    EXPECT_EQ(dst.GetValue(69), 33.5f);
    EXPECT_EQ(dst.GetValue(70), 0.0f);
  });
}

TEST(Conversion, PacksFourBitElements) {
  Convert<int8_t, half>([](auto dst, auto src) {
    auto pairs = dst.template ReinterpretCast<AscendC::int4b_t>();
    EXPECT_EQ(pairs.GetSize(), 2 * dst.GetSize());
    EXPECT_EQ(pairs.GetLength(), dst.GetLength());
    Cast<AscendC::int4b_t, half>(pairs[64], src, RoundMode::CAST_TRUNC, 128, 1, {1, 1, 2, 8});
    EXPECT_EQ(dst.GetValue(31), 0);
    EXPECT_EQ(dst.GetValue(32), 0x0f);       // -1, -0.5
    EXPECT_EQ(dst.GetValue(32 + 7), 0x66);   // 6, 6.5
    EXPECT_EQ(dst.GetValue(32 + 63), 0x77);  // saturated
    EXPECT_EQ(dst.GetValue(32 + 64), 0);
    auto back = dst[1024].template ReinterpretCast<half>();
    Cast(back, pairs[64], RoundMode::CAST_NONE, 16);
    EXPECT_EQ(back.GetValue(0), -1);
    EXPECT_EQ(back.GetValue(15), 6);
  });
}

TEST(Conversion, ScalesInt32ByTheRegister) {
  Convert<half, int32_t>([](auto dst, auto src) {
    src.SetValue(3, 1000);
    AscendC::SetDeqScale(half(0.25));
    Cast(dst, src, RoundMode::CAST_NONE, 4);
    EXPECT_EQ(dst.GetValue(3), 250);
  });
  const std::string error = KernelRunner(1).Error([] {
    AscendC::LocalTensor<half> dst(TPosition::VECCALC, 0, 64);
    AscendC::LocalTensor<int32_t> src(TPosition::VECCALC, 256, 64);
    Cast(dst, src, RoundMode::CAST_NONE, 64);
  });
  EXPECT_NE(error.find("SetDeqScale"), std::string::npos) << error;
}

TEST(Conversion, RefusesAModeWithALine) {
  const std::string error = KernelRunner(1).Error([] {
    AscendC::LocalTensor<float> src(TPosition::VECCALC, 0, 64);
    AscendC::LocalTensor<int32_t> dst(TPosition::VECCALC, 256, 64);
    Cast(dst, src, RoundMode::CAST_ODD, 64);
  });
  EXPECT_NE(error.find("from float32 to int32 the rounding mode CAST_ODD is not available"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("conversion_test.cpp:"), std::string::npos) << error;
}

TEST(Conversion, ChecksWhatFourBitElementsTouch) {
  const std::string error = KernelRunner(1).Error([] {
    AscendC::LocalTensor<half> src(TPosition::VECCALC, 0, 64);
    AscendC::LocalTensor<AscendC::int4b_t> dst(TPosition::VECCALC, 192 * 1024 - 32, 64);
    Cast(dst, src, RoundMode::CAST_RINT, 66);
  });
  EXPECT_NE(error.find("Cast"), std::string::npos) << error;
}

TEST(Conversion, TakesTheWholePartOfIntegerRoots) {
  for (int64_t root : {int64_t{1}, int64_t{2}, int64_t{46340}, int64_t{94906266},
                       int64_t{3037000498}, int64_t{3037000499}}) {
    EXPECT_EQ(AscendC::Std::sqrt(root * root), root);
    EXPECT_EQ(AscendC::Std::sqrt(root * root - 1), root - 1);
    EXPECT_EQ(AscendC::Std::sqrt(root * root + 1), root);
  }
  EXPECT_EQ(AscendC::Std::sqrt(int64_t{0}), 0);
  EXPECT_EQ(AscendC::Std::sqrt(INT64_MAX), 3037000499);
  EXPECT_EQ(AscendC::Std::sqrt(2.25f), 1.5f);
}

TEST(Conversion, ConvertsSingleNumbers) {
  EXPECT_EQ(AscendC::Cast(3.14159f), bfloat16_t(3.140625f));
  EXPECT_EQ(AscendC::Cast(bfloat16_t(3.140625f)), 3.140625f);
  EXPECT_EQ(AscendC::ToFloat(AscendC::ToBfloat16(2.5f)), 2.5f);
  EXPECT_EQ((Cast<float, half, RoundMode::CAST_ODD>(3.14159f)), 3.142578125f);
  EXPECT_EQ((Cast<float, int32_t, RoundMode::CAST_ROUND>(2.5f)), 3);
  EXPECT_EQ((Cast<float, int32_t, RoundMode::CAST_CEIL>(1.5f)), 2);
  EXPECT_EQ((Cast<float, int32_t, RoundMode::CAST_FLOOR>(-1.5f)), -2);
  EXPECT_EQ((AscendC::ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f)), 2);
}

}  // namespace
}  // namespace bascule::engine

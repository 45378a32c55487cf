// Cast as kernels call it: every call form, the widths of masks and strides, four-bit elements, the
// scale of int32_t to half, single numbers. What is computed is tested in tests/isa.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

// From half to float a repeat has 64 lanes, and the source 4 datablocks.
TEST(Conversion, AccumulatesHalvesInFloat) {
  Convert<float, half>([](auto dst, auto src) {
    AscendC::Axpy(dst, src, half(2), 100);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(dst.GetValue(i), -2 + i) << i;
    AscendC::MulAddDst(dst, src, src, uint64_t{64}, 2, {1, 1, 1, 8, 4, 4});
    for (int i = 0; i < 128; ++i) {
      const float x = -1 + 0.5f * static_cast<float>(i);
      EXPECT_EQ(dst.GetValue(i), (i < 100 ? 2 * x : 0) + x * x) << i;
    }
    uint64_t mask[2] = {1, 0};
    AscendC::Axpy<float, half>(dst, src, half(1), mask, 1, {1, 1, 8, 4});
    EXPECT_EQ(dst.GetValue(0), -2);
    EXPECT_EQ(dst.GetValue(1), -0.75f);
  });
}

TEST(Conversion, AddsMultipliesAndCastsInOneCall) {
  Convert<int8_t, half>([](auto dst, auto src) {
    AscendC::AddReluCast(dst, src, src, 10);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(dst.GetValue(i), std::max(0, i - 2)) << i;
    AscendC::SubReluCast(dst, src, src[16], 16);
    EXPECT_EQ(dst.GetValue(0), 0);
    AscendC::MulCast(dst, src, src, uint64_t{128}, 1, {1, 1, 1, 4, 8, 8});
    EXPECT_EQ(dst.GetValue(4), 1);
    EXPECT_EQ(dst.GetValue(5), 2);  // 2.25
    EXPECT_EQ(dst.GetValue(127), 127);
  });
  Convert<half, float>([](auto dst, auto src) {
    uint64_t mask[2] = {~uint64_t{0}, 0};
    AscendC::SubReluCast(dst, src[8], src, mask, 1, {1, 1, 1, 4, 8, 8});
    EXPECT_EQ(float(dst.GetValue(63)), 4);
    EXPECT_EQ(float(dst.GetValue(64)), 0);
  });
}

TEST(Conversion, RoundsWhatShiftsFallOut) {
  Convert<int16_t, int16_t>([](auto dst, auto src) {
    src.SetValue(0, 17);
    src.SetValue(1, 15);
    src.SetValue(2, -17);
    src.SetValue(3, -1);
    AscendC::ShiftRight(dst, src, int16_t(5), uint64_t{4}, 1, {1, 1, 8, 8}, true);
    EXPECT_EQ(dst.GetValue(0), 1);
    EXPECT_EQ(dst.GetValue(1), 0);
    EXPECT_EQ(dst.GetValue(2), -1);
    EXPECT_EQ(dst.GetValue(3), 0);
    AscendC::ShiftRight(dst, src, int16_t(5), uint64_t{4}, 1, {1, 1, 8, 8});
    EXPECT_EQ(dst.GetValue(0), 0);
    EXPECT_EQ(dst.GetValue(3), -1);
    AscendC::ShiftRight(dst, src, int16_t(4), 2);
    EXPECT_EQ(dst.GetValue(0), 1);
  });
}

TEST(Conversion, ScalesIntegersOnTheirWayDown) {
  Convert<int8_t, int16_t>([](auto dst, auto src) {
    for (int i = 0; i < 32; ++i) src.SetValue(i, i);
    AscendC::SetDeqScale(2.0f, -3, true);
    AscendC::CastDequant<int8_t, int16_t, false, false>(dst, src, 32);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(dst.GetValue(i / 16 * 32 + i % 16), 2 * i - 3) << i;
    EXPECT_EQ(dst.GetValue(16), 0);
    float scale[16];
    int16_t offset[16];
    bool sign[16];
    for (int i = 0; i < 16; ++i) {
      scale[i] = i < 8 ? 1.0f : 0.5f;
      offset[i] = static_cast<int16_t>(i);
      sign[i] = true;
    }
    auto vdeq = src[4096].template ReinterpretCast<uint64_t>();
    AscendC::SetDeqScale(vdeq, AscendC::VdeqInfo(scale, offset, sign));
    AscendC::CastDequant<int8_t, int16_t, true, true, true>(dst, src, 32, 1, {1, 1, 8, 8});
    EXPECT_EQ(dst.GetValue(16 + 3), 6);
    EXPECT_EQ(dst.GetValue(48 + 9), 22);  // 21.5 to even
  });
  Convert<half, int32_t>([](auto dst, auto src) {
    for (int i = 0; i < 8; ++i) src.SetValue(i, 100 * i);
    AscendC::SetDeqScale(half(0.5));
    AscendC::CastDeq<half, int32_t>(dst, src, 8);
    EXPECT_EQ(float(dst.GetValue(7)), 350);
    AscendC::AddDeqRelu(dst, src, src, 8);
    EXPECT_EQ(float(dst.GetValue(7)), 700);
    AscendC::AddDeqRelu(dst, src, src[8], uint64_t{2}, 1, {1, 1, 1, 4, 8, 8});
    EXPECT_EQ(float(dst.GetValue(1)), (100 + 3) * 0.5f);
  });
}

TEST(Conversion, AsksForTheScaleOfTheCall) {
  auto sentence = [](auto call) {
    return KernelRunner(1).Error([&] {
      LocalTensor<int8_t> dst(TPosition::VECCALC, 0, 256);
      LocalTensor<int16_t> src(TPosition::VECCALC, 256, 256);
      call(dst, src);
    });
  };
  const std::string none = sentence(
      [](auto dst, auto src) { AscendC::CastDequant<int8_t, int16_t, false>(dst, src, 16); });
  EXPECT_NE(none.find("SetDeqScale(scale, offset, signMode)"), std::string::npos) << none;
  const std::string sign = sentence([](auto dst, auto src) {
    AscendC::SetDeqScale(1.0f, 0, false);
    AscendC::CastDequant<int8_t, int16_t, false>(dst, src, 16);
  });
  EXPECT_NE(sign.find("signMode false, which is for uint8_t"), std::string::npos) << sign;
}

// Off at the start of every block.
TEST(Saturation, IsOnWhereItWasAskedFor) {
  using AscendC::SaturationMode;
  for (int run = 0; run < 2; ++run) {
    Convert<half, half>([](auto dst, auto src) {
      EXPECT_FALSE(AscendC::GetSaturationFlag<SaturationMode::FLOAT>());
      EXPECT_TRUE(AscendC::GetSaturationFlag<SaturationMode::CAST>());
      EXPECT_EQ((AscendC::GetCtrlSpr<48, 48>()), 1);
      AscendC::Duplicate(src, half(60000), 16);
      AscendC::Add(dst, src, src, 16);
      EXPECT_TRUE(std::isinf(float(dst.GetValue(0))));
      AscendC::SetSaturationFlag<SaturationMode::FLOAT>(true);
      EXPECT_EQ((AscendC::GetCtrlSpr<40, 50>()), 0);
      AscendC::Add(dst, src, src, 16);
      EXPECT_EQ(float(dst.GetValue(0)), 65504);
      AscendC::Muls(dst, src, half(-2), uint64_t{3}, 1, {1, 1, 8, 8});
      EXPECT_EQ(float(dst.GetValue(2)), -65504);
      AscendC::Exp(dst, src, 16);
      EXPECT_EQ(float(dst.GetValue(15)), 65504);
      AscendC::Ln(dst, dst[16], 16);  // of 0
      EXPECT_EQ(float(dst.GetValue(0)), -65504);
      auto wide = src[1024].template ReinterpretCast<float>();
      AscendC::Duplicate(wide, 1e30f, 16);
      Cast(dst, wide, RoundMode::CAST_NONE, 16);
      EXPECT_EQ(float(dst.GetValue(3)), 65504);
      auto whole = src[2048].template ReinterpretCast<int16_t>();
      AscendC::Duplicate(whole, int16_t{30000}, 16);
      AscendC::Adds(whole, whole, int16_t{30000}, 16);
      EXPECT_EQ(whole.GetValue(0), 32767);
      AscendC::SetCtrlSpr<48, 48>(1);
      AscendC::Adds(whole, whole, int16_t{1}, 16);
      EXPECT_EQ(whole.GetValue(0), -32768);
      set_ctrl(sbitset0(get_ctrl(), 48));
      EXPECT_TRUE(AscendC::GetSaturationFlag<SaturationMode::FLOAT>());
    });
  }
}

TEST(Saturation, OfAccumulatingStores) {
  std::vector<half> out(16, half(60000));
  KernelRunner(1).Output("out", out).Run([&] {
    LocalTensor<half> tile(TPosition::VECCALC, 0, 16);
    AscendC::Duplicate(tile, half(60000), 16);
    AscendC::GlobalTensor<half> to;
    to.SetGlobalBuffer(out.data(), 16);
    AscendC::SetSaturationFlag<AscendC::SaturationMode::FLOAT>(true);
    AscendC::SetAtomicAdd<half>();
    AscendC::DataCopy(to, tile, 16);
    AscendC::DisableDmaAtomic();
  });
  EXPECT_EQ(float(out[0]), 65504);
}

TEST(Saturation, WhatIsNotGivenIsASentence) {
  std::string error = KernelRunner(1).Error(
      [] { AscendC::SetSaturationFlag<AscendC::SaturationMode::CAST>(false); });
  EXPECT_NE(error.find("conversions that keep the low bits"), std::string::npos) << error;
  error = KernelRunner(1).Error([] {
    LocalTensor<half> tile(TPosition::VECCALC, 0, 128);
    AscendC::SetSaturationFlag<AscendC::SaturationMode::FLOAT>(true);
    AscendC::WholeReduceMax(tile, tile, 128, 1, 1, 1, 8);
  });
  EXPECT_NE(error.find("reductions of half are not given in saturation mode"), std::string::npos)
      << error;
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

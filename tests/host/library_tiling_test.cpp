// The advanced library's plans beside those of mathematics: what the host computes is what a kernel
// reads, and a shape that has no plan is a sentence. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LibraryTiling)
TILING_DATA_FIELD_DEF(uint32_t, first);
TILING_DATA_FIELD_DEF_STRUCT(ConfusionTransposeTiling, transpose);
TILING_DATA_FIELD_DEF_STRUCT(PadTiling, pad);
TILING_DATA_FIELD_DEF_STRUCT(UnPadTiling, unpad);
TILING_DATA_FIELD_DEF_STRUCT(TopkTiling, topk);
END_TILING_DATA_DEF;
}  // namespace optiling

namespace {

using AscendC::TensorDataType;
using AscendC::TensorShape;

template <typename Call>
std::string Message(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

const platform_ascendc::PlatformAscendC& Platform() {
  static const platform_ascendc::PlatformAscendC& platform =
      *platform_ascendc::PlatformAscendCManager::GetInstance();
  return platform;
}

TEST(LibraryTiling, TheKernelReadsWhatTheHostPlanned) {
  struct Plain {
    uint32_t first;
    AscendC::tiling::ConfusionTransposeTiling transpose;
    AscendC::tiling::PadTiling pad;
    AscendC::tiling::UnPadTiling unpad;
    AscendC::tiling::TopkTiling topk;
  };
  optiling::LibraryTiling data;
  AscendC::GetTransposeTilingInfo(TensorShape({1, 2, 64, 32}), 256, 2, 1, data.transpose);
  AscendC::PadTilingFunc(TensorShape({32, 16}), TensorShape({32, 14}), 256, 2, data.pad);
  AscendC::UnPadTilingFunc(TensorShape({17, 16}), 256, 2, data.unpad);
  ASSERT_TRUE(AscendC::TopKTilingFunc(Platform(), 64, 3, 5, 4, true, AscendC::TopKMode::TOPK_NORMAL,
                                      true, data.topk));
  ASSERT_EQ(data.GetDataSize(), sizeof(Plain));
  Plain read;
  data.SaveToBuffer(&read, sizeof(read));
  EXPECT_EQ(read.transpose.param0, 1U);
  EXPECT_EQ(read.transpose.param1, 2U);
  EXPECT_EQ(read.transpose.param2, 64U);
  EXPECT_EQ(read.transpose.param3, 32U);
  EXPECT_EQ(read.pad.srcHeight, 32U);
  EXPECT_EQ(read.pad.srcWidth, 16U);
  EXPECT_EQ(read.pad.srcOriWidth, 14U);
  EXPECT_EQ(read.unpad.srcHeight, 17U);
  EXPECT_EQ(read.unpad.srcWidth, 16U);
  EXPECT_EQ(read.topk.allDataSize, 192);
  EXPECT_EQ(read.topk.innerDataSize, 64);
  EXPECT_EQ(read.topk.kAlignFourBytes, 8);
  EXPECT_EQ(read.topk.kAlignTwoBytes, 16);

  // A plain structure is planned in the same way.
  AscendC::tiling::ConfusionTransposeTiling plain;
  AscendC::GetTransposeTilingInfo(TensorShape({16, 48}), 0, 4, 7, plain);
  EXPECT_EQ(plain.param0, 1U);
  EXPECT_EQ(plain.param1, 16U);
  EXPECT_EQ(plain.param2, 48U);
  AscendC::GetTransposeTilingInfo(TensorShape({3, 5, 7}), 0, 4, 15, plain);
  EXPECT_EQ(plain.param0, 3U);
  EXPECT_EQ(plain.param2, 7U);
  AscendC::GetConfusionTransposeOnlyTilingInfo(TensorShape({32, 16}), 0, 4, plain);
  EXPECT_EQ(plain.param1, 32U);
}

TEST(LibraryTiling, EveryHelperAsksForSomeSpace) {
  const TensorShape shape({16, 100});
  const TensorShape row({1, 100});
  const TensorShape one({1});
  struct Sizes {
    uint32_t max = 1;
    uint32_t min = 1;
  };
  auto expect = [](const char* name, const Sizes& sizes) {
    EXPECT_EQ(sizes.min, 256U) << name;
    EXPECT_GE(sizes.max, sizes.min) << name;
    EXPECT_EQ(sizes.max % 32, 0U) << name;
  };
#define BASCULE_EXPECT_SIZES(name, ...)                           \
  {                                                               \
    Sizes s;                                                      \
    AscendC::Get##name##MaxMinTmpSize(__VA_ARGS__, s.max, s.min); \
    expect(#name, s);                                             \
  }
  BASCULE_EXPECT_SIZES(Sum, 100, 4, false)
  BASCULE_EXPECT_SIZES(Mean, 100, 2, 4, false)
  const TensorDataType type = TensorDataType::DT_FLOAT;
  const AscendC::ReducePattern ar = AscendC::ReducePattern::AR;
  BASCULE_EXPECT_SIZES(ReduceSum, shape, type, ar, true, false)
  BASCULE_EXPECT_SIZES(ReduceMax, shape, type, ar, true, false)
  BASCULE_EXPECT_SIZES(ReduceMin, shape, type, ar, true, false)
  BASCULE_EXPECT_SIZES(ReduceMean, shape, type, ar, true, false)
  BASCULE_EXPECT_SIZES(ReduceProd, shape, type, ar, true, false)
  BASCULE_EXPECT_SIZES(ReduceAny, shape, type, ar, true, false)
  BASCULE_EXPECT_SIZES(ReduceAll, shape, type, ar, true, false)
  BASCULE_EXPECT_SIZES(ReduceXorSum, shape, 2, false)
  BASCULE_EXPECT_SIZES(CumSum, shape, 2, true, false)
  BASCULE_EXPECT_SIZES(BroadCast, Platform(), row, shape, 4, false)
  BASCULE_EXPECT_SIZES(
      TransData, Platform(), TensorShape({1, 16, 2, 4, 4}), TensorShape({1, 2, 1, 4, 4, 16}),
      TensorDataType::DT_FLOAT16,
      AscendC::TransDataConfig{AscendC::DataFormat::NCDHW, AscendC::DataFormat::NDC1HWC0})
  BASCULE_EXPECT_SIZES(Transpose, TensorShape({1, 2, 64, 32}), 2, 1)
  BASCULE_EXPECT_SIZES(ConfusionTranspose, TensorShape({16, 32}), 2, 7)
  BASCULE_EXPECT_SIZES(Pad, shape, 4)
  BASCULE_EXPECT_SIZES(UnPad, Platform(), shape, 4)
  BASCULE_EXPECT_SIZES(Select, shape, one, 2, shape, 1, false)
  BASCULE_EXPECT_SIZES(SelectWithBytesMask, one, shape, 2, shape, 1, false)
  BASCULE_EXPECT_SIZES(DropOut, shape, 4, false)
  BASCULE_EXPECT_SIZES(AscendQuant, shape, 2)
  BASCULE_EXPECT_SIZES(AscendDequant, shape, 4)
  BASCULE_EXPECT_SIZES(AscendAntiQuant, shape, row, false, TensorDataType::DT_INT8,
                       TensorDataType::DT_BF16)
#undef BASCULE_EXPECT_SIZES
  EXPECT_EQ(AscendC::GetSelectMaxTmpSize(one, shape, 2, shape, 1, false), 6400U);
  EXPECT_EQ(AscendC::GetSelectMinTmpSize(one, shape, 2, shape, 1, false), 256U);
  EXPECT_EQ(AscendC::GetDropOutMaxTmpSize(shape, 4, false), 6400U);
  EXPECT_EQ(AscendC::GetSortTmpSize(Platform(), 128, 4), 1024U);
  EXPECT_EQ(AscendC::GetConcatTmpSize(Platform(), 128, 4), 0U);
  uint32_t max = 1;
  uint32_t min = 1;
  AscendC::GetArangeMaxMinTmpSize(max, min);
  EXPECT_EQ(max, 0U);
  EXPECT_EQ(min, 0U);
  EXPECT_TRUE(AscendC::GetTopKMaxMinTmpSize(Platform(), 32, 2, false, true,
                                            AscendC::TopKMode::TOPK_NSMALL, true, 4, max, min));
  EXPECT_EQ(min, 256U);
}

TEST(LibraryTiling, AShapeWithoutAPlanIsASentence) {
  AscendC::tiling::ConfusionTransposeTiling transpose;
  EXPECT_EQ(Message([&] {
              AscendC::GetTransposeTilingInfo(TensorShape({1, 2, 3}), 0, 2, 1, transpose);
            }),
            "GetTransposeTilingInfo: the shape has 3 dimensions; it has to have 4");
  EXPECT_EQ(Message([&] {
              AscendC::GetTransposeTilingInfo(TensorShape({1, 2}), 0, 2, 8, transpose);
            }),
            "GetTransposeTilingInfo: transposeTypeIn is 8; it has to be 1 to 7 or 13 to 15");
  EXPECT_EQ(Message([&] {
              AscendC::GetTransposeTilingInfo(TensorShape({-1, 2}), 0, 2, 7, transpose);
            }),
            "GetTransposeTilingInfo: dimension 0 is -1; it has to be known and fit in 32 bits");
  uint32_t max = 0;
  uint32_t min = 0;
  EXPECT_EQ(Message([&] {
              AscendC::GetReduceMaxMaxMinTmpSize(TensorShape({1, 2, 3}), TensorDataType::DT_FLOAT,
                                                 AscendC::ReducePattern::AR, true, false, max, min);
            }),
            "GetReduceMaxMaxMinTmpSize: the pattern is AR or RA and the shape has two dimensions; "
            "it has 3");
  // TopK says it by its result, as documented.
  AscendC::tiling::TopkTiling topk;
  for (const int inner : {0, 31, 33, 4128}) {
    EXPECT_FALSE(AscendC::TopKTilingFunc(Platform(), inner, 1, 1, 4, false,
                                         AscendC::TopKMode::TOPK_NORMAL, true, topk));
  }
  EXPECT_FALSE(AscendC::TopKTilingFunc(Platform(), 64, 1, 65, 4, false,
                                       AscendC::TopKMode::TOPK_NORMAL, true, topk));
  EXPECT_FALSE(AscendC::TopKTilingFunc(Platform(), 64, 1, 1, 4, false,
                                       AscendC::TopKMode::TOPK_NSMALL, true, topk));
}

}  // namespace

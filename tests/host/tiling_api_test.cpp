// Tiling data as classes, and the size helpers of the advanced library: what a host program that
// includes nothing else sees.
#include "tiling/tiling_api.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace optiling {
BEGIN_TILING_DATA_DEF(PartTiling)
TILING_DATA_FIELD_DEF(uint8_t, small);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, sizes);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(PartTilingOp, PartTiling)

BEGIN_TILING_DATA_DEF(WholeTiling)
TILING_DATA_FIELD_DEF_STRUCT(LayerNormTiling, norm);
TILING_DATA_FIELD_DEF(bool, flag);
TILING_DATA_FIELD_DEF(int64_t, total);
TILING_DATA_FIELD_DEF_STRUCT(PartTiling, part);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Whole, WholeTiling)
}  // namespace optiling

namespace {

// What the kernel declares.
struct Part {
  uint8_t small;
  uint16_t sizes[3];
};
struct Whole {
  AscendC::tiling::LayerNormTiling norm;
  bool flag;
  int64_t total;
  Part part;
  float scale;
};

std::string Message(void (*call)()) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(TilingData, TheKernelReadsWhatTheHostWrote) {
  optiling::WholeTiling data;
  data.norm.set_hLength(65);
  data.norm.set_lastDimValueBack(0.25F);
  data.set_flag(true);
  data.set_total(-(int64_t{1} << 40));
  data.part.set_small(7);
  const uint16_t sizes[] = {1, 2, 65535, 4};
  data.part.set_sizes(sizes);
  data.set_scale(1.5F);
  EXPECT_EQ(data.get_total(), -(int64_t{1} << 40));
  EXPECT_EQ(data.part.get_sizes()[2], 65535);

  ASSERT_EQ(data.GetDataSize(), sizeof(Whole));
  Whole read;
  char bytes[sizeof(Whole) + 1];
  bytes[sizeof(Whole)] = 'x';
  data.SaveToBuffer(bytes, sizeof(bytes));
  std::memcpy(&read, bytes, sizeof(read));
  EXPECT_EQ(bytes[sizeof(Whole)], 'x');
  EXPECT_EQ(read.norm.bLength, 0U);
  EXPECT_EQ(read.norm.hLength, 65U);
  EXPECT_EQ(read.norm.lastDimValueBack, 0.25F);
  EXPECT_TRUE(read.flag);
  EXPECT_EQ(read.total, -(int64_t{1} << 40));
  EXPECT_EQ(read.part.small, 7);
  EXPECT_EQ(read.part.sizes[0], 1);
  EXPECT_EQ(read.part.sizes[2], 65535);
  EXPECT_EQ(read.scale, 1.5F);
}

TEST(TilingData, EqualContentsAreEqualBytes) {
  // On memory that was something else before: padding must not show through.
  alignas(optiling::WholeTiling) char first[sizeof(optiling::WholeTiling)];
  alignas(optiling::WholeTiling) char second[sizeof(optiling::WholeTiling)];
  std::memset(first, 0x5a, sizeof(first));
  std::memset(second, 0xa5, sizeof(second));
  new (first) optiling::WholeTiling;
  new (second) optiling::WholeTiling;
  EXPECT_EQ(std::memcmp(first, second, sizeof(first)), 0);
}

TEST(TilingData, TooSmallABufferIsASentence) {
  const std::string message = Message([] {
    optiling::PartTiling data;
    char bytes[4];
    data.SaveToBuffer(bytes, sizeof(bytes));
  });
  EXPECT_EQ(message,
            "PartTiling::SaveToBuffer: the tiling data has 8 bytes, the buffer has 4 bytes");
}

TEST(TmpSize, MinimumAndMaximum) {
  struct Case {
    int64_t elements;
    uint32_t type_bytes;
    uint32_t max;
  };
  for (const Case& c :
       {Case{0, 4, 256}, Case{1, 2, 256}, Case{64, 4, 256}, Case{65, 4, 288}, Case{1000, 2, 4000},
        Case{8192, 4, 32768}, Case{int64_t{1} << 40, 4, 0xffffffe0U}}) {
    uint32_t max = 1;
    uint32_t min = 1;
    AscendC::GetErfMaxMinTmpSize(AscendC::TensorShape({c.elements}), c.type_bytes, false, max, min);
    EXPECT_EQ(min, 256U) << c.elements;
    EXPECT_EQ(max, c.max) << c.elements;
    EXPECT_TRUE(AscendC::GetExpMaxMinTmpSize(AscendC::TensorShape({c.elements}), c.type_bytes,
                                             false, max, min));
    EXPECT_EQ(max, c.max) << c.elements;
  }
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetPowerMaxMinTmpSize(AscendC::TensorShape({1}), AscendC::TensorShape({100, 10}), false,
                                 4, false, max, min);
  EXPECT_EQ(max, 4000U);
}

TEST(TmpSize, AShapeWithoutASizeIsASentence) {
  const std::string message = Message([] {
    uint32_t max = 0;
    uint32_t min = 0;
    AscendC::GetTanhMaxMinTmpSize(AscendC::TensorShape({4, -1}), 4, false, max, min);
  });
  EXPECT_EQ(message,
            "GetTanhMaxMinTmpSize: the shape [4, -1] has no size; every dimension must be known "
            "and not negative");
}

TEST(SoftMaxTiling, CutsRowsAsFarAsTheSpaceGoes) {
  struct Case {
    std::vector<int64_t> shape;
    uint32_t tmp_bytes;
    uint32_t split;
    uint32_t rounds;
    uint32_t tail;
  };
  for (const Case& c : {Case{{320, 64}, 256, 1, 320, 0}, Case{{320, 64}, 64 * 4 * 50, 48, 6, 32},
                        Case{{2, 3, 8}, 1 << 20, 6, 1, 0}, Case{{7, 8}, 64, 2, 3, 1}}) {
    const AscendC::TensorShape shape(c.shape);
    AscendC::tiling::SoftMaxTiling plain;
    optiling::SoftMaxTiling data;
    AscendC::SoftMaxTilingFunc(shape, 2, c.tmp_bytes, plain);
    AscendC::SoftMaxTilingFunc(shape, 2, c.tmp_bytes, data);
    EXPECT_EQ(std::memcmp(&plain, &data, sizeof(plain)), 0);
    EXPECT_EQ(int64_t{plain.srcM} * plain.srcK, shape.GetShapeSize());
    EXPECT_EQ(plain.srcK, c.shape.back());
    EXPECT_EQ(plain.outMaxK, 16U);
    EXPECT_EQ(plain.splitM, c.split);
    EXPECT_EQ(plain.rangeM, c.rounds);
    EXPECT_EQ(plain.tailM, c.tail);
    EXPECT_EQ(plain.splitM * plain.rangeM + plain.tailM, plain.srcM);
  }
  optiling::SoftMaxTiling basic;
  AscendC::SoftMaxTilingFunc(AscendC::TensorShape({64, 128}), 2, 128 * 4 * 16, basic);
  EXPECT_TRUE(AscendC::IsBasicBlockInSoftMax(basic));
  AscendC::SoftMaxTilingFunc(AscendC::TensorShape({64, 64}), 2, 128 * 4 * 16, basic);
  EXPECT_FALSE(AscendC::IsBasicBlockInSoftMax(basic));
  EXPECT_GE(AscendC::GetSoftMaxMaxTmpSize(AscendC::TensorShape({64, 64}), 2, false),
            AscendC::GetSoftMaxMinTmpSize(AscendC::TensorShape({64, 64}), 2, false));
}

TEST(NormTiling, HoldsTheShape) {
  AscendC::tiling::LayerNormTiling plain;
  optiling::LayerNormTiling data;
  const AscendC::TensorShape shape({2, 3, 16, 13});
  AscendC::GetLayerNormNDTilingInfo(shape, 512, 2, false, plain);
  AscendC::GetLayerNormNDTilingInfo(shape, 512, 2, false, data);
  EXPECT_EQ(std::memcmp(&plain, &data, sizeof(plain)), 0);
  EXPECT_EQ(plain.bLength * plain.sLength, 6U);
  EXPECT_EQ(plain.hLength, 16U);
  EXPECT_EQ(plain.originalHLength, 13U);
  EXPECT_EQ(plain.lastDimValueBack, 1.0F / 13);
  EXPECT_EQ(
      Message([] {
        AscendC::tiling::LayerNormTiling tiling;
        AscendC::GetLayerNormNDTilingInfo(AscendC::TensorShape({2, 3, 16}), 512, 2, false, tiling);
      }),
      "GetLayerNormNDTilingInfo: the shape has to be [B, S, H, H before padding to 32 "
      "bytes]");

  AscendC::tiling::DeepNormTiling deep;
  EXPECT_TRUE(AscendC::GetDeepNormTilingInfo(AscendC::TensorShape({2, 3, 16}),
                                             AscendC::TensorShape({2, 3, 13}), 512, 2, false, false,
                                             deep));
  EXPECT_EQ(deep.originalHLength, 13U);
  EXPECT_FALSE(AscendC::GetDeepNormTilingInfo(AscendC::TensorShape({2, 3, 16}),
                                              AscendC::TensorShape({2, 4, 13}), 512, 2, false,
                                              false, deep));
  uint32_t max = 0;
  uint32_t min = 0;
  EXPECT_FALSE(AscendC::GetDeepNormMaxMinTmpSize(AscendC::TensorShape({2, 3, 16}), 4, false, true,
                                                 max, min));
  EXPECT_TRUE(AscendC::GetRmsNormMaxMinTmpSize(AscendC::TensorShape({2, 3, 16}), 4, max, min));
  EXPECT_EQ(min, (16U + 8U) * 4U);
  EXPECT_TRUE(AscendC::GetRmsNormMaxMinTmpSize(AscendC::TensorShape({2, 3, 1024}), 4, max, min));
  EXPECT_EQ(min, 256U);
  optiling::GroupNormTiling group;
  AscendC::GetGroupNormNDTilingInfo(AscendC::TensorShape({2, 16, 8, 7}), 512, 2, false, 4, group);
  EXPECT_EQ(group.get_d(), 4U);
  EXPECT_EQ(group.get_hw(), 56U);
  EXPECT_EQ(Message([] {
              AscendC::tiling::GroupNormTiling tiling;
              AscendC::GetGroupNormNDTilingInfo(AscendC::TensorShape({2, 16, 8, 7}), 512, 2, false,
                                                3, tiling);
            }),
            "GetGroupNormNDTilingInfo: 16 channels cannot be cut into 3 groups of the same "
            "number");
}

TEST(Securec, NothingIsWrittenPastTheEnd) {
  char to[4] = {'a', 'b', 'c', 'd'};
  EXPECT_EQ(memcpy_s(to, 2, "xyz", 3), ERANGE);
  EXPECT_EQ(to[0], 'a');
  EXPECT_EQ(memcpy_s(to, 4, nullptr, 1), EINVAL);
  EXPECT_EQ(memcpy_s(to, 4, "xyz", 3), EOK);
  EXPECT_EQ(to[2], 'z');
  EXPECT_EQ(to[3], 'd');
}

}  // namespace

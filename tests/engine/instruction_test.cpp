// Vector instructions as kernels call them: every call form reaches its row with the right
// parameters, and misuse ends the launch with a sentence. What the rows compute is tested in
// tests/isa. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::LocalTensor;
using AscendC::TPosition;
using test::KernelRunner;

// Pieces of the unified buffer.
class Tensors {
 public:
  Tensors() { pipe_.InitBuffer(buffer_, 190 * 1024); }

  template <typename T>
  LocalTensor<T> Take(uint32_t count) {
    LocalTensor<T> all = buffer_.Get<T>();
    LocalTensor<T> out = all[used_ / sizeof(T)];
    out.SetSize(count);
    used_ += (count * sizeof(T) + 31) / 32 * 32;
    return out;
  }
  template <typename T>
  LocalTensor<T> Take(const std::vector<T>& values) {
    LocalTensor<T> out = Take<T>(static_cast<uint32_t>(values.size()));
    for (uint32_t i = 0; i < values.size(); ++i) out.SetValue(i, values[i]);
    return out;
  }
  // `count` elements with value i + `first`.
  template <typename T>
  LocalTensor<T> Counting(uint32_t count, int first = 0) {
    LocalTensor<T> out = Take<T>(count);
    for (uint32_t i = 0; i < count; ++i) out.SetValue(i, T(first + static_cast<int>(i)));
    return out;
  }
  template <typename T>
  LocalTensor<T> Filled(uint32_t count, T value) {
    return Take<T>(std::vector<T>(count, value));
  }

 private:
  AscendC::TPipe pipe_;
  AscendC::TBuf<TPosition::VECCALC> buffer_;
  uint32_t used_ = 0;
};

template <typename T>
std::vector<T> Values(const LocalTensor<T>& tensor, uint32_t count) {
  std::vector<T> out;
  for (uint32_t i = 0; i < count; ++i) out.push_back(tensor.GetValue(i));
  return out;
}

void OnCore(const std::function<void(Tensors&)>& kernel) {
  KernelRunner(1).Run([&] {
    Tensors tensors;
    kernel(tensors);
  });
}
std::string Sentence(const std::function<void(Tensors&)>& kernel) {
  return KernelRunner(1, "misuse").Error([&] {
    Tensors tensors;
    kernel(tensors);
  });
}
#define EXPECT_SENTENCE(text, ...)                                                        \
  do {                                                                                    \
    const std::string error = Sentence([]([[maybe_unused]] Tensors& t) { __VA_ARGS__; }); \
    EXPECT_NE(error.find(text), std::string::npos) << error;                              \
  } while (false)

TEST(Fill, DuplicateInEveryForm) {
  OnCore([](Tensors& t) {
    auto x = t.Filled<float>(256, -1);
    AscendC::Duplicate(x, 2.5f, 70);
    EXPECT_EQ(x.GetValue(69), 2.5f);
    EXPECT_EQ(x.GetValue(70), -1);
    AscendC::Duplicate(x, 3.0f, uint64_t{5}, 2, 2, 16);
    EXPECT_EQ(x.GetValue(4), 3.0f);
    EXPECT_EQ(x.GetValue(5), 2.5f);
    EXPECT_EQ(x.GetValue(128 + 4), 3.0f);
    uint64_t mask[2] = {0x101, 0};
    AscendC::Duplicate(x, 4.0f, mask, 1, 2, 8);
    EXPECT_EQ(x.GetValue(0), 4.0f);
    EXPECT_EQ(x.GetValue(8), 2.5f);
    EXPECT_EQ(x.GetValue(16), 4.0f);
    AscendC::SetVectorMask<float>(0, 2);
    AscendC::Duplicate<float, false>(x, 5.0f, AscendC::MASK_PLACEHOLDER, 1, 1, 8);
    EXPECT_EQ(x.GetValue(0), 4.0f);
    EXPECT_EQ(x.GetValue(1), 5.0f);
    AscendC::SetMaskCount();
    AscendC::Duplicate(x, 6.0f, uint64_t{100}, 1, 1, 8);
    AscendC::SetMaskNorm();
    EXPECT_EQ(x.GetValue(99), 6.0f);
    EXPECT_EQ(x.GetValue(100), -1);
  });
}

TEST(Fill, IndicesAndBroadcasts) {
  OnCore([](Tensors& t) {
    auto i32 = t.Take<int32_t>(256);
    AscendC::CreateVecIndex(i32, 5, 100);
    EXPECT_EQ(i32.GetValue(99), 104);
    AscendC::CreateVecIndex(i32, 1, uint64_t{64}, 2, 1, 8);
    EXPECT_EQ(i32.GetValue(127), 128);
    AscendC::ArithProgression<int32_t>(i32, 10, 3, 150);
    EXPECT_EQ(i32.GetValue(149), 10 + 3 * 149);
    AscendC::Arange(i32, -1, 2, 20);
    EXPECT_EQ(i32.GetValue(19), 37);
    auto source = t.Counting<half>(16);
    auto wide = t.Take<half>(256);
    AscendC::Brcb(wide, source, 2, {1, 8});
    EXPECT_EQ(float(wide.GetValue(15)), 0);
    EXPECT_EQ(float(wide.GetValue(16)), 1);
    EXPECT_EQ(float(wide.GetValue(255)), 15);
  });
}

TEST(Fill, CopyWithMasks) {
  OnCore([](Tensors& t) {
    auto from = t.Counting<int32_t>(18 * 64);
    auto to = t.Filled<int32_t>(512, -1);
    AscendC::Copy(to, from, uint64_t{8}, 18, {1, 1, 1, 8});
    EXPECT_EQ(to.GetValue(17 * 8 + 7), 17 * 64 + 7);
    EXPECT_EQ(to.GetValue(18 * 8), -1);
    auto counted = t.Filled<int32_t>(512, -1);
    AscendC::SetMaskCount();
    AscendC::SetVectorMask<int32_t, AscendC::MaskMode::COUNTER>(144);
    AscendC::Copy<int32_t, false>(counted, from, AscendC::MASK_PLACEHOLDER, 1, {1, 8, 8, 8});
    AscendC::SetMaskNorm();
    AscendC::ResetMask();
    EXPECT_EQ(Values(counted, 145), Values(to, 145));
  });
}

TEST(Fill, MisuseIsASentence) {
  EXPECT_SENTENCE("Duplicate at ", AscendC::Duplicate(t.Take<float>(8), 1.0f, 60000));
  EXPECT_SENTENCE(
      "the mask of a vector instruction selects more lanes than a repeat of 256 bytes has: 65.",
      AscendC::Duplicate(t.Take<float>(8), 1.0f, uint64_t{65}, 1, 1, 8));
  EXPECT_SENTENCE("a vector instruction repeats at most 255 times, not 256.",
                  AscendC::Duplicate(t.Take<float>(8), 1.0f, uint64_t{64}, 256, 1, 8));
  EXPECT_SENTENCE("Brcb at ", auto x = t.Take<float>(64); AscendC::Brcb(x, x, 1, {1, 8}));
  EXPECT_SENTENCE("dstRepeatSize and srcRepeatSize are limited to 4095", auto x = t.Take<float>(64);
                  AscendC::Copy(x, x, uint64_t{8}, 1, {1, 1, 5000, 8}));
}

using AscendC::CMPMODE;
using AscendC::SELMODE;

TEST(Compare, InEveryForm) {
  OnCore([](Tensors& t) {
    auto a = t.Counting<float>(256);
    auto b = t.Filled<float>(256, 100);
    auto bits = t.Filled<uint8_t>(64, 0xee);
    AscendC::Compare(bits, a, b, CMPMODE::LT, 256);
    EXPECT_EQ(bits.GetValue(11), 0xff);
    EXPECT_EQ(bits.GetValue(12), 0x0f);
    EXPECT_EQ(bits.GetValue(13), 0);
    // Beyond the last whole 256 bytes nothing is computed.
    AscendC::Compare(bits, a, b, CMPMODE::GE, 100);
    EXPECT_EQ(bits.GetValue(7), 0);
    EXPECT_EQ(bits.GetValue(8), 0xff);
    // Results follow one another; the mask has no effect.
    AscendC::Compare<float, uint8_t>(bits, a, b, CMPMODE::EQ, uint64_t{3}, 4, {1, 1, 1, 8, 8, 8});
    EXPECT_EQ(bits.GetValue(12), 0x10);
    EXPECT_EQ(bits.GetValue(32), 0xee);
    AscendC::CompareScalar(bits, a, 8.0f, CMPMODE::LE, 64);
    EXPECT_EQ(bits.GetValue(0), 0xff);
    EXPECT_EQ(bits.GetValue(1), 0x01);
    AscendC::Compares(bits, a, 8.0f, CMPMODE::NE, uint64_t{64}, 1, {1, 1, 8, 8});
    EXPECT_EQ(bits.GetValue(1), 0xfe);
  });
}

TEST(Compare, ThroughTheRegister) {
  OnCore([](Tensors& t) {
    auto a = t.Counting<float>(64);
    auto b = t.Filled<float>(64, 10);
    auto bits = t.Filled<uint8_t>(32, 0xee);
    AscendC::Compare(a, b, CMPMODE::LT, uint64_t{64}, AscendC::BinaryRepeatParams());
    AscendC::GetCmpMask(bits);
    EXPECT_EQ(bits.GetValue(0), 0xff);
    EXPECT_EQ(bits.GetValue(1), 0x03);
    EXPECT_EQ(bits.GetValue(16), 0xee);
    auto out = t.Filled<float>(128, -1);
    AscendC::SetVectorMask<float>(0, 0xfff);
    AscendC::Select<float, SELMODE::VSEL_CMPMASK_SPR>(out, b, a, 1, {1, 1, 1, 8, 8, 8});
    EXPECT_EQ(out.GetValue(9), 10);
    EXPECT_EQ(out.GetValue(11), 11);
    EXPECT_EQ(out.GetValue(12), -1);
  });
}

TEST(Select, InEveryForm) {
  OnCore([](Tensors& t) {
    auto a = t.Counting<float>(256);
    auto b = t.Counting<float>(256, 1000);
    auto bits = t.Filled<uint8_t>(32, 0x0f);
    auto out = t.Filled<float>(256, -1);
    AscendC::Select(out, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 250);
    EXPECT_EQ(out.GetValue(3), 3);
    EXPECT_EQ(out.GetValue(4), 1004);
    EXPECT_EQ(out.GetValue(250), -1);
    AscendC::Select(out, bits, a, -5.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{64}, 2,
                    {1, 1, 1, 8, 8, 8});
    EXPECT_EQ(out.GetValue(127), -5);
    EXPECT_EQ(out.GetValue(128), 128);
    uint64_t mask[2] = {0x3, 0};
    AscendC::Select(out, bits, b, a, SELMODE::VSEL_CMPMASK_SPR, mask, 4, {1, 1, 1, 8, 8, 8});
    EXPECT_EQ(out.GetValue(193), 1193);
    EXPECT_EQ(out.GetValue(194), 194);

    // SetCmpMask hands over a scalar, or the address of the bits.
    auto scalar = t.Filled<float>(8, 42);
    AscendC::SetCmpMask(scalar);
    AscendC::SetVectorMask<float>(64);
    AscendC::Select(out, bits, a, 4, {1, 1, 1, 8, 8, 8});
    EXPECT_EQ(out.GetValue(255), 42);
    auto address = t.Take<uint32_t>(8);
    AscendC::Duplicate(address, static_cast<uint32_t>(bits.GetPhyAddr()), 8);
    AscendC::SetCmpMask<int64_t>(address.ReinterpretCast<int64_t>());
    AscendC::SetVectorMask<float>(64);
    AscendC::Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>(out, a, b, 4, {1, 1, 1, 8, 8, 8});
    EXPECT_EQ(out.GetValue(251), 251);
    EXPECT_EQ(out.GetValue(252), 1252);
  });
}

TEST(GatherMask, InBothForms) {
  OnCore([](Tensors& t) {
    auto a = t.Counting<int32_t>(256);
    auto out = t.Filled<int32_t>(256, -1);
    uint64_t taken = 0;
    AscendC::GatherMask(out, a, 2, false, 0, {1, 4, 8, 0}, taken);
    EXPECT_EQ(taken, 128u);
    EXPECT_EQ(out.GetValue(127), 255);
    auto bits = t.Filled<uint32_t>(32, 0x7e7c00a5);
    AscendC::SetMaskCount();
    AscendC::GatherMask(out, a, bits, true, 70, {1, 2, 4, 0}, taken);
    EXPECT_EQ(taken, 2u * 33);
    EXPECT_EQ(out.GetValue(0), 0);
    EXPECT_EQ(out.GetValue(1), 2);
    EXPECT_EQ(out.GetValue(static_cast<uint32_t>(taken / 2)), 32);
    // Masks count lanes of a repeat again.
    AscendC::Duplicate(out, 7, uint64_t{1}, 2, 1, 8);
    EXPECT_EQ(out.GetValue(64), 7);
    // In place.
    AscendC::GatherMask(a, a, 1, false, 0, {1, 4, 8, 0}, taken);
    EXPECT_EQ(a.GetValue(127), 254);
  });
}

TEST(Choose, MisuseIsASentence) {
  EXPECT_SENTENCE("can be compared with CMPMODE::EQ only", auto x = t.Take<int32_t>(64);
                  AscendC::Compare(t.Take<uint8_t>(32), x, x, CMPMODE::LT, 64));
  EXPECT_SENTENCE("takes a scalar as second source", auto x = t.Take<float>(64); AscendC::Select(
                      x, t.Take<uint8_t>(32), x, x, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64));
  EXPECT_SENTENCE("there is no fixed pattern 8; there are 1 to 7", auto x = t.Take<half>(128);
                  uint64_t n; AscendC::GatherMask(x, x, 8, false, 0, {1, 1, 8, 0}, n));
  EXPECT_SENTENCE("fixed patterns are numbered from 1 to 7", auto x = t.Take<half>(128); uint64_t n;
                  AscendC::GatherMask(x, x, 0, false, 0, {1, 1, 8, 0}, n));
  EXPECT_SENTENCE("the mask counts elements and is at least 1", auto x = t.Take<half>(128);
                  uint64_t n; AscendC::GatherMask(x, x, 1, true, 0, {1, 1, 8, 0}, n));
  EXPECT_SENTENCE("GatherMask at ", auto x = t.Take<half>(128); uint64_t n;
                  AscendC::GatherMask(x, x, 1, true, 4000000000u, {1, 1, 8, 0}, n));
  EXPECT_SENTENCE("it has to begin on a multiple of 16 bytes", auto x = t.Take<float>(64);
                  AscendC::GetCmpMask(x[1]));
}

using AscendC::ReduceOrder;
using AscendC::ReduceType;

template <typename T>
uint32_t AsIndex(T stored) {
  uint32_t index = 0;
  std::memcpy(&index, &stored, sizeof(T));
  return index;
}

TEST(Reduce, PerRepeatUnderBothNames) {
  OnCore([](Tensors& t) {
    auto x = t.Counting<float>(256);
    auto out = t.Filled<float>(64, -1);
    AscendC::ReduceRepeat<ReduceType::SUM, float>(out, x, 64, 4, 1, 1, 8);
    EXPECT_EQ(Values(out, 5), (std::vector<float>{2016, 6112, 10208, 14304, -1}));
    AscendC::WholeReduceSum(out, x, 4, 2, 2, 1, 8);
    EXPECT_EQ(Values(out, 3), (std::vector<float>{6, 6112, 262}));
    uint64_t mask[2] = {0xf0, 0};
    AscendC::WholeReduceMax<float>(out, x, mask, 2, 1, 1, 8);
    EXPECT_EQ(out.GetValue(2), 71);
    EXPECT_EQ(AsIndex(out.GetValue(3)), 7u);
    AscendC::WholeReduceMin(out, x, 64, 2, 1, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);
    EXPECT_EQ(AsIndex(out.GetValue(2)), 0u);
    EXPECT_EQ(out.GetValue(3), 64);
    float value = 0;
    float index = 0;
    AscendC::ReduceRepeat<ReduceType::MAX>(out, x, 64, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    AscendC::GetReduceRepeatMaxMinSpr(value, index);
    EXPECT_EQ(value, 255);
    EXPECT_EQ(AsIndex(index), 255u);
    AscendC::RepeatReduceSum(out, x, 2, 8, 0, 1, 1, 8);
    EXPECT_EQ(out.GetValue(1), 64 * 8 + 28);
    // An index alone has 32 bits, also for half.
    auto h = t.Counting<half>(256);
    auto indices = t.Filled<half>(16, half(-1));
    AscendC::ReduceRepeat<ReduceType::MAX, half>(indices, h, 128, 2, 1, 1, 8,
                                                 ReduceOrder::ORDER_ONLY_INDEX);
    EXPECT_EQ(indices.ReinterpretCast<uint32_t>().GetValue(1), 127u);
    EXPECT_EQ(float(indices.GetValue(4)), -1);
  });
}

// The older names take repeatTime before the mask.
TEST(Reduce, PerDatablockAndPairUnderBothNames) {
  OnCore([](Tensors& t) {
    auto x = t.Counting<float>(128);
    auto out = t.Filled<float>(128, -1);
    AscendC::ReduceDataBlock<ReduceType::MAX, float>(out, x, 16, 2, 1, 1, 8);
    EXPECT_EQ(Values(out, 3), (std::vector<float>{7, 15, -1}));
    EXPECT_EQ(out.GetValue(8), 71);
    AscendC::BlockReduceMin(out, x, 2, 64, 1, 1, 8);
    EXPECT_EQ(out.GetValue(15), 120);
    AscendC::BlockReduceSum(out, x, 1, 64, 1, 1, 8);
    EXPECT_EQ(out.GetValue(1), 92);
    uint64_t mask[2] = {0xc, 0};
    AscendC::ReducePairElem<ReduceType::SUM, float>(out, x, mask, 2, 1, 1, 8);
    EXPECT_EQ(out.GetValue(1), 5);
    EXPECT_EQ(out.GetValue(2), 156);  // of the sums before
    EXPECT_EQ(out.GetValue(33), 133);
    AscendC::PairReduceSum(out, x, 2, 64, 1, 1, 8);
    EXPECT_EQ(out.GetValue(63), 253);
  });
}

TEST(Reduce, OfAWholeTensor) {
  OnCore([](Tensors& t) {
    auto x = t.Filled<half>(8320, half(1));
    auto work = t.Take<half>(176);
    auto out = t.Filled<half>(16, half(-1));
    AscendC::ReduceSum<half>(out, x, work, 8320);
    EXPECT_EQ(float(out.GetValue(0)), 8320);
    EXPECT_EQ(float(AscendC::GetReduceRepeatSumSpr<half>()), 8320);
    EXPECT_EQ(float(AscendC::GetAccVal<half>()), 8320);
    AscendC::ReduceSum<half>(out, x, work, 127, 65, 8);
    EXPECT_EQ(float(out.GetValue(0)), 8256);  // 127 · 65 is no half
    AscendC::SetMaskCount();
    AscendC::SetVectorMask<half, AscendC::MaskMode::COUNTER>(300);
    AscendC::ReduceSum<half, false>(out, x, work, 1);
    AscendC::SetMaskNorm();
    EXPECT_EQ(float(out.GetValue(0)), 300);
    x.SetValue(5000, half(7));
    x.SetValue(6000, half(7));
    AscendC::ReduceMax<half>(out, x, work, 128, 65, 8, true);
    EXPECT_EQ(float(out.GetValue(0)), 7);
    EXPECT_EQ(AsIndex(out.GetValue(1)), 5000u);
    EXPECT_EQ(float(out.GetValue(2)), -1);
    AscendC::ReduceMin(out, x, work, 300);
    EXPECT_EQ(float(out.GetValue(0)), 1);
    EXPECT_EQ(AsIndex(out.GetValue(1)), 5000u);
    // The source may serve as work buffer.
    auto y = t.Counting<float>(100);
    auto best = t.Take<float>(8);
    AscendC::ReduceMax(best, y, y, 100, true);
    EXPECT_EQ(best.GetValue(0), 99);
    EXPECT_EQ(AsIndex(best.GetValue(1)), 99u);
  });
}

TEST(Reduce, MisuseIsASentence) {
  EXPECT_SENTENCE("ReduceMax: sharedTmpBuffer holds 160 elements and needs 176",
                  auto x = t.Take<half>(8320);
                  AscendC::ReduceMax<half>(x, x, t.Take<half>(160), 128, 65, 8, true));
  EXPECT_SENTENCE("ReduceSum: sharedTmpBuffer holds 8 elements and needs 16",
                  auto x = t.Take<float>(1024);
                  AscendC::ReduceSum(x, x, t.Take<float>(8), 64, 10, 8));
  EXPECT_SENTENCE("an index in half is at most 65535; 70000 elements are reduced",
                  auto x = t.Take<half>(70000);
                  AscendC::ReduceMax(x, x, x, 70000, true));
  EXPECT_SENTENCE("dstRepStride is -1; it is limited to 0 to 65535", auto x = t.Take<float>(64);
                  AscendC::WholeReduceSum(x, x, 64, 1, -1, 1, 8));
  EXPECT_SENTENCE("ReduceMin: the count is negative: -3", auto x = t.Take<float>(64);
                  AscendC::ReduceMin(x, x, x, -3));
  EXPECT_SENTENCE("selects more lanes than a repeat", auto x = t.Take<float>(64);
                  AscendC::BlockReduceSum(x, x, 1, 65, 1, 1, 8));
  EXPECT_SENTENCE("ReduceDataBlock at ", auto x = t.Take<half>(256);
                  AscendC::BlockReduceSum(x[8], x, 1, 128, 1, 1, 8);
                  AscendC::BlockReduceSum(x[4], x, 1, 128, 1, 1, 8));
}

TEST(Gather, ByBytes) {
  OnCore([](Tensors& t) {
    auto x = t.Counting<half>(128);
    auto offsets = t.Take<uint32_t>(128);
    for (uint32_t i = 0; i < 128; ++i) offsets.SetValue(i, 2 * (127 - i));
    auto out = t.Filled<half>(128, half(-1));
    AscendC::Gather(out, x, offsets, 0, 100);
    EXPECT_EQ(float(out.GetValue(99)), 28);
    EXPECT_EQ(float(out.GetValue(100)), -1);
    AscendC::Gather(out, x, offsets, 0, uint64_t{128}, 1, 8);
    EXPECT_EQ(float(out.GetValue(127)), 0);
    auto words = t.Counting<uint16_t>(128);
    auto blocks = t.Take<uint32_t>(std::vector<uint32_t>{224, 192, 160, 128, 96, 64, 32, 0});
    auto moved = t.Filled<uint16_t>(128, 9);
    AscendC::Gatherb<uint16_t>(moved, words, blocks, 1, {1, 8});
    EXPECT_EQ(moved.GetValue(0), 112);
    EXPECT_EQ(moved.GetValue(127), 15);
  });
}

TEST(Gather, AnOffsetOutsideTheSourceIsASentence) {
  EXPECT_SENTENCE(
      "offset 3 leads to byte 64 of the source, which has 64 bytes. Offsets count bytes, not "
      "elements.",
      auto offsets = t.Take<uint32_t>(std::vector<uint32_t>{0, 4, 60, 64, 0, 0, 0, 0});
      AscendC::Gather(t.Take<float>(8), t.Take<float>(16), offsets, 0, 8));
  EXPECT_SENTENCE("offset 1 is 3 bytes; it has to be a multiple of 2",
                  auto offsets = t.Take<uint32_t>(std::vector<uint32_t>{0, 3, 6, 4});
                  AscendC::Gather(t.Take<half>(16), t.Take<half>(16), offsets, 0, 4));
  // Also where the source's size is not known.
  EXPECT_SENTENCE("of the unified buffer, which has",
                  auto offsets = t.Take<uint32_t>(std::vector<uint32_t>{0, 0xfffffff0u});
                  auto src = t.Take<float>(16); src.SetSize(0);
                  AscendC::Gather(t.Take<float>(8), src, offsets, 0, 2));
}

TEST(Sort, RecordsAndBack) {
  OnCore([](Tensors& t) {
    constexpr uint32_t kCount = 128;
    auto scores = t.Take<float>(kCount);
    for (uint32_t i = 0; i < kCount; ++i) scores.SetValue(i, static_cast<float>(i * 37 % kCount));
    auto indices = t.Counting<uint32_t>(kCount);
    auto sorted = t.Take<float>(AscendC::GetSortLen<float>(kCount));
    auto tmp = t.Take<float>(AscendC::GetSortLen<float>(kCount));
    AscendC::LocalTensor<float> concat;
    AscendC::Concat(concat, scores, tmp, kCount / 16);
    AscendC::Sort<float, true>(sorted, concat, indices, tmp, kCount / 32);
    auto values = t.Take<float>(kCount);
    auto order = t.Take<uint32_t>(kCount);
    AscendC::Extract(values, order, sorted, kCount / 32);
    for (uint32_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(values.GetValue(i), static_cast<float>(kCount - 1 - i));
      EXPECT_EQ(order.GetValue(i) * 37 % kCount, kCount - 1 - i);
    }
    // The same in steps.
    auto queues = t.Take<float>(AscendC::GetSortLen<float>(kCount));
    AscendC::Sort32(queues, scores, indices, kCount / 32);
    const uint32_t step = AscendC::GetSortOffset<float>(32);
    AscendC::MrgSortSrcList<float> list(queues[0], queues[step], queues[2 * step],
                                        queues[3 * step]);
    const uint16_t lengths[4] = {32, 32, 32, 32};
    auto merged = t.Take<float>(AscendC::GetSortLen<float>(kCount));
    AscendC::MrgSort(merged, list, AscendC::MrgSort4Info(lengths, false, 0b1111, 1));
    EXPECT_EQ(Values(merged.ReinterpretCast<uint32_t>(), 2 * kCount),
              Values(sorted.ReinterpretCast<uint32_t>(), 2 * kCount));
    uint32_t taken[4] = {0, 0, 0, 0};
    AscendC::MrgSort<float, true>(merged, list, lengths, taken, 0b0011, 1);
    EXPECT_TRUE(taken[0] == 32 || taken[1] == 32);
    EXPECT_EQ(taken[2] + taken[3], 0u);
    uint16_t again[4] = {0, 0, 0, 0};
    AscendC::GetMrgSortResult(again[0], again[1], again[2], again[3]);
    EXPECT_EQ(again[1], taken[1]);
  });
}

TEST(Sort, MisuseIsASentence) {
  EXPECT_SENTENCE("Sort: tmp has 64 bytes and needs 512, 8 per element",
                  auto x = t.Take<float>(128);
                  auto index = t.Take<uint32_t>(64); auto tmp = t.Take<float>(16);
                  AscendC::Sort<float, true>(x, x, index, tmp, 2));
  EXPECT_SENTENCE("Sort32: repeatTime is 256; it is limited to 0 to 255",
                  auto x = t.Take<float>(64);
                  AscendC::Sort32(x, x, t.Take<uint32_t>(32), 256));
  EXPECT_SENTENCE(
      "validBit is 1; it is 3, 7 or 15", auto x = t.Take<float>(64);
      AscendC::MrgSortSrcList<float> list(x, x, x, x); const uint16_t lengths[4] = {1, 1, 1, 1};
      AscendC::MrgSort(t.Take<float>(64), list, AscendC::MrgSort4Info(lengths, false, 1, 1)));
  EXPECT_SENTENCE("the destination overlaps queue 2", auto x = t.Take<float>(64);
                  AscendC::MrgSortSrcList<float> list(x, x[32], x, x);
                  const uint16_t lengths[4] = {16, 16, 0, 0};
                  AscendC::MrgSort(x[32], list, AscendC::MrgSort4Info(lengths, false, 3, 1)));
}

TEST(Transpose, BlocksChannelsAndAddresses) {
  OnCore([](Tensors& t) {
    auto x = t.Counting<half>(256);
    auto out = t.Take<half>(256);
    AscendC::Transpose<half>(out, x);
    EXPECT_EQ(float(out.GetValue(1)), 16);
    AscendC::Transpose(out, out);
    EXPECT_EQ(float(out.GetValue(1)), 1);
    auto tmp = t.Take<uint8_t>(8192);
    AscendC::Transpose(
        out, x, tmp,
        AscendC::TransposeParamsExt(1, 4, 4, 16, AscendC::TransposeType::TRANSPOSE_NCHW2NHWC));
    EXPECT_EQ(float(out.GetValue(1)), 64);

    AscendC::TransDataTo5HDParams params;  // a single repeat, at the addresses themselves
    uint64_t to[16];
    uint64_t from[16];
    AscendC::LocalTensor<half> to_tensors[16];
    AscendC::LocalTensor<half> from_tensors[16];
    auto to_list = t.Take<uint64_t>(16);
    auto from_list = t.Take<uint64_t>(16);
    for (uint32_t i = 0; i < 16; ++i) {
      to[i] = out[16 * i].GetPhyAddr();
      from[i] = x[16 * i].GetPhyAddr();
      to_tensors[i] = out[16 * i];
      from_tensors[i] = x[16 * i];
      to_list.SetValue(i, to[i]);
      from_list.SetValue(i, from[i]);
    }
    AscendC::Duplicate(out, half(0), 256);
    AscendC::TransDataTo5HD<half>(to, from, params);
    EXPECT_EQ(float(out.GetValue(1)), 16);
    AscendC::Duplicate(out, half(0), 256);
    AscendC::TransDataTo5HD<half>(to_tensors, from_tensors, params);
    EXPECT_EQ(float(out.GetValue(255)), 255);
    AscendC::Duplicate(out, half(0), 256);
    AscendC::TransDataTo5HD<half>(to_list, from_list, params);
    EXPECT_EQ(float(out.GetValue(16)), 1);
    // A single repeat with strides works behind the addresses.
    AscendC::Duplicate(out, half(0), 256);
    for (uint64_t& address : from) address -= 32;
    params.srcRepStride = 1;
    AscendC::TransDataTo5HD<half>(to, from, params);
    EXPECT_EQ(float(out.GetValue(1)), 16);
  });
}

TEST(Transpose, MisuseIsASentence) {
  EXPECT_SENTENCE(
      "Transpose: sharedTmpBuffer has 32 bytes and needs 3072", auto x = t.Take<half>(256);
      AscendC::Transpose(
          t.Take<half>(256), x, t.Take<uint8_t>(32),
          AscendC::TransposeParamsExt(1, 4, 4, 16, AscendC::TransposeType::TRANSPOSE_NCHW2NHWC)));
  EXPECT_SENTENCE("through a tensor that is not in the unified buffer", uint64_t list[16] = {};
                  AscendC::TransDataTo5HD<half>(list, list, AscendC::TransDataTo5HDParams()));
}

TEST(Operators, OnWholeTensors) {
  OnCore([](Tensors& t) {
    auto a = t.Counting<float>(128, 1);
    auto b = t.Filled<float>(128, 2);
    auto out = t.Take<float>(128);
    out = a + b;
    EXPECT_EQ(out.GetValue(127), 130);
    out = a - b;
    EXPECT_EQ(out.GetValue(127), 126);
    out = a * b;
    EXPECT_EQ(out.GetValue(127), 256);
    out = a / b;
    EXPECT_EQ(out.GetValue(127), 64);
    auto x = t.Filled<int16_t>(16, 12);
    auto y = t.Filled<int16_t>(16, 10);
    auto z = t.Take<int16_t>(16);
    z = x & y;
    EXPECT_EQ(z.GetValue(15), 8);
    z = x | y;
    EXPECT_EQ(z.GetValue(15), 14);
    auto bits = t.Take<uint8_t>(32);
    bits = a < b;
    EXPECT_EQ(bits.GetValue(0), 1);
    bits = a > b;
    EXPECT_EQ(bits.GetValue(0), 0xfc);
    bits = a <= b;
    EXPECT_EQ(bits.GetValue(0), 3);
    bits = a >= b;
    EXPECT_EQ(bits.GetValue(0), 0xfe);
    bits = a == b;
    EXPECT_EQ(bits.GetValue(0), 2);
    bits = a != b;
    EXPECT_EQ(bits.GetValue(15), 0xff);
    // As many elements as the destination has.
    auto part = t.Filled<float>(16, -1);
    part.SetSize(3);
    part = a + b;
    EXPECT_EQ(part.GetValue(2), 5);
    EXPECT_EQ(part.GetValue(3), -1);
    // Assigning a tensor still makes another name for its memory.
    part = a;
    EXPECT_EQ(part.GetPhyAddr(), a.GetPhyAddr());
  });
}

// Calls that only move elements take bfloat16 as well.
TEST(Fill, Bfloat16) {
  OnCore([](Tensors& t) {
    auto x = t.Take<bfloat16_t>(256);
    AscendC::Duplicate(x, bfloat16_t(1.5f), 256);
    x.SetValue(3, bfloat16_t(2.0f));
    auto out = t.Take<bfloat16_t>(256);
    AscendC::Brcb(out, x, 1, {1, 8});
    EXPECT_EQ(float(out.GetValue(48)), 2);
    AscendC::Copy(out, x, uint64_t{128}, 2, {1, 1, 8, 8});
    EXPECT_EQ(float(out.GetValue(255)), 1.5f);
    auto offsets = t.Filled<uint32_t>(16, 6);
    AscendC::Gather(out, x, offsets, 0, 16);
    EXPECT_EQ(float(out.GetValue(15)), 2);
    uint64_t taken = 0;
    AscendC::GatherMask(out, x, 2, false, 0, {1, 1, 8, 0}, taken);
    EXPECT_EQ(float(out.GetValue(1)), 2);
  });
}

}  // namespace
}  // namespace bascule::engine

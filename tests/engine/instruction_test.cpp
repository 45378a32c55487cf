// Vector instructions as kernels call them: every call form reaches its row with the right
// parameters, and misuse ends the launch with a sentence. What the rows compute is tested in
// tests/isa. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
#define EXPECT_SENTENCE(text, ...)                                       \
  do {                                                                   \
    const std::string error = Sentence([](Tensors& t) { __VA_ARGS__; }); \
    EXPECT_NE(error.find(text), std::string::npos) << error;             \
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
  EXPECT_SENTENCE("the mask of a vector instruction selects more lanes",
                  AscendC::Duplicate(t.Take<float>(8), 1.0f, uint64_t{65}, 1, 1, 8));
  EXPECT_SENTENCE("repeats at most 255 times",
                  AscendC::Duplicate(t.Take<float>(8), 1.0f, uint64_t{64}, 256, 1, 8));
  EXPECT_SENTENCE("Brcb at ", auto x = t.Take<float>(64); AscendC::Brcb(x, x, 1, {1, 8}));
  EXPECT_SENTENCE("dstRepeatSize and srcRepeatSize are limited to 4095", auto x = t.Take<float>(64);
                  AscendC::Copy(x, x, uint64_t{8}, 1, {1, 1, 5000, 8}));
}

}  // namespace
}  // namespace bascule::engine

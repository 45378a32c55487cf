// Copies as kernels call them: DataCopyPad with every way of padding, slices, and matrices between
// rows and strips. What the rows compute is tested in tests/isa.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TPosition;
using test::KernelRunner;

constexpr uint32_t kElements = 4096;

template <typename T>
std::vector<T> Counting(uint32_t count) {
  std::vector<T> out(count);
  std::iota(out.begin(), out.end(), T(1));
  return out;
}

// Runs `kernel(local, global in, global out)` with numbers from 1 on and an output of 99s.
template <typename T, typename Kernel>
std::vector<T> Moved(const Kernel& kernel) {
  const std::vector<T> in = Counting<T>(kElements);
  std::vector<T> out(kElements, T(99));
  KernelRunner(1).Input("in", in).Output("out", out).Run([&] {
    LocalTensor<T> local(TPosition::VECIN, 0, kElements);
    GlobalTensor<T> from;
    GlobalTensor<T> to;
    from.SetGlobalBuffer(const_cast<T*>(in.data()), kElements);
    to.SetGlobalBuffer(out.data(), kElements);
    AscendC::Duplicate(local, T(-1), kElements);
    kernel(local, from, to);
  });
  return out;
}
template <typename Kernel>
std::string Sentence(const Kernel& kernel) {
  std::vector<int32_t> data(kElements);
  return KernelRunner(1, "misuse").Output("data", data).Error([&] {
    LocalTensor<int32_t> local(TPosition::VECIN, 0, kElements);
    GlobalTensor<int32_t> global;
    global.SetGlobalBuffer(data.data(), kElements);
    kernel(local, global);
  });
}

using Int = int32_t;
using Local = LocalTensor<Int>;
using Global = GlobalTensor<Int>;

std::vector<Int> First(const std::vector<Int>& values, uint32_t count) {
  return {values.begin(), values.begin() + count};
}

TEST(DataCopyPad, PadsWithTheValueGivenOrTheRegister) {
  // Without padding what stands beside a block is its first element, whatever is said.
  for (const bool given : {false, true}) {
    EXPECT_EQ(First(Moved<Int>([&](const Local& x, const Global& in, const Global& out) {
                      AscendC::SetPadValue(Int(7));
                      AscendC::DataCopyPadExtParams<Int> pad{given, 0, 0, 5};
                      AscendC::DataCopyPad(x, in[2], {1, 12, 0, 0, 0}, pad);
                      AscendC::DataCopy(out, x, 8);
                    }),
                    8),
              (std::vector<Int>{3, 4, 5, 3, 3, 3, 3, 3}));
  }
  EXPECT_EQ(First(Moved<Int>([](const Local& x, const Global& in, const Global& out) {
                    AscendC::SetPadValue(Int(7));
                    AscendC::DataCopyPadExtParams<Int> pad{false, 1, 2, 5};
                    AscendC::DataCopyPad(x, in, {1, 12, 0, 0, 0}, pad);
                    AscendC::DataCopy(out, x, 8);
                  }),
                  8),
            (std::vector<Int>{7, 1, 2, 3, 7, 7, 7, 7}));
  EXPECT_EQ(First(Moved<Int>([](const Local& x, const Global& in, const Global& out) {
                    AscendC::SetPadValue(Int(7));
                    AscendC::DataCopyPadExtParams<Int> pad{true, 0, 3, 5};
                    AscendC::DataCopyPad(x, in, {2, 20, 4, 1, 0}, pad);
                    AscendC::DataCopy(out, x, 24);
                  }),
                  24),
            (std::vector<Int>{1, 2, 3, 4,  5,  5, 5, 5, -1, -1, -1, -1, -1, -1, -1, -1,  //
                              7, 8, 9, 10, 11, 5, 5, 5}));
}

TEST(DataCopyPad, TakesTheOlderStructures) {
  EXPECT_EQ(First(Moved<Int>([](const Local& x, const Global& in, const Global& out) {
                    AscendC::DataCopyParams blocks{2, 20, 4, 1};
                    AscendC::DataCopyPadParams pad{true, 0, 3, 5};
                    AscendC::DataCopyPad(x, in, blocks, pad);
                    AscendC::DataCopyPad(out, x, AscendC::DataCopyParams(2, 12, 1, 8));
                  }),
                  10),
            (std::vector<Int>{1, 2, 3, 99, 99, 7, 8, 9, 99, 99}));
}

TEST(DataCopyPad, MisuseIsASentence) {
  EXPECT_NE(Sentence([](const Local& x, const Global& in) {
              AscendC::DataCopyPadExtParams<Int> pad{true, 0, 9, 0};
              AscendC::DataCopyPad(x, in, {1, 4, 0, 0, 0}, pad);
            }).find("padding is limited to 32 bytes"),
            std::string::npos);
  EXPECT_NE(Sentence([](const Local& x, const Global& in) {
              GlobalTensor<int64_t> wide;
              wide.SetGlobalBuffer(reinterpret_cast<int64_t*>(in.GetPhyAddr()));
              AscendC::DataCopyPadExtParams<int64_t> pad{true, 0, 1, 3};
              AscendC::DataCopyPad(x.ReinterpretCast<int64_t>(), wide, {1, 8, 0, 0, 0}, pad);
            }).find("64-bit elements can only be 0"),
            std::string::npos);
}

// The example of the document: four pieces of a 3 × 87 tensor.
TEST(DataCopySlice, TakesPiecesOfEveryDimension) {
  const AscendC::SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
  const AscendC::SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
  const std::vector<Int> out = Moved<Int>([&](const Local& x, const Global& in, const Global& dst) {
    AscendC::DataCopy(x, in, to, from, 2);
    AscendC::DataCopy(dst, x, to, to, 2);
  });
  std::vector<Int> expected;
  for (Int row : {0, 2}) {
    for (Int piece : {16, 47}) {
      for (Int i = 0; i < 24; ++i) expected.push_back(row * 87 + piece + i + 1);
    }
  }
  EXPECT_EQ(First(out, 96), expected);
  EXPECT_EQ(out[96], 99);
}

TEST(DataCopySlice, GoesOverThreeDimensionsAndBack) {
  // Of 3 × 4 × 16 the planes 0 and 2, of each the rows 1 to 3, of each the last 8 elements.
  const AscendC::SliceInfo from[] = {{8, 15, 0, 1, 16}, {1, 3, 0, 1, 4}, {0, 2, 1, 1, 3}};
  const AscendC::SliceInfo packed[] = {{0, 7, 0, 1, 8}, {0, 2, 0, 1, 3}, {0, 1, 0, 1, 2}};
  const std::vector<Int> out = Moved<Int>([&](const Local& x, const Global& in, const Global& dst) {
    AscendC::DataCopy(x, in, packed, from, 3);
    AscendC::DataCopy(dst, x, from, packed, 3);
  });
  for (Int i = 0; i < 3 * 4 * 16; ++i) {
    const Int plane = i / 64;
    const Int row = i / 16 % 4;
    const bool taken = plane != 1 && row >= 1 && i % 16 >= 8;
    EXPECT_EQ(out[static_cast<size_t>(i)], taken ? i + 1 : 99) << i;
  }
}

TEST(DataCopySlice, MisuseIsASentence) {
  const AscendC::SliceInfo piece = {0, 7, 0, 1, 16};
  for (const auto& [other, dimensions, text] :
       {std::tuple<AscendC::SliceInfo, uint32_t, const char*>{{0, 8, 0, 1, 16}, 1, "whole pieces"},
        {{0, 15, 0, 1, 16}, 1, "different numbers of pieces"},
        {{0, 15, 0, 2, 16}, 1, "burstLen differs"},
        {{8, 7, 0, 1, 16}, 1, "whole pieces"},
        {{0, 7, 0, 0, 16}, 1, "burstLen differs"},
        {piece, 0, "dimValue is 1 to 8"},
        {piece, 9, "dimValue is 1 to 8"}}) {
    const std::string error = Sentence([&](const Local& x, const Global& in) {
      AscendC::DataCopy(x, in, &piece, &other, dimensions);
    });
    EXPECT_NE(error.find(text), std::string::npos) << error;
  }
}

// The examples of the two documents.
TEST(DataCopyMatrix, FromRowsToStrips) {
  const std::vector<int16_t> out =
      Moved<int16_t>([](const LocalTensor<int16_t>& x, const GlobalTensor<int16_t>& in,
                        const GlobalTensor<int16_t>& dst) {
        AscendC::DataCopy(x, in, AscendC::Nd2NzParams{1, 32, 32, 0, 32, 32, 1, 0});
        AscendC::DataCopy(dst, x, 1024);
      });
  EXPECT_EQ(out[15], 16);
  EXPECT_EQ(out[16], 33);
  EXPECT_EQ(out[512], 17);
  EXPECT_EQ(out[1023], 1024);
}
TEST(DataCopyMatrix, FromStripsToRows) {
  const std::vector<int16_t> out =
      Moved<int16_t>([](const LocalTensor<int16_t>& x, const GlobalTensor<int16_t>& in,
                        const GlobalTensor<int16_t>& dst) {
        AscendC::DataCopy(x, in, 1024);
        AscendC::DataCopy(dst, x, AscendC::Nz2NdParamsFull{1, 32, 32, 1, 32, 32, 1});
      });
  EXPECT_EQ(out[15], 16);
  EXPECT_EQ(out[16], 513);
  EXPECT_EQ(out[32], 17);
  EXPECT_EQ(out[1023], 1024);
}
TEST(DataCopyMatrix, SeveralAtATime) {
  const std::vector<Int> out = Moved<Int>([](const Local& x, const Global& in, const Global& dst) {
    AscendC::DataCopy(x, in, AscendC::Nd2NzParams{2, 2, 8, 100, 8, 2, 1, 16});
    AscendC::DataCopy(dst, x, 32);
    AscendC::DataCopy(x, in, 1024);
    AscendC::DataCopy(dst[100], x, AscendC::Nz2NdParamsFull{2, 1, 16, 1, 1, 16, 20});
  });
  EXPECT_EQ(out[15], 16);
  EXPECT_EQ(out[16], 101);
  EXPECT_EQ(out[31], 116);
  EXPECT_EQ(out[100], 1);
  EXPECT_EQ(out[116], 99);
  EXPECT_EQ(out[120], 257);
}

TEST(DataCopyMatrix, MisuseIsASentence) {
  EXPECT_NE(Sentence([](const Local& x, const Global& in) {
              AscendC::DataCopy(x, in, AscendC::Nd2NzParams{1, 2, 8, 0, 0, 2, 1, 0});
            }).find("DataCopy (ND to NZ) at "),
            std::string::npos);
  EXPECT_NE(Sentence([](const Local& x, const Global& in) {
              AscendC::DataCopy(x, in, AscendC::Nd2NzParams{5000, 2, 8, 0, 0, 2, 1, 0});
            }).find("ndNum is limited to 4095"),
            std::string::npos);
  EXPECT_NE(Sentence([](const Local& x, const Global& in) {
              AscendC::DataCopy(x, in, AscendC::Nd2NzParams{1, 512, 16, 0, 16, 512, 1, 0});
            }).find("of 'data'"),
            std::string::npos);
}

TEST(Fill, WritesGlobalMemoryAndAccumulates) {
  std::vector<float> out(5000, 1.0f);
  KernelRunner(1).Output("out", out).Run([&] {
    GlobalTensor<float> to;
    to.SetGlobalBuffer(out.data(), 5000);
    AscendC::Fill(to[1], 4997, 3.0f);
    AscendC::SetAtomicAdd<float>();
    AscendC::InitGlobalMemory(to, 4000, 2.0f);
    AscendC::DisableDmaAtomic();
    AscendC::InitOutput<float>(to[4999], 1, 7);
    AscendC::InitOutput<float>(to[4999], 0, 9);
  });
  for (size_t i = 0; i < 5000; ++i) {
    const float filled = i == 0 || i >= 4998 ? 1.0f : 3.0f;
    EXPECT_EQ(out[i], i == 4999 ? 7.0f : i < 4000 ? filled + 2 : filled) << i;
  }
}

TEST(Fill, BeyondATensorIsASentence) {
  std::vector<int32_t> out(100, 1);
  const std::string error = KernelRunner(1).Output("out", out).Error([&] {
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer(out.data(), 100);
    AscendC::Fill(to, uint64_t{1} << 33, 3);
  });
  EXPECT_NE(error.find("Fill at "), std::string::npos) << error;
  EXPECT_EQ(out[0], 1);
}

}  // namespace
}  // namespace bascule::engine

// Kernels without atomics give the same bits on one worker and on many, with stores through the
// caches and past them, and whatever the on-chip memory held before.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/kernels/mul_kernel.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::TPosition;
using test::KernelRunner;
using test::MulKernel;

constexpr uint32_t kTile = 512;

// What a kernel gets; `shared` is memory that all blocks write and read.
struct Arguments {
  const float* x;
  float* out;
  float* shared;
  uint32_t count;
};

// A block's share of the elements, in tiles; `body(tile, count, at)` works on a tile in place.
template <typename Body>
void OverTiles(const Arguments& a, Body body) {
  const uint32_t blocks = static_cast<uint32_t>(AscendC::GetBlockNum());
  const uint32_t share = ((a.count + blocks - 1) / blocks + 7) / 8 * 8;
  const uint32_t begin = std::min(a.count, share * static_cast<uint32_t>(AscendC::GetBlockIdx()));
  const uint32_t end = std::min(a.count, begin + share);
  AscendC::TPipe pipe;
  AscendC::TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, kTile * sizeof(float));
  AscendC::TBuf<TPosition::VECCALC> scratch;
  pipe.InitBuffer(scratch, 4 * kTile * sizeof(float));
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(const_cast<float*>(a.x), a.count);
  to.SetGlobalBuffer(a.out, a.count);
  for (uint32_t at = begin; at < end; at += kTile) {
    const uint32_t count = std::min(kTile, end - at);
    const AscendC::DataCopyExtParams bytes(1, static_cast<uint32_t>(count * sizeof(float)), 0, 0,
                                           0);
    auto tile = queue.AllocTensor<float>();
    AscendC::DataCopyPad(tile, from[at], bytes, {});
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    body(tile, scratch.Get<float>(), static_cast<int32_t>(count), at);
    AscendC::DataCopyPad(to[at], tile, bytes);
    queue.FreeTensor(tile);
  }
}

void Multiply(const Arguments& a) { MulKernel<float>(a.x, a.x, a.out, a.count).Process(); }
void MultiplyHalves(const Arguments& a) {
  MulKernel<half>(reinterpret_cast<const half*>(a.x), reinterpret_cast<const half*>(a.x),
                  reinterpret_cast<half*>(a.out), a.count * 2)
      .Process();
}

// Everything that rounds, and elementary functions.
void Functions(const Arguments& a) {
  OverTiles(a, [](const AscendC::LocalTensor<float>& tile,
                  const AscendC::LocalTensor<float>& scratch, int32_t count, uint32_t) {
    auto narrow = scratch.ReinterpretCast<half>();
    auto other = scratch[kTile];
    AscendC::Exp(other, tile, count);
    AscendC::Adds(other, other, 1.0f, count);
    AscendC::Ln(other, other, count);
    AscendC::Div(tile, tile, other, count);
    AscendC::Sqrt(other, other, count);
    AscendC::Axpy(tile, other, 0.3f, count);
    AscendC::Cast(narrow, tile, AscendC::RoundMode::CAST_ROUND, static_cast<uint32_t>(count));
    AscendC::Cast(other, narrow, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(count));
    AscendC::Sub(tile, tile, other, count);
    AscendC::Muls(tile, tile, 4096.0f, count);
    AscendC::Add(tile, tile, other, count);
  });
}

// Comparison, selection, reduction, scalar access: what reads beside what it was given would show
// in the bits.
void Selections(const Arguments& a) {
  OverTiles(a, [](const AscendC::LocalTensor<float>& tile,
                  const AscendC::LocalTensor<float>& scratch, int32_t count, uint32_t at) {
    auto bits = scratch.ReinterpretCast<uint8_t>();
    auto other = scratch[kTile];
    auto work = scratch[2 * kTile];
    AscendC::Duplicate(other, static_cast<float>(at % 7), count);
    AscendC::Compare(bits, tile, other, AscendC::CMPMODE::LT, kTile);
    AscendC::Select(tile, bits, tile, other, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE,
                    static_cast<uint32_t>(count));
    AscendC::ReduceSum(other, tile, work, count);
    const float sum = other.GetValue(0);
    AscendC::ReduceMax(other, tile, work, count, true);
    tile.SetValue(0, sum + other.GetValue(0));
    AscendC::Relu(tile, tile, count);
  });
}

// Partial sums in global memory, a barrier, and every block adds all of them up.
void SumsOfAll(const Arguments& a) {
  float sum = 0;
  OverTiles(a, [&](const AscendC::LocalTensor<float>& tile,
                   const AscendC::LocalTensor<float>& scratch, int32_t count, uint32_t) {
    AscendC::ReduceSum(scratch, tile, scratch[kTile], count);
    sum += scratch.GetValue(0);
  });
  AscendC::GlobalTensor<float> shared;
  shared.SetGlobalBuffer(a.shared, 8u * 48u);
  shared.SetValue(8 * static_cast<uint64_t>(AscendC::GetBlockIdx()), sum);
  AscendC::SyncAll();
  float total = 0;
  for (int64_t block = 0; block < AscendC::GetBlockNum(); ++block)
    total += shared.GetValue(8 * static_cast<uint64_t>(block));
  OverTiles(a, [&](const AscendC::LocalTensor<float>& tile, const AscendC::LocalTensor<float>&,
                   int32_t count, uint32_t) { AscendC::Muls(tile, tile, total, count); });
}

// A chain: every block continues with what the one before it left.
void Chain(const Arguments& a) {
  AscendC::GlobalTensor<float> shared;
  shared.SetGlobalBuffer(a.shared, 8u * 48u);
  AscendC::GlobalTensor<int32_t> global;
  AscendC::LocalTensor<int32_t> local;
  const int me = static_cast<int>(AscendC::GetBlockIdx());
  float carried = 1;
  if (me > 0) {
    AscendC::IBWait(global, local, me - 1, 0);
    carried = shared.GetValue(8 * static_cast<uint64_t>(me - 1));
  }
  OverTiles(a, [&](const AscendC::LocalTensor<float>& tile, const AscendC::LocalTensor<float>&,
                   int32_t count, uint32_t) {
    AscendC::Muls(tile, tile, carried, count);
    carried = carried * 0.999f + tile.GetValue(static_cast<uint32_t>(count) - 1) * 0.001f;
  });
  shared.SetValue(8 * static_cast<uint64_t>(me), carried);
  if (me + 1 < AscendC::GetBlockNum()) AscendC::IBSet(global, local, me, 0);
}

struct Row {
  const char* name;
  void (*kernel)(const Arguments&);
};

const Row kRows[] = {{"Multiply", Multiply},   {"MultiplyHalves", MultiplyHalves},
                     {"Functions", Functions}, {"Selections", Selections},
                     {"SumsOfAll", SumsOfAll}, {"Chain", Chain}};

// What on-chip memory holds when the next kernel begins.
void FillMemory(uint32_t pattern) {
  for (int i = 0; i < 4; ++i) {
    KernelRunner(48).Long().Run([&] {
      AscendC::LocalTensor<uint32_t> all(TPosition::VECCALC, 0, 196352 / 4);
      AscendC::Duplicate(all, pattern, 196352 / 4);
      AscendC::SyncAll();  // so that every block has a core of its own
    });
  }
}

class BitsTest : public testing::TestWithParam<Row> {};

TEST_P(BitsTest, AreTheSameOnOneWorkerAndOnMany) {
  for (const uint32_t count : {1u, 511u, 4099u, 60013u}) {
    for (const uint32_t blocks : {1u, 7u, 48u}) {
      std::vector<float> x(count);
      for (uint32_t i = 0; i < count; ++i)
        x[i] = static_cast<float>(static_cast<int>(uint64_t{i} * 7919 % 4001) - 2000) / 711;
      std::vector<float> first;
      for (const uint32_t workers : {1u, 2u, 3u, 7u}) {
        for (const bool large : {false, true}) {
          for (const uint32_t pattern : {0u, 0xffffffffu, 0x7f7f7f7fu}) {
            if (count < 1000 && workers > 2) continue;
            SetWorkerLimit(workers);
            FillMemory(pattern);
            std::vector<float> out(count, -1.0f);
            std::vector<float> shared(size_t{8} * 48, 0.0f);
            const Arguments arguments = {x.data(), out.data(), shared.data(), count};
            KernelRunner runner(blocks);
            runner.Long().Input("x", x).Output("out", out).Output("shared", shared);
            if (large) runner.Large();
            runner.Run([&] { GetParam().kernel(arguments); });
            out.insert(out.end(), shared.begin(), shared.end());
            if (first.empty()) first = out;
            ASSERT_EQ(std::memcmp(first.data(), out.data(), out.size() * sizeof(float)), 0)
                << count << " elements, " << blocks << " blocks, " << workers << " workers, large "
                << large << ", pattern " << pattern;
          }
        }
      }
      EXPECT_NE(first[count / 2], -1.0f);  // it did something
    }
  }
  SetWorkerLimit(0);
}

INSTANTIATE_TEST_SUITE_P(All, BitsTest, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bascule::engine

// What kernels use beside queues and arithmetic: accumulating stores, flags between cores, static
// tensors, scratch memory, events, polling, printing. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using test::KernelRunner;

// Runs a body with one worker and with several.
template <typename Body>
void OnWorkers(Body body) {
  for (uint32_t workers : {1u, 2u, 4u}) {
    SetWorkerLimit(workers);
    body();
  }
  SetWorkerLimit(0);
}

template <typename T>
class AtomicTest : public testing::Test {};
using AtomicTypes = testing::Types<float, half, bfloat16_t, int8_t, int16_t, int32_t>;
TYPED_TEST_SUITE(AtomicTest, AtomicTypes);

// Every block stores its number to the same tensor.
template <typename T>
std::vector<T> StoreNumbers(uint32_t blocks, size_t count, void (*mode)()) {
  std::vector<T> out(count, T(1));
  KernelRunner(blocks).Long().Output("out", out).Run([&] {
    AscendC::LocalMemAllocator<AscendC::Hardware::UB> allocator;
    auto tile = allocator.Alloc<T>(static_cast<uint32_t>(count + 32));
    for (uint32_t i = 0; i < count; ++i)
      tile.SetValue(i, static_cast<int>(AscendC::GetBlockIdx()) % 7 - 2);
    AscendC::GlobalTensor<T> to;
    to.SetGlobalBuffer(out.data(), count);
    mode();
    AscendC::DataCopyPad(
        to, tile, AscendC::DataCopyExtParams(1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0));
    AscendC::SetAtomicNone();
  });
  return out;
}

TYPED_TEST(AtomicTest, AddsMaximisesAndMinimisesAcrossBlocks) {
  using T = TypeParam;
  constexpr uint32_t kBlocks = 40;
  int sum = 1;
  for (uint32_t block = 0; block < kBlocks; ++block) sum += static_cast<int>(block) % 7 - 2;
  OnWorkers([&] {
    for (size_t count : {1, 31, 33, 3000}) {
      for (const T& value : StoreNumbers<T>(kBlocks, count, AscendC::SetAtomicAdd<T>))
        ASSERT_EQ(value, T(sum));
      for (const T& value : StoreNumbers<T>(kBlocks, count, AscendC::SetAtomicMax<T>))
        ASSERT_EQ(value, T(4));
      for (const T& value : StoreNumbers<T>(kBlocks, count, AscendC::SetAtomicMin<T>))
        ASSERT_EQ(value, T(-2));
    }
  });
}

TEST(Atomic, IsOffForTheNextBlockAndForAPlainStore) {
  std::vector<float> out(8, 5.0f);
  for (int run = 0; run < 2; ++run) {
    KernelRunner(1).Output("out", out).Run([&] {
      AscendC::LocalMemAllocator<> allocator;
      auto tile = allocator.Alloc<float, 8>();
      AscendC::Duplicate(tile, 2.0f, 8);
      AscendC::GlobalTensor<float> to;
      to.SetGlobalBuffer(out.data(), 8);
      AscendC::DataCopy(to, tile, 8);  // a plain store, also after a run that left accumulation on
      AscendC::SetAtomicAdd<float>();
      AscendC::DataCopy(to, tile, 8);
    });
    for (float value : out) EXPECT_EQ(value, 4.0f);
  }
}

TEST(Atomic, RefusesTypesItDoesNotKnow) {
  std::vector<uint32_t> out(8);
  const std::string error = KernelRunner(1).Output("out", out).Error([&] {
    AscendC::LocalMemAllocator<> allocator;
    auto tile = allocator.Alloc<uint32_t, 8>();
    AscendC::GlobalTensor<uint32_t> to;
    to.SetGlobalBuffer(out.data(), 8);
    AscendC::SetAtomicAdd<uint32_t>();
    AscendC::DataCopy(to, tile, 8);
  });
  EXPECT_NE(error.find("elements of type uint32 cannot be accumulated."), std::string::npos)
      << error;
}

template <typename T>
void CheckScalarAtomics() {
  std::vector<T> out(8, T(0));
  out[1] = T(1000);
  std::atomic<int> wins{0};
  KernelRunner(40).Long().Output("out", out).Run([&] {
    const T me = static_cast<T>(AscendC::GetBlockIdx());
    for (int i = 0; i < 25; ++i) AscendC::AtomicAdd(&out[0], T(3));
    AscendC::AtomicMin(&out[1], me + T(7));
    AscendC::AtomicMax(&out[2], me + T(7));
    if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
      if (AscendC::AtomicCas(&out[3], T(0), me + T(1)) == T(0)) wins.fetch_add(1);
      if (AscendC::AtomicExch(&out[4], T(1)) == T(0)) wins.fetch_add(1);
      // A lock, and what it guards.
      while (AscendC::AtomicCas(&out[5], T(0), T(1)) != T(0)) {
      }
      out[6] += T(1);
      AscendC::AtomicExch(&out[5], T(0));
    }
  });
  EXPECT_EQ(out[0], T(3000));
  EXPECT_EQ(out[1], T(7));
  EXPECT_EQ(out[2], T(46));
  if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
    EXPECT_EQ(wins.load(), 2);
    EXPECT_EQ(out[6], T(40));
  }
}

TEST(Atomics, OfScalarsAreOneStep) {
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    CheckScalarAtomics<int32_t>();
    CheckScalarAtomics<uint32_t>();
    CheckScalarAtomics<float>();
    CheckScalarAtomics<int64_t>();
    CheckScalarAtomics<uint64_t>();
  }
  SetWorkerLimit(0);
  int32_t value = -5;
  KernelRunner(1).Interval("value", &value, 4, BASCULE_READ | BASCULE_WRITE).Run([&] {
    EXPECT_EQ(AscendC::AtomicAdd(&value, int32_t{-2}), -5);
    EXPECT_EQ(AscendC::AtomicMax(&value, int32_t{-20}), -7);
  });
  EXPECT_EQ(value, -7);
  const std::string beyond =
      KernelRunner(1).Interval("value", &value, 4, BASCULE_READ | BASCULE_WRITE).Error([&] {
        AscendC::AtomicAdd(&value + 1, int32_t{1});
      });
  EXPECT_NE(beyond.find("AtomicAdd at "), std::string::npos) << beyond;
  EXPECT_NE(beyond.find("writes 4 bytes of 'value' from byte 4, but 'value' has 4 bytes"),
            std::string::npos)
      << beyond;
}

TEST(CrossCore, AFlagHoldsUntilEveryBlockHasSetIt) {
  constexpr uint32_t kBlocks = 24;
  OnWorkers([&] {
    std::vector<std::atomic<int>> round(kBlocks);
    std::atomic<int> early{0};
    KernelRunner(kBlocks).Long().Run([&] {
      const size_t me = static_cast<size_t>(AscendC::GetBlockIdx());
      for (int i = 1; i <= 20; ++i) {
        round[me].store(i);
        AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(5);
        AscendC::CrossCoreWaitFlag(5);
        for (const auto& other : round) {
          if (other.load() < i) early.fetch_add(1);
        }
      }
    });
    EXPECT_EQ(early.load(), 0);
  });
}

TEST(CrossCore, SaysWhoWaitsForAFlagThatNobodySets) {
  const std::string error = KernelRunner(3, "lonely").Long().Error([] {
    if (AscendC::GetBlockIdx() != 1) AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(2);
    AscendC::CrossCoreWaitFlag(2);
  });
  EXPECT_NE(error.find(
                "block 0 waits in CrossCoreWaitFlag for flag 2, which 2 of 3 blocks have set, at "),
            std::string::npos)
      << error;
}

TEST(CrossCore, CountsToFifteen) {
  const std::string error = KernelRunner(1).Error([] {
    for (int i = 0; i < 16; ++i) AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(0);
  });
  EXPECT_NE(error.find("nothing can go on: block 0 waits in CrossCoreSetFlag for flag 0, which was "
                       "set 15 times and not waited for; the hardware counts to 15, at "),
            std::string::npos)
      << error;
}

// A chain: every block waits for the one before it.
TEST(BlockFlags, MakeAChain) {
  constexpr int kBlocks = 16;
  OnWorkers([&] {
    std::vector<int> order;
    KernelRunner(kBlocks).Long().Run([&] {
      AscendC::GlobalTensor<int32_t> global;
      AscendC::LocalTensor<int32_t> local;
      // The last block begins, so that blocks have to wait.
      const int me = kBlocks - 1 - static_cast<int>(AscendC::GetBlockIdx());
      if (me > 0) AscendC::IBWait(global, local, me - 1, 0);
      order.push_back(me);
      if (me + 1 < kBlocks) AscendC::IBSet(global, local, me, 0);
    });
    ASSERT_EQ(order.size(), static_cast<size_t>(kBlocks));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  });
}

TEST(SyncAll, MayBeOfTheFirstBlocksOnly) {
  OnWorkers([] {
    std::atomic<int> arrived{0};
    std::atomic<int> early{0};
    KernelRunner(8).Long().Run([&] {
      if (AscendC::GetBlockIdx() >= 5) return;
      AscendC::GlobalTensor<int32_t> global;
      AscendC::LocalTensor<int32_t> local;
      arrived.fetch_add(1);
      AscendC::SyncAll(global, local, 5);
      if (arrived.load() != 5) early.fetch_add(1);
    });
    EXPECT_EQ(early.load(), 0);
  });
}

// A block that polls global memory for what another one writes.
TEST(Polling, LetsTheOthersRun) {
  OnWorkers([] {
    std::vector<int32_t> flag(16, 0);
    KernelRunner(4).Long().Output("flag", flag).Run([&] {
      AscendC::GlobalTensor<int32_t> shared;
      shared.SetGlobalBuffer(flag.data(), 16);
      if (AscendC::GetBlockIdx() == 3) {
        shared.SetValue(0, 7);
        return;
      }
      while (shared.GetValue(0) != 7) {
      }
    });
  });
}

TEST(Polling, ForWhatNeverComesIsAnError) {
  std::vector<int32_t> flag(16, 0);
  SetWorkerLimit(2);
  const std::string error = KernelRunner(3, "poll").Long().Output("flag", flag).Error([&] {
    AscendC::GlobalTensor<int32_t> shared;
    shared.SetGlobalBuffer(flag.data(), 16);
    while (shared.GetValue(0) != 7) {
    }
  });
  SetWorkerLimit(0);
  EXPECT_NE(error.find("the kernel polls at "), std::string::npos) << error;
  EXPECT_NE(error.find("resources_test.cpp:"), std::string::npos) << error;
}

TEST(Static, TensorsLieAtTheirAddresses) {
  KernelRunner(1).Run([] {
    AscendC::InitSocState();
    AscendC::LocalTensor<float> low(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::LocalTensor<float> high(AscendC::TPosition::VECCALC, 1024, 64);
    EXPECT_EQ(low.GetPhyAddr() & 0xffffffffu, 0u);
    EXPECT_EQ(high.GetPhyAddr() & 0xffffffffu, 1024u);
    AscendC::Duplicate(low, 3.0f, 64);
    AscendC::Mul(high, low, low, 64);
    EXPECT_EQ(high.GetValue(63), 9.0f);
    AscendC::LocalMemAllocator<AscendC::Hardware::UB> allocator;
    auto a = allocator.Alloc<half, 100>();
    auto b = allocator.Alloc<half, 100>();
    EXPECT_EQ(a.GetSize(), 100u);
    EXPECT_EQ(b.GetPhyAddr() - a.GetPhyAddr(), 224u);  // 200 bytes, rounded up to datablocks
    EXPECT_EQ(allocator.GetCurAddr(), 448u);
  });
}

TEST(Static, AnAllocatorKnowsItsEnd) {
  const std::string error = KernelRunner(1).Error([] {
    AscendC::LocalMemAllocator<> allocator;
    allocator.Alloc<float, 1024>();
    allocator.Alloc<float>(60000);
  });
  EXPECT_NE(error.find("LocalMemAllocator: 240000 bytes were asked for, 192256 of 196352 are left"),
            std::string::npos)
      << error;
}

TEST(Pipe, GivesEventsScratchAndBuffersAnew) {
  KernelRunner(1).Run([] {
    AscendC::TPipe pipe;
    EXPECT_EQ(GetTPipePtr(), &pipe);
    AscendC::TBuf<> buffer;
    pipe.InitBuffer(buffer, 1024);
    auto part = buffer.GetWithOffset<float>(8, 64);
    EXPECT_EQ(part.GetPhyAddr() & 0xffffffffu, 64u);
    EXPECT_EQ(part.GetSize(), 8u);
    AscendC::LocalTensor<uint8_t> scratch;
    EXPECT_TRUE((AscendC::PopStackBuffer<uint8_t, AscendC::TPosition::LCM>(scratch)));
    EXPECT_EQ(scratch.GetSize(), 196608u - 1024u);
    const auto first = pipe.AllocEventID<AscendC::HardEvent::MTE2_V>();
    const auto second = pipe.AllocEventID<AscendC::HardEvent::MTE2_V>();
    EXPECT_NE(first, second);
    pipe.ReleaseEventID<AscendC::HardEvent::MTE2_V>(first);
    EXPECT_EQ(pipe.FetchEventID(AscendC::HardEvent::MTE2_V), first);
    pipe.Reset();
    AscendC::TBuf<> all;
    pipe.InitBuffer(all, 196352);
    pipe.Init();  // without Destroy(), as public kernels do
    AscendC::TBuf<> again;
    pipe.InitBuffer(again, 196352);
    pipe.Destroy();
    AscendC::TPipe next;
    EXPECT_EQ(GetTPipePtr(), &next);
  });
}

TEST(Debug, AssertionsAndTrapsEndTheLaunch) {
  EXPECT_NE(KernelRunner(1)
                .Error([] { ascendc_assert(1 + 1 == 3, "sum is %d\n", 2); })
                .find("the assertion 1 + 1 == 3 failed: sum is 2 ("),
            std::string::npos);
  EXPECT_NE(KernelRunner(1).Error([] { AscendC::Trap(); }).find("the kernel called Trap"),
            std::string::npos);
  EXPECT_EQ(KernelRunner(1).Error([] { ASSERT(true); }), "");
}

TEST(Debug, PrintsHalvesAsNumbers) {
  testing::internal::CaptureStdout();
  KernelRunner(1).Run([] {
    AscendC::LocalTensor<half> tile(AscendC::TPosition::VECCALC, 0, 32);
    AscendC::Duplicate(tile, half(1.5f), 32);
    AscendC::printf("block %d: %f\n", static_cast<int>(AscendC::GetBlockIdx()), tile.GetValue(0));
    AscendC::DumpTensor(tile, 7, 3);
  });
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_EQ(said,
            "block 0: 1.500000\nDumpTensor: desc=7, block=0, addr=0x0, position=UB, "
            "dump_size=3\n[1.5, 1.5, 1.5]\n");
}

TEST(Debug, PrintsWhatIsInMemory) {
  const std::vector<int32_t> numbers = {3, -4, 5};
  testing::internal::CaptureStdout();
  KernelRunner(1).Type(BASCULE_KERNEL_AIC_ONLY).Input("numbers", numbers).Run([&] {
    AscendC::LocalTensor<half> a1(AscendC::TPosition::A1, 64, 32);
    AscendC::Fill(a1, AscendC::InitConstValueParams<half>(1, 2, 0, half(1.5F)));
    asc_dump_l1buf(reinterpret_cast<half*>(a1.GetPhyAddr()), 4, 2);
    asc_dump_gm(const_cast<int32_t*>(numbers.data()), 5, 3);
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "dump: desc=4, block=0, position=L1, dump_size=2\n[1.5, 1.5]\n"
            "dump: desc=5, block=0, position=GM, dump_size=3\n[3, -4, 5]\n");
  const std::string error = KernelRunner(1).Input("numbers", numbers).Error([&] {
    asc_dump(const_cast<int32_t*>(numbers.data()), 5, 4);
  });
  EXPECT_NE(error.find("'numbers' has 12 bytes"), std::string::npos) << error;
}

TEST(Intrinsics, AreTheSameOperations) {
  EXPECT_NE(KernelRunner(1)
                .Error([] { wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); })
                .find("pipe V waits for event 1 of pipe MTE2, which is never set"),
            std::string::npos);
  KernelRunner(3).Run([] {
    EXPECT_EQ(get_block_num(), 3);
    EXPECT_EQ(get_block_idx(), AscendC::GetBlockIdx());
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    pipe_barrier(PIPE_ALL);
  });
}

}  // namespace
}  // namespace bascule::engine

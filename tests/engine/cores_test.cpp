// Kernel types: which cores a block runs on, what they know of themselves, how they wait for each
// other, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/kernel_type.h"
#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using test::KernelRunner;

constexpr uint32_t kAllTypes[] = {BASCULE_KERNEL_UNSAID,      BASCULE_KERNEL_AIC_ONLY,
                                  BASCULE_KERNEL_AIV_ONLY,    BASCULE_KERNEL_MIX_AIV_1_0,
                                  BASCULE_KERNEL_MIX_AIC_1_0, BASCULE_KERNEL_MIX_AIC_1_1,
                                  BASCULE_KERNEL_MIX_AIC_1_2};

// What one core says of itself.
using Identity = std::tuple<int32_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>;

class Identities {
 public:
  void Add() {
    const std::lock_guard<std::mutex> lock(mutex_);
    all_.insert({static_cast<int32_t>(AscendC::g_coreType), AscendC::GetBlockIdx(),
                 int64_t{block_idx}, AscendC::GetSubBlockIdx(), AscendC::GetSubBlockNum(),
                 AscendC::GetTaskRatio(), AscendC::GetBlockNum()});
  }
  const std::multiset<Identity>& all() const { return all_; }

 private:
  std::mutex mutex_;
  std::multiset<Identity> all_;
};

// The documented numbers, spelt out.
std::multiset<Identity> Expected(uint32_t type, int64_t blocks) {
  const BlockCores cores = CoresOf(type);
  std::multiset<Identity> all;
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t i = 0; i < cores.aic; ++i)
      all.insert({AscendC::AIC, block, block, 0, 1, 1, blocks});
    for (int64_t i = 0; i < cores.aiv; ++i) {
      all.insert({AscendC::AIV, block * cores.aiv + i, block, i, cores.aiv, cores.aiv, blocks});
    }
  }
  return all;
}

TEST(KernelTypes, StartTheirCoresAndTellThemWhoTheyAre) {
  for (uint32_t type : kAllTypes) {
    for (uint32_t blocks : {1u, 2u, 7u, 24u, 101u}) {
      for (uint32_t workers : {1u, 3u}) {
        SetWorkerLimit(workers);
        Identities seen;
        KernelRunner(blocks).Type(type).Long().Run([&] {
          seen.Add();
          EXPECT_EQ(AscendC::GetTaskRation(), AscendC::GetTaskRatio());
          EXPECT_EQ(get_block_idx(), int64_t{block_idx});
          EXPECT_EQ(get_subblockid(), AscendC::GetSubBlockIdx());
          bool aic = false;
          bool aiv = false;
          if ASCEND_IS_AIC {
            aic = true;
          }
          if ASCEND_IS_AIV {
            aiv = true;
          }
          EXPECT_NE(aic, aiv);
          EXPECT_EQ(aic, AscendC::g_coreType == AscendC::AIC);
        });
        EXPECT_EQ(seen.all(), Expected(type, blocks))
            << KernelTypeName(type) << ", " << blocks << " blocks, " << workers << " workers";
      }
    }
  }
  SetWorkerLimit(0);
}

template <KernelMetaType type>
void CheckSaid(uint32_t number) {
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    Identities seen;
    std::vector<float> data(8, 1.0f);
    KernelRunner(5).Input("in", data).Long().Run([&] {
      AscendC::TPipe pipe;  // what was done before is done again
      AscendC::TBuf<> buffer;
      if ASCEND_IS_AIV {
        pipe.InitBuffer(buffer, 1024);
      }
      KERNEL_TASK_TYPE_DEFAULT(type);
      KERNEL_TASK_TYPE_DEFAULT(type);
      seen.Add();
    });
    EXPECT_EQ(seen.all(), Expected(number, 5)) << KernelTypeName(number);
  }
  SetWorkerLimit(0);
}

TEST(KernelTypes, AreWhatTheKernelSaysWhenItRuns) {
  CheckSaid<KERNEL_TYPE_AIV_ONLY>(BASCULE_KERNEL_AIV_ONLY);
  CheckSaid<KERNEL_TYPE_AIC_ONLY>(BASCULE_KERNEL_AIC_ONLY);
  CheckSaid<KERNEL_TYPE_MIX_AIV_1_0>(BASCULE_KERNEL_MIX_AIV_1_0);
  CheckSaid<KERNEL_TYPE_MIX_AIC_1_0>(BASCULE_KERNEL_MIX_AIC_1_0);
  CheckSaid<KERNEL_TYPE_MIX_AIC_1_1>(BASCULE_KERNEL_MIX_AIC_1_1);
  CheckSaid<KERNEL_TYPE_MIX_AIC_1_2>(BASCULE_KERNEL_MIX_AIC_1_2);
}

TEST(KernelTypes, OfTheLaunchHaveMoreWeight) {
  Identities seen;
  KernelRunner(3).Type(BASCULE_KERNEL_MIX_AIC_1_1).Run([&] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    seen.Add();
  });
  EXPECT_EQ(seen.all(), Expected(BASCULE_KERNEL_MIX_AIC_1_1, 3));
}

// One that is parked when it says its type begins again all the same.
TEST(KernelTypes, MayBeSaidAfterAPoll) {
  Identities seen;
  KernelRunner(2).Long().Run([&] {
    for (int i = 0; i < 1000; ++i) AscendC::GetSystemCycle();
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    seen.Add();
  });
  EXPECT_EQ(seen.all(), Expected(BASCULE_KERNEL_MIX_AIC_1_2, 2));
}

TEST(KernelTypes, CannotBeSaidTooLateOrTwice) {
  std::vector<float> out(8);
  const std::string late = KernelRunner(1, "late").Output("out", out).Error([&] {
    AscendC::GlobalTensor<float> to;
    to.SetGlobalBuffer(out.data(), 8);
    AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 8);
    AscendC::Duplicate(tile, 1.0f, 8);
    AscendC::DataCopy(to, tile, 8);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  });
  EXPECT_NE(late.find("late (block 0 of 1): KERNEL_TASK_TYPE_DEFAULT at "), std::string::npos)
      << late;
  EXPECT_NE(late.find("the block has to begin again on the cores of a KERNEL_TYPE_MIX_AIC_1_2 "
                      "kernel, and others may have seen something of it by now; let this be the "
                      "kernel's first statement."),
            std::string::npos)
      << late;
  const std::string twice = KernelRunner(2, "two").Error([] {
    if (AscendC::GetBlockNum() == 2 && int64_t{block_idx} == 0) {
      KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    } else {
      KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    }
  });
  EXPECT_NE(twice.find("the kernel is of type KERNEL_TYPE_AIC_ONLY here, and was of type "
                       "KERNEL_TYPE_AIV_ONLY before; one launch has one type."),
            std::string::npos)
      << twice;
}

TEST(KernelTypes, OfATilingKeyHoldForItsLaunches) {
  for (uint64_t key : {0u, 1u, 2u, 3u}) {
    for (uint32_t workers : {1u, 3u}) {
      SetWorkerLimit(workers);
      Identities seen;
      KernelRunner(4).TilingKey(key).Long().Run([&] {
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
        if (TILING_KEY_IS(1)) {
          KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
        } else if (TILING_KEY_IS(2)) {
          KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIC_1_2);
        } else {
          KERNEL_TASK_TYPE(4, KERNEL_TYPE_AIC_ONLY);
        }
        seen.Add();
      });
      EXPECT_EQ(seen.all(), Expected(key == 1   ? BASCULE_KERNEL_AIV_ONLY
                                     : key == 2 ? BASCULE_KERNEL_MIX_AIC_1_2
                                                : BASCULE_KERNEL_MIX_AIC_1_1,
                                     4))
          << "key " << key;
    }
  }
  SetWorkerLimit(0);
}

// --- what kernels say of themselves

__global__ __aicore__ void PlainKernel(int* at) { *at += 1; }
__global__ __vector__ void VectorKernel(int* at) { *at += 1; }
__global__ __cube__ __aicore__ void CubeKernel(int* at) { *at += 1; }
extern "C" __global__ __mix__(1, 2) void MixedKernel12(int* at) { *at += 1; }
extern "C" __global__ __mix__(1, 1) void MixedKernel11(int* at);
extern "C" __global__ __mix__(1, 1) void MixedKernel11(int* at) { *at += 1; }
template <typename T>
__global__ __mix__(1, 0) void MixedKernel10(T* at) {
  *at += 1;
}
template <typename T>
inline __kernel__ __mix__(0, 1) void MixedKernel01(T* at) {
  *at += 1;
}

TEST(KernelTypes, StandInFrontOfTheKernelsCode) {
  const std::vector<std::pair<void (*)(int*), uint32_t>> kernels = {
      {PlainKernel, BASCULE_KERNEL_UNSAID},
      {VectorKernel, BASCULE_KERNEL_AIV_ONLY},
      {CubeKernel, BASCULE_KERNEL_AIC_ONLY},
      {MixedKernel12, BASCULE_KERNEL_MIX_AIC_1_2},
      {MixedKernel11, BASCULE_KERNEL_MIX_AIC_1_1},
      {MixedKernel10<int>, BASCULE_KERNEL_MIX_AIC_1_0},
      {MixedKernel01<int>, BASCULE_KERNEL_MIX_AIV_1_0}};
  for (const auto& [kernel, type] : kernels) {
    EXPECT_EQ(MarkedKernelType(reinterpret_cast<const void*>(kernel)), type)
        << KernelTypeName(type);
    int runs = 0;
    kernel(&runs);
    EXPECT_EQ(runs, 1);
  }
  EXPECT_EQ(MarkedKernelType(reinterpret_cast<const void*>(MixedKernel10<float>)),
            uint32_t{BASCULE_KERNEL_MIX_AIC_1_0});
  const int data = 0;
  EXPECT_EQ(MarkedKernelType(&data), uint32_t{BASCULE_KERNEL_UNSAID});
  EXPECT_EQ(MarkedKernelType(nullptr), uint32_t{BASCULE_KERNEL_UNSAID});
}

// --- what cores can do

TEST(CubeCores, ReadScalarsAndCopy) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  std::vector<float> out(16);
  KernelRunner(1).Type(BASCULE_KERNEL_AIC_ONLY).Input("x", x).Output("out", out).Run([&] {
    AscendC::GlobalTensor<float> from;
    AscendC::GlobalTensor<float> to;
    from.SetGlobalBuffer(const_cast<float*>(x.data()), 16);
    to.SetGlobalBuffer(out.data(), 16);
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::A1, 1> queue;
    pipe.InitBuffer(queue, 2, 64);
    auto tile = queue.AllocTensor<float>();
    AscendC::DataCopy(tile, from, 16);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    AscendC::DataCopy(to, tile, 16);
    queue.FreeTensor(tile);
    AscendC::PipeBarrier<PIPE_ALL>();
    to.SetValue(0, from.GetValue(15) + 1);
  });
  EXPECT_EQ(out[0], 17.0f);
  for (size_t i = 1; i < 16; ++i) EXPECT_EQ(out[i], x[i]);
}

TEST(CubeCores, HaveAllMemoriesButTheVectorCores) {
  KernelRunner(1).Type(BASCULE_KERNEL_MIX_AIC_1_1).Run([] {
    using AscendC::TPosition;
    AscendC::TPipe pipe;
    if ASCEND_IS_AIC {
      AscendC::TBuf<TPosition::A1> l1;
      AscendC::TBuf<TPosition::A2> l0a;
      AscendC::TBuf<TPosition::B2> l0b;
      AscendC::TBuf<TPosition::CO1> l0c;
      AscendC::TBuf<TPosition::C2> bias;
      AscendC::TBuf<TPosition::C2PIPE2GM> fixpipe;
      pipe.InitBuffer(l1, 512 * 1024 - 256);
      pipe.InitBuffer(l0a, 64 * 1024);
      pipe.InitBuffer(l0b, 64 * 1024);
      pipe.InitBuffer(l0c, 128 * 1024);
      pipe.InitBuffer(bias, 1024);
      pipe.InitBuffer(fixpipe, 2048);
    }
    if ASCEND_IS_AIV {
      AscendC::TBuf<TPosition::VECCALC> ub;
      pipe.InitBuffer(ub, 192 * 1024 - 256);
    }
  });
}

TEST(CubeCores, SayWhatTheyLack) {
  const auto vector_work = [] {
    AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::Add(tile, tile, tile, 64);
  };
  const std::string cube = KernelRunner(1, "c").Type(BASCULE_KERNEL_AIC_ONLY).Error(vector_work);
  EXPECT_NE(cube.find("c (block 0 of 1): Add at "), std::string::npos) << cube;
  EXPECT_NE(cube.find("the unified buffer, which a cube core does not have; code for vector cores "
                      "belongs into a __vector__ or __mix__ kernel."),
            std::string::npos)
      << cube;
  const std::string mixed =
      KernelRunner(2, "m").Type(BASCULE_KERNEL_MIX_AIC_1_2).Error(vector_work);
  EXPECT_NE(mixed.find("m (block 0 of 2, AIC): Add at "), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("Put code for vector cores into `if ASCEND_IS_AIV`; macros like "
                       "__DAV_C220_VEC__ cannot tell here"),
            std::string::npos)
      << mixed;
  const std::string vector = KernelRunner(1).Error([] {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::A1> l1;
    pipe.InitBuffer(l1, 32);
  });
  EXPECT_NE(vector.find("A1 lies in L1, which a vector core does not have. Put code for cube cores "
                        "into `if ASCEND_IS_AIC`, and see that the kernel has them"),
            std::string::npos)
      << vector;
  const std::string scalar = KernelRunner(1).Type(BASCULE_KERNEL_AIC_ONLY).Error([] {
    AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
    tile.SetValue(0, 1.0f);
  });
  EXPECT_NE(scalar.find("the element lies in the unified buffer, which a cube core does not have"),
            std::string::npos)
      << scalar;
}

// --- cores that wait for each other

// Each core says how far it is; `early` counts who saw another behind.
struct Rounds {
  std::array<std::atomic<int>, 24 * kBlockSlots> round = {};
  std::atomic<int> early{0};
  static size_t Me() {
    return static_cast<size_t>(int64_t{block_idx}) * kBlockSlots +
           (AscendC::g_coreType == AscendC::AIC
                ? 0
                : 1 + static_cast<size_t>(AscendC::GetSubBlockIdx()));
  }
};

TEST(SyncAll, HoldsAllCoresOfAMixedKernel) {
  for (uint32_t type :
       {uint32_t{BASCULE_KERNEL_MIX_AIC_1_1}, uint32_t{BASCULE_KERNEL_MIX_AIC_1_2}}) {
    for (uint32_t workers : {1u, 2u, 3u}) {
      SetWorkerLimit(workers);
      Rounds rounds;
      KernelRunner(24).Type(type).Long().Run([&] {
        for (int i = 1; i <= 20; ++i) {
          rounds.round[Rounds::Me()].store(i);
          AscendC::SyncAll<false>();
          for (uint32_t block = 0; block < 24; ++block) {
            for (uint32_t slot = 0; slot < 1u + CoresOf(type).aiv; ++slot) {
              if (rounds.round[block * kBlockSlots + slot].load() < i) rounds.early.fetch_add(1);
            }
          }
          AscendC::SyncAll<false>();
        }
      });
      EXPECT_EQ(rounds.early.load(), 0);
    }
  }
  SetWorkerLimit(0);
}

TEST(SyncAll, OfVectorCoresLetsCubeCoresPass) {
  std::atomic<int> arrived{0};
  std::atomic<int> early{0};
  KernelRunner(3).Type(BASCULE_KERNEL_MIX_AIC_1_2).Run([&] {
    if ASCEND_IS_AIV {
      arrived.fetch_add(1);
    }
    AscendC::SyncAll();
    if ASCEND_IS_AIV {
      if (arrived.load() != 6) early.fetch_add(1);
    }
  });
  EXPECT_EQ(early.load(), 0);
}

TEST(SyncAll, SaysWhatAKernelHasNoCoresFor) {
  const std::string no_cubes = KernelRunner(2).Error([] { AscendC::SyncAll<false>(); });
  EXPECT_NE(no_cubes.find("SyncAll<false>() waits for cube cores, and this kernel has none"),
            std::string::npos)
      << no_cubes;
  const std::string no_vectors =
      KernelRunner(2).Type(BASCULE_KERNEL_MIX_AIC_1_0).Error([] { AscendC::SyncAll(); });
  EXPECT_NE(no_vectors.find("SyncAll<true>() is for vector cores, and this kernel has cube cores "
                            "only; SyncAll<false>() is for these."),
            std::string::npos)
      << no_vectors;
  KernelRunner(24).Type(BASCULE_KERNEL_MIX_AIC_1_0).Run([] { AscendC::SyncAll<false>(); });
  const std::string wide =
      KernelRunner(25).Type(BASCULE_KERNEL_MIX_AIC_1_2).Error([] { AscendC::SyncAll<false>(); });
  EXPECT_NE(
      wide.find("all 25 blocks have to be on a core at once, and Ascend910B has 24 cube cores "
                "and 48 vector cores for blocks of 1 and 2; launch at most 24 blocks."),
      std::string::npos)
      << wide;
}

// A cube core makes tiles for its vector cores and waits until they have been taken, 50 times.
TEST(CrossCore, CubeAndVectorCoresTakeTurns) {
  for (uint32_t type :
       {uint32_t{BASCULE_KERNEL_MIX_AIC_1_1}, uint32_t{BASCULE_KERNEL_MIX_AIC_1_2}}) {
    for (uint32_t workers : {1u, 2u, 3u}) {
      SetWorkerLimit(workers);
      constexpr uint32_t kBlocks = 7;
      std::array<std::atomic<int>, kBlocks> made = {};
      std::array<std::atomic<int>, kBlocks> taken = {};
      std::atomic<int> wrong{0};
      const int vectors = CoresOf(type).aiv;
      KernelRunner(kBlocks).Type(type).Long().Run([&] {
        const size_t block = static_cast<size_t>(int64_t{block_idx});
        for (int i = 1; i <= 50; ++i) {
          if ASCEND_IS_AIC {
            made[block].store(i);
            AscendC::CrossCoreSetFlag<2, PIPE_FIX>(3);
            AscendC::CrossCoreWaitFlag(4);
            if (taken[block].load() != i * vectors) wrong.fetch_add(1);
          }
          if ASCEND_IS_AIV {
            AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(3);
            if (made[block].load() != i) wrong.fetch_add(1);
            taken[block].fetch_add(1);
            AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(4);
          }
        }
      });
      EXPECT_EQ(wrong.load(), 0);
    }
  }
  SetWorkerLimit(0);
}

// Mode 1 is within a block: one block's vector cores go on while another's have not begun to set.
TEST(CrossCore, VectorCoresOfABlockWaitForEachOther) {
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    Rounds rounds;
    KernelRunner(5).Type(BASCULE_KERNEL_MIX_AIC_1_2).Long().Run([&] {
      if (int64_t{block_idx} == 3) return;
      if ASCEND_IS_AIV {
        for (int i = 1; i <= 40; ++i) {
          rounds.round[Rounds::Me()].store(i);
          AscendC::CrossCoreSetFlag<1, PIPE_V>(0);
          AscendC::CrossCoreWaitFlag<1, PIPE_V>(0);
          const size_t first = static_cast<size_t>(int64_t{block_idx}) * kBlockSlots + 1;
          if (rounds.round[first].load() < i || rounds.round[first + 1].load() < i) {
            rounds.early.fetch_add(1);
          }
        }
      }
    });
    EXPECT_EQ(rounds.early.load(), 0);
  }
  SetWorkerLimit(0);
}

// The three modes on one kernel, cube cores and vector cores apart in mode 0.
TEST(CrossCore, ModesDoNotMix) {
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    std::atomic<int> cubes{0};
    std::atomic<int> vectors{0};
    std::atomic<int> wrong{0};
    KernelRunner(8).Type(BASCULE_KERNEL_MIX_AIC_1_2).Long().Run([&] {
      if ASCEND_IS_AIC {
        AscendC::CrossCoreWaitFlag(12);
        cubes.fetch_add(1);
        AscendC::CrossCoreSetFlag<0, PIPE_FIX>(11);
        AscendC::CrossCoreWaitFlag(11);
        if (cubes.load() != 8) wrong.fetch_add(1);
        AscendC::CrossCoreSetFlag<2, PIPE_FIX>(13);
      }
      if ASCEND_IS_AIV {
        AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(12);
        AscendC::CrossCoreWaitFlag(13);
        if (cubes.load() != 8) wrong.fetch_add(1);
        vectors.fetch_add(1);
        AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(11);
        AscendC::CrossCoreWaitFlag(11);
        if (vectors.load() != 16) wrong.fetch_add(1);
      }
    });
    EXPECT_EQ(wrong.load(), 0);
  }
  SetWorkerLimit(0);
}

// A core that sets more often than a counter counts waits until the others have taken one.
TEST(CrossCore, CountsWhatOtherCoresHaveNotTaken) {
  std::atomic<int> taken = 0;
  const auto sets = [&taken](int count, int waits) {
    return [&taken, count, waits] {
      if ASCEND_IS_AIC {
        for (int i = 0; i < count; ++i) {
          AscendC::CrossCoreSetFlag<2, PIPE_FIX>(0, {"k.cpp", 3});
          EXPECT_LE(i - 15, taken.load());
        }
      }
      if ASCEND_IS_AIV {
        for (int i = 0; i < waits; ++i) {
          AscendC::CrossCoreWaitFlag(0);
          ++taken;
        }
      }
    };
  };
  for (const uint32_t workers : {1U, 2U}) {
    SetWorkerLimit(workers);
    for (const int count : {15, 16, 40, 500}) {
      taken = 0;
      KernelRunner(1).Type(BASCULE_KERNEL_MIX_AIC_1_2).Run(sets(count, count));
      EXPECT_EQ(taken.load(), 2 * count);
    }
  }
  SetWorkerLimit(0);
  EXPECT_EQ(KernelRunner(1, "sixteen").Type(BASCULE_KERNEL_MIX_AIC_1_2).Error(sets(16, 0)),
            "sixteen (block 0 of 1, AIC): nothing can go on: block 0 (AIC) waits in "
            "CrossCoreSetFlag for flag 0, which was set 15 times and not waited for; the hardware "
            "counts to 15, at k.cpp:3. All other cores have ended.");
}

TEST(CrossCore, RefusesModesTheKernelHasNoCoresFor) {
  const std::string lone =
      KernelRunner(2).Error([] { AscendC::CrossCoreSetFlag<1, PIPE_MTE3>(0); });
  EXPECT_NE(lone.find("mode 1 is between the cores of one block, and this kernel has one core a "
                      "block; mode 0 is between all blocks."),
            std::string::npos)
      << lone;
  const std::string cube = KernelRunner(2).Type(BASCULE_KERNEL_MIX_AIC_1_2).Error([] {
    AscendC::CrossCoreSetFlag<1, PIPE_MTE3>(0);
  });
  EXPECT_NE(cube.find("mode 1 is between the vector cores of a block, and this is its cube core."),
            std::string::npos)
      << cube;
}

TEST(CrossCore, SaysWhichCoresWaitForWhat) {
  const std::string error = KernelRunner(1, "stuck").Type(BASCULE_KERNEL_MIX_AIC_1_2).Error([] {
    if ASCEND_IS_AIC {
      AscendC::CrossCoreWaitFlag<2, PIPE_FIX>(5, {"k.cpp", 3});
    } else {
      if (AscendC::GetSubBlockIdx() == 1) AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(5, {"k.cpp", 4});
      AscendC::CrossCoreWaitFlag<2, PIPE_V>(6, {"k.cpp", 5});
    }
  });
  EXPECT_EQ(
      error,
      "stuck (block 0 of 1, AIC): nothing can go on: block 0 (AIC) waits in CrossCoreWaitFlag "
      "for flag 5, which 1 of 2 vector cores have set, at k.cpp:3; block 0 (AIV 0) waits in "
      "CrossCoreWaitFlag for flag 6, which neither the cube core of its block nor the other "
      "vector cores have set, at k.cpp:5; block 0 (AIV 1) waits in CrossCoreWaitFlag for flag "
      "6, which neither the cube core of its block nor the other vector cores have set, at "
      "k.cpp:5. All other cores have ended.");
}

// --- observers

// Recorders come back by block, the cube core's first; the one of the first try does not.
class Order : public Observer {
 public:
  class Nothing : public Recorder {
   public:
    Decision Before(const Event& event) override {
      if (event.kind == EventKind::kSetFlag) events.push_back(event);
      return Decision::kRun;
    }
    std::vector<Event> events;
  };
  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo&) override {
    return std::make_unique<Nothing>();
  }
  void Merge(const CoreInfo& core, std::unique_ptr<Recorder> recorder) override {
    order.push_back({core.block, core.kind, core.sub_block});
    for (const Event& event : static_cast<Nothing&>(*recorder).events) {
      EXPECT_EQ(event.block, core.block);
      EXPECT_EQ(event.core_kind, core.kind);
      EXPECT_EQ(event.sub_block, core.sub_block);
      ++events;
    }
  }
  std::string Report() const override { return "{}"; }
  std::vector<std::tuple<uint32_t, uint8_t, uint16_t>> order;
  int events = 0;
};

TEST(Observers, GetRecordersBackInOrder) {
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    Order order;
    KernelRunner(4).Watch(order).Long().Run([] {
      KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
    });
    std::vector<std::tuple<uint32_t, uint8_t, uint16_t>> expected;
    for (uint32_t block = 0; block < 4; ++block) {
      expected.push_back({block, BASCULE_CORE_AIC, 0});
      expected.push_back({block, BASCULE_CORE_AIV, 0});
      expected.push_back({block, BASCULE_CORE_AIV, 1});
    }
    EXPECT_EQ(order.order, expected);
    EXPECT_EQ(order.events, 12);
  }
  SetWorkerLimit(0);
}

}  // namespace
}  // namespace bascule::engine

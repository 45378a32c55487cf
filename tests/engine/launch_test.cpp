// Kernels on the engine: results at awkward sizes, on one worker and on many; blocks that wait;
// errors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/sanitizer.h"
#include "kernel_operator.h"
#include "tests/kernels/mul_kernel.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using test::KernelRunner;
using test::MulKernel;

template <typename T>
std::vector<T> Numbers(size_t count, int step) {
  std::vector<T> out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = T(static_cast<float>(static_cast<int>(i * step % 61) - 30) / 8);
  return out;
}

template <typename T>
void CheckMul(size_t count, uint32_t blocks, uint32_t workers) {
  SetWorkerLimit(workers);
  const std::vector<T> x = Numbers<T>(count, 7);
  const std::vector<T> y = Numbers<T>(count, 11);
  std::vector<T> out(count, T(99));
  KernelRunner(blocks).Long().Input("x", x).Input("y", y).Output("out", out).Run([&] {
    MulKernel<T>(x.data(), y.data(), out.data(), count).Process();
  });
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(float(out[i]), float(x[i] * y[i])) << "element " << i << " of " << count << ", "
                                                 << blocks << " blocks, " << workers << " workers";
  }
  SetWorkerLimit(0);
}

TEST(Launch, MultipliesAtAwkwardSizes) {
  for (size_t count : {1, 7, 8, 9, 15, 16, 17, 513, 1023, 1024, 1025, 4099, 100003}) {
    for (uint32_t blocks : {1u, 2u, 3u, 40u, 48u, 100u}) {
      for (uint32_t workers : {1u, 2u, 5u}) {
        CheckMul<float>(count, blocks, workers);
        CheckMul<half>(count, blocks, workers);
      }
    }
  }
}

TEST(Launch, EveryBlockRunsOnceAndKnowsItself) {
  for (uint32_t workers : {1u, 4u}) {
    SetWorkerLimit(workers);
    std::vector<std::atomic<int>> runs(1000);
    KernelRunner(1000).Long().Run([&] {
      EXPECT_EQ(AscendC::GetBlockNum(), 1000);
      runs[static_cast<size_t>(AscendC::GetBlockIdx())].fetch_add(1);
    });
    for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
  }
  SetWorkerLimit(0);
}

// Every block waits for all others, many times; a worker has to carry many of them at once.
TEST(SyncAll, HoldsEveryBlockUntilTheLastArrives) {
  constexpr uint32_t kBlocks = 48;
  constexpr int kRounds = 100;
  for (uint32_t workers : {1u, 2u, 3u}) {
    SetWorkerLimit(workers);
    std::vector<std::atomic<int>> round(kBlocks);
    std::atomic<int> early{0};
    KernelRunner(kBlocks).Long().Run([&] {
      const size_t me = static_cast<size_t>(AscendC::GetBlockIdx());
      for (int i = 1; i <= kRounds; ++i) {
        round[me].store(i);
        AscendC::SyncAll();
        for (const auto& other : round) {
          if (other.load() < i) early.fetch_add(1);
        }
        AscendC::SyncAll();
      }
    });
    EXPECT_EQ(early.load(), 0) << workers << " workers";
  }
  SetWorkerLimit(0);
}

TEST(SyncAll, ReportsBlocksThatWaitForNobody) {
  for (uint32_t workers : {1u, 2u}) {
    SetWorkerLimit(workers);
    const std::string error = KernelRunner(4, "half_way").Long().Error([] {
      if (AscendC::GetBlockIdx() != 2) AscendC::SyncAll();
    });
    EXPECT_NE(
        error.find(
            "half_way (block 0 of 4): nothing can go on: block 0 waits in SyncAll, where 3 of 4 "
            "blocks have arrived, at "),
        std::string::npos)
        << error;
    EXPECT_NE(error.find("launch_test.cpp:"), std::string::npos) << error;
  }
  SetWorkerLimit(0);
}

TEST(SyncAll, RefusesMoreBlocksThanCores) {
  const std::string error = KernelRunner(49, "wide").Error([] { AscendC::SyncAll(); });
  EXPECT_NE(
      error.find(
          "all 49 blocks have to be on a core at once, and Ascend910B has 48 of this kind; launch "
          "at most 48 blocks."),
      std::string::npos)
      << error;
}

TEST(Errors, AWriteBeyondATensorTouchesNothing) {
  // The neighbour lies directly behind the tensor.
  std::vector<float> memory(64, 7.0f);
  const std::vector<float> x(64, 1.0f);
  KernelRunner runner(1, "past_the_end");
  runner.Input("x", x).Interval("out", memory.data(), 40 * sizeof(float),
                                BASCULE_READ | BASCULE_WRITE);
  const std::string error = runner.Error([&] {
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    AscendC::GlobalTensor<float> from;
    AscendC::GlobalTensor<float> to;
    from.SetGlobalBuffer(const_cast<float*>(x.data()), 64);
    to.SetGlobalBuffer(memory.data(), 64);
    auto tile = queue.AllocTensor<float>();
    AscendC::DataCopy(tile, from, 64);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    AscendC::DataCopy(to, tile, 64);
    queue.FreeTensor(tile);
  });
  EXPECT_NE(error.find("past_the_end (block 0 of 1): DataCopy at "), std::string::npos) << error;
  EXPECT_NE(
      error.find(
          "writes 256 bytes of 'out' from byte 0, but 'out' has 160 bytes. Nothing was written."),
      std::string::npos)
      << error;
  for (float value : memory) EXPECT_EQ(value, 7.0f);
}

TEST(Errors, AnInputIsOnlyRead) {
  std::vector<float> x(16, 1.0f);
  const std::string error = KernelRunner(1).Input("x", x).Error([&] {
    AscendC::GlobalTensor<float> to;
    to.SetGlobalBuffer(x.data(), 16);
    to.SetValue(3, 5.0f);
  });
  EXPECT_NE(error.find("SetValue at "), std::string::npos) << error;
  EXPECT_NE(error.find("writes to 'x', which this launch only reads"), std::string::npos) << error;
  EXPECT_EQ(x[3], 1.0f);
}

struct Misuse {
  const char* name;
  void (*kernel)();
  const char* says;
};

using AscendC::TPosition;

const Misuse kMisuses[] = {
    {"NullArgument",
     [] {
       AscendC::GlobalTensor<float> none;
       none.SetGlobalBuffer(nullptr, 8);  // legal until touched
       none.GetValue(0);
     },
     "reads 4 bytes of a null pointer (an argument that was not passed?)"},
    {"NeverBound",
     [] {
       const AscendC::GlobalTensor<float> none;
       none.GetValue(0);
     },
     "reads 4 bytes of a null pointer"},
    {"BufferTooLarge",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 2> a;
       AscendC::TQue<TPosition::VECIN, 2> b;
       pipe.InitBuffer(a, 2, 90000);
       pipe.InitBuffer(b, 2, 20000);
     },
     "2 buffers of 20000 bytes (40000 in all) do not fit into the unified buffer: 180032 of its "
     "196608 bytes are taken (180032 at "},
    {"NothingIsLeft",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> all;
       AscendC::TBuf<TPosition::VECCALC> more;
       pipe.InitBuffer(all, 196608);
       pipe.InitBuffer(more, 1);
     },
     "), 0 are left."},
    {"LargerThanTheMemory",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> buffer;
       pipe.InitBuffer(buffer, 0xffffffff);
     },
     "1 buffers of 4294967296 bytes (4294967296 in all) do not fit into the unified buffer: 0 of "
     "its 196608 bytes are taken, 196608 are left."},
    {"NoBytes",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 1> queue;
       pipe.InitBuffer(queue, 2, 0);
     },
     "2 buffers of 0 bytes were asked for; both have to be at least 1."},
    {"TooManyBuffersInAQueue",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 1> queue;
       pipe.InitBuffer(queue, 9, 32);
     },
     "a queue holds at most 8 buffers, not 9."},
    {"TooManyTensorsOfAPosition",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 1> a;
       AscendC::TQue<TPosition::VECIN, 1> b;
       pipe.InitBuffer(a, 5, 32);
       pipe.InitBuffer(b, 5, 32);
       for (int i = 0; i < 3; ++i) a.FreeTensor(a.AllocTensor<float>());
       for (int i = 0; i < 5; ++i) {
         a.AllocTensor<float>();
         b.AllocTensor<float>();
       }
     },
     "8 tensors of the queues at VECIN are allocated; there are no more event ids for one"},
    {"NoBuffers",
     [] {
       AscendC::TQue<TPosition::VECIN, 1> queue;
       queue.AllocTensor<float>();
     },
     "AllocTensor at "},
    {"AllBuffersInUse",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 2> queue;
       pipe.InitBuffer(queue, 2, 64);
       queue.AllocTensor<float>();
       queue.AllocTensor<float>();
       queue.AllocTensor<float>();
     },
     "are in use; this waits for ever. A FreeTensor is missing."},
    {"EmptyQueue",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 1> queue;
       pipe.InitBuffer(queue, 1, 64);
       queue.DeQue<float>();
     },
     "is empty; this waits for ever. An EnQue is missing."},
    {"FreedTwice",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 1> queue;
       pipe.InitBuffer(queue, 1, 64);
       auto tensor = queue.AllocTensor<float>();
       queue.FreeTensor(tensor);
       queue.FreeTensor(tensor);
     },
     "the tensor was freed before."},
    {"AnotherQueue",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 1> in;
       AscendC::TQue<TPosition::VECOUT, 1> out;
       pipe.InitBuffer(in, 1, 64);
       pipe.InitBuffer(out, 1, 64);
       out.EnQue(in.AllocTensor<float>());
     },
     "the tensor does not belong to this queue"},
    {"TwoPipes",
     [] {
       AscendC::TPipe one;
       AscendC::TPipe two;
     },
     "a kernel has one TPipe at a time"},
    {"Misaligned",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> buffer;
       pipe.InitBuffer(buffer, 256);
       auto tensor = buffer.Get<float>();
       AscendC::Mul(tensor, tensor[3], tensor, 8);
     },
     "operand 1 begins at address 12 of the unified buffer; it has to begin on a multiple of 32 "
     "bytes."},
    {"MisalignedCopy",
     [] {
       AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
       AscendC::DataCopy(tile[8], tile[1], 8);
     },
     "operand 1 begins at address 4 of the unified buffer; it has to begin on a multiple of 32 "
     "bytes."},
    {"BeyondTheUnifiedBuffer",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> buffer;
       pipe.InitBuffer(buffer, 256);
       auto tensor = buffer.Get<float>();
       AscendC::Mul(tensor, tensor, tensor, 60000);
     },
     "writes 240000 bytes at address 0 of the unified buffer, which has 196608 bytes."},
    {"ElementBeyondTheUnifiedBuffer",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> buffer;
       pipe.InitBuffer(buffer, 256);
       buffer.Get<float>().SetValue(1000000, 1.0f);
     },
     "the element lies outside the unified buffer, which has 196608 bytes."},
    {"NegativeIndex",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> buffer;
       pipe.InitBuffer(buffer, 256);
       buffer.Get<float>().GetValue(static_cast<uint32_t>(-1));
     },
     "the element lies outside the unified buffer"},
    {"NoTensor",
     [] {
       const AscendC::LocalTensor<float> none;
       AscendC::Mul(none, none, none, 8);
     },
     "through a tensor that is not in the unified buffer"},
    {"NegativeCount",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> buffer;
       pipe.InitBuffer(buffer, 256);
       auto tensor = buffer.Get<float>();
       AscendC::Mul(tensor, tensor, tensor, -8);
     },
     "the count of a vector instruction is negative"},
    {"WaitWithoutSet", [] { AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(3); },
     "pipe V waits for event 3 of pipe MTE2, which is never set."},
    {"QueueDepth",
     [] {
       AscendC::TPipe pipe;
       AscendC::TQue<TPosition::VECIN, 1> queue;
       pipe.InitBuffer(queue, 2, 64);
       queue.EnQue(queue.AllocTensor<float>());
       queue.EnQue(queue.AllocTensor<float>());
     },
     " has depth 1 and holds 1 tensor. DeQue one first, or give the queue a greater depth."},
    {"NoSuchEvent", [] { AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(8); },
     "event id 8 from pipe MTE2 to pipe V does not exist; ids are 0 to 7."},
    {"TooManyBlocksInACopy",
     [] {
       AscendC::TPipe pipe;
       AscendC::TBuf<TPosition::VECCALC> buffer;
       pipe.InitBuffer(buffer, 256);
       auto tensor = buffer.Get<float>();
       AscendC::DataCopy(tensor, tensor, AscendC::DataCopyParams(4096, 1, 0, 0));
     },
     "DataCopy: blockCount is limited to 4095"},
    {"Exception", [] { throw std::logic_error("no such mode"); },
     "the kernel threw an exception: no such mode"},
};

// Half an element off: in global memory a copy begins anywhere, but on an element.
TEST(Errors, ACopyBeginsOnAnElement) {
  std::vector<float> x(40, 1.0f);
  const std::string error = KernelRunner(1).Input("x", x).Error([&] {
    AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::GlobalTensor<float> from;
    from.SetGlobalBuffer(x.data(), 40);
    AscendC::DataCopy(tile, from[3], 8);
    from.SetGlobalBuffer(reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 6), 20);
    AscendC::DataCopyPad(tile, from, AscendC::DataCopyExtParams(1, 32, 0, 0, 0), {});
    AscendC::DataCopy(tile, from, 8);
  });
  EXPECT_NE(
      error.find("begins at byte 6 of 'x', which is no multiple of the 4 bytes of an element. "
                 "DataCopyPad copies from and to any byte."),
      std::string::npos)
      << error;
}

// A size that is no multiple of 32 bytes is rounded down; every line says so once.
TEST(Warnings, ACopyThatRoundsDownSaysSoOnce) {
  for (const uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    for (const uint32_t count : {1u, 7u, 8u, 9u, 13u, 64u, 67u}) {
      std::vector<float> x(80, 1.0f);
      std::vector<float> out(3 * 80, 7.0f);
      testing::internal::CaptureStderr();
      KernelRunner(3, "short").Long().Input("x", x).Output("out", out).Run([&] {
        AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 80);
        AscendC::LocalTensor<float> other(AscendC::TPosition::VECCALC, 512, 80);
        AscendC::GlobalTensor<float> from;
        AscendC::GlobalTensor<float> to;
        from.SetGlobalBuffer(x.data(), 80);
        to.SetGlobalBuffer(out.data() + AscendC::GetBlockIdx() * 80, 80);
        for (int i = 0; i < 10; ++i) {
          AscendC::DataCopy(tile, from, 80);
          // Each count has a place of its own, or there would be nothing to see after the first.
          AscendC::DataCopy(other, tile, count,
                            bascule_ascendc::Site("copy.cpp", 100 * workers + count));
          AscendC::DataCopy(to, tile, count,
                            bascule_ascendc::Site("store.cpp", 100 * workers + count));
        }
      });
      const std::string said = testing::internal::GetCapturedStderr();
      const uint32_t copied = count / 8 * 8;
      for (uint32_t i = 0; i < 3 * 80; ++i) ASSERT_EQ(out[i], i % 80 < copied ? 1.0f : 7.0f) << i;
      if (copied == count) {
        EXPECT_EQ(said, "");
        continue;
      }
      for (const char* file : {"copy.cpp", "store.cpp"}) {
        const std::string wanted =
            Join("bascule: warning: short: DataCopy at ", file, ":", 100 * workers + count,
                 ": asked for ", 4 * count, " bytes and copied ", 4 * copied,
                 ": DataCopy moves datablocks of 32 bytes and rounds down.");
        const size_t at = said.find(wanted);
        ASSERT_NE(at, std::string::npos) << said;
        EXPECT_EQ(said.find(wanted, at + 1), std::string::npos) << said;
      }
    }
  }
  SetWorkerLimit(0);
}

class MisuseTest : public testing::TestWithParam<Misuse> {};

TEST_P(MisuseTest, EndsTheLaunchWithASentence) {
  const Misuse& misuse = GetParam();
  const std::string error = KernelRunner(1, "misuse").Error([&] { misuse.kernel(); });
  EXPECT_EQ(error.rfind("misuse (block 0 of 1): ", 0), 0u) << error;
  EXPECT_NE(error.find(misuse.says), std::string::npos) << error;
  // The core is fit for the next launch.
  CheckMul<float>(100, 2, 1);
}

INSTANTIATE_TEST_SUITE_P(All, MisuseTest, testing::ValuesIn(kMisuses),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Errors, TheLowestBlockThatFailedIsReported) {
  SetWorkerLimit(1);
  const std::string error = KernelRunner(8, "some").Error([] {
    if (AscendC::GetBlockIdx() >= 3) throw std::runtime_error("stop");
  });
  EXPECT_EQ(error, "some (block 3 of 8): the kernel threw an exception: stop");
  SetWorkerLimit(0);
}

TEST(Errors, NoBlocksIsAnError) {
  EXPECT_EQ(KernelRunner(0, "none").Error([] {}),
            "none: launched with 0 blocks; the tiling has to ask for at least 1.");
}

TEST(Errors, ACallOutsideALaunchThrows) {
  try {
    AscendC::GetBlockIdx();
    FAIL() << "returned";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("outside a kernel launch"), std::string::npos);
  }
}

// A failing launch in which other blocks are parked must leave nothing behind.
TEST(Errors, ParkedBlocksAreAbandoned) {
  for (int i = 0; i < 50; ++i) {
    const std::string error = KernelRunner(16, "parked").Long().Error([] {
      if (AscendC::GetBlockIdx() == 15) throw std::runtime_error("last");
      AscendC::SyncAll();
    });
    EXPECT_NE(error.find("last"), std::string::npos) << error;
  }
  CheckMul<float>(5000, 8, 2);
}

TEST(Launch, ManyThreadsLaunchAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      const size_t count = 3000 + static_cast<size_t>(t) * 17;
      const std::vector<float> x = Numbers<float>(count, t + 1);
      const std::vector<float> y = Numbers<float>(count, 3);
      for (int i = 0; i < 50; ++i) {
        std::vector<float> out(count);
        KernelRunner(5).Long().Input("x", x).Input("y", y).Output("out", out).Run([&] {
          MulKernel<float>(x.data(), y.data(), out.data(), count).Process();
        });
        for (size_t j = 0; j < count; ++j) ASSERT_EQ(out[j], x[j] * y[j]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

#if !defined(BASCULE_THREAD_SANITIZER)
TEST(Launch, WorksInAForkedChild) {
  CheckMul<float>(5000, 8, 3);  // the pool has threads now
  const pid_t child = fork();
  if (child == 0) {
    CheckMul<float>(5000, 8, 3);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace bascule::engine

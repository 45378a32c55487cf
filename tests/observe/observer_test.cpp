// The event stream through three observers: the counter that ships, a race detector, a gradient
// tape. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel_operator.h"
#include "observe/count.h"
#include "tests/kernels/mul_kernel.h"
#include "tests/observe/gradient_tape.h"
#include "tests/observe/race_detector.h"
#include "tests/support/kernel_runner.h"

namespace bascule {
namespace {

using test::KernelRunner;
using test::MulKernel;
using test::MulMutation;

std::vector<float> Numbers(size_t count, int step) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(static_cast<int>(i * step % 61) - 30) / 8;
  return out;
}

void RunMul(size_t count, uint32_t blocks, Observer& observer, std::vector<float>& out,
            const std::vector<float>& x, const std::vector<float>& y, MulMutation mutation = {},
            MulKernel<float>::Lines* lines = nullptr) {
  KernelRunner(blocks)
      .Long()
      .Input("x", x)
      .Input("y", y)
      .Output("out", out)
      .Watch(observer)
      .Run([&] {
        MulKernel<float>(x.data(), y.data(), out.data(), count, mutation)
            .Process(AscendC::GetBlockIdx() == 0 ? lines : nullptr);
      });
}

TEST(RaceDetector, IsSilentOnTheRightKernel) {
  for (size_t count : {1, 1023, 1024, 1025, 5000}) {
    const std::vector<float> x = Numbers(count, 7);
    const std::vector<float> y = Numbers(count, 3);
    std::vector<float> out(count);
    test::RaceDetector detector;
    RunMul(count, 3, detector, out, x, y);
    EXPECT_TRUE(detector.races().empty()) << detector.Report();
  }
}

// Any of the two DeQues left out, or both: two blocks of three tiles, one finding a tile and DeQue.
TEST(RaceDetector, FindsARemovedDeQueAtItsLine) {
  constexpr size_t kCount = 5000;
  const std::vector<float> x = Numbers(kCount, 7);
  const std::vector<float> y = Numbers(kCount, 3);
  for (const auto& [skip_x, skip_y] : {std::pair{true, false}, {false, true}, {true, true}}) {
    std::vector<float> out(kCount);
    test::RaceDetector detector;
    MulKernel<float>::Lines lines;
    RunMul(kCount, 2, detector, out, x, y, {.skip_dequeue_x = skip_x, .skip_dequeue_y = skip_y},
           &lines);
    ASSERT_EQ(detector.races().size(), skip_x && skip_y ? 12u : 6u);
    EXPECT_EQ(detector.races().front().block, 0u);
    EXPECT_EQ(detector.races().back().block, 1u);
    for (const test::Race& race : detector.races()) {
      // One hand-over that is left covers both copies, for MTE2 works in order; none covers
      // neither.
      EXPECT_EQ(race.kind,
                skip_x && skip_y ? test::RaceKind::kUnordered : test::RaceKind::kStillQueued);
      EXPECT_EQ(race.writer, "DataCopyPad");
      EXPECT_TRUE((skip_x && race.writer_line == lines.copy_x) ||
                  (skip_y && race.writer_line == lines.copy_y));
      EXPECT_EQ(race.writer_pipe, BASCULE_PIPE_MTE2);
      EXPECT_EQ(race.reader, "Mul");
      EXPECT_EQ(race.reader_line, lines.mul);
      EXPECT_EQ(race.reader_pipe, BASCULE_PIPE_V);
      EXPECT_NE(race.buffer_line, 0u);
    }
    // In program order the result is right all the same: that is why somebody has to watch.
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], x[i] * y[i]);
  }
}

// The same hand-over by flags instead of a queue, and a twin without the wait.
void FlagKernel(const std::vector<float>& x, std::vector<float>& out, bool wait) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 256);
  auto tile = buffer.Get<float>();
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(const_cast<float*>(x.data()));
  to.SetGlobalBuffer(out.data());
  AscendC::DataCopy(tile, from, 64);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  if (wait) AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::Mul(tile, tile, tile, 64);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::DataCopy(to, tile, 64);
}

TEST(RaceDetector, UnderstandsFlagsAndBarriers) {
  const std::vector<float> x = Numbers(64, 5);
  std::vector<float> out(64);
  for (bool wait : {true, false}) {
    test::RaceDetector detector;
    KernelRunner(1).Input("x", x).Output("out", out).Watch(detector).Run([&] {
      FlagKernel(x, out, wait);
    });
    EXPECT_EQ(detector.races().empty(), wait);
    for (size_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], x[i] * x[i]);
  }
}

TEST(GradientTape, GivesTheGradientOfAProduct) {
  for (size_t count : {1, 9, 1024, 1027, 4100}) {
    for (uint32_t blocks : {1u, 3u}) {
      const std::vector<float> x = Numbers(count, 7);
      const std::vector<float> y = Numbers(count, 3);
      const std::vector<float> dout = Numbers(count, 13);
      std::vector<float> out(count);
      test::GradientTape tape;
      RunMul(count, blocks, tape, out, x, y);
      std::map<uint64_t, float> gradient = tape.Backward(out.data(), dout);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(gradient[reinterpret_cast<uint64_t>(&x[i])], dout[i] * y[i])
            << i << " of " << count;
        ASSERT_EQ(gradient[reinterpret_cast<uint64_t>(&y[i])], dout[i] * x[i])
            << i << " of " << count;
      }
    }
  }
}

TEST(CountObserver, CountsInstructionsRepeatsAndBytes) {
  constexpr size_t kCount = 3000;  // two whole tiles of 1024 and one of 952
  const std::vector<float> x = Numbers(kCount, 7);
  const std::vector<float> y = Numbers(kCount, 3);
  std::vector<float> out(kCount);
  observe::CountObserver counter;
  RunMul(kCount, 1, counter, out, x, y);
  const auto& mul = counter.table().at({BASCULE_CORE_AIV, BASCULE_PIPE_V, "Mul"});
  EXPECT_EQ(mul.instructions, 3u);
  EXPECT_EQ(mul.repeats, 16u + 16u + 15u);
  EXPECT_EQ(mul.bytes_read, 2 * kCount * sizeof(float));
  EXPECT_EQ(mul.bytes_written, kCount * sizeof(float));
  const auto& in = counter.table().at({BASCULE_CORE_AIV, BASCULE_PIPE_MTE2, "DataCopyPad"});
  EXPECT_EQ(in.instructions, 6u);
  EXPECT_EQ(in.bytes_read, 2 * kCount * sizeof(float));
  const auto& back = counter.table().at({BASCULE_CORE_AIV, BASCULE_PIPE_MTE3, "DataCopyPad"});
  EXPECT_EQ(back.instructions, 3u);
  EXPECT_EQ(back.bytes_written, kCount * sizeof(float));
  EXPECT_NE(counter.Report().find("\"launches\": 1, \"blocks\": 1"), std::string::npos);
}

// Reports do not depend on who ran which block.
TEST(CountObserver, IsTheSameOnOneWorkerAndOnMany) {
  const std::vector<float> x = Numbers(50000, 7);
  std::vector<float> out(x.size());
  std::string reports[2];
  for (int i = 0; i < 2; ++i) {
    engine::SetWorkerLimit(i == 0 ? 1 : 4);
    observe::CountObserver counter;
    RunMul(x.size(), 20, counter, out, x, x);
    reports[i] = counter.Report();
  }
  engine::SetWorkerLimit(0);
  EXPECT_EQ(reports[0], reports[1]);
}

TEST(Count, TellsCubeAndVectorCoresApart) {
  const std::vector<float> x(64, 1.0f);
  std::string reports[2];
  for (uint32_t workers : {1u, 3u}) {
    engine::SetWorkerLimit(workers);
    observe::CountObserver counter;
    KernelRunner(3).Input("x", x).Watch(counter).Long().Run([&] {
      KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
      AscendC::GlobalTensor<float> from;
      from.SetGlobalBuffer(const_cast<float*>(x.data()), 64);
      if ASCEND_IS_AIC {
        AscendC::LocalTensor<float> tile(AscendC::TPosition::A1, 0, 64);
        AscendC::DataCopy(tile, from, 64);
      } else {
        AscendC::LocalTensor<float> tile(AscendC::TPosition::VECIN, 0, 64);
        AscendC::DataCopy(tile, from, 32);
      }
      AscendC::SyncAll<false>();
    });
    const auto& table = counter.table();
    const auto& aic = table.at({BASCULE_CORE_AIC, BASCULE_PIPE_MTE2, "DataCopy"});
    EXPECT_EQ(aic.instructions, 3u);
    EXPECT_EQ(aic.bytes_written, 3u * 256);
    const auto& aiv = table.at({BASCULE_CORE_AIV, BASCULE_PIPE_MTE2, "DataCopy"});
    EXPECT_EQ(aiv.instructions, 6u);
    EXPECT_EQ(aiv.bytes_written, 6u * 128);
    reports[workers == 1 ? 0 : 1] = counter.Report();
    EXPECT_EQ(counter.Report().rfind("{\"launches\": 1, \"blocks\": 3, \"cores\": 9, ", 0), 0u)
        << counter.Report();
  }
  EXPECT_EQ(reports[0], reports[1]);
  engine::SetWorkerLimit(0);
}

// Scalar accesses of one line in a row are one event, and come before what follows them.
class Log : public Observer {
 public:
  class BlockRecorder : public Recorder {
   public:
    void After(const Event& event) override {
      std::string line = event.name;
      if (event.kind == EventKind::kScalar) {
        line +=
            Join(" ", event.operands[0].run_bytes, event.operands[0].writes ? " written" : " read");
      }
      lines.push_back(line);
    }
    std::vector<std::string> lines;
  };
  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo&) override {
    return std::make_unique<BlockRecorder>();
  }
  void Merge(const CoreInfo&, std::unique_ptr<Recorder> recorder) override {
    lines = std::move(static_cast<BlockRecorder&>(*recorder).lines);
  }
  std::string Report() const override { return "{}"; }
  std::vector<std::string> lines;
};

TEST(Events, ScalarAccessesAreMergedAndInOrder) {
  Log log;
  KernelRunner(1).Watch(log).Run([] {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto tile = buffer.Get<float>();
    for (uint32_t i = 0; i < 10; ++i) tile.SetValue(i, 1.0f);
    AscendC::Mul(tile, tile, tile, 8);
    float sum = 0;
    for (uint32_t i = 0; i < 4; ++i) sum += tile.GetValue(i);
    EXPECT_EQ(sum, 4.0f);
  });
  const std::vector<std::string> expected = {"TPipe", "InitBuffer", "SetValue 40 written", "Mul",
                                             "GetValue 16 read"};
  EXPECT_EQ(log.lines, expected);
}

// An observer may hold an instruction back, and the run goes on.
class Skipper : public Observer {
 public:
  class BlockRecorder : public Recorder {
   public:
    Decision Before(const Event& event) override {
      return event.opcode == BASCULE_OPCODE_kMul ? Decision::kSkip : Decision::kRun;
    }
  };
  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo&) override {
    return std::make_unique<BlockRecorder>();
  }
  void Merge(const CoreInfo&, std::unique_ptr<Recorder>) override {}
  std::string Report() const override { return "{}"; }
};

TEST(Events, AnInstructionMayBeSkipped) {
  const std::vector<float> x(64, 3.0f);
  std::vector<float> out(64);
  Skipper skipper;
  KernelRunner(1).Input("x", x).Output("out", out).Watch(skipper).Run([&] {
    FlagKernel(x, out, true);
  });
  EXPECT_EQ(out[0], 3.0f);  // copied through, not multiplied
}

}  // namespace
}  // namespace bascule

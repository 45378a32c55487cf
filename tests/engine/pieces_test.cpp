// Instructions that wait to run together: what may wait, in which order the pieces run, and that no
// kernel can tell.
// SPDX-License-Identifier: Apache-2.0
#include "engine/pieces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TPosition;
using test::KernelRunner;

// --- the class itself -----------------------------------------------------------------------

constexpr uint64_t kCount = 2500;
constexpr uint64_t kBytes = kCount * 4;
using Kind = PieceStep::Kind;

std::string log_text;
const char* first_buffer;

// "c1<0:512 ": what, the buffers it writes and reads, and how much.
void Log(const char* what, const void* to, const void* from, uint64_t amount) {
  const auto number = [](const void* at) {
    return std::to_string((static_cast<const char*>(at) - first_buffer) / kBytes);
  };
  log_text.append(what).append(number(to)).append("<").append(number(from)).append(":");
  log_text.append(std::to_string(amount)).append(" ");
}
void LogFlat(void* to, const void* from, const void*, uint64_t, uint64_t count) {
  Log("c", to, from, count);
}
void LogCopy(char* to, const char* from, uint64_t bytes, uint64_t) { Log("l", to, from, bytes); }
void LogStream(char* to, const char* from, uint64_t bytes, const isa::ReadAhead&) {
  Log("s", to, from, bytes);
}

class PiecesTest : public testing::Test {
 protected:
  PiecesTest() : memory_(8 * kBytes) {
    pieces_.Begin(true);
    log_text.clear();
    first_buffer = memory_.data();
  }
  // The buffer of that number, of kCount floats.
  char* At(uint32_t buffer) { return memory_.data() + buffer * kBytes; }
  bool Take(Kind kind, char* to, char* from, uint64_t count = kCount, uint32_t to_bytes = 4,
            uint32_t from_bytes = 4, bool reads_destination = false) {
    pieces_.Next() = {kind,
                      reads_destination,
                      2,
                      kind == Kind::kCompute ? LogFlat : nullptr,
                      0,
                      {to, from, nullptr},
                      {to_bytes, from_bytes, 0}};
    return pieces_.Take(count);
  }
  void Run() { pieces_.Run(LogCopy, LogStream, {}); }

  Pieces pieces_;
  std::vector<char> memory_;
};

TEST_F(PiecesTest, RunOneAfterTheOther) {
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(2)));
  ASSERT_TRUE(Take(Kind::kCompute, At(1), At(0)));
  ASSERT_TRUE(Take(Kind::kStore, At(3), At(1)));
  Run();
  std::string expected;
  for (int i = 0; i < 19; ++i) expected += "c0<2:128 c1<0:128 s3<1:512 ";
  EXPECT_EQ(log_text, expected + "c0<2:68 c1<0:68 s3<1:272 ");
  EXPECT_TRUE(pieces_.empty());
}

// Of tiles of one piece the order is easier to see.
constexpr uint64_t kFew = 100;

TEST_F(PiecesTest, ComputeOfWhatATileIsCopiedFrom) {
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(2), kFew));
  ASSERT_TRUE(Take(Kind::kCompute, At(1), At(0), kFew));
  ASSERT_TRUE(Take(Kind::kStore, At(3), At(1), kFew));
  Run();
  EXPECT_EQ(log_text, "c1<2:100 l0<2:400 s3<1:400 ") << "filled before anything is stored";
}

TEST_F(PiecesTest, FillATileWithoutAStore) {
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(2), kFew));
  EXPECT_FALSE(pieces_.empty());
  ASSERT_TRUE(Take(Kind::kCompute, At(1), At(0), kFew));
  Run();
  EXPECT_EQ(log_text, "c1<2:100 l0<2:400 ");
  EXPECT_TRUE(pieces_.empty());
}

TEST_F(PiecesTest, FillNoTileThatResultsTakeThePlaceOf) {
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(2), kFew));
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(0), kFew));
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(0), kFew));
  ASSERT_TRUE(Take(Kind::kStore, At(3), At(0), kFew));
  Run();
  EXPECT_EQ(log_text, "c0<2:100 c0<0:100 s3<0:400 ");
}

TEST_F(PiecesTest, FillATileThatIsAddedTo) {
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(2), kFew));
  ASSERT_TRUE(Take(Kind::kLoad, At(1), At(3), kFew));
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(1), kFew, 4, 4, true));
  Run();
  EXPECT_EQ(log_text, "l0<2:400 c0<3:100 l1<3:400 ");
}

TEST_F(PiecesTest, ComputeOfWhatATileHoldsAtTheTime) {
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(2), kFew));
  ASSERT_TRUE(Take(Kind::kCompute, At(1), At(0), kFew));
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(3), kFew));
  ASSERT_TRUE(Take(Kind::kCompute, At(4), At(0), kFew));
  Run();
  EXPECT_EQ(log_text, "c1<2:100 c4<3:100 l0<3:400 ");
}

TEST_F(PiecesTest, AreCutByTheWidestElements) {
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(1), 1024, 4, 2));
  ASSERT_TRUE(Take(Kind::kCompute, At(2), At(1), 1024, 1, 2));
  Run();
  EXPECT_EQ(log_text, "c0<1:512 c2<1:512 c0<1:512 c2<1:512 ");
}

TEST_F(PiecesTest, AreShorterWhereSomethingIsStored) {
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(1), 512, 2, 4));
  ASSERT_TRUE(Take(Kind::kStore, At(2), At(0), 512, 2, 2));
  Run();
  EXPECT_EQ(log_text, "c0<1:256 s2<0:512 c0<1:256 s2<0:512 ");
}

TEST_F(PiecesTest, OneAloneRunsWhole) {
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(1)));
  Run();
  EXPECT_EQ(log_text, "c0<1:2500 ");
  log_text.clear();
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(1)));
  Run();
  EXPECT_EQ(log_text, "l0<1:10000 ");
}

TEST_F(PiecesTest, TakeOneNumberOfElements) {
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(1)));
  EXPECT_FALSE(Take(Kind::kCompute, At(0), At(1), kCount - 1));
  EXPECT_TRUE(Take(Kind::kCompute, At(0), At(1)));
}

TEST_F(PiecesTest, TakeNoOperandsThatOverlap) {
  ASSERT_TRUE(Take(Kind::kCompute, At(0), At(1)));
  EXPECT_FALSE(Take(Kind::kCompute, At(0) + 32, At(2))) << "begins within what is written";
  EXPECT_FALSE(Take(Kind::kCompute, At(2), At(1) - 32)) << "ends within it";
  EXPECT_FALSE(Take(Kind::kCompute, At(0), At(1), kCount, 4, 2)) << "other elements";
  EXPECT_FALSE(Take(Kind::kCompute, At(2) + 32, At(2))) << "with itself";
  EXPECT_TRUE(Take(Kind::kCompute, At(2), At(0))) << "nothing of what was refused is left";
}

TEST_F(PiecesTest, EndWithAChainOrAThirdTile) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Take(Kind::kCompute, At(0), At(1)));
  EXPECT_FALSE(Take(Kind::kCompute, At(0), At(1)));
  EXPECT_FALSE(pieces_.wanted());
  pieces_.Begin(true);
  ASSERT_TRUE(Take(Kind::kLoad, At(0), At(3)));
  ASSERT_TRUE(Take(Kind::kLoad, At(1), At(4)));
  EXPECT_FALSE(Take(Kind::kLoad, At(2), At(5)));
  EXPECT_FALSE(pieces_.wanted());
}

// --- kernels --------------------------------------------------------------------------------

constexpr uint32_t kTile = 4096;  // elements
constexpr uint32_t kAll = 6 * kTile + 1000;

std::vector<float> Numbers(uint32_t count) {
  std::vector<float> numbers(count);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i % 1013) / 128 - 4;
  return numbers;
}

// The output of a kernel in a launch through the caches, and in a large one, must be the same.
template <typename Kernel>
std::vector<float> SameInLargeLaunch(const std::vector<float>& x, Kernel kernel) {
  std::vector<float> outputs[2];
  for (const bool large : {false, true}) {
    std::vector<float>& out = outputs[large ? 1 : 0];
    out.assign(x.size(), -1);
    KernelRunner runner(1);
    runner.Input("x", x).Output("out", out);
    if (large) runner.Large();
    runner.Run([&] {
      GlobalTensor<float> from;
      GlobalTensor<float> to;
      from.SetGlobalBuffer(const_cast<float*>(x.data()), x.size());
      to.SetGlobalBuffer(out.data(), out.size());
      kernel(from, to);
    });
  }
  EXPECT_EQ(std::memcmp(outputs[0].data(), outputs[1].data(), x.size() * sizeof(float)), 0);
  return outputs[1];
}

TEST(WaitingInstructions, ComputeWhatTheyWould) {
  const std::vector<float> x = Numbers(kAll);
  const std::vector<float> out =
      SameInLargeLaunch(x, [](GlobalTensor<float>& from, GlobalTensor<float>& to) {
        AscendC::TPipe pipe;
        AscendC::TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
        pipe.InitBuffer(queue, 2, kTile * sizeof(float));
        for (uint32_t at = 0; at < kAll; at += kTile) {
          const uint32_t count = std::min(kTile, kAll - at);
          LocalTensor<float> tile = queue.AllocTensor<float>();
          AscendC::DataCopy(tile, from[at], count);
          queue.EnQue(tile);
          tile = queue.DeQue<float>();
          AscendC::Muls(tile, tile, 2.0f, static_cast<int32_t>(count));
          AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(count));
          queue.EnQue(tile);
          tile = queue.DeQue<float>();
          AscendC::DataCopy(to[at], tile, count);
          queue.FreeTensor(tile);
        }
      });
  for (uint32_t i = 0; i < kAll; ++i) ASSERT_EQ(out[i], x[i] * 2 + 1) << i;
}

// Tiles that are computed of straight from global memory are there for whoever reads them later.
TEST(WaitingInstructions, LeaveTilesAsTheyWouldBe) {
  const std::vector<float> x = Numbers(4 * kTile);
  const std::vector<float> out =
      SameInLargeLaunch(x, [](GlobalTensor<float>& from, GlobalTensor<float>& to) {
        const LocalTensor<float> a(TPosition::VECIN, 0, kTile);
        const LocalTensor<float> b(TPosition::VECIN, kTile * sizeof(float), kTile);
        const LocalTensor<float> c(TPosition::VECCALC, 2 * kTile * sizeof(float), kTile);
        const auto count = static_cast<int32_t>(kTile);
        for (int i = 0; i < 2; ++i) {  // the second time all is known
          AscendC::DataCopy(a, from, kTile);
          AscendC::DataCopy(b, from[kTile], kTile);
          AscendC::Mul(c, a, b, count);
          AscendC::DataCopy(to, c, kTile);
          AscendC::DataCopy(to[kTile], b, kTile);
          AscendC::DataCopy(b, from[kTile + 8], kTile);
          AscendC::MulAddDst(a, b, c, count);
          AscendC::DataCopy(to[2 * kTile], a, kTile);
          AscendC::DataCopy(a, from, kTile);
          AscendC::MulAddDst(a, b, b, count);
          AscendC::DataCopy(to[3 * kTile], a, kTile);
        }
      });
  for (uint32_t i = 0; i < kTile; ++i) {
    const float a = x[i];
    const float later = x[kTile + 8 + i];
    ASSERT_EQ(out[i], a * x[kTile + i]) << i;
    ASSERT_EQ(out[kTile + i], x[kTile + i]) << i;
    ASSERT_FLOAT_EQ(out[2 * kTile + i], a + later * out[i]) << i;
    ASSERT_FLOAT_EQ(out[3 * kTile + i], a + later * later) << i;
  }
}

// Tiles that nobody needed when results were stored are there for whoever reads them later, also
// when what they were copied from has changed.
TEST(WaitingInstructions, LeaveTilesThatAreReadAfterAStore) {
  const std::vector<float> x = Numbers(3 * kTile);
  const std::vector<float> out =
      SameInLargeLaunch(x, [](GlobalTensor<float>& from, GlobalTensor<float>& to) {
        const LocalTensor<float> a(TPosition::VECIN, 0, kTile);
        const LocalTensor<float> b(TPosition::VECCALC, kTile * sizeof(float), kTile);
        const auto count = static_cast<int32_t>(kTile);
        AscendC::DataCopy(a, from, kTile);
        AscendC::DataCopy(to[2 * kTile], a, kTile);
        for (int i = 0; i < 3; ++i) {  // the second time all is known
          AscendC::DataCopy(a, to[2 * kTile], kTile);
          AscendC::Adds(b, a, 1.0f, count);
          AscendC::DataCopy(to, b, kTile);
          const float seen = a.GetValue(5);
          AscendC::DataCopy(a, to[2 * kTile], kTile);
          AscendC::Adds(b, a, 2.0f, count);
          AscendC::DataCopy(to[kTile], b, kTile);
          AscendC::DataCopy(to[2 * kTile], b, kTile);  // over what a was copied from
          AscendC::Adds(b, a, seen, count);
          AscendC::DataCopy(to[kTile], b, kTile);
        }
      });
  for (uint32_t i = 0; i < kTile; ++i) {
    ASSERT_EQ(out[i], x[i] + 2 + 2 + 1) << i;
    ASSERT_EQ(out[2 * kTile + i], x[i] + 2 + 2 + 2) << i;
    ASSERT_EQ(out[kTile + i], x[i] + 4 + (x[5] + 4)) << i;
  }
}

// A scalar access comes after the instructions before it and before those behind it.
TEST(WaitingInstructions, ShowScalarsWhatWasComputed) {
  const std::vector<float> x = Numbers(2 * kTile);
  const std::vector<float> out =
      SameInLargeLaunch(x, [](GlobalTensor<float>& from, GlobalTensor<float>& to) {
        const LocalTensor<float> tile(TPosition::VECIN, 0, kTile);
        const LocalTensor<float> sums(TPosition::VECCALC, kTile * sizeof(float), kTile);
        AscendC::Duplicate(sums, 0.0f, kTile);
        for (uint32_t at = 0; at < 2 * kTile; at += kTile) {  // the second time all is known
          AscendC::DataCopy(tile, from[at], kTile);
          tile.SetValue(1, 100.0f);
          AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(kTile));
          const float seen = tile.GetValue(2);
          tile.SetValue(3, seen);
          AscendC::Adds(sums, tile, 10.0f, static_cast<int32_t>(kTile));
          AscendC::DataCopy(to[at], sums, kTile);
        }
      });
  for (const uint32_t at : {0u, kTile}) {
    EXPECT_EQ(out[at], x[at] + 11);
    EXPECT_EQ(out[at + 1], 111);
    EXPECT_EQ(out[at + 3], x[at + 2] + 11);
    EXPECT_EQ(out[at + kTile - 1], x[at + kTile - 1] + 11);
  }
}

// What a copy brings is what was there when it was issued.
TEST(WaitingInstructions, ReadGlobalMemoryBeforeItChanges) {
  const std::vector<float> x = Numbers(2 * kTile);
  const std::vector<float> out =
      SameInLargeLaunch(x, [](GlobalTensor<float>& from, GlobalTensor<float>& to) {
        const LocalTensor<float> tile(TPosition::VECIN, 0, kTile);
        const LocalTensor<float> other(TPosition::VECIN, kTile * sizeof(float), kTile);
        AscendC::DataCopy(tile, from, kTile);
        AscendC::DataCopy(to, tile, kTile);
        for (int i = 0; i < 3; ++i) {
          AscendC::DataCopy(tile, to, kTile);
          to.SetValue(0, 50.0f + static_cast<float>(i));
          AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(kTile));
          AscendC::DataCopy(to[kTile], tile, kTile);
        }
        // Shifted onto itself, from one tensor to the same.
        AscendC::DataCopy(other, to[8], kTile);
        AscendC::Adds(other, other, 1.0f, static_cast<int32_t>(kTile));
        AscendC::DataCopy(to[16], other, kTile);
      });
  EXPECT_EQ(out[0], 52);
  EXPECT_EQ(out[16], x[8] + 1);
  EXPECT_EQ(out[17], x[9] + 1);
  EXPECT_EQ(out[2 * kTile - 1], x[kTile - 1] + 1);
}

// Instructions that do not wait find what others have computed: reductions, masks, short ones.
TEST(WaitingInstructions, RunBeforeOthers) {
  const std::vector<float> x = Numbers(2 * kTile);
  const std::vector<float> out =
      SameInLargeLaunch(x, [](GlobalTensor<float>& from, GlobalTensor<float>& to) {
        const LocalTensor<float> tile(TPosition::VECIN, 0, kTile);
        const LocalTensor<float> other(TPosition::VECCALC, kTile * sizeof(float), kTile);
        for (uint32_t at = 0; at < 2 * kTile; at += kTile) {
          AscendC::DataCopy(tile, from[at], kTile);
          AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(kTile));
          AscendC::Adds(tile, tile, 1.0f, 64);
          AscendC::Muls(other, tile, 3.0f, static_cast<int32_t>(kTile));
          AscendC::Muls(other, other, 2.0f, uint64_t{8}, 1, {1, 1, 8, 8});
          AscendC::DataCopy(to[at], other, kTile);
        }
      });
  for (const uint32_t at : {0u, kTile}) {
    EXPECT_EQ(out[at + 7], (x[at + 7] + 2) * 3 * 2);
    EXPECT_EQ(out[at + 63], (x[at + 63] + 2) * 3);
    EXPECT_EQ(out[at + 64], (x[at + 64] + 1) * 3);
  }
}

// A flag to or from the scalar unit says that plain pointers are about to be followed.
TEST(WaitingInstructions, RunBeforeTheScalarUnitMayLook) {
  const std::vector<float> x = Numbers(2 * kTile);
  const std::vector<float> out =
      SameInLargeLaunch(x, [](GlobalTensor<float>& from, GlobalTensor<float>& to) {
        const LocalTensor<float> tile(TPosition::VECIN, 0, kTile);
        for (uint32_t at = 0; at < 2 * kTile; at += kTile) {
          AscendC::DataCopy(tile, from[at], kTile);
          AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(kTile));
          AscendC::SetFlag<AscendC::HardEvent::V_S>(0);
          AscendC::WaitFlag<AscendC::HardEvent::V_S>(0);
          float* const plain = reinterpret_cast<float*>(tile.GetPhyAddr());
          plain[1] = plain[0] * 2;
          AscendC::DataCopy(to[at], tile, kTile);
        }
      });
  for (const uint32_t at : {0u, kTile}) EXPECT_EQ(out[at + 1], (x[at] + 1) * 2);
}

// Who has an address or a reference may follow it without any flag: the one that was taken after
// the data came, and the one that was kept from before.
TEST(WaitingInstructions, AreNoneOnceTheKernelHasAnAddress) {
  const std::vector<float> x = Numbers(2 * kTile);
  const auto kernel = [](bool reference, GlobalTensor<float>& from, GlobalTensor<float>& to) {
    AscendC::TPipe pipe;
    AscendC::TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, kTile * sizeof(float));
    float* plain = nullptr;
    for (uint32_t at = 0; at < 2 * kTile; at += kTile) {
      LocalTensor<float> tile = queue.AllocTensor<float>();
      AscendC::DataCopy(tile, from[at], kTile);
      queue.EnQue(tile);
      tile = queue.DeQue<float>();
      AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(kTile));
      AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(kTile));
      if (plain == nullptr) {
        plain = reference ? &tile(0) : reinterpret_cast<float*>(tile.GetPhyAddr());
      }
      plain[1] = plain[0] * 2;
      AscendC::DataCopy(to[at], tile, kTile);
      queue.FreeTensor(tile);
    }
  };
  for (const bool reference : {false, true}) {
    const std::vector<float> out = SameInLargeLaunch(
        x,
        [&](GlobalTensor<float>& from, GlobalTensor<float>& to) { kernel(reference, from, to); });
    for (const uint32_t at : {0u, kTile}) {
      EXPECT_EQ(out[at], x[at] + 2);
      EXPECT_EQ(out[at + 1], (x[at] + 2) * 2);
    }
  }
}

// An error is told at its own line, and tells of its own call.
TEST(WaitingInstructions, FailWhereTheyStand) {
  const std::vector<float> x = Numbers(2 * kTile);
  std::vector<float> out(8);  // too short to be what lies behind x
  uint32_t line = 0;
  const std::string error = KernelRunner(1).Input("x", x).Output("out", out).Large().Error([&] {
    GlobalTensor<float> from;
    from.SetGlobalBuffer(const_cast<float*>(x.data()), x.size());
    const LocalTensor<float> tile(TPosition::VECIN, 0, kTile);
    for (uint32_t at = 0; at < 4 * kTile; at += kTile) {
      AscendC::DataCopy(tile, from[at], kTile);
      line = __LINE__ - 1;
      AscendC::Adds(tile, tile, 1.0f, static_cast<int32_t>(kTile));
    }
  });
  EXPECT_NE(error.find("DataCopy at "), std::string::npos) << error;
  const std::string place = std::to_string(line) + ": reads ";
  EXPECT_NE(error.find(place), std::string::npos) << error;
}

}  // namespace
}  // namespace bascule::engine

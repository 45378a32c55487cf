// CastDequant against its definition in every call form, on every CPU target. AddDeqRelu is
// elementwise: the harness of rows runs it; here are its definition and its edges.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/quant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bascule/abi/vector.h"
#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa::test {
namespace {

constexpr size_t kBytes = 8 * 1024;
constexpr uint32_t kLanes = 128;

uint64_t Word(float scale, int offset, bool sign) {
  uint32_t bits;
  std::memcpy(&bits, &scale, sizeof(bits));
  return bits | (static_cast<uint64_t>(offset) & 0x1ff) << BASCULE_DEQUANT_OFFSET_BIT |
         uint64_t{sign} << BASCULE_DEQUANT_SIGN_BIT;
}

int64_t Defined(int16_t value, double scale, int offset, bool sign) {
  const double exact = value * scale + offset;
  const double whole = std::nearbyint(exact);
  return static_cast<int64_t>(std::fmin(std::fmax(whole, sign ? -128 : 0), sign ? 127 : 255));
}

TEST(CastDequant, ScalesEveryLaneInEveryForm) {
  const float scales[] = {1.0f, 0.5f, -0.25f, 3.0f, 0.0078125f, 1000.0f, 0.0f};
  const int offsets[] = {0, 1, -1, 255, -256, 100};
  for (const bool sign : {false, true}) {
    for (uint32_t flags = 0; flags < 4; ++flags) {
      BasculeInstruction base = {};
      base.opcode = BASCULE_OPCODE_kCastDequant;
      base.operand_count = 3;
      base.operand[0] = {nullptr, BASCULE_UB, sign ? uint8_t{BASCULE_INT8} : uint8_t{BASCULE_UINT8},
                         1, 8};
      base.operand[1] = {nullptr, BASCULE_UB, BASCULE_INT16, 1, 8};
      base.operand[2] = {nullptr, BASCULE_UB, BASCULE_UINT64, 1, 8};
      base.params.vector.flags = flags;
      uint32_t turn = 0;
      for (const Stride stride : {Stride{1, 8}, Stride{2, 16}, Stride{1, 9}}) {
        for (Form& form : Forms(base, kCastDequantRow.forms, kLanes)) {
          ++turn;
          SetStride(form.in, 0, stride);
          SetStride(form.in, 1, {1, 8});
          std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_INT8, turn),
                                                   SomeBytes(kBytes, BASCULE_INT16, turn + 1),
                                                   std::vector<char>(128)};
          const float scale = scales[turn % 7];
          const int offset = offsets[turn % 6];
          form.in.params.vector.scalar.bits = Word(scale, offset, sign);
          for (uint32_t lane = 0; lane < 16; ++lane) {
            const uint64_t word = Word(scales[lane % 7], offsets[lane % 6], sign);
            Poke(memory[2], lane * 8, &word, 8);
          }
          std::vector<char> expected = memory[0];
          for (uint64_t repeat = 0; repeat < RepeatsOf(form.in, kLanes); ++repeat) {
            for (uint32_t lane = 0; lane < kLanes; ++lane) {
              if (!Selected(form.in, repeat, lane, kLanes)) continue;
              BasculeOperand blocks = form.in.operand[0];
              blocks.dtype = BASCULE_INT16;
              if (form.in.form == BASCULE_FORM_COUNT) blocks = {nullptr, 0, BASCULE_INT16, 1, 8};
              const bool per_lane = (flags & BASCULE_DEQUANT_VECTOR) != 0;
              const auto value =
                  Peek<int16_t>(memory[1], LaneOffset(form.in.operand[1], repeat, lane));
              const char result =
                  static_cast<char>(Defined(value, per_lane ? scales[lane % 16 % 7] : scale,
                                            per_lane ? offsets[lane % 16 % 6] : offset, sign));
              const uint64_t block = LaneOffset(blocks, repeat, lane / 16 * 16);
              Poke(expected,
                   block + ((flags & BASCULE_DEQUANT_HIGH_HALF) != 0 ? 16 : 0) + lane % 16, &result,
                   1);
            }
          }
          Bench bench(BASCULE_OPCODE_kCastDequant);
          ASSERT_NO_FATAL_FAILURE(bench.Check(form.in, memory, expected,
                                              Join(form.name, " flags ", flags, " sign ", sign)));
        }
      }
    }
  }
}

TEST(CastDequant, TakesTenDigitsOfTheScale) {
  const int16_t from[16] = {16255};
  int8_t to[32] = {};
  BasculeInstruction in = {};
  in.opcode = BASCULE_OPCODE_kCastDequant;
  in.operand_count = 3;
  in.form = BASCULE_FORM_COUNT;
  in.count = 1;
  in.operand[0] = {to, BASCULE_UB, BASCULE_INT8, 1, 8};
  in.operand[1] = {const_cast<int16_t*>(from), BASCULE_UB, BASCULE_INT16, 1, 8};
  // 63.496 with ten digits, 63.527 with eleven.
  in.params.vector.scalar.bits = Word(0.00390625f * (1 + 1.0f / 2048), 0, true);
  for (RunFunction run : {kCastDequantRow.run, kCastDequantRow.run_reference}) {
    run(kCastDequantRow, in, RunOptions());
    EXPECT_EQ(to[0], 63);
  }
}

TEST(CastDequant, RefusesTheOtherSign) {
  BasculeInstruction in = {};
  in.operand[0].dtype = BASCULE_INT8;
  in.params.vector.scalar.bits = Word(1, 0, false);
  EXPECT_NE(kCastDequantRow.misuse(in).find("signMode false, which is for uint8_t"),
            std::string::npos);
}

TEST(AddDeqRelu, RoundsTheExactProductOnceAndKeepsWhatIsPositive) {
  const int32_t a[] = {70, 1000, -5, INT32_MAX, 0, 2049, 40000};
  const int32_t b[] = {19, 24, 4, 1, 0, 0, 40000};
  const float expected[] = {89 * 0.125f, 1024 * 0.125f, 0, 0, 0, 2049 * 0.125f, 80000 * 0.125f};
  for (FlatFunction function : {kAddDeqReluRow.bodies[0].reference, SimdAddDeqRelu()}) {
    half_t out[7];
    function(out, a, b, half_t(0.125f).Bits(), 7);
    for (int i = 0; i < 7; ++i) {
      EXPECT_EQ(out[i].Bits(), half_t(expected[i]).Bits()) << i;
    }
  }
}

}  // namespace
}  // namespace bascule::isa::test

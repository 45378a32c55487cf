// Data movement against a plain loop over bytes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "isa/footprint.h"
#include "isa/move/bytes.h"
#include "isa/row.h"
#include "simd/targets.h"

namespace bascule::isa {
namespace {

constexpr size_t kBytes = 32 * 1024;

struct Move {
  uint16_t opcode;
  uint8_t dst;
  uint8_t src;
  BasculeCopy copy;
};

BasculeInstruction Instruction(const Move& move, char* to, char* from) {
  BasculeInstruction in = {};
  in.opcode = move.opcode;
  in.form = BASCULE_FORM_COPY;
  in.operand_count = 2;
  in.count = 1;
  in.operand[0] = {to, move.dst, BASCULE_UINT8, 0, 0};
  in.operand[1] = {from, move.src, BASCULE_UINT8, 0, 0};
  in.params.copy = move.copy;
  return in;
}

uint64_t RoundUp(uint64_t bytes) { return (bytes + 31) / 32 * 32; }

// The documented meaning, byte by byte.
void Expect(const Move& move, std::vector<uint8_t>& to, const std::vector<uint8_t>& from) {
  const BasculeCopy& copy = move.copy;
  const bool pad = move.opcode == BASCULE_OPCODE_kDataCopyPad;
  uint64_t at = 0;
  uint64_t read = 0;
  for (uint32_t block = 0; block < copy.block_count; ++block) {
    const uint64_t begin = at;
    const uint8_t* filler =
        copy.pad != 0 ? reinterpret_cast<const uint8_t*>(&copy.pad_bits) : &from[read];
    const bool fills = pad && move.dst != BASCULE_GM;
    if (fills) {
      for (uint32_t i = 0; i < uint32_t{copy.left_pad} * copy.element_bytes; ++i) {
        to[at++] = filler[i % copy.element_bytes];
      }
    }
    for (uint32_t i = 0; i < copy.block_bytes; ++i) to[at++] = from[read++];
    if (fills) {
      uint64_t i = 0;
      const uint64_t end =
          begin + RoundUp(at - begin + uint64_t{copy.right_pad} * copy.element_bytes);
      while (at < end) to[at++] = filler[i++ % copy.element_bytes];
    }
    at += copy.dst_gap_bytes;
    if (pad && move.src != BASCULE_GM) read = RoundUp(read);
    read += copy.src_gap_bytes;
  }
}

class CopyTest : public testing::TestWithParam<Move> {};

TEST_P(CopyTest, MovesTheBytesItsDocumentNames) {
  const Move& move = GetParam();
  const Row& row = *FindRow(move.opcode);
  for (bool stream : {false, true}) {
    std::vector<uint8_t> from(kBytes);
    std::iota(from.begin(), from.end(), uint8_t{1});
    std::vector<uint8_t> expected(kBytes, 0xee);
    std::vector<uint8_t> got = expected;
    Expect(move, expected, from);
    const BasculeInstruction in = Instruction(move, reinterpret_cast<char*>(got.data()),
                                              reinterpret_cast<char*>(from.data()));
    RunOptions options;
    options.stream_stores = stream;
    row.run(row, in, options);
    EXPECT_EQ(got, expected) << "stream " << stream;
    // The footprint ends where the last byte written does.
    size_t last = 0;
    for (size_t i = 0; i < kBytes; ++i) {
      if (expected[i] != 0xee) last = i + 1;
    }
    if (move.copy.block_count * move.copy.block_bytes < 200) {  // longer ones hold 0xee themselves
      EXPECT_EQ(ExtentOf(row, in, 0).span_bytes, last);
    }
  }
}

BasculeCopy Copy(uint32_t blocks, uint32_t bytes, uint32_t src_gap, uint32_t dst_gap) {
  BasculeCopy copy = {};
  copy.block_count = blocks;
  copy.block_bytes = bytes;
  copy.src_gap_bytes = src_gap;
  copy.dst_gap_bytes = dst_gap;
  copy.element_bytes = 2;
  return copy;
}

BasculeCopy Padded(BasculeCopy copy, uint8_t left, uint8_t right, uint64_t value) {
  copy.pad = 1;
  copy.left_pad = left;
  copy.right_pad = right;
  copy.pad_bits = value;
  return copy;
}

std::vector<Move> Moves() {
  std::vector<Move> moves;
  for (const auto& [dst, src] : {std::pair<uint8_t, uint8_t>{BASCULE_UB, BASCULE_GM},
                                 {BASCULE_GM, BASCULE_UB},
                                 {BASCULE_UB, BASCULE_UB}}) {
    for (uint32_t bytes : {0u, 32u, 64u, 96u, 4096u}) {
      for (uint32_t blocks : {0u, 1u, 3u}) {
        moves.push_back({BASCULE_OPCODE_kDataCopy, dst, src, Copy(blocks, bytes, 32, 64)});
        moves.push_back({BASCULE_OPCODE_kDataCopy, dst, src, Copy(blocks, bytes, 0, 0)});
      }
    }
  }
  for (const auto& [dst, src] :
       {std::pair<uint8_t, uint8_t>{BASCULE_UB, BASCULE_GM}, {BASCULE_GM, BASCULE_UB}}) {
    for (uint32_t bytes : {2u, 30u, 32u, 34u, 62u, 1026u}) {
      for (uint32_t blocks : {1u, 2u, 5u}) {
        // The gap in global memory counts bytes, the one on chip datablocks.
        const uint32_t src_gap = src == BASCULE_GM ? 6 : 32;
        const uint32_t dst_gap = dst == BASCULE_GM ? 10 : 64;
        moves.push_back({BASCULE_OPCODE_kDataCopyPad, dst, src, Copy(blocks, bytes, 0, 0)});
        moves.push_back(
            {BASCULE_OPCODE_kDataCopyPad, dst, src, Copy(blocks, bytes, src_gap, dst_gap)});
        if (dst == BASCULE_UB) {
          moves.push_back({BASCULE_OPCODE_kDataCopyPad, dst, src,
                           Padded(Copy(blocks, bytes, src_gap, dst_gap), 3, 2, 0xabcd)});
        }
      }
    }
  }
  return moves;
}

INSTANTIATE_TEST_SUITE_P(Forms, CopyTest, testing::ValuesIn(Moves()));

TEST(Copy, HasOneSpanHoweverItIsAsked) {
  const Row& row = *FindRow(BASCULE_OPCODE_kDataCopy);
  for (const Move& move : Moves()) {
    if (move.opcode != BASCULE_OPCODE_kDataCopy) continue;
    const BasculeInstruction in = Instruction(move, nullptr, nullptr);
    for (uint32_t operand : {0u, 1u}) {
      EXPECT_EQ(PlainCopySpan(in, operand), ExtentOf(row, in, operand).span_bytes);
    }
  }
}

TEST(Copy, TakesItsPipeFromItsDirection) {
  const Row& row = *FindRow(BASCULE_OPCODE_kDataCopy);
  EXPECT_EQ(row.pipe(Instruction({1, BASCULE_UB, BASCULE_GM, {}}, nullptr, nullptr)),
            BASCULE_PIPE_MTE2);
  EXPECT_EQ(row.pipe(Instruction({1, BASCULE_GM, BASCULE_UB, {}}, nullptr, nullptr)),
            BASCULE_PIPE_MTE3);
  EXPECT_EQ(row.pipe(Instruction({1, BASCULE_UB, BASCULE_UB, {}}, nullptr, nullptr)),
            BASCULE_PIPE_V);
}

// An address taken before the first call has to be that of the function, and not of one that asks
// the processor at every call what it is.
TEST(Copy, IsFoundOnceATargetIsChosen) {
  simd::ChooseTarget();
  const CopyFunction first = CopyBytes();
  char from[64] = {1};
  char to[64] = {};
  first(to, from, sizeof(to), 0);
  EXPECT_EQ(to[0], 1);
  EXPECT_EQ(first, CopyBytes());
}

}  // namespace
}  // namespace bascule::isa

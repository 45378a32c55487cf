// Gather and Gatherb against plain loops, and what they refuse to read.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/gather.h"

#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa {
namespace {

using test::Bench;
using test::Form;
using test::Forms;
using test::LaneOffset;
using test::Peek;
using test::Poke;
using test::RepeatsOf;
using test::Selected;
using test::SetStride;
using test::SomeBytes;
using test::Stride;

constexpr size_t kBytes = 24 * 1024;

BasculeInstruction Base(const Row& row, BasculeDType dtype) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.operand_count = row.operand_count;
  for (auto& operand : in.operand) operand = {nullptr, BASCULE_UB, dtype, 1, 8};
  in.operand[2].dtype = BASCULE_UINT32;
  return in;
}

std::vector<char> OffsetBytes(uint32_t below, uint32_t unit, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<char> out(kBytes);
  for (size_t at = 0; at < kBytes; at += 4) {
    const uint32_t offset = static_cast<uint32_t>(random()) % (below / unit) * unit;
    Poke(out, at, &offset, 4);
  }
  return out;
}

TEST(Gather, TakesTheElementEachOffsetNames) {
  Bench bench(BASCULE_OPCODE_kGather);
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16, BASCULE_BFLOAT16, BASCULE_INT16,
                             BASCULE_UINT16, BASCULE_INT32, BASCULE_UINT32}) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t lanes = 256 / element;
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 1),
                                                   SomeBytes(kBytes, dtype, 2),
                                                   OffsetBytes(4000, element, element)};
    for (const uint32_t base : {0u, 64u}) {
      for (const Stride stride : {Stride{1, 8}, Stride{1, 9}, Stride{1, 1}}) {
        for (Form& form : Forms(Base(bench.row(), dtype), bench.row().forms, lanes)) {
          BasculeInstruction& in = form.in;
          in.params.vector.extra[0] = base;
          in.params.vector.extra[1] = base == 0 ? 4096 : 0;
          if (in.form != BASCULE_FORM_COUNT) SetStride(in, 0, stride);
          std::vector<char> expected = memory[0];
          for (uint64_t repeat = 0; repeat < RepeatsOf(in, lanes); ++repeat) {
            for (uint32_t lane = 0; lane < lanes; ++lane) {
              if (!Selected(in, repeat, lane, lanes)) continue;
              const uint32_t offset = Peek<uint32_t>(memory[2], (repeat * lanes + lane) * 4);
              Poke(expected, LaneOffset(in.operand[0], repeat, lane), &memory[1][base + offset],
                   element);
            }
          }
          ASSERT_NO_FATAL_FAILURE(
              bench.Check(in, memory, expected, Join(DTypeName(dtype), " ", form.name)));
        }
      }
    }
  }
}

TEST(Gatherb, TakesTheDatablockEachOffsetNames) {
  Bench bench(BASCULE_OPCODE_kGatherb);
  for (BasculeDType dtype : {BASCULE_UINT16, BASCULE_UINT32}) {
    const std::vector<std::vector<char>> memory = {
        SomeBytes(kBytes, dtype, 1), SomeBytes(kBytes, dtype, 2), OffsetBytes(4096, 32, 3)};
    for (uint32_t repeats : {0u, 1u, 2u, 9u}) {
      for (const Stride stride : {Stride{1, 8}, Stride{2, 16}, Stride{1, 1}}) {
        BasculeInstruction in = Base(bench.row(), dtype);
        in.form = BASCULE_FORM_MASK_COUNT;
        in.mask[0] = 256 / ElementBytes(dtype);
        in.count = repeats;
        SetStride(in, 0, stride);
        std::vector<char> expected = memory[0];
        for (uint32_t i = 0; i < repeats * 8; ++i) {
          Poke(expected, i / 8 * stride.repeat * 32 + i % 8 * stride.block * 32,
               &memory[1][Peek<uint32_t>(memory[2], i * 4)], 32);
        }
        ASSERT_NO_FATAL_FAILURE(bench.Check(in, memory, expected, Join("repeats ", repeats)));
      }
    }
  }
}

TEST(Gather, RefusesOffsetsThatLeadOutside) {
  std::vector<char> dst(512);
  std::vector<char> src(512);
  std::vector<uint32_t> offsets(128, 4);
  BasculeInstruction in = Base(kGatherRow, BASCULE_FLOAT);
  in.count = 64;
  in.operand[0].address = dst.data();
  in.operand[1].address = src.data();
  in.operand[2].address = offsets.data();
  in.params.vector.extra[1] = 256;
  EXPECT_EQ(kGatherRow.misuse(in), "");
  offsets[64] = 1000;  // not used
  EXPECT_EQ(kGatherRow.misuse(in), "");
  offsets[63] = 252;
  EXPECT_EQ(kGatherRow.misuse(in), "");
  offsets[63] = 256;
  EXPECT_EQ(kGatherRow.misuse(in),
            "offset 63 leads to byte 256 of the source, which has 256 bytes. Offsets count bytes, "
            "not elements. "
            "Nothing was read.");
  // However far it leads, no more than the source is said to be read.
  EXPECT_EQ(ExtentOf(kGatherRow, in, 1).span_bytes, 256u);
  offsets[5] = 0xfffffffe;
  EXPECT_NE(
      kGatherRow.misuse(in).find("offset 5 is 4294967294 bytes; it has to be a multiple of 4"),
      std::string::npos);
  offsets[5] = offsets[63] = 0;
  in.params.vector.extra[0] = 2;
  EXPECT_NE(kGatherRow.misuse(in).find("srcBaseAddr is 2 bytes"), std::string::npos);
  // A source of unknown size ends where the memory does: the engine sees to that.
  in.params.vector.extra[0] = in.params.vector.extra[1] = 0;
  offsets[63] = 0xfffffffc;
  EXPECT_EQ(kGatherRow.misuse(in), "");
  EXPECT_EQ(ExtentOf(kGatherRow, in, 1).span_bytes, uint64_t{1} << 32);

  BasculeInstruction blocks = Base(kGatherbRow, BASCULE_UINT16);
  blocks.form = BASCULE_FORM_MASK_COUNT;
  blocks.mask[0] = 128;
  blocks.count = 1;
  blocks.operand[0].address = dst.data();
  blocks.operand[1].address = src.data();
  std::vector<uint32_t> block_offsets = {0, 32, 64, 96, 128, 160, 192, 224};
  blocks.operand[2].address = block_offsets.data();
  blocks.params.vector.extra[1] = 250;  // the last datablock counts as a whole
  EXPECT_EQ(kGatherbRow.misuse(blocks), "");
  block_offsets[7] = 256;
  EXPECT_NE(kGatherbRow.misuse(blocks).find("offset 7 leads to byte 256"), std::string::npos);
  block_offsets[7] = 16;
  EXPECT_NE(kGatherbRow.misuse(blocks).find("offset 7 is 16 bytes; it has to be a multiple of 32"),
            std::string::npos);
}

}  // namespace
}  // namespace bascule::isa

// Transpose and TransDataTo5HD against plain loops.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/transpose.h"

#include <array>

#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa {
namespace {

using test::Bench;
using test::Poke;
using test::SomeBytes;

constexpr size_t kBytes = 64 * 1024;

BasculeInstruction Base(const Row& row, BasculeDType dtype, uint32_t repeats) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.operand_count = row.operand_count;
  in.form = BASCULE_FORM_MASK_COUNT;
  in.count = repeats;
  in.mask[0] = 256 / ElementBytes(dtype);
  for (auto& operand : in.operand) operand = {nullptr, BASCULE_UB, dtype, 1, 8};
  return in;
}

TEST(Transpose, TurnsA16By16Block) {
  Bench bench(BASCULE_OPCODE_kTranspose);
  for (BasculeDType dtype : {BASCULE_FLOAT16, BASCULE_INT16, BASCULE_UINT16}) {
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 1),
                                                   SomeBytes(kBytes, dtype, 2)};
    std::vector<char> expected = memory[0];
    for (uint32_t i = 0; i < 256; ++i)
      Poke(expected, i * 2, &memory[1][(i % 16 * 16 + i / 16) * 2], 2);
    BasculeInstruction in = Base(bench.row(), dtype, 1);
    ASSERT_NO_FATAL_FAILURE(bench.Check(in, memory, expected, DTypeName(dtype)));
    // In place.
    std::vector<char> block(memory[1].begin(), memory[1].begin() + 512);
    in.operand[0].address = in.operand[1].address = block.data();
    kTransposeRow.run(kTransposeRow, in, RunOptions{});
    EXPECT_EQ(std::memcmp(block.data(), expected.data(), 512), 0);
  }
}

TEST(Transpose, MovesChannelsToTheEndAndBack) {
  Bench bench(BASCULE_OPCODE_kTranspose);
  struct Shape {
    uint32_t n, c, h, w;
  };
  for (BasculeDType dtype : {BASCULE_INT8, BASCULE_UINT8, BASCULE_INT16, BASCULE_UINT16,
                             BASCULE_FLOAT16, BASCULE_INT32, BASCULE_UINT32, BASCULE_FLOAT}) {
    const uint32_t element = ElementBytes(dtype);
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 3),
                                                   SomeBytes(kBytes, dtype, 4)};
    for (const Shape s : {Shape{3, 3, 4, 8}, Shape{1, 16, 2, 16}, Shape{2, 1, 1, 32},
                          Shape{0, 3, 2, 16}, Shape{1, 0, 2, 16}}) {
      for (const bool back : {false, true}) {
        BasculeInstruction in = Base(bench.row(), dtype, 1);
        in.params.vector.mode =
            back ? BASCULE_TRANSPOSE_NHWC_TO_NCHW : BASCULE_TRANSPOSE_NCHW_TO_NHWC;
        in.params.vector.extra[0] =
            s.n | uint64_t{s.c} << 16 | uint64_t{s.h} << 32 | uint64_t{s.w} << 48;
        std::vector<char> expected = memory[0];
        for (uint32_t n = 0; n < s.n; ++n) {
          for (uint32_t c = 0; c < s.c; ++c) {
            for (uint32_t h = 0; h < s.h; ++h) {
              for (uint32_t w = 0; w < s.w; ++w) {
                const uint32_t nchw = ((n * s.c + c) * s.h + h) * s.w + w;
                const uint32_t nhwc = ((n * s.h + h) * s.w + w) * s.c + c;
                Poke(expected, (back ? nchw : nhwc) * element,
                     &memory[1][(back ? nhwc : nchw) * element], element);
              }
            }
          }
        }
        ASSERT_NO_FATAL_FAILURE(
            bench.Check(in, memory, expected, Join(DTypeName(dtype), " c ", s.c)));
      }
    }
  }
}

TEST(Transpose, RefusesWhatTheCallDoesNotDo) {
  char memory[2048];
  BasculeInstruction in = Base(kTransposeRow, BASCULE_FLOAT, 1);
  in.operand[0].address = memory;
  in.operand[1].address = memory + 1024;
  EXPECT_NE(kTransposeRow.misuse(in).find("elements of 16 bits"), std::string::npos);
  in.params.vector.mode = BASCULE_TRANSPOSE_NCHW_TO_NHWC;
  in.params.vector.extra[0] = 1 | uint64_t{2} << 16 | uint64_t{3} << 32 | uint64_t{1} << 48;
  EXPECT_NE(kTransposeRow.misuse(in).find("have 12 bytes; it has to be a multiple of 32"),
            std::string::npos);
  in.params.vector.extra[0] = 1 | uint64_t{5000} << 16 | uint64_t{8} << 32 | uint64_t{1} << 48;
  EXPECT_NE(kTransposeRow.misuse(in).find("cSize is 5000"), std::string::npos);
  in.params.vector.extra[0] = 1 | uint64_t{2} << 16 | uint64_t{8} << 32 | uint64_t{1} << 48;
  EXPECT_EQ(kTransposeRow.misuse(in), "");
  in.operand[0].address = memory + 1024;
  EXPECT_NE(kTransposeRow.misuse(in).find("only a 16×16 block is transposed in place"),
            std::string::npos);
}

// The list of addresses and the memory they lie in.
struct Rearrangement {
  BasculeInstruction in;
  std::array<uint64_t, 32> addresses;
};

TEST(TransDataTo5HD, MakesRowsOfColumns) {
  for (BasculeDType dtype : {BASCULE_INT8, BASCULE_UINT8, BASCULE_INT16, BASCULE_UINT16,
                             BASCULE_FLOAT16, BASCULE_INT32, BASCULE_UINT32, BASCULE_FLOAT}) {
    const uint32_t element = ElementBytes(dtype);
    for (uint32_t repeats : {0u, 1u, 2u, 7u}) {
      for (uint32_t flags = 0; flags < (element == 1 ? 4u : 1u); ++flags) {
        for (const bool scattered : {false, true}) {
          alignas(64) static char dst[kBytes];
          alignas(64) static char src[kBytes];
          const std::vector<char> before = SomeBytes(kBytes, dtype, 1);
          const std::vector<char> from = SomeBytes(kBytes, dtype, 2);
          std::copy(before.begin(), before.end(), dst);
          std::copy(from.begin(), from.end(), src);
          Rearrangement r;
          r.in = Base(kTransDataTo5HDRow, dtype, repeats);
          r.in.params.vector.flags = flags;
          r.in.params.vector.extra[0] = reinterpret_cast<uint64_t>(r.addresses.data());
          r.in.operand[0].repeat_stride = 16;
          r.in.operand[1].repeat_stride = 1;
          uint32_t dst_at[16];
          uint32_t src_at[16];
          for (uint32_t i = 0; i < 16; ++i) {
            dst_at[i] = 64 + (scattered ? (i * 7 % 16) * 32 : i * 32);
            src_at[i] = 32 + (scattered ? (i * i + 3) * 256 : i * 512);
            r.addresses[i] = reinterpret_cast<uint64_t>(dst + dst_at[i]);
            r.addresses[16 + i] = reinterpret_cast<uint64_t>(src + src_at[i]);
          }
          r.in.operand[0].address = dst + *std::min_element(dst_at, dst_at + 16);
          r.in.operand[1].address = src + *std::min_element(src_at, src_at + 16);
          ASSERT_EQ(kTransDataTo5HDRow.misuse(r.in), "");

          std::vector<char> expected = before;
          uint64_t dst_end = 0;
          for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint32_t column = 0; column < (element == 1 ? 16 : 32 / element); ++column) {
              for (uint32_t row = 0; row < 16; ++row) {
                const uint32_t from_byte =
                    column * element + ((flags & BASCULE_5HD_SRC_HIGH_HALF) != 0 ? 16 : 0);
                const uint32_t block = element == 4 ? column * 2 + row / 8 : column;
                const uint32_t lane = element == 4 ? row % 8 : row;
                const uint32_t to_byte =
                    lane * element + ((flags & BASCULE_5HD_DST_HIGH_HALF) != 0 ? 16 : 0);
                const uint64_t to = dst_at[block] + repeat * 16 * 32 + to_byte;
                Poke(expected, to, &from[src_at[row] + repeat * 32 + from_byte], element);
                dst_end = std::max(dst_end, to + element);
              }
            }
          }
          kTransDataTo5HDRow.run(kTransDataTo5HDRow, r.in, RunOptions{});
          ASSERT_EQ(std::memcmp(dst, expected.data(), kBytes), 0)
              << DTypeName(dtype) << " repeats " << repeats << " flags " << flags << " scattered "
              << scattered;
          if (repeats == 0) continue;
          const uint64_t begin =
              reinterpret_cast<uint64_t>(r.in.operand[0].address) - reinterpret_cast<uint64_t>(dst);
          ASSERT_GE(begin + ExtentOf(kTransDataTo5HDRow, r.in, 0).span_bytes, dst_end);
          ASSERT_LE(begin + ExtentOf(kTransDataTo5HDRow, r.in, 0).span_bytes, dst_end + 16);
        }
      }
    }
  }
}

TEST(TransDataTo5HD, RefusesAddressesBetweenDatablocks) {
  alignas(64) char memory[4096];
  std::array<uint64_t, 32> addresses;
  addresses.fill(reinterpret_cast<uint64_t>(memory));
  BasculeInstruction in = Base(kTransDataTo5HDRow, BASCULE_FLOAT16, 1);
  in.params.vector.extra[0] = reinterpret_cast<uint64_t>(addresses.data());
  in.operand[0].address = in.operand[1].address = memory;
  EXPECT_EQ(kTransDataTo5HDRow.misuse(in), "");
  addresses[19] += 16;
  EXPECT_NE(kTransDataTo5HDRow.misuse(in).find("address 3 of the source"), std::string::npos);
}

}  // namespace
}  // namespace bascule::isa

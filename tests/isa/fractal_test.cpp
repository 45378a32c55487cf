// Copies between rows and strips against the element-by-element meaning of their documents.
// SPDX-License-Identifier: Apache-2.0
#include "isa/move/fractal.h"

#include <gtest/gtest.h>

#include "bascule/abi/vector.h"
#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa::test {
namespace {

constexpr size_t kBytes = 24 * 1024;

struct Shape {
  uint32_t rows;
  uint32_t columns;
  uint32_t row_pitch;     // elements, beyond the columns
  uint32_t strip_stride;  // beyond the rows
  uint32_t row_stride;
};

BasculeInstruction Base(const Row& row, BasculeDType dtype, const Shape& s) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.operand_count = 2;
  in.count = 1;
  const bool to_chip = row.opcode == BASCULE_OPCODE_kNd2Nz;
  in.operand[0] = {nullptr, static_cast<uint8_t>(to_chip ? BASCULE_UB : BASCULE_GM), dtype, 0, 0};
  in.operand[1] = {nullptr, static_cast<uint8_t>(to_chip ? BASCULE_GM : BASCULE_UB), dtype, 0, 0};
  in.params.vector.scalar.bits = s.columns + s.row_pitch;
  in.params.vector.extra[0] = s.rows;
  in.params.vector.extra[1] = s.columns;
  in.params.vector.extra[2] = s.rows * s.row_stride + s.strip_stride;
  in.params.vector.extra[3] = s.row_stride;
  return in;
}

TEST(Nd2Nz, CutsRowsIntoStrips) {
  for (BasculeDType dtype : {BASCULE_INT8, BASCULE_FLOAT16, BASCULE_FLOAT}) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t wide = 32 / element;
    for (uint32_t rows : {0u, 1u, 2u, 7u, 16u, 17u}) {
      for (uint32_t columns : {0u, 1u, wide - 1, wide, wide + 1, 3 * wide, 3 * wide + 5}) {
        for (const Shape& gaps :
             {Shape{0, 0, 0, 0, 1}, Shape{0, 0, 3, 2, 1}, Shape{0, 0, 1, 1, 2}}) {
          const Shape s{rows, columns, gaps.row_pitch, gaps.strip_stride, gaps.row_stride};
          BasculeInstruction in = Base(kNd2NzRow, dtype, s);
          std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 1),
                                                   SomeBytes(kBytes, dtype, 2)};
          std::vector<char> expected = memory[0];
          const std::vector<char> zero(element);
          for (uint32_t r = 0; r < rows; ++r) {
            for (uint32_t c = 0; c < (columns + wide - 1) / wide * wide; ++c) {
              const uint64_t to = (c / wide * in.params.vector.extra[2] + r * s.row_stride) * 32 +
                                  c % wide * element;
              const uint64_t from = (r * (columns + s.row_pitch) + c) * element;
              Poke(expected, to, c < columns ? &memory[1][from] : zero.data(), element);
            }
          }
          Bench bench(BASCULE_OPCODE_kNd2Nz);
          ASSERT_NO_FATAL_FAILURE(
              bench.Check(in, memory, expected, Join(DTypeName(dtype), " ", rows, " x ", columns)));
        }
      }
    }
  }
}

TEST(Nz2Nd, LaysStripsSideBySide) {
  for (BasculeDType dtype : {BASCULE_BFLOAT16, BASCULE_INT32}) {
    const uint32_t element = ElementBytes(dtype);
    for (uint32_t rows : {0u, 1u, 2u, 7u, 16u, 17u}) {
      for (uint32_t columns : {0u, 16u, 32u, 48u}) {
        for (const uint32_t gap : {0u, 5u}) {
          const Shape s{rows, columns, gap, gap, 1};
          BasculeInstruction in = Base(kNz2NdRow, dtype, s);
          std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 1),
                                                   SomeBytes(kBytes, dtype, 2)};
          std::vector<char> expected = memory[0];
          for (uint32_t r = 0; r < rows; ++r) {
            for (uint32_t c = 0; c < columns; ++c) {
              const uint64_t from = c / 16 * (rows + gap) * 16 + r * 16 + c % 16;
              Poke(expected, (r * (columns + gap) + c) * element, &memory[1][from * element],
                   element);
            }
          }
          Bench bench(BASCULE_OPCODE_kNz2Nd);
          ASSERT_NO_FATAL_FAILURE(
              bench.Check(in, memory, expected, Join(DTypeName(dtype), " ", rows, " x ", columns)));
        }
      }
    }
  }
}

TEST(Nz2Nd, AccumulatesLikeEveryStore) {
  std::vector<int32_t> to(2 * 16, 100);
  std::vector<int32_t> from(2 * 16);
  for (int i = 0; i < 32; ++i) from[static_cast<size_t>(i)] = i;
  BasculeInstruction in = Base(kNz2NdRow, BASCULE_INT32, {2, 16, 0, 0, 1});
  in.operand[0].address = to.data();
  in.operand[1].address = from.data();
  RunOptions options;
  options.atomic_op = BASCULE_ATOMIC_ADD;
  options.atomic_dtype = BASCULE_INT32;
  kNz2NdRow.run(kNz2NdRow, in, options);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(to[static_cast<size_t>(i)], 100 + i);
}

TEST(Fractal, RefusesDistancesThatPutRowsOverOneAnother) {
  BasculeInstruction in = Base(kNd2NzRow, BASCULE_FLOAT16, {2, 32, 0, 0, 1});
  EXPECT_EQ(kNd2NzRow.misuse(in), "");
  in.params.vector.extra[BASCULE_ND2NZ_ROW_STRIDE] = 0;
  EXPECT_NE(kNd2NzRow.misuse(in).find("dstNzNStride is 0"), std::string::npos);
  in.params.vector.extra[BASCULE_ND2NZ_STRIP_STRIDE] = 0;
  EXPECT_NE(kNd2NzRow.misuse(in).find("dstNzC0Stride is 0"), std::string::npos);
  in.params.vector.scalar.bits = 0;
  EXPECT_NE(kNd2NzRow.misuse(in).find("srcDValue is 0"), std::string::npos);
  in.params.vector.extra[BASCULE_ND2NZ_ROWS] = 20000;
  EXPECT_NE(kNd2NzRow.misuse(in).find("limited to 16384"), std::string::npos);

  in = Base(kNz2NdRow, BASCULE_FLOAT16, {2, 16, 0, 0, 1});
  EXPECT_EQ(kNz2NdRow.misuse(in), "");
  in.params.vector.scalar.bits = 0;
  EXPECT_NE(kNz2NdRow.misuse(in).find("dstDStride is 0"), std::string::npos);
  in.params.vector.extra[BASCULE_NZ2ND_COLUMNS] = 24;
  EXPECT_NE(kNz2NdRow.misuse(in).find("dValue is 24; it has to be a multiple of 16"),
            std::string::npos);
}

}  // namespace
}  // namespace bascule::isa::test

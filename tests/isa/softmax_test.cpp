// Softmax and its family against their formulas in double.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/softmax.h"

#include "tests/isa/row_functions.h"

namespace bascule::isa {
namespace {

using test::Expected;
using test::MatrixSize;
using test::MatrixSizes;
using test::Random;
using test::RowBench;
using test::RowsInstruction;
using test::Tensor;

// The difference to the maximum is rounded before its exponential is taken: half a unit of 17 here.
constexpr double kRelative = 32 * 0x1p-24;
const double kAny = std::nan("");

// Element types of the matrix and of the statistics.
struct Types {
  BasculeDType matrix;
  BasculeDType values;
};
constexpr Types kTypes[] = {{BASCULE_FLOAT, BASCULE_FLOAT},
                            {BASCULE_FLOAT16, BASCULE_FLOAT16},
                            {BASCULE_FLOAT16, BASCULE_FLOAT}};

std::string Name(const Types& types, const MatrixSize& size) {
  return Join(DTypeName(types.matrix), "/", DTypeName(types.values), " ", size.rows, " x ",
              size.columns, " (", size.data, ")");
}

size_t PerRow(BasculeDType dtype, bool compact) { return compact ? 1 : 32 / ElementBytes(dtype); }

// Values of rows, repeated as often as the layout has it.
std::vector<double> Spread(const std::vector<double>& values, size_t each) {
  std::vector<double> out;
  for (double value : values) out.insert(out.end(), each, value);
  return out;
}
Tensor Values(BasculeDType dtype, const std::vector<double>& values, bool compact) {
  return test::Rounded({dtype, Spread(values, PerRow(dtype, compact))});
}
Tensor Room(BasculeDType dtype, size_t count) {
  return Tensor{dtype, std::vector<double>(count, 0.125)};
}
Tensor Nothing(BasculeDType dtype) { return Tensor{dtype, {}, true}; }

double Largest(const double* row, uint32_t count) {
  double max = -INFINITY;
  for (uint32_t i = 0; i < count; ++i) max = std::max(max, row[i]);
  return max;
}

// Where element (row, column) of a matrix in NZ order lies.
size_t NzAt(const MatrixSize& size, size_t row, size_t column) {
  return (column / 16 * size.rows + row) * 16 + column % 16;
}
std::vector<double> ToNz(const MatrixSize& size, const std::vector<double>& matrix) {
  std::vector<double> out(matrix.size());
  for (size_t row = 0; row < size.rows; ++row) {
    for (size_t column = 0; column < size.columns; ++column)
      out[NzAt(size, row, column)] = matrix[row * size.columns + column];
  }
  return out;
}

struct Softmax {
  std::vector<double> dst;
  std::vector<double> sum;
  std::vector<double> max;

  Softmax(const MatrixSize& size, const std::vector<double>& src) : dst(src.size(), kAny) {
    for (uint32_t i = 0; i < size.rows; ++i) {
      const double* row = &src[uint64_t{i} * size.columns];
      max.push_back(Largest(row, size.data));
      sum.push_back(0);
      for (uint32_t j = 0; j < size.data; ++j) sum[i] += std::exp(row[j] - max[i]);
      for (uint32_t j = 0; j < size.data; ++j)
        dst[uint64_t{i} * size.columns + j] = std::exp(row[j] - max[i]) / sum[i];
    }
  }
};

TEST(SoftMax, IsItsFormula) {
  RowBench bench(BASCULE_OPCODE_kSoftMax);
  for (const Types& types : kTypes) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const size_t count = size_t{size.rows} * size.columns;
      const Tensor src = Random(types.matrix, count, -12, 5, size.rows + size.columns);
      const Softmax expected(size, src.values);
      for (const bool compact : {false, true}) {
        const size_t each = PerRow(types.values, compact);
        ASSERT_NO_FATAL_FAILURE(
            bench.Check(RowsInstruction(BASCULE_OPCODE_kSoftMax, size.rows, size.columns, size.data,
                                        compact ? BASCULE_ROWS_COMPACT : 0),
                        {Room(types.matrix, count), Room(types.values, each * size.rows),
                         Room(types.values, each * size.rows), src},
                        {expected.dst, Spread(expected.sum, each), Spread(expected.max, each)},
                        kRelative, 0, Name(types, size),
                        compact ? std::vector<std::pair<uint32_t, uint32_t>>{}
                                : std::vector<std::pair<uint32_t, uint32_t>>{{3, 0}}));
      }
      if (size.rows == 0) continue;
      ASSERT_NO_FATAL_FAILURE(bench.Check(
          RowsInstruction(BASCULE_OPCODE_kSoftMax, size.rows, size.columns, size.data, 0),
          {Room(types.matrix, count), Nothing(types.matrix), Nothing(types.matrix), src},
          {expected.dst}, kRelative, 0, Name(types, size) + " without statistics"));
    }
  }
}

TEST(SoftMax, ReadsMatricesInBlocks) {
  RowBench bench(BASCULE_OPCODE_kSoftMax);
  for (const Types& types : kTypes) {
    for (const MatrixSize& size : {MatrixSize{16, 16, 16}, MatrixSize{32, 48, 41}}) {
      const size_t count = size_t{size.rows} * size.columns;
      const Tensor src = Random(types.matrix, count, -12, 5, size.columns);
      const Softmax expected(size, src.values);
      const size_t each = PerRow(types.values, false);
      ASSERT_NO_FATAL_FAILURE(bench.Check(
          RowsInstruction(BASCULE_OPCODE_kSoftMax, size.rows, size.columns, size.data,
                          BASCULE_ROWS_NZ),
          {Room(types.matrix, count), Room(types.values, each * size.rows),
           Room(types.values, each * size.rows), Tensor{types.matrix, ToNz(size, src.values)}},
          {ToNz(size, expected.dst), Spread(expected.sum, each), Spread(expected.max, each)},
          kRelative, 0, Name(types, size) + " NZ"));
    }
  }
}

TEST(SoftMax, RefusesShapesItCannotRead) {
  Tensor tensor = Room(BASCULE_FLOAT, 64);
  auto refused = [&](uint32_t rows, uint32_t columns, uint32_t data, uint32_t mode) {
    BasculeInstruction in = RowsInstruction(BASCULE_OPCODE_kSoftMax, rows, columns, data, mode);
    for (auto& operand : in.operand)
      operand = {tensor.values.data(), BASCULE_UB, BASCULE_FLOAT, 1, 8};
    return kSoftMaxRow.misuse(in);
  };
  EXPECT_EQ(refused(2, 8, 8, 0), "");
  EXPECT_EQ(refused(2, 8, 9, 0), "a row has 9 elements of data, but is 8 long.");
  EXPECT_NE(refused(2, 9, 9, 0).find("padded to a multiple of 32 bytes"), std::string::npos);
  EXPECT_NE(refused(8, 16, 16, BASCULE_ROWS_NZ).find("multiples of 16"), std::string::npos);
}

TEST(LogSoftMax, IsTheDecimalLogarithm) {
  RowBench bench(BASCULE_OPCODE_kLogSoftMax);
  for (const BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    for (const MatrixSize& size : MatrixSizes(dtype)) {
      const size_t count = size_t{size.rows} * size.columns;
      const Tensor src = Random(dtype, count, -12, 5, size.rows + size.columns);
      const Softmax softmax(size, src.values);
      std::vector<double> expected;
      for (double value : softmax.dst) expected.push_back(std::log10(value));
      const size_t each = PerRow(dtype, false);
      ASSERT_NO_FATAL_FAILURE(bench.Check(
          RowsInstruction(BASCULE_OPCODE_kLogSoftMax, size.rows, size.columns, size.data, 0),
          {Room(dtype, count), Room(dtype, each * size.rows), Room(dtype, each * size.rows), src},
          {expected, Spread(softmax.sum, each), Spread(softmax.max, each)}, kRelative, kRelative,
          Name({dtype, dtype}, size)));
    }
  }
}

TEST(SimpleSoftMax, TakesSumAndMaximum) {
  RowBench bench(BASCULE_OPCODE_kSimpleSoftMax);
  for (const Types& types : kTypes) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const size_t count = size_t{size.rows} * size.columns;
      const Tensor src = Random(types.matrix, count, -12, 5, size.columns);
      const Tensor sum =
          Values(types.values, Random(types.values, size.rows, 1, 9, 4).values, false);
      const Tensor max =
          Values(types.values, Random(types.values, size.rows, 4, 6, 5).values, false);
      const size_t each = PerRow(types.values, false);
      std::vector<double> expected(count);
      for (size_t i = 0; i < count; ++i) {
        const size_t row = i / size.columns * each;
        expected[i] = std::exp(src.values[i] - max.values[row]) / sum.values[row];
      }
      ASSERT_NO_FATAL_FAILURE(bench.Check(
          RowsInstruction(BASCULE_OPCODE_kSimpleSoftMax, size.rows, size.columns, size.data, 0),
          {Room(types.matrix, count), sum, max, src}, {expected}, kRelative, 0, Name(types, size),
          {{3, 0}}));
    }
  }
}

// A row in pieces gives what the whole row gives.
void CheckFlash(uint16_t opcode, bool divides) {
  RowBench bench(opcode);
  for (const Types& types : kTypes) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      for (const bool update : {false, true}) {
        for (const bool compact : {false, true}) {
          const size_t count = size_t{size.rows} * size.columns;
          const size_t each = PerRow(types.values, compact);
          const Tensor src = Random(types.matrix, count, -12, 5, size.columns + update);
          const Tensor in_sum =
              Values(types.values, Random(types.values, size.rows, 1, 9, 4).values, compact);
          const Tensor in_max =
              Values(types.values, Random(types.values, size.rows, 2, 8, 5).values, compact);
          std::vector<double> dst(count, kAny);
          std::vector<double> sums;
          std::vector<double> maxima;
          std::vector<double> exp_maxima;
          std::vector<double> row_maxima;
          for (uint32_t i = 0; i < size.rows; ++i) {
            const double* row = &src.values[size_t{i} * size.columns];
            row_maxima.push_back(Largest(row, size.data));
            const double before = update ? in_max.values[i * each] : -INFINITY;
            maxima.push_back(std::max(before, row_maxima[i]));
            double sum = 0;
            for (uint32_t j = 0; j < size.data; ++j) sum += std::exp(row[j] - maxima[i]);
            double exp_max = std::exp(before - maxima[i]);
            if (update) {
              sum += exp_max * in_sum.values[i * each];
              if (divides) exp_max = exp_max * in_sum.values[i * each] / sum;
            }
            sums.push_back(sum);
            exp_maxima.push_back(exp_max);
            for (uint32_t j = 0; j < size.data; ++j)
              dst[size_t{i} * size.columns + j] =
                  std::exp(row[j] - maxima[i]) / (divides ? sum : 1);
          }
          const size_t exp_each = PerRow(types.matrix, compact);
          Expected expected = {dst, Spread(sums, each), Spread(maxima, each)};
          if (update) {
            expected.resize(8);
            expected[4] = Spread(exp_maxima, exp_each);
            expected[7] = Spread(row_maxima, each);
          }
          ASSERT_NO_FATAL_FAILURE(bench.Check(
              RowsInstruction(
                  opcode, size.rows, size.columns, size.data,
                  (update ? BASCULE_ROWS_UPDATE : 0) | (compact ? BASCULE_ROWS_COMPACT : 0)),
              {Room(types.matrix, count), Room(types.values, each * size.rows),
               Room(types.values, each * size.rows), src, Room(types.matrix, exp_each * size.rows),
               in_sum, in_max, Room(types.values, each * size.rows)},
              expected, kRelative, 0, Name(types, size) + (update ? " update" : ""),
              {{5, 1}, {6, 2}, {3, 0}}));
        }
      }
    }
  }
}
TEST(SoftmaxFlash, CarriesSumAndMaximumOn) { CheckFlash(BASCULE_OPCODE_kSoftmaxFlash, true); }
TEST(SoftmaxFlashV2, LeavesTheDivisionToTheEnd) {
  CheckFlash(BASCULE_OPCODE_kSoftmaxFlashV2, false);
}

TEST(SoftmaxFlashV3, ShiftsRowsByTheirMean) {
  RowBench bench(BASCULE_OPCODE_kSoftmaxFlashV3);
  for (const MatrixSize& size :
       {MatrixSize{1, 512, 512}, MatrixSize{9, 576, 576}, MatrixSize{3, 2048, 2048}}) {
    for (const bool update : {false, true}) {
      const size_t count = size_t{size.rows} * size.columns;
      const float alpha = 0.9375f;
      const double scale = double(alpha) / (1 - double(alpha));
      const uint32_t rounds = 3;
      const Tensor src = Random(BASCULE_FLOAT16, count, 0, 2, size.columns);
      auto statistics = [&](double low, double high, uint32_t seed) {
        return Values(BASCULE_FLOAT, Random(BASCULE_FLOAT, size.rows, low, high, seed).values,
                      false);
      };
      const Tensor in_mean = statistics(0.5, 1, 1);
      const Tensor in_sum = statistics(1, 9, 2);
      const Tensor in_max = statistics(0, 4, 3);
      std::vector<double> dst(count);
      std::vector<double> means;
      std::vector<double> sums;
      std::vector<double> maxima;
      std::vector<double> exp_maxima;
      for (uint32_t i = 0; i < size.rows; ++i) {
        std::vector<double> row(&src.values[size_t{i} * size.columns],
                                &src.values[size_t{i} * size.columns] + size.columns);
        double parts[8] = {};
        for (uint32_t j = 0; j < size.columns; ++j)
          parts[j < 512 ? j / 64 : j % 64 / 8] += row[j] * 8 / size.columns;
        double row_mean = 0;
        for (double part : parts) row_mean += part / 8;
        for (uint32_t j = 0; j < size.columns; ++j)
          row[j] -= (row_mean - parts[j / (size.columns / 8)]) * scale;
        const double before = in_mean.values[i * 8];
        means.push_back(update ? (row_mean + before * (rounds - 1)) / rounds : row_mean);
        const double shift = (row_mean - means[i]) * scale;
        const double in_shift = (before - means[i]) * scale;
        maxima.push_back(shift + Largest(row.data(), size.columns));
        if (update) maxima[i] = std::max(maxima[i], in_shift + in_max.values[i * 8]);
        sums.push_back(0);
        for (uint32_t j = 0; j < size.columns; ++j) {
          dst[size_t{i} * size.columns + j] = std::exp(row[j] - (maxima[i] - shift));
          sums[i] += dst[size_t{i} * size.columns + j];
        }
        exp_maxima.push_back(std::exp(in_max.values[i * 8] - maxima[i] + in_shift));
        if (update) sums[i] += exp_maxima[i] * in_sum.values[i * 8];
      }
      Expected expected = {dst, Spread(means, 8), Spread(sums, 8), Spread(maxima, 8)};
      if (update) {
        expected.resize(6);
        expected[5] = Spread(exp_maxima, 16);
      }
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kSoftmaxFlashV3, size.rows, size.columns, size.data,
                          update ? BASCULE_ROWS_UPDATE : 0);
      in.params.vector.extra[1] |= uint64_t{rounds} << 32;
      test::SetFloats(in, alpha);
      const Tensor room = Room(BASCULE_FLOAT, size_t{8} * size.rows);
      // The shift is 15 times a difference of means, so an error of the mean weighs as much.
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in,
                      {Room(BASCULE_FLOAT16, count), room, room, room, src,
                       Room(BASCULE_FLOAT16, size_t{16} * size.rows), in_mean, in_sum, in_max},
                      expected, 1e-4, 1e-5, Name({BASCULE_FLOAT16, BASCULE_FLOAT}, size),
                      {{6, 1}, {7, 2}, {8, 3}}));
    }
  }
}

TEST(SoftmaxFlashV3, RefusesOtherParts) {
  Tensor tensor = Room(BASCULE_FLOAT, 64);
  auto refused = [&](uint32_t columns, uint32_t data, uint32_t rounds) {
    BasculeInstruction in =
        RowsInstruction(BASCULE_OPCODE_kSoftmaxFlashV3, 1, columns, data, BASCULE_ROWS_UPDATE);
    in.params.vector.extra[1] |= uint64_t{rounds} << 32;
    BasculeOperand more[BASCULE_MAX_OPERANDS];
    for (auto& operand : more) operand = {tensor.values.data(), BASCULE_UB, BASCULE_FLOAT, 1, 8};
    std::copy_n(more, BASCULE_INLINE_OPERANDS, in.operand);
    in.more = more;
    return kSoftmaxFlashV3Row.misuse(in);
  };
  EXPECT_EQ(refused(512, 512, 1), "");
  EXPECT_NE(refused(448, 448, 1).find("at least 512"), std::string::npos);
  EXPECT_NE(refused(520, 520, 1).find("multiple of 64"), std::string::npos);
  EXPECT_NE(refused(512, 500, 1).find("no padding"), std::string::npos);
  EXPECT_EQ(refused(512, 512, 0), "loopCnt is 0; it counts the rounds from 1.");
}

void CheckGrad(bool front) {
  const uint16_t opcode = front ? BASCULE_OPCODE_kSoftmaxGradFront : BASCULE_OPCODE_kSoftmaxGrad;
  RowBench bench(opcode);
  for (const BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    for (const MatrixSize& size : MatrixSizes(dtype)) {
      const size_t count = size_t{size.rows} * size.columns;
      const Tensor grad = Random(dtype, count, -2, 2, 1);
      const Tensor src = Random(dtype, count, 0, 1, 2);
      std::vector<double> dst(count, kAny);
      std::vector<double> sums;
      double most = 0;
      for (uint32_t i = 0; i < size.rows; ++i) {
        const size_t at = size_t{i} * size.columns;
        double sum = 0;
        double absolute = 0;
        for (uint32_t j = 0; j < size.data; ++j) {
          sum += grad.values[at + j] * src.values[at + j];
          absolute += std::fabs(grad.values[at + j] * src.values[at + j]);
        }
        for (uint32_t j = 0; j < size.data; ++j)
          dst[at + j] = (grad.values[at + j] - sum) * src.values[at + j];
        sums.push_back(sum);
        most = std::max(most, absolute);
      }
      const size_t each = PerRow(dtype, false);
      const std::string what = Name({dtype, dtype}, size);
      const BasculeInstruction in = RowsInstruction(opcode, size.rows, size.columns, size.data, 0);
      if (front) {
        ASSERT_NO_FATAL_FAILURE(bench.Check(in, {Room(dtype, each * size.rows), grad, src},
                                            {Spread(sums, each)}, 0, most * kRelative, what));
      } else {
        ASSERT_NO_FATAL_FAILURE(bench.Check(in, {Room(dtype, count), grad, src}, {dst}, kRelative,
                                            most * kRelative, what, {{2, 0}}));
      }
    }
  }
}
TEST(SoftmaxGrad, IsItsFormula) { CheckGrad(false); }
TEST(SoftmaxGradFront, IsTheSum) { CheckGrad(true); }

TEST(AdjustSoftMaxRes, ReplacesRowsOfAValue) {
  RowBench bench(BASCULE_OPCODE_kAdjustSoftMaxRes);
  for (const Types& types : kTypes) {
    for (const bool hit : {false, true}) {
      const MatrixSize size = {5, 32, 32};
      const Tensor res = Random(types.matrix, 160, 0, 1, 3);
      std::vector<double> maxima = {1, -2, 0, -2, 2};
      std::vector<double> expected = res.values;
      for (size_t i = 0; hit && i < 160; ++i) {
        if (maxima[i / 32] == -2) expected[i] = 0.5;
      }
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kAdjustSoftMaxRes, size.rows, size.columns, size.data, 0);
      const double from = hit ? -2 : 3;
      in.params.vector.extra[2] = types.values == BASCULE_FLOAT
                                      ? std::bit_cast<uint32_t>(static_cast<float>(from))
                                      : half_t(from).Bits();
      in.params.vector.scalar.bits =
          types.matrix == BASCULE_FLOAT ? std::bit_cast<uint32_t>(0.5f) : half_t(0.5).Bits();
      uint32_t found = 7;
      in.params.vector.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(&found);
      ASSERT_NO_FATAL_FAILURE(bench.Check(in, {res, Values(types.values, maxima, false)},
                                          {expected}, 0, 0, hit ? "hit" : "no hit"));
      EXPECT_EQ(found, hit ? 1u : 0u);
    }
  }
}

}  // namespace
}  // namespace bascule::isa

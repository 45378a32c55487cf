// The normalisations against their formulas in double.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/norm.h"

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

const double kAny = std::nan("");
constexpr double kRelative = 16 * 0x1p-24;
// Of results that are differences: relative to what they were made of.
constexpr double kAbsolute = 64 * 0x1p-24;
constexpr float kEpsilon = 0.01f;

struct Types {
  BasculeDType matrix;
  BasculeDType factors;
  BasculeDType statistics;
};
constexpr Types kSame[] = {{BASCULE_FLOAT, BASCULE_FLOAT, BASCULE_FLOAT},
                           {BASCULE_FLOAT16, BASCULE_FLOAT16, BASCULE_FLOAT16}};
constexpr Types kWide[] = {{BASCULE_FLOAT, BASCULE_FLOAT, BASCULE_FLOAT},
                           {BASCULE_FLOAT16, BASCULE_FLOAT16, BASCULE_FLOAT},
                           {BASCULE_FLOAT16, BASCULE_FLOAT, BASCULE_FLOAT}};

std::string Name(const Types& types, const MatrixSize& size) {
  return Join(DTypeName(types.matrix), " ", size.rows, " x ", size.columns, " (", size.data, ")");
}
Tensor Room(BasculeDType dtype, size_t count) {
  return Tensor{dtype, std::vector<double>(count, 0.125)};
}
Tensor Nothing(BasculeDType dtype) { return Tensor{dtype, {}, true}; }
size_t Count(const MatrixSize& size) { return size_t{size.rows} * size.columns; }

struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments MomentsOf(const double* row, uint32_t count) {
  Moments out;
  for (uint32_t i = 0; i < count; ++i) out.mean += row[i] / count;
  for (uint32_t i = 0; i < count; ++i)
    out.variance += (row[i] - out.mean) * (row[i] - out.mean) / count;
  return out;
}
double Rstd(double variance) { return 1 / std::sqrt(variance + double(kEpsilon)); }

struct Normed {
  std::vector<double> dst;
  std::vector<double> means;
  std::vector<double> variances;
  std::vector<double> rstds;

  Normed(const MatrixSize& size, const std::vector<double>& src, const std::vector<double>& gamma,
         const std::vector<double>& beta)
      : dst(src.size(), kAny) {
    for (uint32_t i = 0; i < size.rows; ++i) {
      const size_t at = size_t{i} * size.columns;
      const Moments moments = MomentsOf(&src[at], size.data);
      means.push_back(moments.mean);
      variances.push_back(moments.variance);
      rstds.push_back(Rstd(moments.variance));
      for (uint32_t j = 0; j < size.data; ++j) {
        dst[at + j] = (src[at + j] - moments.mean) * rstds[i] * (gamma.empty() ? 1 : gamma[j]) +
                      (beta.empty() ? 0 : beta[j]);
      }
    }
  }
};

TEST(LayerNorm, GivesMeanAndVariance) {
  RowBench bench(BASCULE_OPCODE_kLayerNorm);
  for (const Types& types : kSame) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const Tensor src = Random(types.matrix, Count(size), -3, 5, size.columns);
      const Tensor gamma = Random(types.factors, size.data, -2, 2, 1);
      const Tensor beta = Random(types.factors, size.data, -2, 2, 2);
      const Normed expected(size, src.values, gamma.values, beta.values);
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kLayerNorm, size.rows, size.columns, size.data, 0);
      test::SetFloats(in, kEpsilon);
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in,
                      {Room(types.matrix, Count(size)), Room(types.statistics, size.rows),
                       Room(types.statistics, size.rows), src, gamma, beta},
                      {expected.dst, expected.means, expected.variances}, kRelative, 10 * kAbsolute,
                      Name(types, size), {{3, 0}}));
    }
  }
}

TEST(LayerNorm, GivesTheReciprocalOfTheDeviation) {
  RowBench bench(BASCULE_OPCODE_kLayerNorm);
  for (const Types& types : kWide) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const Tensor src = Random(types.matrix, Count(size), -3, 5, size.columns);
      const Tensor gamma = Random(types.factors, size.data, -2, 2, 1);
      const Normed expected(size, src.values, gamma.values, {});
      BasculeInstruction in = RowsInstruction(BASCULE_OPCODE_kLayerNorm, size.rows, size.columns,
                                              size.data, BASCULE_ROWS_RSTD);
      test::SetFloats(in, kEpsilon);
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in,
                      {Room(types.matrix, Count(size)), Room(types.statistics, size.rows),
                       Room(types.statistics, size.rows), src, gamma, Nothing(types.factors)},
                      {expected.dst, expected.means, expected.rstds}, kRelative, 10 * kAbsolute,
                      Name(types, size)));
    }
  }
}

TEST(DeepNorm, AddsBeforeItNormalises) {
  RowBench bench(BASCULE_OPCODE_kDeepNorm);
  const float alpha = -5.5f;
  for (const Types& types : kSame) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const Tensor src = Random(types.matrix, Count(size), -3, 5, size.columns);
      const Tensor gx = Random(types.matrix, Count(size), -3, 5, size.columns + 1);
      const Tensor gamma = Random(types.factors, size.data, -2, 2, 1);
      const Tensor beta = Random(types.factors, size.data, -2, 2, 2);
      std::vector<double> sum(src.values.size());
      for (size_t i = 0; i < sum.size(); ++i) sum[i] = double(alpha) * src.values[i] + gx.values[i];
      const Normed expected(size, sum, gamma.values, beta.values);
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kDeepNorm, size.rows, size.columns, size.data, 0);
      test::SetFloats(in, kEpsilon, alpha);
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in,
                      {Room(types.matrix, Count(size)), Room(types.statistics, size.rows),
                       Room(types.statistics, size.rows), src, gx, beta, gamma},
                      {expected.dst, expected.means, expected.variances}, kRelative, 60 * kAbsolute,
                      Name(types, size), {{3, 0}}));
    }
  }
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
  RowBench bench(BASCULE_OPCODE_kRmsNorm);
  for (const Types& types : kSame) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const Tensor src = Random(types.matrix, Count(size), -3, 5, size.columns);
      const Tensor gamma = Random(types.factors, size.data, -2, 2, 1);
      std::vector<double> dst(Count(size), kAny);
      for (uint32_t i = 0; i < size.rows; ++i) {
        const size_t at = size_t{i} * size.columns;
        double square = 0;
        for (uint32_t j = 0; j < size.data; ++j)
          square += src.values[at + j] * src.values[at + j] / size.data;
        for (uint32_t j = 0; j < size.data; ++j)
          dst[at + j] = src.values[at + j] * Rstd(square) * gamma.values[j];
      }
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kRmsNorm, size.rows, size.columns, size.data, 0);
      test::SetFloats(in, kEpsilon);
      ASSERT_NO_FATAL_FAILURE(bench.Check(in, {Room(types.matrix, Count(size)), src, gamma}, {dst},
                                          kRelative, 0, Name(types, size), {{1, 0}}));
    }
  }
}

TEST(Normalize, TakesMeanAndVariance) {
  RowBench bench(BASCULE_OPCODE_kNormalize);
  for (const Types& types : kWide) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const Tensor src = Random(types.matrix, Count(size), -3, 5, size.columns);
      const Tensor mean = Random(BASCULE_FLOAT, size.rows, -1, 1, 3);
      const Tensor variance = Random(BASCULE_FLOAT, size.rows, 0, 4, 4);
      const Tensor gamma = Random(types.factors, size.data, -2, 2, 1);
      const Tensor beta = Random(types.factors, size.data, -2, 2, 2);
      std::vector<double> dst(Count(size), kAny);
      std::vector<double> rstds;
      for (uint32_t i = 0; i < size.rows; ++i) {
        rstds.push_back(Rstd(variance.values[i]));
        for (uint32_t j = 0; j < size.data; ++j) {
          const size_t at = size_t{i} * size.columns + j;
          dst[at] = (src.values[at] - mean.values[i]) * rstds[i] * gamma.values[j] + beta.values[j];
        }
      }
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kNormalize, size.rows, size.columns, size.data, 0);
      test::SetFloats(in, kEpsilon);
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in,
                      {Room(types.matrix, Count(size)), Room(BASCULE_FLOAT, size.rows), mean,
                       variance, src, gamma, beta},
                      {dst, rstds}, kRelative, 30 * kAbsolute, Name(types, size)));
    }
  }
}

TEST(LayerNormGrad, IsItsFormula) {
  RowBench bench(BASCULE_OPCODE_kLayerNormGrad);
  for (const Types& types : kSame) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const Tensor dy = Random(types.matrix, Count(size), -2, 2, size.columns);
      const Tensor src = Random(types.matrix, Count(size), -3, 5, size.columns + 1);
      const Tensor gamma = Random(types.factors, size.data, -2, 2, 1);
      Tensor mean{types.statistics, {}};
      Tensor variance{types.statistics, {}};
      for (uint32_t i = 0; i < size.rows; ++i) {
        const Moments moments = MomentsOf(&src.values[size_t{i} * size.columns], size.data);
        mean.values.push_back(moments.mean);
        variance.values.push_back(moments.variance);
      }
      mean = test::Rounded(mean);
      variance = test::Rounded(variance);
      std::vector<double> dx(Count(size), kAny);
      std::vector<double> res(Count(size), kAny);
      const double length = size.data;
      for (uint32_t i = 0; i < size.rows; ++i) {
        const size_t at = size_t{i} * size.columns;
        const double inner = variance.values[i] + double(kEpsilon);
        double d_variance = 0;
        double d_mean = 0;
        double centred_sum = 0;
        for (uint32_t j = 0; j < size.data; ++j) {
          const double grad = dy.values[at + j] * gamma.values[j];
          const double centred = src.values[at + j] - mean.values[i];
          d_variance += -0.5 * grad * centred * std::pow(inner, -1.5);
          d_mean += -grad / std::sqrt(inner);
          centred_sum += -2 * centred;
        }
        d_mean += d_variance * centred_sum / length;
        for (uint32_t j = 0; j < size.data; ++j) {
          const double grad = dy.values[at + j] * gamma.values[j];
          const double centred = src.values[at + j] - mean.values[i];
          dx[at + j] =
              grad / std::sqrt(inner) + d_variance * 2 / length * centred + d_mean / length;
          res[at + j] = centred / std::sqrt(inner);
        }
      }
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kLayerNormGrad, size.rows, size.columns, size.data, 0);
      test::SetFloats(in, kEpsilon);
      // Where a row is one number, everything is a difference of equals times 1 / root(epsilon).
      const double absolute = (size.data == 1 ? 1000 : 40) * kAbsolute;
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in,
                      {Room(types.matrix, Count(size)), Room(types.matrix, Count(size)), dy, src,
                       variance, mean, gamma},
                      {dx, res}, 4 * kRelative, absolute, Name(types, size), {{2, 0}, {3, 1}}));
    }
  }
}

TEST(LayerNormGradBeta, SumsOverTheRows) {
  RowBench bench(BASCULE_OPCODE_kLayerNormGradBeta);
  for (const Types& types : kSame) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      const Tensor res = Random(types.matrix, Count(size), -2, 2, 1);
      const Tensor dy = Random(types.matrix, Count(size), -2, 2, 2);
      std::vector<double> gamma(size.columns);
      std::vector<double> beta(size.columns);
      for (size_t i = 0; i < Count(size); ++i) {
        gamma[i % size.columns] += res.values[i] * dy.values[i];
        beta[i % size.columns] += dy.values[i];
      }
      ASSERT_NO_FATAL_FAILURE(bench.Check(
          RowsInstruction(BASCULE_OPCODE_kLayerNormGradBeta, size.rows, size.columns, size.data, 0),
          {Room(types.matrix, size.columns), Room(types.matrix, size.columns), res, dy},
          {gamma, beta}, kRelative, 20 * kAbsolute, Name(types, size)));
    }
  }
}

TEST(BatchNorm, NormalisesColumns) {
  RowBench bench(BASCULE_OPCODE_kBatchNorm);
  for (const Types& types : kSame) {
    for (const MatrixSize& size : MatrixSizes(types.matrix)) {
      if (size.rows == 0 || size.data != size.columns) continue;
      const Tensor src = Random(types.matrix, Count(size), -3, 5, size.columns);
      const Tensor gamma = Random(types.factors, size.rows, -2, 2, 1);
      const Tensor beta = Random(types.factors, size.rows, -2, 2, 2);
      std::vector<double> dst(Count(size));
      std::vector<double> means;
      std::vector<double> variances;
      for (uint32_t j = 0; j < size.columns; ++j) {
        std::vector<double> column;
        for (uint32_t i = 0; i < size.rows; ++i)
          column.push_back(src.values[size_t{i} * size.columns + j]);
        const Moments moments = MomentsOf(column.data(), size.rows);
        means.push_back(moments.mean);
        variances.push_back(moments.variance);
        for (uint32_t i = 0; i < size.rows; ++i) {
          dst[size_t{i} * size.columns + j] =
              (column[i] - moments.mean) * Rstd(moments.variance) * gamma.values[i] +
              beta.values[i];
        }
      }
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kBatchNorm, size.rows, size.columns, size.data, 0);
      test::SetFloats(in, kEpsilon);
      ASSERT_NO_FATAL_FAILURE(bench.Check(
          in,
          {Room(types.matrix, Count(size)), Room(types.statistics, size.columns),
           Room(types.statistics, size.columns), src, gamma, beta},
          {dst, means, variances}, kRelative, 20 * kAbsolute, Name(types, size), {{3, 0}}));
    }
  }
}

TEST(GroupNorm, NormalisesGroupsOfChannels) {
  RowBench bench(BASCULE_OPCODE_kGroupNorm);
  struct Shape {
    uint32_t n, c, hw, groups;
  };
  for (const Types& types : kSame) {
    for (const Shape& shape :
         {Shape{1, 1, 1, 1}, Shape{2, 6, 15, 3}, Shape{3, 4, 16, 1}, Shape{1, 8, 7, 8}}) {
      const uint32_t channels = shape.c / shape.groups;
      const uint32_t rows = shape.n * shape.groups;
      const uint32_t columns = channels * shape.hw;
      const MatrixSize size = {rows, columns, columns};
      const Tensor src = Random(types.matrix, Count(size), -3, 5, columns);
      const Tensor gamma = Random(types.factors, shape.c, -2, 2, 1);
      const Tensor beta = Random(types.factors, shape.c, -2, 2, 2);
      Normed expected(size, src.values, {}, {});
      for (size_t i = 0; i < expected.dst.size(); ++i) {
        const size_t channel = i / shape.hw % shape.c;
        expected.dst[i] = expected.dst[i] * gamma.values[channel] + beta.values[channel];
      }
      BasculeInstruction in = RowsInstruction(BASCULE_OPCODE_kGroupNorm, rows, columns, columns, 0);
      in.params.vector.extra[1] |= uint64_t{shape.c} << 32;
      in.params.vector.scalar.bits = uint64_t{shape.groups} << 32 | shape.hw;
      test::SetFloats(in, kEpsilon);
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in,
                      {Room(types.matrix, Count(size)), Room(types.statistics, rows),
                       Room(types.statistics, rows), src, gamma, beta},
                      {expected.dst, expected.means, expected.variances}, kRelative, 20 * kAbsolute,
                      Name(types, size)));
    }
  }
  BasculeInstruction in = RowsInstruction(BASCULE_OPCODE_kGroupNorm, 2, 8, 8, 0);
  in.params.vector.extra[1] |= uint64_t{5} << 32;
  in.params.vector.scalar.bits = uint64_t{2} << 32 | 4;
  EXPECT_EQ(kGroupNormRow.misuse(in), "5 channels cannot be cut into 2 groups of the same number.");
}

// Steps over the blocks of a row, brought together, are the moments of the row.
TEST(Welford, FindsTheMomentsOfAllBlocks) {
  RowBench update(BASCULE_OPCODE_kWelfordUpdate);
  RowBench finalize(BASCULE_OPCODE_kWelfordFinalize);
  for (const BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    for (const uint32_t columns : {16u, 64u, 208u}) {
      const uint32_t steps = 5;
      std::vector<double> all;
      Tensor mean = {BASCULE_FLOAT, std::vector<double>(columns)};
      Tensor m = mean;
      for (uint32_t step = 1; step <= steps; ++step) {
        const Tensor src = Random(dtype, columns, -3, 5, step);
        all.insert(all.end(), src.values.begin(), src.values.end());
        std::vector<double> next_mean(columns);
        std::vector<double> next_m(columns);
        for (uint32_t j = 0; j < columns; ++j) {
          next_mean[j] = mean.values[j] + (src.values[j] - mean.values[j]) / step;
          next_m[j] =
              m.values[j] + (src.values[j] - mean.values[j]) * (src.values[j] - next_mean[j]);
        }
        BasculeInstruction in =
            RowsInstruction(BASCULE_OPCODE_kWelfordUpdate, 1, columns, columns, 0);
        test::SetFloats(in, 1.0f / static_cast<float>(step));
        ASSERT_NO_FATAL_FAILURE(update.Check(
            in, {Room(BASCULE_FLOAT, columns), Room(BASCULE_FLOAT, columns), mean, m, src},
            {next_mean, next_m}, kRelative, kAbsolute, Join("step ", step), {{2, 0}, {3, 1}}));
        mean = test::Rounded({BASCULE_FLOAT, next_mean});
        m = test::Rounded({BASCULE_FLOAT, next_m});
      }
      const Moments moments = MomentsOf(all.data(), static_cast<uint32_t>(all.size()));
      BasculeInstruction in =
          RowsInstruction(BASCULE_OPCODE_kWelfordFinalize, 1, columns, columns, 0);
      in.params.vector.extra[1] |= uint64_t{steps} << 32;
      test::SetFloats(in, 1.0f / static_cast<float>(columns),
                      1.0f / static_cast<float>(columns * steps));
      const Tensor one = Room(BASCULE_FLOAT, 1);
      const Expected expected = {{moments.mean}, {moments.variance}};
      ASSERT_NO_FATAL_FAILURE(finalize.Check(in, {one, one, mean, m, Nothing(BASCULE_INT32)},
                                             expected, kRelative, kAbsolute, "equal counts"));
      Tensor counts = {BASCULE_INT32, std::vector<double>(columns, steps)};
      ASSERT_NO_FATAL_FAILURE(finalize.Check(in, {one, one, mean, m, counts}, expected, kRelative,
                                             kAbsolute, "counts"));
      in.params.vector.scalar.bits = uint64_t{steps} << 32 | steps;
      in.params.vector.extra[3] = 3;
      ASSERT_NO_FATAL_FAILURE(finalize.Check(in, {one, one, mean, m, Nothing(BASCULE_INT32)},
                                             expected, kRelative, kAbsolute, "head and tail"));
    }
  }
}

TEST(WelfordUpdate, KeepsOrLeavesWhatIsBehindTheData) {
  RowBench bench(BASCULE_OPCODE_kWelfordUpdate);
  const uint32_t columns = 16;
  const uint32_t data = 11;
  for (const bool in_place : {false, true}) {
    const uint32_t kept = in_place ? columns : data;
    const Tensor mean = Random(BASCULE_FLOAT, kept, -1, 1, 1);
    const Tensor m = Random(BASCULE_FLOAT, kept, 0, 9, 2);
    const Tensor src = Random(BASCULE_FLOAT, data, -3, 5, 3);
    std::vector<double> next_mean = mean.values;
    std::vector<double> next_m = m.values;
    for (uint32_t j = 0; j < data; ++j) {
      next_mean[j] += (src.values[j] - mean.values[j]) * 0.25;
      next_m[j] += (src.values[j] - mean.values[j]) * (src.values[j] - next_mean[j]);
    }
    BasculeInstruction in = RowsInstruction(BASCULE_OPCODE_kWelfordUpdate, 1, columns, data,
                                            in_place ? BASCULE_ROWS_IN_PLACE : 0);
    test::SetFloats(in, 0.25f);
    ASSERT_NO_FATAL_FAILURE(
        bench.Check(in, {Room(BASCULE_FLOAT, kept), Room(BASCULE_FLOAT, kept), mean, m, src},
                    {next_mean, next_m}, kRelative, kAbsolute, in_place ? "kept" : "left"));
  }
}

}  // namespace
}  // namespace bascule::isa

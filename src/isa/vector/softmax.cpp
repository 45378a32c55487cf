// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/softmax.h"

#include <cmath>
#include <cstring>

#include "isa/vector/row_functions.h"

namespace bascule::isa {
namespace {

// The difference to the largest element is rounded before its exponential is taken: half a unit of
// 88 at most, beyond which nothing is left of it.
constexpr float kUlp = 64;

constexpr RowOperand kInMatrix = {Part::kMatrix, Role::kRead};
constexpr RowOperand kOutMatrix = {Part::kMatrix, Role::kWrite};
constexpr RowOperand kInValues = {Part::kRowValues, Role::kRead};
constexpr RowOperand kOutValues = {Part::kRowValues, Role::kWrite};

constexpr RowFunction kOfMatrix = {4, {kOutMatrix, kOutValues, kOutValues, kInMatrix}};
constexpr RowFunction kOfValues = {4, {kOutMatrix, kInValues, kInValues, kInMatrix}};
constexpr RowFunction kFlash = {
    8,
    {kOutMatrix, kOutValues, kOutValues, kInMatrix, kOutValues, kInValues, kInValues, kOutValues}};
constexpr RowFunction kFlashV3 = {9,
                                  {kOutMatrix, kOutValues, kOutValues, kOutValues, kInMatrix,
                                   kOutValues, kInValues, kInValues, kInValues}};
constexpr RowFunction kGrad = {3, {kOutMatrix, kInMatrix, kInMatrix}};
constexpr RowFunction kGradFront = {3, {kOutValues, kInMatrix, kInMatrix}};
constexpr RowFunction kAdjust = {2, {{Part::kMatrix, Role::kReadWrite}, kInValues}};

template <bool logarithm>
void SoftMax(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const RowValues sums(f, shape, in.operand[1]);
  const RowValues maxima(f, shape, in.operand[2]);
  const Matrix src(f, shape, in.operand[3]);
  Floats row(shape.columns);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    const float* x = src.Row(row, i);
    float* to = dst.Floats(i);
    if (to == nullptr) to = row;
    const float max = f.Largest(x, shape.data);
    const float sum = f.Exponentials(to, x, max, shape.data);
    if (shape.data < shape.columns) {
      f.Exponentials(to + shape.data, x + shape.data, max, shape.columns - shape.data);
    }
    f.Muls(to, to, 1 / sum, shape.columns);
    if (logarithm) f.Log10(to, to, shape.columns);
    if (to == row) dst.Store(row, i);
    sums.Store(sum, i);
    maxima.Store(max, i);
  }
}

void SimpleSoftMax(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const RowValues sums(f, shape, in.operand[1]);
  const RowValues maxima(f, shape, in.operand[2]);
  const Matrix src(f, shape, in.operand[3]);
  Floats row(shape.columns);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    f.Adds(row, row, -maxima.Load(i), shape.columns);
    f.Exp(row, row, shape.columns);
    f.Muls(row, row, 1 / sums.Load(i), shape.columns);
    dst.Store(row, i);
  }
}

// The first version divides by the sum, the second leaves that to the last round.
template <bool divides>
void SoftmaxFlash(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const RowValues sums(f, shape, in.operand[1]);
  const RowValues maxima(f, shape, in.operand[2]);
  const Matrix src(f, shape, in.operand[3]);
  const RowValues exp_maxima(f, shape, OperandOf(in, 4));
  const RowValues in_sums(f, shape, OperandOf(in, 5));
  const RowValues in_maxima(f, shape, OperandOf(in, 6));
  const RowValues row_maxima(f, shape, OperandOf(in, 7));
  const bool update = shape.Has(BASCULE_ROWS_UPDATE);
  Floats row(shape.columns);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    const float own_max = f.Largest(row, shape.data);
    float max = own_max;
    float exp_max = 0;
    float in_sum = 0;
    if (update) {
      const float in_max = in_maxima.Load(i);
      f.Max(&max, &max, &in_max, 1);
      exp_max = f.Exp(in_max - max);
      in_sum = in_sums.Load(i);
    }
    f.Adds(row, row, -max, shape.columns);
    f.Exp(row, row, shape.columns);
    float sum = f.Sum(row, shape.data);
    if (update) {
      const float before = exp_max * in_sum;
      sum = before + sum;
      if (divides) exp_max = before / sum;
    }
    if (divides) f.Muls(row, row, 1 / sum, shape.columns);
    dst.Store(row, i);
    sums.Store(sum, i);
    maxima.Store(max, i);
    if (update) {
      exp_maxima.Store(exp_max, i);
      row_maxima.Store(own_max, i);
    }
  }
}

constexpr uint32_t kParts = 8;       // a row's mean is taken of as many parts
constexpr uint32_t kPartLanes = 64;  // lanes of a repeat of floats

// The sum of every part. Parts of the first 512 elements are consecutive; further repeats are added
// lane by lane, so that a part has 8 lanes of each.
void PartSums(const FloatRows& f, const float* row, uint32_t columns, float* sums) {
  float lanes[kPartLanes];
  for (uint32_t i = 0; i < kPartLanes; ++i) lanes[i] = f.Sum(row + 8 * i, 8);
  for (uint32_t at = kParts * kPartLanes; at < columns; at += kPartLanes)
    f.Add(lanes, lanes, row + at, kPartLanes);
  for (uint32_t i = 0; i < kParts; ++i) sums[i] = f.Sum(lanes + 8 * i, 8);
}

void SoftmaxFlashV3(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const RowValues means(f, shape, in.operand[1]);
  const RowValues sums(f, shape, in.operand[2]);
  const RowValues maxima(f, shape, in.operand[3]);
  const Matrix src(f, shape, OperandOf(in, 4));
  const RowValues exp_maxima(f, shape, OperandOf(in, 5));
  const RowValues in_means(f, shape, OperandOf(in, 6));
  const RowValues in_sums(f, shape, OperandOf(in, 7));
  const RowValues in_maxima(f, shape, OperandOf(in, 8));
  const bool update = shape.Has(BASCULE_ROWS_UPDATE);
  const float scale = shape.first / (1 - shape.first);
  const float rounds = static_cast<float>(shape.number);
  const uint32_t part_columns = shape.columns / kParts;
  Floats row(shape.columns);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    float part_means[kParts];
    PartSums(f, row, shape.columns, part_means);
    f.Muls(part_means, part_means, 1 / static_cast<float>(part_columns), kParts);
    const float row_mean = f.Sum(part_means, kParts) / kParts;
    for (uint32_t part = 0; part < kParts; ++part) {
      float* at = row + part * part_columns;
      f.Adds(at, at, -((row_mean - part_means[part]) * scale), part_columns);
    }
    const float in_mean = update ? in_means.Load(i) : 0;
    const float mean = update ? (row_mean + in_mean * (rounds - 1)) / rounds : row_mean;
    const float shift = (row_mean - mean) * scale;
    float max = shift + f.Largest(row, shape.data);
    float exp_max = 0;
    float in_sum = 0;
    if (update) {
      const float in_shift = (in_mean - mean) * scale;
      const float in_max = in_maxima.Load(i);
      const float shifted = in_shift + in_max;
      f.Max(&max, &max, &shifted, 1);
      exp_max = f.Exp(in_max - max + in_shift);
      in_sum = in_sums.Load(i);
    }
    f.Adds(row, row, -(max - shift), shape.columns);
    f.Exp(row, row, shape.columns);
    const float sum = f.Sum(row, shape.data);
    dst.Store(row, i);
    means.Store(mean, i);
    maxima.Store(max, i);
    sums.Store(update ? exp_max * in_sum + sum : sum, i);
    if (update) exp_maxima.Store(exp_max, i);
  }
}

std::string FlashV3Misuse(const BasculeInstruction& in) {
  const RowShape shape(in);
  constexpr uint32_t kLeast = kParts * kPartLanes;
  if (shape.columns < kLeast || shape.columns % kPartLanes != 0 || shape.data != shape.columns) {
    return Join("a row has ", shape.columns, " elements, ", shape.data,
                " of them data; the means of its ", kParts, " parts need at least ", kLeast,
                ", a multiple of ", kPartLanes, ", and no padding.");
  }
  if (shape.Has(BASCULE_ROWS_UPDATE) && shape.number == 0)
    return "loopCnt is 0; it counts the rounds from 1.";
  return RowMisuse<&kFlashV3>(in);
}

template <bool front>
void SoftmaxGrad(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix grad(f, shape, in.operand[1]);
  const Matrix src(f, shape, in.operand[2]);
  Floats grad_row(shape.columns);
  Floats src_row(shape.columns);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    const float* gradient = grad.Row(grad_row, i);
    const float* result = src.Row(src_row, i);
    const float sum = f.SumOfProducts(gradient, result, shape.data);
    if (front) {
      RowValues(f, shape, in.operand[0]).Store(sum, i);
      continue;
    }
    const Matrix dst(f, shape, in.operand[0]);
    float* to = dst.Floats(i);
    if (to == nullptr) to = grad_row;
    f.TimesDifference(to, gradient, sum, result, shape.columns);
    if (to == grad_row) dst.Store(grad_row, i);
  }
}

void AdjustSoftMaxRes(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const BasculeOperand& max = in.operand[1];
  const uint32_t from = static_cast<uint32_t>(in.params.vector.extra[2]);
  const uint64_t element = ElementBytes(max.dtype);
  Floats row(shape.columns);
  const float to = f.LoadOne(&in.params.vector.scalar.bits, in.operand[0].dtype);
  std::fill_n(static_cast<float*>(row), shape.columns, to);
  uint32_t found = 0;
  for (uint64_t i = 0; i < shape.rows; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, At(max, i * ValueBytes(shape, max)), element);
    if (bits != from) continue;
    found = 1;
    Matrix(f, shape, in.operand[0]).Store(row, i);
  }
  std::memcpy(reinterpret_cast<void*>(in.params.vector.extra[BASCULE_EXTRA_RESULT]), &found,
              sizeof(found));
}

constexpr Row MakeFlashV3Row() {
  Row row = MakeRowFunction<&kFlashV3, SoftmaxFlashV3>(
      BASCULE_OPCODE_kSoftmaxFlashV3, "SoftmaxFlashV3", kUlp,
      "高阶API/激活函数/SoftMax接口/SoftmaxFlashV3.md");
  row.misuse = FlashV3Misuse;
  return row;
}

}  // namespace

constexpr Row kSoftMaxRow = MakeRowFunction<&kOfMatrix, SoftMax<false>>(
    BASCULE_OPCODE_kSoftMax, "SoftMax", kUlp, "高阶API/激活函数/SoftMax接口/SoftMax.md");
constexpr Row kLogSoftMaxRow =
    MakeRowFunction<&kOfMatrix, SoftMax<true>>(BASCULE_OPCODE_kLogSoftMax, "LogSoftMax", kUlp,
                                               "高阶API/激活函数/LogSoftMax接口/LogSoftMax.md");
constexpr Row kSimpleSoftMaxRow =
    MakeRowFunction<&kOfValues, SimpleSoftMax>(BASCULE_OPCODE_kSimpleSoftMax, "SimpleSoftMax", kUlp,
                                               "高阶API/激活函数/SoftMax接口/SimpleSoftMax.md");
constexpr Row kSoftmaxFlashRow =
    MakeRowFunction<&kFlash, SoftmaxFlash<true>>(BASCULE_OPCODE_kSoftmaxFlash, "SoftmaxFlash", kUlp,
                                                 "高阶API/激活函数/SoftMax接口/SoftmaxFlash.md");
constexpr Row kSoftmaxFlashV2Row = MakeRowFunction<&kFlash, SoftmaxFlash<false>>(
    BASCULE_OPCODE_kSoftmaxFlashV2, "SoftmaxFlashV2", kUlp,
    "高阶API/激活函数/SoftMax接口/SoftmaxFlashV2.md");
constexpr Row kSoftmaxFlashV3Row = MakeFlashV3Row();
constexpr Row kSoftmaxGradRow = MakeRowFunction<&kGrad, SoftmaxGrad<false>>(
    BASCULE_OPCODE_kSoftmaxGrad, "SoftmaxGrad", 0, "高阶API/激活函数/SoftMax接口/SoftmaxGrad.md");
constexpr Row kSoftmaxGradFrontRow = MakeRowFunction<&kGradFront, SoftmaxGrad<true>>(
    BASCULE_OPCODE_kSoftmaxGradFront, "SoftmaxGradFront", 0,
    "高阶API/激活函数/SoftMax接口/SoftmaxGradFront.md");
constexpr Row kAdjustSoftMaxResRow = MakeRowFunction<&kAdjust, AdjustSoftMaxRes>(
    BASCULE_OPCODE_kAdjustSoftMaxRes, "AdjustSoftMaxRes", 0,
    "高阶API/激活函数/SoftMax接口/AdjustSoftMaxRes.md");

}  // namespace bascule::isa

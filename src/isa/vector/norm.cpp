// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/norm.h"

#include <cmath>

#include "isa/vector/row_functions.h"

namespace bascule::isa {
namespace {

constexpr RowOperand kInMatrix = {Part::kMatrix, Role::kRead};
constexpr RowOperand kOutMatrix = {Part::kMatrix, Role::kWrite};
constexpr RowOperand kInRows = {Part::kRows, Role::kRead};
constexpr RowOperand kOutRows = {Part::kRows, Role::kWrite};
constexpr RowOperand kInData = {Part::kData, Role::kRead};
constexpr RowOperand kOutColumns = {Part::kColumns, Role::kWrite};
constexpr RowOperand kInColumns = {Part::kColumns, Role::kRead};
constexpr RowOperand kInNumbers = {Part::kNumbers, Role::kRead};
constexpr RowOperand kOutKept = {Part::kKept, Role::kWrite};
constexpr RowOperand kInKept = {Part::kKept, Role::kRead};
constexpr RowOperand kOutOne = {Part::kOne, Role::kWrite};

constexpr RowFunction kLayerNorm = {6,
                                    {kOutMatrix, kOutRows, kOutRows, kInMatrix, kInData, kInData}};
constexpr RowFunction kDeepNorm = {
    7, {kOutMatrix, kOutRows, kOutRows, kInMatrix, kInMatrix, kInData, kInData}};
constexpr RowFunction kRmsNorm = {3, {kOutMatrix, kInMatrix, kInData}};
constexpr RowFunction kNormalize = {
    7, {kOutMatrix, kOutRows, kInRows, kInRows, kInMatrix, kInData, kInData}};
constexpr RowFunction kGrad = {
    7, {kOutMatrix, kOutMatrix, kInMatrix, kInMatrix, kInRows, kInRows, kInData}};
constexpr RowFunction kGradBeta = {4, {kOutColumns, kOutColumns, kInMatrix, kInMatrix}};
constexpr RowFunction kBatchNorm = {
    6, {kOutMatrix, kOutColumns, kOutColumns, kInMatrix, kInRows, kInRows}};
constexpr RowFunction kGroupNorm = {
    6, {kOutMatrix, kOutRows, kOutRows, kInMatrix, kInNumbers, kInNumbers}};
constexpr RowFunction kUpdate = {5, {kOutKept, kOutKept, kInKept, kInKept, kInData}};
constexpr RowFunction kFinalize = {5, {kOutOne, kOutOne, kInColumns, kInColumns, kInColumns}};

float Rstd(float variance, float epsilon) { return 1 / std::sqrt(variance + epsilon); }

// `count` elements of an operand and zeros behind them; where there is no operand, `otherwise`.
class Factors {
 public:
  Factors(const FloatRows& f, const BasculeOperand& operand, uint32_t count, uint32_t columns,
          float otherwise)
      : room_(IsDirect(operand, count, columns) ? 0 : columns) {
    if (IsDirect(operand, count, columns)) {
      at_ = static_cast<const float*>(operand.address);
      return;
    }
    float* to = room_;
    std::fill_n(to, columns, 0.0f);
    if (IsAbsent(operand)) {
      std::fill_n(to, count, otherwise);
    } else {
      f.Load(to, operand.address, operand.dtype, count);
    }
    at_ = to;
  }
  operator const float*() const { return at_; }
  float operator[](uint64_t i) const { return at_[i]; }

 private:
  static bool IsDirect(const BasculeOperand& operand, uint32_t count, uint32_t columns) {
    return !IsAbsent(operand) && operand.dtype == BASCULE_FLOAT && count == columns;
  }

  Floats room_;
  const float* at_;
};

struct Moments {
  float mean;
  float variance;
};

Moments MomentsOf(const FloatRows& f, const float* row, uint32_t count) {
  Moments moments;
  moments.mean = f.Sum(row, count) / static_cast<float>(count);
  moments.variance = f.SumOfSquares(row, moments.mean, count) / static_cast<float>(count);
  return moments;
}

class OneARow {
 public:
  OneARow(const FloatRows& f, const BasculeOperand& operand) : f_(f), operand_(operand) {}
  float Load(uint64_t row) const { return f_.LoadOne(Address(row), operand_.dtype); }
  void Store(float value, uint64_t row) const {
    if (!IsAbsent(operand_)) f_.Store(Address(row), operand_.dtype, &value, 1);
  }

 private:
  char* Address(uint64_t row) const { return At(operand_, row * ElementBytes(operand_.dtype)); }

  const FloatRows& f_;
  const BasculeOperand& operand_;
};

template <bool deep>
void LayerNorm(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const OneARow means(f, in.operand[1]);
  const OneARow variances(f, in.operand[2]);
  const Matrix src(f, shape, in.operand[3]);
  const Matrix gx(f, shape, OperandOf(in, 4));
  Floats row(shape.columns);
  Floats other(deep ? shape.columns : 0);
  const Factors gamma(f, OperandOf(in, deep ? 6 : 4), shape.data, shape.columns, 1);
  const Factors beta(f, OperandOf(in, 5), shape.data, shape.columns, 0);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    const float* x = src.Row(row, i);
    if (deep) {
      f.Muls(row, x, shape.second, shape.columns);
      gx.Load(other, i);
      f.Add(row, row, other, shape.columns);
      x = row;
    }
    float* to = dst.Floats(i);
    if (to == nullptr) to = row;
    const Moments moments = MomentsOf(f, x, shape.data);
    const float rstd = Rstd(moments.variance, shape.first);
    f.Normalised(to, x, moments.mean, rstd, gamma, beta, shape.columns);
    if (to == row) dst.Store(row, i);
    means.Store(moments.mean, i);
    variances.Store(shape.Has(BASCULE_ROWS_RSTD) ? rstd : moments.variance, i);
  }
}

void RmsNorm(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const Matrix src(f, shape, in.operand[1]);
  Floats row(shape.columns);
  const Factors gamma(f, in.operand[2], shape.data, shape.columns, 1);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    const float mean = f.SumOfProducts(row, row, shape.data) / static_cast<float>(shape.data);
    f.Muls(row, row, Rstd(mean, shape.first), shape.columns);
    f.Mul(row, row, gamma, shape.columns);
    dst.Store(row, i);
  }
}

void Normalize(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const OneARow rstds(f, in.operand[1]);
  const OneARow means(f, in.operand[2]);
  const OneARow variances(f, in.operand[3]);
  const Matrix src(f, shape, OperandOf(in, 4));
  Floats row(shape.columns);
  const Factors gamma(f, OperandOf(in, 5), shape.data, shape.columns, 1);
  const Factors beta(f, OperandOf(in, 6), shape.data, shape.columns, 0);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    const float rstd = Rstd(variances.Load(i), shape.first);
    f.Adds(row, row, -means.Load(i), shape.columns);
    f.Muls(row, row, rstd, shape.columns);
    f.Mul(row, row, gamma, shape.columns);
    f.Add(row, row, beta, shape.columns);
    dst.Store(row, i);
    rstds.Store(rstd, i);
  }
}

void LayerNormGrad(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dx(f, shape, in.operand[0]);
  const Matrix res(f, shape, in.operand[1]);
  const Matrix dy(f, shape, in.operand[2]);
  const Matrix src(f, shape, in.operand[3]);
  const OneARow variances(f, OperandOf(in, 4));
  const OneARow means(f, OperandOf(in, 5));
  Floats grad(shape.columns);
  Floats centred(shape.columns);
  Floats scratch(shape.columns);
  const Factors gamma(f, OperandOf(in, 6), shape.data, shape.columns, 1);
  const float length = static_cast<float>(shape.data);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    const float rstd = Rstd(variances.Load(i), shape.first);
    dy.Load(grad, i);
    f.Mul(grad, grad, gamma, shape.columns);
    src.Load(centred, i);
    f.Adds(centred, centred, -means.Load(i), shape.columns);
    const float grad_centred = f.SumOfProducts(grad, centred, shape.data);
    const float grad_sum = f.Sum(grad, shape.data);
    const float centred_sum = f.Sum(centred, shape.data);
    const float d_variance = -0.5f * (rstd * rstd * rstd) * grad_centred;
    const float d_mean = -rstd * grad_sum - 2 * d_variance * centred_sum / length;
    f.Muls(grad, grad, rstd, shape.columns);
    f.Muls(scratch, centred, 2 * d_variance / length, shape.columns);
    f.Add(grad, grad, scratch, shape.columns);
    f.Adds(grad, grad, d_mean / length, shape.columns);
    f.Muls(centred, centred, rstd, shape.columns);
    dx.Store(grad, i);
    res.Store(centred, i);
  }
}

void LayerNormGradBeta(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix res(f, shape, in.operand[2]);
  const Matrix dy(f, shape, in.operand[3]);
  Floats gamma(shape.columns);
  Floats beta(shape.columns);
  Floats row(shape.columns);
  Floats grad(shape.columns);
  std::fill_n(static_cast<float*>(gamma), shape.columns, 0.0f);
  std::fill_n(static_cast<float*>(beta), shape.columns, 0.0f);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    res.Load(row, i);
    dy.Load(grad, i);
    f.Add(beta, beta, grad, shape.columns);
    f.Mul(row, row, grad, shape.columns);
    f.Add(gamma, gamma, row, shape.columns);
  }
  f.Store(in.operand[0].address, in.operand[0].dtype, gamma, shape.columns);
  f.Store(in.operand[1].address, in.operand[1].dtype, beta, shape.columns);
}

void BatchNorm(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const Matrix src(f, shape, in.operand[3]);
  const OneARow gamma(f, OperandOf(in, 4));
  const OneARow beta(f, OperandOf(in, 5));
  Floats mean(shape.columns);
  Floats variance(shape.columns);
  Floats rstd(shape.columns);
  Floats row(shape.columns);
  const float rows = static_cast<float>(shape.rows);
  std::fill_n(static_cast<float*>(mean), shape.columns, 0.0f);
  std::fill_n(static_cast<float*>(variance), shape.columns, 0.0f);
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    f.Add(mean, mean, row, shape.columns);
  }
  for (uint32_t i = 0; i < shape.columns; ++i) mean[i] /= rows;
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    f.Sub(row, row, mean, shape.columns);
    f.Mul(row, row, row, shape.columns);
    f.Add(variance, variance, row, shape.columns);
  }
  for (uint32_t i = 0; i < shape.columns; ++i) {
    variance[i] /= rows;
    rstd[i] = Rstd(variance[i], shape.first);
  }
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    f.Sub(row, row, mean, shape.columns);
    f.Mul(row, row, rstd, shape.columns);
    f.Muls(row, row, gamma.Load(i), shape.columns);
    f.Adds(row, row, beta.Load(i), shape.columns);
    dst.Store(row, i);
  }
  f.Store(in.operand[1].address, in.operand[1].dtype, mean, shape.columns);
  f.Store(in.operand[2].address, in.operand[2].dtype, variance, shape.columns);
}

uint32_t ChannelElements(const BasculeInstruction& in) {
  return static_cast<uint32_t>(in.params.vector.scalar.bits);
}
uint32_t GroupCount(const BasculeInstruction& in) {
  return static_cast<uint32_t>(in.params.vector.scalar.bits >> 32);
}

void GroupNorm(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const Matrix dst(f, shape, in.operand[0]);
  const OneARow means(f, in.operand[1]);
  const OneARow variances(f, in.operand[2]);
  const Matrix src(f, shape, in.operand[3]);
  const uint32_t each = ChannelElements(in);
  const uint32_t groups = GroupCount(in);
  Floats row(shape.columns);
  const Factors gamma(f, OperandOf(in, 4), shape.number, shape.number, 1);
  const Factors beta(f, OperandOf(in, 5), shape.number, shape.number, 0);
  const uint32_t channels = groups == 0 ? 0 : shape.number / groups;
  for (uint64_t i = 0; i < shape.rows; ++i) {
    src.Load(row, i);
    const Moments moments = MomentsOf(f, row, shape.columns);
    f.Adds(row, row, -moments.mean, shape.columns);
    f.Muls(row, row, Rstd(moments.variance, shape.first), shape.columns);
    for (uint32_t channel = 0; channel < channels; ++channel) {
      float* at = row + uint64_t{channel} * each;
      const uint64_t of_all = i % groups * channels + channel;
      f.Muls(at, at, gamma[of_all], each);
      f.Adds(at, at, beta[of_all], each);
    }
    dst.Store(row, i);
    means.Store(moments.mean, i);
    variances.Store(moments.variance, i);
  }
}

std::string GroupNormMisuse(const BasculeInstruction& in) {
  const RowShape shape(in);
  const uint64_t groups = GroupCount(in);
  const uint64_t each = ChannelElements(in);
  if (groups == 0 || shape.number % groups != 0) {
    return Join(shape.number, " channels cannot be cut into ", groups,
                " groups of the same number.");
  }
  if (shape.number / groups * each != shape.columns) {
    return Join("a group has ", shape.columns, " elements, but ", shape.number / groups,
                " channels of ", each, " elements.");
  }
  return "";
}

void WelfordUpdate(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const BasculeOperand& in_mean = in.operand[2];
  const BasculeOperand& in_m = in.operand[3];
  const BasculeOperand& src = OperandOf(in, 4);
  const uint32_t kept = shape.Has(BASCULE_ROWS_IN_PLACE) ? shape.columns : shape.data;
  Floats mean(shape.columns);
  Floats m(shape.columns);
  Floats row(shape.columns);
  Floats away(shape.columns);
  f.Load(mean, in_mean.address, in_mean.dtype, kept);
  f.Load(m, in_m.address, in_m.dtype, kept);
  f.Load(row, src.address, src.dtype, shape.data);
  f.Sub(away, row, mean, shape.data);
  Floats step(shape.columns);
  f.Muls(step, away, shape.first, shape.data);
  f.Add(mean, mean, step, shape.data);
  f.Sub(row, row, mean, shape.data);
  f.Mul(row, row, away, shape.data);
  f.Add(m, m, row, shape.data);
  f.Store(in.operand[0].address, in.operand[0].dtype, mean, kept);
  f.Store(in.operand[1].address, in.operand[1].dtype, m, kept);
}

void WelfordFinalize(const FloatRows& f, const BasculeInstruction& in) {
  const RowShape shape(in);
  const uint32_t columns = shape.columns;
  const BasculeOperand& given = OperandOf(in, 4);
  const uint32_t first = static_cast<uint32_t>(in.params.vector.scalar.bits);
  const uint32_t last = static_cast<uint32_t>(in.params.vector.scalar.bits >> 32);
  Floats means(columns);
  Floats counts(columns);
  Floats scratch(columns);
  f.Load(means, in.operand[2].address, in.operand[2].dtype, columns);
  float mean = 0;
  if (IsAbsent(given) && last == 0) {
    std::fill_n(static_cast<float*>(counts), columns, static_cast<float>(shape.number));
    mean = f.Sum(means, columns) * shape.first;
  } else {
    for (uint32_t i = 0; i < columns; ++i) {
      counts[i] =
          static_cast<float>(!IsAbsent(given) ? static_cast<const int32_t*>(given.address)[i]
                             : i < in.params.vector.extra[3] ? static_cast<int32_t>(first)
                                                             : static_cast<int32_t>(last));
    }
    f.Mul(scratch, means, counts, columns);
    mean = f.Sum(scratch, columns) * shape.second;
  }
  f.Adds(means, means, -mean, columns);
  f.Mul(means, means, means, columns);
  f.Mul(means, means, counts, columns);
  f.Load(scratch, in.operand[3].address, in.operand[3].dtype, columns);
  f.Add(means, means, scratch, columns);
  const float variance = f.Sum(means, columns) * shape.second;
  f.Store(in.operand[0].address, in.operand[0].dtype, &mean, 1);
  f.Store(in.operand[1].address, in.operand[1].dtype, &variance, 1);
}

constexpr Row MakeGroupNormRow() {
  Row row = MakeRowFunction<&kGroupNorm, GroupNorm>(BASCULE_OPCODE_kGroupNorm, "GroupNorm", 0,
                                                    "高阶API/归一化操作/GroupNorm.md");
  row.misuse = GroupNormMisuse;
  return row;
}

}  // namespace

constexpr Row kLayerNormRow = MakeRowFunction<&kLayerNorm, LayerNorm<false>>(
    BASCULE_OPCODE_kLayerNorm, "LayerNorm", 0, "高阶API/归一化操作/LayerNorm.md");
constexpr Row kDeepNormRow = MakeRowFunction<&kDeepNorm, LayerNorm<true>>(
    BASCULE_OPCODE_kDeepNorm, "DeepNorm", 0, "高阶API/归一化操作/DeepNorm.md");
constexpr Row kRmsNormRow = MakeRowFunction<&kRmsNorm, RmsNorm>(BASCULE_OPCODE_kRmsNorm, "RmsNorm",
                                                                0, "高阶API/归一化操作/RmsNorm.md");
constexpr Row kNormalizeRow = MakeRowFunction<&kNormalize, Normalize>(
    BASCULE_OPCODE_kNormalize, "Normalize", 0, "高阶API/归一化操作/Normalize.md");
constexpr Row kLayerNormGradRow = MakeRowFunction<&kGrad, LayerNormGrad>(
    BASCULE_OPCODE_kLayerNormGrad, "LayerNormGrad", 0, "高阶API/归一化操作/LayerNormGrad.md");
constexpr Row kLayerNormGradBetaRow = MakeRowFunction<&kGradBeta, LayerNormGradBeta>(
    BASCULE_OPCODE_kLayerNormGradBeta, "LayerNormGradBeta", 0,
    "高阶API/归一化操作/LayerNormGradBeta.md");
constexpr Row kBatchNormRow = MakeRowFunction<&kBatchNorm, BatchNorm>(
    BASCULE_OPCODE_kBatchNorm, "BatchNorm", 0, "高阶API/归一化操作/BatchNorm.md");
constexpr Row kGroupNormRow = MakeGroupNormRow();
constexpr Row kWelfordUpdateRow = MakeRowFunction<&kUpdate, WelfordUpdate>(
    BASCULE_OPCODE_kWelfordUpdate, "WelfordUpdate", 0, "高阶API/归一化操作/WelfordUpdate.md");
constexpr Row kWelfordFinalizeRow = MakeRowFunction<&kFinalize, WelfordFinalize>(
    BASCULE_OPCODE_kWelfordFinalize, "WelfordFinalize", 0, "高阶API/归一化操作/WelfordFinalize.md");

}  // namespace bascule::isa

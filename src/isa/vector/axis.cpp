// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/axis.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/vector/library_call.h"
#include "isa/vector/reduce.h"

namespace bascule::isa {
namespace {

constexpr Body kFloatAndHalf[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
};
constexpr Body kFloat[] = {{BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr}};
constexpr Body kFloatAndByte[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_UINT8, BASCULE_UINT8, nullptr, nullptr},
};
constexpr Body kInt16[] = {{BASCULE_INT16, BASCULE_INT16, nullptr, nullptr}};

float Wide(float value) { return value; }
float Wide(half_t value) { return float(value); }

struct Matrix {
  uint64_t rows, columns, pitch;
  bool last_axis;

  explicit Matrix(const BasculeInstruction& in)
      : rows(Low(in.params.vector.extra[0])),
        columns(High(in.params.vector.extra[0])),
        pitch(in.params.vector.extra[1]),
        last_axis(in.params.vector.mode == BASCULE_REDUCE_LAST_AXIS) {}
  uint64_t results() const { return last_axis ? rows : columns; }
  uint64_t joined() const { return last_axis ? columns : rows; }
};

Extent MatrixExtent(const BasculeInstruction& in, uint32_t operand) {
  const Matrix m(in);
  switch (operand) {
    case 0:
      return ExtentOfBytes(BytesOf(in.operand[0].dtype, m.joined() == 0 ? 0 : m.results()));
    case 1:
      return ExtentOfRows(in.operand[1], m.rows, m.columns, m.pitch);
    default:
      return ExtentOfTemporary(in);
  }
}

std::string MatrixMisuse(const BasculeInstruction& in) {
  const Matrix m(in);
  if (in.params.vector.mode > BASCULE_REDUCE_FIRST_AXIS) {
    return Join("there is no axis ", in.params.vector.mode, " here.");
  }
  if (m.pitch < m.columns) {
    return Join("a row has ", m.columns, " elements and the next begins after ", m.pitch, ".");
  }
  if (m.results() != 0 && m.joined() == 0) {
    return "the axis to reduce has no elements, so that there is no result.";
  }
  return "";
}

// --- Sum, Mean

SumFunction SumOf(const float*) { return SimdSumFloat(); }
SumFunction SumOf(const half_t*) { return SimdSumHalf(); }

// Sums of groups of neighbours, then of their sums, until one is left.
template <typename T>
T SumRow(const T* row, uint64_t count, std::vector<T>& level) {
  constexpr uint64_t kLanes = BASCULE_REPEAT_BYTES / sizeof(T);
  const SumFunction sum = SumOf(row);
  const T* from = row;
  T last[kLanes];
  do {
    const uint64_t whole = count / kLanes;
    const uint64_t rest = count % kLanes;
    // The sums of a level may take the place of what they are the sums of.
    if (level.size() < whole + 1) level.resize(whole + 1);
    if (rest != 0) {
      std::copy(from + whole * kLanes, from + count, last);
      std::fill(last + rest, last + kLanes, T(-0.0f));  // changes no sum
    }
    for (uint64_t i = 0; i < whole; ++i) sum(from + i * kLanes, 1, kLanes, &level[i]);
    if (rest != 0) sum(last, 1, kLanes, &level[whole]);
    count = whole + (rest != 0 ? 1 : 0);
    from = level.data();
  } while (count > 1);
  return level[0];
}

template <typename T>
void Sums(const BasculeInstruction& in) {
  const Matrix m(in);
  const T* from = static_cast<const T*>(in.operand[1].address);
  T* to = static_cast<T*>(in.operand[0].address);
  const bool mean = in.opcode == BASCULE_OPCODE_kMean;
  const bool wide = (in.params.vector.flags & BASCULE_MEAN_IN_FLOAT) != 0;
  std::vector<T> level;
  std::vector<float> row;
  std::vector<float> wide_level;
  for (uint64_t i = 0; i < m.rows; ++i, from += m.pitch) {
    if (wide && sizeof(T) != sizeof(float)) {
      row.resize(m.columns);
      for (uint64_t j = 0; j < m.columns; ++j) row[j] = Wide(from[j]);
      to[i] = T(SumRow(row.data(), m.columns, wide_level) / static_cast<float>(m.columns));
      continue;
    }
    const T sum = SumRow(from, m.columns, level);
    to[i] = mean ? T(Wide(sum) / static_cast<float>(m.columns)) : sum;
  }
}

void RunSums(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[1].dtype == BASCULE_FLOAT) {
    Sums<float>(in);
  } else {
    Sums<half_t>(in);
  }
}

// --- Reductions of either axis

template <typename T>
struct Added {
  static T Join(T a, T b) { return T(Wide(a) + Wide(b)); }
};
template <typename T>
struct Multiplied {
  static T Join(T a, T b) { return T(Wide(a) * Wide(b)); }
};
// NaN wins; of the two zeros the positive one is larger.
template <typename T>
struct Larger {
  static T Join(T a, T b) {
    if (Wide(a) != Wide(a)) return a;
    if (Wide(b) != Wide(b)) return b;
    if (Wide(a) == Wide(b)) return std::signbit(Wide(a)) ? b : a;
    return Wide(a) > Wide(b) ? a : b;
  }
};
template <typename T>
struct Smaller {
  static T Join(T a, T b) {
    if (Wide(a) != Wide(a)) return a;
    if (Wide(b) != Wide(b)) return b;
    if (Wide(a) == Wide(b)) return std::signbit(Wide(a)) ? a : b;
    return Wide(a) < Wide(b) ? a : b;
  }
};
template <typename T>
struct Either {
  static T Join(T a, T b) { return a != T(0) || b != T(0) ? T(1) : T(0); }
};
template <typename T>
struct Both {
  static T Join(T a, T b) { return a != T(0) && b != T(0) ? T(1) : T(0); }
};

// Joins `count` elements of a row: halves first, so that errors stay small.
template <typename Op, typename T>
T Fold(const T* from, uint64_t count) {
  if (count <= 8) {
    T out = from[0];
    for (uint64_t i = 1; i < count; ++i) out = Op::Join(out, from[i]);
    return out;
  }
  const uint64_t half = (count / 2 + 7) / 8 * 8;
  return Op::Join(Fold<Op>(from, half), Fold<Op>(from + half, count - half));
}

constexpr uint64_t kChunk = 64;  // columns at a time

// The same down `columns` columns, at most kChunk.
template <typename Op, typename T>
void FoldColumns(const T* from, uint64_t rows, uint64_t pitch, uint64_t columns, T* out) {
  if (rows <= 8) {
    std::copy(from, from + columns, out);
    for (uint64_t i = 1; i < rows; ++i) {
      const T* row = from + i * pitch;
      for (uint64_t j = 0; j < columns; ++j) out[j] = Op::Join(out[j], row[j]);
    }
    return;
  }
  const uint64_t half = (rows / 2 + 7) / 8 * 8;
  T second[kChunk];
  FoldColumns<Op>(from, half, pitch, columns, out);
  FoldColumns<Op>(from + half * pitch, rows - half, pitch, columns, second);
  for (uint64_t j = 0; j < columns; ++j) out[j] = Op::Join(out[j], second[j]);
}

template <template <typename> class Op, typename T>
void Reduce(const BasculeInstruction& in, float divisor) {
  const Matrix m(in);
  const T* from = static_cast<const T*>(in.operand[1].address);
  T* to = static_cast<T*>(in.operand[0].address);
  if (m.last_axis) {
    for (uint64_t i = 0; i < m.rows; ++i) to[i] = Fold<Op<T>>(from + i * m.pitch, m.columns);
  } else {
    for (uint64_t j = 0; j < m.columns; j += kChunk) {
      FoldColumns<Op<T>>(from + j, m.rows, m.pitch, std::min(kChunk, m.columns - j), to + j);
    }
  }
  if constexpr (std::is_same_v<T, float>) {
    if (divisor != 1) {
      for (uint64_t i = 0; i < m.results(); ++i) to[i] /= divisor;
    }
  }
}

template <template <typename> class Op>
void RunFloatOrHalf(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[1].dtype == BASCULE_FLOAT) {
    Reduce<Op, float>(in, 1);
  } else {
    Reduce<Op, half_t>(in, 1);
  }
}
template <template <typename> class Op>
void RunFloatOrByte(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[1].dtype == BASCULE_FLOAT) {
    Reduce<Op, float>(in, 1);
  } else {
    Reduce<Op, uint8_t>(in, 1);
  }
}
template <template <typename> class Op>
void RunFloat(const Row&, const BasculeInstruction& in, const RunOptions&) {
  Reduce<Op, float>(in, 1);
}
void RunMeanOfAxis(const Row&, const BasculeInstruction& in, const RunOptions&) {
  Reduce<Added, float>(in, static_cast<float>(Matrix(in).joined()));
}

constexpr LibraryParts MatrixParts(RunFunction run) {
  return {{Role::kWrite, Role::kRead, Role::kWrite}, run, MatrixExtent, MatrixMisuse};
}

// --- ReduceXorSum

Extent XorSumExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t element = sizeof(int16_t);
  if (operand == 0) return ExtentOfBytes(in.count == 0 ? 0 : element);
  return operand == 3 ? ExtentOfTemporary(in) : ExtentOfBytes(in.count * element);
}

void RunXorSum(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.count == 0) return;
  const int16_t* a = static_cast<const int16_t*>(in.operand[1].address);
  const int16_t* b = static_cast<const int16_t*>(in.operand[2].address);
  int64_t sum = 0;
  for (uint32_t i = 0; i < in.count; ++i) sum += static_cast<int16_t>(a[i] ^ b[i]);
  *static_cast<int16_t*>(in.operand[0].address) =
      static_cast<int16_t>(std::clamp<int64_t>(sum, INT16_MIN, INT16_MAX));
}

// --- CumSum

Extent CumSumExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t rows = Low(in.params.vector.extra[0]);
  const uint64_t columns = High(in.params.vector.extra[0]);
  if (operand == 3) return ExtentOfTemporary(in);
  if (operand != 1) return ExtentOfBytes(BytesOf(in.operand[operand].dtype, Times(rows, columns)));
  const bool wanted = (in.params.vector.flags & BASCULE_CUMSUM_LAST_ROW) != 0 && rows != 0;
  return ExtentOfBytes(wanted ? BytesOf(in.operand[1].dtype, columns) : 0);
}

std::string CumSumMisuse(const BasculeInstruction& in) {
  const uint64_t rows = Low(in.params.vector.extra[0]);
  const uint64_t columns = High(in.params.vector.extra[0]);
  if (rows == 0 || columns == 0) {
    return Join("cumSumInfo.outter is ", rows, " and inner is ", columns,
                "; both have to be more than 0.");
  }
  const uint64_t bytes = BytesOf(in.operand[2].dtype, columns);
  if (bytes % BASCULE_DATABLOCK_BYTES != 0) {
    return Join("cumSumInfo.inner of ", columns, " elements has ", bytes,
                " bytes; it has to be a multiple of 32.");
  }
  return "";
}

template <typename T>
void CumSums(const BasculeInstruction& in) {
  const uint64_t rows = Low(in.params.vector.extra[0]);
  const uint64_t columns = High(in.params.vector.extra[0]);
  const uint32_t flags = in.params.vector.flags;
  const T* from = static_cast<const T*>(in.operand[2].address);
  T* to = static_cast<T*>(in.operand[0].address);
  if ((flags & BASCULE_CUMSUM_ALONG_ROWS) != 0) {
    for (uint64_t i = 0; i < rows; ++i) {
      float sum = 0;
      for (uint64_t j = 0; j < columns; ++j) {
        const uint64_t at = i * columns + j;
        to[at] = j == 0 ? from[at] : T(sum + Wide(from[at]));
        sum = sizeof(T) == sizeof(float) ? Wide(to[at]) : sum + Wide(from[at]);
      }
    }
  } else {
    // halves are summed in float, and rounded where they are stored.
    std::vector<float> sums(columns);
    for (uint64_t i = 0; i < rows; ++i) {
      for (uint64_t j = 0; j < columns; ++j) {
        const uint64_t at = i * columns + j;
        sums[j] = i == 0 ? Wide(from[at]) : sums[j] + Wide(from[at]);
        to[at] = i == 0 ? from[at] : T(sums[j]);
      }
    }
  }
  if ((flags & BASCULE_CUMSUM_LAST_ROW) != 0) {
    std::memcpy(in.operand[1].address, static_cast<const void*>(to + (rows - 1) * columns),
                columns * sizeof(T));
  }
}

void RunCumSum(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[0].dtype == BASCULE_FLOAT) {
    CumSums<float>(in);
  } else {
    CumSums<half_t>(in);
  }
}

}  // namespace

constexpr Row kSumRow = MakeLibraryRow(BASCULE_OPCODE_kSum, "Sum", kFloatAndHalf,
                                       "高阶API/归约操作/Sum接口/Sum.md", MatrixParts(RunSums));
constexpr Row kMeanRow = MakeLibraryRow(BASCULE_OPCODE_kMean, "Mean", kFloatAndHalf,
                                        "高阶API/归约操作/Mean接口/Mean.md", MatrixParts(RunSums));
constexpr Row kReduceSumOfAxisRow =
    MakeLibraryRow(BASCULE_OPCODE_kReduceSumOfAxis, "ReduceSum of an axis", kFloat,
                   "高阶API/归约操作/ReduceSum接口/ReduceSum-90.md", MatrixParts(RunFloat<Added>));
constexpr Row kReduceMaxOfAxisRow = MakeLibraryRow(
    BASCULE_OPCODE_kReduceMaxOfAxis, "ReduceMax of an axis", kFloatAndHalf,
    "高阶API/归约操作/ReduceMax接口/ReduceMax-91.md", MatrixParts(RunFloatOrHalf<Larger>));
constexpr Row kReduceMinOfAxisRow = MakeLibraryRow(
    BASCULE_OPCODE_kReduceMinOfAxis, "ReduceMin of an axis", kFloatAndHalf,
    "高阶API/归约操作/ReduceMin接口/ReduceMin-92.md", MatrixParts(RunFloatOrHalf<Smaller>));
constexpr Row kReduceMeanRow =
    MakeLibraryRow(BASCULE_OPCODE_kReduceMean, "ReduceMean", kFloat,
                   "高阶API/归约操作/ReduceMean接口/ReduceMean.md", MatrixParts(RunMeanOfAxis));
constexpr Row kReduceProdRow = MakeLibraryRow(BASCULE_OPCODE_kReduceProd, "ReduceProd", kFloat,
                                              "高阶API/归约操作/ReduceProd接口/ReduceProd.md",
                                              MatrixParts(RunFloat<Multiplied>));
constexpr Row kReduceAnyRow = MakeLibraryRow(BASCULE_OPCODE_kReduceAny, "ReduceAny", kFloatAndByte,
                                             "高阶API/归约操作/ReduceAny接口/ReduceAny.md",
                                             MatrixParts(RunFloatOrByte<Either>));
constexpr Row kReduceAllRow = MakeLibraryRow(BASCULE_OPCODE_kReduceAll, "ReduceAll", kFloatAndByte,
                                             "高阶API/归约操作/ReduceAll接口/ReduceAll.md",
                                             MatrixParts(RunFloatOrByte<Both>));
constexpr Row kReduceXorSumRow = MakeLibraryRow(
    BASCULE_OPCODE_kReduceXorSum, "ReduceXorSum", kInt16,
    "高阶API/归约操作/ReduceXorSum接口/ReduceXorSum.md",
    {{Role::kWrite, Role::kRead, Role::kRead, Role::kWrite}, RunXorSum, XorSumExtent});
constexpr Row kCumSumRow = MakeLibraryRow(BASCULE_OPCODE_kCumSum, "CumSum", kFloatAndHalf,
                                          "高阶API/数学计算/CumSum接口/CumSum.md",
                                          {{Role::kWrite, Role::kWrite, Role::kRead, Role::kWrite},
                                           RunCumSum,
                                           CumSumExtent,
                                           CumSumMisuse});

}  // namespace bascule::isa

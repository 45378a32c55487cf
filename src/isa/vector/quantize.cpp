// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/quantize.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/convert.h"
#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/vector/arithmetic.h"
#include "isa/vector/cast.h"
#include "isa/vector/library_call.h"

namespace bascule::isa {
namespace {

constexpr uint64_t kChunk = 512;  // elements at a time

constexpr Body kQuantBodies[] = {
    {BASCULE_INT8, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_INT8, BASCULE_FLOAT16, nullptr, nullptr},
};
constexpr Body kDequantBodies[] = {
    {BASCULE_FLOAT16, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_FLOAT, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_INT32, nullptr, nullptr},
};
constexpr Body kAntiQuantBodies[] = {
    {BASCULE_FLOAT16, BASCULE_INT8, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_INT8, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_INT4, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_INT4, nullptr, nullptr},
};

// The instructions that these calls are made of, on consecutive elements.
FlatFunction Convert(BasculeDType from, BasculeDType to) {
  return FindBody(kCastRow, to, from)->simd();
}
constexpr uint64_t kRint = static_cast<uint64_t>(numeric::Rounding::kRint);

struct Steps {
  explicit Steps(BasculeDType dtype)
      : mul(FindBody(kMulRow, dtype, dtype)->simd()),
        muls(FindBody(kMulsRow, dtype, dtype)->simd()),
        add(FindBody(kAddRow, dtype, dtype)->simd()),
        adds(FindBody(kAddsRow, dtype, dtype)->simd()) {}
  FlatFunction mul, muls, add, adds;
};

template <typename T>
uint64_t BitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  return bits;
}

const char* At(const BasculeOperand& operand, uint64_t element) {
  return static_cast<const char*>(operand.address) + BytesOf(operand.dtype, element);
}
char* At(BasculeOperand& operand, uint64_t element) {
  return static_cast<char*>(operand.address) + BytesOf(operand.dtype, element);
}

// Elements of an operand as halves or floats; as they lie in memory where they are that already.
template <typename T>
const T* Converted(const BasculeOperand& operand, uint64_t first, uint64_t count, T* buffer) {
  constexpr BasculeDType kWanted = sizeof(T) == 2 ? BASCULE_FLOAT16 : BASCULE_FLOAT;
  if (operand.dtype == kWanted) return reinterpret_cast<const T*>(At(operand, first));
  Convert(operand.dtype, kWanted)(buffer, At(operand, first), nullptr, kRint, count);
  return buffer;
}

// --- AscendQuant

Extent QuantExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t count = Low(in.params.vector.extra[0]);
  const uint64_t scales = High(in.params.vector.extra[0]);
  if (operand < 2) return ExtentOfBytes(BytesOf(in.operand[operand].dtype, count));
  if (in.operand[operand].address == nullptr) return Extent{};
  return ExtentOfBytes(BytesOf(in.operand[operand].dtype, std::min(scales, count)));
}

std::string QuantMisuse(const BasculeInstruction& in) {
  const uint64_t scales = High(in.params.vector.extra[0]);
  if (in.operand[2].address != nullptr && scales == 0) {
    return "scaleCount is 0; it is the number of scales.";
  }
  return "";
}

void RunQuant(const Row&, const BasculeInstruction& in, const RunOptions&) {
  BasculeInstruction own = in;
  const uint64_t count = Low(in.params.vector.extra[0]);
  const bool per_channel = in.operand[2].address != nullptr;
  const uint64_t row = per_channel ? High(in.params.vector.extra[0]) : count;
  const Steps steps(BASCULE_FLOAT16);
  const FlatFunction to_int8 = Convert(BASCULE_FLOAT16, BASCULE_INT8);
  const uint64_t scale = BitsOf(half_t(FloatOf(in.params.vector.scalar.bits)));
  const uint64_t offset = BitsOf(half_t(FloatOf(in.params.vector.extra[1])));
  half_t source[kChunk];
  half_t factors[kChunk];
  half_t result[kChunk];
  for (uint64_t first = 0; first < count;) {
    const uint64_t channel = first % row;
    const uint64_t now = std::min({kChunk, row - channel, count - first});
    const half_t* from = Converted(in.operand[1], first, now, source);
    if (per_channel) {
      steps.mul(result, from, Converted(in.operand[2], channel, now, factors), 0, now);
    } else {
      steps.muls(result, from, nullptr, scale, now);
    }
    if (in.operand[3].address != nullptr) {
      steps.add(result, result, Converted(in.operand[3], channel, now, factors), 0, now);
    } else {
      steps.adds(result, result, nullptr, offset, now);
    }
    to_int8(At(own.operand[0], first), result, nullptr, kRint, now);
    first += now;
  }
}

// --- AscendDequant

struct DequantShape {
  uint64_t rows, columns, converted, pitch;
  explicit DequantShape(const BasculeInstruction& in)
      : rows(Low(in.params.vector.extra[0])),
        columns(High(in.params.vector.extra[0])),
        converted(Low(in.params.vector.extra[1])),
        pitch(High(in.params.vector.extra[1])) {}
};

Extent DequantExtent(const BasculeInstruction& in, uint32_t operand) {
  const DequantShape s(in);
  switch (operand) {
    case 0:
      return ExtentOfRows(in.operand[0], s.rows, s.converted, s.pitch);
    case 1:
      return ExtentOfRows(in.operand[1], s.rows, s.converted, s.columns);
    case 2:
      if (in.operand[2].address == nullptr || s.rows == 0) return Extent{};
      return ExtentOfBytes(BytesOf(in.operand[2].dtype, s.converted));
    default:
      return ExtentOfTemporary(in);
  }
}

std::string DequantMisuse(const BasculeInstruction& in) {
  const DequantShape s(in);
  if (s.converted > s.columns) {
    return Join("calCount is ", s.converted, " of rows of ", s.columns, " elements.");
  }
  const uint64_t bytes = BytesOf(in.operand[1].dtype, s.columns);
  if (bytes % BASCULE_DATABLOCK_BYTES != 0) {
    return Join("a row of ", s.columns, " elements has ", bytes,
                " bytes; it has to be a multiple of 32.");
  }
  return "";
}

void RunDequant(const Row&, const BasculeInstruction& in, const RunOptions&) {
  BasculeInstruction own = in;
  const DequantShape s(in);
  const BasculeDType dst = in.operand[0].dtype;
  std::vector<float> scales;
  if (in.operand[2].address != nullptr && s.rows != 0) {
    scales.resize(s.converted);
    if (in.operand[2].dtype == BASCULE_UINT64) {
      const uint64_t* words = static_cast<const uint64_t*>(in.operand[2].address);
      for (uint64_t i = 0; i < s.converted; ++i) scales[i] = FloatOf(words[i]);
    } else {
      const float* from = Converted(in.operand[2], 0, s.converted, scales.data());
      if (from != scales.data()) std::copy(from, from + s.converted, scales.data());
    }
  }
  const Steps steps(BASCULE_FLOAT);
  const FlatFunction to_float = Convert(BASCULE_INT32, BASCULE_FLOAT);
  const FlatFunction to_dst = dst == BASCULE_FLOAT ? nullptr : Convert(BASCULE_FLOAT, dst);
  float source[kChunk];
  for (uint64_t row = 0; row < s.rows; ++row) {
    for (uint64_t first = 0; first < s.converted; first += kChunk) {
      const uint64_t now = std::min(kChunk, s.converted - first);
      char* to = At(own.operand[0], row * s.pitch + first);
      float* result = to_dst == nullptr ? reinterpret_cast<float*>(to) : source;
      to_float(source, At(in.operand[1], row * s.columns + first), nullptr, kRint, now);
      if (scales.empty()) {
        steps.muls(result, source, nullptr, in.params.vector.scalar.bits, now);
      } else {
        steps.mul(result, source, scales.data() + first, 0, now);
      }
      if (to_dst != nullptr) to_dst(to, source, nullptr, kRint, now);
    }
  }
}

// --- AscendAntiQuant

struct AntiShape {
  uint64_t rows, columns, scale_rows, scale_columns;
  explicit AntiShape(const BasculeInstruction& in)
      : rows(Low(in.params.vector.extra[0])),
        columns(High(in.params.vector.extra[0])),
        scale_rows(Low(in.params.vector.extra[1])),
        scale_columns(High(in.params.vector.extra[1])) {}
};

Extent AntiExtent(const BasculeInstruction& in, uint32_t operand) {
  const AntiShape s(in);
  const uint64_t elements = Times(s.rows, s.columns);
  if (operand < 2) return ExtentOfBytes(BytesOf(in.operand[operand].dtype, elements));
  if (in.operand[operand].address == nullptr || elements == 0) return Extent{};
  return ExtentOfBytes(BytesOf(in.operand[operand].dtype, Times(s.scale_rows, s.scale_columns)));
}

std::string AntiMisuse(const BasculeInstruction& in) {
  const AntiShape s(in);
  if (in.operand[1].dtype == BASCULE_INT4 && s.columns % 2 != 0) {
    return Join("a row has ", s.columns, " elements; those of four bits come in pairs.");
  }
  if (in.operand[3].address == nullptr) return "";
  if (s.scale_rows == 0 || s.scale_columns == 0 || s.rows % s.scale_rows != 0 ||
      s.columns % s.scale_columns != 0) {
    return Join("scales of ", s.scale_rows, " rows and ", s.scale_columns,
                " columns do not divide a source of ", s.rows, " and ", s.columns, ".");
  }
  if (in.operand[1].dtype == BASCULE_INT4 && s.columns / s.scale_columns % 2 != 0 &&
      s.scale_columns != s.columns) {
    return Join("a group has ", s.columns / s.scale_columns,
                " elements of a row; those of four bits come in pairs.");
  }
  return "";
}

template <typename T>
void AntiQuant(const BasculeInstruction& in) {
  constexpr bool kHalf = sizeof(T) == 2;  // the type of the steps; else float
  BasculeInstruction own = in;
  const AntiShape s(in);
  const Steps steps(kHalf ? BASCULE_FLOAT16 : BASCULE_FLOAT);
  const FlatFunction to_half = Convert(in.operand[1].dtype, BASCULE_FLOAT16);
  const FlatFunction to_float = Convert(BASCULE_FLOAT16, BASCULE_FLOAT);
  const FlatFunction to_bfloat = Convert(BASCULE_FLOAT, BASCULE_BFLOAT16);
  const bool one_scale = in.operand[3].address == nullptr;
  // How many elements of a row have scales of their own that lie next to one another, or share one.
  const bool shared = !one_scale && s.scale_columns != s.columns;
  const uint64_t group = shared ? s.columns / s.scale_columns : s.columns;
  const uint64_t rows_per_scale = one_scale ? 1 : s.rows / s.scale_rows;
  const T scale = T(FloatOf(in.params.vector.scalar.bits));
  const T offset = T(FloatOf(in.params.vector.extra[3]));
  half_t halves[kChunk];
  T values[kChunk];
  T factors[kChunk];
  for (uint64_t row = 0; row < s.rows; ++row) {
    const uint64_t scales = one_scale ? 0 : row / rows_per_scale * s.scale_columns;
    for (uint64_t first = 0; first < s.columns;) {
      const uint64_t now = std::min(kChunk, group - first % group);
      const uint64_t at = row * s.columns + first;
      to_half(halves, At(in.operand[1], at), nullptr, kRint, now);
      T* steps_of = values;
      if constexpr (kHalf) {
        steps_of = reinterpret_cast<T*>(At(own.operand[0], at));
        std::copy(halves, halves + now, steps_of);
      } else {
        to_float(values, halves, nullptr, kRint, now);
      }
      const uint64_t mine = scales + (shared ? first / group : first);
      // The offset first, then the scale.
      for (const uint32_t operand : {2u, 3u}) {
        const BasculeOperand& op = in.operand[operand];
        const bool adding = operand == 2;
        if (one_scale) {
          (adding ? steps.adds : steps.muls)(steps_of, steps_of, nullptr,
                                             BitsOf(adding ? offset : scale), now);
        } else if (op.address == nullptr) {
          continue;  // no offsets
        } else if (shared) {
          const T own_factor = *Converted(op, mine, 1, factors);
          (adding ? steps.adds : steps.muls)(steps_of, steps_of, nullptr, BitsOf(own_factor), now);
        } else {
          (adding ? steps.add : steps.mul)(steps_of, steps_of, Converted(op, mine, now, factors), 0,
                                           now);
        }
      }
      if constexpr (!kHalf) to_bfloat(At(own.operand[0], at), values, nullptr, kRint, now);
      first += now;
    }
  }
}

void RunAntiQuant(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[0].dtype == BASCULE_FLOAT16) {
    AntiQuant<half_t>(in);
  } else {
    AntiQuant<float>(in);
  }
}

}  // namespace

constexpr Row kAscendQuantRow = MakeLibraryRow(
    BASCULE_OPCODE_kAscendQuant, "AscendQuant", kQuantBodies, "高阶API/量化操作/AscendQuant.md",
    {{Role::kWrite, Role::kRead, Role::kRead, Role::kRead}, RunQuant, QuantExtent, QuantMisuse});
constexpr Row kAscendDequantRow =
    MakeLibraryRow(BASCULE_OPCODE_kAscendDequant, "AscendDequant", kDequantBodies,
                   "高阶API/量化操作/AscendDequant.md",
                   {{Role::kWrite, Role::kRead, Role::kRead, Role::kWrite},
                    RunDequant,
                    DequantExtent,
                    DequantMisuse});
constexpr Row kAscendAntiQuantRow = MakeLibraryRow(
    BASCULE_OPCODE_kAscendAntiQuant, "AscendAntiQuant", kAntiQuantBodies,
    "高阶API/量化操作/AscendAntiQuant.md",
    {{Role::kWrite, Role::kRead, Role::kRead, Role::kRead}, RunAntiQuant, AntiExtent, AntiMisuse});

}  // namespace bascule::isa

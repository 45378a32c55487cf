// What the rows of SoftMax to WelfordFinalize have in common: what their operands are, how far they
// reach, and how a row is fetched and stored. The meaning of params.vector is in
// bascule/abi/vector.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_ROW_FUNCTIONS_H_
#define BASCULE_ISA_VECTOR_ROW_FUNCTIONS_H_

#include <algorithm>
#include <bit>
#include <string>

#include "bascule/abi/vector.h"
#include "base/dtype.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/vector/float_rows.h"

namespace bascule::isa {

struct RowShape {
  uint32_t rows;
  uint32_t columns;
  uint32_t data;    // columns that are no padding
  uint32_t number;  // another number of the function
  float first;      // epsilon, where there is one
  float second;
  uint32_t mode;

  explicit RowShape(const BasculeInstruction& in)
      : rows(static_cast<uint32_t>(in.params.vector.extra[0])),
        columns(static_cast<uint32_t>(in.params.vector.extra[0] >> 32)),
        data(static_cast<uint32_t>(in.params.vector.extra[1])),
        number(static_cast<uint32_t>(in.params.vector.extra[1] >> 32)),
        first(std::bit_cast<float>(static_cast<uint32_t>(in.params.vector.extra[2]))),
        second(std::bit_cast<float>(static_cast<uint32_t>(in.params.vector.extra[2] >> 32))),
        mode(in.params.vector.mode) {}

  bool Has(uint32_t bit) const { return (mode & bit) != 0; }
};

// How much of a matrix an operand holds.
enum class Part : uint8_t {
  kMatrix,
  kRowValues,  // one value a row, alone or filling a datablock
  kRows,       // one element a row
  kColumns,    // one element a column
  kData,       // one element a column of data
  kKept,       // columns, where what is behind the data is kept, else data
  kNumbers,    // `number` elements
  kOne
};

struct RowOperand {
  Part part;
  Role role;
};
struct RowFunction {
  uint8_t count;
  RowOperand operands[BASCULE_MAX_OPERANDS];
};

constexpr uint32_t kBlockColumns = 16;  // of a matrix in NZ order

// An operand that the call does without.
inline bool IsAbsent(const BasculeOperand& operand) { return operand.address == nullptr; }

inline uint64_t ValueBytes(const RowShape& shape, const BasculeOperand& operand) {
  return shape.Has(BASCULE_ROWS_COMPACT) ? ElementBytes(operand.dtype) : BASCULE_DATABLOCK_BYTES;
}

template <const RowFunction* function>
Extent RowExtent(const BasculeInstruction& in, uint32_t index) {
  const BasculeOperand& operand = OperandOf(in, index);
  Extent out;
  if (IsAbsent(operand)) return out;
  const RowShape shape(in);
  const uint64_t element = ElementBytes(operand.dtype);
  switch (function->operands[index].part) {
    case Part::kMatrix:
      out.run_bytes = uint64_t{shape.rows} * shape.columns * element;
      break;
    case Part::kRowValues:
      out.run_bytes = shape.rows * ValueBytes(shape, operand);
      break;
    case Part::kRows:
      out.run_bytes = shape.rows * element;
      break;
    case Part::kColumns:
      out.run_bytes = shape.columns * element;
      break;
    case Part::kData:
      out.run_bytes = shape.data * element;
      break;
    case Part::kKept:
      out.run_bytes = (shape.Has(BASCULE_ROWS_IN_PLACE) ? shape.columns : shape.data) * element;
      break;
    case Part::kNumbers:
      out.run_bytes = shape.number * element;
      break;
    case Part::kOne:
      out.run_bytes = element;
      break;
  }
  out.runs = out.repeats = 1;
  out.span_bytes = out.run_bytes;
  return out;
}

template <const RowFunction* function>
std::string RowMisuse(const BasculeInstruction& in) {
  const RowShape shape(in);
  if (shape.data > shape.columns) {
    return Join("a row has ", shape.data, " elements of data, but is ", shape.columns, " long.");
  }
  if (shape.Has(BASCULE_ROWS_NZ) &&
      (shape.rows % kBlockColumns != 0 || shape.columns % kBlockColumns != 0)) {
    return Join("a matrix in NZ order has ", shape.rows, " rows and ", shape.columns,
                " columns; both have to be multiples of ", kBlockColumns, ".");
  }
  for (uint32_t i = 0; i < function->count; ++i) {
    const BasculeOperand& operand = OperandOf(in, i);
    if (IsAbsent(operand)) continue;
    if (operand.dtype != BASCULE_FLOAT && operand.dtype != BASCULE_FLOAT16 &&
        operand.dtype != BASCULE_INT32) {
      return Join("operand ", i, " has elements of type ", DTypeName(operand.dtype), ".");
    }
    const uint64_t row_bytes = uint64_t{shape.columns} * ElementBytes(operand.dtype);
    if (function->operands[i].part == Part::kMatrix && shape.rows > 1 &&
        row_bytes % BASCULE_DATABLOCK_BYTES != 0) {
      return Join("a row of ", shape.columns, " elements of type ", DTypeName(operand.dtype),
                  " has ", row_bytes, " bytes; rows have to be padded to a multiple of ",
                  BASCULE_DATABLOCK_BYTES, " bytes.");
    }
  }
  return "";
}

// The rows of an operand that is a matrix.
class Matrix {
 public:
  Matrix(const FloatRows& f, const RowShape& shape, const BasculeOperand& operand)
      : f_(f), shape_(shape), operand_(operand), element_(ElementBytes(operand.dtype)) {}

  void Load(float* to, uint64_t row) const {
    if (!shape_.Has(BASCULE_ROWS_NZ)) {
      f_.Load(to, At(operand_, row * shape_.columns * element_), operand_.dtype, shape_.columns);
      return;
    }
    for (uint64_t column = 0; column < shape_.columns; column += kBlockColumns)
      f_.Load(to + column, Block(row, column), operand_.dtype, kBlockColumns);
  }
  // A row as floats: where it lies, or what is fetched of it to `room`.
  const float* Row(float* room, uint64_t row) const {
    if (float* there = Floats(row)) return there;
    Load(room, row);
    return room;
  }
  // Where a row of floats lies; null: elements are others, or in another order.
  float* Floats(uint64_t row) const {
    if (operand_.dtype != BASCULE_FLOAT || shape_.Has(BASCULE_ROWS_NZ)) return nullptr;
    return reinterpret_cast<float*>(At(operand_, row * shape_.columns * sizeof(float)));
  }

  void Store(const float* from, uint64_t row) const {
    if (!shape_.Has(BASCULE_ROWS_NZ)) {
      f_.Store(At(operand_, row * shape_.columns * element_), operand_.dtype, from, shape_.columns);
      return;
    }
    for (uint64_t column = 0; column < shape_.columns; column += kBlockColumns)
      f_.Store(Block(row, column), operand_.dtype, from + column, kBlockColumns);
  }

 private:
  char* Block(uint64_t row, uint64_t column) const {
    return At(operand_, (column * shape_.rows + row * kBlockColumns) * element_);
  }

  const FloatRows& f_;
  const RowShape& shape_;
  const BasculeOperand& operand_;
  uint64_t element_;
};

// One value a row, of an operand that may be absent.
class RowValues {
 public:
  RowValues(const FloatRows& f, const RowShape& shape, const BasculeOperand& operand)
      : f_(f), operand_(operand), stride_(ValueBytes(shape, operand)) {}

  float Load(uint64_t row) const { return f_.LoadOne(At(operand_, row * stride_), operand_.dtype); }
  void Store(float value, uint64_t row) const {
    if (IsAbsent(operand_)) return;
    float values[BASCULE_DATABLOCK_BYTES];
    const uint64_t count = stride_ / ElementBytes(operand_.dtype);
    std::fill_n(values, count, value);
    f_.Store(At(operand_, row * stride_), operand_.dtype, values, count);
  }

 private:
  const FloatRows& f_;
  const BasculeOperand& operand_;
  uint64_t stride_;
};

using RowCompute = void (*)(const FloatRows& f, const BasculeInstruction& in);

template <RowCompute compute>
void RunRows(const Row&, const BasculeInstruction& in, const RunOptions&) {
  compute(FloatRows::Simd(), in);
}
template <RowCompute compute>
void RunRowsReference(const Row&, const BasculeInstruction& in, const RunOptions&) {
  compute(FloatRows(true), in);
}

inline uint8_t RowPipe(const BasculeInstruction&) { return BASCULE_PIPE_V; }

// Operand 0 and operand 1: results in the type of the source, or in float.
inline constexpr Body kRowBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT, nullptr, nullptr},
};

template <const RowFunction* function, RowCompute compute>
constexpr Row MakeRowFunction(uint16_t opcode, const char* name, float ulp, const char* document) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = RowPipe;
  row.operand_count = function->count;
  for (uint8_t i = 0; i < function->count; ++i) row.roles[i] = function->operands[i].role;
  row.bodies = kRowBodies;
  row.body_count = std::size(kRowBodies);
  row.forms = 1 << BASCULE_FORM_COUNT;
  row.ulp = ulp;
  row.document = document;
  row.run = RunRows<compute>;
  row.run_reference = RunRowsReference<compute>;
  row.extent = RowExtent<function>;
  row.misuse = RowMisuse<function>;
  return row;
}

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_ROW_FUNCTIONS_H_

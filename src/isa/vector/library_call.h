// What the rows of the advanced library share. Such a call is one instruction on whole tensors: it
// has one form, its shape is in the parameters (bascule/abi/vector.h says where), and its last
// operand is the temporary space, which it claims and does not use.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_LIBRARY_CALL_H_
#define BASCULE_ISA_VECTOR_LIBRARY_CALL_H_

#include <cstddef>

#include "bascule/abi/vector.h"
#include "isa/footprint.h"
#include "isa/row.h"

namespace bascule::isa {

inline uint8_t PipeOfVector(const BasculeInstruction&) { return BASCULE_PIPE_V; }

inline uint64_t Low(uint64_t word) { return word & 0xffffffffu; }
inline uint64_t High(uint64_t word) { return word >> 32; }

// A product of sizes; one that no memory has stays recognisable instead of wrapping around.
inline uint64_t Times(uint64_t a, uint64_t b) {
  constexpr uint64_t kHuge = uint64_t{1} << 48;
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > kHuge ? kHuge : product;
}
template <typename... More>
uint64_t Times(uint64_t a, uint64_t b, More... more) {
  return Times(Times(a, b), more...);
}

inline Extent ExtentOfBytes(uint64_t bytes) {
  Extent out;
  if (bytes == 0) return out;
  out.run_bytes = out.span_bytes = bytes;
  out.runs = out.repeats = 1;
  return out;
}
inline Extent ExtentOfTemporary(const BasculeInstruction& in) {
  return ExtentOfBytes(in.params.vector.extra[2]);
}
// `rows` rows of `columns` elements, `pitch` elements from one to the next.
inline Extent ExtentOfRows(const BasculeOperand& operand, uint64_t rows, uint64_t columns,
                           uint64_t pitch) {
  Extent out;
  if (rows == 0 || columns == 0) return out;
  if (pitch == columns) return ExtentOfBytes(BytesOf(operand.dtype, Times(rows, columns)));
  out.run_bytes = BytesOf(operand.dtype, columns);
  out.runs = static_cast<uint32_t>(rows);
  out.repeats = 1;
  out.run_stride_bytes = BytesOf(operand.dtype, pitch);
  out.span_bytes = Times(out.run_stride_bytes, rows - 1) + out.run_bytes;
  return out;
}

// A floating scalar that travels in the parameters.
inline float FloatOf(uint64_t bits) {
  const uint32_t low = static_cast<uint32_t>(bits);
  return __builtin_bit_cast(float, low);
}

struct LibraryParts {
  Role roles[BASCULE_MAX_OPERANDS];
  RunFunction run;
  Extent (*extent)(const BasculeInstruction&, uint32_t);
  std::string (*misuse)(const BasculeInstruction&) = nullptr;
  Saturation saturation = Saturation::kUnavailable;
};

template <size_t n>
constexpr Row MakeLibraryRow(uint16_t opcode, const char* name, const Body (&bodies)[n],
                             const char* document, const LibraryParts& parts) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeOfVector;
  for (int i = 0; i < BASCULE_MAX_OPERANDS && parts.roles[i] != Role::kNone; ++i) {
    row.roles[i] = parts.roles[i];
    row.operand_count = static_cast<uint8_t>(i + 1);
  }
  row.bodies = bodies;
  row.body_count = static_cast<uint8_t>(n);
  row.forms = 1 << BASCULE_FORM_COUNT;
  row.document = document;
  row.run = row.run_reference = parts.run;
  row.extent = parts.extent;
  row.misuse = parts.misuse;
  row.saturation = parts.saturation;
  return row;
}

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_LIBRARY_CALL_H_

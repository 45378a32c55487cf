// What an instruction is: one row of data, a plain reference and a SIMD form for every element
// type.
//
// Rows compute on memory they are given. They know no cores, queues or observers, and they do not
// check: the engine has checked every byte a row's footprint names before it calls.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_ROW_H_
#define BASCULE_ISA_ROW_H_

#include <cstdint>
#include <string>

#include "bascule/abi/kernel.h"

namespace bascule::isa {

// Where a core is expected to read global memory next: behind what it has just read. A guess;
// nothing is touched but the cache.
struct ReadAhead {
  static constexpr uint32_t kStreams = 4;
  const char* from[kStreams] = {};
  uint32_t count = 0;
};

// What a core adds to an instruction.
struct RunOptions {
  ReadAhead ahead;
  bool stream_stores =
      false;  // a hint: copies to global memory bypass the caches; the caller fences
  uint8_t atomic_op =
      BASCULE_ATOMIC_NONE;  // copies to global memory accumulate elements of atomic_dtype
  BasculeDType atomic_dtype = BASCULE_FLOAT;
  // Results of half and bfloat16 that are infinite become the largest number of their sign, NaN
  // becomes 0; sums, differences and products of integers take the nearest value there is.
  bool saturate = false;
  // Of a product whose B has not been turned on its way to L0B: for each 16 rows of it a row of
  // squares in L1, as LoadDataWithTranspose finds them; null: B is in L0B.
  const char* const* squares = nullptr;
};

struct Row;
using RunFunction = void (*)(const Row& row, const BasculeInstruction& instruction,
                             const RunOptions& options);

// Computes `count` consecutive elements; the granule of elementwise instructions. `dst` may be an
// input as well and may equal a source; `scalar` holds the bits of the scalar operand.
using FlatFunction = void (*)(void* dst, const void* src0, const void* src1, uint64_t scalar,
                              uint64_t count);

// One combination of element types an instruction accepts. `simd` gives the function for the CPU
// target in use. Rows that are not elementwise have neither function here; their `run` knows what
// to do.
struct Body {
  BasculeDType dst;
  BasculeDType src;
  FlatFunction reference;
  FlatFunction (*simd)();
  // Instead of either with RunOptions::saturate; null: the same.
  FlatFunction saturating = nullptr;
};

enum class Role : uint8_t { kNone, kRead, kWrite, kReadWrite };

constexpr bool Reads(Role role) { return role == Role::kRead || role == Role::kReadWrite; }
constexpr bool Writes(Role role) { return role == Role::kWrite || role == Role::kReadWrite; }

// What RunOptions::saturate means to an instruction.
enum class Saturation : uint8_t {
  kNothing,     // it computes no floats
  kResults,     // SaturateResults() comes after it
  kUnavailable  // of half it is not given
};

struct Extent;

struct Row {
  uint16_t opcode;
  const char* name;
  uint8_t (*pipe)(const BasculeInstruction&);
  uint8_t operand_count;
  Role roles[BASCULE_MAX_OPERANDS];
  const Body* bodies;  // null: any element type, the instruction moves bytes
  uint8_t body_count;
  uint8_t forms;         // bit per BASCULE_FORM_…
  bool fused;            // a product enters its sum unrounded
  float ulp;             // 0: every target gives the same bits as the reference
  const char* document;  // the public page the behaviour is taken from
  RunFunction run;
  RunFunction run_reference;
  // The bytes an operand touches, where they do not follow from the form alone; null: they do. It
  // may look at what operands after `operand` hold: they have been checked before it is asked. An
  // operand that an instruction does without has none.
  Extent (*extent)(const BasculeInstruction&, uint32_t operand);
  // What is wrong beside where the operands lie (a value among them, a parameter), as a sentence
  // without the call's name; empty: nothing. Asked after all operands have been checked; null:
  // nothing can be.
  std::string (*misuse)(const BasculeInstruction&) = nullptr;
  // What an operand's address is a multiple of; 0: a datablock.
  uint16_t align_bytes[BASCULE_MAX_OPERANDS] = {};
  Saturation saturation = Saturation::kNothing;
};

// Bytes an operand's address has to be a multiple of: a power of two.
inline uint32_t AlignBytes(const Row& row, uint32_t operand) {
  return row.align_bytes[operand] != 0 ? row.align_bytes[operand] : BASCULE_DATABLOCK_BYTES;
}

// An operand, wherever it stands.
inline const BasculeOperand& OperandOf(const BasculeInstruction& in, uint32_t operand) {
  return operand < BASCULE_INLINE_OPERANDS ? in.operand[operand]
                                           : in.more[operand - BASCULE_INLINE_OPERANDS];
}

// Null when no row has the number.
const Row* FindRow(uint16_t opcode);
const Row* const* AllRows(uint32_t* count);

// The body for the element types of operand[0] and operand[1]; null when the row does not take
// them.
const Body* FindBody(const Row& row, BasculeDType dst, BasculeDType src);

// Bytes of one element; 0 for types of less than a byte.
uint32_t ElementBytes(BasculeDType dtype);
inline uint32_t ElementBits(BasculeDType dtype) {
  return dtype == BASCULE_INT4 ? 4 : 8 * ElementBytes(dtype);
}
// Bytes of `count` consecutive elements.
inline uint64_t BytesOf(BasculeDType dtype, uint64_t count) {
  return (count * ElementBits(dtype) + 7) / 8;
}

}  // namespace bascule::isa

#endif  // BASCULE_ISA_ROW_H_

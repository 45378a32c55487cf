// Every instruction a kernel can issue, one line each: identifier, number, the name users know.
//
// Append-only: kernels carry these numbers. What an instruction computes, on which pipe and for
// which element types is a row in src/isa; a test compares the two lists. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_ABI_OPCODES_H_
#define BASCULE_ABI_OPCODES_H_

// clang-format off
#define BASCULE_OPCODES(X)                \
  X(kDataCopy,     1, "DataCopy")         \
  X(kDataCopyPad,  2, "DataCopyPad")      \
  X(kMul,          3, "Mul")
// clang-format on

#define BASCULE_OPCODE_ENUMERATOR(id, number, text) BASCULE_OPCODE_##id = number,
enum { BASCULE_OPCODE_none = 0, BASCULE_OPCODES(BASCULE_OPCODE_ENUMERATOR) BASCULE_OPCODE_limit };
#undef BASCULE_OPCODE_ENUMERATOR

#endif  // BASCULE_ABI_OPCODES_H_

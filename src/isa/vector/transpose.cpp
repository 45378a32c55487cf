// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/transpose.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

constexpr uint32_t kSide = 16;
constexpr uint32_t kAddresses = 16;

constexpr Body kBodies[] = {
    {BASCULE_INT8, BASCULE_INT8, nullptr, nullptr},
    {BASCULE_UINT8, BASCULE_UINT8, nullptr, nullptr},
    {BASCULE_INT16, BASCULE_INT16, nullptr, nullptr},
    {BASCULE_UINT16, BASCULE_UINT16, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_BFLOAT16, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_UINT32, BASCULE_UINT32, nullptr, nullptr},
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
};

Extent Bytes(uint64_t bytes) {
  Extent out;
  if (bytes == 0) return out;
  out.run_bytes = out.span_bytes = bytes;
  out.runs = out.repeats = 1;
  return out;
}

// Calls `run.template operator()<Bits>()` with an unsigned type as wide as the elements.
template <typename Run>
void WithWidth(BasculeDType dtype, const Run& run) {
  switch (ElementBytes(dtype)) {
    case 1:
      return run.template operator()<uint8_t>();
    case 2:
      return run.template operator()<uint16_t>();
    default:
      return run.template operator()<uint32_t>();
  }
}

// --- Transpose

struct Shape {
  uint64_t n, c, h, w;

  explicit Shape(const BasculeInstruction& in)
      : n(in.params.vector.extra[0] & 0xffff),
        c(in.params.vector.extra[0] >> 16 & 0xffff),
        h(in.params.vector.extra[0] >> 32 & 0xffff),
        w(in.params.vector.extra[0] >> 48) {}
};

Extent TransposeExtent(const BasculeInstruction& in, uint32_t) {
  const uint64_t element = ElementBytes(in.operand[0].dtype);
  if (in.params.vector.mode == BASCULE_TRANSPOSE_16X16) return Bytes(kSide * kSide * element);
  const Shape shape(in);
  return Bytes(shape.n * shape.c * shape.h * shape.w * element);
}

std::string TransposeMisuse(const BasculeInstruction& in) {
  const uint32_t mode = in.params.vector.mode;
  const uint64_t element = ElementBytes(in.operand[0].dtype);
  if (mode == BASCULE_TRANSPOSE_16X16) {
    return element == 2 ? "" : "a 16×16 block has elements of 16 bits.";
  }
  if (mode > BASCULE_TRANSPOSE_NHWC_TO_NCHW)
    return Join("there is no TransposeType ", mode, " here.");
  const Shape shape(in);
  const uint64_t plane = shape.h * shape.w;
  if (shape.c > 4095) return Join("cSize is ", shape.c, "; it is limited to 4095.");
  if (plane > 4095) return Join("hSize · wSize is ", plane, "; it is limited to 4095.");
  if (plane * element % BASCULE_DATABLOCK_BYTES != 0) {
    return Join("hSize · wSize elements have ", plane * element,
                " bytes; it has to be a multiple of 32.");
  }
  if (in.operand[0].address == in.operand[1].address && plane != 0) {
    return "source and destination are the same memory; only a 16×16 block is transposed in place.";
  }
  return "";
}

// [n][rows][columns] to [n][columns][rows].
template <typename T>
void Matrices(const char* src, char* dst, uint64_t n, uint64_t rows, uint64_t columns) {
  const T* from = reinterpret_cast<const T*>(src);
  T* to = reinterpret_cast<T*>(dst);
  for (uint64_t i = 0; i < n; ++i, from += rows * columns, to += rows * columns) {
    for (uint64_t row = 0; row < rows; ++row) {
      for (uint64_t column = 0; column < columns; ++column)
        to[column * rows + row] = from[row * columns + column];
    }
  }
}

void RunTranspose(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const char* src = static_cast<const char*>(in.operand[1].address);
  char* dst = static_cast<char*>(in.operand[0].address);
  if (in.params.vector.mode == BASCULE_TRANSPOSE_16X16) {
    alignas(8) char block[kSide * kSide * sizeof(uint16_t)];
    std::memcpy(block, src, sizeof(block));
    Matrices<uint16_t>(block, dst, 1, kSide, kSide);
    return;
  }
  const Shape shape(in);
  const bool to_last = in.params.vector.mode == BASCULE_TRANSPOSE_NCHW_TO_NHWC;
  const uint64_t rows = to_last ? shape.c : shape.h * shape.w;
  const uint64_t columns = to_last ? shape.h * shape.w : shape.c;
  WithWidth(in.operand[0].dtype,
            [&]<typename Bits>() { Matrices<Bits>(src, dst, shape.n, rows, columns); });
}

// --- TransDataTo5HD

const uint64_t* Addresses(const BasculeInstruction& in, uint32_t operand) {
  return reinterpret_cast<const uint64_t*>(in.params.vector.extra[0]) + operand * kAddresses;
}

uint64_t StrideBytes(const BasculeInstruction& in, uint32_t operand) {
  return uint64_t{in.operand[operand].repeat_stride} * BASCULE_DATABLOCK_BYTES;
}

Extent TransDataExtent(const BasculeInstruction& in, uint32_t operand) {
  Extent out;
  if (in.count == 0) return out;
  uint64_t sorted[kAddresses];
  std::copy(Addresses(in, operand), Addresses(in, operand) + kAddresses, sorted);
  std::sort(std::begin(sorted), std::end(sorted));
  const uint64_t step = sorted[1] - sorted[0];
  bool even = step >= BASCULE_DATABLOCK_BYTES;
  for (uint32_t i = 2; i < kAddresses; ++i) even = even && sorted[i] - sorted[i - 1] == step;
  const uint64_t reach = sorted[kAddresses - 1] - sorted[0] + BASCULE_DATABLOCK_BYTES;
  out.span_bytes = reach + (in.count - 1) * StrideBytes(in, operand);
  if (even) {
    out.run_bytes = BASCULE_DATABLOCK_BYTES;
    out.runs = kAddresses;
    out.run_stride_bytes = step;
    out.repeats = in.count;
    out.repeat_stride_bytes = StrideBytes(in, operand);
  } else {
    // Scattered datablocks have no shape; everything between them counts.
    out.run_bytes = out.span_bytes;
    out.runs = out.repeats = 1;
  }
  return out;
}

std::string TransDataMisuse(const BasculeInstruction& in) {
  if (in.count == 0) return "";
  for (uint32_t operand = 0; operand < 2; ++operand) {
    for (uint32_t i = 0; i < kAddresses; ++i) {
      const uint64_t address = Addresses(in, operand)[i];
      if (address % BASCULE_DATABLOCK_BYTES == 0) continue;
      return Join("address ", i, " of the ", operand == 0 ? "destination" : "source", " is ",
                  address & 0xffffffffu, "; it has to be a multiple of 32 bytes.");
    }
  }
  return "";
}

// The source is read as a whole before anything is written.
template <typename T>
void Rearrange(const BasculeInstruction& in, uint64_t repeat) {
  constexpr uint32_t kPerBlock = BASCULE_DATABLOCK_BYTES / sizeof(T);
  const uint32_t flags = in.params.vector.flags;
  const uint32_t from_lane = sizeof(T) == 1 && (flags & BASCULE_5HD_SRC_HIGH_HALF) != 0 ? kSide : 0;
  const uint32_t to_lane = sizeof(T) == 1 && (flags & BASCULE_5HD_DST_HIGH_HALF) != 0 ? kSide : 0;
  constexpr uint32_t kColumns = sizeof(T) == 1 ? kSide : kPerBlock;  // of the source
  T block[kAddresses][kColumns];
  for (uint32_t row = 0; row < kAddresses; ++row) {
    const uint64_t from =
        Addresses(in, 1)[row] + repeat * StrideBytes(in, 1) + from_lane * sizeof(T);
    std::memcpy(block[row], reinterpret_cast<const void*>(from), sizeof(block[row]));
  }
  // A row of the result has 16 elements: half a datablock of 8-bit ones, one of 16-bit ones, two of
  // 32-bit ones.
  constexpr uint32_t kBlocksPerRow = sizeof(T) == 4 ? 2 : 1;
  constexpr uint32_t kElements = kSide / kBlocksPerRow;
  for (uint32_t i = 0; i < kAddresses; ++i) {
    T out[kElements];
    const uint32_t column = i / kBlocksPerRow;
    const uint32_t first = i % kBlocksPerRow * kElements;
    for (uint32_t j = 0; j < kElements; ++j) out[j] = block[first + j][column];
    const uint64_t to = Addresses(in, 0)[i] + repeat * StrideBytes(in, 0) + to_lane * sizeof(T);
    std::memcpy(reinterpret_cast<void*>(to), out, sizeof(out));
  }
}

void RunTransData(const Row&, const BasculeInstruction& in, const RunOptions&) {
  for (uint64_t repeat = 0; repeat < in.count; ++repeat) {
    WithWidth(in.operand[0].dtype, [&]<typename Bits>() { Rearrange<Bits>(in, repeat); });
  }
}

struct Parts {
  const char* document;
  RunFunction run;
  Extent (*extent)(const BasculeInstruction&, uint32_t);
  std::string (*misuse)(const BasculeInstruction&);
};

constexpr Row MakeRow(uint16_t opcode, const char* name, const Parts& parts) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeV;
  row.operand_count = 2;
  row.roles[0] = Role::kWrite;
  row.roles[1] = Role::kRead;
  row.bodies = kBodies;
  row.body_count = sizeof(kBodies) / sizeof(kBodies[0]);
  row.forms = 1 << BASCULE_FORM_MASK_COUNT;
  row.document = parts.document;
  row.run = row.run_reference = parts.run;
  row.extent = parts.extent;
  row.misuse = parts.misuse;
  return row;
}

}  // namespace

constexpr Row kTransposeRow =
    MakeRow(BASCULE_OPCODE_kTranspose, "Transpose",
            {"数据排布转换/Transpose.md", RunTranspose, TransposeExtent, TransposeMisuse});
constexpr Row kTransDataTo5HDRow =
    MakeRow(BASCULE_OPCODE_kTransDataTo5HD, "TransDataTo5HD",
            {"数据排布转换/TransDataTo5HD.md", RunTransData, TransDataExtent, TransDataMisuse});

}  // namespace bascule::isa

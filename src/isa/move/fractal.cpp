// SPDX-License-Identifier: Apache-2.0
#include "isa/move/fractal.h"

#include <algorithm>
#include <cstring>

#include "bascule/abi/vector.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/move/accumulate.h"

namespace bascule::isa {
namespace {

constexpr uint64_t kNzStripElements = 16;  // of NZ in the unified buffer, whatever the element

uint8_t ToChip(const BasculeInstruction&) { return BASCULE_PIPE_MTE2; }
uint8_t ToGlobal(const BasculeInstruction&) { return BASCULE_PIPE_MTE3; }

// Rows that follow one another at a distance.
Extent Rows(uint64_t rows, uint64_t row_bytes, uint64_t pitch_bytes) {
  Extent out;
  if (rows == 0 || row_bytes == 0) return out;
  out.run_bytes = row_bytes;
  out.runs = static_cast<uint32_t>(rows);
  out.repeats = 1;
  out.run_stride_bytes = pitch_bytes;
  out.span_bytes = (rows - 1) * pitch_bytes + row_bytes;
  return out;
}

// Every row cut into as many pieces as there are strips.
Extent Strips(uint64_t rows, uint64_t strips, uint64_t piece_bytes, uint64_t strip_pitch_bytes,
              uint64_t row_pitch_bytes) {
  Extent out;
  if (rows == 0 || strips == 0) return out;
  out.run_bytes = piece_bytes;
  out.runs = static_cast<uint32_t>(strips);
  out.repeats = static_cast<uint32_t>(rows);
  out.run_stride_bytes = strip_pitch_bytes;
  out.repeat_stride_bytes = row_pitch_bytes;
  out.span_bytes = (strips - 1) * strip_pitch_bytes + (rows - 1) * row_pitch_bytes + piece_bytes;
  return out;
}

// The parameters of one matrix of kNz2NdRow, in bytes.
struct Matrix {
  uint64_t rows;
  uint64_t row_bytes;
  uint64_t row_pitch_bytes;  // of the side with rows
  uint64_t piece_bytes;      // width of a strip
  uint64_t strips;
  uint64_t strip_pitch_bytes;  // from strip to strip
  uint64_t piece_pitch_bytes;  // from row to row within a strip
};

Matrix Nz2Nd(const BasculeInstruction& in) {
  const uint64_t* extra = in.params.vector.extra;
  const uint64_t element = ElementBytes(in.operand[0].dtype);
  Matrix m;
  m.rows = extra[BASCULE_NZ2ND_ROWS];
  m.row_bytes = extra[BASCULE_NZ2ND_COLUMNS] * element;
  m.row_pitch_bytes = in.params.vector.scalar.bits * element;
  m.piece_bytes = kNzStripElements * element;
  m.strips = extra[BASCULE_NZ2ND_COLUMNS] / kNzStripElements;
  m.strip_pitch_bytes = extra[BASCULE_NZ2ND_STRIP_STRIDE] * kNzStripElements * element;
  m.piece_pitch_bytes = m.piece_bytes;
  return m;
}

Extent Nd2NzExtent(const BasculeInstruction& in, uint32_t operand) {
  const StripsMatrix m = StripsOf(in);
  if (m.empty()) return Extent();
  if (operand == 1) {
    const uint64_t row_bytes = m.whole.strips * BASCULE_DATABLOCK_BYTES + m.tail_bytes;
    return Rows(m.whole.rows, row_bytes, m.whole.row_pitch_bytes);
  }
  return Strips(m.whole.rows, m.strips(), BASCULE_DATABLOCK_BYTES, m.whole.strip_pitch_bytes,
                m.whole.piece_pitch_bytes);
}

Extent Nz2NdExtent(const BasculeInstruction& in, uint32_t operand) {
  const Matrix m = Nz2Nd(in);
  if (m.rows == 0 || m.row_bytes == 0) return Extent();
  if (operand == 0) return Rows(m.rows, m.row_bytes, m.row_pitch_bytes);
  return Strips(m.rows, m.strips, m.piece_bytes, m.strip_pitch_bytes, m.piece_pitch_bytes);
}

// A distance of 0 would put rows over one another; with a single row nobody looks at it.
std::string ZeroStride(const char* name, uint64_t stride, uint64_t pieces) {
  if (stride != 0 || pieces < 2) return "";
  return Join(name, " is 0, and there are ", pieces, " to place with it; it is at least 1.");
}

std::string Nd2NzMisuse(const BasculeInstruction& in) { return StripsMisuse(StripsOf(in)); }

std::string Nz2NdMisuse(const BasculeInstruction& in) {
  const uint64_t columns = in.params.vector.extra[BASCULE_NZ2ND_COLUMNS];
  const Matrix m = Nz2Nd(in);
  if (m.rows == 0 || columns == 0) return "";
  if (columns % kNzStripElements != 0) {
    return Join("dValue is ", columns, "; it has to be a multiple of ", kNzStripElements, ".");
  }
  if (m.rows > 8192) return Join("nValue is ", m.rows, "; it is limited to 8192.");
  if (columns > 8192) return Join("dValue is ", columns, "; it is limited to 8192.");
  return ZeroStride("dstDStride", m.row_pitch_bytes, m.rows);
}

void ToStrips(const StripsShape& shape, const char* from, char* to) {
  for (uint64_t row = 0; row < shape.rows; ++row) {
    for (uint64_t strip = 0; strip < shape.strips; ++strip) {
      std::memcpy(to + row * shape.piece_pitch_bytes + strip * shape.strip_pitch_bytes,
                  from + row * shape.row_pitch_bytes + strip * BASCULE_DATABLOCK_BYTES,
                  BASCULE_DATABLOCK_BYTES);
    }
  }
}

void MoveAll(const BasculeInstruction& in, ToStripsFunction move) {
  MoveToStrips(StripsOf(in), move, static_cast<const char*>(in.operand[1].address),
               static_cast<char*>(in.operand[0].address));
}
void RunNd2Nz(const Row&, const BasculeInstruction& in, const RunOptions&) {
  MoveAll(in, SimdToStrips());
}
void PlainNd2Nz(const Row&, const BasculeInstruction& in, const RunOptions&) {
  MoveAll(in, ToStrips);
}

void RunNz2Nd(const Row&, const BasculeInstruction& in, const RunOptions& options) {
  const Matrix m = Nz2Nd(in);
  for (uint64_t row = 0; row < m.rows; ++row) {
    const char* from = static_cast<const char*>(in.operand[1].address) + row * m.piece_pitch_bytes;
    char* to = static_cast<char*>(in.operand[0].address) + row * m.row_pitch_bytes;
    for (uint64_t strip = 0; strip < m.strips; ++strip) {
      const char* piece = from + strip * m.strip_pitch_bytes;
      char* place = to + strip * m.piece_bytes;
      if (options.atomic_op != BASCULE_ATOMIC_NONE) {
        Accumulate(options, place, piece, m.piece_bytes);
      } else {
        std::memcpy(place, piece, m.piece_bytes);
      }
    }
  }
}

}  // namespace

StripsMatrix StripsOf(const BasculeInstruction& in) {
  const uint64_t* extra = in.params.vector.extra;
  const uint64_t element = ElementBytes(in.operand[0].dtype);
  const uint64_t row_bytes = extra[BASCULE_ND2NZ_COLUMNS] * element;
  StripsMatrix m;
  m.whole.rows = extra[BASCULE_ND2NZ_ROWS];
  m.whole.strips = row_bytes / BASCULE_DATABLOCK_BYTES;
  m.whole.row_pitch_bytes = in.params.vector.scalar.bits * element;
  m.whole.strip_pitch_bytes = extra[BASCULE_ND2NZ_STRIP_STRIDE] * BASCULE_DATABLOCK_BYTES;
  m.whole.piece_pitch_bytes = extra[BASCULE_ND2NZ_ROW_STRIDE] * BASCULE_DATABLOCK_BYTES;
  m.tail_bytes = row_bytes % BASCULE_DATABLOCK_BYTES;
  return m;
}

std::string StripsMisuse(const StripsMatrix& m) {
  if (m.empty()) return "";
  if (m.whole.rows > 16384) return Join("nValue is ", m.whole.rows, "; it is limited to 16384.");
  // Most often; there are many such instructions.
  if (m.whole.row_pitch_bytes != 0 && m.whole.strip_pitch_bytes != 0 &&
      m.whole.piece_pitch_bytes != 0) {
    return "";
  }
  std::string wrong = ZeroStride("srcDValue", m.whole.row_pitch_bytes, m.whole.rows);
  if (wrong.empty()) wrong = ZeroStride("dstNzC0Stride", m.whole.strip_pitch_bytes, m.strips());
  if (wrong.empty()) wrong = ZeroStride("dstNzNStride", m.whole.piece_pitch_bytes, m.whole.rows);
  return wrong;
}

void MoveToStrips(const StripsMatrix& m, ToStripsFunction move, const char* from, char* to) {
  move(m.whole, from, to);
  if (m.tail_bytes == 0) return;
  to += m.whole.strips * m.whole.strip_pitch_bytes;
  from += m.whole.strips * BASCULE_DATABLOCK_BYTES;
  for (uint64_t row = 0; row < m.whole.rows; ++row) {
    char* last = to + row * m.whole.piece_pitch_bytes;
    const char* rest = from + row * m.whole.row_pitch_bytes;
    // Of lengths that are known no library is called.
    std::memset(last, 0, BASCULE_DATABLOCK_BYTES);
    uint64_t at = 0;
    for (; at + 4 <= m.tail_bytes; at += 4) std::memcpy(last + at, rest + at, 4);
    for (; at < m.tail_bytes; ++at) last[at] = rest[at];
  }
}

constexpr Row kNd2NzRow = {
    .opcode = BASCULE_OPCODE_kNd2Nz,
    .name = "DataCopy (ND to NZ)",
    .pipe = ToChip,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/Memory矢量计算/数据搬运/DataCopy（GMToUB随路转换ND2NZ搬运）.md",
    .run = RunNd2Nz,
    .run_reference = PlainNd2Nz,
    .extent = Nd2NzExtent,
    .misuse = Nd2NzMisuse,
};

constexpr Row kNz2NdRow = {
    .opcode = BASCULE_OPCODE_kNz2Nd,
    .name = "DataCopy (NZ to ND)",
    .pipe = ToGlobal,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/Memory矢量计算/数据搬运/DataCopy（UBToGM随路转换NZ2ND搬运）.md",
    .run = RunNz2Nd,
    .run_reference = RunNz2Nd,
    .extent = Nz2NdExtent,
    .misuse = Nz2NdMisuse,
};

}  // namespace bascule::isa

// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "bascule/abi/cube.h"
#include "base/error.h"
#include "isa/cube/cube.h"
#include "isa/cube/load.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

constexpr uint64_t kFractal = BASCULE_FRACTAL_BYTES;
constexpr uint64_t kRows = BASCULE_FRACTAL_ROWS;

uint8_t LoadPipe(const BasculeInstruction& in) {
  return in.operand[1].memory == BASCULE_GM ? BASCULE_PIPE_MTE2 : BASCULE_PIPE_MTE1;
}

struct Pieces {
  uint64_t count;
  uint64_t from_bytes;  // of a piece in the source
  uint64_t from_stride;
  uint64_t to_stride;
  uint64_t fractals;  // of a piece in the destination
  uint64_t fractal_stride;
  bool backwards;
};

Pieces PiecesOf(const BasculeInstruction& in, uint64_t fractals) {
  const uint64_t* extra = in.params.vector.extra;
  Pieces p;
  p.count = extra[BASCULE_LOAD_PIECES];
  p.fractals = fractals;
  p.from_bytes = fractals * kFractal;
  p.from_stride = extra[BASCULE_LOAD_FROM_STRIDE] * p.from_bytes;
  p.to_stride = extra[BASCULE_LOAD_TO_STRIDE] * kFractal;
  p.fractal_stride = fractals > 1 ? extra[BASCULE_LOAD_TO_FRACTAL_STRIDE] * kFractal : kFractal;
  p.backwards = (in.params.vector.flags & BASCULE_LOAD_BACKWARDS) != 0;
  return p;
}

// Fractals of a square.
uint64_t FractalsOf(BasculeDType dtype) {
  const uint32_t bits = ElementBits(dtype);
  return bits == 4 ? 4 : bits == 16 ? 1 : 2;
}

Extent ExtentOfPieces(const Pieces& p, uint32_t operand) {
  Extent out;
  if (p.count == 0) return out;
  out.repeats = static_cast<uint32_t>(p.count);
  if (operand == 1) {
    out.run_bytes = p.from_bytes;
    out.runs = 1;
    out.repeat_stride_bytes = p.from_stride;
    out.span_bytes = (p.count - 1) * p.from_stride + p.from_bytes;
    return out;
  }
  out.run_bytes = kFractal;
  out.runs = static_cast<uint32_t>(p.fractals);
  out.run_stride_bytes = p.fractal_stride;
  out.repeat_stride_bytes = p.to_stride;
  out.span_bytes = (p.count - 1) * p.to_stride + (p.fractals - 1) * p.fractal_stride + kFractal;
  return out;
}

Extent LoadExtent(const BasculeInstruction& in, uint32_t operand) {
  return ExtentOfPieces(PiecesOf(in, 1), operand);
}
Extent TransposeExtent(const BasculeInstruction& in, uint32_t operand) {
  return ExtentOfPieces(PiecesOf(in, FractalsOf(in.operand[0].dtype)), operand);
}

const char* From(const BasculeInstruction& in, const Pieces& p, uint64_t piece) {
  return static_cast<const char*>(in.operand[1].address) +
         (p.backwards ? p.count - 1 - piece : piece) * p.from_stride;
}
char* To(const BasculeInstruction& in, const Pieces& p, uint64_t piece) {
  return static_cast<char*>(in.operand[0].address) + piece * p.to_stride;
}

void Turn16(char* to, uint64_t /*fractal_stride*/, const char* from) {
  uint16_t square[kRows][kRows];
  uint16_t turned[kRows][kRows];
  std::memcpy(square, from, kFractal);
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t column = 0; column < kRows; ++column) turned[row][column] = square[column][row];
  }
  std::memcpy(to, turned, kFractal);
}

// 32 x 32 bytes, two fractals on top of each other.
void Turn8(char* to, uint64_t fractal_stride, const char* from) {
  for (uint64_t row = 0; row < 2 * kRows; ++row) {
    char* line = to + row / kRows * fractal_stride + row % kRows * BASCULE_DATABLOCK_BYTES;
    for (uint64_t column = 0; column < 2 * kRows; ++column) {
      line[column] = from[column * BASCULE_DATABLOCK_BYTES + row];
    }
  }
}

// 16 x 16 elements of 32 bits, two fractals side by side.
void Turn32(char* to, uint64_t fractal_stride, const char* from) {
  constexpr uint64_t kWide = BASCULE_DATABLOCK_BYTES / 4;
  for (uint64_t row = 0; row < kRows; ++row) {
    const char* column_from = from + row / kWide * kFractal + row % kWide * 4;
    for (uint64_t column = 0; column < kRows; ++column) {
      std::memcpy(
          to + column / kWide * fractal_stride + row * BASCULE_DATABLOCK_BYTES + column % kWide * 4,
          column_from + column * BASCULE_DATABLOCK_BYTES, 4);
    }
  }
}

// 64 x 64 elements of 4 bits, four fractals on top of each other; the even ones in the low halves
// of bytes.
void Turn4(char* to, uint64_t fractal_stride, const char* from) {
  constexpr uint64_t kSide = 64;
  const auto get = [&](uint64_t row, uint64_t column) {
    const auto byte = static_cast<uint8_t>(from[row * BASCULE_DATABLOCK_BYTES + column / 2]);
    return static_cast<uint8_t>(column % 2 == 0 ? byte & 15 : byte >> 4);
  };
  for (uint64_t row = 0; row < kSide; ++row) {
    char* line = to + row / kRows * fractal_stride + row % kRows * BASCULE_DATABLOCK_BYTES;
    for (uint64_t column = 0; column < kSide; column += 2) {
      line[column / 2] = static_cast<char>(get(column, row) | get(column + 1, row) << 4);
    }
  }
}

void MoveFractals(char* to, uint64_t to_stride, const char* from, int64_t from_stride,
                  uint64_t count) {
  for (uint64_t i = 0; i < count; ++i, to += to_stride, from += from_stride)
    std::memcpy(to, from, kFractal);
}

void Load(const BasculeInstruction& in, MoveFunction move, TurnFunction turn16) {
  const Pieces p = PiecesOf(in, 1);
  if ((in.params.vector.flags & BASCULE_LOAD_TRANSPOSE) == 0) {
    const auto stride = static_cast<int64_t>(p.from_stride);
    move(To(in, p, 0), p.to_stride, From(in, p, 0), p.backwards ? -stride : stride, p.count);
    return;
  }
  for (uint64_t i = 0; i < p.count; ++i) turn16(To(in, p, i), kFractal, From(in, p, i));
}
void RunLoad(const Row&, const BasculeInstruction& in, const RunOptions&) {
  Load(in, SimdMoveFractals(), SimdTurn16());
}
void PlainLoad(const Row&, const BasculeInstruction& in, const RunOptions&) {
  Load(in, MoveFractals, Turn16);
}

void Transpose(const BasculeInstruction& in, TurnFunction turn) {
  const Pieces p = PiecesOf(in, FractalsOf(in.operand[0].dtype));
  for (uint64_t i = 0; i < p.count; ++i) turn(To(in, p, i), p.fractal_stride, From(in, p, i));
}
void RunTranspose(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const uint32_t bits = ElementBits(in.operand[0].dtype);
  Transpose(in, bits == 4    ? Turn4
                : bits == 8  ? SimdTurn8()
                : bits == 16 ? SimdTurn16()
                             : SimdTurn32());
}
void PlainTranspose(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const uint32_t bits = ElementBits(in.operand[0].dtype);
  Transpose(in, bits == 4 ? Turn4 : bits == 8 ? Turn8 : bits == 16 ? Turn16 : Turn32);
}

std::string LoadMisuse(const BasculeInstruction& in) {
  const uint8_t to = in.operand[0].memory;
  const uint8_t from = in.operand[1].memory;
  if (from != BASCULE_L1 && from != BASCULE_GM) return "the source lies in L1 or in global memory.";
  if (to != BASCULE_L0A && to != BASCULE_L0B && !(to == BASCULE_L1 && from == BASCULE_GM))
    return "the destination lies in L0A or L0B, or in L1 where the source is global memory.";
  // L1 asks for less.
  const uint64_t address = reinterpret_cast<uint64_t>(in.operand[0].address) & 0xffffffffU;
  if (to != BASCULE_L1 && address % kFractal != 0) {
    return Join("the destination begins at address ", address,
                "; it has to begin on a multiple of ", kFractal, " bytes.");
  }
  if ((in.params.vector.flags & BASCULE_LOAD_TRANSPOSE) == 0) return "";
  if (from != BASCULE_L1) return "fractals are transposed on their way from L1 only.";
  if (ElementBits(in.operand[0].dtype) != 16)
    return "ifTranspose takes elements of 16 bits; LoadDataWithTranspose takes others.";
  return "";
}

std::string TransposeMisuse(const BasculeInstruction& in) {
  if (in.operand[1].memory != BASCULE_L1) return "the source lies in L1.";
  if (in.operand[0].memory != BASCULE_L0A && in.operand[0].memory != BASCULE_L0B)
    return "the destination lies in L0A or L0B.";
  const uint32_t bits = ElementBits(in.operand[0].dtype);
  if (bits == 64) return "elements have 4, 8, 16 or 32 bits.";
  if (bits == 4 && in.operand[0].memory != BASCULE_L0B) return "int4b_t goes to L0B only.";
  return "";
}

}  // namespace

constexpr Row kLoadDataRow = {
    .opcode = BASCULE_OPCODE_kLoadData,
    .name = "LoadData",
    .pipe = LoadPipe,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_2D.md",
    .run = RunLoad,
    .run_reference = PlainLoad,
    .extent = LoadExtent,
    .misuse = LoadMisuse,
};

constexpr Row kLoadDataWithTransposeRow = {
    .opcode = BASCULE_OPCODE_kLoadDataWithTranspose,
    .name = "LoadDataWithTranspose",
    .pipe = LoadPipe,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadDataWithTranspose.md",
    .run = RunTranspose,
    .run_reference = PlainTranspose,
    .extent = TransposeExtent,
    .misuse = TransposeMisuse,
    .align_bytes = {kFractal},
};

}  // namespace bascule::isa

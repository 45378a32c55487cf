// SPDX-License-Identifier: Apache-2.0
#include "isa/cube/sparse.h"

#include <cstring>

#include "bascule/abi/cube.h"
#include "base/error.h"
#include "isa/cube/cube.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

uint8_t SparsePipe(const BasculeInstruction&) { return BASCULE_PIPE_MTE1; }

Extent SparseExtent(const BasculeInstruction& in, uint32_t operand) {
  Extent out;
  const uint64_t pieces = in.params.vector.extra[BASCULE_SPARSE_PIECES];
  if (pieces == 0) return out;
  out.runs = out.repeats = 1;
  uint64_t of_piece = BASCULE_FRACTAL_BYTES;
  if (operand == 2) of_piece = BASCULE_SPARSE_INDEX_BYTES;
  out.run_bytes = out.span_bytes = pieces * of_piece;
  return out;
}

std::string SparseMisuse(const BasculeInstruction& in) {
  if (in.operand[0].memory != BASCULE_L0B) return "the destination lies in L0B.";
  if (in.operand[1].memory != BASCULE_L1 || in.operand[2].memory != BASCULE_L1)
    return "the source and its index lie in L1.";
  const auto* index = static_cast<const uint8_t*>(in.operand[2].address);
  const uint64_t bytes = SparseExtent(in, 2).span_bytes;
  for (uint64_t i = 0; i < bytes; ++i) {
    if ((index[i] & index[i] >> 1 & 0x55) != 0)
      return Join("byte ", i, " of the index is ", uint32_t{index[i]},
                  "; each two of its bits are 0, 1 or 2.");
  }
  return "";
}

void RunSparse(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const uint64_t bytes = SparseExtent(in, 0).span_bytes;
  if (bytes == 0) return;
  std::memcpy(in.operand[0].address, in.operand[1].address, bytes);
  std::memcpy(reinterpret_cast<void*>(in.params.vector.extra[BASCULE_SPARSE_INDEX]),
              in.operand[2].address, SparseExtent(in, 2).span_bytes);
}

}  // namespace

SparsePlaces PlacesOf(const uint8_t* index, uint64_t element) {
  const uint32_t two = index[element / 4] >> (element % 4 * 2);
  const uint32_t first = two & 3;
  const uint32_t second = two >> 2 & 3;
  // The third of four alone: both are it, one of them with a 0.
  return {first, first == 2 && second == 0 ? 2 : second + 1};
}

constexpr Row kLoadDataSparseRow = {
    .opcode = BASCULE_OPCODE_kLoadDataSparse,
    .name = "LoadDataWithSparse",
    .pipe = SparsePipe,
    .operand_count = 3,
    .roles = {Role::kWrite, Role::kRead, Role::kRead, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadDataWithSparse.md",
    .run = RunSparse,
    .run_reference = RunSparse,
    .extent = SparseExtent,
    .misuse = SparseMisuse,
    .align_bytes = {BASCULE_FRACTAL_BYTES},
};

}  // namespace bascule::isa

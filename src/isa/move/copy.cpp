// SPDX-License-Identifier: Apache-2.0
#include "isa/move/copy.h"

#include <cstring>

#include "isa/footprint.h"
#include "isa/move/accumulate.h"
#include "isa/move/bytes.h"

namespace bascule::isa {
namespace {

uint8_t CopyPipe(const BasculeInstruction& in) {
  if (in.operand[1].memory == BASCULE_GM) return BASCULE_PIPE_MTE2;
  if (in.operand[0].memory == BASCULE_GM) return BASCULE_PIPE_MTE3;
  if (in.operand[0].memory == BASCULE_BT) return BASCULE_PIPE_MTE1;
  if (in.operand[0].memory == BASCULE_FB) return BASCULE_PIPE_FIX;
  return BASCULE_PIPE_V;
}

// Repeats an element of 1, 2, 4 or 8 bytes.
void Fill(char* to, uint64_t bytes, uint64_t element, uint32_t element_bytes) {
  uint64_t word = element_bytes == 8 ? element : element & ((uint64_t{1} << 8 * element_bytes) - 1);
  for (uint32_t width = element_bytes; width < 8; width *= 2) word |= word << 8 * width;
  uint64_t at = 0;
  for (; at + 8 <= bytes; at += 8) std::memcpy(to + at, &word, 8);
  // What is left begins with the word's first bytes.
  for (uint64_t part = 4; part > 0; part /= 2) {
    if ((bytes & part) == 0) continue;
    std::memcpy(to + at, &word, part);
    at += part;
    word = word >> 8 * part;
  }
}

void RunCopy(const Row&, const BasculeInstruction& in, const RunOptions& options) {
  const BasculeCopy& copy = in.params.copy;
  char* to = static_cast<char*>(in.operand[0].address);
  const char* from = static_cast<const char*>(in.operand[1].address);
  const bool to_global = in.operand[0].memory == BASCULE_GM;
  const bool stream = options.stream_stores && to_global;
  const bool accumulate = options.atomic_op != BASCULE_ATOMIC_NONE && to_global;
  // Within a memory a copy may overlap itself.
  const bool apart = in.operand[0].memory != in.operand[1].memory;
  const Extent target = ExtentOfForm(in, 0);
  const Extent source = ExtentOfForm(in, 1);
  const CopyFunction copy_bytes = CopyBytes();
  const StreamFunction stream_bytes = StreamBytes();
  const bool padded = target.run_bytes != copy.block_bytes;
  for (uint32_t block = 0; block < target.runs; ++block) {
    char* row = to + block * target.run_stride_bytes;
    const char* data = from + block * source.run_stride_bytes;
    if (accumulate) {
      Accumulate(options, row, data, copy.block_bytes);
      continue;
    }
    if (stream) {
      stream_bytes(row, data, copy.block_bytes, options.ahead);
      continue;
    }
    const uint64_t left = uint64_t{copy.left_pad} * copy.element_bytes;
    if (apart) {
      copy_bytes(row + left, data, copy.block_bytes, options.stream_stores ? kAheadBytes : 0);
    } else {
      std::memmove(row + left, data, copy.block_bytes);
    }
    if (!padded) continue;
    // Without padding values the hardware repeats the first element of the block.
    const void* filler = copy.pad != 0 ? static_cast<const void*>(&copy.pad_bits) : row + left;
    uint64_t first = 0;
    std::memcpy(&first, filler, copy.element_bytes);
    Fill(row, left, first, copy.element_bytes);
    Fill(row + left + copy.block_bytes, target.run_bytes - left - copy.block_bytes, first,
         copy.element_bytes);
  }
}

constexpr uint8_t kCopyForms = 1 << BASCULE_FORM_COPY;

}  // namespace

constexpr Row kDataCopyRow = {
    .opcode = BASCULE_OPCODE_kDataCopy,
    .name = "DataCopy",
    .pipe = CopyPipe,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = kCopyForms,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/Memory矢量计算/数据搬运/DataCopy",
    .run = RunCopy,
    .run_reference = RunCopy,
    .extent = nullptr,
};

constexpr Row kDataCopyPadRow = {
    .opcode = BASCULE_OPCODE_kDataCopyPad,
    .name = "DataCopyPad",
    .pipe = CopyPipe,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = kCopyForms,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/Memory矢量计算/数据搬运/DataCopyPad",
    .run = RunCopy,
    .run_reference = RunCopy,
    .extent = nullptr,
};

}  // namespace bascule::isa

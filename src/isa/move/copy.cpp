// SPDX-License-Identifier: Apache-2.0
#include "isa/move/copy.h"

#include <cstring>

#include "isa/footprint.h"
#include "isa/move/accumulate.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bascule::isa {
namespace {

uint8_t CopyPipe(const BasculeInstruction& in) {
  if (in.operand[1].memory == BASCULE_GM) return BASCULE_PIPE_MTE2;
  if (in.operand[0].memory == BASCULE_GM) return BASCULE_PIPE_MTE3;
  return BASCULE_PIPE_V;
}

// Stores that bypass the caches save reading what is about to be overwritten. The caller fences.
void StreamBytes(char* to, const char* from, uint64_t bytes) {
#if defined(__x86_64__)
  const uint64_t head = (64 - reinterpret_cast<uintptr_t>(to) % 64) % 64;
  if (bytes < 256) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  to += head;
  from += head;
  bytes -= head;
  for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
    const __m128i* source = reinterpret_cast<const __m128i*>(from);
    __m128i* target = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
#endif
  std::memcpy(to, from, bytes);
}

void Fill(char* to, uint64_t bytes, const void* element, uint32_t element_bytes) {
  for (uint64_t i = 0; i < bytes; ++i) {
    to[i] = static_cast<const char*>(element)[i % element_bytes];
  }
}

void RunCopy(const Row&, const BasculeInstruction& in, const RunOptions& options) {
  const BasculeCopy& copy = in.params.copy;
  char* to = static_cast<char*>(in.operand[0].address);
  const char* from = static_cast<const char*>(in.operand[1].address);
  const Extent target = ExtentOfForm(in, 0);
  const Extent source = ExtentOfForm(in, 1);
  const bool padded = target.run_bytes != copy.block_bytes;
  const bool to_global = in.operand[0].memory == BASCULE_GM;
  const bool stream = options.stream_stores && to_global;
  const bool accumulate = options.atomic_op != BASCULE_ATOMIC_NONE && to_global;
  for (uint32_t block = 0; block < target.runs; ++block) {
    char* row = to + block * target.run_stride_bytes;
    const char* data = from + block * source.run_stride_bytes;
    if (accumulate) {
      Accumulate(options.atomic_op, options.atomic_dtype, row, data, copy.block_bytes);
      continue;
    }
    if (stream) {
      StreamBytes(row, data, copy.block_bytes);
      continue;
    }
    const uint64_t left = uint64_t{copy.left_pad} * copy.element_bytes;
    std::memmove(row + left, data, copy.block_bytes);
    if (!padded) continue;
    // Without padding values the hardware repeats the first element of the block.
    const void* filler = copy.pad != 0 ? static_cast<const void*>(&copy.pad_bits) : row + left;
    uint64_t first = 0;
    std::memcpy(&first, filler, copy.element_bytes);
    Fill(row, left, &first, copy.element_bytes);
    Fill(row + left + copy.block_bytes, target.run_bytes - left - copy.block_bytes, &first,
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

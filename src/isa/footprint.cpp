// SPDX-License-Identifier: Apache-2.0
#include "isa/footprint.h"

#include <algorithm>

#include "isa/row.h"

namespace bascule::isa {
namespace {

// One past the highest lane that the mask selects, 0 when none.
uint32_t LanesUsed(const BasculeInstruction& in) {
  if (in.form == BASCULE_FORM_COUNTER) return 256;
  if (in.form == BASCULE_FORM_MASK_COUNT) {
    return static_cast<uint32_t>(std::min<uint64_t>(in.mask[0], 256));
  }
  if (in.mask[1] != 0) return 128 - static_cast<uint32_t>(__builtin_clzll(in.mask[1]));
  if (in.mask[0] != 0) return 64 - static_cast<uint32_t>(__builtin_clzll(in.mask[0]));
  return 0;
}

Extent CopyExtent(const BasculeInstruction& in, uint32_t operand) {
  const BasculeCopy& copy = in.params.copy;
  Extent out;
  const uint64_t gap = operand == 0 ? copy.dst_gap_bytes : copy.src_gap_bytes;
  out.run_bytes = copy.block_bytes;
  if (operand == 0 && in.opcode == BASCULE_OPCODE_kDataCopyPad &&
      in.operand[0].memory != BASCULE_GM) {
    // On chip every block ends on a datablock: padding, then dummy bytes.
    const uint64_t padded =
        copy.block_bytes + uint64_t{copy.left_pad + uint32_t{copy.right_pad}} * copy.element_bytes;
    out.run_bytes =
        (padded + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES;
  }
  uint64_t pitch = out.run_bytes + gap;
  if (operand == 1 && in.opcode == BASCULE_OPCODE_kDataCopyPad &&
      in.operand[1].memory != BASCULE_GM) {
    // The source pitch on chip counts whole datablocks as well.
    pitch = (copy.block_bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES *
                BASCULE_DATABLOCK_BYTES +
            gap;
  }
  if (copy.block_count == 0 || copy.block_bytes == 0) return Extent{};
  out.runs = copy.block_count;
  out.repeats = 1;
  out.run_stride_bytes = pitch;
  out.span_bytes = pitch * (copy.block_count - 1) + out.run_bytes;
  return out;
}

}  // namespace

Extent ExtentOf(const Row& row, const BasculeInstruction& in, uint32_t operand) {
  return row.extent != nullptr ? row.extent(in, operand) : ExtentOfForm(in, operand);
}

Extent ExtentOfElements(const BasculeOperand& op, uint64_t elements, uint64_t repeats) {
  Extent out;
  const uint64_t bytes = elements * ElementBytes(op.dtype);
  if (repeats == 0 || bytes == 0) return out;
  const uint64_t blocks = (bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES;
  out.run_bytes = BASCULE_DATABLOCK_BYTES;
  out.runs = static_cast<uint32_t>(blocks);
  out.repeats = static_cast<uint32_t>(repeats);
  out.run_stride_bytes = uint64_t{op.block_stride} * BASCULE_DATABLOCK_BYTES;
  out.repeat_stride_bytes = uint64_t{op.repeat_stride} * BASCULE_DATABLOCK_BYTES;
  // The last block may hold fewer elements than the one before it, which then may reach as far.
  uint64_t reach =
      out.run_stride_bytes * (blocks - 1) + bytes - (blocks - 1) * BASCULE_DATABLOCK_BYTES;
  if (blocks > 1) {
    reach = std::max(reach, out.run_stride_bytes * (blocks - 2) + BASCULE_DATABLOCK_BYTES);
  }
  out.span_bytes = reach + out.repeat_stride_bytes * (repeats - 1);
  return out;
}

Extent ExtentOfForm(const BasculeInstruction& in, uint32_t operand) {
  if (in.form == BASCULE_FORM_COPY) return CopyExtent(in, operand);
  Extent out;
  const BasculeOperand& op = OperandOf(in, operand);
  if (in.form != BASCULE_FORM_COUNTER && in.count == 0) return out;
  if (in.form == BASCULE_FORM_COUNT) {
    out.run_bytes = BytesOf(op.dtype, in.count);
    out.runs = out.repeats = 1;
    out.span_bytes = out.run_bytes;
    return out;
  }
  // The mask counts lanes of the widest element type.
  uint64_t widest_bits = 8;
  for (uint32_t i = 0; i < in.operand_count; ++i) {
    widest_bits = std::max<uint64_t>(widest_bits, ElementBits(OperandOf(in, i).dtype));
  }
  const uint64_t all_lanes = uint64_t{8} * BASCULE_REPEAT_BYTES / widest_bits;
  uint64_t lanes = std::min<uint64_t>(LanesUsed(in), all_lanes);
  uint64_t repeats = in.count;
  uint64_t last_lanes = lanes;
  if (in.form == BASCULE_FORM_COUNTER) {
    repeats = (in.mask[0] + all_lanes - 1) / all_lanes;
    last_lanes = in.mask[0] - (repeats == 0 ? 0 : (repeats - 1) * all_lanes);
    lanes = repeats == 1 ? last_lanes : all_lanes;
  }
  if (lanes == 0 || repeats == 0) return out;
  const uint64_t per_block = uint64_t{8} * BASCULE_DATABLOCK_BYTES / ElementBits(op.dtype);
  out.run_bytes = BASCULE_DATABLOCK_BYTES;
  out.runs = static_cast<uint32_t>((lanes + per_block - 1) / per_block);
  out.repeats = static_cast<uint32_t>(repeats);
  out.run_stride_bytes = uint64_t{op.block_stride} * BASCULE_DATABLOCK_BYTES;
  out.repeat_stride_bytes = uint64_t{op.repeat_stride} * BASCULE_DATABLOCK_BYTES;
  // A block's first bytes of a repeat, up to one past its last lane.
  auto reach = [&](uint64_t used) {
    const uint64_t blocks = (used + per_block - 1) / per_block;
    const uint64_t tail = BytesOf(op.dtype, used - per_block * (blocks - 1));
    return std::max(out.run_stride_bytes * (blocks - 1) + tail,
                    blocks > 1 ? out.run_stride_bytes * (blocks - 2) + BASCULE_DATABLOCK_BYTES : 0);
  };
  out.span_bytes = reach(last_lanes) + out.repeat_stride_bytes * (repeats - 1);
  if (repeats > 1) {
    out.span_bytes =
        std::max(out.span_bytes, reach(lanes) + out.repeat_stride_bytes * (repeats - 2));
  }
  return out;
}

}  // namespace bascule::isa

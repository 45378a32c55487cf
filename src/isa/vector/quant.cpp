// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/quant.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "bascule/abi/vector.h"
#include "bascule/numeric/convert.h"
#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

constexpr uint8_t kVectorForms = 1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT |
                                 1 << BASCULE_FORM_MASK_BITS | 1 << BASCULE_FORM_COUNTER;

// --- AddDeqRelu

void AddDeqRelu(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  const half_t scale = half_t::FromBits(static_cast<uint16_t>(scalar));
  half_t* to = static_cast<half_t*>(dst);
  for (uint64_t i = 0; i < count; ++i) {
    const int32_t sum =
        static_cast<int32_t>(static_cast<uint32_t>(static_cast<const int32_t*>(src0)[i]) +
                             static_cast<uint32_t>(static_cast<const int32_t*>(src1)[i]));
    const double product = double(sum) * double(scale);  // a double holds it
    to[i] = half_t(product <= 0 ? 0.0 : product);
  }
}

constexpr Body kAddDeqReluBodies[] = {
    {BASCULE_FLOAT16, BASCULE_INT32, AddDeqRelu, SimdAddDeqRelu},
};

// --- CastDequant

constexpr uint32_t kLanesPerBlock = 16;
constexpr uint32_t kLanesPerRepeat = 128;

constexpr Body kDequantBodies[] = {
    {BASCULE_INT8, BASCULE_INT16, nullptr, nullptr},
    {BASCULE_UINT8, BASCULE_INT16, nullptr, nullptr},
};

bool PerLane(const BasculeInstruction& in) {
  return (in.params.vector.flags & BASCULE_DEQUANT_VECTOR) != 0;
}

uint64_t WordOf(const BasculeInstruction& in, uint32_t lane) {
  if (!PerLane(in)) return in.params.vector.scalar.bits;
  uint64_t word;
  std::memcpy(&word, static_cast<const char*>(in.operand[2].address) + lane * sizeof(word),
              sizeof(word));
  return word;
}

// Every lane's numbers.
struct Scales {
  double scale[kLanesPerBlock];
  double offset[kLanesPerBlock];

  explicit Scales(const BasculeInstruction& in) {
    for (uint32_t lane = 0; lane < kLanesPerBlock; ++lane) {
      const uint64_t word = WordOf(in, lane);
      // 1 sign, 8 exponent and 10 fraction digits.
      const uint32_t bits = static_cast<uint32_t>(word) & 0xffffe000;
      float value;
      std::memcpy(&value, &bits, sizeof(value));
      scale[lane] = double(value);
      const int32_t nine = static_cast<int32_t>(word >> BASCULE_DEQUANT_OFFSET_BIT & 0x1ff);
      offset[lane] = nine < 256 ? nine : nine - 512;
    }
  }
};

template <typename T>
void Dequant(void* dst, const int16_t* src, const double* scale, const double* offset,
             uint32_t count) {
  T* to = static_cast<T*>(dst);
  for (uint32_t i = 0; i < count; ++i) {
    to[i] = numeric::Convert<T>(double(src[i]) * scale[i] + offset[i]);
  }
}

void RunDequantWith(const BasculeInstruction& in, DequantFunction dequant) {
  const Scales scales(in);
  const uint32_t half =
      (in.params.vector.flags & BASCULE_DEQUANT_HIGH_HALF) != 0 ? kLanesPerBlock : 0;
  BasculeOperand from = in.operand[1];
  BasculeOperand blocks = in.operand[0];
  blocks.dtype = BASCULE_INT16;         // a datablock for every datablock of the source
  if (in.form == BASCULE_FORM_COUNT) {  // consecutive, whatever the strides
    from.block_stride = blocks.block_stride = 1;
    from.repeat_stride = blocks.repeat_stride = BASCULE_DATABLOCKS_PER_REPEAT;
  }
  const LaneWalker src(from);
  const LaneWalker dst(blocks);
  const Repeats repeats(in, kLanesPerRepeat);
  for (uint64_t repeat = 0; repeat < repeats.count(); ++repeat) {
    const LaneMask& mask = repeats.Lanes(repeat);
    for (uint32_t lane = mask.Next(0, true); lane < kLanesPerRepeat; lane = mask.Next(lane, true)) {
      const uint32_t first = lane % kLanesPerBlock;
      const uint32_t end = std::min(lane - first + kLanesPerBlock, mask.Next(lane, false));
      dequant(dst.At(repeat, lane - first) + half + first,
              reinterpret_cast<const int16_t*>(src.At(repeat, lane)), scales.scale + first,
              scales.offset + first, end - lane);
      lane = end;
    }
  }
}
void RunDequant(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunDequantWith(in, in.operand[0].dtype == BASCULE_INT8 ? SimdDequantInt8() : SimdDequantUInt8());
}
void RunDequantReference(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunDequantWith(in, in.operand[0].dtype == BASCULE_INT8 ? Dequant<int8_t> : Dequant<uint8_t>);
}

Extent DequantExtent(const BasculeInstruction& in, uint32_t operand) {
  Extent out;
  if (operand == 2) {
    if (!PerLane(in)) return out;
    out.run_bytes = out.span_bytes = kLanesPerBlock * sizeof(uint64_t);
    out.runs = out.repeats = 1;
    return out;
  }
  BasculeInstruction blocks = in;
  blocks.operand_count = 2;
  blocks.operand[0].dtype = BASCULE_INT16;
  out = ExtentOfForm(blocks, operand);
  if (operand != 0) return out;
  // Which half of the last datablock is written does not follow from the lane.
  auto whole = [](uint64_t bytes) {
    return (bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES *
           BASCULE_DATABLOCK_BYTES;
  };
  out.span_bytes = whole(out.span_bytes);
  if (in.form == BASCULE_FORM_COUNT) out.run_bytes = out.span_bytes;
  return out;
}

std::string DequantMisuse(const BasculeInstruction& in) {
  const bool wants_sign = in.operand[0].dtype == BASCULE_INT8;
  for (uint32_t lane = 0; lane < (PerLane(in) ? kLanesPerBlock : 1); ++lane) {
    const bool sign = (WordOf(in, lane) >> BASCULE_DEQUANT_SIGN_BIT & 1) != 0;
    if (sign == wants_sign) continue;
    return Join("SetDeqScale has set signMode ", sign ? "true" : "false", ", which is for ",
                sign ? "int8_t" : "uint8_t", ", and the destination has ",
                wants_sign ? "int8_t" : "uint8_t", ".");
  }
  return "";
}

}  // namespace

constexpr Row kAddDeqReluRow = {
    .opcode = BASCULE_OPCODE_kAddDeqRelu,
    .name = "AddDeqRelu",
    .pipe = PipeV,
    .operand_count = 3,
    .roles = {Role::kWrite, Role::kRead, Role::kRead, Role::kNone},
    .bodies = kAddDeqReluBodies,
    .body_count = std::size(kAddDeqReluBodies),
    .forms = kVectorForms,
    .fused = true,
    .ulp = 0,
    .document = "复合计算/AddDeqRelu.md",
    .run = RunElementwise,
    .run_reference = RunElementwiseReference,
    .extent = nullptr,
    .saturation = Saturation::kResults,
};

constexpr Row kCastDequantRow = {
    .opcode = BASCULE_OPCODE_kCastDequant,
    .name = "CastDequant",
    .pipe = PipeV,
    .operand_count = 3,
    .roles = {Role::kWrite, Role::kRead, Role::kRead, Role::kNone},
    .bodies = kDequantBodies,
    .body_count = std::size(kDequantBodies),
    .forms = kVectorForms,
    .fused = true,
    .ulp = 0,
    .document = "复合计算/CastDequant.md",
    .run = RunDequant,
    .run_reference = RunDequantReference,
    .extent = DequantExtent,
    .misuse = DequantMisuse,
};

}  // namespace bascule::isa

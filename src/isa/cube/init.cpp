// What stands in the cube unit's memories before a product: numbers, a bias.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "bascule/abi/cube.h"
#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/cube/cube.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

uint8_t InitPipe(const BasculeInstruction& in) {
  return in.operand[0].memory == BASCULE_L1 ? BASCULE_PIPE_MTE2 : BASCULE_PIPE_MTE1;
}
uint8_t BiasPipe(const BasculeInstruction&) { return BASCULE_PIPE_MTE1; }

// Blocks of bytes at a distance.
Extent Blocks(uint64_t count, uint64_t bytes, uint64_t gap) {
  Extent out;
  if (count == 0 || bytes == 0) return out;
  out.run_bytes = bytes;
  out.runs = static_cast<uint32_t>(count);
  out.repeats = 1;
  out.run_stride_bytes = bytes + gap;
  out.span_bytes = (count - 1) * (bytes + gap) + bytes;
  return out;
}

Extent InitExtent(const BasculeInstruction& in, uint32_t) {
  const uint64_t* extra = in.params.vector.extra;
  const uint64_t block =
      in.operand[0].memory == BASCULE_L1 ? BASCULE_DATABLOCK_BYTES : BASCULE_FRACTAL_BYTES;
  return Blocks(extra[BASCULE_INIT_REPEATS], extra[BASCULE_INIT_BLOCKS] * block,
                extra[BASCULE_INIT_GAP] * block);
}

std::string InitMisuse(const BasculeInstruction& in) {
  const uint8_t to = in.operand[0].memory;
  if (to != BASCULE_L1 && to != BASCULE_L0A && to != BASCULE_L0B)
    return "the destination lies in L1, L0A or L0B.";
  const uint64_t address = reinterpret_cast<uint64_t>(in.operand[0].address) & 0xffffffffU;
  if (to != BASCULE_L1 && address % BASCULE_FRACTAL_BYTES != 0)
    return Join("the destination begins at address ", address,
                "; it has to begin on a multiple of ", uint32_t{BASCULE_FRACTAL_BYTES}, " bytes.");
  const char* const names[] = {"repeatTimes", "blockNum", "dstGap"};
  for (uint32_t i = 0; i < 3; ++i) {
    const uint64_t value = in.params.vector.extra[i];
    if (value > 32767) return Join(names[i], " is ", value, "; it is limited to 32767.");
  }
  return "";
}

void RunInit(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const Extent extent = InitExtent(in, 0);
  const uint32_t size = ElementBytes(in.operand[0].dtype);
  for (uint64_t block = 0; block < extent.runs; ++block) {
    char* const to = static_cast<char*>(in.operand[0].address) + block * extent.run_stride_bytes;
    for (uint64_t i = 0; i < extent.run_bytes; i += size)
      std::memcpy(to + i, &in.params.vector.scalar, size);
  }
}

Extent BiasExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t* extra = in.params.vector.extra;
  const uint32_t size = ElementBytes(in.operand[operand].dtype);
  return Blocks(extra[BASCULE_BIAS_BLOCKS], extra[BASCULE_BIAS_ELEMENTS] * size,
                extra[operand == 0 ? BASCULE_BIAS_TO_GAP : BASCULE_BIAS_FROM_GAP]);
}

std::string BiasMisuse(const BasculeInstruction& in) {
  if (in.operand[0].memory != BASCULE_BT) return "the destination lies in the bias table (C2).";
  if (in.operand[1].memory != BASCULE_L1) return "the source lies in L1 (C1).";
  return "";
}

void RunBias(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const Extent to_extent = BiasExtent(in, 0);
  const Extent from_extent = BiasExtent(in, 1);
  const uint64_t elements = in.params.vector.extra[BASCULE_BIAS_ELEMENTS];
  for (uint64_t block = 0; block < to_extent.runs; ++block) {
    char* const to = static_cast<char*>(in.operand[0].address) + block * to_extent.run_stride_bytes;
    const char* const from =
        static_cast<const char*>(in.operand[1].address) + block * from_extent.run_stride_bytes;
    for (uint64_t i = 0; i < elements; ++i) {
      half_t number;
      std::memcpy(&number, from + i * sizeof(number), sizeof(number));
      const auto value = float(number);
      std::memcpy(to + i * sizeof(value), &value, sizeof(value));
    }
  }
}

constexpr Body kBiasBodies[] = {{BASCULE_FLOAT, BASCULE_FLOAT16, nullptr, nullptr}};

}  // namespace

constexpr Row kInitConstRow = {
    .opcode = BASCULE_OPCODE_kInitConst,
    .name = "Fill of L1, L0A or L0B",
    .pipe = InitPipe,
    .operand_count = 1,
    .roles = {Role::kWrite, Role::kNone, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/矩阵计算（ISASI）/矩阵搬入辅助配置接口/Fill.md",
    .run = RunInit,
    .run_reference = RunInit,
    .extent = InitExtent,
    .misuse = InitMisuse,
};

constexpr Row kCopyBiasRow = {
    .opcode = BASCULE_OPCODE_kCopyBias,
    .name = "DataCopy to the bias table, converting",
    .pipe = BiasPipe,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = kBiasBodies,
    .body_count = std::size(kBiasBodies),
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document =
        "SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬入/"
        "DataCopy（L1ToBiasTable-Buffer数据搬运）.md",
    .run = RunBias,
    .run_reference = RunBias,
    .extent = BiasExtent,
    .misuse = BiasMisuse,
    .align_bytes = {64},
};

}  // namespace bascule::isa

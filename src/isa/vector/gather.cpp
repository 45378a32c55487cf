// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/gather.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "isa/footprint.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

constexpr Body kGatherBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_BFLOAT16, nullptr, nullptr},
    {BASCULE_INT16, BASCULE_INT16, nullptr, nullptr},
    {BASCULE_UINT16, BASCULE_UINT16, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_UINT32, BASCULE_UINT32, nullptr, nullptr},
};
constexpr Body kGatherbBodies[] = {
    {BASCULE_UINT16, BASCULE_UINT16, nullptr, nullptr},
    {BASCULE_UINT32, BASCULE_UINT32, nullptr, nullptr},
};

const uint32_t* Offsets(const BasculeInstruction& in) {
  return static_cast<const uint32_t*>(in.operand[2].address);
}

uint32_t LanesOf(const BasculeInstruction& in) {
  return BASCULE_REPEAT_BYTES / ElementBytes(in.operand[0].dtype);
}

// Calls `visit(first, count)` for every run of offsets that are used.
template <typename Visit>
void ForEachRunOfOffsets(const BasculeInstruction& in, const Visit& visit) {
  if (in.opcode == BASCULE_OPCODE_kGatherb) {
    visit(uint64_t{0}, uint64_t{in.count} * BASCULE_DATABLOCKS_PER_REPEAT);
    return;
  }
  if (in.form == BASCULE_FORM_COUNT) {
    visit(uint64_t{0}, uint64_t{in.count});
    return;
  }
  const uint32_t lanes = LanesOf(in);
  BasculeOperand dense = in.operand[0];
  dense.block_stride = 1;
  ForEachRun(Repeats(in, lanes), LaneWalker(dense),
             [&](uint64_t repeat, uint32_t lane, uint32_t count) {
               visit(repeat * lanes + lane, uint64_t{count});
             });
}

// What one offset moves, and what it has to be a multiple of.
uint32_t UnitBytes(const BasculeInstruction& in) {
  return in.opcode == BASCULE_OPCODE_kGatherb ? BASCULE_DATABLOCK_BYTES
                                              : ElementBytes(in.operand[0].dtype);
}

uint64_t BaseBytes(const BasculeInstruction& in) {
  return in.opcode == BASCULE_OPCODE_kGatherb ? 0 : in.params.vector.extra[0];
}

// Datablocks reach to the end of the one the source's last element lies in.
uint64_t SourceBytes(const BasculeInstruction& in) {
  const uint64_t bytes = in.params.vector.extra[1];
  return in.opcode == BASCULE_OPCODE_kGatherb
             ? (bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES *
                   BASCULE_DATABLOCK_BYTES
             : bytes;
}

struct Summary : OffsetSummary {
  bool any = false;
};

Summary Summarise(const BasculeInstruction& in) {
  Summary out;
  const uint32_t* offsets = Offsets(in);
  ForEachRunOfOffsets(in, [&](uint64_t first, uint64_t count) {
    SummariseOffsets(offsets + first, count, &out);
    out.any = out.any || count != 0;
  });
  return out;
}

// The extent of the destination, whose element type alone counts the lanes of a repeat.
Extent DestinationExtent(const BasculeInstruction& in) {
  BasculeInstruction alone = in;
  alone.operand_count = 1;
  return ExtentOfForm(alone, 0);
}

Extent OffsetsExtent(const BasculeInstruction& in) {
  Extent out;
  if (in.opcode == BASCULE_OPCODE_kGatherb) {
    out.run_bytes = uint64_t{in.count} * BASCULE_DATABLOCKS_PER_REPEAT * sizeof(uint32_t);
    out.repeats = 1;
  } else {
    const uint32_t lanes = LanesOf(in);
    const Repeats repeats(in, lanes);
    if (repeats.count() == 0) return out;
    const uint32_t last = repeats.Lanes(repeats.count() - 1).End();
    out.run_bytes = repeats.Lanes(0).End() * sizeof(uint32_t);
    out.repeats = static_cast<uint32_t>(repeats.count());
    out.repeat_stride_bytes = lanes * sizeof(uint32_t);
    out.span_bytes = out.repeat_stride_bytes * (repeats.count() - 1) + last * sizeof(uint32_t);
  }
  if (out.run_bytes == 0) return Extent{};
  out.runs = 1;
  if (out.repeats == 1) out.span_bytes = out.run_bytes;
  return out;
}

Extent GatherExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand == 0) return DestinationExtent(in);
  if (operand == 2) return OffsetsExtent(in);
  Extent out;
  const Summary summary = Summarise(in);
  if (!summary.any) return out;
  out.run_bytes = BaseBytes(in) + summary.highest + UnitBytes(in);
  // Offsets that lead outside the source are refused before anything is read, with a better
  // sentence.
  if (in.params.vector.extra[1] != 0) out.run_bytes = std::min(out.run_bytes, SourceBytes(in));
  out.runs = out.repeats = 1;
  out.span_bytes = out.run_bytes;
  return out;
}

std::string GatherMisuse(const BasculeInstruction& in) {
  const uint32_t unit = UnitBytes(in);
  const uint64_t base = BaseBytes(in);
  const uint64_t limit = SourceBytes(in);
  if (base % unit != 0) {
    return Join("srcBaseAddr is ", base, " bytes; it has to be a multiple of the element's ", unit,
                ".");
  }
  const Summary summary = Summarise(in);
  if (!summary.any ||
      (summary.bits % unit == 0 && (limit == 0 || base + summary.highest + unit <= limit))) {
    return "";
  }
  std::string sentence;
  const uint32_t* offsets = Offsets(in);
  ForEachRunOfOffsets(in, [&](uint64_t first, uint64_t count) {
    for (uint64_t i = first; sentence.empty() && i < first + count; ++i) {
      if (offsets[i] % unit != 0) {
        sentence = Join("offset ", i, " is ", offsets[i], " bytes; it has to be a multiple of ",
                        unit, ".");
      } else if (limit != 0 && base + offsets[i] + unit > limit) {
        sentence = Join("offset ", i, " leads to byte ", base + offsets[i],
                        " of the source, which has ", in.params.vector.extra[1],
                        " bytes. Offsets count bytes, not elements. Nothing was read.");
      }
    }
  });
  return sentence;
}

template <typename T>
void GatherElements(const BasculeInstruction& in) {
  const char* from = static_cast<const char*>(in.operand[1].address) + BaseBytes(in);
  const uint32_t* offsets = Offsets(in);
  const LaneWalker dst(in.operand[0]);
  auto take = [&](char* to, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, from + offsets[first + i], sizeof(T));
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  };
  if (in.form == BASCULE_FORM_COUNT) {
    take(dst.base, 0, in.count);
    return;
  }
  const uint32_t lanes = LanesOf(in);
  ForEachRun(Repeats(in, lanes), dst, [&](uint64_t repeat, uint32_t lane, uint32_t count) {
    take(dst.At(repeat, lane), repeat * lanes + lane, count);
  });
}

void RunGather(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (ElementBytes(in.operand[0].dtype) == 2) {
    GatherElements<uint16_t>(in);
  } else {
    GatherElements<uint32_t>(in);
  }
}

void RunGatherb(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const char* from = static_cast<const char*>(in.operand[1].address);
  const uint32_t* offsets = Offsets(in);
  const LaneWalker dst(in.operand[0]);
  for (uint64_t repeat = 0; repeat < in.count; ++repeat) {
    for (uint32_t block = 0; block < BASCULE_DATABLOCKS_PER_REPEAT; ++block) {
      std::memcpy(dst.At(repeat, block * dst.per_block), from + *offsets++,
                  BASCULE_DATABLOCK_BYTES);
    }
  }
}

template <size_t n>
constexpr Row MakeRow(uint16_t opcode, const char* name, const Body (&bodies)[n], uint8_t forms,
                      const char* document, RunFunction run) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeV;
  row.operand_count = 3;
  row.roles[0] = Role::kWrite;
  row.roles[1] = row.roles[2] = Role::kRead;
  row.bodies = bodies;
  row.body_count = n;
  row.forms = forms;
  row.document = document;
  row.run = row.run_reference = run;
  row.extent = GatherExtent;
  row.misuse = GatherMisuse;
  return row;
}

constexpr uint8_t kAllForms = 1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT |
                              1 << BASCULE_FORM_MASK_BITS | 1 << BASCULE_FORM_COUNTER;

}  // namespace

constexpr Row kGatherRow = MakeRow(BASCULE_OPCODE_kGather, "Gather", kGatherBodies, kAllForms,
                                   "离散与聚合/Gather.md", RunGather);
constexpr Row kGatherbRow =
    MakeRow(BASCULE_OPCODE_kGatherb, "Gatherb", kGatherbBodies, 1 << BASCULE_FORM_MASK_COUNT,
            "离散与聚合/Gatherb(ISASI).md", RunGatherb);

}  // namespace bascule::isa

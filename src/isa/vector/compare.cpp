// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/compare.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

constexpr uint32_t kRegisterBytes = 16;

bool Bit(const uint8_t* bits, uint64_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }

template <typename T>
T ElementAt(const void* from, uint64_t i) {
  T value;
  std::memcpy(static_cast<void*>(&value), static_cast<const char*>(from) + i * sizeof(T),
              sizeof(T));
  return value;
}

void* ResultOf(const BasculeInstruction& in) {
  return reinterpret_cast<void*>(in.params.vector.extra[BASCULE_EXTRA_RESULT]);
}

// --- Compare, Compares

template <typename T>
bool Holds(T a, T b, uint32_t mode) {
  switch (mode) {
    case BASCULE_COMPARE_LT:
      return a < b;
    case BASCULE_COMPARE_GT:
      return a > b;
    case BASCULE_COMPARE_EQ:
      return a == b;
    case BASCULE_COMPARE_LE:
      return a <= b;
    case BASCULE_COMPARE_GE:
      return a >= b;
    default:
      return a < b || a > b;
  }
}

template <typename T>
void CompareReference(const void* a, const void* b, uint64_t scalar, uint32_t mode, uint64_t groups,
                      uint8_t* bits) {
  for (uint64_t i = 0; i < groups * 64; ++i) {
    if (i % 8 == 0) bits[i / 8] = 0;
    const T second = b != nullptr ? ElementAt<T>(b, i) : ElementAt<T>(&scalar, 0);
    if (Holds(ElementAt<T>(a, i), second, mode)) bits[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
  }
}

constexpr Body kCompareBodies[] = {
    {BASCULE_UINT8, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_UINT8, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_UINT8, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_INT8, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_INT8, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_INT8, BASCULE_INT32, nullptr, nullptr},
};

CompareFunction FindCompare(BasculeDType dtype, bool reference) {
  switch (dtype) {
    case BASCULE_FLOAT:
      return reference ? CompareReference<float> : SimdCompareFloat();
    case BASCULE_FLOAT16:
      return reference ? CompareReference<half_t> : SimdCompareHalf();
    default:
      return reference ? CompareReference<int32_t> : SimdCompareInt32();
  }
}

bool ToRegister(const BasculeInstruction& in) { return in.operand[0].address == nullptr; }

uint32_t LanesOf(const BasculeInstruction& in) {
  return BASCULE_REPEAT_BYTES / ElementBytes(in.operand[1].dtype);
}

uint64_t WholeRepeats(const BasculeInstruction& in) {
  return in.form == BASCULE_FORM_COUNT ? in.count / LanesOf(in) : in.count;
}

Extent CompareExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint32_t lanes = LanesOf(in);
  if (operand == 0) {
    Extent out;
    if (ToRegister(in) || WholeRepeats(in) == 0) return out;
    out.run_bytes = WholeRepeats(in) * lanes / 8;
    out.runs = out.repeats = 1;
    out.span_bytes = out.run_bytes;
    return out;
  }
  if (ToRegister(in)) return ExtentOfForm(in, operand);
  return ExtentOfElements(in.operand[operand], lanes, WholeRepeats(in));
}

std::string CompareMisuse(const BasculeInstruction& in) {
  const BasculeVectorParams& params = in.params.vector;
  if (params.mode >= BASCULE_COMPARE_COUNT) return Join("there is no CMPMODE ", params.mode, ".");
  if (in.operand[1].dtype == BASCULE_INT32 && params.mode != BASCULE_COMPARE_EQ) {
    return "int32_t elements can be compared with CMPMODE::EQ only; cast to float for the other "
           "modes.";
  }
  return "";
}

// The 256 bytes of a repeat, in one piece.
const void* Gathered(const LaneWalker& walker, uint64_t repeat, char* buffer) {
  if (walker.Dense()) return walker.At(repeat, 0);
  for (uint32_t block = 0; block < BASCULE_DATABLOCKS_PER_REPEAT; ++block) {
    std::memcpy(buffer + block * BASCULE_DATABLOCK_BYTES,
                walker.At(repeat, block * walker.per_block), BASCULE_DATABLOCK_BYTES);
  }
  return buffer;
}

void CompareIntoRegister(const BasculeInstruction& in, bool reference) {
  uint64_t* reg = static_cast<uint64_t*>(ResultOf(in));
  const BasculeVectorParams& params = in.params.vector;
  const uint32_t lanes = LanesOf(in);
  const LaneWalker a(in.operand[1]);
  const LaneWalker b(in.operand[in.operand_count > 2 ? 2 : 1]);
  const CompareFunction compare = FindCompare(in.operand[1].dtype, reference);
  const Repeats repeats(in, lanes);
  if (repeats.count() == 0) return;
  // Only selected lanes may be read: they are brought together, the others compare as zero with
  // zero.
  char first[BASCULE_REPEAT_BYTES] = {};
  char second[BASCULE_REPEAT_BYTES] = {};
  const LaneMask& mask = repeats.Lanes(0);
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!mask.Has(lane)) continue;
    std::memcpy(first + lane * a.element_bytes, a.At(0, lane), a.element_bytes);
    std::memcpy(second + lane * a.element_bytes, b.At(0, lane), a.element_bytes);
  }
  uint64_t bits[2] = {0, 0};
  compare(first, in.operand_count > 2 ? second : nullptr, params.scalar.bits, params.mode,
          lanes / 64, reinterpret_cast<uint8_t*>(bits));
  for (int word = 0; word < 2; ++word)
    reg[word] = (reg[word] & ~mask.words[word]) | (bits[word] & mask.words[word]);
}

void RunCompareWith(const BasculeInstruction& in, bool reference) {
  if (ToRegister(in)) return CompareIntoRegister(in, reference);
  const BasculeVectorParams& params = in.params.vector;
  const uint32_t groups = LanesOf(in) / 64;
  const bool tensor = in.operand_count > 2;
  const CompareFunction compare = FindCompare(in.operand[1].dtype, reference);
  const LaneWalker a(in.operand[1]);
  const LaneWalker b(in.operand[tensor ? 2 : 1]);
  uint8_t* bits = static_cast<uint8_t*>(in.operand[0].address);
  if (in.form == BASCULE_FORM_COUNT) {
    compare(a.base, tensor ? b.base : nullptr, params.scalar.bits, params.mode,
            WholeRepeats(in) * groups, bits);
    return;
  }
  for (uint64_t repeat = 0; repeat < in.count; ++repeat, bits += groups * 8) {
    char first[BASCULE_REPEAT_BYTES];
    char second[BASCULE_REPEAT_BYTES];
    compare(Gathered(a, repeat, first), tensor ? Gathered(b, repeat, second) : nullptr,
            params.scalar.bits, params.mode, groups, bits);
  }
}
void RunCompare(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunCompareWith(in, false);
}
void RunCompareReference(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunCompareWith(in, true);
}

// --- the compare mask register

Extent RegisterExtent(const BasculeInstruction& in, uint32_t operand) {
  Extent out;
  if (operand + 1 != in.operand_count) return out;  // SetCmpMask has no destination in memory
  out.run_bytes = out.span_bytes = kRegisterBytes;
  out.runs = out.repeats = 1;
  return out;
}
void RunGetCmpMask(const Row&, const BasculeInstruction& in, const RunOptions&) {
  std::memcpy(in.operand[0].address, ResultOf(in), kRegisterBytes);
}
void RunSetCmpMask(const Row&, const BasculeInstruction& in, const RunOptions&) {
  std::memcpy(ResultOf(in), in.operand[1].address, kRegisterBytes);
}

// --- Select

template <typename T>
void SelectReference(void* dst, const void* a, const void* b, uint64_t scalar, const uint8_t* bits,
                     uint64_t count) {
  T* to = static_cast<T*>(dst);
  for (uint64_t i = 0; i < count; ++i) {
    if (Bit(bits, i)) {
      to[i] = static_cast<const T*>(a)[i];
    } else {
      to[i] = b != nullptr ? static_cast<const T*>(b)[i] : static_cast<T>(scalar);
    }
  }
}

constexpr Body kSelectBodies[] = {
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
};

Extent SelectExtent(const BasculeInstruction& in, uint32_t operand) {
  const BasculeVectorParams& params = in.params.vector;
  if (operand < 2) return ExtentOfForm(in, operand);
  if (operand == 2) return params.mode == BASCULE_SELECT_SCALAR ? Extent{} : ExtentOfForm(in, 2);
  Extent out;
  if ((params.flags & BASCULE_SELECT_REGISTER) != 0) return out;
  const uint32_t lanes = LanesOf(in);
  const Repeats repeats(in, lanes);
  if (repeats.count() == 0) return out;
  uint64_t used = repeats.Lanes(repeats.count() - 1).End();
  if (repeats.count() > 1) {
    used = params.mode == BASCULE_SELECT_REPEATED_BITS
               ? std::max<uint64_t>(used, repeats.Lanes(0).End())
               : used + (repeats.count() - 1) * lanes;
  }
  out.run_bytes = out.span_bytes = (used + 7) / 8;
  out.runs = out.repeats = 1;
  return out.run_bytes == 0 ? Extent{} : out;
}

std::string SelectMisuse(const BasculeInstruction& in) {
  return in.params.vector.mode <= BASCULE_SELECT_TENSOR
             ? ""
             : Join("there is no SELMODE ", in.params.vector.mode, ".");
}

void RunSelectWith(const BasculeInstruction& in, SelectFunction select) {
  const BasculeVectorParams& params = in.params.vector;
  const bool tensor = params.mode != BASCULE_SELECT_SCALAR;
  const LaneWalker dst(in.operand[0]);
  const LaneWalker a(in.operand[1]);
  const LaneWalker b(in.operand[tensor ? 2 : 1]);
  const uint8_t* bits = static_cast<const uint8_t*>(in.operand[3].address);
  if ((params.flags & BASCULE_SELECT_REGISTER) != 0)
    bits = reinterpret_cast<const uint8_t*>(params.extra);
  const uint32_t lanes = LanesOf(in);
  const bool go_on = params.mode != BASCULE_SELECT_REPEATED_BITS;
  if (in.form == BASCULE_FORM_COUNT && go_on) {
    select(dst.base, a.base, tensor ? b.base : nullptr, params.scalar.bits, bits, in.count);
    return;
  }
  const bool dense = dst.Dense() && a.Dense() && b.Dense();
  LaneWalker step = dst;  // runs end where any operand has a gap
  if (!dense) step.block_stride_bytes = 0;
  ForEachRun(Repeats(in, lanes), step, [&](uint64_t repeat, uint32_t lane, uint32_t count) {
    const uint64_t first = (go_on ? repeat * lanes : 0) + lane;
    // Bits of a run that starts within a byte are moved to the start of one.
    uint8_t moved[BASCULE_REPEAT_BYTES / 2 / 8];
    const uint8_t* run_bits = bits + first / 8;
    if (first % 8 != 0) {
      std::memset(moved, 0, sizeof(moved));
      for (uint32_t i = 0; i < count; ++i) {
        if (Bit(bits, first + i)) moved[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
      }
      run_bits = moved;
    }
    select(dst.At(repeat, lane), a.At(repeat, lane), tensor ? b.At(repeat, lane) : nullptr,
           params.scalar.bits, run_bits, count);
  });
}
void RunSelect(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunSelectWith(in, in.operand[0].dtype == BASCULE_FLOAT ? SimdSelect32() : SimdSelect16());
}
void RunSelectReference(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunSelectWith(in, in.operand[0].dtype == BASCULE_FLOAT ? SelectReference<uint32_t>
                                                         : SelectReference<uint16_t>);
}

// --- GatherMask

constexpr Body kGatherMaskBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_BFLOAT16, nullptr, nullptr},
    {BASCULE_INT16, BASCULE_INT16, nullptr, nullptr},
    {BASCULE_UINT16, BASCULE_UINT16, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_UINT32, BASCULE_UINT32, nullptr, nullptr},
};

// The fixed patterns, for the 8 elements of one byte of bits.
constexpr uint8_t kPatterns[] = {0, 0x55, 0xaa, 0x11, 0x22, 0x44, 0x88, 0xff};

// Bits `first` to first + 63 of a repeat; bits from `elements` on are 0.
uint64_t PatternWord(const BasculeInstruction& in, uint64_t repeat, uint64_t first) {
  const uint64_t elements = in.mask[0];
  uint64_t word = 0;
  const uint64_t count = std::min<uint64_t>(64, elements - first);
  if (in.params.vector.mode == BASCULE_GATHER_MASK_BITS) {
    const char* bits = static_cast<const char*>(in.operand[2].address) +
                       repeat * in.operand[2].repeat_stride * BASCULE_DATABLOCK_BYTES + first / 8;
    std::memcpy(&word, bits, (count + 7) / 8);
  } else {
    std::memset(&word, kPatterns[in.params.vector.mode], sizeof(word));
  }
  return count == 64 ? word : word & ((uint64_t{1} << count) - 1);
}

Extent GatherMaskExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t elements = in.mask[0];
  if (operand == 1) return ExtentOfElements(in.operand[1], elements, in.count);
  Extent out;
  if (in.count == 0 || elements == 0) return out;
  if (operand == 2) {
    if (in.params.vector.mode != BASCULE_GATHER_MASK_BITS) return out;
    out.run_bytes = (elements + 7) / 8;
    out.runs = 1;
    out.repeats = in.count;
    out.repeat_stride_bytes = uint64_t{in.operand[2].repeat_stride} * BASCULE_DATABLOCK_BYTES;
    out.span_bytes = out.run_bytes + out.repeat_stride_bytes * (in.count - 1);
    return out;
  }
  if (in.params.vector.mode > BASCULE_GATHER_MASK_LAST_PATTERN) return out;
  uint64_t taken = 0;
  for (uint64_t repeat = 0; repeat < in.count; ++repeat) {
    for (uint64_t first = 0; first < elements; first += 64) {
      taken += static_cast<uint64_t>(std::popcount(PatternWord(in, repeat, first)));
    }
  }
  if (taken == 0) return out;
  out.run_bytes = out.span_bytes = taken * ElementBytes(in.operand[0].dtype);
  out.runs = out.repeats = 1;
  return out;
}

std::string GatherMaskMisuse(const BasculeInstruction& in) {
  return in.params.vector.mode <= BASCULE_GATHER_MASK_LAST_PATTERN
             ? ""
             : Join("there is no fixed pattern ", in.params.vector.mode, "; there are 1 to ",
                    BASCULE_GATHER_MASK_LAST_PATTERN, ".");
}

// Every `step`-th of consecutive elements from the `first` on.
template <typename T>
uint64_t PackEvery(const T* from, uint64_t elements, uint64_t first, uint64_t step, T* to) {
  uint64_t taken = 0;
  for (uint64_t i = first; i < elements; i += step) to[taken++] = from[i];
  return taken;
}

template <typename T>
uint64_t PackRepeat(const BasculeInstruction& in, const LaneWalker& src, uint64_t repeat, T* to) {
  // What a fixed pattern takes: every step-th element from one on.
  struct Pattern {
    uint32_t first;
    uint32_t step;
  };
  static constexpr Pattern kSteps[] = {{0, 0}, {0, 2}, {1, 2}, {0, 4},
                                       {1, 4}, {2, 4}, {3, 4}, {0, 1}};
  const uint64_t elements = in.mask[0];
  const Pattern& pattern = kSteps[in.params.vector.mode];
  const T* dense = src.Dense() ? reinterpret_cast<const T*>(src.At(repeat, 0)) : nullptr;
  if (dense != nullptr && pattern.step != 0)
    return PackEvery(dense, elements, pattern.first, pattern.step, to);
  uint64_t taken = 0;
  for (uint64_t first = 0; first < elements; first += 64) {
    for (uint64_t word = PatternWord(in, repeat, first); word != 0; word &= word - 1) {
      const uint64_t lane = first + static_cast<uint64_t>(std::countr_zero(word));
      if (dense != nullptr) {
        to[taken++] = dense[lane];
      } else {
        std::memcpy(to + taken++, src.At(repeat, static_cast<uint32_t>(lane)), sizeof(T));
      }
    }
  }
  return taken;
}

template <typename T>
void Pack(const BasculeInstruction& in) {
  const LaneWalker src(in.operand[1]);
  T* to = static_cast<T*>(in.operand[0].address);
  uint64_t taken = 0;
  for (uint64_t repeat = 0; repeat < in.count; ++repeat)
    taken += PackRepeat(in, src, repeat, to + taken);
  std::memcpy(ResultOf(in), &taken, sizeof(taken));
}

void RunGatherMask(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (ElementBytes(in.operand[0].dtype) == 2) {
    Pack<uint16_t>(in);
  } else {
    Pack<uint32_t>(in);
  }
}

// --- the rows

constexpr uint8_t kMaskForms =
    1 << BASCULE_FORM_MASK_COUNT | 1 << BASCULE_FORM_MASK_BITS | 1 << BASCULE_FORM_COUNTER;

constexpr Row MakeRow(uint16_t opcode, const char* name, uint8_t operand_count,
                      const char* document, RunFunction run, RunFunction run_reference,
                      Extent (*extent)(const BasculeInstruction&, uint32_t)) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeV;
  row.operand_count = operand_count;
  row.roles[0] = Role::kWrite;
  for (int i = 1; i < operand_count; ++i) row.roles[i] = Role::kRead;
  row.document = document;
  row.run = run;
  row.run_reference = run_reference;
  row.extent = extent;
  return row;
}

template <size_t n>
constexpr Row WithBodies(Row row, const Body (&bodies)[n], uint8_t forms,
                         std::string (*misuse)(const BasculeInstruction&)) {
  row.bodies = bodies;
  row.body_count = n;
  row.forms = forms;
  row.misuse = misuse;
  return row;
}

constexpr Row MakeRegisterRow(uint16_t opcode, const char* name, uint8_t operand_count,
                              const char* document, RunFunction run) {
  Row row = MakeRow(opcode, name, operand_count, document, run, run, RegisterExtent);
  row.forms = 1 << BASCULE_FORM_COUNT;
  row.align_bytes[operand_count - 1] = kRegisterBytes;
  return row;
}

}  // namespace

constexpr Row kCompareRow =
    WithBodies(MakeRow(BASCULE_OPCODE_kCompare, "Compare", 3, "比较与选择/Compare.md", RunCompare,
                       RunCompareReference, CompareExtent),
               kCompareBodies, 1 << BASCULE_FORM_COUNT | kMaskForms, CompareMisuse);
constexpr Row kComparesRow = WithBodies(
    MakeRow(BASCULE_OPCODE_kCompares, "Compares", 2, "比较与选择/Compares.md", RunCompare,
            RunCompareReference, CompareExtent),
    kCompareBodies, 1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT, CompareMisuse);
constexpr Row kGetCmpMaskRow = MakeRegisterRow(BASCULE_OPCODE_kGetCmpMask, "GetCmpMask", 1,
                                               "比较与选择/GetCmpMask(ISASI).md", RunGetCmpMask);
constexpr Row kSetCmpMaskRow = MakeRegisterRow(BASCULE_OPCODE_kSetCmpMask, "SetCmpMask", 2,
                                               "比较与选择/SetCmpMask(ISASI).md", RunSetCmpMask);
constexpr Row kSelectRow =
    WithBodies(MakeRow(BASCULE_OPCODE_kSelect, "Select", 4, "比较与选择/Select.md", RunSelect,
                       RunSelectReference, SelectExtent),
               kSelectBodies, 1 << BASCULE_FORM_COUNT | kMaskForms, SelectMisuse);
constexpr Row kGatherMaskRow =
    WithBodies(MakeRow(BASCULE_OPCODE_kGatherMask, "GatherMask", 3, "比较与选择/GatherMask.md",
                       RunGatherMask, RunGatherMask, GatherMaskExtent),
               kGatherMaskBodies, 1 << BASCULE_FORM_MASK_COUNT, GatherMaskMisuse);

}  // namespace bascule::isa

// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

constexpr Body kBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
};

constexpr uint32_t kMaxLanes = 128;
constexpr uint32_t kBlocks = BASCULE_DATABLOCKS_PER_REPEAT;

// --- plain loops

float Wide(float value) { return value; }
float Wide(half_t value) { return float(value); }

template <typename T>
void SumReference(const void* src, uint64_t groups, uint32_t per_group, void* sums) {
  const T* from = static_cast<const T*>(src);
  for (uint64_t group = 0; group < groups; ++group, from += per_group) {
    T level[kMaxLanes];
    std::copy(from, from + per_group, level);
    for (uint32_t width = per_group / 2; width > 0; width /= 2) {
      for (uint32_t i = 0; i < width; ++i)
        level[i] = T(Wide(level[2 * i]) + Wide(level[2 * i + 1]));
    }
    static_cast<T*>(sums)[group] = level[0];
  }
}

// Whether `a` is to be preferred to `b`, which has a lower index.
bool Beats(float a, float b, bool largest) {
  if (b != b) return false;
  if (a != a) return true;
  if (a == b) return std::signbit(a) != std::signbit(b) && std::signbit(a) != largest;
  return largest ? a > b : a < b;
}

template <typename T>
void ExtremeReference(const void* src, uint64_t groups, uint32_t per_group, bool largest,
                      uint32_t* indices) {
  const T* from = static_cast<const T*>(src);
  for (uint64_t group = 0; group < groups; ++group, from += per_group) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < per_group; ++i) {
      if (Beats(Wide(from[i]), Wide(from[best]), largest)) best = i;
    }
    indices[group] = best;
  }
}

// What a target offers for one element type.
struct Functions {
  SumFunction sum;
  ExtremeFunction extreme;
};

template <typename T>
Functions Plain() {
  return {SumReference<T>, ExtremeReference<T>};
}
template <typename T>
Functions Simd();
template <>
Functions Simd<float>() {
  return {SimdSumFloat(), SimdExtremeFloat()};
}
template <>
Functions Simd<half_t>() {
  return {SimdSumHalf(), SimdExtremeHalf()};
}

// --- the lanes of a repeat

template <typename T>
constexpr uint32_t kLanes = BASCULE_REPEAT_BYTES / sizeof(T);

// What changes no sum, whatever it is added to.
template <typename T>
T Nothing() {
  return T(-0.0f);
}

// The selected lanes of a repeat where they are, the others as nothing.
template <typename T>
const T* InPlace(const LaneWalker& src, uint64_t repeat, const LaneMask& mask, T* buffer) {
  if (src.Dense() && mask.IsPrefix()) {
    const T* from = reinterpret_cast<const T*>(src.At(repeat, 0));
    const uint32_t end = mask.End();
    if (end == kLanes<T>) return from;
    std::copy(from, from + end, buffer);
    std::fill(buffer + end, buffer + kLanes<T>, Nothing<T>());
    return buffer;
  }
  for (uint32_t lane = 0; lane < kLanes<T>; ++lane) {
    if (mask.Has(lane)) {
      std::memcpy(static_cast<void*>(&buffer[lane]), src.At(repeat, lane), sizeof(T));
    } else {
      buffer[lane] = Nothing<T>();
    }
  }
  return buffer;
}

template <typename T>
struct Found {
  T value;
  uint32_t lane;
};

// The largest or smallest of the selected lanes. They are moved together, so that what fills the
// rest comes after them and loses against its equals.
template <typename T>
Found<T> FindExtreme(const LaneWalker& src, uint64_t repeat, const LaneMask& mask, bool largest,
                     ExtremeFunction extreme) {
  uint32_t index = 0;
  const float infinity = std::numeric_limits<float>::infinity();
  const T filler = T(largest ? -infinity : infinity);
  T packed[kMaxLanes];
  if (src.Dense() && mask.IsPrefix()) {
    const T* from = reinterpret_cast<const T*>(src.At(repeat, 0));
    const uint32_t end = mask.End();
    if (end != kLanes<T>) {
      std::copy(from, from + end, packed);
      std::fill(packed + end, packed + kLanes<T>, filler);
      from = packed;
    }
    extreme(from, 1, kLanes<T>, largest, &index);
    return {from[index], index};
  }
  uint32_t lanes[kMaxLanes];
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < kLanes<T>; ++lane) {
    if (!mask.Has(lane)) continue;
    std::memcpy(static_cast<void*>(&packed[count]), src.At(repeat, lane), sizeof(T));
    lanes[count++] = lane;
  }
  std::fill(packed + count, packed + kLanes<T>, filler);
  extreme(packed, 1, kLanes<T>, largest, &index);
  return {packed[index], lanes[index]};
}

BasculeRegisters* RegistersOf(const BasculeInstruction& in) {
  return reinterpret_cast<BasculeRegisters*>(in.params.vector.extra[BASCULE_EXTRA_RESULT]);
}

template <typename T>
uint64_t BitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

uint32_t LanesOf(const BasculeInstruction& in) {
  return BASCULE_REPEAT_BYTES / ElementBytes(in.operand[1].dtype);
}

// --- ReduceRepeat

uint32_t ResultBytes(const BasculeInstruction& in) {
  const uint32_t element = ElementBytes(in.operand[0].dtype);
  if (in.params.vector.mode == BASCULE_REDUCE_SUM) return element;
  switch (in.params.vector.flags) {
    case BASCULE_ORDER_ONLY_VALUE:
      return element;
    case BASCULE_ORDER_ONLY_INDEX:
      return sizeof(uint32_t);
    default:
      return 2 * element;
  }
}

// Where one repeat's results go when its last used lane is `last`; `per_result` lanes give a
// result.
Extent ResultExtent(const BasculeInstruction& in, uint32_t bytes_of_full, uint32_t bytes_of_last,
                    uint64_t repeats) {
  Extent out;
  if (repeats == 0 || bytes_of_last == 0) return out;
  out.run_bytes = repeats > 1 ? bytes_of_full : bytes_of_last;
  out.runs = 1;
  out.repeats = static_cast<uint32_t>(repeats);
  out.repeat_stride_bytes = in.params.vector.extra[0];
  out.span_bytes = bytes_of_last + out.repeat_stride_bytes * (repeats - 1);
  if (repeats > 1) {
    out.span_bytes =
        std::max(out.span_bytes, bytes_of_full + out.repeat_stride_bytes * (repeats - 2));
  }
  return out;
}

Extent ReduceExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand != 0) return ExtentOfForm(in, operand);
  const Repeats repeats(in, LanesOf(in));
  if (repeats.count() == 0) return Extent{};
  const uint32_t full = repeats.Lanes(0).End();
  const uint32_t last = repeats.Lanes(repeats.count() - 1).End();
  const uint32_t element = ElementBytes(in.operand[0].dtype);
  auto bytes = [&](uint32_t lanes) -> uint32_t {
    switch (in.opcode) {
      case BASCULE_OPCODE_kReduceRepeat:
        return lanes == 0 ? 0 : ResultBytes(in);
      case BASCULE_OPCODE_kReduceDataBlock:
        return (lanes * element + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES * element;
      default:
        return (lanes + 1) / 2 * element;
    }
  };
  return ResultExtent(in, bytes(full), bytes(last), repeats.count());
}

std::string Aligned(const BasculeInstruction& in, uint32_t bytes) {
  const uint64_t address = reinterpret_cast<uint64_t>(in.operand[0].address);
  if (address % bytes == 0) return "";
  return Join("the destination begins at address ", address & 0xffffffffu,
              " of the unified buffer; for these results it has to begin on a multiple of ", bytes,
              " bytes.");
}

std::string ReduceMisuse(const BasculeInstruction& in) {
  const BasculeVectorParams& params = in.params.vector;
  const bool only_sums = in.opcode == BASCULE_OPCODE_kReducePairElem;
  if (params.mode >= BASCULE_REDUCE_COUNT || (only_sums && params.mode != BASCULE_REDUCE_SUM)) {
    return Join("there is no reduction ", params.mode, " here.");
  }
  if (in.opcode == BASCULE_OPCODE_kReduceDataBlock) {
    return Aligned(in, kBlocks * ElementBytes(in.operand[0].dtype));
  }
  if (in.opcode == BASCULE_OPCODE_kReducePairElem) return "";
  if (params.flags >= BASCULE_ORDER_COUNT)
    return Join("there is no ReduceOrder ", params.flags, ".");
  return Aligned(in, ResultBytes(in));
}

template <typename T>
void StoreFound(char* to, const Found<T>& found, uint32_t order) {
  using Index = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  const Index index = static_cast<Index>(found.lane);
  switch (order) {
    case BASCULE_ORDER_VALUE_INDEX:
      std::memcpy(to, &found.value, sizeof(T));
      std::memcpy(to + sizeof(T), &index, sizeof(T));
      break;
    case BASCULE_ORDER_INDEX_VALUE:
      std::memcpy(to, &index, sizeof(T));
      std::memcpy(to + sizeof(T), &found.value, sizeof(T));
      break;
    case BASCULE_ORDER_ONLY_VALUE:
      std::memcpy(to, &found.value, sizeof(T));
      break;
    default:
      std::memcpy(to, &found.lane, sizeof(found.lane));
  }
}

// Dense whole repeats whose sums follow one another are summed in one call.
template <typename T>
bool SumsFlow(const BasculeInstruction& in, const Repeats& repeats, uint64_t result_bytes) {
  const BasculeOperand& src = in.operand[1];
  return repeats.count() != 0 && src.block_stride == 1 && src.repeat_stride == kBlocks &&
         in.params.vector.extra[0] == result_bytes && repeats.Lanes(0) == FirstLanes(kLanes<T>) &&
         repeats.Lanes(repeats.count() - 1) == FirstLanes(kLanes<T>);
}

template <typename T>
void ReduceRepeats(const BasculeInstruction& in, const Functions& functions) {
  const BasculeVectorParams& params = in.params.vector;
  const LaneWalker src(in.operand[1]);
  char* to = static_cast<char*>(in.operand[0].address);
  const Repeats repeats(in, kLanes<T>);
  if (params.mode == BASCULE_REDUCE_SUM) {
    if (SumsFlow<T>(in, repeats, sizeof(T))) {
      functions.sum(src.base, repeats.count(), kLanes<T>, to);
      return;
    }
    // Rows of a tile and the like: several repeats are brought together, so that the sums of their
    // upper levels fill vectors too.
    constexpr uint64_t kAtOnce = 8;
    if (repeats.count() == 0 || repeats.Lanes(0).Empty()) return;
    T buffer[kAtOnce * kLanes<T>];
    T sums[kAtOnce];
    for (uint64_t first = 0; first < repeats.count(); first += kAtOnce) {
      const uint64_t now = std::min(kAtOnce, repeats.count() - first);
      for (uint64_t i = 0; i < now; ++i) {
        T* own = buffer + i * kLanes<T>;
        const T* lanes = InPlace(src, first + i, repeats.Lanes(first + i), own);
        if (lanes != own) std::copy(lanes, lanes + kLanes<T>, own);
      }
      functions.sum(buffer, now, kLanes<T>, sums);
      for (uint64_t i = 0; i < now; ++i, to += params.extra[0])
        std::memcpy(to, &sums[i], sizeof(T));
    }
    return;
  }
  const bool largest = params.mode == BASCULE_REDUCE_MAX;
  Found<T> best = {};
  for (uint64_t repeat = 0; repeat < repeats.count(); ++repeat, to += params.extra[0]) {
    const LaneMask& mask = repeats.Lanes(repeat);
    if (mask.Empty()) return;
    const Found<T> found = FindExtreme<T>(src, repeat, mask, largest, functions.extreme);
    StoreFound(to, found, params.flags);
    if (repeat == 0 || Beats(Wide(found.value), Wide(best.value), largest)) {
      best = {found.value, static_cast<uint32_t>(repeat) * kLanes<T> + found.lane};
    }
  }
  if (BasculeRegisters* registers = RegistersOf(in); registers != nullptr && repeats.count() != 0) {
    registers->reduced_value = BitsOf(best.value);
    registers->reduced_index = best.lane;
  }
}

// --- ReduceDataBlock

template <typename T>
void ReduceBlocks(const BasculeInstruction& in, const Functions& functions) {
  constexpr uint32_t kPerBlock = BASCULE_DATABLOCK_BYTES / sizeof(T);
  const BasculeVectorParams& params = in.params.vector;
  const LaneWalker src(in.operand[1]);
  char* to = static_cast<char*>(in.operand[0].address);
  const Repeats repeats(in, kLanes<T>);
  const bool sum = params.mode == BASCULE_REDUCE_SUM;
  const bool largest = params.mode == BASCULE_REDUCE_MAX;
  if (sum && SumsFlow<T>(in, repeats, kBlocks * sizeof(T))) {
    functions.sum(src.base, repeats.count() * kBlocks, kPerBlock, to);
    return;
  }
  const LaneMask every = FirstLanes(kLanes<T>);
  for (uint64_t repeat = 0; repeat < repeats.count(); ++repeat, to += params.extra[0]) {
    const LaneMask& mask = repeats.Lanes(repeat);
    if (src.Dense() && mask == every) {
      const T* from = reinterpret_cast<const T*>(src.At(repeat, 0));
      T results[kBlocks];
      if (sum) {
        functions.sum(from, kBlocks, kPerBlock, results);
      } else {
        uint32_t indices[kBlocks];
        functions.extreme(from, kBlocks, kPerBlock, largest, indices);
        for (uint32_t i = 0; i < kBlocks; ++i) results[i] = from[i * kPerBlock + indices[i]];
      }
      std::memcpy(to, results, sizeof(results));
      continue;
    }
    for (uint32_t block = 0; block < kBlocks; ++block) {
      const uint32_t first = block * kPerBlock;
      const uint64_t bits = mask.Bits(first, kPerBlock);
      if (bits == 0) continue;
      // Lanes that are left out are not read: in a sum they are nothing, else they give way to one
      // that is not.
      T lanes[kPerBlock];
      T filler = Nothing<T>();
      if (!sum) {
        std::memcpy(static_cast<void*>(&filler),
                    src.At(repeat, first + static_cast<uint32_t>(std::countr_zero(bits))),
                    sizeof(T));
      }
      for (uint32_t i = 0; i < kPerBlock; ++i) {
        lanes[i] = filler;
        if ((bits >> i & 1) != 0) {
          std::memcpy(static_cast<void*>(&lanes[i]), src.At(repeat, first + i), sizeof(T));
        }
      }
      T result;
      if (sum) {
        functions.sum(lanes, 1, kPerBlock, &result);
      } else {
        uint32_t index = 0;
        functions.extreme(lanes, 1, kPerBlock, largest, &index);
        result = lanes[index];
      }
      std::memcpy(to + block * sizeof(T), &result, sizeof(T));
    }
  }
}

// --- ReducePairElem

template <typename T>
void ReducePairs(const BasculeInstruction& in, const Functions& functions) {
  const LaneWalker src(in.operand[1]);
  char* to = static_cast<char*>(in.operand[0].address);
  const Repeats repeats(in, kLanes<T>);
  if (SumsFlow<T>(in, repeats, BASCULE_REPEAT_BYTES / 2)) {
    functions.sum(src.base, repeats.count() * kLanes<T> / 2, 2, to);
    return;
  }
  for (uint64_t repeat = 0; repeat < repeats.count(); ++repeat, to += in.params.vector.extra[0]) {
    const LaneMask& mask = repeats.Lanes(repeat);
    T buffer[kMaxLanes];
    T sums[kMaxLanes / 2];
    functions.sum(InPlace(src, repeat, mask, buffer), kLanes<T> / 2, 2, sums);
    for (uint32_t pair = 0; pair < kLanes<T> / 2; ++pair) {
      if (mask.Bits(2 * pair, 2) == 0) continue;
      std::memcpy(to + pair * sizeof(T), &sums[pair], sizeof(T));
    }
  }
}

// --- ReduceSum

// How many repeats have selected lanes.
uint64_t RepeatsWithLanes(const BasculeInstruction& in) {
  if (in.form == BASCULE_FORM_COUNT) return (uint64_t{in.count} + LanesOf(in) - 1) / LanesOf(in);
  const Repeats repeats(in, LanesOf(in));
  return repeats.count() != 0 && !repeats.Lanes(0).Empty() ? repeats.count() : 0;
}

Extent Elements(const BasculeInstruction& in, uint64_t elements) {
  Extent out;
  if (elements == 0) return out;
  out.run_bytes = out.span_bytes = elements * ElementBytes(in.operand[0].dtype);
  out.runs = out.repeats = 1;
  return out;
}

Extent ReduceSumExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand == 1) return ExtentOfForm(in, 1);
  if (operand == 0) return Elements(in, RepeatsWithLanes(in) != 0 ? 1 : 0);
  return in.form == BASCULE_FORM_COUNT ? Extent{} : Elements(in, RepeatsWithLanes(in));
}

template <typename T>
void ReduceSumOf(const BasculeInstruction& in, const Functions& functions) {
  const LaneWalker src(in.operand[1]);
  const Repeats repeats(in, kLanes<T>);
  if (repeats.count() == 0 || repeats.Lanes(0).Empty()) return;
  T buffer[kMaxLanes];
  T total = Nothing<T>();
  if (in.form == BASCULE_FORM_COUNT) {
    constexpr uint64_t kAtOnce = 16;
    T sums[kAtOnce];
    const uint64_t whole = in.count / kLanes<T>;
    bool first = true;
    auto add = [&](T sum) {
      total = first ? sum : T(Wide(total) + Wide(sum));
      first = false;
    };
    for (uint64_t repeat = 0; repeat < whole; repeat += kAtOnce) {
      const uint64_t now = std::min(kAtOnce, whole - repeat);
      functions.sum(src.base + repeat * BASCULE_REPEAT_BYTES, now, kLanes<T>, sums);
      for (uint64_t i = 0; i < now; ++i) add(sums[i]);
    }
    if (whole < repeats.count()) {
      functions.sum(InPlace(src, whole, repeats.Lanes(whole), buffer), 1, kLanes<T>, sums);
      add(sums[0]);
    }
    if (BasculeRegisters* registers = RegistersOf(in); registers != nullptr) {
      registers->reduced_sum = BitsOf(total);
    }
  } else {
    T* work = static_cast<T*>(in.operand[2].address);
    uint64_t left = repeats.count();
    for (uint64_t repeat = 0; repeat < left; ++repeat) {
      functions.sum(InPlace(src, repeat, repeats.Lanes(repeat), buffer), 1, kLanes<T>,
                    work + repeat);
    }
    while (left > 1) {
      const uint64_t sums = (left + kLanes<T> - 1) / kLanes<T>;
      for (uint64_t i = 0; i < sums; ++i) {
        const uint64_t count = std::min<uint64_t>(kLanes<T>, left - i * kLanes<T>);
        std::copy(work + i * kLanes<T>, work + i * kLanes<T> + count, buffer);
        std::fill(buffer + count, buffer + kLanes<T>, Nothing<T>());
        functions.sum(buffer, 1, kLanes<T>, work + i);
      }
      left = sums;
    }
    total = work[0];
  }
  std::memcpy(in.operand[0].address, &total, sizeof(T));
}

std::string ReduceSumMisuse(const BasculeInstruction& in) {
  return Aligned(in, ElementBytes(in.operand[0].dtype));
}

// --- ReduceMax, ReduceMin

bool WithIndex(const BasculeInstruction& in) {
  return (in.params.vector.flags & BASCULE_REDUCE_WITH_INDEX) != 0;
}

Extent ReduceExtremeExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand == 1) return ExtentOfForm(in, 1);
  if (RepeatsWithLanes(in) == 0) return Extent{};
  return Elements(in, operand == 2 ? in.params.vector.extra[1] : WithIndex(in) ? 2 : 1);
}

std::string ReduceExtremeMisuse(const BasculeInstruction& in) {
  return Aligned(in, ElementBytes(in.operand[0].dtype) * (WithIndex(in) ? 2 : 1));
}

template <typename T>
void ReduceExtremeOf(const BasculeInstruction& in, const Functions& functions) {
  const BasculeVectorParams& params = in.params.vector;
  const bool largest = in.opcode == BASCULE_OPCODE_kReduceMax;
  const LaneWalker src(in.operand[1]);
  const Repeats repeats(in, kLanes<T>);
  if (repeats.count() == 0 || repeats.Lanes(0).Empty()) return;
  char* work = static_cast<char*>(in.operand[2].address);
  Found<T> best = {};
  for (uint64_t repeat = 0; repeat < repeats.count(); ++repeat) {
    const Found<T> found =
        FindExtreme<T>(src, repeat, repeats.Lanes(repeat), largest, functions.extreme);
    if (repeat == 0 || Beats(Wide(found.value), Wide(best.value), largest)) {
      best = {found.value, static_cast<uint32_t>(repeat) * kLanes<T> + found.lane};
    }
    if (2 * repeat + 2 <= params.extra[1]) {
      StoreFound(work + repeat * 2 * sizeof(T), found, BASCULE_ORDER_VALUE_INDEX);
    }
  }
  StoreFound(static_cast<char*>(in.operand[0].address), best,
             WithIndex(in) ? BASCULE_ORDER_VALUE_INDEX : BASCULE_ORDER_ONLY_VALUE);
  if (BasculeRegisters* registers = RegistersOf(in); registers != nullptr) {
    registers->reduced_value = BitsOf(best.value);
    registers->reduced_index = best.lane;
  }
}

// --- the rows

#define BASCULE_RUN(name, function)                                                   \
  void name(const Row&, const BasculeInstruction& in, const RunOptions&) {            \
    if (in.operand[1].dtype == BASCULE_FLOAT) {                                       \
      function<float>(in, Simd<float>());                                             \
    } else {                                                                          \
      function<half_t>(in, Simd<half_t>());                                           \
    }                                                                                 \
  }                                                                                   \
  void name##Reference(const Row&, const BasculeInstruction& in, const RunOptions&) { \
    if (in.operand[1].dtype == BASCULE_FLOAT) {                                       \
      function<float>(in, Plain<float>());                                            \
    } else {                                                                          \
      function<half_t>(in, Plain<half_t>());                                          \
    }                                                                                 \
  }
BASCULE_RUN(RunReduceRepeat, ReduceRepeats)
BASCULE_RUN(RunReduceDataBlock, ReduceBlocks)
BASCULE_RUN(RunReducePairElem, ReducePairs)
BASCULE_RUN(RunReduceSum, ReduceSumOf)
BASCULE_RUN(RunReduceExtreme, ReduceExtremeOf)
#undef BASCULE_RUN

constexpr uint8_t kMaskForms =
    1 << BASCULE_FORM_MASK_COUNT | 1 << BASCULE_FORM_MASK_BITS | 1 << BASCULE_FORM_COUNTER;
constexpr uint8_t kAllForms = 1 << BASCULE_FORM_COUNT | kMaskForms;

struct Parts {
  uint8_t operand_count;
  uint8_t forms;
  uint8_t align_bytes;
  RunFunction run;
  RunFunction run_reference;
  Extent (*extent)(const BasculeInstruction&, uint32_t);
  std::string (*misuse)(const BasculeInstruction&);
};

constexpr Row MakeRow(uint16_t opcode, const char* name, const char* document, const Parts& parts) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeV;
  row.operand_count = parts.operand_count;
  row.roles[0] = Role::kWrite;
  row.roles[1] = Role::kRead;
  if (parts.operand_count > 2) row.roles[2] = Role::kWrite;
  row.bodies = kBodies;
  row.body_count = 2;
  row.forms = parts.forms;
  row.document = document;
  row.run = parts.run;
  row.run_reference = parts.run_reference;
  row.saturation = Saturation::kUnavailable;
  row.extent = parts.extent;
  row.misuse = parts.misuse;
  row.align_bytes[0] = parts.align_bytes;
  return row;
}

constexpr Parts kExtremeParts = {3,
                                 kAllForms,
                                 2,
                                 RunReduceExtreme,
                                 RunReduceExtremeReference,
                                 ReduceExtremeExtent,
                                 ReduceExtremeMisuse};

}  // namespace

constexpr Row kReduceRepeatRow = MakeRow(
    BASCULE_OPCODE_kReduceRepeat, "ReduceRepeat", "归约计算/ReduceRepeat.md",
    {2, kMaskForms, 2, RunReduceRepeat, RunReduceRepeatReference, ReduceExtent, ReduceMisuse});
constexpr Row kReduceDataBlockRow =
    MakeRow(BASCULE_OPCODE_kReduceDataBlock, "ReduceDataBlock", "归约计算/ReduceDataBlock.md",
            {2, kMaskForms, 16, RunReduceDataBlock, RunReduceDataBlockReference, ReduceExtent,
             ReduceMisuse});
constexpr Row kReducePairElemRow = MakeRow(
    BASCULE_OPCODE_kReducePairElem, "ReducePairElem", "归约计算/ReducePairElem.md",
    {2, kMaskForms, 0, RunReducePairElem, RunReducePairElemReference, ReduceExtent, ReduceMisuse});
constexpr Row kReduceSumRow = MakeRow(
    BASCULE_OPCODE_kReduceSum, "ReduceSum", "归约计算/ReduceSum.md",
    {3, kAllForms, 2, RunReduceSum, RunReduceSumReference, ReduceSumExtent, ReduceSumMisuse});
constexpr Row kReduceMaxRow =
    MakeRow(BASCULE_OPCODE_kReduceMax, "ReduceMax", "归约计算/ReduceMax.md", kExtremeParts);
constexpr Row kReduceMinRow =
    MakeRow(BASCULE_OPCODE_kReduceMin, "ReduceMin", "归约计算/ReduceMin.md", kExtremeParts);

}  // namespace bascule::isa

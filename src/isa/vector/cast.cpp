// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/cast.h"

#include <cstring>
#include <string>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/convert.h"
#include "bascule/numeric/half.h"
#include "bascule/numeric/int4.h"
#include "base/dtype.h"
#include "base/error.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

// Elements of a type in memory, one by one.
template <typename T>
struct Elements {
  using Type = T;
  static T Get(const void* from, uint64_t i) { return static_cast<const T*>(from)[i]; }
  static void Set(void* to, uint64_t i, T value) { static_cast<T*>(to)[i] = value; }
};
template <>
struct Elements<int4b_t> {
  using Type = int4b_t;
  static int4b_t Get(const void* from, uint64_t i) {
    const uint8_t pair = static_cast<const uint8_t*>(from)[i / 2];
    return i % 2 == 0 ? numeric::FirstInt4(pair) : numeric::SecondInt4(pair);
  }
  static void Set(void* to, uint64_t i, int4b_t value) {
    uint8_t& pair = static_cast<uint8_t*>(to)[i / 2];
    pair = i % 2 == 0 ? numeric::PackInt4(value, numeric::SecondInt4(pair))
                      : numeric::PackInt4(numeric::FirstInt4(pair), value);
  }
};

using FloatLane = Elements<float>;
using HalfLane = Elements<half_t>;
using BfloatLane = Elements<bfloat16_t>;
using Int4Lane = Elements<int4b_t>;
using Int8Lane = Elements<int8_t>;
using UInt8Lane = Elements<uint8_t>;
using Int16Lane = Elements<int16_t>;
using Int32Lane = Elements<int32_t>;
using Int64Lane = Elements<int64_t>;

template <class From, class To>
void Reference(void* dst, const void* src, const void*, uint64_t scalar, uint64_t count) {
  const auto rounding = static_cast<numeric::Rounding>(static_cast<uint32_t>(scalar));
  const half_t scale = half_t::FromBits(static_cast<uint16_t>(scalar >> 32));
  for (uint64_t i = 0; i < count; ++i) {
    const typename From::Type value = From::Get(src, i);
    if constexpr (std::is_same_v<From, FloatLane> && std::is_same_v<To, FloatLane>) {
      To::Set(dst, i, numeric::RoundToInteger(value, rounding));
    } else if constexpr (std::is_same_v<From, Int32Lane> && std::is_same_v<To, HalfLane>) {
      To::Set(dst, i, half_t(double(value) * double(scale)));  // a double holds the product
    } else {
      To::Set(dst, i, numeric::Convert<typename To::Type>(value, rounding));
    }
  }
}

#define BASCULE_CAST_BODY(from, from_number, to, to_number, modes) \
  {to_number, from_number, Reference<from##Lane, to##Lane>, SimdCast##from##To##to},
constexpr Body kBodies[] = {BASCULE_CASTS(BASCULE_CAST_BODY)};
#undef BASCULE_CAST_BODY

#define BASCULE_CAST_MODES(from, from_number, to, to_number, modes) modes,
constexpr uint8_t kModes[] = {BASCULE_CASTS(BASCULE_CAST_MODES)};
#undef BASCULE_CAST_MODES

constexpr const char* kModeNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                      "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};

uint64_t ScalarOf(const BasculeInstruction& in) {
  return in.params.vector.mode | in.params.vector.scalar.bits << 32;
}

const Body& BodyOf(const BasculeInstruction& in) {
  return *FindBody(kCastRow, in.operand[0].dtype, in.operand[1].dtype);
}

void RunCast(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunLanes(in, BodyOf(in).simd(), ScalarOf(in));
}

void RunCastReference(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunLanes(in, BodyOf(in).reference, ScalarOf(in));
}

// Whether four-bit lanes are selected in pairs.
bool SelectsPairs(const BasculeInstruction& in) {
  switch (in.form) {
    case BASCULE_FORM_COUNT:
      return in.count % 2 == 0;
    case BASCULE_FORM_MASK_BITS:
      return ((in.mask[0] ^ in.mask[0] >> 1) & 0x5555555555555555) == 0 &&
             ((in.mask[1] ^ in.mask[1] >> 1) & 0x5555555555555555) == 0;
    default:
      return in.mask[0] % 2 == 0;
  }
}

std::string Misuse(const BasculeInstruction& in) {
  const uint32_t mode = in.params.vector.mode;
  const uint32_t allowed = kModes[&BodyOf(in) - kBodies];
  if (mode >= std::size(kModeNames) || (allowed >> mode & 1) == 0) {
    std::string names;
    for (uint32_t i = 0; i < std::size(kModeNames); ++i) {
      if (allowed >> i & 1) names += (names.empty() ? "" : ", ") + std::string(kModeNames[i]);
    }
    return Join("from ", DTypeName(in.operand[1].dtype), " to ", DTypeName(in.operand[0].dtype),
                " the rounding mode ",
                mode < std::size(kModeNames) ? kModeNames[mode] : std::to_string(mode).c_str(),
                " is not available; available: ", names, ".");
  }
  const bool four_bits = in.operand[0].dtype == BASCULE_INT4 || in.operand[1].dtype == BASCULE_INT4;
  if (four_bits && !SelectsPairs(in)) {
    return "four-bit elements are converted in pairs: the count, or the lanes of a mask, have to "
           "be "
           "even, and two lanes of one byte are selected together.";
  }
  return {};
}

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

}  // namespace

constexpr Row kCastRow = {
    .opcode = BASCULE_OPCODE_kCast,
    .name = "Cast",
    .pipe = PipeV,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = kBodies,
    .body_count = std::size(kBodies),
    .forms = 1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT | 1 << BASCULE_FORM_MASK_BITS |
             1 << BASCULE_FORM_COUNTER,
    .fused = false,
    .ulp = 0,
    .document = "类型转换/Cast.md",
    .run = RunCast,
    .run_reference = RunCastReference,
    .extent = nullptr,
    .misuse = Misuse,
    .saturation = Saturation::kResults,
};

}  // namespace bascule::isa

// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bascule/numeric/convert.h"
#include "bascule/numeric/half.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

// What an instruction computes of one element: `d` is the destination's old value, `s` the scalar.
// The type is the one the arithmetic is done in: float for half, else the element type itself.
namespace element {

// Integers wrap; in C++ only unsigned ones do, and narrow ones would be widened to a signed int.
template <typename T>
uint64_t Bits(T value) {
  return static_cast<uint64_t>(value);
}
template <typename T>
constexpr bool kIsInteger = std::is_integral_v<T>;

#define BASCULE_ELEMENT(name)                                                              \
  struct name {                                                                            \
    template <typename T>                                                                  \
    static T Apply([[maybe_unused]] T d, T a, [[maybe_unused]] T b, [[maybe_unused]] T s); \
  };                                                                                       \
  template <typename T>                                                                    \
  T name::Apply([[maybe_unused]] T d, T a, [[maybe_unused]] T b, [[maybe_unused]] T s)

template <typename T>
T Sum(T a, T b) {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(Bits(a) + Bits(b));
  else
    return a + b;
}
template <typename T>
T Difference(T a, T b) {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(Bits(a) - Bits(b));
  else
    return a - b;
}
template <typename T>
T Product(T a, T b) {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(Bits(a) * Bits(b));
  else
    return a * b;
}
// NaN wins; of the two zeros the positive one is larger.
template <typename T>
T Larger(T a, T b) {
  if constexpr (!kIsInteger<T>) {
    if (a != a || b != b) return a + b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}
template <typename T>
T Smaller(T a, T b) {
  if constexpr (!kIsInteger<T>) {
    if (a != a || b != b) return a + b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

BASCULE_ELEMENT(Mul) { return Product(a, b); }
BASCULE_ELEMENT(Add) { return Sum(a, b); }
BASCULE_ELEMENT(Sub) { return Difference(a, b); }
BASCULE_ELEMENT(Div) { return a / b; }
BASCULE_ELEMENT(Max) { return Larger(a, b); }
BASCULE_ELEMENT(Min) { return Smaller(a, b); }
BASCULE_ELEMENT(And) { return static_cast<T>(a & b); }
BASCULE_ELEMENT(Or) { return static_cast<T>(a | b); }
BASCULE_ELEMENT(Xor) { return static_cast<T>(a ^ b); }
BASCULE_ELEMENT(AddRelu) { return Larger(Sum(a, b), T(0)); }
BASCULE_ELEMENT(SubRelu) { return Larger(Difference(a, b), T(0)); }
BASCULE_ELEMENT(MulAddDst) { return a * b + d; }
BASCULE_ELEMENT(FusedMulAdd) { return a * d + b; }
BASCULE_ELEMENT(MulAddRelu) { return Larger(a * d + b, T(0)); }
BASCULE_ELEMENT(Adds) { return Sum(a, s); }
BASCULE_ELEMENT(Muls) { return Product(a, s); }
BASCULE_ELEMENT(Maxs) { return Larger(a, s); }
BASCULE_ELEMENT(Mins) { return Smaller(a, s); }
// The sign decides, so that a negative zero is multiplied.
BASCULE_ELEMENT(LeakyRelu) { return std::signbit(a) ? a * s : a; }
BASCULE_ELEMENT(Axpy) { return a * s + d; }
// A shift by the width or more leaves nothing, or nothing but signs.
BASCULE_ELEMENT(ShiftLeft) {
  constexpr uint64_t kWidth = 8 * sizeof(T);
  return Bits(s) >= kWidth ? T(0) : static_cast<T>(Bits(a) << Bits(s));
}
BASCULE_ELEMENT(ShiftRight) {
  constexpr uint64_t kWidth = 8 * sizeof(T);
  if (Bits(s) < kWidth) return static_cast<T>(a >> s);
  return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T(0);
}
// The last digit that falls out is added. Of all digits, only signs are left.
BASCULE_ELEMENT(ShiftRightRounded) {
  constexpr uint64_t kWidth = 8 * sizeof(T);
  if (s == 0) return a;
  if (Bits(s) >= kWidth) return T(0);
  return static_cast<T>((a >> s) + (a >> (s - 1) & 1));
}
BASCULE_ELEMENT(Abs) { return std::fabs(a); }
BASCULE_ELEMENT(Relu) { return Larger(a, T(0)); }
BASCULE_ELEMENT(Sqrt) { return std::sqrt(a); }
BASCULE_ELEMENT(Rsqrt) { return T(1) / std::sqrt(a); }
BASCULE_ELEMENT(Reciprocal) { return T(1) / a; }
BASCULE_ELEMENT(Not) { return static_cast<T>(~a); }
// NaN becomes 0 on its way, unlike in AddRelu.
BASCULE_ELEMENT(AddReluCast) {
  const T sum = Sum(a, b);
  return sum == sum ? Larger(sum, T(0)) : T(0);
}
BASCULE_ELEMENT(SubReluCast) {
  const T difference = Difference(a, b);
  return difference == difference ? Larger(difference, T(0)) : T(0);
}
BASCULE_ELEMENT(MulCast) { return a * b; }
#undef BASCULE_ELEMENT

}  // namespace element

// What the arithmetic is done in.
template <typename To, typename From>
struct Wide {
  using Type = float;
};
template <typename T>
struct Wide<T, T> {
  using Type = T;
};
template <>
struct Wide<half_t, half_t> {
  using Type = float;
};

template <typename To, typename W>
To Put(W value) {
  if constexpr (std::is_integral_v<To> && !std::is_integral_v<W>) {
    return numeric::Convert<To>(value);
  } else {
    return To(value);
  }
}

template <typename Op, typename To, typename From, bool reads_dst, int sources>
void Reference(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  using W = typename Wide<To, From>::Type;
  To* to = static_cast<To*>(dst);
  From s;
  std::memcpy(static_cast<void*>(&s), &scalar, sizeof(From));
  for (uint64_t i = 0; i < count; ++i) {
    const W d = reads_dst ? W(to[i]) : W(0);
    const W a = W(static_cast<const From*>(src0)[i]);
    const W b = sources > 1 ? W(static_cast<const From*>(src1)[i]) : W(0);
    to[i] = Put<To>(Op::Apply(d, a, b, W(s)));
  }
}

// Integers that take the nearest value there is: what can leave their range does so by less than
// 64 bits.
constexpr bool LeavesRange(uint16_t opcode) {
  switch (opcode) {
    case BASCULE_OPCODE_kAdd:
    case BASCULE_OPCODE_kSub:
    case BASCULE_OPCODE_kMul:
    case BASCULE_OPCODE_kAdds:
    case BASCULE_OPCODE_kMuls:
    case BASCULE_OPCODE_kAddRelu:
    case BASCULE_OPCODE_kSubRelu:
      return true;
    default:
      return false;
  }
}
template <typename Op, typename T, int sources>
void Saturated(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  T* to = static_cast<T*>(dst);
  T s;
  std::memcpy(&s, &scalar, sizeof(T));
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t a = static_cast<const T*>(src0)[i];
    const int64_t b = sources > 1 ? static_cast<const T*>(src1)[i] : 0;
    const int64_t exact = Op::Apply(int64_t{0}, a, b, int64_t{s});
    to[i] = static_cast<T>(
        std::clamp<int64_t>(exact, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}
template <typename Op, typename To, typename From, int sources>
constexpr FlatFunction SaturatingForm(uint16_t opcode) {
  if constexpr (std::is_integral_v<To> && std::is_same_v<To, From>) {
    if (LeavesRange(opcode)) return Saturated<Op, To, sources>;
  }
  return nullptr;
}

constexpr uint8_t kVectorForms = 1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT |
                                 1 << BASCULE_FORM_MASK_BITS | 1 << BASCULE_FORM_COUNTER;

// The name users know, from the list of opcodes.
constexpr const char* NameOf(uint16_t opcode) {
  switch (opcode) {
#define BASCULE_NAME_OF(id, number, text) \
  case number:                            \
    return text;
    BASCULE_OPCODES(BASCULE_NAME_OF)
#undef BASCULE_NAME_OF
    default:
      return "";
  }
}

template <size_t n>
constexpr Row MakeRow(uint16_t opcode, bool reads_dst, int sources, const Body (&bodies)[n],
                      const char* document) {
  Row row = {};
  row.opcode = opcode;
  row.name = NameOf(opcode);
  row.pipe = PipeV;
  row.operand_count = static_cast<uint8_t>(1 + sources);
  row.roles[0] = reads_dst ? Role::kReadWrite : Role::kWrite;
  for (int i = 1; i <= sources; ++i) row.roles[i] = Role::kRead;
  row.bodies = bodies;
  row.body_count = n;
  row.forms = kVectorForms;
  row.document = document;
  row.run = RunElementwise;
  row.run_reference = RunElementwiseReference;
  row.saturation = Saturation::kResults;
  return row;
}

// One body per element type, in the order of the group.
#define BASCULE_BODY(name, to, to_number, from, from_number, lane)                  \
  {to_number, from_number, Reference<element::name, to, from, kReadsDst, kSources>, \
   Simd##name##lane, SaturatingForm<element::name, to, from, kSources>(BASCULE_OPCODE_k##name)},

}  // namespace

#define BASCULE_DEFINE_ROW(name, reads_dst, sources, types, document) \
  namespace name##_row {                                              \
    constexpr bool kReadsDst = reads_dst;                             \
    constexpr int kSources = sources;                                 \
    constexpr Body kBodies[] = {BASCULE_##types(BASCULE_BODY, name)}; \
  }                                                                   \
  constexpr Row k##name##Row =                                        \
      MakeRow(BASCULE_OPCODE_k##name, reads_dst, sources, name##_row::kBodies, document);
BASCULE_ARITHMETIC(BASCULE_DEFINE_ROW)
#undef BASCULE_DEFINE_ROW
#undef BASCULE_BODY

}  // namespace bascule::isa

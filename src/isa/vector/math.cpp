// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/math.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {

int32_t IntegerPower(int32_t base, int32_t exponent) {
  if (exponent < 0) {
    if (base == 0) return std::numeric_limits<int32_t>::max();
    if (base != 1 && base != -1) return 0;
    return exponent % 2 == 0 ? 1 : base;
  }
  uint32_t result = 1;
  uint32_t square = static_cast<uint32_t>(base);
  for (uint32_t rest = static_cast<uint32_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<int32_t>(result);
}

namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

constexpr uint8_t kCountForm = 1 << BASCULE_FORM_COUNT;
constexpr uint8_t kEveryForm = 1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT |
                               1 << BASCULE_FORM_MASK_BITS | 1 << BASCULE_FORM_COUNTER;

// What a function makes of one element: `a` and `b` are the sources, `s` the scalar.
namespace element {

#define BASCULE_ELEMENT(name)                                                 \
  struct name {                                                               \
    static double Apply([[maybe_unused]] double a, [[maybe_unused]] double b, \
                        [[maybe_unused]] double s);                           \
  };                                                                          \
  double name::Apply([[maybe_unused]] double a, [[maybe_unused]] double b,    \
                     [[maybe_unused]] double s)

BASCULE_ELEMENT(Exp) { return std::exp(a); }
BASCULE_ELEMENT(Ln) { return std::log(a); }
BASCULE_ELEMENT(Log) { return std::log(a); }
BASCULE_ELEMENT(Log2) { return std::log2(a); }
BASCULE_ELEMENT(Log10) { return std::log10(a); }
BASCULE_ELEMENT(Sin) { return std::sin(a); }
BASCULE_ELEMENT(Cos) { return std::cos(a); }
BASCULE_ELEMENT(Tan) { return std::tan(a); }
BASCULE_ELEMENT(Asin) { return std::asin(a); }
BASCULE_ELEMENT(Acos) { return std::acos(a); }
BASCULE_ELEMENT(Atan) { return std::atan(a); }
BASCULE_ELEMENT(Sinh) { return std::sinh(a); }
BASCULE_ELEMENT(Cosh) { return std::cosh(a); }
BASCULE_ELEMENT(Tanh) { return std::tanh(a); }
BASCULE_ELEMENT(Asinh) { return std::asinh(a); }
BASCULE_ELEMENT(Acosh) { return std::acosh(a); }
BASCULE_ELEMENT(Atanh) { return std::atanh(a); }
BASCULE_ELEMENT(Erf) { return std::erf(a); }
BASCULE_ELEMENT(Erfc) { return std::erfc(a); }
BASCULE_ELEMENT(Power) { return std::pow(a, b); }
BASCULE_ELEMENT(PowerOfTensor) { return std::pow(a, s); }
BASCULE_ELEMENT(PowerOfScalar) { return std::pow(s, a); }
BASCULE_ELEMENT(Floor) { return std::floor(a); }
BASCULE_ELEMENT(Ceil) { return std::ceil(a); }
BASCULE_ELEMENT(Trunc) { return std::trunc(a); }
BASCULE_ELEMENT(Round) { return std::nearbyint(a); }
BASCULE_ELEMENT(Frac) { return a - std::trunc(a); }
BASCULE_ELEMENT(Sign) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
BASCULE_ELEMENT(ClampMax) { return a > s ? s : a; }
BASCULE_ELEMENT(ClampMin) { return a < s ? s : a; }
BASCULE_ELEMENT(Sigmoid) { return 1 / (1 + std::exp(-a)); }
BASCULE_ELEMENT(Silu) { return a / (1 + std::exp(-a)); }
BASCULE_ELEMENT(Swish) { return a / (1 + std::exp(-s * a)); }
BASCULE_ELEMENT(Gelu) {
  constexpr double kTwiceRoot = 1.5957691216057307118;  // 2 root(2 / pi)
  return a / (1 + std::exp(-kTwiceRoot * (a + 0.044715 * a * a * a)));
}
BASCULE_ELEMENT(FasterGelu) { return a / (1 + std::exp(-1.702 * a)); }
BASCULE_ELEMENT(FasterGeluV2) {
  const double near = std::min(0.7071 * std::fabs(a), 1.769) - 1.769;
  const double half = 0.5 - 0.1444 * (near * near);
  return a * (0.5 + (a < 0 ? -half : half));
}
BASCULE_ELEMENT(GeGLU) { return a * Gelu::Apply(b, 0, 0); }
BASCULE_ELEMENT(SwiGLU) { return a * Swish::Apply(b, 0, s); }
BASCULE_ELEMENT(ReGlu) { return a * (b < 0 ? 0 : b); }
#undef BASCULE_ELEMENT

}  // namespace element

template <typename Op, typename T, int sources>
void Reference(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  T* to = static_cast<T*>(dst);
  T s;
  std::memcpy(static_cast<void*>(&s), &scalar, sizeof(T));
  for (uint64_t i = 0; i < count; ++i) {
    const T a = static_cast<const T*>(src0)[i];
    const T b = sources > 1 ? static_cast<const T*>(src1)[i] : T(0);
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_same_v<Op, element::Power>) to[i] = IntegerPower(a, b);
      if constexpr (std::is_same_v<Op, element::PowerOfTensor>) to[i] = IntegerPower(a, s);
      if constexpr (std::is_same_v<Op, element::PowerOfScalar>) to[i] = IntegerPower(s, a);
    } else {
      to[i] = T(Op::Apply(double(a), double(b), double(s)));
    }
  }
}

template <size_t n>
constexpr Row MakeRow(uint16_t opcode, const char* name, int sources, const Body (&bodies)[n],
                      uint8_t forms, float ulp, const char* document) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeV;
  row.operand_count = static_cast<uint8_t>(1 + sources);
  row.roles[0] = Role::kWrite;
  for (int i = 1; i <= sources; ++i) row.roles[i] = Role::kRead;
  row.bodies = bodies;
  row.body_count = n;
  row.forms = forms;
  row.ulp = ulp;
  row.document = document;
  row.run = RunElementwise;
  row.run_reference = RunElementwiseReference;
  row.saturation = Saturation::kResults;
  return row;
}

// One body per element type, in the order of the group.
#define BASCULE_BODY(name, type, number, lane) \
  {number, number, Reference<element::name, type, kSources>, Simd##name##lane},

}  // namespace

#define BASCULE_DEFINE_ROW(name, sources, types, forms, ulp, document) \
  namespace name##_row {                                               \
    constexpr int kSources = sources;                                  \
    constexpr Body kBodies[] = {BASCULE_##types(BASCULE_BODY, name)};  \
  }                                                                    \
  constexpr Row k##name##Row =                                         \
      MakeRow(BASCULE_OPCODE_k##name, #name, sources, name##_row::kBodies, forms, ulp, document);
BASCULE_MATHS(BASCULE_DEFINE_ROW)
#undef BASCULE_DEFINE_ROW
#undef BASCULE_BODY

}  // namespace bascule::isa

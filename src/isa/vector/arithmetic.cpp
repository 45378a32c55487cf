// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/arithmetic.h"

#include <cstring>

#include "bascule/numeric/half.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

// What an instruction computes of one element: `d` is the destination's old value, `s` the scalar. The type
// is the one the arithmetic is done in: float for half, else the element type itself.
namespace element {

struct Mul {
  template <typename T>
  static T Apply(T /*d*/, T a, T b, T /*s*/) {
    return a * b;
  }
};

}  // namespace element

template <typename T>
struct Wide {
  using Type = T;
};
template <>
struct Wide<half_t> {
  using Type = float;
};

template <typename Op, typename T, bool reads_dst, int sources>
void Reference(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  using W = typename Wide<T>::Type;
  T* to = static_cast<T*>(dst);
  T s;
  std::memcpy(static_cast<void*>(&s), &scalar, sizeof(T));
  for (uint64_t i = 0; i < count; ++i) {
    const W d = reads_dst ? W(to[i]) : W(0);
    const W a = W(static_cast<const T*>(src0)[i]);
    const W b = sources > 1 ? W(static_cast<const T*>(src1)[i]) : W(0);
    to[i] = T(Op::Apply(d, a, b, W(s)));
  }
}

constexpr uint8_t kVectorForms =
    1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT | 1 << BASCULE_FORM_MASK_BITS;

template <size_t n>
constexpr Row MakeRow(uint16_t opcode, const char* name, bool reads_dst, int sources,
                      const Body (&bodies)[n], const char* document) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
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
  return row;
}

// One body per element type, in the order of the group.
#define BASCULE_BODY(name, type, number, lane) \
  {number, number, Reference<element::name, type, kReadsDst, kSources>, Simd##name##lane},

}  // namespace

#define BASCULE_DEFINE_ROW(name, reads_dst, sources, types, document)                          \
  namespace name##_row {                                                                       \
  constexpr bool kReadsDst = reads_dst;                                                        \
  constexpr int kSources = sources;                                                            \
  constexpr Body kBodies[] = {BASCULE_##types(BASCULE_BODY, name)};                            \
  }                                                                                            \
  constexpr Row k##name##Row = MakeRow(BASCULE_OPCODE_k##name, #name, reads_dst, sources,      \
                                       name##_row::kBodies, document);
BASCULE_ARITHMETIC(BASCULE_DEFINE_ROW)
#undef BASCULE_DEFINE_ROW
#undef BASCULE_BODY

}  // namespace bascule::isa

// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/float_rows.h"

#include <cstring>
#include <limits>

#include "isa/vector/arithmetic.h"
#include "isa/vector/cast.h"
#include "isa/vector/math.h"

namespace bascule::isa {
namespace {

FlatFunction Of(const Row& row, bool reference, BasculeDType dst = BASCULE_FLOAT,
                BasculeDType src = BASCULE_FLOAT) {
  const Body* body = FindBody(row, dst, src);
  return reference ? body->reference : body->simd();
}

constexpr uint64_t kToNearestEven = 1;  // CAST_RINT
constexpr uint64_t kExact = 0;          // CAST_NONE

}  // namespace

FloatRows::FloatRows(bool reference)
    : reference_(reference),
      exp_(Of(kExpRow, reference)),
      log10_(Of(kLog10Row, reference)),
      add_(Of(kAddRow, reference)),
      sub_(Of(kSubRow, reference)),
      mul_(Of(kMulRow, reference)),
      max_(Of(kMaxRow, reference)),
      adds_(Of(kAddsRow, reference)),
      muls_(Of(kMulsRow, reference)) {}

float FloatRows::Fold(FlatFunction function, const float* a, uint64_t n, float* scratch) const {
  const float* from = a;
  while (n > 1) {
    const uint64_t low = (n + 1) / 2;
    function(scratch, from, from + low, 0, n - low);
    if (low != n - low && from != scratch) scratch[low - 1] = from[low - 1];
    from = scratch;
    n = low;
  }
  return from[0];
}

float FloatRows::Sum(const float* a, uint64_t n, float* scratch) const {
  return n == 0 ? 0 : Fold(add_, a, n, scratch);
}

float FloatRows::Largest(const float* a, uint64_t n, float* scratch) const {
  return n == 0 ? -std::numeric_limits<float>::infinity() : Fold(max_, a, n, scratch);
}

void FloatRows::Load(float* to, const void* from, BasculeDType dtype, uint64_t n) const {
  if (dtype == BASCULE_FLOAT) {
    std::memcpy(to, from, n * sizeof(float));
    return;
  }
  Of(kCastRow, reference_, BASCULE_FLOAT, dtype)(to, from, nullptr, kExact, n);
}

void FloatRows::Store(void* to, BasculeDType dtype, const float* from, uint64_t n) const {
  if (dtype == BASCULE_FLOAT) {
    std::memcpy(to, from, n * sizeof(float));
    return;
  }
  Of(kCastRow, reference_, dtype, BASCULE_FLOAT)(to, from, nullptr, kToNearestEven, n);
}

}  // namespace bascule::isa

// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/float_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "hwy/targets.h"
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

// The sum of term(i), in the order of the header.
template <typename Term>
float SumInOrder(uint64_t n, Term term) {
  float sums[kSumLanes];
  std::fill_n(sums, kSumLanes, -0.0f);
  const uint64_t groups = n / kSumLanes;
  for (uint64_t lane = 0; lane < kSumLanes; ++lane) {
    for (uint64_t group = 0; group < groups;) {
      float part = -0.0f;
      const uint64_t end = std::min(groups, group + kSumGroups);
      for (; group < end; ++group) part += term(group * kSumLanes + lane);
      sums[lane] += part;
    }
    if (lane < n % kSumLanes) sums[lane] += term(groups * kSumLanes + lane);
  }
  for (uint64_t half = kSumLanes / 2; half > 0; half /= 2) {
    for (uint64_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

// The floats of a thread: the first `used` of them are in use.
struct Room {
  struct Piece {
    std::unique_ptr<float[]> at;
    uint64_t count = 0;
  };
  std::vector<Piece> pieces;
  size_t used = 0;
};
thread_local Room room;

}  // namespace

Floats::Floats(uint64_t count) {
  if (room.used == room.pieces.size()) room.pieces.emplace_back();
  Room::Piece& piece = room.pieces[room.used];
  if (piece.at == nullptr || piece.count < count) {
    piece.at.reset(new float[count]);
    piece.count = count;
  }
  at_ = piece.at.get();
  ++room.used;
}

Floats::~Floats() { --room.used; }

FloatRows::FloatRows(bool reference)
    : reference_(reference),
      loops_(SimdRowLoops()),
      exp_(Of(kExpRow, reference)),
      log10_(Of(kLog10Row, reference)),
      add_(Of(kAddRow, reference)),
      sub_(Of(kSubRow, reference)),
      mul_(Of(kMulRow, reference)),
      max_(Of(kMaxRow, reference)),
      adds_(Of(kAddsRow, reference)),
      muls_(Of(kMulsRow, reference)) {}

const FloatRows& FloatRows::Simd() {
  thread_local size_t target = 0;
  thread_local std::optional<FloatRows> rows;
  const size_t now = hwy::GetChosenTarget().GetIndex();
  if (!rows.has_value() || now != target) {
    rows.emplace(false);
    target = now;
  }
  return *rows;
}

float FloatRows::Sum(const float* a, uint64_t n) const {
  if (n == 0) return 0;
  return reference_ ? SumInOrder(n, [=](uint64_t i) { return a[i]; }) : loops_.sum(a, n);
}

float FloatRows::SumOfProducts(const float* a, const float* b, uint64_t n) const {
  if (n == 0) return 0;
  return reference_ ? SumInOrder(n, [=](uint64_t i) { return a[i] * b[i]; })
                    : loops_.sum_of_products(a, b, n);
}

float FloatRows::SumOfSquares(const float* a, float mean, uint64_t n) const {
  if (n == 0) return 0;
  return reference_ ? SumInOrder(n, [=](uint64_t i) { return (a[i] - mean) * (a[i] - mean); })
                    : loops_.sum_of_squares(a, mean, n);
}

float FloatRows::Exponentials(float* to, const float* a, float max, uint64_t n) const {
  if (!reference_) return n == 0 ? 0 : loops_.exponentials(to, a, max, n);
  Adds(to, a, -max, n);
  Exp(to, to, n);
  return Sum(to, n);
}

float FloatRows::Largest(const float* a, uint64_t n) const {
  if (!reference_) {
    const float largest = loops_.largest(a, n);
    if (largest == largest) return largest;
  }
  float largest = -std::numeric_limits<float>::infinity();
  for (uint64_t i = 0; i < n; ++i) Max(&largest, &largest, a + i, 1);
  return largest;
}

void FloatRows::TimesDifference(float* to, const float* a, float s, const float* b,
                                uint64_t n) const {
  if (!reference_) return loops_.times_difference(to, a, s, b, n);
  for (uint64_t i = 0; i < n; ++i) to[i] = (a[i] - s) * b[i];
}

void FloatRows::Normalised(float* to, const float* a, float mean, float rstd, const float* gamma,
                           const float* beta, uint64_t n) const {
  if (!reference_) return loops_.normalised(to, a, mean, rstd, gamma, beta, n);
  for (uint64_t i = 0; i < n; ++i) to[i] = (a[i] - mean) * rstd * gamma[i] + beta[i];
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

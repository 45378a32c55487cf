// SPDX-License-Identifier: Apache-2.0
#include "engine/pieces.h"

#include <algorithm>

namespace bascule::engine {
namespace {

// Of an operand, at a time: so many stores past the caches a processor has under way without
// waiting. Whole vectors on every machine.
constexpr uint64_t kPieceBytes = 2048;

}  // namespace

// Whether an operand is one that is known or has nothing in common with those that are.
inline bool Pieces::Joins(uint64_t begin, uint64_t end, uint64_t element_bytes) {
  for (uint32_t i = 0; i < ranges_; ++i) {
    const Range& range = range_[i];
    if (begin == range.begin) return element_bytes == range.element_bytes;
    if (begin < range.end && range.begin < end) return false;
  }
  if (ranges_ == kRanges) return false;
  range_[ranges_].begin = begin;
  range_[ranges_].end = end;
  range_[ranges_].element_bytes = element_bytes;
  ++ranges_;
  return true;
}

bool Pieces::Take(uint64_t count) {
  if (steps_ == 0) {
    count_ = count;
    widest_ = 0;
  } else if (count != count_ || steps_ == kSteps) {
    return false;
  }
  const PieceStep& step = step_[steps_];
  const uint32_t ranges_before = ranges_;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const uint64_t begin = reinterpret_cast<uint64_t>(step.at[i]);
    if (!Joins(begin, begin + count * step.element_bytes[i], step.element_bytes[i])) {
      ranges_ = ranges_before;
      return false;
    }
    widest_ = std::max(widest_, step.element_bytes[i]);
  }
  if (step.flat != nullptr) {
    ++computes_;
  } else if (!step.to_global) {
    ++loads_;
  }
  if (computes_ > kComputes || loads_ > 1) {
    wanted_ = false;
    return false;
  }
  ++steps_;
  return true;
}

void Pieces::Run(isa::CopyFunction copy, isa::StreamFunction stream) {
  const isa::ReadAhead none;
  const uint64_t piece = steps_ == 1 ? count_ : kPieceBytes / widest_;
  for (uint64_t at = 0; at < count_; at += piece) {
    const uint64_t count = std::min(piece, count_ - at);
    for (uint32_t i = 0; i < steps_; ++i) {
      const PieceStep& step = step_[i];
      char* const to = step.at[0] + at * step.element_bytes[0];
      const char* const from = step.at[1] + at * step.element_bytes[1];
      if (step.flat != nullptr) {
        const char* const second = step.at[2] + at * step.element_bytes[2];
        step.flat(to, from, second, step.scalar, count);
      } else if (step.to_global) {
        stream(to, from, count * step.element_bytes[1], none);
      } else {
        copy(to, from, count * step.element_bytes[1], isa::kAheadBytes);
      }
    }
  }
  Forget();
}

}  // namespace bascule::engine

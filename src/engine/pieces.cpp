// SPDX-License-Identifier: Apache-2.0
#include "engine/pieces.h"

#include <algorithm>

namespace bascule::engine {
namespace {

// Of an operand, at a time; whole vectors on every machine.
constexpr uint64_t kPieceBytes = 2048;
// Of what is stored: so much past the caches a processor has under way without waiting, with as
// many reads besides. Of 256 bytes to 4 KiB this was the fastest on an Intel Xeon.
constexpr uint64_t kStoredBytes = 512;
// How far ahead global memory is fetched: a short piece takes less time than a fetch.
constexpr uint64_t kFetchBytes = 2048;
constexpr uint64_t kLineBytes = 64;

// Of what lies some pieces further on.
void Fetch(const char* from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(from + kFetchBytes + at);
}

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

// The copy that has yet to fill a tile; null: there is none.
inline PieceStep* Pieces::FindLate(const char* tile) {
  for (uint32_t i = 0; i < late_; ++i) {
    if (load_[i].at[0] == tile) return &load_[i];
  }
  return nullptr;
}

// Reads what comes late where it still is.
inline void Pieces::AddCompute() {
  PieceStep step = next_;
  PieceStep* overwritten = FindLate(step.at[0]);
  for (uint32_t i = 1; i < step.operand_count; ++i) {
    if (const PieceStep* load = FindLate(step.at[i])) step.at[i] = load->at[1];
  }
  if (overwritten == nullptr) {
    Add(step);
    return;
  }
  PieceStep load = *overwritten;
  *overwritten = load_[--late_];
  if (step.reads_destination) {
    Add(load);
    Add(step);
  } else {
    Add(step);
    load.kind = PieceStep::Kind::kFetch;
    Add(load);
  }
}

inline void Pieces::AddLate() {
  for (uint32_t i = 0; i < late_; ++i) Add(load_[i]);
  late_ = 0;
}

bool Pieces::Take(uint64_t count) {
  if (empty()) {
    count_ = count;
    widest_ = 0;
  } else if (count != count_ || steps_ + late_ == kSteps) {
    return false;
  }
  const uint32_t ranges_before = ranges_;
  for (uint32_t i = 0; i < next_.operand_count; ++i) {
    const uint64_t begin = reinterpret_cast<uint64_t>(next_.at[i]);
    if (!Joins(begin, begin + count * next_.element_bytes[i], next_.element_bytes[i])) {
      ranges_ = ranges_before;
      return false;
    }
    widest_ = std::max(widest_, next_.element_bytes[i]);
  }
  if (next_.kind == PieceStep::Kind::kCompute) ++computes_;
  if (next_.kind == PieceStep::Kind::kLoad) ++loads_;
  if (computes_ > kComputes || loads_ > kLoads) {
    wanted_ = false;
    return false;
  }
  if (next_.kind == PieceStep::Kind::kCompute) {
    AddCompute();
  } else if (next_.kind == PieceStep::Kind::kStore) {
    AddLate();
    Add(next_);
  } else if (PieceStep* before = FindLate(next_.at[0])) {
    *before = next_;
  } else {
    load_[late_++] = next_;
  }
  return true;
}

void Pieces::Run(isa::CopyFunction copy, isa::StreamFunction stream, const isa::ReadAhead& ahead) {
  AddLate();
  const bool alone = steps_ == 1;
  uint64_t piece = alone ? count_ : kPieceBytes / widest_;
  for (uint32_t i = 0; i < steps_ && !alone; ++i) {
    if (step_[i].kind == PieceStep::Kind::kStore) piece = kStoredBytes / step_[i].element_bytes[0];
  }
  const uint64_t copies_ahead = alone ? isa::kAheadBytes : kFetchBytes;
  const isa::ReadAhead stores_ahead = alone ? ahead : isa::ReadAhead{};
  for (uint64_t at = 0; at < count_; at += piece) {
    const uint64_t count = std::min(piece, count_ - at);
    for (uint32_t i = 0; i < steps_; ++i) {
      const PieceStep& step = step_[i];
      char* const to = step.at[0] + at * step.element_bytes[0];
      const char* const from = step.at[1] + at * step.element_bytes[1];
      switch (step.kind) {
        case PieceStep::Kind::kCompute:
          step.flat(to, from, step.at[2] + at * step.element_bytes[2], step.scalar, count);
          break;
        case PieceStep::Kind::kLoad:
          copy(to, from, count * step.element_bytes[1], copies_ahead);
          break;
        case PieceStep::Kind::kStore:
          stream(to, from, count * step.element_bytes[1], stores_ahead);
          break;
        case PieceStep::Kind::kFetch:
          Fetch(from, count * step.element_bytes[1]);
          break;
      }
    }
  }
  Forget();
}

}  // namespace bascule::engine

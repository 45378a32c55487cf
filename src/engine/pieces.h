// Instructions that wait to run together, a piece of each after the other.
//
// A kernel copies a tile in, computes on it and copies it out: one walk over the tile after the
// other. In a large launch that is slow, whatever the size of the tile: while a tile is read
// nothing is computed, stores past the caches come in a burst that the processor has to wait for,
// and what was read has left the first cache when it is needed. So elementwise instructions and the
// copies around them wait for the copy to global memory, and then all run on the first elements,
// then on the next ones.
//
// A copy from global memory comes late: what is computed of it is computed straight from global
// memory. So the tile is filled when its elements are in the first cache, or not at all where
// results take its place.
//
// Nobody can tell. Only instructions on one number of elements wait, whose operands are the same
// elements or have none in common, so that no element depends on another's. Nothing is written to
// global memory late. Whatever else the kernel does has them run first; a scalar access asks while
// BasculeCore::watch_scalar is set. Where observers watch nothing waits, nor does anything once the
// kernel has an address of its own into the unified buffer (GetPhyAddr(), the reference of
// tensor(i)): it may look at any time. A kernel that does much with a tile, or reads three, gains
// nothing by it: its block goes on tile by tile.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_PIECES_H_
#define BASCULE_ENGINE_PIECES_H_

#include <cstdint>

#include "isa/move/bytes.h"
#include "isa/row.h"

namespace bascule::engine {

// An instruction on `count` elements. Operand 0 is the destination; what is not there is null.
struct PieceStep {
  enum class Kind : uint8_t {
    kCompute,  // `flat`
    kLoad,     // a copy from global memory
    kStore,    // a copy to it
    kFetch     // of a kLoad that nobody needs any more: what lies further on is fetched
  };
  static constexpr uint32_t kOperands = 3;
  Kind kind;
  bool reads_destination;
  uint32_t operand_count;
  isa::FlatFunction flat;
  uint64_t scalar;
  char* at[kOperands];
  uint64_t element_bytes[kOperands];
};

class Pieces {
 public:
  // Shorter ones are one piece or two.
  static constexpr uint64_t kLeastBytes = 4096;

  // For a new block; whether anything shall wait at all.
  void Begin(bool wanted) {
    wanted_ = wanted;
    Forget();
  }
  bool wanted() const { return wanted_; }
  bool empty() const { return steps_ + late_ == 0; }

  // Where the next instruction is to be written; it waits after Take(), and not if that is false:
  // then it has to run by itself, after what is waiting.
  PieceStep& Next() { return next_; }
  bool Take(uint64_t count);

  // Runs what waits. `stream` is for copies to global memory, which end a launch's use of a tile;
  // one that waited alone fetches what lies ahead.
  void Run(isa::CopyFunction copy, isa::StreamFunction stream, const isa::ReadAhead& ahead);

 private:
  static constexpr uint32_t kSteps = 8;
  static constexpr uint32_t kComputes = 3;
  static constexpr uint32_t kLoads = 2;
  static constexpr uint32_t kRanges = 8;

  struct Range {
    uint64_t begin;
    uint64_t end;
    uint64_t element_bytes;
  };

  void Forget() { steps_ = ranges_ = computes_ = loads_ = late_ = 0; }
  bool Joins(uint64_t begin, uint64_t end, uint64_t element_bytes);
  PieceStep* FindLate(const char* tile);
  void Add(const PieceStep& step) { step_[steps_++] = step; }
  void AddCompute();
  void AddLate();

  bool wanted_ = false;
  uint32_t steps_ = 0;
  uint32_t computes_ = 0;  // of them arithmetic
  uint32_t loads_ = 0;     // copies from global memory, those that come late among them
  uint32_t late_ = 0;
  uint32_t ranges_ = 0;
  uint64_t widest_ = 0;  // bytes of the largest elements
  uint64_t count_ = 0;
  Range range_[kRanges];
  PieceStep next_;
  PieceStep load_[kLoads];  // that come late
  PieceStep step_[kSteps];
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_PIECES_H_

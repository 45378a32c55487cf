// Squares of floats in L1 that wait to be turned on their way to L0B.
//
// LoadDataWithTranspose turns rows along n into rows along k, and Mmad turns them back before it
// multiplies: a processor wants rows along n, which is what L1 has. So the former waits, and the
// latter takes its rows from L1. Mostly nobody else ever looks at that part of L0B before it is
// overwritten, and nothing is turned at all.
//
// Nobody can tell. A turn that waits runs before an instruction that might see L0B or write where
// it reads from; only a few are known not to. So it does before all for which Core::RunWaiting() is
// called. Where observers watch nothing waits, nor does anything once the kernel has an address of
// its own, as with pieces.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_TURNS_H_
#define BASCULE_ENGINE_TURNS_H_

#include <cstdint>

#include "isa/row.h"

namespace bascule::engine {

class Turns {
 public:
  // For a new block; whether anything shall wait at all.
  void Begin(bool wanted) {
    wanted_ = wanted;
    count_ = 0;
  }
  bool wanted() const { return wanted_; }
  bool empty() const { return count_ == 0; }

  // An instruction that is in order. True: it waits, and is not to be run.
  bool Take(const BasculeInstruction& in);
  // Before one that is run: what waits runs where that could make a difference. Of a product it is
  // the squares that it reads, row by row of them, or null: it reads L0B.
  const char* const* Before(const BasculeInstruction& in);
  // Before something is written to L1.
  void BeforeWrite(const void* to, uint64_t bytes);
  void Run();

 private:
  static constexpr uint32_t kMost = 64;

  // A row of `squares` squares that follow one another, to as many pairs of fractals.
  struct Turn {
    char* to;
    const char* from;
    uint64_t squares;
  };
  const Turn* Find(const char* to, uint64_t squares) const;

  bool wanted_ = false;
  uint32_t count_ = 0;
  Turn turn_[kMost];
  const char* rows_[kMost];
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_TURNS_H_

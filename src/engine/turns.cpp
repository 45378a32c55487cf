// SPDX-License-Identifier: Apache-2.0
#include "engine/turns.h"

#include "bascule/abi/cube.h"
#include "bascule/abi/opcodes.h"
#include "isa/cube/load.h"

namespace bascule::engine {
namespace {

constexpr uint64_t kSide = BASCULE_FRACTAL_ROWS;
constexpr uint64_t kSquareBytes = kSide * kSide * sizeof(float);

bool Overlap(const char* a, uint64_t a_bytes, const char* b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

}  // namespace

inline const Turns::Turn* Turns::Find(const char* to, uint64_t squares) const {
  for (uint32_t i = 0; i < count_; ++i) {
    if (turn_[i].to == to && turn_[i].squares == squares) return &turn_[i];
  }
  return nullptr;
}

bool Turns::Take(const BasculeInstruction& in) {
  const uint64_t* extra = in.params.vector.extra;
  const uint64_t squares = extra[BASCULE_LOAD_PIECES];
  // Squares one behind the other, to fractals one behind the other.
  if (!wanted_ || in.opcode != BASCULE_OPCODE_kLoadDataWithTranspose || squares == 0 ||
      in.operand[0].dtype != BASCULE_FLOAT || in.operand[0].memory != BASCULE_L0B ||
      extra[BASCULE_LOAD_FROM_STRIDE] != 1 || extra[BASCULE_LOAD_TO_STRIDE] != 1 ||
      extra[BASCULE_LOAD_TO_FRACTAL_STRIDE] != squares ||
      (in.params.vector.flags & BASCULE_LOAD_BACKWARDS) != 0) {
    return false;
  }
  const Turn turn = {static_cast<char*>(in.operand[0].address),
                     static_cast<const char*>(in.operand[1].address), squares};
  const uint64_t bytes = squares * kSquareBytes;
  // What is overwritten as a whole need not run.
  for (uint32_t i = 0; i < count_;) {
    const uint64_t other = turn_[i].squares * kSquareBytes;
    if (turn_[i].to >= turn.to && turn_[i].to + other <= turn.to + bytes) {
      turn_[i] = turn_[--count_];
    } else if (Overlap(turn_[i].to, other, turn.to, bytes)) {
      Run();
    } else {
      ++i;
    }
  }
  if (count_ == kMost) Run();
  turn_[count_++] = turn;
  return true;
}

const char* const* Turns::Before(const BasculeInstruction& in) {
  if (count_ == 0) return nullptr;
  const BasculeOperand& to = in.operand[0];
  switch (in.opcode) {
    case BASCULE_OPCODE_kMmad: {
      const uint64_t* extra = in.params.vector.extra;
      const uint64_t squares = (extra[BASCULE_MMAD_N] + kSide - 1) / kSide;
      const uint64_t rows = (extra[BASCULE_MMAD_K] + kSide - 1) / kSide;
      const auto* b = static_cast<const char*>(in.operand[2].address);
      bool waits = in.operand[2].dtype == BASCULE_FLOAT && rows <= kMost &&
                   (in.params.vector.flags & BASCULE_MMAD_HF32) == 0;
      for (uint64_t i = 0; i < rows && waits; ++i) {
        const Turn* turn = Find(b + i * squares * kSquareBytes, squares);
        waits = turn != nullptr;
        if (waits) rows_[i] = turn->from;
      }
      if (waits) return rows_;
      break;
    }
    case BASCULE_OPCODE_kLoadData:
    case BASCULE_OPCODE_kLoadDataWithTranspose:
      if (to.memory == BASCULE_L0A) return nullptr;
      break;
    case BASCULE_OPCODE_kFixpipe:
      if (to.memory == BASCULE_GM) return nullptr;
      break;
    default:
      break;
  }
  Run();
  return nullptr;
}

void Turns::BeforeWrite(const void* to, uint64_t bytes) {
  for (uint32_t i = 0; i < count_; ++i) {
    if (!Overlap(turn_[i].from, turn_[i].squares * kSquareBytes, static_cast<const char*>(to),
                 bytes)) {
      continue;
    }
    Run();
    return;
  }
}

void Turns::Run() {
  const isa::TurnFunction turn = isa::SimdTurn32();
  for (uint32_t i = 0; i < count_; ++i) {
    const Turn& one = turn_[i];
    for (uint64_t square = 0; square < one.squares; ++square) {
      turn(one.to + square * BASCULE_FRACTAL_BYTES, one.squares * BASCULE_FRACTAL_BYTES,
           one.from + square * kSquareBytes);
    }
  }
  count_ = 0;
}

}  // namespace bascule::engine

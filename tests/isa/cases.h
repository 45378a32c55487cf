// Instructions at awkward sizes, memory that ends at a page nobody may touch, and which lanes an
// instruction works on, written once more in the plainest way: what the tests of instruction
// families share. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_ISA_CASES_H_
#define BASCULE_TESTS_ISA_CASES_H_

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/row.h"
#include "simd/targets.h"

namespace bascule::isa::test {

// Bytes whose end is the end of what may be touched.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t capacity = 256 * 1024)
      : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))),
        capacity_((capacity + page_ - 1) / page_ * page_),
        base_(static_cast<char*>(mmap(nullptr, capacity_ + page_, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(base_ + capacity_, page_, PROT_NONE);
  }
  ~GuardedMemory() { munmap(base_, capacity_ + page_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // The last `bytes.size()` bytes, holding `bytes`.
  char* Put(const std::vector<char>& bytes) {
    char* at = base_ + capacity_ - bytes.size();
    std::copy(bytes.begin(), bytes.end(), at);
    return at;
  }

 private:
  size_t page_;
  size_t capacity_;
  char* base_;
};

inline void Poke(std::vector<char>& bytes, uint64_t at, const void* value, size_t size) {
  std::memcpy(&bytes.at(at + size - 1) - (size - 1), value, size);
}
template <typename T>
T Peek(const std::vector<char>& bytes, uint64_t at) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bytes.at(at + sizeof(T) - 1) - (sizeof(T) - 1),
              sizeof(T));
  return value;
}

// Special values first, rotated by the seed; then anything. Small numbers repeat, so that there are
// ties.
inline std::vector<char> SomeBytes(size_t size, BasculeDType dtype, uint32_t seed) {
  std::mt19937 random(seed + 17);
  std::vector<char> bytes(size);
  for (char& byte : bytes) byte = static_cast<char>(random());
  auto put = [&](const auto& values) {
    const size_t element = sizeof(values[0]);
    for (size_t i = 0; (i + 1) * element <= size; ++i) {
      if (i >= values.size() && random() % 3 != 0) continue;
      Poke(bytes, i * element, &values[(i < values.size() ? i + seed : random()) % values.size()],
           element);
    }
  };
  if (dtype == BASCULE_FLOAT) {
    put(std::vector<uint32_t>{0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                              0xff800000, 0x7fc00000, 0x7f7fffff, 0x00000001, 0x80000001,
                              0x40490fdb, 0x3dcccccd});
  } else if (dtype == BASCULE_FLOAT16) {
    put(std::vector<uint16_t>{0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7bff,
                              0x0001, 0x8001, 0x4248, 0x2e66});
  }
  return bytes;
}

// Numbers without infinities and NaN, of about the same size.
inline std::vector<char> TameBytes(size_t size, BasculeDType dtype, uint32_t seed) {
  std::mt19937 random(seed + 29);
  std::vector<char> bytes(size);
  const size_t element = ElementBytes(dtype);
  for (size_t i = 0; (i + 1) * element <= size; ++i) {
    const float value = (static_cast<float>(random() % 20001) - 10000) / 1009;
    if (dtype == BASCULE_FLOAT) {
      Poke(bytes, i * element, &value, element);
    } else {
      const uint16_t bits = half_t(value).Bits();
      Poke(bytes, i * element, &bits, element);
    }
  }
  return bytes;
}

// NaN is NaN, whatever its payload.
inline bool SameElement(const char* a, const char* b, BasculeDType dtype) {
  if (std::memcmp(a, b, ElementBytes(dtype)) == 0) return true;
  if (dtype == BASCULE_FLOAT) {
    float x;
    float y;
    std::memcpy(&x, a, 4);
    std::memcpy(&y, b, 4);
    return x != x && y != y;
  }
  if (dtype == BASCULE_FLOAT16) {
    uint16_t x;
    uint16_t y;
    std::memcpy(&x, a, 2);
    std::memcpy(&y, b, 2);
    return (x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00;
  }
  return false;
}

// The form of an instruction, with a name for failures.
struct Form {
  std::string name;
  BasculeInstruction in;
};

// `base` in every call form of `forms` (bits) with counts, masks and repeats around the edges of a
// repeat of `lanes` lanes.
inline std::vector<Form> Forms(const BasculeInstruction& base, uint32_t forms, uint32_t lanes) {
  std::vector<Form> out;
  auto add = [&](std::string name, uint8_t form, uint32_t count, uint64_t low, uint64_t high) {
    Form made{std::move(name), base};
    made.in.form = form;
    made.in.count = count;
    made.in.mask[0] = low;
    made.in.mask[1] = high;
    out.push_back(std::move(made));
  };
  const uint32_t block = lanes / BASCULE_DATABLOCKS_PER_REPEAT;
  if (forms & (1 << BASCULE_FORM_COUNT)) {
    for (uint32_t count : {0u, 1u, block - 1, block, block + 1, lanes - 1, lanes, lanes + 1, 37u,
                           4 * lanes + block + 3, 9 * lanes}) {
      add(Join("count ", count), BASCULE_FORM_COUNT, count, 0, 0);
    }
  }
  if (forms & (1 << BASCULE_FORM_COUNTER)) {
    for (uint64_t count : {0u, 1u, block, lanes - 1, lanes, lanes + 1, 3 * lanes + block + 3}) {
      add(Join("counter ", count), BASCULE_FORM_COUNTER, 1, count, 0);
    }
  }
  for (uint32_t repeats : {0u, 1u, 2u, 5u}) {
    if (forms & (1 << BASCULE_FORM_MASK_COUNT)) {
      for (uint64_t mask : {0u, 1u, 2u, block - 1, block, block + 1, lanes / 2, lanes - 1, lanes}) {
        add(Join("mask ", mask, " repeats ", repeats), BASCULE_FORM_MASK_COUNT, repeats, mask, 0);
      }
    }
    if (forms & (1 << BASCULE_FORM_MASK_BITS)) {
      for (uint64_t bits :
           {uint64_t{0}, uint64_t{1}, uint64_t{1} << 63, uint64_t{0x8001}, uint64_t{0xff00ff00},
            uint64_t{0x5555555555555555}, uint64_t{0xfffffffffffffffe}, ~uint64_t{0}}) {
        add(Join("bits ", bits, " repeats ", repeats), BASCULE_FORM_MASK_BITS, repeats, bits,
            lanes > 64 ? bits : 0);
        if (lanes > 64) {
          add(Join("high bits ", bits, " repeats ", repeats), BASCULE_FORM_MASK_BITS, repeats, 0,
              bits);
        }
      }
    }
  }
  return out;
}

struct Stride {
  uint16_t block;
  uint32_t repeat;
};
inline void SetStride(BasculeInstruction& in, uint32_t operand, Stride stride) {
  in.operand[operand].block_stride = stride.block;
  in.operand[operand].repeat_stride = stride.repeat;
}

inline uint64_t RepeatsOf(const BasculeInstruction& in, uint32_t lanes) {
  if (in.form == BASCULE_FORM_COUNT) return (in.count + lanes - 1) / lanes;
  if (in.form == BASCULE_FORM_COUNTER) return (in.mask[0] + lanes - 1) / lanes;
  return in.count;
}
inline bool Selected(const BasculeInstruction& in, uint64_t repeat, uint32_t lane, uint32_t lanes) {
  switch (in.form) {
    case BASCULE_FORM_COUNT:
      return repeat * lanes + lane < in.count;
    case BASCULE_FORM_COUNTER:
      return repeat * lanes + lane < in.mask[0];
    case BASCULE_FORM_MASK_COUNT:
      return lane < in.mask[0];
    default:
      return (in.mask[lane / 64] >> (lane % 64) & 1) != 0;
  }
}
// Bytes from the start of an operand to a lane.
inline uint64_t LaneOffset(const BasculeOperand& op, uint64_t repeat, uint32_t lane) {
  const uint64_t byte = uint64_t{lane} * ElementBytes(op.dtype);
  return repeat * op.repeat_stride * 32 + byte / 32 * op.block_stride * 32 + byte % 32;
}

// One instruction on memory, by the reference and on every CPU target.
class Bench {
 public:
  explicit Bench(uint16_t opcode) : row_(*FindRow(opcode)) {}

  const Row& row() const { return row_; }

  // Runs `in` with operand i holding the first bytes of `memory[i]`, as many as its footprint has,
  // at the end of what may be touched, and compares the destination with `expected` element by
  // element.
  void Check(BasculeInstruction in, const std::vector<std::vector<char>>& memory,
             std::vector<char> expected, const std::string& what) {
    ASSERT_NO_FATAL_FAILURE(
        RunOne(in, memory, expected, row_.run_reference, Join(what, ", reference")));
    for (int64_t target : simd::UsableTargets()) {
      simd::UseTarget(target);
      ASSERT_NO_FATAL_FAILURE(
          RunOne(in, memory, expected, row_.run, Join(what, ", ", simd::TargetName(target))));
    }
    simd::UseTarget(0);
  }

 private:
  void RunOne(BasculeInstruction& in, const std::vector<std::vector<char>>& memory,
              const std::vector<char>& expected, RunFunction function, const std::string& what) {
    for (uint32_t i = 0; i < row_.operand_count; ++i) in.operand[i].address = guarded_[i].Put({});
    // From the last operand to the first, as the engine does.
    uint64_t spans[BASCULE_MAX_OPERANDS] = {};
    for (uint32_t i = row_.operand_count; i-- > 0;) {
      spans[i] = ExtentOf(row_, in, i).span_bytes;
      ASSERT_LE(spans[i], memory[i].size()) << what;
      // A row may insist on where its results begin.
      if (i == 0 && row_.misuse != nullptr) spans[i] = (spans[i] + 31) / 32 * 32;
      in.operand[i].address = guarded_[i].Put(
          {memory[i].begin(), memory[i].begin() + static_cast<ptrdiff_t>(spans[i])});
    }
    if (row_.misuse != nullptr) {
      ASSERT_EQ(row_.misuse(in), "") << what;
    }
    function(row_, in, RunOptions{});
    const char* got = static_cast<const char*>(in.operand[0].address);
    const uint32_t element = std::max(1u, ElementBytes(in.operand[0].dtype));
    for (uint64_t at = 0; at + element <= spans[0]; at += element) {
      ASSERT_TRUE(SameElement(got + at, &expected[at], in.operand[0].dtype))
          << what << ": byte " << at << " of " << spans[0];
    }
    // What the footprint leaves out is not written: nothing else was expected to change either.
    ASSERT_EQ(std::memcmp(expected.data() + spans[0], memory[0].data() + spans[0],
                          memory[0].size() - spans[0]),
              0)
        << what << ": the footprint of " << spans[0] << " bytes is too short";
  }

  const Row& row_;
  GuardedMemory guarded_[BASCULE_MAX_OPERANDS];
};

}  // namespace bascule::isa::test

#endif  // BASCULE_TESTS_ISA_CASES_H_

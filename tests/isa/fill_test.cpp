// Duplicate, CreateVecIndex, Arange, Brcb and Copy against plain loops, in every form, on every CPU
// target. SPDX-License-Identifier: Apache-2.0
#include "isa/vector/fill.h"

#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa {
namespace {

using test::Bench;
using test::Form;
using test::Forms;
using test::LaneOffset;
using test::Poke;
using test::RepeatsOf;
using test::Selected;
using test::SetStride;
using test::SomeBytes;
using test::Stride;

constexpr size_t kBytes = 24 * 1024;
constexpr Stride kStrides[] = {{1, 8}, {2, 16}, {1, 9}, {3, 1}, {1, 0}};
constexpr BasculeDType kPlain[] = {BASCULE_FLOAT,  BASCULE_FLOAT16, BASCULE_BFLOAT16, BASCULE_INT16,
                                   BASCULE_UINT16, BASCULE_INT32,   BASCULE_UINT32};

BasculeInstruction Base(const Row& row, BasculeDType dtype) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.operand_count = row.operand_count;
  for (auto& operand : in.operand) operand = {nullptr, BASCULE_UB, dtype, 1, 8};
  return in;
}

TEST(Duplicate, WritesTheScalarInSelectedLanesOnly) {
  Bench bench(BASCULE_OPCODE_kDuplicate);
  for (BasculeDType dtype : kPlain) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t lanes = 256 / element;
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 1)};
    for (const Stride stride : kStrides) {
      for (Form& form : Forms(Base(bench.row(), dtype), bench.row().forms, lanes)) {
        if (form.in.form == BASCULE_FORM_COUNT && stride.block != 1) continue;
        const uint64_t scalar = 0x1234567890abcdef;
        form.in.params.vector.scalar.bits = scalar;
        SetStride(form.in, 0, form.in.form == BASCULE_FORM_COUNT ? Stride{1, 8} : stride);
        std::vector<char> expected = memory[0];
        for (uint64_t repeat = 0; repeat < RepeatsOf(form.in, lanes); ++repeat) {
          for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (!Selected(form.in, repeat, lane, lanes)) continue;
            Poke(expected, LaneOffset(form.in.operand[0], repeat, lane), &scalar, element);
          }
        }
        ASSERT_NO_FATAL_FAILURE(
            bench.Check(form.in, memory, expected, Join(DTypeName(dtype), " ", form.name)));
      }
    }
  }
}

template <typename T>
void CheckIndex(BasculeDType dtype, std::vector<T> firsts, T (*plus)(T, uint64_t)) {
  Bench bench(BASCULE_OPCODE_kCreateVecIndex);
  const uint32_t lanes = 256 / sizeof(T);
  const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 2)};
  size_t next = 0;
  for (const Stride stride : kStrides) {
    for (Form& form : Forms(Base(bench.row(), dtype), bench.row().forms, lanes)) {
      const T first = firsts[next++ % firsts.size()];
      std::memcpy(&form.in.params.vector.scalar.bits, &first, sizeof(T));
      SetStride(form.in, 0, form.in.form == BASCULE_FORM_COUNT ? Stride{1, 8} : stride);
      std::vector<char> expected = memory[0];
      for (uint64_t repeat = 0; repeat < RepeatsOf(form.in, lanes); ++repeat) {
        for (uint32_t lane = 0; lane < lanes; ++lane) {
          if (!Selected(form.in, repeat, lane, lanes)) continue;
          const T value = plus(first, repeat * lanes + lane);
          Poke(expected, LaneOffset(form.in.operand[0], repeat, lane), &value, sizeof(T));
        }
      }
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(form.in, memory, expected, Join(DTypeName(dtype), " ", form.name)));
    }
  }
}

TEST(CreateVecIndex, CountsUpFromTheFirstValue) {
  CheckIndex<float>(BASCULE_FLOAT, {0.0f, 0.1f, -7.5f, 1e9f, INFINITY},
                    [](float first, uint64_t i) { return first + float(i); });
  CheckIndex<half_t>(BASCULE_FLOAT16, {half_t(0), half_t(0.1f), half_t(2047), half_t(-60000.0f)},
                     [](half_t first, uint64_t i) { return half_t(float(first) + float(i)); });
  CheckIndex<int16_t>(BASCULE_INT16, {int16_t(0), int16_t(-5), int16_t(32700)},
                      [](int16_t first, uint64_t i) { return int16_t(first + int(i)); });
  CheckIndex<int32_t>(BASCULE_INT32, {0, -1000, 2147483600}, [](int32_t first, uint64_t i) {
    return int32_t(uint32_t(first) + uint32_t(i));
  });
}

template <typename T, typename Next>
void CheckArange(BasculeDType dtype, T first, T difference, Next next) {
  Bench bench(BASCULE_OPCODE_kArange);
  const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 3)};
  for (uint32_t count : {0u, 1u, 7u, 8u, 9u, 63u, 64u, 65u, 100u, 200u, 1000u}) {
    BasculeInstruction in = Base(bench.row(), dtype);
    in.form = BASCULE_FORM_COUNT;
    in.count = count;
    std::memcpy(&in.params.vector.scalar.bits, &first, sizeof(T));
    std::memcpy(&in.params.vector.extra[0], &difference, sizeof(T));
    std::vector<char> expected = memory[0];
    for (uint32_t i = 0; i < count; ++i) {
      const T value = next(i);
      Poke(expected, i * sizeof(T), &value, sizeof(T));
    }
    ASSERT_NO_FATAL_FAILURE(
        bench.Check(in, memory, expected, Join(DTypeName(dtype), " count ", count)));
  }
}

TEST(Arange, IsAnArithmeticProgression) {
  CheckArange<int32_t>(BASCULE_INT32, -100, 7, [](uint32_t i) { return -100 + 7 * int32_t(i); });
  CheckArange<int16_t>(BASCULE_INT16, int16_t(30000), int16_t(9),
                       [](uint32_t i) { return int16_t(30000 + 9 * int32_t(i)); });
  CheckArange<float>(BASCULE_FLOAT, 0.25f, 0.5f,
                     [](uint32_t i) { return 0.25f + 0.5f * float(i); });
  CheckArange<half_t>(BASCULE_FLOAT16, half_t(-4), half_t(0.25f),
                      [](uint32_t i) { return half_t(-4 + 0.25f * float(i)); });
}

TEST(Arange, StaysCloseWhereSumsRound) {
  std::vector<float> out(1000);
  BasculeInstruction in = Base(*FindRow(BASCULE_OPCODE_kArange), BASCULE_FLOAT);
  const float first = 1.234f;
  const float difference = 5.678f;
  in.count = 1000;
  in.operand[0].address = out.data();
  std::memcpy(&in.params.vector.scalar.bits, &first, 4);
  std::memcpy(&in.params.vector.extra[0], &difference, 4);
  kArangeRow.run(kArangeRow, in, RunOptions{});
  for (size_t i = 0; i < out.size(); ++i) {
    const double exact = double(first) + double(difference) * double(i);
    ASSERT_NEAR(out[i], exact, 2e-7 * exact + 1e-6) << i;
  }
}

TEST(Brcb, FillsADatablockWithEachElement) {
  Bench bench(BASCULE_OPCODE_kBrcb);
  for (BasculeDType dtype : kPlain) {
    const uint32_t element = ElementBytes(dtype);
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 4),
                                                   SomeBytes(kBytes, dtype, 5)};
    for (uint32_t repeats : {0u, 1u, 2u, 7u}) {
      for (const Stride stride : kStrides) {
        BasculeInstruction in = Base(bench.row(), dtype);
        in.form = BASCULE_FORM_MASK_COUNT;
        in.mask[0] = 256 / element;
        in.count = repeats;
        SetStride(in, 0, stride);
        std::vector<char> expected = memory[0];
        for (uint32_t i = 0; i < repeats * 8; ++i) {
          for (uint32_t at = 0; at < 32; at += element) {
            Poke(expected, i / 8 * stride.repeat * 32 + i % 8 * stride.block * 32 + at,
                 &memory[1][i * element], element);
          }
        }
        ASSERT_NO_FATAL_FAILURE(
            bench.Check(in, memory, expected, Join(DTypeName(dtype), " repeats ", repeats)));
      }
    }
  }
}

TEST(Brcb, RefusesWhatTheHardwareDoesNotDefine) {
  std::vector<char> memory(512);
  BasculeInstruction in = Base(kBrcbRow, BASCULE_FLOAT);
  in.count = 1;
  in.operand[0].address = memory.data();
  in.operand[1].address = memory.data();
  EXPECT_NE(kBrcbRow.misuse(in).find("does not work in place"), std::string::npos);
  in.operand[1].address = memory.data() + 256;
  EXPECT_EQ(kBrcbRow.misuse(in), "");
  in.operand[0].block_stride = 0;
  EXPECT_NE(kBrcbRow.misuse(in).find("dstBlkStride is 0"), std::string::npos);
}

TEST(Copy, MovesSelectedLanes) {
  Bench bench(BASCULE_OPCODE_kCopy);
  const uint32_t forms = bench.row().forms & ~(1u << BASCULE_FORM_COUNTER);
  for (BasculeDType dtype : kPlain) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t lanes = 256 / element;
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 6),
                                                   SomeBytes(kBytes, dtype, 7)};
    size_t next = 0;
    for (const Stride stride : kStrides) {
      for (Form& form : Forms(Base(bench.row(), dtype), forms, lanes)) {
        SetStride(form.in, 0, stride);
        SetStride(form.in, 1, kStrides[next++ % std::size(kStrides)]);
        std::vector<char> expected = memory[0];
        for (uint64_t repeat = 0; repeat < RepeatsOf(form.in, lanes); ++repeat) {
          for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (!Selected(form.in, repeat, lane, lanes)) continue;
            Poke(expected, LaneOffset(form.in.operand[0], repeat, lane),
                 &memory[1][LaneOffset(form.in.operand[1], repeat, lane)], element);
          }
        }
        ASSERT_NO_FATAL_FAILURE(
            bench.Check(form.in, memory, expected, Join(DTypeName(dtype), " ", form.name)));
      }
    }
  }
}

// The counter mode of Copy is its own: the mask counts the elements of one repeat, and repeats are
// made.
TEST(Copy, CountsPerRepeatInCounterMode) {
  Bench bench(BASCULE_OPCODE_kCopy);
  const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_INT32, 8),
                                                 SomeBytes(kBytes, BASCULE_INT32, 9)};
  for (uint64_t elements : {0u, 1u, 7u, 8u, 9u, 64u, 144u}) {
    for (uint32_t repeats : {0u, 1u, 3u}) {
      BasculeInstruction in = Base(bench.row(), BASCULE_INT32);
      in.form = BASCULE_FORM_COUNTER;
      in.mask[0] = elements;
      in.count = repeats;
      SetStride(in, 0, {1, 20});
      SetStride(in, 1, {8, 3});
      std::vector<char> expected = memory[0];
      for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        for (uint32_t i = 0; i < elements; ++i) {
          Poke(expected, repeat * 20 * 32 + i * 4,
               &memory[1][repeat * 3 * 32 + i / 8 * 8 * 32 + i % 8 * 4], 4);
        }
      }
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(in, memory, expected, Join("elements ", elements, "×", repeats)));
    }
  }
}

}  // namespace
}  // namespace bascule::isa

// Compare, Compares, Select, GatherMask and the compare mask register against plain loops, in every
// form, on every CPU target. SPDX-License-Identifier: Apache-2.0
#include "isa/vector/compare.h"

#include <cmath>
#include <limits>

#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa {
namespace {

using test::Bench;
using test::Form;
using test::Forms;
using test::LaneOffset;
using test::Peek;
using test::Poke;
using test::RepeatsOf;
using test::Selected;
using test::SetStride;
using test::SomeBytes;
using test::Stride;

constexpr size_t kBytes = 24 * 1024;
constexpr Stride kStrides[] = {{1, 8}, {2, 16}, {1, 9}, {3, 1}, {0, 4}};

BasculeInstruction Base(const Row& row, BasculeDType dst, BasculeDType src) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.operand_count = row.operand_count;
  for (auto& operand : in.operand) operand = {nullptr, BASCULE_UB, src, 1, 8};
  in.operand[0].dtype = dst;
  return in;
}

double Number(const std::vector<char>& bytes, uint64_t at, BasculeDType dtype) {
  if (dtype == BASCULE_FLOAT) return double(Peek<float>(bytes, at));
  if (dtype == BASCULE_FLOAT16) return double(float(Peek<half_t>(bytes, at)));
  return double(Peek<int32_t>(bytes, at));
}

bool Truth(double a, double b, uint32_t mode) {
  if (a != a || b != b) return false;
  const bool table[] = {a<b, a> b, a == b, a <= b, a >= b, a != b};
  return table[mode];
}

std::vector<uint32_t> ModesOf(BasculeDType dtype) {
  if (dtype == BASCULE_INT32) return {BASCULE_COMPARE_EQ};
  return {BASCULE_COMPARE_LT, BASCULE_COMPARE_GT, BASCULE_COMPARE_EQ,
          BASCULE_COMPARE_LE, BASCULE_COMPARE_GE, BASCULE_COMPARE_NE};
}

void CheckCompare(uint16_t opcode, bool tensor) {
  Bench bench(opcode);
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16, BASCULE_INT32}) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t lanes = 256 / element;
    std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 1),
                                             SomeBytes(kBytes, dtype, 2)};
    if (tensor) memory.push_back(SomeBytes(kBytes, dtype, 5));
    if (dtype == BASCULE_INT32 && tensor) {
      for (size_t i = 0; i < kBytes; i += 12) Poke(memory[2], i, &memory[1][i], 4);
    }
    for (uint32_t mode : ModesOf(dtype)) {
      const uint32_t forms = 1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT;
      size_t next = 0;
      for (const Stride stride : kStrides) {
        for (Form& form : Forms(Base(bench.row(), BASCULE_UINT8, dtype), forms, lanes)) {
          const bool count = form.in.form == BASCULE_FORM_COUNT;
          if (!count && form.in.mask[0] != lanes) continue;
          if (count && stride.repeat != 8) continue;
          form.in.params.vector.mode = mode;
          std::memcpy(&form.in.params.vector.scalar.bits, &memory[1][(next++ % 14) * element],
                      element);
          SetStride(form.in, 1, stride);
          if (tensor)
            SetStride(form.in, 2, count ? Stride{1, 8} : kStrides[next % std::size(kStrides)]);
          std::vector<char> expected = memory[0];
          const uint64_t repeats = count ? form.in.count / lanes : form.in.count;
          const std::vector<char> scalar(&memory[1][((next - 1) % 14) * element],
                                         &memory[1][((next - 1) % 14) * element] + element);
          for (uint64_t i = 0; i < repeats * lanes; ++i) {
            const uint32_t lane = static_cast<uint32_t>(i % lanes);
            const double a =
                Number(memory[1], LaneOffset(form.in.operand[1], i / lanes, lane), dtype);
            const double b =
                tensor ? Number(memory[2], LaneOffset(form.in.operand[2], i / lanes, lane), dtype)
                       : Number(scalar, 0, dtype);
            const char bit = static_cast<char>(1 << (i % 8));
            if (Truth(a, b, mode)) {
              expected[i / 8] = static_cast<char>(expected[i / 8] | bit);
            } else {
              expected[i / 8] = static_cast<char>(expected[i / 8] & ~bit);
            }
          }
          ASSERT_NO_FATAL_FAILURE(bench.Check(
              form.in, memory, expected, Join(DTypeName(dtype), " mode ", mode, " ", form.name)));
        }
      }
    }
  }
}

TEST(Compare, GivesABitPerElementOfWholeRepeats) { CheckCompare(BASCULE_OPCODE_kCompare, true); }
TEST(Compares, GivesABitPerElementOfWholeRepeats) { CheckCompare(BASCULE_OPCODE_kCompares, false); }

// The page on boundary values: rows and columns are lowest, highest, +0, -0, NaN, +inf, -inf.
TEST(Compare, AnswersSpecialValuesAsDocumented) {
  const char* const tables[][7] = {
      {"0111010", "0000010", "0100010", "0100010", "0000000", "0000000", "1111010"},  // LT
      {"0000001", "1011001", "1000001", "1000001", "0000000", "1111001", "0000000"},  // GT
      {"1000000", "0100000", "0011000", "0011000", "0000000", "0000010", "0000001"},  // EQ
      {"1111010", "0100010", "0111010", "0111010", "0000000", "0000010", "1111011"},  // LE
      {"1000001", "1111001", "1011001", "1011001", "0000000", "1111011", "0000001"},  // GE
      {"0111011", "1011011", "1100011", "1100011", "0000000", "1111001", "1111010"},  // NE
  };
  const float infinity = std::numeric_limits<float>::infinity();
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    const float highest = dtype == BASCULE_FLOAT ? std::numeric_limits<float>::max() : 65504.0f;
    const float values[] = {-highest, highest, 0.0f, -0.0f, NAN, infinity, -infinity};
    for (uint32_t mode = 0; mode < BASCULE_COMPARE_COUNT; ++mode) {
      for (int64_t target : simd::UsableTargets()) {
        simd::UseTarget(target);
        std::vector<char> a(256, 0);
        std::vector<char> b(256, 0);
        for (uint32_t i = 0; i < 49; ++i) {
          const half_t x(values[i / 7]);
          const half_t y(values[i % 7]);
          if (dtype == BASCULE_FLOAT) {
            Poke(a, i * 4, &values[i / 7], 4);
            Poke(b, i * 4, &values[i % 7], 4);
          } else {
            Poke(a, i * 2, &x, 2);
            Poke(b, i * 2, &y, 2);
          }
        }
        uint8_t bits[16];
        (dtype == BASCULE_FLOAT ? SimdCompareFloat() : SimdCompareHalf())(a.data(), b.data(), 0,
                                                                          mode, 1, bits);
        for (uint32_t i = 0; i < 49; ++i) {
          EXPECT_EQ((bits[i / 8] >> (i % 8)) & 1, tables[mode][i / 7][i % 7] - '0')
              << DTypeName(dtype) << " mode " << mode << ": " << values[i / 7] << ", "
              << values[i % 7];
        }
      }
      simd::UseTarget(0);
    }
  }
}

TEST(Compare, RefusesWhatTheHardwareCannot) {
  BasculeInstruction in = Base(kCompareRow, BASCULE_UINT8, BASCULE_INT32);
  in.params.vector.mode = BASCULE_COMPARE_LT;
  EXPECT_NE(kCompareRow.misuse(in).find("CMPMODE::EQ only"), std::string::npos);
  in.params.vector.mode = BASCULE_COMPARE_EQ;
  EXPECT_EQ(kCompareRow.misuse(in), "");
  in.params.vector.mode = 6;
  EXPECT_NE(kCompareRow.misuse(in).find("there is no CMPMODE 6"), std::string::npos);
}

// Selected lanes of one repeat; the other bits of the register stay.
TEST(Compare, FillsTheRegister) {
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t lanes = 256 / element;
    const std::vector<char> a = SomeBytes(4096, dtype, 1);
    const std::vector<char> b = SomeBytes(4096, dtype, 4);
    const uint32_t forms = kCompareRow.forms & ~(1u << BASCULE_FORM_COUNT);
    for (Form& form : Forms(Base(kCompareRow, BASCULE_UINT8, dtype), forms, lanes)) {
      if (form.in.form == BASCULE_FORM_COUNTER ? form.in.mask[0] > lanes : form.in.count != 1)
        continue;
      for (uint32_t mode : ModesOf(dtype)) {
        uint64_t reg[2];
        BasculeInstruction& in = form.in;
        in.params.vector.mode = mode;
        in.params.vector.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(reg);
        SetStride(in, 1, {2, 8});
        in.operand[1].address = const_cast<char*>(a.data());
        in.operand[2].address = const_cast<char*>(b.data());
        EXPECT_EQ(ExtentOf(kCompareRow, in, 0).span_bytes, 0u);
        uint64_t expected[2] = {0x123456789abcdef0, 0xfedcba9876543210};
        for (uint32_t lane = 0; lane < lanes; ++lane) {
          if (!Selected(in, 0, lane, lanes)) continue;
          const uint64_t bit = uint64_t{1} << (lane % 64);
          const bool truth = Truth(Number(a, LaneOffset(in.operand[1], 0, lane), dtype),
                                   Number(b, LaneOffset(in.operand[2], 0, lane), dtype), mode);
          expected[lane / 64] = truth ? expected[lane / 64] | bit : expected[lane / 64] & ~bit;
        }
        for (const RunFunction run : {kCompareRow.run_reference, kCompareRow.run}) {
          reg[0] = 0x123456789abcdef0;
          reg[1] = 0xfedcba9876543210;
          run(kCompareRow, in, RunOptions{});
          ASSERT_EQ(reg[0], expected[0])
              << DTypeName(dtype) << " " << form.name << " mode " << mode;
          ASSERT_EQ(reg[1], expected[1])
              << DTypeName(dtype) << " " << form.name << " mode " << mode;
        }
      }
    }
  }
}

TEST(CmpMask, IsWrittenAndRead) {
  uint64_t reg[2] = {1, 2};
  uint64_t from[4] = {0, 77, 88, 0};
  uint64_t to[4] = {0, 0, 0, 9};
  BasculeInstruction in = Base(kSetCmpMaskRow, BASCULE_UINT8, BASCULE_UINT8);
  in.params.vector.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(reg);
  in.operand[1].address = from + 1;
  EXPECT_EQ(ExtentOf(kSetCmpMaskRow, in, 0).span_bytes, 0u);
  EXPECT_EQ(ExtentOf(kSetCmpMaskRow, in, 1).span_bytes, 16u);
  kSetCmpMaskRow.run(kSetCmpMaskRow, in, RunOptions{});
  EXPECT_EQ(reg[0], 77u);
  EXPECT_EQ(reg[1], 88u);
  BasculeInstruction get = Base(kGetCmpMaskRow, BASCULE_UINT8, BASCULE_UINT8);
  get.params.vector.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(reg);
  get.operand[0].address = to + 1;
  EXPECT_EQ(ExtentOf(kGetCmpMaskRow, get, 0).span_bytes, 16u);
  kGetCmpMaskRow.run(kGetCmpMaskRow, get, RunOptions{});
  EXPECT_EQ(to[1], 77u);
  EXPECT_EQ(to[2], 88u);
  EXPECT_EQ(to[3], 9u);
}

TEST(Select, TakesTheFirstSourceWhereTheBitIsSet) {
  Bench bench(BASCULE_OPCODE_kSelect);
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t lanes = 256 / element;
    const std::vector<std::vector<char>> memory = {
        SomeBytes(kBytes, dtype, 1), SomeBytes(kBytes, dtype, 2), SomeBytes(kBytes, dtype, 3),
        SomeBytes(kBytes, BASCULE_UINT8, 4)};
    const uint64_t words[2] = {Peek<uint64_t>(memory[3], 64), Peek<uint64_t>(memory[3], 72)};
    size_t next = 0;
    for (uint32_t mode :
         {BASCULE_SELECT_REPEATED_BITS, BASCULE_SELECT_SCALAR, BASCULE_SELECT_TENSOR}) {
      for (const bool from_register : {false, true}) {
        if (from_register && mode != BASCULE_SELECT_REPEATED_BITS) continue;
        for (const Stride stride : {Stride{1, 8}, Stride{2, 16}, Stride{1, 9}}) {
          for (Form& form : Forms(Base(bench.row(), dtype, dtype), bench.row().forms, lanes)) {
            BasculeInstruction& in = form.in;
            const bool count = in.form == BASCULE_FORM_COUNT;
            if (count && stride.repeat != 8) continue;
            in.operand[3].dtype = BASCULE_UINT8;
            in.params.vector.mode = mode;
            std::memcpy(&in.params.vector.scalar.bits, &memory[2][(next++ % 12) * element],
                        element);
            if (from_register) {
              in.params.vector.flags = BASCULE_SELECT_REGISTER;
              in.params.vector.extra[0] = words[0];
              in.params.vector.extra[1] = words[1];
            }
            SetStride(in, 0, stride);
            if (!count) SetStride(in, 1, kStrides[next % std::size(kStrides)]);
            if (!count) SetStride(in, 2, kStrides[next / 2 % std::size(kStrides)]);
            std::vector<char> expected = memory[0];
            for (uint64_t repeat = 0; repeat < RepeatsOf(in, lanes); ++repeat) {
              for (uint32_t lane = 0; lane < lanes; ++lane) {
                if (!Selected(in, repeat, lane, lanes)) continue;
                const uint64_t i =
                    mode == BASCULE_SELECT_REPEATED_BITS ? lane : repeat * lanes + lane;
                const bool bit = from_register ? (words[i / 64] >> (i % 64) & 1) != 0
                                               : (uint8_t(memory[3][i / 8]) >> (i % 8) & 1) != 0;
                const char* second = mode == BASCULE_SELECT_SCALAR
                                         ? reinterpret_cast<const char*>(&in.params.vector.scalar)
                                         : &memory[2][LaneOffset(in.operand[2], repeat, lane)];
                Poke(expected, LaneOffset(in.operand[0], repeat, lane),
                     bit ? &memory[1][LaneOffset(in.operand[1], repeat, lane)] : second, element);
              }
            }
            ASSERT_NO_FATAL_FAILURE(bench.Check(
                in, memory, expected, Join(DTypeName(dtype), " mode ", mode, " ", form.name)));
          }
        }
      }
    }
  }
}

TEST(GatherMask, PacksTheElementsWhoseBitIsSet) {
  Bench bench(BASCULE_OPCODE_kGatherMask);
  constexpr uint8_t kPatterns[] = {0, 0x55, 0xaa, 0x11, 0x22, 0x44, 0x88, 0xff};
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16, BASCULE_BFLOAT16, BASCULE_INT16,
                             BASCULE_UINT16, BASCULE_INT32, BASCULE_UINT32}) {
    const uint32_t element = ElementBytes(dtype);
    const uint32_t lanes = 256 / element;
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, dtype, 1),
                                                   SomeBytes(kBytes, dtype, 2),
                                                   SomeBytes(kBytes, BASCULE_UINT8, 3)};
    for (uint32_t pattern = 0; pattern <= 7; ++pattern) {
      for (uint32_t elements : {1u, 7u, 64u, 70u, lanes - 1, lanes, lanes + 9}) {
        for (uint32_t repeats : {0u, 1u, 2u, 5u}) {
          for (const Stride stride : {Stride{1, 8}, Stride{1, 4}, Stride{2, 21}}) {
            BasculeInstruction in = Base(bench.row(), dtype, dtype);
            in.form = BASCULE_FORM_MASK_COUNT;
            in.count = repeats;
            in.mask[0] = elements;
            in.params.vector.mode = pattern;
            SetStride(in, 1, stride);
            SetStride(in, 2, {1, elements % 3});
            uint64_t taken = ~uint64_t{0};
            in.params.vector.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(&taken);
            std::vector<char> expected = memory[0];
            uint64_t packed = 0;
            for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
              for (uint32_t i = 0; i < elements; ++i) {
                const uint8_t byte = pattern == 0
                                         ? uint8_t(memory[2][repeat * (elements % 3) * 32 + i / 8])
                                         : kPatterns[pattern];
                if ((byte >> (i % 8) & 1) == 0) continue;
                Poke(expected, packed++ * element, &memory[1][LaneOffset(in.operand[1], repeat, i)],
                     element);
              }
            }
            ASSERT_NO_FATAL_FAILURE(
                bench.Check(in, memory, expected,
                            Join(DTypeName(dtype), " pattern ", pattern, " elements ", elements,
                                 " repeats ", repeats)));
            ASSERT_EQ(taken, packed);
            in.operand[2].address = const_cast<char*>(memory[2].data());
            // Exactly what is written, so that a destination may end where the memory does.
            ASSERT_EQ(ExtentOf(bench.row(), in, 0).span_bytes, packed * element);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace bascule::isa

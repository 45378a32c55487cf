// Reductions against plain loops, in every form, on every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/reduce.h"

#include <cmath>
#include <limits>
#include <optional>

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
using test::TameBytes;

constexpr size_t kBytes = 24 * 1024;
constexpr Stride kStrides[] = {{1, 8}, {2, 16}, {1, 9}, {3, 1}};

template <typename T>
constexpr BasculeDType kDType = sizeof(T) == 2 ? BASCULE_FLOAT16 : BASCULE_FLOAT;

BasculeInstruction Base(const Row& row, BasculeDType dtype) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.operand_count = row.operand_count;
  for (auto& operand : in.operand) operand = {nullptr, BASCULE_UB, dtype, 1, 8};
  return in;
}

// Lanes of which some may be absent.
template <typename T>
using Lanes = std::vector<std::optional<T>>;

template <typename T>
Lanes<T> LanesAt(const BasculeInstruction& in, const std::vector<char>& src, uint64_t repeat) {
  Lanes<T> out(256 / sizeof(T));
  for (uint32_t lane = 0; lane < out.size(); ++lane) {
    if (Selected(in, repeat, lane, 256 / sizeof(T))) {
      out[lane] = Peek<T>(src, LaneOffset(in.operand[1], repeat, lane));
    }
  }
  return out;
}

// Neighbours are added, then the sums of neighbours, and so on; every sum is rounded.
template <typename T>
std::optional<T> TreeSum(const Lanes<T>& lanes, size_t first, size_t count) {
  if (count == 1) return lanes[first];
  const auto a = TreeSum(lanes, first, count / 2);
  const auto b = TreeSum(lanes, first + count / 2, count / 2);
  if (!a) return b;
  if (!b) return a;
  return T(float(*a) + float(*b));
}

// The number that stands for a value when the largest is looked for.
double Rank(double value, bool largest) {
  if (value != value) return INFINITY;
  if (value == 0 && std::signbit(value)) value = -1e-300;
  return (largest ? value : -value) / 1e10;  // below infinity's rank, in order
}

template <typename T>
std::optional<uint32_t> ExtremeLane(const Lanes<T>& lanes, bool largest) {
  std::optional<uint32_t> best;
  double rank = 0;
  bool nan = false;
  for (uint32_t i = 0; i < lanes.size(); ++i) {
    if (!lanes[i]) continue;
    const double value = double(float(*lanes[i]));
    if (value != value) {
      if (!nan) best = i;
      nan = true;
      continue;
    }
    if (!nan && (!best || Rank(value, largest) > rank)) {
      best = i;
      rank = Rank(value, largest);
    }
  }
  return best;
}

template <typename T>
void PutExtreme(std::vector<char>& out, uint64_t at, T value, uint32_t lane, uint32_t order) {
  switch (order) {
    case BASCULE_ORDER_VALUE_INDEX:
      Poke(out, at, &value, sizeof(T));
      Poke(out, at + sizeof(T), &lane, sizeof(T));
      return;
    case BASCULE_ORDER_INDEX_VALUE:
      Poke(out, at, &lane, sizeof(T));
      Poke(out, at + sizeof(T), &value, sizeof(T));
      return;
    case BASCULE_ORDER_ONLY_VALUE:
      Poke(out, at, &value, sizeof(T));
      return;
    default:
      Poke(out, at, &lane, 4);
  }
}

template <typename T>
void CheckReduceRepeat() {
  Bench bench(BASCULE_OPCODE_kReduceRepeat);
  const uint32_t lanes = 256 / sizeof(T);
  for (const bool tame : {false, true}) {
    const std::vector<std::vector<char>> memory = {
        SomeBytes(kBytes, kDType<T>, 1),
        tame ? TameBytes(kBytes, kDType<T>, 2) : SomeBytes(kBytes, kDType<T>, 2)};
    for (uint32_t mode : {BASCULE_REDUCE_SUM, BASCULE_REDUCE_MAX, BASCULE_REDUCE_MIN}) {
      for (uint32_t order = 0; order < BASCULE_ORDER_COUNT; ++order) {
        if (mode == BASCULE_REDUCE_SUM && order > 0) continue;
        uint64_t unit = sizeof(T);
        if (mode != BASCULE_REDUCE_SUM && order != BASCULE_ORDER_ONLY_VALUE) {
          unit = order == BASCULE_ORDER_ONLY_INDEX ? 4 : 2 * sizeof(T);
        }
        for (const Stride stride : kStrides) {
          for (const uint64_t dst_stride : {uint64_t{1}, uint64_t{3}, uint64_t{0}}) {
            for (Form& form : Forms(Base(bench.row(), kDType<T>), bench.row().forms, lanes)) {
              BasculeInstruction& in = form.in;
              in.params.vector.mode = mode;
              in.params.vector.flags = order;
              in.params.vector.extra[0] = dst_stride * unit;
              BasculeRegisters registers = {};
              in.params.vector.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(&registers);
              SetStride(in, 1, stride);
              std::vector<char> expected = memory[0];
              std::optional<T> best;
              uint32_t best_index = 0;
              for (uint64_t repeat = 0; repeat < RepeatsOf(in, lanes); ++repeat) {
                const Lanes<T> values = LanesAt<T>(in, memory[1], repeat);
                const uint64_t at = repeat * dst_stride * unit;
                if (mode == BASCULE_REDUCE_SUM) {
                  if (const auto sum = TreeSum(values, 0, lanes))
                    Poke(expected, at, &*sum, sizeof(T));
                  continue;
                }
                const bool largest = mode == BASCULE_REDUCE_MAX;
                const auto lane = ExtremeLane(values, largest);
                if (!lane) continue;
                PutExtreme(expected, at, *values[*lane], *lane, order);
                if (!best || ExtremeLane<T>({best, *values[*lane]}, largest) == 1u) {
                  best = *values[*lane];
                  best_index = static_cast<uint32_t>(repeat) * lanes + *lane;
                }
              }
              ASSERT_NO_FATAL_FAILURE(bench.Check(
                  in, memory, expected,
                  Join(DTypeName(kDType<T>), " mode ", mode, " order ", order, " stride ",
                       stride.block, "/", stride.repeat, " → ", dst_stride, " ", form.name)));
              if (best) {
                ASSERT_EQ(std::memcmp(&registers.reduced_value, &*best, sizeof(T)), 0) << form.name;
                ASSERT_EQ(registers.reduced_index, best_index) << form.name;
              }
            }
          }
        }
      }
    }
  }
}
TEST(ReduceRepeat, ReducesEachRepeatFloat) { CheckReduceRepeat<float>(); }
TEST(ReduceRepeat, ReducesEachRepeatHalf) { CheckReduceRepeat<half_t>(); }

// Parts of a repeat of `per_part` lanes each: datablocks or pairs.
template <typename T>
void CheckParts(uint16_t opcode, uint32_t per_part, uint64_t unit) {
  Bench bench(opcode);
  const uint32_t lanes = 256 / sizeof(T);
  for (const bool tame : {false, true}) {
    const std::vector<std::vector<char>> memory = {
        SomeBytes(kBytes, kDType<T>, 3),
        tame ? TameBytes(kBytes, kDType<T>, 4) : SomeBytes(kBytes, kDType<T>, 4)};
    for (uint32_t mode : {BASCULE_REDUCE_SUM, BASCULE_REDUCE_MAX, BASCULE_REDUCE_MIN}) {
      if (per_part == 2 && mode != BASCULE_REDUCE_SUM) continue;
      for (const Stride stride : kStrides) {
        for (const uint64_t dst_stride : {uint64_t{1}, uint64_t{2}, uint64_t{0}}) {
          for (Form& form : Forms(Base(bench.row(), kDType<T>), bench.row().forms, lanes)) {
            BasculeInstruction& in = form.in;
            in.params.vector.mode = mode;
            in.params.vector.extra[0] = dst_stride * unit;
            SetStride(in, 1, stride);
            std::vector<char> expected = memory[0];
            for (uint64_t repeat = 0; repeat < RepeatsOf(in, lanes); ++repeat) {
              const Lanes<T> values = LanesAt<T>(in, memory[1], repeat);
              for (uint32_t part = 0; part < lanes / per_part; ++part) {
                const Lanes<T> own(values.begin() + part * per_part,
                                   values.begin() + (part + 1) * per_part);
                std::optional<T> result;
                if (mode == BASCULE_REDUCE_SUM) {
                  result = TreeSum(own, 0, per_part);
                } else if (const auto lane = ExtremeLane(own, mode == BASCULE_REDUCE_MAX)) {
                  result = own[*lane];
                }
                if (result)
                  Poke(expected, repeat * dst_stride * unit + part * sizeof(T), &*result,
                       sizeof(T));
              }
            }
            ASSERT_NO_FATAL_FAILURE(bench.Check(
                in, memory, expected, Join(DTypeName(kDType<T>), " mode ", mode, " ", form.name)));
          }
        }
      }
    }
  }
}
TEST(ReduceDataBlock, ReducesEachDatablock) {
  CheckParts<float>(BASCULE_OPCODE_kReduceDataBlock, 8, 32);
  CheckParts<half_t>(BASCULE_OPCODE_kReduceDataBlock, 16, 16);
}
TEST(ReducePairElem, AddsNeighbours) {
  CheckParts<float>(BASCULE_OPCODE_kReducePairElem, 2, 128);
  CheckParts<half_t>(BASCULE_OPCODE_kReducePairElem, 2, 128);
}

// Only operand 0 is compared: what a reduction leaves in its work buffer is its own business.
template <typename T>
void CheckReduceSum() {
  Bench bench(BASCULE_OPCODE_kReduceSum);
  const uint32_t lanes = 256 / sizeof(T);
  for (const bool tame : {false, true}) {
    const std::vector<std::vector<char>> memory = {
        SomeBytes(kBytes, kDType<T>, 5),
        tame ? TameBytes(kBytes, kDType<T>, 6) : SomeBytes(kBytes, kDType<T>, 6),
        SomeBytes(kBytes, kDType<T>, 7)};
    for (const uint32_t stride : {8u, 9u, 1u}) {
      std::vector<Form> forms = Forms(Base(bench.row(), kDType<T>), bench.row().forms, lanes);
      for (uint32_t repeats :
           {67u, 70u}) {  // more than one round, and a round that is no power of two
        Form many{Join("repeats ", repeats), Base(bench.row(), kDType<T>)};
        many.in.form = BASCULE_FORM_MASK_COUNT;
        many.in.count = repeats;
        many.in.mask[0] = lanes - 1;
        if (stride * repeats * 32 + 256 <= kBytes) forms.push_back(many);
      }
      for (Form& form : forms) {
        BasculeInstruction& in = form.in;
        const bool count = in.form == BASCULE_FORM_COUNT;
        BasculeRegisters registers = {};
        in.params.vector.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(&registers);
        if (!count) SetStride(in, 1, {1, stride});
        std::vector<char> expected = memory[0];
        Lanes<T> sums;
        for (uint64_t repeat = 0; repeat < RepeatsOf(in, lanes); ++repeat) {
          if (const auto sum = TreeSum(LanesAt<T>(in, memory[1], repeat), 0, lanes))
            sums.push_back(sum);
        }
        if (!sums.empty()) {
          if (count) {
            T total = *sums[0];
            for (size_t i = 1; i < sums.size(); ++i) total = T(float(total) + float(*sums[i]));
            Poke(expected, 0, &total, sizeof(T));
          } else {
            while (sums.size() > 1) {
              Lanes<T> next;
              for (size_t first = 0; first < sums.size(); first += lanes) {
                Lanes<T> some(sums.begin() + static_cast<ptrdiff_t>(first),
                              sums.begin() + static_cast<ptrdiff_t>(
                                                 std::min<size_t>(sums.size(), first + lanes)));
                some.resize(lanes);
                next.push_back(TreeSum(some, 0, lanes));
              }
              sums = next;
            }
            Poke(expected, 0, &*sums[0], sizeof(T));
          }
        }
        ASSERT_NO_FATAL_FAILURE(bench.Check(
            in, memory, expected, Join(DTypeName(kDType<T>), " stride ", stride, " ", form.name)));
        if (count && in.count != 0) {
          T sum;
          std::memcpy(static_cast<void*>(&sum), &registers.reduced_sum, sizeof(T));
          ASSERT_TRUE(
              test::SameElement(reinterpret_cast<const char*>(&sum), expected.data(), kDType<T>));
        }
      }
    }
  }
}
TEST(ReduceSum, AddsByTreesAndInOrder) {
  CheckReduceSum<float>();
  CheckReduceSum<half_t>();
}

template <typename T>
void CheckReduceExtreme(uint16_t opcode) {
  Bench bench(opcode);
  const bool largest = opcode == BASCULE_OPCODE_kReduceMax;
  const uint32_t lanes = 256 / sizeof(T);
  for (const bool tame : {false, true}) {
    const std::vector<std::vector<char>> memory = {
        SomeBytes(kBytes, kDType<T>, 8),
        tame ? TameBytes(kBytes, kDType<T>, 9) : SomeBytes(kBytes, kDType<T>, 9),
        SomeBytes(kBytes, kDType<T>, 10)};
    for (const uint32_t stride : {8u, 9u, 1u, 0u}) {
      for (Form& form : Forms(Base(bench.row(), kDType<T>), bench.row().forms, lanes)) {
        for (const bool with_index : {false, true}) {
          BasculeInstruction& in = form.in;
          if (in.form != BASCULE_FORM_COUNT) SetStride(in, 1, {1, stride});
          in.params.vector.flags = with_index ? BASCULE_REDUCE_WITH_INDEX : 0;
          in.params.vector.extra[1] = (RepeatsOf(in, lanes) * 2 + 15) / 16 * 16;
          std::vector<char> expected = memory[0];
          Lanes<T> all;
          for (uint64_t repeat = 0; repeat < RepeatsOf(in, lanes); ++repeat) {
            const Lanes<T> values = LanesAt<T>(in, memory[1], repeat);
            all.insert(all.end(), values.begin(), values.end());
          }
          if (const auto lane = ExtremeLane(all, largest)) {
            PutExtreme(expected, 0, *all[*lane], *lane,
                       with_index ? BASCULE_ORDER_VALUE_INDEX : BASCULE_ORDER_ONLY_VALUE);
          }
          ASSERT_NO_FATAL_FAILURE(bench.Check(in, memory, expected,
                                              Join(DTypeName(kDType<T>), " stride ", stride, " ",
                                                   form.name, with_index ? " with index" : "")));
        }
      }
    }
  }
}
TEST(ReduceMax, FindsTheLargestAndItsIndex) {
  CheckReduceExtreme<float>(BASCULE_OPCODE_kReduceMax);
  CheckReduceExtreme<half_t>(BASCULE_OPCODE_kReduceMax);
}
TEST(ReduceMin, FindsTheSmallestAndItsIndex) {
  CheckReduceExtreme<float>(BASCULE_OPCODE_kReduceMin);
  CheckReduceExtreme<half_t>(BASCULE_OPCODE_kReduceMin);
}

// The page on boundary values, in the mode that keeps infinities: what a repeat is filled with in
// turn, and what is largest, smallest and the sum.
template <typename T>
void CheckSpecialValues() {
  const float highest = sizeof(T) == 2 ? 65504.0f : std::numeric_limits<float>::max();
  const float infinity = std::numeric_limits<float>::infinity();
  struct Line {
    std::vector<float> pattern;  // repeated; a single odd value stands first
    bool once;
    float largest;
    float smallest;
    float sum;
  };
  const uint32_t lanes = 256 / sizeof(T);
  const std::vector<Line> lines = {
      {{-highest}, false, -highest, -highest, -infinity},
      {{highest}, false, highest, highest, infinity},
      {{0.0f}, false, 0.0f, 0.0f, 0.0f},
      {{-0.0f}, false, -0.0f, -0.0f, -0.0f},
      {{NAN}, false, NAN, NAN, NAN},
      {{infinity}, false, infinity, infinity, infinity},
      {{-infinity}, false, -infinity, -infinity, -infinity},
      {{infinity, -infinity, NAN}, false, NAN, NAN, NAN},
      {{infinity, -infinity}, false, infinity, -infinity, NAN},
      {{infinity, NAN}, false, NAN, NAN, NAN},
      {{-infinity, NAN}, false, NAN, NAN, NAN},
      {{infinity}, true, infinity, 1.0f, infinity},
      {{-infinity}, true, 1.0f, -infinity, -infinity},
      {{NAN}, true, NAN, NAN, NAN},
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    std::vector<T> src(lanes);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const bool own = !line.once || lane == 0;
      src[lane] = T(own ? line.pattern[lane % line.pattern.size()] : 1.0f);
    }
    for (int64_t target : simd::UsableTargets()) {
      simd::UseTarget(target);
      for (uint16_t opcode : {BASCULE_OPCODE_kReduceRepeat, BASCULE_OPCODE_kReduceDataBlock}) {
        for (uint32_t mode : {BASCULE_REDUCE_SUM, BASCULE_REDUCE_MAX, BASCULE_REDUCE_MIN}) {
          const Row& row = *FindRow(opcode);
          T dst[128];
          BasculeInstruction in = Base(row, kDType<T>);
          in.form = BASCULE_FORM_MASK_COUNT;
          in.count = 1;
          in.mask[0] = lanes;
          in.params.vector.mode = mode;
          in.params.vector.flags = BASCULE_ORDER_ONLY_VALUE;
          in.operand[0].address = dst;
          in.operand[1].address = src.data();
          row.run(row, in, RunOptions{});
          const float want = mode == BASCULE_REDUCE_SUM   ? line.sum
                             : mode == BASCULE_REDUCE_MAX ? line.largest
                                                          : line.smallest;
          const float got = float(dst[0]);
          if (want != want) {
            EXPECT_TRUE(got != got) << row.name << " mode " << mode << " line " << i;
          } else {
            EXPECT_EQ(got, want) << row.name << " mode " << mode << " line " << i;
            EXPECT_EQ(std::signbit(got), std::signbit(want))
                << row.name << " mode " << mode << " line " << i;
          }
        }
      }
    }
    simd::UseTarget(0);
  }
}
TEST(Reduce, AnswersSpecialValuesAsDocumented) {
  CheckSpecialValues<float>();
  CheckSpecialValues<half_t>();
}

TEST(Reduce, RefusesDestinationsThatAreNotAligned) {
  std::vector<char> memory(1024);
  BasculeInstruction in = Base(kReduceRepeatRow, BASCULE_FLOAT16);
  const uint64_t base = (reinterpret_cast<uint64_t>(memory.data()) + 63) / 64 * 64;
  auto says = [&](const Row& row, uint32_t mode, uint32_t flags, uint64_t offset) {
    in.opcode = row.opcode;
    in.params.vector.mode = mode;
    in.params.vector.flags = flags;
    in.operand[0].address = reinterpret_cast<void*>(base + offset);
    return row.misuse(in);
  };
  EXPECT_EQ(says(kReduceRepeatRow, BASCULE_REDUCE_SUM, 0, 2), "");
  EXPECT_EQ(says(kReduceRepeatRow, BASCULE_REDUCE_MAX, BASCULE_ORDER_VALUE_INDEX, 4), "");
  EXPECT_NE(says(kReduceRepeatRow, BASCULE_REDUCE_MAX, BASCULE_ORDER_VALUE_INDEX, 2)
                .find("a multiple of 4 bytes"),
            std::string::npos);
  EXPECT_NE(says(kReduceDataBlockRow, BASCULE_REDUCE_MAX, 0, 8).find("a multiple of 16 bytes"),
            std::string::npos);
  EXPECT_NE(says(kReduceMaxRow, 0, BASCULE_REDUCE_WITH_INDEX, 2).find("a multiple of 4 bytes"),
            std::string::npos);
  EXPECT_NE(says(kReducePairElemRow, BASCULE_REDUCE_MAX, 0, 0).find("no reduction 1"),
            std::string::npos);
}

}  // namespace
}  // namespace bascule::isa

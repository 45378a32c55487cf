// What a call does with tensors that are not simply dense, and with what does not fit the schema.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "base/sanitizer.h"
#include "host/acl.h"
#include "tests/host/made_up.h"

namespace bascule::test {
namespace {

std::string Error() { return bascule_last_error(); }

struct Type {
  uint8_t code;
  uint8_t bits;
};
constexpr Type kTypes[] = {{2, 32}, {2, 16}, {0, 8},  {0, 32}, {1, 8}, {0, 16}, {1, 16},
                           {1, 32}, {0, 64}, {1, 64}, {2, 64}, {6, 8}, {4, 16}};

// Where each element lies, in elements from the first.
std::vector<int64_t> Offsets(const std::vector<int64_t>& shape,
                             const std::vector<int64_t>& strides) {
  std::vector<int64_t> offsets = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    for (const int64_t base : offsets) {
      for (int64_t i = 0; i < shape[d]; ++i) next.push_back(base + i * strides[d]);
    }
    offsets = next;
  }
  return offsets;
}

// Any shape, any strides of the input (negative, zero, overlapping), any of the output that do not
// overlap: every element arrives, and nothing else changes.
TEST(Call, FollowsAnyStrides) {
  std::mt19937 random(7);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint32_t>(n));
  };
  for (int round = 0; round < 600; ++round) {
    const Type type = kTypes[static_cast<size_t>(round) % std::size(kTypes)];
    const size_t bytes = type.bits / 8u;
    const size_t rank = static_cast<size_t>(below(6));
    std::vector<int64_t> shape(rank);
    std::vector<int64_t> in_strides(rank);
    std::vector<int64_t> out_strides(rank);
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    int64_t step = 1 + below(3);
    for (const size_t d : order) {
      shape[d] = 1 + below(6);
      in_strides[d] = below(23) - 11;
      out_strides[d] = below(2) == 0 ? step : -step;
      step = step * shape[d] + below(3);
    }
    const std::vector<int64_t> from = Offsets(shape, in_strides);
    const std::vector<int64_t> to = Offsets(shape, out_strides);
    const int64_t lowest_in = *std::min_element(from.begin(), from.end());
    const int64_t lowest_out = *std::min_element(to.begin(), to.end());
    const size_t in_size =
        static_cast<size_t>(*std::max_element(from.begin(), from.end()) - lowest_in) + 1;
    const size_t out_size =
        static_cast<size_t>(*std::max_element(to.begin(), to.end()) - lowest_out) + 1;
    std::vector<uint8_t> x(in_size * bytes);
    for (uint8_t& byte : x) byte = static_cast<uint8_t>(random());
    std::vector<uint8_t> out(out_size * bytes + 64, 0xee);
    std::vector<uint8_t> expected = out;
    for (size_t i = 0; i < from.size(); ++i) {
      std::memcpy(&expected[32 + static_cast<size_t>(to[i] - lowest_out) * bytes],
                  &x[static_cast<size_t>(from[i] - lowest_in) * bytes], bytes);
    }
    View view(x.data(), shape, in_strides, type.code, type.bits);
    view.tensor.byte_offset = static_cast<uint64_t>(-lowest_in) * bytes;
    View result(out.data() + 32 + static_cast<size_t>(-lowest_out) * bytes, shape, out_strides,
                type.code, type.bits);
    ASSERT_EQ(CallOn("copy", {&view}, {&result}), BASCULE_OK) << Error();
    ASSERT_EQ(out, expected) << "round " << round;
  }
}

TEST(Call, CountsWhatItCopies) {
  std::vector<float> x(24, 1);
  std::vector<float> out(48);
  View dense(x.data(), {4, 6});
  View turned(x.data(), {6, 4}, {1, 6});
  View ones(x.data(), {6, 4}, {0, 0});
  View unit(x.data(), {1, 4, 1, 6, 1}, {77, 6, -5, 1, 0});  // dense, whatever a stride of 1 says
  View result(out.data(), {4, 6});
  View result_turned(out.data(), {6, 4});
  View apart(out.data(), {4, 6}, {12, 2});
  View result_unit(out.data(), {1, 4, 1, 6, 1});
  const auto copied = [](auto call) {
    const BasculeOperatorStatistics before = StatisticsOf("copy");
    EXPECT_EQ(call(), BASCULE_OK) << Error();
    const BasculeOperatorStatistics after = StatisticsOf("copy");
    return std::array<uint64_t, 4>{after.packed_inputs - before.packed_inputs,
                                   after.packed_input_bytes - before.packed_input_bytes,
                                   after.unpacked_outputs - before.unpacked_outputs,
                                   after.unpacked_output_bytes - before.unpacked_output_bytes};
  };
  using Counts = std::array<uint64_t, 4>;
  EXPECT_EQ(copied([&] { return CallOn("copy", {&dense}, {&result}); }), (Counts{0, 0, 0, 0}));
  EXPECT_EQ(copied([&] { return CallOn("copy", {&unit}, {&result_unit}); }), (Counts{0, 0, 0, 0}));
  EXPECT_EQ(copied([&] { return CallOn("copy", {&turned}, {&result_turned}); }),
            (Counts{1, 96, 0, 0}));
  EXPECT_EQ(copied([&] { return CallOn("copy", {&ones}, {&result_turned}); }),
            (Counts{1, 96, 0, 0}));
  EXPECT_EQ(copied([&] { return CallOn("copy", {&dense}, {&apart}); }), (Counts{0, 0, 1, 96}));
}

// A kernel's loads are of whole elements; memory between them is copied first.
TEST(Call, AlignsWhatIsNot) {
  std::vector<char> bytes(4 * 8 + 1);
  const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::memcpy(bytes.data() + 1, values, sizeof(values));
  std::vector<float> out(8);
  View x(bytes.data() + 1, {8});
  View result(out.data(), {8});
  const uint64_t before = StatisticsOf("copy").packed_inputs;
  ASSERT_EQ(CallOn("copy", {&x}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(out, std::vector<float>(values, values + 8));
  EXPECT_EQ(StatisticsOf("copy").packed_inputs, before + 1);
}

TEST(Call, FourBitElementsAreTwoToAByte) {
  for (const int64_t count : {0, 1, 2, 7, 64, 101}) {
    const size_t bytes = static_cast<size_t>(count + 1) / 2;
    std::vector<uint8_t> x(bytes + 1);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 37 + 1);
    std::vector<uint8_t> out(bytes + 1, 0xee);
    View view(x.data(), {count}, {}, 0, 4);
    View result(out.data(), {count}, {}, 0, 4);
    ASSERT_EQ(CallOn("copy", {&view}, {&result}), BASCULE_OK) << Error();
    for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(out[i], x[i]) << i << " of " << count;
    ASSERT_EQ(out[bytes], 0xee);
  }
  std::vector<uint8_t> x(8);
  std::vector<uint8_t> out(8);
  View view(x.data(), {4}, {2}, 0, 4);
  View result(out.data(), {4}, {}, 0, 4);
  EXPECT_EQ(CallOn("copy", {&view}, {&result}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(
      Error(),
      "copy: input 'x' is int4 and has strides; two of its elements share a byte, so it has to "
      "be dense.");
}

TEST(Call, AnEmptyTensorLaunchesNothing) {
  const int before = tilings.load();
  View x(nullptr, {3, 0, 5});
  View out(nullptr, {3, 0, 5});
  EXPECT_EQ(CallOn("copy", {&x}, {&out}), BASCULE_OK) << Error();
  View none(nullptr, {0});
  View scalar(nullptr, {});
  float value = 7;
  scalar.tensor.data = &value;
  View columns(nullptr, {5, 0});
  View result(nullptr, {0});
  EXPECT_EQ(CallOn("sum", {&columns}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(CallOn("divide", {&columns}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(tilings.load(), before) << "tiling functions divide by sizes";
  View wrong(nullptr, {0, 1});
  EXPECT_EQ(CallOn("sum", {&columns}, {&wrong}), BASCULE_INVALID_ARGUMENT) << "still checked";
}

TEST(Call, OutputsOfNothingAreZerosOrTheirInitialValue) {
  const int before = tilings.load();
  View x(nullptr, {0, 4});
  for (const char* name : {"sum", "best", "product"}) {
    std::vector<float> out(4, 99);
    View result(out.data(), {4});
    ASSERT_EQ(CallOn(name, {&x}, {&result}), BASCULE_OK) << Error();
    EXPECT_EQ(out, std::vector<float>(4, name == std::string("product") ? 1 : 0)) << name;
  }
  std::vector<float> spread(8, 99);
  View strided(spread.data(), {4}, {2});
  ASSERT_EQ(CallOn("product", {&x}, {&strided}), BASCULE_OK) << Error();
  EXPECT_EQ(spread, (std::vector<float>{1, 99, 1, 99, 1, 99, 1, 99}));
  View none(nullptr, {0});
  View result(spread.data(), {4});
  ASSERT_EQ(CallOn("best_with", {&x, &none}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(spread[1], 0);
  EXPECT_EQ(tilings.load(), before) << "nothing is planned";
}

// Where one input has elements, the kernel runs: a row joined to no rows is a row.
TEST(Call, AKernelThatIsSilentAboutAnEmptyInputIsAnError) {
  std::vector<float> out(4, 99);
  std::vector<float> more(4, 1);
  View x(nullptr, {0, 4});
  View bias(more.data(), {4});
  View result(out.data(), {4});
  EXPECT_EQ(CallOn("best_with", {&x, &bias}, {&result}), BASCULE_UNSUPPORTED);
  EXPECT_EQ(
      Error(),
      "best_with: output 'out' has 4 elements and an input has none, and the kernel wrote nothing: "
      "the operator does not say what it makes of no elements. Its contents are undefined.");
}

TEST(Call, OptionalInputs) {
  std::vector<float> x = {1, 2, 3};
  std::vector<float> bias = {10, 20, 30};
  std::vector<float> out(3);
  View view(x.data(), {3});
  View more(bias.data(), {3});
  View result(out.data(), {3});
  ASSERT_EQ(CallOn("add", {&view, &more}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{11, 22, 33}));
  ASSERT_EQ(CallOn("add", {&view, nullptr}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(out, x);
  EXPECT_EQ(CallOn("add", {nullptr, &more}, {&result}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "add: the input 'x' is required.");
  EXPECT_EQ(CallOn("add", {&view, &more}, {nullptr}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "add: output 'out' is null.");
}

BasculeAttribute Attribute(const char* name, uint32_t kind) {
  BasculeAttribute attribute = {};
  attribute.name = name;
  attribute.kind = kind;
  return attribute;
}

TEST(Call, AttributesOfEveryKind) {
  float value = 1;
  float out = 0;
  View x(&value, {1});
  View result(&out, {1});
  EXPECT_EQ(CallOn("settings", {&x}, {&result}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "settings: the attribute 'count' (int) is required.");
  std::vector<BasculeAttribute> given = {Attribute("count", BASCULE_ATTR_INT)};
  given[0].value.i = -5;
  ASSERT_EQ(CallOn("settings", {&x}, {&result}, given), BASCULE_OK) << Error();
  EXPECT_STREQ(seen, "-5 0.5 0 'none' 2 3");
  const int64_t steps[] = {7, 8, 9};
  const float weights[] = {0.25f};
  for (uint32_t kind = 1; kind <= BASCULE_ATTR_FLOAT_LIST; ++kind) {
    const char* names[] = {"count", "scale", "flag", "mode", "steps", "weights"};
    given.push_back(Attribute(names[kind], kind));
  }
  given[1].value.f = 4;
  given[2].value.i = 1;
  given[3].value.s = "fast";
  given[3].length = 4;
  given[4].value.ints = steps;
  given[4].length = 3;
  given[5].value.floats = weights;
  given[5].length = 1;
  std::reverse(given.begin(), given.end());
  ASSERT_EQ(CallOn("settings", {&x}, {&result}, given), BASCULE_OK) << Error();
  EXPECT_STREQ(seen, "-5 4 1 'fast' 7 8 9 0.25");
  EXPECT_EQ(StatisticsOf("settings").plans, 2u) << "each combination is a plan of its own";

  given.back().kind = BASCULE_ATTR_FLOAT;
  EXPECT_EQ(CallOn("settings", {&x}, {&result}, given), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "settings: the attribute 'count' has to be of type int, not float.");
  given.back().kind = 77;
  EXPECT_EQ(CallOn("settings", {&x}, {&result}, given), BASCULE_INVALID_ARGUMENT);
  given.back().kind = BASCULE_ATTR_INT;
  given[1].value.ints = nullptr;
  EXPECT_EQ(CallOn("settings", {&x}, {&result}, given), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "settings: the attribute 'steps' says it has 3 elements, and its value is a null "
            "pointer.");
  given[1] = Attribute(nullptr, BASCULE_ATTR_INT);
  EXPECT_EQ(CallOn("settings", {&x}, {&result}, given), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "settings has no attribute ''.");
  given[1] = given.back();
  EXPECT_EQ(CallOn("settings", {&x}, {&result}, given), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "settings: the attribute 'count' was passed twice.");
}

TEST(Call, RefusesAnotherLayout) {
  std::vector<float> x(16);
  std::vector<float> out(16);
  View view(x.data(), {4, 4});
  View result(out.data(), {4, 4});
  EXPECT_EQ(CallOn("nz", {&view}, {&result}), BASCULE_UNSUPPORTED);
  EXPECT_EQ(Error(),
            "nz: input 'x' has to be in format FRACTAL_NZ, but it is in format ND. Tensors of "
            "frameworks are row-major, which is ND; bascule does not convert between formats.");
}

TEST(Call, RefusesSharedMemory) {
  std::vector<float> memory(64, 7);
  View x(memory.data(), {4, 4});
  View first(memory.data() + 32, {4, 4});
  View second(memory.data() + 40, {4, 4});
  EXPECT_EQ(CallOn("pair", {&x}, {&first, &second}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(
      Error(),
      "pair: output 'second' overlaps output 'first' in memory; an output needs memory of its "
      "own.");
  View expanded(memory.data() + 32, {4, 4}, {0, 1});
  EXPECT_EQ(CallOn("copy", {&x}, {&expanded}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "copy: output 'out' has several elements in the same memory (an expanded dimension, "
            "say); an output needs memory for each.");
  View folded(memory.data() + 32, {2, 3}, {1, 1});
  View six(memory.data(), {2, 3});
  EXPECT_EQ(CallOn("copy", {&six}, {&folded}), BASCULE_INVALID_ARGUMENT);
  View backwards(memory.data() + 3, {4}, {-1});
  View four(memory.data(), {4});
  EXPECT_EQ(CallOn("copy", {&four}, {&backwards}), BASCULE_INVALID_ARGUMENT) << "reversed in place";
  EXPECT_EQ(Error(),
            "copy: output 'out' overlaps input 'x' in memory; an output needs memory of its own.");
  for (const float value : memory) EXPECT_EQ(value, 7);
}

// An output with an input's name: to the kernel one memory, to the caller two or one.
TEST(Call, WorksInPlaceOnOutputsNamedAsInputs) {
  std::vector<float> memory = {1, 2, 3, 4, 0, 0, 0, 0};
  View x(memory.data(), {4});
  View out(memory.data() + 4, {4});
  ASSERT_EQ(CallOn("nudge", {&x}, {&out}), BASCULE_OK) << Error();
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 3, 4, 101, 103, 3, 4}));
  ASSERT_EQ(CallOn("nudge", {&x}, {&x}), BASCULE_OK) << Error();
  EXPECT_EQ(memory, (std::vector<float>{101, 103, 3, 4, 101, 103, 3, 4}));

  memory = {1, 0, 2, 0, 3, 0, 4, 0};
  View even(memory.data(), {4}, {2});
  View odd(memory.data() + 1, {4}, {2});
  ASSERT_EQ(CallOn("nudge", {&even}, {&odd}), BASCULE_OK) << Error();
  EXPECT_EQ(memory, (std::vector<float>{1, 101, 2, 103, 3, 3, 4, 4}));
  ASSERT_EQ(CallOn("nudge", {&even}, {&even}), BASCULE_OK) << Error();
  EXPECT_EQ(memory, (std::vector<float>{101, 101, 103, 103, 3, 3, 4, 4}));

  View shifted(memory.data() + 1, {4});
  View four(memory.data(), {4});
  EXPECT_EQ(CallOn("nudge", {&four}, {&shifted}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "nudge: output 'x' overlaps input 'x' in memory; an output needs memory of its own.");
}

TEST(Call, WorksInPlaceOnListsNamedAsInputs) {
  std::vector<float> memory = {1, 2, 3, 4, 0, 0};
  View first(memory.data(), {2});
  View second(memory.data() + 2, {2});
  View out(memory.data() + 4, {2});
  ASSERT_EQ(CallLists("nudge_each", {{&second, &first}}, {{&second, &out}}), BASCULE_OK) << Error();
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 104, 4, 102, 2}));
}

// The columns of one matrix share no element, and neither do two that step over each other.
TEST(Call, TakesOutputsBetweenInputs) {
  std::vector<float> memory(12);
  std::iota(memory.begin(), memory.end(), 0.0f);
  View x(memory.data(), {4}, {3});
  View out(memory.data() + 1, {4}, {3});
  ASSERT_EQ(CallOn("copy", {&x}, {&out}), BASCULE_OK) << Error();
  EXPECT_EQ(memory, (std::vector<float>{0, 0, 2, 3, 3, 5, 6, 6, 8, 9, 9, 11}));
  std::vector<float> woven(8, -1);
  std::vector<float> six = {0, 1, 2, 3, 4, 5};
  View source(six.data(), {2, 3});
  View target(woven.data(), {2, 3}, {3, 2});  // 0 2 4, 3 5 7
  ASSERT_EQ(CallOn("copy", {&source}, {&target}), BASCULE_OK) << Error();
  EXPECT_EQ(woven, (std::vector<float>{0, -1, 1, 3, 2, 4, -1, 5}));
}

TEST(Call, SizesAreCheckedIn64Bits) {
  float value = 0;
  View out(&value, {1});
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> cases = {
      {{kHuge, 4}, {}},
      {{kHuge, 4, 0}, {}},
      {{kHuge, 2}, {1, 1}},
      {{3}, {std::numeric_limits<int64_t>::max()}},
      {{3}, {std::numeric_limits<int64_t>::min()}},
      {{2, 2}, {std::numeric_limits<int64_t>::max() / 2, std::numeric_limits<int64_t>::max() / 2}},
      {{int64_t{1} << 58}, {}},
      {{2}, {int64_t{1} << 60}},
      {{2}, {-(int64_t{1} << 50)}}};
  for (const auto& [shape, strides] : cases) {
    View x(&value, shape, strides);
    EXPECT_EQ(CallOn("copy", {&x}, {&out}), BASCULE_INVALID_ARGUMENT);
    EXPECT_TRUE(Error().find("no 64-bit number") != std::string::npos ||
                Error().find("out of the address space") != std::string::npos)
        << Error();
  }
  View x(&value, {1});
  x.tensor.byte_offset = ~uint64_t{0} - 8;
  EXPECT_EQ(CallOn("copy", {&x}, {&out}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "copy: input 'x' has strides that lead out of the address space.");
}

TEST(Call, ACrashOfHostCodeIsAnError) {
#if defined(BASCULE_ADDRESS_SANITIZER) || defined(BASCULE_THREAD_SANITIZER)
  GTEST_SKIP() << "the sanitizer has handlers of its own";
#elif !defined(__x86_64__)
  GTEST_SKIP() << "a division by zero is none for this processor";
#endif
  std::vector<float> in(4);
  std::vector<float> out(4);
  View x(in.data(), {1, 4});
  View result(out.data(), {4});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(CallOn("divide", {&x}, {&result}), BASCULE_INVALID_ARGUMENT);
    EXPECT_EQ(Error(),
              "divide: its tiling refuses x (1, 4): it crashed with a division by zero (SIGFPE).");
    EXPECT_EQ(CallOn("astray", {&x}, {&result}), BASCULE_INVALID_ARGUMENT);
    EXPECT_EQ(Error(),
              "astray: its shape inference refuses x (1, 4): it crashed with an access to memory "
              "that is not there (SIGSEGV).");
  }
}

// Every launch has workspace of its own, and a thread's next launch has the same again.
TEST(Call, WorkspaceIsNotShared) {
  std::vector<std::thread> threads;
  for (int32_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 5; ++i) {
        int32_t own = t * 10 + i;
        int32_t changed = -1;
        View x(&own, {1}, {}, 0, 32);
        View out(&changed, {1}, {}, 0, 32);
        ASSERT_EQ(CallOn("scratch", {&x}, {&out}), BASCULE_OK) << Error();
        ASSERT_EQ(changed, 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Plan, TilingRunsOnceForEachCombination) {
  std::vector<float> x(64);
  std::vector<float> out(64);
  const int before = tilings.load();
  for (int round = 0; round < 3; ++round) {
    for (const int64_t columns : {11, 13}) {
      View view(x.data(), {2, columns});
      View result(out.data(), {columns});
      ASSERT_EQ(CallOn("best", {&view}, {&result}), BASCULE_OK) << Error();
      View turned(x.data(), {2, columns}, {1, 2});
      ASSERT_EQ(CallOn("best", {&turned}, {&result}), BASCULE_OK) << Error();
    }
  }
  EXPECT_EQ(tilings.load(), before + 2);
}

TEST(Plan, IsMadeAheadAndLookedAt) {
  BasculeTensorInfo x = {};
  x.present = 1;
  x.dtype = BASCULE_INT32;
  x.format = BASCULE_FORMAT_ND;
  x.shape = {2, {17, 3}};
  BasculePlan* plan = nullptr;
  const int before = tilings.load();
  ASSERT_EQ(bascule_operator_plan(MadeUp("scratch"), 1, &x, 0, nullptr, &plan), BASCULE_OK)
      << Error();
  BasculePlanInfo info = {};
  info.struct_bytes = sizeof(info);
  ASSERT_EQ(bascule_plan_info(plan, &info), BASCULE_OK) << Error();
  EXPECT_EQ(info.block_count, 1u);
  EXPECT_EQ(info.workspace_bytes, uint64_t{3} << 20);
  EXPECT_EQ(info.tiling_bytes, 24u);
  EXPECT_EQ(*static_cast<const uint64_t*>(info.tiling_data), 17u * 3 * 4);
  EXPECT_EQ(info.kernel_type, uint32_t{BASCULE_KERNEL_AIV_ONLY});
  EXPECT_EQ(info.output_count, 1u);
  BasculeTensorInfo out = {};
  ASSERT_EQ(bascule_plan_output(plan, 0, &out), BASCULE_OK) << Error();
  EXPECT_EQ(out.dtype, BASCULE_INT32);
  EXPECT_EQ(out.shape.rank, 2);
  EXPECT_EQ(out.shape.dims[1], 3);
  EXPECT_EQ(bascule_plan_output(plan, 1, &out), BASCULE_INVALID_ARGUMENT);
  bascule_plan_release(plan);
  std::vector<int32_t> data(51);
  std::vector<int32_t> result(51);
  View view(data.data(), {17, 3}, {}, 0, 32);
  View to(result.data(), {17, 3}, {}, 0, 32);
  ASSERT_EQ(CallOn("scratch", {&view}, {&to}), BASCULE_OK) << Error();
  EXPECT_EQ(tilings.load(), before + 1) << "the call found the plan";

  x.shape.dims[0] = -1;
  EXPECT_EQ(bascule_operator_plan(MadeUp("scratch"), 1, &x, 0, nullptr, &plan),
            BASCULE_INVALID_ARGUMENT);
  x.shape.rank = 77;
  EXPECT_EQ(bascule_operator_plan(MadeUp("scratch"), 1, &x, 0, nullptr, &plan),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "scratch: input 'x' has 77 dimensions; 0 to 25 are possible, or -1 where that is "
            "unknown.");
  EXPECT_EQ(bascule_operator_infer(MadeUp("scratch"), 1, &x, 0, nullptr, 1, &out),
            BASCULE_INVALID_ARGUMENT);
}

// The output says what is planned, and each shape of it is a plan of its own.
TEST(WithoutInference, TheCallersOutputCounts) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(6);
  View in(x.data(), {6});
  View whole(out.data(), {2, 3});
  ASSERT_EQ(CallOn("unsaid", {&in}, {&whole}), BASCULE_OK) << Error();
  EXPECT_EQ(out, x);
  View part(out.data(), {6});
  ASSERT_EQ(CallOn("unsaid", {&in}, {&part}), BASCULE_OK) << Error();
  std::vector<int32_t> integers(6);
  View other(integers.data(), {6}, {}, 0);
  EXPECT_EQ(CallOn("unsaid", {&in}, {&other}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "unsaid: output 'out' has to be float32 for these inputs, but it is int32.");
}

TEST(Statistics, AnOlderCallerGetsWhatItKnows) {
  BasculeOperatorStatistics statistics;
  std::memset(&statistics, 0xee, sizeof(statistics));
  statistics.struct_bytes = 16;
  ASSERT_EQ(bascule_operator_statistics(MadeUp("copy"), &statistics), BASCULE_OK) << Error();
  EXPECT_NE(statistics.plan_hits, 0xeeeeeeeeeeeeeeeeu);
  EXPECT_EQ(statistics.plan_misses, 0xeeeeeeeeeeeeeeeeu);
  statistics.struct_bytes = 0;
  EXPECT_EQ(bascule_operator_statistics(MadeUp("copy"), &statistics), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(
      Error(),
      "bascule_operator_statistics: 'statistics' says it has 0 bytes; set struct_bytes to its "
      "sizeof before the call.");
}

class OnStream : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(bascule_stream_create(&stream_), BASCULE_OK); }
  void TearDown() override { EXPECT_EQ(bascule_stream_destroy(stream_), BASCULE_OK) << Error(); }
  BasculeStream stream_ = nullptr;
};

TEST_F(OnStream, RunsInOrder) {
  std::vector<float> a = {1, 2, 3};
  std::vector<float> b(3);
  std::vector<float> c(3);
  View va(a.data(), {3});
  View vb(b.data(), {3});
  View vc(c.data(), {3});
  ASSERT_EQ(CallOn("add", {&va, &va}, {&vb}, {}, &stream_), BASCULE_OK) << Error();
  ASSERT_EQ(CallOn("add", {&vb, &va}, {&vc}, {}, &stream_), BASCULE_OK) << Error();
  ASSERT_EQ(bascule_stream_synchronize(stream_), BASCULE_OK) << Error();
  EXPECT_EQ(c, (std::vector<float>{3, 6, 9}));
  BasculeStream standard = nullptr;
  ASSERT_EQ(CallOn("add", {&va, nullptr}, {&vb}, {}, &standard), BASCULE_OK) << Error();
  EXPECT_EQ(b, a);
}

TEST_F(OnStream, KeepsAKernelsFailure) {
  std::vector<float> x(3);
  std::vector<float> out(3);
  View view(x.data(), {3});
  View result(out.data(), {3});
  View wrong(out.data(), {2});
  EXPECT_EQ(CallOn("copy", {&view}, {&wrong}, {}, &stream_), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(bascule_stream_synchronize(stream_), BASCULE_OK) << "a refusal is the caller's";
  EXPECT_EQ(CallOn("stray", {&view}, {&result}, {}, &stream_), BASCULE_OK) << Error();
  EXPECT_EQ(CallOn("copy", {&view}, {&result}, {}, &stream_), BASCULE_KERNEL_ERROR);
  EXPECT_EQ(Error().find("copy is left out: something before it on the stream failed: stray"), 0u)
      << Error();
  EXPECT_EQ(bascule_stream_synchronize(stream_), BASCULE_KERNEL_ERROR);
  EXPECT_EQ(Error().find("stray"), 0u) << Error();
}

// What is recorded owns its descriptions; only the elements stay the caller's.
TEST_F(OnStream, IsRecordedAndRunLater) {
  const BasculeAclApi& acl = host::AclApi();
  std::vector<float> x = {1, 2, 3, 4};
  std::vector<float> out(4, 9);
  std::vector<float> more(4);
  ASSERT_EQ(acl.capture_begin(stream_), 0);
  {
    View view(x.data(), {2, 2}, {1, 2});
    View result(out.data(), {2, 2});
    ASSERT_EQ(CallOn("copy", {&view}, {&result}, {}, &stream_), BASCULE_OK) << Error();
    View wrong(out.data(), {7});
    EXPECT_EQ(CallOn("copy", {&view}, {&wrong}, {}, &stream_), BASCULE_INVALID_ARGUMENT);
    std::string mode = "abc";
    std::vector<int64_t> steps = {5};
    std::vector<BasculeAttribute> given = {Attribute("count", BASCULE_ATTR_INT),
                                           Attribute("mode", BASCULE_ATTR_STRING),
                                           Attribute("steps", BASCULE_ATTR_INT_LIST)};
    given[0].value.i = 1;
    given[1].value.s = mode.data();
    given[1].length = 3;
    given[2].value.ints = steps.data();
    given[2].length = 1;
    View dense(x.data(), {4});
    View second(more.data(), {4});
    ASSERT_EQ(CallOn("settings", {&dense}, {&second}, given, &stream_), BASCULE_OK) << Error();
    mode = "xyz";
    steps[0] = 6;
  }
  EXPECT_EQ(out, std::vector<float>(4, 9));
  void* model = nullptr;
  ASSERT_EQ(acl.capture_end(stream_, &model), 0);
  for (const float first : {1.0f, 10.0f}) {
    x[0] = first;
    ASSERT_EQ(acl.model_execute("test", model, stream_), 0);
    EXPECT_EQ(out, (std::vector<float>{first, 3, 2, 4}));
    EXPECT_EQ(more, x);
  }
  EXPECT_STREQ(seen, "1 0.5 0 'abc' 5");
  EXPECT_EQ(acl.model_destroy(model), 0);
}

TEST_F(OnStream, RefusesAStrangeHandle) {
  float value = 0;
  float out = 0;
  View x(&value, {1});
  View result(&out, {1});
  BasculeStream strange = &value;
  EXPECT_EQ(CallOn("copy", {&x}, {&result}, {}, &strange), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(bascule_stream_synchronize(strange), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(bascule_stream_destroy(strange), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "bascule_stream_destroy: the stream did not come from aclrtCreateStream, or was "
            "destroyed.");
}

}  // namespace
}  // namespace bascule::test

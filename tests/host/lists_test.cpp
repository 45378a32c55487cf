// Operators that take and give lists of tensors, through the C interface.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "bascule/bascule.h"
#include "host/library.h"
#include "tests/host/made_up.h"

namespace bascule::test {
namespace {

std::string Error() { return bascule_last_error(); }

std::vector<float> Count(size_t n, float first) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(Lists, OfOneAndOfMany) {
  for (const size_t n : {size_t{1}, size_t{2}, size_t{28}, size_t{200}, size_t{1000}}) {
    std::vector<std::vector<float>> members;
    std::deque<View> views;
    std::vector<View*> list;
    std::vector<float> wanted;
    for (size_t i = 0; i < n; ++i) {
      // Every third has no elements, and ranks differ.
      const size_t length = i % 3 == 1 ? 0 : 1 + i % 5;
      members.push_back(Count(length, static_cast<float>(10 * i)));
      std::vector<int64_t> shape = {static_cast<int64_t>(length)};
      if (i % 2 == 0) shape = {1, static_cast<int64_t>(length), 1};
      list.push_back(&views.emplace_back(members.back().data(), shape));
      wanted.insert(wanted.end(), members.back().begin(), members.back().end());
    }
    std::vector<float> out(wanted.size(), -1);
    View result(out.data(), {static_cast<int64_t>(out.size())});
    ASSERT_EQ(CallLists("join", {list}, {{&result}}), BASCULE_OK) << n << ": " << Error();
    EXPECT_EQ(out, wanted) << n;
    // Who passes no numbers means the same here, with a single list.
    std::vector<const View*> inputs(list.begin(), list.end());
    std::fill(out.begin(), out.end(), -1.f);
    ASSERT_EQ(CallOn("join", inputs, {&result}), BASCULE_OK) << n << ": " << Error();
    EXPECT_EQ(out, wanted) << n;
  }
}

TEST(Lists, MayBeEmpty) {
  float scale = 7;
  std::vector<float> out(3);
  View factor(&scale, {1});
  View member(&scale, {});
  View result(out.data(), {3});
  ASSERT_EQ(CallLists("lengths", {{}, {&factor}, {}}, {{&result}}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{0, 0, 7}));
  ASSERT_EQ(CallLists("lengths", {{}, {&factor}, {&member}}, {{&result}}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{0, 1, 7}));
  // Nothing to join is nothing to launch.
  View nothing(out.data(), {0});
  EXPECT_EQ(CallLists("join", {{}}, {{&nothing}}), BASCULE_OK) << Error();
}

// The same tensors in the same order, shared differently: two plans.
TEST(Lists, AreToldApartByTheirLengths) {
  float values[4] = {1, 2, 3, 4};
  std::vector<float> out(3);
  View x(values, {1}), y(values + 1, {1}), z(values + 2, {1});
  View result(out.data(), {3});
  ASSERT_EQ(CallLists("lengths", {{&x, &y}, {&z}, {}}, {{&result}}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{2, 0, 3}));
  const uint64_t plans = StatisticsOf("lengths").plans;
  ASSERT_EQ(CallLists("lengths", {{&x}, {&y}, {&z}}, {{&result}}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{1, 1, 2}));
  ASSERT_EQ(CallLists("lengths", {{}, {&x}, {&y, &z}}, {{&result}}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{0, 2, 1}));
  EXPECT_EQ(StatisticsOf("lengths").plans, plans + 2);
}

TEST(Lists, PackMembersThatAreNotDense) {
  std::vector<float> x = Count(12, 0);
  std::vector<float> out(9, -1);
  View dense(x.data(), {3});
  View column(x.data(), {3}, {4});
  View backwards(x.data() + 11, {3}, {-1});
  View result(out.data(), {9});
  const BasculeOperatorStatistics before = StatisticsOf("join");
  ASSERT_EQ(CallLists("join", {{&dense, &column, &backwards}}, {{&result}}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{0, 1, 2, 0, 4, 8, 11, 10, 9}));
  EXPECT_EQ(StatisticsOf("join").packed_inputs, before.packed_inputs + 2);
}

TEST(Lists, HaveOneElementType) {
  float x = 1;
  int32_t y = 2;
  std::vector<float> out(2);
  View first(&x, {1});
  View second(&y, {1}, {}, 0);
  View result(out.data(), {2});
  EXPECT_EQ(CallLists("join", {{&first, &first, &second}}, {{&result}}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "join: the members of the list 'x' have to be of one element type, but x[1] is float32 "
            "and x[2] is int32.");
}

TEST(Lists, AreRefusedWhereTheyDoNotFit) {
  float x = 1;
  std::vector<float> out(3);
  View one(&x, {1});
  View result(out.data(), {3});
  EXPECT_EQ(CallLists("join", {{&one, nullptr}}, {{&result}}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "join: input 'x[1]' is null; every member of a list is a tensor.");
  EXPECT_EQ(CallLists("copy", {{&one, &one}}, {{&result}}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "copy: input 'x' is one tensor, not a list of 2.");
  EXPECT_EQ(CallLists("lengths", {{&one}, {}, {&one}}, {{&result}}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "lengths: input 'scale' is one tensor, not a list of 0.");
  EXPECT_EQ(CallLists("lengths", {{&one}, {&one}}, {{&result}}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "lengths has 3 inputs (a (a list), scale, b (a list)), but the numbers of tensors of 2 "
            "were passed.");
  EXPECT_EQ(CallOn("lengths", {&one, &one, &one, &one}, {&result}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "lengths: 4 tensors were passed for its inputs (a (a list), scale, b (a list)), and "
            "nothing says how many belong to each list; pass a BasculeLists.");
  EXPECT_EQ(CallOn("join", {&one}, {}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "join has 1 output (out), but 0 were passed.");

  const BasculeTensor* inputs[] = {&one.tensor, &one.tensor};
  BasculeTensor* outputs[] = {&result.tensor};
  const uint32_t counts[] = {1};
  BasculeLists lists = {sizeof(lists), 1, counts, nullptr, 0, 0};
  EXPECT_EQ(bascule_operator_call_lists(MadeUp("join"), &lists, 2, inputs, 1, outputs, 0, nullptr),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "join: the lists of its inputs have 1 tensor together, but 2 were passed.");
  lists.struct_bytes = 8;
  EXPECT_EQ(bascule_operator_call_lists(MadeUp("join"), &lists, 2, inputs, 1, outputs, 0, nullptr),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "bascule_operator_call_lists: 'lists' says it has 8 bytes; set struct_bytes to its "
            "sizeof before the call.");
  lists = {sizeof(lists), 1, nullptr, nullptr, 0, 0};
  EXPECT_EQ(bascule_operator_call_lists(MadeUp("join"), &lists, 2, inputs, 1, outputs, 0, nullptr),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "bascule_operator_call_lists: 'lists->inputs' is null.");

  std::vector<View*> many(5000, &one);
  EXPECT_EQ(CallLists("join", {many}, {{&result}}), BASCULE_UNSUPPORTED);
  EXPECT_EQ(Error(), "join: a call takes at most 4096 tensors, 5001 were passed.");
}

// What lies behind a member is not the operator's, and the sentence says which member.
TEST(Lists, AreCheckedMemberByMember) {
  std::vector<float> x = Count(8, 0);
  std::vector<float> out(4);
  View first(x.data(), {2});
  View second(x.data() + 4, {2});
  View result(out.data(), {4});
  EXPECT_EQ(CallLists("overreach", {{&first, &second}}, {{&result}}), BASCULE_KERNEL_ERROR);
  EXPECT_NE(Error().find("x[0]"), std::string::npos) << Error();
}

TEST(Lists, OfOutputs) {
  std::vector<float> x = Count(12, 0);
  std::vector<float> a(4, -1), b(8, -1), c(4, -1);
  View whole(x.data(), {12});
  View first(a.data(), {4});
  View second(b.data(), {4}, {2});
  View third(c.data(), {4});
  ASSERT_EQ(CallLists("split", {{&whole}}, {{&first, &second, &third}}), BASCULE_OK) << Error();
  EXPECT_EQ(a, (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(b, (std::vector<float>{4, -1, 5, -1, 6, -1, 7, -1}));
  EXPECT_EQ(c, (std::vector<float>{8, 9, 10, 11}));
  // Without numbers: what is left.
  ASSERT_EQ(CallOn("split", {&whole}, {&first, &second, &third}), BASCULE_OK) << Error();
  EXPECT_EQ(CallLists("split", {{&whole}}, {{&first, &third, &first}}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "split: output 'y[2]' overlaps output 'y[0]' in memory; an output needs memory of its "
            "own.");
  View wrong(c.data(), {2, 2});
  EXPECT_EQ(CallLists("split", {{&whole}}, {{&first, &second, &wrong}}), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "split: output 'y[2]' has to have shape (4,) for these inputs, but it has (2, 2).");
  EXPECT_EQ(CallLists("split", {{&whole}}, {std::vector<View*>(63, &first)}), BASCULE_UNSUPPORTED);
  EXPECT_EQ(Error(), "split: a call has at most 62 outputs, 63 were passed.");
}

TEST(Lists, RunOnStreams) {
  std::vector<float> x = Count(4, 0);
  std::vector<float> out(4, -1);
  View first(x.data(), {1});
  View second(x.data() + 1, {3});
  View result(out.data(), {4});
  BasculeStream stream = nullptr;
  ASSERT_EQ(bascule_stream_create(&stream), BASCULE_OK);
  ASSERT_EQ(CallLists("join", {{&first, &second}}, {{&result}}, &stream), BASCULE_OK) << Error();
  ASSERT_EQ(bascule_stream_synchronize(stream), BASCULE_OK) << Error();
  EXPECT_EQ(out, x);
  EXPECT_EQ(bascule_stream_destroy(stream), BASCULE_OK);
}

TEST(Lists, AreInferredAndPlanned) {
  BasculeTensorInfo inputs[3] = {};
  for (int64_t i = 0; i < 3; ++i) {
    inputs[i] = {{1, {i + 1}}, BASCULE_FLOAT16, BASCULE_FORMAT_ND, 1, 0};
  }
  const uint32_t counts[] = {3};
  const BasculeLists lists = {sizeof(lists), 1, counts, nullptr, 0, 0};
  BasculeTensorInfo out = {};
  ASSERT_EQ(bascule_operator_infer_lists(MadeUp("join"), &lists, 3, inputs, 0, nullptr, 1, &out),
            BASCULE_OK)
      << Error();
  EXPECT_EQ(out.shape.dims[0], 6);
  EXPECT_EQ(out.dtype, BASCULE_FLOAT16);
  BasculePlan* plan = nullptr;
  ASSERT_EQ(bascule_operator_plan_lists(MadeUp("join"), &lists, 3, inputs, 0, nullptr, &plan),
            BASCULE_OK)
      << Error();
  bascule_plan_release(plan);
  inputs[1].shape = {1, {-5}};
  EXPECT_EQ(bascule_operator_infer_lists(MadeUp("join"), &lists, 3, inputs, 0, nullptr, 1, &out),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "join: input 'x[1]' has the dimension -5; a dimension is 0 or more, or -1 where it is "
            "unknown.");

  const BasculeTensorInfo whole = {{1, {12}}, BASCULE_FLOAT, BASCULE_FORMAT_ND, 1, 0};
  const uint32_t one[] = {1};
  const uint32_t four[] = {4};
  const BasculeLists parts = {sizeof(parts), 1, one, four, 1, 0};
  ASSERT_EQ(bascule_operator_plan_lists(MadeUp("split"), &parts, 1, &whole, 0, nullptr, &plan),
            BASCULE_OK)
      << Error();
  BasculeTensorInfo part = {};
  ASSERT_EQ(bascule_plan_output(plan, 3, &part), BASCULE_OK) << Error();
  EXPECT_EQ(part.shape.dims[0], 3);
  bascule_plan_release(plan);
}

TEST(Lists, AreInSavedPlans) {
  const auto* const library = reinterpret_cast<const BasculeLibrary*>(
      reinterpret_cast<const host::Operator*>(MadeUp("join"))->library);
  uint64_t count = 0;
  ASSERT_EQ(bascule_library_plan(library, R"([
      {"operator": "join", "inputs": [[{"shape": [77], "dtype": "float32"},
                                       {"shape": [78], "dtype": "float32"}]]},
      {"operator": "lengths", "inputs": [[], {"shape": [79], "dtype": "float32"}, []]},
      {"operator": "split", "inputs": [{"shape": [80], "dtype": "float32"}], "outputs": [5]}])",
                                 &count),
            BASCULE_OK)
      << Error();
  EXPECT_EQ(count, 3u);
  const int made = tilings.load();
  std::vector<float> x(77 + 78, 1), out(77 + 78);
  View first(x.data(), {77}), second(x.data(), {78}), result(out.data(), {77 + 78});
  ASSERT_EQ(CallLists("join", {{&first, &second}}, {{&result}}), BASCULE_OK) << Error();
  EXPECT_EQ(tilings.load(), made) << "the plan was not found";

  const std::string path = (std::filesystem::temp_directory_path() /
                            ("bascule-lists-" + std::to_string(getpid()) + ".plans"))
                               .string();
  ASSERT_EQ(bascule_library_plans_save(library, path.c_str()), BASCULE_OK) << Error();
  ASSERT_EQ(bascule_library_plans_load(library, path.c_str(), &count), BASCULE_OK) << Error();
  EXPECT_GE(count, 3u);
  std::filesystem::remove(path);

  EXPECT_EQ(bascule_library_plan(library, R"([{"operator": "split", "outputs": [-1],
                "inputs": [{"shape": [80], "dtype": "float32"}]}])",
                                 &count),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_NE(Error().find("\"outputs\" says how many tensors each output has"), std::string::npos)
      << Error();
}

// The same in C++.
TEST(Lists, OfTheCppLayer) {
  const bascule::Operator join(MadeUp("join"));
  std::vector<float> a = Count(2, 0), b = Count(3, 2), out(5, -1);
  const bascule::Tensor x(a, {2}), y(b, {3}), result(out, {5});
  join.CallLists({{x, y}}, {{result}});
  EXPECT_EQ(out, Count(5, 0));
  bascule::Stream stream;
  const std::vector<bascule::Tensor> list[] = {{y, x}};
  join.CallLists(stream, bascule::Lists<bascule::Tensor>(list), {{result}});
  stream.Synchronize();
  EXPECT_EQ(out, (std::vector<float>{2, 3, 4, 0, 1}));
  const bascule::TensorInfo two = {.shape = {{2}}, .dtype = BASCULE_FLOAT};
  const auto infos = join.InferLists({{two, two, two}});
  EXPECT_EQ(infos[0].shape, std::vector<int64_t>{6});
  const bascule::Operator split(MadeUp("split"));
  const bascule::TensorInfo twelve = {.shape = {{12}}, .dtype = BASCULE_FLOAT};
  const uint32_t three[] = {3};
  EXPECT_EQ(split.InferLists({{twelve}}, {}, three).size(), 3u);
  EXPECT_EQ(split.PlanLists({{twelve}}, {}, three).Output(2).shape, std::vector<int64_t>{4});
}

// What tiling reads and the kernel gets is packed once.
TEST(Call, PacksWhatTilingReadsOnce) {
  std::vector<float> x = Count(6, 0);
  std::vector<float> out(3, -1);
  View every_second(x.data(), {3}, {2});
  View result(out.data(), {3});
  const BasculeOperatorStatistics before = StatisticsOf("valued");
  ASSERT_EQ(CallOn("valued", {&every_second}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(StatisticsOf("valued").packed_inputs, before.packed_inputs + 1);
  EXPECT_EQ(StatisticsOf("valued").packed_input_bytes, before.packed_input_bytes + 12);
  // Another content is another plan.
  x[2] = 50;
  ASSERT_EQ(CallOn("valued", {&every_second}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(out, (std::vector<float>{0, 50, 4}));
  EXPECT_EQ(StatisticsOf("valued").plans, before.plans + 2);
}

}  // namespace
}  // namespace bascule::test

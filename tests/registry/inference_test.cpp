// From what a caller passes to a plan: columns, attributes, outputs, and what tiling may ask for.
// SPDX-License-Identifier: Apache-2.0
#include "registry/inference.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "base/error.h"

namespace bascule::registry {
namespace {

// What the host functions of the operator below do; set by each case.
struct Behaviour {
  int infer_status = 0;
  int64_t out_rank = 2;
  int32_t out_dtype = -1;  // -1: that of the first input
  int tiling_status = 0;
  uint32_t blocks = 3;
  uint64_t tiling_bytes = 12;
  uint32_t workspaces = 1;
  uint64_t workspace_bytes = 64;
  const char* message = "";
};
Behaviour behaviour;

void Say(BasculeHostCall* call) {
  std::snprintf(call->message, call->message_capacity, "%s", behaviour.message);
}

int InferShape(BasculeHostCall* call) {
  Say(call);
  call->outputs[0].shape = call->inputs[0].shape;
  if (behaviour.out_rank != 2) call->outputs[0].shape.rank = behaviour.out_rank;
  return behaviour.infer_status;
}

int InferDtype(BasculeHostCall* call) {
  call->outputs[0].dtype = behaviour.out_dtype >= 0 ? behaviour.out_dtype : call->inputs[0].dtype;
  return 0;
}

int Tiling(BasculeHostCall* call) {
  Say(call);
  static_cast<uint32_t*>(call->tiling_data)[0] = static_cast<uint32_t>(call->attributes[0].value.i);
  static_cast<uint32_t*>(call->tiling_data)[2] = call->platform->aiv_cores;
  call->tiling_bytes = behaviour.tiling_bytes;
  call->block_count = behaviour.blocks;
  call->tiling_key = 9;
  call->workspace_count = behaviour.workspaces;
  for (uint32_t i = 0; i < BASCULE_MAX_WORKSPACES; ++i) {
    call->workspace_bytes[i] = behaviour.workspace_bytes;
  }
  return behaviour.tiling_status;
}

class InferenceTest : public testing::Test {
 protected:
  InferenceTest() {
    behaviour = Behaviour();
    def_.struct_bytes = sizeof(def_);
    def_.type = "Op";
    def_.input_count = 2;
    def_.inputs = inputs_;
    def_.output_count = 1;
    def_.outputs = outputs_;
    def_.attribute_count = 2;
    def_.attributes = attributes_;
    def_.infer_shape = InferShape;
    def_.infer_dtype = InferDtype;
    def_.tiling = Tiling;
    platform_.aiv_cores = 48;
    for (BasculeTensorInfo& tensor : given_) {
      tensor = {{2, {3, 5}}, BASCULE_FLOAT16, BASCULE_FORMAT_ND, 1, 0};
    }
  }

  template <typename Action>
  static std::string ErrorOf(Action action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string Refusal() {
    return ErrorOf([&] { MakePlan(op_, platform_, given_, defaults()); });
  }
  std::vector<BasculeAttribute> defaults() { return CompleteAttributes(op_, required_); }

  static constexpr int32_t kDtypes[2] = {BASCULE_FLOAT16, BASCULE_FLOAT};
  static constexpr int32_t kFormats[2] = {BASCULE_FORMAT_ND, BASCULE_FORMAT_ND};
  const BasculeParameterDef inputs_[2] = {{"x", BASCULE_REQUIRED, 2, kDtypes, kFormats},
                                          {"y", BASCULE_OPTIONAL, 2, kDtypes, kFormats}};
  const BasculeParameterDef outputs_[1] = {{"out", BASCULE_REQUIRED, 2, kDtypes, kFormats}};
  const BasculeAttributeDef attributes_[2] = {
      {"mode", BASCULE_ATTR_INT, 0, {"mode", BASCULE_ATTR_INT, 0, {7}}},
      {"axis", BASCULE_ATTR_INT, 1, {"axis", BASCULE_ATTR_INT, 0, {0}}}};
  const std::vector<BasculeAttribute> required_ = {{"axis", BASCULE_ATTR_INT, 0, {1}}};
  BasculeOperatorDef def_ = {};
  BasculeKernelVariant variants_[2] = {{0, BASCULE_KERNEL_UNSAID, nullptr},
                                       {1, BASCULE_KERNEL_UNSAID, nullptr}};
  BasculeOperatorEntry op_ = {"op", &def_, variants_, 2, 0};
  BasculePlatform platform_ = {};
  BasculeTensorInfo given_[2] = {};
};

TEST_F(InferenceTest, ChoosesTheColumnThatFitsAllInputs) {
  EXPECT_EQ(ChooseColumn(op_, given_), 0u);
  given_[0].dtype = given_[1].dtype = BASCULE_FLOAT;
  EXPECT_EQ(ChooseColumn(op_, given_), 1u);
  given_[1].present = 0;
  given_[1].dtype = -1;
  EXPECT_EQ(ChooseColumn(op_, given_), 1u) << "an absent input fits every column";
  given_[1].present = 1;
  given_[1].dtype = BASCULE_INT32;
  EXPECT_EQ(
      ErrorOf([&] { ChooseColumn(op_, given_); }),
      "op was called with x float32, y int32. It supports: float16, float16; float32, float32.");
}

TEST_F(InferenceTest, CompletesAttributes) {
  const auto complete = [&](std::vector<BasculeAttribute> given) {
    return CompleteAttributes(op_, given);
  };
  const auto attributes = defaults();
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(attributes[0].value.i, 7);
  EXPECT_EQ(attributes[1].value.i, 1);
  EXPECT_NE(ErrorOf([&] { complete({}); }).find("'axis'"), std::string::npos);
  EXPECT_NE(ErrorOf([&] {
              complete({{"axis", BASCULE_ATTR_FLOAT, 0, {1}}});
            }).find("'axis'"),
            std::string::npos);
  EXPECT_EQ(ErrorOf([&] {
              complete({{"axis", BASCULE_ATTR_INT, 0, {1}}, {"axes", BASCULE_ATTR_INT, 0, {1}}});
            }),
            "op has no attribute 'axes'.");
}

// A list of lists is its lists' lengths and numbers in one row; nothing may lead out of it.
TEST_F(InferenceTest, ListsOfListsSayTheirLengths) {
  const BasculeAttributeDef defs[] = {{"groups", BASCULE_ATTR_INT_LISTS, 1, {}}};
  def_.attributes = defs;
  def_.attribute_count = 1;
  const auto complete = [&](std::vector<int64_t> ints) {
    BasculeAttribute attribute = {"groups", BASCULE_ATTR_INT_LISTS, 0, {}};
    attribute.value.ints = ints.data();
    attribute.length = static_cast<uint32_t>(ints.size());
    return ErrorOf([&] { CompleteAttributes(op_, std::span(&attribute, 1)); });
  };
  EXPECT_EQ(complete({}), "");
  EXPECT_EQ(complete({2, 7, 8, 0, 1, 9}), "");
  EXPECT_EQ(complete({2, 7}),
            "op: the attribute 'groups' holds a list of 2 numbers, and 1 follow; each list is its "
            "length and as many numbers.");
  EXPECT_NE(complete({0, -1}), "");
  EXPECT_NE(complete({INT64_MAX, 1}), "");
}

TEST_F(InferenceTest, RefusesWhatDoesNotFitTheSchema) {
  std::vector<BasculeTensorInfo> out(1);
  const auto infer = [&](std::size_t inputs) {
    return ErrorOf([&] { InferOutputs(op_, std::span(given_, inputs), defaults(), out); });
  };
  EXPECT_EQ(infer(2), "");
  EXPECT_EQ(infer(1), "op takes 2 inputs (x, y), but 1 was passed.");
  given_[0].present = 0;
  EXPECT_EQ(infer(2), "op: the input 'x' is required.");
  given_[0].present = 1;
  behaviour.infer_status = 1;
  EXPECT_EQ(infer(2), "op: its shape inference refuses x (3, 5), y (3, 5).");
  behaviour.message = "they differ";
  EXPECT_EQ(infer(2), "op: its shape inference refuses x (3, 5), y (3, 5): they differ");
  behaviour.infer_status = 0;
  behaviour.out_dtype = BASCULE_INT8;
  EXPECT_EQ(infer(2),
            "op: the OpDef says output 'out' is float16 for these inputs, its dtype inference says "
            "int8.");
  behaviour.out_dtype = -1;
  behaviour.out_rank = 26;
  EXPECT_EQ(infer(2), "op: its shape inference gave 'out' 26 dimensions; at most 25 are possible.");
  def_.infer_shape = nullptr;
  EXPECT_EQ(infer(2),
            "op has no shape inference (SetInferShape in its OpDef). Pass outputs of the right "
            "shapes.");
}

TEST_F(InferenceTest, KeepsTheUnknown) {
  std::vector<BasculeTensorInfo> out(1);
  given_[0].shape = {2, {-1, 5}};
  InferOutputs(op_, given_, defaults(), out);
  EXPECT_EQ(ShapeText(out[0].shape), "(?, 5)");
  EXPECT_EQ(out[0].dtype, BASCULE_FLOAT16);
}

TEST_F(InferenceTest, PlanHoldsWhatTilingDecided) {
  given_[0].dtype = given_[1].dtype = BASCULE_FLOAT;
  const Plan plan = MakePlan(op_, platform_, given_, defaults());
  EXPECT_EQ(plan.variant, &variants_[1]);
  EXPECT_EQ(plan.block_count, 3u);
  EXPECT_EQ(plan.tiling_key, 9u);
  EXPECT_EQ(plan.workspace_bytes, 64u);
  EXPECT_EQ(plan.tiling_bytes, 12u);
  ASSERT_EQ(plan.tiling_data.size(), 2u) << "12 bytes in words";
  EXPECT_EQ(plan.tiling_data[0], 7u);
  EXPECT_EQ(plan.tiling_data[1], 48u);
  EXPECT_EQ(ShapeText(plan.outputs.at(0).shape), "(3, 5)");
}

TEST_F(InferenceTest, RefusesPlansThatCannotRun) {
  EXPECT_EQ(Refusal(), "");
  behaviour.blocks = 0;
  EXPECT_EQ(Refusal(), "op: its tiling asks for 0 blocks; 1 to 65535 are possible (SetBlockDim).");
  behaviour.blocks = 1000000;
  EXPECT_EQ(Refusal(),
            "op: its tiling asks for 1000000 blocks; 1 to 65535 are possible (SetBlockDim).");
  behaviour = Behaviour();
  behaviour.tiling_bytes = 65537;
  EXPECT_EQ(Refusal(),
            "op: its tiling says it wrote 65537 bytes of tiling data; there is room for 65536.");
  behaviour = Behaviour();
  behaviour.workspaces = 17;
  EXPECT_EQ(Refusal(), "op: its tiling asks for 17 workspaces; at most 16 are possible.");
  behaviour = Behaviour();
  behaviour.workspace_bytes = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(Refusal(),
            "op: its tiling asks for 18446744073709551615 bytes of workspace, more than any "
            "machine has.");
  behaviour.workspace_bytes = uint64_t{1} << 63;
  behaviour.workspaces = 2;
  EXPECT_EQ(
      Refusal(),
      "op: its tiling asks for 9223372036854775808 bytes of workspace, more than any machine has.");
  behaviour = Behaviour();
  behaviour.tiling_status = 1;
  behaviour.message = "no";
  EXPECT_EQ(Refusal(), "op: its tiling refuses x (3, 5), y (3, 5): no");
  behaviour = Behaviour();
  op_.variant_count = 0;
  EXPECT_EQ(Refusal(), "op: the library has no kernel for float16, float16.");
}

TEST_F(InferenceTest, ShapesAsText) {
  EXPECT_EQ(ShapeText({0, {}}), "()");
  EXPECT_EQ(ShapeText({1, {3}}), "(3,)");
  EXPECT_EQ(ShapeText({2, {-1, 3}}), "(?, 3)");
  EXPECT_EQ(ShapeText({-1, {}}), "(...)");
  EXPECT_EQ(ElementCount({2, {3, 5}}, "op", "x"), 15);
  EXPECT_EQ(ElementCount({0, {}}, "op", "x"), 1);
  EXPECT_EQ(ErrorOf([] {
              ElementCount({2, {int64_t{1} << 40, int64_t{1} << 40}}, "op", "x");
            }),
            "op: 'x' has shape (1099511627776, 1099511627776), whose size is no 64-bit number.");
}

}  // namespace
}  // namespace bascule::registry

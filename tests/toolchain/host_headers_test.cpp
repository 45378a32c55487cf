// The official host headers: what a definition collects, which mistakes are told, and that nothing
// but sentences leaves a host function. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "bascule_host_describe.h"
#include "op_common/log/log.h"
#include "op_common/op_host/infershape_broadcast_util.h"
#include "op_common/op_host/infershape_reduce_util.h"
#include "op_common/op_host/util/const_util.h"
#include "op_common/op_host/util/math_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace bascule::toolchain {
namespace {

using ops::OpDef;

ge::graphStatus NoTiling(gert::TilingContext*) { return ge::GRAPH_SUCCESS; }

// A definition without mistakes; each case below makes one.
OpDef Good() {
  OpDef def("MyMul");
  def.Input("x").ParamType(ops::REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
  def.Input("y").ParamType(ops::REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
  def.Output("out").ParamType(ops::REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
  def.AICore().SetTiling(NoTiling);
  return def;
}

std::string Mistake(const OpDef& def) {
  try {
    bascule_host::Access::Resolve(def);
  } catch (const bascule_host::HostError& error) {
    return error.what();
  }
  return "";
}

TEST(OpDefMistakes, AreSentences) {
  EXPECT_EQ(Mistake(Good()), "");
  {
    OpDef def = Good();
    def.Input("z").DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32});
    EXPECT_EQ(
        Mistake(def),
        "operator MyMul: input z lists 3 data types and input x lists 2 data types; each list has "
        "one entry per supported combination, so all are equally long");
  }
  {
    OpDef def = Good();
    def.Output("z").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    EXPECT_EQ(Mistake(def),
              "operator MyMul: output z lists 1 formats and input x lists 2 data types; each list "
              "has one "
              "entry per supported combination, so all are equally long");
  }
  {
    OpDef def = Good();
    def.AICore().SetTiling(nullptr);
    EXPECT_EQ(Mistake(def),
              "operator MyMul: there is no tiling function; set one with "
              "this->AICore().SetTiling(function)");
  }
  {
    OpDef def = Good();
    def.Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    EXPECT_EQ(Mistake(def), "operator MyMul: two inputs are named x");
  }
  {
    OpDef def = Good();
    def.Input("z");
    EXPECT_EQ(Mistake(def),
              "operator MyMul: input z has no data types; list them with .DataType({...})");
  }
  {
    OpDef def = Good();
    def.Input("a-b").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    EXPECT_EQ(Mistake(def),
              "operator MyMul: input 2 is named \"a-b\"; a name is made of letters, digits and "
              "underscores");
  }
  {
    OpDef def("MyMul");
    def.Input("x").ParamType(ops::OPTIONAL).DataType({ge::DT_FLOAT});
    EXPECT_EQ(Mistake(def),
              "operator MyMul: there is no output; define one with this->Output(\"name\")");
    def.Input("y").ParamType(ops::DYNAMIC).DataType({ge::DT_FLOAT});
    EXPECT_EQ(Mistake(def),
              "operator MyMul: there is no output, and input y is a list of tensors; a kernel that "
              "changes the tensors of a list needs an output of the same name, "
              "this->Output(\"y\")");
  }
  {
    OpDef def = Good();
    def.Attr("alpha").AttrType(ops::OPTIONAL);
    EXPECT_EQ(Mistake(def),
              "operator MyMul: attribute alpha has no type; give it one, as in .Int(0)");
  }
  {
    OpDef def = Good();
    def.Attr("alpha").AttrType(ops::OPTIONAL).Float();  // taken as required
    EXPECT_EQ(Mistake(def), "");
  }
  {
    OpDef def = Good();
    def.Output("z").Follow("w");
    EXPECT_EQ(Mistake(def), "operator MyMul: z follows w, which is no input");
  }
  {
    OpDef def = Good();
    ops::OpAICoreConfig config;
    config.Input("w").DataType({ge::DT_FLOAT});
    def.AICore().AddConfig("ascend910b", config);
    EXPECT_EQ(
        Mistake(def),
        "operator MyMul: the configuration for ascend910b changes input w, which the operator does "
        "not have");
  }
}

TEST(OpDefColumns, ListsMultiplyAndFollow) {
  OpDef def("MyMul");
  def.Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).FormatList({ge::FORMAT_ND});
  def.Input("s")
      .DataTypeList({ge::DT_INT32, ge::DT_INT64})
      .FormatList({ge::FORMAT_ND, ge::FORMAT_NCHW});
  def.Output("out").Follow("x");
  def.AICore().SetTiling(NoTiling);
  const auto resolved = bascule_host::Access::Resolve(def);
  const bascule_host::Operator& op = *resolved;
  ASSERT_EQ(op.columns, 8u);
  std::set<std::array<int32_t, 3>> seen;
  for (size_t column = 0; column < op.columns; ++column) {
    seen.insert(
        {op.inputs[0].dtypes[column], op.inputs[1].dtypes[column], op.inputs[1].formats[column]});
    EXPECT_EQ(op.inputs[0].dtypes[column], op.outputs[0].dtypes[column]);
    EXPECT_EQ(op.inputs[0].formats[column], ge::FORMAT_ND);
  }
  EXPECT_EQ(seen.size(), 8u) << "each combination once";
  EXPECT_EQ(op.outputs[0].shape_of, 0);
}

TEST(OpDefColumns, TheProcessorsConfigurationReplaces) {
  OpDef def = Good();
  ops::OpAICoreConfig config;
  for (const char* name : {"x", "y"}) config.Input(name).DataType({ge::DT_BF16});
  config.Output("out").DataType({ge::DT_BF16});
  def.AICore().AddConfig("ascend910").AddConfig("ascend910b", config);
  const auto resolved = bascule_host::Access::Resolve(def);
  const bascule_host::Operator& op = *resolved;
  EXPECT_EQ(op.columns, 1u);
  EXPECT_EQ(op.outputs[0].dtypes, std::vector<int32_t>{BASCULE_BFLOAT16});
}

// Public projects define all their parameters for a processor only.
TEST(OpDefColumns, TheProcessorsConfigurationMayHaveThemAll) {
  OpDef def("MyMul");
  ops::OpAICoreConfig config;
  config.Input("x").DataType({ge::DT_FLOAT});
  config.Output("out").DataType({ge::DT_FLOAT});
  def.AICore().SetTiling(NoTiling).AddConfig("ascend910b", config);
  const auto resolved = bascule_host::Access::Resolve(def);
  const bascule_host::Operator& op = *resolved;
  ASSERT_EQ(op.inputs.size(), 1u);
  EXPECT_EQ(op.inputs[0].name, "x");
  EXPECT_EQ(op.outputs[0].dtypes, std::vector<int32_t>{BASCULE_FLOAT});
}

TEST(SnakeCase, FollowsTheNamingRules) {
  const std::pair<const char*, const char*> cases[] = {{"MyMul", "my_mul"},
                                                       {"AddCustom", "add_custom"},
                                                       {"Conv2DCustom", "conv2_d_custom"},
                                                       {"GatherV2", "gather_v2"},
                                                       {"GRUCell", "gru_cell"},
                                                       {"HTTPServer", "http_server"},
                                                       {"AbcAAc", "abc_a_ac"},
                                                       {"TopKCustom", "top_k_custom"},
                                                       {"A", "a"},
                                                       {"", ""}};
  for (const auto& [type, name] : cases) EXPECT_EQ(bascule_host::SnakeCase(type), name);
}

TEST(Shape, SizeSaysUnknownAndOverflow) {
  EXPECT_EQ(gert::Shape({}).GetShapeSize(), 1);
  EXPECT_EQ(gert::Shape({3, 5}).GetShapeSize(), 15);
  EXPECT_EQ(gert::Shape({3, -1}).GetShapeSize(), -1);
  EXPECT_EQ(gert::Shape({int64_t{1} << 40, int64_t{1} << 40}).GetShapeSize(), -1);
  EXPECT_EQ(gert::Shape({int64_t{1} << 40, int64_t{1} << 40, 0}).GetShapeSize(), 0);
  EXPECT_EQ(gert::Shape({2}).GetDim(1), gert::Shape::kInvalidDimValue);
  EXPECT_EQ(gert::Shape({2, 3}).AppendDim(4), gert::Shape({2, 3, 4}));
}

// --- host functions

struct Tiling {
  int64_t size;
  float alpha;
};

ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const int64_t mode = *context->GetAttrs()->GetAttrPointer<int64_t>(1);
  switch (mode) {
    case 1:
      throw std::runtime_error("was told to throw");
    case 2:
      throw 7;
    case 3:
      return ge::GRAPH_FAILED;
    case 4:
      return ge::GRAPH_PARAM_INVALID;
    case 5:
      context->GetAttrs()->GetInt(0);
      break;
    case 6:
      context->GetRawTilingData()->SetDataSize(1 << 20);
      break;
    case 7:
      context->GetWorkspaceSizes(17);
      break;
    case 8:
      platform_ascendc::PlatformAscendC(nullptr);
      break;
    case 9:
      OP_CHECK_IF(mode > 8, OP_LOGE(context, "mode is %ld; at most %d is possible", mode, 8),
                  OP_LOGE(context, "and so it fails");
                  return ge::GRAPH_FAILED);
      break;
    default:
      break;
  }
  auto* tiling = context->GetTilingData<Tiling>();
  tiling->size = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  tiling->alpha = *context->GetAttrs()->GetAttrPointer<float>(0);
  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  uint64_t ub = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
  context->SetBlockDim(platform.GetCoreNumAiv());
  context->SetTilingKey(11);
  context->GetWorkspaceSizes(1)[0] = ub + platform.GetLibApiWorkSpaceSize();
  EXPECT_EQ(context->GetOptionalInputShape(1) == nullptr, context->GetComputeNodeInputNum() == 1);
  EXPECT_EQ(context->GetInputShape(5), nullptr);
  EXPECT_EQ(context->GetAttrs()->GetAttrPointer<int64_t>(9), nullptr);
  EXPECT_EQ(platform.GetSocVersion(), platform_ascendc::SocVersion::ASCEND910B);
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShapeFunc(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDtypeFunc(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}

class TestedOp : public OpDef {
 public:
  explicit TestedOp(const char* name) : OpDef(name) {
    this->Input("x").ParamType(ops::REQUIRED).DataType({ge::DT_FLOAT});
    this->Input("y").ParamType(ops::OPTIONAL).DataType({ge::DT_FLOAT});
    this->Output("out").ParamType(ops::REQUIRED).DataType({ge::DT_FLOAT});
    this->Attr("alpha").AttrType(ops::OPTIONAL).Float(0.1f);
    this->Attr("mode").AttrType(ops::OPTIONAL).Int(-3);
    this->Attr("text").AttrType(ops::OPTIONAL).String("a\"b\n");
    this->Attr("on").AttrType(ops::OPTIONAL).Bool(true);
    this->Attr("axes").AttrType(ops::OPTIONAL).ListInt({1, -2});
    this->Attr("scales").AttrType(ops::OPTIONAL).ListFloat({0.5f});
    this->Attr("must").AttrType(ops::REQUIRED).Int();
    this->SetInferDataType(InferDtypeFunc);
    this->AICore().SetTiling(TilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(TestedOp);
IMPL_OP_INFERSHAPE(TestedOp).InferShape(InferShapeFunc);

class HostCallTest : public testing::Test {
 protected:
  HostCallTest() {
    inputs[0] = {{2, {3, 5}}, BASCULE_FLOAT, BASCULE_FORMAT_ND, 1, 0};
    platform.aiv_cores = 48;
    platform.memory_bytes[BASCULE_UB] = 1000;
    platform.system_workspace_bytes = 24;
    platform.name = "Ascend910B";
    call.operator_name = "tested_op";
    call.input_count = 2;
    call.inputs = inputs;
    call.output_count = 1;
    call.outputs = outputs;
    call.attributes = attributes.data();
    call.attribute_count = static_cast<uint32_t>(attributes.size());
    call.platform = &platform;
    call.message = message;
    call.message_capacity = sizeof(message);
    call.tiling_data = data;
    call.tiling_capacity = sizeof(data);
    for (size_t i = 0; i < attributes.size(); ++i) attributes[i] = def->attributes[i].fallback;
  }
  int Mode(int64_t mode) {
    attributes[1].value.i = mode;
    return def->tiling(&call);
  }

  const BasculeOperatorDef* def = bascule_host::FindOperatorDef("TestedOp");
  BasculeTensorInfo inputs[2] = {};
  BasculeTensorInfo outputs[1] = {};
  BasculePlatform platform = {};
  std::array<BasculeAttribute, 7> attributes;
  BasculeHostCall call = {};
  char message[256] = "";
  alignas(64) char data[4096] = {};
};

TEST_F(HostCallTest, TilingFillsTheCall) {
  ASSERT_EQ(Mode(0), 0) << message;
  EXPECT_EQ(call.tiling_bytes, sizeof(Tiling));
  EXPECT_EQ(reinterpret_cast<Tiling*>(data)->size, 15);
  EXPECT_EQ(reinterpret_cast<Tiling*>(data)->alpha, 0.1f);
  EXPECT_EQ(call.block_count, 48u);
  EXPECT_EQ(call.tiling_key, 11u);
  EXPECT_EQ(call.workspace_count, 1u);
  EXPECT_EQ(call.workspace_bytes[0], 1024u);
  inputs[1] = inputs[0];
  EXPECT_EQ(Mode(0), 0) << message;
}

TEST_F(HostCallTest, FailuresAreSentences) {
  const std::pair<int64_t, const char*> cases[] = {
      {1, "was told to throw"},
      {2, "it threw something that is no std::exception"},
      {3, "it returned GRAPH_FAILED"},
      {4, "it returned the error 50331649"},
      {5, "attribute 0 (alpha) is a float and was read as an integer"},
      {6, "the tiling data has 1048576 bytes; there is room for 4096"},
      {7, "GetWorkspaceSizes(17): an operator has at most 16 workspaces"},
      {8,
       "PlatformAscendC was given a null platform; pass context->GetPlatformInfo() of a tiling "
       "function"},
      {9, "mode is 9; at most 8 is possible"},
      {3, "it returned GRAPH_FAILED"}};
  for (const auto& [mode, text] : cases) {
    EXPECT_NE(Mode(mode), 0);
    EXPECT_STREQ(message, text);
  }
  call.operator_name = "other";
  EXPECT_NE(def->tiling(&call), 0);
  EXPECT_STREQ(message, "the library has no operator of this name");
  call.message_capacity = 10;
  EXPECT_NE(def->tiling(&call), 0);
  EXPECT_STREQ(message, "the libra");
}

TEST_F(HostCallTest, InferencePassesTheUnknown) {
  inputs[0].shape = {2, {-1, 4}};
  ASSERT_EQ(def->infer_shape(&call), 0) << message;
  EXPECT_EQ(outputs[0].shape.rank, 2);
  EXPECT_EQ(outputs[0].shape.dims[0], -1);
  inputs[0].shape.rank = -1;
  ASSERT_EQ(def->infer_shape(&call), 0) << message;
  EXPECT_EQ(outputs[0].shape.rank, -1);
  inputs[0].shape.rank = 0;
  ASSERT_EQ(def->infer_shape(&call), 0) << message;
  EXPECT_EQ(outputs[0].shape.rank, 0);
  ASSERT_EQ(def->infer_dtype(&call), 0) << message;
  EXPECT_EQ(outputs[0].dtype, BASCULE_FLOAT);
  inputs[0].dtype = -1;
  ASSERT_EQ(def->infer_dtype(&call), 0) << message;
  EXPECT_EQ(outputs[0].dtype, -1);
}

TEST(Describe, IsJsonWithDefaults) {
  const nlohmann::json text = nlohmann::json::parse(bascule_host::DescribeAll());
  const nlohmann::json& op = text.at("operators").at(0);
  EXPECT_EQ(op.at("name"), "tested_op");
  EXPECT_EQ(op.at("inputs").at(1).at("kind"), BASCULE_OPTIONAL);
  EXPECT_EQ(op.at("infer_shape"), true);
  const nlohmann::json& attributes = op.at("attributes");
  EXPECT_EQ(attributes.at(0).at("default").get<float>(), 0.1f);
  EXPECT_EQ(attributes.at(1).at("default"), -3);
  EXPECT_EQ(attributes.at(2).at("default"), "a\"b\n");
  EXPECT_EQ(attributes.at(3).at("default"), true);
  EXPECT_EQ(attributes.at(4).at("default"), nlohmann::json({1, -2}));
  EXPECT_EQ(attributes.at(5).at("default"), nlohmann::json({0.5}));
  EXPECT_EQ(attributes.at(6).at("default"), nullptr);
  EXPECT_EQ(attributes.at(6).at("required"), true);
}

}  // namespace
// An optional input that was left out, a dynamic one of two tensors, and one whose values are
// known.
TEST(Contexts, CountInputsInBothWays) {
  BasculeTensorInfo inputs[4] = {};
  for (int64_t i = 1; i < 4; ++i) {
    inputs[i] = {{1, {i}}, BASCULE_INT32, BASCULE_FORMAT_ND, 1, 0};
  }
  inputs[3].dtype = BASCULE_INT64;
  BasculeTensorInfo outputs[2] = {};
  const uint32_t instances[] = {1, 2, 1};
  const uint32_t output_instances[] = {2};
  const int64_t values[] = {7, 8, 9};
  const void* const held[] = {nullptr, nullptr, nullptr, values};
  BasculeHostCall call = {};
  call.struct_bytes = sizeof(call);
  call.operator_name = "op";
  call.input_count = 4;
  call.inputs = inputs;
  call.output_count = 2;
  call.outputs = outputs;
  call.input_instances = instances;
  call.schema_input_count = 3;
  call.output_instances = output_instances;
  call.schema_output_count = 1;
  call.input_data = held;

  const gert::TilingContext context(&call, "Op");
  const gert::ComputeNodeInfo& node = *context.GetComputeNodeInfo();
  EXPECT_EQ(node.GetIrInputsNum(), 3u);
  EXPECT_EQ(node.GetInputsNum(), 3u);
  EXPECT_EQ(node.GetInputInstanceInfo(0)->GetInstanceNum(), 0u);
  EXPECT_EQ(node.GetInputInstanceInfo(1)->GetInstanceNum(), 2u);
  EXPECT_EQ(node.GetInputInstanceInfo(2)->GetInstanceStart(), 2u);
  EXPECT_EQ(node.GetInputInstanceInfo(3), nullptr);
  EXPECT_EQ(context.GetOptionalInputShape(0), nullptr);
  EXPECT_EQ(context.GetInputShape(0)->GetStorageShape(), gert::Shape({1}));
  EXPECT_EQ(context.GetDynamicInputShape(1, 1)->GetStorageShape(), gert::Shape({2}));
  EXPECT_EQ(context.GetDynamicInputShape(1, 2), nullptr);
  EXPECT_EQ(context.GetRequiredInputDesc(2)->GetDataType(), ge::DT_INT64);
  EXPECT_EQ(context.GetInputTensor(0)->GetData<int32_t>(), nullptr);
  EXPECT_EQ(context.GetRequiredInputTensor(2)->GetData<int64_t>()[1], 8);
  EXPECT_NE(context.GetDynamicOutputShape(0, 1), nullptr);
  EXPECT_EQ(context.GetDynamicOutputShape(0, 2), nullptr);

  gert::InferShapeContext shapes(&call, "Op");
  EXPECT_EQ(*shapes.GetDynamicInputShape(1, 0), gert::Shape({1}));
  gert::Shape read;
  EXPECT_TRUE(Ops::Base::GetValueToShape(shapes.GetInputTensor(2), read));
  EXPECT_EQ(read, gert::Shape({7, 8, 9}));
  EXPECT_FALSE(Ops::Base::GetValueToShape(shapes.GetInputTensor(1), read));

  gert::InferShapeRangeContext ranges(&call, "Op");
  EXPECT_EQ(*ranges.GetInputShapeRange(2)->GetMax(), gert::Shape({3}));
  *ranges.GetOutputShapeRange(1)->GetMax() = gert::Shape({5});
  EXPECT_EQ(ranges.GetOutputShapeRange(1)->GetMin()->GetDimNum(), 0u);

  // A runtime from before these fields: every input is one tensor.
  call.struct_bytes = offsetof(BasculeHostCall, input_instances);
  const gert::TilingContext older(&call, "Op");
  EXPECT_EQ(older.GetComputeNodeInfo()->GetIrInputsNum(), 4u);
  EXPECT_EQ(older.GetInputTensor(2)->GetData<int64_t>(), nullptr);
}

TEST(Types, HaveTextsAndSizes) {
  EXPECT_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_BF16), "DT_BF16");
  EXPECT_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_MAX), "UNDEFINED");
  EXPECT_EQ(ge::TypeUtils::SerialStringToDataType("DT_INT4"), ge::DT_INT4);
  EXPECT_EQ(ge::TypeUtils::FormatToSerialString(ge::FORMAT_FRACTAL_NZ), "FRACTAL_NZ");
  EXPECT_EQ(ge::TypeUtils::SerialStringToFormat("NCL"), ge::FORMAT_NCL);
  EXPECT_EQ(ge::GetSizeInBytes(3, ge::DT_INT4), 2);
  EXPECT_EQ(ge::GetSizeInBytes(3, ge::DT_COMPLEX64), 24);
  EXPECT_EQ(ge::GetSizeInBytes(INT64_MAX / 2, ge::DT_INT64), -1);
  EXPECT_EQ(ge::GetSizeInBytes(1, ge::DT_VARIANT), -1);
  uint32_t length = 0;
  EXPECT_TRUE(ge::TypeUtils::GetDataTypeLength(ge::DT_DOUBLE, length));
  EXPECT_EQ(length, 8u);
  EXPECT_FALSE(ge::TypeUtils::GetDataTypeLength(ge::DT_UINT1, length));
}

TEST(Helpers, DivideAndBroadcast) {
  EXPECT_EQ(Ops::Base::CeilDiv(7, 2), 4);
  EXPECT_EQ(Ops::Base::CeilDiv(-7, 2), -3);
  EXPECT_EQ(Ops::Base::CeilDiv(7, 0), 7);
  EXPECT_EQ(Ops::Base::CeilAlign(uint64_t{33}, 32u), 64u);
  EXPECT_EQ(Ops::Base::FloorAlign(33, 32), 32);
  const gert::Shape a = {3, 1, 5};
  const gert::Shape b = {4, -1};
  const gert::Shape bad = {2, 5};
  gert::Shape out;
  EXPECT_TRUE(Ops::Base::BroadcastShape(&a, &b, &out));
  EXPECT_EQ(out, gert::Shape({3, 4, 5}));
  EXPECT_FALSE(Ops::Base::BroadcastShape(&b, &bad, &out));
  const int64_t axes[] = {-1, 0};
  EXPECT_EQ(Ops::Base::ReduceDimsWithKeepDims(&a, axes, 2, &out), ge::GRAPH_SUCCESS);
  EXPECT_EQ(out, gert::Shape({1, 1, 1}));
  EXPECT_EQ(Ops::Base::ReduceDimsWithoutKeepDims(&a, axes, 2, &out), ge::GRAPH_SUCCESS);
  EXPECT_EQ(out, gert::Shape({1}));
  const int64_t wrong[] = {3};
  EXPECT_EQ(Ops::Base::ReduceDimsWithKeepDims(&a, wrong, 1, &out), ge::GRAPH_FAILED);
  EXPECT_EQ(bascule_host::TakeLoggedError(), "the axis 3 is none of 3 dimensions");
}

}  // namespace bascule::toolchain

// The official host headers: what a definition collects, which mistakes are told, and that nothing
// but sentences leaves a host function. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "bascule_host_describe.h"
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
    def.Input("x").DataType({ge::DT_FLOAT});
    EXPECT_EQ(Mistake(def),
              "operator MyMul: there is no output; define one with this->Output(\"name\")");
  }
  {
    OpDef def = Good();
    def.Attr("alpha").AttrType(ops::OPTIONAL);
    EXPECT_EQ(Mistake(def),
              "operator MyMul: attribute alpha has no type; give it one, as in .Int(0)");
  }
  {
    OpDef def = Good();
    def.Attr("alpha").AttrType(ops::OPTIONAL).Float();
    EXPECT_EQ(Mistake(def), "operator MyMul: attribute alpha is optional and has no default value");
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
  const bascule_host::Operator op = bascule_host::Access::Resolve(def);
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
  const bascule_host::Operator op = bascule_host::Access::Resolve(def);
  EXPECT_EQ(op.columns, 1u);
  EXPECT_EQ(op.outputs[0].dtypes, std::vector<int32_t>{BASCULE_BFLOAT16});
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
       "function"}};
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
}  // namespace bascule::toolchain

// Tiling functions called from a test, as their authors do: a context from ContextBuilder, and
// functions of this program or of a library that `bascule build` made.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "bascule/c_api.h"
#include "tiling/context/context_builder.h"

namespace {

using context_ascendc::ContextBuilder;
using context_ascendc::OpTilingRegistry;

// Without a use of it, the linker leaves the runtime out.
const int32_t kRuntime = bascule_c_api_version();

struct Data {
  uint64_t length;
  float scale;
};

// What a test program would link of its own host code.
ge::graphStatus Tiling(gert::TilingContext* context) {
  auto* data = context->GetTilingData<Data>();
  const gert::StorageShape* const x = context->GetInputShape(0);
  data->length = static_cast<uint64_t>(x->GetStorageShape().GetShapeSize());
  data->scale = *context->GetAttrs()->GetFloat(0);
  context->SetBlockDim(static_cast<uint32_t>(*context->GetAttrs()->GetInt(1)));
  context->SetTilingKey(x->GetOriginShape().GetDimNum());
  context->GetWorkspaceSizes(2)[1] = 128;
  return ge::GRAPH_SUCCESS;
}

TEST(TilingByHand, AFunctionOfTheProgram) {
  const gert::StorageShape shape = {{2, 30}, {2, 4, 16}};
  auto data = gert::TilingData::CreateCap(256);
  auto sizes = gert::ContinuousVector::Create<size_t>(4);
  auto* const workspaces = reinterpret_cast<gert::ContinuousVector*>(sizes.get());
  const auto holder =
      ContextBuilder()
          .SetOpNameType("node", "MyOp")
          .NodeIoNum(1, 1)
          .IrInstanceNum({1})
          .AddInputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ, shape)
          .AddOutputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, {{2, 30}, {2, 30}})
          .AddAttr("scale", 0.5f)
          .AddAttr("blocks", 7)
          .TilingData(data.get())
          .Workspace(workspaces)
          .AddPlatformInfo("Ascend910B1")
          .BuildTilingContext();
  ASSERT_NE(holder, nullptr);
  auto* const context = holder->GetContext<gert::TilingContext>();
  ASSERT_EQ(Tiling(context), ge::GRAPH_SUCCESS);

  const auto* result = reinterpret_cast<gert::TilingData*>(data.get());
  ASSERT_EQ(result->GetDataSize(), sizeof(Data));
  const auto* values = static_cast<const Data*>(result->GetData());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values) % 64, 0u);
  EXPECT_EQ(values->length, 128u);
  EXPECT_EQ(values->scale, 0.5f);
  EXPECT_EQ(context->GetBlockDim(), 7u);
  EXPECT_EQ(context->GetTilingKey(), 2u);
  ASSERT_EQ(workspaces->GetSize(), 2u);
  EXPECT_EQ(static_cast<const size_t*>(workspaces->GetData())[1], 128u);
  EXPECT_EQ(platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv(), 48u);
  EXPECT_STREQ(context->GetNodeType(), "MyOp");
  EXPECT_EQ(context->GetInputDesc(0)->GetOriginFormat(), ge::FORMAT_ND);
  EXPECT_EQ(context->GetInputDesc(0)->GetStorageFormat(), ge::FORMAT_FRACTAL_NZ);
  EXPECT_EQ(holder->MutableComputeNodeInfo()->GetInputsNum(), 1u);
  EXPECT_EQ(holder->GetContext<gert::KernelContext>(), nullptr);
}

TEST(TilingByHand, InputsWithValuesAndInstances) {
  float numbers[] = {1.5f, -2};
  const std::string path = testing::TempDir() + "tiling_by_hand.bin";
  std::ofstream(path, std::ios::binary).write("\1\0\0\0\2\0\0\0", 8);
  const gert::StorageShape two = {{2}, {2}};
  const auto holder =
      ContextBuilder()
          .NodeIoNum(3, 1)
          .IrInstanceNum({2, 0, 1})  // a dynamic input of two, and one that is left out
          .AddInputTd(0, ge::DT_FLOAT16, ge::FORMAT_ND, ge::FORMAT_ND, two, numbers)
          .AddInputTd(1, ge::DT_BF16, ge::FORMAT_ND, ge::FORMAT_ND, two, numbers)
          .AddInputTd(2, ge::DT_INT32, ge::FORMAT_ND, ge::FORMAT_ND, two, path)
          .AddOutputTd(0, ge::DT_FLOAT16, ge::FORMAT_ND, ge::FORMAT_ND, two)
          .AddAttr("mode", "edge")
          .AddAttr("axes", std::vector<int64_t>{1, 2})
          .BuildTilingContext();
  ASSERT_NE(holder, nullptr);
  const auto* context = holder->GetContext<gert::TilingContext>();
  EXPECT_EQ(context->GetInputTensor(0)->GetData<uint16_t>()[0], 0x3e00);
  EXPECT_EQ(context->GetDynamicInputTensor(0, 1)->GetData<uint16_t>()[1], 0xc000);
  EXPECT_EQ(context->GetOptionalInputTensor(1), nullptr);
  EXPECT_EQ(context->GetRequiredInputTensor(2)->GetData<int32_t>()[1], 2);
  EXPECT_STREQ(context->GetAttrs()->GetStr(0), "edge");
  EXPECT_EQ(context->GetAttrs()->GetListInt(1)->GetData()[1], 2);
  std::remove(path.c_str());
}

TEST(TilingByHand, AFunctionOfALibrary) {
  OpTilingRegistry registry;
  ASSERT_TRUE(registry.LoadTilingLibrary(BASCULE_TEST_LIBRARIES "/libleaky_relu.so"));
  const context_ascendc::TilingFunc tiling = registry.GetTilingFunc("LeakyRelu");
  ASSERT_NE(tiling, nullptr);
  EXPECT_EQ(registry.GetTilingFunc("LeakyRelu"), tiling);
  const auto build = [](int64_t rows) {
    const gert::StorageShape shape = {{rows, 1024}, {rows, 1024}};
    return ContextBuilder()
        .NodeIoNum(1, 1)
        .IrInstanceNum({1})
        .AddInputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, shape)
        .AddOutputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, shape)
        .AddAttr("negative_slope", 0.25f)
        .AddPlatformInfo(nullptr)
        .BuildTilingContext();
  };
  const auto holder = build(4096);
  auto* const context = holder->GetContext<gert::TilingContext>();
  ASSERT_EQ(tiling(context), ge::GRAPH_SUCCESS);
  EXPECT_EQ(context->GetBlockDim(), 48u);
  EXPECT_GT(context->GetRawTilingData()->GetDataSize(), 0u);
  const auto small = build(1);
  ASSERT_EQ(tiling(small->GetContext<gert::TilingContext>()), ge::GRAPH_SUCCESS);
  EXPECT_LT(small->GetContext<gert::TilingContext>()->GetBlockDim(), 48u);

  testing::internal::CaptureStderr();
  EXPECT_EQ(registry.GetTilingFunc("Other"), nullptr);
  EXPECT_FALSE(registry.LoadTilingLibrary("libc.so.6"));
  EXPECT_FALSE(registry.LoadTilingLibrary("/nowhere/libx.so"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "GetTilingFunc: the library has no operator Other; it has: LeakyRelu.\n"
            "LoadTilingLibrary: libc.so.6 is no operator library: it has no bascule_library_v1. "
            "`bascule build` makes one of a project.\n"
            "LoadTilingLibrary: /nowhere/libx.so: cannot open shared object file: No such file or "
            "directory\n");
}

TEST(TilingByHand, ALibraryThatRefusesSaysWhy) {
  OpTilingRegistry registry;
  ASSERT_TRUE(registry.LoadTilingLibrary(BASCULE_TEST_LIBRARIES "/libleaky_relu.so"));
  const auto holder = ContextBuilder()
                          .NodeIoNum(1, 1)
                          .IrInstanceNum({1})
                          .AddInputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, {{4}, {4}})
                          .AddOutputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, {{4}, {4}})
                          .AddAttr("negative_slope", 3)  // an integer
                          .AddPlatformInfo(nullptr)
                          .BuildTilingContext();
  testing::internal::CaptureStderr();
  EXPECT_EQ(registry.GetTilingFunc("LeakyRelu")(holder->GetContext<gert::TilingContext>()),
            ge::GRAPH_FAILED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "LeakyRelu: its tiling refuses this context: attribute 0 (negative_slope) is an "
            "integer and was read as a float\n");
}

TEST(TilingByHand, MistakesOfTheBuilderAreSentences) {
  const gert::StorageShape one = {{1}, {1}};
  const auto said = [](auto build) {
    testing::internal::CaptureStderr();
    ContextBuilder builder;
    build(builder);
    EXPECT_EQ(builder.BuildTilingContext(), nullptr);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said([&](ContextBuilder& b) {
              b.AddInputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, one);
            }),
            "ContextBuilder: AddInputTd: there is no tensor 0; IrInstanceNum, which has to come "
            "first, says there are 0.\n");
  EXPECT_EQ(said([](ContextBuilder& b) { b.NodeIoNum(2, 0).IrInstanceNum({1}); }),
            "ContextBuilder: BuildTilingContext: NodeIoNum says there are 2 inputs, and "
            "IrInstanceNum has numbers for 1.\n");
  EXPECT_EQ(said([](ContextBuilder& b) { b.NodeIoNum(1, 0).IrInstanceNum({1}); }),
            "ContextBuilder: BuildTilingContext: input 0 was never described.\n");
  EXPECT_EQ(said([](ContextBuilder& b) { b.AddAttr("a", 1).AddAttr("a", 2); }),
            "ContextBuilder: AddAttr: the attribute a was added before.\n");
  EXPECT_EQ(said([&](ContextBuilder& b) {
              b.NodeIoNum(1, 0).IrInstanceNum({1}).AddInputTd(
                  0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, one, std::string("/nowhere"));
            }),
            "ContextBuilder: AddInputTd: input 0 has 4 bytes, and /nowhere cannot be read.\n");
}

struct CompileInfo {
  uint32_t cores;
};

TEST(TilingByHand, AParseFunction) {
  CompileInfo info = {};
  fe::PlatFormInfos platform(BasculeAcl()->platform());
  const auto holder =
      ContextBuilder().Inputs({nullptr, &platform}).Outputs({&info}).BuildKernelRunContext();
  ASSERT_NE(holder, nullptr);
  auto* const context = holder->GetContext<gert::KernelContext>();
  context->GetCompiledInfo<CompileInfo>()->cores = context->GetPlatformInfo()->GetCoreNum();
  EXPECT_EQ(info.cores, 48u);
  EXPECT_EQ(holder->GetContext<gert::TilingContext>(), nullptr);
}

}  // namespace

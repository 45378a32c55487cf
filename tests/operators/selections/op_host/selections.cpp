// Chooses an instance of a kernel that is a template, by data type and attributes; what the parse
// function left says how long a tile is.
// SPDX-License-Identifier: Apache-2.0
#include "../op_kernel/selections_key.h"
#include "../op_kernel/selections_tiling.h"
#include "log/log.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

struct CompileInfo {
  uint64_t ub_bytes = 0;
};

static ge::graphStatus Parse(gert::TilingParseContext* context) {
  CompileInfo* info = context->GetCompiledInfo<CompileInfo>();
  OP_CHECK_NULL_WITH_CONTEXT(context, info);
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_8K);
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ub_bytes);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const auto* info = context->GetCompileInfo<CompileInfo>();
  OP_CHECK_IF(info == nullptr || info->ub_bytes != (192 - 8) * 1024 - 256,
              OP_LOGE(context, "the parse function left nothing"), return ge::GRAPH_FAILED);
  const int64_t addend = *context->GetAttrs()->GetInt(0);
  OP_CHECK_IF(addend < 0,
              OP_LOGE(context->GetNodeName(), "addend is %ld, which is below 0", addend),
              return ge::GRAPH_FAILED);
  auto* tiling = context->GetTilingData<SelectionsTiling>();
  tiling->length =
      static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  ASCENDC_TPL_SEL_PARAM(context, context->GetInputDesc(0)->GetDataType(), addend,
                        *context->GetAttrs()->GetBool(1));
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Selections).Tiling(Tiling).TilingParse<CompileInfo>(Parse);

}  // namespace optiling

namespace ops {

class Selections : public OpDef {
 public:
  explicit Selections(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_COMPLEX64})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).Follow("x");
    this->Attr("addend").AttrType(OPTIONAL).Int(1);
    this->Attr("negate").AttrType(OPTIONAL).Bool(false);
    OpAICoreConfig config;
    config.DynamicShapeSupportFlag(true).ExtendCfgInfo("opFile.value", "selections_all");
    this->AICore().AddConfig("ascend910b", config);
    this->AICore().AddConfig("ascend310p");
  }
};

OP_ADD(Selections);

}  // namespace ops

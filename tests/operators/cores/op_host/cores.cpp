// A kernel for both kinds of core whose parts are kept apart by the preprocessor.
// SPDX-License-Identifier: Apache-2.0
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const int64_t length = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  *context->GetTilingData<uint32_t>() = static_cast<uint32_t>(length);
  context->SetBlockDim(2);
  context->GetWorkspaceSizes(1)[0] =
      platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetLibApiWorkSpaceSize() + 4096;
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class Cores : public OpDef {
 public:
  explicit Cores(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32});
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(Cores);

}  // namespace ops

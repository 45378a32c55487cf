#include "../op_kernel/scale_add_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

#ifndef WORKSPACES  // what the build file defines for the tiling library
#define WORKSPACES 1
#endif

namespace optiling {
static ge::graphStatus Plan(gert::TilingContext* context) {
  auto* plan = context->GetTilingData<ScaleAddTiling>();
  const auto* attributes = context->GetAttrs();
  plan->length = static_cast<uint32_t>(context->GetInputShape(0)->GetOriginShape().GetShapeSize());
  plan->scale = *attributes->GetAttrPointer<float>(0);
  plan->offset = 0;
  const auto* offsets = attributes->GetListInt(1);
  for (size_t i = 0; i < offsets->GetSize(); ++i) {
    plan->offset += static_cast<float>(offsets->GetData()[i]);
  }
  context->SetBlockDim(1);
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  context->GetWorkspaceSizes(WORKSPACES)[0] =
      platform.GetLibApiWorkSpaceSize() + plan->length * sizeof(float);
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus Shape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return GRAPH_SUCCESS;
}
static graphStatus Type(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class ScaleAdd : public OpDef {
 public:
  explicit ScaleAdd(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("bias")
        .ParamType(OPTIONAL)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("result")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("scale_factor").AttrType(OPTIONAL).Float(2.0f);
    this->Attr("offsets").AttrType(OPTIONAL).ListInt({1, 2}).Version(1);
    this->SetInferShape(ge::Shape).SetInferDataType(ge::Type);
    this->AICore().SetTiling(optiling::Plan).AddConfig("ascend910b");
  }
};
OP_ADD(ScaleAdd);
}  // namespace ops

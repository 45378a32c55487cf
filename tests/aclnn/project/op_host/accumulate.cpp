#include "register/op_def_registry.h"

namespace accumulate {
struct AccumulateTiling {
  uint32_t length;
};

static ge::graphStatus Plan(gert::TilingContext* context) {
  context->GetTilingData<AccumulateTiling>()->length =
      static_cast<uint32_t>(context->GetInputShape(0)->GetOriginShape().GetShapeSize());
  context->SetBlockDim(1);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Shape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
}  // namespace accumulate

namespace ops {
class Accumulate : public OpDef {
 public:
  explicit Accumulate(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .Scalar()
        .To("x");
    this->Output("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->SetInferShape(accumulate::Shape);
    this->AICore().SetTiling(accumulate::Plan).AddConfig("ascend910b");
  }
};
OP_ADD(Accumulate);
}  // namespace ops

// MulScale: its parameters, and how a launch is cut into blocks. SPDX-License-Identifier:
// Apache-2.0
#include "../../common/element_tiles_plan.h"
#include "../op_kernel/mul_scale_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (attributes == nullptr) return ge::GRAPH_FAILED;
  const float* scale = attributes->GetFloat(0);
  if (scale == nullptr) return ge::GRAPH_FAILED;
  MulScaleTilingData* tiling = context->GetTilingData<MulScaleTilingData>();
  tiling->scale = *scale;
  element_tiles::Wants wants;
  wants.tensors = 3;  // x, y and out
  return element_tiles::Cut(context, wants, &tiling->tiles) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

}  // namespace optiling

namespace ops {

class MulScale : public OpDef {
 public:
  explicit MulScale(const char* name) : OpDef(name) {
    const std::vector<ge::DataType>& types = element_tiles::Types();
    const std::vector<ge::Format>& formats = element_tiles::Formats();
    this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Input("y").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Attr("scale").AttrType(OPTIONAL).Float(1.0f);
    this->SetInferShape(element_tiles::InferShape).SetInferDataType(element_tiles::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};

OP_ADD(MulScale);

}  // namespace ops

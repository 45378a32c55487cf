// LeakyRelu: its parameters, and how a launch is cut into blocks. SPDX-License-Identifier:
// Apache-2.0
#include "../../common/element_tiles_plan.h"
#include "../op_kernel/leaky_relu_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (attributes == nullptr) return ge::GRAPH_FAILED;
  const float* slope = attributes->GetFloat(0);
  if (slope == nullptr) return ge::GRAPH_FAILED;
  LeakyReluTilingData* tiling = context->GetTilingData<LeakyReluTilingData>();
  tiling->slope = *slope;
  element_tiles::Wants wants;
  wants.tensors = 2;  // x and out
  wants.tileBytesOf16Bits = 8 * 1024;
  return element_tiles::Cut(context, wants, &tiling->tiles) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

}  // namespace optiling

namespace ops {

class LeakyRelu : public OpDef {
 public:
  explicit LeakyRelu(const char* name) : OpDef(name) {
    const std::vector<ge::DataType>& types = element_tiles::Types();
    const std::vector<ge::Format>& formats = element_tiles::Formats();
    this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Attr("negative_slope").AttrType(OPTIONAL).Float(0.01f);
    this->SetInferShape(element_tiles::InferShape).SetInferDataType(element_tiles::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};

OP_ADD(LeakyRelu);

}  // namespace ops

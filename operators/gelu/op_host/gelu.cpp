// Gelu and its backward kernel GeluGrad: their parameters, how their outputs follow from their
// inputs, and how a launch is cut into blocks. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "../../common/element_tiles_plan.h"
#include "../op_kernel/gelu_tiling.h"
#include "log/log.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context, const element_tiles::Wants& wants) {
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (attributes == nullptr) return ge::GRAPH_FAILED;
  const char* approximate = attributes->GetStr(0);
  if (approximate == nullptr) return ge::GRAPH_FAILED;
  const bool isTanh = std::strcmp(approximate, "tanh") == 0;
  if (!isTanh && std::strcmp(approximate, "none") != 0) {
    OP_LOGE(context->GetNodeName(), "approximate is \"%s\"; it must be \"none\" or \"tanh\"",
            approximate);
    return ge::GRAPH_FAILED;
  }
  GeluTilingData* tiling = context->GetTilingData<GeluTilingData>();
  tiling->isTanh = isTanh ? 1 : 0;
  return element_tiles::Cut(context, wants, &tiling->tiles) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

// An element costs more than in a plain sum, so smaller blocks pay.
static element_tiles::Wants Wants() {
  element_tiles::Wants wants;
  wants.minBlockBytes = 8 * 1024;
  wants.tileBytes = 4 * 1024;  // with room for the buffers in between
  return wants;
}

static ge::graphStatus ForwardTilingFunc(gert::TilingContext* context) {
  element_tiles::Wants wants = Wants();
  wants.tensors = 2;  // x and out
  wants.floatBuffers = 1;
  return TilingFunc(context, wants);
}

static ge::graphStatus GradTilingFunc(gert::TilingContext* context) {
  element_tiles::Wants wants = Wants();
  wants.tensors = 3;  // x, dout and dx
  wants.floatBuffers = 4;
  return TilingFunc(context, wants);
}

}  // namespace optiling

namespace ops {

static const std::vector<ge::DataType>& TYPES = element_tiles::Types();
static const std::vector<ge::Format>& FORMATS = element_tiles::Formats();

class Gelu : public OpDef {
 public:
  explicit Gelu(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("out").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Attr("approximate").AttrType(OPTIONAL).String("none");
    this->SetInferShape(element_tiles::InferShape).SetInferDataType(element_tiles::InferDataType);
    this->AICore().SetTiling(optiling::ForwardTilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(Gelu);

class GeluGrad : public OpDef {
 public:
  explicit GeluGrad(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("dout").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("dx").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Attr("approximate").AttrType(OPTIONAL).String("none");
    this->SetInferShape(element_tiles::InferShape).SetInferDataType(element_tiles::InferDataType);
    this->AICore().SetTiling(optiling::GradTilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(GeluGrad);

}  // namespace ops

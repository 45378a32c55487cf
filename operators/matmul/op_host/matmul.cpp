// Matmul and its gradient: parameters, inference, and how the tiles of all products are shared out.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "../../common/cube_product_plan.h"
#include "../op_kernel/matmul_tiling.h"
#include "log/log.h"
#include "matmul_shape.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

using cube_product::Axis;
using matmul::Sizes;
using matmul::SizesOf;

static bool ReadShapes(gert::TilingContext* context, const gert::StorageShape* bias,
                       matmul::Product* product) {
  const gert::StorageShape* a = context->GetInputShape(0);
  const gert::StorageShape* b = context->GetInputShape(1);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (a == nullptr || b == nullptr || attributes == nullptr) return false;
  const bool* transposeA = attributes->GetBool(0);
  const bool* transposeB = attributes->GetBool(1);
  if (transposeA == nullptr || transposeB == nullptr) return false;
  const std::string wrong =
      product->Set(a->GetStorageShape(), b->GetStorageShape(),
                   bias == nullptr ? nullptr : &bias->GetStorageShape(), *transposeA, *transposeB);
  if (!wrong.empty()) OP_LOGE(context, "%s", wrong.c_str());
  return wrong.empty();
}

static uint64_t ElementBytes(gert::TilingContext* context) {
  return context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? sizeof(float) : sizeof(uint16_t);
}

static void ShareOut(gert::TilingContext* context, uint64_t units, uint64_t cores,
                     uint64_t* blockUnits) {
  *blockUnits = cube_product::DivideUp(std::max<uint64_t>(1, units),
                                       std::min(std::max<uint64_t>(1, units), cores));
  context->SetBlockDim(
      static_cast<uint32_t>(cube_product::DivideUp(std::max<uint64_t>(1, units), *blockUnits)));
  context->GetWorkspaceSizes(1)[0] = 0;
}

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::StorageShape* bias = context->GetOptionalInputShape(2);
  matmul::Product shapes;
  if (!ReadShapes(context, bias, &shapes)) return ge::GRAPH_FAILED;
  const Sizes sizes = SizesOf(shapes);
  const cube_product::Machine machine(
      platform_ascendc::PlatformAscendC(context->GetPlatformInfo()));
  auto* data = context->GetTilingData<MatmulTilingData>();
  *data = {};
  CubeProductTiling& product = data->product;
  product.m = sizes.m;
  product.n = sizes.n;
  product.k = sizes.k;
  product.turnA = sizes.turnA ? 1 : 0;
  product.turnB = sizes.turnB ? 1 : 0;
  product.hasBias = bias != nullptr ? 1 : 0;
  const bool fits = cube_product::SetAxes(sizes.batch, &product.outer) &&
                    cube_product::SetAxes({}, &product.inner);
  OP_CHECK_IF(!fits,
              OP_LOGE(context, "a's and b's batches have too many axes that lie differently"),
              return ge::GRAPH_FAILED);
  if (!cube_product::Cut(machine, ElementBytes(context), &product, &data->buffers))
    return ge::GRAPH_FAILED;
  ShareOut(context, product.units, machine.cores, &data->blockUnits);
  return ge::GRAPH_SUCCESS;
}

// The axes of a gradient: what its operand has, and what is summed because it has it only once.
static bool GradientAxes(const Sizes& sizes, bool ofA, bool swapped, CubeProductTiling* product) {
  std::vector<Axis> outer;
  std::vector<Axis> inner;
  for (size_t i = 0; i < sizes.batch.size(); ++i) {
    const Axis& axis = sizes.batch[i];
    const uint64_t own = ofA ? axis.strideA : axis.strideB;
    const uint64_t other = ofA ? axis.strideB : axis.strideA;
    const uint64_t dout = sizes.outs[i];
    // dout is on the left of a's gradient and on the right of b's, unless they are swapped.
    const bool doutLeft = ofA != swapped;
    const Axis both = {axis.size, doutLeft ? dout : other, doutLeft ? other : dout};
    (axis.size == 1 || own != 0 ? outer : inner).push_back(both);
  }
  return cube_product::SetAxes(outer, &product->outer) &&
         cube_product::SetAxes(inner, &product->inner);
}

static ge::graphStatus GradientTiling(gert::TilingContext* context) {
  const gert::StorageShape* bias = context->GetOptionalInputShape(2);
  matmul::Product shapes;
  if (!ReadShapes(context, bias, &shapes)) return ge::GRAPH_FAILED;
  // Behind an optional input: by its place in the definition.
  const gert::StorageShape* dout = context->GetRequiredInputShape(3);
  gert::Shape expected;
  shapes.Output(&expected);
  if (dout == nullptr) return ge::GRAPH_FAILED;
  OP_CHECK_IF(!(dout->GetStorageShape() == expected),
              OP_LOGE(context, "dout is %s; expected %s, the shape of the product",
                      ShapeText(dout->GetStorageShape()).c_str(), ShapeText(expected).c_str()),
              return ge::GRAPH_FAILED);
  const Sizes sizes = SizesOf(shapes);
  const cube_product::Machine machine(
      platform_ascendc::PlatformAscendC(context->GetPlatformInfo()));
  auto* data = context->GetTilingData<MatmulGradTilingData>();
  *data = {};

  // a's gradient is dout times b transposed, or where a is transposed all of that transposed.
  CubeProductTiling& ofA = data->product[0];
  ofA.swapped = sizes.turnA ? 1 : 0;
  ofA.m = sizes.turnA ? sizes.k : sizes.m;
  ofA.n = sizes.turnA ? sizes.m : sizes.k;
  ofA.k = sizes.n;
  ofA.turnA = sizes.turnA && sizes.turnB ? 1 : 0;
  ofA.turnB = sizes.turnA || !sizes.turnB ? 1 : 0;
  // b's is a transposed times dout.
  CubeProductTiling& ofB = data->product[1];
  ofB.swapped = sizes.turnB ? 1 : 0;
  ofB.m = sizes.turnB ? sizes.n : sizes.k;
  ofB.n = sizes.turnB ? sizes.k : sizes.n;
  ofB.k = sizes.m;
  ofB.turnA = sizes.turnB || !sizes.turnA ? 1 : 0;
  ofB.turnB = sizes.turnB && sizes.turnA ? 1 : 0;
  bool fits =
      GradientAxes(sizes, true, sizes.turnA, &ofA) && GradientAxes(sizes, false, sizes.turnB, &ofB);
  // The bias's is the sum of all rows of dout.
  CubeProductTiling& ofBias = data->product[2];
  ofBias.onesA = 1;
  ofBias.m = 1;
  ofBias.n = sizes.n;
  ofBias.k = sizes.m;
  for (const Axis& axis : sizes.batch) ofBias.k *= axis.size;
  fits =
      fits && cube_product::SetAxes({}, &ofBias.outer) && cube_product::SetAxes({}, &ofBias.inner);
  OP_CHECK_IF(!fits,
              OP_LOGE(context, "a's and b's batches have too many axes that lie differently"),
              return ge::GRAPH_FAILED);
  uint64_t units = 0;
  for (uint32_t i = 0; i < MATMUL_GRADIENTS; ++i) {
    if (i == 2 && bias == nullptr) continue;
    if (!cube_product::Cut(machine, ElementBytes(context), &data->product[i], &data->buffers))
      return ge::GRAPH_FAILED;
    units += data->product[i].units;
  }
  ShareOut(context, units, machine.cores, &data->blockUnits);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

// As the inputs; without a bias its gradient has no element.
static graphStatus InferGradientShape(gert::InferShapeContext* context) {
  for (size_t i = 0; i < 2; ++i) *context->GetOutputShape(i) = *context->GetInputShape(i);
  const gert::Shape* bias = context->GetOptionalInputShape(2);
  *context->GetOutputShape(2) = bias != nullptr ? *bias : gert::Shape({0});
  return GRAPH_SUCCESS;
}

static graphStatus InferGradientDataType(gert::InferDataTypeContext* context) {
  for (size_t i = 0; i < 3; ++i) context->SetOutputDataType(i, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

static const std::vector<ge::DataType> TYPES = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
static const std::vector<ge::Format> FORMATS(TYPES.size(), ge::FORMAT_ND);

class Matmul : public OpDef {
 public:
  explicit Matmul(const char* name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("b").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("bias").ParamType(OPTIONAL).DataType(TYPES).Format(FORMATS);
    this->Output("out").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Attr("transpose_a").AttrType(OPTIONAL).Bool(false);
    this->Attr("transpose_b").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(matmul::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(Matmul);

class MatmulGrad : public OpDef {
 public:
  explicit MatmulGrad(const char* name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("b").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("bias").ParamType(OPTIONAL).DataType(TYPES).Format(FORMATS);
    this->Input("dout").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    for (const char* output : {"da", "db", "dbias"}) {
      this->Output(output).ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    }
    this->Attr("transpose_a").AttrType(OPTIONAL).Bool(false);
    this->Attr("transpose_b").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(ge::InferGradientShape).SetInferDataType(ge::InferGradientDataType);
    this->AICore().SetTiling(optiling::GradientTiling).AddConfig("ascend910b");
  }
};

OP_ADD(MatmulGrad);

}  // namespace ops

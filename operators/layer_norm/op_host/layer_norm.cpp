// LayerNorm and its backward kernel LayerNormGrad: their parameters, how their outputs follow from
// their inputs, and how a launch is cut into blocks. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "../op_kernel/layer_norm_tiling.h"
#include "log/log.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

static bool IsSame(const gert::Shape& a, const gert::Shape& b) { return a == b; }

// Whether `parameter` has the last dimensions of x; a dimension of -1 is not known.
static bool Fits(const char* node, const char* name, const gert::Shape& parameter,
                 const gert::Shape& x) {
  const size_t rank = parameter.GetDimNum();
  bool fits = rank <= x.GetDimNum();
  for (size_t i = 0; fits && i < rank; ++i) {
    const int64_t own = parameter.GetDim(i);
    const int64_t other = x.GetDim(x.GetDimNum() - rank + i);
    fits = own == other || own < 0 || other < 0;
  }
  if (!fits) {
    OP_LOGE(node, "%s has shape %s; it must be the last dimensions of x, which has shape %s", name,
            Ops::Base::ToString(parameter).c_str(), Ops::Base::ToString(x).c_str());
  }
  return fits;
}

// How many of the last axes of x are normalised; false, with the reason, where that is unclear.
static bool CountAxes(const char* node, const gert::Shape& x, const gert::Shape* weight,
                      const gert::Shape* bias, const int64_t* axes, size_t* count) {
  if (axes == nullptr) return false;
  if (weight != nullptr && !Fits(node, "weight", *weight, x)) return false;
  if (bias != nullptr && !Fits(node, "bias", *bias, x)) return false;
  if (weight != nullptr && bias != nullptr && weight->GetDimNum() != bias->GetDimNum()) {
    OP_LOGE(node, "weight has %zu dimensions and bias %zu; both must have as many",
            weight->GetDimNum(), bias->GetDimNum());
    return false;
  }
  const gert::Shape* parameter = weight != nullptr ? weight : bias;
  const size_t rank = x.GetDimNum();
  if (*axes < 0 || static_cast<uint64_t>(*axes) > rank) {
    OP_LOGE(node, "axes is %ld; x has %zu dimensions, so that it must be from 0 to %zu",
            static_cast<long>(*axes), rank, rank);
    return false;
  }
  *count = parameter != nullptr ? parameter->GetDimNum() : std::min<size_t>(1, rank);
  if (*axes == 0) return true;
  if (parameter != nullptr && *count != static_cast<size_t>(*axes)) {
    OP_LOGE(node, "axes is %ld, but weight or bias has %zu dimensions", static_cast<long>(*axes),
            *count);
    return false;
  }
  *count = static_cast<size_t>(*axes);
  return true;
}

namespace optiling {

// A block has its price, so a small tensor gets few of them.
constexpr uint64_t MIN_BLOCK_LENGTH = 4 * 1024;
// A block of the gradient also has its sums stored and added.
constexpr uint64_t MIN_GRAD_BLOCK_LENGTH = 32 * 1024;
// A tile of rows that fit; small enough for a CPU's first-level cache.
constexpr uint64_t TILE_LENGTH = 4 * 1024;
constexpr uint64_t ALIGN_LENGTH = 256;
// Up to this length of a tile its queues have two buffers each.
constexpr uint64_t TWO_BUFFERS_LENGTH = 2 * 1024;
// For statistics of rows and sums.
constexpr uint64_t SMALL_BYTES = 8 * 1024;
// For an element of a tile: x and out, and in float weight, bias, x and lanes.
constexpr uint64_t TENSORS = 2;
constexpr uint64_t FLOAT_BUFFERS = 4;
// Of the gradient: x and dout, and in float parts, what is stored, weight, two sums, products, x
// and dout.
constexpr uint64_t GRAD_TENSORS = 2;
constexpr uint64_t GRAD_FLOAT_BUFFERS = 8;

struct Cut {
  uint64_t tileLength;
  uint64_t tileRows;  // 0: rows do not fit
  uint64_t most;      // what would fit
};

// false: nothing fits.
static bool CutTile(uint64_t rows, uint64_t length, uint64_t elementBytes, uint64_t roomBytes,
                    uint64_t bytesPerElement, Cut* cut) {
  const uint64_t room = roomBytes > SMALL_BYTES ? roomBytes - SMALL_BYTES : 0;
  cut->most = room / bytesPerElement / ALIGN_LENGTH * ALIGN_LENGTH;
  const uint64_t datablock = 32 / elementBytes;
  const uint64_t pitch = std::max<uint64_t>(1, DivideUp(length, datablock)) * datablock;
  if (pitch > cut->most) {
    cut->tileRows = 0;
    cut->tileLength = cut->most;
    return cut->most != 0;
  }
  cut->tileRows = std::clamp<uint64_t>(std::min(cut->most, TILE_LENGTH) / pitch, 1,
                                       std::max<uint64_t>(1, rows));
  cut->tileLength = cut->tileRows * pitch;
  return true;
}

static uint64_t SizeOf(const gert::Shape& shape, size_t begin, size_t end) {
  uint64_t size = 1;
  for (size_t i = begin; i < end; ++i) size *= static_cast<uint64_t>(shape.GetDim(i));
  return size;
}

static uint64_t BytesOf(const gert::TilingContext* context) {
  return context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? sizeof(float) : sizeof(uint16_t);
}

static const gert::Shape* ShapeOf(const gert::StorageShape* storage) {
  return storage != nullptr ? &storage->GetStorageShape() : nullptr;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::Shape* x = ShapeOf(context->GetInputShape(0));
  const gert::Shape* weight = ShapeOf(context->GetOptionalInputShape(1));
  const gert::Shape* bias = ShapeOf(context->GetOptionalInputShape(2));
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (x == nullptr || attributes == nullptr || context->GetInputDesc(0) == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* epsilon = attributes->GetFloat(1);
  size_t axes = 0;
  if (epsilon == nullptr ||
      !CountAxes(context->GetNodeName(), *x, weight, bias, attributes->GetInt(0), &axes)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t rows = SizeOf(*x, 0, x->GetDimNum() - axes);
  const uint64_t length = SizeOf(*x, x->GetDimNum() - axes, x->GetDimNum());
  const uint64_t elementBytes = BytesOf(context);
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  Cut cut = {};
  if (!CutTile(rows, length, elementBytes, ubBytes,
               TENSORS * elementBytes + FLOAT_BUFFERS * sizeof(float), &cut)) {
    return ge::GRAPH_FAILED;
  }
  LayerNormTilingData* tiling = context->GetTilingData<LayerNormTilingData>();
  *tiling = {};
  tiling->rows = length == 0 ? 0 : rows;
  tiling->length = length;
  tiling->tileLength = static_cast<uint32_t>(cut.tileLength);
  tiling->tileRows = static_cast<uint32_t>(cut.tileRows);
  tiling->buffers = cut.tileLength <= std::min(TWO_BUFFERS_LENGTH, cut.most / 2) ? 2 : 1;
  tiling->hasWeight = weight != nullptr ? 1 : 0;
  tiling->hasBias = bias != nullptr ? 1 : 0;
  tiling->epsilon = *epsilon;
  if (cut.tileRows != 0) {
    AscendC::GetLayerNormNDTilingInfo(
        ge::Shape({static_cast<int64_t>(cut.tileRows),
                   static_cast<int64_t>(cut.tileLength / cut.tileRows)}),
        static_cast<uint32_t>(ubBytes / 4), sizeof(float), true, false, tiling->library);
  }
  const uint64_t tileRows = std::max<uint64_t>(1, cut.tileRows);
  const uint64_t units = std::max<uint64_t>(1, DivideUp(tiling->rows, tileRows));
  const uint64_t blocks =
      std::min({units, std::max<uint64_t>(1, platform.GetCoreNumAiv()),
                std::max<uint64_t>(1, DivideUp(rows * length, MIN_BLOCK_LENGTH))});
  tiling->blockRows = DivideUp(units, blocks) * tileRows;
  context->SetBlockDim(
      static_cast<uint32_t>(std::max<uint64_t>(1, DivideUp(tiling->rows, tiling->blockRows))));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = platform.GetLibApiWorkSpaceSize();
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus GradTilingFunc(gert::TilingContext* context) {
  const gert::Shape* x = ShapeOf(context->GetInputShape(0));
  const gert::Shape* weight = ShapeOf(context->GetOptionalInputShape(1));
  // Behind an optional input: by their place in the definition.
  const gert::Shape* mean = ShapeOf(context->GetRequiredInputShape(2));
  const gert::Shape* rstd = ShapeOf(context->GetRequiredInputShape(3));
  const gert::Shape* dout = ShapeOf(context->GetRequiredInputShape(4));
  if (x == nullptr || mean == nullptr || rstd == nullptr || dout == nullptr) {
    return ge::GRAPH_FAILED;
  }
  if (!IsSame(*x, *dout)) {
    OP_LOGE(context->GetNodeName(), "dout must have the shape of x");
    return ge::GRAPH_FAILED;
  }
  const size_t kept = mean->GetDimNum();
  const uint64_t rows = SizeOf(*x, 0, kept);
  const uint64_t length = SizeOf(*x, kept, x->GetDimNum());
  const uint64_t elementBytes = BytesOf(context);
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  Cut cut = {};
  const uint64_t wide = elementBytes == sizeof(float) ? 2 : 0;  // x and dout need no others
  if (!CutTile(rows, length, elementBytes, ubBytes,
               GRAD_TENSORS * elementBytes + (GRAD_FLOAT_BUFFERS - wide) * sizeof(float), &cut)) {
    return ge::GRAPH_FAILED;
  }
  LayerNormGradTilingData* tiling = context->GetTilingData<LayerNormGradTilingData>();
  *tiling = {};
  tiling->rows = rows;
  tiling->length = length;
  tiling->tileLength = static_cast<uint32_t>(cut.tileLength);
  tiling->tileRows = static_cast<uint32_t>(cut.tileRows);
  tiling->hasWeight = weight != nullptr ? 1 : 0;
  const uint64_t tileRows = std::max<uint64_t>(1, cut.tileRows);
  if (cut.tileRows != 0) {
    AscendC::SoftMaxGradTilingFunc(
        ge::Shape({1, static_cast<int64_t>(cut.tileLength / cut.tileRows)}), sizeof(float),
        static_cast<uint32_t>(ubBytes / 4), tiling->library, true);
  }
  const uint64_t units = std::max<uint64_t>(1, DivideUp(rows, tileRows));
  const uint64_t most =
      std::min({units, std::max<uint64_t>(1, platform.GetCoreNumAiv()),
                std::max<uint64_t>(1, DivideUp(rows * length, MIN_GRAD_BLOCK_LENGTH))});
  tiling->blockRows = DivideUp(units, most) * tileRows;
  const uint64_t blocks = std::max<uint64_t>(1, DivideUp(rows, tiling->blockRows));
  context->SetBlockDim(static_cast<uint32_t>(blocks));
  context->SetTilingKey(blocks == 1 ? 1 : 2);
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] =
      blocks == 1 ? 0 : platform.GetLibApiWorkSpaceSize() + 2 * blocks * length * sizeof(float);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const gert::Shape* weight = context->GetOptionalInputShape(1);
  const gert::Shape* bias = context->GetOptionalInputShape(2);
  gert::Shape* out = context->GetOutputShape(0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (x == nullptr || out == nullptr || attributes == nullptr) return GRAPH_FAILED;
  *out = *x;
  const bool isUnknown = Ops::Base::IsUnknownRank(*x) ||
                         (weight != nullptr && Ops::Base::IsUnknownRank(*weight)) ||
                         (bias != nullptr && Ops::Base::IsUnknownRank(*bias));
  size_t axes = 0;
  if (!isUnknown &&
      !CountAxes(context->GetNodeName(), *x, weight, bias, attributes->GetInt(0), &axes)) {
    return GRAPH_FAILED;
  }
  for (size_t index : {1, 2}) {
    gert::Shape* statistics = context->GetOutputShape(index);
    if (statistics == nullptr) return GRAPH_FAILED;
    if (isUnknown) {
      Ops::Base::SetUnknownRank(*statistics);
      continue;
    }
    statistics->SetDimNum(0);
    for (size_t i = 0; i + axes < x->GetDimNum(); ++i) statistics->AppendDim(x->GetDim(i));
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, DT_FLOAT);
  context->SetOutputDataType(2, DT_FLOAT);
  return GRAPH_SUCCESS;
}

static graphStatus InferGradShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const gert::Shape* weight = context->GetOptionalInputShape(1);
  const gert::Shape* mean = context->GetRequiredInputShape(2);
  const gert::Shape* rstd = context->GetRequiredInputShape(3);
  const gert::Shape* dout = context->GetRequiredInputShape(4);
  gert::Shape* dx = context->GetOutputShape(0);
  if (x == nullptr || mean == nullptr || rstd == nullptr || dout == nullptr || dx == nullptr) {
    return GRAPH_FAILED;
  }
  *dx = *x;
  const bool isUnknown = Ops::Base::IsUnknownRank(*x) || Ops::Base::IsUnknownRank(*mean);
  const char* node = context->GetNodeName();
  if (!isUnknown) {
    bool fits = mean->GetDimNum() <= x->GetDimNum() && mean->GetDimNum() == rstd->GetDimNum();
    for (size_t i = 0; fits && i < mean->GetDimNum(); ++i) {
      fits = mean->GetDim(i) == x->GetDim(i) && rstd->GetDim(i) == x->GetDim(i);
    }
    if (!fits) {
      OP_LOGE(node,
              "mean has shape %s and rstd %s; both must be the first dimensions of x, which "
              "has shape %s",
              Ops::Base::ToString(*mean).c_str(), Ops::Base::ToString(*rstd).c_str(),
              Ops::Base::ToString(*x).c_str());
      return GRAPH_FAILED;
    }
    const size_t axes = x->GetDimNum() - mean->GetDimNum();
    if (weight != nullptr && !Ops::Base::IsUnknownRank(*weight) &&
        (!Fits(node, "weight", *weight, *x) || weight->GetDimNum() != axes)) {
      OP_LOGE(node,
              "weight has shape %s; it must have the last %zu dimensions of x, which has "
              "shape %s",
              Ops::Base::ToString(*weight).c_str(), axes, Ops::Base::ToString(*x).c_str());
      return GRAPH_FAILED;
    }
  }
  for (size_t index : {1, 2}) {
    gert::Shape* factor = context->GetOutputShape(index);
    if (factor == nullptr) return GRAPH_FAILED;
    if (isUnknown) {
      Ops::Base::SetUnknownRank(*factor);
      continue;
    }
    factor->SetDimNum(0);
    for (size_t i = mean->GetDimNum(); i < x->GetDimNum(); ++i) factor->AppendDim(x->GetDim(i));
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferGradDataType(gert::InferDataTypeContext* context) {
  for (size_t index : {0, 1, 2}) context->SetOutputDataType(index, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

static const std::vector<ge::DataType> TYPES = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
static const std::vector<ge::DataType> FLOATS(TYPES.size(), ge::DT_FLOAT);
static const std::vector<ge::Format> FORMATS(TYPES.size(), ge::FORMAT_ND);

class LayerNorm : public OpDef {
 public:
  explicit LayerNorm(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("weight").ParamType(OPTIONAL).DataType(TYPES).Format(FORMATS);
    this->Input("bias").ParamType(OPTIONAL).DataType(TYPES).Format(FORMATS);
    this->Output("out").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("mean").ParamType(REQUIRED).DataType(FLOATS).Format(FORMATS);
    this->Output("rstd").ParamType(REQUIRED).DataType(FLOATS).Format(FORMATS);
    this->Attr("axes").AttrType(OPTIONAL).Int(0);
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(LayerNorm);

class LayerNormGrad : public OpDef {
 public:
  explicit LayerNormGrad(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("weight").ParamType(OPTIONAL).DataType(TYPES).Format(FORMATS);
    this->Input("mean").ParamType(REQUIRED).DataType(FLOATS).Format(FORMATS);
    this->Input("rstd").ParamType(REQUIRED).DataType(FLOATS).Format(FORMATS);
    this->Input("dout").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("dx").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("dweight").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("dbias").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->SetInferShape(ge::InferGradShape).SetInferDataType(ge::InferGradDataType);
    this->AICore().SetTiling(optiling::GradTilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(LayerNormGrad);

}  // namespace ops

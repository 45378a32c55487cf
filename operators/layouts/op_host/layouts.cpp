// Layout operators: parameters, inference, tiling.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "../../common/shape_text.h"
#include "../op_kernel/layouts_tiling.h"
#include "log/log.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace layouts {

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t SIDE = 16;
constexpr int64_t DATABLOCK = 32;
// Elements that are worth a block.
constexpr uint64_t LEAST_BLOCK = 16 * 1024;

static int64_t Wide(ge::DataType type) { return type == ge::DT_FLOAT ? 8 : 16; }
static int64_t DivideUp(int64_t value, int64_t unit) {
  return value < 0 ? UNKNOWN_DIM : (value + unit - 1) / unit;
}

enum class Way { kToBlocks, kToPlanes, kToStrips, kToRows };

// The sizes of either side, -1 where they are not known.
struct Sizes {
  std::vector<int64_t> batch;  // one number for images
  int64_t channels = 0;        // or columns
  int64_t height = 0;          // or rows
  int64_t width = 1;
  int64_t blocks = 0;  // or strips

  // What is wrong, naming the argument; empty where nothing is.
  std::string Set(Way way, const gert::Shape& x, int64_t wide,
                  const gert::RuntimeAttrs* attributes) {
    const size_t rank = x.GetDimNum();
    const int64_t* first = attributes == nullptr ? nullptr : attributes->GetInt(0);
    const int64_t* second = attributes == nullptr ? nullptr : attributes->GetInt(1);
    switch (way) {
      case Way::kToBlocks:
        if (rank != 4) return "x is " + ShapeText(x) + "; it has four dimensions, NCHW";
        batch = {x.GetDim(0)};
        channels = x.GetDim(1), height = x.GetDim(2), width = x.GetDim(3);
        blocks = DivideUp(channels, wide);
        return "";
      case Way::kToPlanes:
        if (rank != 5 || (x.GetDim(4) >= 0 && x.GetDim(4) != wide)) {
          return "x is " + ShapeText(x) + "; it has five dimensions, NC1HWC0, the last of them " +
                 std::to_string(wide);
        }
        batch = {x.GetDim(0)};
        blocks = x.GetDim(1), height = x.GetDim(2), width = x.GetDim(3);
        channels = *first;
        if (blocks >= 0 && DivideUp(channels, wide) != blocks) {
          return "channels is " + std::to_string(channels) + "; x has " + std::to_string(blocks) +
                 " blocks of " + std::to_string(wide) + " channels: " + ShapeText(x);
        }
        return "";
      case Way::kToStrips:
        if (rank < 2) return "x is " + ShapeText(x) + "; it has at least two dimensions";
        for (size_t i = 0; i + 2 < rank; ++i) batch.push_back(x.GetDim(i));
        height = x.GetDim(rank - 2), channels = x.GetDim(rank - 1);
        blocks = DivideUp(channels, wide);
        return "";
      default:
        if (rank < 4 || (x.GetDim(rank - 1) >= 0 && x.GetDim(rank - 1) != wide) ||
            (x.GetDim(rank - 2) >= 0 && x.GetDim(rank - 2) != SIDE)) {
          return "x is " + ShapeText(x) +
                 "; it has at least four dimensions, the last two of them 16 and " +
                 std::to_string(wide);
        }
        for (size_t i = 0; i + 4 < rank; ++i) batch.push_back(x.GetDim(i));
        blocks = x.GetDim(rank - 4);
        height = *first, channels = *second;
        if (x.GetDim(rank - 3) >= 0 && DivideUp(height, SIDE) != x.GetDim(rank - 3)) {
          return "rows is " + std::to_string(height) + "; x has " +
                 std::to_string(x.GetDim(rank - 3)) + " fractals of 16 rows: " + ShapeText(x);
        }
        if (blocks >= 0 && DivideUp(channels, wide) != blocks) {
          return "columns is " + std::to_string(channels) + "; x has " + std::to_string(blocks) +
                 " strips of " + std::to_string(wide) + " columns: " + ShapeText(x);
        }
        return "";
    }
  }

  void Output(Way way, int64_t wide, gert::Shape* out) const {
    out->SetDimNum(0);
    for (const int64_t dim : batch) out->AppendDim(dim);
    std::vector<int64_t> rest;
    switch (way) {
      case Way::kToBlocks:
        rest = {blocks, height, width, wide};
        break;
      case Way::kToPlanes:
        rest = {channels, height, width};
        break;
      case Way::kToStrips:
        rest = {blocks, DivideUp(height, SIDE), SIDE, wide};
        break;
      default:
        rest = {height, channels};
    }
    for (const int64_t dim : rest) out->AppendDim(dim);
  }
};

template <Way way>
static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::StorageShape* x = context->GetInputShape(0);
  if (x == nullptr) return ge::GRAPH_FAILED;
  Sizes sizes;
  const std::string wrong =
      sizes.Set(way, x->GetStorageShape(), Wide(context->GetInputDesc(0)->GetDataType()),
                context->GetAttrs());
  OP_CHECK_IF(!wrong.empty(), OP_LOGE(context, "%s", wrong.c_str()), return ge::GRAPH_FAILED);
  auto* tiling = context->GetTilingData<LayoutsTilingData>();
  *tiling = {1, static_cast<uint64_t>(sizes.channels),
             static_cast<uint64_t>(sizes.height * sizes.width),
             static_cast<uint64_t>(sizes.blocks)};
  for (const int64_t dim : sizes.batch) tiling->images *= static_cast<uint64_t>(dim);
  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const uint64_t elements = tiling->images * tiling->channels * tiling->plane;
  context->SetBlockDim(static_cast<uint32_t>(std::clamp<uint64_t>(
      elements / LEAST_BLOCK, 1, std::max<uint64_t>(1, platform.GetCoreNumAiv()))));
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}

template <Way way>
static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  gert::Shape* out = context->GetOutputShape(0);
  if (x == nullptr || out == nullptr) return ge::GRAPH_FAILED;
  if (Ops::Base::IsUnknownRank(*x)) {
    *out = *x;
    return ge::GRAPH_SUCCESS;
  }
  Sizes sizes;
  const int64_t wide = Wide(context->GetInputDesc(0)->GetDataType());
  const std::string wrong = sizes.Set(way, *x, wide, context->GetAttrs());
  OP_CHECK_IF(!wrong.empty(), OP_LOGE(context, "%s", wrong.c_str()), return ge::GRAPH_FAILED);
  sizes.Output(way, wide, out);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return ge::GRAPH_SUCCESS;
}

template <Way way>
static void Define(ops::OpDef* op) {
  const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
  const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
  op->Input("x").ParamType(ops::REQUIRED).DataType(types).Format(formats);
  op->Output("out").ParamType(ops::REQUIRED).DataType(types).Format(formats);
  op->SetInferShape(InferShape<way>).SetInferDataType(InferDataType);
  op->AICore().SetTiling(Tiling<way>).AddConfig("ascend910b");
}

}  // namespace layouts

namespace ops {

class NchwToNc1hwc0 : public OpDef {
 public:
  explicit NchwToNc1hwc0(const char* name) : OpDef(name) {
    layouts::Define<layouts::Way::kToBlocks>(this);
  }
};
OP_ADD(NchwToNc1hwc0);

class Nc1hwc0ToNchw : public OpDef {
 public:
  explicit Nc1hwc0ToNchw(const char* name) : OpDef(name) {
    layouts::Define<layouts::Way::kToPlanes>(this);
    this->Attr("channels").AttrType(REQUIRED).Int();
  }
};
OP_ADD(Nc1hwc0ToNchw);

class NdToNz : public OpDef {
 public:
  explicit NdToNz(const char* name) : OpDef(name) {
    layouts::Define<layouts::Way::kToStrips>(this);
  }
};
OP_ADD(NdToNz);

class NzToNd : public OpDef {
 public:
  explicit NzToNd(const char* name) : OpDef(name) {
    layouts::Define<layouts::Way::kToRows>(this);
    this->Attr("rows").AttrType(REQUIRED).Int();
    this->Attr("columns").AttrType(REQUIRED).Int();
  }
};
OP_ADD(NzToNd);

}  // namespace ops

// ReduceSum: its parameters, how its output follows from its input, and how a launch is cut into
// blocks. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "../op_kernel/reduce_sum_tiling.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

// The axes that are summed over: by default all, and negative ones count from behind. False: there
// is no such axis, or it is named twice.
static bool ReducedAxes(const gert::RuntimeAttrs* attributes, size_t rank,
                        std::vector<bool>* reduced) {
  const auto* axes = attributes == nullptr ? nullptr : attributes->GetListInt(0);
  if (axes == nullptr) return false;
  reduced->assign(rank, axes->GetSize() == 0);
  for (size_t i = 0; i < axes->GetSize(); ++i) {
    int64_t axis = axes->GetData()[i];
    if (axis < 0) axis += static_cast<int64_t>(rank);
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || (*reduced)[axis]) return false;
    (*reduced)[axis] = true;
  }
  return true;
}

namespace optiling {

// Large enough for the copies to run at full speed, small enough for a CPU's first-level cache.
constexpr uint64_t TILE_LENGTH = 2 * 1024;
constexpr uint64_t DATABLOCK_BYTES = 32;
// A tile begins at a multiple of this many elements.
constexpr uint64_t ALIGN_LENGTH = 64;
// The most rows that one copy moves.
constexpr uint64_t MAX_ROWS = 4095;
// Steps that are worth a part of their own, which the other parts then wait for.
constexpr uint64_t MIN_PART_STEPS = 4;
// Elements of x that are worth a block.
constexpr uint64_t MIN_BLOCK_LENGTH = 8 * 1024;
// Elements from which a row is copied and summed as a row.
constexpr uint64_t MIN_ROW = 64;
// What is folded begins at a multiple of so many floats.
constexpr uint64_t FOLD_ALIGN = DATABLOCK_BYTES / sizeof(float);
// A block that writes a table of offsets has at least so many times the work of others.
constexpr uint64_t SPREAD_BLOCKS = 4;

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

struct Axis {
  uint64_t size;
  bool reduced;
  uint64_t stride;
};

// The axes of x without those of one element; neighbours of one kind are one.
static std::vector<Axis> Merge(const gert::Shape& shape, const std::vector<bool>& reduced) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.GetDimNum(); ++i) {
    const uint64_t size = static_cast<uint64_t>(shape.GetDim(i));
    if (size == 1) continue;
    if (!axes.empty() && axes.back().reduced == reduced[i]) {
      axes.back().size *= size;
    } else {
      axes.push_back({size, reduced[i], 0});
    }
  }
  uint64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    axes[i].stride = stride;
    stride *= axes[i].size;
  }
  return axes;
}

// Takes the last axis away if it is of that kind; else what comes is an axis of one element.
static Axis TakeLast(std::vector<Axis>* axes, bool reduced) {
  Axis axis = {1, reduced, 0};
  if (!axes->empty() && axes->back().reduced == reduced) {
    axis = axes->back();
    axes->pop_back();
  }
  return axis;
}

// The remaining axes of a kind; returns how many index combinations they have.
static uint64_t Outside(const std::vector<Axis>& axes, bool reduced, ReduceSumAxes* out) {
  uint64_t combinations = 1;
  out->count = 0;
  for (const Axis& axis : axes) {
    if (axis.reduced != reduced) continue;
    out->size[out->count] = axis.size;
    out->stride[out->count] = axis.stride;
    ++out->count;
    combinations *= axis.size;
  }
  return combinations;
}

// A tile of the last axes: what it holds in terms of results and of their terms.
struct Inside {
  ReduceSumAxes kept = {};
  ReduceSumAxes reduced = {};
  uint64_t results = 1;
  uint64_t terms = 1;

  // Whether the tile still fits with an axis of that size in front.
  bool HasRoom(bool isReduced, uint64_t size, uint64_t tileLength) const {
    const uint64_t newResults = results * (isReduced ? 1 : size);
    const uint64_t newTerms = terms * (isReduced ? size : 1);
    const ReduceSumAxes& axes = isReduced ? reduced : kept;
    return newTerms * Pitch(newResults) <= tileLength && axes.count < REDUCE_SUM_AXES;
  }
  static uint64_t Pitch(uint64_t length) { return DivideUp(length, FOLD_ALIGN) * FOLD_ALIGN; }

  void Add(bool isReduced, uint64_t size) {
    ReduceSumAxes& axes = isReduced ? reduced : kept;
    for (uint32_t i = axes.count; i > 0; --i) {
      axes.size[i] = axes.size[i - 1];
      axes.stride[i] = axes.stride[i - 1];
    }
    axes.size[0] = size;
    axes.stride[0] = results * terms;
    ++axes.count;
    (isReduced ? terms : results) *= size;
  }
};

// Results are sums of rows of at least some length.
static void CutRows(std::vector<Axis>* axes, uint64_t tileLength, uint64_t pitch,
                    ReduceSumTilingData* tiling) {
  const Axis row = TakeLast(axes, true);
  const Axis rows = TakeLast(axes, false);
  tiling->finish = REDUCE_SUM_ROWS;
  tiling->keptResults = rows.size;
  if (pitch <= tileLength) {
    const uint64_t tileRows = std::min({rows.size, tileLength / pitch, MAX_ROWS});
    tiling->tileRows = static_cast<uint32_t>(tileRows);
    tiling->rowLength = static_cast<uint32_t>(row.size);
    tiling->pitch = static_cast<uint32_t>(pitch);
    tiling->rowsOfUnits = rows.size;
    tiling->unitTiles = DivideUp(rows.size, tileRows);
    tiling->unitTileStride = tileRows * row.size;
    tiling->unitTileResults = tileRows;
  } else {
    tiling->rowLength = tiling->pitch = static_cast<uint32_t>(tileLength);
    tiling->lengthOfSteps = row.size;
    tiling->unitTiles = rows.size;
    tiling->unitTileStride = row.size;
    tiling->unitTileResults = 1;
    tiling->stepTiles = DivideUp(row.size, tileLength);
    tiling->stepTileStride = tileLength;
  }
}

// Results are sums of long columns: a tile is a run of one row.
static void CutColumns(std::vector<Axis>* axes, uint64_t tileLength, ReduceSumTilingData* tiling) {
  const Axis row = TakeLast(axes, false);
  const Axis rows = TakeLast(axes, true);
  const uint64_t length = std::min(row.size, tileLength);
  tiling->finish = REDUCE_SUM_NOTHING;
  tiling->rowLength = tiling->pitch = static_cast<uint32_t>(length);
  tiling->lengthOfUnits = row.size;
  tiling->unitTiles = DivideUp(row.size, length);
  tiling->unitTileStride = length;
  tiling->unitTileResults = length;
  tiling->keptResults = row.size;
  tiling->stepTiles = rows.size;
  tiling->stepTileStride = row.size;
}

// As many of the last axes as fit make a row, and a tile takes rows of the axis before them.
static void CutInside(std::vector<Axis>* axes, uint64_t tileLength, ReduceSumTilingData* tiling) {
  Inside inside;
  while (!axes->empty() && inside.HasRoom(axes->back().reduced, axes->back().size, tileLength)) {
    inside.Add(axes->back().reduced, axes->back().size);
    axes->pop_back();
  }
  const uint64_t rowLength = inside.results * inside.terms;
  const uint64_t rowResults = inside.results;
  Axis rows = {1, false, 0};
  uint64_t tileRows = 1;
  if (!axes->empty()) {
    uint64_t least = 1;
    uint64_t most = axes->back().size;  // does not fit
    while (least + 1 < most) {
      const uint64_t middle = least + (most - least) / 2;
      (inside.HasRoom(axes->back().reduced, middle, tileLength) ? least : most) = middle;
    }
    if (least > 1) {
      rows = axes->back();
      axes->pop_back();
      tileRows = least;
      inside.Add(rows.reduced, tileRows);
    }
  }
  tiling->tileRows = static_cast<uint32_t>(tileRows);
  tiling->rowLength = tiling->pitch = static_cast<uint32_t>(rowLength);
  tiling->unitTileResults = inside.results;
  if (rows.reduced) {
    tiling->rowsOfSteps = rows.size;
    tiling->stepTiles = DivideUp(rows.size, tileRows);
    tiling->stepTileStride = tileRows * rowLength;
    tiling->keptResults = rowResults;
  } else {
    tiling->rowsOfUnits = rows.size;
    tiling->unitTiles = DivideUp(rows.size, tileRows);
    tiling->unitTileStride = tileRows * rowLength;
    tiling->keptResults = rows.size * rowResults;
  }
  tiling->inKept = inside.kept;
  tiling->inReduced = inside.reduced;
  tiling->foldRows = static_cast<uint32_t>(inside.terms);
  tiling->foldPitch = static_cast<uint32_t>(Inside::Pitch(inside.results));
  const bool inOrder = inside.terms <= 1 ||
                       (inside.reduced.count == 1 && inside.reduced.stride[0] == inside.results &&
                        inside.results == tiling->foldPitch);
  tiling->finish = inOrder ? REDUCE_SUM_FOLD : REDUCE_SUM_SPREAD;
}

// Fills in what a unit and a step are; `axes` loses those that they cut.
static void Cut(std::vector<Axis>* axes, uint64_t tileLength, uint64_t datablock,
                ReduceSumTilingData* tiling) {
  tiling->unitTiles = tiling->stepTiles = tiling->tileRows = 1;
  const Axis last = axes->empty() ? Axis{1, false, 0} : axes->back();
  if (last.reduced && (last.size >= MIN_ROW || last.size * FOLD_ALIGN > tileLength)) {
    CutRows(axes, tileLength, DivideUp(last.size, datablock) * datablock, tiling);
  } else if (!last.reduced && last.size > tileLength / 2) {
    CutColumns(axes, tileLength, tiling);
  } else {
    CutInside(axes, tileLength, tiling);
  }
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* storage = context->GetInputShape(0);
  const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(0);
  if (storage == nullptr || desc == nullptr) return ge::GRAPH_FAILED;
  const gert::Shape& shape = storage->GetStorageShape();
  std::vector<bool> reduced;
  if (!ReducedAxes(context->GetAttrs(), shape.GetDimNum(), &reduced)) return ge::GRAPH_FAILED;
  const uint64_t total = static_cast<uint64_t>(shape.GetShapeSize());
  std::vector<Axis> axes = Merge(shape, reduced);
  if (total == 0) {  // sums without terms, as many as there are
    uint64_t results = 1;
    for (const Axis& axis : axes) results *= axis.reduced ? 1 : axis.size;
    axes = {{0, true, results}, {results, false, 1}};
  }

  const bool isFloat = desc->GetDataType() == ge::DT_FLOAT;
  const uint64_t elementBytes = isFloat ? sizeof(float) : sizeof(uint16_t);
  uint32_t temporaryBytes = 0;
  uint32_t most = 0;
  AscendC::GetSumMaxMinTmpSize(TILE_LENGTH, sizeof(float), false, most, temporaryBytes);

  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  // Two buffers of x and two of parts, running sums, results, offsets and what they gather, x as
  // float.
  const uint64_t bytesPerElement =
      2 * elementBytes + 6 * sizeof(float) + (isFloat ? 0 : sizeof(float));
  const uint64_t room = ubBytes > temporaryBytes ? ubBytes - temporaryBytes : 0;
  const uint64_t tileLength =
      std::min(TILE_LENGTH, room / bytesPerElement) / ALIGN_LENGTH * ALIGN_LENGTH;
  if (tileLength == 0) return ge::GRAPH_FAILED;

  ReduceSumTilingData* tiling = context->GetTilingData<ReduceSumTilingData>();
  *tiling = {};
  tiling->tileLength = static_cast<uint32_t>(tileLength);
  tiling->temporaryBytes = temporaryBytes;
  Cut(&axes, tileLength, DATABLOCK_BYTES / elementBytes, tiling);
  if (axes.size() > REDUCE_SUM_AXES) return ge::GRAPH_FAILED;
  const uint64_t kept = Outside(axes, false, &tiling->kept);
  tiling->steps = Outside(axes, true, &tiling->reduced) * (total == 0 ? 0 : tiling->stepTiles);
  tiling->units = kept * tiling->unitTiles;
  tiling->results = kept * tiling->keptResults;

  // Where there are fewer units than cores, several cores share the steps of a unit.
  const uint64_t blockLength =
      MIN_BLOCK_LENGTH * (tiling->finish == REDUCE_SUM_SPREAD ? SPREAD_BLOCKS : 1);
  const uint64_t cores = std::min(std::max<uint64_t>(1, platform.GetCoreNumAiv()),
                                  std::max<uint64_t>(1, DivideUp(total, blockLength)));
  tiling->parts = 1;
  if (tiling->units != 0 && tiling->units * 2 <= cores) {
    tiling->parts =
        std::max<uint64_t>(1, std::min(cores / tiling->units, tiling->steps / MIN_PART_STEPS));
  }
  const uint64_t work = std::max<uint64_t>(1, tiling->units * tiling->parts);
  tiling->blockUnits = DivideUp(work, std::min(work, cores));
  context->SetBlockDim(static_cast<uint32_t>(DivideUp(work, tiling->blockUnits)));
  context->SetTilingKey(tiling->parts == 1 ? 1 : 2);
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = tiling->parts == 1 ? 0
                                    : platform.GetLibApiWorkSpaceSize() +
                                          tiling->parts * tiling->results * sizeof(float);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  gert::Shape* out = context->GetOutputShape(0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (x == nullptr || out == nullptr || attributes == nullptr) return GRAPH_FAILED;
  const bool* keepDims = attributes->GetBool(1);
  if (keepDims == nullptr) return GRAPH_FAILED;
  if (Ops::Base::IsUnknownRank(*x)) {
    *out = *x;
    return GRAPH_SUCCESS;
  }
  std::vector<bool> reduced;
  if (!ReducedAxes(attributes, x->GetDimNum(), &reduced)) return GRAPH_FAILED;
  out->SetDimNum(0);
  for (size_t i = 0; i < x->GetDimNum(); ++i) {
    if (!reduced[i]) {
      out->AppendDim(x->GetDim(i));
    } else if (*keepDims) {
      out->AppendDim(1);
    }
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class ReduceSum : public OpDef {
 public:
  explicit ReduceSum(const char* name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
    const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
    this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Attr("axes").AttrType(OPTIONAL).ListInt({});
    this->Attr("keep_dims").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};

OP_ADD(ReduceSum);

}  // namespace ops

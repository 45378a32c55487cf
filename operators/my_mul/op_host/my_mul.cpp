// MyMul: its parameters, how its outputs follow from its inputs, and how a launch is cut into
// blocks. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "../op_kernel/my_mul_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

// A block has its price, so a small tensor gets few of them.
constexpr uint64_t MIN_BLOCK_BYTES = 32 * 1024;
// Global memory is fastest from addresses that are multiples of this; a datablock (32 bytes)
// divides it.
constexpr uint64_t ALIGN_BYTES = 512;
// Large enough for the copies to run at full speed, and small enough for all buffers to stay in a
// CPU's first-level cache.
constexpr uint64_t TILE_BYTES = 8 * 1024;
// Two buffers for each of x, y and out.
constexpr uint64_t BUFFERS = 2 * 3;
// Each block of a broadcast first writes tables of offsets, which takes as long as some tiles.
constexpr uint64_t MIN_BROADCAST_TILES = 8;

constexpr uint64_t SAME_SHAPE = 1;
constexpr uint64_t BROADCAST = 2;

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

struct Machine {
  uint64_t elementBytes;
  uint64_t cores;
  uint64_t ubBytes;
  bool inFloat;  // products are computed in float

  // A tile's elements, for so many bytes of unified buffer per element.
  uint64_t TileLength(uint64_t bytesPerElement) const {
    const uint64_t computeBytes = inFloat ? sizeof(float) : elementBytes;
    const uint64_t length = std::min(TILE_BYTES / computeBytes, ubBytes / bytesPerElement);
    return length / (ALIGN_BYTES / elementBytes) * (ALIGN_BYTES / elementBytes);
  }
  uint64_t TemporaryBytes() const { return inFloat ? 2 * sizeof(float) : 0; }
};

static ge::graphStatus SameShape(gert::TilingContext* context, const Machine& machine,
                                 uint64_t total) {
  const uint64_t elementBytes = machine.elementBytes;
  const uint64_t tileLength = machine.TileLength(BUFFERS * elementBytes + machine.TemporaryBytes());
  if (tileLength == 0) return ge::GRAPH_FAILED;

  uint64_t blocks =
      std::clamp<uint64_t>(DivideUp(total * elementBytes, MIN_BLOCK_BYTES), 1, machine.cores);
  const uint64_t align = ALIGN_BYTES / elementBytes;
  const uint64_t blockLength = std::max(align, DivideUp(DivideUp(total, blocks), align) * align);
  blocks = std::max<uint64_t>(
      1, DivideUp(total, blockLength));  // rounding up may leave some without work

  MyMulTilingData* tiling = context->GetTilingData<MyMulTilingData>();
  tiling->totalLength = total;
  tiling->blockLength = blockLength;
  tiling->tileLength = static_cast<uint32_t>(tileLength);
  context->SetTilingKey(SAME_SHAPE);
  context->SetBlockDim(static_cast<uint32_t>(blocks));
  return ge::GRAPH_SUCCESS;
}

struct Axis {
  uint64_t size;
  bool xMoves;  // false: x has one element for all of the axis
  bool yMoves;
};

// The output's axes, outermost first, without those of one element; neighbours that x and y treat
// alike are one.
using Axes = std::vector<Axis>;

static void AddAxis(Axes* axes, uint64_t size, bool xMoves, bool yMoves) {
  if (size == 1) return;
  if (!axes->empty() && axes->back().xMoves == xMoves && axes->back().yMoves == yMoves) {
    axes->back().size *= size;
  } else {
    axes->push_back({size, xMoves, yMoves});
  }
}

static uint64_t DimFromBehind(const gert::Shape& shape, size_t axis, size_t rank) {
  const size_t missing = rank - shape.GetDimNum();
  return axis < missing ? 1 : static_cast<uint64_t>(shape.GetDim(axis - missing));
}

// How an operand is read; `firstInRow` is the first axis of a row, the one before it is that of the
// rows.
static void Describe(const Axes& axes, bool Axis::*moves, uint32_t firstInRow, uint64_t tileRows,
                     MyMulOperand* operand) {
  const auto Moves = [&](uint32_t axis) { return axes[axis].*moves; };
  const uint32_t rowAxis = firstInRow - 1;
  uint64_t stride = 1;
  bool dense = true;
  for (uint32_t axis = static_cast<uint32_t>(axes.size()); axis-- > firstInRow;) {
    operand->tileStride[axis - rowAxis] = Moves(axis) ? static_cast<uint32_t>(stride) : 0;
    if (Moves(axis)) stride *= axes[axis].size;
    dense = dense && Moves(axis);
  }
  operand->rowLength = stride;
  operand->rowMoves = Moves(rowAxis) ? 1 : 0;
  operand->tileStride[0] = Moves(rowAxis) ? static_cast<uint32_t>(stride) : 0;
  dense = dense && (Moves(rowAxis) || tileRows == 1);
  const bool scalar = stride == 1 && (!Moves(rowAxis) || tileRows == 1);
  operand->source = dense ? MY_MUL_DENSE : scalar ? MY_MUL_SCALAR : MY_MUL_GATHER;
  if (Moves(rowAxis)) stride *= axes[rowAxis].size;
  for (uint32_t axis = rowAxis; axis-- > 0;) {
    operand->outerStride[axis] = Moves(axis) ? stride : 0;
    if (Moves(axis)) stride *= axes[axis].size;
  }
}

static ge::graphStatus Broadcast(gert::TilingContext* context, const Machine& machine,
                                 const Axes& axes) {
  // Beside the queues a tile of each operand once gathered, and the offsets for it.
  const uint64_t bytesPerElement =
      (BUFFERS + 2) * machine.elementBytes + 2 * sizeof(uint32_t) + machine.TemporaryBytes();
  const uint64_t tileLength = machine.TileLength(bytesPerElement);
  if (tileLength == 0) return ge::GRAPH_FAILED;

  // As many of the last axes as fit make a row, and a tile takes rows of the axis before them.
  const uint32_t rank = static_cast<uint32_t>(axes.size());
  uint32_t firstInRow = rank;
  uint64_t rowLength = 1;
  while (firstInRow > 1 && rowLength * axes[firstInRow - 1].size <= tileLength) {
    --firstInRow;
    rowLength *= axes[firstInRow].size;
  }
  const uint32_t rowAxis = firstInRow - 1;
  const uint64_t rows = axes[rowAxis].size;
  const uint64_t tileRows = std::min(rows, tileLength / rowLength);
  uint64_t matrices = 1;
  for (uint32_t axis = 0; axis < rowAxis; ++axis) matrices *= axes[axis].size;

  MyMulBroadcastTilingData* tiling = context->GetTilingData<MyMulBroadcastTilingData>();
  tiling->rows = rows;
  tiling->rowLength = rowLength;
  tiling->tileRows = static_cast<uint32_t>(tileRows);
  tiling->tileLength = static_cast<uint32_t>(tileLength);
  tiling->tilesPerMatrix = DivideUp(rows, tileRows);
  tiling->units = matrices * tiling->tilesPerMatrix;
  tiling->outerAxes = rowAxis;
  tiling->tileAxes = rank - rowAxis;
  for (uint32_t axis = 0; axis < rowAxis; ++axis) tiling->outerSize[axis] = axes[axis].size;
  tiling->tileSize[0] = static_cast<uint32_t>(tileRows);
  for (uint32_t axis = firstInRow; axis < rank; ++axis) {
    tiling->tileSize[axis - rowAxis] = static_cast<uint32_t>(axes[axis].size);
  }
  Describe(axes, &Axis::xMoves, firstInRow, tileRows, &tiling->x);
  Describe(axes, &Axis::yMoves, firstInRow, tileRows, &tiling->y);

  const bool tables = tiling->x.source == MY_MUL_GATHER || tiling->y.source == MY_MUL_GATHER;
  const uint64_t tiles = tables ? MIN_BROADCAST_TILES : 1;
  const uint64_t blocks = std::clamp<uint64_t>(DivideUp(tiling->units, tiles), 1, machine.cores);
  tiling->blockUnits = DivideUp(tiling->units, blocks);
  context->SetTilingKey(BROADCAST);
  context->SetBlockDim(static_cast<uint32_t>(DivideUp(tiling->units, tiling->blockUnits)));
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* xShape = context->GetInputShape(0);
  const gert::StorageShape* yShape = context->GetInputShape(1);
  const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(0);
  if (xShape == nullptr || yShape == nullptr || desc == nullptr) return ge::GRAPH_FAILED;
  const ge::DataType type = desc->GetDataType();

  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  Machine machine;
  machine.inFloat = type == ge::DT_BF16;
  machine.elementBytes = type == ge::DT_FLOAT16 || type == ge::DT_BF16 ? 2 : 4;
  machine.cores = std::max<uint64_t>(1, platform.GetCoreNumAiv());
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, machine.ubBytes);
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;

  const gert::Shape& x = xShape->GetStorageShape();
  const gert::Shape& y = yShape->GetStorageShape();
  const size_t rank = std::max(x.GetDimNum(), y.GetDimNum());
  Axes axes;
  uint64_t total = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    const uint64_t a = DimFromBehind(x, axis, rank);
    const uint64_t b = DimFromBehind(y, axis, rank);
    if (a != b && a != 1 && b != 1) return ge::GRAPH_FAILED;
    const uint64_t size = a == 1 ? b : a;
    total *= size;
    AddAxis(&axes, size, a == size, b == size);
  }
  if (axes.size() > MY_MUL_AXES) return ge::GRAPH_FAILED;
  const bool same =
      axes.empty() || total == 0 || (axes.size() == 1 && axes[0].xMoves && axes[0].yMoves);
  return same ? SameShape(context, machine, total) : Broadcast(context, machine, axes);
}

}  // namespace optiling

namespace ge {

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_RANK = -2;

static bool HasUnknownRank(const gert::Shape& shape) {
  return shape.GetDimNum() == 1 && shape.GetDim(0) == UNKNOWN_RANK;
}

// Shapes are compared from their last dimension on; 1 and missing dimensions are broadcast. What is
// known of one operand is used where the other does not know a dimension.
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const gert::Shape* y = context->GetInputShape(1);
  gert::Shape* out = context->GetOutputShape(0);
  if (x == nullptr || y == nullptr || out == nullptr) return GRAPH_FAILED;
  if (HasUnknownRank(*x) || HasUnknownRank(*y)) {
    out->SetDimNum(1);
    out->SetDim(0, UNKNOWN_RANK);
    return GRAPH_SUCCESS;
  }
  const size_t rank = std::max(x->GetDimNum(), y->GetDimNum());
  out->SetDimNum(rank);
  for (size_t i = 1; i <= rank; ++i) {
    const int64_t a = i <= x->GetDimNum() ? x->GetDim(x->GetDimNum() - i) : 1;
    const int64_t b = i <= y->GetDimNum() ? y->GetDim(y->GetDimNum() - i) : 1;
    int64_t size = a;
    if (a == 1 || (a == UNKNOWN_DIM && b != 1)) {
      size = b;
    } else if (a != b && b != 1 && b != UNKNOWN_DIM) {
      return GRAPH_FAILED;
    }
    out->SetDim(rank - i, size);
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class MyMul : public OpDef {
 public:
  explicit MyMul(const char* name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16,
                                             ge::DT_INT32};
    const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
    this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Input("y").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(types).Format(formats);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};

OP_ADD(MyMul);

}  // namespace ops

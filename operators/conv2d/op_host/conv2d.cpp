// Conv2d and its gradient: parameters, inference, and how the work is cut.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include "../../common/cube_product_plan.h"
#include "../op_kernel/conv2d_tiling.h"
#include "conv2d_shape.h"
#include "log/log.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

using cube_product::Axis;
using cube_product::DivideUp;
using cube_product::Machine;
using cube_product::SIDE;
using cube_product::Up;

constexpr uint64_t DATABLOCK = 32;
constexpr uint64_t WINDOW_TILES = 2;    // at least, of filters and windows
constexpr uint64_t MOST_PITCH = 65535;  // of lines that one copy brings to L1
// Products that a line of results, and an element of it, are worth to vector cores.
constexpr uint64_t COMPACT_LINE = 2048;
constexpr uint64_t COMPACT_ELEMENT = 16;
// Tiles that the filters' gradients are cut into for cores that would have nothing to do. A tile
// has all terms, so smaller ones bring them all the more often.
constexpr uint64_t LEAST_TILES = 4;
// What vector cores add up to images lies in the workspace, of some images at once.
constexpr uint64_t MOST_COLUMN_BYTES = 32 << 20;
constexpr uint64_t FOLD_BYTES = 176 << 10;  // of the unified buffer
constexpr uint64_t MOST_LINES = 4095;       // of a copy

static uint64_t U(int64_t value) { return static_cast<uint64_t>(value); }

static bool ReadShapes(gert::TilingContext* context, const gert::StorageShape* bias,
                       conv2d::Sizes* sizes) {
  const gert::StorageShape* x = context->GetInputShape(0);
  const gert::StorageShape* weight = context->GetInputShape(1);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (x == nullptr || weight == nullptr || attributes == nullptr) return false;
  std::string wrong = sizes->Set(x->GetStorageShape(), weight->GetStorageShape(),
                                 bias == nullptr ? nullptr : &bias->GetStorageShape(), *attributes);
  if (!wrong.empty()) OP_LOGE(context, "%s", wrong.c_str());
  return wrong.empty();
}

struct Work {
  conv2d::Sizes sizes;
  Machine machine;
  uint64_t elementBytes;

  uint64_t Channels() const { return U(sizes.channels); }
  uint64_t Filters() const { return U(sizes.o / sizes.groups); }
  uint64_t Groups() const { return U(sizes.groups); }
  // Windows see x with a stride or zeros beside it.
  bool HasPlanes() const {
    return sizes.stride.h != 1 || sizes.stride.w != 1 || sizes.padding.h != 0 ||
           sizes.padding.w != 0;
  }
  bool IsPointwise() const { return sizes.filterH == 1 && sizes.filterW == 1 && !HasPlanes(); }
};

static Work WorkOf(gert::TilingContext* context, const conv2d::Sizes& sizes) {
  Work work{sizes, Machine(platform_ascendc::PlatformAscendC(context->GetPlatformInfo())), 2};
  if (context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT) work.elementBytes = sizeof(float);
  return work;
}

static uint64_t ShareOut(gert::TilingContext* context, uint64_t units, uint64_t cores) {
  units = std::max<uint64_t>(1, units);
  const uint64_t blockUnits = DivideUp(units, std::min(units, cores));
  context->SetBlockDim(static_cast<uint32_t>(DivideUp(units, blockUnits)));
  return blockUnits;
}

static void SetWorkspace(gert::TilingContext* context, uint64_t bytes) {
  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + bytes;
}

// A product of matrices for each image and group.
static bool CutPointwise(const Work& work, uint64_t m, uint64_t n, uint64_t k, bool turnA,
                         bool turnB, const std::vector<Axis>& outer, const std::vector<Axis>& inner,
                         CubeProductTiling* product, CubeProductBuffers* buffers) {
  product->m = m;
  product->n = n;
  product->k = k;
  product->turnA = turnA ? 1 : 0;
  product->turnB = turnB ? 1 : 0;
  return cube_product::SetAxes(outer, &product->outer) &&
         cube_product::SetAxes(inner, &product->inner) &&
         cube_product::Cut(work.machine, work.elementBytes, product, buffers);
}

// Planes of x for windows that move by a stride, with zeros beside the images, and lines at least
// `leastPitch` elements apart. `results` have the pitch of the lines.
static Conv2dPlanes PlanesOf(const Work& work, bool results, uint64_t leastPitch) {
  const conv2d::Sizes& s = work.sizes;
  Conv2dPlanes planes = {};
  planes.count = U(s.n * s.c);
  planes.atOnce = std::max<uint64_t>(1, DivideUp(planes.count, 2 * work.machine.cores));
  planes.height = static_cast<uint32_t>(s.h);
  planes.width = static_cast<uint32_t>(s.w);
  planes.top = static_cast<uint32_t>(s.padding.h);
  planes.left = static_cast<uint32_t>(s.padding.w);
  planes.strideH = static_cast<uint32_t>(s.stride.h);
  planes.strideW = static_cast<uint32_t>(s.stride.w);
  const uint64_t reachH = U((s.filterH - 1) * s.dilation.h);
  const uint64_t reachW = U((s.filterW - 1) * s.dilation.w);
  planes.phasesH = static_cast<uint32_t>(std::min<uint64_t>(planes.strideH, reachH + 1));
  planes.phasesW = static_cast<uint32_t>(std::min<uint64_t>(planes.strideW, reachW + 1));
  const uint64_t lines = U(s.outH) + reachH / planes.strideH;
  const uint64_t outWidth = U(s.outW);
  const uint64_t pitch = std::max(
      {leastPitch, outWidth, DivideUp(uint64_t{planes.width} + planes.left, planes.strideW)});
  planes.lines = static_cast<uint32_t>(lines);
  planes.pitch = static_cast<uint32_t>(pitch);
  // Results leave the cube unit line by line where lines begin at its strips: for some more
  // positions vector cores need not take the results once more.
  const uint64_t terms = work.Channels() * U(s.filterH * s.filterW);
  const uint64_t more = Up(pitch, SIDE) - pitch;
  if (results && pitch != outWidth && more * terms <= COMPACT_LINE + COMPACT_ELEMENT * outWidth) {
    planes.pitch = static_cast<uint32_t>(pitch + more);
  }
  // The last window's zeros lie behind the last line.
  const uint64_t last = std::max<uint64_t>(planes.pitch, outWidth + reachW / planes.strideW);
  planes.size = Up((lines - 1) * planes.pitch + last, SIDE);
  return planes;
}

static Conv2dRows RowsOf(const Work& work, bool results, uint64_t leastPitch) {
  const conv2d::Sizes& s = work.sizes;
  Conv2dRows rows = {};
  Conv2dPlanes& planes = rows.planes;
  planes = PlanesOf(work, results, leastPitch);
  if (!work.HasPlanes() && leastPitch <= planes.width) {
    planes.pitch = planes.width;
    planes.size = U(s.h * s.w);
  }
  rows.filterH = static_cast<uint32_t>(s.filterH);
  rows.filterW = static_cast<uint32_t>(s.filterW);
  rows.dilationH = static_cast<uint32_t>(s.dilation.h);
  rows.dilationW = static_cast<uint32_t>(s.dilation.w);
  rows.channels = static_cast<uint32_t>(work.Channels());
  rows.outWidth = static_cast<uint32_t>(s.outW);
  // Along the last axis that has more than one row; every runStep-th lies in the same phase.
  uint64_t pitch = planes.size * planes.phasesH * planes.phasesW;
  uint32_t step = 1;
  rows.run = rows.channels;
  if (rows.filterW > 1) {
    step = planes.strideW / std::gcd(planes.strideW, rows.dilationW);
    pitch = uint64_t{rows.dilationW} * step / planes.strideW;
    rows.run = rows.filterW;
  } else if (rows.filterH > 1) {
    step = planes.strideH / std::gcd(planes.strideH, rows.dilationH);
    pitch = uint64_t{rows.dilationH} * step / planes.strideH * planes.pitch;
    rows.run = rows.filterH;
  }
  if (pitch > MOST_PITCH) {  // farther apart than a copy can say
    rows.run = step = 1;
    pitch = 1;
  }
  rows.runStep = step;
  rows.runPitch = static_cast<uint32_t>(pitch);
  return rows;
}

// Whether the planes of these rows are x itself.
static bool AreImages(const Work& work, const Conv2dRows& rows) {
  return !work.HasPlanes() && rows.planes.pitch == rows.planes.width;
}

static uint64_t PlaneBytes(const Work& work, const Conv2dPlanes& planes) {
  return Up(planes.count * planes.size * planes.phasesH * planes.phasesW * work.elementBytes, 512);
}

// Filters times the rows of windows that `data` has; `turned`: filters are stored the other way
// round.
static bool CutWindows(const Work& work, bool turned, Conv2dTilingData* data) {
  const conv2d::Sizes& sizes = work.sizes;
  const Conv2dPlanes& planes = data->rows.planes;
  // Positions between lines are computed, too.
  const uint64_t positions = U(sizes.outH - 1) * planes.pitch + U(sizes.outW);
  const uint64_t terms = work.Channels() * U(sizes.filterH * sizes.filterW);
  data->compacts = planes.pitch != data->rows.outWidth && planes.pitch % SIDE != 0 ? 1 : 0;
  data->outHeight = static_cast<uint32_t>(sizes.outH);
  data->outLines = U(sizes.n * sizes.o * sizes.outH);
  // Rows of windows come in short runs, and for each tile of filters anew: larger tiles are worth
  // more than cores.
  Work cut = work;
  if (!work.IsPointwise()) cut.machine.cores = std::min(work.machine.cores, WINDOW_TILES);
  return CutPointwise(cut, work.Filters(), positions, terms, turned, false,
                      {{U(sizes.n), 0, work.Groups()}, {work.Groups(), 1, 1}}, {}, &data->product,
                      &data->buffers);
}

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::StorageShape* bias = context->GetOptionalInputShape(2);
  conv2d::Sizes sizes;
  if (!ReadShapes(context, bias, &sizes)) return ge::GRAPH_FAILED;
  const Work work = WorkOf(context, sizes);
  auto* data = context->GetTilingData<Conv2dTilingData>();
  *data = {};
  data->rows = RowsOf(work, true, 0);
  data->product.hasBias = bias != nullptr ? CUBE_PRODUCT_BIAS_OF_ROWS : CUBE_PRODUCT_NO_BIAS;
  if (!CutWindows(work, false, data)) return ge::GRAPH_FAILED;
  data->blockUnits = ShareOut(context, data->product.units, work.machine.cores);
  if (work.IsPointwise()) {
    context->GetWorkspaceSizes(1)[0] = 0;
    context->SetTilingKey(CONV2D_POINTWISE);
    return ge::GRAPH_SUCCESS;
  }
  const Conv2dPlanes& planes = data->rows.planes;
  data->makesPlanes = AreImages(work, data->rows) ? 0 : 1;
  if (data->makesPlanes != 0) data->planeBytes = PlaneBytes(work, planes);
  SetWorkspace(context, data->planeBytes +
                            data->compacts * data->outLines * planes.pitch * work.elementBytes);
  context->SetTilingKey(CONV2D_WINDOWS);
  return ge::GRAPH_SUCCESS;
}

// How vector cores add up columns: as many lines and columns as there is room for, but something
// for each of `cores`.
static Conv2dFold FoldOf(const Work& work, uint64_t pitch, uint64_t planes, uint64_t cores) {
  const conv2d::Sizes& s = work.sizes;
  Conv2dFold fold = {};
  fold.height = static_cast<uint32_t>(s.h);
  fold.width = static_cast<uint32_t>(s.w);
  fold.outHeight = static_cast<uint32_t>(s.outH);
  fold.outWidth = static_cast<uint32_t>(s.outW);
  fold.filterH = static_cast<uint32_t>(s.filterH);
  fold.filterW = static_cast<uint32_t>(s.filterW);
  fold.strideH = static_cast<uint32_t>(s.stride.h);
  fold.strideW = static_cast<uint32_t>(s.stride.w);
  fold.dilationH = static_cast<uint32_t>(s.dilation.h);
  fold.dilationW = static_cast<uint32_t>(s.dilation.w);
  fold.top = static_cast<uint32_t>(s.padding.h);
  fold.left = static_cast<uint32_t>(s.padding.w);
  fold.pitch = static_cast<uint32_t>(pitch);
  fold.positions = U(s.outH - 1) * pitch + U(s.outW);
  const uint64_t stride = fold.strideW;
  // A column ends behind its last line by what windows reach, in whole datablocks.
  const uint64_t spare = U((s.filterW - 1) * s.dilation.w) / stride + 2 * SIDE;
  const uint64_t bytes = FOLD_BYTES - (stride + 2) * spare * sizeof(float);
  uint64_t columns = pitch;
  uint64_t outPitch = 0;
  uint64_t lineBytes = 0;
  while (true) {
    outPitch = Up(std::min<uint64_t>(columns * stride, fold.width), DATABLOCK / work.elementBytes);
    lineBytes = (stride + 2) * columns * sizeof(float) +
                outPitch * (2 * work.elementBytes + 2 * sizeof(float));
    if (lineBytes <= bytes) break;
    columns = DivideUp(columns, 2);
  }
  fold.columns = static_cast<uint32_t>(columns);
  fold.columnTiles = static_cast<uint32_t>(
      columns == pitch ? 1 : DivideUp(U(s.w + s.padding.w), columns * stride));
  fold.outPitch = static_cast<uint32_t>(outPitch);
  const uint64_t phase = DivideUp(fold.height, fold.strideH);
  const uint64_t others = std::max<uint64_t>(1, planes * fold.strideH * fold.columnTiles);
  const uint64_t lines =
      fold.columnTiles > 1
          ? 1
          : std::min({phase, bytes / lineBytes, MOST_LINES, DivideUp(phase * others, cores)});
  fold.lines = static_cast<uint32_t>(lines);
  fold.bands = static_cast<uint32_t>(DivideUp(phase, lines));
  fold.room = static_cast<uint32_t>(Up(lines * columns + spare - SIDE, SIDE));
  return fold;
}

// The convolution of dout that is the gradient of x where windows move by one: filters are turned,
// and what is a channel and what is a filter is the other way round.
static Work Turned(const Work& work) {
  Work turned = work;
  const conv2d::Sizes& s = work.sizes;
  conv2d::Sizes& t = turned.sizes;
  t.c = s.o, t.h = s.outH, t.w = s.outW;
  t.o = s.c, t.channels = s.o / s.groups;
  t.outH = s.h, t.outW = s.w;
  t.padding.h = (s.filterH - 1) * s.dilation.h - s.padding.h;
  t.padding.w = (s.filterW - 1) * s.dilation.w - s.padding.w;
  return turned;
}

// Whether there is one, and vector cores can turn the filters, and had more to do with columns.
static bool Turns(const Work& work, const Work& turned) {
  const conv2d::Sizes& s = work.sizes;
  return s.stride.h == 1 && s.stride.w == 1 && turned.sizes.padding.h >= 0 &&
         turned.sizes.padding.w >= 0 && s.c > 0 && !work.IsPointwise() &&
         U(s.filterH * s.filterW) <= CONV2D_MOST_TURNED &&
         s.o / s.groups <= 2 * s.n * s.outH * s.outW;
}

static ge::graphStatus GradientTiling(gert::TilingContext* context) {
  const gert::StorageShape* bias = context->GetOptionalInputShape(2);
  conv2d::Sizes sizes;
  if (!ReadShapes(context, bias, &sizes)) return ge::GRAPH_FAILED;
  // Behind an optional input: by its place in the definition.
  const gert::StorageShape* dout = context->GetRequiredInputShape(3);
  if (dout == nullptr) return ge::GRAPH_FAILED;
  gert::Shape expected;
  sizes.Output(&expected);
  OP_CHECK_IF(!(dout->GetStorageShape() == expected),
              OP_LOGE(context, "dout is %s; expected %s, the shape of the convolution",
                      ShapeText(dout->GetStorageShape()).c_str(), ShapeText(expected).c_str()),
              return ge::GRAPH_FAILED);
  const Work work = WorkOf(context, sizes);
  const uint64_t images = U(sizes.n);
  const uint64_t groups = work.Groups();
  const uint64_t channels = work.Channels();
  const uint64_t filters = work.Filters();
  const uint64_t plane = U(sizes.outH * sizes.outW);
  const uint64_t terms = channels * U(sizes.filterH * sizes.filterW);
  auto* data = context->GetTilingData<Conv2dGradTilingData>();
  *data = {};
  data->hasBias = bias != nullptr ? 1 : 0;
  const Work turned = Turned(work);
  const bool turns = Turns(work, turned);
  uint64_t pitch = RowsOf(work, false, 0).planes.pitch;
  if (turns) {  // planes of x and of dout have the same lines
    data->ofX.rows = RowsOf(turned, true, pitch);
    pitch = data->ofX.rows.planes.pitch;
  }
  data->rows = RowsOf(work, false, pitch);
  // Dout is 0 between its lines, where windows lie on two.
  const uint64_t positions = U(sizes.outH - 1) * pitch + U(sizes.outW);
  data->imagesAtOnce = std::max<uint64_t>(
      1, MOST_COLUMN_BYTES / std::max<uint64_t>(1, groups * terms * positions * 4));
  data->imagesAtOnce = std::min(data->imagesAtOnce, std::max<uint64_t>(1, images));
  const uint64_t together = work.IsPointwise() ? images : data->imagesAtOnce;
  Work fewer = work;
  fewer.machine.cores = std::min(fewer.machine.cores, LEAST_TILES);
  CubeProductBuffers* buffers = &data->ofX.buffers;
  bool fits = turns ? CutWindows(turned, true, &data->ofX)
                    : CutPointwise(work, terms, positions, filters, true, false,
                                   {{together, 0, groups}, {groups, 1, 1}}, {}, &data->ofX.product,
                                   buffers);
  fits = fits && CutPointwise(fewer, filters, terms, positions, false, true, {{groups, 1, 1}},
                              {{images, groups, groups}}, &data->ofFilters, buffers);
  if (fits && bias != nullptr) {
    data->ofBias.onesA = 1;
    fits = CutPointwise(work, 1, U(sizes.o), plane, false, true, {}, {{images, 0, 1}},
                        &data->ofBias, buffers);
  }
  if (!fits) return ge::GRAPH_FAILED;
  const uint64_t once = data->ofFilters.units + data->ofBias.units;
  data->doutSize = positions;
  if (work.IsPointwise()) {
    data->blockUnits = ShareOut(context, data->ofX.product.units + once, work.machine.cores);
    context->GetWorkspaceSizes(1)[0] = 0;
    context->SetTilingKey(CONV2D_POINTWISE);
    return ge::GRAPH_SUCCESS;
  }
  // All cores have something to do when planes are made and columns are added up.
  const uint64_t blocks = work.machine.cores;
  context->SetBlockDim(static_cast<uint32_t>(blocks));
  data->blockUnits = DivideUp(once, blocks);
  data->filters = U(sizes.o);
  data->makesPlanes = AreImages(work, data->rows) ? 0 : 1;
  if (data->makesPlanes != 0) data->planeBytes = PlaneBytes(work, data->rows.planes);
  if (turns) {
    Conv2dTilingData& x = data->ofX;
    const Conv2dPlanes& douts = x.rows.planes;
    x.blockUnits = DivideUp(x.product.units, blocks);
    data->makesDout = AreImages(turned, x.rows) ? 0 : 1;
    data->doutSize = douts.size;
    data->doutFirst = uint64_t{douts.top} * douts.pitch + douts.left;
    if (data->makesDout != 0) data->doutBytes = PlaneBytes(work, douts);
    data->filterBytes = Up(U(sizes.o) * terms * work.elementBytes, 512);
    SetWorkspace(context, data->planeBytes + data->doutBytes + data->filterBytes +
                              x.compacts * x.outLines * douts.pitch * work.elementBytes);
    context->SetTilingKey(CONV2D_TURNED);
    return ge::GRAPH_SUCCESS;
  }
  data->images = images;
  data->imageUnits = data->ofX.product.units / data->imagesAtOnce;
  data->channels = static_cast<uint32_t>(sizes.c);
  data->doutImageBytes = U(sizes.o) * positions * work.elementBytes;
  data->makesDout = pitch != U(sizes.outW) ? 1 : 0;
  Conv2dPlanes& douts = data->dout;
  douts.count = images * U(sizes.o);
  douts.atOnce = std::max<uint64_t>(1, DivideUp(douts.count, 2 * work.machine.cores));
  douts.size = positions;
  douts.height = douts.lines = static_cast<uint32_t>(sizes.outH);
  douts.width = static_cast<uint32_t>(sizes.outW);
  douts.strideH = douts.strideW = douts.phasesH = douts.phasesW = 1;
  douts.pitch = static_cast<uint32_t>(pitch);
  if (data->makesDout != 0) data->doutBytes = PlaneBytes(work, douts);
  data->fold = FoldOf(work, pitch, data->imagesAtOnce * U(sizes.c), 2 * work.machine.cores);
  SetWorkspace(context, data->planeBytes + data->doutBytes +
                            data->imagesAtOnce * groups * terms * positions * sizeof(float));
  context->SetTilingKey(CONV2D_WINDOWS);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const gert::Shape* weight = context->GetInputShape(1);
  gert::Shape* out = context->GetOutputShape(0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (x == nullptr || weight == nullptr || out == nullptr || attributes == nullptr)
    return GRAPH_FAILED;
  if (Ops::Base::IsUnknownRank(*x) || Ops::Base::IsUnknownRank(*weight)) {
    out->SetDimNum(0);
    for (int i = 0; i < 4; ++i) out->AppendDim(-1);
    return GRAPH_SUCCESS;
  }
  conv2d::Sizes sizes;
  const std::string wrong = sizes.Set(*x, *weight, context->GetOptionalInputShape(2), *attributes);
  OP_CHECK_IF(!wrong.empty(), OP_LOGE(context, "%s", wrong.c_str()), return GRAPH_FAILED);
  sizes.Output(out);
  return GRAPH_SUCCESS;
}

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

static void AddAttributes(OpDef* op) {
  op->Attr("stride").AttrType(OPTIONAL).ListInt({1, 1});
  op->Attr("padding").AttrType(OPTIONAL).ListInt({0, 0});
  op->Attr("dilation").AttrType(OPTIONAL).ListInt({1, 1});
  op->Attr("groups").AttrType(OPTIONAL).Int(1);
}

class Conv2d : public OpDef {
 public:
  explicit Conv2d(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("weight").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("bias").ParamType(OPTIONAL).DataType(TYPES).Format(FORMATS);
    this->Output("out").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    AddAttributes(this);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(Conv2d);

class Conv2dGrad : public OpDef {
 public:
  explicit Conv2dGrad(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("weight").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("bias").ParamType(OPTIONAL).DataType(TYPES).Format(FORMATS);
    this->Input("dout").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    for (const char* output : {"dx", "dweight", "dbias"}) {
      this->Output(output).ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    }
    AddAttributes(this);
    this->SetInferShape(ge::InferGradientShape).SetInferDataType(ge::InferGradientDataType);
    this->AICore().SetTiling(optiling::GradientTiling).AddConfig("ascend910b");
  }
};

OP_ADD(Conv2dGrad);

}  // namespace ops

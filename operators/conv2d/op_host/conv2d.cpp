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
constexpr uint64_t MOST_POINTS = 512;     // of a filter, which vector cores turn as a whole
constexpr uint64_t MOST_REACH = 255;      // of windows beside an image
constexpr uint64_t MOST_POSITIONS = 256;  // of a tile
constexpr uint64_t LEAST_TILES = 8;       // of gradients, whose tiles have all the terms
constexpr uint64_t MOST_PITCH = 65535;    // of lines that one copy brings to L1
// Products that a line of results, and an element of it, are worth to vector cores.
constexpr uint64_t COMPACT_LINE = 2048;
constexpr uint64_t COMPACT_ELEMENT = 16;

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
  uint64_t wide;    // channels of a block
  uint64_t buffer;  // of L1, for images or filters

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
  Work work{sizes, Machine(platform_ascendc::PlatformAscendC(context->GetPlatformInfo())), 2, 0, 0};
  if (context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT) work.elementBytes = sizeof(float);
  work.wide = DATABLOCK / work.elementBytes;
  const uint64_t bias = SIDE * MOST_POSITIONS * work.elementBytes;
  work.buffer = (work.machine.l1 - bias) / 4 / 512 * 512 - 512;
  return work;
}

static Conv2dWindows WindowsOf(const Work& work) {
  const conv2d::Sizes& s = work.sizes;
  Conv2dWindows w = {};
  w.height = static_cast<uint32_t>(s.h);
  w.width = static_cast<uint32_t>(s.w);
  w.outHeight = static_cast<uint32_t>(s.outH);
  w.outWidth = static_cast<uint32_t>(s.outW);
  w.filterH = static_cast<uint32_t>(s.filterH);
  w.filterW = static_cast<uint32_t>(s.filterW);
  w.strideH = static_cast<uint32_t>(s.stride.h);
  w.strideW = static_cast<uint32_t>(s.stride.w);
  w.dilationH = static_cast<uint32_t>(s.dilation.h);
  w.dilationW = static_cast<uint32_t>(s.dilation.w);
  w.top = static_cast<int32_t>(s.padding.h);
  w.left = static_cast<int32_t>(s.padding.w);
  w.blocks = static_cast<uint32_t>(DivideUp(work.Channels(), work.wide));
  return w;
}

// What a tile of positions reaches of one block of channels, in bytes.
static uint64_t ViewBytes(const Conv2dProduct& product) {
  const Conv2dWindows& w = product.windows;
  const uint64_t rows =
      (product.tileRows - 1) * uint64_t{w.strideH} + (w.filterH - 1) * uint64_t{w.dilationH} + 1;
  const uint64_t columns =
      (product.tileColumns - 1) * uint64_t{w.strideW} + (w.filterW - 1) * uint64_t{w.dilationW} + 1;
  return std::min<uint64_t>(rows, w.height) * std::min<uint64_t>(columns, w.width) * DATABLOCK;
}

// Positions of a tile: whole rows where several fit, else a part of one. False: not even one
// position's window fits `bytes`.
static bool CutPositions(uint64_t most, uint64_t bytes, Conv2dProduct* product) {
  const Conv2dWindows& w = product->windows;
  const auto fitting = [](uint64_t reach, uint64_t stride) {
    return reach >= MOST_REACH ? 1 : (MOST_REACH - reach) / stride + 1;
  };
  const uint64_t reachH = (w.filterH - 1) * uint64_t{w.dilationH} + 1;
  const uint64_t reachW = (w.filterW - 1) * uint64_t{w.dilationW} + 1;
  uint64_t rows = 1;
  uint64_t columns = w.outWidth;
  if (w.outWidth <= most) {
    rows = std::min<uint64_t>({w.outHeight, most / w.outWidth, fitting(reachH, w.strideH)});
  } else {
    columns = std::min(most, fitting(reachW, w.strideW));
  }
  const auto set = [&] {
    product->tileRows = static_cast<uint32_t>(rows);
    product->tileColumns = static_cast<uint32_t>(columns);
  };
  set();
  while (ViewBytes(*product) > bytes && rows > 1) {
    --rows;
    set();
  }
  if (ViewBytes(*product) > bytes && columns == w.outWidth) {
    columns = std::min(columns, fitting(reachW, w.strideW));
    set();
  }
  while (ViewBytes(*product) > bytes && columns > 1) {
    columns = DivideUp(columns, 2);
    set();
  }
  product->rowTiles = static_cast<uint32_t>(DivideUp(w.outHeight, rows));
  product->columnTiles = static_cast<uint32_t>(DivideUp(w.outWidth, columns));
  return ViewBytes(*product) <= bytes;
}

static void Grow(CubeProductBuffers* buffers, uint64_t a1, uint64_t b1, uint64_t bias, uint64_t a2,
                 uint64_t b2, uint64_t c) {
  const auto grow = [](uint32_t* bytes, uint64_t need) {
    *bytes = std::max(*bytes, static_cast<uint32_t>(std::max<uint64_t>(Up(need, 512), 512)));
  };
  grow(&buffers->a1Bytes, a1);
  grow(&buffers->b1Bytes, b1);
  grow(&buffers->biasBytes, bias);
  grow(&buffers->a2Bytes, a2);
  grow(&buffers->b2Bytes, b2);
  grow(&buffers->cBytes, c);
}

// Windows times filters. The product's windows, filters and images are there already.
static bool CutWindows(const Work& work, Conv2dProduct* product, CubeProductBuffers* buffers) {
  const Conv2dWindows& w = product->windows;
  const uint64_t points = uint64_t{w.filterH} * w.filterW;
  product->upFilters = static_cast<uint32_t>(Up(product->filters, SIDE));
  uint64_t filters = std::clamp<uint64_t>(product->upFilters, SIDE, MOST_POSITIONS);
  uint64_t positions = filters > MOST_POSITIONS / 2 ? MOST_POSITIONS / 2 : MOST_POSITIONS;
  if (!CutPositions(positions, work.buffer, product)) return false;
  positions = Up(uint64_t{product->tileRows} * product->tileColumns, SIDE);
  const auto units = [&] {
    return product->images * product->groups * product->rowTiles * product->columnTiles *
           DivideUp(product->filters, filters);
  };
  while (units() < work.machine.cores && filters > cube_product::LEAST_BASE) {
    filters = Up(filters / 2, SIDE);
  }
  product->baseFilters = static_cast<uint32_t>(filters);
  product->filterTiles = static_cast<uint32_t>(DivideUp(product->filters, filters));
  product->units = units();
  const uint64_t strips = w.blocks * points;
  const uint64_t inL0 =
      std::max<uint64_t>(1, std::min({work.machine.l0a / 2 / (positions * DATABLOCK),
                                      work.machine.l0b / 2 / (filters * DATABLOCK), strips}));
  product->blocksAtOnce = static_cast<uint32_t>(
      std::min<uint64_t>(w.blocks, std::max<uint64_t>(1, work.buffer / ViewBytes(*product))));
  uint64_t atOnce = work.buffer / (filters * DATABLOCK);
  atOnce = std::max(inL0, atOnce / inL0 * inL0);
  product->stripsInL0 = static_cast<uint32_t>(inL0);
  product->stripsAtOnce =
      static_cast<uint32_t>(std::min<uint64_t>(atOnce, product->blocksAtOnce * points));
  Grow(buffers, product->blocksAtOnce * ViewBytes(*product),
       product->stripsAtOnce * filters * DATABLOCK,
       SIDE * std::max(filters, SIDE) * work.elementBytes,
       positions * DATABLOCK * std::max<uint64_t>(inL0, 2),
       filters * DATABLOCK * std::max<uint64_t>(inL0, 2), positions * filters * sizeof(float));
  return true;
}

// Gradients times windows, for all images.
static bool CutGradients(const Work& work, Conv2dProduct* product, CubeProductBuffers* buffers) {
  const Conv2dWindows& w = product->windows;
  const uint64_t points = uint64_t{w.filterH} * w.filterW;
  const uint64_t strips = w.blocks * points;
  uint64_t filters = std::min<uint64_t>(Up(product->filters, SIDE), MOST_POSITIONS / 2);
  uint64_t count = std::clamp<uint64_t>(strips, 1, MOST_POSITIONS / work.wide);
  const auto units = [&] {
    return product->groups * DivideUp(product->filters, filters) * DivideUp(strips, count);
  };
  while (units() < LEAST_TILES &&
         (filters > cube_product::LEAST_BASE || count * work.wide > cube_product::LEAST_BASE)) {
    if (count * work.wide >= filters && count * work.wide > cube_product::LEAST_BASE) {
      count = DivideUp(count, 2);
    } else {
      filters = Up(filters / 2, SIDE);
    }
  }
  // The channel blocks that a tile's points can lie in.
  const uint64_t blocks = std::min<uint64_t>(w.blocks, (count - 1) / points + 2);
  const uint64_t inL1 = work.buffer / (filters * work.elementBytes) / SIDE * SIDE;
  if (!CutPositions(std::min<uint64_t>(MOST_POSITIONS, inL1), work.buffer / blocks, product))
    return false;
  const uint64_t positions = Up(uint64_t{product->tileRows} * product->tileColumns, SIDE);
  const uint64_t columns = Up(count * work.wide, SIDE);
  const uint64_t inL0 =
      std::min({work.machine.l0a / 2 / (filters * work.elementBytes),
                work.machine.l0b / 2 / (columns * work.elementBytes), positions}) /
      SIDE * SIDE;
  product->baseFilters = static_cast<uint32_t>(filters);
  product->filterTiles = static_cast<uint32_t>(DivideUp(product->filters, filters));
  product->baseStrips = static_cast<uint32_t>(count);
  product->stripTiles = static_cast<uint32_t>(DivideUp(strips, count));
  product->positionsInL0 = static_cast<uint32_t>(inL0);
  product->units = units();
  Grow(buffers, blocks * ViewBytes(*product), filters * positions * work.elementBytes,
       SIDE * columns * work.elementBytes, filters * inL0 * work.elementBytes,
       columns * inL0 * work.elementBytes, filters * columns * sizeof(float));
  return true;
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

static ge::graphStatus TooLarge(gert::TilingContext* context) {
  OP_LOGE(context, "weight's window on x does not fit the cube unit's memory");
  return ge::GRAPH_FAILED;
}

// Planes of x for windows that move by a stride, with zeros beside the images.
static Conv2dPlanes PlanesOf(const Work& work) {
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
  const uint64_t pitch =
      std::max(outWidth, DivideUp(uint64_t{planes.width} + planes.left, planes.strideW));
  planes.lines = static_cast<uint32_t>(lines);
  planes.pitch = static_cast<uint32_t>(pitch);
  // Results leave the cube unit line by line where lines begin at its strips: for some more
  // positions vector cores need not take the results once more.
  const uint64_t terms = work.Channels() * U(s.filterH * s.filterW);
  const uint64_t more = Up(pitch, SIDE) - pitch;
  if (pitch != outWidth && more * terms <= COMPACT_LINE + COMPACT_ELEMENT * outWidth) {
    planes.pitch = static_cast<uint32_t>(pitch + more);
  }
  // The last window's zeros lie behind the last line.
  const uint64_t last = std::max<uint64_t>(planes.pitch, outWidth + reachW / planes.strideW);
  planes.size = Up((lines - 1) * planes.pitch + last, SIDE);
  return planes;
}

static Conv2dRows RowsOf(const Work& work) {
  const conv2d::Sizes& s = work.sizes;
  Conv2dRows rows = {};
  Conv2dPlanes& planes = rows.planes;
  planes = PlanesOf(work);
  if (!work.HasPlanes()) {
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

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::StorageShape* bias = context->GetOptionalInputShape(2);
  conv2d::Sizes sizes;
  if (!ReadShapes(context, bias, &sizes)) return ge::GRAPH_FAILED;
  const Work work = WorkOf(context, sizes);
  const uint64_t images = U(sizes.n);
  const uint64_t groups = work.Groups();
  auto* data = context->GetTilingData<Conv2dTilingData>();
  *data = {};
  data->rows = RowsOf(work);
  const Conv2dPlanes& planes = data->rows.planes;
  // Positions between lines are computed, too.
  const uint64_t positions = U(sizes.outH - 1) * planes.pitch + U(sizes.outW);
  const uint64_t terms = work.Channels() * U(sizes.filterH * sizes.filterW);
  data->product.hasBias = bias != nullptr ? CUBE_PRODUCT_BIAS_OF_ROWS : CUBE_PRODUCT_NO_BIAS;
  if (!CutPointwise(work, work.Filters(), positions, terms, false, false,
                    {{images, 0, groups}, {groups, 1, 1}}, {}, &data->product, &data->buffers)) {
    return ge::GRAPH_FAILED;
  }
  data->blockUnits = ShareOut(context, data->product.units, work.machine.cores);
  if (work.IsPointwise()) {
    context->GetWorkspaceSizes(1)[0] = 0;
    context->SetTilingKey(CONV2D_POINTWISE);
    return ge::GRAPH_SUCCESS;
  }
  data->makesPlanes = work.HasPlanes() ? 1 : 0;
  data->compacts = planes.pitch != data->rows.outWidth && planes.pitch % SIDE != 0 ? 1 : 0;
  data->outHeight = static_cast<uint32_t>(sizes.outH);
  data->outLines = images * U(sizes.o * sizes.outH);
  if (data->makesPlanes != 0) {
    data->planeBytes =
        Up(planes.count * planes.size * planes.phasesH * planes.phasesW * work.elementBytes, 512);
  }
  SetWorkspace(context, data->planeBytes +
                            data->compacts * data->outLines * planes.pitch * work.elementBytes);
  context->SetTilingKey(CONV2D_WINDOWS);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus GradientTiling(gert::TilingContext* context) {
  const gert::StorageShape* bias = context->GetOptionalInputShape(2);
  conv2d::Sizes sizes;
  if (!ReadShapes(context, bias, &sizes)) return ge::GRAPH_FAILED;
  if (U(sizes.filterH * sizes.filterW) > MOST_POINTS) {
    OP_LOGE(context, "weight has filters of %lld points; at most %llu are possible",
            static_cast<long long>(sizes.filterH * sizes.filterW),
            static_cast<unsigned long long>(MOST_POINTS));
    return ge::GRAPH_FAILED;
  }
  // Behind an optional input: by its place in the definition.
  const gert::StorageShape* dout = context->GetRequiredInputShape(3);
  if (dout == nullptr) return ge::GRAPH_FAILED;
  gert::Shape expected;
  sizes.Output(&expected);
  OP_CHECK_IF(
      !(dout->GetStorageShape() == expected),
      OP_LOGE(context, "dout is %s; expected %s, the shape of the convolution",
              conv2d::Text(dout->GetStorageShape()).c_str(), conv2d::Text(expected).c_str()),
      return ge::GRAPH_FAILED);
  const Work work = WorkOf(context, sizes);
  const uint64_t images = U(sizes.n);
  const uint64_t groups = work.Groups();
  const uint64_t channels = work.Channels();
  const uint64_t filters = work.Filters();
  const uint64_t plane = U(sizes.outH * sizes.outW);
  auto* data = context->GetTilingData<Conv2dGradTilingData>();
  *data = {};
  data->hasBias = bias != nullptr ? 1 : 0;
  data->channels = static_cast<uint32_t>(channels);
  data->filters = static_cast<uint32_t>(filters);
  data->outHeight = static_cast<uint32_t>(sizes.outH);
  data->outWidth = static_cast<uint32_t>(sizes.outW);
  data->strideH = static_cast<uint32_t>(sizes.stride.h);
  data->strideW = static_cast<uint32_t>(sizes.stride.w);
  uint64_t units = 0;
  if (bias != nullptr) {
    data->ofBias.onesA = 1;
    if (!CutPointwise(work, 1, U(sizes.o), plane, false, true, {}, {{images, 0, 1}}, &data->ofBias,
                      &data->buffers)) {
      return ge::GRAPH_FAILED;
    }
    units += data->ofBias.units;
  }
  if (work.IsPointwise()) {
    const bool fits = CutPointwise(work, channels, plane, filters, true, false,
                                   {{images, 0, groups}, {groups, 1, 1}}, {}, &data->pointwise[0],
                                   &data->buffers) &&
                      CutPointwise(work, filters, channels, plane, false, true, {{groups, 1, 1}},
                                   {{images, groups, groups}}, &data->pointwise[1], &data->buffers);
    if (!fits) return ge::GRAPH_FAILED;
    units += data->pointwise[0].units + data->pointwise[1].units;
    context->GetWorkspaceSizes(1)[0] = 0;
    context->SetTilingKey(CONV2D_POINTWISE);
  } else {
    Conv2dProduct& ofX = data->ofX;
    const Conv2dWindows forward = WindowsOf(work);
    ofX.windows = forward;
    Conv2dWindows& w = ofX.windows;
    w.height = (forward.outHeight - 1) * forward.strideH + 1;
    w.width = (forward.outWidth - 1) * forward.strideW + 1;
    w.outHeight = forward.height;
    w.outWidth = forward.width;
    w.strideH = w.strideW = 1;
    w.top = static_cast<int32_t>((w.filterH - 1) * w.dilationH) - forward.top;
    w.left = static_cast<int32_t>((w.filterW - 1) * w.dilationW) - forward.left;
    w.blocks = static_cast<uint32_t>(DivideUp(filters, work.wide));
    ofX.images = images;
    ofX.groups = groups;
    ofX.filters = static_cast<uint32_t>(channels);
    Conv2dProduct& ofFilters = data->ofFilters;
    ofFilters.windows = forward;
    ofFilters.images = images;
    ofFilters.groups = groups;
    ofFilters.filters = static_cast<uint32_t>(filters);
    if (!CutWindows(work, &ofX, &data->buffers) || !CutGradients(work, &ofFilters, &data->buffers))
      return TooLarge(context);
    units += ofX.units + ofFilters.units;
    const uint64_t points = uint64_t{w.filterH} * w.filterW;
    data->spread = sizes.stride.h != 1 || sizes.stride.w != 1 ? 1 : 0;
    data->x = {images * groups, channels, U(sizes.h * sizes.w), forward.blocks};
    data->dout = {images * groups, filters, plane, w.blocks};
    data->xBytes = Up(images * groups * forward.blocks * U(sizes.h * sizes.w) * DATABLOCK, 512);
    data->doutBytes = Up(images * groups * w.blocks * w.height * w.width * DATABLOCK, 512);
    data->filterBytes = Up(groups * w.blocks * points * ofX.upFilters * DATABLOCK, 512);
    data->dxBytes =
        Up(images * groups * ofX.upFilters * U(sizes.h * sizes.w) * work.elementBytes, 512);
    const uint64_t sums = groups * filters * forward.blocks * points * DATABLOCK;
    SetWorkspace(context,
                 data->xBytes + data->doutBytes + data->filterBytes + data->dxBytes + sums);
    context->SetTilingKey(CONV2D_WINDOWS);
  }
  data->blockUnits = ShareOut(context, units, work.machine.cores);
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
  if (conv2d::HasUnknownRank(*x) || conv2d::HasUnknownRank(*weight)) {
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

// How host code plans products that vector cores finish.
// SPDX-License-Identifier: Apache-2.0
#ifndef CUBE_TILES_PLAN_H
#define CUBE_TILES_PLAN_H

#include "../matmul/op_host/matmul_shape.h"
#include "cube_tiles_tiling.h"
#include "exe_graph/runtime/tiling_context.h"
#include "log/log.h"

namespace cube_tiles {

constexpr uint64_t PLACES = 2;

// Shapes and transposes of matmul; the attributes are the first two of the operator.
inline bool Read(gert::TilingContext* context, const gert::Shape* bias, matmul::Product* product) {
  const gert::StorageShape* a = context->GetInputShape(0);
  const gert::StorageShape* b = context->GetInputShape(1);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (a == nullptr || b == nullptr || attributes == nullptr) return false;
  const bool* transposeA = attributes->GetBool(0);
  const bool* transposeB = attributes->GetBool(1);
  if (transposeA == nullptr || transposeB == nullptr) return false;
  const std::string wrong =
      product->Set(a->GetStorageShape(), b->GetStorageShape(), bias, *transposeA, *transposeB);
  if (!wrong.empty()) OP_LOGE(context, "%s", wrong.c_str());
  return wrong.empty();
}

inline bool Cut(gert::TilingContext* context, const matmul::Product& shapes, uint64_t elementBytes,
                CubeTilesTilingData* data) {
  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const cube_product::Machine machine(platform);
  const matmul::Sizes sizes = matmul::SizesOf(shapes);
  CubeProductTiling& product = data->product;
  product.m = sizes.m;
  product.n = sizes.n;
  product.k = sizes.k;
  product.turnA = sizes.turnA ? 1 : 0;
  product.turnB = sizes.turnB ? 1 : 0;
  const bool fits = cube_product::SetAxes(sizes.batch, &product.outer) &&
                    cube_product::SetAxes({}, &product.inner);
  if (!fits) {
    OP_LOGE(context, "a's and b's batches have too many axes that lie differently");
    return false;
  }
  if (!cube_product::Cut(machine, elementBytes, &product, &data->buffers)) return false;
  const uint64_t units = std::max<uint64_t>(1, product.units);
  data->blockUnits = cube_product::DivideUp(units, std::min(units, machine.cores));
  const uint64_t blocks = cube_product::DivideUp(units, data->blockUnits);
  data->blockBytes = PLACES * product.baseM * product.baseN * sizeof(float);
  context->SetBlockDim(static_cast<uint32_t>(blocks));
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + blocks * data->blockBytes;
  return true;
}

}  // namespace cube_tiles

#endif  // CUBE_TILES_PLAN_H

// Host and kernel of an operator in one file: tiling classes beside the plain structures the kernel
// reads, and the size helpers.
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(InnerTiling)
TILING_DATA_FIELD_DEF(uint8_t, small)  // with or without a semicolon
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, sizes);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerTilingOp, InnerTiling)

BEGIN_TILING_DATA_DEF(RowTiling)
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
TILING_DATA_FIELD_DEF(bool, flag);
TILING_DATA_FIELD_DEF(int64_t, total);
TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, inner);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(Row, RowTiling);
}  // namespace optiling

struct PlainInner {
  uint8_t small;
  uint16_t sizes[3];
};
struct PlainRow {
  SoftMaxTiling softmax;
  bool flag;
  int64_t total;
  PlainInner inner;
  float scale;
};
static_assert(sizeof(optiling::RowTiling) == sizeof(PlainRow), "one layout");

uint32_t Plan(optiling::RowTiling& tiling) {
  tiling.set_total(7);
  tiling.inner.set_small(3);
  const uint16_t sizes[] = {1, 2, 3, 4};
  tiling.inner.set_sizes(sizes);
  tiling.softmax.set_srcM(4);
  AscendC::TensorShape shape{{32, 160}};
  const uint32_t rows = 4;
  AscendC::TensorShape other({rows, 64});
  uint32_t most = 0;
  uint32_t least = 0;
  AscendC::GetExpMaxMinTmpSize(shape, sizeof(float), false, most, least);
  AscendC::GetPowerMaxMinTmpSize(shape, AscendC::TensorShape{{1}}, false, 4, false, most, least);
  AscendC::GetCosMaxMinTmpSize(AscendC::CosConfig{}, other, 2, false, most, least);
  uint8_t buffer[256];
  tiling.SaveToBuffer(buffer, sizeof(buffer));
  return most + least + tiling.softmax.get_srcM();
}

extern "C" __global__ __aicore__ void row_custom(GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(PlainRow, data, tiling);
  AscendC::tiling::SoftMaxTiling same = data.softmax;
  (void)same;
  ASCENDC_ASSERT(AscendC::GetBlockNum() != 0, { KERNEL_LOG(KERNEL_ERROR, "no blocks!"); });
  AscendC::LocalTensor<float> rows(AscendC::TPosition::VECIN, 0, 64);
  uint32_t array[2] = {4, 16};
  rows.SetShapeInfo(AscendC::ShapeInfo(2, array));
  AscendC::ShapeInfo info = {2, array, 2, array, AscendC::DataFormat::ND};
  rows.SetShapeInfo(info);
  rows.SetValue(0, AscendC::GetShapeSize(rows.GetShapeInfo()) / AscendC::ONE_BLK_SIZE);
}

// out = (a b) scale of int8 matrices: cube cores sum in int32, vector cores scale.
// SPDX-License-Identifier: Apache-2.0
#include "../../common/cube_tiles.h"
#include "../../common/cube_tiles_tiling.h"
#include "kernel_operator.h"

namespace {

// Sums times the scale of all columns, or those of each.
template <typename Out>
class Scale {
  static constexpr uint32_t MOST_COLUMNS = 256;

 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR scale, bool ofColumns) {
    gm.SetGlobalBuffer((__gm__ Out*)scale);
    byColumn = ofColumns;
    pipe->InitBuffer(wide, TILE * sizeof(float));
    if (!byColumn) {
      factor = Wide(gm.GetValue(0));
      return;
    }
    pipe->InitBuffer(row, MOST_COLUMNS * sizeof(float));
    pipe->InitBuffer(queue, 1, MOST_COLUMNS * sizeof(Out));
  }

  __aicore__ inline void Run(const AscendC::LocalTensor<Out>& to,
                             const AscendC::LocalTensor<int32_t>& from, uint32_t rows,
                             uint32_t pitch, uint64_t column, uint32_t columns) {
    AscendC::LocalTensor<float> sums = wide.Get<float>();
    if constexpr (AscendC::IsSameType<Out, float>::value) sums = to;
    const uint32_t count = rows * pitch;
    AscendC::Cast(sums, from, AscendC::RoundMode::CAST_RINT, count);
    AscendC::PipeBarrier<PIPE_V>();
    if (byColumn) {
      Bring(column, columns);
      const AscendC::LocalTensor<float> factors = row.Get<float>();
      for (uint32_t i = 0; i < rows; ++i) {
        AscendC::Mul(sums[i * pitch], sums[i * pitch], factors, pitch);
      }
    } else {
      AscendC::Muls(sums, sums, factor, count);
    }
    AscendC::PipeBarrier<PIPE_V>();
    if constexpr (!AscendC::IsSameType<Out, float>::value) {
      AscendC::Cast(to, sums, AscendC::RoundMode::CAST_RINT, count);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

 private:
  static constexpr uint32_t TILE = 4096;

  __aicore__ inline static float Wide(Out value) {
    if constexpr (AscendC::IsSameType<Out, bfloat16_t>::value) {
      return AscendC::ToFloat(value);
    } else {
      return static_cast<float>(value);
    }
  }

  // The scales of a tile's columns, unless they are there.
  __aicore__ inline void Bring(uint64_t column, uint32_t columns) {
    if (there == column + 1) return;
    there = column + 1;
    AscendC::LocalTensor<Out> scales = queue.template AllocTensor<Out>();
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(columns * sizeof(Out)), 0, 0, 0};
    AscendC::DataCopyPad(scales, gm[column], copy,
                         AscendC::DataCopyPadExtParams<Out>{false, 0, 0, Out(0.0f)});
    queue.EnQue(scales);
    scales = queue.template DeQue<Out>();
    AscendC::LocalTensor<float> factors = row.Get<float>();
    if constexpr (AscendC::IsSameType<Out, float>::value) {
      AscendC::Adds(factors, scales, 0.0f, columns);
    } else {
      AscendC::Cast(factors, scales, AscendC::RoundMode::CAST_NONE, columns);
    }
    AscendC::PipeBarrier<PIPE_V>();
    queue.FreeTensor(scales);
  }

  AscendC::GlobalTensor<Out> gm;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
  uint64_t there = 0;
  float factor = 0;
  bool byColumn = false;
};

}  // namespace

extern "C" __global__ __aicore__ void quant_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR out,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  REGISTER_TILING_DEFAULT(CubeTilesTilingData);
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  uint64_t block = AscendC::GetBlockIdx();
  if ASCEND_IS_AIV
    block /= AscendC::GetTaskRatio();
  const uint64_t begin = block * data.blockUnits;
  const uint64_t end =
      begin + data.blockUnits < data.product.units ? begin + data.blockUnits : data.product.units;
  GM_ADDR places = AscendC::GetUserWorkspace(workspace) + block * data.blockBytes;
  if ASCEND_IS_AIC {
    CubeTiles<int8_t, int32_t> tiles;
    tiles.Init(&pipe, data.buffers);
    tiles.Operands(data.product, a, b, nullptr, nullptr);
    tiles.Run(begin, end, places);
  }
  if ASCEND_IS_AIV {
    Scale<DTYPE_OUT> finish;
    CubeTilesOut<int32_t, DTYPE_OUT, Scale<DTYPE_OUT>> tiles;
    finish.Init(&pipe, scale, data.option != 0);
    tiles.Init(&pipe, data.product, out);
    tiles.Run(begin, end, places, finish);
  }
}

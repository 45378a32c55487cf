// out = gelu(a b + bias): cube cores multiply, vector cores apply gelu to the sums as they are in
// float, and round once. The formulas are gelu's. SPDX-License-Identifier: Apache-2.0
#include "../../common/cube_tiles.h"
#include "../../common/cube_tiles_tiling.h"
#include "kernel_operator.h"

namespace {

constexpr float ROOT_OF_HALF = 0.70710678118654752440f;

template <typename Out>
class GeluOfSums {
 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe, bool tanh) {
    isTanh = tanh;
    pipe->InitBuffer(first, TILE * sizeof(float));
    pipe->InitBuffer(second, TILE * sizeof(float));
  }

  __aicore__ inline void Run(const AscendC::LocalTensor<Out>& to,
                             const AscendC::LocalTensor<float>& from, uint32_t rows, uint32_t pitch,
                             uint64_t /*column*/, uint32_t /*columns*/) {
    const auto count = static_cast<int32_t>(rows * pitch);
    AscendC::LocalTensor<float> result = second.Get<float>();
    if constexpr (AscendC::IsSameType<Out, float>::value) result = to;
    if (isTanh) {
      AscendC::Gelu(result, from, static_cast<uint32_t>(count));
    } else {
      AscendC::LocalTensor<float> scaled = first.Get<float>();
      AscendC::Muls(scaled, from, -ROOT_OF_HALF, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Erfc(result, scaled, static_cast<uint32_t>(count));
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Muls(result, result, 0.5f, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Mul(result, result, from, count);
    }
    AscendC::PipeBarrier<PIPE_V>();
    if constexpr (!AscendC::IsSameType<Out, float>::value) {
      AscendC::Cast(to, result, AscendC::RoundMode::CAST_RINT, count);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

 private:
  static constexpr uint32_t TILE = 4096;

  AscendC::TBuf<AscendC::TPosition::VECCALC> first;
  AscendC::TBuf<AscendC::TPosition::VECCALC> second;
  bool isTanh = false;
};

}  // namespace

extern "C" __global__ __aicore__ void matmul_gelu(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR out,
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
    CubeTiles<DTYPE_A, float> tiles;
    tiles.Init(&pipe, data.buffers);
    tiles.Operands(data.product, a, b, bias, nullptr);
    tiles.Run(begin, end, places);
  }
  if ASCEND_IS_AIV {
    GeluOfSums<DTYPE_OUT> finish;
    CubeTilesOut<float, DTYPE_OUT, GeluOfSums<DTYPE_OUT>> tiles;
    finish.Init(&pipe, data.option != 0);
    tiles.Init(&pipe, data.product, out);
    tiles.Run(begin, end, places, finish);
  }
}

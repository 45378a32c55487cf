// out = x * y * scale, element by element, for any length.
//
// Two operations in one kernel: each number comes from global memory once and goes back once.
//
// SPDX-License-Identifier: Apache-2.0
#include "../../common/element_tiles.h"
#include "mul_scale_tiling.h"

namespace {

struct KernelMulScale {
  static constexpr uint32_t INPUTS = 2;
  float scale;

  __aicore__ inline void Init(AscendC::TPipe*, uint32_t) {}

  __aicore__ inline void Run(const AscendC::LocalTensor<float>& to,
                             const AscendC::LocalTensor<float> (&in)[INPUTS], uint32_t count) {
    AscendC::Mul(to, in[0], in[1], count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(to, to, scale, count);
  }
};

}  // namespace

extern "C" __global__ __aicore__ void mul_scale(GM_ADDR x, GM_ADDR y, GM_ADDR out,
                                                GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(MulScaleTilingData);
  GET_TILING_DATA(tilingData, tiling);
  ElementTiles<DTYPE_X, KernelMulScale> op(KernelMulScale{tilingData.scale});
  op.Init({x, y}, out, tilingData.tiles);
  op.Process();
}

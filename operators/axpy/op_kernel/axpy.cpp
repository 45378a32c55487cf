// out = alpha * x + y, element by element, for any length.
//
// SPDX-License-Identifier: Apache-2.0
#include "../../common/element_tiles.h"
#include "axpy_tiling.h"

namespace {

struct KernelAxpy {
  static constexpr uint32_t INPUTS = 2;
  float alpha;

  __aicore__ inline void Init(AscendC::TPipe*, uint32_t) {}

  __aicore__ inline void Run(const AscendC::LocalTensor<float>& to,
                             const AscendC::LocalTensor<float> (&in)[INPUTS], uint32_t count) {
    AscendC::Muls(to, in[0], alpha, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(to, to, in[1], count);
  }
};

}  // namespace

extern "C" __global__ __aicore__ void axpy(GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(AxpyTilingData);
  GET_TILING_DATA(tilingData, tiling);
  ElementTiles<DTYPE_X, KernelAxpy> op(KernelAxpy{tilingData.alpha});
  op.Init({x, y}, out, tilingData.tiles);
  op.Process();
}

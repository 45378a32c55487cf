// out = x where x >= 0, else slope * x, element by element, for any length.
//
// SPDX-License-Identifier: Apache-2.0
#include "../../common/element_tiles.h"
#include "leaky_relu_tiling.h"

namespace {

struct KernelLeakyRelu {
  static constexpr uint32_t INPUTS = 1;
  float slope;

  __aicore__ inline void Init(AscendC::TPipe*, uint32_t) {}

  __aicore__ inline void Run(const AscendC::LocalTensor<float>& to,
                             const AscendC::LocalTensor<float> (&in)[INPUTS], uint32_t count) {
    AscendC::LeakyRelu(to, in[0], slope, count);
  }
};

}  // namespace

extern "C" __global__ __aicore__ void leaky_relu(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(LeakyReluTilingData);
  GET_TILING_DATA(tilingData, tiling);
  ElementTiles<DTYPE_X, KernelLeakyRelu> op(KernelLeakyRelu{tilingData.slope});
  op.Init({x}, out, tilingData.tiles);
  op.Process();
}

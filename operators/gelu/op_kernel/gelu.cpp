// out = x * P(x), element by element, for any length; P is the distribution function of the normal
// distribution, or its approximation by tanh.
//
// P(x) = erfc(-x / √2) / 2, which keeps its digits where P is small: 1 + erf(x / √2) would lose
// them.
// SPDX-License-Identifier: Apache-2.0
#include "../../common/element_tiles.h"
#include "gelu_constants.h"
#include "gelu_tiling.h"

namespace {

class KernelGelu {
 public:
  static constexpr uint32_t INPUTS = 1;

  __aicore__ inline explicit KernelGelu(bool tanh) : isTanh(tanh) {}

  __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength) {
    pipe->InitBuffer(room, tileLength * sizeof(float));
  }

  __aicore__ inline void Run(const AscendC::LocalTensor<float>& to,
                             const AscendC::LocalTensor<float> (&in)[INPUTS], uint32_t count) {
    if (isTanh) {
      AscendC::Gelu(to, in[0], count);
      return;
    }
    const int32_t n = static_cast<int32_t>(count);
    AscendC::LocalTensor<float> scaled = room.Get<float>();
    AscendC::Muls(scaled, in[0], -ROOT_OF_HALF, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Erfc(to, scaled, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(to, to, 0.5f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(to, to, in[0], n);
  }

 private:
  bool isTanh;
  AscendC::TBuf<AscendC::TPosition::VECCALC> room;
};

}  // namespace

extern "C" __global__ __aicore__ void gelu(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(GeluTilingData);
  GET_TILING_DATA(tilingData, tiling);
  ElementTiles<DTYPE_X, KernelGelu> op(KernelGelu(tilingData.isTanh != 0));
  op.Init({x}, out, tilingData.tiles);
  op.Process();
}

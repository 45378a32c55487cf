// dx = dout * (P(x) + x * P'(x)), element by element, for any length; P as in gelu.cpp.
//
// Far from 0 P' is 0 and x P' with it; x is held within bounds, beyond which nothing changes, so
// that no infinity is multiplied with that 0.
// SPDX-License-Identifier: Apache-2.0
#include "../../common/element_tiles.h"
#include "gelu_constants.h"
#include "gelu_tiling.h"

namespace {

constexpr float BOUND = 16.0f;  // P' of ±16 is 0 in float, exact and approximated

class KernelGeluGrad {
 public:
  static constexpr uint32_t INPUTS = 2;  // x, dout

  __aicore__ inline explicit KernelGeluGrad(bool tanh) : isTanh(tanh) {}

  __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength) {
    pipe->InitBuffer(bounded, tileLength * sizeof(float));
    pipe->InitBuffer(first, tileLength * sizeof(float));
    pipe->InitBuffer(second, tileLength * sizeof(float));
    pipe->InitBuffer(third, tileLength * sizeof(float));
  }

  __aicore__ inline void Run(const AscendC::LocalTensor<float>& to,
                             const AscendC::LocalTensor<float> (&in)[INPUTS], uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    AscendC::LocalTensor<float> x = bounded.Get<float>();
    AscendC::Maxs(x, in[0], -BOUND, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mins(x, x, BOUND, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::LocalTensor<float> slope = first.Get<float>();
    if (isTanh) {
      SlopeOfTanh(slope, x, second.Get<float>(), count);
    } else {
      Slope(slope, x, second.Get<float>(), count);
    }
    AscendC::Mul(to, slope, in[1], n);
  }

 private:
  // erfc(-x / √2) / 2 + x exp(-x² / 2) / √(2 π)
  __aicore__ inline void Slope(const AscendC::LocalTensor<float>& slope,
                               const AscendC::LocalTensor<float>& x,
                               const AscendC::LocalTensor<float>& rest, uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    AscendC::Muls(rest, x, -ROOT_OF_HALF, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Erfc(slope, rest, count);
    AscendC::Mul(rest, x, x, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(slope, slope, 0.5f, n);
    AscendC::Muls(rest, rest, -0.5f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(rest, rest, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(rest, rest, x, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Axpy(slope, rest, DENSITY, n);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // With s = 1 / (1 + exp(-z)), z = x (SLOPE + SLOPE CUBE x²): s + x s (1 - s) z'
  __aicore__ inline void SlopeOfTanh(const AscendC::LocalTensor<float>& slope,
                                     const AscendC::LocalTensor<float>& x,
                                     const AscendC::LocalTensor<float>& rest, uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    AscendC::Mul(rest, x, x, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(slope, rest, SLOPE * CUBE, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(slope, slope, SLOPE, n);
    AscendC::Muls(rest, rest, 3 * SLOPE * CUBE, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(slope, slope, x, n);
    AscendC::Adds(rest, rest, SLOPE, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(rest, rest, x, n);     // x z'
    AscendC::LocalTensor<float> s = x;  // which nobody needs any more
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sigmoid(s, slope, count);
    AscendC::PipeBarrier<PIPE_V>();
    // 1 - s, which as a difference would lose its digits where s is almost 1.
    AscendC::LocalTensor<float> other = third.Get<float>();
    AscendC::Muls(slope, slope, -1.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sigmoid(other, slope, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(slope, other, s, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(slope, slope, rest, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(slope, slope, s, n);
    AscendC::PipeBarrier<PIPE_V>();
  }

  bool isTanh;
  AscendC::TBuf<AscendC::TPosition::VECCALC> bounded;
  AscendC::TBuf<AscendC::TPosition::VECCALC> first;
  AscendC::TBuf<AscendC::TPosition::VECCALC> second;
  AscendC::TBuf<AscendC::TPosition::VECCALC> third;
};

}  // namespace

extern "C" __global__ __aicore__ void gelu_grad(GM_ADDR x, GM_ADDR dout, GM_ADDR dx,
                                                GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(GeluTilingData);
  GET_TILING_DATA(tilingData, tiling);
  ElementTiles<DTYPE_X, KernelGeluGrad> op(KernelGeluGrad(tilingData.isTanh != 0));
  op.Init({x, dout}, dx, tilingData.tiles);
  op.Process();
}

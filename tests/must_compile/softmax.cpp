// The softmax family and the gates in their call forms, with the host side.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "tiling/tiling_api.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void softmax_forms(GM_ADDR) {
  LocalTensor<float> f(TPosition::VECIN, 0, 64);
  LocalTensor<half> h(TPosition::VECIN, 0, 64);
  LocalTensor<uint8_t> t(TPosition::VECIN, 0, 64);
  SoftMaxTiling tl;
  SoftMaxShapeInfo s = {8, 8, 8, 8};
  SoftMaxShapeInfo s2(8, 8, 8, 8);
  SoftMax<float>(f, f, f, f, tl, s);
  SoftMax<float, false, true>(f, f, f, f, t, tl);
  SoftMax<half>(h, f, f, h, t, tl, s2);
  SoftMax<half>(h, h, tl);
  SoftMax<float, true>(f, f, t, tl, s);
  SimpleSoftMax<half>(h, f, f, h, t, tl, s2);
  SimpleSoftMax<half>(h, h, h, h, tl, s2);
  SoftmaxFlash<half>(h, f, f, h, h, f, f, tl, true, s);
  SoftmaxFlash<float>(f, f, f, f, f, f, f, t, tl, true, s);
  SoftmaxFlashV2<float, true, true>(f, f, f, f, f, f, f, t, tl, s);
  SoftmaxFlashV2<half>(h, f, f, h, h, f, f, tl, s);
  static constexpr SoftmaxConfig c = {true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};
  SoftmaxFlashV2<float, true, true, false, false, c>(f, f, f, f, f, f, f, f, t, tl, s);
  SoftMaxParams p = {8, 512, 8, 512, 2, 8, 0.9375f};
  SoftmaxFlashV3<half, float, true, false>(h, f, f, f, h, h, f, f, f, tl, p);
  SoftmaxFlashV3<half, float>(h, f, f, f, h, h, f, f, f, t, tl, p);
  SoftmaxGrad<float, false>(f, f, f, t, tl, false, s);
  SoftmaxGrad<half>(h, h, h, tl);
  SoftmaxGradFront<float>(f, f, f, t, tl, s);
  SoftmaxGradFront<half, true>(h, h, h, tl, s);
  LogSoftMaxTiling lt;
  LogSoftMax<float, false, false>(f, f, f, f, t, lt, s);
  bool b = AdjustSoftMaxRes<float, float>(f, f, 0xff7fffff, 0.0f, s);
  AdjustSoftMaxRes<half, float>(h, f, 0xff7fffff, 0.0f, s);
  (void)b;
  auto nt = SoftMaxFlashV2TilingFunc(s, 4, 4, 1024, true);
  (void)nt;
  GeGLU<float, false>(f, f, f, t, 8);
  GeGLU(f, f, f);
  SwiGLU<half>(h, h, h, 1.0f, t, 8);
  float beta = 1;
  SwiGLU(f, f, f, beta);
  ReGlu(f, f, f, 8);
  FasterGeluV2(f, f, t, 8);
}
void host() {
  AscendC::TensorShape sh({8, 64});
  optiling::SoftMaxTiling o;
  AscendC::tiling::SoftMaxTiling p;
  uint32_t w = AscendC::GetSoftMaxMinTmpSize(sh, 4, false);
  AscendC::SoftMaxTilingFunc(sh, 4, w, o);
  AscendC::SoftMaxTilingFunc(sh, 4, w, p);
  AscendC::SoftMaxGradTilingFunc(sh, 4, w, o, true);
  AscendC::SoftMaxFlashV2TilingFunc(sh, 4, 4, w, p, true, false);
  optiling::LogSoftMaxTiling lo;
  AscendC::LogSoftMaxTilingFunc(sh, 4, w, lo);
  AscendC::IsBasicBlockInSoftMax(o);
  AscendC::GetSoftMaxFlashV2MinTmpSize(sh, 4, 4, true, true);
}

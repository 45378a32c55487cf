// The normalisations in their call forms, with the host side.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "tiling/tiling_api.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void norm_forms(GM_ADDR) {
  LocalTensor<float> f(TPosition::VECIN, 0, 64);
  LocalTensor<half> h(TPosition::VECIN, 0, 64);
  LocalTensor<int32_t> c(TPosition::VECIN, 0, 64);
  LocalTensor<uint8_t> t(TPosition::VECIN, 0, 64);
  LayerNormTiling ln;
  LayerNorm<float, false>(f, f, f, f, f, f, 0.1f, ln);
  LayerNorm<half>(h, h, h, h, h, h, t, half(0.1f), ln);
  static constexpr LayerNormConfig config = LayerNormConfig{false, true, false, true};
  LayerNormSeparateTiling ls;
  LayerNormPara lp = {8, 8, 8};
  LayerNorm<float, float, false, config>(f, f, f, f, f, f, 0.1f, lp, ls);
  LayerNorm<float, half>(h, f, f, h, f, f, 0.1f, t, lp, ls);
  static constexpr NormalizeConfig nc = NormalizeConfig{ReducePattern::AR, -1, false, false, false};
  NormalizePara np = {8, 8, 8};
  Normalize<float, float, false, nc>(f, f, f, f, f, f, f, t, 0.1f, np);
  Normalize<half, half>(h, f, f, f, h, h, h, 0.1f, np);
  DeepNormTiling dn;
  DeepNorm<float, false, true>(f, f, f, f, f, f, f, 2.0f, 0.1f, dn);
  DeepNorm<half>(h, h, h, h, h, h, h, t, half(2), half(1), dn);
  RmsNormTiling rn;
  RmsNorm<float, true>(f, f, f, t, 0.1f, rn);
  RmsNorm<half>(h, h, h, half(1), rn);
  LayerNormGradTiling lg;
  LayerNormGrad<float, false>(f, f, f, f, f, f, f, 0.1f, lg);
  LayerNormGrad<half>(h, h, h, h, h, h, h, t, half(1), lg, {DataFormat::ND});
  LayerNormGradBetaTiling lb;
  LayerNormGradBeta<float, false>(f, f, f, f, lb);
  LayerNormGradBeta<half>(h, h, h, h, t, lb);
  BatchNormTiling bn;
  BatchNorm<float>(f, f, f, f, f, f, t, 0.1f, bn);
  BatchNorm<half>(h, h, h, h, h, h, half(1), bn);
  GroupNormTiling gn;
  GroupNorm<float>(f, f, f, f, f, f, t, 0.1f, gn);
  GroupNorm<half>(h, h, h, h, h, h, half(1), gn);
  static constexpr WelfordUpdateConfig wc = {true};
  struct WelfordUpdateParam wp = {1, 64, 35, 0.125f};
  WelfordUpdate<float, float, false, wc>(f, f, f, f, f, t, wp);
  WelfordUpdate<half, float>(f, f, f, f, h, wp);
  struct WelfordFinalizePara wf = {1, 8, 1, 8, 0, 0, 0.125f, 1.0f};
  WelfordFinalize<false>(f, f, f, f, c, t, wf);
  WelfordFinalize<false>(f, f, f, f, c, wf);
  WelfordFinalize<false>(f, f, f, f, t, wf);
  WelfordFinalize(f, f, f, f, wf);
}
void Host() {
  TensorShape bsh({2, 16, 64, 64});
  TensorShape three({2, 16, 64});
  TensorShape two({32, 64});
  uint32_t most = 0;
  uint32_t least = 0;
  GetLayerNormMaxMinTmpSize(bsh, 4, false, most, least);
  GetLayerNormMaxMinTmpSize(two, 4, false, true, false, most, least);
  optiling::LayerNormTiling a;
  tiling::LayerNormSeparateTiling b;
  optiling::LayerNormGradTiling d;
  tiling::LayerNormGradBetaTiling e;
  tiling::DeepNormTiling g;
  optiling::RmsNormTiling r;
  optiling::BatchNormTiling n;
  tiling::GroupNormTiling o;
  GetLayerNormNDTilingInfo(bsh, least, 4, false, a);
  GetLayerNormNDTilingInfo(two, least, 4, false, true, b);
  GetLayerNormGradNDTilingInfo(bsh, least, 4, false, d);
  GetLayerNormGradBetaNDTilingInfo(bsh, least, 4, false, e);
  GetDeepNormMaxMinTmpSize(three, 4, false, true, most, least);
  GetDeepNormTilingInfo(three, three, least, 4, false, true, g);
  GetRmsNormMaxMinTmpSize(three, 4, most, least);
  GetRmsNormTilingInfo(three, three, least, 4, r);
  GetBatchNormMaxMinTmpSize(three, three, 4, false, most, least);
  GetBatchNormNDTilingInfo(three, three, least, 4, false, n);
  GetGroupNormMaxMinTmpSize(bsh, 4, false, 4, most, least);
  GetGroupNormNDTilingInfo(bsh, least, 4, false, 4, o);
  GetNormalizeMaxMinTmpSize(two, 4, 4, false, true, false, most, least);
  GetWelfordUpdateMaxMinTmpSize(two, 4, 4, false, true, most, least);
  GetWelfordFinalizeMaxMinTmpSize(two, 4, false, most, least);
}

// Normalisation: LayerNorm in both its forms, its gradients and relatives, and Welford's method.
//
// All statistics are computed in float. Shapes come from the tiling, or from `para` where a call
// has one; rows are padded to 32 bytes and what padding becomes means nothing. LayerNorm, DeepNorm,
// BatchNorm and GroupNorm give the variance; LayerNorm with a LayerNormPara gives 1 / root(variance
// + epsilon). (The page of DeepNorm names its third result rstd; it is the variance, as the
// documentation's own example has it.)
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_NORM_H
#define BASCULE_ASCENDC_NORM_H

#include "bascule_ascendc/library.h"

BASCULE_ASCENDC_BEGIN

struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
  bool isOutputRstd = true;
};
struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
// Rows, data of a row, and elements a row has with its padding.
struct LayerNormPara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};
struct NormalizePara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};
struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};
// isInplace: elements behind abComputeLength are those that came in; else they stay as they are.
struct WelfordUpdateConfig {
  bool isInplace = false;
};
struct WelfordUpdateParam {
  uint32_t rnLength;  // 1
  uint32_t abLength;
  uint32_t abComputeLength;
  float nRec;  // 1 / number of steps
};
struct WelfordFinalizeConfig {
  bool isCorrection = false;
};
struct WelfordFinalizePara {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t headCount;
  uint32_t headCountLength;
  uint32_t tailCount;
  uint32_t tailCountLength;
  float abRec;
  float rRec;
  float rRecWithCorrection = 0;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
BASCULE_ASCENDC_BEGIN
inline constexpr LayerNormConfig LNCFG_NORM{};
inline constexpr NormalizeConfig NLCFG_NORM{};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG{};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG{};
BASCULE_ASCENDC_END

namespace bascule_ascendc {

// Of a matrix [B · S, H] whose tiling the host has made.
template <typename Tiling>
RowsShape NormShape(const char* name, const Tiling& tiling, const Site& site) {
  if (tiling.hLength == 0) {
    char text[160];
    std::snprintf(text, sizeof(text),
                  "%s: the tiling holds no shape; fill it with the host's tiling function", name);
    Fail(text, site);
  }
  return RowsShape{tiling.bLength * tiling.sLength, tiling.hLength,
                   tiling.originalHLength != 0 ? tiling.originalHLength : tiling.hLength};
}

inline void CheckNormTmp(const char* name, const AscendC::LocalTensor<uint8_t>& tmp,
                         const Site& site) {
  CheckTmp(name, tmp, bascule_tiling::kMinTmpBytes, "its GetXxxMaxMinTmpSize", site);
}

template <typename Call, typename U>
void Factor(Call& call, bool there, const AscendC::LocalTensor<U>& tensor) {
  if (there)
    call.With(tensor);
  else
    call.template Without<U>();
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// One function with and without sharedTmpBuffer: operands before it, parameters behind it.
#define BASCULE_UNPACK(...) __VA_ARGS__
#define BASCULE_WITH_TMP(name, parameters, operands, last, body)                                \
  template <BASCULE_UNPACK parameters>                                                          \
  __aicore__ inline void name(BASCULE_UNPACK operands, BASCULE_UNPACK last,                     \
                              bascule_ascendc::Site site = {}) {                                \
    BASCULE_UNPACK body                                                                         \
  }                                                                                             \
  template <BASCULE_UNPACK parameters>                                                          \
  __aicore__ inline void name(BASCULE_UNPACK operands,                                          \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, BASCULE_UNPACK last, \
                              bascule_ascendc::Site site = {}) {                                \
    bascule_ascendc::CheckNormTmp(#name, sharedTmpBuffer, site);                                \
    BASCULE_UNPACK body                                                                         \
  }

// (x - mean) / root(variance + epsilon) · gamma + beta of the rows of [B, S, H]; mean and variance
// are [B, S].
BASCULE_WITH_TMP(LayerNorm, (typename T, bool isReuseSource = false),
                 (const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                  const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                  const LocalTensor<T>& gamma, const LocalTensor<T>& beta),
                 (const bascule_ascendc::NotDeduced<T> epsilon, const LayerNormTiling& tiling),
                 (BASCULE_SUPPORTED(LayerNorm, half, float);
                  bascule_ascendc::RowsCall(BASCULE_OPCODE_kLayerNorm, output,
                                            bascule_ascendc::NormShape("LayerNorm", tiling, site),
                                            0, site)
                      .With(outputMean)
                      .With(outputVariance)
                      .With(inputX)
                      .With(gamma)
                      .With(beta)
                      .Floats(static_cast<float>(epsilon))
                      .Run();))

// The same of [A, R] with statistics in float.
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig& config = LNCFG_NORM>
__aicore__ inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                                 const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
                                 const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                                 const float epsilon, const LayerNormPara& para,
                                 const LayerNormSeparateTiling&, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(LayerNorm, half, float);
  static_assert(std::is_same_v<U, T> || std::is_same_v<U, float>,
                "LayerNorm: gamma and beta have the type of the source, or are float");
  bascule_ascendc::RowsCall call(
      BASCULE_OPCODE_kLayerNorm, output,
      bascule_ascendc::RowsShape{para.aLength, para.rLengthWithPadding, para.rLength},
      config.isOutputRstd ? BASCULE_ROWS_RSTD : 0, site);
  call.With(outputMean).With(outputRstd).With(inputX);
  bascule_ascendc::Factor(call, !config.isNoGamma, gamma);
  bascule_ascendc::Factor(call, !config.isNoBeta, beta);
  call.Floats(epsilon).Run();
}
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig& config = LNCFG_NORM>
__aicore__ inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                                 const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
                                 const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                                 const float epsilon, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                 const LayerNormPara& para, const LayerNormSeparateTiling& tiling,
                                 bascule_ascendc::Site site = {}) {
  bascule_ascendc::CheckNormTmp("LayerNorm", sharedTmpBuffer, site);
  LayerNorm<U, T, isReuseSource, config>(output, outputMean, outputRstd, inputX, gamma, beta,
                                         epsilon, para, tiling, site);
}

// LayerNorm with mean and variance given; rstd comes out.
BASCULE_WITH_TMP(
    Normalize,
    (typename U, typename T, bool isReuseSource = false,
     const NormalizeConfig& config = NLCFG_NORM),
    (const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
     const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta),
    (const float epsilon, const NormalizePara& para),
    (BASCULE_SUPPORTED(Normalize, half, float);
     static_assert(std::is_same_v<U, T> || std::is_same_v<U, float>,
                   "Normalize: gamma and beta have the type of the source, or are float");
     static_assert(config.reducePattern == ReducePattern::AR,
                   "Normalize: the pattern is ReducePattern::AR");
     bascule_ascendc::RowsCall call(
         BASCULE_OPCODE_kNormalize, output,
         bascule_ascendc::RowsShape{para.aLength, para.rLengthWithPadding, para.rLength}, 0, site);
     call.With(outputRstd).With(inputMean).With(inputVariance).With(inputX);
     bascule_ascendc::Factor(call, !config.isNoGamma, gamma);
     bascule_ascendc::Factor(call, !config.isNoBeta, beta); call.Floats(epsilon).Run();))

// LayerNorm of alpha · src + gx.
BASCULE_WITH_TMP(DeepNorm, (typename T, bool isReuseSrc = false, bool isBasicBlock = false),
                 (const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
                  const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,
                  const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                  const LocalTensor<T>& gammaLocal),
                 (const bascule_ascendc::NotDeduced<T> alpha,
                  const bascule_ascendc::NotDeduced<T> epsilon, const DeepNormTiling& tiling),
                 (BASCULE_SUPPORTED(DeepNorm, half, float);
                  bascule_ascendc::RowsCall(BASCULE_OPCODE_kDeepNorm, dstLocal,
                                            bascule_ascendc::NormShape("DeepNorm", tiling, site), 0,
                                            site)
                      .With(meanLocal)
                      .With(rstdLocal)
                      .With(srcLocal)
                      .With(gxLocal)
                      .With(betaLocal)
                      .With(gammaLocal)
                      .Floats(static_cast<float>(epsilon), static_cast<float>(alpha))
                      .Run();))

// src / root(mean of squares + epsilon) · gamma.
template <typename T, bool isBasicBlock = false>
__aicore__ inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<T>& gammaLocal,
                               const bascule_ascendc::NotDeduced<T> epsilon,
                               const RmsNormTiling& tiling, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(RmsNorm, half, float);
  bascule_ascendc::RowsCall(BASCULE_OPCODE_kRmsNorm, dstLocal,
                            bascule_ascendc::NormShape("RmsNorm", tiling, site), 0, site)
      .With(srcLocal)
      .With(gammaLocal)
      .Floats(static_cast<float>(epsilon))
      .Run();
}
template <typename T, bool isBasicBlock = false>
__aicore__ inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<T>& gammaLocal,
                               const LocalTensor<uint8_t>& sharedTmpBuffer,
                               const bascule_ascendc::NotDeduced<T> epsilon,
                               const RmsNormTiling& tiling, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CheckTmp("RmsNorm", sharedTmpBuffer,
                            bascule_tiling::RmsNormMinTmpBytes(tiling.hLength, sizeof(T)),
                            "GetRmsNormMaxMinTmpSize", site);
  RmsNorm<T, isBasicBlock>(dstLocal, srcLocal, gammaLocal, epsilon, tiling, site);
}

// The gradient of LayerNorm by its source; resForGamma is (x - mean) · rstd.
BASCULE_WITH_TMP(
    LayerNormGrad, (typename T, bool isReuseSource = false),
    (const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
     const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
     const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
     const LocalTensor<T>& inputGamma),
    (const bascule_ascendc::NotDeduced<T> epsilon, const LayerNormGradTiling& tiling,
     const LayerNormGradShapeInfo& shapeInfo = {}),
    (BASCULE_SUPPORTED(LayerNormGrad, half, float); if (shapeInfo.dataFormat != DataFormat::ND) {
      bascule_ascendc::Fail("LayerNormGrad: the format has to be ND", site);
    } bascule_ascendc::RowsCall(BASCULE_OPCODE_kLayerNormGrad, outputPdX,
                                bascule_ascendc::NormShape("LayerNormGrad", tiling, site), 0, site)
                                                        .With(resForGamma)
                                                        .With(inputDy)
                                                        .With(inputX)
                                                        .With(inputVariance)
                                                        .With(inputMean)
                                                        .With(inputGamma)
                                                        .Floats(static_cast<float>(epsilon))
                                                        .Run();))

// Its gradients by gamma and beta.
BASCULE_WITH_TMP(LayerNormGradBeta, (typename T, bool isReuseSource = false),
                 (const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                  const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy),
                 (const LayerNormGradBetaTiling& tiling),
                 (BASCULE_SUPPORTED(LayerNormGradBeta, half, float);
                  bascule_ascendc::RowsCall(
                      BASCULE_OPCODE_kLayerNormGradBeta, outputPdGamma,
                      bascule_ascendc::NormShape("LayerNormGradBeta", tiling, site), 0, site)
                      .With(outputPdBeta)
                      .With(resForGamma)
                      .With(inputDy)
                      .Run();))

// Over the batch: mean and variance are [S, H], gamma and beta [B].
BASCULE_WITH_TMP(
    BatchNorm, (typename T, bool isReuseSource = false, bool isBasicBlock = false),
    (const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
     const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
     const LocalTensor<T>& beta),
    (const bascule_ascendc::NotDeduced<T> epsilon, const BatchNormTiling& tiling),
    (BASCULE_SUPPORTED(BatchNorm, half, float);
     if (tiling.originalBLength == 0 || tiling.meanVarSize == 0) {
       bascule_ascendc::Fail(
           "BatchNorm: the tiling holds no shape; fill it with GetBatchNormNDTilingInfo", site);
     } bascule_ascendc::RowsCall(BASCULE_OPCODE_kBatchNorm, output,
                                 bascule_ascendc::RowsShape{tiling.originalBLength,
                                                            tiling.meanVarSize, tiling.meanVarSize},
                                 0, site)
         .With(outputMean)
         .With(outputVariance)
         .With(inputX)
         .With(gamm)
         .With(beta)
         .Floats(static_cast<float>(epsilon))
         .Run();))

// Over groups of channels of [N, C, H, W]: mean and variance are [N, groups], gamma and beta [C].
BASCULE_WITH_TMP(GroupNorm, (typename T, bool isReuseSource = false),
                 (const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                  const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                  const LocalTensor<T>& gamma, const LocalTensor<T>& beta),
                 (const bascule_ascendc::NotDeduced<T> epsilon, const GroupNormTiling& tiling),
                 (BASCULE_SUPPORTED(GroupNorm, half, float);
                  const uint32_t elements = tiling.d * tiling.hw; bascule_ascendc::RowsCall call(
                      BASCULE_OPCODE_kGroupNorm, output,
                      bascule_ascendc::RowsShape{tiling.n * tiling.g, elements, elements}, 0, site);
                  call.With(outputMean).With(outputVariance).With(inputX).With(gamma).With(beta);
                  call.Number(tiling.c).Floats(static_cast<float>(epsilon));
                  call.Params().scalar.bits = uint64_t{tiling.g} << 32 | tiling.hw; call.Run();))

// A step of Welford's method on abComputeLength columns.
BASCULE_WITH_TMP(
    WelfordUpdate,
    (typename T, typename U, bool isReuseSource = false,
     const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG),
    (const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
     const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
     const LocalTensor<T>& inputX),
    (const WelfordUpdateParam& para),
    (BASCULE_SUPPORTED(WelfordUpdate, half, float);
     static_assert(std::is_same_v<U, float>, "WelfordUpdate: statistics are float");
     if (para.rnLength != 1 || para.abComputeLength == 0) {
       bascule_ascendc::Fail("WelfordUpdate: rnLength has to be 1, and abComputeLength more than 0",
                             site);
     } bascule_ascendc::RowsCall(BASCULE_OPCODE_kWelfordUpdate, outputMean,
                                 bascule_ascendc::RowsShape{1, para.abLength, para.abComputeLength},
                                 config.isInplace ? BASCULE_ROWS_IN_PLACE : 0, site)
         .With(outputVariance)
         .With(inputMean)
         .With(inputVariance)
         .With(inputX)
         .Floats(para.nRec)
         .Run();))

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

inline void Finalize(const AscendC::LocalTensor<float>& mean,
                     const AscendC::LocalTensor<float>& variance,
                     const AscendC::LocalTensor<float>& in_mean,
                     const AscendC::LocalTensor<float>& in_variance,
                     const AscendC::LocalTensor<int32_t>& counts,
                     const AscendC::WelfordFinalizePara& para, const Site& site) {
  if (para.abLength == 0 || para.abLength % 8 != 0)
    Fail("WelfordFinalize: abLength has to be a multiple of 8, and not 0", site);
  if (para.tailCount == 0 && para.tailCountLength != 0)
    Fail("WelfordFinalize: where tailCount is 0, tailCountLength has to be 0", site);
  if (counts.Data() == nullptr && para.headCountLength + para.tailCountLength != para.abLength) {
    Fail("WelfordFinalize: headCountLength and tailCountLength have to make up abLength", site);
  }
  RowsCall call(BASCULE_OPCODE_kWelfordFinalize, mean, RowsShape{1, para.abLength, para.abLength},
                0, site);
  call.With(variance).With(in_mean).With(in_variance).With(counts);
  call.Number(para.rnLength).Floats(para.abRec, para.rRec);
  call.Params().scalar.bits = uint64_t{para.tailCount} << 32 | para.headCount;
  call.Params().extra[3] = para.headCountLength;
  call.Run();
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// The columns brought together into one mean and one variance: with `counts` each weighs as many
// elements as it says, else as headCount and tailCount say.
#define BASCULE_FINALIZE_OPERANDS                                               \
  const LocalTensor<float>&outputMean, const LocalTensor<float>&outputVariance, \
      const LocalTensor<float>&inputMean, const LocalTensor<float>&inputVariance
#define BASCULE_FINALIZE_CONFIG         \
  template <bool isReuseSource = false, \
            const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
#define BASCULE_FINALIZE(counts)                                                                \
  static_assert(!config.isCorrection, "WelfordFinalize: Atlas A2 has no correction");           \
  bascule_ascendc::Finalize(outputMean, outputVariance, inputMean, inputVariance, counts, para, \
                            site)
BASCULE_FINALIZE_CONFIG
__aicore__ inline void WelfordFinalize(BASCULE_FINALIZE_OPERANDS, const WelfordFinalizePara& para,
                                       bascule_ascendc::Site site = {}) {
  BASCULE_FINALIZE(LocalTensor<int32_t>());
}
BASCULE_FINALIZE_CONFIG
__aicore__ inline void WelfordFinalize(BASCULE_FINALIZE_OPERANDS,
                                       const LocalTensor<int32_t>& counts,
                                       const WelfordFinalizePara& para,
                                       bascule_ascendc::Site site = {}) {
  BASCULE_FINALIZE(counts);
}
BASCULE_FINALIZE_CONFIG
__aicore__ inline void WelfordFinalize(BASCULE_FINALIZE_OPERANDS,
                                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                                       const WelfordFinalizePara& para,
                                       bascule_ascendc::Site site = {}) {
  bascule_ascendc::CheckNormTmp("WelfordFinalize", sharedTmpBuffer, site);
  BASCULE_FINALIZE(LocalTensor<int32_t>());
}
BASCULE_FINALIZE_CONFIG
__aicore__ inline void WelfordFinalize(BASCULE_FINALIZE_OPERANDS,
                                       const LocalTensor<int32_t>& counts,
                                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                                       const WelfordFinalizePara& para,
                                       bascule_ascendc::Site site = {}) {
  bascule_ascendc::CheckNormTmp("WelfordFinalize", sharedTmpBuffer, site);
  BASCULE_FINALIZE(counts);
}
#undef BASCULE_FINALIZE
#undef BASCULE_FINALIZE_CONFIG
#undef BASCULE_FINALIZE_OPERANDS
#undef BASCULE_WITH_TMP
#undef BASCULE_UNPACK

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_NORM_H

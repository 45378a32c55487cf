// Tiling of matrix products: objects that are told what is multiplied and answer with the
// TCubeTiling that the kernel's Matmul reads.
//
//     matmul_tiling::MultiCoreMatmulTiling tiling(platform);
//     tiling.SetDim(platform.GetCoreNumAic());
//     tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
//     ...
//     if (tiling.GetTiling(data) == -1) return ge::GRAPH_FAILED;
//
// GetTiling returns -1 where there is no such tiling, and a line on standard error says why. A Set
// function returns -1 when what it was given makes no sense; GetTiling then fails too.
//
// Source: the pages under "Matmul Tiling" of the Ascend C documentation. SetSplitRange,
// SetDoubleBuffer and HF32 are said there to have no effect yet, and have none here.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_MATRIX_MATMUL_TILING_H_
#define BASCULE_ASCENDC_TILING_MATRIX_MATMUL_TILING_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "bascule_host_base.h"
#include "register/tilingdata_base.h"
#include "tiling/matrix/matmul_split.h"
#include "tiling/matrix/matmul_types.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tmp_size.h"

namespace matmul_tiling {

// What the three kinds of tiling object have in common.
class MatmulApiTilingBase {
 public:
  BASCULE_HIDDEN MatmulApiTilingBase() = default;
  BASCULE_HIDDEN explicit MatmulApiTilingBase(
      const platform_ascendc::PlatformAscendC& ascendcPlatform) {
    using platform_ascendc::CoreMemType;
    const auto bytes = [&](CoreMemType type) {
      uint64_t size = 0;
      ascendcPlatform.GetCoreMemSize(type, size);
      return static_cast<int64_t>(size);
    };
    ask_.machine.l1 = bytes(CoreMemType::L1);
    ask_.machine.l0a = bytes(CoreMemType::L0_A);
    ask_.machine.l0b = bytes(CoreMemType::L0_B);
    ask_.machine.l0c = bytes(CoreMemType::L0_C);
    ask_.machine.ub = bytes(CoreMemType::UB);
    ask_.machine.bt = bytes(CoreMemType::BT);
    ask_.machine.cores = ascendcPlatform.GetCoreNum();
  }
  BASCULE_HIDDEN explicit MatmulApiTilingBase(const PlatformInfo& platform) {
    ask_.machine.l1 = static_cast<int64_t>(platform.l1Size);
    ask_.machine.l0a = static_cast<int64_t>(platform.l0ASize);
    ask_.machine.l0b = static_cast<int64_t>(platform.l0BSize);
    ask_.machine.l0c = static_cast<int64_t>(platform.l0CSize);
    ask_.machine.ub = static_cast<int64_t>(platform.ubSize);
  }

  BASCULE_HIDDEN int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType,
                                  bool isTrans = false) {
    ask_.a = {pos, type, dataType, isTrans};
    return Said(true);
  }
  BASCULE_HIDDEN int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType,
                                  bool isTrans = false) {
    ask_.b = {pos, type, dataType, isTrans};
    return Said(true);
  }
  BASCULE_HIDDEN int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType) {
    ask_.c = {pos, type, dataType, false};
    return Said(true);
  }
  BASCULE_HIDDEN int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
    ask_.bias = {pos, type, dataType, false};
    return Said(true);
  }
  // Of scaled products only, which GetTiling refuses.
  BASCULE_HIDDEN int32_t SetScaleAType(TPosition, CubeFormat, bool = false) { return Said(true); }
  BASCULE_HIDDEN int32_t SetScaleBType(TPosition, CubeFormat, bool = true) { return Said(true); }
  BASCULE_HIDDEN int32_t SetDequantType(DequantType dequantType) {
    ask_.vector_dequant = dequantType == DequantType::TENSOR;
    return Said(true);
  }
  BASCULE_HIDDEN int32_t SetMadType(MatrixMadType madType) {
    ask_.mx = madType == MatrixMadType::MXMODE;
    return Said(!ask_.mx);
  }
  BASCULE_HIDDEN int32_t SetSparse(bool isSparseIn = false) {
    ask_.sparse = isSparseIn;
    return Said(true);
  }
  BASCULE_HIDDEN int32_t EnableBias(bool isBiasIn = false) {
    ask_.has_bias = isBiasIn;
    return Said(true);
  }
  BASCULE_HIDDEN int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }

  // What is multiplied; -1: as SetOrgShape says.
  BASCULE_HIDDEN int32_t SetShape(int32_t m, int32_t n, int32_t k) {
    ask_.shape = {m, n, k};
    return Said(SizeOrNone(m) && SizeOrNone(n) && SizeOrNone(k));
  }
  // The whole matrices it is part of.
  BASCULE_HIDDEN int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
  }
  BASCULE_HIDDEN int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn,
                                     int32_t orgKbIn) {
    ask_.original = {orgMIn, orgNIn, orgKaIn};
    ask_.original_kb = orgKbIn;
    return Said(orgMIn > 0 && orgNIn > 0 && orgKaIn > 0 && orgKbIn > 0);
  }
  // What one core multiplies; -1: GetTiling says.
  BASCULE_HIDDEN int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1,
                                        int32_t singleKIn = -1) {
    ask_.single = {singleMIn, singleNIn, singleKIn};
    return Said(SizeOrNone(singleMIn) && SizeOrNone(singleNIn) && SizeOrNone(singleKIn));
  }
  BASCULE_HIDDEN int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1,
                                     int32_t baseKIn = -1) {
    ask_.base = {baseMIn, baseNIn, baseKIn};
    return Said(SizeOrNone(baseMIn) && SizeOrNone(baseNIn) && SizeOrNone(baseKIn));
  }
  BASCULE_HIDDEN int32_t SetSplitRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1,
                                       int32_t = -1, int32_t = -1) {
    return Said(true);
  }
  // Bytes that may be used; -1: all there are.
  BASCULE_HIDDEN int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1,
                                        int32_t ubSize = -1, int32_t btSize = -1) {
    ask_.space = {l1Size, l0CSize, ubSize};
    ask_.bt_space = btSize;
    return Said(l1Size >= -1 && l0CSize >= -1 && ubSize >= -1 && btSize >= -1);
  }
  BASCULE_HIDDEN int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) {
    return Said(true);
  }
  BASCULE_HIDDEN int32_t SetTraverse(MatrixTraverse traverse) {
    ask_.traverse = traverse;
    return Said(true);
  }
  BASCULE_HIDDEN void SetMatmulConfigParams(
      int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
      ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
      MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false) {
    SetMatmulConfigParams(MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn,
                                             traverseIn, enVecND2NZIn));
  }
  BASCULE_HIDDEN void SetMatmulConfigParams(const MatmulConfigParams& configParams) {
    ask_.mdl = configParams.mmConfigType != 0;
    ask_.schedule = configParams.scheduleType;
    if (configParams.traverse != MatrixTraverse::NOSET) ask_.traverse = configParams.traverse;
  }

  // Matrices of a batch: the axes of layouts BSNGD, SBNGD and BNGS1S2, or the numbers of matrices
  // one after the other.
  BASCULE_HIDDEN int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return SetLayout(&ask_.a_layout, b, s, n, g, d);
  }
  BASCULE_HIDDEN int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return SetLayout(&ask_.b_layout, b, s, n, g, d);
  }
  BASCULE_HIDDEN int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return SetLayout(&ask_.c_layout, b, s, n, g, d);
  }
  BASCULE_HIDDEN int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n,
                                               int32_t k) {
    ask_.batch_a = batchA;
    ask_.batch_b = batchB;
    normal_ = {m, n, k};
    return Said(batchA > 0 && batchB > 0 && m > 0 && n > 0 && k > 0 &&
                (batchA % batchB == 0 || batchB % batchA == 0));
  }
  BASCULE_HIDDEN int32_t SetBatchNum(int32_t batch) {
    ask_.batch = batch;
    return Said(batch > 0);
  }

  // 0, or -1 where there is no such tiling.
  BASCULE_HIDDEN int64_t GetTiling(optiling::TCubeTiling& tiling) {
    const int64_t result = Plan();
    if (result != -1) bascule_host::Assign(&tiling, tiling_);
    return result;
  }
  BASCULE_HIDDEN int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling) {
    const int64_t result = Plan();
    if (result != -1) tiling = tiling_;
    return result;
  }

  // What the last GetTiling came to.
  BASCULE_HIDDEN int32_t GetBaseM() const { return tiling_.baseM; }
  BASCULE_HIDDEN int32_t GetBaseN() const { return tiling_.baseN; }
  BASCULE_HIDDEN int32_t GetBaseK() const { return tiling_.baseK; }
  // Atlas A2 has no such optimisation.
  BASCULE_HIDDEN bool EnableL1BankConflictOptimise() { return false; }

 protected:
  // For the kinds of object below, which differ in what they let be said.
  bascule_host::MatmulAsk ask_;
  bascule_host::MatmulCores cores_;
  AscendC::tiling::TCubeTiling tiling_;

  BASCULE_HIDDEN static bool SizeOrNone(int32_t size) { return size == -1 || size > 0; }
  BASCULE_HIDDEN static int32_t Said(bool sensible) { return sensible ? 0 : -1; }
  BASCULE_HIDDEN bool Planned() const { return tiling_.usedCoreNum > 0; }

 private:
  bascule_host::MatmulSizes normal_;

  BASCULE_HIDDEN static int32_t SetLayout(bascule_host::MatmulLayout* layout, int32_t b, int32_t s,
                                          int32_t n, int32_t g, int32_t d) {
    *layout = {b, s, n, g, d};
    return Said(b > 0 && s > 0 && n > 0 && g > 0 && d > 0);
  }

  BASCULE_HIDDEN int64_t Plan() {
    bascule_host::MatmulAsk ask = ask_;
    // Where nobody said what is multiplied, a batch's matrices did.
    if (ask.shape.m == -1 && ask.original.m == -1) ask.shape.m = normal_.m;
    if (ask.shape.n == -1 && ask.original.n == -1) ask.shape.n = normal_.n;
    if (ask.shape.k == -1 && ask.original.k == -1) ask.shape.k = normal_.k;
    bascule_host::MatmulSplit split(ask);
    tiling_ = AscendC::tiling::TCubeTiling();
    if (split.Plan(&tiling_, &cores_)) return 0;
    std::fprintf(stderr, "MatmulApi Tiling: GetTiling: %s\n", split.why().c_str());
    return -1;
  }
};

// A product that one core computes.
class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
};

// A product that is cut among cores.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  BASCULE_HIDDEN MultiCoreMatmulTiling() { ask_.many_cores = true; }
  BASCULE_HIDDEN explicit MultiCoreMatmulTiling(
      const platform_ascendc::PlatformAscendC& ascendcPlatform)
      : MatmulApiTilingBase(ascendcPlatform) {
    ask_.many_cores = true;
  }
  BASCULE_HIDDEN explicit MultiCoreMatmulTiling(const PlatformInfo& platform)
      : MatmulApiTilingBase(platform) {
    ask_.many_cores = true;
  }

  // How many cores may take part: vector cores where they start the product, else cube cores.
  BASCULE_HIDDEN int32_t SetDim(int32_t dim) {
    ask_.dim = dim;
    return Said(dim > 0);
  }
  BASCULE_HIDDEN int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1,
                                        int32_t minM = -1, int32_t minN = -1, int32_t minK = -1) {
    ask_.most_single = {maxM, maxN, maxK};
    ask_.least_single = {minM, minN, minK};
    return Said(SizeOrNone(maxM) && SizeOrNone(maxN) && SizeOrNone(maxK) && SizeOrNone(minM) &&
                SizeOrNone(minN) && SizeOrNone(minK));
  }
  BASCULE_HIDDEN int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
    ask_.align_single = {alignM, alignN, alignK};
    return Said(alignM >= -1 && alignN >= -1 && alignK >= -1);
  }
  // Cores then share C, too, and add to it.
  BASCULE_HIDDEN void EnableMultiCoreSplitK(bool flag) { ask_.split_k = flag; }
  BASCULE_HIDDEN void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }

  // -1 before GetTiling.
  BASCULE_HIDDEN int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) {
    shapeM = tiling_.singleCoreM;
    shapeN = tiling_.singleCoreN;
    shapeK = tiling_.singleCoreK;
    return Said(Planned());
  }
  BASCULE_HIDDEN int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) {
    dim = tiling_.usedCoreNum;
    mDim = Planned() ? static_cast<int32_t>(cores_.m) : 0;
    nDim = Planned() ? static_cast<int32_t>(cores_.n) : 0;
    return Said(Planned());
  }
};

// Products of a batch. One core computes them; a kernel that uses more shares the batches itself.
class BatchMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

  BASCULE_HIDDEN int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                                    int32_t& batchCoreN) {
    dim = tiling_.usedCoreNum;
    mDim = nDim = batchCoreM = batchCoreN = Planned() ? 1 : 0;
    return Said(Planned());
  }
};

}  // namespace matmul_tiling

namespace bascule_host {

template <typename Tiling>
BASCULE_HIDDEN int32_t MatmulTmpBytes(const Tiling& tiling,
                                      matmul_tiling::SysTilingTempBufSize& sizes) {
  AscendC::tiling::TCubeTiling plain;
  static_assert(sizeof(plain) == sizeof(tiling), "one layout on both sides");
  std::memcpy(&plain, static_cast<const void*>(&tiling), sizeof(plain));
  if (plain.usedCoreNum <= 0) return -1;
  sizes.ubSize = plain.shareUbSize;
  sizes.l1Size = plain.shareL1Size;
  sizes.l0cSize = plain.shareL0CSize;
  return 0;
}

}  // namespace bascule_host

// What a tiling makes use of, in bytes; -1 for one that GetTiling did not fill. Host code calls
// them without a namespace, as the pages show them.
#define BASCULE_MATMUL_TMP(name)                                                         \
  BASCULE_HIDDEN inline int32_t name(optiling::TCubeTiling& tiling,                      \
                                     matmul_tiling::SysTilingTempBufSize& bufSize) {     \
    return bascule_host::MatmulTmpBytes(tiling, bufSize);                                \
  }                                                                                      \
  BASCULE_HIDDEN inline int32_t name##V2(AscendC::tiling::TCubeTiling& tiling,           \
                                         matmul_tiling::SysTilingTempBufSize& bufSize) { \
    return bascule_host::MatmulTmpBytes(tiling, bufSize);                                \
  }
BASCULE_MATMUL_TMP(MatmulGetTmpBufSize)
BASCULE_MATMUL_TMP(MultiCoreMatmulGetTmpBufSize)
BASCULE_MATMUL_TMP(BatchMatmulGetTmpBufSize)
#undef BASCULE_MATMUL_TMP

#endif  // BASCULE_ASCENDC_TILING_MATRIX_MATMUL_TILING_H_

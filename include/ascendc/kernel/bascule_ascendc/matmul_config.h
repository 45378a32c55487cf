// What a kernel says about the matrix products it makes: MatmulType, MatmulConfig and what gives
// one, and the tiling that is worked out while compiling.
//
// Source: the pages MatmulConfig, GetMMConfig, GetNormalConfig, GetMDLConfig, GetSpecialMDLConfig,
// GetIBShareNormConfig, GetBasicConfig, GetMatmulApiTiling and "Matmul template parameters" of the
// Ascend C API. Fields stand in the order of those pages, because kernels list their values.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_MATMUL_CONFIG_H
#define BASCULE_ASCENDC_MATMUL_CONFIG_H

#include "bascule_ascendc/core.h"
#include "kernel_tiling/kernel_tiling.h"

// Which argument is the workspace, where host code does not say.
#define __kfc_workspace__

// NOLINTBEGIN(readability-identifier-naming): the interface's spelling
BASCULE_ASCENDC_BEGIN

enum class CubeFormat : uint32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, COLUMN_MAJOR };
enum class LayoutMode : uint32_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode : uint32_t {
  NONE = 0,
  BATCH_LESS_THAN_L1,
  BATCH_LARGE_THAN_L1,
  SINGLE_LARGE_THAN_L1
};
enum class BatchOutMode : uint32_t { SINGLE_BATCH = 0, MULTI_BATCH };
enum class IterateOrder : uint32_t { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType : uint32_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum IterateMode : uint8_t {
  ITERATE_MODE_NORMAL = 1,
  ITERATE_MODE_ALL = 2,
  ITERATE_MODE_BATCH = 4,
  ITERATE_MODE_N_BATCH = 8,
  ITERATE_MODE_DEFAULT = 15
};
enum class MatmulConfigMode : uint32_t {
  CONFIG_NORM = 0,
  CONFIG_MDL,
  CONFIG_SPECIALMDL,
  CONFIG_IBSHARE
};

// Of one matrix: where it lies and how, its elements, and whether it may be transposed.
template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false,
          TPosition SRCPOS = TPosition::GM>
struct MatmulType {
  static constexpr TPosition pos = POSITION;
  static constexpr CubeFormat format = FORMAT;
  using T = TYPE;
  static constexpr bool isTrans = ISTRANS;
  static constexpr LayoutMode layout = LAYOUT;
  static constexpr bool ibShare = IBSHARE;
  static constexpr TPosition srcPos = SRCPOS;
};

// Of a matrix B that holds two of every four elements along k, and where the index lies that says
// which: two bits for each, as fractals of 16 columns and 8 bytes.
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat FORMAT, typename TYPE,
          bool ISTRANS = false, LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
  static constexpr TPosition indexPosition = INDEX_POSITION;
};

// What sums of products of T are held as.
template <typename T>
struct GetMmDstType {
  using Type = float;
};
template <>
struct GetMmDstType<int8_t> {
  using Type = int32_t;
};
template <>
struct GetMmDstType<int4b_t> {
  using Type = int32_t;
};

struct MatmulConfig {
  bool doNorm = false;
  bool doBasicBlock = false;
  bool doMultiDataLoad = false;
  uint32_t basicM = 0;
  uint32_t basicN = 0;
  uint32_t basicK = 0;
  bool intrinsicsCheck = false;
  bool isNBatch = false;
  bool enVecND2NZ = false;
  bool doSpecialBasicBlock = false;
  uint32_t doMTE2Preload = 0;
  uint32_t singleCoreM = 0;
  uint32_t singleCoreN = 0;
  uint32_t singleCoreK = 0;
  uint32_t stepM = 0;
  uint32_t stepN = 0;
  uint32_t baseMN = 0;
  uint32_t singleCoreMN = 0;
  bool enUnitFlag = true;
  bool isPerTensor = false;
  bool hasAntiQuantOffset = false;
  bool doIBShareNorm = false;
  bool doSpecialMDL = false;
  bool enableInit = true;
  BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
  bool enableEnd = true;
  bool enableGetTensorC = true;
  bool enableSetOrgShape = true;
  bool enableSetBias = true;
  bool enableSetTail = true;
  bool enableQuantVector = true;
  bool enableSetDefineData = true;
  uint8_t iterateMode = IterateMode::ITERATE_MODE_DEFAULT;
  bool enableReuse = true;
  bool enableUBReuse = true;
  bool enableL1CacheUB = false;
  bool intraBlockPartSum = false;
  IterateOrder iterateOrder = IterateOrder::UNDEF;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  bool enableDoubleCache = false;
  bool isBiasBatch = true;
  bool enableStaticPadZeros = false;
  bool isPartialOutput = false;
  bool enableMixDualMaster = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
  bool isCO1Shared = false;
  uint32_t sharedCO1BufferSize = 64 * 1024;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
  bool enableL1BankConflictOptimise = false;
  bool enableRelu = false;
};

// Parts of a configuration, for GetMMConfig.
struct MatmulShapeParams {
  uint32_t singleCoreM = 0;
  uint32_t singleCoreN = 0;
  uint32_t singleCoreK = 0;
  uint32_t basicM = 0;
  uint32_t basicN = 0;
  uint32_t basicK = 0;
};
struct MatmulQuantParams {
  bool isPerTensor = false;
  bool hasAntiQuantOffset = false;
};
struct MatmulBatchParams {
  bool isNBatch = false;
  BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
  bool isBiasBatch = true;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
  bool intrinsicsLimit = false;
  bool enVecND2NZ = false;
  bool enableDoubleCache = false;
  bool enableL1CacheUB = false;
  uint32_t doMTE2Preload = 0;
  IterateOrder iterateOrder = IterateOrder::UNDEF;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  bool enableReuse = true;
  bool enableUBReuse = true;
  bool isPartialOutput = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
  bool enableL1BankConflictOptimise = false;
};

__aicore__ constexpr MatmulConfig GetNormalConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, const bool isMsgReuse = true,
    const IterateOrder iterateOrder = IterateOrder::UNDEF,
    const ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, const bool enUnitFlag = true,
    const bool enableMixDualMaster = false,
    const BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
  MatmulConfig config{};
  config.doNorm = true;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.enVecND2NZ = isVecND2NZ;
  config.batchMode = bmmMode;
  config.enableReuse = isMsgReuse;
  config.iterateOrder = iterateOrder;
  config.scheduleType = scheduleType;
  config.enUnitFlag = enUnitFlag;
  config.enableMixDualMaster = enableMixDualMaster;
  config.bmmOutMode = bmmOutMode;
  return config;
}

__aicore__ constexpr MatmulConfig GetMDLConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false,
    const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false, bool isPerTensor = false,
    bool hasAntiQuantOffset = false, const bool enUnitFlag = false, const bool isMsgReuse = true,
    const bool enableUBReuse = true, const bool enableL1CacheUB = false,
    const bool enableMixDualMaster = false, const bool enableKdimReorderLoad = false) {
  MatmulConfig config{};
  config.doMultiDataLoad = true;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.doMTE2Preload = doMTE2Preload;
  config.enVecND2NZ = isVecND2NZ;
  config.isPerTensor = isPerTensor;
  config.hasAntiQuantOffset = hasAntiQuantOffset;
  config.enUnitFlag = enUnitFlag;
  config.enableReuse = isMsgReuse;
  config.enableUBReuse = enableUBReuse;
  config.enableL1CacheUB = enableL1CacheUB;
  config.enableMixDualMaster = enableMixDualMaster;
  config.enableKdimReorderLoad = enableKdimReorderLoad;
  return config;
}

// As the one before, which is then off.
__aicore__ constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false,
                                                      const bool batchLoop = false,
                                                      const uint32_t doMTE2Preload = 0,
                                                      const bool isVecND2NZ = false,
                                                      bool isPerTensor = false,
                                                      bool hasAntiQuantOffset = false) {
  MatmulConfig config = GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ,
                                     isPerTensor, hasAntiQuantOffset);
  config.doMultiDataLoad = false;
  config.doSpecialMDL = true;
  return config;
}

__aicore__ constexpr MatmulConfig GetIBShareNormConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, const bool isDoubleCache = false,
    const bool enUnitFlag = true) {
  MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
  config.doNorm = false;
  config.doIBShareNorm = true;
  config.enableDoubleCache = isDoubleCache;
  config.enUnitFlag = enUnitFlag;
  return config;
}

__aicore__ constexpr MatmulConfig GetBasicConfig(
    const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
    const bool intrinsicsLimit = false, const bool batchLoop = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, false, bmmMode);
  config.doNorm = false;
  config.doBasicBlock = true;
  config.basicM = basicM;
  config.basicN = basicN;
  config.basicK = basicK;
  config.baseMN = basicM * basicN;
  return config;
}

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

using AscendC::MatmulConfig;
constexpr void Change(MatmulConfig& config, const AscendC::MatmulShapeParams& params) {
  config.singleCoreM = params.singleCoreM;
  config.singleCoreN = params.singleCoreN;
  config.singleCoreK = params.singleCoreK;
  config.basicM = params.basicM;
  config.basicN = params.basicN;
  config.basicK = params.basicK;
}
constexpr void Change(MatmulConfig& config, const AscendC::MatmulQuantParams& params) {
  config.isPerTensor = params.isPerTensor;
  config.hasAntiQuantOffset = params.hasAntiQuantOffset;
}
constexpr void Change(MatmulConfig& config, const AscendC::MatmulBatchParams& params) {
  config.isNBatch = params.isNBatch;
  config.batchMode = params.batchMode;
  config.isBiasBatch = params.isBiasBatch;
  config.bmmOutMode = params.bmmOutMode;
}
constexpr void Change(MatmulConfig& config, const AscendC::MatmulFuncParams& params) {
  config.intrinsicsCheck = params.intrinsicsLimit;
  config.enVecND2NZ = params.enVecND2NZ;
  config.enableDoubleCache = params.enableDoubleCache;
  config.enableL1CacheUB = params.enableL1CacheUB;
  config.doMTE2Preload = params.doMTE2Preload;
  config.iterateOrder = params.iterateOrder;
  config.scheduleType = params.scheduleType;
  config.enableReuse = params.enableReuse;
  config.enableUBReuse = params.enableUBReuse;
  config.isPartialOutput = params.isPartialOutput;
  config.isA2B2Shared = params.isA2B2Shared;
  config.isEnableChannelSplit = params.isEnableChannelSplit;
  config.enableKdimReorderLoad = params.enableKdimReorderLoad;
  config.enableL1BankConflictOptimise = params.enableL1BankConflictOptimise;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// The configuration of a mode with parts of it changed.
template <MatmulConfigMode configMode, typename... ArgTypes>
__aicore__ inline constexpr MatmulConfig GetMMConfig(ArgTypes&&... args) {
  MatmulConfig config = configMode == MatmulConfigMode::CONFIG_MDL          ? GetMDLConfig()
                        : configMode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                        : configMode == MatmulConfigMode::CONFIG_IBSHARE    ? GetIBShareNormConfig()
                                                                            : GetNormalConfig();
  (bascule_ascendc::Change(config, args), ...);
  return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

// A tiling that is known while compiling, with its configuration.
struct MatmulApiStaticTiling {
#define BASCULE_STATIC_FIELD(type, name) type name = 0;
  BASCULE_CUBE_TILING(BASCULE_STATIC_FIELD)
#undef BASCULE_STATIC_FIELD
  MatmulConfig cfg{};
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr int64_t kL0Bytes = 64 * 1024;
constexpr int64_t kL0cBytes = 128 * 1024;

// Steps along K, as many as L1 holds of both operands twice; all of K when that is less.
constexpr int32_t StepsOfK(int64_t l1_bytes, int64_t block_bytes, int64_t all_k) {
  int64_t steps = l1_bytes / (2 * block_bytes);
  if (steps < 1) steps = 1;
  return static_cast<int32_t>(steps < all_k ? steps : all_k);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// With basicM, basicN and basicK given, and perhaps the singleCore sizes; those that are not known
// are 0, and come from the tiling the kernel is called with.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
__aicore__ constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                              int32_t l1Size = 512 * 1024) {
  MatmulApiStaticTiling tiling{};
  tiling.cfg = mmCFG;
  const int64_t bits = static_cast<int64_t>(bascule_ascendc::ElementBits<typename A_TYPE::T>);
  const int64_t m = mmCFG.basicM;
  const int64_t n = mmCFG.basicN;
  const int64_t k = mmCFG.basicK;
  if (m == 0 || n == 0 || k == 0) return tiling;
  tiling.M = tiling.singleCoreM = static_cast<int32_t>(mmCFG.singleCoreM);
  tiling.N = tiling.singleCoreN = static_cast<int32_t>(mmCFG.singleCoreN);
  tiling.Ka = tiling.Kb = tiling.singleCoreK = static_cast<int32_t>(mmCFG.singleCoreK);
  tiling.baseM = static_cast<int32_t>(m);
  tiling.baseN = static_cast<int32_t>(n);
  tiling.baseK = static_cast<int32_t>(k);
  tiling.dbL0A = m * k * bits / 8 * 2 <= bascule_ascendc::kL0Bytes ? 2 : 1;
  tiling.dbL0B = n * k * bits / 8 * 2 <= bascule_ascendc::kL0Bytes ? 2 : 1;
  tiling.dbL0C = m * n * 4 * 2 <= bascule_ascendc::kL0cBytes ? 2 : 1;
  if (mmCFG.singleCoreK == 0) return tiling;
  const int64_t all_k = (static_cast<int64_t>(mmCFG.singleCoreK) + k - 1) / k;
  const int32_t steps = bascule_ascendc::StepsOfK(l1Size - n * 4, (m + n) * k * bits / 8, all_k);
  tiling.usedCoreNum = 1;
  tiling.stepM = tiling.stepN = 1;
  tiling.stepKa = tiling.stepKb = steps;
  tiling.depthA1 = tiling.depthB1 = 2 * steps;
  return tiling;
}

BASCULE_ASCENDC_END

// Kernels use these names without a namespace, and earlier ones in `matmul`.
using AscendC::BatchMode;
using AscendC::BatchOutMode;
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::CubeFormat;
using AscendC::GetBasicConfig;
using AscendC::GetIBShareNormConfig;
using AscendC::GetMatmulApiTiling;
using AscendC::GetMDLConfig;
using AscendC::GetMMConfig;
using AscendC::GetNormalConfig;
using AscendC::GetSpecialMDLConfig;
using AscendC::IterateMode;
using AscendC::IterateOrder;
using AscendC::LayoutMode;
using AscendC::MatmulApiStaticTiling;
using AscendC::MatmulBatchParams;
using AscendC::MatmulConfig;
using AscendC::MatmulConfigMode;
using AscendC::MatmulFuncParams;
using AscendC::MatmulQuantParams;
using AscendC::MatmulShapeParams;
using AscendC::MM_CFG_BB;
using AscendC::ScheduleType;
using AscendC::SparseMatmulType;
namespace matmul {
using namespace AscendC;
}  // namespace matmul
// NOLINTEND(readability-identifier-naming)

#endif  // BASCULE_ASCENDC_MATMUL_CONFIG_H

// Configurations of matrix products, worked out while compiling, beside the host's tiling classes.
#include "kernel_operator.h"
#include "lib/matmul/matmul_intf.h"
#include "lib/matmul_intf.h"
#include "tiling/tiling_api.h"

using namespace AscendC;
using namespace matmul;

static_assert(CFG_NORM.doNorm && !CFG_NORM.doMultiDataLoad && CFG_NORM.enUnitFlag);
static_assert(CFG_MDL.doMultiDataLoad && !CFG_MDL.doNorm && !CFG_MDL.enUnitFlag);
static_assert(CFG_IBSHARE_NORM.doIBShareNorm && !CFG_IBSHARE_NORM.doNorm);
static_assert(GetSpecialMDLConfig().doSpecialMDL && !GetSpecialMDLConfig().doMultiDataLoad);
static_assert(GetBasicConfig(128, 256, 64).doBasicBlock &&
              GetBasicConfig(128, 256, 64).baseMN == 32768);

constexpr MatmulConfigMode kMode = MatmulConfigMode::CONFIG_NORM;
constexpr MatmulShapeParams kShape = {128, 128, 512, 64, 64, 64};
constexpr MatmulQuantParams kQuant = {false, true};
constexpr MatmulBatchParams kBatch{true, BatchMode::BATCH_LARGE_THAN_L1, false};
constexpr MatmulFuncParams kFunctions{false, true};
constexpr MatmulConfig kConfig = GetMMConfig<kMode>(kQuant, kShape, kBatch, kFunctions);
static_assert(kConfig.doNorm && kConfig.basicK == 64 && kConfig.singleCoreK == 512);
static_assert(kConfig.hasAntiQuantOffset && kConfig.isNBatch && !kConfig.isBiasBatch);
static_assert(kConfig.batchMode == BatchMode::BATCH_LARGE_THAN_L1 && kConfig.enVecND2NZ);
static_assert(GetMMConfig<MatmulConfigMode::CONFIG_MDL>().doMultiDataLoad);

// Values in the order of the page.
constexpr MatmulConfig kListed{false, true, false, 128, 64, 32};
static_assert(kListed.doBasicBlock && kListed.basicN == 64 && kListed.basicK == 32);

using A = MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>;
using B = MatmulType<AscendC::TPosition::GM, CubeFormat::NZ, half, true, LayoutMode::NORMAL>;
using C = MatmulType<AscendC::TPosition::VECIN, CubeFormat::ND_ALIGN, float>;
static_assert(B::isTrans && B::layout == LayoutMode::NORMAL && !A::ibShare);
static_assert(std::is_same_v<GetMmDstType<int8_t>::Type, int32_t>);
static_assert(std::is_same_v<GetMmDstType<bfloat16_t>::Type, float>);

constexpr MatmulApiStaticTiling kTiling = GetMatmulApiTiling<A, B, C, C>(kConfig);
static_assert(kTiling.baseM == 64 && kTiling.singleCoreK == 512 && kTiling.cfg.doNorm);
static_assert(kTiling.dbL0A == 2 && kTiling.dbL0C == 2 && kTiling.stepKa == 8 &&
              kTiling.depthA1 == 16);
static_assert(kTiling.depthA1 * 64 * 64 * 2 + kTiling.depthB1 * 64 * 64 * 2 <= 512 * 1024);
// Only the blocks are known.
constexpr MatmulApiStaticTiling kPart =
    GetMatmulApiTiling<A, B, C, C>(GetBasicConfig(128, 256, 64), 524288);
static_assert(kPart.baseN == 256 && kPart.singleCoreM == 0 && kPart.stepM == 0);

int64_t Plan(TCubeTiling& tiling) {
  matmul_tiling::MatmulApiTiling plan;
  plan.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND,
                matmul_tiling::DataType::DT_FLOAT16);
  plan.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTM);
  return plan.GetTiling(tiling);
}

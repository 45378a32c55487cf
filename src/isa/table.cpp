// The list of instructions. Adding one is a line here.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/dtype.h"
#include "isa/cube/cube.h"
#include "isa/move/copy.h"
#include "isa/move/fractal.h"
#include "isa/row.h"
#include "isa/vector/arithmetic.h"
#include "isa/vector/axis.h"
#include "isa/vector/cast.h"
#include "isa/vector/compare.h"
#include "isa/vector/fill.h"
#include "isa/vector/filter.h"
#include "isa/vector/gather.h"
#include "isa/vector/library_math.h"
#include "isa/vector/math.h"
#include "isa/vector/norm.h"
#include "isa/vector/quant.h"
#include "isa/vector/quantize.h"
#include "isa/vector/rearrange.h"
#include "isa/vector/reduce.h"
#include "isa/vector/softmax.h"
#include "isa/vector/sort.h"
#include "isa/vector/topk.h"
#include "isa/vector/transpose.h"

namespace bascule::isa {
namespace {

// clang-format off
const Row* const kRows[] = {
    &kDataCopyRow,
    &kDataCopyPadRow,
#define BASCULE_ARITHMETIC_ROW(name, reads_dst, sources, types, document) &k##name##Row,
    BASCULE_ARITHMETIC(BASCULE_ARITHMETIC_ROW)
#undef BASCULE_ARITHMETIC_ROW
    &kCastRow,
#define BASCULE_MATH_ROW(name, sources, types, forms, ulp, document) &k##name##Row,
    BASCULE_MATHS(BASCULE_MATH_ROW)
#undef BASCULE_MATH_ROW
    &kDuplicateRow,
    &kCreateVecIndexRow,
    &kArangeRow,
    &kBrcbRow,
    &kCopyRow,
    &kCompareRow,
    &kComparesRow,
    &kGetCmpMaskRow,
    &kSetCmpMaskRow,
    &kSelectRow,
    &kGatherMaskRow,
    &kReduceRepeatRow,
    &kReduceDataBlockRow,
    &kReducePairElemRow,
    &kReduceSumRow,
    &kReduceMaxRow,
    &kReduceMinRow,
    &kGatherRow,
    &kGatherbRow,
    &kSort32Row,
    &kMrgSortRow,
    &kSortRow,
    &kExtractRow,
    &kTransposeRow,
    &kTransDataTo5HDRow,
    &kNd2NzRow,
    &kNz2NdRow,
    &kLoadDataRow,
    &kLoadDataWithTransposeRow,
    &kLoadDataImageRow,
    &kInitConstRow,
    &kLoadDataSparseRow,
    &kCopyBiasRow,
    &kMmadRow,
    &kFixpipeRow,
    &kAddDeqReluRow,
    &kCastDequantRow,
    &kFillRow,
    &kSoftMaxRow,
    &kLogSoftMaxRow,
    &kSimpleSoftMaxRow,
    &kSoftmaxFlashRow,
    &kSoftmaxFlashV2Row,
    &kSoftmaxFlashV3Row,
    &kSoftmaxGradRow,
    &kSoftmaxGradFrontRow,
    &kAdjustSoftMaxResRow,
    &kLayerNormRow,
    &kDeepNormRow,
    &kRmsNormRow,
    &kNormalizeRow,
    &kLayerNormGradRow,
    &kLayerNormGradBetaRow,
    &kBatchNormRow,
    &kGroupNormRow,
    &kWelfordUpdateRow,
    &kWelfordFinalizeRow,
    &kFmodRow,
    &kLgammaRow,
    &kDigammaRow,
    &kAxpyOfLibraryRow,
    &kCumSumRow,
    &kSumRow,
    &kMeanRow,
    &kReduceSumOfAxisRow,
    &kReduceMaxOfAxisRow,
    &kReduceMinOfAxisRow,
    &kReduceMeanRow,
    &kReduceProdRow,
    &kReduceAnyRow,
    &kReduceAllRow,
    &kReduceXorSumRow,
    &kBroadcastRow,
    &kConfusionTransposeRow,
    &kTransDataRow,
    &kPadRow,
    &kUnPadRow,
    &kSelectWithBytesMaskRow,
    &kDropOutRow,
    &kTopKRow,
    &kTopKFinishRow,
    &kAscendQuantRow,
    &kAscendDequantRow,
    &kAscendAntiQuantRow,
};
// clang-format on

// By opcode, so that the engine finds a row with one load.
const auto kByOpcode = [] {
  std::array<const Row*, BASCULE_OPCODE_limit> table{};
  for (const Row* row : kRows) table[row->opcode] = row;
  return table;
}();

}  // namespace

const Row* FindRow(uint16_t opcode) {
  return opcode < kByOpcode.size() ? kByOpcode[opcode] : nullptr;
}

const Row* const* AllRows(uint32_t* count) {
  *count = sizeof(kRows) / sizeof(kRows[0]);
  return kRows;
}

const Body* FindBody(const Row& row, BasculeDType dst, BasculeDType src) {
  for (uint32_t i = 0; i < row.body_count; ++i) {
    if (row.bodies[i].dst == dst && row.bodies[i].src == src) return &row.bodies[i];
  }
  return nullptr;
}

uint32_t ElementBytes(BasculeDType dtype) {
  static constexpr uint8_t kBytes[BASCULE_DTYPE_COUNT] = {4, 2, 1, 4, 1, 0, 2, 2, 4, 8, 8,
                                                          8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                          0, 0, 0, 0, 0, 2, 0, 0, 0, 0};
  return dtype < BASCULE_DTYPE_COUNT ? kBytes[dtype] : 0;
}

}  // namespace bascule::isa

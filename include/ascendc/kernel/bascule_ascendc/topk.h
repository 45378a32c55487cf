// TopK: the k largest or smallest of every row, in order, with their indices.
// Source: the TopK page of the Ascend C documentation. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TOPK_H
#define BASCULE_ASCENDC_TOPK_H

#include "bascule_ascendc/library_call.h"
#include "kernel_tiling/kernel_tiling.h"

BASCULE_ASCENDC_BEGIN

// outter rows of `inner` elements, a multiple of 32, of which n are data. The caller fills the
// others with what never is among the first k.
struct TopKInfo {
  int32_t outter = 1;
  int32_t inner;
  int32_t n;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
BASCULE_ASCENDC_BEGIN
inline constexpr TopKConfig defaultTopKConfig{};
BASCULE_ASCENDC_END

namespace bascule_ascendc {

template <bool has_index, bool has_finish, AscendC::TopKMode mode, typename T>
void TopKRows(const AscendC::LocalTensor<T>& values, const AscendC::LocalTensor<int32_t>& indices,
              const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<int32_t>& src_indices,
              const AscendC::LocalTensor<bool>& finish, int32_t k, const AscendC::TopKInfo& info,
              AscendC::TopKOrder order, bool largest, const Site& site) {
  BASCULE_SUPPORTED(TopK, half, float);
  constexpr bool kSmall = mode == AscendC::TopKMode::TOPK_NSMALL;
  // At run time: kernels choose the mode by a condition, and compile both.
  if (kSmall && has_finish) FailCall("TopK", "in small mode isHasfinish can only be false", site);
  if (info.outter < 0 || info.inner <= 0 || info.inner % 32 != 0) {
    FailArgument("TopK", "topKInfo.inner", info.inner, "it has to be a multiple of 32", site);
  }
  if (kSmall && info.inner != 32) {
    FailArgument("TopK", "topKInfo.inner", info.inner, "in small mode it has to be 32", site);
  }
  if (info.inner > 4096) {
    FailArgument("TopK", "topKInfo.inner", info.inner, "it is limited to 4096", site);
  }
  if (info.n < 1 || info.n > info.inner) {
    FailArgument("TopK", "topKInfo.n", info.n, "it has to be 1 to inner", site);
  }
  if (k < 1 || k > info.n) FailArgument("TopK", "k", k, "it has to be 1 to topKInfo.n", site);
  const uint32_t rows = static_cast<uint32_t>(info.outter);
  const uint32_t count = static_cast<uint32_t>(k);
  const uint32_t value_pitch = kSmall ? count : WholeBlocks<T>(count);
  const uint32_t index_pitch = kSmall ? count : WholeBlocks<int32_t>(count);
  const bool smallest =
      order == AscendC::TopKOrder::SMALLEST || (order == AscendC::TopKOrder::UNSET && !largest);
  VectorCall<T>(BASCULE_OPCODE_kTopK, values, site)
      .Source(indices)
      .Source(src)
      .Source(has_index ? Operand(src_indices) : NoOperand(BASCULE_INT32))
      .Flags((smallest ? BASCULE_TOPK_SMALLEST : 0) | (kSmall ? BASCULE_TOPK_INDEX_PER_ROW : 0))
      .Extra(0, Pair(rows, static_cast<uint32_t>(info.inner)))
      .Extra(1, Pair(count, value_pitch))
      .Extra(3, uint64_t{index_pitch})
      .Whole();
  if (has_finish) {
    VectorCall<int32_t>(BASCULE_OPCODE_kTopKFinish, indices, site)
        .Source(finish)
        .Extra(0, Pair(rows, count))
        .Extra(1, Pair(index_pitch, static_cast<uint32_t>(info.n)))
        .Whole();
  }
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// The rows of the results have k elements, in normal mode up to the next multiple of 32 bytes. Of
// equals the first comes first, and NaN before all. srcIndexLocal, with isInitIndex, names the
// elements of a row (in small mode of every row). Rows whose byte in finishLocal is set, with
// isHasfinish, get n as index.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL,
          const TopKConfig& config = defaultTopKConfig>
__aicore__ inline void TopK(const LocalTensor<T>& dstValueLocal,
                            const LocalTensor<int32_t>& dstIndexLocal,
                            const LocalTensor<T>& srcLocal,
                            const LocalTensor<int32_t>& srcIndexLocal,
                            const LocalTensor<bool>& finishLocal,
                            const LocalTensor<uint8_t>& tmpLocal, const int32_t k,
                            const tiling::TopkTiling& /*tilling*/, const TopKInfo& topKInfo,
                            const bool isLargest = true, bascule_ascendc::Site site = {}) {
  bascule_ascendc::Temporary("TopK", "tmpLocal", tmpLocal, bascule_tiling::kMinTmpBytes, site);
  bascule_ascendc::TopKRows<isInitIndex, isHasfinish, topkMode>(
      dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal, k, topKInfo, config.order,
      isLargest, site);
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL,
          const TopKConfig& config = defaultTopKConfig>
__aicore__ inline void TopK(const LocalTensor<T>& dstValueLocal,
                            const LocalTensor<int32_t>& dstIndexLocal,
                            const LocalTensor<T>& srcLocal,
                            const LocalTensor<int32_t>& srcIndexLocal,
                            const LocalTensor<bool>& finishLocal, const int32_t k,
                            const tiling::TopkTiling& /*tilling*/, const TopKInfo& topKInfo,
                            const bool isLargest = true, bascule_ascendc::Site site = {}) {
  bascule_ascendc::TopKRows<isInitIndex, isHasfinish, topkMode>(
      dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal, k, topKInfo, config.order,
      isLargest, site);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_TOPK_H

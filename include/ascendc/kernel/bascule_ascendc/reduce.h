// Reductions, under their names since 9.1 and under the older ones. Mind the order of mask and
// repeatTime: BlockReduce*, PairReduceSum and RepeatReduceSum take repeatTime first, everything
// else the mask. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REDUCE_H
#define BASCULE_ASCENDC_REDUCE_H

#include "bascule/abi/vector.h"
#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

enum class ReduceType : uint8_t {
  SUM = BASCULE_REDUCE_SUM,
  MAX = BASCULE_REDUCE_MAX,
  MIN = BASCULE_REDUCE_MIN
};

enum class ReduceOrder : uint8_t {
  ORDER_VALUE_INDEX = BASCULE_ORDER_VALUE_INDEX,
  ORDER_INDEX_VALUE = BASCULE_ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE = BASCULE_ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX = BASCULE_ORDER_ONLY_INDEX
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr uint64_t CeilTo(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

inline uint16_t CheckedStride(const char* what, int32_t stride, const Site& site) {
  if (stride < 0 || stride > 65535) {
    char text[96];
    std::snprintf(text, sizeof(text), "%s is %d; it is limited to 0 to 65535", what,
                  static_cast<int>(stride));
    Fail(text, site);
  }
  return static_cast<uint16_t>(stride);
}

// What the instructions with one result per repeat, datablock or pair have in common. The stride of
// the destination counts results of a repeat, `unit_bytes` each.
template <typename T>
VectorCall<T> ReduceCall(uint16_t opcode, AscendC::ReduceType type,
                         const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                         uint32_t unit_bytes, int32_t dstRepStride, int32_t srcBlkStride,
                         int32_t srcRepStride, const Site& site) {
  const uint64_t stride_bytes =
      uint64_t{CheckedStride("dstRepStride", dstRepStride, site)} * unit_bytes;
  VectorCall<T> call(opcode, dst, site);
  call.Source(src)
      .Stride(1, CheckedStride("srcBlkStride", srcBlkStride, site),
              CheckedStride("srcRepStride", srcRepStride, site))
      .Mode(static_cast<uint32_t>(type))
      .Extra(0, stride_bytes)
      .Extra(BASCULE_EXTRA_RESULT, &dst.Core()->registers);
  return call;
}

template <typename T>
VectorCall<T> ReduceRepeatCall(AscendC::ReduceType type, const AscendC::LocalTensor<T>& dst,
                               const AscendC::LocalTensor<T>& src, int32_t dstRepStride,
                               int32_t srcBlkStride, int32_t srcRepStride,
                               AscendC::ReduceOrder order, const Site& site) {
  uint32_t unit_bytes = sizeof(T);
  if (type != AscendC::ReduceType::SUM) {
    if (order == AscendC::ReduceOrder::ORDER_ONLY_INDEX) {
      unit_bytes = sizeof(uint32_t);
    } else if (order != AscendC::ReduceOrder::ORDER_ONLY_VALUE) {
      unit_bytes = 2 * sizeof(T);
    }
  }
  VectorCall<T> call = ReduceCall(BASCULE_OPCODE_kReduceRepeat, type, dst, src, unit_bytes,
                                  dstRepStride, srcBlkStride, srcRepStride, site);
  call.Flags(static_cast<uint32_t>(order));
  return call;
}

template <typename T>
VectorCall<T> ReduceDataBlockCall(AscendC::ReduceType type, const AscendC::LocalTensor<T>& dst,
                                  const AscendC::LocalTensor<T>& src, int32_t dstRepStride,
                                  int32_t srcBlkStride, int32_t srcRepStride, const Site& site) {
  return ReduceCall(BASCULE_OPCODE_kReduceDataBlock, type, dst, src,
                    BASCULE_DATABLOCKS_PER_REPEAT * sizeof(T), dstRepStride, srcBlkStride,
                    srcRepStride, site);
}

template <typename T>
VectorCall<T> ReducePairElemCall(const AscendC::LocalTensor<T>& dst,
                                 const AscendC::LocalTensor<T>& src, int32_t dstRepStride,
                                 int32_t srcBlkStride, int32_t srcRepStride, const Site& site) {
  return ReduceCall(BASCULE_OPCODE_kReducePairElem, AscendC::ReduceType::SUM, dst, src,
                    BASCULE_REPEAT_BYTES / 2, dstRepStride, srcBlkStride, srcRepStride, site);
}

template <typename T>
void CheckWork(const char* name, const AscendC::LocalTensor<T>& work, uint64_t needed,
               const Site& site) {
  if (work.GetSize() >= needed) return;
  char text[192];
  std::snprintf(text, sizeof(text), "%s: sharedTmpBuffer holds %u elements and needs %llu", name,
                static_cast<unsigned>(work.GetSize()), static_cast<unsigned long long>(needed));
  Fail(text, site);
}

// A negative number of elements or repeats, or one of more than 32 bits, is a mistake.
inline uint32_t CheckedCount(const char* name, int32_t count, const Site& site) {
  if (count < 0) {
    char text[96];
    std::snprintf(text, sizeof(text), "%s: the count is negative: %d", name,
                  static_cast<int>(count));
    Fail(text, site);
  }
  return static_cast<uint32_t>(count);
}

template <typename T>
VectorCall<T> ReduceSumCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                            const AscendC::LocalTensor<T>& work, const Site& site) {
  BASCULE_SUPPORTED(ReduceSum, half, float);
  VectorCall<T> call(BASCULE_OPCODE_kReduceSum, dst, site);
  call.Source(src).Source(work).Extra(BASCULE_EXTRA_RESULT, &dst.Core()->registers);
  return call;
}

// Of how many elements the first round leaves results, and how many the work buffer has to hold.
struct ExtremeWork {
  uint64_t first_round;
  uint64_t needed;
};
template <typename T>
constexpr ExtremeWork WorkOfExtreme(uint64_t repeats, bool with_index) {
  constexpr uint64_t kBlock = BASCULE_DATABLOCK_BYTES / sizeof(T);
  constexpr uint64_t kRepeat = BASCULE_REPEAT_BYTES / sizeof(T);
  const uint64_t first = CeilTo(2 * repeats, kBlock);
  if (!with_index || repeats <= 1) return {first, first};
  const uint64_t second = CeilTo(2 * repeats, kRepeat) / kRepeat * 2;
  const uint64_t third = second > 2 ? CeilTo(CeilTo(second, kRepeat) / kRepeat * 2, kBlock) : 0;
  return {first, first + CeilTo(second, kBlock) + third};
}

template <typename T>
VectorCall<T> ReduceExtremeCall(const char* name, uint16_t opcode,
                                const AscendC::LocalTensor<T>& dst,
                                const AscendC::LocalTensor<T>& src,
                                const AscendC::LocalTensor<T>& work, uint64_t repeats,
                                uint64_t lanes, bool calIndex, const Site& site) {
  const ExtremeWork size = WorkOfExtreme<T>(repeats, calIndex);
  // A work buffer that is the source is always large enough.
  if (work.Data() != src.Data()) CheckWork(name, work, size.needed, site);
  if (calIndex && sizeof(T) == 2 && lanes > 65536) {
    char text[128];
    std::snprintf(text, sizeof(text),
                  "%s: an index in half is at most 65535; %llu elements are reduced", name,
                  static_cast<unsigned long long>(lanes));
    Fail(text, site);
  }
  VectorCall<T> call(opcode, dst, site);
  call.Source(src)
      .Source(work)
      .Flags(calIndex ? BASCULE_REDUCE_WITH_INDEX : 0)
      .Extra(1, size.first_round)
      .Extra(BASCULE_EXTRA_RESULT, &dst.Core()->registers);
  return call;
}

template <typename T>
T FromRegister(uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// `mask_type` for every way to give lanes: an array of bits, or how many lanes from the first.
#define BASCULE_FOR_MASKS(X) \
  X(const uint64_t*)         \
  X(const int32_t)
#define BASCULE_REDUCE_TYPES(name)         \
  BASCULE_SUPPORTED(name, half, float);    \
  static_assert(std::is_same<T, U>::value, \
                #name ": source and destination have the same element type")
#define BASCULE_MASK_ARGUMENT bascule_ascendc::MaskArgument(mask)

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr const uint64_t* MaskArgument(const uint64_t* mask) { return mask; }
constexpr uint64_t MaskArgument(int32_t mask) { return static_cast<uint64_t>(mask); }

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// One result per repeat.
#define BASCULE_REDUCE_REPEAT(mask_type)                                                       \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>              \
  __aicore__ inline void ReduceRepeat(                                                         \
      const LocalTensor<T>& dst, const LocalTensor<U>& src, mask_type mask,                    \
      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,        \
      const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,          \
      bascule_ascendc::Site site = {}) {                                                       \
    BASCULE_REDUCE_TYPES(ReduceRepeat);                                                        \
    bascule_ascendc::ReduceRepeatCall(reduceType, dst, src, dstRepStride, srcBlkStride,        \
                                      srcRepStride, order, site)                               \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime)); \
  }                                                                                            \
  template <typename T, bool isSetMask = true>                                                 \
  __aicore__ inline void WholeReduceSum(                                                       \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, mask_type mask,                    \
      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,        \
      const int32_t srcRepStride, bascule_ascendc::Site site = {}) {                           \
    BASCULE_SUPPORTED(WholeReduceSum, half, float);                                            \
    bascule_ascendc::ReduceRepeatCall(ReduceType::SUM, dst, src, dstRepStride, srcBlkStride,   \
                                      srcRepStride, ReduceOrder::ORDER_ONLY_VALUE, site)       \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime)); \
  }                                                                                            \
  template <typename T, bool isSetMask = true>                                                 \
  __aicore__ inline void RepeatReduceSum(                                                      \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,          \
      mask_type mask, const int32_t, const int32_t srcBlkStride, const int32_t dstRepStride,   \
      const int32_t srcRepStride, bascule_ascendc::Site site = {}) {                           \
    BASCULE_SUPPORTED(RepeatReduceSum, half, float);                                           \
    bascule_ascendc::ReduceRepeatCall(ReduceType::SUM, dst, src, dstRepStride, srcBlkStride,   \
                                      srcRepStride, ReduceOrder::ORDER_ONLY_VALUE, site)       \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime)); \
  }
BASCULE_FOR_MASKS(BASCULE_REDUCE_REPEAT)
#undef BASCULE_REDUCE_REPEAT

#define BASCULE_WHOLE_REDUCE(name, type, mask_type)                                             \
  template <typename T, bool isSetMask = true>                                                  \
  __aicore__ inline void name(                                                                  \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, mask_type mask,                     \
      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,         \
      const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,           \
      bascule_ascendc::Site site = {}) {                                                        \
    BASCULE_SUPPORTED(name, half, float);                                                       \
    bascule_ascendc::ReduceRepeatCall(type, dst, src, dstRepStride, srcBlkStride, srcRepStride, \
                                      order, site)                                              \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime));  \
  }
BASCULE_WHOLE_REDUCE(WholeReduceMax, ReduceType::MAX, const uint64_t*)
BASCULE_WHOLE_REDUCE(WholeReduceMax, ReduceType::MAX, const int32_t)
BASCULE_WHOLE_REDUCE(WholeReduceMin, ReduceType::MIN, const uint64_t*)
BASCULE_WHOLE_REDUCE(WholeReduceMin, ReduceType::MIN, const int32_t)
#undef BASCULE_WHOLE_REDUCE

// One result per datablock, and one sum per pair of neighbours.
#define BASCULE_REDUCE_PARTS(mask_type)                                                           \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                 \
  __aicore__ inline void ReduceDataBlock(                                                         \
      const LocalTensor<T>& dst, const LocalTensor<U>& src, mask_type mask,                       \
      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,           \
      const int32_t srcRepStride, bascule_ascendc::Site site = {}) {                              \
    BASCULE_REDUCE_TYPES(ReduceDataBlock);                                                        \
    bascule_ascendc::ReduceDataBlockCall(reduceType, dst, src, dstRepStride, srcBlkStride,        \
                                         srcRepStride, site)                                      \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime));    \
  }                                                                                               \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                 \
  __aicore__ inline void ReducePairElem(                                                          \
      const LocalTensor<T>& dst, const LocalTensor<U>& src, mask_type mask,                       \
      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,           \
      const int32_t srcRepStride, bascule_ascendc::Site site = {}) {                              \
    BASCULE_REDUCE_TYPES(ReducePairElem);                                                         \
    static_assert(reduceType == ReduceType::SUM,                                                  \
                  "ReducePairElem: pairs can only be summed: ReduceType::SUM");                   \
    bascule_ascendc::ReducePairElemCall(dst, src, dstRepStride, srcBlkStride, srcRepStride, site) \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime));    \
  }                                                                                               \
  template <typename T, bool isSetMask = true>                                                    \
  __aicore__ inline void PairReduceSum(                                                           \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,             \
      mask_type mask, const int32_t dstRepStride, const int32_t srcBlkStride,                     \
      const int32_t srcRepStride, bascule_ascendc::Site site = {}) {                              \
    BASCULE_SUPPORTED(PairReduceSum, half, float);                                                \
    bascule_ascendc::ReducePairElemCall(dst, src, dstRepStride, srcBlkStride, srcRepStride, site) \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime));    \
  }
BASCULE_FOR_MASKS(BASCULE_REDUCE_PARTS)
#undef BASCULE_REDUCE_PARTS

#define BASCULE_BLOCK_REDUCE(name, type, mask_type)                                                \
  template <typename T, bool isSetMask = true>                                                     \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                \
                              const int32_t repeatTime, mask_type mask,                            \
                              const int32_t dstRepStride, const int32_t srcBlkStride,              \
                              const int32_t srcRepStride, bascule_ascendc::Site site = {}) {       \
    BASCULE_SUPPORTED(name, half, float);                                                          \
    bascule_ascendc::ReduceDataBlockCall(type, dst, src, dstRepStride, srcBlkStride, srcRepStride, \
                                         site)                                                     \
        .template Repeat<isSetMask>(BASCULE_MASK_ARGUMENT, static_cast<uint32_t>(repeatTime));     \
  }
BASCULE_BLOCK_REDUCE(BlockReduceSum, ReduceType::SUM, const uint64_t*)
BASCULE_BLOCK_REDUCE(BlockReduceSum, ReduceType::SUM, const int32_t)
BASCULE_BLOCK_REDUCE(BlockReduceMax, ReduceType::MAX, const uint64_t*)
BASCULE_BLOCK_REDUCE(BlockReduceMax, ReduceType::MAX, const int32_t)
BASCULE_BLOCK_REDUCE(BlockReduceMin, ReduceType::MIN, const uint64_t*)
BASCULE_BLOCK_REDUCE(BlockReduceMin, ReduceType::MIN, const int32_t)
#undef BASCULE_BLOCK_REDUCE

// The sum of `count` elements; sharedTmpBuffer may be of any size. Without isSetMask the mask
// register says how many, and count has no effect.
template <typename T, bool isSetMask = true>
__aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<T>& sharedTmpBuffer, const int32_t count,
                                 bascule_ascendc::Site site = {}) {
  bascule_ascendc::VectorCall<T> call =
      bascule_ascendc::ReduceSumCall(dst, src, sharedTmpBuffer, site);
  if (isSetMask) {
    call.Count(count);
  } else {
    call.CountOfRegister();
  }
}
// The sum of the selected lanes of all repeats; sharedTmpBuffer holds one element per repeat.
#define BASCULE_REDUCE_SUM_REPEATS(mask_type)                                              \
  template <typename T>                                                                    \
  __aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,   \
                                   const LocalTensor<T>& sharedTmpBuffer, mask_type mask,  \
                                   const int32_t repeatTime, const int32_t srcRepStride,   \
                                   bascule_ascendc::Site site = {}) {                      \
    const uint32_t repeats = bascule_ascendc::CheckedCount("ReduceSum", repeatTime, site); \
    bascule_ascendc::VectorCall<T> call =                                                  \
        bascule_ascendc::ReduceSumCall(dst, src, sharedTmpBuffer, site);                   \
    if (sharedTmpBuffer.Data() != src.Data()) {                                            \
      bascule_ascendc::CheckWork(                                                          \
          "ReduceSum", sharedTmpBuffer,                                                    \
          bascule_ascendc::CeilTo(repeats, BASCULE_DATABLOCK_BYTES / sizeof(T)), site);    \
    }                                                                                      \
    call.Stride(1, 1, bascule_ascendc::CheckedStride("srcRepStride", srcRepStride, site))  \
        .ManyRepeats();                                                                    \
    call.template Repeat<true>(BASCULE_MASK_ARGUMENT, repeats);                            \
  }
BASCULE_FOR_MASKS(BASCULE_REDUCE_SUM_REPEATS)
#undef BASCULE_REDUCE_SUM_REPEATS

// The largest or smallest element, and with calIndex its index as an integer of the element's
// width.
#define BASCULE_REDUCE_EXTREME(name)                                                             \
  template <typename T>                                                                          \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,              \
                              const LocalTensor<T>& sharedTmpBuffer, const int32_t count,        \
                              bool calIndex = false, bascule_ascendc::Site site = {}) {          \
    BASCULE_SUPPORTED(name, half, float);                                                        \
    constexpr uint32_t kLanes = BASCULE_REPEAT_BYTES / sizeof(T);                                \
    const uint32_t lanes = bascule_ascendc::CheckedCount(#name, count, site);                    \
    const uint32_t repeats = lanes < kLanes ? 1 : lanes / kLanes;                                \
    bascule_ascendc::ReduceExtremeCall(#name, BASCULE_OPCODE_k##name, dst, src, sharedTmpBuffer, \
                                       repeats, lanes, calIndex, site)                           \
        .Count(count);                                                                           \
  }
BASCULE_REDUCE_EXTREME(ReduceMax)
BASCULE_REDUCE_EXTREME(ReduceMin)
#undef BASCULE_REDUCE_EXTREME
#define BASCULE_REDUCE_EXTREME(name, mask_type)                                                  \
  template <typename T>                                                                          \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,              \
                              const LocalTensor<T>& sharedTmpBuffer, mask_type mask,             \
                              const int32_t repeatTime, const int32_t srcRepStride,              \
                              bool calIndex = false, bascule_ascendc::Site site = {}) {          \
    BASCULE_SUPPORTED(name, half, float);                                                        \
    constexpr uint32_t kLanes = BASCULE_REPEAT_BYTES / sizeof(T);                                \
    const uint32_t repeats = bascule_ascendc::CheckedCount(#name, repeatTime, site);             \
    bascule_ascendc::ReduceExtremeCall(#name, BASCULE_OPCODE_k##name, dst, src, sharedTmpBuffer, \
                                       repeats, uint64_t{repeats} * kLanes, calIndex, site)      \
        .Stride(1, 1, bascule_ascendc::CheckedStride("srcRepStride", srcRepStride, site))        \
        .ManyRepeats()                                                                           \
        .template Repeat<true>(BASCULE_MASK_ARGUMENT, repeats);                                  \
  }
BASCULE_REDUCE_EXTREME(ReduceMax, const uint64_t*)
BASCULE_REDUCE_EXTREME(ReduceMax, const int32_t)
BASCULE_REDUCE_EXTREME(ReduceMin, const uint64_t*)
BASCULE_REDUCE_EXTREME(ReduceMin, const int32_t)
#undef BASCULE_REDUCE_EXTREME

#undef BASCULE_MASK_ARGUMENT
#undef BASCULE_REDUCE_TYPES
#undef BASCULE_FOR_MASKS

// The result of the last ReduceSum over consecutive elements. GetAccVal is the older name.
template <typename T>
__aicore__ inline T GetReduceRepeatSumSpr() {
  BASCULE_SUPPORTED(GetReduceRepeatSumSpr, half, float);
  return bascule_ascendc::FromRegister<T>(bascule_ascendc::Core()->registers.reduced_sum);
}
template <typename T>
__aicore__ inline T GetAccVal() {
  return GetReduceRepeatSumSpr<T>();
}

// Value and index of the last reduction to a largest or smallest element. The index is stored as an
// integer of the element's width. GetReduceMaxMinCount is the older name.
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex) {
  BASCULE_SUPPORTED(GetReduceRepeatMaxMinSpr, half, float);
  const BasculeRegisters& registers = bascule_ascendc::Core()->registers;
  maxMinValue = bascule_ascendc::FromRegister<T>(registers.reduced_value);
  maxMinIndex = bascule_ascendc::FromRegister<T>(registers.reduced_index);
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex) {
  GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex);
}

BASCULE_ASCENDC_END

// The register that GetAccVal reads, as bits.
inline int64_t get_acc_val() {
  return static_cast<int64_t>(bascule_ascendc::Core()->registers.reduced_sum);
}

#endif  // BASCULE_ASCENDC_REDUCE_H

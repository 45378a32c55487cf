// Sorting by score: Sort32, MrgSort and GetMrgSortResult, and the calls above them, Concat, Sort
// and Extract. A record of score and index has 8 bytes, whatever the element type.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SORT_H
#define BASCULE_ASCENDC_SORT_H

#include "bascule/abi/vector.h"
#include "bascule_ascendc/vector.h"

BASCULE_ASCENDC_BEGIN

// Up to four sorted queues. Those that do not take part may be empty tensors.
template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T>& src1In, const LocalTensor<T>& src2In,
                 const LocalTensor<T>& src3In, const LocalTensor<T>& src4In)
      : src1(src1In), src2(src2In), src3(src3In), src4(src4In) {}

  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;
};

// elementLengths: records of each queue, at most 4095. validBit: 3, 7 or 15 for the first two,
// three or four. repeatTimes has an effect only with four queues of one length that follow one
// another and no suspension.
struct MrgSort4Info {
  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid, uint16_t repeats)
      : ifExhaustedSuspension(suspend),
        validBit(valid),
        repeatTimes(static_cast<uint8_t>(repeats)) {
    for (int i = 0; i < 4; ++i) elementLengths[i] = lengths[i];
  }

  uint16_t elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr uint32_t kSortPerRepeat = 32;
constexpr uint32_t kSortRecordBytes = 8;

template <typename T>
void MergeQueues(const AscendC::LocalTensor<T>& dst, const AscendC::MrgSortSrcList<T>& list,
                 const uint16_t lengths[4], uint32_t valid, bool suspend, uint32_t repeats,
                 const Site& site) {
  BASCULE_SUPPORTED(MrgSort, half, float);
  const AscendC::LocalTensor<T>* queues[4] = {&list.src1, &list.src2, &list.src3, &list.src4};
  const AscendC::LocalTensor<T>* lowest = nullptr;
  bool as_one = valid == 15 && !suspend;
  for (int i = 0; i < 4; ++i) {
    if ((valid >> i & 1) == 0) continue;
    if (lowest == nullptr || queues[i]->Data() < lowest->Data()) lowest = queues[i];
    const char* expected = reinterpret_cast<const char*>(list.src1.Data()) +
                           i * uint32_t{lengths[0]} * kSortRecordBytes;
    as_one = as_one && lengths[i] == lengths[0] &&
             reinterpret_cast<const char*>(queues[i]->Data()) == expected;
  }
  if (lowest == nullptr) Fail("MrgSort: validBit is 0; it is 3, 7 or 15", site);
  uint32_t offsets[4] = {0, 0, 0, 0};
  uint64_t packed_lengths = 0;
  for (int i = 0; i < 4; ++i) {
    if ((valid >> i & 1) == 0) continue;
    offsets[i] = static_cast<uint32_t>(reinterpret_cast<const char*>(queues[i]->Data()) -
                                       reinterpret_cast<const char*>(lowest->Data()));
    packed_lengths |= uint64_t{lengths[i]} << (16 * i);
  }
  BasculeCore* core = dst.Core();
  VectorCall<T>(BASCULE_OPCODE_kMrgSort, dst, site)
      .Source(*lowest)
      .Scalar(packed_lengths)
      .Mode(valid)
      .Flags(suspend ? BASCULE_MERGE_STOP_AT_END : 0)
      .Extra(0, uint64_t{offsets[1]} << 32 | offsets[0])
      .Extra(1, uint64_t{offsets[3]} << 32 | offsets[2])
      .Extra(BASCULE_EXTRA_RESULT, &core->registers.merged)
      .WholeRepeats(repeats > 1 && !as_one ? 1 : repeats);
}

inline uint32_t SortRepeats(const char* name, int32_t repeatTime, const Site& site) {
  if (repeatTime < 0 || repeatTime > 255) {
    char text[96];
    std::snprintf(text, sizeof(text), "%s: repeatTime is %d; it is limited to 0 to 255", name,
                  static_cast<int>(repeatTime));
    Fail(text, site);
  }
  return static_cast<uint32_t>(repeatTime);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// 32 scores and indices per repeat become 32 records, the highest score first.
template <typename T>
__aicore__ inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                              const LocalTensor<uint32_t>& src1, const int32_t repeatTime,
                              bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Sort32, half, float);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kSort32, dst, site)
      .Source(src0)
      .Source(src1)
      .WholeRepeats(bascule_ascendc::SortRepeats("Sort32", repeatTime, site));
}

// Sorted queues into one.
template <typename T>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src,
                               const MrgSort4Info& params, bascule_ascendc::Site site = {}) {
  bascule_ascendc::MergeQueues(dst, src, params.elementLengths, params.validBit,
                               params.ifExhaustedSuspension, params.repeatTimes, site);
}
// sortedNum: how many records of each queue are in dst.
template <typename T, bool isExhaustedSuspension = false>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
                               const uint16_t elementCountList[4], uint32_t sortedNum[4],
                               uint16_t validBit, const int32_t repeatTime,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::MergeQueues(dst, sortList, elementCountList, validBit, isExhaustedSuspension,
                               bascule_ascendc::SortRepeats("MrgSort", repeatTime, site), site);
  const BasculeRegisters& registers = dst.Core()->registers;
  for (int i = 0; i < 4; ++i) sortedNum[i] = registers.merged[i];
}
// How many records the last MrgSort took of each queue.
__aicore__ inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2,
                                        uint16_t& mrgSortList3, uint16_t& mrgSortList4) {
  const BasculeRegisters& registers = bascule_ascendc::Core()->registers;
  mrgSortList1 = registers.merged[0];
  mrgSortList2 = registers.merged[1];
  mrgSortList3 = registers.merged[2];
  mrgSortList4 = registers.merged[3];
}

// What Sort takes as scores: on Atlas A2 the source itself, so that concat needs no memory of its
// own.
template <typename T>
__aicore__ inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src,
                              const LocalTensor<T>& tmp, const int32_t repeatTime,
                              bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Concat, half, float);
  (void)tmp;
  bascule_ascendc::SortRepeats("Concat", repeatTime, site);
  concat = src;
}

// repeatTime · 32 scores and indices become records: sorted as a whole, or only each 32 of them.
template <typename T, bool isFullSort>
__aicore__ inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat,
                            const LocalTensor<uint32_t>& index, const LocalTensor<T>& tmp,
                            const int32_t repeatTime, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Sort, half, float);
  if (!isFullSort || repeatTime <= 1) {
    Sort32(dst, concat, index, repeatTime, site);
    return;
  }
  const uint32_t repeats = bascule_ascendc::SortRepeats("Sort", repeatTime, site);
  const uint32_t needed =
      repeats * bascule_ascendc::kSortPerRepeat * bascule_ascendc::kSortRecordBytes;
  if (tmp.GetLength() < needed) {
    char text[128];
    std::snprintf(text, sizeof(text), "Sort: tmp has %u bytes and needs %u, 8 per element",
                  static_cast<unsigned>(tmp.GetLength()), static_cast<unsigned>(needed));
    bascule_ascendc::Fail(text, site);
  }
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kSort, dst, site)
      .Source(concat)
      .Source(index)
      .Source(tmp)
      .WholeRepeats(repeats);
}

// Scores and indices of repeatTime · 32 records.
template <typename T>
__aicore__ inline void Extract(const LocalTensor<T>& dstValue,
                               const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
                               const int32_t repeatTime, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Extract, half, float);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kExtract, dstValue, site)
      .Source(dstIndex)
      .Source(sorted)
      .WholeRepeats(bascule_ascendc::SortRepeats("Extract", repeatTime, site));
}

// How many elements of T the records of elemCount elements take, and where the record of an element
// begins.
template <typename T>
__aicore__ inline uint32_t GetSortLen(const uint32_t elemCount) {
  BASCULE_SUPPORTED(GetSortLen, half, float);
  return elemCount * (bascule_ascendc::kSortRecordBytes / static_cast<uint32_t>(sizeof(T)));
}
template <typename T>
__aicore__ inline uint32_t GetSortOffset(const uint32_t elemOffset) {
  BASCULE_SUPPORTED(GetSortOffset, half, float);
  return elemOffset * (bascule_ascendc::kSortRecordBytes / static_cast<uint32_t>(sizeof(T)));
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_SORT_H

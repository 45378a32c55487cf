// Bits of scalars, facts about the core, and global memory element by element past the data cache.
//
// Source: the pages under "标量计算" and "系统资源与变量" of the Ascend C API.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SYSTEM_H
#define BASCULE_ASCENDC_SYSTEM_H

#include "bascule_ascendc/tensor.h"

BASCULE_ASCENDC_BEGIN

// Zeros in front of the first 1; 64 when there is none.
__aicore__ inline int64_t CountLeadingZero(uint64_t valueIn) {
  return valueIn == 0 ? 64 : __builtin_clzll(valueIn);
}
// Bits that are countValue, 0 or 1.
template <int countValue>
__aicore__ inline int64_t GetBitCount(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "GetBitCount: a bit is 0 or 1");
  return __builtin_popcountll(countValue == 1 ? valueIn : ~valueIn);
}
// The lowest bit that is countValue; -1 when none is.
template <int countValue>
__aicore__ inline int64_t GetSFFValue(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "GetSFFValue: a bit is 0 or 1");
  const uint64_t wanted = countValue == 1 ? valueIn : ~valueIn;
  return wanted == 0 ? -1 : __builtin_ctzll(wanted);
}
// Bits behind the sign that are like it, from the highest on; -1 for 0 and -1.
__aicore__ inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
  const uint64_t changes = static_cast<uint64_t>(valueIn < 0 ? ~valueIn : valueIn);
  return changes == 0 ? -1 : __builtin_clzll(changes) - 1;
}
// The same under earlier names.
__aicore__ inline int64_t ScalarCountLeadingZero(uint64_t valueIn) {
  return CountLeadingZero(valueIn);
}
template <int countValue>
__aicore__ inline int64_t ScalarGetCountOfValue(uint64_t valueIn) {
  return GetBitCount<countValue>(valueIn);
}
template <int countValue>
__aicore__ inline int64_t ScalarGetSFFValue(uint64_t valueIn) {
  return GetSFFValue<countValue>(valueIn);
}

// Single elements of global memory. There is no cache to go past; a kernel that polls lets the
// others run.
template <typename T>
__aicore__ inline T ReadGmByPassDCache(__gm__ T* addr, bascule_ascendc::Site site = {}) {
  static_assert(std::is_integral<T>::value, "ReadGmByPassDCache: elements are integers");
  BasculeCore* core = bascule_ascendc::Core();
  core->api->scalar_access(core, BASCULE_GM, addr, sizeof(T), 0, &site);
  core->poll_budget -= 16;
  if (core->poll_budget < 0) core->api->yield(core, &site);
  return *static_cast<volatile T*>(addr);
}
template <typename T>
__aicore__ inline void WriteGmByPassDCache(__gm__ T* addr, T value,
                                           bascule_ascendc::Site site = {}) {
  static_assert(std::is_integral<T>::value, "WriteGmByPassDCache: elements are integers");
  BasculeCore* core = bascule_ascendc::Core();
  core->api->scalar_access(core, BASCULE_GM, addr, sizeof(T), 1, &site);
  *static_cast<volatile T*>(addr) = value;
}

__aicore__ inline constexpr int16_t GetDataBlockSizeInBytes() { return BASCULE_DATABLOCK_BYTES; }
// Atlas A2: 0x220.
__aicore__ inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }
// An address in the code that called.
__attribute__((noinline)) inline int64_t GetProgramCounter() {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(__builtin_return_address(0)));
}
// 0: whatever was to be loaded ahead is there.
__aicore__ inline int64_t GetICachePreloadStatus() { return 0; }

BASCULE_ASCENDC_END

// Bytes of the core's memories that are the kernel's.
constexpr uint64_t ASC_UB_SIZE = 192 * 1024 - 256;
constexpr uint64_t ASC_L1_SIZE = 512 * 1024 - 256;
constexpr uint64_t ASC_L0A_SIZE = 64 * 1024;
constexpr uint64_t ASC_L0B_SIZE = 64 * 1024;
constexpr uint64_t ASC_L0C_SIZE = 128 * 1024;
constexpr uint64_t ASC_BT_SIZE = 1024;

#endif  // BASCULE_ASCENDC_SYSTEM_H

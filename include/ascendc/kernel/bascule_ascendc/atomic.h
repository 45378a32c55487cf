// Copies to global memory that accumulate, and the data cache.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ATOMIC_H
#define BASCULE_ASCENDC_ATOMIC_H

#include "bascule_ascendc/tensor.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T>
void SetAtomic(uint8_t op) {
  BasculeCore* core = Core();
  core->atomic_op = op;
  core->atomic_dtype = TypeNumber<T>::value;
}

template <typename T>
T ScalarAtomic(uint32_t op, __gm__ T* address, T value, T expected, const Site& site) {
  uint64_t value_bits = 0;
  uint64_t expected_bits = 0;
  std::memcpy(&value_bits, &value, sizeof(T));
  std::memcpy(&expected_bits, &expected, sizeof(T));
  BasculeCore* core = Core();
  const uint64_t bits = core->api->scalar_atomic(core, op, TypeNumber<T>::value, address,
                                                 value_bits, expected_bits, &site);
  T before;
  std::memcpy(&before, &bits, sizeof(T));
  return before;
}

template <typename T>
constexpr bool kScalarAtomicType =
    std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, float> ||
    std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>;
template <typename T>
constexpr bool kExchangeType = std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>;

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// From now on copies to global memory add their elements to what is there, or keep the larger or
// smaller, until DisableDmaAtomic (in older sources SetAtomicNone).
template <typename T>
__aicore__ inline void SetAtomicAdd() {
  bascule_ascendc::SetAtomic<T>(BASCULE_ATOMIC_ADD);
}
template <typename T>
__aicore__ inline void SetAtomicMax() {
  bascule_ascendc::SetAtomic<T>(BASCULE_ATOMIC_MAX);
}
template <typename T>
__aicore__ inline void SetAtomicMin() {
  bascule_ascendc::SetAtomic<T>(BASCULE_ATOMIC_MIN);
}
// The element type of an accumulation that is on.
template <typename T>
__aicore__ inline void SetAtomicType() {
  bascule_ascendc::Core()->atomic_dtype = bascule_ascendc::TypeNumber<T>::value;
}
__aicore__ inline void DisableDmaAtomic() {
  bascule_ascendc::Core()->atomic_op = BASCULE_ATOMIC_NONE;
}
__aicore__ inline void SetAtomicNone() { DisableDmaAtomic(); }

// One element of global memory, in one step that no other core comes between; what was there is the
// result. Source: the pages "AtomicAdd" to "AtomicExch".
template <typename T>
__aicore__ inline T AtomicAdd(__gm__ T* address, T value, bascule_ascendc::Site site = {}) {
  static_assert(bascule_ascendc::kScalarAtomicType<T>,
                "AtomicAdd: elements are int32_t, uint32_t, float, int64_t or uint64_t");
  return bascule_ascendc::ScalarAtomic(BASCULE_ATOMIC_ADD, address, value, T(0), site);
}
template <typename T>
__aicore__ inline T AtomicMax(__gm__ T* address, T value, bascule_ascendc::Site site = {}) {
  static_assert(bascule_ascendc::kScalarAtomicType<T>,
                "AtomicMax: elements are int32_t, uint32_t, float, int64_t or uint64_t");
  return bascule_ascendc::ScalarAtomic(BASCULE_ATOMIC_MAX, address, value, T(0), site);
}
template <typename T>
__aicore__ inline T AtomicMin(__gm__ T* address, T value, bascule_ascendc::Site site = {}) {
  static_assert(bascule_ascendc::kScalarAtomicType<T>,
                "AtomicMin: elements are int32_t, uint32_t, float, int64_t or uint64_t");
  return bascule_ascendc::ScalarAtomic(BASCULE_ATOMIC_MIN, address, value, T(0), site);
}
// Puts value2 there if it was value1.
template <typename T>
__aicore__ inline T AtomicCas(__gm__ T* address, T value1, T value2,
                              bascule_ascendc::Site site = {}) {
  static_assert(bascule_ascendc::kExchangeType<T>, "AtomicCas: elements are uint32_t or uint64_t");
  return bascule_ascendc::ScalarAtomic(BASCULE_ATOMIC_COMPARE_EXCHANGE, address, value2, value1,
                                       site);
}
template <typename T>
__aicore__ inline T AtomicExch(__gm__ T* address, T value, bascule_ascendc::Site site = {}) {
  static_assert(bascule_ascendc::kExchangeType<T>, "AtomicExch: elements are uint32_t or uint64_t");
  return bascule_ascendc::ScalarAtomic(BASCULE_ATOMIC_EXCHANGE, address, value, T(0), site);
}

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode : uint8_t {
  CACHE_MODE_DISABLE = 0,
  CACHE_MODE_NORMAL = 1,
  CACHE_MODE_LAST = 2,
  CACHE_MODE_PERSISTENT = 4
};

// Scalar accesses see global memory as it is, so there is nothing to clean; what was written before
// is seen before what is written after. A kernel that polls comes by here and lets the others run.
template <typename T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_OUT>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor,
                                                bascule_ascendc::Site site = {}) {
  BasculeCore* core = tensor.Core();
  __sync_synchronize();
  core->poll_budget -= 16;
  if (core->poll_budget < 0) core->api->yield(core, &site);
}
template <typename T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_OUT>
__aicore__ inline void DataCacheCleanAndInvalid(const LocalTensor<T>& /*tensor*/) {}

// Hints about caches: time, not values.
template <typename T>
__aicore__ inline void DataCachePreload(const GlobalTensor<uint64_t>& /*src*/, const T /*offset*/) {
}
__aicore__ inline void ICachePreLoad(const int64_t /*length*/) {}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_ATOMIC_H

// SPDX-License-Identifier: Apache-2.0
#include "isa/move/accumulate.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/convert.h"
#include "bascule/numeric/half.h"

namespace bascule::isa {
namespace {

// Memory is locked by stretches of this size; accumulations elsewhere go on beside it.
constexpr uint64_t kStretchBytes = 4096;
constexpr size_t kStripes = 256;

class SpinLock {
 public:
  void lock() {
    while (flag_.exchange(true, std::memory_order_acquire)) {
      while (flag_.load(std::memory_order_relaxed)) {
      }
    }
  }
  void unlock() { flag_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> flag_{false};
};

SpinLock stripes[kStripes];

template <typename T>
T Apply(uint32_t op, bool saturate, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (op == BASCULE_ATOMIC_ADD) {
      // Integers of 64 bits, which only scalars are, wrap.
      const uint64_t wrapped = static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
      if (!saturate || sizeof(T) == 8) return static_cast<T>(wrapped);
      const int64_t sum = static_cast<int64_t>(a) + static_cast<int64_t>(b);
      return static_cast<T>(
          std::clamp<int64_t>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    }
    return (op == BASCULE_ATOMIC_MAX) == (a < b) ? b : a;
  } else {
    float result;
    if (op == BASCULE_ATOMIC_ADD) {
      result = float(a) + float(b);
    } else if (a != a || b != b) {
      result = a != a ? float(a) : float(b);
    } else {
      result = op == BASCULE_ATOMIC_MAX ? float(a < b ? b : a) : float(b < a ? b : a);
    }
    if constexpr (std::is_same_v<T, float>) {
      return result;
    } else {
      if (!saturate) return T(result);
      return numeric::Convert<T>(result, numeric::Rounding::kRint, numeric::Overflow::kSaturate);
    }
  }
}

template <typename T>
void Stretch(uint32_t op, bool saturate, char* to, const char* from, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T a;
    T b;
    std::memcpy(static_cast<void*>(&a), to + at, sizeof(T));
    std::memcpy(static_cast<void*>(&b), from + at, sizeof(T));
    a = Apply(op, saturate, a, b);
    std::memcpy(to + at, static_cast<const void*>(&a), sizeof(T));
  }
}

void StretchOf(const RunOptions& options, char* to, const char* from, uint64_t bytes) {
  const uint32_t op = options.atomic_op;
  const bool saturate = options.saturate;
  switch (options.atomic_dtype) {
    case BASCULE_FLOAT:
      return Stretch<float>(op, saturate, to, from, bytes);
    case BASCULE_FLOAT16:
      return Stretch<half_t>(op, saturate, to, from, bytes);
    case BASCULE_BFLOAT16:
      return Stretch<bfloat16_t>(op, saturate, to, from, bytes);
    case BASCULE_INT8:
      return Stretch<int8_t>(op, saturate, to, from, bytes);
    case BASCULE_INT16:
      return Stretch<int16_t>(op, saturate, to, from, bytes);
    default:
      return Stretch<int32_t>(op, saturate, to, from, bytes);
  }
}

}  // namespace

bool CanAccumulate(BasculeDType dtype) {
  constexpr BasculeDType kTypes[] = {BASCULE_FLOAT, BASCULE_FLOAT16, BASCULE_BFLOAT16,
                                     BASCULE_INT8,  BASCULE_INT16,   BASCULE_INT32};
  return std::find(std::begin(kTypes), std::end(kTypes), dtype) != std::end(kTypes);
}

void Accumulate(const RunOptions& options, char* to, const char* from, uint64_t bytes) {
  while (bytes != 0) {
    const uint64_t address = reinterpret_cast<uint64_t>(to);
    const uint64_t part = std::min(bytes, kStretchBytes - address % kStretchBytes);
    SpinLock& lock = stripes[address / kStretchBytes % kStripes];
    lock.lock();
    StretchOf(options, to, from, part);
    lock.unlock();
    to += part;
    from += part;
    bytes -= part;
  }
}

namespace {

template <typename T>
uint64_t ScalarStep(uint32_t op, char* at, uint64_t value_bits, uint64_t expected_bits) {
  T before;
  T value;
  std::memcpy(&before, at, sizeof(T));
  std::memcpy(&value, &value_bits, sizeof(T));
  uint64_t bits = 0;
  std::memcpy(&bits, &before, sizeof(T));
  if (op == BASCULE_ATOMIC_COMPARE_EXCHANGE && bits != expected_bits) return bits;
  if (op <= BASCULE_ATOMIC_MIN) value = Apply(op, false, before, value);
  std::memcpy(at, &value, sizeof(T));
  return bits;
}

}  // namespace

uint64_t ScalarAtomic(uint32_t op, BasculeDType dtype, char* at, uint64_t value,
                      uint64_t expected) {
  SpinLock& lock = stripes[reinterpret_cast<uint64_t>(at) / kStretchBytes % kStripes];
  const std::lock_guard<SpinLock> guard(lock);
  switch (dtype) {
    case BASCULE_FLOAT:
      return ScalarStep<float>(op, at, value, expected);
    case BASCULE_INT32:
      return ScalarStep<int32_t>(op, at, value, expected);
    case BASCULE_UINT32:
      return ScalarStep<uint32_t>(op, at, value, expected);
    case BASCULE_INT64:
      return ScalarStep<int64_t>(op, at, value, expected);
    default:
      return ScalarStep<uint64_t>(op, at, value, expected);
  }
}

}  // namespace bascule::isa

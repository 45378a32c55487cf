// The bytes that tiling hands to the kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_DATA_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_DATA_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "bascule_host_base.h"
#include "graph/ge_error_codes.h"

namespace gert {

class TilingData {
 public:
  BASCULE_HIDDEN explicit TilingData(BasculeHostCall* call) : call_(call) {}
  // Memory of one with room for so many bytes. The object is at its beginning.
  BASCULE_HIDDEN static std::unique_ptr<uint8_t[]> CreateCap(size_t capacity) {
    constexpr size_t kAlignment = 64;
    constexpr size_t kHead = (sizeof(TilingData) + 15) / 16 * 16;
    constexpr size_t kCall = (sizeof(BasculeHostCall) + 15) / 16 * 16;
    std::unique_ptr<uint8_t[]> memory(new uint8_t[kHead + kCall + kAlignment + capacity]());
    auto* const call = new (memory.get() + kHead) BasculeHostCall();
    const auto data = reinterpret_cast<uintptr_t>(memory.get() + kHead + kCall);
    const size_t past = (kAlignment - data % kAlignment) % kAlignment;
    call->tiling_data = memory.get() + kHead + kCall + past;
    call->tiling_capacity = static_cast<uint32_t>(capacity);
    new (memory.get()) TilingData(call);
    return memory;
  }

  BASCULE_HIDDEN void* GetData() { return call_->tiling_data; }
  BASCULE_HIDDEN const void* GetData() const { return call_->tiling_data; }
  BASCULE_HIDDEN size_t GetCapacity() const { return call_->tiling_capacity; }
  BASCULE_HIDDEN size_t GetDataSize() const { return call_->tiling_bytes; }
  BASCULE_HIDDEN void SetDataSize(size_t bytes) {
    if (bytes > GetCapacity()) TooLarge(bytes);
    call_->tiling_bytes = bytes;
  }

  template <typename T,
            typename std::enable_if<std::is_trivially_copyable<T>::value, int>::type = 0>
  BASCULE_HIDDEN ge::graphStatus Append(const T& value) {
    return Append(&value, 1);
  }
  template <typename T>
  BASCULE_HIDDEN ge::graphStatus Append(const T* values, size_t count) {
    const size_t bytes = sizeof(T) * count;
    const size_t begin = GetDataSize();
    if (bytes > GetCapacity() - begin) return ge::GRAPH_FAILED;
    std::memcpy(static_cast<char*>(GetData()) + begin, values, bytes);
    SetDataSize(begin + bytes);
    return ge::GRAPH_SUCCESS;
  }

 private:
  [[noreturn]] BASCULE_HIDDEN void TooLarge(size_t bytes) const {
    throw bascule_host::HostError("the tiling data has " + std::to_string(bytes) +
                                  " bytes; there is room for " + std::to_string(GetCapacity()));
  }

  BasculeHostCall* call_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_DATA_H_

// Tiling data and the tiling key in a kernel. The data are plain structures that host and kernel
// share; the key is a number by which the host chooses a branch of the kernel.
//
// On an NPU there is one compile per key; here one compile serves all keys, and the branch is
// chosen while the kernel runs. Source: the pages under "Kernel Tiling" of the Ascend C API.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_H
#define BASCULE_ASCENDC_TILING_H

#include "bascule_ascendc/core.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// How many bytes there are from `tiling` to the end of the tiling data.
inline size_t TilingBytes(BasculeCore* core, const void* tiling) {
  BasculeRange range;
  core->api->resolve_global(core, tiling, &range);
  return range.end == nullptr ? 0
                              : static_cast<size_t>(static_cast<const char*>(range.end) -
                                                    static_cast<const char*>(tiling));
}

// The structure where it lies. The host may have written less than the kernel reads only when the
// two disagree on the structure.
template <typename T>
const T* TilingPointer(const void* tiling, const Site& site = Site()) {
  static_assert(std::is_trivially_copyable<T>::value, "tiling data has to be a plain structure");
  BasculeCore* core = Core();
  const size_t there = TilingBytes(core, tiling);
  if (there == 0 && tiling != nullptr)
    core->api->fail_read(core, "GET_TILING_DATA", tiling, sizeof(T), &site);
  if (there < sizeof(T)) {
    char text[256];
    std::snprintf(
        text, sizeof(text),
        "GET_TILING_DATA: the kernel reads %zu bytes of tiling data, the host wrote %zu; do both "
        "sides see the same structure?",
        sizeof(T), there);
    Fail(text, site);
  }
  return static_cast<const T*>(tiling);
}

// Copied byte by byte: the address need not be aligned for T.
template <typename T>
T ReadTiling(const void* tiling, const Site& site = Site()) {
  T out;
  std::memcpy(static_cast<void*>(&out), TilingPointer<T>(tiling, site), sizeof(T));
  return out;
}

template <typename... Keys>
bool TilingKeyIs(Keys... keys) {
  const uint64_t key = Core()->tiling_key;
  return ((key == static_cast<uint64_t>(keys)) || ...);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

// The structure that GET_TILING_DATA means. A key may be given one of its own, and
// GET_TILING_DATA_WITH_STRUCT names it where it is read.
#define REGISTER_TILING_DEFAULT(Struct) using BasculeDefaultTiling [[maybe_unused]] = Struct
#define REGISTER_TILING_FOR_TILINGKEY(condition, Struct)                              \
  static_assert(sizeof(condition) > 1 && sizeof(Struct) != 0,                         \
                "REGISTER_TILING_FOR_TILINGKEY takes a condition on TILING_KEY_VAR, " \
                "as text, and a structure")
// The kernel is called with tiling data of a structure that is not known here.
#define REGISTER_NONE_TILING static_assert(true, "")

#define GET_TILING_DATA_WITH_STRUCT(Struct, name, address) \
  Struct name = bascule_ascendc::ReadTiling<Struct>(address)
#define GET_TILING_DATA(name, address) \
  GET_TILING_DATA_WITH_STRUCT(BasculeDefaultTiling, name, address)
// One member where the data lie, which must not be written; and a pointer to a copy of all, which
// may be, and lives as long as the block it stands in.
#define GET_TILING_DATA_MEMBER(Struct, member, name, address) \
  const auto& name = bascule_ascendc::TilingPointer<Struct>(address)->member
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, address)          \
  GET_TILING_DATA_WITH_STRUCT(Struct, bascule_data_of_##name, address); \
  __tiling_data_ptr__ Struct* const name = &bascule_data_of_##name
// A copy of what such a pointer leads to, a structure or an array, and a pointer to the copy.
#define COPY_TILING_WITH_STRUCT(Struct, source, name) \
  Struct bascule_copy_of_##name = source;             \
  Struct* const name = &bascule_copy_of_##name
#define COPY_TILING_WITH_ARRAY(Type, count, source, name)                                          \
  Type bascule_copy_of_##name[count];                                                              \
  static_assert(sizeof(bascule_copy_of_##name) <= sizeof(source), "the array has fewer elements"); \
  std::memcpy(bascule_copy_of_##name, source, sizeof(bascule_copy_of_##name));                     \
  Type(*const name)[count] = &bascule_copy_of_##name

// True in a launch for which the host chose this key, or one of these.
#define TILING_KEY_IS(key) bascule_ascendc::TilingKeyIs(key)
#define TILING_KEY_LIST(...) bascule_ascendc::TilingKeyIs(__VA_ARGS__)

#endif  // BASCULE_ASCENDC_TILING_H

// Tiling data in a kernel: plain structures that host and kernel share.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_H
#define BASCULE_ASCENDC_TILING_H

#include "bascule_ascendc/core.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// Copies the structure out of global memory. The host may have written less than the kernel reads
// only when the two disagree on the structure.
template <typename T>
T ReadTiling(const void* tiling, const Site& site) {
  static_assert(std::is_trivially_copyable<T>::value, "tiling data has to be a plain structure");
  BasculeCore* core = Core();
  BasculeRange range;
  core->api->resolve_global(core, tiling, &range);
  const size_t there = range.end == nullptr
                           ? 0
                           : static_cast<size_t>(static_cast<const char*>(range.end) -
                                                 static_cast<const char*>(tiling));
  if (there < sizeof(T)) {
    char text[256];
    std::snprintf(
        text, sizeof(text),
        "GET_TILING_DATA: the kernel reads %zu bytes of tiling data, the host wrote %zu; do both "
        "sides see the same structure?",
        sizeof(T), there);
    Fail(text, site);
  }
  T out;
  std::memcpy(&out, tiling, sizeof(T));
  return out;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#define REGISTER_TILING_DEFAULT(Struct) using BasculeDefaultTiling [[maybe_unused]] = Struct
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, address) \
  const Struct name = bascule_ascendc::ReadTiling<Struct>(address, bascule_ascendc::Site())
#define GET_TILING_DATA(name, address) \
  GET_TILING_DATA_WITH_STRUCT(BasculeDefaultTiling, name, address)

// Which kinds of core a kernel uses; vector cores unless it says otherwise.
#define KERNEL_TYPE_AIV_ONLY 0
#define KERNEL_TASK_TYPE_DEFAULT(type) \
  static_assert((type) == KERNEL_TYPE_AIV_ONLY, "this version runs kernels of vector cores only")

#endif  // BASCULE_ASCENDC_TILING_H

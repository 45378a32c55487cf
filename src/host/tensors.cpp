// SPDX-License-Identifier: Apache-2.0
#include "host/tensors.h"

#include <algorithm>

#include "base/dtype.h"
#include "base/error.h"

namespace bascule::host {
namespace {

// Copies between a strided tensor and dense memory, element by element in row-major order.
template <bool pack>
void CopyStrided(const BasculeTensor& tensor, char* dense) {
  std::array<int64_t, BASCULE_MAX_RANK> index{};
  const int32_t rank = tensor.ndim;
  int64_t total = 1;
  for (int32_t d = 0; d < rank; ++d) total *= tensor.shape[d];
  const uint64_t element_bytes = tensor.dtype_bits / 8u;
  char* at = DataOf(tensor);
  for (int64_t n = 0; n < total; ++n) {
    if (pack) {
      std::memcpy(dense, at, element_bytes);
    } else {
      std::memcpy(at, dense, element_bytes);
    }
    dense += element_bytes;
    for (int32_t d = rank; d-- > 0;) {
      at += tensor.strides[d] * static_cast<int64_t>(element_bytes);
      if (++index[static_cast<size_t>(d)] < tensor.shape[d]) break;
      at -= tensor.strides[d] * tensor.shape[d] * static_cast<int64_t>(element_bytes);
      index[static_cast<size_t>(d)] = 0;
    }
  }
}

}  // namespace

Memory Allocate(uint64_t bytes, const char* name, const char* what) {
  const uint64_t rounded = (std::max<uint64_t>(bytes, 1) + 63) / 64 * 64;
  Memory memory(static_cast<char*>(std::aligned_alloc(64, rounded)));
  if (memory == nullptr) {
    throw Error(BASCULE_OUT_OF_MEMORY,
                Join(name, ": no memory for ", bytes, " bytes of ", what, "."));
  }
  return memory;
}

BasculeTensorInfo DescribeTensor(const BasculeTensor& tensor, std::string (*subject)(const void*),
                                 const void* closure) {
  BasculeTensorInfo info = {};
  if (tensor.device_type != 1) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(subject(closure), " is on a device of DLPack type ", tensor.device_type,
                     "; bascule works on the CPU. Move it there first."));
  }
  if (tensor.ndim < 0 || tensor.ndim > BASCULE_MAX_RANK) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(subject(closure), " has ", tensor.ndim, " dimensions; 0 to ", BASCULE_MAX_RANK,
                     " are possible."));
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(subject(closure), " has dimensions and no shape."));
  }
  const DTypeInfo* dtype = FindDTypeByDlpack(tensor.dtype_code, tensor.dtype_bits);
  if (dtype == nullptr || tensor.dtype_lanes != 1) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(subject(closure), " has an element type bascule does not know (DLPack code ",
                     int{tensor.dtype_code}, ", ", int{tensor.dtype_bits}, " bits, ",
                     tensor.dtype_lanes, " lanes)."));
  }
  info.present = 1;
  info.dtype = dtype->dtype;
  info.format = BASCULE_FORMAT_ND;
  info.shape.rank = tensor.ndim;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    if (tensor.shape[d] < 0) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(subject(closure), " has the negative dimension ", tensor.shape[d], "."));
    }
    info.shape.dims[d] = tensor.shape[d];
  }
  return info;
}

bool Dense(const BasculeTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t expected = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] == 0) return true;
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected) return false;
    expected *= tensor.shape[d];
  }
  return true;
}

void Pack(const BasculeTensor& tensor, uint64_t bytes, char* dense) {
  if (Dense(tensor)) {
    if (bytes != 0) std::memcpy(dense, DataOf(tensor), bytes);
  } else {
    CopyStrided<true>(tensor, dense);
  }
}

void Unpack(const char* dense, uint64_t bytes, const BasculeTensor& tensor) {
  if (Dense(tensor)) {
    if (bytes != 0) std::memcpy(DataOf(tensor), dense, bytes);
  } else {
    CopyStrided<false>(tensor, const_cast<char*>(dense));
  }
}

const char* ArgumentName(uint32_t position) {
  constexpr uint32_t kNamed = 64;
  static const std::array<std::string, kNamed + 1> names = [] {
    std::array<std::string, kNamed + 1> made;
    for (uint32_t i = 0; i <= kNamed; ++i) made[i] = Join("argument ", i);
    return made;
  }();
  return position <= kNamed ? names[position].c_str() : "an argument";
}

std::pair<uint64_t, uint64_t> Reach(const BasculeTensor& tensor, uint64_t bytes) {
  const uint64_t base = reinterpret_cast<uint64_t>(DataOf(tensor));
  if (bytes == 0) return {base, base};
  if (tensor.strides == nullptr) return {base, base + bytes};
  int64_t low = 0;
  int64_t high = 0;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    const int64_t extent = (tensor.shape[d] - 1) * tensor.strides[d];
    (extent < 0 ? low : high) += extent;
  }
  const int64_t size = tensor.dtype_bits / 8;
  return {base + static_cast<uint64_t>(low * size),
          base + static_cast<uint64_t>(high * size + size)};
}

// A C function may be called with more arguments than it takes; the calling conventions of x86-64
// and AArch64 leave the rest alone. So three shapes serve all kernels.
void Invoke(const void* closure) {
  const KernelCall& call = *static_cast<const KernelCall*>(closure);
  void* const* a = call.arguments;
  using P = void*;
  if (call.count <= 8) {
    reinterpret_cast<void (*)(P, P, P, P, P, P, P, P)>(call.entry)(a[0], a[1], a[2], a[3], a[4],
                                                                   a[5], a[6], a[7]);
  } else if (call.count <= 16) {
    reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P)>(call.entry)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
        a[14], a[15]);
  } else {
    reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
                              P, P, P, P, P, P, P, P, P)>(call.entry)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
        a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26],
        a[27], a[28], a[29], a[30], a[31]);
  }
}

}  // namespace bascule::host

// SPDX-License-Identifier: Apache-2.0
#include "host/tensors.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "host/strided.h"

namespace bascule::host {
namespace {

// The table's row of a DLPack type without a search.
const DTypeInfo* FindDTypeOf(const BasculeTensor& tensor) {
  constexpr size_t kCodes = 8;
  constexpr size_t kBits = 65;
  static const auto* const table = [] {
    auto* const made = new std::array<std::array<const DTypeInfo*, kBits>, kCodes>{};
    size_t count = 0;
    const DTypeInfo* const all = AllDTypes(&count);
    for (size_t i = 0; i < count; ++i) (*made)[all[i].dlpack_code][all[i].bits] = &all[i];
    return made;
  }();
  if (tensor.dtype_code >= kCodes || tensor.dtype_bits >= kBits) return nullptr;
  return (*table)[tensor.dtype_code][tensor.dtype_bits];
}

[[noreturn]] void Refuse(const std::string& text) { throw Error(BASCULE_INVALID_ARGUMENT, text); }

// The value at `from`, `count` times.
template <typename Word>
void Repeat(const char* from, char* to, int64_t count) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  std::fill_n(reinterpret_cast<Word*>(to), count, word);
}

template <typename Word, bool kPack>
void CopyRow(char* strided, int64_t stride_bytes, char* dense, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (kPack) {
      std::memcpy(dense, strided, sizeof(Word));
    } else {
      std::memcpy(strided, dense, sizeof(Word));
    }
    strided += stride_bytes;
    dense += sizeof(Word);
  }
}

template <typename Word, bool kPack>
void Copy(const Operand& operand, char* dense) {
  const Strided strided(*operand.tensor);
  const auto bytes = static_cast<int64_t>(sizeof(Word));
  strided.Rows([&](int64_t offset, int64_t count, int64_t stride_bytes) {
    char* const row = operand.data + offset;
    if (stride_bytes == bytes) {
      std::memcpy(kPack ? dense : row, kPack ? row : dense, static_cast<size_t>(count * bytes));
    } else if (kPack && stride_bytes == 0) {
      Repeat<Word>(row, dense, count);
    } else {
      CopyRow<Word, kPack>(row, stride_bytes, dense, count);
    }
    dense += count * bytes;
    return true;
  });
}

template <bool kPack>
void CopyOfAnySize(const Operand& operand, char* dense) {
  if (operand.count == 0) return;
  switch (operand.dtype->bits) {
    case 16:
      return Copy<uint16_t, kPack>(operand, dense);
    case 32:
      return Copy<uint32_t, kPack>(operand, dense);
    case 64:
      return Copy<uint64_t, kPack>(operand, dense);
    default:
      return Copy<uint8_t, kPack>(operand, dense);
  }
}

// Which bytes of a range some elements lie in.
class Bytes {
 public:
  Bytes(uint64_t begin, uint64_t end) : begin_(begin), end_(end), words_((end - begin + 63) / 64) {}

  // Marks the bytes of all elements that are in the range. False: one was marked before, for other
  // elements or these.
  bool Mark(const Operand& operand) {
    return Visit(operand, [](uint64_t& word, uint64_t bit) {
      const bool fresh = (word & bit) == 0;
      word |= bit;
      return fresh;
    });
  }
  bool HasNone(const Operand& operand) {
    return Visit(operand, [](uint64_t& word, uint64_t bit) { return (word & bit) == 0; });
  }

 private:
  template <typename Each>
  bool Visit(const Operand& operand, Each each) {
    const auto element_bytes = static_cast<uint64_t>(std::max(operand.dtype->bits / 8, 1u));
    return Strided(*operand.tensor).Rows([&](int64_t offset, int64_t count, int64_t stride_bytes) {
      uint64_t element = reinterpret_cast<uint64_t>(operand.data) + static_cast<uint64_t>(offset);
      for (int64_t i = 0; i < count; ++i) {
        for (uint64_t at = element; at < element + element_bytes; ++at) {
          if (at < begin_ || at >= end_) continue;
          if (!each(words_[(at - begin_) / 64], uint64_t{1} << ((at - begin_) % 64))) return false;
        }
        element += static_cast<uint64_t>(stride_bytes);
      }
      return true;
    });
  }

  const uint64_t begin_;
  const uint64_t end_;
  std::vector<uint64_t> words_;
};

}  // namespace

Strided::Strided(const BasculeTensor& tensor)
    : element_bytes_(std::max<int64_t>(tensor.dtype_bits / 8, 1)) {
  int64_t dense_stride = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    const int64_t size = tensor.shape[d];
    const int64_t stride =
        (tensor.strides != nullptr ? tensor.strides[d] : dense_stride) * element_bytes_;
    dense_stride *= size;
    if (size == 1) continue;
    // Built from the inside, so the last one added is the next inner one.
    if (rank_ != 0 && stride == sizes_[static_cast<size_t>(rank_ - 1)] *
                                    strides_[static_cast<size_t>(rank_ - 1)]) {
      sizes_[static_cast<size_t>(rank_ - 1)] *= size;
      continue;
    }
    sizes_[static_cast<size_t>(rank_)] = size;
    strides_[static_cast<size_t>(rank_)] = stride;
    ++rank_;
  }
  std::reverse(sizes_.begin(), sizes_.begin() + rank_);
  std::reverse(strides_.begin(), strides_.begin() + rank_);
}

Memory Allocate(uint64_t bytes, const char* name, const char* what) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  const uint64_t rounded = (std::clamp<uint64_t>(bytes, 1, kMost) + 63) / 64 * 64;
  Memory memory(static_cast<char*>(std::aligned_alloc(64, rounded)));
  if (memory == nullptr) {
    throw Error(BASCULE_OUT_OF_MEMORY,
                Join(name, ": no memory for ", bytes, " bytes of ", what, "."));
  }
  return memory;
}

void Examine(const BasculeTensor& tensor, Operand* operand, std::string (*subject)(const void*),
             const void* closure) {
  if (tensor.device_type != 1) [[unlikely]] {
    Refuse(Join(subject(closure), " is on a device of DLPack type ", tensor.device_type,
                "; bascule works on the CPU. Move it there first."));
  }
  if (tensor.ndim < 0 || tensor.ndim > BASCULE_MAX_RANK) [[unlikely]] {
    Refuse(Join(subject(closure), " has ", tensor.ndim, " dimensions; 0 to ", BASCULE_MAX_RANK,
                " are possible."));
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) [[unlikely]] {
    Refuse(Join(subject(closure), " has dimensions and no shape."));
  }
  const DTypeInfo* const dtype = FindDTypeOf(tensor);
  if (dtype == nullptr || tensor.dtype_lanes != 1) [[unlikely]] {
    Refuse(Join(subject(closure), " has an element type bascule does not know (DLPack code ",
                int{tensor.dtype_code}, ", ", int{tensor.dtype_bits}, " bits, ", tensor.dtype_lanes,
                " lanes)."));
  }
  int64_t count = 1;
  int64_t low = 0;   // of the first and the last element, in elements from the first of all
  int64_t high = 0;  // indices
  int64_t dense_stride = 1;
  bool dense = true;
  bool fits = true;
  bool empty = false;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    const int64_t size = tensor.shape[d];
    if (size < 0) [[unlikely]] {
      Refuse(Join(subject(closure), " has the negative dimension ", size, "."));
    }
    empty |= size == 0;
    // A size beyond 64 bits is one also where another dimension is 0: nobody means it.
    fits &= !__builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count);
    if (tensor.strides == nullptr || size <= 1) continue;
    const int64_t stride = tensor.strides[d];
    dense &= stride == dense_stride;
    dense_stride = count;
    int64_t extent = 0;
    int64_t& side = stride < 0 ? low : high;
    fits &= !__builtin_mul_overflow(size - 1, stride, &extent) &&
            !__builtin_add_overflow(side, extent, &side);
  }
  if (tensor.strides == nullptr) high = count - 1;
  constexpr int64_t kMost = INT64_MAX / 64;  // so that a size in bits is a number, too
  if (!fits || count > kMost || low < -kMost || high > kMost) [[unlikely]] {
    Refuse(Join(subject(closure), " has ",
                !fits || count > kMost ? "a size that is no 64-bit number of bytes."
                                       : "strides that lead out of the address space."));
  }
  const uint64_t start = reinterpret_cast<uint64_t>(tensor.data);
  operand->tensor = &tensor;
  operand->packed = nullptr;
  operand->dtype = dtype;
  operand->data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  operand->count = empty ? 0 : static_cast<uint64_t>(count);
  operand->bytes = (operand->count * dtype->bits + 7) / 8;
  operand->begin = operand->end = start + tensor.byte_offset;
  operand->dense = true;
  if (empty) return;
  if (tensor.data == nullptr) [[unlikely]]
    Refuse(Join(subject(closure), " has no data."));
  if (dtype->bits < 8) {
    if (!dense) {
      Refuse(Join(subject(closure), " is ", dtype->name,
                  " and has strides; two of its elements share a byte, so it has to be dense."));
    }
    operand->end = operand->begin + operand->bytes;
  } else {
    const int64_t element_bytes = dtype->bits / 8;
    operand->begin += static_cast<uint64_t>(low * element_bytes);
    operand->end += static_cast<uint64_t>((high + 1) * element_bytes);
    operand->dense =
        dense &&
        reinterpret_cast<uint64_t>(operand->data) % static_cast<uint64_t>(element_bytes) == 0;
  }
  const uint64_t first = start + tensor.byte_offset;
  if (first < start || operand->begin > first || operand->end <= operand->begin) [[unlikely]] {
    Refuse(Join(subject(closure), " has strides that lead out of the address space."));
  }
  // On x86-64 and AArch64 this bit of a program's addresses is 0, whatever tags lie above it.
  constexpr uint64_t kNoProgram = uint64_t{1} << 55;
  if (((operand->begin | (operand->end - 1)) & kNoProgram) != 0) [[unlikely]] {
    Refuse(Join(subject(closure), " lies at an address that no program has; is its byte_offset ",
                tensor.byte_offset, " meant?"));
  }
}

BasculeTensorInfo InfoOf(const Operand& operand) {
  BasculeTensorInfo info = {};
  info.dtype = -1;
  if (operand.tensor == nullptr) return info;
  info.present = 1;
  info.dtype = operand.dtype->dtype;
  info.format = BASCULE_FORMAT_ND;
  info.shape.rank = operand.tensor->ndim;
  std::copy_n(operand.tensor->shape, operand.tensor->ndim, info.shape.dims);
  return info;
}

void AddTo(registry::PlanKey& key, const Operand& operand) {
  if (operand.tensor == nullptr) return key.AddAbsent();
  key.AddTensor(operand.dtype->dtype, BASCULE_FORMAT_ND, operand.tensor->ndim,
                operand.tensor->shape);
}

void Pack(const Operand& operand, char* dense) {
  if (operand.dense) {
    if (operand.bytes != 0) std::memcpy(dense, operand.data, operand.bytes);
  } else {
    CopyOfAnySize<true>(operand, dense);
  }
}

void Unpack(const char* dense, const Operand& operand) {
  if (operand.dense) {
    if (operand.bytes != 0) std::memcpy(operand.data, dense, operand.bytes);
  } else {
    CopyOfAnySize<false>(operand, const_cast<char*>(dense));
  }
}

bool Meet(const Operand& a, const Operand& b) {
  const uint64_t begin = std::max(a.begin, b.begin);
  const uint64_t end = std::min(a.end, b.end);
  if (begin >= end) return false;
  if (a.dense && b.dense) return true;
  // Columns of one matrix, say: the elements of one lie between those of the other.
  Bytes bytes(begin, end);
  bytes.Mark(a);
  return !bytes.HasNone(b);
}

bool MeetsItself(const Operand& operand) {
  if (operand.dense) return false;
  // Enough, and nearly always so: each dimension steps over all that the smaller ones reach.
  const Strided strided(*operand.tensor);
  std::array<std::pair<int64_t, int64_t>, BASCULE_MAX_RANK> steps;  // stride, size
  for (int32_t d = 0; d < strided.rank(); ++d) {
    const int64_t stride = strided.stride_bytes(d);
    steps[static_cast<size_t>(d)] = {stride < 0 ? -stride : stride, strided.size(d)};
  }
  std::sort(steps.begin(), steps.begin() + strided.rank());
  int64_t reached = strided.element_bytes();
  bool apart = true;
  for (int32_t d = 0; d < strided.rank(); ++d) {
    const auto [stride, size] = steps[static_cast<size_t>(d)];
    apart = apart && stride >= reached;
    reached += stride * (size - 1);
  }
  if (apart) return false;
  if (strided.rank() != 0 && steps[0].first < strided.element_bytes()) return true;
  return !Bytes(operand.begin, operand.end).Mark(operand);
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

void CheckOwnMemory(const char* name, std::span<const Operand> operands) {
  const size_t last = operands.size() - 1;
  const Operand& output = operands[last];
  if (output.bytes == 0) return;
  const auto subject = [&] {
    return Join(name, ": ", ArgumentName(static_cast<uint32_t>(last) + 1), ", an output,");
  };
  if (MeetsItself(output)) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(subject(),
                     " has several elements in the same memory (an expanded dimension, say); an "
                     "output needs memory for each."));
  }
  for (size_t j = 0; j < last; ++j) {
    if (operands[j].bytes == 0 || !Meet(output, operands[j])) continue;
    throw Error(BASCULE_INVALID_ARGUMENT, Join(subject(), " overlaps argument ", j + 1,
                                               " in memory; an output needs memory of its own."));
  }
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

// LocalTensor and GlobalTensor: a pointer, how far it may be followed, and the core it belongs to,
// so that single elements are read and written without a call. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TENSOR_H
#define BASCULE_ASCENDC_TENSOR_H

#include "bascule_ascendc/shape_info.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr uint8_t MemoryOf(AscendC::TPosition position) {
  switch (position) {
    case AscendC::TPosition::VECIN:
    case AscendC::TPosition::VECOUT:
    case AscendC::TPosition::VECCALC:
      return BASCULE_UB;
    case AscendC::TPosition::A1:
    case AscendC::TPosition::B1:
    case AscendC::TPosition::C1:
    case AscendC::TPosition::TSCM:
      return BASCULE_L1;
    case AscendC::TPosition::A2:
      return BASCULE_L0A;
    case AscendC::TPosition::B2:
      return BASCULE_L0B;
    case AscendC::TPosition::C2:
      return BASCULE_BT;
    case AscendC::TPosition::CO1:
      return BASCULE_L0C;
    case AscendC::TPosition::C2PIPE2GM:
      return BASCULE_FB;
    default:
      return BASCULE_GM;
  }
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Elements in an on-chip memory. Offsets and sizes are in elements. Copies share the memory.
template <typename T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() = default;
  // `count` elements at a hardware address of the position's memory; the kernel sees to it that
  // nobody else uses them.
  LocalTensor(TPosition position, uint32_t address, uint32_t count)
      : core_(bascule_ascendc::Core()),
        count_(count),
        memory_(bascule_ascendc::MemoryOf(position)),
        position_(static_cast<uint8_t>(position)) {
    char* begin = static_cast<char*>(core_->memory_begin[memory_]);
    data_ = reinterpret_cast<T*>(begin + address);
    limit_ = static_cast<char*>(core_->memory_end[memory_]);
  }
  // As above, up to the end of the memory.
  LocalTensor(uint32_t address) : LocalTensor(TPosition::VECCALC, address, 0) {
    count_ = static_cast<uint32_t>((limit_ - reinterpret_cast<char*>(data_)) / sizeof(T));
  }

  T GetValue(uint32_t index, bascule_ascendc::Site site = {}) const {
    T* at = data_ + index;
    Check(at, false, site.file, site.line);
    return *at;
  }
  template <typename U>
  void SetValue(uint32_t index, U value, bascule_ascendc::Site site = {}) const {
    T* at = data_ + index;
    Check(at, true, site.file, site.line);
    *at = static_cast<T>(value);
  }
  T& operator()(uint32_t index) const {
    T* at = data_ + index;
    Check(at, true, nullptr, 0);
    HandOut();
    return *at;
  }
  // What `dst = src0 + src1` and the like mean; the operators are in operators.h.
  template <typename Expression, typename = typename Expression::TensorExpressionTag>
  LocalTensor& operator=(const Expression& expression) {
    expression.Into(*this);
    return *this;
  }
  LocalTensor operator[](uint32_t offset) const {
    LocalTensor part = *this;
    part.data_ = bascule_ascendc::Advance(data_, offset);
    part.count_ = offset < count_ ? count_ - offset : 0;
    return part;
  }
  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> view;
    view.data_ = reinterpret_cast<U*>(data_);
    view.count_ = static_cast<uint32_t>(count_ * bascule_ascendc::ElementBits<T> /
                                        bascule_ascendc::ElementBits<U>);
    view.limit_ = limit_;
    view.core_ = core_;
    view.memory_ = memory_;
    view.position_ = position_;
    return view;
  }
  uint32_t GetSize() const { return count_; }
  // The TPosition the tensor was made for, as a number.
  int32_t GetPosition() const { return position_; }
  // A number of the kernel's own, kept for what lies at this address until many others have been.
  void SetUserTag(const TTagType tag) const { bascule_ascendc::Shapes::SetTag(data_, tag); }
  TTagType GetUserTag() const { return bascule_ascendc::Shapes::GetTag(data_); }
  // This tensor becomes the part of `src` that begins `offset` of its elements on.
  template <typename S>
  void SetAddrWithOffset(LocalTensor<S>& src, uint32_t offset) {
    *this = src[offset].template ReinterpretCast<T>();
  }
  // `count` elements are the tensor's from now on.
  void SetBufferLen(uint32_t count) { count_ = count; }
  void SetShapeInfo(const ShapeInfo& shape) const { bascule_ascendc::Shapes::Set(data_, shape); }
  ShapeInfo GetShapeInfo() const { return bascule_ascendc::Shapes::Get(data_); }
  uint32_t GetLength() const {
    return static_cast<uint32_t>(count_ * bascule_ascendc::ElementBits<T> / 8);
  }
  void SetSize(uint32_t count) { count_ = count; }
  // The hardware address: the offset in the on-chip memory.
  uint64_t GetPhyAddr(uint32_t offset = 0) const {
    HandOut();
    return reinterpret_cast<uint64_t>(bascule_ascendc::Advance(data_, offset));
  }

  // To standard output, a datablock a line.
  void Print() const { Print(count_); }
  void Print(uint32_t len) const {
    constexpr uint32_t kLine = BASCULE_DATABLOCK_BYTES / sizeof(T);
    for (uint32_t i = 0; i < len; ++i) {
      if (i % kLine == 0) std::printf(i == 0 ? "%04u:" : "\n%04u:", i);
      std::printf(" %g", static_cast<double>(GetValue(i)));
    }
    std::printf("\n");
  }

  // For the headers next to this one.
  static LocalTensor FromBuffer(BasculeCore* core, const BasculeBuffer& buffer, uint8_t memory,
                                uint32_t bytes, TPosition position = TPosition::VECCALC) {
    LocalTensor tensor;
    tensor.data_ = static_cast<T*>(buffer.address);
    tensor.limit_ = static_cast<char*>(buffer.limit);
    tensor.count_ = static_cast<uint32_t>(uint64_t{bytes} * 8 / bascule_ascendc::ElementBits<T>);
    tensor.core_ = core;
    tensor.memory_ = memory;
    tensor.position_ = static_cast<uint8_t>(position);
    return tensor;
  }
  T* Data() const { return data_; }
  uint8_t Memory() const { return memory_; }
  BasculeCore* Core() const { return core_ != nullptr ? core_ : bascule_ascendc::Core(); }

 private:
  template <typename U>
  friend class LocalTensor;

  // With the site in pieces, as ScalarAccess takes it.
  __attribute__((always_inline)) void Check(T* at, bool write, const char* file,
                                            uint32_t line) const {
    static_assert(
        !bascule_ascendc::kFourBits<T>,
        "single elements of int4b_t cannot be read or written; use ReinterpretCast<int8_t>()");
    // An index has 32 bits, so that no address wraps around.
    const bool outside = reinterpret_cast<char*>(at + 1) > limit_;
    if (__builtin_expect(outside || core_->watch_scalar != 0, 0)) {
      bascule_ascendc::ScalarAccess(core_, memory_, at, sizeof(T), write ? 1 : 0, file, line);
    }
  }
  // The kernel gets an address, and nobody sees when it follows it.
  void HandOut() const {
    if (core_ == nullptr || __builtin_expect(core_->raw_pointers != 0, 1)) return;
    const BasculeSite site = {};
    core_->api->scalar_access(core_, memory_, data_, 0, 0, &site);
  }

  T* data_ = nullptr;
  char* limit_ = nullptr;
  BasculeCore* core_ = nullptr;
  uint32_t count_ = 0;
  uint8_t memory_ = BASCULE_UB;
  uint8_t position_ = BASCULE_POS_VECCALC;
};

// Elements in global memory.
template <typename T>
class GlobalTensor {
 public:
  using PrimType = T;

  GlobalTensor() = default;

  // `address` and what lies behind it belong to the launch; `count` elements, 0: not said.
  void SetGlobalBuffer(__gm__ T* address, uint64_t count = 0, bascule_ascendc::Site site = {}) {
    core_ = bascule_ascendc::Core();
    data_ = address;
    count_ = count;
    BasculeRange range;
    core_->api->resolve_elements(core_, address, bascule_ascendc::ElementNumber<T>::value, &range,
                                 &site);
    begin_ = static_cast<char*>(range.begin);
    end_ = static_cast<char*>(range.end);
    rights_ = range.rights;
    bit_ = range.bit;
  }

  T GetValue(uint64_t index, bascule_ascendc::Site site = {}) const {
    T* at = data_ + index;
    Check(at, BASCULE_READ, site.file, site.line);
    CountPoll(site);
    return *at;
  }
  template <typename U>
  void SetValue(uint64_t index, U value, bascule_ascendc::Site site = {}) const {
    T* at = data_ + index;
    Check(at, BASCULE_WRITE, site.file, site.line);
    core_->global_written |= uint64_t{1} << bit_;
    *at = static_cast<T>(value);
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor part = *this;
    part.data_ = bascule_ascendc::Advance(data_, offset);
    part.count_ = offset < count_ ? count_ - offset : 0;
    return part;
  }
  uint64_t GetSize() const { return count_; }
  void SetShapeInfo(const ShapeInfo& shape) const { bascule_ascendc::Shapes::Set(data_, shape); }
  ShapeInfo GetShapeInfo() const { return bascule_ascendc::Shapes::Get(data_); }
  // A reference, for reading and for writing: of a tensor that the launch may write it is taken for
  // writing, because nobody sees what becomes of it.
  __gm__ T& operator()(uint64_t index, bascule_ascendc::Site site = {}) const {
    T* at = data_ + index;
    const uint32_t written = rights_ & BASCULE_WRITE;
    Check(at, written != 0 ? BASCULE_WRITE : BASCULE_READ, site.file, site.line);
    if (written != 0) core_->global_written |= uint64_t{1} << bit_;
    CountPoll(site);
    return *at;
  }
  // How the second-level cache treats the tensor: time, not values.
  template <typename Mode>
  void SetL2CacheHint(Mode /*mode*/) const {}
  template <typename U>
  GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> view;
    view.SetGlobalBuffer(reinterpret_cast<U*>(data_), count_ * bascule_ascendc::ElementBits<T> /
                                                          bascule_ascendc::ElementBits<U>);
    return view;
  }
  __gm__ T* GetPhyAddr(uint64_t offset = 0) const {
    return bascule_ascendc::Advance(data_, offset);
  }

  BasculeCore* Core() const { return core_ != nullptr ? core_ : bascule_ascendc::Core(); }

 private:
  // A kernel that reads again and again may be waiting for another core.
  __attribute__((always_inline)) void CountPoll(bascule_ascendc::Site site) const {
    if (__builtin_expect(--core_->poll_budget < 0, 0)) {
      bascule_ascendc::Yield(core_, site.file, site.line);
    }
  }
  __attribute__((always_inline)) void Check(T* at, uint32_t right, const char* file,
                                            uint32_t line) const {
    static_assert(!bascule_ascendc::kFourBits<T>,
                  "single elements of int4b_t cannot be read or written");
    const char* from = reinterpret_cast<const char*>(at);
    const bool outside =
        from < begin_ || from + sizeof(T) > end_ || (rights_ & right) == 0 || core_ == nullptr;
    if (__builtin_expect(outside || core_->watch_scalar != 0, 0)) {
      bascule_ascendc::ScalarAccess(core_, BASCULE_GM, at, sizeof(T),
                                    right == BASCULE_WRITE ? 1 : 0, file, line);
    }
  }

  T* data_ = nullptr;
  char* begin_ = nullptr;
  char* end_ = nullptr;
  BasculeCore* core_ = nullptr;
  uint64_t count_ = 0;
  uint32_t rights_ = 0;
  uint32_t bit_ = 0;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T>
BasculeOperand Operand(const AscendC::LocalTensor<T>& tensor) {
  return BasculeOperand{tensor.Data(), tensor.Memory(), TypeNumber<T>::value, 1,
                        BASCULE_DATABLOCKS_PER_REPEAT};
}
template <typename T>
BasculeOperand Operand(const AscendC::GlobalTensor<T>& tensor) {
  return BasculeOperand{tensor.GetPhyAddr(), BASCULE_GM, TypeNumber<T>::value, 0, 0};
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#endif  // BASCULE_ASCENDC_TENSOR_H

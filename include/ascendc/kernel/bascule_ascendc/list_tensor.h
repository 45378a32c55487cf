// ListTensorDesc: the tensors of a dynamic input, as the host lists them in global memory:
//
//     uint64  bytes from here to the addresses
//     of each tensor: uint32 dimensions, uint32 index, uint64 each dimension
//     uint64  the address of each tensor
//
// Source: the pages "ListTensorDesc" and "TensorDesc" of the Ascend C API. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_ASCENDC_LIST_TENSOR_H
#define BASCULE_ASCENDC_LIST_TENSOR_H

#include "bascule_ascendc/tensor.h"

BASCULE_ASCENDC_BEGIN

// One tensor of a list. The kernel gives it room for the shape before ListTensorDesc::GetDesc().
template <typename T>
class TensorDesc {
 public:
  void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
  uint64_t GetDim() const { return dim_; }
  uint64_t GetIndex() const { return index_; }
  uint64_t GetShape(uint32_t offset, bascule_ascendc::Site site = {}) const {
    if (offset >= dim_ || shape_ == nullptr) {
      bascule_ascendc::Fail("TensorDesc::GetShape: the tensor has fewer dimensions", site);
    }
    return shape_[offset];
  }
  T* GetDataPtr() const { return data_; }
  GlobalTensor<T> GetDataObj() const {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint64_t* shape_ = nullptr;
  uint64_t dim_ = 0;
  uint64_t index_ = 0;
  T* data_ = nullptr;
};

class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  // `length` bytes and `shapeSize` tensors, where they are given, are what the list has to have.
  ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
                 bascule_ascendc::Site site = {}) {
    Init(data, length, shapeSize, site);
  }
  void Init(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
            bascule_ascendc::Site site = {}) {
    BasculeCore* core = bascule_ascendc::Core();
    BasculeRange range;
    core->api->resolve_global(core, data, &range);
    words_ = static_cast<const uint64_t*>(data);
    const uint64_t room =
        range.end == nullptr
            ? 0
            : static_cast<uint64_t>(static_cast<char*>(range.end) - static_cast<char*>(data)) / 8;
    addresses_ = room == 0 ? 0 : words_[0] / 8;
    count_ = 0;
    uint64_t at = 1;
    for (; at < addresses_ && at < room; at += 1 + Dimensions(at)) ++count_;
    if (room == 0 || at != addresses_ || addresses_ + count_ > room ||
        (length != 0xffffffff && (addresses_ + count_) * 8 > length) ||
        (shapeSize != 0xffffffff && shapeSize != count_)) {
      bascule_ascendc::Fail(
          "ListTensorDesc: what lies there is no list of tensors of this length: a count of bytes, "
          "the shapes, the addresses",
          site);
    }
  }
  uint32_t GetSize() const { return count_; }
  template <typename T>
  void GetDesc(TensorDesc<T>& desc, uint32_t index, bascule_ascendc::Site site = {}) {
    Check(index, site);
    uint64_t at = 1;
    for (uint32_t i = 0; i < index; ++i) at += 1 + Dimensions(at);
    desc.dim_ = Dimensions(at);
    desc.index_ = words_[at] >> 32;
    desc.data_ = GetDataPtr<T>(index, site);
    for (uint64_t i = 0; desc.shape_ != nullptr && i < desc.dim_; ++i) {
      desc.shape_[i] = words_[at + 1 + i];
    }
  }
  template <typename T>
  T* GetDataPtr(uint32_t index, bascule_ascendc::Site site = {}) {
    Check(index, site);
    return reinterpret_cast<T*>(words_[addresses_ + index]);
  }

 private:
  uint64_t Dimensions(uint64_t at) const { return words_[at] & 0xffffffff; }
  void Check(uint32_t index, const bascule_ascendc::Site& site) const {
    if (index >= count_) bascule_ascendc::Fail("ListTensorDesc: the list is shorter", site);
  }

  const uint64_t* words_ = nullptr;
  uint64_t addresses_ = 0;  // word they begin at
  uint32_t count_ = 0;
};

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_LIST_TENSOR_H

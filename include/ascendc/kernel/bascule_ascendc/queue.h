// TPipe, TQue, TQueBind, TBuf: who may use which piece of on-chip memory when. The states live in the
// engine; a queue here is a handle.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_QUEUE_H
#define BASCULE_ASCENDC_QUEUE_H

#include "bascule_ascendc/tensor.h"

BASCULE_ASCENDC_BEGIN

class TPipe;

// A queue whose buffers are filled at position `src` and emptied at position `dst`. `depth` tensors may be
// enqueued at a time.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  TQueBind() = default;

  // A free buffer; its content is whatever was there. None free: an error, for nothing could free one.
  template <typename T>
  LocalTensor<T> AllocTensor(bascule_ascendc::Site site = {}) {
    BasculeBuffer buffer;
    BasculeCore* core = Core();
    core->api->queue_alloc(core, handle_, &buffer, &site);
    return LocalTensor<T>::FromBuffer(core, buffer, kMemory, buffer.bytes);
  }
  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor, bascule_ascendc::Site site = {}) {
    BasculeCore* core = Core();
    core->api->queue_enqueue(core, handle_, tensor.Data(), &site);
    return true;
  }
  // The tensor enqueued first.
  template <typename T>
  LocalTensor<T> DeQue(bascule_ascendc::Site site = {}) {
    BasculeBuffer buffer;
    BasculeCore* core = Core();
    core->api->queue_dequeue(core, handle_, &buffer, &site);
    return LocalTensor<T>::FromBuffer(core, buffer, kMemory, buffer.bytes);
  }
  template <typename T>
  void FreeTensor(const LocalTensor<T>& tensor, bascule_ascendc::Site site = {}) {
    BasculeCore* core = Core();
    core->api->queue_free(core, handle_, tensor.Data(), &site);
  }
  bool HasTensorInQue() const { return GetTensorCountInQue() != 0; }
  bool HasIdleBuffer() const {
    BasculeCore* core = Core();
    return core->api->queue_state(core, handle_, 1) != 0;
  }
  bool VacantInQue() const { return GetTensorCountInQue() < depth; }
  int32_t GetTensorCountInQue() const {
    BasculeCore* core = Core();
    return static_cast<int32_t>(core->api->queue_state(core, handle_, 0));
  }

 private:
  friend class TPipe;
  static constexpr uint8_t kMemory = bascule_ascendc::MemoryOf(src);

  // A queue that never met InitBuffer has no core yet; the engine then says so.
  BasculeCore* Core() const { return core_ != nullptr ? core_ : bascule_ascendc::Core(); }

  BasculeCore* core_ = nullptr;
  uint32_t handle_ = 0;
};

template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<position, position, depth, mask> {};

// Memory for the kernel's own use, without a queue.
template <TPosition position = TPosition::VECCALC>
class TBuf {
 public:
  template <typename T>
  LocalTensor<T> Get() const {
    return LocalTensor<T>::FromBuffer(Core(), buffer_, kMemory, buffer_.bytes);
  }
  // The first `count` elements.
  template <typename T>
  LocalTensor<T> Get(uint32_t count, bascule_ascendc::Site site = {}) const {
    if (uint64_t{count} * sizeof(T) > buffer_.bytes) {
      bascule_ascendc::Fail("TBuf::Get asks for more elements than the buffer holds", site);
    }
    return LocalTensor<T>::FromBuffer(Core(), buffer_, kMemory,
                                      static_cast<uint32_t>(count * sizeof(T)));
  }

 private:
  friend class TPipe;
  static constexpr uint8_t kMemory = bascule_ascendc::MemoryOf(position);

  BasculeCore* Core() const { return core_ != nullptr ? core_ : bascule_ascendc::Core(); }

  BasculeCore* core_ = nullptr;
  BasculeBuffer buffer_ = {nullptr, nullptr, 0, 0};
};

// Hands out the on-chip memory of a core. One at a time.
class TPipe {
 public:
  TPipe(bascule_ascendc::Site site = {}) : core_(bascule_ascendc::Core()) {
    core_->api->pipe_begin(core_, &site);
  }
  ~TPipe() { core_->api->pipe_end(core_); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  // `count` buffers of `bytes` bytes each, rounded up to 32.
  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, uint8_t count, uint32_t bytes,
                  bascule_ascendc::Site site = {}) {
    queue.core_ = core_;
    queue.handle_ =
        core_->api->queue_init(core_, static_cast<uint32_t>(src), static_cast<uint32_t>(dst),
                               static_cast<uint32_t>(depth), count, bytes, &site);
    return true;
  }
  template <TPosition position>
  bool InitBuffer(TBuf<position>& buffer, uint32_t bytes, bascule_ascendc::Site site = {}) {
    buffer.core_ = core_;
    core_->api->buffer_init(core_, static_cast<uint32_t>(position), bytes, &buffer.buffer_, &site);
    return true;
  }

 private:
  BasculeCore* core_;
};

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_QUEUE_H

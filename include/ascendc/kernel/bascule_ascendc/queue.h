// TPipe, TQue, TQueBind, TBuf: who may use which piece of on-chip memory when. The states live in
// the engine; a queue here is a handle. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_QUEUE_H
#define BASCULE_ASCENDC_QUEUE_H

#include "bascule_ascendc/std.h"
#include "bascule_ascendc/tensor.h"

BASCULE_ASCENDC_BEGIN

using TBufHandle = uint8_t*;

class TPipe;
template <TPosition position, uint32_t bufIDSize>
class TBufPool;

// What a kernel may say of a queue while it is compiled, by a pointer in place of `mask`. All of it
// is said again by InitBuffer, which is what counts here. Source: "TQue" page of the Ascend C
// documentation.
struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

// A queue whose buffers are filled at position `src` and emptied at position `dst`. `depth` tensors
// may be enqueued at a time.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  TQueBind() = default;

  // A free buffer; its content is whatever was there. None free: an error, for nothing could free
  // one. A queue of depth 0 gives it in place, in a tensor that is passed.
  template <typename T>
  LocalTensor<T> AllocTensor(bascule_ascendc::Site site = {}) {
    BasculeBuffer buffer;
    BasculeCore* core = Core();
    core->api->queue_alloc(core, handle_, &buffer, &site);
    return LocalTensor<T>::FromBuffer(core, buffer, kMemory, buffer.bytes, kHome);
  }
  template <typename T>
  void AllocTensor(LocalTensor<T>& tensor, bascule_ascendc::Site site = {}) {
    tensor = AllocTensor<T>(site);
  }
  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor, bascule_ascendc::Site site = {}) {
    BasculeCore* core = Core();
    core->api->queue_enqueue(core, handle_, tensor.Data(), &site);
    return true;
  }
  // One step of a buffer that is filled, computed on and emptied: from GM to VECIN, perhaps from
  // there to VECOUT, and back to GM.
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  bool EnQue(const LocalTensor<T>& tensor, bascule_ascendc::Site site = {}) {
    static_assert(kStep<srcUserPos, dstUserPos>,
                  "EnQue: the positions are GM, VECIN and VECOUT, in this order or back to GM");
    return EnQue(tensor, site);
  }
  // The tensor enqueued first.
  template <typename T>
  LocalTensor<T> DeQue(bascule_ascendc::Site site = {}) {
    BasculeBuffer buffer;
    BasculeCore* core = Core();
    core->api->queue_dequeue(core, handle_, &buffer, &site);
    return LocalTensor<T>::FromBuffer(core, buffer, kMemory, buffer.bytes, kHome);
  }
  template <typename T>
  void DeQue(LocalTensor<T>& tensor, bascule_ascendc::Site site = {}) {
    tensor = DeQue<T>(site);
  }
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  LocalTensor<T> DeQue(bascule_ascendc::Site site = {}) {
    static_assert(kStep<srcUserPos, dstUserPos>,
                  "DeQue: the positions are GM, VECIN and VECOUT, in this order or back to GM");
    return DeQue<T>(site);
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
  // Gives back the event ids of the queue; queues have no need of them here.
  void FreeAllEvent() const { (void)Core(); }

  // For pools of buffers that a kernel manages itself (EXTERN_IMPL_BUFPOOL): the queue begins anew,
  // and then gets one buffer after the other, by hardware address.
  void InitStartBufHandle(TBufHandle /*startBufhandle*/, uint8_t /*num*/, uint32_t /*len*/) {
    core_ = bascule_ascendc::Core();
    handle_ = 0;
  }
  template <typename Pool>
  void InitBufHandle(Pool* /*bufPool*/, uint32_t /*index*/, TBufHandle /*bufhandle*/,
                     uint32_t curPoolAddr, uint32_t len, bascule_ascendc::Site site = {}) {
    core_ = Core();
    BasculeBuffer buffer = {static_cast<char*>(core_->memory_begin[kMemory]) + curPoolAddr, nullptr,
                            len, 0};
    handle_ = core_->api->queue_place(core_, handle_, static_cast<uint32_t>(src),
                                      static_cast<uint32_t>(dst), static_cast<uint32_t>(depth),
                                      &buffer, &site);
  }

  bool VacantInQue() const { return GetTensorCountInQue() < depth; }
  int32_t GetTensorCountInQue() const {
    BasculeCore* core = Core();
    return static_cast<int32_t>(core->api->queue_state(core, handle_, 0));
  }

 private:
  friend class TPipe;
  template <TPosition, uint32_t>
  friend class TBufPool;
  static constexpr TPosition kHome = src == TPosition::GM ? dst : src;
  static constexpr uint8_t kMemory = bascule_ascendc::MemoryOf(kHome);
  template <TPosition position>
  static constexpr bool kInUb = position == TPosition::VECIN || position == TPosition::VECOUT;
  template <TPosition from, TPosition to>
  static constexpr bool kStep = (from == TPosition::GM && kInUb<to>) ||
                                (kInUb<from> && to == TPosition::GM) ||
                                (from == TPosition::VECIN && to == TPosition::VECOUT);

  // A queue that never met InitBuffer has no core yet; the engine then says so.
  BasculeCore* Core() const { return core_ != nullptr ? core_ : bascule_ascendc::Core(); }

  BasculeCore* core_ = nullptr;
  uint32_t handle_ = 0;
};

template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<position, position, depth, mask> {};

// A queue in L1 for a matrix that Matmul is to find there.
template <TPosition src = TPosition::GM, int32_t depth = 1, auto mask = 0>
class TSCM : public TQueBind<src, TPosition::TSCM, depth, mask> {};

// Memory for the kernel's own use, without a queue.
template <TPosition position = TPosition::VECCALC>
class TBuf {
 public:
  template <typename T>
  LocalTensor<T> Get() const {
    return LocalTensor<T>::FromBuffer(Core(), buffer_, kMemory, buffer_.bytes, position);
  }
  // The first `count` elements.
  template <typename T>
  LocalTensor<T> Get(uint32_t count, bascule_ascendc::Site site = {}) const {
    if (uint64_t{count} * sizeof(T) > buffer_.bytes) {
      bascule_ascendc::Fail("TBuf::Get asks for more elements than the buffer holds", site);
    }
    return LocalTensor<T>::FromBuffer(Core(), buffer_, kMemory,
                                      static_cast<uint32_t>(count * sizeof(T)), position);
  }
  // `count` elements that begin `offset` bytes, a multiple of 32, behind the buffer's begin.
  template <typename T>
  LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset,
                               bascule_ascendc::Site site = {}) const {
    if (offset % BASCULE_DATABLOCK_BYTES != 0) {
      bascule_ascendc::Fail("TBuf::GetWithOffset: the offset has to be a multiple of 32 bytes",
                            site);
    }
    if (uint64_t{offset} + uint64_t{count} * sizeof(T) > buffer_.bytes) {
      bascule_ascendc::Fail("TBuf::GetWithOffset asks for elements beyond the end of the buffer",
                            site);
    }
    BasculeBuffer part = buffer_;
    part.address = static_cast<char*>(part.address) + offset;
    return LocalTensor<T>::FromBuffer(Core(), part, kMemory,
                                      static_cast<uint32_t>(count * sizeof(T)), position);
  }
  uint32_t GetBufLen() const { return buffer_.bytes; }
  // The buffer is the kernel's until the pipe ends; public kernels take and give back tensors all
  // the same.
  template <typename T>
  LocalTensor<T> AllocTensor() const {
    return Get<T>();
  }
  template <typename T>
  void FreeTensor(const LocalTensor<T>&) const {}

  // As those of a queue.
  void InitStartBufHandle(TBufHandle /*startBufhandle*/, uint8_t /*num*/, uint32_t /*len*/) {
    core_ = bascule_ascendc::Core();
  }
  template <typename Pool>
  void InitBufHandle(Pool* /*bufPool*/, uint32_t /*index*/, TBufHandle /*bufhandle*/,
                     uint32_t curPoolAddr, uint32_t len, bascule_ascendc::Site site = {}) {
    buffer_.address = static_cast<char*>(core_->memory_begin[kMemory]) + curPoolAddr;
    buffer_.bytes = len;
    core_->api->buffer_place(core_, static_cast<uint32_t>(position), &buffer_, &site);
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
  TPipe(bascule_ascendc::Site site = {}) : core_(bascule_ascendc::Core()) { Begin(site); }
  ~TPipe() { Destroy(); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  // Begins anew: after Destroy(), or instead of it.
  void Init(bascule_ascendc::Site site = {}) { Reset(site); }
  // Gives everything back; another TPipe may begin.
  void Destroy() {
    if (!open_) return;
    open_ = false;
    core_->user_pipe = nullptr;
    core_->api->pipe_end(core_);
  }
  // Forgets all buffers, so that they can be made in another way.
  void Reset(bascule_ascendc::Site site = {}) {
    Destroy();
    Begin(site);
  }

  // Event ids for SetFlag and WaitFlag. Fetch tells a free one and leaves it free; Alloc takes it
  // until Release.
  template <HardEvent event>
  TEventID FetchEventID(bascule_ascendc::Site site = {}) {
    return FetchEventID(event, site);
  }
  TEventID FetchEventID(HardEvent event, bascule_ascendc::Site site = {}) {
    const uint8_t taken = events_[static_cast<int>(event)];
    for (TEventID id = 0; id < kEventIds; ++id) {
      if ((taken & (1u << id)) == 0) return id;
    }
    bascule_ascendc::Fail(
        "all 8 event ids of this pair of pipes are taken; ReleaseEventID is missing", site);
  }
  template <HardEvent event>
  TEventID AllocEventID(bascule_ascendc::Site site = {}) {
    const TEventID id = FetchEventID(event, site);
    events_[static_cast<int>(event)] =
        static_cast<uint8_t>(events_[static_cast<int>(event)] | (1u << id));
    return id;
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id) {
    events_[static_cast<int>(event)] =
        static_cast<uint8_t>(events_[static_cast<int>(event)] & ~(1u << id));
  }

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
  // Buffers where the kernel wants them: a tuple of address and bytes for each.
  template <TPosition src, TPosition dst, int32_t depth, auto mask, typename U, typename V,
            typename... Addrs>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, const Std::tuple<U, V>& addr0,
                  const Addrs&... addrs) {
    static_assert(sizeof...(Addrs) < 8, "InitBuffer: a queue has at most 8 buffers");
    queue.InitStartBufHandle(nullptr, 1 + sizeof...(Addrs), 0);
    Place(queue, addr0);
    (Place(queue, addrs), ...);
    return true;
  }

  // A pool of `bytes` bytes, rounded up to 32, out of which other buffers are made; or one that
  // shares the memory of another.
  template <typename Pool>
  bool InitBufPool(Pool& pool, uint32_t bytes, bascule_ascendc::Site site = {}) {
    BasculeBuffer buffer;
    core_->api->buffer_init(core_, static_cast<uint32_t>(Pool::kPoolPosition), bytes, &buffer,
                            &site);
    pool.BeginPool(core_, buffer);
    return true;
  }
  template <typename Pool, typename Shared,
            typename = std::enable_if_t<std::is_class<Shared>::value &&
                                        !std::is_same<Shared, bascule_ascendc::Site>::value>>
  bool InitBufPool(Pool& pool, uint32_t bytes, Shared& shared, bascule_ascendc::Site site = {}) {
    pool.SharePool(shared, bytes, site);
    return true;
  }
  // What lies first in the memory of a position.
  uint8_t* GetBaseAddr(int8_t logicPos) const {
    return static_cast<uint8_t*>(
        core_->memory_begin[bascule_ascendc::MemoryOf(static_cast<TPosition>(logicPos))]);
  }
  // Destroy(), without waiting for the pipes; nothing has to be waited for here.
  void DestroyWithoutPipeAll() { Destroy(); }

 private:
  static constexpr TEventID kEventIds = 8;

  template <typename Queue, typename U, typename V>
  void Place(Queue& queue, const Std::tuple<U, V>& where) {
    queue.InitBufHandle(this, 0, nullptr, static_cast<uint32_t>(Std::get<0>(where)),
                        static_cast<uint32_t>(Std::get<1>(where)));
  }

  void Begin(const bascule_ascendc::Site& site) {
    core_->api->pipe_begin(core_, &site);
    core_->user_pipe = this;
    open_ = true;
  }

  BasculeCore* core_;
  bool open_ = false;
  uint8_t events_[static_cast<int>(HardEvent::MAX)] = {};
};

BASCULE_ASCENDC_END

// The kernel's TPipe; kernels use the name without a namespace.
inline AscendC::TPipe* GetTPipePtr() {
  BasculeCore* core = bascule_ascendc::Core();
  if (core->user_pipe == nullptr) {
    bascule_ascendc::Fail("GetTPipePtr: the kernel has no TPipe",
                          bascule_ascendc::Site(nullptr, 0));
  }
  return static_cast<AscendC::TPipe*>(core->user_pipe);
}

BASCULE_ASCENDC_BEGIN
using ::GetTPipePtr;

// All that is left of the position's memory, as scratch until the next InitBuffer.
template <typename T, TPosition position>
bool PopStackBuffer(LocalTensor<T>& tensor, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  BasculeBuffer rest;
  core->api->memory_rest(core, static_cast<uint32_t>(position), &rest, &site);
  tensor = LocalTensor<T>::FromBuffer(core, rest, bascule_ascendc::MemoryOf(position), rest.bytes,
                                      position);
  return rest.bytes != 0;
}
BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_QUEUE_H

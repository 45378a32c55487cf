// TBufPool: a part of the on-chip memory out of which queues and buffers are made, so that parts of
// a kernel that run one after the other can use the same memory.
//
// Source: the pages "TBufPool" and "EXTERN_IMPL_BUFPOOL" of the Ascend C API.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_POOL_H
#define BASCULE_ASCENDC_POOL_H

#include "bascule_ascendc/queue.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// What a pool hands out, in four numbers, which a kernel's class can hold: where it begins, a
// hardware address; how many bytes it has; the first address that is free; buffers handed out.
enum PoolField { kPoolBegin, kPoolBytes, kPoolNext, kPoolCount, kPoolFields };

inline void BeginPoolMemory(uint32_t* pool, const BasculeBuffer& buffer) {
  pool[kPoolBegin] = pool[kPoolNext] =
      static_cast<uint32_t>(reinterpret_cast<uint64_t>(buffer.address));
  pool[kPoolBytes] = buffer.bytes;
  pool[kPoolCount] = 0;
}
inline void SharePoolMemory(uint32_t* pool, const uint32_t* other, uint32_t length,
                            const Site& site) {
  if (length > other[kPoolBytes]) {
    Fail("InitBufPool: the pool is larger than the one whose memory it shares", site);
  }
  pool[kPoolBegin] = pool[kPoolNext] = other[kPoolBegin];
  pool[kPoolBytes] = other[kPoolBytes];
  pool[kPoolCount] = 0;
}
// The address of `number` buffers of `length` bytes.
inline uint32_t TakePoolMemory(uint32_t* pool, uint32_t number, uint32_t length, uint32_t most,
                               const Site& site) {
  const uint64_t all = uint64_t{number} * length;
  const uint64_t used = pool[kPoolNext] - pool[kPoolBegin];
  if (used + all > pool[kPoolBytes] || pool[kPoolCount] + number > most) {
    char text[256];
    std::snprintf(text, sizeof(text),
                  "InitBuffer: %u buffers of %u bytes do not fit into the pool: %llu of its %u "
                  "bytes and %u of its %u buffers are taken",
                  number, length, static_cast<unsigned long long>(used), pool[kPoolBytes],
                  pool[kPoolCount], most);
    Fail(text, site);
  }
  const uint32_t at = pool[kPoolNext];
  pool[kPoolNext] += static_cast<uint32_t>(all);
  pool[kPoolCount] += number;
  return at;
}

constexpr uint32_t WholeDatablocks(uint32_t bytes) {
  return (bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// At most bufIDSize buffers, at `position` or another with the same memory. Memory comes from
// TPipe::InitBufPool or from another pool.
template <TPosition position, uint32_t bufIDSize = 4>
class TBufPool {
  static_assert(bufIDSize >= 1 && bufIDSize <= 16, "TBufPool: a pool has 1 to 16 buffers");

 public:
  static constexpr TPosition kPoolPosition = position;

  TBufPool() = default;
  TBufPool(const TBufPool&) = delete;
  TBufPool& operator=(const TBufPool&) = delete;

  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& que, uint8_t num, uint32_t len,
                  bascule_ascendc::Site site = {}) {
    static_assert(SameMemory(src == TPosition::GM ? dst : src),
                  "TBufPool: the queue is in another memory than the pool");
    len = bascule_ascendc::WholeDatablocks(len);
    const uint32_t at = bascule_ascendc::TakePoolMemory(memory_, num, len, bufIDSize, site);
    que.InitStartBufHandle(nullptr, num, len);
    for (uint32_t i = 0; i < num; ++i) que.InitBufHandle(this, i, nullptr, at + i * len, len, site);
    return true;
  }
  template <TPosition home>
  bool InitBuffer(TBuf<home>& buf, uint32_t len, bascule_ascendc::Site site = {}) {
    static_assert(SameMemory(home), "TBufPool: the buffer is in another memory than the pool");
    len = bascule_ascendc::WholeDatablocks(len);
    const uint32_t at = bascule_ascendc::TakePoolMemory(memory_, 1, len, bufIDSize, site);
    buf.InitStartBufHandle(nullptr, 1, len);
    buf.InitBufHandle(this, 0, nullptr, at, len, site);
    return true;
  }
  // A pool in this pool; or one that shares the memory of another.
  template <typename Pool>
  bool InitBufPool(Pool& bufPool, uint32_t len, bascule_ascendc::Site site = {}) {
    BasculeCore* core = bascule_ascendc::Core();
    len = bascule_ascendc::WholeDatablocks(len);
    char* begin = static_cast<char*>(core->memory_begin[bascule_ascendc::MemoryOf(position)]);
    // A pool is none of the buffers.
    uint32_t& count = memory_[bascule_ascendc::kPoolCount];
    const uint32_t at = bascule_ascendc::TakePoolMemory(memory_, 1, len, count + 1, site);
    --count;
    const BasculeBuffer buffer = {begin + at, nullptr, len, 0};
    bufPool.BeginPool(core, buffer);
    return true;
  }
  template <typename Pool, typename Shared,
            typename = std::enable_if_t<!std::is_same<Shared, bascule_ascendc::Site>::value>>
  bool InitBufPool(Pool& bufPool, uint32_t len, Shared& shareBuf, bascule_ascendc::Site site = {}) {
    bufPool.SharePool(shareBuf, len, site);
    return true;
  }
  // Ends the use of the pool's buffers for now. They stay what they are; who uses the memory next
  // overwrites their content.
  void Reset() const {}

  // For the headers next to this one.
  void BeginPool(BasculeCore* /*core*/, const BasculeBuffer& buffer) {
    bascule_ascendc::BeginPoolMemory(memory_, buffer);
  }
  template <typename Shared>
  void SharePool(const Shared& shared, uint32_t bytes, const bascule_ascendc::Site& site) {
    bascule_ascendc::SharePoolMemory(memory_, shared.PoolMemory(), bytes, site);
  }
  const uint32_t* PoolMemory() const { return memory_; }

 private:
  static constexpr bool SameMemory(TPosition other) {
    return bascule_ascendc::MemoryOf(other) == bascule_ascendc::MemoryOf(position);
  }

  uint32_t memory_[bascule_ascendc::kPoolFields] = {};
};

BASCULE_ASCENDC_END

// In the class of a pool that a kernel manages itself: what such a class needs, without InitBuffer,
// which is the kernel's own and calls InitStartBufHandle and InitBufHandle of queues and buffers.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                               \
 public:                                                                                     \
  static constexpr AscendC::TPosition kPoolPosition = POSITION;                              \
  EXT_BUFPOOL(const EXT_BUFPOOL&) = delete;                                                  \
  EXT_BUFPOOL& operator=(const EXT_BUFPOOL&) = delete;                                       \
  void Init() { bascule_ascendc::BeginPoolMemory(bascule_pool_, BasculeBuffer{}); }          \
  void Reset() { Init(); }                                                                   \
  AscendC::TBufHandle GetBufHandle(uint8_t offset) {                                         \
    return &bascule_handles_[offset < (BUFID_SIZE) ? offset : 0];                            \
  }                                                                                          \
  void SetCurAddr(uint32_t curAddr) { bascule_pool_[bascule_ascendc::kPoolNext] = curAddr; } \
  uint32_t GetCurAddr() const { return bascule_pool_[bascule_ascendc::kPoolNext]; }          \
  void SetCurBufSize(uint8_t size) { bascule_pool_[bascule_ascendc::kPoolCount] = size; }    \
  uint8_t GetCurBufSize() const {                                                            \
    return static_cast<uint8_t>(bascule_pool_[bascule_ascendc::kPoolCount]);                 \
  }                                                                                          \
  void BeginPool(BasculeCore* /*core*/, const BasculeBuffer& buffer) {                       \
    bascule_ascendc::BeginPoolMemory(bascule_pool_, buffer);                                 \
  }                                                                                          \
  template <typename Shared>                                                                 \
  void SharePool(const Shared& shared, uint32_t bytes, const bascule_ascendc::Site& site) {  \
    bascule_ascendc::SharePoolMemory(bascule_pool_, shared.PoolMemory(), bytes, site);       \
  }                                                                                          \
  const uint32_t* PoolMemory() const { return bascule_pool_; }                               \
                                                                                             \
 private:                                                                                    \
  uint32_t bascule_pool_[bascule_ascendc::kPoolFields] = {};                                 \
  uint8_t bascule_handles_[BUFID_SIZE] = {}

#endif  // BASCULE_ASCENDC_POOL_H

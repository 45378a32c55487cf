// Between planes of channels (NCHW) and blocks of channels (NC1HWC0): the vector unit turns tiles
// of 16 channels, and zeros fill the last block. SPDX-License-Identifier: Apache-2.0
#ifndef BLOCKED_LAYOUT_H
#define BLOCKED_LAYOUT_H

#include "kernel_operator.h"

// T is half or float, which stand for everything of 2 or 4 bytes.
template <typename T>
class BlockedLayout {
 public:
  static constexpr uint32_t SIDE = 16;
  static constexpr uint32_t DATABLOCK = 32;
  static constexpr uint32_t C0 = DATABLOCK / sizeof(T);  // channels of a block
  static constexpr uint32_t PLANES = SIDE / C0;          // blocks that a tile fills
  static constexpr uint32_t TILE = 2048 / sizeof(T);     // positions of a tile

  __aicore__ inline void Init(AscendC::TPipe* pipe) {
    pipe->InitBuffer(in, 2, SIDE * TILE * sizeof(T));
    pipe->InitBuffer(out, 2, SIDE * TILE * sizeof(T));
  }

  // `count` positions of `channels` (up to 16) planes, `pitch` apart, to up to `blocks` blocks,
  // `blockPitch` apart.
  __aicore__ inline void ToBlocks(const AscendC::GlobalTensor<T>& to, uint64_t blockPitch,
                                  uint32_t blocks, const AscendC::GlobalTensor<T>& from,
                                  uint64_t pitch, uint32_t channels, uint32_t count) {
    AscendC::LocalTensor<T> planes = in.template AllocTensor<T>();
    ZeroPlanes(planes, channels);
    BringPlanes(planes, from, pitch, channels, count);
    in.EnQue(planes);
    planes = in.template DeQue<T>();
    AscendC::LocalTensor<T> turned = out.template AllocTensor<T>();
    TurnToBlocks(turned, planes, count);
    in.FreeTensor(planes);
    out.EnQue(turned);
    turned = out.template DeQue<T>();
    for (uint32_t i = 0; i < PLANES && i < blocks; ++i) {
      AscendC::DataCopy(to[i * blockPitch], turned[i * TILE * C0], count * C0);
    }
    out.FreeTensor(turned);
  }

  // The way back.
  __aicore__ inline void ToPlanes(const AscendC::GlobalTensor<T>& to, uint64_t pitch,
                                  uint32_t channels, const AscendC::GlobalTensor<T>& from,
                                  uint64_t blockPitch, uint32_t count) {
    AscendC::LocalTensor<T> blocks = in.template AllocTensor<T>();
    for (uint32_t i = 0; i < PLANES && i * C0 < channels; ++i) {
      AscendC::DataCopy(blocks[i * TILE * C0], from[i * blockPitch], count * C0);
    }
    in.EnQue(blocks);
    blocks = in.template DeQue<T>();
    AscendC::LocalTensor<T> planes = out.template AllocTensor<T>();
    TurnToPlanes(planes, blocks, count);
    in.FreeTensor(blocks);
    out.EnQue(planes);
    planes = out.template DeQue<T>();
    StorePlanes(to, pitch, planes, channels, count);
    out.FreeTensor(planes);
  }

  // --- The steps, for those that copy differently

  // Rows of TILE elements without a channel.
  __aicore__ inline static void ZeroPlanes(const AscendC::LocalTensor<T>& planes,
                                           uint32_t channels) {
    if (channels >= SIDE) return;
    AscendC::Duplicate(planes[channels * TILE], T(0.0f), (SIDE - channels) * TILE);
  }

  __aicore__ inline static void BringPlanes(const AscendC::LocalTensor<T>& planes,
                                            const AscendC::GlobalTensor<T>& from, uint64_t pitch,
                                            uint32_t channels, uint32_t count) {
    const uint32_t bytes = count * sizeof(T);
    const uint64_t gap = (pitch - count) * sizeof(T);
    const auto rest = static_cast<uint32_t>((TILE * sizeof(T) - Up(bytes)) / DATABLOCK);
    const AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, T(0.0f)};
    if (gap <= MOST_GAP) {
      const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(channels), bytes,
                                            static_cast<uint32_t>(gap), rest, 0};
      AscendC::DataCopyPad(planes, from, copy, pad);
      return;
    }
    const AscendC::DataCopyExtParams copy{1, bytes, 0, 0, 0};
    for (uint32_t i = 0; i < channels; ++i) {
      AscendC::DataCopyPad(planes[i * TILE], from[i * pitch], copy, pad);
    }
  }

  __aicore__ inline static void StorePlanes(const AscendC::GlobalTensor<T>& to, uint64_t pitch,
                                            const AscendC::LocalTensor<T>& planes,
                                            uint32_t channels, uint32_t count) {
    const uint32_t bytes = count * sizeof(T);
    const uint64_t gap = (pitch - count) * sizeof(T);
    const auto rest = static_cast<uint32_t>((TILE * sizeof(T) - Up(bytes)) / DATABLOCK);
    if (gap <= MOST_GAP) {
      const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(channels), bytes, rest,
                                            static_cast<uint32_t>(gap), 0};
      AscendC::DataCopyPad(to, planes, copy);
      return;
    }
    const AscendC::DataCopyExtParams copy{1, bytes, 0, 0, 0};
    for (uint32_t i = 0; i < channels; ++i) {
      AscendC::DataCopyPad(to[i * pitch], planes[i * TILE], copy);
    }
  }

  // 16 rows of TILE positions to PLANES planes of TILE positions with C0 channels each.
  __aicore__ inline static void TurnToBlocks(const AscendC::LocalTensor<T>& to,
                                             const AscendC::LocalTensor<T>& from, uint32_t count) {
    uint64_t rows[SIDE];
    uint64_t turned[SIDE];
    // A repeat turns a datablock of each row: 16 positions of 2 bytes, 8 of 4 bytes.
    for (uint32_t i = 0; i < SIDE; ++i) {
      rows[i] = from[i * TILE].GetPhyAddr();
      turned[i] = to[i % PLANES * TILE * C0 + i / PLANES * C0].GetPhyAddr();
    }
    Turn(turned, rows, (count + C0 - 1) / C0, C0, 1);
  }

  __aicore__ inline static void TurnToPlanes(const AscendC::LocalTensor<T>& to,
                                             const AscendC::LocalTensor<T>& from, uint32_t count) {
    uint64_t rows[SIDE];
    uint64_t turned[SIDE];
    // A repeat turns the blocks of 16 positions: rows of one or two datablocks come out.
    for (uint32_t plane = 0; plane < PLANES; ++plane) {
      for (uint32_t i = 0; i < SIDE; ++i) {
        rows[i] = from[plane * TILE * C0 + i * C0].GetPhyAddr();
        turned[i] = to[(plane * C0 + i / PLANES) * TILE + i % PLANES * C0].GetPhyAddr();
      }
      Turn(turned, rows, (count + SIDE - 1) / SIDE, PLANES, SIDE);
    }
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;

 private:
  static constexpr uint64_t MOST_GAP = 0xffffffffu;
  static constexpr uint32_t MOST_REPEATS = 255;

  __aicore__ inline static uint32_t Up(uint32_t bytes) {
    return (bytes + DATABLOCK - 1) / DATABLOCK * DATABLOCK;
  }

  // Strides in datablocks.
  __aicore__ inline static void Turn(uint64_t (&to)[SIDE], uint64_t (&from)[SIDE], uint32_t repeats,
                                     uint32_t toStride, uint32_t fromStride) {
    while (repeats > 0) {
      const uint32_t now = repeats < MOST_REPEATS ? repeats : MOST_REPEATS;
      AscendC::TransDataTo5HDParams params;
      params.repeatTimes = static_cast<uint8_t>(now);
      // One repeat would begin a stride behind the addresses.
      params.dstRepStride = static_cast<uint16_t>(now == 1 ? 0 : toStride);
      params.srcRepStride = static_cast<uint16_t>(now == 1 ? 0 : fromStride);
      AscendC::TransDataTo5HD<T>(to, from, params);
      for (uint32_t i = 0; i < SIDE; ++i) {
        to[i] += static_cast<uint64_t>(now) * toStride * DATABLOCK;
        from[i] += static_cast<uint64_t>(now) * fromStride * DATABLOCK;
      }
      repeats -= now;
    }
  }
};

#endif  // BLOCKED_LAYOUT_H

// Kernels that compute each element of their output from the elements of their inputs at the same
// place, for any length.
//
// Each block takes its own run of elements and walks through it in tiles: copy in, compute, copy
// out. Two buffers per queue let the copies of one tile overlap with the work on another. The
// 16-bit types go through float, so their result is rounded once.
// SPDX-License-Identifier: Apache-2.0
#ifndef ELEMENT_TILES_H
#define ELEMENT_TILES_H

#include "element_tiles_tiling.h"
#include "kernel_operator.h"

// An Operation has:
//   static constexpr uint32_t INPUTS;
//   void Init(AscendC::TPipe*, uint32_t tileLength): buffers of its own, if it needs any;
//   void Run(to, const AscendC::LocalTensor<float> (&in)[INPUTS], count): `to` is none of `in`.
template <typename T, typename Operation>
class ElementTiles {
 public:
  __aicore__ inline explicit ElementTiles(const Operation& what) : operation(what) {}

  // GM_ADDR may be a macro for a pointer type, so its const follows it.
  __aicore__ inline void Init(GM_ADDR const (&in)[Operation::INPUTS], GM_ADDR out,
                              const ElementTilesTiling& tiling) {
    const uint64_t begin = tiling.blockLength * AscendC::GetBlockIdx();
    if (begin < tiling.totalLength) {
      const uint64_t rest = tiling.totalLength - begin;
      length = rest < tiling.blockLength ? rest : tiling.blockLength;
    }
    tileLength = tiling.tileLength;
    for (uint32_t i = 0; i < Operation::INPUTS; ++i) {
      inGm[i].SetGlobalBuffer((__gm__ T*)in[i] + begin, length);
      pipe.InitBuffer(inQueue[i], BUFFERS, tileLength * sizeof(T));
      if constexpr (!IS_FLOAT) pipe.InitBuffer(wideIn[i], tileLength * sizeof(float));
    }
    outGm.SetGlobalBuffer((__gm__ T*)out + begin, length);
    pipe.InitBuffer(outQueue, BUFFERS, tileLength * sizeof(T));
    if constexpr (!IS_FLOAT) pipe.InitBuffer(wideOut, tileLength * sizeof(float));
    operation.Init(&pipe, tileLength);
  }

  __aicore__ inline void Process() {
    for (uint64_t offset = 0; offset < length; offset += tileLength) {
      const uint64_t rest = length - offset;
      const uint32_t count = rest < tileLength ? static_cast<uint32_t>(rest) : tileLength;
      CopyIn(offset, count);
      Compute(count);
      CopyOut(offset, count);
    }
  }

 private:
  static constexpr int32_t BUFFERS = 2;
  static constexpr uint32_t DATABLOCK_BYTES = 32;
  static constexpr bool IS_FLOAT = AscendC::IsSameType<T, float>::value;

  // DataCopy moves whole datablocks only; the last elements of a tensor need not fill one.
  __aicore__ inline static bool IsWhole(uint32_t count) {
    return count * sizeof(T) % DATABLOCK_BYTES == 0;
  }
  __aicore__ inline static AscendC::DataCopyExtParams Bytes(uint32_t count) {
    return {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
  }

  __aicore__ inline void CopyIn(uint64_t offset, uint32_t count) {
    for (uint32_t i = 0; i < Operation::INPUTS; ++i) {
      AscendC::LocalTensor<T> tile = inQueue[i].template AllocTensor<T>();
      if (IsWhole(count)) {
        AscendC::DataCopy(tile, inGm[i][offset], count);
      } else {
        AscendC::DataCopyPad(tile, inGm[i][offset], Bytes(count),
                             AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
      }
      inQueue[i].EnQue(tile);
    }
  }

  __aicore__ inline void Compute(uint32_t count) {
    AscendC::LocalTensor<T> tile[Operation::INPUTS];
    AscendC::LocalTensor<float> in[Operation::INPUTS];
    for (uint32_t i = 0; i < Operation::INPUTS; ++i) {
      tile[i] = inQueue[i].template DeQue<T>();
      if constexpr (IS_FLOAT) {
        in[i] = tile[i];
      } else {
        in[i] = wideIn[i].template Get<float>();
        AscendC::Cast(in[i], tile[i], AscendC::RoundMode::CAST_NONE, count);
      }
    }
    AscendC::LocalTensor<T> out = outQueue.template AllocTensor<T>();
    if constexpr (IS_FLOAT) {
      operation.Run(out, in, count);
    } else {
      AscendC::LocalTensor<float> wide = wideOut.template Get<float>();
      AscendC::PipeBarrier<PIPE_V>();
      operation.Run(wide, in, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(out, wide, AscendC::RoundMode::CAST_RINT, count);
    }
    outQueue.template EnQue<T>(out);
    for (uint32_t i = 0; i < Operation::INPUTS; ++i) inQueue[i].FreeTensor(tile[i]);
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
    AscendC::LocalTensor<T> out = outQueue.template DeQue<T>();
    if (IsWhole(count)) {
      AscendC::DataCopy(outGm[offset], out, count);
    } else {
      AscendC::DataCopyPad(outGm[offset], out, Bytes(count));
    }
    outQueue.FreeTensor(out);
  }

  Operation operation;
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> inQueue[Operation::INPUTS];
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> outQueue;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideIn[Operation::INPUTS];
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideOut;
  AscendC::GlobalTensor<T> inGm[Operation::INPUTS];
  AscendC::GlobalTensor<T> outGm;
  uint64_t length = 0;
  uint32_t tileLength = 0;
};

#endif  // ELEMENT_TILES_H

// Tiles of products that vector cores finish: a block's cube core puts them into the workspace, its
// two vector cores take half of the rows each. Two places for each block let both work at once.
// SPDX-License-Identifier: Apache-2.0
#ifndef CUBE_TILES_H
#define CUBE_TILES_H

#include "cube_product.h"

constexpr uint32_t CUBE_TILES_PLACES = 2;
constexpr uint16_t CUBE_TILES_FULL = 0;  // flags
constexpr uint16_t CUBE_TILES_FREE = 1;

template <typename In, typename Sum>
class CubeTiles : public CubeProduct<In, Sum, Sum> {
 public:
  // `places` are this block's, a base tile each.
  __aicore__ inline void Run(uint64_t begin, uint64_t end, GM_ADDR places) {
    AscendC::GlobalTensor<Sum> to;
    to.SetGlobalBuffer((__gm__ Sum*)places);
    const uint64_t tiles = this->tiling->mTiles * this->tiling->nTiles;
    const uint32_t pitch = this->tiling->baseN;
    for (uint64_t unit = begin; unit < end; ++unit) {
      const uint64_t i = unit - begin;
      if (i >= CUBE_TILES_PLACES) AscendC::CrossCoreWaitFlag(CUBE_TILES_FREE);
      this->Begin(unit / tiles, unit % tiles / this->tiling->nTiles * this->tiling->baseM,
                  unit % tiles % this->tiling->nTiles * pitch);
      this->Sums();
      AscendC::LocalTensor<Sum> c = this->queueC.template DeQue<Sum>();
      this->Write(to[i % CUBE_TILES_PLACES * this->tiling->baseM * pitch], c, pitch);
      this->queueC.FreeTensor(c);
      AscendC::CrossCoreSetFlag<2, PIPE_FIX>(CUBE_TILES_FULL);
    }
    // No flag is left to the next kernel.
    for (uint64_t i = begin; i < end && i < begin + CUBE_TILES_PLACES; ++i) {
      AscendC::CrossCoreWaitFlag(CUBE_TILES_FREE);
    }
  }
};

// The vector cores' side. Finish::Run(to, from, rows, pitch, product row, column, columns) makes
// rows of Out from rows of Sum, both of `pitch` elements in the unified buffer.
template <typename Sum, typename Out, typename Finish>
class CubeTilesOut {
 public:
  static constexpr uint32_t TILE = 4096;  // elements at once
  static constexpr uint32_t ALIGN = 16;   // elements of a row

  __aicore__ inline void Init(AscendC::TPipe* pipe, const CubeProductTiling& productTiling,
                              GM_ADDR out) {
    tiling = &productTiling;
    gmOut.SetGlobalBuffer((__gm__ Out*)out);
    pipe->InitBuffer(in, 2, TILE * sizeof(Sum));
    pipe->InitBuffer(results, 2, TILE * sizeof(Out));
  }

  __aicore__ inline void Run(uint64_t begin, uint64_t end, GM_ADDR places, Finish& finish) {
    AscendC::GlobalTensor<Sum> from;
    from.SetGlobalBuffer((__gm__ Sum*)places);
    const uint64_t tiles = tiling->mTiles * tiling->nTiles;
    for (uint64_t unit = begin; unit < end; ++unit) {
      const uint64_t product = unit / tiles;
      const uint64_t row = unit % tiles / tiling->nTiles * tiling->baseM;
      const uint64_t column = unit % tiles % tiling->nTiles * tiling->baseN;
      const uint32_t m = Least(tiling->m - row, tiling->baseM);
      const uint32_t n = Least(tiling->n - column, tiling->baseN);
      const uint32_t half = (m + 1) / 2;
      const uint32_t first = AscendC::GetSubBlockIdx() == 0 ? 0 : half;
      const uint32_t last = AscendC::GetSubBlockIdx() == 0 ? half : m;
      AscendC::CrossCoreWaitFlag(CUBE_TILES_FULL);
      const uint64_t place = (unit - begin) % CUBE_TILES_PLACES * tiling->baseM * tiling->baseN;
      const uint32_t pitch = (n + ALIGN - 1) / ALIGN * ALIGN;
      const uint32_t atOnce = TILE / pitch;
      for (uint32_t at = first; at < last; at += atOnce) {
        const uint32_t rows = Least(last - at, atOnce);
        AscendC::LocalTensor<Sum> sums = in.template AllocTensor<Sum>();
        const AscendC::DataCopyParams copy{
            static_cast<uint16_t>(rows), static_cast<uint16_t>(pitch * sizeof(Sum) / DATABLOCK),
            static_cast<uint16_t>((tiling->baseN - pitch) * sizeof(Sum) / DATABLOCK), 0};
        AscendC::DataCopy(sums, from[place + static_cast<uint64_t>(at) * tiling->baseN], copy);
        in.EnQue(sums);
        sums = in.template DeQue<Sum>();
        AscendC::LocalTensor<Out> result = results.template AllocTensor<Out>();
        finish.Run(result, sums, rows, pitch, column, n);
        in.FreeTensor(sums);
        results.EnQue(result);
        result = results.template DeQue<Out>();
        const uint32_t bytes = n * sizeof(Out);
        const AscendC::DataCopyExtParams store{
            static_cast<uint16_t>(rows), bytes,
            static_cast<uint32_t>(
                (pitch * sizeof(Out) - (bytes + DATABLOCK - 1) / DATABLOCK * DATABLOCK) /
                DATABLOCK),
            static_cast<uint32_t>((tiling->n - n) * sizeof(Out)), 0};
        AscendC::DataCopyPad(gmOut[(product * tiling->m + row + at) * tiling->n + column], result,
                             store);
        results.FreeTensor(result);
      }
      AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(CUBE_TILES_FREE);
    }
  }

 private:
  static constexpr uint32_t DATABLOCK = 32;

  __aicore__ inline static uint32_t Least(uint64_t rest, uint32_t most) {
    return rest < most ? static_cast<uint32_t>(rest) : most;
  }

  const CubeProductTiling* tiling = nullptr;
  AscendC::GlobalTensor<Out> gmOut;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> results;
};

#endif  // CUBE_TILES_H

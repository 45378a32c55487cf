// out = the sum of x along some of its axes.
//
// Tiles of x are added to a tile of running sums, element by element, and only the last result
// across its elements: that is faster than reducing every tile, and rounds less. All sums are made
// in float. Where there are fewer results than cores, several cores share the steps of a result,
// and a second pass adds what each of them left in global memory: always in the same order.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "reduce_sum_tiling.h"

namespace {

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t DATABLOCK_BYTES = 32;
constexpr uint32_t DATABLOCK_FLOATS = DATABLOCK_BYTES / sizeof(float);

template <typename T>
class KernelReduceSum {
  static constexpr bool IS_FLOAT = AscendC::IsSameType<T, float>::value;

 public:
  __aicore__ inline KernelReduceSum(const ReduceSumTilingData& tilingData) : tiling(tilingData) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out, GM_ADDR partial) {
    xGm.SetGlobalBuffer((__gm__ T*)x);
    outGm.SetGlobalBuffer((__gm__ T*)out);
    partialGm.SetGlobalBuffer((__gm__ float*)partial);
    pipe.InitBuffer(inQueue, BUFFER_NUM, tiling.tileLength * sizeof(T));
    pipe.InitBuffer(outQueue, 1, tiling.tileLength * sizeof(float));
    pipe.InitBuffer(running, tiling.tileLength * sizeof(float));
    if constexpr (!IS_FLOAT) pipe.InitBuffer(inFloat, tiling.tileLength * sizeof(float));
    if (tiling.finish == REDUCE_SUM_SPREAD) {
      pipe.InitBuffer(offsets, tiling.tileLength * sizeof(uint32_t));
      pipe.InitBuffer(spread, tiling.tileLength * sizeof(float));
      FillOffsets();
    }
    if (tiling.finish == REDUCE_SUM_ROWS) {
      pipe.InitBuffer(ofRows, tiling.tileLength / DATABLOCK_FLOATS * sizeof(float));
      pipe.InitBuffer(temporary, tiling.temporaryBytes);
    }
    // The second pass reads what the first one left in the same buffers.
    if (tiling.parts > 1) pipe.InitBuffer(partQueue, BUFFER_NUM, tiling.tileLength * sizeof(float));
  }

  // The results of every unit, or of every part of a unit.
  __aicore__ inline void Process() {
    const uint64_t all = tiling.units * tiling.parts;
    uint64_t at = tiling.blockUnits * AscendC::GetBlockIdx();
    const uint64_t end = at + tiling.blockUnits < all ? at + tiling.blockUnits : all;
    for (; at < end; ++at) {
      const uint64_t unit = at / tiling.parts;
      const uint64_t part = at % tiling.parts;
      Sum(unit, tiling.steps * part / tiling.parts, tiling.steps * (part + 1) / tiling.parts);
      Finish(unit, part);
    }
  }

  // Adds the parts of each result.
  __aicore__ inline void AddParts() {
    const uint64_t blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
    uint64_t share = (tiling.results + blocks - 1) / blocks;
    constexpr uint64_t DATABLOCK = DATABLOCK_BYTES / sizeof(T);
    share = (share + DATABLOCK - 1) / DATABLOCK * DATABLOCK;
    uint64_t at = share * AscendC::GetBlockIdx();
    const uint64_t end = at + share < tiling.results ? at + share : tiling.results;
    for (; at < end; at += tiling.tileLength) {
      const uint32_t count =
          end - at < tiling.tileLength ? static_cast<uint32_t>(end - at) : tiling.tileLength;
      AscendC::LocalTensor<float> sums = running.Get<float>();
      AscendC::Duplicate(sums, 0.0f, static_cast<int32_t>(count));
      for (uint64_t part = 0; part < tiling.parts; ++part) {
        AscendC::LocalTensor<float> local = partQueue.template AllocTensor<float>();
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0,
                                              0};
        AscendC::DataCopyPad(local, partialGm[part * tiling.results + at], copy,
                             AscendC::DataCopyPadExtParams<float>{false, 0, 0, 0});
        partQueue.EnQue(local);
        local = partQueue.template DeQue<float>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(sums, sums, local, static_cast<int32_t>(count));
        partQueue.FreeTensor(local);
      }
      AscendC::PipeBarrier<PIPE_V>();
      Store(outGm, at, sums, count);
    }
  }

 private:
  __aicore__ inline uint64_t Place(const ReduceSumAxes& axes, uint64_t index) const {
    uint64_t place = 0;
    for (uint32_t axis = axes.count; axis-- > 0;) {
      place += index % axes.size[axis] * axes.stride[axis];
      index /= axes.size[axis];
    }
    return place;
  }

  // How much of `whole` is left for a tile of at most `most` when `before` tiles are done.
  __aicore__ inline uint32_t Left(uint64_t whole, uint64_t before, uint32_t most) const {
    if (whole == 0) return most;
    const uint64_t left = whole - before * most;
    return left < most ? static_cast<uint32_t>(left) : most;
  }

  // Adds the tiles of x from one step to another to running sums, which start at 0.
  __aicore__ inline void Sum(uint64_t unit, uint64_t step, uint64_t end) {
    const uint64_t unitTile = unit % tiling.unitTiles;
    const uint64_t place =
        Place(tiling.kept, unit / tiling.unitTiles) + unitTile * tiling.unitTileStride;
    rows = Left(tiling.rowsOfUnits, unitTile, tiling.tileRows);
    length = Left(tiling.lengthOfUnits, unitTile, tiling.rowLength);
    AscendC::LocalTensor<float> sums = running.Get<float>();
    AscendC::Duplicate(sums, 0.0f, static_cast<int32_t>(tiling.tileLength));
    for (; step < end; ++step) {
      const uint64_t stepTile = step % tiling.stepTiles;
      const uint64_t from =
          place + Place(tiling.reduced, step / tiling.stepTiles) + stepTile * tiling.stepTileStride;
      const uint32_t nowRows =
          tiling.rowsOfSteps != 0 ? Left(tiling.rowsOfSteps, stepTile, tiling.tileRows) : rows;
      const uint32_t nowLength = tiling.lengthOfSteps != 0
                                     ? Left(tiling.lengthOfSteps, stepTile, tiling.rowLength)
                                     : length;
      Add(sums, from, nowRows, nowLength);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void Add(const AscendC::LocalTensor<float>& sums, uint64_t from,
                             uint32_t nowRows, uint32_t nowLength) {
    AscendC::LocalTensor<T> local = inQueue.template AllocTensor<T>();
    // In x there is nothing between rows, so they are one run where there is nothing in a tile.
    const bool dense = nowRows == 1 || tiling.pitch == tiling.rowLength;
    const uint32_t blocks = dense ? 1 : nowRows;
    const uint32_t blockLength = dense ? nowRows * nowLength : nowLength;
    if (dense && blockLength * sizeof(T) % DATABLOCK_BYTES == 0) {
      AscendC::DataCopy(local, xGm[from], blockLength);
    } else {
      const AscendC::DataCopyExtParams copy{
          static_cast<uint16_t>(blocks), static_cast<uint32_t>(blockLength * sizeof(T)), 0, 0, 0};
      AscendC::DataCopyPad(local, xGm[from], copy,
                           AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
    }
    inQueue.EnQue(local);
    local = inQueue.template DeQue<T>();
    // Between rows there may be anything; it ends up between rows.
    const int32_t count =
        static_cast<int32_t>(nowRows == 1 ? nowLength : (nowRows - 1) * tiling.pitch + nowLength);
    AscendC::PipeBarrier<PIPE_V>();
    if constexpr (IS_FLOAT) {
      AscendC::Add(sums, sums, local, count);
    } else {
      AscendC::LocalTensor<float> wide = inFloat.template Get<float>();
      AscendC::Cast(wide, local, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(count));
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Add(sums, sums, wide, count);
    }
    inQueue.FreeTensor(local);
  }

  // Makes results of the running sums and stores them.
  __aicore__ inline void Finish(uint64_t unit, uint64_t part) {
    AscendC::LocalTensor<float> sums = running.Get<float>();
    const uint64_t unitTile = unit % tiling.unitTiles;
    const uint64_t at =
        unit / tiling.unitTiles * tiling.keptResults + unitTile * tiling.unitTileResults;
    const uint32_t count =
        Left(tiling.keptResults, unitTile, static_cast<uint32_t>(tiling.unitTileResults));
    if (tiling.finish == REDUCE_SUM_ROWS) {
      const AscendC::LocalTensor<float> whole = sums;
      sums = ofRows.Get<float>();
      AscendC::Sum(sums, whole, temporary.Get<uint8_t>(),
                   AscendC::SumParams{rows, tiling.pitch, tiling.rowLength});
    } else if (tiling.finish == REDUCE_SUM_SPREAD) {
      const AscendC::LocalTensor<float> whole = sums;
      sums = spread.Get<float>();
      AscendC::Gather(sums, whole, offsets.Get<uint32_t>(), 0, tiling.foldRows * tiling.foldPitch);
      AscendC::PipeBarrier<PIPE_V>();
      Fold(sums);
    } else if (tiling.finish == REDUCE_SUM_FOLD) {
      Fold(sums);
    }
    AscendC::PipeBarrier<PIPE_V>();
    if (tiling.parts > 1) {
      Store(partialGm, part * tiling.results + at, sums, count);
    } else {
      Store(outGm, at, sums, count);
    }
  }

  // Adds all rows to the first one, the upper half to the lower half at a time.
  __aicore__ inline void Fold(const AscendC::LocalTensor<float>& sums) {
    for (uint32_t left = tiling.foldRows; left > 1;) {
      const uint32_t half = (left + 1) / 2;
      AscendC::Add(sums, sums, sums[half * tiling.foldPitch],
                   static_cast<int32_t>((left - half) * tiling.foldPitch));
      AscendC::PipeBarrier<PIPE_V>();
      left = half;
    }
  }

  // Where in a tile the terms of its results lie, in bytes: the first terms of all results, then
  // the second ones, and so on.
  __aicore__ inline void FillOffsets() {
    AscendC::LocalTensor<uint32_t> table = offsets.Get<uint32_t>();
    uint64_t results = 1;
    for (uint32_t axis = 0; axis < tiling.inKept.count; ++axis) {
      results *= tiling.inKept.size[axis];
    }
    if (tiling.inKept.count == 1) {
      // Results in equal distances, so whole rows can be written.
      AscendC::LocalTensor<int32_t> rowTable = table.template ReinterpretCast<int32_t>();
      AscendC::Duplicate(rowTable, 0, static_cast<int32_t>(tiling.foldRows * tiling.foldPitch));
      AscendC::PipeBarrier<PIPE_V>();
      for (uint32_t term = 0; term < tiling.foldRows; ++term) {
        const uint64_t first = Place(tiling.inReduced, term) * sizeof(float);
        AscendC::ArithProgression<int32_t>(
            rowTable[term * tiling.foldPitch], static_cast<int32_t>(first),
            static_cast<int32_t>(tiling.inKept.stride[0] * sizeof(float)),
            static_cast<int32_t>(results));
      }
      AscendC::PipeBarrier<PIPE_V>();
      return;
    }
    for (uint32_t term = 0; term < tiling.foldRows; ++term) {
      const uint64_t first = Place(tiling.inReduced, term);
      for (uint32_t result = 0; result < tiling.foldPitch; ++result) {
        const uint64_t place = result < results ? Place(tiling.inKept, result) : 0;
        table.SetValue(term * tiling.foldPitch + result,
                       static_cast<uint32_t>((first + place) * sizeof(float)));
      }
    }
    const auto event = GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_V);
    AscendC::SetFlag<AscendC::HardEvent::S_V>(event);
    AscendC::WaitFlag<AscendC::HardEvent::S_V>(event);
  }

  template <typename U>
  __aicore__ inline void Store(const AscendC::GlobalTensor<U>& to, uint64_t at,
                               const AscendC::LocalTensor<float>& sums, uint32_t count) {
    AscendC::LocalTensor<U> local = outQueue.template AllocTensor<U>();
    if constexpr (AscendC::IsSameType<U, float>::value) {
      AscendC::Adds(local, sums, 0.0f, static_cast<int32_t>(count));
    } else {
      AscendC::Cast(local, sums, AscendC::RoundMode::CAST_RINT, count);
    }
    outQueue.EnQue(local);
    local = outQueue.template DeQue<U>();
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(U)), 0, 0, 0};
    AscendC::DataCopyPad(to[at], local, copy);
    outQueue.FreeTensor(local);
  }

  const ReduceSumTilingData& tiling;
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueue;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> partQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
  AscendC::TBuf<AscendC::TPosition::VECCALC> running;
  AscendC::TBuf<AscendC::TPosition::VECCALC> inFloat;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsets;
  AscendC::TBuf<AscendC::TPosition::VECCALC> spread;
  AscendC::TBuf<AscendC::TPosition::VECCALC> ofRows;
  AscendC::TBuf<AscendC::TPosition::VECCALC> temporary;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> outGm;
  AscendC::GlobalTensor<float> partialGm;
  uint32_t rows = 0;    // of the unit
  uint32_t length = 0;  // of the unit's rows
};

}  // namespace

extern "C" __global__ __aicore__ void reduce_sum(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ReduceSumTilingData);
  GET_TILING_DATA(tilingData, tiling);
  if (TILING_KEY_IS(1)) {
    KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
    KernelReduceSum<DTYPE_X> op(tilingData);
    op.Init(x, out, nullptr);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    // Blocks wait for each other, which vector cores alone cannot.
    KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIV_1_0);
    KernelReduceSum<DTYPE_X> op(tilingData);
    op.Init(x, out, AscendC::GetUserWorkspace(workspace));
    op.Process();
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::SyncAll();
    op.AddParts();
  }
}

// out = x * y, element by element, for any length; the smaller operand is broadcast.
//
// Each block takes its own run of elements and walks through it in tiles: copy in, multiply, copy
// out. Two buffers per queue let the copies of one tile overlap with the multiplication of another.
// The vector unit does not multiply bfloat16: those go through float, where the product is exact.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "my_mul_tiling.h"

namespace {

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t DATABLOCK_BYTES = 32;

template <typename T>
struct InFloat {
  static constexpr bool value = AscendC::IsSameType<T, bfloat16_t>::value;
};

template <typename T>
__aicore__ inline void Load(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from,
                            uint32_t count) {
  if (count * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, count);
    return;
  }
  // DataCopy moves whole datablocks only; the last elements of a tensor need not fill one.
  const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
  AscendC::DataCopyPad(to, from, copy, AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
}

template <typename T>
__aicore__ inline void Store(const AscendC::GlobalTensor<T>& to,
                             const AscendC::LocalTensor<T>& from, uint32_t count) {
  if (count * sizeof(T) % DATABLOCK_BYTES == 0) {
    AscendC::DataCopy(to, from, count);
    return;
  }
  const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
  AscendC::DataCopyPad(to, from, copy);
}

// Products of tiles in any element type.
template <typename T>
class Product {
 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength) {
    if constexpr (InFloat<T>::value) {
      pipe->InitBuffer(floatX, tileLength * sizeof(float));
      pipe->InitBuffer(floatY, tileLength * sizeof(float));
    }
  }

  __aicore__ inline void Run(const AscendC::LocalTensor<T>& out, const AscendC::LocalTensor<T>& x,
                             const AscendC::LocalTensor<T>& y, uint32_t count) {
    if constexpr (InFloat<T>::value) {
      AscendC::LocalTensor<float> a = floatX.template Get<float>();
      AscendC::LocalTensor<float> b = floatY.template Get<float>();
      AscendC::Cast(a, x, AscendC::RoundMode::CAST_NONE, count);
      AscendC::Cast(b, y, AscendC::RoundMode::CAST_NONE, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Mul(a, a, b, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(out, a, AscendC::RoundMode::CAST_RINT, count);
    } else {
      AscendC::Mul(out, x, y, count);
    }
  }

  __aicore__ inline void Run(const AscendC::LocalTensor<T>& out, const AscendC::LocalTensor<T>& x,
                             T factor, uint32_t count) {
    if constexpr (InFloat<T>::value) {
      AscendC::LocalTensor<float> a = floatX.template Get<float>();
      AscendC::Cast(a, x, AscendC::RoundMode::CAST_NONE, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Muls(a, a, AscendC::ToFloat(factor), count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(out, a, AscendC::RoundMode::CAST_RINT, count);
    } else {
      AscendC::Muls(out, x, factor, count);
    }
  }

 private:
  AscendC::TBuf<AscendC::TPosition::VECCALC> floatX;
  AscendC::TBuf<AscendC::TPosition::VECCALC> floatY;
};

// x, y and out have one shape.
template <typename T>
class KernelMyMul {
 public:
  __aicore__ inline KernelMyMul() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR out, const MyMulTilingData& tiling) {
    const uint64_t begin = tiling.blockLength * AscendC::GetBlockIdx();
    length = 0;
    if (begin < tiling.totalLength) {
      const uint64_t rest = tiling.totalLength - begin;
      length = rest < tiling.blockLength ? rest : tiling.blockLength;
    }
    tileLength = tiling.tileLength;
    xGm.SetGlobalBuffer((__gm__ T*)x + begin, length);
    yGm.SetGlobalBuffer((__gm__ T*)y + begin, length);
    outGm.SetGlobalBuffer((__gm__ T*)out + begin, length);
    pipe.InitBuffer(inQueueX, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(inQueueY, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(T));
    product.Init(&pipe, tileLength);
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
  __aicore__ inline void CopyIn(uint64_t offset, uint32_t count) {
    AscendC::LocalTensor<T> xLocal = inQueueX.template AllocTensor<T>();
    AscendC::LocalTensor<T> yLocal = inQueueY.template AllocTensor<T>();
    Load(xLocal, xGm[offset], count);
    Load(yLocal, yGm[offset], count);
    inQueueX.EnQue(xLocal);
    inQueueY.EnQue(yLocal);
  }

  __aicore__ inline void Compute(uint32_t count) {
    AscendC::LocalTensor<T> xLocal = inQueueX.template DeQue<T>();
    AscendC::LocalTensor<T> yLocal = inQueueY.template DeQue<T>();
    AscendC::LocalTensor<T> outLocal = outQueue.template AllocTensor<T>();
    product.Run(outLocal, xLocal, yLocal, count);
    outQueue.template EnQue<T>(outLocal);
    inQueueX.FreeTensor(xLocal);
    inQueueY.FreeTensor(yLocal);
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
    AscendC::LocalTensor<T> outLocal = outQueue.template DeQue<T>();
    Store(outGm[offset], outLocal, count);
    outQueue.FreeTensor(outLocal);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueX;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueY;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
  Product<T> product;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> yGm;
  AscendC::GlobalTensor<T> outGm;
  uint64_t length = 0;
  uint32_t tileLength = 0;
};

// The elements of one operand that belong to a tile of the output.
template <typename T>
class Operand {
 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR address,
                              const MyMulOperand& operandTiling,
                              const MyMulBroadcastTilingData& wholeTiling) {
    operand = &operandTiling;
    whole = &wholeTiling;
    gm.SetGlobalBuffer((__gm__ T*)address);
    if (operand->source == MY_MUL_SCALAR) return;
    pipe->InitBuffer(queue, BUFFER_NUM, whole->tileLength * sizeof(T));
    if (operand->source == MY_MUL_GATHER) {
      pipe->InitBuffer(offsets, whole->tileLength * sizeof(uint32_t));
      pipe->InitBuffer(gathered, whole->tileLength * sizeof(T));
      FillOffsets();
    }
  }

  // For `rows` rows of a matrix from `row` on; `place` is where the matrix begins in the operand.
  __aicore__ inline void CopyIn(uint64_t place, uint64_t row, uint32_t rows) {
    const uint64_t from = place + (operand->rowMoves != 0 ? row * operand->rowLength : 0);
    // What all rows share is still there from the tile before.
    isNew = operand->source == MY_MUL_DENSE || operand->rowMoves != 0 || from != last;
    last = from;
    if (!isNew) return;
    if (operand->source == MY_MUL_SCALAR) {
      factor = gm.GetValue(from);
      return;
    }
    const uint64_t count = operand->rowLength * (operand->rowMoves != 0 ? rows : 1);
    AscendC::LocalTensor<T> local = queue.template AllocTensor<T>();
    Load(local, gm[from], static_cast<uint32_t>(count));
    queue.EnQue(local);
  }

  // The tile, in the order of the output's elements. Not for scalars.
  __aicore__ inline AscendC::LocalTensor<T> Take(uint32_t count) {
    if (operand->source == MY_MUL_DENSE) return taken = queue.template DeQue<T>();
    AscendC::LocalTensor<T> tile = gathered.template Get<T>();
    if (!isNew) return tile;
    // What all rows share is gathered for a whole tile, whatever the first one needs.
    const uint32_t all = operand->rowMoves != 0 ? count : whole->tileRows * RowLength();
    AscendC::LocalTensor<T> local = queue.template DeQue<T>();
    AscendC::Gather(tile, local, offsets.template Get<uint32_t>(), 0, all);
    queue.FreeTensor(local);
    AscendC::PipeBarrier<PIPE_V>();
    return tile;
  }

  __aicore__ inline void Free() {
    if (operand->source == MY_MUL_DENSE) queue.FreeTensor(taken);
  }

  __aicore__ inline bool IsScalar() const { return operand->source == MY_MUL_SCALAR; }

  T factor;  // of a scalar

 private:
  __aicore__ inline uint32_t RowLength() const { return static_cast<uint32_t>(whole->rowLength); }

  // Where each element of a whole tile lies in what CopyIn brings, in bytes.
  __aicore__ inline void FillOffsets() {
    AscendC::LocalTensor<uint32_t> table = offsets.template Get<uint32_t>();
    uint32_t index[MY_MUL_AXES] = {};
    const uint32_t count = whole->tileRows * RowLength();
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
      table.SetValue(i, at * static_cast<uint32_t>(sizeof(T)));
      for (uint32_t axis = whole->tileAxes; axis-- > 0;) {
        at += operand->tileStride[axis];
        if (++index[axis] < whole->tileSize[axis]) break;
        at -= operand->tileStride[axis] * whole->tileSize[axis];
        index[axis] = 0;
      }
    }
    const auto event = GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_V);
    AscendC::SetFlag<AscendC::HardEvent::S_V>(event);
    AscendC::WaitFlag<AscendC::HardEvent::S_V>(event);
  }

  const MyMulOperand* operand = nullptr;
  const MyMulBroadcastTilingData* whole = nullptr;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> queue;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsets;
  AscendC::TBuf<AscendC::TPosition::VECCALC> gathered;
  AscendC::LocalTensor<T> taken;
  AscendC::GlobalTensor<T> gm;
  uint64_t last = ~uint64_t{0};
  bool isNew = true;
};

template <typename T>
class KernelMyMulBroadcast {
 public:
  __aicore__ inline KernelMyMulBroadcast(const MyMulBroadcastTilingData& tilingData)
      : tiling(tilingData) {}

  __aicore__ inline void Init(GM_ADDR xAddress, GM_ADDR yAddress, GM_ADDR out) {
    outGm.SetGlobalBuffer((__gm__ T*)out);
    x.Init(&pipe, xAddress, tiling.x, tiling);
    y.Init(&pipe, yAddress, tiling.y, tiling);
    pipe.InitBuffer(outQueue, BUFFER_NUM, tiling.tileLength * sizeof(T));
    product.Init(&pipe, tiling.tileLength);
  }

  __aicore__ inline void Process() {
    uint64_t unit = tiling.blockUnits * AscendC::GetBlockIdx();
    const uint64_t end =
        unit + tiling.blockUnits < tiling.units ? unit + tiling.blockUnits : tiling.units;
    for (; unit < end; ++unit) {
      const uint64_t matrix = unit / tiling.tilesPerMatrix;
      const uint64_t row = unit % tiling.tilesPerMatrix * tiling.tileRows;
      const uint64_t rest = tiling.rows - row;
      const uint32_t rows = rest < tiling.tileRows ? static_cast<uint32_t>(rest) : tiling.tileRows;
      x.CopyIn(Place(tiling.x, matrix), row, rows);
      y.CopyIn(Place(tiling.y, matrix), row, rows);
      const uint32_t count = rows * static_cast<uint32_t>(tiling.rowLength);
      Compute(count);
      AscendC::LocalTensor<T> outLocal = outQueue.template DeQue<T>();
      Store(outGm[(matrix * tiling.rows + row) * tiling.rowLength], outLocal, count);
      outQueue.FreeTensor(outLocal);
    }
  }

 private:
  // Where a matrix of the output begins in an operand.
  __aicore__ inline uint64_t Place(const MyMulOperand& operand, uint64_t matrix) const {
    uint64_t place = 0;
    for (uint32_t axis = tiling.outerAxes; axis-- > 0;) {
      place += matrix % tiling.outerSize[axis] * operand.outerStride[axis];
      matrix /= tiling.outerSize[axis];
    }
    return place;
  }

  __aicore__ inline void Compute(uint32_t count) {
    AscendC::LocalTensor<T> outLocal = outQueue.template AllocTensor<T>();
    if (x.IsScalar()) {
      product.Run(outLocal, y.Take(count), x.factor, count);
    } else if (y.IsScalar()) {
      product.Run(outLocal, x.Take(count), y.factor, count);
    } else {
      product.Run(outLocal, x.Take(count), y.Take(count), count);
    }
    outQueue.template EnQue<T>(outLocal);
    x.Free();
    y.Free();
  }

  const MyMulBroadcastTilingData& tiling;
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
  Product<T> product;
  Operand<T> x;
  Operand<T> y;
  AscendC::GlobalTensor<T> outGm;
};

}  // namespace

extern "C" __global__ __aicore__ void my_mul(GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace,
                                             GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(MyMulTilingData);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 2", MyMulBroadcastTilingData);
  if (TILING_KEY_IS(1)) {
    GET_TILING_DATA(tilingData, tiling);
    KernelMyMul<DTYPE_X> op;
    op.Init(x, y, out, tilingData);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    GET_TILING_DATA_WITH_STRUCT(MyMulBroadcastTilingData, tilingData, tiling);
    KernelMyMulBroadcast<DTYPE_X> op(tilingData);
    op.Init(x, y, out);
    op.Process();
  }
}

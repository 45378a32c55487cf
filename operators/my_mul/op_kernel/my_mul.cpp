// out = x * y, element by element, for any length.
//
// Each block takes its own run of elements and walks through it in tiles: copy in, multiply, copy
// out. Two buffers per queue let the copies of one tile overlap with the multiplication of another.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "my_mul_tiling.h"

namespace {

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t DATABLOCK_BYTES = 32;

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
    if (IsWhole(count)) {
      AscendC::DataCopy(xLocal, xGm[offset], count);
      AscendC::DataCopy(yLocal, yGm[offset], count);
    } else {
      // DataCopy moves whole datablocks only; the last elements of the tensor need not fill one.
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
      const AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, 0};
      AscendC::DataCopyPad(xLocal, xGm[offset], copy, pad);
      AscendC::DataCopyPad(yLocal, yGm[offset], copy, pad);
    }
    inQueueX.EnQue(xLocal);
    inQueueY.EnQue(yLocal);
  }

  __aicore__ inline void Compute(uint32_t count) {
    AscendC::LocalTensor<T> xLocal = inQueueX.template DeQue<T>();
    AscendC::LocalTensor<T> yLocal = inQueueY.template DeQue<T>();
    AscendC::LocalTensor<T> outLocal = outQueue.template AllocTensor<T>();
    AscendC::Mul(outLocal, xLocal, yLocal, count);
    outQueue.template EnQue<T>(outLocal);
    inQueueX.FreeTensor(xLocal);
    inQueueY.FreeTensor(yLocal);
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
    AscendC::LocalTensor<T> outLocal = outQueue.template DeQue<T>();
    if (IsWhole(count)) {
      AscendC::DataCopy(outGm[offset], outLocal, count);
    } else {
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
      AscendC::DataCopyPad(outGm[offset], outLocal, copy);
    }
    outQueue.FreeTensor(outLocal);
  }

  __aicore__ inline bool IsWhole(uint32_t count) const {
    return count * sizeof(T) % DATABLOCK_BYTES == 0;
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueX;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueY;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> yGm;
  AscendC::GlobalTensor<T> outGm;
  uint64_t length = 0;
  uint32_t tileLength = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void my_mul(GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace,
                                             GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(MyMulTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelMyMul<DTYPE_X> op;
  op.Init(x, y, out, tilingData);
  op.Process();
}

// out = x where x >= 0, else slope * x, element by element, for any length.
//
// The 16-bit types go through float: the slope stays as it is, and the result is rounded once.
//
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "leaky_relu_tiling.h"

namespace {

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t DATABLOCK_BYTES = 32;

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

template <typename T>
class KernelLeakyRelu {
 public:
  __aicore__ inline KernelLeakyRelu() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out, const LeakyReluTilingData& tiling) {
    const uint64_t begin = tiling.blockLength * AscendC::GetBlockIdx();
    length = 0;
    if (begin < tiling.totalLength) {
      const uint64_t rest = tiling.totalLength - begin;
      length = rest < tiling.blockLength ? rest : tiling.blockLength;
    }
    tileLength = tiling.tileLength;
    slope = tiling.slope;
    xGm.SetGlobalBuffer((__gm__ T*)x + begin, length);
    outGm.SetGlobalBuffer((__gm__ T*)out + begin, length);
    pipe.InitBuffer(inQueueX, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(T));
    if constexpr (!AscendC::IsSameType<T, float>::value) {
      pipe.InitBuffer(floatX, tileLength * sizeof(float));
    }
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
    Load(xLocal, xGm[offset], count);
    inQueueX.EnQue(xLocal);
  }

  __aicore__ inline void Compute(uint32_t count) {
    AscendC::LocalTensor<T> xLocal = inQueueX.template DeQue<T>();
    AscendC::LocalTensor<T> outLocal = outQueue.template AllocTensor<T>();
    if constexpr (AscendC::IsSameType<T, float>::value) {
      AscendC::LeakyRelu(outLocal, xLocal, slope, count);
    } else {
      AscendC::LocalTensor<float> a = floatX.template Get<float>();
      AscendC::Cast(a, xLocal, AscendC::RoundMode::CAST_NONE, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::LeakyRelu(a, a, slope, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(outLocal, a, AscendC::RoundMode::CAST_RINT, count);
    }
    outQueue.template EnQue<T>(outLocal);
    inQueueX.FreeTensor(xLocal);
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
    AscendC::LocalTensor<T> outLocal = outQueue.template DeQue<T>();
    Store(outGm[offset], outLocal, count);
    outQueue.FreeTensor(outLocal);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueueX;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
  AscendC::TBuf<AscendC::TPosition::VECCALC> floatX;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> outGm;
  uint64_t length = 0;
  uint32_t tileLength = 0;
  float slope = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void leaky_relu(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(LeakyReluTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelLeakyRelu<DTYPE_X> op;
  op.Init(x, out, tilingData);
  op.Process();
}

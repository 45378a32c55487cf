// out = base + the sum of gains - fee - the sum of losses, in one block.
// SPDX-License-Identifier: Apache-2.0
#include "balance_tiling.h"
#include "kernel_operator.h"

using AscendC::TPosition;

constexpr uint32_t TILE = 1024;

class Balance {
 public:
  __aicore__ inline void Run(GM_ADDR base, GM_ADDR gains, GM_ADDR fee, GM_ADDR losses, GM_ADDR out,
                             const BalanceTilingData& tiling) {
    length = tiling.length;
    pipe.InitBuffer(inQueue, 1, TILE * sizeof(float));
    pipe.InitBuffer(outQueue, 1, TILE * sizeof(float));
    outGm.SetGlobalBuffer((__gm__ float*)out, length);
    AscendC::ListTensorDesc gainList;
    AscendC::ListTensorDesc lossList;
    gainList.Init(reinterpret_cast<__gm__ void*>(gains));
    lossList.Init(reinterpret_cast<__gm__ void*>(losses));
    for (uint64_t offset = 0; offset < length; offset += TILE) {
      const uint64_t rest = length - offset;
      count = rest < TILE ? static_cast<uint32_t>(rest) : TILE;
      AscendC::LocalTensor<float> sum = outQueue.AllocTensor<float>();
      AscendC::Duplicate(sum, 0.0f, count);
      Add(sum, (__gm__ float*)base, offset, 1.0f);
      for (uint32_t i = 0; i < gainList.GetSize(); ++i) {
        Add(sum, gainList.GetDataPtr<float>(i), offset, 1.0f);
      }
      if (tiling.hasFee != 0) Add(sum, (__gm__ float*)fee, offset, -1.0f);
      for (uint32_t i = 0; i < lossList.GetSize(); ++i) {
        Add(sum, lossList.GetDataPtr<float>(i), offset, -1.0f);
      }
      outQueue.EnQue(sum);
      sum = outQueue.DeQue<float>();
      AscendC::DataCopyPad(outGm[offset], sum, Copy());
      outQueue.FreeTensor(sum);
    }
  }

 private:
  __aicore__ inline AscendC::DataCopyExtParams Copy() const {
    return {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
  }

  __aicore__ inline void Add(const AscendC::LocalTensor<float>& sum, __gm__ float* from,
                             uint64_t offset, float sign) {
    inGm.SetGlobalBuffer(from, length);
    AscendC::LocalTensor<float> x = inQueue.AllocTensor<float>();
    AscendC::DataCopyPad(x, inGm[offset], Copy(),
                         AscendC::DataCopyPadExtParams<float>{false, 0, 0, 0});
    inQueue.EnQue(x);
    x = inQueue.DeQue<float>();
    AscendC::Axpy(sum, x, sign, count);
    inQueue.FreeTensor(x);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<TPosition::VECIN, 1> inQueue;
  AscendC::TQue<TPosition::VECOUT, 1> outQueue;
  AscendC::GlobalTensor<float> inGm;
  AscendC::GlobalTensor<float> outGm;
  uint64_t length;
  uint32_t count;
};

extern "C" __global__ __aicore__ void balance(GM_ADDR base, GM_ADDR gains, GM_ADDR fee,
                                              GM_ADDR losses, GM_ADDR out, GM_ADDR workspace,
                                              GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(BalanceTilingData);
  GET_TILING_DATA(data, tiling);
  Balance op;
  op.Run(base, gains, fee, losses, out, data);
}

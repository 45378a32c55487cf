// out = the sum of x[i] * y[i], plus bias where there is one; first = y[0].
// SPDX-License-Identifier: Apache-2.0
#include "dots_tiling.h"
#include "kernel_operator.h"

namespace {

constexpr uint32_t TILE = 256;

class Dots {
 public:
  __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR bias, GM_ADDR out, GM_ADDR first,
                             const DotsTilingData& tiling) {
    const uint64_t begin = AscendC::GetBlockIdx() * TILE;
    const uint32_t count =
        static_cast<uint32_t>(tiling.length - begin < TILE ? tiling.length - begin : TILE);
    pipe.InitBuffer(sums, TILE * sizeof(float));
    pipe.InitBuffer(in, 2, TILE * sizeof(float));
    pipe.InitBuffer(results, 1, TILE * sizeof(float));
    AscendC::LocalTensor<float> sum = sums.Get<float>();
    AscendC::Duplicate(sum, 0.0f, TILE);
    for (uint32_t i = 0; i < tiling.terms; ++i) {
      AscendC::LocalTensor<float> a = Load(Member(x, i), begin, tiling.length, count);
      AscendC::LocalTensor<float> b = Load(Member(y, i), begin, tiling.length, count);
      if (i == 0) {
        AscendC::LocalTensor<float> copied = results.AllocTensor<float>();
        AscendC::Adds(copied, b, 0.0f, count);
        Store(first, copied, begin, tiling.length, count);
      }
      AscendC::MulAddDst(sum, a, b, count);
      in.FreeTensor(a);
      in.FreeTensor(b);
    }
    if (tiling.hasBias != 0) {
      AscendC::LocalTensor<float> b = Load(bias, begin, tiling.length, count);
      AscendC::Add(sum, sum, b, count);
      in.FreeTensor(b);
    }
    AscendC::LocalTensor<float> result = results.AllocTensor<float>();
    AscendC::Adds(result, sum, 0.0f, count);
    Store(out, result, begin, tiling.length, count);
  }

 private:
  __aicore__ static inline GM_ADDR Member(GM_ADDR list, uint32_t index) {
    AscendC::ListTensorDesc tensors(reinterpret_cast<__gm__ void*>(list));
    return reinterpret_cast<GM_ADDR>(tensors.GetDataPtr<uint8_t>(index));
  }

  __aicore__ inline AscendC::LocalTensor<float> Load(GM_ADDR from, uint64_t begin, uint64_t length,
                                                     uint32_t count) {
    AscendC::GlobalTensor<float> global;
    global.SetGlobalBuffer((__gm__ float*)from, length);
    AscendC::LocalTensor<float> local = in.AllocTensor<float>();
    AscendC::DataCopyPad(local, global[begin],
                         {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                         AscendC::DataCopyPadExtParams<float>{false, 0, 0, 0});
    in.EnQue(local);
    return in.DeQue<float>();
  }

  __aicore__ inline void Store(GM_ADDR to, AscendC::LocalTensor<float> local, uint64_t begin,
                               uint64_t length, uint32_t count) {
    AscendC::GlobalTensor<float> global;
    global.SetGlobalBuffer((__gm__ float*)to, length);
    results.EnQue(local);
    local = results.DeQue<float>();
    AscendC::DataCopyPad(global[begin], local,
                         {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
    results.FreeTensor(local);
  }

  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sums;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> results;
};

}  // namespace

extern "C" __global__ __aicore__ void dots(GM_ADDR x, GM_ADDR y, GM_ADDR bias, GM_ADDR out,
                                           GM_ADDR first, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(DotsTilingData);
  GET_TILING_DATA(data, tiling);
  Dots op;
  op.Run(x, y, bias, out, first, data);
}

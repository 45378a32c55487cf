// out = x * y, element by element. Each block walks through its share of the tensors in tiles:
// copy in, compute, copy out. Two buffers in each queue let the steps of neighbouring tiles
// overlap.
#include "kernel_operator.h"
#include "tiling_data.h"

namespace {

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t DATABLOCK_BYTES = 32;

template <typename T>
class Kernel {
 public:
  __aicore__ inline Kernel() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR out, const TilingData& tiling) {
    const uint64_t begin = tiling.blockLength * AscendC::GetBlockIdx();
    const uint64_t rest = begin < tiling.totalLength ? tiling.totalLength - begin : 0;
    length = rest < tiling.blockLength ? rest : tiling.blockLength;
    tileLength = tiling.tileLength;
    xGm.SetGlobalBuffer((__gm__ T*)x + begin, length);
    yGm.SetGlobalBuffer((__gm__ T*)y + begin, length);
    outGm.SetGlobalBuffer((__gm__ T*)out + begin, length);
    pipe.InitBuffer(queueX, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(queueY, BUFFER_NUM, tileLength * sizeof(T));
    pipe.InitBuffer(queueOut, BUFFER_NUM, tileLength * sizeof(T));
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
    AscendC::LocalTensor<T> x = queueX.template AllocTensor<T>();
    AscendC::LocalTensor<T> y = queueY.template AllocTensor<T>();
    if (IsWhole(count)) {
      AscendC::DataCopy(x, xGm[offset], count);
      AscendC::DataCopy(y, yGm[offset], count);
    } else {
      // The tail: DataCopy moves whole datablocks, and the last elements need not fill one.
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
      const AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, 0};
      AscendC::DataCopyPad(x, xGm[offset], copy, pad);
      AscendC::DataCopyPad(y, yGm[offset], copy, pad);
    }
    queueX.EnQue(x);
    queueY.EnQue(y);
  }

  // What the operator is about. A change here goes with one in reference.py and gradient.py.
  __aicore__ inline void Compute(uint32_t count) {
    AscendC::LocalTensor<T> x = queueX.template DeQue<T>();
    AscendC::LocalTensor<T> y = queueY.template DeQue<T>();
    AscendC::LocalTensor<T> out = queueOut.template AllocTensor<T>();
    AscendC::Mul(out, x, y, count);
    queueOut.template EnQue<T>(out);
    queueX.FreeTensor(x);
    queueY.FreeTensor(y);
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
    AscendC::LocalTensor<T> out = queueOut.template DeQue<T>();
    if (IsWhole(count)) {
      AscendC::DataCopy(outGm[offset], out, count);
    } else {
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
      AscendC::DataCopyPad(outGm[offset], out, copy);
    }
    queueOut.FreeTensor(out);
  }

  __aicore__ inline bool IsWhole(uint32_t count) const {
    return count * sizeof(T) % DATABLOCK_BYTES == 0;
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> queueX;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> queueY;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> queueOut;
  AscendC::GlobalTensor<T> xGm;
  AscendC::GlobalTensor<T> yGm;
  AscendC::GlobalTensor<T> outGm;
  uint64_t length = 0;
  uint32_t tileLength = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void new_operator(GM_ADDR x, GM_ADDR y, GM_ADDR out,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(TilingData);
  GET_TILING_DATA(tilingData, tiling);
  Kernel<DTYPE_X> kernel;
  kernel.Init(x, y, out, tilingData);
  kernel.Process();
}

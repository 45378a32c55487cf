// product = x * y and square = x * x, in one block and tiles of a length the caller chooses.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "products_tiling.h"

using AscendC::TPosition;

class Products {
 public:
  __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR product, GM_ADDR square,
                             const ProductsTilingData& tiling) {
    xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x, tiling.length);
    yGm.SetGlobalBuffer((__gm__ DTYPE_X*)y, tiling.length);
    productGm.SetGlobalBuffer((__gm__ DTYPE_X*)product, tiling.length);
    squareGm.SetGlobalBuffer((__gm__ DTYPE_X*)square, tiling.length);
    pipe.InitBuffer(xQueue, 1, tiling.tileLength * sizeof(DTYPE_X));
    pipe.InitBuffer(yQueue, 1, tiling.tileLength * sizeof(DTYPE_X));
    pipe.InitBuffer(outQueue, 2, tiling.tileLength * sizeof(DTYPE_X));
    for (uint64_t offset = 0; offset < tiling.length; offset += tiling.tileLength) {
      const uint64_t rest = tiling.length - offset;
      Tile(offset, rest < tiling.tileLength ? static_cast<uint32_t>(rest) : tiling.tileLength);
    }
  }

 private:
  __aicore__ inline void Tile(uint64_t offset, uint32_t count) {
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0,
                                          0};
    const AscendC::DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
    AscendC::LocalTensor<DTYPE_X> x = xQueue.AllocTensor<DTYPE_X>();
    AscendC::LocalTensor<DTYPE_X> y = yQueue.AllocTensor<DTYPE_X>();
    AscendC::DataCopyPad(x, xGm[offset], copy, pad);
    AscendC::DataCopyPad(y, yGm[offset], copy, pad);
    xQueue.EnQue(x);
    yQueue.EnQue(y);
    x = xQueue.DeQue<DTYPE_X>();
    y = yQueue.DeQue<DTYPE_X>();
    Multiply(productGm[offset], x, y, count, copy);
    Multiply(squareGm[offset], x, x, count, copy);
    xQueue.FreeTensor(x);
    yQueue.FreeTensor(y);
  }

  __aicore__ inline void Multiply(const AscendC::GlobalTensor<DTYPE_X>& to,
                                  const AscendC::LocalTensor<DTYPE_X>& a,
                                  const AscendC::LocalTensor<DTYPE_X>& b, uint32_t count,
                                  const AscendC::DataCopyExtParams& copy) {
    AscendC::LocalTensor<DTYPE_X> out = outQueue.AllocTensor<DTYPE_X>();
    AscendC::Mul(out, a, b, count);
    outQueue.EnQue(out);
    out = outQueue.DeQue<DTYPE_X>();
    AscendC::DataCopyPad(to, out, copy);
    outQueue.FreeTensor(out);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<TPosition::VECIN, 1> xQueue;
  AscendC::TQue<TPosition::VECIN, 1> yQueue;
  AscendC::TQue<TPosition::VECOUT, 2> outQueue;
  AscendC::GlobalTensor<DTYPE_X> xGm;
  AscendC::GlobalTensor<DTYPE_X> yGm;
  AscendC::GlobalTensor<DTYPE_X> productGm;
  AscendC::GlobalTensor<DTYPE_X> squareGm;
};

extern "C" __global__ __aicore__ void products(GM_ADDR x, GM_ADDR y, GM_ADDR product,
                                               GM_ADDR square, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ProductsTilingData);
  GET_TILING_DATA(data, tiling);
  Products op;
  if (data.swap != 0) {
    op.Run(x, y, square, product, data);
  } else {
    op.Run(x, y, product, square, data);
  }
}

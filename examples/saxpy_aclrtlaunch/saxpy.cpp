// z = alpha * x + y, one tile after the other: the kernel alone.
#include <algorithm>

#include "kernel_operator.h"

extern "C" __global__ __aicore__ void saxpy(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length,
                                            uint32_t share, float alpha) {
  using namespace AscendC;
  constexpr uint32_t kTile = SAXPY_TILE;
  const uint32_t begin = static_cast<uint32_t>(GetBlockIdx()) * share;
  const uint32_t count = begin < length ? std::min(share, length - begin) : 0;
  GlobalTensor<float> x_global;
  GlobalTensor<float> y_global;
  GlobalTensor<float> z_global;
  x_global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + begin, count);
  y_global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + begin, count);
  z_global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z) + begin, count);

  TPipe pipe;
  TQue<TPosition::VECIN, 2> in_queue;    // x, then y
  TQue<TPosition::VECOUT, 2> out_queue;  // z
  pipe.InitBuffer(in_queue, 4, kTile * sizeof(float));
  pipe.InitBuffer(out_queue, 2, kTile * sizeof(float));
  for (uint32_t at = 0; at < count; at += kTile) {
    const uint32_t part = std::min(kTile, count - at);
    const DataCopyExtParams bytes{1, static_cast<uint32_t>(part * sizeof(float)), 0, 0, 0};
    for (GlobalTensor<float>* global : {&x_global, &y_global}) {
      LocalTensor<float> tile = in_queue.AllocTensor<float>();
      DataCopyPad(tile, (*global)[at], bytes, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
      in_queue.EnQue(tile);
    }
    LocalTensor<float> x_tile = in_queue.DeQue<float>();
    LocalTensor<float> y_tile = in_queue.DeQue<float>();
    LocalTensor<float> z_tile = out_queue.AllocTensor<float>();
    Muls(z_tile, x_tile, alpha, static_cast<int32_t>(part));
    Add(z_tile, z_tile, y_tile, static_cast<int32_t>(part));
    in_queue.FreeTensor(x_tile);
    in_queue.FreeTensor(y_tile);
    out_queue.EnQue(z_tile);
    z_tile = out_queue.DeQue<float>();
    DataCopyPad(z_global[at], z_tile, bytes);
    out_queue.FreeTensor(z_tile);
  }
}

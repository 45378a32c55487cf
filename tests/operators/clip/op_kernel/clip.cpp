// Reads the structures that the build makes from the host's classes.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

class KernelClip {
 public:
  __aicore__ inline KernelClip(GM_ADDR x, GM_ADDR y, uint32_t length, const ClipRange& range)
      : low_(static_cast<DTYPE_X>(range.low)), high_(static_cast<DTYPE_X>(range.high)) {
    x_.SetGlobalBuffer((__gm__ DTYPE_X*)x, length);
    y_.SetGlobalBuffer((__gm__ DTYPE_X*)y, length);
    pipe_.InitBuffer(buffer_, 512 * sizeof(DTYPE_X));
  }
  __aicore__ inline void Tile(uint32_t first, uint32_t count) {
    LocalTensor<DTYPE_X> tile = buffer_.Get<DTYPE_X>();
    const DataCopyExtParams bytes(1, count * sizeof(DTYPE_X), 0, 0, 0);
    DataCopyPad(tile, x_[first], bytes, DataCopyPadExtParams<DTYPE_X>());
    PipeBarrier<PIPE_ALL>();
    Maxs(tile, tile, low_, count);
    Mins(tile, tile, high_, count);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(y_[first], tile, bytes);
    PipeBarrier<PIPE_ALL>();
  }

 private:
  TPipe pipe_;
  TBuf<TPosition::VECCALC> buffer_;
  GlobalTensor<DTYPE_X> x_;
  GlobalTensor<DTYPE_X> y_;
  DTYPE_X low_;
  DTYPE_X high_;
};

extern "C" __global__ __aicore__ void clip(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  (void)workspace;
  if (TILING_KEY_IS(1)) {
    GET_TILING_DATA(data, tiling);
    if (data.tiles[0] != 512 || data.tiles[2] != 128 || data.check != 0x123456789abcdefull) return;
    KernelClip op(x, y, data.length, data.range);
    for (uint32_t at = 0; at < data.length; at += data.tiles[0]) {
      op.Tile(at, data.length - at < data.tiles[0] ? data.length - at : data.tiles[0]);
    }
  } else if (TILING_KEY_IS(2)) {
    GET_TILING_DATA_WITH_STRUCT(ClipWholeTilingData, data, tiling);
    KernelClip(x, y, data.length, data.range).Tile(0, data.length);
  }
}

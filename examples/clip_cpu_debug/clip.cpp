// y = x between two limits; one branch for half, one for float, chosen by the tiling key.
#include "clip_tiling.h"
#include "kernel_operator.h"

namespace {

template <typename T>
class Clip {
 public:
  __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, const ClipTiling& tiling) {
    // Whole datablocks for each core, what is left for the last.
    constexpr uint32_t block = 32 / sizeof(T);
    const uint32_t cores = AscendC::GetBlockNum();
    const uint32_t share = (tiling.elements / block + cores - 1) / cores * block;
    const uint32_t first = AscendC::GetBlockIdx() * share;
    if (first >= tiling.elements) return;
    const uint32_t count = tiling.elements - first < share ? tiling.elements - first : share;
    x_.SetGlobalBuffer((__gm__ T*)x + first, count);
    y_.SetGlobalBuffer((__gm__ T*)y + first, count);
    pipe_.InitBuffer(in_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    for (uint32_t at = 0; at < count; at += kTile) {
      Tile(at, count - at < kTile ? count - at : kTile, tiling);
    }
  }

 private:
  static constexpr uint32_t kTile = 2048;

  __aicore__ inline void Tile(uint32_t at, uint32_t count, const ClipTiling& tiling) {
    AscendC::LocalTensor<T> x = in_.template AllocTensor<T>();
    AscendC::DataCopy(x, x_[at], count);
    in_.EnQue(x);
    x = in_.template DeQue<T>();
    AscendC::LocalTensor<T> y = out_.template AllocTensor<T>();
    AscendC::Maxs(y, x, static_cast<T>(tiling.low), count);
    AscendC::Mins(y, y, static_cast<T>(tiling.high), count);
    out_.EnQue(y);
    in_.FreeTensor(x);
    y = out_.template DeQue<T>();
    AscendC::DataCopy(y_[at], y, count);
    out_.FreeTensor(y);
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
  AscendC::GlobalTensor<T> x_;
  AscendC::GlobalTensor<T> y_;
};

}  // namespace

extern "C" __global__ __aicore__ void clip(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  (void)workspace;
  REGISTER_TILING_DEFAULT(ClipTiling);
  GET_TILING_DATA(data, tiling);
  if (TILING_KEY_IS(1)) {
    Clip<half>().Run(x, y, data);
  } else if (TILING_KEY_IS(2)) {
    Clip<float>().Run(x, y, data);
  }
}

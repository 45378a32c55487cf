// out = x * scale + bias + offset, on one core, by way of the workspace. bias may be left out.
#include "kernel_operator.h"
#include "scale_add_tiling.h"

using namespace AscendC;

constexpr uint32_t TILE = 256;

class ScaleAdd {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR bias, GM_ADDR out, GM_ADDR workspace) {
    x_.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    scaled_.SetGlobalBuffer((__gm__ DTYPE_X*)workspace);
    out_.SetGlobalBuffer((__gm__ DTYPE_X*)out);
    has_bias_ = bias != nullptr;
    if (has_bias_) bias_.SetGlobalBuffer((__gm__ DTYPE_X*)bias);
    pipe_.InitBuffer(in_, 1, TILE * sizeof(DTYPE_X));
    pipe_.InitBuffer(result_, 1, TILE * sizeof(DTYPE_X));
  }

  __aicore__ inline void Process(const ScaleAddTiling& plan) {
    for (uint32_t at = 0; at < plan.length; at += TILE) {
      const uint32_t count = plan.length - at < TILE ? plan.length - at : TILE;
      Load(x_, at, count);
      LocalTensor<DTYPE_X> x = in_.DeQue<DTYPE_X>();
      LocalTensor<DTYPE_X> scaled = result_.AllocTensor<DTYPE_X>();
      Muls(scaled, x, (DTYPE_X)plan.scale, count);
      in_.FreeTensor(x);
      result_.EnQue(scaled);
      Store(scaled_, at, count);
    }
    PipeBarrier<PIPE_ALL>();
    for (uint32_t at = 0; at < plan.length; at += TILE) {
      const uint32_t count = plan.length - at < TILE ? plan.length - at : TILE;
      Load(scaled_, at, count);
      LocalTensor<DTYPE_X> scaled = in_.DeQue<DTYPE_X>();
      LocalTensor<DTYPE_X> out = result_.AllocTensor<DTYPE_X>();
      Adds(out, scaled, (DTYPE_X)plan.offset, count);
      in_.FreeTensor(scaled);
      if (has_bias_) {
        Load(bias_, at, count);
        LocalTensor<DTYPE_X> bias = in_.DeQue<DTYPE_X>();
        Add(out, out, bias, count);
        in_.FreeTensor(bias);
      }
      result_.EnQue(out);
      Store(out_, at, count);
    }
  }

 private:
  __aicore__ inline void Load(GlobalTensor<DTYPE_X>& from, uint32_t at, uint32_t count) {
    LocalTensor<DTYPE_X> to = in_.AllocTensor<DTYPE_X>();
    DataCopyExtParams copy{1, count * (uint32_t)sizeof(DTYPE_X), 0, 0, 0};
    DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, (DTYPE_X)0};
    DataCopyPad(to, from[at], copy, pad);
    in_.EnQue(to);
  }
  __aicore__ inline void Store(GlobalTensor<DTYPE_X>& to, uint32_t at, uint32_t count) {
    LocalTensor<DTYPE_X> from = result_.DeQue<DTYPE_X>();
    DataCopyExtParams copy{1, count * (uint32_t)sizeof(DTYPE_X), 0, 0, 0};
    DataCopyPad(to[at], from, copy);
    result_.FreeTensor(from);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> result_;
  GlobalTensor<DTYPE_X> x_, bias_, scaled_, out_;
  bool has_bias_;
};

extern "C" __global__ __aicore__ void scale_add(GM_ADDR x, GM_ADDR bias, GM_ADDR out,
                                                GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ScaleAddTiling);
  GET_TILING_DATA(plan, tiling);
  ScaleAdd op;
  op.Init(x, bias, out, GetUserWorkspace(workspace));
  op.Process(plan);
}

// out = x * y for half, as a first attempt looks: it shows what a kernel gets away with and what it
// does not. ../my_mul is how it should be.
#include "kernel_operator.h"

using namespace AscendC;

// One tile per block, as large as its share, so long inputs do not fit into the unified buffer.
class NaiveMul {
 public:
  __aicore__ inline NaiveMul(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t total, uint32_t share)
      : share_(share) {
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), total);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), total);
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(out), total);
    pipe_.InitBuffer(x_queue_, 2, share * sizeof(half));
    pipe_.InitBuffer(y_queue_, 2, share * sizeof(half));
    pipe_.InitBuffer(out_queue_, 2, share * sizeof(half));
  }

  __aicore__ inline void Run() {
    const uint32_t begin = static_cast<uint32_t>(GetBlockIdx()) * share_;
    LocalTensor<half> x = x_queue_.AllocTensor<half>();
    LocalTensor<half> y = y_queue_.AllocTensor<half>();
    LocalTensor<half> out = out_queue_.AllocTensor<half>();
    // No tail: the last blocks' share may reach behind the tensors. Less than 32 bytes beyond is
    // forgiven, more is an error.
    DataCopy(x, x_[begin], share_);
    DataCopy(y, y_[begin], share_);
    // Neither EnQue nor DeQue, so nothing waits for the copies. Single elements instead of an
    // instruction on all of them: the slowest way there is.
    for (uint32_t i = 0; i < share_; ++i) {
      out.SetValue(i, x.GetValue(i) * y.GetValue(i));
    }
    DataCopy(out_[begin], out, share_);  // before out is enqueued, and out is never dequeued
    x_queue_.FreeTensor(x);
    y_queue_.FreeTensor(y);
    out_queue_.EnQue(out);
  }

 private:
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> x_queue_;
  TQue<QuePosition::VECIN, 2> y_queue_;
  TQue<QuePosition::VECOUT, 2> out_queue_;
  GlobalTensor<half> x_;
  GlobalTensor<half> y_;
  GlobalTensor<half> out_;
  uint32_t share_;
};

// No plan: the kernel asks for the length of the launch's first tensor and for its share of it.
extern "C" __global__ __aicore__ void my_mul(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  const uint32_t total = GetTensorNum();
  NaiveMul(x, y, out, total, GetBlockSize(total)).Run();
}

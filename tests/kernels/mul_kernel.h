// The kernel of my_mul's shape that engine and observer tests run: queues, tiles, a tail of any
// length. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_KERNELS_MUL_KERNEL_H_
#define BASCULE_TESTS_KERNELS_MUL_KERNEL_H_

#include <algorithm>

#include "kernel_operator.h"

namespace bascule::test {

// The tile's queue steps that a mutant leaves out.
struct MulMutation {
  // Works on the tensor that AllocTensor gave.
  bool skip_dequeue_x = false;
  bool skip_dequeue_y = false;
};

template <typename T>
class MulKernel {
 public:
  static constexpr uint64_t kTile = 1024;
  // Lines of the calls that reports have to name; filled when the kernel runs.
  struct Lines {
    uint32_t mul = 0;
    uint32_t copy_x = 0;
    uint32_t copy_y = 0;
  };

  MulKernel(const T* x, const T* y, T* out, uint64_t count, MulMutation mutation = {})
      : mutation_(mutation) {
    const uint64_t blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
    const uint64_t lane = 32 / sizeof(T);
    const uint64_t share = ((count + blocks - 1) / blocks + lane - 1) / lane * lane;
    const uint64_t begin = std::min(count, share * static_cast<uint64_t>(AscendC::GetBlockIdx()));
    left_ = std::min(share, count - begin);
    gx_.SetGlobalBuffer(const_cast<T*>(x) + begin, left_);
    gy_.SetGlobalBuffer(const_cast<T*>(y) + begin, left_);
    gout_.SetGlobalBuffer(out + begin, left_);
    pipe_.InitBuffer(qx_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(qy_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(qout_, 2, kTile * sizeof(T));
  }

  void Process(Lines* lines = nullptr) {
    for (uint64_t at = 0; at < left_; at += kTile) {
      Tile(at, static_cast<uint32_t>(std::min(kTile, left_ - at)), lines);
    }
  }

 private:
  void Tile(uint64_t at, uint32_t count, Lines* lines) {
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, T(0)};
    auto x = qx_.template AllocTensor<T>();
    auto y = qy_.template AllocTensor<T>();
    AscendC::DataCopyPad(x, gx_[at], copy, pad);
    AscendC::DataCopyPad(y, gy_[at], copy, pad);
    const uint32_t copy_line = __LINE__ - 1;
    qx_.EnQue(x);
    qy_.EnQue(y);
    if (!mutation_.skip_dequeue_x) x = qx_.template DeQue<T>();
    if (!mutation_.skip_dequeue_y) y = qy_.template DeQue<T>();
    auto out = qout_.template AllocTensor<T>();
    AscendC::Mul(out, x, y, static_cast<int32_t>(count));
    const uint32_t mul_line = __LINE__ - 1;
    qout_.EnQue(out);
    if (mutation_.skip_dequeue_x) x = qx_.template DeQue<T>();
    if (mutation_.skip_dequeue_y) y = qy_.template DeQue<T>();
    qx_.FreeTensor(x);
    qy_.FreeTensor(y);
    out = qout_.template DeQue<T>();
    AscendC::DataCopyPad(gout_[at], out, copy);
    qout_.FreeTensor(out);
    if (lines != nullptr) *lines = {mul_line, copy_line - 1, copy_line};
  }

  MulMutation mutation_;
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> qx_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> qy_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> qout_;
  AscendC::GlobalTensor<T> gx_;
  AscendC::GlobalTensor<T> gy_;
  AscendC::GlobalTensor<T> gout_;
  uint64_t left_ = 0;
};

}  // namespace bascule::test

#endif  // BASCULE_TESTS_KERNELS_MUL_KERNEL_H_

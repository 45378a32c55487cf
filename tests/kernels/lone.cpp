// Lone kernels of the tests: compiled as a plain shared library, called by their symbols.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

// --- in the tutorial's manner: a scalar loop, no DeQue, stored before EnQue, no tail

template <typename T>
class Naive {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
    const uint32_t total = GetTensorNum();
    length_ = GetBlockSize(total);
    x_.SetGlobalBuffer((__gm__ T*)x, total);
    y_.SetGlobalBuffer((__gm__ T*)y, total);
    out_.SetGlobalBuffer((__gm__ T*)out, total);
    pipe_.InitBuffer(in_x_, 2, length_ * sizeof(T));
    pipe_.InitBuffer(in_y_, 2, length_ * sizeof(T));
    pipe_.InitBuffer(out_queue_, 2, length_ * sizeof(T));
  }
  __aicore__ inline void Process() {
    const uint32_t offset = static_cast<uint32_t>(GetBlockIdx()) * length_;
    LocalTensor<T> x = in_x_.template AllocTensor<T>();
    LocalTensor<T> y = in_y_.template AllocTensor<T>();
    LocalTensor<T> out = out_queue_.template AllocTensor<T>();
    DataCopy(x, x_[offset], length_);
    DataCopy(y, y_[offset], length_);
    for (uint32_t i = 0; i < length_; ++i) out.SetValue(i, x.GetValue(i) * y.GetValue(i));
    DataCopy(out_[offset], out, length_);
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
    out_queue_.EnQue(out);
  }

 private:
  GlobalTensor<T> x_, y_, out_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_x_, in_y_;
  TQue<QuePosition::VECOUT, 2> out_queue_;
  uint32_t length_ = 0;
};

template <typename T>
__aicore__ inline void RunNaive(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  Naive<T> op;
  op.Init(x, y, out);
  op.Process();
}
extern "C" __global__ __aicore__ void naive_half(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  RunNaive<half>(x, y, out);
}
extern "C" __global__ __aicore__ void naive_float(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  RunNaive<float>(x, y, out);
}
extern "C" __global__ __aicore__ void naive_bfloat16(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  RunNaive<bfloat16_t>(x, y, out);
}

// --- complete: any length, no padding

template <typename T>
__aicore__ inline void RunMul(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  constexpr uint32_t kTile = 2048;
  const uint32_t total = GetTensorNum();
  const uint32_t share = GetBlockSize(total);
  const uint32_t begin = static_cast<uint32_t>(GetBlockIdx()) * share;
  if (begin >= total) return;
  const uint32_t end = begin + share < total ? begin + share : total;
  GlobalTensor<T> gx, gy, gout;
  gx.SetGlobalBuffer((__gm__ T*)x, total);
  gy.SetGlobalBuffer((__gm__ T*)y, total);
  gout.SetGlobalBuffer((__gm__ T*)out, total);
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> in_x, in_y;
  TQue<QuePosition::VECOUT, 2> results;
  pipe.InitBuffer(in_x, 2, kTile * sizeof(T));
  pipe.InitBuffer(in_y, 2, kTile * sizeof(T));
  pipe.InitBuffer(results, 2, kTile * sizeof(T));
  for (uint32_t at = begin; at < end; at += kTile) {
    const uint32_t count = end - at < kTile ? end - at : kTile;
    const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    const DataCopyPadExtParams<T> no_padding{false, 0, 0, T(0)};
    LocalTensor<T> tx = in_x.AllocTensor<T>();
    LocalTensor<T> ty = in_y.AllocTensor<T>();
    DataCopyPad(tx, gx[at], copy, no_padding);
    DataCopyPad(ty, gy[at], copy, no_padding);
    in_x.EnQue(tx);
    in_y.EnQue(ty);
    tx = in_x.DeQue<T>();
    ty = in_y.DeQue<T>();
    LocalTensor<T> tout = results.AllocTensor<T>();
    Mul(tout, tx, ty, count);
    results.EnQue(tout);
    tout = results.DeQue<T>();
    DataCopyPad(gout[at], tout, copy);
    in_x.FreeTensor(tx);
    in_y.FreeTensor(ty);
    results.FreeTensor(tout);
  }
}
extern "C" __global__ __aicore__ void mul_half(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  RunMul<half>(x, y, out);
}
extern "C" __global__ __aicore__ void mul_float(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  RunMul<float>(x, y, out);
}

// --- other ways to read and write

// In elements of 32 bits, whatever the tensor holds: a view as integers.
extern "C" __global__ __aicore__ void copy_words(GM_ADDR x, GM_ADDR out) {
  const uint32_t total = GetTensorNum();
  if (GetBlockIdx() != 0) return;
  GlobalTensor<int32_t> from, to;
  from.SetGlobalBuffer((__gm__ int32_t*)x, total);
  to.SetGlobalBuffer((__gm__ int32_t*)out, total);
  for (uint32_t i = 0; i < total; ++i) to.SetValue(i, from.GetValue(i));
}
// Unseen by anybody.
extern "C" __global__ __aicore__ void raw_negate(GM_ADDR x, GM_ADDR out) {
  const uint32_t total = GetTensorNum();
  if (GetBlockIdx() != 0) return;
  for (uint32_t i = 0; i < total; ++i) ((__gm__ float*)out)[i] = -((__gm__ float*)x)[i];
}
// Two outputs of one number each: how many blocks there are, and a block's share.
extern "C" __global__ __aicore__ void shares(GM_ADDR, GM_ADDR blocks, GM_ADDR share) {
  GlobalTensor<int32_t> first, second;
  first.SetGlobalBuffer((__gm__ int32_t*)blocks, 1);
  second.SetGlobalBuffer((__gm__ int32_t*)share, 1);
  if (GetBlockIdx() != 0) return;
  first.SetValue(0, static_cast<int32_t>(GetBlockNum()));
  second.SetValue(0, static_cast<int32_t>(GetBlockSize(GetTensorNum())));
}
// `bias` may be left out.
extern "C" __global__ __aicore__ void add_one_or_bias(GM_ADDR x, GM_ADDR bias, GM_ADDR out) {
  const uint32_t total = GetTensorNum();
  if (GetBlockIdx() != 0) return;
  GlobalTensor<float> gx, gbias, gout;
  gx.SetGlobalBuffer((__gm__ float*)x, total);
  gbias.SetGlobalBuffer((__gm__ float*)bias, total);
  gout.SetGlobalBuffer((__gm__ float*)out, total);
  for (uint32_t i = 0; i < total; ++i) {
    gout.SetValue(i, gx.GetValue(i) + (bias != nullptr ? gbias.GetValue(i) : 1.0f));
  }
}

// --- wrong, each in its own way

extern "C" __global__ __aicore__ void writes_nothing(GM_ADDR, GM_ADDR, GM_ADDR) {}
extern "C" __global__ __aicore__ void writes_first(GM_ADDR x, GM_ADDR out, GM_ADDR) {
  copy_words(x, out);
}
extern "C" __global__ __aicore__ void needs_bias(GM_ADDR x, GM_ADDR bias, GM_ADDR out) {
  GlobalTensor<float> gbias, gout;
  gbias.SetGlobalBuffer((__gm__ float*)bias, GetTensorNum());
  gout.SetGlobalBuffer((__gm__ float*)out, GetTensorNum());
  gout.SetValue(0, gbias.GetValue(0));
  (void)x;
}
struct LoneTiling {
  uint32_t length;
  float factor;
};
REGISTER_TILING_DEFAULT(LoneTiling);
extern "C" __global__ __aicore__ void reads_tiling(GM_ADDR x, GM_ADDR y, GM_ADDR out,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  if (data.length != 0) naive_half(x, y, out);
  (void)workspace;
}
extern "C" __global__ __aicore__ void raw_tiling(GM_ADDR x, GM_ADDR out, GM_ADDR tiling) {
  const uint32_t length = *((__gm__ uint32_t*)tiling);
  if (length != 0) raw_negate(x, out);
}
extern "C" __global__ __aicore__ void uses_workspace(GM_ADDR x, GM_ADDR y, GM_ADDR out,
                                                     GM_ADDR workspace) {
  naive_half(x, y, out);
  GlobalTensor<half> scratch;
  scratch.SetGlobalBuffer((__gm__ half*)GetUserWorkspace(workspace), 16);
  scratch.SetValue(3, half(1));
}
// A number where nobody passed one.
extern "C" __global__ __aicore__ void takes_a_number(GM_ADDR x, GM_ADDR out, uint32_t length) {
  GlobalTensor<float> gx, gout;
  gx.SetGlobalBuffer((__gm__ float*)x, length);
  gout.SetGlobalBuffer((__gm__ float*)out, length);
  for (uint32_t i = 0; i < length; ++i) gout.SetValue(i, gx.GetValue(i));
}

// --- kernels that say their type

extern "C" __global__ __vector__ void typed_negate(GM_ADDR x, GM_ADDR out) { raw_negate(x, out); }
extern "C" __vector__ __global__ __aicore__ void typed_first(GM_ADDR x, GM_ADDR out) {
  raw_negate(x, out);
}
extern "C" int lone_neighbour(int x) { return x + 2; }

// --- names

namespace shop {
__global__ __aicore__ void negate(GM_ADDR x, GM_ADDR out) { raw_negate(x, out); }
}  // namespace shop
template <typename T>
__global__ __aicore__ void negate_as(GM_ADDR x, GM_ADDR out) {
  const uint32_t total = GetTensorNum();
  if (GetBlockIdx() != 0) return;
  GlobalTensor<T> gx, gout;
  gx.SetGlobalBuffer((__gm__ T*)x, total);
  gout.SetGlobalBuffer((__gm__ T*)out, total);
  for (uint32_t i = 0; i < total; ++i) gout.SetValue(i, -gx.GetValue(i));
}
template __global__ __aicore__ void negate_as<float>(GM_ADDR, GM_ADDR);

extern "C" int lone_helper(int x) { return x + 1; }

// --- without an end while x begins with 0

__aicore__ inline bool IsZero(GM_ADDR x) { return *(__gm__ volatile float*)x == 0; }
extern "C" __global__ __aicore__ void plain_loop(GM_ADDR x, GM_ADDR out) {
  while (IsZero(x)) {
  }
  if (GetBlockIdx() == 0) *(__gm__ float*)out = 1;
}
extern "C" __global__ __aicore__ void loop_of_calls(GM_ADDR x, GM_ADDR out) {
  while (IsZero(x)) PipeBarrier<PIPE_ALL>();
  if (GetBlockIdx() == 0) *(__gm__ float*)out = 1;
}
extern "C" __global__ __aicore__ void loop_in_one_block(GM_ADDR x, GM_ADDR out) {
  while (GetBlockIdx() == 1 && IsZero(x)) {
  }
  if (GetBlockIdx() == 0) *(__gm__ float*)out = 1;
}

// --- constants in global memory

__gm__ const float squares[] = {0,   1,   4,   9,   16,  25,  36,  49,  64,  81,  100, 121,
                                144, 169, 196, 225, 256, 289, 324, 361, 400, 441, 484, 529};

// The first element of `way` says what is done with them.
extern "C" __global__ __aicore__ void constants(GM_ADDR way, GM_ADDR out) {
  if (GetBlockIdx() != 0) return;
  constexpr uint32_t kCount = sizeof(squares) / sizeof(float);
  GlobalTensor<int32_t> gway;
  GlobalTensor<float> table, gout;
  gway.SetGlobalBuffer((__gm__ int32_t*)way, 1);
  table.SetGlobalBuffer((__gm__ float*)squares);
  gout.SetGlobalBuffer((__gm__ float*)out, kCount);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 128);
  LocalTensor<float> local = buffer.Get<float>();
  const volatile uint32_t beyond = kCount;  // what compilers would warn of
  switch (gway.GetValue(0)) {
    case 0:
      for (uint32_t i = 0; i < kCount; ++i) gout.SetValue(i, table.GetValue(i));
      break;
    case 1:
      DataCopy(local, table, kCount);
      PipeBarrier<PIPE_ALL>();
      DataCopy(gout, local, kCount);
      break;
    case 2:
      gout.SetValue(0, table.GetValue(beyond));
      break;
    case 3:
      DataCopy(local, table[8], kCount);
      break;
    case 4:
      table.SetValue(1, 2.0f);
      break;
    default:
      Duplicate(local, 0.0f, 8);
      PipeBarrier<PIPE_ALL>();
      DataCopy(table, local, 8);
  }
}

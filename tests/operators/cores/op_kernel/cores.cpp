// y = x * 3 + the bytes of an element: the cube core of a block leaves the factor in the workspace,
// its vector cores wait for it. Both parts have a class Part, no template, with another body for
// each data type and kind of core. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t kReady = 3;

class Part {
 public:
  __aicore__ Part(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint32_t length);
  __aicore__ void Process();
  __aicore__ int Bytes();

 private:
  GlobalTensor<DTYPE_X> x_;
  GlobalTensor<DTYPE_X> y_;
  GlobalTensor<int32_t> factor_;
  uint32_t length_;
};

__aicore__ Part::Part(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint32_t length) : length_(length) {
  x_.SetGlobalBuffer((__gm__ DTYPE_X*)x, length);
  y_.SetGlobalBuffer((__gm__ DTYPE_X*)y, length);
  factor_.SetGlobalBuffer((__gm__ int32_t*)workspace, 64);
}

#ifdef __DAV_C220_CUBE__
__aicore__ int Part::Bytes() { return -1; }
__aicore__ void Part::Process() {
  factor_.SetValue(GetBlockIdx() * 16, 3);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
      factor_[GetBlockIdx() * 16]);
  CrossCoreSetFlag<2, PIPE_MTE3>(kReady);
}
#endif

#ifdef __DAV_C220_VEC__
__aicore__ int Part::Bytes() { return sizeof(DTYPE_X); }
__aicore__ void Part::Process() {
  CrossCoreWaitFlag(kReady);
  const int32_t factor = factor_.GetValue(GetBlockIdx() / 2 * 16);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  LocalTensor<DTYPE_X> tile = buffer.Get<DTYPE_X>();
  const uint32_t share = (length_ + 3) / 4;  // of each of the four vector cores
  const uint32_t begin = static_cast<uint32_t>(GetBlockIdx()) * share;
  if (begin >= length_) return;
  const uint32_t count = length_ - begin < share ? length_ - begin : share;
  const DataCopyExtParams bytes(1, count * Bytes(), 0, 0, 0);
  DataCopyPad(tile, x_[begin], bytes, DataCopyPadExtParams<DTYPE_X>());
  PipeBarrier<PIPE_ALL>();
  Muls(tile, tile, static_cast<DTYPE_X>(factor), count);
  Adds(tile, tile, static_cast<DTYPE_X>(Bytes()), count);
  PipeBarrier<PIPE_ALL>();
  DataCopyPad(y_[begin], tile, bytes);
}
#endif

extern "C" __global__ __aicore__ void cores(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                            GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA_WITH_STRUCT(uint32_t, length, tiling);
  Part part(x, y, GetUserWorkspace(workspace), length);
  part.Process();
}

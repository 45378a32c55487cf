// Kernels for the kinds of core, and what they hold as members. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"

namespace {

class OwnPool {
 public:
  __aicore__ inline OwnPool() { Init(); }
  template <class T>
  __aicore__ inline bool InitBuffer(T& que, uint8_t num, uint32_t len) {
    auto ptr = this->GetBufHandle(this->GetCurBufSize());
    auto curPoolAddr = this->GetCurAddr();
    que.InitStartBufHandle(ptr, num, len);
    for (uint32_t i = 0; i < num; i++) {
      que.InitBufHandle(this, i, ptr, curPoolAddr + i * len, len);
    }
    this->SetCurAddr(curPoolAddr + num * len);
    this->SetCurBufSize(this->GetCurBufSize() + num);
    return true;
  }
  EXTERN_IMPL_BUFPOOL(OwnPool, AscendC::TPosition::VECCALC, 16);
};

}  // namespace

class Operator {
 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe) {
    pipe->InitBufPool(first_, 1024);
    pipe->InitBufPool(second_, 1024, first_);
    first_.InitBuffer(queue_, 1, 256);
    first_.InitBufPool(inner_, 256);
    inner_.InitBuffer(buffer_, 64);
    sync_.SetFlag(0);
    sync_.WaitFlag(0);
  }

  AscendC::TBufPool<AscendC::TPosition::VECCALC> first_, second_;
  AscendC::TBufPool<AscendC::TPosition::VECIN, 8> inner_;
  AscendC::TQue<AscendC::QuePosition::VECIN, 0> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
  AscendC::TQueSync<PIPE_S, PIPE_MTE3> sync_;
  AscendC::ListTensorDesc list_;
  AscendC::TensorDesc<float> desc_;
};

__global__ __vector__ void vector_kernel(GM_ADDR x) {
  AscendC::TPipe pipe;
  Operator op;
  op.Init(&pipe);
  OwnPool pool;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> queue;
  pipe.InitBufPool(pool, 512);
  pool.InitBuffer(queue, 2, 32);
  AscendC::GroupBarrier<AscendC::PipeMode::MTE3_MODE> barrier(x, 2, 6);
  barrier.Arrive(0);
}
extern "C" __global__ __cube__ __aicore__ void cube_kernel(GM_ADDR x) {
  AscendC::AtomicAdd(reinterpret_cast<__gm__ int32_t*>(x), 1);
}
template <typename T>
__schedmode__(1) __global__ __mix__(1, 2) void mixed_kernel(__gm__ T* x) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if (TILING_KEY_IS(1)) KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
  KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_VECTOR_CORE);
  if ASCEND_IS_AIC {
    AscendC::CrossCoreWaitFlag(0);
  }
  if ASCEND_IS_AIV {
    AscendC::CrossCoreSetFlag<0x2, PIPE_MTE3>(0);
  }
  if (g_coreType == AscendC::AIC && AscendC::g_coreType != AscendC::AIV) return;
  *x = static_cast<T>(GetBlockIdx() + block_idx + AscendC::GetTaskRatio());
  AscendC::SyncAll<false>();
}
template __global__ void mixed_kernel<int32_t>(__gm__ int32_t*);

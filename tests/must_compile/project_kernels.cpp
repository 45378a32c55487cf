// Forms of kernels that operator projects use and documentation pages mention in passing, if at
// all.
#include "kernel_operator.h"

struct Plan {
  uint32_t length;
};

class Joined {
 public:
  __aicore__ inline void Init(GM_ADDR out, __tiling_data_ptr__ Plan* plan) {
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(out), plan->length);
    pipe_.InitBuffer(queue_, 1, 512);
    AscendC::InitGlobalMemory(out_, plan->length, bfloat16_t(0.0f));
  }
  // Copied in, computed on, and copied out, all in one buffer.
  __aicore__ inline void Run() {
    AscendC::LocalTensor<bfloat16_t> row = queue_.AllocTensor<bfloat16_t>();
    queue_.EnQue<AscendC::QuePosition::GM, AscendC::QuePosition::VECIN, bfloat16_t>(row);
    row = queue_.DeQue<AscendC::QuePosition::GM, AscendC::QuePosition::VECIN, bfloat16_t>();
    AscendC::LocalTensor<bfloat16_t> rows[16];
    for (auto& one : rows) one = row;
    AscendC::TransDataTo5HD<bfloat16_t>(rows, rows, AscendC::TransDataTo5HDParams());
    queue_.EnQue<AscendC::QuePosition::VECIN, AscendC::QuePosition::VECOUT, bfloat16_t>(row);
    row = queue_.DeQue<AscendC::QuePosition::VECIN, AscendC::QuePosition::VECOUT, bfloat16_t>();
    queue_.FreeTensor(row);
  }

 private:
  AscendC::TPipe pipe_;
  AscendC::TQueBind<AscendC::QuePosition::VECIN, AscendC::QuePosition::VECOUT, 1> queue_;
  AscendC::GlobalTensor<bfloat16_t> out_;
};

void Use(GM_ADDR out, GM_ADDR tiling) {
  GET_TILING_DATA_PTR_WITH_STRUCT(Plan, plan, tiling);
  Joined joined;
  joined.Init(out, plan);
  joined.Run();
}

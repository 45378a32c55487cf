// One block goes through two lists of tensors, element by element.
#include "kernel_operator.h"

using namespace AscendC;

struct ListScaleTiling {
  uint32_t lengths[8];
  float factors[8];
  float offsets[8];
};

extern "C" __global__ __aicore__ void list_scale(GM_ADDR xs, GM_ADDR ys, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ListScaleTiling);
  GET_TILING_DATA(plan, tiling);
  ListTensorDesc in((__gm__ void*)xs);
  ListTensorDesc out((__gm__ void*)ys);
  for (uint32_t i = 0; i < in.GetSize(); ++i) {
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer(in.GetDataPtr<__gm__ float>(i), plan.lengths[i]);
    to.SetGlobalBuffer(out.GetDataPtr<__gm__ float>(i), plan.lengths[i]);
    for (uint32_t k = 0; k < plan.lengths[i]; ++k) {
      to.SetValue(k, from.GetValue(k) * plan.factors[i] + plan.offsets[i]);
    }
  }
}

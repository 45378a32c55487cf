// x += y, a number, in the memory of x.
#include "kernel_operator.h"

using namespace AscendC;

struct AccumulateTiling {
  uint32_t length;
};

extern "C" __global__ __aicore__ void accumulate(GM_ADDR x, GM_ADDR y, GM_ADDR x_ref,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(AccumulateTiling);
  GET_TILING_DATA(plan, tiling);
  GlobalTensor<DTYPE_X> from, more, to;
  from.SetGlobalBuffer((__gm__ DTYPE_X*)x);
  more.SetGlobalBuffer((__gm__ DTYPE_Y*)y);  // one number
  to.SetGlobalBuffer((__gm__ DTYPE_X_REF*)x_ref);
  static_assert(ACCUMULATE_TILE == 512, "the option of the build file");
  for (uint32_t i = 0; i < plan.length; ++i) {
    to.SetValue(i, from.GetValue(i) + more.GetValue(0));
  }
}

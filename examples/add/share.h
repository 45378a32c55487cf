// What all five kernels begin with.
#ifndef EXAMPLES_ADD_SHARE_H
#define EXAMPLES_ADD_SHARE_H

#include "add.h"
#include "kernel_operator.h"

// A block's part of x, y and z.
struct Share {
  AscendC::GlobalTensor<float> x;
  AscendC::GlobalTensor<float> y;
  AscendC::GlobalTensor<float> z;
  uint32_t count;  // elements; 0 for blocks that are too many

  __aicore__ inline Share(GM_ADDR x_address, GM_ADDR y_address, GM_ADDR z_address,
                          const AddPlan& plan) {
    const uint32_t begin = static_cast<uint32_t>(AscendC::GetBlockIdx()) * plan.share;
    const uint32_t left = begin < plan.length ? plan.length - begin : 0;
    count = left < plan.share ? left : plan.share;
    x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x_address) + begin, count);
    y.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y_address) + begin, count);
    z.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z_address) + begin, count);
  }
};

// The parameters of copies of any number of elements.
__aicore__ inline AscendC::DataCopyExtParams Elements(uint32_t count) {
  return {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
}
__aicore__ inline AscendC::DataCopyPadExtParams<float> NoPadding() { return {false, 0, 0, 0.0f}; }

#endif  // EXAMPLES_ADD_SHARE_H

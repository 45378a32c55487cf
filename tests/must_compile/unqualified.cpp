// Calls with template arguments where no namespace is opened, where it is, and where a kernel has
// classes and functions of the same names. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

class Sort {};
class Gather {};
template <typename T>
T Adds(T a, T b) {
  return a + b;
}

extern "C" __global__ __aicore__ void outside(GM_ADDR) {
  AscendC::LocalTensor<float> a;
  AscendC::LocalTensor<half> h;
  AscendC::GlobalTensor<float> g;
  ReduceSum<float>(a, a, a, 8);
  WholeReduceSum<float>(a, a, 64, 1, 1, 1, 8);
  Cast<half, float>(h, a, AscendC::RoundMode::CAST_NONE, 8);
  DataCopy<float>(a, g, 8);
  Duplicate<float>(a, 0.0f, 8);
  Muls<float, false>(a, a, 2.0f, AscendC::MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  static_cast<void>(Adds<int>(1, 2));
  AscendC::TBuf<> buffer;
  AscendC::LocalTensor<float> part = buffer.Get<float>();
  part.SetValue(0, sqrt(part.GetValue(1)));
  buffer.FreeTensor(part);
  if (unlikely(AscendC::GetBlockIdx() == 1) || likely(false)) return;
}

namespace opened {
using namespace AscendC;
extern "C" __global__ __aicore__ void inside(GM_ADDR) {
  LocalTensor<float> a;
  ReduceSum<float>(a, a, a, 8);
  Duplicate<float, true>(a, 0.0f, uint64_t{64}, 1, DEFAULT_BLK_STRIDE, DEFAULT_REPEAT_STRIDE);
  static_assert(ONE_REPEAT_BYTE_SIZE / ONE_BLK_SIZE == DEFAULT_BLK_NUM, "");
  static_assert(BLOCK_CUBE == 16 && MAX_REPEAT_TIMES == 255 && DEFAULT_C0_SIZE == 32, "");
}
}  // namespace opened

using AscendC::Cast;
using AscendC::ReduceMax;
extern "C" __global__ __aicore__ void by_name(GM_ADDR) {
  AscendC::LocalTensor<half> h;
  ReduceMax<half>(h, h, h, 8, true);
}

// Runs the kernel with both keys and compares with a plain loop.
#include <cstdio>
#include <cstring>

#include "clip_tiling.h"
#include "tikicpulib.h"

extern "C" __global__ __aicore__ void clip(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling);

template <typename T>
int Wrong(uint64_t tiling_key, uint32_t elements, uint32_t blocks) {
  T* x = static_cast<T*>(AscendC::GmAlloc(elements * sizeof(T)));
  T* y = static_cast<T*>(AscendC::GmAlloc(elements * sizeof(T)));
  uint8_t* tiling = static_cast<uint8_t*>(AscendC::GmAlloc(sizeof(ClipTiling)));
  for (uint32_t i = 0; i < elements; ++i) {
    x[i] = static_cast<T>(static_cast<float>(i % 41) / 8 - 2.5f);
  }
  const ClipTiling data = {elements, -1.0f, 1.5f};
  std::memcpy(tiling, &data, sizeof(data));

  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_SET_TILING_KEY(tiling_key);
  ICPU_RUN_KF(clip, blocks, (uint8_t*)x, (uint8_t*)y, nullptr, tiling);

  int wrong = 0;
  for (uint32_t i = 0; i < elements; ++i) {
    const float value = static_cast<float>(x[i]);
    const float expected = value < -1.0f ? -1.0f : value > 1.5f ? 1.5f : value;
    wrong += static_cast<float>(y[i]) != expected;
  }
  std::printf("key %d, %u elements, %u blocks: %d wrong\n", static_cast<int>(tiling_key), elements,
              blocks, wrong);
  AscendC::GmFree(x);
  AscendC::GmFree(y);
  AscendC::GmFree(tiling);
  return wrong;
}

int main() {
  int wrong = 0;
  for (uint32_t elements : {16u, 4096u, 100000u}) {
    for (uint32_t blocks : {1u, 8u, 40u}) {
      wrong += Wrong<half>(1, elements, blocks);
      wrong += Wrong<float>(2, elements, blocks);
    }
  }
  return wrong == 0 ? 0 : 1;
}

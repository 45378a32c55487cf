// The host's part: no Ascend C in it, only the generated header.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclrtlaunch_saxpy.h"

#define CHECK_ACL(call)                                                                       \
  do {                                                                                        \
    if ((call) != ACL_SUCCESS) {                                                              \
      std::printf("%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, aclGetRecentErrMsg()); \
      std::exit(2);                                                                           \
    }                                                                                         \
  } while (0)

int main(int argc, char** argv) {
  if (argc != 3) {
    std::printf("usage: %s blocks length\n", argv[0]);
    return 2;
  }
  const uint32_t blocks = static_cast<uint32_t>(std::atoi(argv[1]));
  const uint32_t length = static_cast<uint32_t>(std::atoi(argv[2]));
  const size_t bytes = length * sizeof(float);
  std::vector<float> x(length);
  std::vector<float> y(length);
  std::vector<float> z(length);
  for (uint32_t i = 0; i < length; ++i) {
    x[i] = static_cast<float>(i % 83) / 4;
    y[i] = static_cast<float>(i % 29) - 14;
  }

  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));
  uint8_t* device[3] = {};
  for (uint8_t*& memory : device) {
    CHECK_ACL(aclrtMalloc(reinterpret_cast<void**>(&memory), bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  CHECK_ACL(aclrtMemcpy(device[0], bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK_ACL(aclrtMemcpy(device[1], bytes, y.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

  const uint32_t lanes = 32 / sizeof(float);
  const uint32_t share = ((length + blocks - 1) / std::max(blocks, 1u) + lanes - 1) / lanes * lanes;
  const float alpha = 1.5f;
  CHECK_ACL(ACLRT_LAUNCH_KERNEL(saxpy)(blocks, stream, device[0], device[1], device[2], length,
                                       share, alpha));
  CHECK_ACL(aclrtSynchronizeStream(stream));
  CHECK_ACL(aclrtMemcpy(z.data(), bytes, device[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST));

  for (uint8_t* memory : device) CHECK_ACL(aclrtFree(memory));
  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  for (uint32_t i = 0; i < length; ++i) {
    if (z[i] == alpha * x[i] + y[i]) continue;
    std::printf("z[%u] is %g, expected %g\n", i, z[i], alpha * x[i] + y[i]);
    return 1;
  }
  std::printf("saxpy: %u elements on %u blocks are right\n", length, blocks);
  return 0;
}

// Offers the engine's table to kernels in the test binary, as libbascule.so would.
// SPDX-License-Identifier: Apache-2.0
#include "bascule/abi/runtime.h"
#include "engine/launch.h"

extern "C" __attribute__((visibility("default"))) const BasculeRuntimeApi* bascule_runtime_v1(
    void) {
  static const BasculeRuntimeApi api = {.struct_bytes = sizeof(BasculeRuntimeApi),
                                        .abi_version = BASCULE_KERNEL_ABI_VERSION,
                                        .kernel = &bascule::engine::KernelApi(),
                                        .version = "test",
                                        .aot_call = nullptr,
                                        .aot_infer_shape = nullptr,
                                        .aot_infer_dtype = nullptr,
                                        .last_error = nullptr,
                                        .acl = nullptr,
                                        .launch = nullptr,
                                        .aot_call_with = nullptr,
                                        .aot_infer_shapes = nullptr,
                                        .aot_infer_dtypes = nullptr};
  return &api;
}

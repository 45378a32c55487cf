// Kernels from unit tests and host programs that were written for the CPU debug mode of the
// toolkit: the memory calls, the kernel as an ordinary function, ICPU_RUN_KF to run it.
//
//     uint8_t* x = static_cast<uint8_t*>(AscendC::GmAlloc(bytes));
//     ICPU_RUN_KF(add_custom, 8, x, y, z);
//     AscendC::GmFree(x);
//
// Blocks are not processes here, so a debugger sees all of them, and memory is global memory like
// aclrtMalloc's: what a kernel touches outside of it is an error. Unlike <<<>>> these calls report
// nothing to their caller: an error ends the program with a sentence and exit code 1.
//
// Source: the pages under "CPU twin debugging" of the Ascend C API (GmAlloc, GmFree, ICPU_RUN_KF,
// ICPU_SET_TILING_KEY, SetKernelMode). Thread-safe, except that a program has one tiling key and
// one kernel mode.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TIKICPULIB_H
#define BASCULE_TIKICPULIB_H

#include "bascule_ascendc/launch.h"
#include "kernel_operator.h"

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE };

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

[[noreturn]] inline void EndProgram(const char* call, const char* sentence) {
  std::fprintf(stderr, "bascule: %s: %s\n", call, sentence);
  std::exit(EXIT_FAILURE);
}

inline const BasculeAclApi& DebugDevice(const char* call) {
  static const BasculeAclApi& device = *LaunchRuntime().acl;
  static const int32_t status = device.set_device(0);
  if (status != BASCULE_ACL_SUCCESS) EndProgram(call, device.recent_error());
  return device;
}

inline uint64_t debug_tiling_key = 0;
inline KernelMode debug_kernel_mode = KernelMode::MIX_MODE;

// Behind ICPU_RUN_KF: launches and waits.
template <typename Kernel, typename... Arguments>
void RunForDebug(Kernel kernel, int64_t blocks, const Site& site, Arguments... arguments) {
  static_assert(sizeof...(Arguments) <= 32, "ICPU_RUN_KF passes 32 arguments at most");
  const BasculeAclApi& device = DebugDevice("ICPU_RUN_KF");
  LaunchConfig config(blocks, nullptr, site);
  config.tiling_key = debug_tiling_key;
  if (debug_kernel_mode == KernelMode::AIC_MODE) config.kind = BASCULE_KERNEL_AIC_ONLY;
  if (debug_kernel_mode == KernelMode::AIV_MODE) config.kind = BASCULE_KERNEL_AIV_ONLY;
  (kernel % std::move(config))(arguments...);
  // The sentence has been told when the launch failed.
  if (device.synchronize_stream(nullptr) != BASCULE_ACL_SUCCESS) std::exit(EXIT_FAILURE);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// `size` bytes of global memory, zeroed, until GmFree.
inline void* GmAlloc(size_t size) {
  void* memory = nullptr;
  const BasculeAclApi& device = bascule_ascendc::DebugDevice("GmAlloc");
  if (device.allocate("GmAlloc", &memory, size) != BASCULE_ACL_SUCCESS) std::exit(EXIT_FAILURE);
  std::memset(memory, 0, size);
  return memory;
}
inline void GmFree(void* ptr) {
  const BasculeAclApi& device = bascule_ascendc::DebugDevice("GmFree");
  if (device.release("GmFree", ptr) != BASCULE_ACL_SUCCESS) std::exit(EXIT_FAILURE);
}

// For the runs that follow. In MIX_MODE, the default, the kernel says which cores it is for.
inline void SetKernelMode(KernelMode mode) { bascule_ascendc::debug_kernel_mode = mode; }

BASCULE_ASCENDC_END

#define ICPU_SET_TILING_KEY(key) \
  (bascule_ascendc::debug_tiling_key = static_cast<uint64_t>(key), static_cast<void>(0))
#define ICPU_RUN_KF(kernel, blocks, ...) \
  bascule_ascendc::RunForDebug(kernel, blocks, bascule_ascendc::Site(), ##__VA_ARGS__)

#endif  // BASCULE_TIKICPULIB_H

// How a kernel reaches the engine, and where its calls stand in the source.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_CORE_H
#define BASCULE_ASCENDC_CORE_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#if defined(__cpp_exceptions)
#include <exception>
#endif

#include "bascule/abi/runtime.h"
#include "bascule_ascendc/keywords.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// A hidden last argument of public calls: file and line of the caller.
struct Site : BasculeSite {
  constexpr Site(const char* at_file = __builtin_FILE(), uint32_t at_line = __builtin_LINE())
      : BasculeSite{at_file, at_line, 0} {}
};

#if defined(__cpp_exceptions)
// What Refuse throws. std::runtime_error would bring std::string, and with it a sixth of the text
// that compilers read for a kernel.
class Refusal : public std::exception {
 public:
  explicit Refusal(const char* text) { std::snprintf(text_, sizeof(text_), "%s", text); }
  const char* what() const noexcept override { return text_; }

 private:
  char text_[8192];
};
#endif

// An Ascend C call that cannot do anything sensible never returns normally.
[[noreturn]] inline void Refuse(const char* text) {
#if defined(__cpp_exceptions)
  throw Refusal(text);
#else
  std::fprintf(stderr, "%s\n", text);
  std::abort();
#endif
}

inline const BasculeKernelApi* kernel_api = nullptr;

// Found at the first call; every thread that races here finds the same.
inline const BasculeKernelApi& FindApi() {
  char message[8192];
  const BasculeRuntimeApi* runtime = BasculeFindRuntime(message, sizeof(message));
  if (runtime == nullptr) Refuse(message);
  if (runtime->abi_version < BASCULE_KERNEL_ABI_VERSION ||
      runtime->kernel->struct_bytes < sizeof(BasculeKernelApi)) {
    std::snprintf(
        message, sizeof(message),
        "this library was built with newer headers than the bascule runtime %s in this process; "
        "install the bascule it was built with, or build it again",
        runtime->version);
    Refuse(message);
  }
  __atomic_store_n(&kernel_api, runtime->kernel, __ATOMIC_RELEASE);
  return *runtime->kernel;
}

inline BasculeCore* Core() {
  const BasculeKernelApi* known = __atomic_load_n(&kernel_api, __ATOMIC_ACQUIRE);
  const BasculeKernelApi& api = known != nullptr ? *known : FindApi();
  BasculeCore* core = api.current_core();
  if (__builtin_expect(core == nullptr, 0)) {
    Refuse(
        "an Ascend C call was made outside a kernel launch: kernels do not run when they are "
        "called like a "
        "function. Load the library with bascule, or start the kernel with <<<>>>");
  }
  return core;
}

[[noreturn]] inline void Fail(const char* text, const BasculeSite& site) {
  BasculeCore* core = Core();
  core->api->fail(core, BASCULE_KERNEL_ERROR, text, &site);
  std::abort();  // fail does not return
}

// A scalar access that somebody watches, or one outside its tensor. Out of line and with the site
// in pieces: a structure would be written to memory before every access, whether it is needed or
// not.
__attribute__((noinline, cold)) inline void ScalarAccess(BasculeCore* core, uint32_t memory,
                                                         const void* at, uint32_t bytes,
                                                         uint32_t write, const char* file,
                                                         uint32_t line) {
  if (core == nullptr) core = Core();
  const BasculeSite site = {file, line, 0};
  core->api->scalar_access(core, memory, at, bytes, write, &site);
}

// Likewise, of a kernel that polls: the others run.
__attribute__((noinline, cold)) inline void Yield(BasculeCore* core, const char* file,
                                                  uint32_t line) {
  const BasculeSite site = {file, line, 0};
  core->api->yield(core, &site);
}

// The block of the launch, which is GetBlockIdx() but on the vector cores of a mixed kernel.
inline int64_t BlockOfLaunch() {
  const BasculeCore* core = Core();
  return core->block_index / core->sub_block_count;
}

template <typename T>
struct TypeNumber;
#define BASCULE_TYPE_NUMBER(type, number)    \
  template <>                                \
  struct TypeNumber<type> {                  \
    static constexpr uint8_t value = number; \
  };
BASCULE_TYPE_NUMBER(float, BASCULE_FLOAT)
BASCULE_TYPE_NUMBER(half, BASCULE_FLOAT16)
BASCULE_TYPE_NUMBER(bfloat16_t, BASCULE_BFLOAT16)
BASCULE_TYPE_NUMBER(AscendC::int4b_t, BASCULE_INT4)
BASCULE_TYPE_NUMBER(int8_t, BASCULE_INT8)
BASCULE_TYPE_NUMBER(int32_t, BASCULE_INT32)
BASCULE_TYPE_NUMBER(uint8_t, BASCULE_UINT8)
BASCULE_TYPE_NUMBER(int16_t, BASCULE_INT16)
BASCULE_TYPE_NUMBER(uint16_t, BASCULE_UINT16)
BASCULE_TYPE_NUMBER(uint32_t, BASCULE_UINT32)
BASCULE_TYPE_NUMBER(int64_t, BASCULE_INT64)
BASCULE_TYPE_NUMBER(uint64_t, BASCULE_UINT64)
BASCULE_TYPE_NUMBER(double, BASCULE_DOUBLE)
BASCULE_TYPE_NUMBER(bool, BASCULE_BOOL)
#undef BASCULE_TYPE_NUMBER

// As above, for a type that may be a structure of the kernel's own: no number then.
template <typename T, typename = void>
struct ElementNumber {
  static constexpr uint32_t value = ~0u;
};
template <typename T>
struct ElementNumber<T, std::void_t<decltype(TypeNumber<std::remove_cv_t<T>>::value)>> {
  static constexpr uint32_t value = TypeNumber<std::remove_cv_t<T>>::value;
};

// Tensors of int4b_t hold two elements in a byte.
template <typename T>
constexpr bool kFourBits = std::is_same_v<T, AscendC::int4b_t>;
template <typename T>
constexpr uint64_t ElementBits = kFourBits<T> ? 4 : 8 * sizeof(T);

// The address `count` elements on.
template <typename T, typename Count>
T* Advance(T* at, Count count) {
  if constexpr (kFourBits<T>)
    return reinterpret_cast<T*>(reinterpret_cast<char*>(at) + count / 2);
  else
    return at + count;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Index of this core among those of its kind, 0 to GetBlockNum() * GetTaskRatio() - 1; blocks of
// the launch; and index and number of the cores of this kind in a block.
inline int64_t GetBlockIdx() { return bascule_ascendc::Core()->block_index; }
inline int64_t GetBlockNum() { return bascule_ascendc::Core()->block_count; }
inline int64_t GetSubBlockIdx() { return bascule_ascendc::Core()->sub_block_index; }
inline int64_t GetSubBlockNum() { return bascule_ascendc::Core()->sub_block_count; }
// Cores of this kind for each block.
inline int64_t GetTaskRatio() { return bascule_ascendc::Core()->sub_block_count; }
inline int64_t GetTaskRation() { return GetTaskRatio(); }

// Prepares the core's special registers; they start prepared here.
inline void InitSocState() { (void)bascule_ascendc::Core(); }

// Switches how the device treats overflow. Infinities and NaN come through here, whatever it says.
struct AscendCUtils {
  static void SetOverflow(uint64_t /*on*/) { (void)bascule_ascendc::Core(); }
};

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_CORE_H

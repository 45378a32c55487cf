// `kernel<<<blocks, l2ctrl, stream>>>(arguments)` for an ordinary C++ compiler.
//
// The driver (bascule-ascc) puts this header in front of every source and turns such a launch into
//
//     (kernel%$(blocks, l2ctrl, stream)) (arguments)
//
// which is as long as what the user wrote, so that every column stays what it was. `%` takes the
// kernel's address and gives a function with the very parameters of the kernel; calling it
// launches. So arguments convert as in any call, and a wrong one gets the compiler's own words.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_LAUNCH_H
#define BASCULE_ASCENDC_LAUNCH_H

#include <stdexcept>  // host code beside kernels uses std::string and leaves the header to this one
#include <tuple>
#include <utility>

#include "bascule_ascendc/core.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

inline const BasculeRuntimeApi& LaunchRuntime() {
  static const BasculeRuntimeApi* const found = [] {
    char message[8192];
    const BasculeRuntimeApi* runtime = BasculeFindRuntime(message, sizeof(message));
    if (runtime == nullptr) Refuse(message);
    if (runtime->struct_bytes < sizeof(BasculeRuntimeApi) || runtime->launch == nullptr) {
      std::snprintf(
          message, sizeof(message),
          "this program was built with newer headers than the bascule runtime %s in this process; "
          "install the bascule it was built with, or build it again",
          runtime->version);
      Refuse(message);
    }
    return runtime;
  }();
  return *found;
}

// What stands in `<<<>>>`. It lives until the launch is over, and the launches of a thread that
// have a kernel and wait for their arguments form a list: evaluating arguments may launch as well.
struct LaunchConfig {
  int64_t blocks;
  void* stream;
  BasculeSite site;
  uint64_t tiling_key = 0;
  uint32_t kind = BASCULE_KERNEL_UNSAID;  // said here, it counts more than what the kernel says
  void (*kernel)() = nullptr;
  LaunchConfig* outer = nullptr;
  bool waiting = false;

  LaunchConfig(int64_t block_count, void* on_stream, const BasculeSite& at)
      : blocks(block_count), stream(on_stream), site(at) {}
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
  ~LaunchConfig() {
    if (waiting) innermost = outer;  // an argument threw
  }

  void Wait(void (*of)()) {
    kernel = of;
    outer = innermost;
    innermost = this;
    waiting = true;
  }
  static LaunchConfig& Take() {
    LaunchConfig& config = *innermost;
    innermost = config.outer;
    config.waiting = false;
    return config;
  }

  static inline thread_local LaunchConfig* innermost = nullptr;
};

// Which arguments are pointers: they give the memory they point to a name in reports.
class Pointers {
 public:
  template <typename T>
  void Add(const T& argument) {
    ++position_;
    if constexpr (std::is_pointer<T>::value && !std::is_function<std::remove_pointer_t<T>>::value) {
      if (count_ < kMax) {
        values_[count_] = const_cast<const void*>(static_cast<const volatile void*>(argument));
        positions_[count_++] = position_;
      }
    }
  }
  template <typename Closure>
  void Launch(const LaunchConfig& config, const char* name, uint32_t kind, const void* entry,
              void (*invoke)(const void*), const Closure* closure) const {
    BasculeLaunch launch = {};
    launch.struct_bytes = sizeof(launch);
    launch.kind = config.kind != BASCULE_KERNEL_UNSAID ? config.kind : kind;
    launch.name = name;
    launch.entry = entry;
    launch.invoke = invoke;
    launch.closure = closure;
    launch.block_count = config.blocks;
    launch.stream = config.stream;
    launch.pointers = values_;
    launch.positions = positions_;
    launch.pointer_count = count_;
    launch.site = config.site;
    launch.tiling_key = config.tiling_key;
    launch.copy_closure = [](const void* from) -> void* {
      return new Closure(*static_cast<const Closure*>(from));
    };
    launch.free_closure = [](void* copy) { delete static_cast<Closure*>(copy); };
    LaunchRuntime().launch(&launch);
  }

 private:
  static constexpr uint32_t kMax = 32;
  const void* values_[kMax];
  uint32_t positions_[kMax];
  uint32_t count_ = 0;
  uint32_t position_ = 0;
};

// A kernel that is known by its address.
template <typename Result, typename... Parameters>
struct KernelLaunch {
  using Kernel = Result (*)(Parameters...);
  struct Closure {
    Kernel kernel;
    std::tuple<Parameters...> arguments;
  };

  static void Invoke(const void* closure) {
    const Closure& call = *static_cast<const Closure*>(closure);
    std::apply(call.kernel, call.arguments);
  }
  static void Run(Parameters... arguments) {
    const LaunchConfig& config = LaunchConfig::Take();
    Pointers pointers;
    (pointers.Add(arguments), ...);
    const Closure closure = {reinterpret_cast<Kernel>(config.kernel),
                             std::tuple<Parameters...>(std::forward<Parameters>(arguments)...)};
    // The code at the kernel's address says which cores it is for.
    pointers.Launch(config, nullptr, BASCULE_KERNEL_UNSAID,
                    reinterpret_cast<const void*>(config.kernel), Invoke, &closure);
  }
};

template <typename Result, typename... Parameters>
inline auto operator%(Result (*kernel)(Parameters...), LaunchConfig&& config) {
  config.Wait(reinterpret_cast<void (*)()>(kernel));
  return &KernelLaunch<Result, Parameters...>::Run;
}

// A kernel whose template arguments follow from those of the call: `call` makes that call. Nobody
// has its address, so the driver tells its type.
template <typename Call>
struct DeducedKernel {
  const char* name;
  uint32_t kind;
  Call call;
};
template <typename Call>
DeducedKernel<Call> Deduced(const char* name, uint32_t kind, Call call) {
  return {name, kind, call};
}

template <typename Call>
struct DeducedLaunch {
  const DeducedKernel<Call>& kernel;
  LaunchConfig& config;

  template <typename... Arguments>
  struct Closure {
    DeducedKernel<Call> kernel;
    std::tuple<Arguments...> arguments;
    static void Invoke(const void* closure) {
      const Closure& call = *static_cast<const Closure*>(closure);
      std::apply(call.kernel.call, call.arguments);
    }
  };
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    Pointers pointers;
    (pointers.Add(arguments), ...);
    const Closure<Arguments...> closure = {kernel, std::tuple<Arguments...>(arguments...)};
    void (*const invoke)(const void*) = &Closure<Arguments...>::Invoke;
    pointers.Launch(config, kernel.name, kernel.kind, reinterpret_cast<const void*>(invoke), invoke,
                    &closure);
  }
};

template <typename Call>
inline DeducedLaunch<Call> operator%(const DeducedKernel<Call>& kernel, LaunchConfig&& config) {
  return {kernel, config};
}

template <typename...>
struct Never : std::false_type {};

// --- launches by ACLRT_LAUNCH_KERNEL
// --------------------------------------------------------------

// What arrived for a parameter of type T; false: it cannot be that.
template <typename T>
bool Convert(const BasculeLaunchArgument& from, T* to) {
  if constexpr (std::is_pointer<T>::value) {
    if (from.kind == BASCULE_ARGUMENT_INTEGER && from.value.integer == 0) {
      *to = nullptr;
    } else {
      *to = static_cast<T>(const_cast<void*>(from.value.pointer));
    }
    return from.kind == BASCULE_ARGUMENT_POINTER || *to == nullptr;
  } else if (from.kind == BASCULE_ARGUMENT_BYTES) {
    if (from.bytes == sizeof(T)) std::memcpy(static_cast<void*>(to), from.value.pointer, sizeof(T));
    return from.bytes == sizeof(T);
  } else if constexpr (std::is_constructible<T, double>::value &&
                       std::is_constructible<T, int64_t>::value) {
    if (from.kind == BASCULE_ARGUMENT_REAL) *to = static_cast<T>(from.value.real);
    if (from.kind == BASCULE_ARGUMENT_INTEGER) *to = static_cast<T>(from.value.integer);
    return from.kind != BASCULE_ARGUMENT_POINTER;
  } else {
    return false;
  }
}

// Returns 0, or not 0 after a sentence on standard error: a launch that failed later is the
// stream's.
template <typename Result, typename... Parameters, size_t... i>
uint32_t LaunchConverted(Result (*kernel)(Parameters...), const char* name, uint32_t blocks,
                         void* stream, const BasculeLaunchArgument* arguments, uint32_t count,
                         std::index_sequence<i...>) {
  if (count != sizeof...(Parameters)) {
    std::fprintf(stderr,
                 "bascule: ACLRT_LAUNCH_KERNEL(%s): %u arguments were passed; the kernel has %zu\n",
                 name, count, sizeof...(Parameters));
    return 1;
  }
  std::tuple<std::decay_t<Parameters>...> values;
  const bool good[] = {true, Convert(arguments[i], &std::get<i>(values))...};
  for (uint32_t argument = 1; argument <= count; ++argument) {
    if (good[argument]) continue;
    std::fprintf(
        stderr,
        "bascule: ACLRT_LAUNCH_KERNEL(%s): argument %u cannot become what the kernel takes there\n",
        name, argument);
    return 1;
  }
  LaunchConfig config(blocks, stream, BasculeSite{});
  (kernel % std::move(config))(std::get<i>(values)...);
  return 0;
}

template <typename Result, typename... Parameters>
uint32_t LaunchByName(Result (*kernel)(Parameters...), const char* name, uint32_t blocks,
                      void* stream, const BasculeLaunchArgument* arguments, uint32_t count) {
  return LaunchConverted(kernel, name, blocks, stream, arguments, count,
                         std::index_sequence_for<Parameters...>());
}

// The same with the address of each argument, as a program launches what it compiled itself.
template <typename Result, typename... Parameters, size_t... i>
void LaunchAddresses(Result (*kernel)(Parameters...), uint32_t blocks, void* stream,
                     void* const* arguments, std::index_sequence<i...>) {
  (void)arguments;
  LaunchConfig config(blocks, stream, BasculeSite{});
  (kernel % std::move(config))(*static_cast<std::decay_t<Parameters>*>(arguments[i])...);
}

template <typename Result, typename... Parameters>
void LaunchArray(Result (*kernel)(Parameters...), uint32_t blocks, void* stream,
                 void* const* arguments) {
  LaunchAddresses(kernel, blocks, stream, arguments, std::index_sequence_for<Parameters...>());
}

}  // namespace bascule_ascendc

// The numbers of a launch. The second, control of the L2 cache or bytes of dynamic unified buffer,
// has no effect here. The name is one no program uses, and one letter long.
template <typename L2Control = int>
inline bascule_ascendc::LaunchConfig $(int64_t blocks, L2Control = L2Control(),
                                       void* stream = nullptr, bascule_ascendc::Site site = {}) {
  static_assert(
      std::is_convertible<L2Control, const void*>::value || std::is_integral<L2Control>::value,
      "the second number of <<<>>> is a null pointer or a size in bytes");
  return {blocks, stream, site};
}
template <typename Blocks, typename Threads, typename Bytes, typename Stream>
inline bascule_ascendc::LaunchConfig $(Blocks, Threads, Bytes, Stream) {
  static_assert(bascule_ascendc::Never<Blocks>::value,
                "<<<>>> with four numbers launches a SIMT kernel, which this architecture (Atlas "
                "A2) has not");
  return {0, nullptr, {}};
}
BASCULE_PRIVATE_END

// Put behind a source by the driver for each of its kernels, when asked with --launch-functions.
#define BASCULE_LAUNCH_FUNCTION(kernel)                                                         \
  extern "C" __attribute__((visibility("default"), weak)) uint32_t bascule_launch_##kernel(     \
      uint32_t blocks, void* stream, const BasculeLaunchArgument* arguments, uint32_t count) {  \
    return ::bascule_ascendc::LaunchByName(&kernel, #kernel, blocks, stream, arguments, count); \
  }                                                                                             \
  BASCULE_LAUNCH_EXPRESSION(kernel, kernel)

// The same for an expression that names a kernel, as `ns::kernel<float>`, under a name of its own.
#define BASCULE_LAUNCH_EXPRESSION(name, ...)                                                \
  extern "C" __attribute__((visibility("default"), weak)) void bascule_launch_array_##name( \
      uint32_t blocks, void* stream, void* const* arguments) {                              \
    ::bascule_ascendc::LaunchArray(&__VA_ARGS__, blocks, stream, arguments);                \
  }

#endif  // BASCULE_ASCENDC_LAUNCH_H

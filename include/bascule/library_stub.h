// The part of an operator library that `bascule build` generates, as far as it is the same in all
// of them: the library's table, and the functions MindSpore's ops.Custom looks up by name.
//
//     #include "bascule/library_stub.h"
//     BASCULE_STUB_KERNEL(my_mul, 0)
//     BASCULE_STUB_KERNEL(my_mul, 1)
//     static const BasculeKernelVariant my_mul_variants[] = {
//         BASCULE_STUB_VARIANT(my_mul, 0, BASCULE_KERNEL_UNSAID), …};
//     BASCULE_STUB_TABLE(BASCULE_STUB_OPERATOR("my_mul", "MyMul", my_mul_variants))
//     BASCULE_STUB_AOT(my_mul)
//     BASCULE_STUB_AOT_INFER(my_mul, 2)             or, with two outputs,
//     BASCULE_STUB_AOT_INFER_ALL(my_divmod, 2, 2)
//
// Two things here are not plain C, because MindSpore's side is not: the companions return C++
// values (std::vector has one layout under both C++ ABIs of libstdc++), and a failure is a
// thrown std::runtime_error, the only way its text reaches the user. C++17; everything has internal
// linkage. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_LIBRARY_STUB_H_
#define BASCULE_LIBRARY_STUB_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bascule/abi/library.h"
#include "bascule/abi/runtime.h"

#ifdef BASCULE_STUB_EMBEDDED
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// The files of a self-contained library (`bascule build --static`): what the runtime needs, then
// the runtime.
struct BasculeEmbeddedFile {
  const char* name;  // its SONAME
  const unsigned char* begin;
  const unsigned char* end;
};
extern "C" const BasculeEmbeddedFile bascule_embedded_files[];
extern "C" const unsigned bascule_embedded_count;
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif

// In the host part of the library (bascule_host_table.h).
extern "C" const BasculeOperatorDef* bascule_host_find(const char* type);
extern "C" __attribute__((visibility("default"))) const BasculeLibraryTable* bascule_library_v1(
    void);

namespace {
namespace stub {

// mindspore::TypeId by value. Source: mindapi/base/type_id.h, which promises that the numbers stay.
enum TypeId : int {
  kUnknown = 0,
  kBool = 30,
  kInt8 = 32,
  kInt16 = 33,
  kInt32 = 34,
  kInt64 = 35,
  kUInt8 = 37,
  kUInt16 = 38,
  kUInt32 = 39,
  kUInt64 = 40,
  kFloat16 = 42,
  kFloat32 = 43,
  kFloat64 = 44,
  kBFloat16 = 45
};

struct TypePair {
  TypeId type;
  int32_t dtype;
};
constexpr TypePair kTypes[] = {
    {kBool, BASCULE_BOOL},        {kInt8, BASCULE_INT8},     {kInt16, BASCULE_INT16},
    {kInt32, BASCULE_INT32},      {kInt64, BASCULE_INT64},   {kUInt8, BASCULE_UINT8},
    {kUInt16, BASCULE_UINT16},    {kUInt32, BASCULE_UINT32}, {kUInt64, BASCULE_UINT64},
    {kFloat16, BASCULE_FLOAT16},  {kFloat32, BASCULE_FLOAT}, {kFloat64, BASCULE_DOUBLE},
    {kBFloat16, BASCULE_BFLOAT16}};

#ifdef BASCULE_STUB_EMBEDDED

// The runtime comes with the library: found in the process, else where BASCULE_RUNTIME says, else
// loaded from the library's own copy.

inline const BasculeRuntimeApi* RuntimeInProcess() {
  const BasculeRuntimeApi* api = BasculeRuntimeFrom(RTLD_DEFAULT);
  if (api != nullptr) return api;
  void* handle = dlopen(BASCULE_RUNTIME_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return handle != nullptr ? BasculeRuntimeFrom(handle) : nullptr;
}

inline bool WriteAll(int fd, const unsigned char* begin, const unsigned char* end) {
  while (begin < end) {
    const ssize_t written = write(fd, begin, static_cast<size_t>(end - begin));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    begin += written;
  }
  return true;
}

// Loads a file of the library's own from memory, or from a file that is gone at once where memory
// may not be executed.
inline void* LoadEmbedded(const BasculeEmbeddedFile& file, std::string* why) {
  char path[64];
  const int fd = memfd_create(file.name, MFD_CLOEXEC);
  if (fd >= 0 && WriteAll(fd, file.begin, file.end)) {
    std::snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    // The descriptor stays open: the loader knows the file by this path, which must not come to
    // mean another one.
    if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  if (fd >= 0) close(fd);
  const char* folder = std::getenv("TMPDIR");
  std::string temporary = std::string(folder != nullptr ? folder : "/tmp") + "/bascule-XXXXXX";
  if (mkdtemp(&temporary[0]) == nullptr) {
    *why = temporary + ": " + std::strerror(errno);
    return nullptr;
  }
  const std::string copy = temporary + "/" + file.name;
  const int out = open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
  const bool written = out >= 0 && WriteAll(out, file.begin, file.end);
  if (out >= 0) close(out);
  void* handle = written ? dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (handle == nullptr) {
    const char* reason = written ? dlerror() : std::strerror(errno);
    *why = copy + ": " + (reason != nullptr ? reason : "not loaded");
  }
  unlink(copy.c_str());
  rmdir(temporary.c_str());
  return handle;
}

// Two such libraries in one process know nothing of each other, and must not both load. What they
// share is a lock on the running program's file; no process holds it for longer than loading takes.
struct LoadLock {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  LoadLock() {
    constexpr int kTries = 2000;
    for (int i = 0; fd >= 0 && i < kTries && flock(fd, LOCK_EX | LOCK_NB) != 0; ++i) {
      if (errno != EWOULDBLOCK && errno != EINTR) break;
      usleep(1000);
    }
  }
  ~LoadLock() {
    if (fd >= 0) close(fd);
  }
  LoadLock(const LoadLock&) = delete;
  LoadLock& operator=(const LoadLock&) = delete;
};

inline const BasculeRuntimeApi* FindRuntime(char* message, size_t capacity) {
  const LoadLock lock;
  if (const BasculeRuntimeApi* api = RuntimeInProcess()) return api;
  message[0] = '\0';
  BasculeNote(message, capacity, "the bascule runtime was not found. Tried:", "");
  BasculeNote(message, capacity, "\n  already in the process: ", "no");
  const char* named = std::getenv("BASCULE_RUNTIME");
  if (named != nullptr && named[0] != '\0') {
    const BasculeRuntimeApi* api = BasculeTryRuntime("BASCULE_RUNTIME", named, message, capacity);
    if (api != nullptr) return api;
  } else {
    BasculeNote(message, capacity, "\n  BASCULE_RUNTIME: ", "not set");
  }
  for (unsigned i = 0; i < bascule_embedded_count; ++i) {
    const BasculeEmbeddedFile& file = bascule_embedded_files[i];
    // What the runtime needs may be there already; the runtime, which is last, is not.
    if (i + 1 < bascule_embedded_count &&
        dlopen(file.name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != nullptr) {
      continue;
    }
    std::string why;
    void* handle = LoadEmbedded(file, &why);
    if (handle == nullptr) {
      BasculeNote(message, capacity, "\n  the one in this library: ", why.c_str());
      return nullptr;
    }
    if (i + 1 == bascule_embedded_count) return BasculeRuntimeFrom(handle);
  }
  return nullptr;
}

#else

inline const BasculeRuntimeApi* FindRuntime(char* message, size_t capacity) {
  return BasculeFindRuntime(message, capacity);
}

#endif  // BASCULE_STUB_EMBEDDED

// There is one runtime in a process, the first that came; a library that needs a later one refuses.
inline void CheckRuntime(const char* name, const BasculeRuntimeApi& api) {
  if (api.struct_bytes >=
          offsetof(BasculeRuntimeApi, aot_infer_dtypes) + sizeof(api.aot_infer_dtypes) &&
      api.abi_version >= BASCULE_KERNEL_ABI_VERSION) {
    return;
  }
  Dl_info where;
  const bool known = dladdr(&api, &where) != 0 && where.dli_fname != nullptr;
  throw std::runtime_error(std::string(name) + ": the bascule runtime " + api.version + " at " +
                           (known ? where.dli_fname : "an unknown place") +
                           ", the first in this process, is older than this library; install the "
                           "bascule that the library was built with, or build it again");
}

// Looked for at the first call that needs it; a failure is not remembered, because the user may
// install the runtime or set BASCULE_RUNTIME meanwhile.
inline const BasculeRuntimeApi& Runtime(const char* name) {
  static std::atomic<const BasculeRuntimeApi*> found{nullptr};
  const BasculeRuntimeApi* api = found.load(std::memory_order_acquire);
  if (api != nullptr) return *api;
  char message[8192];
  api = FindRuntime(message, sizeof(message));
  if (api == nullptr) throw std::runtime_error(std::string(name) + ": " + message);
  CheckRuntime(name, *api);
  found.store(api, std::memory_order_release);
  return *api;
}

inline int AotCall(const char* name, const void* extra, int nparam, void** params, int* ndims,
                   int64_t** shapes, const char** dtypes) {
  const BasculeRuntimeApi& api = Runtime(name);
  if (api.aot_call_with(bascule_library_v1(), name, extra, nparam, params, ndims, shapes, dtypes) !=
      BASCULE_OK) {
    throw std::runtime_error(api.last_error());
  }
  return 0;
}

inline std::vector<std::vector<int64_t>> AotInferShapes(const char* name, int inputs,
                                                        size_t outputs, const void* extra,
                                                        int* ndims, int64_t** shapes) {
  const BasculeRuntimeApi& api = Runtime(name);
  std::vector<BasculeShape> found(outputs);
  if (api.aot_infer_shapes(bascule_library_v1(), name, extra, inputs, ndims, shapes,
                           found.data()) != BASCULE_OK) {
    throw std::runtime_error(api.last_error());
  }
  std::vector<std::vector<int64_t>> result;
  for (const BasculeShape& shape : found) {
    if (shape.rank < 0) {
      result.push_back({-2});
    } else {
      result.emplace_back(shape.dims, shape.dims + shape.rank);
    }
  }
  return result;
}

inline std::vector<TypeId> AotInferTypes(const char* name, size_t outputs,
                                         const std::vector<TypeId>& types) {
  const BasculeRuntimeApi& api = Runtime(name);
  std::vector<int32_t> dtypes;
  for (TypeId type : types) {
    int32_t dtype = -1;
    for (const TypePair& pair : kTypes) {
      if (pair.type == type) dtype = pair.dtype;
    }
    dtypes.push_back(dtype);
  }
  std::vector<int32_t> found(outputs);
  if (api.aot_infer_dtypes(bascule_library_v1(), name, static_cast<int>(dtypes.size()),
                           dtypes.data(), found.data()) != BASCULE_OK) {
    throw std::runtime_error(api.last_error());
  }
  std::vector<TypeId> result;
  for (int32_t dtype : found) {
    TypeId type = kUnknown;
    for (const TypePair& pair : kTypes) {
      if (pair.dtype == dtype) type = pair.type;
    }
    if (type == kUnknown) {
      throw std::runtime_error(std::string(name) + ": MindSpore has no name for the element type " +
                               std::to_string(dtype) + " of an output");
    }
    result.push_back(type);
  }
  return result;
}

template <size_t n>
inline BasculeOperatorEntry Entry(const char* name, const char* type,
                                  const BasculeKernelVariant (&variants)[n]) {
  return {name, bascule_host_find(type), variants, static_cast<uint32_t>(n), 0};
}

}  // namespace stub
}  // namespace

#define BASCULE_STUB_EXPORT extern "C" __attribute__((visibility("default")))
#define BASCULE_STUB_KERNEL(name, column) extern "C" void bascule_kernel_##name##_##column(void);
#define BASCULE_STUB_VARIANT(name, column, kind) \
  { column, kind, bascule_kernel_##name##_##column }
#define BASCULE_STUB_OPERATOR(name, type, variants) stub::Entry(name, type, variants)

#define BASCULE_STUB_TABLE(...)                                                             \
  BASCULE_STUB_EXPORT const BasculeLibraryTable* bascule_library_v1(void) {                 \
    static const BasculeOperatorEntry operators[] = {__VA_ARGS__};                          \
    static const BasculeLibraryTable table = {sizeof(BasculeLibraryTable),                  \
                                              BASCULE_LIBRARY_ABI_VERSION, operators,       \
                                              sizeof(operators) / sizeof(operators[0]), 0}; \
    return &table;                                                                          \
  }

// What ops.Custom(…, func_type="aot") calls. `stream` has no meaning here; `extra` holds the
// attributes. The name is the symbol's only: the C library may declare another function of it.
#define BASCULE_STUB_AOT(name)                                                              \
  BASCULE_STUB_EXPORT int bascule_stub_##name(int nparam, void** params, int* ndims,        \
                                              int64_t** shapes, const char** dtypes, void*, \
                                              void* extra) __asm__(#name);                  \
  BASCULE_STUB_EXPORT int bascule_stub_##name(int nparam, void** params, int* ndims,        \
                                              int64_t** shapes, const char** dtypes,        \
                                              void* /*stream*/, void* extra) {              \
    return stub::AotCall(#name, extra, nparam, params, ndims, shapes, dtypes);              \
  }

// What it calls to learn the one output's shape and dtype when it was given no functions for them.
#define BASCULE_STUB_AOT_INFER(name, inputs)                                              \
  BASCULE_STUB_EXPORT std::vector<int64_t> name##InferShape(int* ndims, int64_t** shapes, \
                                                            void* extra) {                \
    return stub::AotInferShapes(#name, inputs, 1, extra, ndims, shapes)[0];               \
  }                                                                                       \
  BASCULE_STUB_EXPORT stub::TypeId name##InferType(std::vector<stub::TypeId> types,       \
                                                   void* /*extra*/) {                     \
    return stub::AotInferTypes(#name, 1, types)[0];                                       \
  }

// The same for several outputs.
#define BASCULE_STUB_AOT_INFER_ALL(name, inputs, outputs)                                        \
  BASCULE_STUB_EXPORT std::vector<std::vector<int64_t>> name##InferShape(                        \
      int* ndims, int64_t** shapes, void* extra) {                                               \
    return stub::AotInferShapes(#name, inputs, outputs, extra, ndims, shapes);                   \
  }                                                                                              \
  BASCULE_STUB_EXPORT std::vector<stub::TypeId> name##InferType(std::vector<stub::TypeId> types, \
                                                                void* /*extra*/) {               \
    return stub::AotInferTypes(#name, outputs, types);                                           \
  }

#endif  // BASCULE_LIBRARY_STUB_H_

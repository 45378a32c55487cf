// How a library finds the runtime: without linking to it, once, in a stated order.
//
//   1. the process already offers it (linked in, or loaded with global visibility)
//   2. libbascule.so is already in the process
//   3. BASCULE_RUNTIME names the file
//   4. beside this library
//   5. under the prefix these headers were installed in
//
// Everything here has internal linkage, so that libraries built against different versions of the
// headers do not share a thing. Thread-safe. POSIX only; C++17, or C with _GNU_SOURCE (for dladdr).
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_RUNTIME_H_
#define BASCULE_ABI_RUNTIME_H_

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bascule/abi/acl.h"
#include "bascule/abi/kernel.h"
#include "bascule/abi/library.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the runtime offers to libraries. Append-only.
typedef struct BasculeRuntimeApi {
  uint32_t struct_bytes;
  uint32_t abi_version;
  const BasculeKernelApi* kernel;
  const char* version;  // "0.1.0"
  // A call in the manner of MindSpore's `aot`: inputs, then outputs. Returns a BasculeStatus.
  BasculeStatus (*aot_call)(const BasculeLibraryTable* library, const char* operator_name,
                            int nparam, void** params, int* ndims, int64_t** shapes,
                            const char** dtypes);
  // Infers the shape of the first output of an operator from shapes that may hold -1 (unknown
  // dimension) or be the single dimension -2 (unknown rank). `out` is filled on success.
  BasculeStatus (*aot_infer_shape)(const BasculeLibraryTable* library, const char* operator_name,
                                   int nparam, const int* ndims, int64_t* const* shapes,
                                   BasculeShape* out);
  // Infers the ge::DataType number of the first output from those of the inputs.
  BasculeStatus (*aot_infer_dtype)(const BasculeLibraryTable* library, const char* operator_name,
                                   int nparam, const int32_t* dtypes, int32_t* out);
  // The sentence of the last failure on this thread; valid until the next call on it.
  const char* (*last_error)(void);
  const BasculeAclApi* acl;
  // Runs a kernel on a stream. Returns nothing, as a launch does: an error is the stream's.
  void (*launch)(const BasculeLaunch* launch);
  // As the three above, for every output and with attributes. `extra` is MindSpore's AotExtra*, or
  // null; `out` has room for all outputs of the operator.
  BasculeStatus (*aot_call_with)(const BasculeLibraryTable* library, const char* operator_name,
                                 const void* extra, int nparam, void** params, int* ndims,
                                 int64_t** shapes, const char** dtypes);
  BasculeStatus (*aot_infer_shapes)(const BasculeLibraryTable* library, const char* operator_name,
                                    const void* extra, int nparam, const int* ndims,
                                    int64_t* const* shapes, BasculeShape* out);
  BasculeStatus (*aot_infer_dtypes)(const BasculeLibraryTable* library, const char* operator_name,
                                    int nparam, const int32_t* dtypes, int32_t* out);
} BasculeRuntimeApi;

typedef const BasculeRuntimeApi* (*BasculeRuntimeFunction)(void);
#define BASCULE_RUNTIME_SYMBOL "bascule_runtime_v1"
#define BASCULE_RUNTIME_FILE "libbascule.so"

#ifdef __cplusplus
}  // extern "C"
#endif

#if defined(__GNUC__)
#define BASCULE_HEADER_FUNCTION __attribute__((unused)) static
#else
#define BASCULE_HEADER_FUNCTION static
#endif

// Keeps `handle` open on success: the runtime stays for the life of the process.
BASCULE_HEADER_FUNCTION const BasculeRuntimeApi* BasculeRuntimeFrom(void* handle) {
  BasculeRuntimeFunction function;
  void* symbol = dlsym(handle, BASCULE_RUNTIME_SYMBOL);
  if (symbol == NULL) return NULL;
  memcpy(&function, &symbol, sizeof(function));
  return function();
}

BASCULE_HEADER_FUNCTION void BasculeNote(char* message, size_t capacity, const char* a,
                                         const char* b) {
  size_t used = strlen(message);
  if (used < capacity) snprintf(message + used, capacity - used, "%s%s", a, b);
}

BASCULE_HEADER_FUNCTION const BasculeRuntimeApi* BasculeTryRuntime(const char* what,
                                                                   const char* path, char* message,
                                                                   size_t capacity) {
  void* handle;
  const BasculeRuntimeApi* api = NULL;
  BasculeNote(message, capacity, "\n  ", what);
  BasculeNote(message, capacity, ": ", path);
  handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char* why = dlerror();
    BasculeNote(message, capacity, ": ", why != NULL ? why : "not loaded");
    return NULL;
  }
  api = BasculeRuntimeFrom(handle);
  if (api == NULL)
    BasculeNote(message, capacity, ": ", "loaded, and has no " BASCULE_RUNTIME_SYMBOL);
  return api;
}

// Looks in the order above. On failure returns null and `message` lists every place that was tried.
BASCULE_HEADER_FUNCTION const BasculeRuntimeApi* BasculeFindRuntime(char* message,
                                                                    size_t capacity) {
  const BasculeRuntimeApi* api;
  void* handle;
  const char* named = getenv("BASCULE_RUNTIME");
  Dl_info self;
  char path[4096];
  const char* slash;
  message[0] = '\0';
  BasculeNote(message, capacity, "the bascule runtime was not found. Tried:", "");

  api = BasculeRuntimeFrom(RTLD_DEFAULT);
  if (api != NULL) return api;
  handle = dlopen(BASCULE_RUNTIME_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle != NULL) {
    api = BasculeRuntimeFrom(handle);
    if (api != NULL) return api;
  }
  BasculeNote(message, capacity, "\n  already in the process: ", "no");

  if (named != NULL && named[0] != '\0') {
    api = BasculeTryRuntime("BASCULE_RUNTIME", named, message, capacity);
    if (api != NULL) return api;
  } else {
    BasculeNote(message, capacity, "\n  BASCULE_RUNTIME: ", "not set");
  }

  if (dladdr((const void*)&BasculeNote, &self) != 0 && self.dli_fname != NULL) {
    slash = strrchr(self.dli_fname, '/');
    if (slash != NULL) {
      snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - self.dli_fname), self.dli_fname,
               BASCULE_RUNTIME_FILE);
      api = BasculeTryRuntime("beside this library", path, message, capacity);
      if (api != NULL) return api;
    }
  }

  // This header lies in PREFIX/include/bascule/abi/; the runtime in PREFIX/lib/.
  {
    const char* header = __FILE__;
    size_t length = strlen(header);
    int up = 0;
    while (length > 0 && up < 4) {
      --length;
      if (header[length] == '/') ++up;
    }
    if (up == 4) {
      snprintf(path, sizeof(path), "%.*s/lib/%s", (int)length, header, BASCULE_RUNTIME_FILE);
      api = BasculeTryRuntime("where bascule was installed", path, message, capacity);
      if (api != NULL) return api;
    }
  }
  BasculeNote(
      message, capacity,
      "\nInstall bascule (pip install bascule), or set BASCULE_RUNTIME to its " BASCULE_RUNTIME_FILE
      "; `bascule prefix` prints where it lies.",
      "");
  return NULL;
}

#endif  // BASCULE_ABI_RUNTIME_H_

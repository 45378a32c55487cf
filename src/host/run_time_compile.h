// Kernels that a program compiles and loads while it runs: what acl_rt_compile.h and the
// aclrtBinary… calls of acl_rt.h reach. Thread-safe; each returns an acl code and tells a sentence.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_RUN_TIME_COMPILE_H_
#define BASCULE_HOST_RUN_TIME_COMPILE_H_

#include <cstdint>

namespace bascule::host {

// The comments of BasculeAclApi (bascule/abi/acl.h) say what they do.
int32_t CreateProgram(void** program, const char* source, const char* name, int32_t header_count,
                      const char* const* headers, const char* const* include_names);
int32_t DestroyProgram(void** program);
int32_t AddName(void* program, const char* expression);
int32_t CompileProgram(void* program, int32_t option_count, const char* const* options);
int32_t ProgramBinary(void* program, const void** data, uint64_t* bytes);
int32_t ProgramLog(void* program, const char** text, uint64_t* bytes);
int32_t LoweredName(void* program, const char* expression, const char** name);
int32_t LoadBinary(const char* call, const char* path, const void* data, uint64_t bytes,
                   void** binary);
int32_t UnloadBinary(void* binary);
int32_t FindFunction(void* binary, const char* kernel, void** function);
int32_t LaunchFunction(void* function, uint32_t blocks, void* stream, void** arguments);

}  // namespace bascule::host

#endif  // BASCULE_HOST_RUN_TIME_COMPILE_H_

// The kernels of kernels.asc, for benchmarks in C++ and, as a shared library, in Python. Plain C.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_BENCH_CPP_KERNELS_H_
#define BASCULE_BENCH_CPP_KERNELS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum BenchKernel {
  BENCH_ADD = 0,         // z = x + y
  BENCH_MUL_SCALE = 1,   // z = x * y * scalar
  BENCH_AXPY = 2,        // z = scalar * x + y
  BENCH_EXP = 3,         // z = exp(x)
  BENCH_TANH = 4,        // z = tanh(x)
  BENCH_GELU = 5,        // z = gelu(x), in its form with tanh, instruction by instruction
  BENCH_SCALAR_MUL = 6,  // z = x * y, element by element
  BENCH_ADD_16K = 7      // as BENCH_ADD, in tiles four times as large
};
enum BenchType { BENCH_HALF = 0, BENCH_FLOAT = 1, BENCH_BFLOAT16 = 2, BENCH_INT8 = 3 };

// What everything is launched on, an aclrtStream.
void* bench_stream(void);
// Device memory, which host code may touch as well; the program ends when there is none.
void* bench_malloc(uint64_t bytes);
void bench_free(void* memory);

// Launches a kernel on `count` elements and waits for it. x, y and z are device memory; kernels of
// one operand leave y alone. The program ends with the kernel's error, if it has one.
void bench_launch(enum BenchKernel kernel, enum BenchType type, uint32_t blocks, void* x, void* y,
                  void* z, uint32_t count, float scalar);
// As many instructions as asked for, each an Add of 64 floats.
void bench_launch_adds(uint32_t instructions);
// Blocks that do nothing but wait for one another.
void bench_launch_barriers(uint32_t blocks, uint32_t barriers);
// c = a b on cube cores; c has the type of a and b, or int32_t where that is int8_t. m is a
// multiple of 256, n of 128, a row of a of 1024 bytes.
void bench_launch_matmul(enum BenchType type, uint32_t blocks, void* a, void* b, void* c,
                         uint32_t m, uint32_t n, uint32_t k);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_BENCH_CPP_KERNELS_H_

// What a programmer writes without kernels: the rivals. Each works on elements [begin, end).
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_BENCH_CPP_LOOPS_H_
#define BASCULE_BENCH_CPP_LOOPS_H_

#include <cstdint>

namespace bascule::bench {

// Bits of a half.
struct Half {
  uint16_t bits;
};

// Compiled with -O3 -march=native. Loops over halves convert whole vectors with F16C and compute in
// float; elsewhere than on x86 they leave the conversion to the compiler.
void AddLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end, float scalar);
void AddLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end, float scalar);
void MulScaleLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end,
                  float scalar);
void MulScaleLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end, float scalar);
void AxpyLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end, float scalar);
void AxpyLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end, float scalar);

// Compiled with -O3 -march=native -ffast-math, so that the C library's vector functions are called.
void ExpLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end, float scalar);
void TanhLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end, float scalar);
void GeluLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end, float scalar);

}  // namespace bascule::bench

#endif  // BASCULE_BENCH_CPP_LOOPS_H_

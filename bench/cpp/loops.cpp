// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace bascule::bench {
namespace {

template <typename Operation>
void FloatLoop(const float* __restrict x, const float* __restrict y, float* __restrict z,
               int64_t begin, int64_t end, Operation operation) {
  for (int64_t i = begin; i < end; ++i) z[i] = operation(x[i], y[i]);
}

#if defined(__F16C__)
// Eight at a time; the compiler makes one instruction of each operation on a __m256.
template <typename Operation>
void HalfLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end,
              Operation operation) {
  const auto load = [](const Half* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  };
  int64_t i = begin;
  for (; i + 8 <= end; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(z + i),
                     _mm256_cvtps_ph(operation(load(x + i), load(y + i)), 0));
  }
  for (; i < end; ++i) {
    const __m256 result =
        operation(_mm256_set1_ps(_cvtsh_ss(x[i].bits)), _mm256_set1_ps(_cvtsh_ss(y[i].bits)));
    z[i].bits = static_cast<uint16_t>(_cvtss_sh(_mm256_cvtss_f32(result), 0));
  }
}
#else
template <typename Operation>
void HalfLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end,
              Operation operation) {
  for (int64_t i = begin; i < end; ++i) {
    const float result = operation(static_cast<float>(__builtin_bit_cast(_Float16, x[i])),
                                   static_cast<float>(__builtin_bit_cast(_Float16, y[i])));
    z[i] = __builtin_bit_cast(Half, static_cast<_Float16>(result));
  }
}
#endif

const auto add = [](auto x, auto y) { return x + y; };

}  // namespace

void AddLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end, float) {
  FloatLoop(x, y, z, begin, end, add);
}
void AddLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end, float) {
  HalfLoop(x, y, z, begin, end, add);
}
void MulScaleLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end,
                  float scalar) {
  FloatLoop(x, y, z, begin, end, [scalar](float a, float b) { return a * b * scalar; });
}
void MulScaleLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end, float scalar) {
  HalfLoop(x, y, z, begin, end, [scalar](auto a, auto b) { return a * b * scalar; });
}
void AxpyLoop(const float* x, const float* y, float* z, int64_t begin, int64_t end, float scalar) {
  FloatLoop(x, y, z, begin, end, [scalar](float a, float b) { return scalar * a + b; });
}
void AxpyLoop(const Half* x, const Half* y, Half* z, int64_t begin, int64_t end, float scalar) {
  HalfLoop(x, y, z, begin, end, [scalar](auto a, auto b) { return a * scalar + b; });
}

}  // namespace bascule::bench

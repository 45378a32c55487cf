// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "loops.h"

namespace bascule::bench {

void ExpLoop(const float* x, const float*, float* z, int64_t begin, int64_t end, float) {
  for (int64_t i = begin; i < end; ++i) z[i] = expf(x[i]);
}
void TanhLoop(const float* x, const float*, float* z, int64_t begin, int64_t end, float) {
  for (int64_t i = begin; i < end; ++i) z[i] = tanhf(x[i]);
}
void GeluLoop(const float* x, const float*, float* z, int64_t begin, int64_t end, float) {
  for (int64_t i = begin; i < end; ++i) {
    const float inner = 0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
    z[i] = 0.5f * x[i] * (1.0f + tanhf(inner));
  }
}

}  // namespace bascule::bench

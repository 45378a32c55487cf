// min and max without a namespace, beside those of the C++ library and a kernel's own.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernel_operator.h"

static_assert(min(2, 3U) == 2 && max(2.5f, 1) == 2.5f, "of two types");

namespace with_library {
using namespace std;
using namespace AscendC;
static_assert(min(2, 3) == 2 && max(2U, 3U) == 3, "of one type");
}  // namespace with_library

namespace own {
template <typename T>
constexpr T min(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
struct Kernel {
  uint32_t rows;
  uint32_t Least(uint32_t other) { return min(rows, other); }
};
static_assert(min(2, 3) == 2, "the kernel's own");
}  // namespace own

template <typename T>
struct GlobalKernel {
  uint32_t rows;
  uint32_t Least(uint32_t other) { return min(rows, other); }
};
template struct GlobalKernel<half>;

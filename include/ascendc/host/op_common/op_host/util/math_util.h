// Whole numbers divided and rounded to multiples, as host code of public operator projects does it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_MATH_UTIL_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_MATH_UTIL_H_

#include <type_traits>

#include "bascule_host_base.h"

namespace Ops {
namespace Base {

// Dividing by zero gives the number itself.
template <typename T, typename U>
BASCULE_HIDDEN constexpr T FloorDiv(T x, U y) {
  return y == 0 ? x : static_cast<T>(x / y);
}
template <typename T, typename U>
BASCULE_HIDDEN constexpr T CeilDiv(T x, U y) {
  if (y == 0) return x;
  const T quotient = static_cast<T>(x / y);
  const bool rest = x % y != 0;
  bool same_sign = true;
  if constexpr (std::is_signed<T>::value && std::is_signed<U>::value) {
    same_sign = (x < 0) == (y < 0);
  }
  return rest && same_sign ? static_cast<T>(quotient + 1) : quotient;
}
template <typename T, typename U>
BASCULE_HIDDEN constexpr T CeilAlign(T x, U unit) {
  return unit == 0 ? x : static_cast<T>(CeilDiv(x, unit) * unit);
}
template <typename T, typename U>
BASCULE_HIDDEN constexpr T FloorAlign(T x, U unit) {
  return unit == 0 ? x : static_cast<T>(x / unit * unit);
}
template <typename T>
BASCULE_HIDDEN constexpr T Gcd(T a, T b) {
  while (b != 0) {
    const T rest = static_cast<T>(a % b);
    a = b;
    b = rest;
  }
  return a;
}
template <typename T>
BASCULE_HIDDEN constexpr T Lcm(T a, T b) {
  return a == 0 || b == 0 ? T{0} : static_cast<T>(a / Gcd(a, b) * b);
}

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_UTIL_MATH_UTIL_H_

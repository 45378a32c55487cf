// AscendC::Std and small helpers of kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_STD_H
#define BASCULE_ASCENDC_STD_H

#include <type_traits>

#include "bascule_ascendc/keywords.h"

BASCULE_ASCENDC_BEGIN

namespace Std {
template <typename T, typename U>
constexpr std::common_type_t<T, U> min(const T a, const U b) {
  return b < a ? b : a;
}
template <typename T, typename U>
constexpr std::common_type_t<T, U> max(const T a, const U b) {
  return a < b ? b : a;
}
template <typename T>
constexpr T abs(const T a) {
  return a < T(0) ? -a : a;
}
template <typename A, typename B>
using is_same = std::is_same<A, B>;
template <typename A, typename B>
constexpr bool is_same_v = std::is_same_v<A, B>;
template <bool condition, typename T = void>
using enable_if = std::enable_if<condition, T>;
template <bool condition, typename T = void>
using enable_if_t = std::enable_if_t<condition, T>;
template <bool condition, typename A, typename B>
using conditional = std::conditional<condition, A, B>;
template <bool condition, typename A, typename B>
using conditional_t = std::conditional_t<condition, A, B>;
template <typename T, T value>
using integral_constant = std::integral_constant<T, value>;
using true_type = std::true_type;
using false_type = std::false_type;
template <typename T>
using remove_cv_t = std::remove_cv_t<T>;
template <typename T>
using remove_reference_t = std::remove_reference_t<T>;
template <typename T>
using decay_t = std::decay_t<T>;
template <typename T>
constexpr bool is_integral_v = std::is_integral_v<T>;
template <typename T>
constexpr bool is_floating_point_v = std::is_floating_point_v<T>;
}  // namespace Std

template <typename A, typename B>
struct IsSameType {
  static constexpr bool value = std::is_same_v<A, B>;
};

// a / b rounded up; 0 when b is 0.
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

BASCULE_ASCENDC_END

using AscendC::CeilDivision;

#endif  // BASCULE_ASCENDC_STD_H

// AscendC::Std and small helpers of kernels. Names of the standard library mean what they mean
// there. Source: "C++ standard library" of the utility API documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_STD_H
#define BASCULE_ASCENDC_STD_H

#include <tuple>
#include <type_traits>
#include <utility>

#include "bascule_ascendc/keywords.h"

BASCULE_ASCENDC_BEGIN

namespace Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::true_type;
using std::void_t;

template <typename>
constexpr bool always_false_v = false;
template <typename T, typename... Types>
constexpr bool is_one_of_v = (std::is_same_v<T, Types> || ...);

using std::declval;
using std::forward;
using std::get;
using std::index_sequence;
using std::make_index_sequence;
using std::make_tuple;
using std::move;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;

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
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_fabsf(a);
  } else {
    return static_cast<T>(a < T(0) ? -a : a);
  }
}
// Of an int64_t the integer part of the root.
template <typename T>
inline T sqrt(const T a) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, int64_t>,
                "Std::sqrt: this type is not supported; supported: float, int64_t");
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_sqrtf(a);
  } else {
    if (a <= 0) return 0;
    // double has 53 bits: the nearest root is at most one off.
    T root = static_cast<T>(__builtin_sqrt(static_cast<double>(a)));
    if (root > 3037000499) root = 3037000499;
    while (root * root > a) --root;
    while (root < 3037000499 && (root + 1) * (root + 1) <= a) ++root;
    return root;
  }
}

}  // namespace Std

template <typename A, typename B>
struct IsSameType {
  static constexpr bool value = std::is_same_v<A, B>;
};

template <bool condition, typename A, typename B>
struct Conditional {
  using type = std::conditional_t<condition, A, B>;
};

// a / b rounded up; 0 when b is 0.
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
template <typename A, typename B,
          std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>, int> = 0>
constexpr std::common_type_t<A, B> Ceil(A a, B b) {
  return b == 0 ? 0 : (a + b - 1) / b;
}

BASCULE_ASCENDC_END

using AscendC::CeilDivision;

// The device's compiler knows these without a namespace. Functions of the same name that want two
// arguments of one type, std::min and a kernel's own, are preferred.
BASCULE_PRIVATE_BEGIN
template <typename T, typename U,
          std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>, int> = 0>
constexpr std::common_type_t<T, U> min(T a, U b) {
  using Common = std::common_type_t<T, U>;
  return AscendC::Std::min(static_cast<Common>(a), static_cast<Common>(b));
}
template <typename T, typename U,
          std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>, int> = 0>
constexpr std::common_type_t<T, U> max(T a, U b) {
  using Common = std::common_type_t<T, U>;
  return AscendC::Std::max(static_cast<Common>(a), static_cast<Common>(b));
}
BASCULE_PRIVATE_END

#endif  // BASCULE_ASCENDC_STD_H

// Shape, Stride and Layout. Source: the Layout pages of the Ascend C documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_LAYOUT_H
#define BASCULE_ASCENDC_LAYOUT_H

#include "bascule_ascendc/std.h"

BASCULE_ASCENDC_BEGIN

// The sizes of the axes, and the elements from one index of an axis to the next.
template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;

template <typename... Ts>
__aicore__ inline constexpr Shape<Ts...> MakeShape(const Ts&... t) {
  return Shape<Ts...>(t...);
}
template <typename... Ts>
__aicore__ inline constexpr Stride<Ts...> MakeStride(const Ts&... t) {
  return Stride<Ts...>(t...);
}

template <typename ShapeType, typename StrideType>
struct Layout : Std::tuple<ShapeType, StrideType> {
  constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
      : Std::tuple<ShapeType, StrideType>(shape, stride) {}

  constexpr Layout layout() const { return *this; }
  constexpr decltype(auto) GetShape() { return Std::get<0>(Tuple()); }
  constexpr decltype(auto) GetShape() const { return Std::get<0>(Tuple()); }
  constexpr decltype(auto) GetStride() { return Std::get<1>(Tuple()); }
  constexpr decltype(auto) GetStride() const { return Std::get<1>(Tuple()); }

 private:
  constexpr Std::tuple<ShapeType, StrideType>& Tuple() { return *this; }
  constexpr const Std::tuple<ShapeType, StrideType>& Tuple() const { return *this; }
};

template <typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
  return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_LAYOUT_H

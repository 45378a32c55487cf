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

// Places along the axes.
template <typename... Coords>
using Coord = Std::tuple<Coords...>;
template <typename... Ts>
__aicore__ inline constexpr Coord<Ts...> MakeCoord(const Ts&... t) {
  return Coord<Ts...>(t...);
}

BASCULE_ASCENDC_END
BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {
template <typename T>
constexpr bool kIsTuple = false;
template <typename... Ts>
constexpr bool kIsTuple<std::tuple<Ts...>> = true;

template <typename C, typename Shape, typename Stride>
constexpr int64_t IndexOf(const C& coord, const Shape& shape, const Stride& stride);

// A place along axes that are one: the first runs fastest, the last takes what is left.
template <size_t axis, typename Shape, typename Stride>
constexpr int64_t IndexAlong(int64_t place, const Shape& shape, const Stride& stride) {
  if constexpr (axis + 1 == std::tuple_size_v<Shape>) {
    return IndexOf(place, std::get<axis>(shape), std::get<axis>(stride));
  } else {
    const auto size = static_cast<int64_t>(std::get<axis>(shape));
    return IndexOf(place % size, std::get<axis>(shape), std::get<axis>(stride)) +
           IndexAlong<axis + 1>(place / size, shape, stride);
  }
}
template <typename C, typename Shape, typename Stride, size_t... axes>
constexpr int64_t IndexOfAll(const C& coord, const Shape& shape, const Stride& stride,
                             std::index_sequence<axes...>) {
  return (int64_t{0} + ... +
          IndexOf(std::get<axes>(coord), std::get<axes>(shape), std::get<axes>(stride)));
}
template <typename C, typename Shape, typename Stride>
constexpr int64_t IndexOf(const C& coord, const Shape& shape, const Stride& stride) {
  if constexpr (kIsTuple<C>) {
    static_assert(std::tuple_size_v<C> == std::tuple_size_v<Shape> &&
                      std::tuple_size_v<C> == std::tuple_size_v<Stride>,
                  "Crd2Idx: coordinates, shape and strides have one number of axes");
    return IndexOfAll(coord, shape, stride, std::make_index_sequence<std::tuple_size_v<C>>());
  } else if constexpr (kIsTuple<Stride>) {
    return IndexAlong<0>(static_cast<int64_t>(coord), shape, stride);
  } else {
    return static_cast<int64_t>(coord) * static_cast<int64_t>(stride);
  }
}
}  // namespace bascule_ascendc
BASCULE_PRIVATE_END
BASCULE_ASCENDC_BEGIN

template <typename ShapeType, typename StrideType>
struct Layout : Std::tuple<ShapeType, StrideType> {
  constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
      : Std::tuple<ShapeType, StrideType>(shape, stride) {}

  constexpr Layout layout() const { return *this; }
  constexpr decltype(auto) GetShape() { return Std::get<0>(Tuple()); }
  constexpr decltype(auto) GetShape() const { return Std::get<0>(Tuple()); }
  constexpr decltype(auto) GetStride() { return Std::get<1>(Tuple()); }
  constexpr decltype(auto) GetStride() const { return Std::get<1>(Tuple()); }
  // How many elements from the first the one at a place is.
  template <typename CoordType>
  constexpr auto operator()(const CoordType& coord) const {
    return bascule_ascendc::IndexOf(coord, GetShape(), GetStride());
  }

 private:
  constexpr Std::tuple<ShapeType, StrideType>& Tuple() { return *this; }
  constexpr const Std::tuple<ShapeType, StrideType>& Tuple() const { return *this; }
};

template <typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
  return Layout<ShapeType, StrideType>(shape, stride);
}

// How many elements from the first the one at a place is. A number for an axis that is a tuple of
// axes is a place along all of them, of which the first runs fastest.
template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape,
                                         const StrideType& stride) {
  return bascule_ascendc::IndexOf(coord, shape, stride);
}
template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType& coord,
                                         const Layout<ShapeType, StrideType>& layout) {
  return layout(coord);
}

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_LAYOUT_H

// AscendC::Std and the small helpers as kernels write them.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

namespace {

namespace Std = AscendC::Std;
struct Plain {};
struct Derived : Plain {};

static_assert(Std::is_void<const void>::value && !Std::is_void_v<void*>, "");
static_assert(Std::is_integral<bool>::value && !Std::is_integral_v<half>, "");
static_assert(Std::is_floating_point<const double>::value && !Std::is_floating_point_v<int>, "");
static_assert(Std::is_array<int[5]>::value && !Std::is_array_v<int*>, "");
static_assert(Std::is_pointer<void (*)(int)>::value && !Std::is_pointer_v<Plain>, "");
static_assert(Std::is_reference<int&&>::value && !Std::is_reference_v<int>, "");
static_assert(Std::is_const<int* const>::value && !Std::is_const_v<const int*>, "");
static_assert(Std::is_base_of<Plain, Derived>::value && Std::is_base_of_v<Plain, Plain>, "");
static_assert(Std::is_convertible<int, float>::value && !Std::is_convertible_v<Plain, int>, "");
static_assert(Std::is_same<Std::remove_const<const int>::type, Std::remove_const_t<int>>::value,
              "");
static_assert(Std::is_same_v<Std::remove_volatile_t<volatile int>, int>, "");
static_assert(Std::is_same_v<Std::remove_cv<const volatile int>::type, int>, "");
static_assert(Std::is_same_v<Std::remove_pointer_t<int* const>, int>, "");
static_assert(Std::is_same_v<Std::remove_reference<int&>::type, int>, "");
static_assert(Std::is_same_v<Std::add_const_t<int>, const int>, "");
static_assert(Std::is_same_v<Std::add_volatile<int>::type, volatile int>, "");
static_assert(Std::is_same_v<Std::add_cv_t<int>, const volatile int>, "");
static_assert(Std::is_same_v<Std::add_pointer<int&>::type, int*>, "");
static_assert(Std::is_same_v<Std::add_lvalue_reference_t<int>, int&>, "");
static_assert(Std::is_same_v<Std::add_rvalue_reference_t<int&>, int&>, "");
static_assert(Std::is_same_v<Std::conditional_t<true, int, half>, int>, "");
static_assert(Std::is_same_v<AscendC::Conditional<false, int, half>::type, half>, "");
static_assert(AscendC::IsSameType<half, half>::value && !Std::always_false_v<int>, "");
static_assert(Std::is_one_of_v<half, float, half> && !Std::is_one_of_v<int, float, half>, "");
static_assert(Std::integral_constant<int, 3>::value == 3 && Std::true_type::value, "");
static_assert(Std::min(3, 5) == 3 && Std::max(uint32_t{3}, uint32_t{5}) == 5, "");
static_assert(Std::abs(int8_t{-3}) == 3 && Std::abs(-1.5f) == 1.5f, "");
static_assert(AscendC::DivCeil(7, 4) == 2 && AscendC::AlignUp(7, 4) == 8, "");
static_assert(CeilDivision(8, 4) == 2 && AscendC::CeilDivision(8, 0) == 0, "");

template <typename T, Std::enable_if_t<Std::is_integral_v<T>, int> = 0>
int Kind(T) {
  return 1;
}
template <typename T, typename = typename Std::enable_if<!Std::is_integral<T>::value>::type>
long Kind(T) {
  return 2;
}

template <size_t... index>
constexpr size_t Sum(Std::index_sequence<index...>) {
  return (index + ... + 0);
}
static_assert(Sum(Std::make_index_sequence<5>()) == 10, "");

using Three = Std::tuple<int, float, half>;
static_assert(Std::tuple_size<Three>::value == 3 && Std::tuple_size_v<Three> == 3, "");
static_assert(Std::is_same_v<Std::tuple_element<1, Three>::type, float>, "");

float Tuples(AscendC::LocalTensor<half>& local) {
  Std::tuple<AscendC::LocalTensor<half>, uint32_t> held(local, 3u);
  const auto made = Std::make_tuple(half(1), 2.0f, int8_t(3));
  int a = 0;
  float b = 0;
  Std::tie(a, b) = Std::make_tuple(1, 2.0f);
  Std::get<1>(held) += 1;
  return Std::get<1>(made) + static_cast<float>(Std::get<1>(held)) + static_cast<float>(a) + b +
         static_cast<float>(Kind(1)) + static_cast<float>(Kind(1.0f)) + Std::sqrt(2.0f) +
         static_cast<float>(Std::sqrt(int64_t{17}));
}

}  // namespace

float UseAll(AscendC::LocalTensor<half>& local) { return Tuples(local); }

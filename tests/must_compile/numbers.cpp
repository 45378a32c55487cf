// What kernels write with half and bfloat16_t; every form has to compile, and the constants to
// hold. SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "kernel_operator.h"

namespace {

// Constants of every kind, checked by the compiler.
template <typename T>
struct Constants {
  static constexpr T kFloat = 1.5f;
  static constexpr T kDouble = 0.5;
  static constexpr T kInt = -2;
  static constexpr T kLarge = 1e30;
  static constexpr T kBraces{2.0};
  static constexpr T kCast = static_cast<T>(3) + T(0.25f);
  static constexpr T kTable[4] = {0, 1.0f, 2.0, T(3)};

  static_assert(kFloat + kDouble == 2 && kFloat - kInt == 3.5f && kInt * kDouble == -1.0, "");
  static_assert(kBraces / kInt == -1 && -kFloat == -1.5 && +kFloat == 1.5, "");
  static_assert(kFloat > kDouble && kFloat >= 1.5f && kInt < 0 && kInt <= -2 && kFloat != 0, "");
  static_assert(1 < kFloat && 1.5f == kFloat && 2.0 > kFloat && 0u != kFloat, "");
  static_assert(static_cast<int>(kCast) == 3 && static_cast<bool>(kInt) && !T(0), "");
  static_assert(kTable[1] + kTable[2] == kTable[3], "");
  static_assert(kFloat + 1.0f == 2.5f && 2.0 * kFloat == 3.0 && 3 - kFloat == 1.5f, "");

  static_assert(std::is_same<decltype(kFloat + kInt), T>::value, "");
  static_assert(std::is_same<decltype(kFloat * 1.0f), float>::value, "");
  static_assert(std::is_same<decltype(1.0 / kFloat), double>::value, "");
  static_assert(std::is_same<decltype(kFloat - 1), T>::value, "");
  static_assert(std::is_same<decltype(kFloat + uint8_t(1)), T>::value, "");
  static_assert(std::numeric_limits<T>::lowest() < kInt, "");
};
template struct Constants<half>;
template struct Constants<bfloat16_t>;
static_assert(Constants<half>::kLarge == std::numeric_limits<half>::infinity(), "");
static_assert(static_cast<half>(bfloat16_t(1.5f)) == 1.5f && bfloat16_t(half(2)) == 2, "");

template <typename T>
struct Parameters {
  T scale = 1.0f;
  T bias = 0;
  T values[2] = {0.5, 1};
};

template <typename T>
T Chosen(T x, bool flag) {
  T a = flag ? x : T(0);
  T b = flag ? x : 0;
  T c = flag ? 1.0 : x;
  T d = flag ? x : x + 1;
  T e = flag ? 1.0f : 0.0f;
  float f = flag ? static_cast<float>(x) : 1.0f;
  float g = flag ? x * 2.0f : 0;
  return a + b + c + d + e + T(f) + static_cast<T>(g);
}

float Wide(float x) { return x; }
template <typename T>
T Narrow(T x) {
  return x;
}

template <typename T>
void Statements(T x, AscendC::LocalTensor<T>& local, AscendC::GlobalTensor<T>& global) {
  T y = 0;
  y = 1.0f;
  y = x;
  y += 1;
  y += 1.0f;
  y -= 0.5;
  y *= x;
  y /= 2;
  y++;
  ++y;
  y--;
  --y;
  float f = y;
  double d = static_cast<double>(x) + x * 1.0;
  f = Wide(x);
  f = x;
  f += y;
  f -= local.GetValue(1);
  d += f * x;
  int32_t i = static_cast<int32_t>(x);
  i += x;
  uint8_t u = (uint8_t)x;
  if (x) y = -y;
  if (!x || (x && y > 0)) y = Narrow<T>(2.0f);
  while (y > 1) y = y / 2 - x * i;
  y = (x > 0) ? x : -x;
  y = x < y ? x : y;
  local.SetValue(0, x * 2.0f + 1);
  local.SetValue(1, 0);
  local.SetValue(2, f);
  local(3) = local(2) + local(1);
  f = local.GetValue(0) + global.GetValue(1);
  global.SetValue(0, local.GetValue(0));
  AscendC::GlobalTensor<float> floats;
  floats.SetValue(0, x);
  const Parameters<T> parameters;
  y = parameters.scale * x + parameters.bias;
  std::printf("%f %f %d %u %f\n", static_cast<float>(y), double(x), i, u, d + f);
}

}  // namespace

// As launch arguments, alone and inside a structure.
extern "C" __global__ __aicore__ void numbers(GM_ADDR x, half scale, bfloat16_t bias) {
  AscendC::GlobalTensor<half> halves;
  halves.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
  AscendC::GlobalTensor<bfloat16_t> bfloats;
  bfloats.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(x));
  AscendC::LocalTensor<half> local_halves;
  AscendC::LocalTensor<bfloat16_t> local_bfloats;
  Statements(Chosen(scale, scale > 0), local_halves, halves);
  Statements(Chosen(bias, bias > 0), local_bfloats, bfloats);
}
template <typename T>
__global__ __aicore__ void numbers_in_a_structure(GM_ADDR x, Parameters<T> parameters) {
  AscendC::GlobalTensor<T> out;
  out.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
  out.SetValue(0, parameters.values[1]);
}
template void numbers_in_a_structure<half>(GM_ADDR, Parameters<half>);
template void numbers_in_a_structure<bfloat16_t>(GM_ADDR, Parameters<bfloat16_t>);

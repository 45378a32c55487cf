// Elementary functions on vectors.
//
// Those that kernels call most (exp, ln, tanh, sigmoid) are computed in float, in few operations;
// all others in double, where a polynomial good to 2^-30 and the final rounding to float leave
// little more than half a unit in the last place. `d` is a float tag in the first part of this
// file, a double tag in the second; there, arguments are values of floats.
//
// The polynomials are minimax approximations that tools/minimax.py computes; each comment gives the
// largest error of the polynomial alone. Bounds of whole functions are measured by
// tests/isa/math_test.cpp and stated by the rows in isa/vector/math_list.h. Products are fused
// where the CPU can, so that targets may differ within these bounds. SPDX-License-Identifier:
// Apache-2.0

// Included once per CPU target, hence no ordinary guard.
#if defined(BASCULE_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BASCULE_SIMD_MATH_INL_H_
#undef BASCULE_SIMD_MATH_INL_H_
#else
#define BASCULE_SIMD_MATH_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "simd/reduce_angle.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// c[0] + c[1] x + c[2] x² …
template <class D, size_t n>
HWY_INLINE hn::Vec<D> Polynomial(D d, hn::Vec<D> x, const hn::TFromD<D> (&c)[n]) {
  auto sum = hn::Set(d, c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

template <class D>
HWY_INLINE hn::Vec<D> KeepNan(hn::Vec<D> x, hn::Vec<D> result) {
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

// --- float ------------------------------------------------------------------------------------

// Functions with two results give them by reference: a vector of SVE has no size known here, so it
// is no member of anything.

// x = n ln 2 + r, |r| <= 0.347, for |x| < 2^20.
template <class D>
HWY_INLINE void ReduceExp(D d, hn::Vec<D> x, hn::Vec<D>& r, hn::Vec<hn::RebindToSigned<D>>& n) {
  const hn::RebindToSigned<D> di;
  // Adding this, a float has no digits left behind the point, and its last ones are n.
  const auto shifter = hn::Set(d, 0x1.8p23f);
  const auto shifted = hn::MulAdd(x, hn::Set(d, 0x1.715476p+0f), shifter);
  const auto whole = hn::Sub(shifted, shifter);
  r = hn::NegMulAdd(whole, hn::Set(d, 0x1.62e4p-1f), x);  // exact: 15 digits times n
  r = hn::NegMulAdd(whole, hn::Set(d, 0x1.7f7d1cp-20f), r);
  n = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shifter));
}

// exp(r) - 1 for |r| <= 0.347: 2^-28.
template <class D>
HWY_INLINE hn::Vec<D> ExpMinusOne(D d, hn::Vec<D> r) {
  constexpr float kQ[] = {0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558f6p-5f, 0x1.123a8ep-7f,
                          0x1.6a2316p-10f};
  return hn::MulAdd(hn::Mul(r, r), Polynomial(d, r, kQ), r);
}

// 2^n for -126 <= n <= 127.
template <class D, class VI>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, VI n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

template <class D>
HWY_INLINE hn::Vec<D> Exp(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  const auto one = hn::Set(d, 1.0f);
  hn::Vec<D> r;
  hn::Vec<hn::RebindToSigned<D>> n;
  // Where no result is subnormal or beyond the largest float, and nothing is NaN, n adds to the
  // exponent.
  if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 87.0f))))) {
    ReduceExp(d, x, r, n);
    const auto y = hn::Add(ExpMinusOne(d, r), one);
    return hn::BitCast(d, hn::Add(hn::BitCast(di, y), hn::ShiftLeft<23>(n)));
  }
  // Beyond these everything is zero or infinite. In two steps only the last can round.
  const auto bounded = hn::Min(hn::Max(x, hn::Set(d, -105.0f)), hn::Set(d, 89.0f));
  ReduceExp(d, bounded, r, n);
  const auto y = hn::Add(ExpMinusOne(d, r), one);
  const auto half = hn::ShiftRight<1>(n);
  const auto scaled = hn::Mul(hn::Mul(y, PowerOfTwo(d, half)), PowerOfTwo(d, hn::Sub(n, half)));
  return KeepNan<D>(x, scaled);
}

// The natural logarithm. x = 2^k m with m around 1, ln m = f - f²/2 + f³ R(f), f = m - 1: 2^-30.
template <class D>
HWY_INLINE hn::Vec<D> Ln(D d, hn::Vec<D> x) {
  constexpr float kR[] = {0x1.555548p-2f,  -0x1.000006p-2f, 0x1.99a4b6p-3f,
                          -0x1.555c4ep-3f, 0x1.233768p-3f,  -0x1.fc2206p-4f,
                          0x1.e6f06ap-4f,  -0x1.de3c16p-4f, 0x1.1457acp-4f};
  const hn::RebindToSigned<D> di;
  const auto smallest = hn::Set(d, std::numeric_limits<float>::min());
  const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto usual = hn::And(hn::Ge(x, smallest), hn::Lt(x, infinity));
  const bool all_usual = HWY_LIKELY(hn::AllTrue(d, usual));
  auto bits = hn::BitCast(di, x);
  if (!all_usual) {  // subnormals
    const auto tiny = hn::Lt(x, smallest);
    const auto raised = hn::BitCast(di, hn::Mul(x, hn::Set(d, 0x1p23f)));
    bits = hn::IfThenElse(hn::RebindMask(di, tiny), hn::Sub(raised, hn::Set(di, 23 << 23)), bits);
  }
  // m is between the root of one half and twice that.
  const auto root = hn::Set(di, 0x3f3504f3);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, root));
  const auto k = hn::ConvertTo(d, exponent);
  const auto m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const auto f = hn::Sub(m, hn::Set(d, 1.0f));
  const auto square = hn::Mul(f, f);
  auto rest = hn::Mul(hn::Mul(square, f), Polynomial(d, f, kR));
  rest = hn::MulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f), rest);
  rest = hn::NegMulAdd(square, hn::Set(d, 0.5f), rest);
  const auto y = hn::MulAdd(k, hn::Set(d, 0x1.62e4p-1f), hn::Add(f, rest));
  if (all_usual) return y;
  const auto zero = hn::Zero(d);
  auto special =
      hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), y);
  special = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), special);
  return KeepNan<D>(x, hn::IfThenElse(hn::Eq(x, infinity), x, special));
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// One entry of 32 for every lane; the last five digits of `place` say which.
template <class V, class VI>
HWY_INLINE V LookUp(const float (&row)[32], VI place) {
  return V{_mm512_permutex2var_ps(_mm512_load_ps(row), place.raw, _mm512_load_ps(row + 16))};
}

// One of 32 polynomials in |x| - centre; exponent and first three digits of |x| + 5/8 say which.
template <class D>
HWY_INLINE hn::Vec<D> TableTanh(D d, hn::Vec<D> x) {
  // Centres, then coefficients: 2^-25.
  alignas(64) static constexpr float kRows[6][32] = {
      {0x1.8e7p+0f,  0x1.b19p+0f, 0x1.f84p+0f, 0x1.25a8p+1f, 0x1.38d8p+1f, 0x1.5ac8p+1f,
       0x1.7e98p+1f, 0x1.a53p+1f, 0x1.dc3p+1f, 0x1.02dp+2f,  0x1.2f3p+2f,  0x1.47bp+2f,
       0x1.61e8p+2f, 0x1.8d5p+2f, 0x1.a5fp+2f, 0x1.c918p+2f, 0x1.ec4p+2f,  0x1.1545p+3f,
       0x0p+0f,      0x1.4dp-4f,  0x1.5bp-3f,  0x1.c4cp-3f,  0x1.167p-2f,  0x1.5a9p-2f,
       0x1.de6p-2f,  0x1.27bp-1f, 0x1.599p-1f, 0x1.a6cp-1f,  0x1.e1fp-1f,  0x1.1618p+0f,
       0x1.2bep+0f,  0x1.5268p+0f},
      {0x1.d46538p-1f, 0x1.de848p-1f,  0x1.ec7458p-1f, 0x1.f5b102p-1f, 0x1.f8577ep-1f,
       0x1.fb7acap-1f, 0x1.fd6974p-1f, 0x1.fe9512p-1f, 0x1.ff6634p-1f, 0x1.ffaf7cp-1f,
       0x1.ffebep-1f,  0x1.fff6a4p-1f, 0x1.fffbep-1f,  0x1.fffefp-1f,  0x1.ffff82p-1f,
       0x1.ffffd6p-1f, 0x1.fffff2p-1f, 0x1.fffffep-1f, 0x0p+0f,        0x1.4c44aep-4f,
       0x1.57b798p-3f, 0x1.bd840ep-3f, 0x1.0fc5bap-2f, 0x1.4de8f2p-2f, 0x1.be5db2p-2f,
       0x1.0aadbap-1f, 0x1.2d2a0ap-1f, 0x1.5b36acp-1f, 0x1.78bc5p-1f,  0x1.974f1p-1f,
       0x1.a64134p-1f, 0x1.bc08eap-1f},
      {0x1.4dfb6ep-3f,  0x1.0319f4p-3f,  0x1.32c244p-4f,  0x1.468dbcp-5f,  0x1.e676a8p-6f,
       0x1.200692p-6f,  0x1.4a6f02p-7f,  0x1.6a6d6ep-8f,  0x1.336f22p-9f,  0x1.41f64cp-10f,
       0x1.4204e6p-12f, 0x1.2b70ep-13f,  0x1.0800d4p-14f, 0x1.1001d2p-16f, 0x1.f7f04p-18f,
       0x1.4ff1fap-19f, 0x1.c00faep-21f, 0x1.ffa4fap-24f, 0x1p+0f,         0x1.fca17cp-1f,
       0x1.f19414p-1f,  0x1.e7c55cp-1f,  0x1.dbef78p-1f,  0x1.c98f04p-1f,  0x1.9eb6acp-1f,
       0x1.751944p-1f,  0x1.4eda14p-1f,  0x1.148962p-1f,  0x1.d59658p-2f,  0x1.77f37ep-2f,
       0x1.4784fap-2f,  0x1.fba22ep-3f},
      {-0x1.318b34p-3f,  -0x1.e454d4p-4f,  -0x1.27124cp-4f,  -0x1.3fef16p-5f,  -0x1.df3ed4p-6f,
       -0x1.1d866ep-6f,  -0x1.48c8a4p-7f,  -0x1.695b46p-8f,  -0x1.328974p-9f,  -0x1.422a34p-10f,
       -0x1.416cdcp-12f, -0x1.2b7862p-13f, -0x1.0851fap-14f, -0x1.0f89acp-16f, -0x1.f84f4ap-18f,
       -0x1.4fcfd6p-19f, -0x1.c3fb3p-21f,  -0x1.016676p-23f, 0x1.0fa5cep-17f,  -0x1.4a1798p-4f,
       -0x1.4e07fap-3f,  -0x1.a86e78p-3f,  -0x1.f942b8p-3f,  -0x1.2a67ccp-2f,  -0x1.698d64p-2f,
       -0x1.84ab22p-2f,  -0x1.89eb62p-2f,  -0x1.77138p-2f,   -0x1.5987c4p-2f,  -0x1.2b15dcp-2f,
       -0x1.0e1b52p-2f,  -0x1.b8403ep-3f},
      {0x1.50961p-4f,   0x1.17b684p-4f,  0x1.6b752cp-5f,  0x1.99561ap-6f,  0x1.355de2p-6f,
       0x1.76237ap-7f,  0x1.b35e86p-8f,  0x1.df7122p-9f,  0x1.969b76p-10f, 0x1.adf3c4p-11f,
       0x1.a7737p-13f,  0x1.95791cp-14f, 0x1.5fbafep-15f, 0x1.6ace2p-17f,  0x1.546a26p-18f,
       0x1.c690f2p-20f, 0x1.2c7d18p-21f, 0x1.587134p-24f, -0x1.55ff48p-2f, -0x1.4c6554p-2f,
       -0x1.2fc3aep-2f, -0x1.16ebc2p-2f, -0x1.f46db8p-3f, -0x1.9f6704p-3f, -0x1.db7376p-4f,
       -0x1.734a3cp-5f, 0x1.08cb52p-7f,  0x1.173d82p-4f,  0x1.85ddc6p-4f,  0x1.c29716p-4f,
       0x1.c61c2ep-4f,  0x1.a8fcf2p-4f},
      {-0x1.961328p-6f,  -0x1.80fb1ep-6f,  -0x1.25fa46p-6f,  -0x1.932bbap-7f,  -0x1.091e94p-7f,
       -0x1.507444p-8f,  -0x1.a23d4p-9f,   -0x1.004ea4p-9f,  -0x1.ede7cap-11f, -0x1.73c822p-12f,
       -0x1.0e8b66p-13f, -0x1.91156cp-15f, -0x1.2954f4p-16f, -0x1.aebe62p-18f, -0x1.40feaep-19f,
       -0x1.d4928ap-21f, -0x1.bc858cp-23f, -0x1.0ca31p-25f,  0x1.104ecep-6f,   0x1.ea886cp-5f,
       0x1.8d36c6p-4f,   0x1.047adp-3f,    0x1.3254a6p-3f,   0x1.4fc4p-3f,     0x1.5b529ap-3f,
       0x1.39a57ep-3f,   0x1.ead0dcp-4f,   0x1.468fbep-4f,   0x1.630e4ep-5f,   0x1.d61e5ep-7f,
       -0x1.625cc6p-8f,  -0x1.21e60ap-6f}};
  using V = hn::Vec<D>;
  const hn::RebindToSigned<D> di;
  // Beyond the last interval tanh is 1 in float. Of a number and NaN, Min takes the second here, so
  // a NaN comes through everything that follows.
  const V bounded = hn::Min(hn::Set(d, 9.25f), hn::Abs(x));
  const auto place = hn::ShiftRight<20>(hn::BitCast(di, hn::Add(bounded, hn::Set(d, 0.625f))));
  const V t = hn::Sub(bounded, LookUp<V>(kRows[0], place));
  V y = LookUp<V>(kRows[5], place);
  for (int i = 4; i > 0; --i) y = hn::MulAdd(y, t, LookUp<V>(kRows[i], place));
  return hn::CopySign(y, x);
}
#endif

// tanh x = E / (E + 2) with E = exp(2|x|) - 1.
template <class D>
HWY_INLINE hn::Vec<D> Tanh(D d, hn::Vec<D> x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(D()) == 16) return TableTanh(d, x);
#endif
  const auto magnitude = hn::Abs(x);
  // tanh 9.5 is 1 in float.
  const auto bounded = hn::Min(magnitude, hn::Set(d, 9.5f));
  hn::Vec<D> r;
  hn::Vec<hn::RebindToSigned<D>> n;
  ReduceExp(d, hn::Add(bounded, bounded), r, n);
  const auto scale = PowerOfTwo(d, n);
  const auto e = hn::MulAdd(ExpMinusOne(d, r), scale, hn::Sub(scale, hn::Set(d, 1.0f)));
  const auto y = hn::Div(e, hn::Add(e, hn::Set(d, 2.0f)));
  return KeepNan<D>(x, hn::CopySign(y, x));
}

// 1 / (1 + exp(-x)), by exp(-|x|) so that small results keep their digits.
template <class D>
HWY_INLINE hn::Vec<D> Sigmoid(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  const auto e = Exp(d, hn::Neg(hn::Abs(x)));
  const auto numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(numerator, hn::Add(one, e));
}

// --- double, for values of floats ----------------------------------------------------------------

// exp x for |x| <= 700, and what overflows or vanishes in float beyond; 2^-39.
template <class D>
HWY_INLINE hn::Vec<D> WideExp(D d, hn::Vec<D> x) {
  constexpr double kQ[] = {0x1.000000005ec83p-1, 0x1.5555557e1943cp-3,  0x1.5555541c352b2p-5,
                           0x1.1110a1dfa534ap-7, 0x1.6c18d59414dd7p-10, 0x1.a18631b4d1dc6p-13,
                           0x1.9e88506422402p-16};
  const hn::RebindToUnsigned<D> du;
  const auto bounded = hn::Min(hn::Max(x, hn::Set(d, -700.0)), hn::Set(d, 700.0));
  const auto shifter = hn::Set(d, 0x1.8p52);
  const auto shifted = hn::MulAdd(bounded, hn::Set(d, 0x1.71547652b82fep+0), shifter);
  const auto n = hn::Sub(shifted, shifter);
  const auto r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e42fefa39efp-1), bounded);
  const auto y = hn::Add(hn::MulAdd(hn::Mul(r, r), Polynomial(d, r, kQ), r), hn::Set(d, 1.0));
  const auto scaled = hn::Add(hn::BitCast(du, y), hn::ShiftLeft<52>(hn::BitCast(du, shifted)));
  return KeepNan<D>(x, hn::BitCast(d, scaled));
}

// x = 2^k m with m between the root of one half and twice that, for normal positive x.
// ln m = s (2 + s² R(s²)), s = (m - 1) / (m + 1): 2^-52.
template <class D>
HWY_INLINE void SplitLog(D d, hn::Vec<D> x, hn::Vec<D>& k, hn::Vec<D>& ln_m) {
  constexpr double kR[] = {0x1.5555555553934p-1, 0x1.999999a2a06b4p-2, 0x1.2492416ed1f49p-2,
                           0x1.c7227d584eb94p-3, 0x1.732b726858a9ep-3, 0x1.58804bcb0dd43p-3};
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const auto to_one = hn::Set(du, 0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  const auto exponent = hn::ShiftRight<52>(hn::Add(bits, to_one));  // k + 1023
  const auto m = hn::BitCast(
      d, hn::Add(hn::Sub(bits, hn::ShiftLeft<52>(exponent)), hn::Set(du, 0x3ff0000000000000)));
  // As the last digits of 2^52 a small integer is a double.
  const auto shifter = hn::Set(du, 0x4330000000000000);
  k = hn::Sub(hn::BitCast(d, hn::Or(exponent, shifter)), hn::Set(d, 0x1p52 + 1023));
  const auto one = hn::Set(d, 1.0);
  const auto s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const auto z = hn::Mul(s, s);
  ln_m = hn::Mul(s, hn::MulAdd(z, Polynomial(d, z, kR), hn::Set(d, 2.0)));
}

// A logarithm's values where SplitLog has none.
template <class D>
HWY_INLINE hn::Vec<D> LogSpecials(D d, hn::Vec<D> x, hn::Vec<D> y) {
  const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  const auto zero = hn::Zero(d);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<double>::quiet_NaN()), y);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
  return KeepNan<D>(x, hn::IfThenElse(hn::Eq(x, infinity), x, y));
}
template <class D>
HWY_INLINE hn::Vec<D> WideLn(D d, hn::Vec<D> x) {
  hn::Vec<D> k;
  hn::Vec<D> ln_m;
  SplitLog(d, x, k, ln_m);
  return LogSpecials(d, x, hn::MulAdd(k, hn::Set(d, 0x1.62e42fefa39efp-1), ln_m));
}
template <class D>
HWY_INLINE hn::Vec<D> WideLog2(D d, hn::Vec<D> x) {
  hn::Vec<D> k;
  hn::Vec<D> ln_m;
  SplitLog(d, x, k, ln_m);
  return LogSpecials(d, x, hn::MulAdd(ln_m, hn::Set(d, 0x1.71547652b82fep+0), k));
}
template <class D>
HWY_INLINE hn::Vec<D> WideLog10(D d, hn::Vec<D> x) {
  hn::Vec<D> k;
  hn::Vec<D> ln_m;
  SplitLog(d, x, k, ln_m);
  const auto of_m = hn::Mul(ln_m, hn::Set(d, 0x1.bcb7b1526e50ep-2));
  return LogSpecials(d, x, hn::MulAdd(k, hn::Set(d, 0x1.34413509f79ffp-2), of_m));
}
// ln(1 + x), also for x that vanishes beside 1.
template <class D>
HWY_INLINE hn::Vec<D> WideLn1p(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0);
  const auto u = hn::Add(one, x);
  const auto lost = hn::Sub(x, hn::Sub(u, one));
  const auto correction = hn::Div(lost, u);
  const auto y = WideLn(d, u);
  // Infinite or not a number: there is nothing to correct.
  const auto finite = hn::Lt(hn::Abs(y), hn::Set(d, std::numeric_limits<double>::infinity()));
  return hn::IfThenElse(finite, hn::Add(y, correction), y);
}

// x = (quadrant + r) of quarter turns, |r| <= pi/4; the quadrant is the last two digits.
template <class D>
HWY_INLINE void ReduceAngle(D d, hn::Vec<D> x, hn::Vec<D>& r,
                            hn::Vec<hn::RebindToUnsigned<D>>& quadrant) {
  const hn::RebindToUnsigned<D> du;
  const auto shifter = hn::Set(d, 0x1.8p52);
  const auto shifted = hn::MulAdd(x, hn::Set(d, 0x1.45f306dc9c883p-1), shifter);
  const auto n = hn::Sub(shifted, shifter);
  // 33 digits of pi/2 times n and the difference are exact; the rest follows.
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.921fb544p+0), x);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.0b4611a626331p-34), r);
  quadrant = hn::BitCast(du, shifted);
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 0x1p20))))) {
    HWY_ALIGN double values[hn::MaxLanes(d)];
    HWY_ALIGN double rests[hn::MaxLanes(d)];
    HWY_ALIGN uint64_t quadrants[hn::MaxLanes(d)];
    hn::Store(x, d, values);
    hn::Store(r, d, rests);
    hn::Store(quadrant, du, quadrants);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      if (!(std::fabs(values[i]) >= 0x1p20)) continue;
      const Angle angle = ReduceLargeAngle(static_cast<float>(values[i]));
      rests[i] = angle.rest;
      quadrants[i] = angle.quadrant;
    }
    r = hn::Load(d, rests);
    quadrant = hn::Load(du, quadrants);
  }
}

// For |r| <= pi/4: 2^-37 and 2^-42.
template <class D>
HWY_INLINE hn::Vec<D> SinOfRest(D d, hn::Vec<D> r) {
  constexpr double kS[] = {-0x1.5555554c6ffc8p-3, 0x1.111108690bee7p-7, -0x1.a00f7e14cad11p-13,
                           0x1.6cd1b09a94838p-19};
  const auto z = hn::Mul(r, r);
  return hn::MulAdd(hn::Mul(r, z), Polynomial(d, z, kS), r);
}
template <class D>
HWY_INLINE hn::Vec<D> CosOfRest(D d, hn::Vec<D> r) {
  constexpr double kC[] = {1.0,
                           -0.5,
                           0x1.5555554ed82cdp-5,
                           -0x1.6c16b828a5fefp-10,
                           0x1.a010dddf95c2cp-16,
                           -0x1.241e6a964680bp-22};
  return Polynomial(d, hn::Mul(r, r), kC);
}

template <class D, class VU>
HWY_INLINE hn::Mask<D> IsOdd(D d, VU integer) {
  const hn::RebindToUnsigned<D> du;
  const auto one = hn::Set(du, 1);
  return hn::RebindMask(d, hn::Eq(hn::And(integer, one), one));
}
template <class D, class VU>
HWY_INLINE hn::Vec<D> SignFromBit1(D d, VU quadrant, hn::Vec<D> y) {
  const hn::RebindToUnsigned<D> du;
  const auto sign = hn::ShiftLeft<62>(hn::And(quadrant, hn::Set(du, 2)));
  return hn::BitCast(d, hn::Xor(hn::BitCast(du, y), sign));
}
template <class D>
HWY_INLINE hn::Vec<D> WideSin(D d, hn::Vec<D> x) {
  hn::Vec<D> r;
  hn::Vec<hn::RebindToUnsigned<D>> quadrant;
  ReduceAngle(d, x, r, quadrant);
  const auto y = hn::IfThenElse(IsOdd(d, quadrant), CosOfRest(d, r), SinOfRest(d, r));
  const auto signed_y = SignFromBit1(d, quadrant, y);
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, signed_y);  // the zero's own sign
}
template <class D>
HWY_INLINE hn::Vec<D> WideCos(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  hn::Vec<D> r;
  hn::Vec<hn::RebindToUnsigned<D>> quadrant;
  ReduceAngle(d, x, r, quadrant);
  const auto y = hn::IfThenElse(IsOdd(d, quadrant), SinOfRest(d, r), CosOfRest(d, r));
  return SignFromBit1(d, hn::Add(quadrant, hn::Set(du, 1)), y);
}
template <class D>
HWY_INLINE hn::Vec<D> WideTan(D d, hn::Vec<D> x) {
  hn::Vec<D> r;
  hn::Vec<hn::RebindToUnsigned<D>> quadrant;
  ReduceAngle(d, x, r, quadrant);
  const auto sin = SinOfRest(d, r);
  const auto cos = CosOfRest(d, r);
  const auto odd = IsOdd(d, quadrant);
  const auto y = hn::Div(hn::IfThenElse(odd, hn::Neg(cos), sin), hn::IfThenElse(odd, sin, cos));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
}

// asin x for |x| <= 1/2 and x² given: 2^-39.
template <class D>
HWY_INLINE hn::Vec<D> AsinOfSmall(D d, hn::Vec<D> x, hn::Vec<D> square) {
  constexpr double kA[] = {0x1.55555547dd2f8p-3, 0x1.3333408872187p-4, 0x1.6db25c9277246p-5,
                           0x1.f281aa6c29530p-6, 0x1.66436eacba83ep-6, 0x1.5230d94fe250dp-6,
                           0x1.05166b91d1842p-9, 0x1.0d801ccfa8488p-5};
  return hn::MulAdd(hn::Mul(x, square), Polynomial(d, square, kA), x);
}
constexpr double kPi = 0x1.921fb54442d18p+1;
// Towards 1, asin x = pi/2 - 2 asin(root((1 - x) / 2)).
// y is asin |x|, or where halved the asin of the root.
template <class D>
HWY_INLINE void HalveAsin(D d, hn::Vec<D> x, hn::Mask<D>& halved, hn::Vec<D>& y) {
  const auto half = hn::Set(d, 0.5);
  const auto a = hn::Abs(x);
  halved = hn::Gt(a, half);
  const auto lower = hn::Mul(hn::Sub(hn::Set(d, 1.0), a), half);
  const auto square = hn::IfThenElse(halved, lower, hn::Mul(a, a));
  y = AsinOfSmall(d, hn::IfThenElse(halved, hn::Sqrt(lower), a), square);
}
template <class D>
HWY_INLINE hn::Vec<D> WideAsin(D d, hn::Vec<D> x) {
  hn::Mask<D> halved;
  hn::Vec<D> y;
  HalveAsin(d, x, halved, y);
  const auto from_right = hn::NegMulAdd(hn::Set(d, 2.0), y, hn::Set(d, kPi / 2));
  return hn::CopySign(hn::IfThenElse(halved, from_right, y), x);
}
template <class D>
HWY_INLINE hn::Vec<D> WideAcos(D d, hn::Vec<D> x) {
  hn::Mask<D> halved;
  hn::Vec<D> y;
  HalveAsin(d, x, halved, y);
  const auto doubled = hn::Add(y, y);
  const auto negative = hn::Lt(x, hn::Zero(d));
  const auto at_ends = hn::IfThenElse(negative, hn::Sub(hn::Set(d, kPi), doubled), doubled);
  const auto middle = hn::Sub(hn::Set(d, kPi / 2), hn::CopySign(y, x));
  return hn::IfThenElse(halved, at_ends, middle);
}
// atan t for 0 <= t <= 1: 2^-33; beyond 1, pi/2 - atan(1 / t).
template <class D>
HWY_INLINE hn::Vec<D> WideAtan(D d, hn::Vec<D> x) {
  constexpr double kA[] = {-0x1.5555548741664p-2, 0x1.999937f2cc58ap-3,  -0x1.248a2cb4c5240p-3,
                           0x1.c66e4d0b4eaf7p-4,  -0x1.700b257d1e6c8p-4, 0x1.2958afee5b0b0p-4,
                           -0x1.be981c450a912p-5, 0x1.1a6cf31d13991p-5,  -0x1.0b0c897f7132ep-6,
                           0x1.42da007cc801dp-8,  -0x1.6ded686c594d1p-11};
  const auto one = hn::Set(d, 1.0);
  const auto a = hn::Abs(x);
  const auto large = hn::Gt(a, one);
  const auto t = hn::IfThenElse(large, hn::Div(one, a), a);
  const auto z = hn::Mul(t, t);
  const auto y = hn::MulAdd(hn::Mul(t, z), Polynomial(d, z, kA), t);
  return hn::CopySign(hn::IfThenElse(large, hn::Sub(hn::Set(d, kPi / 2), y), y), x);
}

// For |x| < 1 by a polynomial, 2^-34: exponentials would cancel.
template <class D>
HWY_INLINE hn::Vec<D> WideSinh(D d, hn::Vec<D> x) {
  constexpr double kS[] = {0x1.5555551b3aa51p-3, 0x1.111134fba42c2p-7, 0x1.9ffe9268b1e4ap-13,
                           0x1.7a15b4fcfa8fap-19};
  const auto half = hn::Set(d, 0.5);
  const auto a = hn::Abs(x);
  const auto z = hn::Mul(x, x);
  const auto small = hn::MulAdd(hn::Mul(x, z), Polynomial(d, z, kS), x);
  const auto e = WideExp(d, a);
  const auto large = hn::Mul(half, hn::Sub(e, hn::Div(hn::Set(d, 1.0), e)));
  return hn::IfThenElse(hn::Lt(a, hn::Set(d, 1.0)), small, hn::CopySign(large, x));
}
template <class D>
HWY_INLINE hn::Vec<D> WideCosh(D d, hn::Vec<D> x) {
  const auto e = WideExp(d, hn::Abs(x));
  return hn::Mul(hn::Set(d, 0.5), hn::Add(e, hn::Div(hn::Set(d, 1.0), e)));
}
template <class D>
HWY_INLINE hn::Vec<D> WideAsinh(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0);
  const auto a = hn::Abs(x);
  const auto z = hn::Mul(a, a);
  const auto beyond = hn::Div(z, hn::Add(one, hn::Sqrt(hn::Add(z, one))));  // root(1 + a²) - 1
  const auto y = WideLn1p(d, hn::Add(a, beyond));
  const auto infinite = hn::Eq(a, hn::Set(d, std::numeric_limits<double>::infinity()));
  return hn::CopySign(hn::IfThenElse(infinite, a, y), x);
}
template <class D>
HWY_INLINE hn::Vec<D> WideAcosh(D d, hn::Vec<D> x) {
  const auto t = hn::Sub(x, hn::Set(d, 1.0));
  const auto root = hn::Sqrt(hn::Mul(t, hn::Add(t, hn::Set(d, 2.0))));
  const auto y = WideLn1p(d, hn::Add(t, root));
  return hn::IfThenElse(hn::Lt(t, hn::Zero(d)),
                        hn::Set(d, std::numeric_limits<double>::quiet_NaN()), y);
}
template <class D>
HWY_INLINE hn::Vec<D> WideAtanh(D d, hn::Vec<D> x) {
  const auto a = hn::Abs(x);
  const auto ratio = hn::Div(hn::Add(a, a), hn::Sub(hn::Set(d, 1.0), a));
  return hn::CopySign(hn::Mul(hn::Set(d, 0.5), WideLn1p(d, ratio)), x);
}

// x / (1 + exp(-z))
template <class D>
HWY_INLINE hn::Vec<D> TimesSigmoid(D d, hn::Vec<D> x, hn::Vec<D> z) {
  const auto e = WideExp(d, hn::Neg(z));
  const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  // Of infinities the formula makes what C++ would.
  const auto vanishing = hn::IfThenElse(hn::Eq(z, hn::Neg(infinity)), infinity, e);
  return hn::Div(x, hn::Add(hn::Set(d, 1.0), vanishing));
}
// x / (1 + exp(-2 root(2 / pi) (x + 0.044715 x³)))
template <class D>
HWY_INLINE hn::Vec<D> WideGelu(D d, hn::Vec<D> x) {
  const auto cube = hn::Mul(hn::Mul(x, x), x);
  const auto u = hn::MulAdd(cube, hn::Set(d, 0.044715), x);
  return TimesSigmoid(d, x, hn::Mul(u, hn::Set(d, 1.5957691216057307118)));
}

// erf x for |x| <= 1: 2^-34.
template <class D>
HWY_INLINE hn::Vec<D> ErfOfSmall(D d, hn::Vec<D> x) {
  constexpr double kE[] = {0x1.20dd7504007e6p+0,  -0x1.8127465fb984dp-2, 0x1.ce2f0798aea42p-4,
                           -0x1.b829a7a5e221cp-6, 0x1.5628edefac882p-8,  -0x1.bcbe9a8918270p-11,
                           0x1.d826920cd2078p-14, -0x1.4384058055a1cp-17};
  return hn::Mul(x, Polynomial(d, hn::Mul(x, x), kE));
}
// erfc a for a >= 1: exp(-a²) t P(t), t = 1 / (2 + a); 2^-35 up to 10.3, where floats end.
template <class D>
HWY_INLINE hn::Vec<D> ErfcOfLarge(D d, hn::Vec<D> a) {
  constexpr double kP[] = {0x1.20ddc2615aee4p-1,  0x1.20d30f09f40b1p+0,  0x1.fac0748ebd040p+0,
                           0x1.5e118d22417e6p+1,  0x1.d5d58bb0d6d45p+1,  -0x1.ffdd77773c878p+2,
                           0x1.0e8bff4082dd8p+5,  -0x1.401e52c1671d1p+7, 0x1.41f4569e572d7p+8,
                           -0x1.2d4be4c9ace12p+8, 0x1.bbae643c5e3c4p+6};
  const auto bounded = hn::Min(a, hn::Set(d, 20.0));
  const auto t = hn::Div(hn::Set(d, 1.0), hn::Add(hn::Set(d, 2.0), bounded));
  const auto e = WideExp(d, hn::Neg(hn::Mul(bounded, bounded)));
  return hn::Mul(hn::Mul(e, t), Polynomial(d, t, kP));
}
template <class D>
HWY_INLINE hn::Vec<D> WideErf(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0);
  const auto a = hn::Abs(x);
  const auto large = hn::CopySign(hn::Sub(one, ErfcOfLarge(d, a)), x);
  return KeepNan<D>(x, hn::IfThenElse(hn::Lt(a, one), ErfOfSmall(d, x), large));
}
template <class D>
HWY_INLINE hn::Vec<D> WideErfc(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0);
  const auto a = hn::Abs(x);
  const auto tail = ErfcOfLarge(d, a);
  const auto large = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), tail), tail);
  return KeepNan<D>(x, hn::IfThenElse(hn::Lt(a, one), hn::Sub(one, ErfOfSmall(d, x)), large));
}

// x to the power of y with the special values of C's pow.
template <class D>
HWY_INLINE hn::Vec<D> WidePower(D d, hn::Vec<D> x, hn::Vec<D> y) {
  const auto zero = hn::Zero(d);
  const auto one = hn::Set(d, 1.0);
  const auto half = hn::Set(d, 0.5);
  const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  const auto a = hn::Abs(x);
  const auto exponent = hn::Mul(y, WideLn(d, a));
  auto magnitude = WideExp(d, exponent);
  // WideExp is bounded; an infinite logarithm or exponent is not.
  magnitude = hn::IfThenElse(hn::Eq(exponent, infinity), infinity, magnitude);
  magnitude = hn::IfThenElse(hn::Eq(exponent, hn::Neg(infinity)), zero, magnitude);
  const auto whole = hn::Eq(hn::Trunc(y), y);
  const auto half_y = hn::Mul(y, half);
  const auto odd = hn::AndNot(hn::Eq(hn::Trunc(half_y), half_y), whole);
  // One to any power, and minus one to an infinite one.
  const auto infinite_y = hn::Eq(hn::Abs(y), infinity);
  magnitude = hn::IfThenElse(hn::And(hn::Eq(a, one), infinite_y), one, magnitude);
  const hn::RebindToUnsigned<D> du;
  const auto negative =
      hn::RebindMask(d, hn::Ne(hn::ShiftRight<63>(hn::BitCast(du, x)), hn::Zero(du)));
  auto result = hn::IfThenElse(hn::And(negative, odd), hn::Neg(magnitude), magnitude);
  const auto no_root = hn::AndNot(whole, hn::And(hn::Lt(x, zero), hn::Lt(a, infinity)));
  result = hn::IfThenElse(no_root, hn::Set(d, std::numeric_limits<double>::quiet_NaN()), result);
  result = hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), hn::Add(x, y), result);
  return hn::IfThenElse(hn::Or(hn::Eq(y, zero), hn::Eq(x, one)), one, result);
}

}  // namespace bascule::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

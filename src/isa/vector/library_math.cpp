// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/library_math.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "bascule/numeric/half.h"
#include "isa/vector/lanes.h"
#include "isa/vector/library_call.h"

namespace bascule::isa {

double Digamma(double x) {
  if (std::isnan(x) || x == std::numeric_limits<double>::infinity()) return x;
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    const double fraction = x - std::floor(x);
    if (fraction == 0 || std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
    return Digamma(1 - x) - M_PI / std::tan(M_PI * fraction);
  }
  // Up to where the asymptotic series has more digits than a double.
  double below = 0;
  while (x < 10) {
    below += 1 / x;
    x += 1;
  }
  const double y = 1 / (x * x);
  const double series =
      y *
      (1.0 / 12 -
       y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760))))));
  return std::log(x) - 0.5 / x - series - below;
}

namespace {

double Remainder(double a, double b) { return std::fmod(a, b); }
double LogGamma(double a, double) {
  int sign = 0;  // lgamma leaves it in a variable that all threads share
  return ::lgamma_r(a, &sign);
}
double DigammaOf(double a, double) { return Digamma(a); }

template <typename T, double (*function)(double, double), int sources>
void Loop(void* dst, const void* src0, const void* src1, uint64_t, uint64_t count) {
  const T* a = static_cast<const T*>(src0);
  const T* b = static_cast<const T*>(src1);
  T* to = static_cast<T*>(dst);
  for (uint64_t i = 0; i < count; ++i) {
    to[i] = T(function(double(a[i]), sources > 1 ? double(b[i]) : 0.0));
  }
}
template <typename T, double (*function)(double, double), int sources>
FlatFunction LoopOf() {
  return Loop<T, function, sources>;
}

template <double (*function)(double, double), int sources>
constexpr Body kBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, Loop<float, function, sources>,
     LoopOf<float, function, sources>},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, Loop<half_t, function, sources>,
     LoopOf<half_t, function, sources>},
};

// To is the destination's type, From the source's and the scalar's.
template <typename To, typename From>
void Axpy(void* dst, const void* src, const void*, uint64_t scalar, uint64_t count) {
  From factor;
  std::memcpy(static_cast<void*>(&factor), &scalar, sizeof(From));
  const From* from = static_cast<const From*>(src);
  To* to = static_cast<To*>(dst);
  for (uint64_t i = 0; i < count; ++i) {
    const To product = To(float(from[i]) * float(factor));
    to[i] = To(float(to[i]) + float(product));
  }
}
template <typename To, typename From>
FlatFunction AxpyOf() {
  return Axpy<To, From>;
}
constexpr Body kAxpyBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, Axpy<float, float>, AxpyOf<float, float>},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, Axpy<half_t, half_t>, AxpyOf<half_t, half_t>},
    {BASCULE_FLOAT, BASCULE_FLOAT16, Axpy<float, half_t>, AxpyOf<float, half_t>},
};

template <size_t n>
constexpr Row MakeRow(uint16_t opcode, const char* name, int sources, const Body (&bodies)[n],
                      const char* document) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeOfVector;
  row.operand_count = static_cast<uint8_t>(1 + sources);
  row.roles[0] = opcode == BASCULE_OPCODE_kAxpyOfLibrary ? Role::kReadWrite : Role::kWrite;
  for (int i = 1; i <= sources; ++i) row.roles[i] = Role::kRead;
  row.bodies = bodies;
  row.body_count = static_cast<uint8_t>(n);
  row.forms = 1 << BASCULE_FORM_COUNT;
  row.document = document;
  row.run = RunElementwise;
  row.run_reference = RunElementwiseReference;
  row.saturation = Saturation::kResults;
  return row;
}

}  // namespace

constexpr Row kFmodRow = MakeRow(BASCULE_OPCODE_kFmod, "Fmod", 2, kBodies<Remainder, 2>,
                                 "高阶API/数学计算/Fmod接口/Fmod.md");
constexpr Row kLgammaRow = MakeRow(BASCULE_OPCODE_kLgamma, "Lgamma", 1, kBodies<LogGamma, 1>,
                                   "高阶API/数学计算/Lgamma接口/Lgamma.md");
constexpr Row kDigammaRow = MakeRow(BASCULE_OPCODE_kDigamma, "Digamma", 1, kBodies<DigammaOf, 1>,
                                    "高阶API/数学计算/Digamma接口/Digamma.md");
constexpr Row kAxpyOfLibraryRow =
    MakeRow(BASCULE_OPCODE_kAxpyOfLibrary, "Axpy with sharedTmpBuffer", 1, kAxpyBodies,
            "高阶API/数学计算/Axpy接口/Axpy-80.md");

}  // namespace bascule::isa

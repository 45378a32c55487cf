// Rows of a tensor as floats: what the functions of the library that normalise have in common.
//
// A row is fetched into floats, computed with by the vector functions of the elementwise rows, and
// rounded once when it is stored. The same steps run on the plain loops (the reference) and on the
// SIMD forms, so that only functions with an error bound of their own differ between targets.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_FLOAT_ROWS_H_
#define BASCULE_ISA_VECTOR_FLOAT_ROWS_H_

#include <bit>
#include <cstdint>
#include <memory>

#include "isa/row.h"

namespace bascule::isa {

// Elementwise functions on floats; destinations may be sources.
class FloatRows {
 public:
  explicit FloatRows(bool reference);

  void Exp(float* to, const float* a, uint64_t n) const { exp_(to, a, nullptr, 0, n); }
  void Log10(float* to, const float* a, uint64_t n) const { log10_(to, a, nullptr, 0, n); }
  void Add(float* to, const float* a, const float* b, uint64_t n) const { add_(to, a, b, 0, n); }
  void Sub(float* to, const float* a, const float* b, uint64_t n) const { sub_(to, a, b, 0, n); }
  void Mul(float* to, const float* a, const float* b, uint64_t n) const { mul_(to, a, b, 0, n); }
  void Max(float* to, const float* a, const float* b, uint64_t n) const { max_(to, a, b, 0, n); }
  void Adds(float* to, const float* a, float s, uint64_t n) const {
    adds_(to, a, nullptr, std::bit_cast<uint32_t>(s), n);
  }
  void Muls(float* to, const float* a, float s, uint64_t n) const {
    muls_(to, a, nullptr, std::bit_cast<uint32_t>(s), n);
  }
  float Exp(float a) const {
    float to;
    Exp(&to, &a, 1);
    return to;
  }

  // All elements brought together by halves, the upper one onto the lower; of nothing 0. `scratch`
  // has room for n / 2 + 1 elements.
  float Sum(const float* a, uint64_t n, float* scratch) const;
  // The largest; of nothing minus infinity.
  float Largest(const float* a, uint64_t n, float* scratch) const;

  // Between floats and consecutive elements of float, half or bfloat16, rounded to nearest even.
  void Load(float* to, const void* from, BasculeDType dtype, uint64_t n) const;
  void Store(void* to, BasculeDType dtype, const float* from, uint64_t n) const;
  float LoadOne(const void* from, BasculeDType dtype) const {
    float to;
    Load(&to, from, dtype, 1);
    return to;
  }

 private:
  float Fold(FlatFunction function, const float* a, uint64_t n, float* scratch) const;

  bool reference_;
  FlatFunction exp_, log10_, add_, sub_, mul_, max_, adds_, muls_;
};

// `count` floats that need not be initialised.
class Floats {
 public:
  explicit Floats(uint64_t count) : at_(new float[count + 1]) {}
  operator float*() { return at_.get(); }

 private:
  std::unique_ptr<float[]> at_;
};

// Address `bytes` behind that of an operand.
inline char* At(const BasculeOperand& operand, uint64_t bytes) {
  return static_cast<char*>(operand.address) + bytes;
}

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_FLOAT_ROWS_H_

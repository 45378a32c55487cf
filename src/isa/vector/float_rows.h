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

#include "isa/row.h"

namespace bascule::isa {

// A sum has so many lanes, element i in lane i modulo this. Each lane adds up so many elements at a
// time, and these sums; a group of fewer lanes at the end of the row comes last. Then the upper
// half of the lanes is added to the lower half, until one is left.
constexpr uint64_t kSumLanes = 64;
constexpr uint64_t kSumGroups = 8;

// What is done with a whole row at once, on vectors.
struct RowLoops {
  float (*sum)(const float* a, uint64_t n);
  float (*sum_of_products)(const float* a, const float* b, uint64_t n);
  float (*sum_of_squares)(const float* a, float mean, uint64_t n);
  float (*exponentials)(float* to, const float* a, float max, uint64_t n);
  float (*largest)(const float* a, uint64_t n);
  void (*times_difference)(float* to, const float* a, float s, const float* b, uint64_t n);
  void (*normalised)(float* to, const float* a, float mean, float rstd, const float* gamma,
                     const float* beta, uint64_t n);
};
RowLoops SimdRowLoops();

// Elementwise functions on floats; destinations may be sources.
class FloatRows {
 public:
  explicit FloatRows(bool reference);

  // The SIMD forms of the target in use. A thread keeps them: to look them up takes as long as to
  // add up a row.
  static const FloatRows& Simd();

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

  // Of nothing 0.
  float Sum(const float* a, uint64_t n) const;
  float SumOfProducts(const float* a, const float* b, uint64_t n) const;
  // Of what elements are away from the mean.
  float SumOfSquares(const float* a, float mean, uint64_t n) const;
  // to = exp(a - max); their sum.
  float Exponentials(float* to, const float* a, float max, uint64_t n) const;
  // The largest; of nothing minus infinity.
  float Largest(const float* a, uint64_t n) const;
  // to = (a - s) b
  void TimesDifference(float* to, const float* a, float s, const float* b, uint64_t n) const;
  // to = (a - mean) rstd gamma + beta
  void Normalised(float* to, const float* a, float mean, float rstd, const float* gamma,
                  const float* beta, uint64_t n) const;

  // Between floats and consecutive elements of float, half or bfloat16, rounded to nearest even.
  void Load(float* to, const void* from, BasculeDType dtype, uint64_t n) const;
  void Store(void* to, BasculeDType dtype, const float* from, uint64_t n) const;
  float LoadOne(const void* from, BasculeDType dtype) const {
    float to;
    Load(&to, from, dtype, 1);
    return to;
  }

 private:
  bool reference_;
  RowLoops loops_;
  FlatFunction exp_, log10_, add_, sub_, mul_, max_, adds_, muls_;
};

// `count` floats that need not be initialised. A thread keeps them for the next that it needs: a
// row is computed in less time than the system takes to give and take back that much. They end in
// the reverse order in which they began.
class Floats {
 public:
  explicit Floats(uint64_t count);
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  ~Floats();
  operator float*() { return at_; }

 private:
  float* at_;
};

// Address `bytes` behind that of an operand.
inline char* At(const BasculeOperand& operand, uint64_t bytes) {
  return static_cast<char*>(operand.address) + bytes;
}

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_FLOAT_ROWS_H_

// Elements of tensors as numbers: read, written, rounded, and how far apart two of them are.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_CHECK_NUMBERS_H_
#define BASCULE_CHECK_NUMBERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bascule/c_api.h"

namespace bascule::check {

struct Format {
  int32_t dtype;
  bool is_float;
  int digits;           // of the significand, the leading one included; 0 for integers
  int lowest_exponent;  // of normal numbers
  double largest;
};

// Throws an Error for an element type that nothing here can read.
const Format& FormatOf(int32_t dtype);

// The distance from |value| to the next number of the format away from zero; of subnormals, that of
// the smallest normal number. At least that for 0, NaN and infinity.
double UlpOf(double value, const Format& format);

// The nearest number of the format, ties to even; beyond the largest, infinity.
double Round(double value, const Format& format);

// An element of floating type as double; of an integer or bool type its value.
double ReadNumber(const char* element, int32_t dtype);
int64_t ReadInteger(const char* element, int32_t dtype);  // uint64: the same bits
// Rounds to the type; integers are truncated to its range.
void WriteNumber(char* element, int32_t dtype, double value);

// Number `%.9g` for people, and "inf", "nan".
std::string NumberText(double value);

// A tensor's shape and its elements' type; throws an Error for one that cannot be read.
int32_t DTypeOf(const BasculeTensor& tensor);
std::vector<int64_t> ShapeOf(const BasculeTensor& tensor);
int64_t CountOf(const std::vector<int64_t>& shape);
int64_t CountOf(const BasculeTensor& tensor);

// Calls `visit(row-major index, address)` for every element, whatever the strides.
template <typename Visit>
void ForEach(const BasculeTensor& tensor, const Visit& visit) {
  const int64_t count = CountOf(tensor);
  if (count == 0) return;
  const int64_t bytes = tensor.dtype_bits / 8;
  std::vector<int64_t> index(static_cast<size_t>(tensor.ndim), 0);
  std::vector<int64_t> strides(static_cast<size_t>(tensor.ndim), 0);
  int64_t dense = 1;
  for (int d = tensor.ndim - 1; d >= 0; --d) {
    strides[static_cast<size_t>(d)] = tensor.strides != nullptr ? tensor.strides[d] : dense;
    dense *= tensor.shape[d];
  }
  char* at = static_cast<char*>(tensor.data) + tensor.byte_offset;
  for (int64_t i = 0; i < count; ++i) {
    visit(i, at);
    for (int d = tensor.ndim - 1; d >= 0; --d) {
      const auto k = static_cast<size_t>(d);
      at += strides[k] * bytes;
      if (++index[k] < tensor.shape[d]) break;
      at -= strides[k] * bytes * tensor.shape[d];
      index[k] = 0;
    }
  }
}

// Dense copies in row-major order.
std::vector<double> Numbers(const BasculeTensor& tensor);
std::vector<int64_t> Integers(const BasculeTensor& tensor);

// The index of an element, "(3, 5)", from its row-major number.
std::vector<int64_t> IndexOf(int64_t number, const std::vector<int64_t>& shape);
// "(3, 5)", "(3,)", "()".
std::string TupleText(const std::vector<int64_t>& values);

// A repeatable number in [0, 2^64) of a seed and a position.
uint64_t Mix(uint64_t seed, uint64_t position);
// In [0, 1).
double Unit(uint64_t seed, uint64_t position);

}  // namespace bascule::check

#endif  // BASCULE_CHECK_NUMBERS_H_

// Four-bit signed integers, two in a byte, the first in the low half.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NUMERIC_INT4_H_
#define BASCULE_NUMERIC_INT4_H_

#include <cstdint>

#include "bascule/numeric/convert.h"

namespace bascule {

// Names the element type of a tensor of four-bit integers. It holds one of them; in memory they
// come in pairs.
class int4b_t {
 public:
  int4b_t() = default;
  explicit constexpr int4b_t(int value) : value_(static_cast<int8_t>(value)) {}
  explicit constexpr operator int() const { return value_; }

 private:
  int8_t value_;  // -8 … 7
};

namespace numeric {

constexpr int kInt4Lowest = -8;
constexpr int kInt4Highest = 7;

template <>
struct NumberType<int4b_t> {
  static constexpr Number Take(int4b_t value) { return TakeInteger(static_cast<int>(value)); }
  static constexpr int4b_t Put(const Number& number, Rounding rounding, Overflow) {
    return int4b_t(static_cast<int>(PutInteger(number, rounding, kInt4Lowest, kInt4Highest)));
  }
};

constexpr uint8_t PackInt4(int4b_t first, int4b_t second) {
  return static_cast<uint8_t>((static_cast<int>(first) & 0xf) | (static_cast<int>(second) & 0xf)
                                                                    << 4);
}
// Adding and taking away 8 extends the sign of four bits.
constexpr int4b_t FirstInt4(uint8_t pair) { return int4b_t(((pair & 0xf) ^ 8) - 8); }
constexpr int4b_t SecondInt4(uint8_t pair) { return int4b_t(((pair >> 4) ^ 8) - 8); }

}  // namespace numeric
}  // namespace bascule

#endif  // BASCULE_NUMERIC_INT4_H_

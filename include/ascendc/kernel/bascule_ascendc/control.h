// The control register: what becomes of infinities, NaN and overflow.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_CONTROL_H
#define BASCULE_ASCENDC_CONTROL_H

#include "bascule_ascendc/core.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

inline void SetControl(uint64_t value, const Site& site) {
  if ((value >> BASCULE_CONTROL_TRUNCATE & 1) != 0) {
    Fail(
        "SetSaturationFlag: conversions that keep the low bits of what overflows are not given; "
        "they take the nearest value there is",
        site);
  }
  Core()->control = value;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

enum class SaturationMode : uint8_t { FLOAT, CAST };

// FLOAT: from now on infinite results of half and bfloat16_t become the largest number of their
// sign, NaN becomes 0, and sums, differences and products of integers saturate; off at the start.
// CAST: conversions to integers saturate; always on here.
template <SaturationMode mode>
__aicore__ inline void SetSaturationFlag(bool enableSat, bascule_ascendc::Site site = {}) {
  constexpr uint32_t kBit =
      mode == SaturationMode::FLOAT ? BASCULE_CONTROL_INFINITY : BASCULE_CONTROL_TRUNCATE;
  const uint64_t bit = uint64_t{1} << kBit;
  const uint64_t control = bascule_ascendc::Core()->control;
  bascule_ascendc::SetControl(enableSat ? control & ~bit : control | bit, site);
}
template <SaturationMode mode>
__aicore__ inline bool GetSaturationFlag() {
  constexpr uint32_t kBit =
      mode == SaturationMode::FLOAT ? BASCULE_CONTROL_INFINITY : BASCULE_CONTROL_TRUNCATE;
  return (bascule_ascendc::Core()->control >> kBit & 1) == 0;
}

// Bit 48 of the register: 0 saturates floats as above.
template <int8_t startBit, int8_t endBit>
__aicore__ inline void SetCtrlSpr(int64_t value, bascule_ascendc::Site site = {}) {
  static_assert(startBit == BASCULE_CONTROL_INFINITY && endBit == BASCULE_CONTROL_INFINITY,
                "SetCtrlSpr: of the control register Atlas A2 has bit 48 only");
  const uint64_t bit = uint64_t{1} << BASCULE_CONTROL_INFINITY;
  const uint64_t control = bascule_ascendc::Core()->control;
  bascule_ascendc::SetControl(value != 0 ? control | bit : control & ~bit, site);
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline int64_t GetCtrlSpr() {
  static_assert(0 <= startBit && startBit <= endBit && endBit <= 63,
                "GetCtrlSpr: bits are 0 to 63, the first before the last");
  const uint64_t value = bascule_ascendc::Core()->control >> startBit;
  constexpr int kBits = endBit - startBit + 1;
  return static_cast<int64_t>(kBits == 64 ? value : value & ((uint64_t{1} << (kBits % 64)) - 1));
}

BASCULE_ASCENDC_END

// The lower-level names.
inline int64_t get_ctrl() { return static_cast<int64_t>(bascule_ascendc::Core()->control); }
inline void set_ctrl(uint64_t value, bascule_ascendc::Site site = {}) {
  bascule_ascendc::SetControl(value, site);
}
inline uint64_t sbitset0(uint64_t value, int64_t bit) { return value & ~(uint64_t{1} << bit); }
inline uint64_t sbitset1(uint64_t value, int64_t bit) { return value | uint64_t{1} << bit; }

#endif  // BASCULE_ASCENDC_CONTROL_H

// Cast in all its call forms, for every pair of element types.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

namespace {

using AscendC::RoundMode;

template <typename T, typename U>
void Forms() {
  AscendC::LocalTensor<T> dst;
  AscendC::LocalTensor<U> src;
  const AscendC::UnaryRepeatParams strides(1, 1, 8, 4);
  const RoundMode mode = RoundMode::CAST_NONE;
  const uint32_t count = 64;
  uint64_t bits[2] = {~0ull, 0};
  const uint64_t constant_bits[] = {3, 0};
  AscendC::Cast(dst, src, RoundMode::CAST_NONE, count);
  AscendC::Cast(dst, src, mode, 128);
  AscendC::Cast<T, U>(dst, src, AscendC::RoundMode::CAST_RINT, src.GetSize());
  AscendC::Cast(dst, src, mode, bits, 1, strides);
  AscendC::Cast(dst, src, mode, constant_bits, static_cast<uint8_t>(1), {1, 1, 8, 8});
  AscendC::Cast(dst, src, mode, 64, 4, {1, 1, 8, 4});
  AscendC::Cast<T, U, false>(dst, src, mode, AscendC::MASK_PLACEHOLDER, 1, strides);
  Cast(dst[32], src[64], RoundMode::CAST_TRUNC, count);  // found by its arguments
}

}  // namespace

extern "C" __global__ __aicore__ void conversions(GM_ADDR) {
#define BASCULE_FORMS_OF(from, from_number, to, to_number, modes) Forms<to, from>();
  using Half = half;
  using Bfloat = bfloat16_t;
  using Float = float;
  using Int4 = AscendC::int4b_t;
  using Int8 = int8_t;
  using UInt8 = uint8_t;
  using Int16 = int16_t;
  using Int32 = int32_t;
  using Int64 = int64_t;
  BASCULE_CASTS(BASCULE_FORMS_OF)

  using namespace AscendC;
  SetDeqScale(static_cast<half>(0.5f));
  SetDeqScale(half(1.0));
  float f = 1.5f;
  bfloat16_t b = Cast(f);
  f = Cast(b) + ToFloat(b);
  const half h = Cast<float, half, RoundMode::CAST_ODD>(f);
  const int32_t i = Cast<float, int32_t, RoundMode::CAST_RINT>(h);
  b = ToBfloat16(i * 1.0f);
}

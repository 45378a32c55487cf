// Element types that a call does not take: the message names the call, the compiler's own note the
// type. One call of every family. SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
struct Tile {
  LocalTensor<T> dst, src0, src1;
};

extern "C" __global__ __aicore__ void kernel() {
  const Tile<double> real;
  const Tile<int64_t> wide;
  const Tile<int8_t> byte;
  const Tile<float> single;
  const Tile<uint8_t> bits;
  const LocalTensor<uint32_t> index;
  uint64_t mask[2] = {1, 0};
  // expected: Add: this element type is not supported; supported: half, float, int16_t, int32_t
  // expected: T = double | Add<double
  Add(real.dst, real.src0, real.src1, 8);
  // expected: Mul: this element type is not supported; supported: half, float, int16_t, int32_t
  Mul(byte.dst, byte.src0, byte.src1, uint64_t{8}, 1, {1, 1, 1, 8, 8, 8});
  // expected: And: this element type is not supported; supported: int16_t, uint16_t
  And(single.dst, single.src0, single.src1, mask, 1, {1, 1, 1, 8, 8, 8});
  // expected: Exp: this element type is not supported; supported: half, float
  // expected: T = long | Exp<long
  Exp(wide.dst, wide.src0, 8);
  // expected: Adds: this element type is not supported
  Adds(byte.dst, byte.src0, int8_t{1}, 8);
  // expected: Duplicate: this element type is not supported
  Duplicate(real.dst, 1.0, 8);
  // expected: Compare: this element type is not supported; supported: half, float, int32_t
  Compare(bits.dst, byte.src0, byte.src1, CMPMODE::LT, 256);
  // expected: Select: this element type is not supported; supported: half, float
  Select(wide.dst, bits.dst, wide.src0, wide.src1, SELMODE::VSEL_CMPMASK_SPR, 8);
  // expected: ReduceSum: this element type is not supported; supported: half, float
  ReduceSum(byte.dst, byte.src0, byte.src1, 8);
  // expected: Gather: this element type is not supported
  Gather(real.dst, real.src0, index, 0, 8);
  // expected: Sort32: this element type is not supported; supported: half, float
  Sort32(wide.dst, wide.src0, index, 1);
  // expected: Cast: Atlas A2 does not convert between these element types
  Cast(real.dst, byte.src0, RoundMode::CAST_NONE, 8);
  // expected: MulAddDst: these element types are not supported; supported: half and float
  MulAddDst(byte.dst, byte.src0, byte.src1, 8);
  // expected: AddReluCast: these element types are not supported; supported: from half and int16_t
  AddReluCast(single.dst, byte.src0, byte.src1, 8);
  // expected: CastDequant: these element types are not supported; supported: from int16_t to int8_t
  CastDequant<int8_t, float>(byte.dst, single.src0, 8);
  GlobalTensor<double> global;
  // expected: Fill: this element type is not supported; supported: uint16_t, int16_t, half
  Fill(global, 8, 1.0);
  // expected: vadd: this element type is not supported; supported: half, float, int16_t, int32_t
  vadd((int8_t*)0, (int8_t*)0, (int8_t*)0, 1, 1, 1, 1, 8, 8, 8);
}

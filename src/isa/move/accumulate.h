// Stores to global memory that add to what is there, or keep the larger or smaller value.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_MOVE_ACCUMULATE_H_
#define BASCULE_ISA_MOVE_ACCUMULATE_H_

#include <cstdint>

#include "bascule/abi/kernel.h"
#include "isa/row.h"

namespace bascule::isa {

// Whether `dtype` can be accumulated: int8, int16, int32, float16, bfloat16,
// float32.
// Source: "SetAtomicAdd" of the SIMD API documentation.
bool CanAccumulate(BasculeDType dtype);

// to[i] = op(to[i], from[i]) for whole elements of options.atomic_dtype in `bytes` bytes; op is
// options.atomic_op. No other thread's accumulation comes between reading and writing an element.
// Integers wrap, or saturate as options say; formats of 16 bits round after every addition; a NaN
// on either side stays one, or becomes 0 where options say saturate. `to` is aligned to the
// element.
void Accumulate(const RunOptions& options, char* to, const char* from, uint64_t bytes);

// One element of 32 or 64 bits: also BASCULE_ATOMIC_EXCHANGE and, when what is there has the bits
// `expected`, BASCULE_ATOMIC_COMPARE_EXCHANGE. Returns the bits that were there. Neither another
// call nor an accumulation comes in between. `at` is aligned to the element.
uint64_t ScalarAtomic(uint32_t op, BasculeDType dtype, char* at, uint64_t value, uint64_t expected);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_MOVE_ACCUMULATE_H_

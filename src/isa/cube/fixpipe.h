// What the way out of the cube unit has in vectors.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_CUBE_FIXPIPE_H_
#define BASCULE_ISA_CUBE_FIXPIPE_H_

#include <cstdint>

namespace bascule::isa {

// Rounds 16 floats to nearest even; with `relu`, what is less than 0 becomes 0 first.
using CastFunction = void (*)(const float* from, bool relu, uint16_t* to);
CastFunction SimdCastToHalf();
CastFunction SimdCastToBfloat();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_CUBE_FIXPIPE_H_

// z = x + y in five styles, which differ in who keeps the units of a core in step and in how an
// instruction is told what to work on. Each file holds a kernel and the function that launches it.
#ifndef EXAMPLES_ADD_ADD_H
#define EXAMPLES_ADD_ADD_H

#include <cstdint>

#include "acl/acl.h"

struct AddPlan {
  uint32_t length;  // of x, y and z, in elements
  uint32_t share;   // of each block, in elements
};

// The launches; x, y and z are device memory.
using AddLaunch = void(uint32_t blocks, aclrtStream stream, uint8_t* x, uint8_t* y, uint8_t* z,
                       AddPlan plan);
AddLaunch AddQueues;   // queues.asc: buffers travel through queues, which wait where needed
AddLaunch AddFlags;    // flags.asc: tensors at fixed addresses, flags by hand
AddLaunch AddBuffers;  // buffers.asc: plain buffers of a TPipe, flags by hand
AddLaunch AddRepeats;  // repeats.asc: instructions with repeats and strides
AddLaunch AddMasks;    // masks.asc: lanes chosen by the bits of a mask

#endif  // EXAMPLES_ADD_ADD_H

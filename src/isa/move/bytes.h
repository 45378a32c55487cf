// Copying runs of bytes, for the CPU target in use.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_MOVE_BYTES_H_
#define BASCULE_ISA_MOVE_BYTES_H_

#include <cstdint>

#include "isa/row.h"

namespace bascule::isa {

// As memcpy; the ranges do not overlap. Memory is fetched so many bytes ahead of the source, and
// behind it: in a long launch it is what the next copy reads. 0: it is not.
using CopyFunction = void (*)(char* to, const char* from, uint64_t bytes, uint64_t ahead_bytes);
// Of 1 to 16 KiB this was the fastest, or nearly so, for copies of 4 to 16 KiB.
constexpr uint64_t kAheadBytes = 4096;
CopyFunction CopyBytes();

// As CopyBytes, with stores that bypass the caches, which saves reading what is about to be
// overwritten; the caller fences. Meanwhile the beginning of what lies at `ahead` is fetched: a
// store of a tile is when the memory has time for the next one.
using StreamFunction = void (*)(char* to, const char* from, uint64_t bytes, const ReadAhead& ahead);
StreamFunction StreamBytes();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_MOVE_BYTES_H_

// What calls of the advanced library share: how their shapes travel, and the look at the temporary
// space. A call that is given such space needs as much as the host's GetXxxMaxMinTmpSize says at
// least; nothing is read from it, and one that is not given any needs none.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_LIBRARY_CALL_H
#define BASCULE_ASCENDC_LIBRARY_CALL_H

#include "bascule/abi/tiling.h"
#include "bascule/abi/vector.h"
#include "bascule_ascendc/vector.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// Two numbers in one word of the parameters.
constexpr uint64_t Pair(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

constexpr uint32_t RoundedUp(uint32_t value, uint32_t step) {
  return (value + step - 1) / step * step;
}
// Elements up to the next multiple of 32 bytes.
template <typename T>
constexpr uint32_t WholeBlocks(uint32_t elements) {
  return RoundedUp(elements, BASCULE_DATABLOCK_BYTES / static_cast<uint32_t>(sizeof(T)));
}

// The temporary space of a call: a tensor, or none.
struct Temporary {
  BasculeOperand operand = NoOperand(BASCULE_UINT8);
  uint64_t bytes = 0;

  Temporary() = default;
  // Ends the launch if there is less than `needed`.
  Temporary(const char* call, const char* argument, const AscendC::LocalTensor<uint8_t>& tensor,
            uint64_t needed, const Site& site)
      : operand(Operand(tensor)), bytes(needed) {
    if (tensor.GetLength() >= needed) return;
    char text[192];
    std::snprintf(text, sizeof(text),
                  "%s: %s has %u bytes and needs at least %llu; take the size from the host's "
                  "Get…MaxMinTmpSize",
                  call, argument, static_cast<unsigned>(tensor.GetLength()),
                  static_cast<unsigned long long>(needed));
    Fail(text, site);
  }
  Temporary(const char* call, const AscendC::LocalTensor<uint8_t>& tensor, const Site& site)
      : Temporary(call, "sharedTmpBuffer", tensor, bascule_tiling::kMinTmpBytes, site) {}
};

[[noreturn]] inline void FailCall(const char* call, const char* what, const Site& site) {
  char text[256];
  std::snprintf(text, sizeof(text), "%s: %s", call, what);
  Fail(text, site);
}

// An argument beyond a limit, in one sentence.
[[noreturn]] inline void FailArgument(const char* call, const char* argument, int64_t value,
                                      const char* rule, const Site& site) {
  char text[256];
  std::snprintf(text, sizeof(text), "%s: %s is %lld; %s", call, argument,
                static_cast<long long>(value), rule);
  Fail(text, site);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#endif  // BASCULE_ASCENDC_LIBRARY_CALL_H

// GetTensorNum and GetBlockSize: how a kernel that takes tensors and no tiling data learns how much
// of them is its own. Known from a public MindSpore tutorial, which gives no definition; these are
// the ones its kernel works with.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SHARE_H
#define BASCULE_ASCENDC_SHARE_H

#include "bascule_ascendc/core.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

struct FirstTensor {
  uint64_t elements;
  uint32_t element_bytes;

  FirstTensor(const char* call, const Site& site) {
    BasculeCore* core = Core();
    core->api->first_tensor(core, &elements, &element_bytes);
    if (element_bytes == 0) {
      char text[320];
      std::snprintf(
          text, sizeof(text),
          "%s: this launch knows addresses and not tensors, as one with <<<>>> does. Pass "
          "the length to the kernel as an argument",
          call);
      Fail(text, site);
    }
  }
};

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Elements of the launch's first tensor.
__aicore__ inline uint32_t GetTensorNum(bascule_ascendc::Site site = {}) {
  const bascule_ascendc::FirstTensor first("GetTensorNum", site);
  if (first.elements > UINT32_MAX) {
    bascule_ascendc::Fail("GetTensorNum: the first tensor has more elements than 32 bits count",
                          site);
  }
  return static_cast<uint32_t>(first.elements);
}

// Of `total` elements, each block's share: rounded up to 32 bytes of the first tensor's type, so
// that every share begins on a datablock. The last blocks may find less than that, or nothing.
__aicore__ inline uint32_t GetBlockSize(uint32_t total, bascule_ascendc::Site site = {}) {
  const bascule_ascendc::FirstTensor first("GetBlockSize", site);
  const uint64_t blocks = bascule_ascendc::Core()->block_count;
  const uint64_t lanes = first.element_bytes < BASCULE_DATABLOCK_BYTES
                             ? BASCULE_DATABLOCK_BYTES / first.element_bytes
                             : 1;
  const uint64_t share = (total + blocks - 1) / blocks;
  const uint64_t rounded = (share + lanes - 1) / lanes * lanes;
  if (rounded > UINT32_MAX) {
    bascule_ascendc::Fail("GetBlockSize: a block's share has more elements than 32 bits count",
                          site);
  }
  return static_cast<uint32_t>(rounded);
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_SHARE_H

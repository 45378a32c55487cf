// What the functions of the advanced library have in common: instructions with many operands, the
// shape of a matrix, and temporary space.
//
// Temporary space is neither needed nor touched here. Where a kernel hands some over it has to be
// as large as the host's size helpers say at least, because less fails on the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_LIBRARY_H
#define BASCULE_ASCENDC_LIBRARY_H

#include "bascule/abi/tiling.h"
#include "bascule/abi/vector.h"
#include "bascule_ascendc/vector.h"
#include "kernel_tiling/kernel_tiling.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// Rows and columns of a matrix as they lie in memory, and how many columns are no padding.
struct RowsShape {
  uint32_t rows;
  uint32_t columns;
  uint32_t data;
};

// Collects an instruction on rows and runs it.
class RowsCall {
 public:
  template <typename T>
  RowsCall(uint16_t opcode, const AscendC::LocalTensor<T>& dst, const RowsShape& shape,
           uint32_t mode, const Site& site)
      : core_(dst.Core()) {
    in_.opcode = opcode;
    in_.form = BASCULE_FORM_COUNT;
    in_.count = 1;
    in_.more = more_;
    in_.params.vector = BasculeVectorParams{};
    in_.params.vector.mode = mode;
    in_.params.vector.extra[0] = uint64_t{shape.columns} << 32 | shape.rows;
    in_.params.vector.extra[1] = shape.data;
    in_.site = site;
    With(dst);
  }
  RowsCall(const RowsCall&) = delete;
  RowsCall& operator=(const RowsCall&) = delete;

  // The next operand. An empty tensor stands for none.
  template <typename T>
  RowsCall& With(const AscendC::LocalTensor<T>& tensor) {
    return With(tensor.Data() == nullptr ? NoOperand(TypeNumber<T>::value) : Operand(tensor));
  }
  RowsCall& With(const BasculeOperand& operand) {
    const uint32_t at = in_.operand_count++;
    if (at < BASCULE_INLINE_OPERANDS)
      in_.operand[at] = operand;
    else
      more_[at - BASCULE_INLINE_OPERANDS] = operand;
    return *this;
  }
  template <typename T>
  RowsCall& Without() {
    return With(NoOperand(TypeNumber<T>::value));
  }
  RowsCall& Number(uint32_t number) {
    in_.params.vector.extra[1] |= uint64_t{number} << 32;
    return *this;
  }
  RowsCall& Floats(float first, float second = 0) {
    uint32_t bits[2];
    std::memcpy(&bits[0], &first, sizeof(float));
    std::memcpy(&bits[1], &second, sizeof(float));
    in_.params.vector.extra[2] = uint64_t{bits[1]} << 32 | bits[0];
    return *this;
  }
  BasculeVectorParams& Params() { return in_.params.vector; }

  // Afterwards the mask register is as new.
  void Run() {
    core_->counter_mode = 0;
    core_->vector_mask[0] = core_->vector_mask[1] = ~uint64_t{0};
    core_->api->execute(core_, &in_);
  }

 private:
  BasculeCore* core_;
  BasculeInstruction in_{};
  BasculeOperand more_[BASCULE_MAX_OPERANDS - BASCULE_INLINE_OPERANDS];
};

inline void CheckTmp(const char* name, const AscendC::LocalTensor<uint8_t>& tmp, uint32_t needed,
                     const char* helper, const Site& site) {
  if (tmp.GetLength() >= needed) return;
  char text[256];
  std::snprintf(text, sizeof(text),
                "%s: sharedTmpBuffer has %u bytes; the device needs at least %u, which the host "
                "learns from %s",
                name, static_cast<unsigned>(tmp.GetLength()), static_cast<unsigned>(needed),
                helper);
  Fail(text, site);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#endif  // BASCULE_ASCENDC_LIBRARY_H

// Vector arithmetic. One line per instruction; what it computes is its row in the runtime.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_VECTOR_H
#define BASCULE_ASCENDC_VECTOR_H

#include "bascule_ascendc/tensor.h"

BASCULE_ASCENDC_BEGIN

// Strides in datablocks of 32 bytes: between the datablocks of a repeat, and between repeats.
struct UnaryRepeatParams {
  uint16_t dstBlkStride = 1;
  uint16_t srcBlkStride = 1;
  uint16_t dstRepStride = BASCULE_DATABLOCKS_PER_REPEAT;
  uint16_t srcRepStride = BASCULE_DATABLOCKS_PER_REPEAT;

  constexpr UnaryRepeatParams() = default;
  constexpr UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint16_t dstRep, uint16_t srcRep)
      : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep) {}
};

struct BinaryRepeatParams {
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t dstRepStride = BASCULE_DATABLOCKS_PER_REPEAT;
  uint8_t src0RepStride = BASCULE_DATABLOCKS_PER_REPEAT;
  uint8_t src1RepStride = BASCULE_DATABLOCKS_PER_REPEAT;

  constexpr BinaryRepeatParams() = default;
  constexpr BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep,
                               uint8_t src0Rep, uint8_t src1Rep)
      : dstBlkStride(dstBlk),
        src0BlkStride(src0Blk),
        src1BlkStride(src1Blk),
        dstRepStride(dstRep),
        src0RepStride(src0Rep),
        src1RepStride(src1Rep) {}
};

// Stands for the mask in calls that leave the mask register as it is.
constexpr uint64_t MASK_PLACEHOLDER = 0;

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };

// From now on a mask selects lanes of each repeat (the default), or counts the lanes of a whole
// instruction.
__aicore__ inline void SetMaskNorm() { bascule_ascendc::Core()->counter_mode = 0; }
__aicore__ inline void SetMaskCount() { bascule_ascendc::Core()->counter_mode = 1; }

// The mask register, which calls with isSetMask = false use. T and the mode say what the numbers
// mean.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(uint64_t maskHigh, uint64_t maskLow) {
  BasculeCore* core = bascule_ascendc::Core();
  core->vector_mask[0] = maskLow;
  core->vector_mask[1] = maskHigh;
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(int32_t len) {
  BasculeCore* core = bascule_ascendc::Core();
  if (mode == MaskMode::COUNTER) {
    core->vector_mask[0] = static_cast<uint64_t>(len);
    core->vector_mask[1] = 0;
    return;
  }
  core->vector_mask[0] = len >= 64 ? ~uint64_t{0} : (uint64_t{1} << len) - 1;
  core->vector_mask[1] = len >= 128 ? ~uint64_t{0} : len > 64 ? (uint64_t{1} << (len - 64)) - 1 : 0;
}
__aicore__ inline void ResetMask() {
  BasculeCore* core = bascule_ascendc::Core();
  core->vector_mask[0] = core->vector_mask[1] = ~uint64_t{0};
}

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T, typename... Allowed>
constexpr bool IsOneOf = (std::is_same_v<T, Allowed> || ...);

// Keeps a parameter out of deduction, so that `Adds(dst, src, 1, n)` converts its scalar.
template <typename T>
struct NotDeducedType {
  using Type = T;
};
template <typename T>
using NotDeduced = typename NotDeducedType<T>::Type;

template <typename T, typename U>
using Wider = std::conditional_t<(sizeof(T) >= sizeof(U)), T, U>;

// The combinations of destination T and source U that calls with two element types take.
template <typename T, typename U>
constexpr bool kWidens = (std::is_same_v<T, U> && IsOneOf<T, half, float>) ||
                         (std::is_same_v<T, float> && std::is_same_v<U, half>);
template <typename T, typename U>
constexpr bool kReluCasts = (std::is_same_v<T, int8_t> && IsOneOf<U, half, int16_t>) ||
                            (std::is_same_v<T, half> && std::is_same_v<U, float>);
template <typename T, typename U>
constexpr bool kMulCasts = IsOneOf<T, int8_t, uint8_t>&& std::is_same_v<U, half>;

// An operand that a call does without.
constexpr BasculeOperand NoOperand(uint8_t dtype) {
  return BasculeOperand{nullptr, BASCULE_UB, dtype, 1, BASCULE_DATABLOCKS_PER_REPEAT};
}

// Collects a vector instruction and runs it. T is the element type that masks and repeats count.
template <typename T>
class VectorCall {
 public:
  template <typename U>
  VectorCall(uint16_t opcode, const AscendC::LocalTensor<U>& dst, const Site& site)
      : VectorCall(opcode, Operand(dst), dst.Core(), site) {}
  VectorCall(uint16_t opcode, const BasculeOperand& dst, BasculeCore* core, const Site& site)
      : core_(core) {
    in_.opcode = opcode;
    in_.operand_count = 1;
    in_.operand[0] = dst;
    in_.params.vector = BasculeVectorParams{};
    in_.site.file = site.file;  // not at once: see DataMove
    in_.site.line = site.line;
    in_.site.opcode = site.opcode;
  }
  template <typename U>
  VectorCall& Source(const AscendC::LocalTensor<U>& src) {
    in_.operand[in_.operand_count++] = Operand(src);
    return *this;
  }
  VectorCall& Source(const BasculeOperand& src) {
    in_.operand[in_.operand_count++] = src;
    return *this;
  }
  template <typename U>
  VectorCall& Scalar(U value) {
    std::memcpy(&in_.params.vector.scalar.bits, &value, sizeof(U));
    return *this;
  }
  VectorCall& Mode(uint32_t mode) {
    in_.params.vector.mode = mode;
    return *this;
  }
  VectorCall& Flags(uint32_t flags) {
    in_.params.vector.flags = flags;
    return *this;
  }
  template <typename U>
  VectorCall& Extra(uint32_t index, U value) {
    std::memcpy(&in_.params.vector.extra[index], &value, sizeof(U));
    return *this;
  }
  VectorCall& Stride(uint32_t operand, uint16_t block, uint32_t repeat) {
    in_.operand[operand].block_stride = block;
    in_.operand[operand].repeat_stride = repeat;
    return *this;
  }
  // For calls that are several instructions on the hardware.
  VectorCall& ManyRepeats() {
    max_repeats_ = UINT32_MAX;
    return *this;
  }
  // In counter mode the mask counts the lanes of each repeat, and repeats are made.
  VectorCall& CountsPerRepeat() {
    counts_per_repeat_ = true;
    return *this;
  }
  VectorCall& Strides(const AscendC::UnaryRepeatParams& params) {
    Stride(0, params.dstBlkStride, params.dstRepStride);
    Stride(1, params.srcBlkStride, params.srcRepStride);
    return *this;
  }
  VectorCall& Strides(const AscendC::BinaryRepeatParams& params) {
    Stride(0, params.dstBlkStride, params.dstRepStride);
    Stride(1, params.src0BlkStride, params.src0RepStride);
    Stride(2, params.src1BlkStride, params.src1RepStride);
    return *this;
  }

  // `count` consecutive elements; afterwards the mask register is as new.
  void Count(int32_t count) {
    if (count < 0) Refused("the count of a vector instruction is negative: %lld", count);
    in_.form = BASCULE_FORM_COUNT;
    in_.count = static_cast<uint32_t>(count);
    in_.mask[0] = in_.mask[1] = 0;
    core_->counter_mode = 0;
    core_->vector_mask[0] = core_->vector_mask[1] = ~uint64_t{0};
    core_->api->execute(core_, &in_);
  }
  // As many elements as the mask register counts, or has bits at the start of one repeat.
  void CountOfRegister() {
    uint64_t count = core_->vector_mask[0];
    if (core_->counter_mode == 0) {
      const int high = sizeof(T) == 2 ? __builtin_popcountll(core_->vector_mask[1]) : 0;
      count = static_cast<uint64_t>(__builtin_popcountll(core_->vector_mask[0]) + high);
    }
    if (count > INT32_MAX)
      Fail("the mask register counts more elements than a core holds", in_.site);
    in_.form = BASCULE_FORM_COUNT;
    in_.count = static_cast<uint32_t>(count);
    in_.mask[0] = in_.mask[1] = 0;
    core_->api->execute(core_, &in_);
  }
  // The first `mask` lanes of every repeat, or of all together in counter mode.
  template <bool isSetMask>
  void Repeat(uint64_t mask, uint32_t repeats) {
    if (!isSetMask || core_->counter_mode != 0) {
      RepeatRegister<isSetMask>(mask, 0, repeats);
      return;
    }
    constexpr uint64_t kLanes = BASCULE_REPEAT_BYTES / sizeof(T);
    if (mask > kLanes) {
      Refused(
          "the mask of a vector instruction selects more lanes than a repeat of 256 bytes has: "
          "%lld",
          static_cast<long long>(mask));
    }
    core_->vector_mask[0] = mask >= 64 ? ~uint64_t{0} : (uint64_t{1} << mask) - 1;
    core_->vector_mask[1] = mask >= 128 ? ~uint64_t{0}
                            : mask > 64 ? (uint64_t{1} << (mask - 64)) - 1
                                        : 0;
    in_.form = BASCULE_FORM_MASK_COUNT;
    in_.mask[0] = mask;
    in_.mask[1] = 0;
    Run(repeats);
  }
  // The lanes whose bit is set, bit 0 first.
  template <bool isSetMask>
  void Repeat(const uint64_t mask[], uint32_t repeats) {
    RepeatRegister<isSetMask>(mask != nullptr ? mask[0] : 0,
                              mask != nullptr && sizeof(T) == 2 ? mask[1] : 0, repeats);
  }
  // Every lane of every repeat, whatever the mask register says; it stays as it is.
  void WholeRepeats(uint32_t repeats) {
    in_.form = BASCULE_FORM_MASK_COUNT;
    in_.mask[0] = BASCULE_REPEAT_BYTES / sizeof(T);
    in_.mask[1] = 0;
    Run(repeats);
  }
  // As many elements of each repeat; masks count lanes of a repeat afterwards.
  void ElementsPerRepeat(uint32_t elements, uint32_t repeats) {
    core_->counter_mode = 0;
    in_.form = BASCULE_FORM_MASK_COUNT;
    in_.mask[0] = elements;
    in_.mask[1] = 0;
    in_.count = repeats;
    core_->api->execute(core_, &in_);
  }
  // An instruction that neither counts nor masks.
  void Whole() {
    in_.form = BASCULE_FORM_COUNT;
    in_.count = 1;
    in_.mask[0] = in_.mask[1] = 0;
    core_->api->execute(core_, &in_);
  }

 private:
  // The engine puts the name of the instruction in front of the sentence.
  [[noreturn]] __attribute__((noinline, cold)) void Refused(const char* format, long long number) {
    char text[128];
    std::snprintf(text, sizeof(text), format, number);
    BasculeSite site = in_.site;
    site.opcode = in_.opcode;
    Fail(text, site);
  }
  template <bool isSetMask>
  void RepeatRegister(uint64_t low, uint64_t high, uint32_t repeats) {
    if (isSetMask) {
      core_->vector_mask[0] = low;
      core_->vector_mask[1] = high;
    }
    in_.mask[0] = core_->vector_mask[0];
    in_.mask[1] = core_->vector_mask[1];
    if (core_->counter_mode != 0) {
      in_.form = BASCULE_FORM_COUNTER;
      Run(counts_per_repeat_ ? repeats : 1);
      return;
    }
    // A repeat has fewer lanes of a wider type; the register's other bits do not count.
    constexpr uint32_t kLanes = BASCULE_REPEAT_BYTES / sizeof(T);
    if (kLanes <= 64) in_.mask[1] = 0;
    if (kLanes < 64) in_.mask[0] &= (uint64_t{1} << kLanes) - 1;
    in_.form = BASCULE_FORM_MASK_BITS;
    Run(repeats);
  }
  void Run(uint32_t repeats) {
    if (repeats > max_repeats_)
      Refused("a vector instruction repeats at most 255 times, not %lld", repeats);
    in_.count = repeats;
    core_->api->execute(core_, &in_);
  }

  BasculeCore* core_;
  BasculeInstruction in_;
  uint32_t max_repeats_ = 255;
  bool counts_per_repeat_ = false;
};

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

#define BASCULE_SUPPORTED(name, ...) BASCULE_SUPPORTED_EXPANDED(name, __VA_ARGS__)
#define BASCULE_SUPPORTED_EXPANDED(name, ...)             \
  static_assert(bascule_ascendc::IsOneOf<T, __VA_ARGS__>, \
                #name ": this element type is not supported; supported: " #__VA_ARGS__)
// What calls that only move elements take.
#define BASCULE_PLAIN_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

// The three call forms of an instruction: lanes by bits, the first lanes, consecutive elements.
// `operands` and `arguments` are parenthesised lists.
#define BASCULE_FORMS(name, Params, operands, sources, ...)                                  \
  template <typename T, bool isSetMask = true>                                               \
  __aicore__ inline void name(BASCULE_UNPACK operands, uint64_t mask[], uint32_t repeatTime, \
                              const Params& repeatParams, bascule_ascendc::Site site = {}) { \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                    \
    bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_k##name, dst, site)                        \
        sources.Strides(repeatParams)                                                        \
            .template Repeat<isSetMask>(mask, repeatTime);                                   \
  }                                                                                          \
  template <typename T, bool isSetMask = true>                                               \
  __aicore__ inline void name(BASCULE_UNPACK operands, uint64_t mask, uint32_t repeatTime,   \
                              const Params& repeatParams, bascule_ascendc::Site site = {}) { \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                    \
    bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_k##name, dst, site)                        \
        sources.Strides(repeatParams)                                                        \
            .template Repeat<isSetMask>(mask, repeatTime);                                   \
  }                                                                                          \
  template <typename T, bool isSetMask = true>                                               \
  __aicore__ inline void name(BASCULE_UNPACK operands, const int32_t& count,                 \
                              bascule_ascendc::Site site = {}) {                             \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                    \
    bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_k##name, dst, site) sources.Count(count);  \
  }
#define BASCULE_UNPACK(...) __VA_ARGS__

#define BASCULE_BINARY(name, ...)                                                          \
  BASCULE_FORMS(                                                                           \
      name, BinaryRepeatParams,                                                            \
      (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1), \
      .Source(src0).Source(src1), __VA_ARGS__)
#define BASCULE_SCALAR(name, ...)                                      \
  BASCULE_FORMS(name, UnaryRepeatParams,                               \
                (const LocalTensor<T>& dst, const LocalTensor<T>& src, \
                 const bascule_ascendc::NotDeduced<T>& scalar),        \
                .Source(src).Scalar(scalar), __VA_ARGS__)
#define BASCULE_UNARY(name, ...)                                                                 \
  BASCULE_FORMS(name, UnaryRepeatParams, (const LocalTensor<T>& dst, const LocalTensor<T>& src), \
                .Source(src), __VA_ARGS__)

BASCULE_BINARY(Mul, half, float, int16_t, int32_t)
BASCULE_BINARY(Add, half, float, int16_t, int32_t)
BASCULE_BINARY(Sub, half, float, int16_t, int32_t)
BASCULE_BINARY(Div, half, float)
BASCULE_BINARY(Max, half, float, int16_t, int32_t)
BASCULE_BINARY(Min, half, float, int16_t, int32_t)
BASCULE_BINARY(And, int16_t, uint16_t)
BASCULE_BINARY(Or, int16_t, uint16_t)
BASCULE_BINARY(AddRelu, half, float, int16_t)
BASCULE_BINARY(SubRelu, half, float, int16_t)
BASCULE_BINARY(FusedMulAdd, half, float)
BASCULE_BINARY(MulAddRelu, half, float)

BASCULE_SCALAR(Adds, half, float, int16_t, int32_t)
BASCULE_SCALAR(Muls, half, float, int16_t, int32_t)
BASCULE_SCALAR(Maxs, half, float, int16_t, int32_t)
BASCULE_SCALAR(Mins, half, float, int16_t, int32_t)
BASCULE_SCALAR(LeakyRelu, half, float)
BASCULE_SCALAR(ShiftLeft, int16_t, uint16_t, int32_t, uint32_t)

BASCULE_UNARY(Abs, half, float)
BASCULE_UNARY(Relu, half, float, int32_t)
BASCULE_UNARY(Sqrt, half, float)
BASCULE_UNARY(Rsqrt, half, float)
BASCULE_UNARY(Reciprocal, half, float)
BASCULE_UNARY(Not, int16_t, uint16_t)
BASCULE_UNARY(Exp, half, float)
BASCULE_UNARY(Ln, half, float)

// Two element types: lanes of a mask are those of the wider one.
#define BASCULE_MIXED_FORMS(name, Params, operands, sources, supported, combinations)              \
  template <typename T, typename U, bool isSetMask = true>                                         \
  __aicore__ inline void name(BASCULE_UNPACK operands, const uint64_t mask[], uint32_t repeatTime, \
                              const Params& repeatParams, bascule_ascendc::Site site = {}) {       \
    static_assert(bascule_ascendc::supported<T, U>,                                                \
                  #name ": these element types are not supported; supported: " combinations);      \
    bascule_ascendc::VectorCall<bascule_ascendc::Wider<T, U>>(BASCULE_OPCODE_k##name, dst, site)   \
        sources.Strides(repeatParams)                                                              \
            .template Repeat<isSetMask>(mask, repeatTime);                                         \
  }                                                                                                \
  template <typename T, typename U, bool isSetMask = true>                                         \
  __aicore__ inline void name(BASCULE_UNPACK operands, uint64_t mask, uint32_t repeatTime,         \
                              const Params& repeatParams, bascule_ascendc::Site site = {}) {       \
    static_assert(bascule_ascendc::supported<T, U>,                                                \
                  #name ": these element types are not supported; supported: " combinations);      \
    bascule_ascendc::VectorCall<bascule_ascendc::Wider<T, U>>(BASCULE_OPCODE_k##name, dst, site)   \
        sources.Strides(repeatParams)                                                              \
            .template Repeat<isSetMask>(mask, repeatTime);                                         \
  }                                                                                                \
  template <typename T, typename U>                                                                \
  __aicore__ inline void name(BASCULE_UNPACK operands, const int32_t& count,                       \
                              bascule_ascendc::Site site = {}) {                                   \
    static_assert(bascule_ascendc::supported<T, U>,                                                \
                  #name ": these element types are not supported; supported: " combinations);      \
    bascule_ascendc::VectorCall<bascule_ascendc::Wider<T, U>>(BASCULE_OPCODE_k##name, dst, site)   \
        sources.Count(count);                                                                      \
  }
#define BASCULE_MIXED_BINARY(name, supported, combinations)                                \
  BASCULE_MIXED_FORMS(                                                                     \
      name, BinaryRepeatParams,                                                            \
      (const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1), \
      .Source(src0).Source(src1), supported, combinations)

BASCULE_MIXED_BINARY(MulAddDst, kWidens,
                     "half and float, and from half to float (destination float)")
BASCULE_MIXED_BINARY(AddReluCast, kReluCasts, "from half and int16_t to int8_t, from float to half")
BASCULE_MIXED_BINARY(SubReluCast, kReluCasts, "from half and int16_t to int8_t, from float to half")
BASCULE_MIXED_BINARY(MulCast, kMulCasts, "from half to int8_t and uint8_t")
BASCULE_MIXED_FORMS(Axpy, UnaryRepeatParams,
                    (const LocalTensor<T>& dst, const LocalTensor<U>& src,
                     const bascule_ascendc::NotDeduced<U>& scalarValue),
                    .Source(src).Scalar(scalarValue), kWidens,
                    "half and float, and from half to float (destination float)")

// With roundEn the last digit that falls out of a signed element is added.
#define BASCULE_SHIFT_RIGHT(mask_type)                                                            \
  template <typename T, bool isSetMask = true>                                                    \
  __aicore__ inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src,         \
                                    const bascule_ascendc::NotDeduced<T>& scalarValue, mask_type, \
                                    uint32_t repeatTime, const UnaryRepeatParams& repeatParams,   \
                                    bool roundEn = false, bascule_ascendc::Site site = {}) {      \
    BASCULE_SUPPORTED(ShiftRight, int16_t, uint16_t, int32_t, uint32_t);                          \
    const bool rounds = roundEn && std::is_signed_v<T>;                                           \
    bascule_ascendc::VectorCall<T>(                                                               \
        rounds ? BASCULE_OPCODE_kShiftRightRounded : BASCULE_OPCODE_kShiftRight, dst, site)       \
        .Source(src)                                                                              \
        .Scalar(scalarValue)                                                                      \
        .Strides(repeatParams)                                                                    \
        .template Repeat<isSetMask>(mask, repeatTime);                                            \
  }
BASCULE_SHIFT_RIGHT(uint64_t mask)
BASCULE_SHIFT_RIGHT(uint64_t mask[])
#undef BASCULE_SHIFT_RIGHT
template <typename T, bool isSetMask = true>
__aicore__ inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const bascule_ascendc::NotDeduced<T>& scalarValue,
                                  const int32_t& count, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(ShiftRight, int16_t, uint16_t, int32_t, uint32_t);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kShiftRight, dst, site)
      .Source(src)
      .Scalar(scalarValue)
      .Count(count);
}

// The older name of MulAddRelu.
template <typename T, bool isSetMask = true, typename Mask>
__aicore__ inline void FusedMulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                       const LocalTensor<T>& src1, Mask mask, uint32_t repeatTime,
                                       const BinaryRepeatParams& repeatParams,
                                       bascule_ascendc::Site site = {}) {
  MulAddRelu<T, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, site);
}
template <typename T>
__aicore__ inline void FusedMulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                       const LocalTensor<T>& src1, const int32_t& count,
                                       bascule_ascendc::Site site = {}) {
  MulAddRelu(dst, src0, src1, count, site);
}

#undef BASCULE_MIXED_BINARY
#undef BASCULE_MIXED_FORMS
#undef BASCULE_UNARY
#undef BASCULE_SCALAR
#undef BASCULE_BINARY
#undef BASCULE_UNPACK
#undef BASCULE_FORMS

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_VECTOR_H

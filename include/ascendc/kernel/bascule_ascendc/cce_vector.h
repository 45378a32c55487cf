// The lower-level names of vector instructions and copies: the same instructions with the same
// checks, on plain pointers. Lanes come from the mask register. A pointer is what GetPhyAddr() and
// get_imm() give, or a hardware address: the number of a byte in the unified buffer, which works as
// an argument here and not for reading through it.
//
// No document describes these names; the order of their arguments is how public kernels call them.
// Element types are those of the AscendC call that an instruction also has.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_CCE_VECTOR_H
#define BASCULE_ASCENDC_CCE_VECTOR_H

#include "bascule_ascendc/atomic.h"
#include "bascule_ascendc/cast.h"
#include "bascule_ascendc/compare.h"
#include "bascule_ascendc/fill.h"
#include "bascule_ascendc/gather.h"
#include "bascule_ascendc/move.h"
#include "bascule_ascendc/reduce.h"
#include "bascule_ascendc/sync.h"
#include "bascule_ascendc/transpose.h"
#include "bascule_ascendc/vector.h"

// What reductions to the largest or smallest element store.
typedef enum { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX } Order_t;
typedef enum { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE } cache_line_t;
typedef enum { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC } dcci_dst_t;
typedef enum { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ } mem_dsb_t;

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// Where a pointer leads: hardware addresses begin at 0, and of an address cut to 32 bits the upper
// half is that of the whole unified buffer.
inline char* UbAddress(const volatile void* pointer, const BasculeCore* core) {
  char* begin = static_cast<char*>(core->memory_begin[BASCULE_UB]);
  const uint64_t first = reinterpret_cast<uint64_t>(begin);
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const uint64_t bytes =
      static_cast<uint64_t>(static_cast<char*>(core->memory_end[BASCULE_UB]) - begin);
  if (address < bytes) return begin + address;
  constexpr uint64_t kLow = 0xffffffff;
  if (address <= kLow) return begin + ((first & ~kLow) | address) - first;
  return begin + (address - first);
}

// Everything behind a pointer.
template <typename T>
AscendC::LocalTensor<std::remove_cv_t<T>> UbTensor(T* pointer) {
  BasculeCore* core = Core();
  BasculeBuffer buffer = {};
  buffer.address = UbAddress(pointer, core);
  buffer.limit = core->memory_end[BASCULE_UB];
  const int64_t bytes = static_cast<char*>(buffer.limit) - static_cast<const char*>(buffer.address);
  return AscendC::LocalTensor<std::remove_cv_t<T>>::FromBuffer(
      core, buffer, BASCULE_UB, bytes > 0 ? static_cast<uint32_t>(bytes) : 0);
}

inline BasculeOperand RawOperand(const volatile void* pointer, uint8_t memory) {
  return BasculeOperand{memory == BASCULE_UB
                            ? UbAddress(pointer, Core())
                            : const_cast<void*>(static_cast<const volatile void*>(pointer)),
                        memory, BASCULE_UINT8, 0, 0};
}

struct RawCopy {
  uint32_t blocks;
  uint32_t block_bytes;
  uint32_t src_gap_bytes;
  uint32_t dst_gap_bytes;
  uint32_t left = 0;
  uint32_t right = 0;
  uint8_t element_bytes = 1;
};
inline void CopyRaw(uint16_t opcode, const volatile void* dst, uint8_t to, const volatile void* src,
                    uint8_t from, const RawCopy& raw, const Site& site) {
  BasculeCore* core = Core();
  BasculeInstruction in;
  in.opcode = opcode;
  in.form = BASCULE_FORM_COPY;
  in.operand_count = 2;
  in.count = 1;
  in.mask[0] = in.mask[1] = 0;
  in.operand[0] = RawOperand(dst, to);
  in.operand[1] = RawOperand(src, from);
  BasculeCopy& copy = in.params.copy;
  copy = BasculeCopy{};
  copy.block_count = raw.blocks;
  copy.block_bytes = raw.block_bytes;
  copy.src_gap_bytes = raw.src_gap_bytes;
  copy.dst_gap_bytes = raw.dst_gap_bytes;
  copy.element_bytes = raw.element_bytes;
  if (opcode == BASCULE_OPCODE_kDataCopyPad && to != BASCULE_GM) {
    if (raw.left * raw.element_bytes > BASCULE_DATABLOCK_BYTES ||
        raw.right * raw.element_bytes > BASCULE_DATABLOCK_BYTES) {
      Fail("copy_gm_to_ubuf_align: padding is limited to 32 bytes on each side", site);
    }
    copy.left_pad = static_cast<uint8_t>(raw.left);
    copy.right_pad = static_cast<uint8_t>(raw.right);
    copy.pad = (raw.left != 0 || raw.right != 0) && core->pad_value_set != 0 ? 1 : 0;
    copy.pad_bits = core->pad_value;
  }
  in.site = site;
  core->api->execute(core, &in);
}

// The lanes of the mask register.
template <typename T>
void ByRegister(VectorCall<T>& call, uint32_t repeats) {
  call.template Repeat<false>(AscendC::MASK_PLACEHOLDER, repeats);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

// --- copies: lengths and gaps in datablocks of 32 bytes. `sid` has no effect.

#define BASCULE_RAW_COPY(name, to, from)                                                           \
  inline void name(volatile void* dst, const volatile void* src, uint8_t /*sid*/, uint16_t nBurst, \
                   uint16_t lenBurst, uint16_t srcGap, uint16_t dstGap,                            \
                   bascule_ascendc::Site site = {}) {                                              \
    bascule_ascendc::CopyRaw(                                                                      \
        BASCULE_OPCODE_kDataCopy, dst, to, src, from,                                              \
        {nBurst, uint32_t{lenBurst} * BASCULE_DATABLOCK_BYTES,                                     \
         uint32_t{srcGap} * BASCULE_DATABLOCK_BYTES, uint32_t{dstGap} * BASCULE_DATABLOCK_BYTES},  \
        site);                                                                                     \
  }
BASCULE_RAW_COPY(copy_gm_to_ubuf, BASCULE_UB, BASCULE_GM)
BASCULE_RAW_COPY(copy_ubuf_to_gm, BASCULE_GM, BASCULE_UB)
BASCULE_RAW_COPY(copy_ubuf_to_ubuf, BASCULE_UB, BASCULE_UB)
#undef BASCULE_RAW_COPY

// Lengths, and gaps in global memory, in bytes; padding in elements.
#define BASCULE_RAW_ALIGNED(bits, bytes)                                                           \
  inline void copy_gm_to_ubuf_align_b##bits(                                                       \
      volatile void* dst, const volatile void* src, uint8_t /*sid*/, uint16_t nBurst,              \
      uint32_t lenBurst, uint8_t leftPaddingNum, uint8_t rightPaddingNum, uint32_t srcGap,         \
      uint32_t dstGap, bascule_ascendc::Site site = {}) {                                          \
    bascule_ascendc::CopyRaw(BASCULE_OPCODE_kDataCopyPad, dst, BASCULE_UB, src, BASCULE_GM,        \
                             {nBurst, lenBurst, srcGap, dstGap * BASCULE_DATABLOCK_BYTES,          \
                              leftPaddingNum, rightPaddingNum, bytes},                             \
                             site);                                                                \
  }                                                                                                \
  inline void copy_ubuf_to_gm_align_b##bits(                                                       \
      volatile void* dst, const volatile void* src, uint8_t /*sid*/, uint16_t nBurst,              \
      uint32_t lenBurst, uint8_t /*leftPaddingNum*/, uint8_t /*rightPaddingNum*/, uint32_t srcGap, \
      uint32_t dstGap, bascule_ascendc::Site site = {}) {                                          \
    bascule_ascendc::CopyRaw(                                                                      \
        BASCULE_OPCODE_kDataCopyPad, dst, BASCULE_GM, src, BASCULE_UB,                             \
        {nBurst, lenBurst, srcGap * BASCULE_DATABLOCK_BYTES, dstGap, 0, 0, bytes}, site);          \
  }
BASCULE_RAW_ALIGNED(8, 1)
BASCULE_RAW_ALIGNED(16, 2)
BASCULE_RAW_ALIGNED(32, 4)
#undef BASCULE_RAW_ALIGNED

// --- arithmetic: repeats, strides between datablocks, strides between repeats

#define BASCULE_RAW_BINARY(name, row, ...)                                                         \
  template <typename T>                                                                            \
  inline void name(T* dst, const bascule_ascendc::NotDeduced<T>* src0,                             \
                   const bascule_ascendc::NotDeduced<T>* src1, uint32_t repeat,                    \
                   uint16_t dstBlockStride, uint16_t src0BlockStride, uint16_t src1BlockStride,    \
                   uint16_t dstRepeatStride, uint16_t src0RepeatStride, uint16_t src1RepeatStride, \
                   bascule_ascendc::Site site = {}) {                                              \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                          \
    bascule_ascendc::VectorCall<T> call(BASCULE_OPCODE_k##row, bascule_ascendc::UbTensor(dst),     \
                                        site);                                                     \
    call.Source(bascule_ascendc::UbTensor(src0))                                                   \
        .Source(bascule_ascendc::UbTensor(src1))                                                   \
        .Stride(0, dstBlockStride, dstRepeatStride)                                                \
        .Stride(1, src0BlockStride, src0RepeatStride)                                              \
        .Stride(2, src1BlockStride, src1RepeatStride);                                             \
    bascule_ascendc::ByRegister(call, repeat);                                                     \
  }
#define BASCULE_RAW_SCALAR(name, row, ...)                                                     \
  template <typename T>                                                                        \
  inline void name(T* dst, const bascule_ascendc::NotDeduced<T>* src,                          \
                   bascule_ascendc::NotDeduced<T> scalar, uint32_t repeat,                     \
                   uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride, \
                   uint16_t srcRepeatStride, bascule_ascendc::Site site = {}) {                \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                      \
    bascule_ascendc::VectorCall<T> call(BASCULE_OPCODE_k##row, bascule_ascendc::UbTensor(dst), \
                                        site);                                                 \
    call.Source(bascule_ascendc::UbTensor(src))                                                \
        .Scalar(scalar)                                                                        \
        .Stride(0, dstBlockStride, dstRepeatStride)                                            \
        .Stride(1, srcBlockStride, srcRepeatStride);                                           \
    bascule_ascendc::ByRegister(call, repeat);                                                 \
  }
#define BASCULE_RAW_UNARY(name, row, ...)                                                      \
  template <typename T>                                                                        \
  inline void name(T* dst, const bascule_ascendc::NotDeduced<T>* src, uint32_t repeat,         \
                   uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride, \
                   uint16_t srcRepeatStride, bascule_ascendc::Site site = {}) {                \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                      \
    bascule_ascendc::VectorCall<T> call(BASCULE_OPCODE_k##row, bascule_ascendc::UbTensor(dst), \
                                        site);                                                 \
    call.Source(bascule_ascendc::UbTensor(src))                                                \
        .Stride(0, dstBlockStride, dstRepeatStride)                                            \
        .Stride(1, srcBlockStride, srcRepeatStride);                                           \
    bascule_ascendc::ByRegister(call, repeat);                                                 \
  }

BASCULE_RAW_BINARY(vadd, Add, half, float, int16_t, int32_t)
BASCULE_RAW_BINARY(vsub, Sub, half, float, int16_t, int32_t)
BASCULE_RAW_BINARY(vmul, Mul, half, float, int16_t, int32_t)
BASCULE_RAW_BINARY(vdiv, Div, half, float)
BASCULE_RAW_BINARY(vmax, Max, half, float, int16_t, int32_t)
BASCULE_RAW_BINARY(vmin, Min, half, float, int16_t, int32_t)
BASCULE_RAW_BINARY(vand, And, int16_t, uint16_t)
BASCULE_RAW_BINARY(vor, Or, int16_t, uint16_t)
BASCULE_RAW_BINARY(vaddrelu, AddRelu, half, float, int16_t)
BASCULE_RAW_BINARY(vsubrelu, SubRelu, half, float, int16_t)
BASCULE_RAW_BINARY(vmadd, FusedMulAdd, half, float)
BASCULE_RAW_BINARY(vmaddrelu, MulAddRelu, half, float)

BASCULE_RAW_SCALAR(vadds, Adds, half, float, int16_t, int32_t)
BASCULE_RAW_SCALAR(vmuls, Muls, half, float, int16_t, int32_t)
BASCULE_RAW_SCALAR(vmaxs, Maxs, half, float, int16_t, int32_t)
BASCULE_RAW_SCALAR(vmins, Mins, half, float, int16_t, int32_t)
BASCULE_RAW_SCALAR(vlrelu, LeakyRelu, half, float)
BASCULE_RAW_SCALAR(vshl, ShiftLeft, int16_t, uint16_t, int32_t, uint32_t)

BASCULE_RAW_UNARY(vexp, Exp, half, float)
BASCULE_RAW_UNARY(vln, Ln, half, float)
BASCULE_RAW_UNARY(vabs, Abs, half, float)
BASCULE_RAW_UNARY(vrec, Reciprocal, half, float)
BASCULE_RAW_UNARY(vsqrt, Sqrt, half, float)
BASCULE_RAW_UNARY(vrsqrt, Rsqrt, half, float)
BASCULE_RAW_UNARY(vrelu, Relu, half, float, int32_t)
BASCULE_RAW_UNARY(vnot, Not, int16_t, uint16_t)
#undef BASCULE_RAW_UNARY
#undef BASCULE_RAW_SCALAR
#undef BASCULE_RAW_BINARY

// With `round` the last digit that falls out of a signed element is added.
template <typename T>
inline void vshr(T* dst, const bascule_ascendc::NotDeduced<T>* src,
                 bascule_ascendc::NotDeduced<T> digits, uint32_t repeat, uint16_t dstBlockStride,
                 uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride,
                 bool round = false, bascule_ascendc::Site site = {}) {
  AscendC::ShiftRight<T, false>(
      bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src), digits,
      AscendC::MASK_PLACEHOLDER, repeat,
      AscendC::UnaryRepeatParams(dstBlockStride, srcBlockStride, dstRepeatStride, srcRepeatStride),
      round, site);
}

// dst += src0 · src1; half sources may go to a float destination.
template <typename T, typename U>
inline void vmla(T* dst, U* src0, const bascule_ascendc::NotDeduced<U>* src1, uint32_t repeat,
                 uint16_t dstBlockStride, uint16_t src0BlockStride, uint16_t src1BlockStride,
                 uint16_t dstRepeatStride, uint16_t src0RepeatStride, uint16_t src1RepeatStride,
                 bascule_ascendc::Site site = {}) {
  using Source = std::remove_cv_t<U>;
  static_assert(bascule_ascendc::kWidens<T, Source>,
                "vmla: these element types are not supported; supported: half and float, and from "
                "half to float (destination float)");
  bascule_ascendc::VectorCall<T> call(BASCULE_OPCODE_kMulAddDst, bascule_ascendc::UbTensor(dst),
                                      site);
  call.Source(bascule_ascendc::UbTensor(src0))
      .Source(bascule_ascendc::UbTensor(src1))
      .Stride(0, dstBlockStride, dstRepeatStride)
      .Stride(1, src0BlockStride, src0RepeatStride)
      .Stride(2, src1BlockStride, src1RepeatStride);
  bascule_ascendc::ByRegister(call, repeat);
}
// dst += src · scalar.
template <typename T, typename U>
inline void vaxpy(T* dst, U* src, bascule_ascendc::NotDeduced<U> scalar, uint32_t repeat,
                  uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride,
                  uint16_t srcRepeatStride, bascule_ascendc::Site site = {}) {
  static_assert(bascule_ascendc::kWidens<T, std::remove_cv_t<U>>,
                "vaxpy: these element types are not supported; supported: half and float, and from "
                "half to float (destination float)");
  bascule_ascendc::VectorCall<T> call(BASCULE_OPCODE_kAxpy, bascule_ascendc::UbTensor(dst), site);
  call.Source(bascule_ascendc::UbTensor(src))
      .Scalar(scalar)
      .Stride(0, dstBlockStride, dstRepeatStride)
      .Stride(1, srcBlockStride, srcRepeatStride);
  bascule_ascendc::ByRegister(call, repeat);
}

// --- conversion: vconv_<from>2<to>, where the name ends with how it rounds: r to nearest even, a
// away from zero, f down, c up, z towards zero, o to odd

#define BASCULE_RAW_CONVERSION(name, to, from, mode)                                              \
  inline void name(to* dst, const from* src, uint32_t repeat, uint16_t dstBlockStride,            \
                   uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride,   \
                   bascule_ascendc::Site site = {}) {                                             \
    auto call =                                                                                   \
        bascule_ascendc::CastCall(bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src), \
                                  AscendC::RoundMode::mode, site);                                \
    call.Stride(0, dstBlockStride, dstRepeatStride).Stride(1, srcBlockStride, srcRepeatStride);   \
    bascule_ascendc::ByRegister(call, repeat);                                                    \
  }
#define BASCULE_RAW_ROUNDED(name, to, from)             \
  BASCULE_RAW_CONVERSION(name##r, to, from, CAST_RINT)  \
  BASCULE_RAW_CONVERSION(name##a, to, from, CAST_ROUND) \
  BASCULE_RAW_CONVERSION(name##f, to, from, CAST_FLOOR) \
  BASCULE_RAW_CONVERSION(name##c, to, from, CAST_CEIL)  \
  BASCULE_RAW_CONVERSION(name##z, to, from, CAST_TRUNC)
BASCULE_RAW_CONVERSION(vconv_f162f32, float, half, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_bf162f32, float, bfloat16_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_s162f32, float, int16_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_s82f16, half, int8_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_u82f16, half, uint8_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_s322s16, int16_t, int32_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_s322s64, int64_t, int32_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_s642s32, int32_t, int64_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_f322f16, half, float, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_f322f16o, half, float, CAST_ODD)
BASCULE_RAW_CONVERSION(vconv_s322f32, float, int32_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_s162f16, half, int16_t, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_f162s8, int8_t, half, CAST_NONE)
BASCULE_RAW_CONVERSION(vconv_f162u8, uint8_t, half, CAST_NONE)
BASCULE_RAW_ROUNDED(vconv_f322f16, half, float)
BASCULE_RAW_ROUNDED(vconv_f322bf16, bfloat16_t, float)
BASCULE_RAW_ROUNDED(vconv_f322s16, int16_t, float)
BASCULE_RAW_ROUNDED(vconv_f322s32, int32_t, float)
BASCULE_RAW_ROUNDED(vconv_f322s64, int64_t, float)
BASCULE_RAW_ROUNDED(vconv_f322f32, float, float)
BASCULE_RAW_ROUNDED(vconv_f162s8, int8_t, half)
BASCULE_RAW_ROUNDED(vconv_f162u8, uint8_t, half)
BASCULE_RAW_ROUNDED(vconv_f162s16, int16_t, half)
BASCULE_RAW_ROUNDED(vconv_f162s32, int32_t, half)
BASCULE_RAW_ROUNDED(vconv_bf162s32, int32_t, bfloat16_t)
BASCULE_RAW_ROUNDED(vconv_s162f16, half, int16_t)
BASCULE_RAW_ROUNDED(vconv_s322f32, float, int32_t)
BASCULE_RAW_ROUNDED(vconv_s642f32, float, int64_t)
// By the scale of set_deqscale.
BASCULE_RAW_CONVERSION(vconv_deq, half, int32_t, CAST_NONE)
#undef BASCULE_RAW_ROUNDED
#undef BASCULE_RAW_CONVERSION
inline void set_deqscale(half scale) { AscendC::SetDeqScale(scale); }

// --- filling

template <typename T>
inline void vector_dup(T* dst, bascule_ascendc::NotDeduced<T> scalar, uint32_t repeat,
                       uint16_t dstBlockStride, uint16_t /*srcBlockStride*/,
                       uint16_t dstRepeatStride, uint16_t /*srcRepeatStride*/,
                       bascule_ascendc::Site site = {}) {
  AscendC::Duplicate<T, false>(bascule_ascendc::UbTensor(dst), scalar, AscendC::MASK_PLACEHOLDER,
                               repeat, dstBlockStride, dstRepeatStride, site);
}
// Each of 8 elements into a datablock. A dstBlockStride of 0 means 1.
template <typename T>
inline void vbrcb(T* dst, const bascule_ascendc::NotDeduced<T>* src, uint16_t dstBlockStride,
                  uint16_t dstRepeatStride, uint8_t repeat, bascule_ascendc::Site site = {}) {
  AscendC::Brcb(bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src), repeat,
                AscendC::BrcbRepeatParams(dstBlockStride != 0 ? dstBlockStride : uint16_t{1},
                                          dstRepeatStride),
                site);
}

// --- reduction

#define BASCULE_RAW_EXTREME(name, type)                                                         \
  template <typename T>                                                                         \
  inline void name(T* dst, const bascule_ascendc::NotDeduced<T>* src, uint32_t repeat,          \
                   uint16_t dstRepeatStride, uint16_t srcBlockStride, uint16_t srcRepeatStride, \
                   Order_t order = VALUE_INDEX, bascule_ascendc::Site site = {}) {              \
    BASCULE_SUPPORTED(name, half, float);                                                       \
    auto call = bascule_ascendc::ReduceRepeatCall(                                              \
        type, bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src), dstRepeatStride,  \
        srcBlockStride, srcRepeatStride, static_cast<AscendC::ReduceOrder>(order), site);       \
    bascule_ascendc::ByRegister(call, repeat);                                                  \
  }
BASCULE_RAW_EXTREME(vcmax, AscendC::ReduceType::MAX)
BASCULE_RAW_EXTREME(vcmin, AscendC::ReduceType::MIN)
#undef BASCULE_RAW_EXTREME

#define BASCULE_RAW_REDUCE_BLOCKS(name, type)                                                   \
  template <typename T>                                                                         \
  inline void name(T* dst, const bascule_ascendc::NotDeduced<T>* src, uint32_t repeat,          \
                   uint16_t dstRepeatStride, uint16_t srcBlockStride, uint16_t srcRepeatStride, \
                   bascule_ascendc::Site site = {}) {                                           \
    BASCULE_SUPPORTED(name, half, float);                                                       \
    auto call = bascule_ascendc::ReduceDataBlockCall(                                           \
        type, bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src), dstRepeatStride,  \
        srcBlockStride, srcRepeatStride, site);                                                 \
    bascule_ascendc::ByRegister(call, repeat);                                                  \
  }
BASCULE_RAW_REDUCE_BLOCKS(vcgadd, AscendC::ReduceType::SUM)
BASCULE_RAW_REDUCE_BLOCKS(vcgmax, AscendC::ReduceType::MAX)
BASCULE_RAW_REDUCE_BLOCKS(vcgmin, AscendC::ReduceType::MIN)
#undef BASCULE_RAW_REDUCE_BLOCKS

template <typename T>
inline void vcpadd(T* dst, const bascule_ascendc::NotDeduced<T>* src, uint32_t repeat,
                   uint16_t dstRepeatStride, uint16_t srcBlockStride, uint16_t srcRepeatStride,
                   bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(vcpadd, half, float);
  auto call = bascule_ascendc::ReducePairElemCall(bascule_ascendc::UbTensor(dst),
                                                  bascule_ascendc::UbTensor(src), dstRepeatStride,
                                                  srcBlockStride, srcRepeatStride, site);
  bascule_ascendc::ByRegister(call, repeat);
}

// The sum of each repeat; with `total` the sum of all of them, which get_acc_val() reads.
template <typename T>
inline void vcadd(T* dst, const bascule_ascendc::NotDeduced<T>* src, uint32_t repeat,
                  uint16_t dstRepeatStride, uint16_t srcBlockStride, uint16_t srcRepeatStride,
                  bool total = false, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(vcadd, half, float);
  const auto to = bascule_ascendc::UbTensor(dst);
  const auto from = bascule_ascendc::UbTensor(src);
  if (!total) {
    auto call = bascule_ascendc::ReduceRepeatCall(AscendC::ReduceType::SUM, to, from,
                                                  dstRepeatStride, srcBlockStride, srcRepeatStride,
                                                  AscendC::ReduceOrder::ORDER_ONLY_VALUE, site);
    bascule_ascendc::ByRegister(call, repeat);
    return;
  }
  BasculeCore* core = bascule_ascendc::Core();
  constexpr uint32_t kLanes = BASCULE_REPEAT_BYTES / sizeof(T);
  const bool whole = core->vector_mask[0] == ~uint64_t{0} &&
                     (kLanes <= 64 || core->vector_mask[1] == ~uint64_t{0});
  const bool dense = srcBlockStride == 1 && (repeat < 2 || core->counter_mode != 0 ||
                                             srcRepeatStride == BASCULE_DATABLOCKS_PER_REPEAT);
  if (!dense || (core->counter_mode == 0 && !whole && repeat > 1)) {
    bascule_ascendc::Fail(
        "vcadd: a total is taken of consecutive elements: whole repeats one after the other, or as "
        "many as the mask register counts in counter mode",
        site);
  }
  // The mask register stays as it is, unlike after the call with a count.
  const uint64_t mask[2] = {core->vector_mask[0], core->vector_mask[1]};
  const uint8_t counter_mode = core->counter_mode;
  auto call = bascule_ascendc::ReduceSumCall(to, from, to, site);
  if (counter_mode == 0 && whole) {
    call.Count(static_cast<int32_t>(repeat * kLanes));
  } else {
    call.CountOfRegister();
  }
  core->counter_mode = counter_mode;
  core->vector_mask[0] = mask[0];
  core->vector_mask[1] = mask[1];
}

// --- comparison and selection

#define BASCULE_RAW_COMPARE(suffix, mode)                                                         \
  /* Bits for whole repeats, one after the other. */                                              \
  template <typename T>                                                                           \
  inline void vcmpv_##suffix(uint8_t* dst, T* src0, const bascule_ascendc::NotDeduced<T>* src1,   \
                             uint32_t repeat, uint16_t /*dstBlockStride*/,                        \
                             uint16_t src0BlockStride, uint16_t src1BlockStride,                  \
                             uint16_t /*dstRepeatStride*/, uint16_t src0RepeatStride,             \
                             uint16_t src1RepeatStride, bascule_ascendc::Site site = {}) {        \
    bascule_ascendc::CompareCall(bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src0), \
                                 bascule_ascendc::UbTensor(src1), AscendC::CMPMODE::mode, site)   \
        .Stride(1, src0BlockStride, src0RepeatStride)                                             \
        .Stride(2, src1BlockStride, src1RepeatStride)                                             \
        .WholeRepeats(repeat);                                                                    \
  }                                                                                               \
  template <typename T>                                                                           \
  inline void vcmpvs_##suffix(uint8_t* dst, T* src, bascule_ascendc::NotDeduced<T> scalar,        \
                              uint32_t repeat, uint16_t /*dstBlockStride*/,                       \
                              uint16_t srcBlockStride, uint16_t /*dstRepeatStride*/,              \
                              uint16_t srcRepeatStride, bascule_ascendc::Site site = {}) {        \
    bascule_ascendc::ComparesCall<std::remove_cv_t<T>>(bascule_ascendc::UbTensor(dst),            \
                                                       bascule_ascendc::UbTensor(src), scalar,    \
                                                       AscendC::CMPMODE::mode, site)              \
        .Stride(1, srcBlockStride, srcRepeatStride)                                               \
        .WholeRepeats(repeat);                                                                    \
  }                                                                                               \
  /* Bits of one repeat, into the compare mask register. */                                       \
  template <typename T>                                                                           \
  inline void vcmp_##suffix(T* src0, const bascule_ascendc::NotDeduced<T>* src1,                  \
                            uint32_t /*repeat*/, uint16_t /*dstBlockStride*/,                     \
                            uint16_t src0BlockStride, uint16_t src1BlockStride,                   \
                            uint16_t /*dstRepeatStride*/, uint16_t src0RepeatStride,              \
                            uint16_t src1RepeatStride, bascule_ascendc::Site site = {}) {         \
    auto call = bascule_ascendc::RegisterCompareCall(bascule_ascendc::UbTensor(src0),             \
                                                     bascule_ascendc::UbTensor(src1),             \
                                                     AscendC::CMPMODE::mode, {}, site);           \
    call.Stride(1, src0BlockStride, src0RepeatStride)                                             \
        .Stride(2, src1BlockStride, src1RepeatStride);                                            \
    bascule_ascendc::ByRegister(call, 1);                                                         \
  }
BASCULE_RAW_COMPARE(eq, EQ)
BASCULE_RAW_COMPARE(ne, NE)
BASCULE_RAW_COMPARE(lt, LT)
BASCULE_RAW_COMPARE(le, LE)
BASCULE_RAW_COMPARE(gt, GT)
BASCULE_RAW_COMPARE(ge, GE)
#undef BASCULE_RAW_COMPARE

inline void set_cmpmask(volatile void* src, bascule_ascendc::Site site = {}) {
  AscendC::SetCmpMask(bascule_ascendc::UbTensor(static_cast<volatile uint8_t*>(src)), site);
}
inline void get_cmpmask(volatile void* dst, bascule_ascendc::Site site = {}) {
  AscendC::GetCmpMask(bascule_ascendc::UbTensor(static_cast<volatile uint8_t*>(dst)), site);
}

// By the bits in the compare mask register (mode 0), or at the address it holds (mode 2).
template <typename T, typename Mode = AscendC::SELMODE>
inline void vsel(T* dst, const bascule_ascendc::NotDeduced<T>* src0,
                 const bascule_ascendc::NotDeduced<T>* src1, uint32_t repeat,
                 uint8_t dstBlockStride, uint8_t src0BlockStride, uint8_t src1BlockStride,
                 uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride,
                 Mode mode = AscendC::SELMODE::VSEL_CMPMASK_SPR, bascule_ascendc::Site site = {}) {
  const AscendC::BinaryRepeatParams params(dstBlockStride, src0BlockStride, src1BlockStride,
                                           dstRepeatStride, src0RepeatStride, src1RepeatStride);
  const auto to = bascule_ascendc::UbTensor(dst);
  const auto first = bascule_ascendc::UbTensor(src0);
  const auto second = bascule_ascendc::UbTensor(src1);
  switch (static_cast<AscendC::SELMODE>(mode)) {
    case AscendC::SELMODE::VSEL_CMPMASK_SPR:
      AscendC::Select<T, AscendC::SELMODE::VSEL_CMPMASK_SPR>(to, first, second, repeat, params,
                                                             site);
      return;
    case AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE:
      AscendC::Select<T, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE>(to, first, second, repeat,
                                                                    params, site);
      return;
    default:
      bascule_ascendc::Fail(
          "vsel: of the modes 0 (the bits are in the register) and 2 (the register holds their "
          "address) neither is given; use AscendC::Select",
          site);
  }
}

// --- reading by offsets, packing, transposing

// Offsets in bytes from an address.
template <typename T>
inline void vgather(T* dst, const uint32_t* offsets, uint64_t base, uint16_t dstRepeatStride,
                    uint32_t repeat, bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(vgather, BASCULE_PLAIN_TYPES);
  BasculeCore* core = bascule_ascendc::Core();
  const char* begin = static_cast<const char*>(core->memory_begin[BASCULE_UB]);
  const char* from = bascule_ascendc::UbAddress(reinterpret_cast<const void*>(base), core);
  bascule_ascendc::VectorCall<T> call(BASCULE_OPCODE_kGather, bascule_ascendc::UbTensor(dst), site);
  BasculeOperand whole = bascule_ascendc::RawOperand(begin, BASCULE_UB);
  whole.dtype = bascule_ascendc::TypeNumber<T>::value;
  call.Source(whole)
      .Source(bascule_ascendc::UbTensor(offsets))
      .Extra(0, static_cast<uint64_t>(from - begin))
      .Extra(1, static_cast<uint64_t>(static_cast<char*>(core->memory_end[BASCULE_UB]) - begin))
      .Stride(0, 1, dstRepeatStride);
  bascule_ascendc::ByRegister(call, repeat);
}
// Datablocks at offsets from an address.
template <typename T>
inline void vgatherb(T* dst, const uint32_t* offsets, uint64_t base, uint16_t dstRepeatStride,
                     uint8_t dstBlockStride, uint32_t repeat, bascule_ascendc::Site site = {}) {
  AscendC::Gatherb(bascule_ascendc::UbTensor(dst),
                   bascule_ascendc::UbTensor(reinterpret_cast<T*>(base)),
                   bascule_ascendc::UbTensor(offsets), repeat,
                   AscendC::GatherRepeatParams(dstBlockStride, dstRepeatStride), site);
}

// The elements that a pattern (1 to 7), or with pattern 0 the bits of src1, select of each repeat;
// in counter mode a repeat has as many as the mask register counts. get_rsvd_cnt() says how many.
template <typename T>
inline void vreducev2(T* dst, const bascule_ascendc::NotDeduced<T>* src0,
                      const bascule_ascendc::NotDeduced<T>* src1, uint16_t repeat,
                      uint8_t src0BlockStride, uint8_t pattern, uint16_t src0RepeatStride,
                      uint8_t src1RepeatStride, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  const uint8_t counter_mode = core->counter_mode;
  BasculeOperand bits = bascule_ascendc::NoOperand(bascule_ascendc::TypeNumber<T>::value);
  if (pattern == BASCULE_GATHER_MASK_BITS)
    bits = bascule_ascendc::Operand(bascule_ascendc::UbTensor(src1));
  uint64_t taken = 0;
  bascule_ascendc::GatherMaskCall(
      bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src0), bits, pattern,
      counter_mode != 0, static_cast<uint32_t>(core->vector_mask[0]),
      AscendC::GatherMaskParams(src0BlockStride, repeat, src0RepeatStride, src1RepeatStride), taken,
      site);
  core->counter_mode = counter_mode;
}
inline int64_t get_rsvd_cnt() { return static_cast<int64_t>(bascule_ascendc::Core()->gathered); }

inline void vtranspose(uint16_t* dst, uint16_t* src, bascule_ascendc::Site site = {}) {
  AscendC::Transpose(bascule_ascendc::UbTensor(dst), bascule_ascendc::UbTensor(src), site);
}

// --- registers, caches, other cores

// A hardware address of the unified buffer as one that can be read through.
inline uint64_t get_imm(uint64_t address) {
  return reinterpret_cast<uint64_t>(
      bascule_ascendc::UbAddress(reinterpret_cast<const void*>(address), bascule_ascendc::Core()));
}

inline void set_mov_pad_val(uint64_t value) {
  BasculeCore* core = bascule_ascendc::Core();
  core->pad_value = value;
  core->pad_value_set = 1;
}

#define BASCULE_RAW_ATOMIC(name, T)                                                   \
  inline void name() {                                                                \
    AscendC::SetAtomicType<T>();                                                      \
    BasculeCore* core = bascule_ascendc::Core();                                      \
    if (core->atomic_op == BASCULE_ATOMIC_NONE) core->atomic_op = BASCULE_ATOMIC_ADD; \
  }
BASCULE_RAW_ATOMIC(set_atomic_f32, float)
BASCULE_RAW_ATOMIC(set_atomic_f16, half)
BASCULE_RAW_ATOMIC(set_atomic_bf16, bfloat16_t)
BASCULE_RAW_ATOMIC(set_atomic_s32, int32_t)
BASCULE_RAW_ATOMIC(set_atomic_s16, int16_t)
BASCULE_RAW_ATOMIC(set_atomic_s8, int8_t)
#undef BASCULE_RAW_ATOMIC
inline void set_atomic_add() { bascule_ascendc::Core()->atomic_op = BASCULE_ATOMIC_ADD; }
inline void set_atomic_max() { bascule_ascendc::Core()->atomic_op = BASCULE_ATOMIC_MAX; }
inline void set_atomic_min() { bascule_ascendc::Core()->atomic_op = BASCULE_ATOMIC_MIN; }

// Scalar accesses see global memory as it is; a kernel that polls comes by here and lets the others
// run.
template <typename Line>
inline void dcci(const volatile void* /*address*/, Line /*line*/, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->poll_budget -= 16;
  if (core->poll_budget < 0) core->api->yield(core, &site);
}
template <typename Line>
inline void dcci(const volatile void* address, Line line, dcci_dst_t /*destination*/,
                 bascule_ascendc::Site site = {}) {
  dcci(address, line, site);
}
inline void dsb(mem_dsb_t /*kind*/) {}

// The message of a flag: its mode from bit 4 on, its number from bit 8 on.
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t message, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->cross_core_set(core, static_cast<uint32_t>(message >> 4 & 0xf), pipe,
                            static_cast<uint32_t>(message >> 8 & 0xf), &site);
}
inline void wait_flag_dev(int64_t flag, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::Core();
  core->api->cross_core_wait(core, PIPE_S, static_cast<uint32_t>(flag), &site);
}

#endif  // BASCULE_ASCENDC_CCE_VECTOR_H

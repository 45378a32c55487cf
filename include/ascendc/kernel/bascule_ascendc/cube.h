// The cube unit: LoadData, Mmad, Fixpipe.
//
// Source: the pages under "matrix computation (ISASI)" of the SIMD API documentation. Constructors
// list values in the order in which kernels list them.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_CUBE_H
#define BASCULE_ASCENDC_CUBE_H

#include "bascule/abi/cube.h"
#include "bascule/abi/vector.h"
#include "bascule_ascendc/missing.h"
#include "bascule_ascendc/move.h"
#include "bascule_ascendc/tensor.h"

// What becomes of C on its way out: cast, or scaled by one number or (V…) by one for each column.
enum QuantMode_t {
  NoQuant = 0,
  F322F16 = 1,
  VREQ8 = 2,
  REQ8 = 3,
  VDEQF16 = 4,
  DEQF16 = 5,
  F322BF16 = 16,
  VQF322B8_PRE = 23,
  QF322B8_PRE = 24
};

BASCULE_ASCENDC_BEGIN

using ::QuantMode_t;

// Fractals from one another's begin in the source (srcStride), from end to begin in the destination
// (dstGap); addrMode 1 goes down from startIndex.
struct LoadData2DParams {
  uint16_t startIndex = 0;
  uint16_t dstGap = 0;
  uint16_t srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0;
  uint8_t sid = 0;
  uint8_t addrMode = 0;

  constexpr LoadData2DParams() = default;
  constexpr LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t stride, uint8_t reserved,
                             uint16_t gap, bool transpose, uint8_t mode)
      : startIndex(start),
        dstGap(gap),
        srcStride(stride),
        ifTranspose(transpose),
        repeatTimes(repeats),
        sid(reserved),
        addrMode(mode) {}
};
using LoadData2dParams = LoadData2DParams;

// Of other chips; kernels for several name it.
struct LoadData2DParamsV2 {
  uint32_t mStartPosition = 0;
  uint32_t kStartPosition = 0;
  uint16_t mStep = 0;
  uint16_t kStep = 0;
  int32_t srcStride = 0;
  uint16_t dstStride = 0;
  bool ifTranspose = false;
  uint8_t sid = 0;
};

// The same with squares of elements: 64, 32, 16 and 16 on a side for 4, 8, 16 and 32 bits.
struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint16_t dstGap = 0;
  uint16_t dstFracGap = 0;
  uint8_t addrMode = 0;

  constexpr LoadData2dTransposeParams() = default;
  constexpr LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t stride,
                                      uint16_t gap, uint16_t fractal_gap, uint8_t mode = 0)
      : startIndex(start),
        repeatTimes(repeats),
        srcStride(stride),
        dstGap(gap),
        dstFracGap(fractal_gap),
        addrMode(mode) {}
};

// The older way to load a part of an image's matrix: what is not here is in registers, and numbers
// stand side by side in words, 16 bits each from kExtension, mExtension, kStartPt to mStartPt, and
// 8 bits each from strideW, strideH, filterW, filterH, dilationFilterW to dilationFilterH.
struct LoadData3DParamsV2Pro {
  uint16_t channelSize = 0;
  bool enTranspose = false;
  bool enSmallK = false;
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
  uint64_t extConfig = 0;
  uint64_t filterConfig = 0x10101010101;

  constexpr LoadData3DParamsV2Pro() = default;
  constexpr LoadData3DParamsV2Pro(uint16_t channels, bool transpose, bool small_k, bool wide,
                                  bool high, bool right, uint64_t part, uint64_t filter)
      : channelSize(channels),
        enTranspose(transpose),
        enSmallK(small_k),
        filterSizeW(wide),
        filterSizeH(high),
        fMatrixCtrl(right),
        extConfig(part),
        filterConfig(filter) {}
};

// Whether LoadData of an image takes its size and padding, and what padding is, from its parameters
// or from registers.
struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};
constexpr uint32_t PAD_SIZE = 4;
enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

// Parts of the matrix that one LoadData loads, one behind the other: repeatTime of them,
// repeatStride apart, in 16 rows (repeatMode 0) or in datablocks of columns.
struct LoadDataRepeatParam {
  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1;
  uint8_t repeatMode = 0;
  uint8_t reserved = 0;

  constexpr LoadDataRepeatParam() = default;
  constexpr LoadDataRepeatParam(uint16_t stride, uint8_t times, uint8_t mode)
      : repeatStride(stride), repeatTime(times), repeatMode(mode) {}
};

// blockNum blocks, repeatTimes times, dstGap blocks apart: datablocks in L1, else fractals.
template <typename T>
struct InitConstValueParams {
  uint16_t repeatTimes = 0;
  uint16_t blockNum = 0;
  uint16_t dstGap = 0;
  T initValue = T(0);

  constexpr InitConstValueParams() = default;
  constexpr InitConstValueParams(uint16_t times, uint16_t blocks, uint16_t gap, T value)
      : repeatTimes(times), blockNum(blocks), dstGap(gap), initValue(value) {}
  constexpr InitConstValueParams(uint16_t times, T value) : repeatTimes(times), initValue(value) {}
};

// Of factors of float: whether they are rounded to HF32, which has 11 digits behind the point, and
// which of two that are as near.
enum class HF32Mode : uint8_t { DISABLE = 0, ENABLE = 1 };
enum class HF32TransMode : uint8_t { NEAREST_EVEN = 0, NEAREST_ZERO = 1 };

// An image of l1H x l1W pixels and channelSize channels in blocks of a datablock, a window that
// moves over it, and which part of the matrix of positions (m) and points (k) is wanted.
template <typename T>
struct LoadData3DParamsV2 {
  uint8_t padList[4] = {0, 0, 0, 0};  // left, right, top, bottom
  uint16_t l1H = 0;
  uint16_t l1W = 0;
  uint16_t channelSize = 0;
  uint16_t kExtension = 0;
  uint16_t mExtension = 0;
  uint16_t kStartPt = 0;
  uint16_t mStartPt = 0;
  uint8_t strideW = 1;
  uint8_t strideH = 1;
  uint8_t filterW = 1;
  uint8_t filterH = 1;
  uint8_t dilationFilterW = 1;
  uint8_t dilationFilterH = 1;
  bool enTranspose = false;
  bool enSmallK = false;
  T padValue = T(0);
  bool filterSizeW = false;  // 256 more
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
};

// C starts from 0 unless cmatrixInitVal is false: then from the bias table (cmatrixSource) or from
// itself. isBias is the older way to say that it starts from itself.
struct MmadParams {
  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false;
  bool enWinogradA = false;
  bool enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false;
  bool cmatrixSource = false;
  bool cmatrixInitVal = true;

  constexpr MmadParams() = default;
  constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t inner, bool accumulate,
                       int32_t offset, bool sparse, bool winograd_a, bool winograd_b)
      : m(rows),
        n(columns),
        k(inner),
        isBias(accumulate),
        fmOffset(offset),
        enSsparse(sparse),
        enWinogradA(winograd_a),
        enWinogradB(winograd_b) {}
  constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t inner, uint8_t flag,
                       bool from_bias, bool from_zero)
      : m(rows),
        n(columns),
        k(inner),
        unitFlag(flag),
        cmatrixSource(from_bias),
        cmatrixInitVal(from_zero) {}
};

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

// srcStride in rows of 16 elements; dstStride in elements from row to row (CFG_ROW_MAJOR), else in
// datablocks from strip to strip. ndNum matrices, 256 elements times srcNdStride apart.
struct FixpipeParamsV220 {
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;

  constexpr FixpipeParamsV220() = default;
  constexpr FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t from, uint32_t to,
                              bool relu)
      : nSize(columns), mSize(rows), srcStride(from), dstStride(to), reluEn(relu) {}
  constexpr FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t from, uint32_t to,
                              bool relu, QuantMode_t quantise, uint64_t word, uint16_t matrices,
                              uint16_t from_matrix, uint16_t to_matrix, uint8_t flag)
      : nSize(columns),
        mSize(rows),
        srcStride(from),
        dstStride(to),
        quantPre(quantise),
        deqScalar(word),
        ndNum(matrices),
        srcNdStride(from_matrix),
        dstNdStride(to_matrix),
        reluEn(relu),
        unitFlag(flag) {}
};

// The older way out, DataCopy from L0C; what it does not say is in registers that the Set functions
// below write.
struct DataCopyCO12DstParams {
  // Constructors, so that a list of four numbers is a DataCopyParams.
  DataCopyCO12DstParams() = default;
  DataCopyCO12DstParams(uint16_t n_size, uint16_t m_size, uint32_t dst_stride, uint16_t src_stride,
                        QuantMode_t quant, uint8_t relu, bool split_channels, bool to_nd)
      : nSize(n_size),
        mSize(m_size),
        dstStride(dst_stride),
        srcStride(src_stride),
        quantPre(quant),
        reluPre(relu),
        channelSplit(split_channels),
        nz2ndEn(to_nd) {}

  uint8_t sid = 0;
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  uint8_t unitFlag = 0;
  uint8_t clipReluPre = 0;
  uint8_t eltWiseOp = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint8_t reluPre = 0;
  bool channelSplit = false;
  bool nz2ndEn = false;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename... Tensors>
BasculeInstruction CubeInstruction(uint16_t opcode, const Site& site, const Tensors&... tensors) {
  // Field by field: a call that clears all of it takes longer than the rest, and operands that are
  // copied as a block have to reach the cache before they are read.
  BasculeInstruction in;
  in.opcode = opcode;
  in.form = BASCULE_FORM_COUNT;
  in.operand_count = sizeof...(tensors);
  in.count = 1;
  in.mask[0] = in.mask[1] = 0;
  BasculeOperand* to = in.operand;
  ((*to++ = Operand(tensors)), ...);
  for (size_t i = sizeof...(tensors); i < BASCULE_INLINE_OPERANDS; ++i)
    in.operand[i] = BasculeOperand{};
  in.params.vector = BasculeVectorParams{};
  in.site = site;
  in.more = nullptr;
  return in;
}

constexpr uint32_t Flag(bool on, uint32_t flag) { return on ? flag : 0; }

template <typename T>
constexpr uint32_t kFractalElements = BASCULE_FRACTAL_BYTES * 8 / ElementBits<T>;

// The piece that lies first in the source: with addrMode 1 the one that is moved last.
template <typename Params>
uint64_t FirstPiece(const char* call, const Params& params, const Site& site) {
  if (params.addrMode == 0) return params.startIndex;
  const uint64_t down =
      params.repeatTimes == 0 ? 0 : uint64_t{params.srcStride} * (params.repeatTimes - 1u);
  if (down > params.startIndex) {
    char text[160];
    std::snprintf(text, sizeof(text),
                  "%s: with addrMode 1, %u pieces from startIndex %u on go down below 0", call,
                  unsigned{params.repeatTimes}, unsigned{params.startIndex});
    Fail(text, site);
  }
  return params.startIndex - down;
}

template <typename T, typename Source>
void LoadFractals(const AscendC::LocalTensor<T>& dst, const Source& src,
                  const AscendC::LoadData2DParams& params, const Site& site) {
  const uint64_t first = FirstPiece("LoadData", params, site) * kFractalElements<T>;
  BasculeInstruction in =
      CubeInstruction(BASCULE_OPCODE_kLoadData, site, dst, src[static_cast<uint32_t>(first)]);
  uint64_t* extra = in.params.vector.extra;
  extra[BASCULE_LOAD_PIECES] = params.repeatTimes;
  extra[BASCULE_LOAD_FROM_STRIDE] = params.srcStride;
  extra[BASCULE_LOAD_TO_STRIDE] = uint64_t{params.dstGap} + 1;
  in.params.vector.flags = Flag(params.ifTranspose, BASCULE_LOAD_TRANSPOSE) |
                           Flag(params.addrMode != 0, BASCULE_LOAD_BACKWARDS);
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
}

// Registers, which a runtime of before does not have.
inline BasculeCore* CubeRegisters(const char* call, size_t bytes, const Site& site) {
  BasculeCore* core = Core();
  if (core->struct_bytes < bytes) {
    char text[160];
    std::snprintf(text, sizeof(text),
                  "%s: this library was built with newer headers than the bascule runtime in this "
                  "process; install the bascule it was built with",
                  call);
    Fail(text, site);
  }
  return core;
}
constexpr size_t kFixpipeRegisters = offsetof(BasculeCore, fixpipe_reserved) + 2;
constexpr size_t kAllRegisters = offsetof(BasculeCore, cube_reserved) + 6;

// What of an image LoadData takes from its parameters.
struct ImagePart {
  uint64_t channels;
  uint64_t strides_and_filter;  // 8 bits each: strides, filter, dilation, along width and height
  bool wider, higher;           // the filter, by 256
  uint64_t part;
  bool turned;
};

template <typename T>
void LoadImage(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
               uint64_t size_and_pad, uint64_t padding, const ImagePart& image, const Site& site) {
  BasculeCore* core = dst.Core();
  BasculeInstruction in = CubeInstruction(BASCULE_OPCODE_kLoadDataImage, site, dst, src);
  uint64_t* extra = in.params.vector.extra;
  const uint64_t filter = image.strides_and_filter;
  extra[BASCULE_IMAGE_SIZE] = (size_and_pad & 0xffffffff) | image.channels << 32;
  extra[BASCULE_IMAGE_PAD_AND_STRIDE] = size_and_pad >> 32 | (filter & 0xffff) << 32;
  extra[BASCULE_IMAGE_FILTER] = ((filter >> 16 & 0xff) + (image.wider ? 256u : 0u)) |
                                ((filter >> 24 & 0xff) + (image.higher ? 256u : 0u)) << 16 |
                                (filter >> 32 & 0xffff) << 32;
  extra[BASCULE_IMAGE_PART] = image.part;
  in.params.vector.flags = Flag(image.turned, BASCULE_LOAD_TRANSPOSE);
  in.params.vector.scalar.bits = padding;
  if (core->struct_bytes >= kAllRegisters) {
    if (core->image_repeats == 0) return;
    extra[BASCULE_IMAGE_SIZE] |= uint64_t{core->image_repeat_stride} << BASCULE_IMAGE_HIGH;
    extra[BASCULE_IMAGE_PAD_AND_STRIDE] |=
        (uint64_t{core->image_repeats} - 1 + uint64_t{core->image_repeat_side} * 256)
        << BASCULE_IMAGE_HIGH;
    if (core->image_boundary != 0 && src.Memory() == BASCULE_L1) {
      // What begins behind L1's begin and goes on there is all of L1 up to the boundary.
      char* const begin = static_cast<char*>(core->memory_begin[BASCULE_L1]);
      const auto first = static_cast<uint64_t>(reinterpret_cast<char*>(src.Data()) - begin);
      if (first >= core->image_boundary)
        Fail("LoadData: the source begins behind the boundary that SetLoadDataBoundary set", site);
      in.operand[1].address = begin;
      in.params.vector.mode = core->image_boundary;
      extra[BASCULE_IMAGE_FILTER] |= first / BASCULE_DATABLOCK_BYTES << BASCULE_IMAGE_HIGH;
    }
  }
  core->api->execute(core, &in);
}

// The bits of a number that stands for padding; two of 4 bits make a byte.
template <typename T>
uint64_t PaddingBits(const T& value) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  if constexpr (kFourBits<T>) bits = (bits & 15) * 0x11;
  return bits;
}

// Where the index of a matrix in L0B is.
template <typename T>
uint64_t SparseIndex(const char* call, const AscendC::LocalTensor<T>& matrix, const Site& site) {
  const BasculeCore* core = CubeRegisters(call, kAllRegisters, site);
  if (matrix.Memory() != BASCULE_L0B) Fail("the sparse matrix lies in L0B", site);
  const auto first = reinterpret_cast<uint64_t>(matrix.Data()) -
                     reinterpret_cast<uint64_t>(core->memory_begin[BASCULE_L0B]);
  return reinterpret_cast<uint64_t>(core->sparse_index) + first / 4;
}

// A product; with FROM_BIAS `bias` is what C starts from, else it is not looked at.
template <typename T, typename U, typename S, typename V>
void Product(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& fm,
             const AscendC::LocalTensor<S>& filter, const AscendC::LocalTensor<V>& bias,
             const AscendC::MmadParams& params, uint32_t from, const Site& site,
             bool sparse = false) {
  static_assert(std::is_same_v<U, S>, "Mmad: the two factors have one element type");
  constexpr bool kWhole = std::is_same_v<U, int8_t> || std::is_same_v<U, AscendC::int4b_t>;
  static_assert(kWhole || std::is_same_v<U, half> || std::is_same_v<U, bfloat16_t> ||
                    std::is_same_v<U, float>,
                "Mmad multiplies half, bfloat16_t, float, int8_t and int4b_t");
  static_assert(std::is_same_v<T, std::conditional_t<kWhole, int32_t, float>>,
                "Mmad: C is int32_t for int8_t and int4b_t, else float");
  BasculeInstruction in = CubeInstruction(BASCULE_OPCODE_kMmad, site, dst, fm, filter, bias);
  uint64_t* extra = in.params.vector.extra;
  extra[BASCULE_MMAD_M] = params.m;
  extra[BASCULE_MMAD_N] = params.n;
  extra[BASCULE_MMAD_K] = params.k;
  in.params.vector.mode = from;
  in.params.vector.flags = bascule_ascendc::Flag(params.kDirectionAlign, BASCULE_MMAD_ALIGN_K);
  BasculeCore* core = dst.Core();
  if (std::is_same_v<U, float> && core->struct_bytes >= kAllRegisters && core->hf32 != 0) {
    in.params.vector.flags |=
        BASCULE_MMAD_HF32 | bascule_ascendc::Flag(core->hf32_to_zero != 0, BASCULE_MMAD_HF32_ZERO);
  }
  if (sparse) {
    extra[BASCULE_SPARSE_INDEX] = SparseIndex("MmadWithSparse", filter, site);
    in.params.vector.flags |= BASCULE_MMAD_SPARSE;
  }
  core->api->execute(core, &in);
}

inline uint32_t FixpipeMode(QuantMode_t mode) {
  switch (mode) {
    case NoQuant:
      return BASCULE_FIXPIPE_AS_IS;
    case F322F16:
    case F322BF16:
      return BASCULE_FIXPIPE_CAST;
    case VREQ8:
    case VDEQF16:
    case VQF322B8_PRE:
      return BASCULE_FIXPIPE_SCALE_BY_COLUMN;
    default:
      return BASCULE_FIXPIPE_SCALE;
  }
}

// Casts name their type, which has to be the destination's.
template <typename T>
void CheckQuantMode(const char* call, QuantMode_t mode, const Site& site) {
  const bool fits = mode == NoQuant ||
                    (mode == F322F16 || mode == DEQF16 || mode == VDEQF16 ? std::is_same_v<T, half>
                     : mode == F322BF16 ? std::is_same_v<T, bfloat16_t>
                                        : std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>);
  if (fits) return;
  char text[160];
  std::snprintf(text, sizeof(text),
                "%s: quantPre makes another element type than the destination has", call);
  Fail(text, site);
}

// C, in rows or in strips; `words` are looked at where quantPre takes one for each column.
template <typename Dst, typename U>
void WriteOut(const char* call, const Dst& dst, const AscendC::LocalTensor<U>& src,
              const AscendC::LocalTensor<uint64_t>& words, bool rows,
              const AscendC::FixpipeParamsV220& params, const Site& site) {
  static_assert(std::is_same_v<U, float> || std::is_same_v<U, int32_t>,
                "what leaves the cube unit is float or int32_t");
  CheckQuantMode<typename Dst::PrimType>(call, params.quantPre, site);
  const uint32_t matrices = rows ? params.ndNum : 1;
  for (uint32_t i = 0; i < matrices; ++i) {
    BasculeInstruction in =
        CubeInstruction(BASCULE_OPCODE_kFixpipe, site, dst[i * uint32_t{params.dstNdStride}],
                        src[i * uint32_t{params.srcNdStride} * 256], words);
    uint64_t* extra = in.params.vector.extra;
    extra[BASCULE_FIXPIPE_N] = params.nSize;
    extra[BASCULE_FIXPIPE_M] = params.mSize;
    extra[BASCULE_FIXPIPE_FROM_STRIDE] = params.srcStride;
    extra[BASCULE_FIXPIPE_TO_STRIDE] = params.dstStride;
    in.params.vector.mode = FixpipeMode(params.quantPre);
    in.params.vector.flags = Flag(rows, BASCULE_FIXPIPE_ROWS) |
                             Flag(params.reluEn, BASCULE_FIXPIPE_RELU) |
                             Flag(params.isChannelSplit, BASCULE_FIXPIPE_SPLIT);
    in.params.vector.scalar.bits = params.deqScalar;
    BasculeCore* core = src.Core();
    core->api->execute(core, &in);
  }
}

inline bool ByColumn(QuantMode_t mode) {
  return FixpipeMode(mode) == BASCULE_FIXPIPE_SCALE_BY_COLUMN;
}

template <const AscendC::FixpipeConfig& config, typename Dst, typename U>
void Out(const Dst& dst, const AscendC::LocalTensor<U>& src,
         const AscendC::LocalTensor<uint64_t>& words, bool has_words,
         const AscendC::FixpipeParamsV220& params, const Site& site) {
  static_assert(config.format != AscendC::CO2Layout::COLUMN_MAJOR,
                "Fixpipe: Atlas A2 writes rows (CFG_ROW_MAJOR) and strips (CFG_NZ)");
  static_assert(!config.isToUB, "Fixpipe: Atlas A2 has no way from L0C to the unified buffer");
  if (ByColumn(params.quantPre) && !has_words) {
    Fail(
        "Fixpipe: this quantPre takes a number for each column; pass the tensor that holds them, "
        "LocalTensor<uint64_t> in L1, in front of the parameters",
        site);
  }
  WriteOut("Fixpipe", dst, src, words, config.format == AscendC::CO2Layout::ROW_MAJOR, params,
           site);
}

// The registers of DataCopy from L0C.
inline BasculeCore* FixpipeRegisters(const char* call, const Site& site) {
  return CubeRegisters(call, kFixpipeRegisters, site);
}

// DataCopy from L0C: as Fixpipe, with what the registers say.
template <typename Dst, typename U>
void CopyOut(const Dst& dst, const AscendC::LocalTensor<U>& src,
             const AscendC::DataCopyCO12DstParams& params, const Site& site) {
  const BasculeCore* core = FixpipeRegisters("DataCopy from L0C", site);
  AscendC::LocalTensor<uint64_t> words;
  if (ByColumn(params.quantPre)) {
    if (core->fixpipe_words == nullptr) {
      Fail(
          "DataCopy from L0C: this quantPre takes a number for each column; SetFixPipeConfig says "
          "where in the fixpipe buffer they are",
          site);
    }
    const auto offset = static_cast<uint32_t>(static_cast<char*>(core->fixpipe_words) -
                                              static_cast<char*>(core->memory_begin[BASCULE_FB]));
    words = AscendC::LocalTensor<uint64_t>(AscendC::TPosition::C2PIPE2GM, offset, params.nSize);
  }
  AscendC::FixpipeParamsV220 out(params.nSize, params.mSize, params.srcStride, params.dstStride,
                                 params.reluPre != 0);
  out.quantPre = params.quantPre;
  out.deqScalar = core->fixpipe_word;
  out.ndNum = core->fixpipe_matrices;
  out.srcNdStride = core->fixpipe_from_stride;
  out.dstNdStride = core->fixpipe_to_stride;
  out.isChannelSplit = params.channelSplit;
  if (params.clipReluPre != 0 || params.eltWiseOp != 0)
    Fail("DataCopy from L0C: Atlas A2 has no clipReluPre and no eltWiseOp; both are 0", site);
  WriteOut("DataCopy from L0C", dst, src, words, params.nz2ndEn, out, site);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

// Fractals to L0A, L0B or, from global memory, L1.
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LoadData2DParams& loadDataParams,
                                bascule_ascendc::Site site = {}) {
  bascule_ascendc::LoadFractals(dst, src, loadDataParams, site);
}
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const LoadData2DParams& loadDataParams,
                                bascule_ascendc::Site site = {}) {
  static_assert(!bascule_ascendc::kFourBits<T>, "LoadData: int4b_t comes from L1 only");
  bascule_ascendc::LoadFractals(dst, src, loadDataParams, site);
}

template <typename Dst, typename Src, typename Params>
__aicore__ inline std::enable_if_t<std::is_same_v<Params, LoadData2DParamsV2>> LoadData(
    const Dst&, const Src&, const Params&) {
  static_assert(bascule_ascendc::NeverFor<Dst, Src>::value,
                "LoadData with LoadData2DParamsV2: Atlas A2 does not have it; other chips do");
}

// Squares of elements from L1 to L0A or L0B, transposed.
template <typename T>
__aicore__ inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                             const LoadData2dTransposeParams& loadDataParams,
                                             bascule_ascendc::Site site = {}) {
  constexpr uint32_t kBits = static_cast<uint32_t>(bascule_ascendc::ElementBits<T>);
  constexpr uint32_t kSide = kBits == 4 ? 64 : kBits == 8 ? 32 : 16;
  static_assert(kBits <= 32, "LoadDataWithTranspose: elements have 4, 8, 16 or 32 bits");
  const uint64_t first =
      bascule_ascendc::FirstPiece("LoadDataWithTranspose", loadDataParams, site) * kSide * kSide;
  BasculeInstruction in = bascule_ascendc::CubeInstruction(
      BASCULE_OPCODE_kLoadDataWithTranspose, site, dst, src[static_cast<uint32_t>(first)]);
  uint64_t* extra = in.params.vector.extra;
  extra[BASCULE_LOAD_PIECES] = loadDataParams.repeatTimes;
  extra[BASCULE_LOAD_FROM_STRIDE] = loadDataParams.srcStride;
  extra[BASCULE_LOAD_TO_STRIDE] = uint64_t{loadDataParams.dstGap} + 1;
  extra[BASCULE_LOAD_TO_FRACTAL_STRIDE] = uint64_t{loadDataParams.dstFracGap} + 1;
  in.params.vector.flags =
      bascule_ascendc::Flag(loadDataParams.addrMode != 0, BASCULE_LOAD_BACKWARDS);
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
}

// A part of the matrix of an image, to L0A or, turned, to L0B. What it sets in registers stays
// there.
template <typename T, const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LoadData3DParamsV2<T>& loadDataParams,
                                bascule_ascendc::Site site = {}) {
  const LoadData3DParamsV2<T>& p = loadDataParams;
  if (p.enSmallK || p.fMatrixCtrl)
    bascule_ascendc::Fail("LoadData: enSmallK and fMatrixCtrl are false on Atlas A2", site);
  uint64_t size = p.l1H | uint64_t{p.l1W} << 16 | uint64_t{p.padList[0]} << 32 |
                  uint64_t{p.padList[1]} << 40 | uint64_t{p.padList[2]} << 48 |
                  uint64_t{p.padList[3]} << 56;
  uint64_t padding = bascule_ascendc::PaddingBits(p.padValue);
  constexpr bool kParametersOnly = defaultConfig.isSetFMatrix && defaultConfig.isSetPadding;
  BasculeCore* core = dst.Core();
  if (!kParametersOnly || core->struct_bytes >= bascule_ascendc::kAllRegisters) {
    core = bascule_ascendc::CubeRegisters("LoadData", bascule_ascendc::kAllRegisters, site);
    if (defaultConfig.isSetFMatrix) core->image_size = size;
    if (defaultConfig.isSetPadding) core->image_padding = padding;
    size = core->image_size;
    padding = core->image_padding;
  }
  const uint64_t filter = p.strideW | uint64_t{p.strideH} << 8 | uint64_t{p.filterW} << 16 |
                          uint64_t{p.filterH} << 24 | uint64_t{p.dilationFilterW} << 32 |
                          uint64_t{p.dilationFilterH} << 40;
  const uint64_t part = p.kExtension | uint64_t{p.mExtension} << 16 | uint64_t{p.kStartPt} << 32 |
                        uint64_t{p.mStartPt} << 48;
  bascule_ascendc::LoadImage(
      dst, src, size, padding,
      {p.channelSize, filter, p.filterSizeW, p.filterSizeH, part, p.enTranspose}, site);
}
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LoadData3DParamsV2Pro& loadDataParams,
                                bascule_ascendc::Site site = {}) {
  const LoadData3DParamsV2Pro& p = loadDataParams;
  if (p.enSmallK || p.fMatrixCtrl)
    bascule_ascendc::Fail("LoadData: enSmallK and fMatrixCtrl are false on Atlas A2", site);
  const BasculeCore* core =
      bascule_ascendc::CubeRegisters("LoadData", bascule_ascendc::kAllRegisters, site);
  bascule_ascendc::LoadImage(
      dst, src, core->image_size, core->image_padding,
      {p.channelSize, p.filterConfig, p.filterSizeW, p.filterSizeH, p.extConfig, p.enTranspose},
      site);
}

// Registers of LoadData of an image: its size and padding (left, right, top, bottom), what padding
// is, how many parts, and from which byte of L1 on reading goes on at L1's begin (0: from none).
__aicore__ inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
                                  const FmatrixMode& fmatrixMode, bascule_ascendc::Site site = {}) {
  BasculeCore* core =
      bascule_ascendc::CubeRegisters("SetFmatrix", bascule_ascendc::kAllRegisters, site);
  if (fmatrixMode != FmatrixMode::FMATRIX_LEFT)
    bascule_ascendc::Fail("SetFmatrix: fmatrixMode is FMATRIX_LEFT, for both matrices", site);
  core->image_size = l1H | uint64_t{l1W} << 16 | uint64_t{padList[0]} << 32 |
                     uint64_t{padList[1]} << 40 | uint64_t{padList[2]} << 48 |
                     uint64_t{padList[3]} << 56;
}
template <typename T>
__aicore__ inline void SetLoadDataPaddingValue(const T padValue, bascule_ascendc::Site site = {}) {
  static_assert(sizeof(T) <= 4, "SetLoadDataPaddingValue: numbers have 8, 16 or 32 bits");
  bascule_ascendc::CubeRegisters("SetLoadDataPaddingValue", bascule_ascendc::kAllRegisters, site)
      ->image_padding = bascule_ascendc::PaddingBits(padValue);
}
__aicore__ inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeatParams,
                                         bascule_ascendc::Site site = {}) {
  BasculeCore* core =
      bascule_ascendc::CubeRegisters("SetLoadDataRepeat", bascule_ascendc::kAllRegisters, site);
  if (repeatParams.repeatMode > 1)
    bascule_ascendc::Fail("SetLoadDataRepeat: repeatMode is 0 (rows) or 1 (columns)", site);
  core->image_repeat_stride = repeatParams.repeatStride;
  core->image_repeats = repeatParams.repeatTime;
  core->image_repeat_side = repeatParams.repeatMode;
}
__aicore__ inline void SetLoadDataBoundary(uint32_t boundaryValue,
                                           bascule_ascendc::Site site = {}) {
  BasculeCore* core =
      bascule_ascendc::CubeRegisters("SetLoadDataBoundary", bascule_ascendc::kAllRegisters, site);
  if (boundaryValue != 0 && boundaryValue < 1024)
    bascule_ascendc::Fail("SetLoadDataBoundary: the boundary is 0, for none, or at least 1024",
                          site);
  core->image_boundary = boundaryValue;
}

// Every element of so many blocks becomes one number.
template <typename T>
__aicore__ inline void Fill(const LocalTensor<T>& dst,
                            const InitConstValueParams<T>& initConstValueParams,
                            bascule_ascendc::Site site = {}) {
  static_assert((sizeof(T) == 2 || sizeof(T) == 4) && !bascule_ascendc::kFourBits<T>,
                "Fill of L1, L0A or L0B: elements have 16 or 32 bits");
  BasculeInstruction in = bascule_ascendc::CubeInstruction(BASCULE_OPCODE_kInitConst, site, dst);
  uint64_t* extra = in.params.vector.extra;
  extra[BASCULE_INIT_REPEATS] = initConstValueParams.repeatTimes;
  extra[BASCULE_INIT_BLOCKS] = initConstValueParams.blockNum;
  extra[BASCULE_INIT_GAP] = initConstValueParams.dstGap;
  in.params.vector.scalar.bits = bascule_ascendc::PaddingBits(initConstValueParams.initValue);
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
}
template <typename T>
__aicore__ inline void InitConstValue(const LocalTensor<T>& dst,
                                      const InitConstValueParams<T>& initConstValueParams,
                                      bascule_ascendc::Site site = {}) {
  Fill(dst, initConstValueParams, site);
}

// Two of every four elements along k of a matrix B, and 2 bits for each that say where in A what it
// is multiplied with stands: in the first three of four, or in the last three.
template <typename T, typename U>
__aicore__ inline void LoadDataWithSparse(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                          const LocalTensor<U>& idx,
                                          const LoadData2DParams& loadDataParam,
                                          bascule_ascendc::Site site = {}) {
  static_assert(std::is_same_v<T, int8_t> && std::is_same_v<U, uint8_t>,
                "LoadDataWithSparse: the matrix is int8_t, its index uint8_t");
  const uint32_t first = loadDataParam.startIndex;
  BasculeInstruction in = bascule_ascendc::CubeInstruction(BASCULE_OPCODE_kLoadDataSparse, site,
                                                           dst, src[first * BASCULE_FRACTAL_BYTES],
                                                           idx[first * BASCULE_SPARSE_INDEX_BYTES]);
  uint64_t* extra = in.params.vector.extra;
  extra[BASCULE_SPARSE_PIECES] = loadDataParam.repeatTimes;
  extra[BASCULE_SPARSE_INDEX] = bascule_ascendc::SparseIndex("LoadDataWithSparse", dst, site);
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
}
template <typename T, typename U>
__aicore__ inline void MmadWithSparse(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                                      const LocalTensor<U>& filter, const MmadParams& mmadParams,
                                      bascule_ascendc::Site site = {}) {
  static_assert(std::is_same_v<T, int32_t> && std::is_same_v<U, int8_t>,
                "MmadWithSparse: A and B are int8_t, C is int32_t");
  const bool zero = mmadParams.cmatrixInitVal && !mmadParams.isBias;
  const uint32_t from = zero                       ? BASCULE_MMAD_FROM_ZERO
                        : mmadParams.cmatrixSource ? BASCULE_MMAD_FROM_BIAS
                                                   : BASCULE_MMAD_FROM_C;
  bascule_ascendc::Product(dst, fm, filter,
                           from == BASCULE_MMAD_FROM_BIAS
                               ? LocalTensor<T>(TPosition::C2, 0, mmadParams.n)
                               : LocalTensor<T>(),
                           mmadParams, from, site, true);
}

// Whether Mmad rounds factors of float to HF32, and how.
__aicore__ inline void SetHF32Mode(HF32Mode mode, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CubeRegisters("SetHF32Mode", bascule_ascendc::kAllRegisters, site)->hf32 =
      static_cast<uint8_t>(mode);
}
__aicore__ inline void SetHF32TransMode(HF32TransMode mode, bascule_ascendc::Site site = {}) {
  bascule_ascendc::CubeRegisters("SetHF32TransMode", bascule_ascendc::kAllRegisters, site)
      ->hf32_to_zero = static_cast<uint8_t>(mode);
}

// A bias of half becomes float on its way to the bias table. blockLen counts 64 bytes of the
// source, dstStride of the table.
template <typename T, typename U>
__aicore__ inline std::enable_if_t<!std::is_same_v<T, U>> DataCopy(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& repeatParams,
    bascule_ascendc::Site site = {}) {
  static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,
                "DataCopy between element types makes float of half, from L1 to the bias table");
  if (repeatParams.blockCount > bascule_ascendc::kMaxBlockCount)
    bascule_ascendc::Fail("DataCopy: blockCount is limited to 4095", site);
  BasculeInstruction in =
      bascule_ascendc::CubeInstruction(BASCULE_OPCODE_kCopyBias, site, dst, src);
  uint64_t* extra = in.params.vector.extra;
  extra[BASCULE_BIAS_BLOCKS] = repeatParams.blockCount;
  extra[BASCULE_BIAS_ELEMENTS] = uint64_t{repeatParams.blockLen} * 32;
  extra[BASCULE_BIAS_FROM_GAP] = uint64_t{repeatParams.srcStride} * BASCULE_DATABLOCK_BYTES;
  extra[BASCULE_BIAS_TO_GAP] = uint64_t{repeatParams.dstStride} * 64;
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
}

// C = A B, or C += A B.
template <typename T, typename U, typename S>
__aicore__ inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                            const LocalTensor<S>& filter, const MmadParams& mmadParams,
                            bascule_ascendc::Site site = {}) {
  const bool zero = mmadParams.cmatrixInitVal && !mmadParams.isBias;
  const uint32_t from = zero                       ? BASCULE_MMAD_FROM_ZERO
                        : mmadParams.cmatrixSource ? BASCULE_MMAD_FROM_BIAS
                                                   : BASCULE_MMAD_FROM_C;
  // The bias stands at the table's begin.
  bascule_ascendc::Product(dst, fm, filter,
                           from == BASCULE_MMAD_FROM_BIAS
                               ? LocalTensor<T>(TPosition::C2, 0, mmadParams.n)
                               : LocalTensor<T>(),
                           mmadParams, from, site);
}
// C = bias + A B, or C += A B where the bias is C itself (in L0C).
template <typename T, typename U, typename S, typename V>
__aicore__ inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                            const LocalTensor<S>& filter, const LocalTensor<V>& bias,
                            const MmadParams& mmadParams, bascule_ascendc::Site site = {}) {
  const uint32_t from = mmadParams.cmatrixInitVal && bias.Memory() != BASCULE_BT
                            ? BASCULE_MMAD_FROM_ZERO
                        : bias.Memory() == BASCULE_L0C ? BASCULE_MMAD_FROM_C
                                                       : BASCULE_MMAD_FROM_BIAS;
  bascule_ascendc::Product(dst, fm, filter, bias, mmadParams, from, site);
}

// C to global memory, or in strips to L1.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                               const FixpipeParamsV220& intriParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::Out<config>(dst, src, LocalTensor<uint64_t>(), false, intriParams, site);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                               const LocalTensor<uint64_t>& cbufWorkspace,
                               const FixpipeParamsV220& intriParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::Out<config>(dst, src, cbufWorkspace, true, intriParams, site);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                               const FixpipeParamsV220& intriParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::Out<config>(dst, src, LocalTensor<uint64_t>(), false, intriParams, site);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                               const LocalTensor<uint64_t>& cbufWorkspace,
                               const FixpipeParamsV220& intriParams,
                               bascule_ascendc::Site site = {}) {
  bascule_ascendc::Out<config>(dst, src, cbufWorkspace, true, intriParams, site);
}

template <typename T, typename U>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                                const DataCopyCO12DstParams& intriParams,
                                bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyOut(dst, src, intriParams, site);
}
template <typename T, typename U>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                                const DataCopyCO12DstParams& intriParams,
                                bascule_ascendc::Site site = {}) {
  bascule_ascendc::CopyOut(dst, src, intriParams, site);
}

// How DataCopy from L0C quantises: by one word, or by those in the fixpipe buffer. A tensor in L0C
// only resets flags of the hardware.
__aicore__ inline void SetFixpipePreQuantFlag(uint64_t config, bascule_ascendc::Site site = {}) {
  bascule_ascendc::FixpipeRegisters("SetFixpipePreQuantFlag", site)->fixpipe_word = config;
}
template <typename T, bool setRelu = false>
__aicore__ inline void SetFixPipeConfig(const LocalTensor<T>& preData, bool /*isUnitFlag*/ = false,
                                        bascule_ascendc::Site site = {}) {
  static_assert(!setRelu, "SetFixPipeConfig: a tensor for relu is reserved");
  BasculeCore* core = bascule_ascendc::FixpipeRegisters("SetFixPipeConfig", site);
  if (preData.Memory() == BASCULE_L0C) return;
  if (preData.Memory() != BASCULE_FB) {
    bascule_ascendc::Fail("SetFixPipeConfig: the tensor lies in the fixpipe buffer (C2PIPE2GM)",
                          site);
  }
  core->fixpipe_words = preData.Data();
}
template <typename T>
__aicore__ inline void SetFixPipeConfig(const LocalTensor<T>& /*reluPre*/,
                                        const LocalTensor<T>& quantPre, bool isUnitFlag = false,
                                        bascule_ascendc::Site site = {}) {
  SetFixPipeConfig<T, false>(quantPre, isUnitFlag, site);
}
// With nz2ndEn: ndNum matrices, so far apart as FixpipeParamsV220 says.
__aicore__ inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride,
                                           uint16_t dstNdStride, bascule_ascendc::Site site = {}) {
  BasculeCore* core = bascule_ascendc::FixpipeRegisters("SetFixpipeNz2ndFlag", site);
  core->fixpipe_matrices = ndNum;
  core->fixpipe_from_stride = srcNdStride;
  core->fixpipe_to_stride = dstNdStride;
}

// In which order the cube unit computes blocks of C: time, not values.
__aicore__ inline void SetMMLayoutTransform(bool /*mmLayoutMode*/) {
  (void)bascule_ascendc::Core();
}
__aicore__ inline void SetMMColumnMajor() { SetMMLayoutTransform(true); }
__aicore__ inline void SetMMRowMajor() { SetMMLayoutTransform(false); }

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_CUBE_H

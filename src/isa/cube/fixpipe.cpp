// SPDX-License-Identifier: Apache-2.0
#include "isa/cube/fixpipe.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "bascule/abi/cube.h"
#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "base/dtype.h"
#include "base/error.h"
#include "isa/cube/cube.h"
#include "isa/footprint.h"
#include "isa/move/accumulate.h"

namespace bascule::isa {
namespace {

constexpr uint64_t kColumns = 16;  // of a strip in L0C
constexpr uint64_t kStripRowBytes = kColumns * 4;

uint8_t FixPipe(const BasculeInstruction&) { return BASCULE_PIPE_FIX; }

struct Way {
  uint64_t n = 0, m = 0;
  uint64_t from_strip_bytes = 0;
  bool rows = false, relu = false, split = false;
  uint32_t mode = 0;
  uint64_t element_bytes = 0;
  uint64_t row_bytes = 0;       // of rows, from one to the next
  uint64_t wide = 0;            // columns of a strip
  uint64_t to_strip_bytes = 0;  // from strip to strip
};

Way WayOf(const BasculeInstruction& in) {
  Way way;
  const uint64_t* extra = in.params.vector.extra;
  const uint32_t flags = in.params.vector.flags;
  way.n = extra[BASCULE_FIXPIPE_N];
  way.m = extra[BASCULE_FIXPIPE_M];
  way.from_strip_bytes = extra[BASCULE_FIXPIPE_FROM_STRIDE] * kStripRowBytes;
  way.rows = (flags & BASCULE_FIXPIPE_ROWS) != 0;
  way.relu = (flags & BASCULE_FIXPIPE_RELU) != 0;
  way.split = (flags & BASCULE_FIXPIPE_SPLIT) != 0;
  way.mode = in.params.vector.mode;
  way.element_bytes = ElementBytes(in.operand[0].dtype);
  way.row_bytes = extra[BASCULE_FIXPIPE_TO_STRIDE] * way.element_bytes;
  // Two strips of bytes become one.
  way.wide = way.split ? 8 : way.element_bytes == 1 ? 32 : kColumns;
  way.to_strip_bytes = extra[BASCULE_FIXPIPE_TO_STRIDE] * BASCULE_DATABLOCK_BYTES;
  return way;
}

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Columns of strip `strip`: the last need not be whole.
uint64_t WidthOf(const Way& way, uint64_t strip) {
  return std::min(way.wide, way.n - strip * way.wide);
}

Extent FixpipeExtent(const BasculeInstruction& in, uint32_t operand) {
  const Way way = WayOf(in);
  Extent out;
  if (way.n == 0 || way.m == 0) return out;
  if (operand == 2) {
    if (way.mode != BASCULE_FIXPIPE_SCALE_BY_COLUMN) return out;
    out.run_bytes = out.span_bytes = way.n * sizeof(uint64_t);
    out.runs = out.repeats = 1;
    return out;
  }
  out.runs = static_cast<uint32_t>(way.m);
  if (operand == 1) {
    const uint64_t strips = CeilDiv(way.n, kColumns);
    out.run_bytes = out.run_stride_bytes = kStripRowBytes;
    out.repeats = static_cast<uint32_t>(strips);
    out.repeat_stride_bytes = way.from_strip_bytes;
    out.span_bytes = (strips - 1) * way.from_strip_bytes + way.m * kStripRowBytes;
    return out;
  }
  if (way.rows) {
    out.run_bytes = way.n * way.element_bytes;
    out.run_stride_bytes = way.row_bytes;
    out.repeats = 1;
    out.span_bytes = (way.m - 1) * way.row_bytes + out.run_bytes;
    return out;
  }
  const uint64_t strips = CeilDiv(way.n, way.wide);
  const uint64_t last = WidthOf(way, strips - 1) * way.element_bytes;
  out.run_bytes = out.run_stride_bytes = WidthOf(way, 0) * way.element_bytes;
  out.repeats = static_cast<uint32_t>(strips);
  out.repeat_stride_bytes = way.to_strip_bytes;
  out.span_bytes = (strips - 1) * way.to_strip_bytes + way.m * last;
  if (strips > 1) {
    out.span_bytes =
        std::max(out.span_bytes, (strips - 2) * way.to_strip_bytes + way.m * out.run_bytes);
  }
  return out;
}

std::string FixpipeMisuse(const BasculeInstruction& in) {
  const Way way = WayOf(in);
  const BasculeOperand& dst = in.operand[0];
  const BasculeOperand& src = in.operand[1];
  if (way.n == 0 || way.m == 0) return "";
  if (src.memory != BASCULE_L0C) return "the source lies in L0C.";
  if (dst.memory != BASCULE_GM && dst.memory != BASCULE_L1)
    return "the destination lies in global memory or in L1.";
  if (way.n > 4095) return Join("nSize is ", way.n, "; it is limited to 4095.");
  if (way.m > (way.rows ? 8192U : 65535U)) {
    return Join("mSize is ", way.m, "; it is limited to ", way.rows ? 8192U : 65535U, ".");
  }
  const uint64_t whole = way.split ? 8 : kColumns;
  if (!way.rows && way.n % whole != 0)
    return Join("nSize is ", way.n, "; without NZ2ND it is a multiple of ", whole, ".");
  if (way.rows && dst.memory == BASCULE_L1) return "L1 takes strips (CFG_NZ) and no rows.";
  if (in.params.vector.extra[BASCULE_FIXPIPE_TO_STRIDE] == 0) return "dstStride is 0.";
  if (in.params.vector.extra[BASCULE_FIXPIPE_FROM_STRIDE] == 0 && way.n > kColumns)
    return "srcStride is 0, and there is more than one strip.";
  if (reinterpret_cast<uint64_t>(dst.address) % way.element_bytes != 0)
    return Join("the destination's address is no multiple of its elements' ", way.element_bytes,
                " bytes.");
  const bool from_float = src.dtype == BASCULE_FLOAT;
  const bool bytes = dst.dtype == BASCULE_INT8 || dst.dtype == BASCULE_UINT8;
  const bool half = dst.dtype == BASCULE_FLOAT16;
  bool known = false;
  switch (way.mode) {
    case BASCULE_FIXPIPE_AS_IS:
      known = dst.dtype == src.dtype;
      break;
    case BASCULE_FIXPIPE_CAST:
      known = from_float && (half || dst.dtype == BASCULE_BFLOAT16);
      break;
    default:
      known = bytes || (half && !from_float);
  }
  if (!known) {
    return Join("quantPre does not make ", DTypeName(dst.dtype), " of ", DTypeName(src.dtype),
                from_float ? "; F322F16 makes half, F322BF16 bfloat16_t, QF322B8_PRE and "
                             "VQF322B8_PRE 8 bits, NoQuant leaves float."
                           : "; DEQF16 and VDEQF16 make half, REQ8 and VREQ8 8 bits, NoQuant "
                             "leaves int32_t.");
  }
  if (way.split && (dst.dtype != BASCULE_FLOAT || way.rows || dst.memory != BASCULE_GM))
    return "channelSplit is for float to global memory, without NZ2ND.";
  return "";
}

// One quantisation word.
struct Scale {
  float factor;
  int32_t offset;
  uint32_t shift;  // 0: none
  bool is_signed;

  explicit Scale(uint64_t word) {
    const uint32_t bits = static_cast<uint32_t>(word) & 0xffffe000;  // 10 digits
    std::memcpy(&factor, &bits, sizeof(factor));
    const int32_t nine = static_cast<int32_t>(word >> BASCULE_FIXPIPE_OFFSET & 0x1ff);
    offset = nine < 256 ? nine : nine - 512;
    shift = (word >> BASCULE_FIXPIPE_SHIFTS & 1) != 0
                ? static_cast<uint32_t>(word >> BASCULE_FIXPIPE_SHIFT & 15) + 1
                : 0;
    is_signed = (word >> BASCULE_FIXPIPE_SIGNED & 1) != 0;
  }

  float Scaled(float value, bool relu) const {
    if (relu && value < 0) return 0;
    return value * factor;
  }
  float Number(int32_t value) const {
    if (shift == 0) return static_cast<float>(value);
    return static_cast<float>(std::clamp(value >> shift, -32768, 32767));
  }
  static float Number(float value) { return value; }
  uint8_t Byte(float scaled) const {
    // NaN has no place among whole numbers.
    const float nine = std::isnan(scaled) ? 0 : std::clamp(std::nearbyint(scaled), -256.F, 255.F);
    const int32_t sum = static_cast<int32_t>(nine) + offset;
    return static_cast<uint8_t>(is_signed ? std::clamp(sum, -128, 127) : std::clamp(sum, 0, 255));
  }
  uint8_t ByteOf(int32_t value, bool relu) const { return Byte(Scaled(Number(value), relu)); }
  uint8_t ByteOf(float value, bool relu) const { return Byte(Scaled(value, relu)); }
  half_t HalfOf(int32_t value, bool relu) const {
    return half_t(std::clamp(Scaled(Number(value), relu), -65504.F, 65504.F));
  }
};

void PlainCastToHalf(const float* from, bool relu, uint16_t* to) {
  for (uint64_t i = 0; i < kColumns; ++i)
    to[i] = half_t(relu && from[i] < 0 ? 0.F : from[i]).Bits();
}
void PlainCastToBfloat(const float* from, bool relu, uint16_t* to) {
  for (uint64_t i = 0; i < kColumns; ++i)
    to[i] = bfloat16_t(relu && from[i] < 0 ? 0.F : from[i]).Bits();
}

// Infinities become the largest number, NaN becomes 0.
void SaturateCast(bool half, uint16_t* values) {
  const uint16_t infinity = half ? 0x7c00 : 0x7f80;
  for (uint64_t i = 0; i < kColumns; ++i) {
    const uint16_t magnitude = values[i] & 0x7fff;
    if (magnitude > infinity) values[i] = 0;
    if (magnitude == infinity) values[i] = static_cast<uint16_t>(values[i] - 1);
  }
}

// 16 elements of a row of C, from column `column` on, as they go out.
struct Converter {
  const BasculeInstruction& in;
  const RunOptions& options;
  const Way& way;
  CastFunction cast;
  const std::vector<Scale>& scales;  // one, or one for each column

  template <typename T>
  void Quantise(const T* from, uint64_t column, uint64_t count, char* to) const {
    const bool by_column = way.mode == BASCULE_FIXPIPE_SCALE_BY_COLUMN;
    for (uint64_t i = 0; i < count; ++i) {
      const Scale& scale = scales[by_column ? column + i : 0];
      if constexpr (std::is_same_v<T, int32_t>) {
        if (in.operand[0].dtype == BASCULE_FLOAT16) {
          const uint16_t bits = scale.HalfOf(from[i], way.relu).Bits();
          std::memcpy(to + 2 * i, &bits, sizeof(bits));
          continue;
        }
      }
      to[i] = static_cast<char>(scale.ByteOf(from[i], way.relu));
    }
  }

  template <typename T>
  void Keep(const T* from, char* to) const {
    T values[kColumns];
    for (uint64_t i = 0; i < kColumns; ++i) values[i] = way.relu && from[i] < 0 ? T(0) : from[i];
    std::memcpy(to, values, sizeof(values));
  }

  void Convert(const char* from, uint64_t column, uint64_t count, char* to) const {
    const auto* floats = reinterpret_cast<const float*>(from);
    const auto* numbers = reinterpret_cast<const int32_t*>(from);
    const bool from_float = in.operand[1].dtype == BASCULE_FLOAT;
    switch (way.mode) {
      case BASCULE_FIXPIPE_AS_IS:
        if (!way.relu) {
          std::memcpy(to, from, kStripRowBytes);
        } else if (from_float) {
          Keep(floats, to);
        } else {
          Keep(numbers, to);
        }
        return;
      case BASCULE_FIXPIPE_CAST:
        cast(floats, way.relu, reinterpret_cast<uint16_t*>(to));
        if (options.saturate)
          SaturateCast(in.operand[0].dtype == BASCULE_FLOAT16, reinterpret_cast<uint16_t*>(to));
        return;
      default:
        if (from_float) {
          Quantise(floats, column, count, to);
        } else {
          Quantise(numbers, column, count, to);
        }
    }
  }
};

void Store(const BasculeInstruction& in, const RunOptions& options, char* to, const char* from,
           uint64_t bytes) {
  if (options.atomic_op != BASCULE_ATOMIC_NONE && in.operand[0].memory == BASCULE_GM) {
    Accumulate(options, to, from, bytes);
  } else if (bytes == kColumns * sizeof(uint16_t)) {  // most often, and no call of the library
    std::memcpy(to, from, kColumns * sizeof(uint16_t));
  } else {
    std::memcpy(to, from, bytes);
  }
}

// The words are read before anything is written, as they go through a buffer of their own: the
// result may lie where they lay.
std::vector<Scale> ScalesOf(const BasculeInstruction& in, const Way& way) {
  std::vector<Scale> scales;
  if (way.mode == BASCULE_FIXPIPE_SCALE) scales.emplace_back(in.params.vector.scalar.bits);
  if (way.mode != BASCULE_FIXPIPE_SCALE_BY_COLUMN) return scales;
  const auto* words = static_cast<const uint64_t*>(in.operand[2].address);
  scales.reserve(way.n);
  for (uint64_t i = 0; i < way.n; ++i) scales.emplace_back(words[i]);
  return scales;
}

void Run(const BasculeInstruction& in, const RunOptions& options, CastFunction to_half,
         CastFunction to_bfloat) {
  const Way way = WayOf(in);
  if (way.n == 0 || way.m == 0) return;
  const std::vector<Scale> scales = ScalesOf(in, way);
  const Converter converter = {
      in, options, way, in.operand[0].dtype == BASCULE_FLOAT16 ? to_half : to_bfloat, scales};
  char* const dst = static_cast<char*>(in.operand[0].address);
  const char* const src = static_cast<const char*>(in.operand[1].address);
  for (uint64_t row = 0; row < way.m; ++row) {
    for (uint64_t column = 0; column < way.n; column += kColumns) {
      const uint64_t count = std::min(kColumns, way.n - column);
      alignas(64) char line[kStripRowBytes];
      converter.Convert(src + column / kColumns * way.from_strip_bytes + row * kStripRowBytes,
                        column, count, line);
      if (way.rows) {
        Store(in, options, dst + row * way.row_bytes + column * way.element_bytes, line,
              count * way.element_bytes);
        continue;
      }
      for (uint64_t first = 0; first < count; first += std::min(way.wide, kColumns)) {
        const uint64_t strip = (column + first) / way.wide;
        const uint64_t within = (column + first) % way.wide;
        const uint64_t here = std::min(std::min(way.wide, kColumns), count - first);
        Store(in, options,
              dst + strip * way.to_strip_bytes +
                  (row * WidthOf(way, strip) + within) * way.element_bytes,
              line + first * way.element_bytes, here * way.element_bytes);
      }
    }
  }
}

void RunFixpipe(const Row&, const BasculeInstruction& in, const RunOptions& options) {
  const Way way = WayOf(in);
  if (way.rows && way.mode == BASCULE_FIXPIPE_AS_IS && !way.relu &&
      options.atomic_op == BASCULE_ATOMIC_NONE) {
    SimdStripsToRows()(static_cast<const char*>(in.operand[1].address), way.from_strip_bytes, way.m,
                       way.n, static_cast<char*>(in.operand[0].address), way.row_bytes);
    return;
  }
  Run(in, options, SimdCastToHalf(), SimdCastToBfloat());
}
void RunPlain(const Row&, const BasculeInstruction& in, const RunOptions& options) {
  Run(in, options, PlainCastToHalf, PlainCastToBfloat);
}

constexpr Body kBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_INT8, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_UINT8, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_INT8, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_UINT8, BASCULE_INT32, nullptr, nullptr},
};

}  // namespace

constexpr Row kFixpipeRow = {
    .opcode = BASCULE_OPCODE_kFixpipe,
    .name = "Fixpipe",
    .pipe = FixPipe,
    .operand_count = 3,
    .roles = {Role::kWrite, Role::kRead, Role::kRead, Role::kNone},
    .bodies = kBodies,
    .body_count = std::size(kBodies),
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）.md",
    .run = RunFixpipe,
    .run_reference = RunPlain,
    .extent = FixpipeExtent,
    .misuse = FixpipeMisuse,
    .align_bytes = {0, 64, 0},
};

}  // namespace bascule::isa

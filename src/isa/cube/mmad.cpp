// SPDX-License-Identifier: Apache-2.0
#include "isa/cube/mmad.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "bascule/abi/cube.h"
#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/cube/cube.h"
#include "isa/cube/sparse.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

constexpr uint64_t kMostSide = 4095;

uint8_t CubePipe(const BasculeInstruction&) { return BASCULE_PIPE_M; }

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

MmadShape ShapeOf(const BasculeInstruction& in) {
  MmadShape shape;
  const uint64_t* extra = in.params.vector.extra;
  shape.m = extra[BASCULE_MMAD_M];
  shape.n = extra[BASCULE_MMAD_N];
  shape.k = extra[BASCULE_MMAD_K];
  shape.wide = uint64_t{8} * BASCULE_DATABLOCK_BYTES / ElementBits(in.operand[1].dtype);
  shape.k_fractals = CeilDiv(shape.k, shape.wide);
  if ((in.params.vector.flags & BASCULE_MMAD_ALIGN_K) != 0 && in.operand[1].dtype == BASCULE_FLOAT)
    shape.k_fractals = (shape.k_fractals + 1) / 2 * 2;
  shape.n_fractals = CeilDiv(shape.n, kSide);
  shape.one_row = shape.m == 1 && (in.params.vector.flags & BASCULE_MMAD_SPARSE) == 0;
  shape.fresh = in.params.vector.mode == BASCULE_MMAD_FROM_ZERO;
  return shape;
}

bool IsSparse(const BasculeInstruction& in) {
  return (in.params.vector.flags & BASCULE_MMAD_SPARSE) != 0;
}
// Fractals of B along k.
uint64_t FractalsOfB(const BasculeInstruction& in, const MmadShape& shape) {
  return CeilDiv(IsSparse(in) ? CeilDiv(shape.k, 4) * 2 : shape.k, shape.wide);
}

bool Nothing(const MmadShape& shape) { return shape.m == 0 || shape.n == 0 || shape.k == 0; }

Extent Run(uint64_t bytes) {
  Extent out;
  out.run_bytes = out.span_bytes = bytes;
  out.runs = out.repeats = 1;
  return out;
}

Extent MmadExtent(const BasculeInstruction& in, uint32_t operand) {
  const MmadShape shape = ShapeOf(in);
  if (Nothing(shape)) return Extent();
  switch (operand) {
    case 0: {  // whole strips, but for the columns of the last
      Extent out;
      const uint64_t strip = CeilDiv(shape.m, kSide) * kSide * kSide * 4;
      const uint64_t last = (shape.n - 1) % kSide + 1;
      out.run_bytes = kSide * 4;
      out.runs = static_cast<uint32_t>(shape.m);
      out.repeats = static_cast<uint32_t>(shape.n_fractals);
      out.run_stride_bytes = kSide * 4;
      out.repeat_stride_bytes = strip;
      out.span_bytes = (shape.n_fractals - 1) * strip + (shape.m - 1) * kSide * 4 + last * 4;
      if (shape.n_fractals > 1) {
        out.span_bytes =
            std::max(out.span_bytes, (shape.n_fractals - 2) * strip + shape.m * kSide * 4);
      }
      return out;
    }
    case 1:
      if (shape.one_row) return Run(BytesOf(in.operand[1].dtype, shape.k));
      return Run(CeilDiv(shape.m, kSide) * shape.k_fractals * BASCULE_FRACTAL_BYTES);
    case 2:
      return Run(FractalsOfB(in, shape) * shape.n_fractals * BASCULE_FRACTAL_BYTES);
    default:
      return in.params.vector.mode == BASCULE_MMAD_FROM_BIAS ? Run(shape.n * 4) : Extent();
  }
}

std::string MmadMisuse(const BasculeInstruction& in) {
  const uint64_t* extra = in.params.vector.extra;
  const char* const names[] = {"m", "n", "k"};
  for (uint32_t i = 0; i < 3; ++i) {
    if (extra[i] > kMostSide) return Join(names[i], " is ", extra[i], "; it is limited to 4095.");
  }
  if (IsSparse(in) && in.operand[1].dtype != BASCULE_INT8) return "a sparse product takes int8_t.";
  if (in.operand[1].dtype != in.operand[2].dtype)
    return "the two factors have different element types.";
  const struct {
    const char* name;
    uint8_t memory;
  } places[] = {{"C lies in L0C.", BASCULE_L0C},
                {"A lies in L0A.", BASCULE_L0A},
                {"B lies in L0B.", BASCULE_L0B},
                {"the bias lies in the bias table.", BASCULE_BT}};
  const bool bias = in.params.vector.mode == BASCULE_MMAD_FROM_BIAS;
  for (uint32_t i = 0; i < (bias ? 4U : 3U); ++i) {
    if (in.operand[i].memory != places[i].memory) return places[i].name;
  }
  if (bias && in.operand[3].dtype != in.operand[0].dtype)
    return "the bias has another element type than C.";
  return "";
}

// C before the first product, where that is a bias.
void Begin(const BasculeInstruction& in, const MmadShape& shape) {
  if (in.params.vector.mode != BASCULE_MMAD_FROM_BIAS) return;
  auto* c = static_cast<uint32_t*>(in.operand[0].address);
  const auto* from = static_cast<const uint32_t*>(in.operand[3].address);
  for (uint64_t column = 0; column < shape.n; column += kSide) {
    const uint64_t bytes = std::min(kSide, shape.n - column) * 4;
    for (uint64_t row = 0; row < shape.m; ++row)
      std::memcpy(c + shape.C(row, column), from + column, bytes);
  }
}

struct Half {
  static float Get(const void* from, uint64_t i) {
    return float(static_cast<const half_t*>(from)[i]);
  }
};
struct Bfloat {
  static float Get(const void* from, uint64_t i) {
    return float(static_cast<const bfloat16_t*>(from)[i]);
  }
};
struct Float {
  static float Get(const void* from, uint64_t i) { return static_cast<const float*>(from)[i]; }
};
struct Int8 {
  static int64_t Get(const void* from, uint64_t i) { return static_cast<const int8_t*>(from)[i]; }
};
struct Int4 {
  static int64_t Get(const void* from, uint64_t i) {
    const uint8_t byte = static_cast<const uint8_t*>(from)[i / 2];
    return static_cast<int8_t>(i % 2 == 0 ? byte << 4 : byte & 0xf0) >> 4;
  }
};

template <typename Element>
void PlainFloat(const MmadShape& shape, const void* a, const void* b, void* c) {
  for (uint64_t row = 0; row < shape.m; ++row) {
    for (uint64_t column = 0; column < shape.n; ++column) {
      float* to = static_cast<float*>(c) + shape.C(row, column) + column % kSide;
      float sum = shape.fresh ? 0 : *to;
      for (uint64_t at = 0; at < shape.k; ++at) {
        sum =
            std::fma(Element::Get(a, shape.A(row, at)), Element::Get(b, shape.B(at, column)), sum);
      }
      *to = sum;
    }
  }
}

template <typename Element>
void PlainWhole(const MmadShape& shape, const void* a, const void* b, void* c) {
  for (uint64_t row = 0; row < shape.m; ++row) {
    for (uint64_t column = 0; column < shape.n; ++column) {
      int32_t* to = static_cast<int32_t*>(c) + shape.C(row, column) + column % kSide;
      int64_t sum = shape.fresh ? 0 : *to;
      for (uint64_t at = 0; at < shape.k; ++at) {
        sum += Element::Get(a, shape.A(row, at)) * Element::Get(b, shape.B(at, column));
      }
      *to = static_cast<int32_t>(std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                                     std::numeric_limits<int32_t>::max()));
    }
  }
}

// In saturation mode C holds no infinity and no NaN.
void Saturate(const MmadShape& shape, void* c) {
  for (uint64_t column = 0; column < shape.n; ++column) {
    for (uint64_t row = 0; row < shape.m; ++row) {
      float* to = static_cast<float*>(c) + shape.C(row, column) + column % kSide;
      if (std::isnan(*to)) *to = 0;
      if (std::isinf(*to)) *to = std::copysign(std::numeric_limits<float>::max(), *to);
    }
  }
}

// Numbers rounded to 11 digits behind the point, to the nearest; infinities and NaN stay.
const void* RoundToHf32(const void* from, uint64_t bytes, bool to_zero,
                        std::vector<uint32_t>* room) {
  constexpr uint32_t kCut = 12;
  constexpr uint32_t kInfinity = 0x7f800000;
  if (room->size() < bytes / 4) room->resize(bytes / 4);
  std::memcpy(room->data(), from, bytes);
  for (uint64_t i = 0; i < bytes / 4; ++i) {
    const uint32_t word = (*room)[i];
    const uint32_t even = to_zero ? 0 : word >> kCut & 1;
    const uint32_t rounded = (word + (1U << (kCut - 1)) - 1 + even) & ~((1U << kCut) - 1);
    (*room)[i] = (word & kInfinity) == kInfinity ? word : rounded;
  }
  return room->data();
}

// A sparse product element by element.
void PlainSparse(const BasculeInstruction& in, const MmadShape& shape) {
  const auto* a = static_cast<const int8_t*>(in.operand[1].address);
  const auto* b = static_cast<const int8_t*>(in.operand[2].address);
  const auto* index =
      reinterpret_cast<const uint8_t*>(in.params.vector.extra[BASCULE_SPARSE_INDEX]);
  for (uint64_t row = 0; row < shape.m; ++row) {
    for (uint64_t column = 0; column < shape.n; ++column) {
      auto* to =
          static_cast<int32_t*>(in.operand[0].address) + shape.C(row, column) + column % kSide;
      int64_t sum = shape.fresh ? 0 : *to;
      for (uint64_t four = 0; four < shape.k; four += 4) {
        const uint64_t place = shape.B(four / 2, column);
        const SparsePlaces places = PlacesOf(index + place / 4, place % 4);
        if (four + places.first < shape.k)
          sum += int64_t{a[shape.A(row, four + places.first)]} * b[place];
        if (four + places.second < shape.k)
          sum += int64_t{a[shape.A(row, four + places.second)]} * b[place + 1];
      }
      *to = static_cast<int32_t>(std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                                     std::numeric_limits<int32_t>::max()));
    }
  }
}

// B with its zeros, in fractals. False: two elements that are multiplied with the same one of A do
// not have a sum of 8 bits.
bool Unfold(const BasculeInstruction& in, const MmadShape& shape, std::vector<int8_t>* room) {
  const auto* b = static_cast<const int8_t*>(in.operand[2].address);
  const auto* index =
      reinterpret_cast<const uint8_t*>(in.params.vector.extra[BASCULE_SPARSE_INDEX]);
  room->assign(CeilDiv(shape.k, shape.wide) * shape.n_fractals * BASCULE_FRACTAL_BYTES, 0);
  for (uint64_t column = 0; column < shape.n; ++column) {
    for (uint64_t four = 0; four < shape.k; four += 4) {
      const uint64_t place = shape.B(four / 2, column);
      const SparsePlaces places = PlacesOf(index + place / 4, place % 4);
      int8_t* const to = room->data() + shape.B(four, column);
      to[places.first] = b[place];
      const int sum = to[places.second] + b[place + 1];
      if (sum != static_cast<int8_t>(sum)) return false;
      to[places.second] = static_cast<int8_t>(sum);
    }
  }
  return true;
}

void Multiply(const BasculeInstruction& in, const RunOptions& options, MmadFunction function) {
  MmadShape shape = ShapeOf(in);
  shape.squares = options.squares;
  if (Nothing(shape)) return;
  Begin(in, shape);
  const void* a = in.operand[1].address;
  const void* b = in.operand[2].address;
  if ((in.params.vector.flags & BASCULE_MMAD_HF32) != 0 && in.operand[1].dtype == BASCULE_FLOAT) {
    thread_local std::vector<uint32_t> rounded_a;
    thread_local std::vector<uint32_t> rounded_b;
    const bool to_zero = (in.params.vector.flags & BASCULE_MMAD_HF32_ZERO) != 0;
    a = RoundToHf32(a, MmadExtent(in, 1).span_bytes, to_zero, &rounded_a);
    b = RoundToHf32(b, MmadExtent(in, 2).span_bytes, to_zero, &rounded_b);
  }
  if (IsSparse(in)) {
    thread_local std::vector<int8_t> unfolded;
    if (function == PlainWhole<Int8> || !Unfold(in, shape, &unfolded))
      return PlainSparse(in, shape);
    b = unfolded.data();
  }
  function(shape, a, b, in.operand[0].address);
  if (options.saturate && in.operand[0].dtype == BASCULE_FLOAT)
    Saturate(shape, in.operand[0].address);
}

void RunMmad(const Row&, const BasculeInstruction& in, const RunOptions& options) {
  switch (in.operand[1].dtype) {
    case BASCULE_FLOAT16:
      return Multiply(in, options, SimdMmadHalf());
    case BASCULE_BFLOAT16:
      return Multiply(in, options, SimdMmadBfloat());
    case BASCULE_FLOAT:
      return Multiply(in, options, SimdMmadFloat());
    case BASCULE_INT8:
      return Multiply(in, options, SimdMmadInt8());
    default:
      return Multiply(in, options, SimdMmadInt4());
  }
}

void RunPlain(const Row&, const BasculeInstruction& in, const RunOptions& options) {
  switch (in.operand[1].dtype) {
    case BASCULE_FLOAT16:
      return Multiply(in, options, PlainFloat<Half>);
    case BASCULE_BFLOAT16:
      return Multiply(in, options, PlainFloat<Bfloat>);
    case BASCULE_FLOAT:
      return Multiply(in, options, PlainFloat<Float>);
    case BASCULE_INT8:
      return Multiply(in, options, PlainWhole<Int8>);
    default:
      return Multiply(in, options, PlainWhole<Int4>);
  }
}

constexpr Body kBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_FLOAT, BASCULE_BFLOAT16, nullptr, nullptr},
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT8, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT4, nullptr, nullptr},
};

}  // namespace

constexpr Row kMmadRow = {
    .opcode = BASCULE_OPCODE_kMmad,
    .name = "Mmad",
    .pipe = CubePipe,
    .operand_count = 4,
    .roles = {Role::kReadWrite, Role::kRead, Role::kRead, Role::kRead},
    .bodies = kBodies,
    .body_count = std::size(kBodies),
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = true,
    .ulp = 0,
    .document = "SIMD-API/基础API/矩阵计算（ISASI）/Mmad计算/Mmad.md",
    .run = RunMmad,
    .run_reference = RunPlain,
    .extent = MmadExtent,
    .misuse = MmadMisuse,
    .align_bytes = {1024, BASCULE_FRACTAL_BYTES, BASCULE_FRACTAL_BYTES, 64},
};

}  // namespace bascule::isa

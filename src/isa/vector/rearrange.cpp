// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/rearrange.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "isa/vector/library_call.h"

namespace bascule::isa {
namespace {

#define BASCULE_SAME(number) \
  { number, number, nullptr, nullptr }
constexpr Body kEveryWidth[] = {
    BASCULE_SAME(BASCULE_INT8),     BASCULE_SAME(BASCULE_UINT8),  BASCULE_SAME(BASCULE_BOOL),
    BASCULE_SAME(BASCULE_INT16),    BASCULE_SAME(BASCULE_UINT16), BASCULE_SAME(BASCULE_FLOAT16),
    BASCULE_SAME(BASCULE_BFLOAT16), BASCULE_SAME(BASCULE_INT32),  BASCULE_SAME(BASCULE_UINT32),
    BASCULE_SAME(BASCULE_FLOAT),    BASCULE_SAME(BASCULE_INT64),  BASCULE_SAME(BASCULE_UINT64),
};
constexpr Body kWords[] = {
    BASCULE_SAME(BASCULE_INT16), BASCULE_SAME(BASCULE_UINT16), BASCULE_SAME(BASCULE_FLOAT16),
    BASCULE_SAME(BASCULE_INT32), BASCULE_SAME(BASCULE_UINT32), BASCULE_SAME(BASCULE_FLOAT),
};
constexpr Body kHalfWords[] = {
    BASCULE_SAME(BASCULE_INT16),
    BASCULE_SAME(BASCULE_UINT16),
    BASCULE_SAME(BASCULE_FLOAT16),
    BASCULE_SAME(BASCULE_BFLOAT16),
};
#undef BASCULE_SAME

constexpr uint64_t kSide = 16;

uint64_t RoundedUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

// Calls `run.template operator()<Bits>()` with an unsigned type as wide as the elements.
template <typename Run>
void WithWidth(BasculeDType dtype, const Run& run) {
  switch (ElementBytes(dtype)) {
    case 1:
      return run.template operator()<uint8_t>();
    case 2:
      return run.template operator()<uint16_t>();
    case 4:
      return run.template operator()<uint32_t>();
    default:
      return run.template operator()<uint64_t>();
  }
}

template <typename T>
const T* Source(const BasculeInstruction& in) {
  return static_cast<const T*>(in.operand[1].address);
}
template <typename T>
T* Destination(const BasculeInstruction& in) {
  return static_cast<T*>(in.operand[0].address);
}

std::string Overlap(const BasculeInstruction& in,
                    Extent (*extent)(const BasculeInstruction&, uint32_t)) {
  const uint64_t dst = reinterpret_cast<uint64_t>(in.operand[0].address);
  const uint64_t src = reinterpret_cast<uint64_t>(in.operand[1].address);
  if (dst < src + extent(in, 1).span_bytes && src < dst + extent(in, 0).span_bytes) {
    return "source and destination overlap; the call does not work in place.";
  }
  return "";
}

// --- Broadcast

const BasculeBroadcast& ShapesOf(const BasculeInstruction& in) {
  return *reinterpret_cast<const BasculeBroadcast*>(in.params.vector.extra[0]);
}

Extent BroadcastExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand == 2) return ExtentOfTemporary(in);
  const BasculeBroadcast& shapes = ShapesOf(in);
  uint64_t elements = 1;
  uint64_t results = 1;
  for (uint32_t i = 0; i < std::min<uint32_t>(shapes.axes, BASCULE_MAX_AXES); ++i) {
    elements = Times(elements, operand == 0 ? shapes.dst_shape[i] : shapes.src_shape[i]);
    results = Times(results, shapes.dst_shape[i]);
  }
  return ExtentOfBytes(results == 0 ? 0 : BytesOf(in.operand[operand].dtype, elements));
}

std::string BroadcastMisuse(const BasculeInstruction& in) {
  const BasculeBroadcast& shapes = ShapesOf(in);
  if (shapes.axes == 0 || shapes.axes > BASCULE_MAX_AXES) {
    return Join("a shape has ", shapes.axes, " axes; it has 1 to ", BASCULE_MAX_AXES, ".");
  }
  for (uint32_t i = 0; i < shapes.axes; ++i) {
    if (shapes.src_shape[i] == shapes.dst_shape[i] || shapes.src_shape[i] == 1) continue;
    return Join("axis ", i, " of the source has ", shapes.src_shape[i],
                " elements and that of the destination ", shapes.dst_shape[i],
                "; they have to be equal, or that of the source 1.");
  }
  return Overlap(in, BroadcastExtent);
}

// Writes the part of the destination below `axis`; returns its end. `from` moves on over what was
// read.
template <typename T>
T* Spread(const BasculeBroadcast& shapes, uint32_t axis, const T*& from, T* to) {
  const uint64_t size = shapes.dst_shape[axis];
  const bool repeated = shapes.src_shape[axis] == 1 && size != 1;
  if (axis + 1 == shapes.axes) {
    if (repeated) {
      std::fill(to, to + size, *from++);
    } else {
      std::copy(from, from + size, to);
      from += size;
    }
    return to + size;
  }
  if (!repeated) {
    for (uint64_t i = 0; i < size; ++i) to = Spread(shapes, axis + 1, from, to);
    return to;
  }
  T* const first = to;
  to = Spread(shapes, axis + 1, from, to);
  const uint64_t part = static_cast<uint64_t>(to - first);
  for (uint64_t i = 1; i < size; ++i, to += part) std::copy(first, first + part, to);
  return to;
}

void RunBroadcast(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (BroadcastExtent(in, 0).span_bytes == 0) return;
  WithWidth(in.operand[0].dtype, [&]<typename Bits>() {
    const Bits* from = Source<Bits>(in);
    Spread(ShapesOf(in), 0, from, Destination<Bits>(in));
  });
}

// --- Transpose with tiling

// The numbers of TransposeType.
enum TransposeNumber : uint32_t {
  kNz2Nd0213 = 1,
  kNz2Nz0213 = 2,
  kNz2NzWithN = 3,
  kNz2NdWithN = 4,
  kNz2NdWithoutN = 5,
  kNz2NzWithoutN = 6,
  kNd2NdOnly = 7,
  kNd2Nd021 = 13,
  kNd2Nd102 = 14,
  kNd2Nd210 = 15
};

// [B, N, S, D] with D = H / N; of three axes of ND, B, N and S.
struct Attention {
  uint64_t b, n, s, d;
  explicit Attention(const BasculeInstruction& in)
      : b(Low(in.params.vector.extra[0])),
        n(High(in.params.vector.extra[0])),
        s(Low(in.params.vector.extra[1])),
        d(High(in.params.vector.extra[1])) {}
};

bool IsPlain(uint32_t type) {
  return type == kNd2NdOnly || (type >= kNd2Nd021 && type <= kNd2Nd210);
}

// A plane of `rows` and `columns` in 16×16 blocks, which follow one another down the columns.
uint64_t PlaneSize(uint64_t rows, uint64_t columns) {
  return Times(RoundedUp(rows, kSide), RoundedUp(columns, kSide));
}
uint64_t InPlane(uint64_t rows, uint64_t row, uint64_t column) {
  return column / kSide * kSide * RoundedUp(rows, kSide) + row * kSide + column % kSide;
}

uint64_t TransposeElements(const BasculeInstruction& in, uint32_t operand) {
  const Attention a(in);
  const uint64_t h = Times(a.n, a.d);
  const uint32_t type = in.params.vector.mode;
  if (IsPlain(type)) return Times(a.b, a.n, a.s);
  if (a.b == 0 || h == 0 || a.s == 0) return 0;
  const bool split = type == kNz2NzWithN || type == kNz2NdWithN;
  if (operand == 1) {
    return split ? Times(a.b, PlaneSize(a.s, h)) : Times(a.b, a.n, PlaneSize(a.s, a.d));
  }
  switch (type) {
    case kNz2Nd0213:
      return Times(a.b, a.s, h);
    case kNz2Nz0213:
      return Times(a.b, a.s, PlaneSize(a.n, a.d));
    case kNz2NzWithN:
      return Times(a.b, a.n, PlaneSize(a.s, a.d));
    case kNz2NdWithN:
      return Times(a.b, a.n, a.s, RoundedUp(a.d, kSide));
    case kNz2NdWithoutN:
      return Times(a.b, a.s, RoundedUp(h, kSide));
    default:
      return Times(a.b, PlaneSize(a.s, h));
  }
}

Extent TransposeExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand == 2) return ExtentOfTemporary(in);
  return ExtentOfBytes(BytesOf(in.operand[operand].dtype, TransposeElements(in, operand)));
}

std::string TransposeMisuse(const BasculeInstruction& in) {
  const uint32_t type = in.params.vector.mode;
  const Attention a(in);
  if (type == 0 || (type > kNd2NdOnly && !IsPlain(type))) {
    return Join("TransposeType ", type, " is not available; 1 to 7 and 13 to 15 are.");
  }
  if (type == kNd2NdOnly && (a.n % kSide != 0 || a.s % kSide != 0)) {
    return Join("TRANSPOSE_ND2ND_ONLY needs height and width in multiples of 16; they are ", a.n,
                " and ", a.s, ".");
  }
  return Overlap(in, TransposeExtent);
}

// Axes of ND; `order` says which axis of the source each one of the destination is.
template <typename T>
void Permute(const BasculeInstruction& in, const uint32_t (&order)[3]) {
  const Attention a(in);
  const uint64_t sizes[3] = {a.b, a.n, a.s};
  const uint64_t strides[3] = {a.n * a.s, a.s, 1};
  const T* from = Source<T>(in);
  T* to = Destination<T>(in);
  for (uint64_t i = 0; i < sizes[order[0]]; ++i) {
    for (uint64_t j = 0; j < sizes[order[1]]; ++j) {
      const T* row = from + i * strides[order[0]] + j * strides[order[1]];
      for (uint64_t k = 0; k < sizes[order[2]]; ++k) *to++ = row[k * strides[order[2]]];
    }
  }
}

template <typename T>
void TransposeBlocks(const BasculeInstruction& in) {
  const Attention a(in);
  const uint64_t h = a.n * a.d;
  const T* from = Source<T>(in);
  T* to = Destination<T>(in);
  const uint32_t type = in.params.vector.mode;
  auto source = [&](uint64_t b, uint64_t n, uint64_t s, uint64_t d) {
    if (type == kNz2NzWithN || type == kNz2NdWithN)
      return b * PlaneSize(a.s, h) + InPlane(a.s, s, n * a.d + d);
    return (b * a.n + n) * PlaneSize(a.s, a.d) + InPlane(a.s, s, d);
  };
  auto destination = [&](uint64_t b, uint64_t n, uint64_t s, uint64_t d) {
    switch (type) {
      case kNz2Nd0213:
        return ((b * a.s + s) * a.n + n) * a.d + d;
      case kNz2Nz0213:
        return (b * a.s + s) * PlaneSize(a.n, a.d) + InPlane(a.n, n, d);
      case kNz2NzWithN:
        return (b * a.n + n) * PlaneSize(a.s, a.d) + InPlane(a.s, s, d);
      case kNz2NdWithN:
        return ((b * a.n + n) * a.s + s) * RoundedUp(a.d, kSide) + d;
      case kNz2NdWithoutN:
        return (b * a.s + s) * RoundedUp(h, kSide) + n * a.d + d;
      default:
        return b * PlaneSize(a.s, h) + InPlane(a.s, s, n * a.d + d);
    }
  };
  for (uint64_t b = 0; b < a.b; ++b) {
    for (uint64_t n = 0; n < a.n; ++n) {
      for (uint64_t s = 0; s < a.s; ++s) {
        for (uint64_t d = 0; d < a.d; ++d) to[destination(b, n, s, d)] = from[source(b, n, s, d)];
      }
    }
  }
}

void RunTranspose(const Row&, const BasculeInstruction& in, const RunOptions&) {
  WithWidth(in.operand[0].dtype, [&]<typename Bits>() {
    switch (in.params.vector.mode) {
      case kNd2NdOnly:
      case kNd2Nd021:
        return Permute<Bits>(in, {0, 2, 1});
      case kNd2Nd102:
        return Permute<Bits>(in, {1, 0, 2});
      case kNd2Nd210:
        return Permute<Bits>(in, {2, 1, 0});
      default:
        return TransposeBlocks<Bits>(in);
    }
  });
}

// --- TransData

struct Volume {
  uint64_t n, c, d, h, w;
  explicit Volume(const BasculeInstruction& in)
      : n(Low(in.params.vector.extra[0])),
        c(High(in.params.vector.extra[0])),
        d(Low(in.params.vector.extra[1])),
        h(High(in.params.vector.extra[1])),
        w(in.params.vector.extra[3]) {}
  // From one plane of NCDHW to the next: whole datablocks of 16-bit elements.
  uint64_t plane() const {
    return RoundedUp(Times(h, w), BASCULE_DATABLOCK_BYTES / sizeof(uint16_t));
  }
};

bool ToPlain(const BasculeInstruction& in) {
  return in.params.vector.mode == BASCULE_TRANSDATA_NDC1HWC0_TO_NCDHW ||
         in.params.vector.mode == BASCULE_TRANSDATA_FRACTAL_Z_3D_TO_NCDHW;
}
bool IsFractal(const BasculeInstruction& in) {
  return in.params.vector.mode == BASCULE_TRANSDATA_NCDHW_TO_FRACTAL_Z_3D ||
         in.params.vector.mode == BASCULE_TRANSDATA_FRACTAL_Z_3D_TO_NCDHW;
}
uint64_t BlockedSize(const BasculeInstruction& in) {
  const Volume v(in);
  const uint64_t batches = IsFractal(in) ? RoundedUp(v.n, kSide) : v.n;
  return Times(batches, RoundedUp(v.c, kSide), v.d, v.h, v.w);
}

Extent TransDataExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand == 2) return ExtentOfTemporary(in);
  const Volume v(in);
  const bool plain = ToPlain(in) == (operand == 0);
  const uint64_t elements = plain ? Times(v.n, v.c, v.d, v.plane()) : BlockedSize(in);
  return ExtentOfBytes(BytesOf(in.operand[operand].dtype, elements));
}

std::string TransDataMisuse(const BasculeInstruction& in) {
  if (in.params.vector.mode >= BASCULE_TRANSDATA_COUNT) {
    return Join("there is no conversion ", in.params.vector.mode, " here.");
  }
  return Overlap(in, TransDataExtent);
}

void RunTransData(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const Volume v(in);
  const uint16_t* from = Source<uint16_t>(in);
  uint16_t* to = Destination<uint16_t>(in);
  const uint64_t c1 = RoundedUp(v.c, kSide) / kSide;
  const uint64_t n1 = RoundedUp(v.n, kSide) / kSide;
  const bool fractal = IsFractal(in);
  const bool to_plain = ToPlain(in);
  if (!to_plain) std::fill(to, to + BlockedSize(in), uint16_t{0});
  for (uint64_t n = 0; n < v.n; ++n) {
    for (uint64_t c = 0; c < v.c; ++c) {
      for (uint64_t d = 0; d < v.d; ++d) {
        const uint64_t plain = ((n * v.c + c) * v.d + d) * v.plane();
        // Of the first element of the plane, and how far the next is away.
        const uint64_t blocked =
            fractal ? ((d * c1 + c / kSide) * v.h * v.w * n1 + n / kSide) * kSide * kSide +
                          n % kSide * kSide + c % kSide
                    : ((n * v.d + d) * c1 + c / kSide) * v.h * v.w * kSide + c % kSide;
        const uint64_t step = fractal ? n1 * kSide * kSide : kSide;
        for (uint64_t i = 0; i < v.h * v.w; ++i) {
          if (to_plain) {
            to[plain + i] = from[blocked + i * step];
          } else {
            to[blocked + i * step] = from[plain + i];
          }
        }
      }
    }
  }
}

// --- Pad, UnPad

struct Padded {
  uint64_t height, width, data, left, right;
  explicit Padded(const BasculeInstruction& in)
      : height(Low(in.params.vector.extra[0])),
        width(High(in.params.vector.extra[0])),
        data(Low(in.params.vector.extra[1])),
        left(High(in.params.vector.extra[1])),
        right(in.params.vector.extra[3]) {}
};

// Elements from one row of the wider side to the next.
uint64_t WidePitch(const BasculeInstruction& in) {
  return RoundedUp(Padded(in).width, BASCULE_DATABLOCK_BYTES / ElementBytes(in.operand[0].dtype));
}

Extent PadExtent(const BasculeInstruction& in, uint32_t operand) {
  const Padded p(in);
  switch (operand) {
    case 0:
      return ExtentOfRows(in.operand[0], p.height, p.left + p.data + p.right, WidePitch(in));
    case 1:
      return ExtentOfRows(in.operand[1], p.height, p.data, p.width);
    default:
      return ExtentOfTemporary(in);
  }
}

std::string PadMisuse(const BasculeInstruction& in) {
  const Padded p(in);
  const uint64_t pitch = WidePitch(in);
  if (p.data > p.width) {
    return Join("a row of ", p.width, " columns cannot have ", p.data, " columns of data.");
  }
  if (p.left + p.data + p.right > pitch) {
    return Join(p.left, " columns to the left and ", p.right, " to the right of ", p.data,
                " make a row of ", p.left + p.data + p.right,
                "; it may not become longer than the next multiple of 32 bytes, ", pitch,
                " columns.");
  }
  if (p.width == pitch && p.left != 0) {
    return Join("leftPad is ", p.left,
                "; a source whose rows are multiples of 32 bytes can only "
                "be padded to the right.");
  }
  return Overlap(in, PadExtent);
}

void RunPad(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const Padded p(in);
  const uint64_t pitch = WidePitch(in);
  WithWidth(in.operand[0].dtype, [&]<typename Bits>() {
    const Bits filler = static_cast<Bits>(in.params.vector.scalar.bits);
    for (uint64_t i = 0; i < p.height; ++i) {
      Bits* to = Destination<Bits>(in) + i * pitch;
      const Bits* from = Source<Bits>(in) + i * p.width;
      std::fill(to, to + p.left, filler);
      std::copy(from, from + p.data, to + p.left);
      std::fill(to + p.left + p.data, to + p.left + p.data + p.right, filler);
    }
  });
}

Extent UnPadExtent(const BasculeInstruction& in, uint32_t operand) {
  const Padded p(in);
  switch (operand) {
    case 0:
      return ExtentOfBytes(BytesOf(in.operand[0].dtype, Times(p.height, p.data)));
    case 1:
      return ExtentOfRows(in.operand[1], p.height, p.data, p.width);
    default:
      return ExtentOfTemporary(in);
  }
}

std::string UnPadMisuse(const BasculeInstruction& in) {
  const Padded p(in);
  const uint64_t element = ElementBytes(in.operand[0].dtype);
  if (p.width * element % BASCULE_DATABLOCK_BYTES != 0) {
    return Join("a row of ", p.width, " columns has ", p.width * element,
                " bytes; it has to be a multiple of 32.");
  }
  if (p.data + p.right != p.width || p.right == 0 || p.right * element >= BASCULE_DATABLOCK_BYTES) {
    return Join("rightPad is ", p.right, " of ", p.width,
                " columns; it has to be at least 1 and less than 32 bytes.");
  }
  return Overlap(in, UnPadExtent);
}

void RunUnPad(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const Padded p(in);
  WithWidth(in.operand[0].dtype, [&]<typename Bits>() {
    for (uint64_t i = 0; i < p.height; ++i) {
      const Bits* from = Source<Bits>(in) + i * p.width;
      std::copy(from, from + p.data, Destination<Bits>(in) + i * p.data);
    }
  });
}

constexpr LibraryParts Parts(RunFunction run, Extent (*extent)(const BasculeInstruction&, uint32_t),
                             std::string (*misuse)(const BasculeInstruction&)) {
  return {{Role::kWrite, Role::kRead, Role::kWrite}, run, extent, misuse, Saturation::kNothing};
}

}  // namespace

constexpr Row kBroadcastRow = MakeLibraryRow(BASCULE_OPCODE_kBroadcast, "Broadcast", kEveryWidth,
                                             "高阶API/张量变换/Broadcast.md",
                                             Parts(RunBroadcast, BroadcastExtent, BroadcastMisuse));
constexpr Row kConfusionTransposeRow = MakeLibraryRow(
    BASCULE_OPCODE_kConfusionTranspose, "Transpose with tiling", kEveryWidth,
    "高阶API/张量变换/Transpose-96.md", Parts(RunTranspose, TransposeExtent, TransposeMisuse));
constexpr Row kTransDataRow = MakeLibraryRow(BASCULE_OPCODE_kTransData, "TransData", kHalfWords,
                                             "高阶API/张量变换/TransData.md",
                                             Parts(RunTransData, TransDataExtent, TransDataMisuse));
constexpr Row kPadRow =
    MakeLibraryRow(BASCULE_OPCODE_kPad, "Pad", kWords, "高阶API/张量变换/Pad.md",
                   Parts(RunPad, PadExtent, PadMisuse));
constexpr Row kUnPadRow =
    MakeLibraryRow(BASCULE_OPCODE_kUnPad, "UnPad", kWords, "高阶API/张量变换/UnPad.md",
                   Parts(RunUnPad, UnPadExtent, UnPadMisuse));

}  // namespace bascule::isa

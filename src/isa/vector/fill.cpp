// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/fill.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/move/accumulate.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }
uint8_t PipeMte3(const BasculeInstruction&) { return BASCULE_PIPE_MTE3; }

template <typename T>
T FromBits(uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

// --- Duplicate

template <typename T>
void Fill(void* dst, const void*, const void*, uint64_t scalar, uint64_t count) {
  T* to = static_cast<T*>(dst);
  for (uint64_t i = 0; i < count; ++i) to[i] = static_cast<T>(scalar);
}

constexpr Body kDuplicateBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, Fill<uint32_t>, SimdFill32},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_BFLOAT16, BASCULE_BFLOAT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_INT16, BASCULE_INT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_UINT16, BASCULE_UINT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_INT32, BASCULE_INT32, Fill<uint32_t>, SimdFill32},
    {BASCULE_UINT32, BASCULE_UINT32, Fill<uint32_t>, SimdFill32},
};

// --- Fill

constexpr Body kFillBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, Fill<uint32_t>, SimdFill32},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_BFLOAT16, BASCULE_BFLOAT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_INT16, BASCULE_INT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_UINT16, BASCULE_UINT16, Fill<uint16_t>, SimdFill16},
    {BASCULE_INT32, BASCULE_INT32, Fill<uint32_t>, SimdFill32},
    {BASCULE_UINT32, BASCULE_UINT32, Fill<uint32_t>, SimdFill32},
};

void RunFill(const Row& row, const BasculeInstruction& in, const RunOptions& options) {
  if (options.atomic_op == BASCULE_ATOMIC_NONE) return RunElementwise(row, in, options);
  alignas(64) char tile[4096];
  const uint64_t element = ElementBytes(in.operand[0].dtype);
  FindBody(row, in.operand[0].dtype, in.operand[0].dtype)
      ->simd()(tile, tile, nullptr, in.params.vector.scalar.bits, sizeof(tile) / element);
  char* to = static_cast<char*>(in.operand[0].address);
  for (uint64_t left = in.count * element; left != 0;) {
    const uint64_t bytes = std::min<uint64_t>(left, sizeof(tile));
    Accumulate(options, to, tile, bytes);
    to += bytes;
    left -= bytes;
  }
}

// --- CreateVecIndex, Arange

// Integers wrap around; half is computed in float and rounded once.
template <typename T>
T Plus(T a, uint64_t b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + b);
  } else {
    return T(float(a) + static_cast<float>(b));
  }
}

template <typename T>
void Index(void* dst, uint64_t first, uint64_t start, uint64_t count) {
  T* to = static_cast<T*>(dst);
  const T value = FromBits<T>(first);
  for (uint64_t i = 0; i < count; ++i) to[i] = Plus(value, start + i);
}

struct IndexBody {
  BasculeDType dtype;
  IndexFunction reference;
  IndexFunction (*simd)();
};
constexpr IndexBody kIndexBodies[] = {
    {BASCULE_FLOAT, Index<float>, SimdIndexFloat},
    {BASCULE_FLOAT16, Index<half_t>, SimdIndexHalf},
    {BASCULE_INT16, Index<int16_t>, SimdIndexInt16},
    {BASCULE_INT32, Index<int32_t>, SimdIndexInt32},
};
constexpr Body kNumberTypes[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_INT16, BASCULE_INT16, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT32, nullptr, nullptr},
};

const IndexBody& FindIndexBody(BasculeDType dtype) {
  return *std::find_if(std::begin(kIndexBodies), std::end(kIndexBodies),
                       [dtype](const IndexBody& body) { return body.dtype == dtype; });
}

void RunIndexWith(const BasculeInstruction& in, IndexFunction index) {
  const uint64_t first = in.params.vector.scalar.bits;
  if (in.form == BASCULE_FORM_COUNT) {
    index(in.operand[0].address, first, 0, in.count);
    return;
  }
  const LaneWalker dst(in.operand[0]);
  const uint32_t lanes = BASCULE_REPEAT_BYTES / dst.element_bytes;
  ForEachRun(Repeats(in, lanes), dst, [&](uint64_t repeat, uint32_t lane, uint32_t count) {
    index(dst.At(repeat, lane), first, repeat * lanes + lane, count);
  });
}
void RunIndex(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunIndexWith(in, FindIndexBody(in.operand[0].dtype).simd());
}
void RunIndexReference(const Row&, const BasculeInstruction& in, const RunOptions&) {
  RunIndexWith(in, FindIndexBody(in.operand[0].dtype).reference);
}

template <typename T>
T Product(T a, uint64_t b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * b);
  } else {
    return T(float(a) * static_cast<float>(b));
  }
}
template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return T(float(a) + float(b));
  }
}

template <typename T>
void Progression(const BasculeInstruction& in) {
  T* to = static_cast<T*>(in.operand[0].address);
  const T first = FromBits<T>(in.params.vector.scalar.bits);
  const T difference = FromBits<T>(in.params.vector.extra[0]);
  T eight[8];
  for (uint32_t i = 0; i < 8; ++i) eight[i] = Sum(first, Product(difference, i));
  T block[64];
  for (uint32_t i = 0; i < 64; ++i) {
    block[i] = i < 8 ? eight[i] : Sum(eight[i % 8], Product(difference, i / 8 * 8));
  }
  for (uint64_t start = 0; start < in.count; start += 64) {
    const T step = Product(difference, start);
    const uint64_t count = std::min<uint64_t>(64, in.count - start);
    for (uint64_t i = 0; i < count; ++i)
      to[start + i] = start == 0 ? block[i] : Sum(block[i], step);
  }
}

void RunArange(const Row&, const BasculeInstruction& in, const RunOptions&) {
  switch (in.operand[0].dtype) {
    case BASCULE_FLOAT:
      return Progression<float>(in);
    case BASCULE_FLOAT16:
      return Progression<half_t>(in);
    case BASCULE_INT16:
      return Progression<int16_t>(in);
    default:
      return Progression<int32_t>(in);
  }
}

// --- Brcb

constexpr Body kPlainTypes[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
    {BASCULE_BFLOAT16, BASCULE_BFLOAT16, nullptr, nullptr},
    {BASCULE_INT16, BASCULE_INT16, nullptr, nullptr},
    {BASCULE_UINT16, BASCULE_UINT16, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_UINT32, BASCULE_UINT32, nullptr, nullptr},
};

Extent BrcbExtent(const BasculeInstruction& in, uint32_t operand) {
  if (operand == 0) return ExtentOfForm(in, 0);
  Extent out;
  if (in.count == 0) return out;
  out.run_bytes =
      uint64_t{in.count} * BASCULE_DATABLOCKS_PER_REPEAT * ElementBytes(in.operand[1].dtype);
  out.runs = out.repeats = 1;
  out.span_bytes = out.run_bytes;
  return out;
}

std::string BrcbMisuse(const BasculeInstruction& in) {
  if (in.count == 0) return "";
  if (in.operand[0].block_stride == 0) {
    return "dstBlkStride is 0, which would write the 8 datablocks of a repeat over one another; "
           "adjacent "
           "datablocks have a stride of 1.";
  }
  if (in.operand[0].address == in.operand[1].address) {
    return "source and destination are the same memory; the call does not work in place.";
  }
  return "";
}

template <typename T>
void Broadcast(const BasculeInstruction& in) {
  const LaneWalker dst(in.operand[0]);
  const char* from = static_cast<const char*>(in.operand[1].address);
  for (uint64_t repeat = 0; repeat < in.count; ++repeat) {
    for (uint32_t block = 0; block < BASCULE_DATABLOCKS_PER_REPEAT; ++block, from += sizeof(T)) {
      T value;
      std::memcpy(&value, from, sizeof(T));
      T filled[BASCULE_DATABLOCK_BYTES / sizeof(T)];
      std::fill(std::begin(filled), std::end(filled), value);
      std::memcpy(dst.At(repeat, block * dst.per_block), filled, sizeof(filled));
    }
  }
}

void RunBrcb(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (ElementBytes(in.operand[0].dtype) == 2) {
    Broadcast<uint16_t>(in);
  } else {
    Broadcast<uint32_t>(in);
  }
}

// --- Copy

template <typename T>
void CopyElements(void* dst, const void* src, const void*, uint64_t, uint64_t count) {
  std::memmove(dst, src, count * sizeof(T));
}

Extent CopyExtent(const BasculeInstruction& in, uint32_t operand) {
  if (in.form != BASCULE_FORM_COUNTER) return ExtentOfForm(in, operand);
  return ExtentOfElements(in.operand[operand], in.mask[0], in.count);
}

void RunCopyLanes(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const LaneWalker dst(in.operand[0]);
  if (in.form != BASCULE_FORM_COUNTER) {
    RunLanes(in, dst.element_bytes == 2 ? CopyElements<uint16_t> : CopyElements<uint32_t>);
    return;
  }
  const LaneWalker src(in.operand[1]);
  for (uint64_t repeat = 0; repeat < in.count; ++repeat) {
    for (uint64_t lane = 0; lane < in.mask[0]; lane += dst.per_block) {
      const uint64_t count = std::min<uint64_t>(dst.per_block, in.mask[0] - lane);
      std::memmove(dst.At(repeat, static_cast<uint32_t>(lane)),
                   src.At(repeat, static_cast<uint32_t>(lane)), count * dst.element_bytes);
    }
  }
}

// --- the rows

constexpr uint8_t kMaskForms =
    1 << BASCULE_FORM_MASK_COUNT | 1 << BASCULE_FORM_MASK_BITS | 1 << BASCULE_FORM_COUNTER;

template <size_t n>
constexpr Row MakeRow(uint16_t opcode, const char* name, uint8_t operand_count,
                      const Body (&bodies)[n], uint8_t forms, const char* document, RunFunction run,
                      RunFunction run_reference) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeV;
  row.operand_count = operand_count;
  row.roles[0] = Role::kWrite;
  row.roles[1] = operand_count > 1 ? Role::kRead : Role::kNone;
  row.bodies = bodies;
  row.body_count = n;
  row.forms = forms;
  row.document = document;
  row.run = run;
  row.run_reference = run_reference;
  return row;
}

constexpr Row MakeFillRow() {
  Row row = MakeRow(BASCULE_OPCODE_kFill, "Fill", 1, kFillBodies, 1 << BASCULE_FORM_COUNT,
                    "高阶API/张量变换/Fill-97.md", RunFill, RunElementwiseReference);
  row.pipe = PipeMte3;
  return row;
}

constexpr Row MakeBrcbRow() {
  Row row = MakeRow(BASCULE_OPCODE_kBrcb, "Brcb", 2, kPlainTypes, 1 << BASCULE_FORM_MASK_COUNT,
                    "数据填充/Brcb.md", RunBrcb, RunBrcb);
  row.extent = BrcbExtent;
  row.misuse = BrcbMisuse;
  return row;
}

constexpr Row MakeCopyRow() {
  Row row = MakeRow(BASCULE_OPCODE_kCopy, "Copy", 2, kPlainTypes, kMaskForms,
                    "数据搬运/Copy（UBToUB掩码式高维数据搬运）.md", RunCopyLanes, RunCopyLanes);
  row.extent = CopyExtent;
  return row;
}

}  // namespace

constexpr Row kDuplicateRow = MakeRow(BASCULE_OPCODE_kDuplicate, "Duplicate", 1, kDuplicateBodies,
                                      1 << BASCULE_FORM_COUNT | kMaskForms, "数据填充/Duplicate.md",
                                      RunElementwise, RunElementwiseReference);
constexpr Row kFillRow = MakeFillRow();
constexpr Row kCreateVecIndexRow =
    MakeRow(BASCULE_OPCODE_kCreateVecIndex, "CreateVecIndex", 1, kNumberTypes,
            1 << BASCULE_FORM_COUNT | kMaskForms, "数据填充/CreateVecIndex.md", RunIndex,
            RunIndexReference);
constexpr Row kArangeRow =
    MakeRow(BASCULE_OPCODE_kArange, "Arange", 1, kNumberTypes, 1 << BASCULE_FORM_COUNT,
            "高阶API/索引计算/Arange-94.md", RunArange, RunArange);
constexpr Row kBrcbRow = MakeBrcbRow();
constexpr Row kCopyRow = MakeCopyRow();

}  // namespace bascule::isa

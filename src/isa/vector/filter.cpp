// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/filter.h"

#include <cstring>

#include "bascule/numeric/half.h"
#include "base/error.h"
#include "isa/vector/library_call.h"

namespace bascule::isa {
namespace {

constexpr Body kFloatAndHalf[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
};

struct Shape {
  uint64_t rows, columns, mask_pitch;
  explicit Shape(const BasculeInstruction& in)
      : rows(Low(in.params.vector.extra[0])),
        columns(High(in.params.vector.extra[0])),
        mask_pitch(in.params.vector.extra[1]) {}
};

bool BitMode(const BasculeInstruction& in) {
  return (in.params.vector.flags & BASCULE_DROPOUT_BITS) != 0;
}

Extent FilterExtent(const BasculeInstruction& in, uint32_t operand) {
  const Shape s(in);
  switch (operand) {
    case 0:
    case 1:
      return ExtentOfRows(in.operand[operand], s.rows, s.columns, s.columns);
    case 2:
      return ExtentOfRows(in.operand[2], s.rows, BitMode(in) ? (s.columns + 7) / 8 : s.columns,
                          s.mask_pitch);
    default:
      return ExtentOfTemporary(in);
  }
}

// --- Select

std::string SelectMisuse(const BasculeInstruction& in) {
  const Shape s(in);
  const uint64_t bytes = BytesOf(in.operand[1].dtype, s.columns);
  if (bytes % BASCULE_DATABLOCK_BYTES != 0) {
    return Join("srcLastAxis of ", s.columns, " elements has ", bytes,
                " bytes; it has to be a multiple of 32.");
  }
  const uint64_t mask_bytes = BytesOf(in.operand[2].dtype, s.mask_pitch);
  if (mask_bytes % BASCULE_DATABLOCK_BYTES != 0 || s.mask_pitch % 16 != 0) {
    return Join("maskLastAxis is ", s.mask_pitch, " elements of ", mask_bytes,
                " bytes; it has to be a multiple of 16 elements and of 32 bytes.");
  }
  if (s.mask_pitch < s.columns) {
    return Join("maskLastAxis is ", s.mask_pitch, " and srcLastAxis ", s.columns,
                "; the mask may not be the shorter.");
  }
  return "";
}

template <typename Bits, typename Mask>
void SelectRows(const BasculeInstruction& in) {
  const Shape s(in);
  const Bits* from = static_cast<const Bits*>(in.operand[1].address);
  const Mask* mask = static_cast<const Mask*>(in.operand[2].address);
  Bits* to = static_cast<Bits*>(in.operand[0].address);
  const Bits scalar = static_cast<Bits>(in.params.vector.scalar.bits);
  const bool scalar_first = (in.params.vector.flags & BASCULE_SELECT_SCALAR_FIRST) != 0;
  for (uint64_t i = 0; i < s.rows; ++i, from += s.columns, to += s.columns, mask += s.mask_pitch) {
    for (uint64_t j = 0; j < s.columns; ++j) {
      to[j] = (mask[j] == 0) == scalar_first ? scalar : from[j];
    }
  }
}

template <typename Bits>
void SelectByMask(const BasculeInstruction& in) {
  switch (ElementBytes(in.operand[2].dtype)) {
    case 1:
      return SelectRows<Bits, uint8_t>(in);
    case 2:
      return SelectRows<Bits, uint16_t>(in);
    default:
      return SelectRows<Bits, uint32_t>(in);
  }
}

void RunSelect(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[0].dtype == BASCULE_FLOAT) {
    SelectByMask<uint32_t>(in);
  } else {
    SelectByMask<uint16_t>(in);
  }
}

// --- DropOut

std::string DropOutMisuse(const BasculeInstruction& in) {
  const Shape s(in);
  const float keep = FloatOf(in.params.vector.scalar.bits);
  if (!(keep > 0 && keep < 1)) {
    return Join("keepProb is ", keep, "; it has to be more than 0 and less than 1.");
  }
  const uint64_t needed = BitMode(in) ? (s.columns + 7) / 8 : s.columns;
  if (s.mask_pitch < needed) {
    return Join("maskLastAxis is ", s.mask_pitch, "; a row of ", s.columns, " elements needs ",
                needed, BitMode(in) ? ", a bit for each." : ", a byte for each.");
  }
  return "";
}

template <typename T>
void DropRows(const BasculeInstruction& in) {
  const Shape s(in);
  const bool bits = BitMode(in);
  const T* from = static_cast<const T*>(in.operand[1].address);
  const uint8_t* mask = static_cast<const uint8_t*>(in.operand[2].address);
  T* to = static_cast<T*>(in.operand[0].address);
  // One factor for all, rounded to the element type, as Muls takes it.
  const T factor = T(1 / FloatOf(in.params.vector.scalar.bits));
  for (uint64_t i = 0; i < s.rows; ++i, from += s.columns, to += s.columns, mask += s.mask_pitch) {
    for (uint64_t j = 0; j < s.columns; ++j) {
      const bool keep = bits ? (mask[j / 8] >> (j % 8) & 1) != 0 : mask[j] != 0;
      to[j] = keep ? T(float(from[j]) * float(factor)) : T(0);
    }
  }
}

void RunDropOut(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[0].dtype == BASCULE_FLOAT) {
    DropRows<float>(in);
  } else {
    DropRows<half_t>(in);
  }
}

}  // namespace

constexpr Row kSelectWithBytesMaskRow =
    MakeLibraryRow(BASCULE_OPCODE_kSelectWithBytesMask, "Select with a mask of bytes",
                   kFloatAndHalf, "高阶API/数据过滤/Select-95.md",
                   {{Role::kWrite, Role::kRead, Role::kRead, Role::kWrite},
                    RunSelect,
                    FilterExtent,
                    SelectMisuse,
                    Saturation::kNothing});
constexpr Row kDropOutRow =
    MakeLibraryRow(BASCULE_OPCODE_kDropOut, "DropOut", kFloatAndHalf, "高阶API/数据过滤/DropOut.md",
                   {{Role::kWrite, Role::kRead, Role::kRead, Role::kWrite},
                    RunDropOut,
                    FilterExtent,
                    DropOutMisuse});

}  // namespace bascule::isa

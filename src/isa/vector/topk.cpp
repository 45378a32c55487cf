// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/topk.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "isa/vector/library_call.h"
#include "isa/vector/sort.h"

namespace bascule::isa {
namespace {

constexpr Body kTopKBodies[] = {
    {BASCULE_FLOAT, BASCULE_INT32, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_INT32, nullptr, nullptr},
};
constexpr Body kFinishBodies[] = {
    {BASCULE_INT32, BASCULE_BOOL, nullptr, nullptr},
    {BASCULE_INT32, BASCULE_UINT8, nullptr, nullptr},
};

struct Shape {
  uint64_t rows, columns, k, value_pitch, index_pitch;
  bool smallest, index_per_row;
  explicit Shape(const BasculeInstruction& in)
      : rows(Low(in.params.vector.extra[0])),
        columns(High(in.params.vector.extra[0])),
        k(Low(in.params.vector.extra[1])),
        value_pitch(High(in.params.vector.extra[1])),
        index_pitch(in.params.vector.extra[3]),
        smallest((in.params.vector.flags & BASCULE_TOPK_SMALLEST) != 0),
        index_per_row((in.params.vector.flags & BASCULE_TOPK_INDEX_PER_ROW) != 0) {}
};

Extent TopKExtent(const BasculeInstruction& in, uint32_t operand) {
  const Shape s(in);
  switch (operand) {
    case 0:
      return ExtentOfRows(in.operand[0], s.rows, s.k, s.value_pitch);
    case 1:
      return ExtentOfRows(in.operand[1], s.rows, s.k, s.index_pitch);
    case 2:
      return ExtentOfRows(in.operand[2], s.rows, s.columns, s.columns);
    default: {
      if (in.operand[3].address == nullptr) return Extent{};
      return ExtentOfRows(in.operand[3], s.index_per_row ? s.rows : std::min<uint64_t>(s.rows, 1),
                          s.columns, s.columns);
    }
  }
}

std::string TopKMisuse(const BasculeInstruction& in) {
  const Shape s(in);
  if (s.k > s.columns) {
    return Join("k is ", s.k, " of rows of ", s.columns, " elements.");
  }
  return "";
}

template <typename Bits>
void TopRows(const BasculeInstruction& in) {
  const Shape s(in);
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const Bits flip = s.smallest ? kSign : Bits{0};
  const Bits* from = static_cast<const Bits*>(in.operand[2].address);
  const int32_t* numbers = static_cast<const int32_t*>(in.operand[3].address);
  Bits* values = static_cast<Bits*>(in.operand[0].address);
  int32_t* indices = static_cast<int32_t*>(in.operand[1].address);
  std::vector<uint64_t> order(s.columns);
  for (uint64_t row = 0; row < s.rows; ++row) {
    for (uint64_t i = 0; i < s.columns; ++i) {
      order[i] = uint64_t{~RankOfScore(static_cast<Bits>(from[i] ^ flip))} << 32 | i;
    }
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(s.k), order.end());
    for (uint64_t i = 0; i < s.k; ++i) {
      const uint32_t at = static_cast<uint32_t>(order[i]);
      values[i] = from[at];
      indices[i] = numbers == nullptr ? static_cast<int32_t>(at) : numbers[at];
    }
    from += s.columns;
    values += s.value_pitch;
    indices += s.index_pitch;
    if (numbers != nullptr && s.index_per_row) numbers += s.columns;
  }
}

void RunTopK(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (in.operand[0].dtype == BASCULE_FLOAT) {
    TopRows<uint32_t>(in);
  } else {
    TopRows<uint16_t>(in);
  }
}

Extent FinishExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t rows = Low(in.params.vector.extra[0]);
  const uint64_t k = High(in.params.vector.extra[0]);
  if (operand == 1) return ExtentOfBytes(k == 0 ? 0 : rows);
  return ExtentOfRows(in.operand[0], rows, k, Low(in.params.vector.extra[1]));
}

void RunFinish(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const uint64_t rows = Low(in.params.vector.extra[0]);
  const uint64_t k = High(in.params.vector.extra[0]);
  const uint64_t pitch = Low(in.params.vector.extra[1]);
  const int32_t index = static_cast<int32_t>(High(in.params.vector.extra[1]));
  const uint8_t* finished = static_cast<const uint8_t*>(in.operand[1].address);
  int32_t* to = static_cast<int32_t*>(in.operand[0].address);
  for (uint64_t row = 0; row < rows; ++row, to += pitch) {
    if (finished[row] != 0) std::fill(to, to + k, index);
  }
}

}  // namespace

constexpr Row kTopKRow =
    MakeLibraryRow(BASCULE_OPCODE_kTopK, "TopK", kTopKBodies, "高阶API/排序操作/TopK.md",
                   {{Role::kWrite, Role::kWrite, Role::kRead, Role::kRead},
                    RunTopK,
                    TopKExtent,
                    TopKMisuse,
                    Saturation::kNothing});
constexpr Row kTopKFinishRow = MakeLibraryRow(
    BASCULE_OPCODE_kTopKFinish, "TopK of finished rows", kFinishBodies, "高阶API/排序操作/TopK.md",
    {{Role::kReadWrite, Role::kRead}, RunFinish, FinishExtent});

}  // namespace bascule::isa

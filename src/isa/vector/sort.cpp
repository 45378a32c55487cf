// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/sort.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

constexpr uint32_t kPerRepeat = 32;
constexpr uint32_t kRecordBytes = 8;
constexpr uint32_t kQueues = 4;

constexpr Body kSortBodies[] = {
    {BASCULE_FLOAT, BASCULE_FLOAT, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_FLOAT16, nullptr, nullptr},
};
constexpr Body kExtractBodies[] = {
    {BASCULE_FLOAT, BASCULE_UINT32, nullptr, nullptr},
    {BASCULE_FLOAT16, BASCULE_UINT32, nullptr, nullptr},
};

// A number that is higher the earlier a score comes.
template <typename Bits>
uint32_t Rank(Bits bits) {
  constexpr int kSign = 8 * sizeof(Bits) - 1;
  constexpr uint32_t kInfinity = sizeof(Bits) == 2 ? 0x7c00 : 0x7f800000;
  const uint32_t magnitude = bits & ((uint32_t{1} << kSign) - 1);
  if (magnitude > kInfinity) return ~uint32_t{0};
  const bool negative = (bits >> kSign) != 0 && magnitude != 0;
  return negative ? 0x80000000u - magnitude : 0x80000000u + magnitude;
}

template <typename Bits>
uint32_t RankAt(const char* from) {
  Bits bits;
  std::memcpy(&bits, from, sizeof(bits));
  return Rank(bits);
}

bool IsHalf(const BasculeInstruction& in) { return in.operand[0].dtype == BASCULE_FLOAT16; }

Extent Bytes(uint64_t bytes) {
  Extent out;
  if (bytes == 0) return out;
  out.run_bytes = out.span_bytes = bytes;
  out.runs = out.repeats = 1;
  return out;
}

// --- Sort32, Sort

Extent SortExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t elements = uint64_t{in.count} * kPerRepeat;
  switch (operand) {
    case 1:
      return Bytes(elements * ElementBytes(in.operand[1].dtype));
    case 2:
      return Bytes(elements * sizeof(uint32_t));
    default:
      return Bytes(elements * kRecordBytes);
  }
}

// Sorts `count` elements from element `first` on.
template <typename Bits>
void SortSome(const BasculeInstruction& in, uint64_t first, uint64_t count,
              std::vector<uint64_t>& order) {
  const Bits* scores = static_cast<const Bits*>(in.operand[1].address) + first;
  const uint32_t* indices = static_cast<const uint32_t*>(in.operand[2].address) + first;
  char* to = static_cast<char*>(in.operand[0].address) + first * kRecordBytes;
  order.resize(count);
  for (uint64_t i = 0; i < count; ++i) order[i] = uint64_t{~Rank(scores[i])} << 32 | i;
  std::sort(order.begin(), order.end());
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t from = static_cast<uint32_t>(order[i]);
    uint64_t record = uint64_t{indices[from]} << 32;
    record |= scores[from];
    std::memcpy(to + i * kRecordBytes, &record, sizeof(record));
  }
}

void RunSort(const Row&, const BasculeInstruction& in, const RunOptions&) {
  std::vector<uint64_t> order;
  const bool all = in.opcode == BASCULE_OPCODE_kSort;
  const uint64_t at_once = all ? uint64_t{in.count} * kPerRepeat : kPerRepeat;
  for (uint64_t first = 0; first < uint64_t{in.count} * kPerRepeat; first += at_once) {
    if (IsHalf(in)) {
      SortSome<uint16_t>(in, first, at_once, order);
    } else {
      SortSome<uint32_t>(in, first, at_once, order);
    }
  }
}

// --- MrgSort

struct Queues {
  const char* begin[kQueues] = {};
  uint32_t length[kQueues] = {};  // 0: does not take part
  uint64_t total = 0;

  explicit Queues(const BasculeInstruction& in) {
    const BasculeVectorParams& params = in.params.vector;
    for (uint32_t i = 0; i < kQueues; ++i) {
      if ((params.mode >> i & 1) == 0) continue;
      length[i] = static_cast<uint32_t>(params.scalar.bits >> (16 * i) & 0xffff);
      begin[i] = static_cast<const char*>(in.operand[1].address) + Offset(in, i);
      total += length[i];
    }
  }

  static uint32_t Offset(const BasculeInstruction& in, uint32_t queue) {
    return static_cast<uint32_t>(in.params.vector.extra[queue / 2] >> (32 * (queue % 2)));
  }
};

// Takes records in order until all queues, or with `stop` one, are used up. `to` may be null.
template <typename Bits>
void Merge(const Queues& queues, bool stop, char* to, uint16_t (&taken)[kQueues]) {
  uint32_t next[kQueues] = {};
  uint32_t rank[kQueues] = {};
  std::fill(std::begin(taken), std::end(taken), uint16_t{0});
  for (uint32_t i = 0; i < kQueues; ++i) {
    if (queues.length[i] != 0) rank[i] = RankAt<Bits>(queues.begin[i]);
  }
  for (uint64_t done = 0; done < queues.total; ++done) {
    uint32_t best = kQueues;
    for (uint32_t i = 0; i < kQueues; ++i) {
      if (next[i] < queues.length[i] && (best == kQueues || rank[i] > rank[best])) best = i;
    }
    const char* record = queues.begin[best] + uint64_t{next[best]} * kRecordBytes;
    if (to != nullptr) std::memcpy(to + done * kRecordBytes, record, kRecordBytes);
    ++taken[best];
    if (++next[best] < queues.length[best]) {
      rank[best] = RankAt<Bits>(record + kRecordBytes);
    } else if (stop) {
      return;
    }
  }
}

bool StopsAtEnd(const BasculeInstruction& in) {
  return (in.params.vector.flags & BASCULE_MERGE_STOP_AT_END) != 0;
}

Extent MrgSortExtent(const BasculeInstruction& in, uint32_t operand) {
  const Queues queues(in);
  if (in.count == 0 || queues.total == 0) return Extent{};
  const uint64_t all_bytes = queues.total * kRecordBytes;
  if (operand == 0) {
    if (!StopsAtEnd(in)) return Bytes(all_bytes * in.count);
    uint16_t taken[kQueues];
    if (IsHalf(in)) {
      Merge<uint16_t>(queues, true, nullptr, taken);
    } else {
      Merge<uint32_t>(queues, true, nullptr, taken);
    }
    return Bytes(uint64_t{kRecordBytes} * (taken[0] + uint64_t{taken[1]} + taken[2] + taken[3]));
  }
  // From the lowest queue to the end of the highest; what lies between them is in the same memory.
  uint64_t end = 0;
  for (uint32_t i = 0; i < kQueues; ++i) {
    if (queues.length[i] == 0) continue;
    end = std::max(end, Queues::Offset(in, i) + uint64_t{queues.length[i]} * kRecordBytes);
  }
  return Bytes(end + all_bytes * (in.count - 1));
}

std::string MrgSortMisuse(const BasculeInstruction& in) {
  const uint32_t valid = in.params.vector.mode;
  if (valid != 3 && valid != 7 && valid != 15) {
    return Join("validBit is ", valid,
                "; it is 3, 7 or 15 for the first two, three or four queues.");
  }
  const Queues queues(in);
  for (uint32_t i = 0; i < kQueues; ++i) {
    if (queues.length[i] > 4095) {
      return Join("queue ", i + 1, " has ", queues.length[i],
                  " records; a queue has at most 4095.");
    }
    if (queues.length[i] != 0 && reinterpret_cast<uint64_t>(queues.begin[i]) % kRecordBytes != 0) {
      return Join("queue ", i + 1, " does not begin on a multiple of 8 bytes.");
    }
  }
  const uint64_t dst = reinterpret_cast<uint64_t>(in.operand[0].address);
  const uint64_t written = MrgSortExtent(in, 0).span_bytes;
  for (uint32_t i = 0; i < kQueues; ++i) {
    const uint64_t from = reinterpret_cast<uint64_t>(queues.begin[i]);
    if (queues.length[i] != 0 && from < dst + written &&
        dst < from + uint64_t{queues.length[i]} * kRecordBytes) {
      return Join("the destination overlaps queue ", i + 1, "; the call does not work in place.");
    }
  }
  return "";
}

void RunMrgSort(const Row&, const BasculeInstruction& in, const RunOptions&) {
  Queues queues(in);
  char* to = static_cast<char*>(in.operand[0].address);
  uint16_t taken[kQueues] = {};
  for (uint64_t repeat = 0; repeat < in.count; ++repeat) {
    if (IsHalf(in)) {
      Merge<uint16_t>(queues, StopsAtEnd(in), to, taken);
    } else {
      Merge<uint32_t>(queues, StopsAtEnd(in), to, taken);
    }
    to += queues.total * kRecordBytes;
    for (const char*& begin : queues.begin) begin += queues.total * kRecordBytes;
  }
  if (in.count != 0) {
    std::memcpy(reinterpret_cast<void*>(in.params.vector.extra[BASCULE_EXTRA_RESULT]), taken,
                sizeof(taken));
  }
}

// --- Extract

Extent ExtractExtent(const BasculeInstruction& in, uint32_t operand) {
  const uint64_t records = uint64_t{in.count} * kPerRepeat;
  switch (operand) {
    case 0:
      return Bytes(records * ElementBytes(in.operand[0].dtype));
    case 1:
      return Bytes(records * sizeof(uint32_t));
    default:
      return Bytes(records * kRecordBytes);
  }
}

template <typename Bits>
void Split(const BasculeInstruction& in) {
  Bits* scores = static_cast<Bits*>(in.operand[0].address);
  uint32_t* indices = static_cast<uint32_t*>(in.operand[1].address);
  const char* records = static_cast<const char*>(in.operand[2].address);
  for (uint64_t i = 0; i < uint64_t{in.count} * kPerRepeat; ++i) {
    uint64_t record;
    std::memcpy(&record, records + i * kRecordBytes, sizeof(record));
    scores[i] = static_cast<Bits>(record);
    indices[i] = static_cast<uint32_t>(record >> 32);
  }
}

void RunExtract(const Row&, const BasculeInstruction& in, const RunOptions&) {
  if (IsHalf(in)) {
    Split<uint16_t>(in);
  } else {
    Split<uint32_t>(in);
  }
}

template <size_t n>
constexpr Row MakeRow(uint16_t opcode, const char* name, uint8_t operand_count,
                      const Body (&bodies)[n], const char* document, RunFunction run,
                      Extent (*extent)(const BasculeInstruction&, uint32_t)) {
  Row row = {};
  row.opcode = opcode;
  row.name = name;
  row.pipe = PipeV;
  row.operand_count = operand_count;
  row.roles[0] = Role::kWrite;
  for (int i = 1; i < operand_count; ++i) row.roles[i] = Role::kRead;
  row.bodies = bodies;
  row.body_count = n;
  row.forms = 1 << BASCULE_FORM_MASK_COUNT;
  row.document = document;
  row.run = row.run_reference = run;
  row.extent = extent;
  return row;
}

constexpr Row MakeSortRow() {
  Row row = MakeRow(BASCULE_OPCODE_kSort, "Sort", 4, kSortBodies, "高阶API/排序操作/Sort.md",
                    RunSort, SortExtent);
  row.roles[3] = Role::kWrite;
  return row;
}
constexpr Row MakeMrgSortRow() {
  Row row = MakeRow(BASCULE_OPCODE_kMrgSort, "MrgSort", 2, kSortBodies,
                    "排序组合（ISASI）/MrgSort.md", RunMrgSort, MrgSortExtent);
  row.misuse = MrgSortMisuse;
  row.align_bytes[1] = kRecordBytes;
  return row;
}
constexpr Row MakeExtractRow() {
  Row row = MakeRow(BASCULE_OPCODE_kExtract, "Extract", 3, kExtractBodies,
                    "高阶API/排序操作/Extract.md", RunExtract, ExtractExtent);
  row.roles[1] = Role::kWrite;
  return row;
}

}  // namespace

uint32_t RankOfScore(uint16_t half) { return Rank(half); }
uint32_t RankOfScore(uint32_t single) { return Rank(single); }

constexpr Row kSort32Row = MakeRow(BASCULE_OPCODE_kSort32, "Sort32", 3, kSortBodies,
                                   "排序组合（ISASI）/Sort32.md", RunSort, SortExtent);
constexpr Row kSortRow = MakeSortRow();
constexpr Row kMrgSortRow = MakeMrgSortRow();
constexpr Row kExtractRow = MakeExtractRow();

}  // namespace bascule::isa

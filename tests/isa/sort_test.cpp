// Sort32, Sort, MrgSort and Extract against std::stable_sort.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/sort.h"

#include <array>

#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa {
namespace {

using test::Bench;
using test::Peek;
using test::Poke;
using test::SomeBytes;
using test::TameBytes;

constexpr size_t kBytes = 80 * 1024;

BasculeInstruction Base(const Row& row, BasculeDType dtype, uint32_t repeats) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.operand_count = row.operand_count;
  in.form = BASCULE_FORM_MASK_COUNT;
  in.count = repeats;
  in.mask[0] = 256 / ElementBytes(dtype);
  for (auto& operand : in.operand) operand = {nullptr, BASCULE_UB, dtype, 1, 8};
  return in;
}

struct Record {
  double score;
  uint64_t bits;
};

double Score(const std::vector<char>& bytes, uint64_t at, BasculeDType dtype) {
  return dtype == BASCULE_FLOAT ? double(Peek<float>(bytes, at))
                                : double(float(Peek<half_t>(bytes, at)));
}

bool Before(const Record& a, const Record& b) {
  if (b.score != b.score) return false;
  return a.score != a.score || a.score > b.score;
}

std::vector<Record> RecordsOf(const std::vector<char>& scores, const std::vector<char>& indices,
                              uint64_t first, uint64_t count, BasculeDType dtype) {
  std::vector<Record> out;
  for (uint64_t i = first; i < first + count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &scores[i * ElementBytes(dtype)], ElementBytes(dtype));
    bits |= uint64_t{Peek<uint32_t>(indices, i * 4)} << 32;
    out.push_back({Score(scores, i * ElementBytes(dtype), dtype), bits});
  }
  return out;
}

void Put(std::vector<char>& out, uint64_t first, const std::vector<Record>& records) {
  for (size_t i = 0; i < records.size(); ++i) Poke(out, (first + i) * 8, &records[i].bits, 8);
}

// Compares whole records, so operand 0 is taken for integers.
void CheckSort(uint16_t opcode, bool all) {
  Bench bench(opcode);
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    for (const bool tame : {false, true}) {
      std::vector<std::vector<char>> memory = {
          SomeBytes(kBytes, BASCULE_UINT8, 1),
          tame ? TameBytes(kBytes, dtype, 2) : SomeBytes(kBytes, dtype, 2),
          SomeBytes(kBytes, BASCULE_UINT8, 3)};
      if (all) memory.push_back(SomeBytes(kBytes, BASCULE_UINT8, 4));
      for (uint32_t repeats : {0u, 1u, 2u, 7u, 40u}) {
        BasculeInstruction in = Base(bench.row(), dtype, repeats);
        std::vector<char> expected = memory[0];
        const uint64_t at_once = all ? std::max(1u, repeats * 32) : 32;
        for (uint64_t first = 0; first < repeats * 32; first += at_once) {
          std::vector<Record> records = RecordsOf(memory[1], memory[2], first, at_once, dtype);
          std::stable_sort(records.begin(), records.end(), Before);
          Put(expected, first, records);
        }
        ASSERT_NO_FATAL_FAILURE(
            bench.Check(in, memory, expected, Join(DTypeName(dtype), " repeats ", repeats)));
      }
    }
  }
}
TEST(Sort32, SortsEach32) { CheckSort(BASCULE_OPCODE_kSort32, false); }
TEST(Sort, SortsAll) { CheckSort(BASCULE_OPCODE_kSort, true); }

TEST(Extract, SplitsRecords) {
  const std::vector<char> records = SomeBytes(kBytes, BASCULE_UINT8, 1);
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    const uint32_t element = ElementBytes(dtype);
    std::vector<char> scores(kBytes, 'x');
    std::vector<char> indices(kBytes, 'x');
    BasculeInstruction in = Base(kExtractRow, dtype, 3);
    in.operand[0].address = scores.data();
    in.operand[1].address = indices.data();
    in.operand[2].address = const_cast<char*>(records.data());
    kExtractRow.run(kExtractRow, in, RunOptions{});
    for (uint32_t i = 0; i < 96; ++i) {
      ASSERT_EQ(std::memcmp(&scores[i * element], &records[i * 8], element), 0) << i;
      ASSERT_EQ(std::memcmp(&indices[i * 4], &records[i * 8 + 4], 4), 0) << i;
    }
    ASSERT_EQ(scores[96 * element], 'x');
    ASSERT_EQ(indices[96 * 4], 'x');
    EXPECT_EQ(ExtentOf(kExtractRow, in, 0).span_bytes, 96 * element);
    EXPECT_EQ(ExtentOf(kExtractRow, in, 1).span_bytes, 96 * 4u);
    EXPECT_EQ(ExtentOf(kExtractRow, in, 2).span_bytes, 96 * 8u);
  }
}

struct Merge {
  BasculeInstruction in;
  std::array<uint16_t, 4> taken = {77, 77, 77, 77};

  Merge(BasculeDType dtype, uint32_t valid, std::array<uint16_t, 4> lengths,
        std::array<uint32_t, 4> offsets, bool stop, uint32_t repeats)
      : in(Base(kMrgSortRow, dtype, repeats)) {
    BasculeVectorParams& params = in.params.vector;
    params.mode = valid;
    params.flags = stop ? BASCULE_MERGE_STOP_AT_END : 0;
    for (uint32_t i = 0; i < 4; ++i) {
      params.scalar.bits |= uint64_t{lengths[i]} << (16 * i);
      params.extra[i / 2] |= uint64_t{offsets[i]} << (32 * (i % 2));
    }
    params.extra[BASCULE_EXTRA_RESULT] = reinterpret_cast<uint64_t>(taken.data());
  }
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
};

// Sorted queues of records, one behind the other or with gaps.
std::vector<char> SortedQueues(BasculeDType dtype, uint32_t queues, std::array<uint16_t, 4> lengths,
                               std::array<uint32_t, 4> offsets, bool tame, uint32_t seed) {
  std::vector<char> out = SomeBytes(kBytes, BASCULE_UINT8, seed);
  for (uint32_t i = 0; i < queues; ++i) {
    const std::vector<char> scores = tame ? TameBytes(lengths[i] * 4 + 64u, dtype, seed + i)
                                          : SomeBytes(lengths[i] * 4 + 64u, dtype, seed + i);
    const std::vector<char> indices = SomeBytes(lengths[i] * 4 + 64u, BASCULE_UINT8, seed + 10 + i);
    std::vector<Record> records = RecordsOf(scores, indices, 0, lengths[i], dtype);
    std::stable_sort(records.begin(), records.end(), Before);
    std::vector<char> bytes(lengths[i] * 8);
    Put(bytes, 0, records);
    std::copy(bytes.begin(), bytes.end(), out.begin() + offsets[i]);
  }
  return out;
}

std::vector<Record> Queue(const std::vector<char>& bytes, uint64_t offset, uint64_t length,
                          BasculeDType dtype) {
  std::vector<Record> out;
  for (uint64_t i = 0; i < length; ++i) {
    out.push_back({Score(bytes, offset + i * 8, dtype), Peek<uint64_t>(bytes, offset + i * 8)});
  }
  return out;
}

TEST(MrgSort, MergesQueues) {
  Bench bench(BASCULE_OPCODE_kMrgSort);
  struct Case {
    uint32_t queues;
    std::array<uint16_t, 4> lengths;
    std::array<uint32_t, 4> offsets;
  };
  const Case cases[] = {
      {4, {32, 32, 32, 32}, {0, 256, 512, 768}},
      {4, {1, 100, 7, 0}, {4096, 0, 2048, 1024}},
      {2, {32, 64, 0, 0}, {0, 256, 0, 0}},
      {3, {33, 1, 500, 9}, {8, 0, 512, 0}},
      {4, {0, 0, 0, 0}, {0, 0, 0, 0}},
      {2, {0, 5, 0, 0}, {0, 8, 0, 0}},
      {4, {1500, 1400, 900, 600}, {0, 12000, 23200, 30400}},
  };
  for (BasculeDType dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    for (const Case& c : cases) {
      for (const bool tame : {false, true}) {
        for (const bool stop : {false, true}) {
          const uint32_t valid = (1u << c.queues) - 1;
          Merge merge(dtype, valid, c.lengths, c.offsets, stop, 1);
          const std::vector<std::vector<char>> memory = {
              SomeBytes(kBytes, BASCULE_UINT8, 1),
              SortedQueues(dtype, c.queues, c.lengths, c.offsets, tame, 5)};
          std::vector<std::vector<Record>> queues;
          for (uint32_t i = 0; i < c.queues; ++i) {
            queues.push_back(Queue(memory[1], c.offsets[i], c.lengths[i], dtype));
          }
          std::vector<Record> out;
          std::array<uint16_t, 4> taken = {0, 0, 0, 0};
          bool used_up = false;
          while (!(stop && used_up)) {
            int best = -1;
            for (uint32_t i = 0; i < c.queues; ++i) {
              if (taken[i] == c.lengths[i]) continue;
              if (best < 0 ||
                  Before(queues[i][taken[i]],
                         queues[static_cast<size_t>(best)][taken[static_cast<size_t>(best)]])) {
                best = static_cast<int>(i);
              }
            }
            if (best < 0) break;
            const size_t b = static_cast<size_t>(best);
            out.push_back(queues[b][taken[b]++]);
            used_up = taken[b] == c.lengths[b];
          }
          std::vector<char> expected = memory[0];
          Put(expected, 0, out);
          ASSERT_NO_FATAL_FAILURE(bench.Check(
              merge.in, memory, expected,
              Join(DTypeName(dtype), " queues ", c.queues, " of ", c.lengths[0], " stop ", stop)));
          ASSERT_EQ(merge.taken, taken);
        }
      }
    }
  }
}

TEST(MrgSort, RepeatsOnWhatFollows) {
  Bench bench(BASCULE_OPCODE_kMrgSort);
  const std::array<uint16_t, 4> lengths = {32, 32, 32, 32};
  std::vector<char> queues = SomeBytes(kBytes, BASCULE_UINT8, 9);
  for (uint32_t repeat = 0; repeat < 3; ++repeat) {
    const std::vector<char> one =
        SortedQueues(BASCULE_FLOAT, 4, lengths, {0, 256, 512, 768}, true, 20 + repeat);
    std::copy(one.begin(), one.begin() + 1024, queues.begin() + repeat * 1024);
  }
  const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 1), queues};
  Merge merge(BASCULE_FLOAT, 15, lengths, {0, 256, 512, 768}, false, 3);
  std::vector<char> expected = memory[0];
  for (uint32_t repeat = 0; repeat < 3; ++repeat) {
    std::vector<Record> records = Queue(queues, repeat * 1024, 128, BASCULE_FLOAT);
    std::stable_sort(records.begin(), records.end(), Before);
    Put(expected, repeat * 128, records);
  }
  ASSERT_NO_FATAL_FAILURE(bench.Check(merge.in, memory, expected, "three repeats"));
}

TEST(MrgSort, RefusesWhatTheHardwareCannot) {
  alignas(64) char memory[4096];
  auto says = [&](uint32_t valid, std::array<uint16_t, 4> lengths, std::array<uint32_t, 4> offsets,
                  uint32_t dst) {
    Merge merge(BASCULE_FLOAT, valid, lengths, offsets, false, 1);
    merge.in.operand[0].address = memory + dst;
    merge.in.operand[1].address = memory;
    return kMrgSortRow.misuse(merge.in);
  };
  EXPECT_EQ(says(3, {4, 4, 0, 0}, {0, 32, 0, 0}, 64), "");
  EXPECT_NE(says(5, {4, 4, 4, 0}, {0, 32, 64, 0}, 128).find("validBit is 5"), std::string::npos);
  EXPECT_NE(says(3, {4, 4096, 0, 0}, {0, 32, 0, 0}, 64).find("queue 2 has 4096 records"),
            std::string::npos);
  EXPECT_NE(
      says(3, {4, 4, 0, 0}, {0, 36, 0, 0}, 128).find("queue 2 does not begin on a multiple of 8"),
      std::string::npos);
  EXPECT_NE(says(3, {4, 4, 0, 0}, {0, 32, 0, 0}, 32).find("overlaps queue 2"), std::string::npos);
}

}  // namespace
}  // namespace bascule::isa

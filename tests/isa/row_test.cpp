// Every row × element types × call form × length × CPU target: the SIMD form against the plain
// reference, bit for bit or within the bound the row states, with nothing touched beside the
// operands. SPDX-License-Identifier: Apache-2.0
#include "isa/row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bascule/numeric/half.h"
#include "base/dtype.h"
#include "base/error.h"
#include "isa/footprint.h"
#include "isa/vector/lanes.h"
#include "simd/targets.h"

namespace bascule::isa {
namespace {

constexpr uint32_t kGuardBytes = 256;

std::vector<const Row*> Rows() {
  uint32_t count = 0;
  const Row* const* rows = AllRows(&count);
  return {rows, rows + count};
}

// Special values first, then anything.
void FillElements(std::vector<char>& bytes, BasculeDType dtype, uint32_t seed) {
  std::mt19937 random(seed);
  for (char& byte : bytes) byte = static_cast<char>(random());
  auto put = [&](auto values) {
    const size_t room = bytes.size() / sizeof(values[0]);
    // Rotated by the seed, so that two operands meet each other's special values.
    for (size_t i = 0; i < std::min(room, values.size()); ++i) {
      std::memcpy(&bytes[i * sizeof(values[0])], &values[(i + seed) % values.size()],
                  sizeof(values[0]));
    }
  };
  if (dtype == BASCULE_FLOAT) {
    put(std::vector<uint32_t>{0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                              0xff800000, 0x7fc00000, 0x7f7fffff, 0x00000001, 0x80000001,
                              0x00800000});
  } else if (dtype == BASCULE_FLOAT16) {
    put(std::vector<uint16_t>{0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7bff,
                              0x0001, 0x8001, 0x0400, 0x03ff, 0x3555});
  } else if (dtype == BASCULE_BFLOAT16) {
    put(std::vector<uint16_t>{0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f7f,
                              0x0001, 0x8001, 0x4f00, 0xcf00, 0x3fc0});
  } else if (dtype == BASCULE_INT32) {
    put(std::vector<uint32_t>{0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x01000001, 0xfeffffff,
                              32768, 65520});
  } else if (dtype == BASCULE_INT64) {
    put(std::vector<uint64_t>{0, 1, ~uint64_t{0}, ~uint64_t{0} >> 1, uint64_t{1} << 63, 0x80000000,
                              0x1000001});
  }
}

// The place of a floating code in the order of all values; both zeros are 0.
template <typename Layout>
int64_t Place(typename Layout::Bits bits) {
  const int64_t magnitude = bits & static_cast<typename Layout::Bits>(~Layout::kSign);
  return (bits & Layout::kSign) != 0 ? -magnitude : magnitude;
}

// Whether two codes are the same number, or at most `ulp` places apart. A NaN's payload is not part
// of a result: which operand's survives is the machine's choice.
template <typename Layout>
bool SameFloat(const char* a, const char* b, double ulp) {
  typename Layout::Bits x;
  typename Layout::Bits y;
  std::memcpy(&x, a, sizeof(x));
  std::memcpy(&y, b, sizeof(y));
  if (x == y) return true;
  const bool x_nan = (x & static_cast<typename Layout::Bits>(~Layout::kSign)) > Layout::kInfinity;
  const bool y_nan = (y & static_cast<typename Layout::Bits>(~Layout::kSign)) > Layout::kInfinity;
  if (x_nan || y_nan) return x_nan && y_nan;
  return std::abs(Place<Layout>(x) - Place<Layout>(y)) <= ulp && ((x ^ y) & Layout::kSign) == 0;
}

// One element, or two of four bits. The reference is rounded itself, so a bound is met with one
// place more; types of 16 bits are at most one place off.
bool Same(const char* a, const char* b, BasculeDType dtype, float ulp) {
  switch (dtype) {
    case BASCULE_FLOAT:
      return SameFloat<numeric::FloatLayout>(a, b, ulp == 0 ? 0 : std::ceil(ulp));
    case BASCULE_FLOAT16:
      return SameFloat<numeric::HalfLayout>(a, b, ulp == 0 ? 0 : 1);
    case BASCULE_BFLOAT16:
      return SameFloat<numeric::BfloatLayout>(a, b, ulp == 0 ? 0 : 1);
    default:
      return std::memcmp(a, b, BytesOf(dtype, 1)) == 0;
  }
}

// Scalars of an element type, as bits: small, large, negative and odd ones. For shifts they are
// digits.
std::vector<uint64_t> Scalars(BasculeDType dtype) {
  switch (dtype) {
    case BASCULE_FLOAT:
      return {0x3fc00000, 0xbe800000, 0x7f800000, 0x7fc00000, 0x80000000, 0x00000001};
    case BASCULE_FLOAT16:
      return {0x3e00, 0xb400, 0x7c00, 0x7e00, 0x8000, 0x0001};
    case BASCULE_INT16:
    case BASCULE_UINT16:
      return {0, 1, 5, 15, 16, 0x7fff, 0xfff9};
    default:
      return {0, 1, 5, 31, 32, 0x7fffffff, 0xfffffff9};
  }
}

struct Form {
  std::string name;
  BasculeInstruction in;
};

// The call forms of one combination of element types at awkward sizes.
std::vector<Form> Forms(const Row& row, const Body& body) {
  std::vector<Form> forms;
  BasculeInstruction base = {};
  base.opcode = row.opcode;
  base.operand_count = row.operand_count;
  for (uint32_t i = 0; i < row.operand_count; ++i) {
    base.operand[i] = {nullptr, BASCULE_UB, i == 0 ? body.dst : body.src, 1, 8};
  }
  const uint32_t lanes =
      8 * BASCULE_REPEAT_BYTES / std::max({8u, ElementBits(body.dst), ElementBits(body.src)});
  const uint32_t block = lanes / BASCULE_DATABLOCKS_PER_REPEAT;
  if (row.forms & (1 << BASCULE_FORM_COUNT)) {
    for (uint32_t count : {0u, 1u, block - 1, block, block + 1, lanes - 1, lanes, lanes + 1, 38u,
                           9 * lanes - block - 1, 16 * lanes}) {
      Form form{Join("count ", count), base};
      form.in.form = BASCULE_FORM_COUNT;
      form.in.count = count;
      forms.push_back(form);
    }
  }
  struct Stride {
    uint16_t block;
    uint32_t repeat;
  };
  for (const Stride stride : {Stride{1, 8}, Stride{2, 16}, Stride{1, 9}, Stride{3, 1}}) {
    if (row.forms & (1 << BASCULE_FORM_COUNTER)) {
      for (uint64_t count :
           {uint64_t{0}, uint64_t{1}, uint64_t{block}, uint64_t{lanes - 1}, uint64_t{lanes},
            uint64_t{lanes + 1}, uint64_t{4 * lanes + block + 3}}) {
        Form form{Join("counter ", count, " strides ", stride.block, "/", stride.repeat), base};
        form.in.form = BASCULE_FORM_COUNTER;
        form.in.mask[0] = count;
        for (auto& operand : form.in.operand) {
          operand.block_stride = stride.block;
          operand.repeat_stride = stride.repeat;
        }
        forms.push_back(form);
      }
    }
    for (uint32_t repeats : {0u, 1u, 2u, 5u}) {
      if (row.forms & (1 << BASCULE_FORM_MASK_COUNT)) {
        for (uint64_t mask :
             {uint64_t{0}, uint64_t{1}, uint64_t{block}, uint64_t{lanes - 1}, uint64_t{lanes}}) {
          Form form{Join("mask ", mask, " repeats ", repeats, " strides ", stride.block, "/",
                         stride.repeat),
                    base};
          form.in.form = BASCULE_FORM_MASK_COUNT;
          form.in.count = repeats;
          form.in.mask[0] = mask;
          for (auto& operand : form.in.operand) {
            operand.block_stride = stride.block;
            operand.repeat_stride = stride.repeat;
          }
          forms.push_back(form);
        }
      }
      if (row.forms & (1 << BASCULE_FORM_MASK_BITS)) {
        for (uint64_t bits : {uint64_t{0}, uint64_t{1} << 63, uint64_t{0x8001},
                              uint64_t{0x5555555555555555}, ~uint64_t{0}}) {
          Form form{Join("bits ", bits, " repeats ", repeats, " strides ", stride.block, "/",
                         stride.repeat),
                    base};
          form.in.form = BASCULE_FORM_MASK_BITS;
          form.in.count = repeats;
          form.in.mask[0] = bits;
          form.in.mask[1] = lanes > 64 ? bits : 0;
          for (auto& operand : form.in.operand) {
            operand.block_stride = stride.block;
            operand.repeat_stride = stride.repeat;
          }
          forms.push_back(form);
        }
      }
    }
  }
  return forms;
}

TEST(Rows, AgreeWithTheirReferenceOnEveryTarget) {
  constexpr size_t kBytes = 9 * 1024;
  constexpr uint32_t kModes = 7;
  size_t compared = 0;
  for (const Row* row : Rows()) {
    for (uint32_t b = 0; b < row->body_count; ++b) {
      if (row->bodies[b].reference == nullptr)
        continue;  // not elementwise: its family has a test of its own
      const Body& body = row->bodies[b];
      const BasculeDType dtype = body.dst;
      const std::string what =
          Join(row->name, " ", DTypeName(body.src), " to ", DTypeName(dtype), " ");
      const std::vector<uint64_t> scalars = Scalars(dtype);
      size_t next_scalar = 0;
      uint32_t next_mode = 0;
      std::vector<std::vector<char>> memory;
      for (uint32_t i = 0; i < row->operand_count; ++i) {
        memory.emplace_back(kBytes);
        FillElements(memory.back(), i == 0 ? dtype : body.src, i);
      }
      for (Form& form : Forms(*row, body)) {
        form.in.params.vector.scalar.bits = scalars[next_scalar++ % scalars.size()];
        // Modes take turns, as far as the row allows them.
        auto refused = [&] {
          form.in.params.vector.mode = next_mode++ % kModes;
          return row->misuse != nullptr && !row->misuse(form.in).empty();
        };
        uint32_t tries = 0;
        while (refused() && ++tries < kModes) {
        }
        if (tries == kModes) continue;
        auto run = [&](RunFunction function, std::vector<char> dst) {
          for (uint32_t i = 1; i < row->operand_count; ++i) {
            form.in.operand[i].address = memory[i].data() + kGuardBytes;
          }
          form.in.operand[0].address = dst.data() + kGuardBytes;
          function(*row, form.in, RunOptions{});
          return dst;
        };
        const std::vector<char> expected = run(row->run_reference, memory[0]);
        // What the footprint does not name stays as it was.
        const uint64_t span = ExtentOf(*row, form.in, 0).span_bytes;
        ASSERT_LE(kGuardBytes + span, kBytes) << what << form.name;
        ASSERT_EQ(std::memcmp(expected.data(), memory[0].data(), kGuardBytes), 0);
        ASSERT_EQ(std::memcmp(expected.data() + kGuardBytes + span,
                              memory[0].data() + kGuardBytes + span, kBytes - kGuardBytes - span),
                  0)
            << what << form.name << " writes beyond its footprint";
        for (int64_t target : simd::UsableTargets()) {
          simd::UseTarget(target);
          const std::vector<char> got = run(row->run, memory[0]);
          for (size_t at = 0; got != expected && at < kBytes; at += BytesOf(dtype, 1)) {
            ASSERT_TRUE(Same(&expected[at], &got[at], dtype, row->ulp))
                << what << form.name << " mode " << form.in.params.vector.mode << " on "
                << simd::TargetName(target) << " differs at byte " << at - kGuardBytes;
          }
          ++compared;
        }
        simd::UseTarget(0);
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST(Rows, AreNumberedAndNamedOnce) {
  std::set<uint16_t> numbers;
  std::set<std::string> names;
  for (const Row* row : Rows()) {
    EXPECT_TRUE(numbers.insert(row->opcode).second) << row->name;
    EXPECT_TRUE(names.insert(row->name).second) << row->name;
    EXPECT_EQ(FindRow(row->opcode), row);
    EXPECT_NE(row->document, nullptr) << row->name;
    EXPECT_TRUE(Writes(row->roles[0])) << row->name;
  }
}

// The list of opcodes and the rows are two lists; they have to say the same.
TEST(Rows, MatchTheListOfOpcodes) {
#define BASCULE_CHECK_OPCODE(id, number, text) \
  ASSERT_NE(FindRow(number), nullptr) << text; \
  EXPECT_STREQ(FindRow(number)->name, text);
  BASCULE_OPCODES(BASCULE_CHECK_OPCODE)
#undef BASCULE_CHECK_OPCODE
  EXPECT_EQ(FindRow(0), nullptr);
  EXPECT_EQ(FindRow(BASCULE_OPCODE_limit), nullptr);
  EXPECT_EQ(FindRow(65535), nullptr);
}

TEST(Mul, IsAProductRoundedOnce) {
  const float x[] = {1.5f, -2.0f, 0.0f, 3e38f};
  const float y[] = {2.0f, 0.25f, -5.0f, 10.0f};
  float out[4];
  FindBody(*FindRow(BASCULE_OPCODE_kMul), BASCULE_FLOAT, BASCULE_FLOAT)->simd()(out, x, y, 0, 4);
  EXPECT_EQ(out[0], 3.0f);
  EXPECT_EQ(out[1], -0.5f);
  EXPECT_TRUE(out[2] == 0 && std::signbit(out[2]));
  EXPECT_TRUE(std::isinf(out[3]));
}

// Every half times a few: float holds the exact product of two halves, so one rounding is the
// definition.
TEST(Mul, HalfIsExactBeforeItRounds) {
  const Body& body = *FindBody(*FindRow(BASCULE_OPCODE_kMul), BASCULE_FLOAT16, BASCULE_FLOAT16);
  std::vector<uint16_t> x(65536);
  std::vector<uint16_t> y(65536);
  std::vector<uint16_t> out(65536);
  for (uint16_t factor : {uint16_t{0x3c00}, uint16_t{0x3555}, uint16_t{0x0001}, uint16_t{0xfbff}}) {
    for (uint32_t code = 0; code < 65536; ++code) {
      x[code] = static_cast<uint16_t>(code);
      y[code] = factor;
    }
    for (int64_t target : simd::UsableTargets()) {
      simd::UseTarget(target);
      body.simd()(out.data(), x.data(), y.data(), 0, 65536);
      for (uint32_t code = 0; code < 65536; ++code) {
        const double product = double(numeric::FloatFromHalfBits(x[code])) *
                               double(numeric::FloatFromHalfBits(factor));
        const half_t expected(product);
        if (product != product) {
          ASSERT_GT(out[code] & 0x7fff, 0x7c00) << code;
        } else {
          ASSERT_EQ(out[code], expected.Bits()) << code << " on " << simd::TargetName(target);
        }
      }
    }
    simd::UseTarget(0);
  }
}

// What leaves the range of an integer takes its end, in every instruction that can leave it.
template <typename T>
void CheckSaturation(BasculeDType dtype) {
  const std::vector<std::pair<uint16_t, int64_t (*)(int64_t, int64_t, int64_t)>> calls = {
      {BASCULE_OPCODE_kAdd, [](int64_t a, int64_t b, int64_t) { return a + b; }},
      {BASCULE_OPCODE_kSub, [](int64_t a, int64_t b, int64_t) { return a - b; }},
      {BASCULE_OPCODE_kMul, [](int64_t a, int64_t b, int64_t) { return a * b; }},
      {BASCULE_OPCODE_kAdds, [](int64_t a, int64_t, int64_t s) { return a + s; }},
      {BASCULE_OPCODE_kMuls, [](int64_t a, int64_t, int64_t s) { return a * s; }},
      {BASCULE_OPCODE_kAddRelu,
       [](int64_t a, int64_t b, int64_t) { return std::max<int64_t>(a + b, 0); }},
      {BASCULE_OPCODE_kSubRelu,
       [](int64_t a, int64_t b, int64_t) { return std::max<int64_t>(a - b, 0); }}};
  constexpr int64_t kLow = std::numeric_limits<T>::min();
  constexpr int64_t kHigh = std::numeric_limits<T>::max();
  const T values[] = {0,       1,        -1,          100,          -100,
                      T(kLow), T(kHigh), T(kLow + 1), T(kHigh - 1), T(kLow / 2)};
  std::vector<T> a;
  std::vector<T> b;
  for (T x : values) {
    for (T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (const auto& [opcode, defined] : calls) {
    const Row& row = *FindRow(opcode);
    if (FindBody(row, dtype, dtype) == nullptr) continue;  // AddRelu has no int32
    for (T scalar : values) {
      std::vector<T> out(a.size());
      BasculeInstruction in = {};
      in.opcode = opcode;
      in.form = BASCULE_FORM_COUNT;
      in.count = static_cast<uint32_t>(a.size());
      in.operand_count = row.operand_count;
      in.operand[0] = {out.data(), BASCULE_UB, dtype, 1, 8};
      in.operand[1] = {a.data(), BASCULE_UB, dtype, 1, 8};
      in.operand[2] = {b.data(), BASCULE_UB, dtype, 1, 8};
      std::memcpy(&in.params.vector.scalar.bits, &scalar, sizeof(scalar));
      RunOptions options;
      options.saturate = true;
      row.run(row, in, options);
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(out[i], std::clamp(defined(a[i], b[i], scalar), kLow, kHigh))
            << row.name << " " << a[i] << " " << b[i] << " " << scalar;
      }
    }
  }
}
TEST(Saturation, OfIntegersIsTheNearestValue) {
  CheckSaturation<int16_t>(BASCULE_INT16);
  CheckSaturation<int32_t>(BASCULE_INT32);
}

// Every code, in a form that leaves lanes out.
TEST(Saturation, OfFloatsIsTheLargestOrZero) {
  for (BasculeDType dtype : {BASCULE_FLOAT16, BASCULE_BFLOAT16}) {
    const uint16_t infinity = dtype == BASCULE_FLOAT16 ? 0x7c00 : 0x7f80;
    for (uint32_t first = 0; first < 65536; first += 128) {
      uint16_t codes[128];
      for (uint32_t i = 0; i < 128; ++i) codes[i] = static_cast<uint16_t>(first + i);
      BasculeInstruction in = {};
      in.form = BASCULE_FORM_MASK_BITS;
      in.count = 1;
      in.mask[0] = in.mask[1] = 0x5555555555555555;
      in.operand_count = 1;
      in.operand[0] = {codes, BASCULE_UB, dtype, 1, 8};
      SaturateResults(in);
      for (uint32_t i = 0; i < 128; ++i) {
        const uint16_t code = static_cast<uint16_t>(first + i);
        const uint16_t magnitude = code & 0x7fff;
        const uint16_t saturated = magnitude > infinity    ? 0
                                   : magnitude == infinity ? code - 1
                                                           : code;
        ASSERT_EQ(codes[i], i % 2 == 0 ? saturated : code) << code;
      }
    }
  }
}

}  // namespace
}  // namespace bascule::isa

// Cast: every pair of element types in every mode on every CPU target, over all codes of 16 bits
// and a sweep of wider ones, against the conversions of bascule/numeric, which have tests of their
// own. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bascule/numeric/half.h"
#include "base/dtype.h"
#include "base/error.h"
#include "isa/row.h"
#include "simd/targets.h"

namespace bascule::isa {
namespace {

constexpr uint32_t kModes = 7;
constexpr size_t kElements = 65536;

template <typename T>
void Append(std::vector<char>& bytes, T value) {
  const char* at = reinterpret_cast<const char*>(&value);
  bytes.insert(bytes.end(), at, at + sizeof(T));
}

// kElements of a type: all there are, or the neighbourhoods of what matters and then anything.
std::vector<char> Sweep(BasculeDType dtype) {
  std::vector<char> bytes;
  std::mt19937_64 random(dtype);
  const size_t size = BytesOf(dtype, kElements);
  bytes.reserve(size + 64);
  if (dtype == BASCULE_FLOAT) {
    for (float f : {0.0f, -0.0f, NAN, INFINITY, -INFINITY, 1e-45f, 65504.0f, 65520.0f, 65536.0f,
                    3.4028235e38f}) {
      Append(bytes, f);
    }
    for (int exponent = -28; exponent < 66; ++exponent) {
      for (float digits : {1.0f, 1.0004883f, 1.00390625f, 1.5f, 1.75f, 1.9995117f, 1.99609375f}) {
        for (float shift : {0.0f, 0.5f}) {
          const float at = std::ldexp(digits, exponent) + shift;
          for (float f : {std::nextafter(at, 0.0f), at, std::nextafter(at, INFINITY)}) {
            Append(bytes, f);
            Append(bytes, -f);
          }
        }
      }
    }
    // About half of the rest is of ordinary size.
    while (bytes.size() < size) {
      const uint32_t bits = static_cast<uint32_t>(random());
      Append(bytes, (bits & 1) != 0
                        ? std::bit_cast<float>(bits)
                        : std::ldexp(static_cast<float>(static_cast<int32_t>(bits)), -16));
    }
  } else if (dtype == BASCULE_INT32 || dtype == BASCULE_INT64) {
    while (bytes.size() < size) {
      const int64_t wide = static_cast<int64_t>(random());
      if (dtype == BASCULE_INT64) {
        Append(bytes, wide >> (wide & 63));
      } else {
        Append(bytes, static_cast<int32_t>(wide) >> (wide >> 32 & 31));
      }
    }
    const int64_t limits[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, 0, -1};
    for (size_t i = 0; i < std::size(limits); ++i) {
      std::memcpy(&bytes[i * ElementBytes(dtype)], &limits[i], ElementBytes(dtype));
    }
  } else {  // every code in turn
    for (size_t i = 0; i < size; i += BytesOf(dtype, 1)) {
      const size_t code = i / BytesOf(dtype, 1);
      if (BytesOf(dtype, 1) == 2) {
        Append(bytes, static_cast<uint16_t>(code));
      } else {
        Append(bytes, static_cast<uint8_t>(code));
      }
    }
  }
  bytes.resize(size);
  return bytes;
}

BasculeInstruction Instruction(BasculeDType dst, BasculeDType src, uint32_t mode) {
  BasculeInstruction in = {};
  in.opcode = BASCULE_OPCODE_kCast;
  in.operand_count = 2;
  in.count = 2;
  in.operand[0] = {nullptr, BASCULE_UB, dst, 1, 8};
  in.operand[1] = {nullptr, BASCULE_UB, src, 1, 8};
  in.params.vector.mode = mode;
  return in;
}

TEST(Cast, GivesTheBitsOfItsDefinition) {
  const Row& row = *FindRow(BASCULE_OPCODE_kCast);
  for (uint32_t b = 0; b < row.body_count; ++b) {
    const Body& body = row.bodies[b];
    const std::vector<char> from = Sweep(body.src);
    std::vector<char> expected(BytesOf(body.dst, kElements));
    std::vector<char> got(expected.size());
    for (uint32_t mode = 0; mode < kModes; ++mode) {
      if (!row.misuse(Instruction(body.dst, body.src, mode)).empty()) continue;
      // The scale of int32_t to half, one with all digits.
      const uint64_t scalar = mode | uint64_t{half_t(0.0012345).Bits()} << 32;
      body.reference(expected.data(), from.data(), nullptr, scalar, kElements);
      for (int64_t target : simd::UsableTargets()) {
        simd::UseTarget(target);
        body.simd()(got.data(), from.data(), nullptr, scalar, kElements);
        if (got == expected) continue;
        size_t at = 0;
        while (got[at] == expected[at]) ++at;
        FAIL() << DTypeName(body.src) << " to " << DTypeName(body.dst) << " mode " << mode << " on "
               << simd::TargetName(target) << ": element "
               << at * 8 / std::max(1u, ElementBits(body.dst)) << " differs";
      }
      simd::UseTarget(0);
    }
  }
}

TEST(Cast, MultipliesByTheScaleAndRoundsOnce) {
  const Body& body = *FindBody(*FindRow(BASCULE_OPCODE_kCast), BASCULE_FLOAT16, BASCULE_INT32);
  const int32_t from[] = {0, 65504, -65504, INT32_MAX, INT32_MIN, 2049, 2051};
  uint16_t to[std::size(from)];
  body.simd()(to, from, nullptr, uint64_t{half_t(1).Bits()} << 32, std::size(from));
  const half_t expected[] = {0, 65504, -65504, INFINITY, -INFINITY, 2048, 2052};
  for (size_t i = 0; i < std::size(from); ++i) EXPECT_EQ(to[i], expected[i].Bits()) << from[i];
}

TEST(Cast, RefusesModesAPairDoesNotHave) {
  const Row& row = *FindRow(BASCULE_OPCODE_kCast);
  auto misuse = [&](BasculeDType dst, BasculeDType src, uint32_t mode) {
    return row.misuse(Instruction(dst, src, mode));
  };
  EXPECT_EQ(misuse(BASCULE_FLOAT16, BASCULE_FLOAT, 6), "");
  EXPECT_EQ(misuse(BASCULE_FLOAT16, BASCULE_INT32, 5), "");
  EXPECT_EQ(misuse(BASCULE_BFLOAT16, BASCULE_FLOAT, 0),
            "from float32 to bfloat16 the rounding mode CAST_NONE is not available; available: "
            "CAST_RINT, "
            "CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC.");
  EXPECT_EQ(misuse(BASCULE_FLOAT, BASCULE_FLOAT16, 1),
            "from float16 to float32 the rounding mode CAST_RINT is not available; available: "
            "CAST_NONE.");
  EXPECT_NE(misuse(BASCULE_FLOAT, BASCULE_FLOAT16, 7).find("mode 7 is not available"),
            std::string::npos);
}

TEST(Cast, TakesFourBitElementsInPairs) {
  const Row& row = *FindRow(BASCULE_OPCODE_kCast);
  BasculeInstruction in = Instruction(BASCULE_INT4, BASCULE_FLOAT16, 1);
  EXPECT_EQ(row.misuse(in), "");
  in.count = 3;
  EXPECT_NE(row.misuse(in), "");
  in.form = BASCULE_FORM_MASK_BITS;
  in.mask[0] = 0xf3;
  EXPECT_EQ(row.misuse(in), "");
  in.mask[1] = 0x6;
  EXPECT_NE(row.misuse(in), "");
  in.form = BASCULE_FORM_MASK_COUNT;
  in.mask[0] = 7;
  EXPECT_NE(row.misuse(in), "");
}

}  // namespace
}  // namespace bascule::isa

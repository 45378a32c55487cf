// The cube unit's instructions against the element-by-element meaning of their pages.
#include "isa/cube/cube.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bascule/abi/cube.h"
#include "bascule/numeric/bfloat16.h"
#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa::test {
namespace {

constexpr size_t kBytes = 128 * 1024;

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

BasculeInstruction Base(const Row& row,
                        std::initializer_list<std::pair<uint8_t, BasculeDType>> ops) {
  BasculeInstruction in = {};
  in.opcode = row.opcode;
  in.count = 1;
  for (const auto& [memory, dtype] : ops) {
    in.operand[in.operand_count++] = {nullptr, memory, dtype, 0, 0};
  }
  return in;
}

// ---- LoadData

BasculeInstruction Load(BasculeDType dtype, uint8_t to, uint8_t from, uint64_t pieces,
                        uint64_t from_stride, uint64_t to_stride, uint32_t flags) {
  BasculeInstruction in = Base(kLoadDataRow, {{to, dtype}, {from, dtype}});
  in.params.vector.extra[BASCULE_LOAD_PIECES] = pieces;
  in.params.vector.extra[BASCULE_LOAD_FROM_STRIDE] = from_stride;
  in.params.vector.extra[BASCULE_LOAD_TO_STRIDE] = to_stride;
  in.params.vector.flags = flags;
  return in;
}

TEST(LoadData, MovesFractals) {
  Bench bench(BASCULE_OPCODE_kLoadData);
  for (uint64_t pieces : {0U, 1U, 2U, 5U}) {
    for (uint64_t from_stride : {0U, 1U, 3U}) {
      for (uint64_t to_stride : {1U, 2U}) {
        for (uint32_t flags : {0U, 1U, 2U, 3U}) {
          const BasculeInstruction in =
              Load(BASCULE_FLOAT16, BASCULE_L0B, BASCULE_L1, pieces, from_stride, to_stride, flags);
          const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 1),
                                                         SomeBytes(kBytes, BASCULE_UINT8, 2)};
          std::vector<char> expected = memory[0];
          for (uint64_t piece = 0; piece < pieces; ++piece) {
            const uint64_t at = (flags & BASCULE_LOAD_BACKWARDS) != 0 ? pieces - 1 - piece : piece;
            for (uint64_t row = 0; row < 16; ++row) {
              for (uint64_t column = 0; column < 16; ++column) {
                const uint64_t from =
                    (flags & BASCULE_LOAD_TRANSPOSE) != 0 ? column * 16 + row : row * 16 + column;
                Poke(expected, piece * to_stride * 512 + (row * 16 + column) * 2,
                     &memory[1][at * from_stride * 512 + from * 2], 2);
              }
            }
          }
          ASSERT_NO_FATAL_FAILURE(bench.Check(
              in, memory, expected, Join(pieces, "/", from_stride, "/", to_stride, "/", flags)));
        }
      }
    }
  }
}

TEST(LoadData, PipesAndWhatIsRefused) {
  EXPECT_EQ(kLoadDataRow.pipe(Load(BASCULE_FLOAT, BASCULE_L0A, BASCULE_L1, 1, 1, 1, 0)),
            BASCULE_PIPE_MTE1);
  EXPECT_EQ(kLoadDataRow.pipe(Load(BASCULE_FLOAT, BASCULE_L1, BASCULE_GM, 1, 1, 1, 0)),
            BASCULE_PIPE_MTE2);
  const auto misuse = [](const BasculeInstruction& in) { return kLoadDataRow.misuse(in); };
  EXPECT_EQ(misuse(Load(BASCULE_FLOAT, BASCULE_L0A, BASCULE_GM, 1, 1, 1, 0)), "");
  EXPECT_EQ(misuse(Load(BASCULE_FLOAT, BASCULE_L0A, BASCULE_L1, 1, 1, 1, 1)),
            "ifTranspose takes elements of 16 bits; LoadDataWithTranspose takes others.");
  EXPECT_EQ(misuse(Load(BASCULE_FLOAT16, BASCULE_L0A, BASCULE_GM, 1, 1, 1, 1)),
            "fractals are transposed on their way from L1 only.");
  EXPECT_EQ(misuse(Load(BASCULE_FLOAT16, BASCULE_UB, BASCULE_L1, 1, 1, 1, 0)),
            "the destination lies in L0A or L0B, or in L1 where the source is global memory.");
  EXPECT_EQ(misuse(Load(BASCULE_FLOAT16, BASCULE_L0A, BASCULE_UB, 1, 1, 1, 0)),
            "the source lies in L1 or in global memory.");
  BasculeInstruction in = Load(BASCULE_FLOAT16, BASCULE_L0A, BASCULE_L1, 1, 1, 1, 0);
  in.operand[0].address = reinterpret_cast<void*>(uint64_t{32});
  EXPECT_EQ(misuse(in),
            "the destination begins at address 32; it has to begin on a multiple of 512 bytes.");
}

// Square `square` of elements: (row, column) in the fractals it consists of, as an element index.
uint64_t InSquare(uint32_t bits, uint64_t row, uint64_t column, uint64_t fractal_stride_elements) {
  const uint64_t wide = 256 / bits;
  if (bits == 32) return column / wide * fractal_stride_elements + row * wide + column % wide;
  return row / 16 * fractal_stride_elements + row % 16 * wide + column;
}

uint8_t Nibble(const std::vector<char>& bytes, uint64_t i) {
  const auto byte = static_cast<uint8_t>(bytes[i / 2]);
  return i % 2 == 0 ? byte & 15 : byte >> 4;
}

TEST(LoadDataWithTranspose, TurnsSquares) {
  Bench bench(BASCULE_OPCODE_kLoadDataWithTranspose);
  for (BasculeDType dtype : {BASCULE_INT4, BASCULE_INT8, BASCULE_BFLOAT16, BASCULE_FLOAT}) {
    const uint32_t bits = ElementBits(dtype);
    const uint64_t fractal = 4096 / bits;  // elements
    const uint64_t side = bits == 4 ? 64 : bits == 8 ? 32 : 16;
    const uint64_t square = side * side;
    for (uint64_t pieces : {0U, 1U, 3U}) {
      for (uint64_t from_stride : {1U, 2U}) {
        for (uint64_t fractal_stride : {1U, 3U}) {
          for (uint32_t flags : {0U, uint32_t{BASCULE_LOAD_BACKWARDS}}) {
            const uint64_t to_stride = fractal_stride == 1 ? square / fractal : 1;
            BasculeInstruction in =
                Base(kLoadDataWithTransposeRow, {{BASCULE_L0B, dtype}, {BASCULE_L1, dtype}});
            in.params.vector.extra[BASCULE_LOAD_PIECES] = pieces;
            in.params.vector.extra[BASCULE_LOAD_FROM_STRIDE] = from_stride;
            in.params.vector.extra[BASCULE_LOAD_TO_STRIDE] = to_stride;
            in.params.vector.extra[BASCULE_LOAD_TO_FRACTAL_STRIDE] = fractal_stride;
            in.params.vector.flags = flags;
            const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 1),
                                                           SomeBytes(kBytes, BASCULE_UINT8, 2)};
            std::vector<char> expected = memory[0];
            for (uint64_t piece = 0; piece < pieces; ++piece) {
              const uint64_t at = flags != 0 ? pieces - 1 - piece : piece;
              for (uint64_t row = 0; row < side; ++row) {
                for (uint64_t column = 0; column < side; ++column) {
                  const uint64_t to = piece * to_stride * fractal +
                                      InSquare(bits, row, column, fractal_stride * fractal);
                  const uint64_t from =
                      at * from_stride * square + InSquare(bits, column, row, fractal);
                  if (bits >= 8) {
                    Poke(expected, to * bits / 8, &memory[1][from * bits / 8], bits / 8);
                    continue;
                  }
                  const auto old = static_cast<uint8_t>(expected[to / 2]);
                  const uint8_t value = Nibble(memory[1], from);
                  expected[to / 2] = static_cast<char>(to % 2 == 0 ? (old & 0xf0) | value
                                                                   : (old & 0x0f) | value << 4);
                }
              }
            }
            ASSERT_NO_FATAL_FAILURE(bench.Check(
                in, memory, expected,
                Join(DTypeName(dtype), " ", pieces, "/", from_stride, "/", fractal_stride)));
          }
        }
      }
    }
  }
}

// ---- LoadData of an image

struct Picture {
  uint64_t height, width, channel_blocks, left, right, top, bottom;
  uint64_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
  uint64_t k_first, k, m_first, m;  // k in datablocks but for `k_short` elements
  uint64_t k_short = 0;
};

// The whole matrix, element by element, then the part of it, fractal by fractal.
TEST(LoadDataOfAnImage, UnfoldsWindows) {
  Bench bench(BASCULE_OPCODE_kLoadDataImage);
  for (BasculeDType dtype : {BASCULE_INT8, BASCULE_FLOAT16, BASCULE_FLOAT}) {
    const uint64_t size = ElementBytes(dtype);
    const uint64_t wide = 32 / size;
    for (const bool to_b : {false, true}) {
      for (const bool turned : {false, true}) {
        if (size == 1 && (to_b || turned)) continue;
        for (const Picture& p : {Picture{1, 16, 2, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 2, 0, 16},
                                 Picture{5, 7, 1, 0, 0, 0, 0, 1, 1, 3, 3, 1, 1, 0, 9, 0, 15},
                                 Picture{5, 7, 2, 1, 2, 1, 0, 2, 1, 3, 2, 1, 2, 1, 7, 1, 9},
                                 Picture{4, 4, 3, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 3, 13, 3},
                                 Picture{6, 9, 1, 2, 2, 2, 2, 3, 2, 2, 2, 3, 1, 0, 4, 0, 40}}) {
          const uint64_t k = p.k * wide - p.k_short;
          BasculeInstruction in = Base(
              kLoadDataImageRow, {{to_b ? BASCULE_L0B : BASCULE_L0A, dtype}, {BASCULE_L1, dtype}});
          uint64_t* extra = in.params.vector.extra;
          extra[BASCULE_IMAGE_SIZE] = p.height | p.width << 16 | p.channel_blocks * wide << 32;
          extra[BASCULE_IMAGE_PAD_AND_STRIDE] = p.left | p.right << 8 | p.top << 16 |
                                                p.bottom << 24 | p.stride_w << 32 |
                                                p.stride_h << 40;
          extra[BASCULE_IMAGE_FILTER] =
              p.filter_w | p.filter_h << 16 | p.dilation_w << 32 | p.dilation_h << 40;
          extra[BASCULE_IMAGE_PART] = k | p.m << 16 | p.k_first * wide << 32 | p.m_first << 48;
          in.params.vector.flags = turned ? BASCULE_LOAD_TRANSPOSE : 0;
          in.params.vector.scalar.bits = 0x3132333435363738;
          const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 1),
                                                         SomeBytes(kBytes, BASCULE_UINT8, 2)};
          std::vector<char> expected = memory[0];
          const bool swap = to_b || turned;
          const uint64_t k_fractals = swap ? CeilDiv(k, 16) : CeilDiv(k, wide);
          const uint64_t m_fractals = swap ? CeilDiv(p.m, 16) * (16 / wide) : CeilDiv(p.m, 16);
          std::fill_n(expected.begin(), k_fractals * m_fractals * 512, 0);
          const uint64_t out_w =
              (p.width + p.left + p.right - ((p.filter_w - 1) * p.dilation_w + 1)) / p.stride_w + 1;
          const uint64_t out_h =
              (p.height + p.top + p.bottom - ((p.filter_h - 1) * p.dilation_h + 1)) / p.stride_h +
              1;
          for (uint64_t row = 0; row < p.m; ++row) {
            for (uint64_t column = 0; column < k; ++column) {
              const uint64_t at = row + p.m_first;
              if (at >= out_w * out_h) continue;
              const uint64_t all = column + p.k_first * wide;
              const uint64_t point = all / wide % (p.filter_w * p.filter_h);
              const uint64_t channels = all / wide / (p.filter_w * p.filter_h);
              const int64_t x = static_cast<int64_t>(at % out_w * p.stride_w +
                                                     point % p.filter_w * p.dilation_w) -
                                static_cast<int64_t>(p.left);
              const int64_t y = static_cast<int64_t>(at / out_w * p.stride_h +
                                                     point / p.filter_w * p.dilation_h) -
                                static_cast<int64_t>(p.top);
              const char* value = reinterpret_cast<const char*>(&in.params.vector.scalar);
              if (x >= 0 && y >= 0 && x < static_cast<int64_t>(p.width) &&
                  y < static_cast<int64_t>(p.height)) {
                value = &memory[1][((channels * p.height + static_cast<uint64_t>(y)) * p.width +
                                    static_cast<uint64_t>(x)) *
                                       32 +
                                   all % wide * size];
              }
              uint64_t to =
                  ((row / 16 * k_fractals + column / wide) * 16 + row % 16) * wide + column % wide;
              if (turned && !to_b)
                to = ((column / 16 * m_fractals + row / wide) * 16 + column % 16) * wide +
                     row % wide;
              if (to_b)
                to = ((row / wide * k_fractals + column / 16) * 16 + column % 16) * wide +
                     row % wide;
              Poke(expected, to * size, value, size);
            }
          }
          ASSERT_NO_FATAL_FAILURE(bench.Check(in, memory, expected,
                                              Join(DTypeName(dtype), " ", p.height, " x ", p.width,
                                                   to_b ? " B" : "", turned ? " turned" : "")));
        }
      }
    }
  }
}

struct Parts {
  uint64_t height, width, whole_blocks, tail_bytes, filter_w, filter_h, pad;
  uint64_t k_first_blocks, k_bytes, m_first, m;
  uint64_t repeats = 1, stride = 0;
  bool columns = false;
  uint64_t boundary = 0, first = 0;
};

// Channels that do not fill a datablock, parts that follow one another, images that go on at the
// memory's begin: byte by byte.
TEST(LoadDataOfAnImage, NarrowPixelsRepeatsAndABoundary) {
  Bench bench(BASCULE_OPCODE_kLoadDataImage);
  for (BasculeDType dtype : {BASCULE_INT4, BASCULE_INT8, BASCULE_FLOAT16, BASCULE_FLOAT}) {
    const uint64_t bits = ElementBits(dtype);
    const uint64_t size = std::max<uint64_t>(1, bits / 8);
    for (const int way : {0, 1, 2}) {  // A, A turned, B
      if (bits < 16 && way != 0) continue;
      for (const Parts& p :
           {Parts{4, 6, 0, 16, 3, 3, 0, 0, 144, 0, 8}, Parts{4, 6, 2, 16, 2, 2, 1, 1, 224, 3, 20},
            Parts{5, 5, 0, 16, 3, 2, 1, 1, 64, 0, 30}, Parts{4, 6, 1, 8, 3, 1, 0, 2, 56, 0, 16},
            Parts{4, 6, 0, 4, 3, 3, 0, 0, 36, 0, 8}, Parts{8, 8, 3, 0, 1, 1, 0, 0, 32, 0, 16, 4, 1},
            Parts{8, 8, 5, 0, 1, 1, 0, 1, 64, 5, 37, 2, 2, true},
            Parts{8, 8, 2, 0, 1, 1, 0, 0, 64, 0, 16, 2, 2, false, 1024, 512},
            Parts{8, 8, 1, 16, 2, 2, 0, 0, 192, 0, 49, 1, 0, false, 2048, 992}}) {
        if (p.tail_bytes * 8 / bits < 4 && p.tail_bytes != 0) continue;
        const uint64_t channels = p.whole_blocks * 32 + p.tail_bytes;
        BasculeInstruction in =
            Base(kLoadDataImageRow,
                 {{way == 2 ? BASCULE_L0B : BASCULE_L0A, dtype}, {BASCULE_L1, dtype}});
        uint64_t* extra = in.params.vector.extra;
        extra[BASCULE_IMAGE_SIZE] =
            p.height | p.width << 16 | channels * 8 / bits << 32 | p.stride << BASCULE_IMAGE_HIGH;
        extra[BASCULE_IMAGE_PAD_AND_STRIDE] = p.pad * 0x01010101 | uint64_t{0x0101} << 32 |
                                              (p.repeats - 1 + (p.columns ? 256u : 0u))
                                                  << BASCULE_IMAGE_HIGH;
        extra[BASCULE_IMAGE_FILTER] = p.filter_w | p.filter_h << 16 | uint64_t{0x0101} << 32 |
                                      p.first / 32 << BASCULE_IMAGE_HIGH;
        extra[BASCULE_IMAGE_PART] = p.k_bytes * 8 / bits | p.m << 16 |
                                    p.k_first_blocks * 256 / bits << 32 | p.m_first << 48;
        in.params.vector.mode = static_cast<uint32_t>(p.boundary);
        in.params.vector.flags = way == 1 ? BASCULE_LOAD_TRANSPOSE : 0;
        in.params.vector.scalar.bits = 0x31323334;
        const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 1),
                                                       SomeBytes(kBytes, BASCULE_UINT8, 2)};
        const uint64_t rows = p.columns ? p.m : p.m * p.repeats;
        const uint64_t bytes = p.columns ? p.k_bytes * p.repeats : p.k_bytes;
        const uint64_t blocks_m = CeilDiv(rows, 16);
        const uint64_t blocks_k = CeilDiv(bytes, 32);
        const uint64_t wide = 32 / size;
        const uint64_t k_fractals = way == 0 ? blocks_k : CeilDiv(blocks_k * wide, 16);
        const uint64_t m_fractals = way == 0 ? blocks_m : blocks_m * (16 / wide);
        std::vector<char> expected = memory[0];
        std::fill_n(expected.begin(), k_fractals * m_fractals * 512, 0);
        const uint64_t out_w = p.width + 2 * p.pad - p.filter_w + 1;
        const uint64_t out_h = p.height + 2 * p.pad - p.filter_h + 1;
        const uint64_t points = p.filter_w * p.filter_h;
        for (uint64_t row = 0; row < rows; ++row) {
          for (uint64_t byte = 0; byte < bytes; ++byte) {
            const uint64_t at =
                p.m_first + (p.columns ? row : row / p.m * p.stride * 16 + row % p.m);
            const uint64_t all =
                p.k_first_blocks * 32 +
                (p.columns ? byte / p.k_bytes * p.stride * 32 + byte % p.k_bytes : byte);
            if (at >= out_w * out_h) continue;
            const bool narrow = all >= p.whole_blocks * 32 * points;
            const uint64_t past = all - (narrow ? p.whole_blocks * 32 * points : 0);
            const uint64_t pixel = narrow ? p.tail_bytes : 32;
            const uint64_t point = past / pixel % points;
            const uint64_t plane = narrow ? p.whole_blocks : past / pixel / points;
            const int64_t x =
                static_cast<int64_t>(at % out_w + point % p.filter_w) - static_cast<int64_t>(p.pad);
            const int64_t y =
                static_cast<int64_t>(at / out_w + point / p.filter_w) - static_cast<int64_t>(p.pad);
            char value = reinterpret_cast<const char*>(&in.params.vector.scalar)[all % size];
            if (x >= 0 && y >= 0 && x < static_cast<int64_t>(p.width) &&
                y < static_cast<int64_t>(p.height)) {
              uint64_t from =
                  plane * p.height * p.width * 32 +
                  (static_cast<uint64_t>(y) * p.width + static_cast<uint64_t>(x)) * pixel +
                  past % pixel;
              if (p.boundary != 0) from = (from + p.first) % p.boundary;
              value = memory[1][from];
            }
            const uint64_t k = byte / size;
            uint64_t to = ((row / 16 * k_fractals + byte / 32) * 16 + row % 16) * 32 + byte % 32;
            if (way == 1)
              to = ((k / 16 * m_fractals + row / wide) * 16 + k % 16) * 32 + row % wide * size +
                   byte % size;
            if (way == 2)
              to = ((row / wide * k_fractals + k / 16) * 16 + k % 16) * 32 + row % wide * size +
                   byte % size;
            expected[to] = value;
          }
        }
        ASSERT_NO_FATAL_FAILURE(bench.Check(
            in, memory, expected,
            Join(DTypeName(dtype), " way ", way, " ", channels, " bytes, ", p.repeats, " parts")));
      }
    }
  }
}

TEST(LoadDataOfAnImage, WhatIsRefused) {
  BasculeInstruction in =
      Base(kLoadDataImageRow, {{BASCULE_L0A, BASCULE_FLOAT16}, {BASCULE_L1, BASCULE_FLOAT16}});
  uint64_t* extra = in.params.vector.extra;
  extra[BASCULE_IMAGE_SIZE] = 4 | 4 << 16 | uint64_t{16} << 32;
  extra[BASCULE_IMAGE_PAD_AND_STRIDE] = uint64_t{0x0101} << 32;
  extra[BASCULE_IMAGE_FILTER] = 1 | 1 << 16 | uint64_t{0x0101} << 32;
  extra[BASCULE_IMAGE_PART] = 16 | 16 << 16;
  const auto misuse = [&] { return kLoadDataImageRow.misuse(in); };
  EXPECT_EQ(misuse(), "");
  extra[BASCULE_IMAGE_PART] = 32 | 16 << 16;
  EXPECT_EQ(misuse(), "kStartPt and kExtension lead to column 32 of 16.");
  extra[BASCULE_IMAGE_FILTER] = 5 | 1 << 16 | uint64_t{0x0101} << 32;
  EXPECT_EQ(misuse(), "a window of 1 x 5 does not fit an image of 4 x 4 with its padding.");
  extra[BASCULE_IMAGE_SIZE] = 4 | 4 << 16 | uint64_t{18} << 32;
  EXPECT_EQ(misuse(),
            "channelSize is 18; it is a multiple of 16, the elements of a datablock, or more than "
            "one by 4 or 8.");
  extra[BASCULE_IMAGE_SIZE] = 4 | 4 << 16 | uint64_t{16} << 32;
  extra[BASCULE_IMAGE_FILTER] = 1 | 1 << 16 | uint64_t{0x0101} << 32;
  extra[BASCULE_IMAGE_PART] = 16 | 12 << 16;
  extra[BASCULE_IMAGE_PAD_AND_STRIDE] |= uint64_t{1} << BASCULE_IMAGE_HIGH;
  EXPECT_EQ(misuse(),
            "parts that follow one another have whole fractals; mExtension is 12 and not a "
            "multiple of 16.");
  extra[BASCULE_IMAGE_PART] = 16 | 16 << 16;
  extra[BASCULE_IMAGE_SIZE] |= uint64_t{1} << BASCULE_IMAGE_HIGH;
  EXPECT_EQ(misuse(), "the last part begins with row 16, and there are 16 rows.");
  in.operand[0] = {nullptr, BASCULE_L0B, BASCULE_INT8, 0, 0};
  EXPECT_EQ(misuse(),
            "elements of 8 bits do not go to L0B; LoadDataWithTranspose takes them there.");
  in.operand[1].memory = BASCULE_GM;
  EXPECT_EQ(misuse(), "the source lies in L1.");
}

// ---- Mmad

struct Product {
  BasculeDType dtype;
  uint64_t m, n, k;
  uint32_t mode;
  bool align_k = false;
};

BasculeInstruction Mmad(const Product& p) {
  const BasculeDType sum =
      p.dtype == BASCULE_INT8 || p.dtype == BASCULE_INT4 ? BASCULE_INT32 : BASCULE_FLOAT;
  BasculeInstruction in =
      Base(kMmadRow,
           {{BASCULE_L0C, sum}, {BASCULE_L0A, p.dtype}, {BASCULE_L0B, p.dtype}, {BASCULE_BT, sum}});
  in.params.vector.extra[BASCULE_MMAD_M] = p.m;
  in.params.vector.extra[BASCULE_MMAD_N] = p.n;
  in.params.vector.extra[BASCULE_MMAD_K] = p.k;
  in.params.vector.mode = p.mode;
  in.params.vector.flags = p.align_k ? BASCULE_MMAD_ALIGN_K : 0;
  return in;
}

double Element(const std::vector<char>& bytes, BasculeDType dtype, uint64_t i) {
  switch (dtype) {
    case BASCULE_FLOAT:
      return double(Peek<float>(bytes, i * 4));
    case BASCULE_FLOAT16:
      return double(float(half_t::FromBits(Peek<uint16_t>(bytes, i * 2))));
    case BASCULE_BFLOAT16:
      return double(float(bfloat16_t::FromBits(Peek<uint16_t>(bytes, i * 2))));
    case BASCULE_INT8:
      return Peek<int8_t>(bytes, i);
    default: {
      const int value = Nibble(bytes, i);
      return value < 8 ? value : value - 16;
    }
  }
}

// Numbers whose sums of products are exact in float, so that the order of k does not matter.
std::vector<char> Whole(size_t size, BasculeDType dtype, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<char> bytes = SomeBytes(size, BASCULE_UINT8, seed);
  if (dtype == BASCULE_INT8 || dtype == BASCULE_INT4) return bytes;
  const size_t element = ElementBytes(dtype);
  for (size_t i = 0; (i + 1) * element <= size; ++i) {
    const float value = static_cast<float>(static_cast<int>(random() % 41) - 20);
    const uint16_t half = half_t(value).Bits();
    const uint16_t bfloat = bfloat16_t(value).Bits();
    Poke(bytes, i * element,
         dtype == BASCULE_FLOAT     ? static_cast<const void*>(&value)
         : dtype == BASCULE_FLOAT16 ? static_cast<const void*>(&half)
                                    : static_cast<const void*>(&bfloat),
         element);
  }
  return bytes;
}

void CheckProduct(const Product& p) {
  const bool floats = p.dtype != BASCULE_INT8 && p.dtype != BASCULE_INT4;
  const uint64_t wide = 256 / ElementBits(p.dtype);
  const uint64_t k_fractals =
      p.align_k && p.dtype == BASCULE_FLOAT ? CeilDiv(p.k, 16) * 2 : CeilDiv(p.k, wide);
  const std::vector<std::vector<char>> memory = {
      Whole(kBytes, floats ? BASCULE_FLOAT : BASCULE_INT8, 1), Whole(kBytes, p.dtype, 2),
      Whole(kBytes, p.dtype, 3), Whole(4096, floats ? BASCULE_FLOAT : BASCULE_INT8, 4)};
  std::vector<char> expected = memory[0];
  for (uint64_t row = 0; row < p.m; ++row) {
    for (uint64_t column = 0; column < p.n; ++column) {
      const uint64_t at = (column / 16 * CeilDiv(p.m, 16) * 16 + row) * 16 + column % 16;
      double total = 0;
      const auto initial = [&](const std::vector<char>& from, uint64_t i) {
        return floats ? double(Peek<float>(from, i * 4)) : Peek<int32_t>(from, i * 4);
      };
      if (p.mode == BASCULE_MMAD_FROM_C) total = initial(memory[0], at);
      if (p.mode == BASCULE_MMAD_FROM_BIAS) total = initial(memory[3], column);
      for (uint64_t i = 0; i < p.k; ++i) {
        const uint64_t a =
            p.m == 1 ? i : ((row / 16 * k_fractals + i / wide) * 16 + row % 16) * wide + i % wide;
        const uint64_t b =
            ((i / wide * CeilDiv(p.n, 16) + column / 16) * 16 + column % 16) * wide + i % wide;
        total += Element(memory[1], p.dtype, a) * Element(memory[2], p.dtype, b);
      }
      if (floats) {
        const auto value = static_cast<float>(total);
        Poke(expected, at * 4, &value, 4);
      } else {
        const auto value = static_cast<int32_t>(std::clamp(total, -2147483648.0, 2147483647.0));
        Poke(expected, at * 4, &value, 4);
      }
    }
  }
  if (p.m == 0 || p.n == 0 || p.k == 0) expected = memory[0];
  Bench bench(BASCULE_OPCODE_kMmad);
  ASSERT_NO_FATAL_FAILURE(
      bench.Check(Mmad(p), memory, expected,
                  Join(DTypeName(p.dtype), " ", p.m, " x ", p.n, " over ", p.k, " mode ", p.mode)));
}

TEST(Mmad, MultipliesAtEverySize) {
  for (BasculeDType dtype :
       {BASCULE_FLOAT16, BASCULE_BFLOAT16, BASCULE_FLOAT, BASCULE_INT8, BASCULE_INT4}) {
    for (uint32_t mode : {BASCULE_MMAD_FROM_ZERO, BASCULE_MMAD_FROM_C, BASCULE_MMAD_FROM_BIAS}) {
      for (const Product& size :
           {Product{0, 16, 16, 16, 0}, Product{0, 30, 40, 70, 0}, Product{0, 1, 33, 65, 0},
            Product{0, 1, 16, 7, 0}, Product{0, 2, 1, 1, 0}, Product{0, 17, 15, 31, 0},
            Product{0, 48, 32, 64, 0}, Product{0, 7, 50, 3, 0}, Product{0, 0, 16, 16, 0},
            Product{0, 16, 0, 16, 0}, Product{0, 16, 16, 0, 0}}) {
        ASSERT_NO_FATAL_FAILURE(CheckProduct({dtype, size.m, size.n, size.k, mode}));
      }
    }
  }
}

TEST(Mmad, EvenNumberOfFractalsAlongK) {
  for (uint64_t k : {4U, 8U, 12U, 36U, 44U}) {
    ASSERT_NO_FATAL_FAILURE(CheckProduct({BASCULE_FLOAT, 20, 20, k, BASCULE_MMAD_FROM_ZERO, true}));
  }
}

// All processors give the bits of the plain loop, with infinities, NaN, subnormals and numbers that
// cancel.
TEST(Mmad, SumsInTheOrderOfK) {
  for (BasculeDType dtype : {BASCULE_FLOAT16, BASCULE_BFLOAT16, BASCULE_FLOAT}) {
    for (const bool tame : {false, true}) {
      const Product p = {dtype, 37, 29, 53, BASCULE_MMAD_FROM_C};
      const auto some = [&](uint32_t seed) {
        if (dtype == BASCULE_BFLOAT16) {
          std::vector<char> bytes = SomeBytes(kBytes, BASCULE_UINT8, seed);
          if (!tame) return bytes;
          const std::vector<char> floats = TameBytes(2 * kBytes, BASCULE_FLOAT, seed);
          for (size_t i = 0; i < kBytes / 2; ++i) Poke(bytes, 2 * i, &floats[4 * i + 2], 2);
          return bytes;
        }
        return tame ? TameBytes(kBytes, dtype, seed) : SomeBytes(kBytes, dtype, seed);
      };
      const std::vector<char> a = some(2);
      const std::vector<char> b = some(3);
      const std::vector<std::vector<char>> memory = {TameBytes(kBytes, BASCULE_FLOAT, 1), a, b,
                                                     std::vector<char>(4096)};
      std::vector<char> expected = memory[0];
      BasculeInstruction in = Mmad(p);
      in.operand[0].address = expected.data();
      in.operand[1].address = const_cast<char*>(a.data());
      in.operand[2].address = const_cast<char*>(b.data());
      kMmadRow.run_reference(kMmadRow, in, RunOptions{});
      Bench bench(BASCULE_OPCODE_kMmad);
      ASSERT_NO_FATAL_FAILURE(
          bench.Check(Mmad(p), memory, expected, Join(DTypeName(dtype), tame ? " tame" : "")));
    }
  }
}

TEST(Mmad, Int32Saturates) {
  std::vector<int8_t> a(16 * 32, 127);
  std::vector<int8_t> b(16 * 32, 127);
  std::vector<int32_t> c(256, std::numeric_limits<int32_t>::max() - 1000);
  BasculeInstruction in = Mmad({BASCULE_INT8, 16, 16, 32, BASCULE_MMAD_FROM_C});
  in.operand[0].address = c.data();
  in.operand[1].address = a.data();
  in.operand[2].address = b.data();
  for (const bool plain : {false, true}) {
    std::fill(c.begin(), c.end(), std::numeric_limits<int32_t>::max() - 1000);
    (plain ? kMmadRow.run_reference : kMmadRow.run)(kMmadRow, in, RunOptions{});
    for (int32_t value : c) ASSERT_EQ(value, std::numeric_limits<int32_t>::max());
  }
}

TEST(Mmad, SaturationMode) {
  std::vector<float> a(16 * 8, 1e38F);
  std::vector<float> b(16 * 8, 1e38F);
  std::vector<float> c(256);
  b[8] = std::numeric_limits<float>::quiet_NaN();  // column 1
  BasculeInstruction in = Mmad({BASCULE_FLOAT, 16, 16, 8, BASCULE_MMAD_FROM_ZERO});
  in.operand[0].address = c.data();
  in.operand[1].address = a.data();
  in.operand[2].address = b.data();
  RunOptions options;
  options.saturate = true;
  kMmadRow.run(kMmadRow, in, options);
  EXPECT_EQ(c[0], std::numeric_limits<float>::max());
  EXPECT_EQ(c[1], 0.F);
  kMmadRow.run(kMmadRow, in, RunOptions{});
  EXPECT_TRUE(std::isinf(c[0]));
  EXPECT_TRUE(std::isnan(c[1]));
}

TEST(Mmad, WhatIsRefused) {
  BasculeInstruction in = Mmad({BASCULE_FLOAT16, 16, 16, 16, BASCULE_MMAD_FROM_BIAS});
  EXPECT_EQ(kMmadRow.misuse(in), "");
  in.operand[3].memory = BASCULE_L1;
  EXPECT_EQ(kMmadRow.misuse(in), "the bias lies in the bias table.");
  in.operand[1].memory = BASCULE_L1;
  EXPECT_EQ(kMmadRow.misuse(in), "A lies in L0A.");
  in.operand[2].dtype = BASCULE_BFLOAT16;
  EXPECT_EQ(kMmadRow.misuse(in), "the two factors have different element types.");
  in.params.vector.extra[BASCULE_MMAD_N] = 4096;
  EXPECT_EQ(kMmadRow.misuse(in), "n is 4096; it is limited to 4095.");
}

// Factors are rounded to 11 digits behind the point, of two as near to the even one or to the one
// nearer to 0.
TEST(Mmad, RoundsToHf32) {
  const auto word = [](uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  };
  const struct {
    uint32_t from, even, zero;
  } cases[] = {{0x3f800000, 0x3f800000, 0x3f800000}, {0x3f800800, 0x3f800000, 0x3f800000},
               {0x3f801800, 0x3f802000, 0x3f801000}, {0x3f801801, 0x3f802000, 0x3f802000},
               {0xbf801800, 0xbf802000, 0xbf801000}, {0x3f8007ff, 0x3f800000, 0x3f800000},
               {0x3ffff800, 0x40000000, 0x3ffff000}, {0x7f7fffff, 0x7f800000, 0x7f800000},
               {0x7f800000, 0x7f800000, 0x7f800000}, {0x00000800, 0x00000000, 0x00000000}};
  for (const bool to_zero : {false, true}) {
    for (const bool in_a : {false, true}) {
      for (const bool plain : {false, true}) {
        for (const auto& one : cases) {
          std::vector<float> a(16 * 8);
          std::vector<float> b(16 * 8);
          std::vector<float> c(256);
          (in_a ? a : b)[0] = word(one.from);
          (in_a ? b : a)[0] = 1;
          BasculeInstruction in = Mmad({BASCULE_FLOAT, 16, 16, 1, BASCULE_MMAD_FROM_ZERO});
          in.params.vector.flags = BASCULE_MMAD_HF32 | (to_zero ? BASCULE_MMAD_HF32_ZERO : 0);
          in.operand[0].address = c.data();
          in.operand[1].address = a.data();
          in.operand[2].address = b.data();
          (plain ? kMmadRow.run_reference : kMmadRow.run)(kMmadRow, in, RunOptions{});
          EXPECT_EQ(c[0], word(to_zero ? one.zero : one.even)) << one.from;
        }
      }
    }
  }
}

// Two of every four along k, at every pair of places an index can name.
TEST(Mmad, Sparse) {
  Bench bench(BASCULE_OPCODE_kMmad);
  for (const bool large : {false, true}) {
    for (const Product& size : {Product{BASCULE_INT8, 16, 16, 64, 0},
                                Product{BASCULE_INT8, 37, 29, 132, BASCULE_MMAD_FROM_C},
                                Product{BASCULE_INT8, 1, 16, 70, 0},
                                Product{BASCULE_INT8, 30, 20, 63, BASCULE_MMAD_FROM_BIAS}}) {
      std::vector<std::vector<char>> memory = {
          Whole(kBytes, BASCULE_INT8, 1), Whole(kBytes, BASCULE_INT8, 2),
          Whole(kBytes, BASCULE_INT8, 3), Whole(4096, BASCULE_INT8, 4)};
      // Small sums fit 8 bits wherever two elements of B meet.
      if (!large) {
        for (char& value : memory[2]) value = static_cast<char>(value / 2);
      }
      std::mt19937 random(7);
      std::vector<uint8_t> index(kBytes / 4);
      for (uint8_t& four : index) {
        four = 0;
        for (int i = 0; i < 8; i += 2) four = static_cast<uint8_t>(four | random() % 3 << i);
      }
      std::vector<char> expected = memory[0];
      const uint64_t k_fractals = CeilDiv(size.k, 32);
      for (uint64_t row = 0; row < size.m; ++row) {
        for (uint64_t column = 0; column < size.n; ++column) {
          const uint64_t at = (column / 16 * CeilDiv(size.m, 16) * 16 + row) * 16 + column % 16;
          int64_t total = 0;
          if (size.mode == BASCULE_MMAD_FROM_C) total = Peek<int32_t>(memory[0], at * 4);
          if (size.mode == BASCULE_MMAD_FROM_BIAS) total = Peek<int32_t>(memory[3], column * 4);
          for (uint64_t i = 0; i < CeilDiv(size.k, 4) * 2; ++i) {
            const uint64_t b =
                ((i / 32 * CeilDiv(size.n, 16) + column / 16) * 16 + column % 16) * 32 + i % 32;
            const uint32_t own = index[b / 4] >> b % 4 * 2 & 3;
            const uint32_t before = i % 2 == 0 ? 0 : index[(b - 1) / 4] >> (b - 1) % 4 * 2 & 3;
            const uint32_t place = i % 2 == 0 ? own : before == 2 && own == 0 ? 2 : own + 1;
            const uint64_t k = i / 2 * 4 + place;
            if (k >= size.k) continue;
            total +=
                int64_t{Peek<int8_t>(
                    memory[1], ((row / 16 * k_fractals + k / 32) * 16 + row % 16) * 32 + k % 32)} *
                Peek<int8_t>(memory[2], b);
          }
          const auto value = static_cast<int32_t>(std::clamp<int64_t>(
              total, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
          Poke(expected, at * 4, &value, 4);
        }
      }
      BasculeInstruction in = Mmad(size);
      in.params.vector.flags = BASCULE_MMAD_SPARSE;
      in.params.vector.extra[BASCULE_SPARSE_INDEX] = reinterpret_cast<uint64_t>(index.data());
      ASSERT_NO_FATAL_FAILURE(bench.Check(in, memory, expected, Join(size.m, " x ", size.n)));
    }
  }
}

TEST(LoadDataWithSparse, MovesFractalsAndTheirIndex) {
  Bench bench(BASCULE_OPCODE_kLoadDataSparse);
  for (const uint64_t pieces : {0U, 1U, 7U}) {
    std::vector<char> index(kBytes);
    for (size_t i = 0; i < index.size(); ++i) index[i] = static_cast<char>(i % 3 << i % 4 * 2);
    const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 1),
                                                   SomeBytes(kBytes, BASCULE_UINT8, 2), index};
    std::vector<char> expected = memory[0];
    std::copy_n(memory[1].begin(), pieces * 512, expected.begin());
    std::vector<char> taken(7 * 128 + 1, 5);
    BasculeInstruction in = Base(
        kLoadDataSparseRow,
        {{BASCULE_L0B, BASCULE_INT8}, {BASCULE_L1, BASCULE_INT8}, {BASCULE_L1, BASCULE_UINT8}});
    in.params.vector.extra[BASCULE_SPARSE_PIECES] = pieces;
    in.params.vector.extra[BASCULE_SPARSE_INDEX] = reinterpret_cast<uint64_t>(taken.data());
    ASSERT_NO_FATAL_FAILURE(bench.Check(in, memory, expected, Join(pieces, " pieces")));
    EXPECT_EQ(std::memcmp(taken.data(), index.data(), pieces * 128), 0);
    EXPECT_EQ(taken[pieces * 128], 5);
    index[3] = 0x0c;
    in.operand[2].address = index.data();
    EXPECT_EQ(kLoadDataSparseRow.misuse(in),
              pieces == 0 ? "" : "byte 3 of the index is 12; each two of its bits are 0, 1 or 2.");
  }
}

// ---- What stands in the memories before

TEST(FillOfFractals, WritesBlocks) {
  Bench bench(BASCULE_OPCODE_kInitConst);
  for (BasculeDType dtype : {BASCULE_FLOAT16, BASCULE_INT16, BASCULE_FLOAT, BASCULE_UINT32}) {
    const uint32_t size = ElementBytes(dtype);
    for (const uint8_t memory : {BASCULE_L1, BASCULE_L0A, BASCULE_L0B}) {
      const uint64_t block = memory == BASCULE_L1 ? 32 : 512;
      for (const uint64_t repeats : {0U, 1U, 5U}) {
        for (const uint64_t blocks : {0U, 1U, 3U}) {
          for (const uint64_t gap : {0U, 2U}) {
            BasculeInstruction in = Base(kInitConstRow, {{memory, dtype}});
            in.params.vector.extra[BASCULE_INIT_REPEATS] = repeats;
            in.params.vector.extra[BASCULE_INIT_BLOCKS] = blocks;
            in.params.vector.extra[BASCULE_INIT_GAP] = gap;
            in.params.vector.scalar.bits = 0x3c413c42;
            const std::vector<std::vector<char>> before = {SomeBytes(kBytes, BASCULE_UINT8, 1)};
            std::vector<char> expected = before[0];
            for (uint64_t i = 0; i < repeats * blocks * block; i += size) {
              const uint64_t repeat = i / (blocks * block);
              Poke(expected, i + repeat * gap * block, &in.params.vector.scalar, size);
            }
            ASSERT_NO_FATAL_FAILURE(bench.Check(in, before, expected,
                                                Join(DTypeName(dtype), " ", repeats, "/", blocks)));
            EXPECT_EQ(kInitConstRow.pipe(in),
                      memory == BASCULE_L1 ? BASCULE_PIPE_MTE2 : BASCULE_PIPE_MTE1);
          }
        }
      }
    }
  }
  BasculeInstruction in = Base(kInitConstRow, {{BASCULE_UB, BASCULE_FLOAT}});
  EXPECT_EQ(kInitConstRow.misuse(in), "the destination lies in L1, L0A or L0B.");
  in.operand[0] = {reinterpret_cast<void*>(uint64_t{32}), BASCULE_L0A, BASCULE_FLOAT, 0, 0};
  EXPECT_EQ(kInitConstRow.misuse(in),
            "the destination begins at address 32; it has to begin on a multiple of 512 bytes.");
}

TEST(Bias, BecomesFloat) {
  Bench bench(BASCULE_OPCODE_kCopyBias);
  for (const uint64_t blocks : {0U, 1U, 3U}) {
    for (const uint64_t gap : {0U, 64U}) {
      BasculeInstruction in =
          Base(kCopyBiasRow, {{BASCULE_BT, BASCULE_FLOAT}, {BASCULE_L1, BASCULE_FLOAT16}});
      in.params.vector.extra[BASCULE_BIAS_BLOCKS] = blocks;
      in.params.vector.extra[BASCULE_BIAS_ELEMENTS] = 32;
      in.params.vector.extra[BASCULE_BIAS_FROM_GAP] = gap / 2;
      in.params.vector.extra[BASCULE_BIAS_TO_GAP] = gap;
      const std::vector<std::vector<char>> memory = {SomeBytes(4096, BASCULE_UINT8, 1),
                                                     SomeBytes(4096, BASCULE_FLOAT16, 2)};
      std::vector<char> expected = memory[0];
      for (uint64_t i = 0; i < blocks * 32; ++i) {
        const auto value = float(
            half_t::FromBits(Peek<uint16_t>(memory[1], i / 32 * (64 + gap / 2) + i % 32 * 2)));
        Poke(expected, i / 32 * (128 + gap) + i % 32 * 4, &value, 4);
      }
      ASSERT_NO_FATAL_FAILURE(bench.Check(in, memory, expected, Join(blocks, " blocks")));
    }
  }
}

// ---- Fixpipe

struct Out {
  BasculeDType to, from;
  uint64_t m, n;
  uint32_t mode, flags;
  uint64_t word = 0;
};

BasculeInstruction Fixpipe(const Out& o) {
  BasculeInstruction in =
      Base(kFixpipeRow, {{BASCULE_GM, o.to}, {BASCULE_L0C, o.from}, {BASCULE_L1, BASCULE_UINT64}});
  const bool rows = (o.flags & BASCULE_FIXPIPE_ROWS) != 0;
  in.params.vector.extra[BASCULE_FIXPIPE_N] = o.n;
  in.params.vector.extra[BASCULE_FIXPIPE_M] = o.m;
  in.params.vector.extra[BASCULE_FIXPIPE_FROM_STRIDE] = CeilDiv(o.m, 16) * 16;
  in.params.vector.extra[BASCULE_FIXPIPE_TO_STRIDE] = rows ? o.n + 3 : o.m * 3;
  in.params.vector.mode = o.mode;
  in.params.vector.flags = o.flags;
  in.params.vector.scalar.bits = o.word;
  return in;
}

// Where element (row, column) goes, by the pages NZ2ND, NZ2NZ, channel split and channel merge.
uint64_t Place(const Out& o, uint64_t row, uint64_t column) {
  const uint64_t element = ElementBytes(o.to);
  if ((o.flags & BASCULE_FIXPIPE_ROWS) != 0) return (row * (o.n + 3) + column) * element;
  const uint64_t wide = (o.flags & BASCULE_FIXPIPE_SPLIT) != 0 ? 8 : element == 1 ? 32 : 16;
  const uint64_t strip = column / wide;
  const uint64_t width = std::min(wide, o.n - strip * wide);
  return strip * o.m * 3 * 32 + (row * width + column % wide) * element;
}

float ScaleOf(uint64_t word) {
  const auto bits = static_cast<uint32_t>(word) & 0xffffe000;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

void CheckOut(const Out& o) {
  const std::vector<char> c = o.from == BASCULE_FLOAT ? SomeBytes(kBytes, BASCULE_FLOAT, 1)
                                                      : SomeBytes(kBytes, BASCULE_UINT8, 1);
  std::vector<char> words = SomeBytes(kBytes, BASCULE_UINT8, 3);
  for (size_t i = 0; i < kBytes / 8; ++i) {
    const float factor = static_cast<float>(i % 7) * 0.375F - 1;
    uint32_t bits;
    std::memcpy(&bits, &factor, 4);
    const uint64_t word = bits | uint64_t{i % 16} << 32 | uint64_t{i % 3 == 0} << 36 |
                          uint64_t{(i * 37) % 512} << 37 | uint64_t{i % 2} << 46;
    Poke(words, i * 8, &word, 8);
  }
  const std::vector<std::vector<char>> memory = {SomeBytes(kBytes, BASCULE_UINT8, 2), c, words};
  std::vector<char> expected = memory[0];
  const bool relu = (o.flags & BASCULE_FIXPIPE_RELU) != 0;
  for (uint64_t row = 0; row < o.m; ++row) {
    for (uint64_t column = 0; column < o.n; ++column) {
      const uint64_t at = ((column / 16 * CeilDiv(o.m, 16) * 16 + row) * 16 + column % 16) * 4;
      const uint64_t to = Place(o, row, column);
      const uint64_t word =
          o.mode == BASCULE_FIXPIPE_SCALE_BY_COLUMN ? Peek<uint64_t>(words, column * 8) : o.word;
      float value = Peek<float>(c, at);
      int32_t number = Peek<int32_t>(c, at);
      if (o.mode == BASCULE_FIXPIPE_AS_IS) {
        if (relu && value < 0) value = 0;
        if (relu && number < 0) number = 0;
        if (o.from == BASCULE_FLOAT) {
          Poke(expected, to, &value, 4);
        } else {
          Poke(expected, to, &number, 4);
        }
        continue;
      }
      if (o.mode == BASCULE_FIXPIPE_CAST) {
        if (relu && value < 0) value = 0;
        const uint16_t bits =
            o.to == BASCULE_FLOAT16 ? half_t(value).Bits() : bfloat16_t(value).Bits();
        Poke(expected, to, &bits, 2);
        continue;
      }
      if (o.from == BASCULE_INT32) {
        if ((word >> 36 & 1) != 0)
          number = std::clamp(number >> ((word >> 32 & 15) + 1), -32768, 32767);
        value = static_cast<float>(number);
      }
      float scaled = relu && value < 0 ? 0 : value * ScaleOf(word);
      if (o.to == BASCULE_FLOAT16) {
        scaled = std::min(std::max(scaled, -65504.F), 65504.F);
        const uint16_t bits = half_t(scaled).Bits();
        Poke(expected, to, &bits, 2);
        continue;
      }
      if (std::isnan(scaled)) scaled = 0;
      int32_t offset = static_cast<int32_t>(word >> 37 & 511);
      if (offset >= 256) offset -= 512;
      const int32_t whole =
          static_cast<int32_t>(std::nearbyint(std::min(std::max(scaled, -256.F), 255.F))) + offset;
      const auto byte = static_cast<char>((word >> 46 & 1) != 0 ? std::clamp(whole, -128, 127)
                                                                : std::clamp(whole, 0, 255));
      Poke(expected, to, &byte, 1);
    }
  }
  Bench bench(BASCULE_OPCODE_kFixpipe);
  ASSERT_NO_FATAL_FAILURE(bench.Check(Fixpipe(o), memory, expected,
                                      Join(DTypeName(o.from), " to ", DTypeName(o.to), " ", o.m,
                                           " x ", o.n, " mode ", o.mode, " flags ", o.flags)));
}

TEST(Fixpipe, WritesRowsAndStrips) {
  uint32_t one = 0;
  const float factor = 0.75F;
  std::memcpy(&one, &factor, 4);
  const uint64_t word = one | uint64_t{1} << 46 | uint64_t{509} << 37;
  for (const auto& [to, from, mode] : std::vector<std::tuple<BasculeDType, BasculeDType, uint32_t>>{
           {BASCULE_FLOAT, BASCULE_FLOAT, BASCULE_FIXPIPE_AS_IS},
           {BASCULE_INT32, BASCULE_INT32, BASCULE_FIXPIPE_AS_IS},
           {BASCULE_FLOAT16, BASCULE_FLOAT, BASCULE_FIXPIPE_CAST},
           {BASCULE_BFLOAT16, BASCULE_FLOAT, BASCULE_FIXPIPE_CAST},
           {BASCULE_FLOAT16, BASCULE_INT32, BASCULE_FIXPIPE_SCALE},
           {BASCULE_FLOAT16, BASCULE_INT32, BASCULE_FIXPIPE_SCALE_BY_COLUMN},
           {BASCULE_INT8, BASCULE_INT32, BASCULE_FIXPIPE_SCALE},
           {BASCULE_UINT8, BASCULE_INT32, BASCULE_FIXPIPE_SCALE_BY_COLUMN},
           {BASCULE_INT8, BASCULE_FLOAT, BASCULE_FIXPIPE_SCALE},
           {BASCULE_UINT8, BASCULE_FLOAT, BASCULE_FIXPIPE_SCALE_BY_COLUMN}}) {
    for (uint32_t relu : {0U, uint32_t{BASCULE_FIXPIPE_RELU}}) {
      for (uint64_t m : {0U, 1U, 16U, 23U}) {
        for (uint64_t n : {0U, 1U, 16U, 17U, 48U, 50U}) {
          ASSERT_NO_FATAL_FAILURE(
              CheckOut({to, from, m, n, mode, relu | BASCULE_FIXPIPE_ROWS, word}));
          if (n % 16 != 0) continue;
          ASSERT_NO_FATAL_FAILURE(CheckOut({to, from, m, n, mode, relu, word}));
        }
      }
    }
  }
  for (uint64_t n : {8U, 16U, 24U, 48U}) {
    ASSERT_NO_FATAL_FAILURE(CheckOut(
        {BASCULE_FLOAT, BASCULE_FLOAT, 20, n, BASCULE_FIXPIPE_AS_IS, BASCULE_FIXPIPE_SPLIT}));
  }
}

TEST(Fixpipe, AccumulatesLikeEveryStore) {
  std::vector<float> c(256, 2.5F);
  std::vector<float> to(2 * 3, 1);
  BasculeInstruction in =
      Fixpipe({BASCULE_FLOAT, BASCULE_FLOAT, 2, 3, BASCULE_FIXPIPE_AS_IS, BASCULE_FIXPIPE_ROWS});
  in.params.vector.extra[BASCULE_FIXPIPE_TO_STRIDE] = 3;
  in.operand[0].address = to.data();
  in.operand[1].address = c.data();
  RunOptions options;
  options.atomic_op = BASCULE_ATOMIC_ADD;
  options.atomic_dtype = BASCULE_FLOAT;
  kFixpipeRow.run(kFixpipeRow, in, options);
  for (float value : to) EXPECT_EQ(value, 3.5F);
}

// In L1 the result may lie where the words lay, which have gone through a buffer of their own.
TEST(Fixpipe, ReadsWordsBeforeItWrites) {
  std::vector<float> c(16 * 16, 8);
  std::vector<uint64_t> l1(32);
  const float factor = 0.5F;
  uint32_t bits;
  std::memcpy(&bits, &factor, 4);
  std::fill(l1.begin(), l1.end(), bits);
  BasculeInstruction in =
      Fixpipe({BASCULE_UINT8, BASCULE_FLOAT, 16, 16, BASCULE_FIXPIPE_SCALE_BY_COLUMN, 0});
  in.operand[0].memory = BASCULE_L1;
  in.operand[0].address = l1.data();
  in.operand[1].address = c.data();
  in.operand[2].address = l1.data();
  ASSERT_EQ(kFixpipeRow.misuse(in), "");
  kFixpipeRow.run(kFixpipeRow, in, RunOptions{});
  for (uint64_t words : l1) EXPECT_EQ(words, 0x0404040404040404U);
}

TEST(Fixpipe, SaturationMode) {
  std::vector<float> c(16, 1e30F);
  c[1] = std::numeric_limits<float>::quiet_NaN();
  c[2] = -1e30F;
  std::vector<uint16_t> to(16);
  BasculeInstruction in =
      Fixpipe({BASCULE_FLOAT16, BASCULE_FLOAT, 1, 16, BASCULE_FIXPIPE_CAST, BASCULE_FIXPIPE_ROWS});
  in.operand[0].address = to.data();
  in.operand[1].address = c.data();
  RunOptions options;
  options.saturate = true;
  kFixpipeRow.run(kFixpipeRow, in, options);
  EXPECT_EQ(to[0], 0x7bff);
  EXPECT_EQ(to[1], 0);
  EXPECT_EQ(to[2], 0xfbff);
}

TEST(Fixpipe, WhatIsRefused) {
  const auto misuse = [](const Out& o) { return kFixpipeRow.misuse(Fixpipe(o)); };
  EXPECT_EQ(misuse({BASCULE_FLOAT, BASCULE_FLOAT, 16, 20, BASCULE_FIXPIPE_AS_IS, 0}),
            "nSize is 20; without NZ2ND it is a multiple of 16.");
  EXPECT_EQ(misuse({BASCULE_FLOAT16, BASCULE_FLOAT, 16, 16, BASCULE_FIXPIPE_AS_IS, 0}),
            "quantPre does not make float16 of float32; F322F16 makes half, F322BF16 bfloat16_t, "
            "QF322B8_PRE and VQF322B8_PRE 8 bits, NoQuant leaves float.");
  EXPECT_EQ(
      misuse({BASCULE_FLOAT, BASCULE_FLOAT, 9000, 16, BASCULE_FIXPIPE_AS_IS, BASCULE_FIXPIPE_ROWS}),
      "mSize is 9000; it is limited to 8192.");
  EXPECT_EQ(
      misuse({BASCULE_INT32, BASCULE_INT32, 16, 16, BASCULE_FIXPIPE_AS_IS, BASCULE_FIXPIPE_SPLIT}),
      "channelSplit is for float to global memory, without NZ2ND.");
  BasculeInstruction in = Fixpipe({BASCULE_FLOAT, BASCULE_FLOAT, 16, 16, BASCULE_FIXPIPE_AS_IS, 0});
  in.params.vector.extra[BASCULE_FIXPIPE_TO_STRIDE] = 0;
  EXPECT_EQ(kFixpipeRow.misuse(in), "dstStride is 0.");
  in.operand[1].memory = BASCULE_UB;
  EXPECT_EQ(kFixpipeRow.misuse(in), "the source lies in L0C.");
}

}  // namespace
}  // namespace bascule::isa::test

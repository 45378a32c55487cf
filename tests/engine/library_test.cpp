// The advanced library's calls as kernels make them: with and without temporary space and count, at
// awkward sizes, against the definition in double. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "kernel_operator.h"
#include "simd/targets.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::LocalTensor;
using AscendC::TPosition;
using test::KernelRunner;

// Tensors one behind the other in the unified buffer, each followed by a datablock that nobody may
// write.
class Space {
 public:
  template <typename T>
  LocalTensor<T> Make(uint32_t count) {
    LocalTensor<T> tensor(TPosition::VECCALC, next_, count);
    const uint32_t bytes = (count * static_cast<uint32_t>(sizeof(T)) + 31) / 32 * 32;
    LocalTensor<uint8_t> whole(TPosition::VECCALC, next_, bytes + 32);
    for (uint32_t i = 0; i < bytes + 32; ++i) whole.SetValue(i, 0x5a);
    if (guard_count_ == guards_.size()) throw std::length_error("too many tensors");
    guards_[guard_count_++] = next_ + bytes;
    next_ += bytes + 32;
    return tensor;
  }
  template <typename T>
  LocalTensor<T> Make(const std::vector<double>& values) {
    LocalTensor<T> tensor = Make<T>(static_cast<uint32_t>(values.size()));
    for (uint32_t i = 0; i < values.size(); ++i) tensor.SetValue(i, static_cast<T>(values[i]));
    return tensor;
  }
  LocalTensor<uint8_t> Temporary() { return Make<uint8_t>(256); }
  void ExpectGuards(const std::string& what) const {
    for (uint32_t index = 0; index < guard_count_; ++index) {
      const uint32_t at = guards_[index];
      const LocalTensor<uint8_t> guard(TPosition::VECCALC, at, 32);
      for (uint32_t i = 0; i < 32; ++i) ASSERT_EQ(guard.GetValue(i), 0x5a) << what << " at " << at;
    }
  }

 private:
  uint32_t next_ = 0;
  // No vector: the stack of a kernel that is refused is abandoned, and its heap memory lost.
  std::array<uint32_t, 64> guards_ = {};
  uint32_t guard_count_ = 0;
};

template <typename T>
double At(const LocalTensor<T>& tensor, uint32_t i) {
  return static_cast<double>(tensor.GetValue(i));
}

// Whole numbers from -3 to 3: sums of many are exact in every type.
std::vector<double> Small(uint32_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> out(count);
  for (double& value : out) value = static_cast<double>(random() % 7) - 3;
  return out;
}
// Numbers within ±range with few digits, which every type holds.
std::vector<double> Fractions(uint32_t count, double range, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> out(count);
  for (double& value : out) {
    value = (static_cast<double>(random() % 512) - 256) / 256 * range;
    value = static_cast<double>(half(value));
  }
  return out;
}
std::vector<double> Counting(uint32_t count) {
  std::vector<double> out(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = i;
  return out;
}

uint32_t Blocks(uint32_t elements, uint32_t bytes) {
  return (elements * bytes + 31) / 32 * 32 / bytes;
}

constexpr uint32_t kLengths[] = {1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1009};

// --- Sum, Mean

template <typename T>
void CheckSums() {
  for (uint32_t n : kLengths) {
    for (uint32_t rows : {1u, 3u}) {
      KernelRunner(1).Run([&] {
        const uint32_t inner = Blocks(n, sizeof(T));
        Space space;
        const std::vector<double> values = Small(rows * inner, n);
        const auto src = space.Make<T>(values);
        const auto sum = space.Make<T>(rows);
        const auto mean = space.Make<T>(rows);
        const auto wide = space.Make<T>(rows);
        const auto tmp = space.Temporary();
        AscendC::Sum(sum, src, tmp, {rows, inner, n});
        AscendC::Mean(mean, src, {rows, inner, n});
        AscendC::Mean<T, float>(wide, src, tmp, {rows, inner, n});
        for (uint32_t row = 0; row < rows; ++row) {
          double expected = 0;
          for (uint32_t i = 0; i < n; ++i) expected += values[row * inner + i];
          ASSERT_EQ(At(sum, row), expected) << n;
          const T divided = T(static_cast<float>(expected) / static_cast<float>(n));
          ASSERT_EQ(At(mean, row), static_cast<double>(divided)) << n;
          ASSERT_EQ(At(wide, row), static_cast<double>(divided)) << n;
        }
        AscendC::Sum(mean, src, AscendC::SumParams{rows, inner, n});
        for (uint32_t row = 0; row < rows; ++row) ASSERT_EQ(At(mean, row), At(sum, row));
        space.ExpectGuards("Sum");
      });
    }
  }
}
TEST(Library, SumAndMeanOfRowsInFloat) { CheckSums<float>(); }
TEST(Library, SumAndMeanOfRowsInHalf) { CheckSums<half>(); }

TEST(Library, SumAddsNeighboursLikeReduceRepeat) {
  KernelRunner(1).Run([] {
    // 2048 + 1 is 2048 in half, 1 + 1 is 2.
    Space space;
    std::vector<double> values(128, 0.0);
    values[0] = 2048;
    values[2] = values[3] = 1;
    const auto src = space.Make<half>(values);
    const auto dst = space.Make<half>(1);
    AscendC::Sum(dst, src, AscendC::SumParams{1, 128, 128});
    EXPECT_EQ(At(dst, 0), 2050);
    values[3] = 0;
    values[4] = 1;
    const auto apart = space.Make<half>(values);
    AscendC::Sum(dst, apart, AscendC::SumParams{1, 128, 128});
    EXPECT_EQ(At(dst, 0), 2048);
  });
}

// --- Reductions of an axis

using AscendC::Pattern::Reduce::AR;
using AscendC::Pattern::Reduce::RA;

struct Size {
  uint32_t rows, columns;
};
constexpr Size kSizes[] = {{1, 1},  {1, 8},   {2, 5},   {7, 1},   {8, 16},
                           {9, 33}, {17, 64}, {33, 65}, {64, 63}, {3, 509}};

double Fold(const std::vector<double>& values, uint32_t pitch, Size size, bool last, uint32_t at,
            double (*join)(double, double)) {
  const uint32_t count = last ? size.columns : size.rows;
  double out = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const double value = values[last ? at * pitch + i : i * pitch + at];
    out = i == 0 ? value : join(out, value);
  }
  return out;
}

#define BASCULE_CHECK_AXIS(name, T, pattern, values, finish, join)                                \
  for (const Size size : kSizes) {                                                                \
    KernelRunner(1).Run([&] {                                                                     \
      constexpr bool kLast = std::is_same_v<pattern, AR>;                                         \
      const uint32_t pitch = Blocks(size.columns, sizeof(T));                                     \
      const std::vector<double> numbers = values;                                                 \
      Space space;                                                                                \
      const auto src = space.Make<T>(numbers);                                                    \
      const uint32_t results = kLast ? size.rows : size.columns;                                  \
      const uint32_t joined = kLast ? size.columns : size.rows;                                   \
      const auto dst = space.Make<T>(results);                                                    \
      const auto again = space.Make<T>(results);                                                  \
      const auto tmp = space.Temporary();                                                         \
      const uint32_t shape[] = {size.rows, size.columns};                                         \
      AscendC::name<T, pattern>(dst, src, tmp, shape, true);                                      \
      AscendC::name<T, pattern, true>(again, src, shape, true);                                   \
      for (uint32_t i = 0; i < results; ++i) {                                                    \
        double expected = Fold(numbers, pitch, size, kLast, i,                                    \
                               [](double a, double b) -> double { return join; });                \
        if (finish) {                                                                             \
          expected =                                                                              \
              static_cast<double>(static_cast<float>(expected) / static_cast<float>(joined));     \
        }                                                                                         \
        ASSERT_EQ(At(dst, i), expected) << #name << size.rows << "x" << size.columns << " " << i; \
        ASSERT_EQ(At(again, i), expected) << #name;                                               \
      }                                                                                           \
      space.ExpectGuards(#name);                                                                  \
    });                                                                                           \
  }
#define BASCULE_CHECK_AXES(name, T, values, finish, join) \
  BASCULE_CHECK_AXIS(name, T, AR, values, finish, join)   \
  BASCULE_CHECK_AXIS(name, T, RA, values, finish, join)

std::vector<double> Powers(uint32_t count) {
  std::vector<double> out = Small(count, 5);
  for (double& value : out) value = value == 0 ? -1 : value > 1 ? 2 : value < -1 ? 0.5 : 1;
  return out;
}
std::vector<double> Bits(uint32_t count, uint32_t seed, uint32_t one_in) {
  std::mt19937 random(seed);
  std::vector<double> out(count);
  for (double& value : out) value = random() % one_in == 0 ? 1 : 0;
  return out;
}

TEST(Library, ReducesEitherAxis){
    BASCULE_CHECK_AXES(ReduceSum, float, Small(size.rows* pitch, 1), false,
                       a + b) BASCULE_CHECK_AXES(ReduceMean, float, Small(size.rows* pitch, 2),
                                                 true, a + b)
        BASCULE_CHECK_AXES(ReduceMax, float, Fractions(size.rows* pitch, 900, 3), false,
                           std::fmax(a, b)) BASCULE_CHECK_AXES(ReduceMax, half,
                                                               Fractions(size.rows* pitch, 900, 4),
                                                               false, std::fmax(a, b))
            BASCULE_CHECK_AXES(ReduceMin, float, Fractions(size.rows* pitch, 900, 5), false,
                               std::fmin(a, b))
                BASCULE_CHECK_AXES(ReduceMin, half, Fractions(size.rows* pitch, 900, 6), false,
                                   std::fmin(a, b))
                    BASCULE_CHECK_AXES(ReduceProd, float, Powers(size.rows* pitch), false, a* b)
                        BASCULE_CHECK_AXES(ReduceAny, float, Bits(size.rows* pitch, 1, 20), false,
                                           std::fmax(a, b))
                            BASCULE_CHECK_AXES(ReduceAny, uint8_t, Bits(size.rows* pitch, 2, 20),
                                               false, std::fmax(a, b))
                                BASCULE_CHECK_AXES(ReduceAll, float, Bits(size.rows* pitch, 3, 1),
                                                   false, std::fmin(a, b))
                                    BASCULE_CHECK_AXES(ReduceAll, uint8_t,
                                                       Bits(size.rows* pitch, 4, 2), false,
                                                       std::fmin(a, b))}

TEST(Library, ExtremesOfAnAxisKeepNaN) {
  KernelRunner(1).Run([] {
    Space space;
    const auto src = space.Make<float>({1, NAN, 3, 4, -5, 6, 7, 8});
    const auto dst = space.Make<float>(1);
    const uint32_t shape[] = {1, 8};
    AscendC::ReduceMax<float, AR>(dst, src, shape, true);
    EXPECT_TRUE(std::isnan(At(dst, 0)));
    AscendC::ReduceMin<float, AR>(dst, src, shape, true);
    EXPECT_TRUE(std::isnan(At(dst, 0)));
  });
}

// Sums of numbers with digits stay near the exact one, whatever their order.
TEST(Library, SumsOfAnAxisAreAccurate) {
  KernelRunner(1).Run([] {
    std::mt19937 random(1);
    std::vector<double> values(4096);
    double exact = 0;
    double magnitude = 0;
    for (double& value : values) {
      value = static_cast<double>(static_cast<float>(random()) / 65536.0f);
      exact += value;
      magnitude += std::fabs(value);
    }
    Space space;
    const auto src = space.Make<float>(values);
    const auto dst = space.Make<float>(8);
    const uint32_t row[] = {1, 4096};
    AscendC::ReduceSum<float, AR>(dst, src, row, true);
    EXPECT_NEAR(At(dst, 0), exact, magnitude * 16 * 6e-8);
    AscendC::Sum(dst, src, AscendC::SumParams{1, 4096, 4096});
    EXPECT_NEAR(At(dst, 0), exact, magnitude * 16 * 6e-8);
  });
}

TEST(Library, XorSumIsAsNearAsAnInt16Comes) {
  for (uint32_t count : {1u, 31u, 32u, 33u, 1000u}) {
    KernelRunner(1).Run([&] {
      std::mt19937 random(count);
      Space space;
      const auto a = space.Make<int16_t>(count);
      const auto b = space.Make<int16_t>(count);
      const auto dst = space.Make<int16_t>(1);
      const auto tmp = space.Temporary();
      int64_t expected = 0;
      for (uint32_t i = 0; i < count; ++i) {
        const int16_t x = static_cast<int16_t>(random() % 4096);
        const int16_t y = static_cast<int16_t>(random() % (count > 500 ? 16 : 65536));
        a.SetValue(i, x);
        b.SetValue(i, y);
        expected += static_cast<int16_t>(x ^ y);
      }
      expected = std::min<int64_t>(std::max<int64_t>(expected, -32768), 32767);
      AscendC::ReduceXorSum(dst, a, b, tmp, count);
      EXPECT_EQ(dst.GetValue(0), expected);
      AscendC::ReduceXorSum(dst, a, b, count);
      EXPECT_EQ(dst.GetValue(0), expected);
      space.ExpectGuards("ReduceXorSum");
    });
  }
}

// --- CumSum

constexpr AscendC::CumSumConfig kDown = {false, false, true,
                                         AscendC::CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
constexpr AscendC::CumSumConfig kAlong = {true, false, false,
                                          AscendC::CumSumAlgorithm::CUMSUM_ALGORITHM_SKLANSKY};

template <typename T>
void CheckCumSum() {
  for (const Size size : {Size{1, 16}, Size{2, 32}, Size{17, 16}, Size{33, 48}}) {
    KernelRunner(1).Run([&] {
      Space space;
      const std::vector<double> values = Small(size.rows * size.columns, size.rows);
      const auto src = space.Make<T>(values);
      const auto down = space.Make<T>(size.rows * size.columns);
      const auto along = space.Make<T>(size.rows * size.columns);
      const auto last = space.Make<T>(size.columns);
      const auto tmp = space.Temporary();
      AscendC::CumSum<T, kDown>(down, last, src, tmp, {size.rows, size.columns});
      const LocalTensor<T> none;
      AscendC::CumSum<T, kAlong>(along, none, src, {size.rows, size.columns});
      for (uint32_t i = 0; i < size.rows; ++i) {
        double row_sum = 0;
        for (uint32_t j = 0; j < size.columns; ++j) {
          double column_sum = 0;
          for (uint32_t k = 0; k <= i; ++k) column_sum += values[k * size.columns + j];
          row_sum += values[i * size.columns + j];
          ASSERT_EQ(At(down, i * size.columns + j), column_sum);
          ASSERT_EQ(At(along, i * size.columns + j), row_sum);
          if (i + 1 == size.rows) {
            ASSERT_EQ(At(last, j), column_sum);
          }
        }
      }
      space.ExpectGuards("CumSum");
    });
  }
}
TEST(Library, CumSumInFloat) { CheckCumSum<float>(); }
TEST(Library, CumSumInHalf) { CheckCumSum<half>(); }

// --- Calls that move elements

template <typename T>
void CheckBroadcast() {
  for (uint32_t rows : {1u, 2u, 17u}) {
    for (uint32_t columns : {1u, 7u, 32u, 65u}) {
      KernelRunner(1).Run([&] {
        Space space;
        const uint32_t one_column[] = {rows, 1};
        const uint32_t all[] = {rows, columns};
        const auto column = space.Make<T>(Small(rows, 1));
        const auto tmp = space.Temporary();
        const auto dst = space.Make<T>(rows * columns);
        AscendC::Broadcast<T, 2, 1>(dst, column, all, one_column, tmp);
        for (uint32_t i = 0; i < rows * columns; ++i)
          ASSERT_EQ(At(dst, i), At(column, i / columns));
        AscendC::BroadCast<T, 2, 1>(dst, column, all, one_column);
        const uint32_t wide = Blocks(columns, sizeof(T));
        const uint32_t one_row[] = {1, wide};
        const uint32_t all_rows[] = {rows, wide};
        const auto row = space.Make<T>(Small(wide, 2));
        const auto repeated = space.Make<T>(rows * wide);
        AscendC::Broadcast<T, 2, 0>(repeated, row, all_rows, one_row);
        for (uint32_t i = 0; i < rows * wide; ++i) ASSERT_EQ(At(repeated, i), At(row, i % wide));
        const uint32_t single[] = {1};
        const uint32_t many[] = {columns};
        const auto line = space.Make<T>(columns);
        AscendC::Broadcast<T, 1, 0>(line, row, many, single);
        for (uint32_t i = 0; i < columns; ++i) ASSERT_EQ(At(line, i), At(row, 0));
        space.ExpectGuards("Broadcast");
      });
    }
  }
}
TEST(Library, BroadcastsRowsAndColumns) {
  CheckBroadcast<int8_t>();
  CheckBroadcast<half>();
  CheckBroadcast<float>();
}

TEST(Library, BroadcastsUpToNineAxes) {
  KernelRunner(1).Run([] {
    const uint32_t src_shape[] = {1, 2, 1, 3, 1};
    const uint32_t dst_shape[] = {2, 2, 3, 3, 2};
    Space space;
    const auto src = space.Make<int32_t>(Counting(6));
    const auto dst = space.Make<int32_t>(72);
    AscendC::BroadcastTiling tiling;
    AscendC::GetBroadcastTilingInfo<int32_t>(5, dst_shape, src_shape, false, tiling);
    AscendC::Broadcast<int32_t>(dst, src, dst_shape, src_shape, &tiling);
    for (uint32_t i = 0; i < 72; ++i) {
      const uint32_t b = i / 18 % 2;
      const uint32_t d = i / 2 % 3;
      ASSERT_EQ(dst.GetValue(i), static_cast<int32_t>(b * 3 + d)) << i;
    }
    space.ExpectGuards("Broadcast");
  });
}

uint32_t Up16(uint32_t value) { return (value + 15) / 16 * 16; }
// Where row s, column d of a plane lies in the shape [D / 16, S / 16, 16, 16].
uint32_t Fractal(uint32_t rows, uint32_t s, uint32_t d) {
  return ((d / 16 * (Up16(rows) / 16) + s / 16) * 16 + s % 16) * 16 + d % 16;
}

template <typename T>
void CheckTranspose() {
  using AscendC::TransposeType;
  struct Attention {
    uint32_t b, n, s, d;
  };
  // B, N, S and H / N; the second is not made of whole blocks.
  for (const Attention a : {Attention{1, 2, 32, 16}, Attention{2, 3, 16, 8},
                            Attention{2, 16, 16, 32}, Attention{1, 2, 17, 5}}) {
    for (uint32_t type = 1; type <= 6; ++type) {
      KernelRunner(1).Run([&] {
        const uint32_t h = a.n * a.d;
        const bool split = type == 3 || type == 4;
        const uint32_t plane = Up16(a.s) * Up16(a.d);
        const uint32_t whole = Up16(a.s) * Up16(h);
        const uint32_t src_size = split ? a.b * whole : a.b * a.n * plane;
        uint32_t dst_size = a.b * a.s * h;
        if (type == 2) dst_size = a.b * a.s * Up16(a.n) * Up16(a.d);
        if (type == 3) dst_size = a.b * a.n * plane;
        if (type == 4) dst_size = a.b * a.n * a.s * Up16(a.d);
        if (type == 5) dst_size = a.b * a.s * Up16(h);
        if (type == 6) dst_size = a.b * whole;
        Space space;
        const auto src = space.Make<T>(src_size);
        for (uint32_t i = 0; i < src_size; ++i) src.SetValue(i, static_cast<T>(i % 2039));
        const auto dst = space.Make<T>(dst_size);
        const auto tmp = space.Temporary();
        AscendC::tiling::ConfusionTransposeTiling tiling;
        tiling.param0 = a.b;
        tiling.param1 = a.n;
        tiling.param2 = a.s;
        tiling.param3 = a.d;
        AscendC::Transpose(dst, src, tmp, static_cast<TransposeType>(type), tiling);
        for (uint32_t b = 0; b < a.b; ++b) {
          for (uint32_t n = 0; n < a.n; ++n) {
            for (uint32_t s = 0; s < a.s; ++s) {
              for (uint32_t d = 0; d < a.d; ++d) {
                const uint32_t from = split ? b * whole + Fractal(a.s, s, n * a.d + d)
                                            : (b * a.n + n) * plane + Fractal(a.s, s, d);
                const uint32_t to[] = {0,
                                       ((b * a.s + s) * a.n + n) * a.d + d,
                                       (b * a.s + s) * Up16(a.n) * Up16(a.d) + Fractal(a.n, n, d),
                                       (b * a.n + n) * plane + Fractal(a.s, s, d),
                                       ((b * a.n + n) * a.s + s) * Up16(a.d) + d,
                                       (b * a.s + s) * Up16(h) + n * a.d + d,
                                       b * whole + Fractal(a.s, s, n * a.d + d)};
                ASSERT_EQ(At(dst, to[type]), At(src, from))
                    << "type " << type << " " << b << " " << n << " " << s << " " << d;
              }
            }
          }
        }
        space.ExpectGuards("Transpose");
      });
    }
  }
  // Axes of ND: 7 and 13 to 15.
  const uint32_t orders[][4] = {{7, 0, 2, 1}, {13, 0, 2, 1}, {14, 1, 0, 2}, {15, 2, 1, 0}};
  for (const auto& order : orders) {
    KernelRunner(1).Run([&] {
      const uint32_t sizes[] = {order[0] == 7 ? 1u : 3u, order[0] == 7 ? 16u : 5u,
                                order[0] == 7 ? 32u : 7u};
      const uint32_t count = sizes[0] * sizes[1] * sizes[2];
      Space space;
      const auto src = space.Make<T>(count);
      for (uint32_t i = 0; i < count; ++i) src.SetValue(i, static_cast<T>(i));
      const auto dst = space.Make<T>(count);
      AscendC::tiling::ConfusionTransposeTiling tiling;
      tiling.param0 = sizes[0];
      tiling.param1 = sizes[1];
      tiling.param2 = sizes[2];
      AscendC::ConfusionTranspose(dst, src, static_cast<TransposeType>(order[0]), tiling);
      uint32_t at[3];
      for (at[0] = 0; at[0] < sizes[0]; ++at[0]) {
        for (at[1] = 0; at[1] < sizes[1]; ++at[1]) {
          for (at[2] = 0; at[2] < sizes[2]; ++at[2]) {
            const uint32_t from = (at[0] * sizes[1] + at[1]) * sizes[2] + at[2];
            const uint32_t to =
                (at[order[1]] * sizes[order[2]] + at[order[2]]) * sizes[order[3]] + at[order[3]];
            ASSERT_EQ(At(dst, to), At(src, from)) << order[0];
          }
        }
      }
      space.ExpectGuards("ConfusionTranspose");
    });
  }
}
TEST(Library, TransposesEveryType) {
  CheckTranspose<half>();
  CheckTranspose<float>();
}

using AscendC::DataFormat;
constexpr AscendC::TransDataConfig kToChannels = {DataFormat::NCDHW, DataFormat::NDC1HWC0};
constexpr AscendC::TransDataConfig kFromChannels = {DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr AscendC::TransDataConfig kToFractal = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
constexpr AscendC::TransDataConfig kFromFractal = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

TEST(Library, ConvertsVolumesAndBack) {
  struct Volume {
    int n, c, d, h, w;
  };
  for (const Volume v : {Volume{1, 16, 1, 4, 4}, Volume{2, 3, 2, 3, 5}, Volume{17, 17, 1, 1, 3}}) {
    KernelRunner(1).Run([&] {
      const int c1 = (v.c + 15) / 16;
      const int n1 = (v.n + 15) / 16;
      const int plane = (v.h * v.w + 15) / 16 * 16;
      const auto ncdhw =
          AscendC::MakeLayout(AscendC::MakeShape(v.n, v.c, v.d, v.h, v.w), AscendC::MakeStride());
      const auto channels = AscendC::MakeLayout(AscendC::MakeShape(v.n, v.d, c1, v.h, v.w, 16),
                                                AscendC::MakeStride());
      const auto fractal = AscendC::MakeLayout(AscendC::MakeShape(v.d, c1, v.h, v.w, n1, 16, 16),
                                               AscendC::MakeStride());
      using Plain = std::decay_t<decltype(ncdhw)>;
      using Channels = std::decay_t<decltype(channels)>;
      using Fractals = std::decay_t<decltype(fractal)>;
      Space space;
      const uint32_t size = static_cast<uint32_t>(v.n * v.c * v.d * plane);
      const auto src = space.Make<half>(size);
      for (uint32_t i = 0; i < size; ++i) src.SetValue(i, static_cast<half>(i % 2039 + 1));
      const uint32_t hw = static_cast<uint32_t>(v.h * v.w);
      const uint32_t blocked = static_cast<uint32_t>(v.n * v.d * c1 * 16) * hw;
      const uint32_t fractals = static_cast<uint32_t>(v.d * c1 * n1 * 256) * hw;
      const auto a = space.Make<half>(blocked);
      const auto b = space.Make<half>(fractals);
      const auto from_a = space.Make<half>(size);
      const auto from_b = space.Make<half>(size);
      const auto tmp = space.Temporary();
      AscendC::TransData<kToChannels>(a, src, tmp,
                                      AscendC::TransDataParams<Plain, Channels>{ncdhw, channels});
      AscendC::TransData<kToFractal>(b, src,
                                     AscendC::TransDataParams<Plain, Fractals>{ncdhw, fractal});
      AscendC::TransData<kFromChannels>(from_a, a,
                                        AscendC::TransDataParams<Channels, Plain>{channels, ncdhw});
      AscendC::TransData<kFromFractal>(from_b, b, tmp,
                                       AscendC::TransDataParams<Fractals, Plain>{fractal, ncdhw});
      uint32_t zeros_a = blocked;
      uint32_t zeros_b = fractals;
      for (int n = 0; n < v.n; ++n) {
        for (int c = 0; c < v.c; ++c) {
          for (int d = 0; d < v.d; ++d) {
            for (int i = 0; i < v.h * v.w; ++i) {
              const uint32_t at = static_cast<uint32_t>(((n * v.c + c) * v.d + d) * plane + i);
              const double value = At(src, at);
              ASSERT_EQ(At(a, static_cast<uint32_t>(
                                  (((n * v.d + d) * c1 + c / 16) * v.h * v.w + i) * 16 + c % 16)),
                        value);
              ASSERT_EQ(
                  At(b,
                     static_cast<uint32_t>(
                         ((((d * c1 + c / 16) * v.h * v.w + i) * n1 + n / 16) * 16 + n % 16) * 16 +
                         c % 16)),
                  value);
              ASSERT_EQ(At(from_a, at), value);
              ASSERT_EQ(At(from_b, at), value);
              --zeros_a;
              --zeros_b;
            }
          }
        }
      }
      for (uint32_t i = 0; i < blocked; ++i) zeros_a -= At(a, i) == 0 ? 1 : 0;
      for (uint32_t i = 0; i < fractals; ++i) zeros_b -= At(b, i) == 0 ? 1 : 0;
      EXPECT_EQ(zeros_a, 0u);
      EXPECT_EQ(zeros_b, 0u);
      space.ExpectGuards("TransData");
    });
  }
}

template <typename T>
void CheckPad() {
  const uint32_t block = 32 / sizeof(T);
  struct Case {
    uint32_t width, data, left, right;
  };
  for (const Case c : {Case{block - 1, block - 1, 0, 1}, Case{block + 3, block + 3, 2, 1},
                       Case{2 * block, 2 * block - 2, 0, 2}, Case{block + 1, block + 1, 0, 0}}) {
    KernelRunner(1).Run([&] {
      const uint32_t rows = 32;
      const uint32_t pitch = Blocks(c.width, sizeof(T));
      Space space;
      const auto src = space.Make<T>(Counting(rows * c.width));
      const auto dst = space.Make<T>(rows * pitch);
      const auto tmp = space.Temporary();
      AscendC::tiling::PadTiling tiling;
      tiling.srcHeight = rows;
      tiling.srcWidth = c.width;
      tiling.srcOriWidth = c.data;
      AscendC::PadParams params{static_cast<uint16_t>(c.left), static_cast<uint16_t>(c.right), 321};
      AscendC::Pad(dst, src, params, tiling);
      AscendC::Pad(dst, src, params, tmp, tiling);
      for (uint32_t i = 0; i < rows; ++i) {
        for (uint32_t j = 0; j < c.left + c.data + c.right; ++j) {
          const bool data = j >= c.left && j < c.left + c.data;
          ASSERT_EQ(At(dst, i * pitch + j), data ? i * c.width + j - c.left : 321u);
        }
      }
      space.ExpectGuards("Pad");
    });
  }
  for (uint32_t right = 1; right < block; right += 3) {
    KernelRunner(1).Run([&] {
      const uint32_t width = 2 * block;
      Space space;
      const auto src = space.Make<T>(Counting(17 * width));
      const auto dst = space.Make<T>(17 * (width - right));
      const auto tmp = space.Temporary();
      AscendC::tiling::UnPadTiling tiling;
      tiling.srcHeight = 17;
      tiling.srcWidth = width;
      AscendC::UnPadParams params{0, static_cast<uint16_t>(right)};
      AscendC::UnPad(dst, src, params, tiling);
      AscendC::UnPad(dst, src, params, tmp, tiling);
      for (uint32_t i = 0; i < 17 * (width - right); ++i)
        ASSERT_EQ(At(dst, i), i / (width - right) * width + i % (width - right));
      space.ExpectGuards("UnPad");
    });
  }
}
TEST(Library, PadsAndUnpadsRows) {
  CheckPad<half>();
  CheckPad<int32_t>();
}

// --- Choosing by masks

template <typename T, typename U>
void CheckSelect() {
  for (const Size size : {Size{1, 16}, Size{3, 32}, Size{5, 48}}) {
    KernelRunner(1).Run([&] {
      const uint32_t pitch = (size.columns + 31) / 32 * 32 + 32;
      Space space;
      const auto src = space.Make<T>(Small(size.rows * size.columns, 1));
      const auto mask = space.Make<U>(Bits(size.rows * pitch, 2, 2));
      const auto dst = space.Make<T>(size.rows * size.columns);
      const auto other = space.Make<T>(size.rows * size.columns);
      const auto tmp = space.Temporary();
      AscendC::SelectWithBytesMaskShapeInfo info;
      info.firstAxis = size.rows;
      info.srcLastAxis = size.columns;
      info.maskLastAxis = pitch;
      AscendC::Select(dst, src, T(7), mask, tmp, info);
      AscendC::SelectWithBytesMask(other, T(7), src, mask, tmp, info);
      for (uint32_t i = 0; i < size.rows * size.columns; ++i) {
        const bool set = At(mask, i / size.columns * pitch + i % size.columns) != 0;
        ASSERT_EQ(At(dst, i), set ? 7 : At(src, i));
        ASSERT_EQ(At(other, i), set ? At(src, i) : 7);
      }
      space.ExpectGuards("Select");
    });
  }
}
TEST(Library, SelectsByNumbers) {
  CheckSelect<float, bool>();
  CheckSelect<half, uint8_t>();
  CheckSelect<half, int16_t>();
  CheckSelect<float, uint32_t>();
}

template <typename T>
void CheckDropOut() {
  KernelRunner(1).Run([] {
    constexpr uint32_t kRows = 5;
    constexpr uint32_t kColumns = 48;
    constexpr uint32_t kPitch = 64;
    Space space;
    const auto src = space.Make<T>(Small(kRows * kColumns, 1));
    const auto bytes = space.Make<uint8_t>(Bits(kRows * kPitch, 2, 2));
    const auto bits = space.Make<uint8_t>(kRows * 32);
    const auto dst = space.Make<T>(kRows * kColumns);
    const auto tmp = space.Temporary();
    AscendC::DropOutShapeInfo info;
    info.firstAxis = kRows;
    info.srcLastAxis = kColumns;
    info.maskLastAxis = kPitch;
    auto expect = [&](const char* what, auto&& set) {
      for (uint32_t i = 0; i < kRows * kColumns; ++i) {
        ASSERT_EQ(At(dst, i), set(i / kColumns, i % kColumns) ? At(src, i) * 4 : 0) << what << i;
      }
    };
    AscendC::DropOut(dst, src, bytes, tmp, 0.25f, info);
    expect("bytes", [&](uint32_t i, uint32_t j) { return bytes.GetValue(i * kPitch + j) != 0; });
    AscendC::DropOut<T, false, 2>(dst, src, bytes, 0.25f, info);
    expect("dense bytes",
           [&](uint32_t i, uint32_t j) { return bytes.GetValue(i * kColumns + j) != 0; });
    info.maskLastAxis = 32;
    AscendC::DropOut<T, false, 4>(dst, src, bits, 0.25f, info);
    auto bit = [&](uint32_t at, uint32_t j) {
      return (bits.GetValue(at + j / 8) >> j % 8 & 1) != 0;
    };
    expect("bits", [&](uint32_t i, uint32_t j) { return bit(i * 32, j); });
    AscendC::DropOut<T, false, 3>(dst, src, bits, tmp, 0.25f, info);
    expect("dense bits", [&](uint32_t i, uint32_t j) { return bit(i * 6, j); });
    info.maskLastAxis = 6;
    AscendC::DropOut(dst, src, bits, 0.25f, info);
    expect("bits by shape", [&](uint32_t i, uint32_t j) { return bit(i * 6, j); });
    space.ExpectGuards("DropOut");
  });
}
TEST(Library, DropsOut) {
  CheckDropOut<float>();
  CheckDropOut<half>();
}

// --- TopK

template <typename T, AscendC::TopKMode mode>
void CheckTopK() {
  constexpr bool kSmall = mode == AscendC::TopKMode::TOPK_NSMALL;
  for (int32_t inner : {32, 96}) {
    if (kSmall && inner != 32) continue;
    for (int32_t k : {1, 5, 31}) {
      for (const bool largest : {true, false}) {
        KernelRunner(1).Run([&] {
          constexpr uint32_t kRows = 3;
          const uint32_t columns = static_cast<uint32_t>(inner);
          const uint32_t wanted = static_cast<uint32_t>(k);
          std::vector<double> values = Small(kRows * columns, 9);  // with many equals
          values[4] = NAN;
          values[columns + 7] = INFINITY;
          Space space;
          const auto src = space.Make<T>(values);
          const uint32_t value_pitch = kSmall ? wanted : Blocks(wanted, sizeof(T));
          const uint32_t index_pitch = kSmall ? wanted : Blocks(wanted, 4);
          const auto top = space.Make<T>(kRows * value_pitch);
          const auto where = space.Make<int32_t>(kRows * index_pitch);
          const auto names = space.Make<int32_t>(kRows * columns);
          for (uint32_t i = 0; i < kRows * columns; ++i)
            names.SetValue(i, static_cast<int32_t>(1000 + i));
          const auto tmp = space.Temporary();
          const LocalTensor<bool> no_finish;
          const LocalTensor<int32_t> no_names;
          AscendC::tiling::TopkTiling tiling;
          AscendC::TopKInfo info;
          info.outter = kRows;
          info.inner = info.n = inner;
          auto check = [&](bool named) {
            for (uint32_t row = 0; row < kRows; ++row) {
              std::vector<uint32_t> order(columns);
              for (uint32_t i = 0; i < columns; ++i) order[i] = i;
              std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
                const double x = values[row * columns + a];
                const double y = values[row * columns + b];
                if (y != y) return false;
                return x != x || (largest ? x > y : x < y);
              });
              for (uint32_t i = 0; i < wanted; ++i) {
                const double expected = values[row * columns + order[i]];
                const double got = At(top, row * value_pitch + i);
                ASSERT_TRUE(got == expected || (got != got && expected != expected));
                const uint32_t index =
                    !named ? order[i] : 1000 + order[i] + (kSmall ? row * columns : 0);
                ASSERT_EQ(where.GetValue(row * index_pitch + i), static_cast<int32_t>(index));
              }
            }
          };
          AscendC::TopK<T, false, false, false, mode>(top, where, src, no_names, no_finish, tmp, k,
                                                      tiling, info, largest);
          check(false);
          AscendC::TopK<T, true, false, false, mode>(top, where, src, names, no_finish, k, tiling,
                                                     info, largest);
          check(true);
          if constexpr (!kSmall) {
            const auto finish = space.Make<bool>({0, 1, 0});
            info.n = inner - 1;
            AscendC::TopK<T, true, true, false, mode>(top, where, src, names, finish, k, tiling,
                                                      info, largest);
            for (uint32_t i = 0; i < wanted; ++i)
              ASSERT_EQ(where.GetValue(index_pitch + i), inner - 1);
            ASSERT_GE(where.GetValue(0), 1000);
          }
          space.ExpectGuards("TopK");
        });
      }
    }
  }
}
TEST(Library, TopKOfRows) {
  CheckTopK<float, AscendC::TopKMode::TOPK_NORMAL>();
  CheckTopK<half, AscendC::TopKMode::TOPK_NORMAL>();
  CheckTopK<float, AscendC::TopKMode::TOPK_NSMALL>();
  CheckTopK<half, AscendC::TopKMode::TOPK_NSMALL>();
}

// --- Quantisation

double Half(double value) { return static_cast<double>(half(value)); }
double Int8(double value) { return std::min(127.0, std::max(-128.0, std::nearbyint(value))); }

template <typename T>
void CheckQuant() {
  for (uint32_t count : {32u, 64u, 160u, 1024u}) {
    KernelRunner(1).Run([&] {
      const std::vector<double> values = Fractions(count, 40, count);
      const std::vector<double> scale_values = Fractions(64, 4, 2);
      const std::vector<double> offset_values = Fractions(64, 9, 3);
      Space space;
      const auto src = space.Make<T>(values);
      const auto scales = space.Make<T>(scale_values);
      const auto offsets = space.Make<T>(offset_values);
      const auto dst = space.Make<int8_t>(count);
      const auto tmp = space.Temporary();
      auto expect = [&](const char* what, auto&& scale, auto&& offset) {
        for (uint32_t i = 0; i < count; ++i) {
          const double exact = Half(Half(values[i] * scale(i)) + offset(i));
          ASSERT_EQ(At(dst, i), Int8(exact)) << what << " " << i << " of " << count;
        }
      };
      auto one = [](double value) { return [=](uint32_t) { return Half(value); }; };
      auto every = [](const std::vector<double>& all) {
        return [&](uint32_t i) { return all[i % 64]; };
      };
      AscendC::AscendQuant(dst, src, 2.1f, 0.9f);
      expect("tensor", one(2.1f), one(0.9f));
      AscendC::AscendQuant(dst, src, tmp, 5.0f, -0.5f, count);
      expect("tensor counted", one(5), one(-0.5));
      AscendC::AscendQuant(dst, src, tmp, scales, T(2.5f), 64, count);
      expect("channel", every(scale_values), one(2.5));
      AscendC::AscendQuant(dst, src, scales, T(-2.5f));
      expect("channel whole", every(scale_values), one(-2.5));
      AscendC::AscendQuant(dst, src, tmp, scales, offsets, 64, 64, count);
      expect("channel offsets", every(scale_values), every(offset_values));
      AscendC::AscendQuant(dst, src, scales, offsets);
      expect("channel offsets whole", every(scale_values), every(offset_values));
      space.ExpectGuards("AscendQuant");
    });
  }
}
TEST(Library, QuantisesInHalf) {
  CheckQuant<half>();
  CheckQuant<float>();
}

template <typename T, typename S>
void CheckDequant() {
  for (uint32_t n : {8u, 16u, 40u, 600u}) {
    for (uint32_t converted : {1u, n - 1, n}) {
      KernelRunner(1).Run([&] {
        constexpr uint32_t kRows = 3;
        const uint32_t pitch = Blocks(n, sizeof(T));
        Space space;
        const auto src = space.Make<int32_t>(kRows * n);
        for (uint32_t i = 0; i < kRows * n; ++i)
          src.SetValue(i, static_cast<int32_t>(i * 7919 % 4001) - 2000);
        const std::vector<double> scale_values = Fractions(n, 0.5, 3);
        const auto scales = space.Make<S>(n);
        for (uint32_t i = 0; i < n; ++i) {
          if constexpr (std::is_same_v<S, uint64_t>) {
            const float scale = static_cast<float>(scale_values[i]);
            scales.SetValue(i, uint64_t{__builtin_bit_cast(uint32_t, scale)} | uint64_t{5} << 40);
          } else {
            scales.SetValue(i, S(scale_values[i]));
          }
        }
        const auto dst = space.Make<T>(kRows * pitch);
        const auto tmp = space.Temporary();
        auto expect = [&](auto&& scale) {
          for (uint32_t i = 0; i < kRows; ++i) {
            for (uint32_t j = 0; j < converted; ++j) {
              const float exact = static_cast<float>(src.GetValue(i * n + j)) * scale(j);
              ASSERT_EQ(At(dst, i * pitch + j), static_cast<double>(T(exact))) << i << " " << j;
            }
          }
        };
        auto own = [&](uint32_t j) {
          if constexpr (std::is_same_v<S, uint64_t>)
            return static_cast<float>(scale_values[j]);
          else
            return static_cast<float>(S(scale_values[j]));
        };
        AscendC::AscendDequant(dst, src, scales, {kRows, n, converted});
        expect(own);
        AscendC::AscendDequant(dst, src, scales, tmp, {kRows, n, converted});
        expect(own);
        if constexpr (!std::is_same_v<S, uint64_t>) {
          AscendC::AscendDequant(dst, src, S(0.75f), tmp, {kRows, n, converted});
          expect([](uint32_t) { return 0.75f; });
          AscendC::AscendDequant(dst, src, S(-1.5f), {kRows, n, converted});
          expect([](uint32_t) { return -1.5f; });
        }
        space.ExpectGuards("AscendDequant");
      });
    }
  }
}
TEST(Library, DequantisesInFloat) {
  CheckDequant<half, uint64_t>();
  CheckDequant<float, float>();
  CheckDequant<float, bfloat16_t>();
  CheckDequant<bfloat16_t, bfloat16_t>();
  CheckDequant<bfloat16_t, float>();
}

TEST(Library, DequantTakesOneRowForMany) {
  KernelRunner(1).Run([] {
    Space space;
    const auto src = space.Make<int32_t>(Counting(32));
    const auto scales = space.Make<float>({1, 2, 3, 4, 5, 6, 7, 8});
    const auto dst = space.Make<float>(32);
    AscendC::AscendDequant(dst, src, scales, {1, 32, 8});
    for (uint32_t i = 0; i < 32; ++i) ASSERT_EQ(At(dst, i), i * (i % 8 + 1));
    AscendC::AscendDequant(dst, src, scales);
    for (uint32_t i = 0; i < 32; ++i) ASSERT_EQ(At(dst, i), i * (i % 8 + 1));
    for (uint32_t i = 0; i < 32; ++i) dst.SetValue(i, -1);
    AscendC::AscendDequant<float, float, AscendC::DeQuantMode::DEQUANT_WITH_MULTI_ROW>(
        dst, src, scales, {1, 32, 8});
    for (uint32_t i = 0; i < 32; ++i) ASSERT_EQ(At(dst, i), i < 8 ? i * (i + 1.0) : -1);
  });
}

template <typename T, typename From>
void CheckAntiQuant() {
  // [K, N] with groups of rows, and [N, K] with groups of columns.
  struct Case {
    uint32_t rows, columns, scale_rows, scale_columns;
    bool transposed;
  };
  for (const Case c :
       {Case{8, 128, 1, 128, false}, Case{6, 64, 3, 64, false}, Case{3, 600, 3, 600, false},
        Case{5, 64, 5, 1, true}, Case{3, 128, 3, 4, true}}) {
    KernelRunner(1).Run([&] {
      const uint32_t count = c.rows * c.columns;
      const uint32_t factors = c.scale_rows * c.scale_columns;
      const uint32_t k = c.transposed ? c.columns : c.rows;
      const std::vector<double> scale_values = Fractions(factors, 3, 1);
      const std::vector<double> offset_values = Fractions(factors, 5, 2);
      std::vector<double> values(count);
      Space space;
      LocalTensor<From> src;
      if constexpr (std::is_same_v<From, int8_t>) {
        src = space.Make<int8_t>(count);
        for (uint32_t i = 0; i < count; ++i) {
          values[i] = static_cast<int>(i * 37 % 256) - 128;
          src.SetValue(i, values[i]);
        }
      } else {
        const auto pairs = space.Make<int8_t>(count / 2);
        for (uint32_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 5 % 16) - 8;
        for (uint32_t i = 0; i < count / 2; ++i) {
          const int low = static_cast<int>(values[2 * i]) & 15;
          const int high = static_cast<int>(values[2 * i + 1]) & 15;
          pairs.SetValue(i, static_cast<int8_t>(low | high << 4));
        }
        src = pairs.template ReinterpretCast<From>();
      }
      const auto scales = space.Make<T>(scale_values);
      const auto offsets = space.Make<T>(offset_values);
      const auto dst = space.Make<T>(count);
      const auto tmp = space.Temporary();
      const AscendC::AntiQuantShapeInfo info = {c.scale_rows, c.scale_columns, c.scale_rows,
                                                c.scale_columns};
      auto expect = [&](const char* what, auto&& scale, auto&& offset) {
        for (uint32_t i = 0; i < count; ++i) {
          const uint32_t row = i / c.columns / (c.rows / c.scale_rows);
          const uint32_t column = i % c.columns / (c.columns / c.scale_columns);
          const uint32_t at = row * c.scale_columns + column;
          double exact;
          if constexpr (std::is_same_v<T, half>) {
            exact = Half(Half(values[i] + offset(at)) * scale(at));
          } else {
            const float sum = static_cast<float>(values[i]) + static_cast<float>(offset(at));
            exact = static_cast<double>(T(sum * static_cast<float>(scale(at))));
          }
          ASSERT_EQ(At(dst, i), exact) << what << " " << i << " of " << c.rows << "x" << c.columns;
        }
      };
      auto each = [](const LocalTensor<T>& all) {
        return [&](uint32_t at) { return At(all, at); };
      };
      auto one = [](double value) { return [=](uint32_t) { return value; }; };
      if (c.transposed) {
        AscendC::AscendAntiQuant<From, T, true>(dst, src, offsets, scales, tmp, k, info);
      } else {
        AscendC::AscendAntiQuant<From, T, false>(dst, src, offsets, scales, k, info);
      }
      expect("offsets", each(scales), each(offsets));
      // The shape may be noted on the tensor, or follow from its size.
      const uint32_t noted[] = {c.scale_rows, c.scale_columns};
      scales.SetShapeInfo(AscendC::ShapeInfo(2, noted, AscendC::DataFormat::ND));
      if (c.transposed) {
        AscendC::AscendAntiQuant<From, T, true>(dst, src, scales, tmp, k);
      } else {
        AscendC::AscendAntiQuant<From, T, false>(dst, src, scales, tmp, k);
      }
      expect("no offsets", each(scales), one(0));
      AscendC::AscendAntiQuant<From, T, false>(dst, src, T(1.5f), T(-0.25f), tmp, c.rows);
      expect("tensor", one(-0.25), one(1.5));
      AscendC::AscendAntiQuant<From, T, false>(dst, src, T(2.0f), tmp, c.rows);
      expect("tensor without offset", one(2), one(0));
      space.ExpectGuards("AscendAntiQuant");
    });
  }
}
TEST(Library, AntiQuantises) {
  CheckAntiQuant<half, int8_t>();
  CheckAntiQuant<bfloat16_t, int8_t>();
  CheckAntiQuant<half, AscendC::int4b_t>();
  CheckAntiQuant<bfloat16_t, AscendC::int4b_t>();
}

TEST(Library, GivesTheSameOnEveryTarget) {
  for (int64_t target : simd::UsableTargets()) {
    simd::UseTarget(target);
    SCOPED_TRACE(simd::TargetName(target));
    CheckSums<half>();
    CheckSums<float>();
    CheckQuant<half>();
    CheckQuant<float>();
    CheckDequant<half, uint64_t>();
    CheckDequant<bfloat16_t, float>();
    CheckAntiQuant<half, AscendC::int4b_t>();
    CheckAntiQuant<bfloat16_t, int8_t>();
  }
  simd::UseTarget(0);
}

// --- Elementwise functions

template <typename T>
void CheckFunctions() {
  for (uint32_t count : {1u, 15u, 33u, 159u}) {
    KernelRunner(1).Run([&] {
      const double tolerance = std::is_same_v<T, half> ? 1.0 / 1024 : 1e-6;
      Space space;
      std::vector<double> divisors = Fractions(160, 7, 2);
      for (double& value : divisors) value = value == 0 ? 1.5 : value;
      const auto a = space.Make<T>(Fractions(160, 100, 1));
      const auto b = space.Make<T>(divisors);
      const auto dst = space.Make<T>(160);
      const auto tmp = space.Temporary();
      auto expect = [&](const char* what, uint32_t n, auto&& exact) {
        for (uint32_t i = 0; i < n; ++i) {
          const double expected = exact(At(a, i), At(b, i));
          ASSERT_NEAR(At(dst, i), expected, tolerance * (std::fabs(expected) + 0.01)) << what << i;
        }
        for (uint32_t i = n; i < 160; ++i) ASSERT_EQ(At(dst, i), -7) << what << i;
        for (uint32_t i = 0; i < 160; ++i) dst.SetValue(i, -7);
      };
      for (uint32_t i = 0; i < 160; ++i) dst.SetValue(i, -7);
      auto remainder = [](double x, double y) { return std::fmod(x, y); };
      AscendC::Fmod(dst, a, b, count);
      expect("Fmod", count, remainder);
      AscendC::Fmod(dst, a, b, tmp, count);
      expect("Fmod", count, remainder);
      AscendC::Fmod(dst, a, b, tmp);
      expect("Fmod", 160, remainder);
      AscendC::Fmod(dst, a, b);
      expect("Fmod", 160, remainder);
      AscendC::ClampMax(dst, a, tmp, T(3), count);
      expect("ClampMax", count, [](double x, double) { return std::fmin(x, 3); });
      AscendC::ClampMin(dst, a, T(-3), count);
      expect("ClampMin", count, [](double x, double) { return std::fmax(x, -3); });
      AscendC::Lgamma(dst, b, tmp, count);
      expect("Lgamma", count, [](double, double y) {
        return y == std::floor(y) && y <= 0 ? INFINITY : std::lgamma(y);
      });
    });
  }
}
TEST(Library, RemaindersLimitsAndGammas) {
  CheckFunctions<float>();
  CheckFunctions<half>();
}

TEST(Library, DigammaIsTheDerivativeOfLgamma) {
  KernelRunner(1).Run([] {
    Space space;
    const std::vector<double> x = {0.01, 0.5, 1, 1.4616321, 2, 5.25, 30, 1e5, -0.5, -2.872628};
    const auto src = space.Make<float>(x);
    const auto dst = space.Make<float>(static_cast<uint32_t>(x.size()));
    const auto tmp = space.Temporary();
    AscendC::Digamma<float, false>(dst, src, tmp, static_cast<uint32_t>(x.size()));
    for (uint32_t i = 0; i < x.size(); ++i) {
      const double at = At(src, i);
      const double step = 1e-5 * std::fabs(at);
      const double slope = (std::lgamma(at + step) - std::lgamma(at - step)) / (2 * step);
      EXPECT_NEAR(At(dst, i), slope, 2e-5 * (1 + std::fabs(slope))) << at;
    }
    const auto special = space.Make<float>({0.0, -0.0, -1, -2, INFINITY, NAN});
    const auto out = space.Make<float>(6);
    AscendC::Digamma(out, special, 6);
    EXPECT_EQ(At(out, 0), -INFINITY);
    EXPECT_EQ(At(out, 1), INFINITY);
    EXPECT_TRUE(std::isnan(At(out, 2)));
    EXPECT_TRUE(std::isnan(At(out, 3)));
    EXPECT_EQ(At(out, 4), INFINITY);
    EXPECT_TRUE(std::isnan(At(out, 5)));
  });
}

TEST(Library, XorOfBothWordTypes) {
  KernelRunner(1).Run([] {
    Space space;
    const auto a = space.Make<int16_t>(Counting(65));
    const auto b = space.Make<int16_t>(Small(65, 3));
    const auto dst = space.Make<int16_t>(65);
    const auto tmp = space.Temporary();
    AscendC::Xor(dst, a, b);
    for (uint32_t i = 0; i < 65; ++i)
      ASSERT_EQ(dst.GetValue(i), static_cast<int16_t>(a.GetValue(i) ^ b.GetValue(i)));
    const auto c = a.ReinterpretCast<uint16_t>();
    const auto to = dst.ReinterpretCast<uint16_t>();
    AscendC::Xor(to, c, c, tmp, 17);
    for (uint32_t i = 0; i < 65; ++i) {
      ASSERT_EQ(dst.GetValue(i), i < 17 ? 0 : static_cast<int16_t>(a.GetValue(i) ^ b.GetValue(i)));
    }
  });
}

TEST(Library, AxpyRoundsTheProduct) {
  KernelRunner(1).Run([] {
    Space space;
    const auto src = space.Make<half>(Fractions(65, 9, 1));
    const auto same = space.Make<half>(Fractions(65, 300, 2));
    const auto wide = space.Make<float>(Fractions(65, 300, 3));
    const auto tmp = space.Temporary();
    std::vector<double> before;
    for (uint32_t i = 0; i < 65; ++i) before.push_back(At(same, i));
    AscendC::Axpy(same, src, half(1.7f), tmp, 65);
    for (uint32_t i = 0; i < 65; ++i)
      ASSERT_EQ(At(same, i), Half(Half(At(src, i) * Half(1.7f)) + before[i]));
    before.clear();
    for (uint32_t i = 0; i < 65; ++i) before.push_back(At(wide, i));
    AscendC::Axpy(wide, src, half(1.7f), tmp, 33);
    for (uint32_t i = 0; i < 65; ++i) {
      const float product = static_cast<float>(At(src, i) * Half(1.7f));
      const float sum = static_cast<float>(before[i]) + product;
      ASSERT_EQ(At(wide, i), i < 33 ? static_cast<double>(sum) : before[i]);
    }
  });
}

// --- What is refused

template <typename Call>
std::string Refusal(const Call& call) {
  return KernelRunner(1).Error([&] {
    Space space;
    call(space);
  });
}
#define BASCULE_EXPECT_REFUSAL(words, ...)                                         \
  EXPECT_NE(Refusal([](Space & space) __VA_ARGS__).find(words), std::string::npos) \
      << Refusal([](Space & space) __VA_ARGS__)

TEST(Library, SaysWhichArgumentIsWrong) {
  BASCULE_EXPECT_REFUSAL("Sum: sharedTmpBuffer has 32 bytes and needs at least 256", {
    const auto x = space.Make<float>(64);
    AscendC::Sum(x, x, space.Make<uint8_t>(32), {1, 8, 8});
  });
  BASCULE_EXPECT_REFUSAL("Sum: n is 9; it has to be 1 to inner", {
    const auto x = space.Make<float>(64);
    AscendC::Sum(x, x, {1, 8, 9});
  });
  BASCULE_EXPECT_REFUSAL("Mean: inner is 7; a row has to be a multiple of 32 bytes", {
    const auto x = space.Make<float>(64);
    AscendC::Mean(x, x, {1, 7, 7});
  });
  BASCULE_EXPECT_REFUSAL("ReduceMax: srcInnerPad is false", {
    const auto x = space.Make<float>(64);
    const uint32_t shape[] = {1, 8};
    AscendC::ReduceMax<float, AR>(x, x, shape, false);
  });
  BASCULE_EXPECT_REFUSAL("the axis to reduce has no elements", {
    const auto x = space.Make<float>(64);
    const uint32_t shape[] = {0, 8};
    AscendC::ReduceMax<float, RA>(x, x, shape, true);
  });
  BASCULE_EXPECT_REFUSAL("cumSumInfo.inner of 7 elements has 28 bytes", {
    const auto x = space.Make<float>(64);
    AscendC::CumSum(x, x, x, {1, 7});
  });
  BASCULE_EXPECT_REFUSAL("axis 1 of the source has 3 elements and that of the destination 4", {
    const auto x = space.Make<float>(64);
    const uint32_t src[] = {2, 3};
    const uint32_t dst[] = {2, 4};
    AscendC::Broadcast<float, 2, 1>(x, space.Make<float>(64), dst, src);
  });
  BASCULE_EXPECT_REFUSAL("source and destination overlap", {
    const auto x = space.Make<float>(64);
    const uint32_t src[] = {2, 1};
    const uint32_t dst[] = {2, 4};
    AscendC::Broadcast<float, 2, 1>(x, x, dst, src);
  });
  BASCULE_EXPECT_REFUSAL("Broadcast: srcShape[1] is 3", {
    const auto x = space.Make<float>(64);
    const uint32_t src[] = {1, 3};
    const uint32_t dst[] = {2, 3};
    AscendC::Broadcast<float, 2, 0>(x, space.Make<float>(64), dst, src);
  });
  BASCULE_EXPECT_REFUSAL("TransposeType 8 is not available", {
    const auto x = space.Make<float>(64);
    AscendC::tiling::ConfusionTransposeTiling tiling;
    AscendC::Transpose(x, x, AscendC::TransposeType::TRANSPOSE_ND_UB_GM, tiling);
  });
  BASCULE_EXPECT_REFUSAL("axis 2 of the blocked shape is 2", {
    const auto x = space.Make<half>(64);
    const auto from = AscendC::MakeLayout(AscendC::MakeShape(1, 3, 1, 4, 4), AscendC::MakeStride());
    const auto to =
        AscendC::MakeLayout(AscendC::MakeShape(1, 1, 2, 4, 4, 16), AscendC::MakeStride());
    AscendC::TransData<kToChannels>(
        x, x,
        AscendC::TransDataParams<std::decay_t<decltype(from)>, std::decay_t<decltype(to)>>{from,
                                                                                           to});
  });
  BASCULE_EXPECT_REFUSAL("it may not become longer than the next multiple of 32 bytes, 16", {
    const auto x = space.Make<half>(512);
    AscendC::tiling::PadTiling tiling;
    tiling.srcHeight = 2;
    tiling.srcWidth = tiling.srcOriWidth = 15;
    AscendC::PadParams params{1, 1, 0};
    AscendC::Pad(x, space.Make<half>(512), params, tiling);
  });
  BASCULE_EXPECT_REFUSAL("rightPad is 16 of 32 columns", {
    const auto x = space.Make<half>(512);
    AscendC::tiling::UnPadTiling tiling;
    tiling.srcHeight = 2;
    tiling.srcWidth = 32;
    AscendC::UnPadParams params{0, 16};
    AscendC::UnPad(x, space.Make<half>(512), params, tiling);
  });
  BASCULE_EXPECT_REFUSAL("maskLastAxis is 16 elements of 16 bytes", {
    const auto x = space.Make<half>(512);
    AscendC::SelectWithBytesMaskShapeInfo info;
    info.firstAxis = 1;
    info.srcLastAxis = info.maskLastAxis = 16;
    AscendC::Select(x, x, half(1), space.Make<uint8_t>(64), space.Temporary(), info);
  });
  BASCULE_EXPECT_REFUSAL("keepProb is 0; it has to be more than 0", {
    const auto x = space.Make<half>(512);
    AscendC::DropOutShapeInfo info;
    info.firstAxis = 1;
    info.srcLastAxis = info.maskLastAxis = 32;
    AscendC::DropOut(x, x, space.Make<uint8_t>(64), 0.0f, info);
  });
  BASCULE_EXPECT_REFUSAL("TopK: k is 33; it has to be 1 to topKInfo.n", {
    const auto x = space.Make<float>(512);
    AscendC::TopKInfo info;
    info.outter = 1;
    info.inner = info.n = 32;
    AscendC::TopK<float>(x, space.Make<int32_t>(64), x, LocalTensor<int32_t>(), LocalTensor<bool>(),
                         33, AscendC::tiling::TopkTiling(), info);
  });
  BASCULE_EXPECT_REFUSAL("TopK: tmpLocal has 0 bytes", {
    const auto x = space.Make<float>(512);
    AscendC::TopKInfo info;
    info.outter = 1;
    info.inner = info.n = 32;
    AscendC::TopK<float>(x, space.Make<int32_t>(64), x, LocalTensor<int32_t>(), LocalTensor<bool>(),
                         LocalTensor<uint8_t>(), 3, AscendC::tiling::TopkTiling(), info);
  });
  BASCULE_EXPECT_REFUSAL("AscendQuant: scaleCount is 33; it has to be a multiple of 32", {
    const auto x = space.Make<half>(512);
    AscendC::AscendQuant(space.Make<int8_t>(64), x, x, half(1), 33, 64);
  });
  BASCULE_EXPECT_REFUSAL("AscendDequant: calCount is 9; deqScale has fewer elements", {
    const auto x = space.Make<int32_t>(512);
    AscendC::AscendDequant(space.Make<float>(64), x, space.Make<float>(8), {2, 16, 9});
  });
  BASCULE_EXPECT_REFUSAL("AscendAntiQuant: k is 5; it has to divide", {
    const auto x = space.Make<half>(64);
    AscendC::AscendAntiQuant<int8_t, half, false>(x, space.Make<int8_t>(64), x, x, 5);
  });
  BASCULE_EXPECT_REFUSAL("AscendAntiQuant: scale has 1 rows and 9 columns", {
    const auto x = space.Make<half>(64);
    AscendC::AscendAntiQuant<int8_t, half, false>(x, space.Make<int8_t>(64), x, x, 8, {1, 9, 1, 9});
  });
  BASCULE_EXPECT_REFUSAL("Fmod: sharedTmpBuffer has 8 bytes", {
    const auto x = space.Make<half>(64);
    AscendC::Fmod(x, x, x, space.Make<uint8_t>(8), 4);
  });
}

// Shapes of any size end in a sentence before anything is touched.
TEST(Library, RefusesShapesThatNoMemoryHolds) {
  BASCULE_EXPECT_REFUSAL("of the unified buffer, which has", {
    const auto x = space.Make<float>(64);
    const uint32_t shape[] = {0xffffffff, 0xfffffff0};
    AscendC::ReduceSum<float, AR>(x, x, shape, true);
  });
  BASCULE_EXPECT_REFUSAL("of the unified buffer, which has", {
    const auto x = space.Make<int32_t>(64);
    uint32_t shape[9];
    for (uint32_t& size : shape) size = 0x80000000;
    AscendC::BroadcastTiling tiling;
    tiling.rank = 9;
    AscendC::Broadcast<int32_t>(x, x, shape, shape, &tiling);
  });
  BASCULE_EXPECT_REFUSAL("of the unified buffer, which has", {
    const auto x = space.Make<half>(64);
    AscendC::tiling::ConfusionTransposeTiling tiling;
    tiling.param0 = tiling.param1 = tiling.param2 = tiling.param3 = 0x80000000;
    AscendC::Transpose(x, x, AscendC::TransposeType::TRANSPOSE_NZ2ND_0213, tiling);
  });
}

}  // namespace
}  // namespace bascule::engine

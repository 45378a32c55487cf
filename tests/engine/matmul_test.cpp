// Matmul as kernels use it: on cube cores alone and from the vector cores of a mixed kernel, every
// element type, transposes, tails, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "lib/matmul_intf.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::CubeFormat;
using AscendC::MatmulType;
using AscendC::TPosition;
using AscendC::tiling::TCubeTiling;
using test::KernelRunner;

template <typename T>
AscendC::GlobalTensor<T> Global(const T* data) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(const_cast<T*>(data));
  return tensor;
}

template <typename T>
std::vector<T> Numbers(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> numbers(count);
  for (T& number : numbers) number = T(static_cast<float>(static_cast<int>(random() % 15) - 7));
  return numbers;
}

struct Shape {
  int m, n, k;
  int base_m, base_n, base_k;
  bool a_turned = false;
  bool b_turned = false;
  int step = 1;
  int order = 0;
};

TCubeTiling TilingOf(const Shape& s, bool bias) {
  TCubeTiling t;
  t.usedCoreNum = 1;
  t.M = t.singleCoreM = s.m;
  t.N = t.singleCoreN = s.n;
  t.Ka = t.Kb = t.singleCoreK = s.k;
  t.baseM = s.base_m;
  t.baseN = s.base_n;
  t.baseK = s.base_k;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = s.step;
  t.depthA1 = t.depthB1 = 2 * s.step;
  t.dbL0A = t.dbL0B = 2;
  t.dbL0C = 1;
  t.isBias = bias ? 1 : 0;
  t.iterateOrder = s.order;
  return t;
}

template <typename T, typename C>
std::vector<double> Product(const std::vector<T>& a, const std::vector<T>& b,
                            const std::vector<C>& bias, const Shape& s) {
  std::vector<double> c(static_cast<size_t>(s.m) * s.n);
  for (int row = 0; row < s.m; ++row) {
    for (int column = 0; column < s.n; ++column) {
      double sum = bias.empty() ? 0 : static_cast<double>(bias[column]);
      for (int i = 0; i < s.k; ++i) {
        const size_t at = s.a_turned ? size_t(i) * s.m + row : size_t(row) * s.k + i;
        const size_t bt = s.b_turned ? size_t(column) * s.k + i : size_t(i) * s.n + column;
        sum += static_cast<double>(static_cast<float>(a[at])) *
               static_cast<double>(static_cast<float>(b[bt]));
      }
      c[static_cast<size_t>(row) * s.n + column] = sum;
    }
  }
  return c;
}

template <typename T>
std::vector<double> Doubles(const std::vector<T>& from) {
  std::vector<double> out(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    out[i] = static_cast<double>(static_cast<float>(from[i]));
  return out;
}

template <typename T, typename C>
void CheckProduct(const Shape& s, bool with_bias, bool mixed) {
  SCOPED_TRACE(std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
               (s.a_turned ? " A turned" : "") + (s.b_turned ? " B turned" : "") + " steps " +
               std::to_string(s.step) + " type " + typeid(T).name() + (mixed ? " mixed" : ""));
  const std::vector<T> a = Numbers<T>(static_cast<size_t>(s.m) * s.k, 1);
  const std::vector<T> b = Numbers<T>(static_cast<size_t>(s.k) * s.n, 2);
  const std::vector<C> bias = with_bias ? Numbers<C>(s.n, 3) : std::vector<C>();
  std::vector<C> c(static_cast<size_t>(s.m) * s.n, C(-1));
  const TCubeTiling tiling = TilingOf(s, with_bias);
  using A = MatmulType<TPosition::GM, CubeFormat::ND, T, true>;
  using CType = MatmulType<TPosition::GM, CubeFormat::ND, C>;
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Input("bias", bias).Output("c", c);
  runner.Type(mixed ? BASCULE_KERNEL_MIX_AIC_1_2 : BASCULE_KERNEL_AIC_ONLY);
  runner.Run([&] {
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, CType, CType> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    if (mixed && AscendC::GetSubBlockIdx() == 1) return;
    product.SetTensorA(Global(a.data()), s.a_turned);
    product.SetTensorB(Global(b.data()), s.b_turned);
    if (with_bias) product.SetBias(Global(bias.data()));
    product.IterateAll(Global(c.data()));
    product.End();
  });
  EXPECT_EQ(Doubles(c), Product(a, b, bias, s));
}

template <typename T, typename C>
void CheckShapes() {
  for (const bool a_turned : {false, true}) {
    for (const bool b_turned : {false, true}) {
      for (int order = 0; order < 2; ++order) {
        CheckProduct<T, C>({64, 64, 64, 32, 32, 32, a_turned, b_turned, 1, order}, false, false);
        CheckProduct<T, C>({33, 47, 75, 32, 32, 32, a_turned, b_turned, 2, order}, true, false);
        CheckProduct<T, C>({1, 1, 1, 16, 16, 32, a_turned, b_turned}, true, false);
        CheckProduct<T, C>({17, 31, 65, 16, 64, 64, a_turned, b_turned, 1, order}, false, true);
        CheckProduct<T, C>({96, 100, 200, 64, 64, 64, a_turned, b_turned, 3, order}, true, true);
      }
    }
  }
}

TEST(Matmul, Half) { CheckShapes<half, float>(); }
TEST(Matmul, Bfloat) { CheckShapes<bfloat16_t, float>(); }
TEST(Matmul, Float) { CheckShapes<float, float>(); }
TEST(Matmul, Int8) { CheckShapes<int8_t, int32_t>(); }

// --- block by block

// What the vector cores' way through the system's workspace needs.
std::vector<uint8_t> SystemWorkspace() {
  return std::vector<uint8_t>(BASCULE_SYSTEM_WORKSPACE_BYTES);
}

template <typename Kernel>
void RunMixed(KernelRunner& runner, std::vector<uint8_t>& system, const Kernel& kernel) {
  runner.Output("system", system).Type(BASCULE_KERNEL_MIX_AIC_1_2);
  runner.Run([&] {
    SetSysWorkspace(system.data());
    kernel();
  });
}

constexpr Shape kTails = {50, 70, 90, 32, 32, 32};

// Blocks in order go to the unified buffer, rows of whole datablocks, and from there to a C of the
// kernel's own.
TEST(Matmul, IterateToUnifiedBuffer) {
  const Shape& s = kTails;
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  std::vector<float> c(s.m * s.n, -1);
  const TCubeTiling tiling = TilingOf(s, false);
  std::vector<uint8_t> system = SystemWorkspace();
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Output("c", c);
  RunMixed(runner, system, [&] {
    using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using C = MatmulType<TPosition::VECIN, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, C> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    if (AscendC::GetSubBlockIdx() == 1) return;
    AscendC::TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, s.base_m * s.base_n * sizeof(float));
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(b.data()));
    int step = 0;
    const int rows = (s.m + s.base_m - 1) / s.base_m;
    while (product.Iterate()) {
      auto block = queue.AllocTensor<float>();
      product.GetTensorC(block, false, true);
      queue.EnQue(block);
      block = queue.DeQue<float>();
      const int row = step % rows * s.base_m;
      const int column = step / rows * s.base_n;
      const int tall = std::min(s.base_m, s.m - row);
      const int wide = std::min(s.base_n, s.n - column);
      AscendC::DataCopyExtParams out(static_cast<uint16_t>(tall), wide * sizeof(float), 0,
                                     (s.n - wide) * sizeof(float), 0);
      AscendC::DataCopyPad(Global(c.data() + row * s.n + column), block, out);
      queue.FreeTensor(block);
      ++step;
    }
    product.End();
  });
  EXPECT_EQ(Doubles(c), Product(a, b, std::vector<float>(), s));
}

// Both vector cores ask at once, each for a half of the columns.
TEST(Matmul, BothVectorCoresAsk) {
  Shape s = {48, 64, 64, 16, 16, 32};
  const std::vector<float> a = Numbers<float>(s.m * s.k, 1);
  const std::vector<float> b = Numbers<float>(s.k * s.n, 2);
  const std::vector<float> bias = Numbers<float>(s.n, 3);
  std::vector<float> c(s.m * s.n, -1);
  TCubeTiling tiling = TilingOf(s, true);
  tiling.singleCoreN = s.n / 2;
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Input("bias", bias).Output("c", c);
  // Nobody says which cores the kernel is for: REGIST_MATMUL_OBJ does.
  runner.Run([&] {
    using A = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, A> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    const int offset = static_cast<int>(AscendC::GetBlockIdx()) * tiling.singleCoreN;
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(b.data() + offset));
    product.SetBias(Global(bias.data() + offset));
    while (product.Iterate()) product.GetTensorC(Global(c.data() + offset));
  });
  EXPECT_EQ(Doubles(c), Product(a, b, bias, s));
}

// With enSequentialWrite blocks follow one another; with enAtomic they add to what is there.
TEST(Matmul, SequentialAndAtomic) {
  const Shape s = {32, 48, 32, 16, 16, 32};
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  std::vector<float> c(s.m * s.n, 1);
  std::vector<float> blocks(s.m * s.n, -1);
  const TCubeTiling tiling = TilingOf(s, false);
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Output("c", c).Output("blocks", blocks);
  runner.Type(BASCULE_KERNEL_AIC_ONLY);
  runner.Run([&] {
    using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, C> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(b.data()));
    product.IterateAll(Global(c.data()), 1);
    product.IterateAll(Global(blocks.data()), 0, true);
  });
  std::vector<double> expected = Product(a, b, std::vector<float>(), s);
  for (int i = 0; i < s.m * s.n; ++i) {
    const int row = i / s.n;
    const int column = i % s.n;
    const int block = column / 16 * 2 + row / 16;
    EXPECT_EQ(blocks[block * 256 + row % 16 * 16 + column % 16], expected[i]);
    EXPECT_EQ(c[i], expected[i] + 1);
  }
}

// int8 becomes half or int8 by a word for all columns or one for each.
TEST(Matmul, Quantised) {
  const Shape s = {33, 40, 64, 32, 32, 64};
  const std::vector<int8_t> a = Numbers<int8_t>(s.m * s.k, 1);
  const std::vector<int8_t> b = Numbers<int8_t>(s.k * s.n, 2);
  std::vector<half> c(s.m * s.n, half(-1));
  std::vector<int8_t> bytes(s.m * s.n, -1);
  std::vector<uint64_t> words(s.n);
  std::vector<float> scales(s.n);
  for (int i = 0; i < s.n; ++i) {
    scales[i] = 0.25F * static_cast<float>(i % 3 + 1);
    uint32_t bits = 0;
    std::memcpy(&bits, &scales[i], sizeof(bits));
    words[i] = bits | uint64_t{1} << BASCULE_FIXPIPE_SIGNED;
  }
  const TCubeTiling tiling = TilingOf(s, false);
  using A = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
  using C = MatmulType<TPosition::GM, CubeFormat::ND, half>;
  using Bytes = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Input("words", words).Output("c", c).Output("bytes", bytes);
  runner.Type(BASCULE_KERNEL_AIC_ONLY);
  const auto kernel = [&] {
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, C, MatmulType<TPosition::GM, CubeFormat::ND, int32_t>> product;
    AscendC::Matmul<A, A, Bytes, MatmulType<TPosition::GM, CubeFormat::ND, int32_t>> to_bytes;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling, to_bytes, &tiling);
    product.SetQuantVector(Global(words.data()));
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(b.data()));
    product.IterateAll(Global(c.data()));
    product.End();
    to_bytes.SetQuantScalar(words[0]);
    to_bytes.SetTensorA(Global(a.data()));
    to_bytes.SetTensorB(Global(b.data()));
    to_bytes.IterateAll(Global(bytes.data()));
  };
  runner.Run(kernel);
  const std::vector<double> sums = Product(a, b, std::vector<float>(), s);
  for (int i = 0; i < s.m * s.n; ++i) {
    EXPECT_EQ(static_cast<float>(c[i]),
              static_cast<float>(half(static_cast<float>(sums[i]) * scales[i % s.n])));
    EXPECT_EQ(bytes[i], std::clamp(std::nearbyint(sums[i] * 0.25), -128.0, 127.0));
  }
}

// C in strips of 16 columns.
TEST(Matmul, StripsOut) {
  const Shape s = {20, 40, 32, 16, 32, 32};
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  constexpr int kTall = 32;
  std::vector<float> c(kTall * 48, -1);
  const TCubeTiling tiling = TilingOf(s, false);
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Output("c", c).Type(BASCULE_KERNEL_AIC_ONLY);
  runner.Run([&] {
    using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using C = MatmulType<TPosition::GM, CubeFormat::NZ, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, C> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(b.data()));
    product.IterateAll(Global(c.data()));
  });
  const std::vector<double> expected = Product(a, b, std::vector<float>(), s);
  for (int i = 0; i < s.m * s.n; ++i) {
    const int row = i / s.n;
    const int column = i % s.n;
    EXPECT_EQ(c[column / 16 * kTall * 16 + row * 16 + column % 16], expected[i])
        << row << " " << column;
  }
}

// A and B in strips, plain and turned.
template <typename T>
std::vector<T> Strips(const std::vector<T>& from, int rows, int columns) {
  const int wide = 32 / static_cast<int>(sizeof(T));
  const int tall = (rows + 15) / 16 * 16;
  std::vector<T> to(static_cast<size_t>((columns + wide - 1) / wide * wide) * tall, T(0));
  for (int i = 0; i < rows * columns; ++i) {
    const int row = i / columns;
    const int column = i % columns;
    to[(column / wide * tall + row) * wide + column % wide] = from[i];
  }
  return to;
}
template <typename T, typename C>
void CheckStrips() {
  for (int turned = 0; turned < 4; ++turned) {
    Shape s = {50, 70, 90, 32, 32, 32, (turned & 1) != 0, (turned & 2) != 0, 2};
    SCOPED_TRACE(turned);
    const std::vector<T> a = Numbers<T>(s.m * s.k, 1);
    const std::vector<T> b = Numbers<T>(s.k * s.n, 2);
    const std::vector<T> as = s.a_turned ? Strips(a, s.k, s.m) : Strips(a, s.m, s.k);
    const std::vector<T> bs = s.b_turned ? Strips(b, s.n, s.k) : Strips(b, s.k, s.n);
    std::vector<C> c(s.m * s.n, -1);
    const TCubeTiling tiling = TilingOf(s, false);
    KernelRunner runner(1);
    runner.Input("a", as).Input("b", bs).Output("c", c).Type(BASCULE_KERNEL_AIC_ONLY);
    runner.Run([&] {
      using A = MatmulType<TPosition::GM, CubeFormat::NZ, T, true>;
      using CType = MatmulType<TPosition::GM, CubeFormat::ND, C>;
      AscendC::TPipe pipe;
      AscendC::Matmul<A, A, CType> product;
      REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
      product.SetTensorA(Global(as.data()), s.a_turned);
      product.SetTensorB(Global(bs.data()), s.b_turned);
      product.IterateAll(Global(c.data()));
    });
    EXPECT_EQ(Doubles(c), Product(a, b, std::vector<float>(), s));
  }
}
TEST(Matmul, StripsInHalf) { CheckStrips<half, float>(); }
TEST(Matmul, StripsInFloat) { CheckStrips<float, float>(); }
TEST(Matmul, StripsInInt8) { CheckStrips<int8_t, int32_t>(); }

// --- rounding, sparse B, shared products

// A bias of half becomes float on its way; factors of float are rounded on theirs.
TEST(Matmul, HalfBiasAndHf32) {
  const Shape s = {20, 70, 32, 32, 32, 32};
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  const std::vector<half> bias = Numbers<half>(s.n, 3);
  std::vector<float> c(s.m * s.n, -1);
  std::vector<float> x(s.m * s.k, 1.0F + 0x1p-14F);
  std::vector<float> y(s.k * s.n, 1);
  std::vector<float> rounded(s.m * s.n, -1);
  const TCubeTiling tiling = TilingOf(s, true);
  const TCubeTiling plain = TilingOf(s, false);
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Input("bias", bias).Output("c", c);
  runner.Input("x", x).Input("y", y).Output("rounded", rounded).Type(BASCULE_KERNEL_AIC_ONLY);
  runner.Run([&] {
    using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using Float = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<Half, Half, Float, Half> product;
    AscendC::Matmul<Float, Float, Float> of_floats;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling, of_floats, &plain);
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(b.data()));
    product.SetBias(Global(bias.data()));
    product.IterateAll(Global(c.data()));
    product.End();
    of_floats.SetHF32(true);
    of_floats.SetTensorA(Global(x.data()));
    of_floats.SetTensorB(Global(y.data()));
    of_floats.IterateAll(Global(rounded.data()));
  });
  EXPECT_EQ(Doubles(c), Product(a, b, Doubles(bias), s));
  for (const float sum : rounded) EXPECT_EQ(sum, 32);
}

TEST(Matmul, SparseB) {
  const Shape s = {20, 40, 192, 16, 32, 64, false, true, 2};
  const std::vector<int8_t> a = Numbers<int8_t>(s.m * s.k, 1);
  const std::vector<int8_t> two = Numbers<int8_t>(s.n * s.k / 2, 2);
  std::vector<int8_t> b(s.n * s.k, 0);
  const int tall = (s.n + 15) / 16 * 16;
  std::vector<uint8_t> index(static_cast<size_t>(tall) * s.k / 8, 0);
  std::mt19937 random(3);
  for (int row = 0; row < s.n; ++row) {
    for (int four = 0; four < s.k / 4; ++four) {
      const uint32_t first = random() % 3;
      const uint32_t second = first + random() % (3 - first);  // among the last three
      b[row * s.k + four * 4 + first] = two[row * s.k / 2 + four * 2];
      b[row * s.k + four * 4 + second + 1] = two[row * s.k / 2 + four * 2 + 1];
      const int byte = four / 2;  // of the row
      index[(byte / 8 * tall + row) * 8 + byte % 8] |=
          static_cast<uint8_t>((first | second << 2) << (four % 2 * 4));
    }
  }
  std::vector<int32_t> c(s.m * s.n, -1);
  const TCubeTiling tiling = TilingOf(s, false);
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", two).Input("index", index).Output("c", c);
  runner.Type(BASCULE_KERNEL_AIC_ONLY);
  runner.Run([&] {
    using A = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
    using B = AscendC::SparseMatmulType<TPosition::GM, TPosition::GM, CubeFormat::ND, int8_t, true>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, int32_t>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, B, C, C, AscendC::CFG_MDL> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(two.data()), true);
    product.SetSparseIndex(Global(index.data()));
    product.IterateAll(Global(c.data()));
  });
  EXPECT_EQ(Doubles(c), Product(a, b, std::vector<float>(), s));
}

// Both vector cores ask for the same sums, which are added once.
TEST(Matmul, SharedByBothVectorCores) {
  const Shape s = {32, 32, 32, 16, 16, 32};
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  std::vector<float> c(s.m * s.n, 0);
  const TCubeTiling tiling = TilingOf(s, false);
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Output("c", c).Type(BASCULE_KERNEL_MIX_AIC_1_2);
  runner.Run([&] {
    using A =
        MatmulType<TPosition::GM, CubeFormat::ND, half, false, AscendC::LayoutMode::NONE, true>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    // Before REGIST_MATMUL_OBJ, so on the cube core, too.
    AscendC::TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    AscendC::Matmul<A, A, C> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    product.SetTensorA(Global(a.data()));
    product.SetTensorB(Global(b.data()));
    product.IterateAll(Global(c.data()), 1);
    product.IterateAll(Global(c.data()), 1);
  });
  std::vector<double> expected = Product(a, b, std::vector<float>(), s);
  for (double& sum : expected) sum *= 2;
  EXPECT_EQ(Doubles(c), expected);
}

// --- what is refused

std::string Refused(const Shape& s, const TCubeTiling& tiling, bool set_b = true) {
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  std::vector<float> c(s.m * s.n, -1);
  KernelRunner runner(1);
  runner.Input("a", a).Input("b", b).Output("c", c).Type(BASCULE_KERNEL_AIC_ONLY);
  return runner.Error([&] {
    using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, C> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    product.SetTensorA(Global(a.data()));
    if (set_b) product.SetTensorB(Global(b.data()));
    product.IterateAll(Global(c.data()));
  });
}
bool Says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

TEST(Matmul, RefusesWhatCannotBe) {
  const Shape s = {32, 32, 32, 32, 32, 32};
  TCubeTiling tiling = TilingOf(s, false);
  EXPECT_EQ(Refused(s, tiling), "");
  EXPECT_PRED2(Says, Refused(s, tiling, false), "IterateAll: matrix B has not been set");
  EXPECT_PRED2(Says, Refused(s, TCubeTiling()), "singleCoreK is 0");
  tiling.isBias = 1;
  EXPECT_PRED2(Says, Refused(s, tiling), "call SetBias, or DisableBias");
  tiling = TilingOf(s, false);
  tiling.singleCoreK = 64;
  EXPECT_PRED2(Says, Refused(s, tiling), "singleCoreK is 64, and the whole matrix has Ka = 32");
  const Shape large = {512, 512, 512, 512, 512, 512};
  EXPECT_PRED2(Says, Refused(large, TilingOf(large, false)), "bytes of L1");
  const Shape wide = {256, 256, 32, 256, 256, 32};
  EXPECT_PRED2(Says, Refused(wide, TilingOf(wide, false)), "bytes of L0C");
}

constexpr MatmulConfig PartialOutput() {
  MatmulConfig config = CFG_MDL;
  config.isPartialOutput = true;
  return config;
}
constexpr MatmulConfig kPartialOutput = PartialOutput();

// What is partial comes one product after the other; to fetch all of it at once would leave the
// last ones.
TEST(Matmul, PartialOutput) {
  const Shape s = {16, 16, 96, 16, 16, 32};
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  const TCubeTiling tiling = TilingOf(s, false);
  const auto run = [&](bool all, std::vector<float>* parts) {
    KernelRunner runner(1);
    runner.Input("a", a).Input("b", b).Output("parts", *parts);
    runner.Type(BASCULE_KERNEL_AIC_ONLY);
    return runner.Error([&] {
      using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
      using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
      AscendC::TPipe pipe;
      AscendC::Matmul<A, A, C, C, kPartialOutput> product;
      REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
      product.SetTensorA(Global(a.data()));
      product.SetTensorB(Global(b.data()));
      if (all) return product.IterateAll(Global(parts->data()));
      for (int at = 0; product.Iterate(); at += s.m * s.n)
        product.GetTensorC(Global(parts->data() + at), 0, true);
    });
  };
  std::vector<float> parts(3 * s.m * s.n, -1);
  EXPECT_EQ(run(false, &parts), "");
  std::vector<double> sums(s.m * s.n);
  for (size_t i = 0; i < parts.size(); ++i) sums[i % sums.size()] += parts[i];
  EXPECT_EQ(sums, Product(a, b, std::vector<float>(), s));
  const std::string error = run(true, &parts);
  EXPECT_PRED2(Says, error, "IterateAll: the configuration has isPartialOutput");
  EXPECT_PRED2(Says, error, "fetch each with Iterate and GetTensorC");
}

// A and the bias in the unified buffer, C too: all of it through the workspace that a mixed kernel
// has whether it passes one or not.
TEST(Matmul, OperandsInUnifiedBuffer) {
  const Shape s = {32, 48, 64, 16, 16, 32};
  const std::vector<half> a = Numbers<half>(s.m * s.k, 1);
  const std::vector<half> b = Numbers<half>(s.k * s.n, 2);
  const std::vector<float> bias = Numbers<float>(s.n, 3);
  std::vector<float> c(s.m * s.n, -1);
  const TCubeTiling tiling = TilingOf(s, true);
  KernelRunner runner(2);
  runner.Input("a", a).Input("b", b).Input("bias", bias).Output("c", c);
  runner.Type(BASCULE_KERNEL_MIX_AIC_1_2);
  runner.Run([&] {
    using A = MatmulType<TPosition::VECOUT, CubeFormat::ND, half>;
    using B = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using C = MatmulType<TPosition::VECIN, CubeFormat::ND, float>;
    using Bias = MatmulType<TPosition::VECOUT, CubeFormat::ND, float>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, B, C, Bias> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    if (AscendC::GetBlockIdx() != 3) return;
    AscendC::TBuf<TPosition::VECOUT> a_buffer;
    AscendC::TBuf<TPosition::VECOUT> bias_buffer;
    AscendC::TBuf<TPosition::VECIN> c_buffer;
    pipe.InitBuffer(a_buffer, s.m * s.k * sizeof(half));
    pipe.InitBuffer(bias_buffer, s.n * sizeof(float));
    pipe.InitBuffer(c_buffer, s.m * s.n * sizeof(float));
    AscendC::DataCopy(a_buffer.Get<half>(), Global(a.data()), s.m * s.k);
    AscendC::DataCopy(bias_buffer.Get<float>(), Global(bias.data()), s.n);
    product.SetTensorA(a_buffer.Get<half>());
    product.SetTensorB(Global(b.data()));
    product.SetBias(bias_buffer.Get<float>());
    product.IterateAll(c_buffer.Get<float>());
    AscendC::DataCopy(Global(c.data()), c_buffer.Get<float>(), s.m * s.n);
  });
  EXPECT_EQ(Doubles(c), Product(a, b, bias, s));
}

TEST(Matmul, RefusesVectorKernels) {
  KernelRunner runner(1);
  runner.Type(BASCULE_KERNEL_AIV_ONLY);
  const TCubeTiling tiling;
  const std::string error = runner.Error([&] {
    using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    AscendC::TPipe pipe;
    AscendC::Matmul<A, A, A> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
  });
  EXPECT_PRED2(Says, error, "the kernel is for vector cores only");
}

}  // namespace
}  // namespace bascule::engine

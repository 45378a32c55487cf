// Matrix products as kernels write them: fractals into L1, L0A and L0B, Mmad, Fixpipe; on cube
// cores alone and beside vector cores; and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::LocalTensor;
using AscendC::TPosition;
using test::KernelRunner;

constexpr uint32_t Up(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

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

template <typename T>
double Value(T number) {
  return static_cast<double>(static_cast<float>(number));
}

template <typename T, typename C>
std::vector<double> Product(const std::vector<T>& a, const std::vector<T>& b,
                            const std::vector<C>& bias, uint32_t m, uint32_t n, uint32_t k,
                            bool a_turned, bool b_turned) {
  std::vector<double> c(size_t{m} * n);
  for (uint32_t row = 0; row < m; ++row) {
    for (uint32_t column = 0; column < n; ++column) {
      double sum = bias.empty() ? 0 : Value(bias[column]);
      for (uint32_t i = 0; i < k; ++i) {
        sum += Value(a[a_turned ? size_t{i} * m + row : size_t{row} * k + i]) *
               Value(b[b_turned ? size_t{column} * k + i : size_t{i} * n + column]);
      }
      c[size_t{row} * n + column] = sum;
    }
  }
  return c;
}

// half and bfloat16_t: both factors as they are or turned, a bias, K in two steps.
template <typename T>
void CheckHalves(uint32_t m, uint32_t n, uint32_t k, bool a_turned, bool b_turned, bool with_bias) {
  const std::vector<T> a = Numbers<T>(size_t{m} * 2 * k, 1);
  const std::vector<T> b = Numbers<T>(size_t{n} * 2 * k, 2);
  const std::vector<float> bias = with_bias ? Numbers<float>(Up(n, 16), 3) : std::vector<float>();
  std::vector<T> c(size_t{m} * n);
  const uint32_t m1 = Up(m, 16), n1 = Up(n, 16), k1 = Up(k, 16);
  KernelRunner runner(1);
  runner.Type(BASCULE_KERNEL_AIC_ONLY).Input("a", a).Input("b", b).Output("c", c);
  if (with_bias) runner.Input("bias", bias);
  runner.Run([&] {
    using namespace AscendC;
    LocalMemAllocator<Hardware::L1> l1;
    LocalTensor<T> a1 = l1.Alloc<TPosition::A1, T>(m1 * k1);
    LocalTensor<T> b1 = l1.Alloc<TPosition::B1, T>(n1 * k1);
    LocalTensor<float> bias1 = l1.Alloc<TPosition::C1, float>(n1);
    LocalTensor<T> a2(TPosition::A2, 0, m1 * k1);
    LocalTensor<T> b2(TPosition::B2, 0, n1 * k1);
    LocalTensor<float> co1(TPosition::CO1, 0, m1 * n1);
    LocalTensor<float> bias2(TPosition::C2, 0, n1);
    const auto narrow = [](uint32_t value) { return static_cast<uint16_t>(value); };
    const auto small = [](uint32_t value) { return static_cast<uint8_t>(value); };
    if (with_bias) {
      DataCopy(bias1, Global(bias.data()), n1);
      SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID1);
      WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID1);
      DataCopy(bias2, bias1, DataCopyParams(1, narrow(Up(n1 * 4, 64) / 64), 0, 0));
    }
    for (uint32_t step = 0; step < 2; ++step) {
      // Rows of the matrices as they lie in global memory.
      const uint32_t a_rows = a_turned ? k : m, a_columns = a_turned ? m : k;
      const uint32_t b_rows = b_turned ? n : k, b_columns = b_turned ? k : n;
      const uint32_t a_pitch = a_turned ? m : 2 * k, b_pitch = b_turned ? 2 * k : n;
      DataCopy(a1, Global(a.data())[a_turned ? step * k * m : step * k],
               Nd2NzParams(1, narrow(a_rows), narrow(a_columns), 0, narrow(a_pitch),
                           narrow(Up(a_rows, 16)), 1, 0));
      DataCopy(b1, Global(b.data())[b_turned ? step * k : step * k * n],
               Nd2NzParams(1, narrow(b_rows), narrow(b_columns), 0, narrow(b_pitch),
                           narrow(Up(b_rows, 16)), 1, 0));
      SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
      for (uint32_t i = 0; i < m1 / 16; ++i) {
        LoadData2DParams load;
        load.repeatTimes = small(k1 / 16);
        load.srcStride = narrow(a_turned ? 1 : m1 / 16);
        load.ifTranspose = a_turned;
        LoadData(a2[i * k1 * 16], a1[a_turned ? i * k1 * 16 : i * 256], load);
      }
      for (uint32_t i = 0; i < k1 / 16; ++i) {
        LoadData2DParams load;
        load.repeatTimes = small(n1 / 16);
        load.srcStride = narrow(b_turned ? 1 : k1 / 16);
        load.ifTranspose = !b_turned;
        LoadData(b2[i * n1 * 16], b1[b_turned ? i * n1 * 16 : i * 256], load);
      }
      SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
      WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
      MmadParams params;
      params.m = narrow(m);
      params.n = narrow(n);
      params.k = narrow(k);
      params.cmatrixInitVal = step == 0;
      if (step == 0 && with_bias) {
        Mmad(co1, a2, b2, bias2, params);
      } else {
        Mmad(co1, a2, b2, params);
      }
      SetFlag<HardEvent::M_MTE1>(EVENT_ID0);
      WaitFlag<HardEvent::M_MTE1>(EVENT_ID0);
      SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
      WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
    }
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 out(narrow(n), narrow(m), narrow(m1), n, false);
    out.quantPre = std::is_same_v<T, half> ? QuantMode_t::F322F16 : QuantMode_t::F322BF16;
    Fixpipe(Global(c.data()), co1, out);
    PipeBarrier<PIPE_ALL>();
  });
  // What one product gives, at twice the length.
  const std::vector<double> expected = Product(a, b, bias, m, n, 2 * k, a_turned, b_turned);
  for (size_t i = 0; i < c.size(); ++i) {
    ASSERT_EQ(static_cast<float>(c[i]), static_cast<float>(T(static_cast<float>(expected[i]))))
        << m << " x " << n << " over " << 2 * k << " element " << i;
  }
}

TEST(Cube, MultipliesHalves) {
  for (const auto& [m, n, k] : std::vector<std::array<uint32_t, 3>>{
           {16, 16, 16}, {30, 40, 70}, {2, 1, 5}, {33, 17, 31}, {128, 128, 64}}) {
    for (uint32_t bits = 0; bits < 8; ++bits) {
      // Fractals turned one by one stand in the order of whole ones.
      const bool a_turned = (bits & 1) != 0, b_turned = (bits & 2) != 0;
      ASSERT_NO_FATAL_FAILURE(CheckHalves<half>(m, n, k, a_turned, b_turned, (bits & 4) != 0));
      ASSERT_NO_FATAL_FAILURE(
          CheckHalves<bfloat16_t>(m, n, k, a_turned, b_turned, (bits & 4) != 0));
    }
  }
}

// A queue for each memory, as kernels with a TPipe have them; several blocks.
template <typename T, typename Sum>
class QueuedProduct {
 public:
  static constexpr uint32_t kM = 32, kN = 48, kK = 64;
  static constexpr uint32_t kWide = 32 / sizeof(T);

  void Run(const T* a, const T* b, Sum* c) {
    using namespace AscendC;
    pipe_.InitBuffer(a1_, 1, kM * kK * sizeof(T));
    pipe_.InitBuffer(b1_, 1, kN * kK * sizeof(T));
    pipe_.InitBuffer(a2_, 1, kM * kK * sizeof(T));
    pipe_.InitBuffer(b2_, 1, kN * kK * sizeof(T));
    pipe_.InitBuffer(co1_, 1, kM * kN * sizeof(Sum));
    const auto block = static_cast<uint32_t>(GetBlockIdx());
    {
      LocalTensor<T> a1 = a1_.template AllocTensor<T>();
      LocalTensor<T> b1 = b1_.template AllocTensor<T>();
      DataCopy(a1, Global(a)[block * kM * kK], Nd2NzParams(1, kM, kK, 0, kK, kM, 1, 0));
      DataCopy(b1, Global(b), Nd2NzParams(1, kN, kK, 0, kK, kN, 1, 0));
      a1_.EnQue(a1);
      b1_.EnQue(b1);
    }
    {
      LocalTensor<T> a1 = a1_.template DeQue<T>();
      LocalTensor<T> b1 = b1_.template DeQue<T>();
      LocalTensor<T> a2 = a2_.template AllocTensor<T>();
      LocalTensor<T> b2 = b2_.template AllocTensor<T>();
      constexpr uint32_t kFractal = 512 / sizeof(T);
      for (uint32_t i = 0; i < kM / 16; ++i) {
        LoadData(a2[i * kK / kWide * kFractal], a1[i * kFractal],
                 LoadData2DParams(0, kK / kWide, kM / 16, 0, 0, false, 0));
      }
      LoadData(b2, b1, LoadData2DParams(0, kN / 16 * kK / kWide, 1, 0, 0, false, 0));
      a2_.EnQue(a2);
      b2_.EnQue(b2);
      a1_.FreeTensor(a1);
      b1_.FreeTensor(b1);
    }
    {
      LocalTensor<T> a2 = a2_.template DeQue<T>();
      LocalTensor<T> b2 = b2_.template DeQue<T>();
      LocalTensor<Sum> co1 = co1_.template AllocTensor<Sum>();
      Mmad(co1, a2, b2, MmadParams(kM, kN, kK, 0, false, true));
      co1_.EnQue(co1);
      a2_.FreeTensor(a2);
      b2_.FreeTensor(b2);
    }
    LocalTensor<Sum> co1 = co1_.template DeQue<Sum>();
    Fixpipe(Global(c)[block * kM * kN], co1, FixpipeParamsV220(kN, kM, kM, kN, false));
    co1_.FreeTensor(co1);
  }

 private:
  AscendC::TPipe pipe_;
  AscendC::TQue<TPosition::A1, 1> a1_;
  AscendC::TQue<TPosition::B1, 1> b1_;
  AscendC::TQue<TPosition::A2, 1> a2_;
  AscendC::TQue<TPosition::B2, 1> b2_;
  AscendC::TQue<TPosition::CO1, 1> co1_;
};

template <typename T, typename Sum>
void CheckQueued() {
  using Kernel = QueuedProduct<T, Sum>;
  constexpr uint32_t kBlocks = 3;
  const std::vector<T> a = Numbers<T>(size_t{kBlocks} * Kernel::kM * Kernel::kK, 4);
  const std::vector<T> b = Numbers<T>(size_t{Kernel::kN} * Kernel::kK, 5);
  std::vector<Sum> c(size_t{kBlocks} * Kernel::kM * Kernel::kN);
  KernelRunner(kBlocks)
      .Type(BASCULE_KERNEL_AIC_ONLY)
      .Input("a", a)
      .Input("b", b)
      .Output("c", c)
      .Run([&] { Kernel().Run(a.data(), b.data(), c.data()); });
  const std::vector<double> expected =
      Product(a, b, std::vector<Sum>(), kBlocks * Kernel::kM, Kernel::kN, Kernel::kK, false, true);
  for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(double(c[i]), expected[i]) << i;
}

TEST(Cube, MultipliesInQueues) {
  CheckQueued<float, float>();
  CheckQueued<int8_t, int32_t>();
}

// Cube cores write strips, vector cores of the same block read what they wrote.
TEST(Cube, VectorCoresGoOnWithTheProduct) {
  constexpr uint32_t kM = 32, kN = 32, kK = 16;
  const std::vector<half> a = Numbers<half>(kM * kK, 6);
  const std::vector<half> b = Numbers<half>(kN * kK, 7);
  std::vector<float> c(kM * kN), doubled(kM * kN);
  KernelRunner(1)
      .Type(BASCULE_KERNEL_MIX_AIC_1_2)
      .Input("a", a)
      .Input("b", b)
      .Output("c", c)
      .Output("doubled", doubled)
      .Run([&] {
        using namespace AscendC;
        if ASCEND_IS_AIC {
          LocalTensor<half> a1(TPosition::A1, 0, kM * kK), b1(TPosition::B1, 4096, kN * kK);
          LocalTensor<half> a2(TPosition::A2, 0, kM * kK), b2(TPosition::B2, 0, kN * kK);
          LocalTensor<float> co1(TPosition::CO1, 0, kM * kN);
          DataCopy(a1, Global(a.data()), Nd2NzParams(1, kM, kK, 0, kK, kM, 1, 0));
          DataCopy(b1, Global(b.data()), Nd2NzParams(1, kN, kK, 0, kK, kN, 1, 0));
          PipeBarrier<PIPE_ALL>();
          LoadData(a2, a1, LoadData2DParams(0, kM / 16, 1, 0, 0, false, 0));
          LoadData(b2, b1, LoadData2DParams(0, kN / 16, 1, 0, 0, false, 0));
          PipeBarrier<PIPE_ALL>();
          Mmad(co1, a2, b2, MmadParams(kM, kN, kK, 0, false, true));
          PipeBarrier<PIPE_ALL>();
          Fixpipe<float, float, CFG_ROW_MAJOR>(Global(c.data()), co1,
                                               FixpipeParamsV220(kN, kM, kM, kN, true));
          CrossCoreSetFlag<2, PIPE_FIX>(3);
        }
        if ASCEND_IS_AIV {
          CrossCoreWaitFlag(3);
          const auto half_of = static_cast<uint32_t>(GetSubBlockIdx()) * kM * kN / 2;
          LocalTensor<float> tile(TPosition::VECIN, 0, kM * kN / 2);
          DataCopy(tile, Global(c.data())[half_of], kM * kN / 2);
          PipeBarrier<PIPE_ALL>();
          Muls(tile, tile, 2.F, kM * kN / 2);
          PipeBarrier<PIPE_ALL>();
          DataCopy(Global(doubled.data())[half_of], tile, kM * kN / 2);
        }
      });
  const std::vector<double> expected = Product(a, b, std::vector<float>(), kM, kN, kK, false, true);
  for (size_t i = 0; i < c.size(); ++i) {
    ASSERT_EQ(double(doubled[i]), 2 * std::max(0.0, expected[i])) << i;
  }
}

// The older way out: the same instruction, told by registers.
TEST(Cube, CopiesOutOfL0C) {
  constexpr uint32_t kM = 32, kN = 32;
  constexpr uint32_t kSign = 46;
  std::vector<float> c(kM * kN), rows(2 * 16 * 20, -1);
  for (size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i % 50) - 20;
  std::vector<int8_t> by_one(kM * kN), by_column(kM * kN);
  std::vector<uint64_t> words(kN);
  const auto word_of = [](float factor) {
    uint32_t bits;
    std::memcpy(&bits, &factor, sizeof(bits));
    return bits | uint64_t{1} << kSign;
  };
  for (uint32_t i = 0; i < kN; ++i) words[i] = word_of(static_cast<float>(i % 4) * 0.5F);
  // C comes into L0C as the product with the unit matrix.
  std::vector<float> unit(kN * kN);
  for (uint32_t i = 0; i < kN; ++i) unit[i * kN + i] = 1;
  KernelRunner(1)
      .Type(BASCULE_KERNEL_AIC_ONLY)
      .Input("c", c)
      .Input("unit", unit)
      .Input("words", words)
      .Output("rows", rows)
      .Output("by_one", by_one)
      .Output("by_column", by_column)
      .Run([&] {
        using namespace AscendC;
        LocalTensor<float> a1(TPosition::A1, 0, kM * kN), b1(TPosition::B1, 4096, kN * kN);
        LocalTensor<uint64_t> w1(TPosition::C1, 16384, kN), fb(TPosition::C2PIPE2GM, 0, kN);
        LocalTensor<float> a2(TPosition::A2, 0, kM * kN), b2(TPosition::B2, 0, kN * kN);
        LocalTensor<float> co1(TPosition::CO1, 0, kM * kN);
        DataCopy(a1, Global(c.data()), Nd2NzParams(1, kM, kN, 0, kN, kM, 1, 0));
        DataCopy(b1, Global(unit.data()), Nd2NzParams(1, kN, kN, 0, kN, kN, 1, 0));
        DataCopy(w1, Global(words.data()), kN);
        PipeBarrier<PIPE_ALL>();
        for (uint16_t i = 0; i < kM / 16; ++i)
          LoadData(a2[i * kN * 16], a1[i * 128],
                   LoadData2DParams(0, kN / 8, kM / 16, 0, 0, false, 0));
        LoadData(b2, b1, LoadData2DParams(0, kN / 16 * kN / 8, 1, 0, 0, false, 0));
        DataCopy(fb, w1, DataCopyParams(1, kN * 8 / 128, 0, 0));
        PipeBarrier<PIPE_ALL>();
        Mmad(co1, a2, b2, MmadParams(kM, kN, kN, 0, false, true));
        PipeBarrier<PIPE_ALL>();
        DataCopyCO12DstParams out;
        out.nSize = 16;
        out.mSize = 16;
        out.srcStride = kM;
        out.dstStride = 20;
        out.nz2ndEn = true;
        SetFixpipeNz2ndFlag(2, 1, 16 * 20);  // rows 0 to 15, then 16 to 31
        DataCopy(Global(rows.data()), co1, out);
        out = DataCopyCO12DstParams();
        out.nSize = kN;
        out.mSize = kM;
        out.srcStride = kM;
        out.dstStride = kM;
        out.quantPre = QuantMode_t::QF322B8_PRE;
        out.reluPre = 1;
        SetFixpipePreQuantFlag(word_of(2));
        DataCopy(Global(by_one.data()), co1, out);
        out.quantPre = QuantMode_t::VQF322B8_PRE;
        out.reluPre = 0;
        SetFixPipeConfig(fb);
        DataCopy(Global(by_column.data()), co1, out);
      });
  for (uint32_t row = 0; row < kM; ++row) {
    for (uint32_t column = 0; column < kN; ++column) {
      const float value = c[row * kN + column];
      if (column < 16) {
        ASSERT_EQ(rows[row / 16 * 320 + row % 16 * 20 + column], value) << row << ", " << column;
      }
      const size_t at = row * kN + column;  // one strip of 32 bytes
      ASSERT_EQ(by_one[at], static_cast<int8_t>(std::max(0.F, value * 2)));
      ASSERT_EQ(by_column[at],
                static_cast<int8_t>(std::nearbyint(value * static_cast<float>(column % 4) * 0.5F)));
    }
  }
  EXPECT_EQ(rows[16], -1);
}

// A convolution: windows of the image as rows of A, the filters as B, which is an image, too.
TEST(Cube, Convolves) {
  constexpr uint32_t kHeight = 5, kWidth = 7, kChannels = 16, kFilters = 32;
  constexpr uint32_t kSide = 3, kPad = 1, kStride = 2;
  constexpr uint32_t kOutH = (kHeight + 2 * kPad - kSide) / kStride + 1;
  constexpr uint32_t kOutW = (kWidth + 2 * kPad - kSide) / kStride + 1;
  constexpr uint32_t kM = kOutH * kOutW, kK = kSide * kSide * kChannels;
  const std::vector<half> image = Numbers<half>(kHeight * kWidth * kChannels, 8);
  const std::vector<half> filters = Numbers<half>(kK * kFilters, 9);  // (point, channel) x filter
  std::vector<float> out(kM * kFilters);
  KernelRunner(1)
      .Type(BASCULE_KERNEL_AIC_ONLY)
      .Input("image", image)
      .Input("filters", filters)
      .Output("out", out)
      .Run([&] {
        using namespace AscendC;
        LocalTensor<half> a1(TPosition::A1, 0, kHeight * kWidth * kChannels);
        LocalTensor<half> b1(TPosition::B1, 8192, kK * kFilters);
        LocalTensor<half> a2(TPosition::A2, 0, Up(kM, 16) * kK);
        LocalTensor<half> b2(TPosition::B2, 0, kK * kFilters);
        LocalTensor<float> co1(TPosition::CO1, 0, Up(kM, 16) * kFilters);
        DataCopy(a1, Global(image.data()), kHeight * kWidth * kChannels);
        DataCopy(b1, Global(filters.data()), Nd2NzParams(1, kK, kFilters, 0, kFilters, kK, 1, 0));
        PipeBarrier<PIPE_ALL>();
        LoadData3DParamsV2<half> window;
        for (uint8_t& pad : window.padList) pad = kPad;
        window.l1H = kHeight;
        window.l1W = kWidth;
        window.channelSize = kChannels;
        window.kExtension = kK;
        window.mExtension = kM;
        window.strideW = window.strideH = kStride;
        window.filterW = window.filterH = kSide;
        LoadData(a2, a1, window);
        LoadData3DParamsV2<half> plain;
        plain.l1H = 1;
        plain.l1W = kK;
        plain.channelSize = kFilters;
        plain.kExtension = kFilters;
        plain.mExtension = kK;
        LoadData(b2, b1, plain);
        PipeBarrier<PIPE_ALL>();
        Mmad(co1, a2, b2, MmadParams(kM, kFilters, kK, 0, false, true));
        PipeBarrier<PIPE_ALL>();
        Fixpipe(Global(out.data()), co1,
                FixpipeParamsV220(kFilters, kM, Up(kM, 16), kFilters, false));
      });
  for (uint32_t at = 0; at < kM; ++at) {
    for (uint32_t filter = 0; filter < kFilters; ++filter) {
      double sum = 0;
      for (uint32_t point = 0; point < kSide * kSide; ++point) {
        const int32_t y =
            static_cast<int32_t>(at / kOutW * kStride + point / kSide) - int32_t{kPad};
        const int32_t x =
            static_cast<int32_t>(at % kOutW * kStride + point % kSide) - int32_t{kPad};
        if (y < 0 || x < 0 || y >= int32_t{kHeight} || x >= int32_t{kWidth}) continue;
        for (uint32_t channel = 0; channel < kChannels; ++channel) {
          sum +=
              Value(
                  image[(static_cast<uint32_t>(y) * kWidth + static_cast<uint32_t>(x)) * kChannels +
                        channel]) *
              Value(filters[(point * kChannels + channel) * kFilters + filter]);
        }
      }
      ASSERT_EQ(double(out[at * kFilters + filter]), sum) << at << ", " << filter;
    }
  }
}

class Watcher : public Observer {
 public:
  class Nothing : public Recorder {};
  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo&) override {
    return std::make_unique<Nothing>();
  }
  void Merge(const CoreInfo&, std::unique_ptr<Recorder>) override {}
  std::string Report() const override { return "{}"; }
};

// Squares on their way to L0B are turned when that makes a difference, whatever happens between
// LoadDataWithTranspose and Mmad: where somebody watches they are turned at once.
TEST(Cube, TurnsWhenItMakesADifference) {
  enum What { kPlain, kSource, kPart, kAcross, kNumber, kShape, kRounded, kPointer, kWhats };
  constexpr uint32_t kM = 16, kN = 32, kK = 32, kSquares = kN / 16;
  const std::vector<float> a = Numbers<float>(kM * kK, 1);
  const std::vector<float> b = Numbers<float>(2 * kN * kK, 2);
  const auto run = [&](int what, bool watched) {
    std::vector<float> out(2 * kM * kN);
    Watcher watcher;
    KernelRunner runner(1);
    runner.Type(BASCULE_KERNEL_AIC_ONLY).Input("a", a).Input("b", b).Output("out", out);
    if (watched) runner.Watch(watcher);
    runner.Run([&] {
      using namespace AscendC;
      LocalTensor<float> a1(TPosition::A1, 0, kM * kK);
      LocalTensor<float> b1(TPosition::B1, 8192, kN * kK);
      LocalTensor<float> a2(TPosition::A2, 0, kM * kK);
      LocalTensor<float> b2(TPosition::B2, 0, kN * kK);
      LocalTensor<float> co1(TPosition::CO1, 0, kM * kN);
      const auto bring = [&](uint32_t first) {
        for (uint32_t row = 0; row < kK; row += 16) {
          DataCopy(b1[row * kN], Global(b.data())[first + row * kN],
                   Nd2NzParams(1, 16, kN, 0, kN, 16, 1, 0));
        }
      };
      const auto turn = [&](uint32_t to, uint32_t from, uint8_t squares, uint16_t gap) {
        LoadData2dTransposeParams load;
        load.repeatTimes = squares;
        load.srcStride = 1;
        load.dstFracGap = gap;
        LoadDataWithTranspose(b2[to], b1[from], load);
      };
      DataCopy(a1, Global(a.data()), Nd2NzParams(1, kM, kK, 0, kK, kM, 1, 0));
      LoadData(a2, a1, LoadData2DParams(0, kK / 8, 1, 0, 0, false, 0));
      for (uint32_t time = 0; time < 2; ++time) {
        bring(time * kN * kK);
        for (uint32_t row = 0; row < kK; row += 16)
          turn(row * kN, row * kN, kSquares, kSquares - 1);
        if (what == kSource) bring((1 - time) * kN * kK);
        if (what == kPart) turn(16 * kN, 0, kSquares, kSquares - 1);
        if (what == kAcross) turn(8 * kN, 16 * kN, kSquares, kSquares - 1);
        if (what == kNumber) Fill(b2[8 * kN], {1, 1, 0, 3.0F});
        if (what == kPointer) EXPECT_EQ(b2.GetPhyAddr() % 512, 0U);
        if (what == kRounded) SetHF32Mode(HF32Mode::ENABLE);
        const uint16_t n = what == kShape ? 16 : kN;
        Mmad(co1, a2, b2, MmadParams(kM, n, kK, 0, false, true));
        SetHF32Mode(HF32Mode::DISABLE);
        Fixpipe(Global(out.data())[time * kM * kN], co1, FixpipeParamsV220(n, kM, kM, kN, false));
      }
    });
    return out;
  };
  for (int what = kPlain; what < kWhats; ++what)
    EXPECT_EQ(run(what, false), run(what, true)) << what;
  const std::vector<float> once = run(kPlain, false);
  const std::vector<double> expected =
      Product(a, std::vector<float>(b.begin(), b.begin() + kN * kK), std::vector<float>(), kM, kN,
              kK, false, false);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(double{once[i]}, expected[i]) << i;
}

// Fractals of one number, a bias of half, and factors of float that are rounded to HF32.
TEST(Cube, FillsAndRounds) {
  std::vector<half> bias(32);
  for (size_t i = 0; i < bias.size(); ++i) bias[i] = half(static_cast<float>(i) + 0.5F);
  std::vector<float> filled(16 * 32), rounded(16 * 16), exact(16 * 16);
  KernelRunner(1)
      .Type(BASCULE_KERNEL_AIC_ONLY)
      .Input("bias", bias)
      .Output("filled", filled)
      .Output("rounded", rounded)
      .Output("exact", exact)
      .Run([&] {
        using namespace AscendC;
        LocalTensor<half> bias1(TPosition::C1, 0, 32);
        LocalTensor<float> bias2(TPosition::C2, 0, 32);
        LocalTensor<float> co1(TPosition::CO1, 0, 16 * 32);
        {
          LocalTensor<half> a2(TPosition::A2, 0, 16 * 48);
          LocalTensor<half> b2(TPosition::B2, 0, 32 * 48);
          DataCopy(bias1, Global(bias.data()), 32);
          PipeBarrier<PIPE_ALL>();
          DataCopy(bias2, bias1, DataCopyParams(1, 1, 0, 0));
          Fill(a2, InitConstValueParams<half>(1, 3, 0, half(2)));
          InitConstValue(b2, InitConstValueParams<half>(3, 2, 0, half(-3)));
          PipeBarrier<PIPE_ALL>();
          Mmad(co1, a2, b2, bias2, MmadParams(16, 32, 48, 0, false, false));
          PipeBarrier<PIPE_ALL>();
          Fixpipe(Global(filled.data()), co1, FixpipeParamsV220(32, 16, 16, 32, false));
        }
        LocalTensor<float> a2(TPosition::A2, 0, 16 * 8);
        LocalTensor<float> b2(TPosition::B2, 0, 16 * 8);
        Fill(a2, InitConstValueParams<float>(1, 1, 0, 1 + 0x1.8p-11F));
        Fill(b2, {1, 1, 0, 1.0F});
        for (const bool hf32 : {true, false}) {
          SetHF32Mode(hf32 ? HF32Mode::ENABLE : HF32Mode::DISABLE);
          SetHF32TransMode(HF32TransMode::NEAREST_ZERO);
          PipeBarrier<PIPE_ALL>();
          Mmad(co1, a2, b2, MmadParams(16, 16, 8, 0, false, true));
          PipeBarrier<PIPE_ALL>();
          Fixpipe(Global(hf32 ? rounded.data() : exact.data()), co1,
                  FixpipeParamsV220(16, 16, 16, 16, false));
        }
      });
  for (size_t i = 0; i < filled.size(); ++i)
    ASSERT_EQ(filled[i], 48 * -6 + float(bias[i % 32])) << i;
  for (size_t i = 0; i < rounded.size(); ++i) {
    ASSERT_EQ(rounded[i], 8 * (1 + 0x1p-11F));
    ASSERT_EQ(exact[i], 8 * (1 + 0x1.8p-11F));
  }
}

// Two of every four of B are there; what they are multiplied with is what the index says.
TEST(Cube, MultipliesSparseMatrices) {
  constexpr uint32_t kM = 16, kN = 32, kK = 64;
  const std::vector<int8_t> a = [] {
    std::vector<int8_t> numbers(kM * kK);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int8_t>(i * 7 % 23);
    return numbers;
  }();
  std::vector<int8_t> b(kN * kK / 2);  // columns of a fractal after one another
  std::vector<uint8_t> index(b.size() / 4);
  std::vector<int32_t> c(kM * kN), expected(kM * kN);
  for (uint32_t column = 0; column < kN; ++column) {
    for (uint32_t i = 0; i < kK / 2; i += 2) {
      const uint32_t place = column * kK / 2 + i;
      const uint32_t first = (column + i / 2) % 3, second = first + (column + i) % (3 - first);
      b[place] = static_cast<int8_t>(i + 1);
      b[place + 1] = static_cast<int8_t>(column - 9);
      index[place / 4] =
          static_cast<uint8_t>(index[place / 4] | (first | second << 2) << place % 4 * 2);
      for (uint32_t row = 0; row < kM; ++row) {
        const int8_t* four = &a[row * kK + i * 2];
        expected[row * kN + column] += four[first] * b[place] + four[second + 1] * b[place + 1];
      }
    }
  }
  KernelRunner(1)
      .Type(BASCULE_KERNEL_AIC_ONLY)
      .Input("a", a)
      .Input("b", b)
      .Input("index", index)
      .Output("c", c)
      .Run([&] {
        using namespace AscendC;
        LocalTensor<int8_t> a1(TPosition::A1, 0, kM * kK), b1(TPosition::B1, 4096, kN * kK / 2);
        LocalTensor<uint8_t> index1(TPosition::B1, 8192, kN * kK / 8);
        // The second fractal of B lies where nothing was loaded before.
        LocalTensor<int8_t> a2(TPosition::A2, 0, kM * kK), b2(TPosition::B2, 512, kN * kK / 2);
        LocalTensor<int32_t> co1(TPosition::CO1, 0, kM * kN);
        DataCopy(a1, Global(a.data()), Nd2NzParams(1, kM, kK, 0, kK, kM, 1, 0));
        DataCopy(b1, Global(b.data()), kN * kK / 2);
        DataCopy(index1, Global(index.data()), kN * kK / 8);
        PipeBarrier<PIPE_ALL>();
        LoadData(a2, a1, LoadData2DParams(0, kK / 32, 1, 0, 0, false, 0));
        LoadDataWithSparse(b2, b1, index1, LoadData2DParams(0, kN / 16, 0, 0, 0, false, 0));
        PipeBarrier<PIPE_ALL>();
        MmadWithSparse(co1, a2, b2, MmadParams(kM, kN, kK, false, 0, false, false, false));
        PipeBarrier<PIPE_ALL>();
        Fixpipe(Global(c.data()), co1, FixpipeParamsV220(kN, kM, kM, kN, false));
      });
  EXPECT_EQ(c, expected);
}

// What LoadData of an image finds in registers: size and padding, what padding is, parts that
// follow one another, and where reading goes on at the memory's begin.
TEST(Cube, LoadsImagesByRegisters) {
  constexpr uint32_t kRows = 64, kColumns = 32;
  const std::vector<half> matrix = Numbers<half>(kRows * kColumns, 5);
  std::vector<float> out(4 * 16 * 32);
  static constexpr AscendC::IsResetLoad3dConfig kByRegisters = {false, false};
  KernelRunner(1).Type(BASCULE_KERNEL_AIC_ONLY).Input("matrix", matrix).Output("out", out).Run([&] {
    using namespace AscendC;
    LocalTensor<half> a1(TPosition::A1, 0, kRows * kColumns);
    LocalTensor<half> a2(TPosition::A2, 0, 48 * kColumns), b2(TPosition::B2, 0, 32 * 32);
    LocalTensor<float> co1(TPosition::CO1, 0, 16 * 32);
    DataCopy(a1, Global(matrix.data()), Nd2NzParams(1, kRows, kColumns, 0, kColumns, kRows, 1, 0));
    // An identity, from one row of ones in each fractal's diagonal.
    Fill(b2, InitConstValueParams<half>(1, 4, 0, half(0)));
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 32; ++i)
      b2.SetValue((i / 16 * 2 + i / 16) * 256 + i % 16 * 17, half(1));
    const auto write = [&](uint32_t place, const LocalTensor<half>& a) {
      PipeBarrier<PIPE_ALL>();
      Mmad(co1, a, b2, MmadParams(16, 32, 32, 0, false, true));
      PipeBarrier<PIPE_ALL>();
      Fixpipe(Global(out.data())[place * 16 * 32], co1, FixpipeParamsV220(32, 16, 16, 32, false));
    };
    const uint8_t no_padding[PAD_SIZE] = {0, 0, 0, 0}, above[PAD_SIZE] = {0, 0, 2, 0};
    LoadData3DParamsV2Pro pro;
    pro.channelSize = kColumns;
    pro.extConfig = uint64_t{16} << 16 | kColumns;
    // Rows 0 to 15 and 48 to 63.
    SetFmatrix(kRows, 1, no_padding, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataRepeat({3, 2, 0});
    LoadData(a2, a1, pro);
    write(0, a2);
    write(1, a2[16 * kColumns]);
    // Two rows of padding, then the first fourteen.
    SetLoadDataRepeat({0, 1, 0});
    SetFmatrix(kRows, 1, above, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataPaddingValue(half(9));
    LoadData3DParamsV2<half> params;
    params.channelSize = params.kExtension = kColumns;
    params.mExtension = 16;
    params.l1H = params.l1W = 1;  // not looked at
    LoadData<half, kByRegisters>(a2, a1, params);
    write(2, a2);
    // Rows 48 to 63 of the first strip; the other would lie behind the boundary.
    SetFmatrix(16, 1, no_padding, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataBoundary(2048);
    LoadData(a2, a1[48 * 16], pro);
    write(3, a2);
  });
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t column = 0; column < kColumns; ++column) {
      const auto got = [&](uint32_t place) { return out[(place * 16 + row) * 32 + column]; };
      const auto at = [&](uint32_t r) { return float(matrix[r * kColumns + column]); };
      ASSERT_EQ(got(0), at(row));
      ASSERT_EQ(got(1), at(48 + row));
      ASSERT_EQ(got(2), row < 2 ? 9 : at(row - 2));
      ASSERT_EQ(got(3), column < 16 ? at(48 + row) : float(matrix[row * kColumns + column - 16]));
    }
  }
}

template <typename Kernel>
std::string Refused(uint32_t type, const Kernel& kernel) {
  static std::vector<float> memory(4096);
  return KernelRunner(1).Type(type).Output("memory", memory).Error([&] {
    kernel(Global(memory.data()));
  });
}

TEST(Cube, SaysWhatIsWrong) {
  using namespace AscendC;
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(Refused(BASCULE_KERNEL_AIV_ONLY,
              [](auto) {
                LocalTensor<half> a(TPosition::VECIN, 0, 256), b(TPosition::VECIN, 0, 256);
                LocalTensor<float> c(TPosition::VECIN, 0, 256);
                Mmad(c, a, b, MmadParams(16, 16, 16, 0, false, true));
              }),
      "C lies in L0C.");
  has(Refused(BASCULE_KERNEL_AIC_ONLY,
              [](auto) {
                LocalTensor<half> a(TPosition::A2, 0, 256), b(TPosition::B2, 0, 256);
                LocalTensor<float> c(TPosition::CO1, 512, 256);
                Mmad(c, a, b, MmadParams(16, 16, 16, 0, false, true));
              }),
      "operand 0 begins at address 512 of L0C; it has to begin on a multiple of 1024 bytes");
  has(Refused(BASCULE_KERNEL_AIC_ONLY,
              [](auto) {
                LocalTensor<half> a(TPosition::A2, 0, 256), b(TPosition::B2, 0, 256);
                LocalTensor<float> c(TPosition::CO1, 0, 256);
                Mmad(c, a, b, MmadParams(512, 16, 128, 0, false, true));
              }),
      "reads 131072 bytes at address 0 of L0A, which has 65536 bytes");
  has(Refused(BASCULE_KERNEL_AIC_ONLY,
              [](auto) {
                LocalTensor<half> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256);
                LoadData(a2, a1, LoadData2DParams(3, 3, 2, 0, 0, false, 1));
              }),
      "LoadData: with addrMode 1, 3 pieces from startIndex 3 on go down below 0");
  has(Refused(BASCULE_KERNEL_AIC_ONLY,
              [](auto memory) {
                LocalTensor<float> c(TPosition::CO1, 0, 256);
                FixpipeParamsV220 params(16, 16, 16, 16, false);
                params.quantPre = QuantMode_t::F322F16;
                Fixpipe(memory, c, params);
              }),
      "Fixpipe: quantPre makes another element type than the destination has");
  has(Refused(BASCULE_KERNEL_AIC_ONLY,
              [](auto memory) {
                LocalTensor<float> c(TPosition::CO1, 0, 256);
                FixpipeParamsV220 params(16, 16, 16, 16, false);
                params.quantPre = QuantMode_t::VQF322B8_PRE;
                Fixpipe(memory.template ReinterpretCast<int8_t>(), c, params);
              }),
      "Fixpipe: this quantPre takes a number for each column");
  has(Refused(BASCULE_KERNEL_AIC_ONLY,
              [](auto memory) {
                LocalTensor<float> c(TPosition::CO1, 0, 256);
                DataCopyCO12DstParams params;
                params.quantPre = QuantMode_t::VQF322B8_PRE;
                DataCopy(memory.template ReinterpretCast<int8_t>(), c, params);
              }),
      "DataCopy from L0C: this quantPre takes a number for each column; SetFixPipeConfig");
  has(Refused(BASCULE_KERNEL_AIC_ONLY,
              [](auto memory) {
                LocalTensor<float> c(TPosition::CO1, 0, 128 * 128);
                Fixpipe(memory, c, FixpipeParamsV220(128, 128, 128, 128, false));
              }),
      "writes 65536 bytes of 'memory' from byte 0, but 'memory' has 16384 bytes");
}

}  // namespace
}  // namespace bascule::engine

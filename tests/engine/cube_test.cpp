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
                LocalTensor<float> c(TPosition::CO1, 0, 128 * 128);
                Fixpipe(memory, c, FixpipeParamsV220(128, 128, 128, 128, false));
              }),
      "writes 65536 bytes of 'memory' from byte 0, but 'memory' has 16384 bytes");
}

}  // namespace
}  // namespace bascule::engine

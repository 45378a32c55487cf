// Pools of buffers, queues at addresses and in place, and what tensors, lists and cores tell of
// themselves. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using AscendC::TPosition;
using test::KernelRunner;

template <typename T>
uint32_t AddressOf(const AscendC::LocalTensor<T>& tensor) {
  return static_cast<uint32_t>(tensor.GetPhyAddr());
}

// Copies in, doubles, copies out, through two queues.
template <typename In, typename Out>
void Double(In& in, Out& out, const std::vector<float>& x, std::vector<float>& y, uint32_t at,
            uint32_t count) {
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(const_cast<float*>(x.data()) + at, count);
  to.SetGlobalBuffer(y.data() + at, count);
  auto tile = in.template AllocTensor<float>();
  AscendC::DataCopy(tile, from, count);
  in.EnQue(tile);
  tile = in.template DeQue<float>();
  auto result = out.template AllocTensor<float>();
  AscendC::Add(result, tile, tile, count);
  out.EnQue(result);
  in.FreeTensor(tile);
  result = out.template DeQue<float>();
  AscendC::DataCopy(to, result, count);
  out.FreeTensor(result);
}

std::vector<float> Ramp(size_t count) {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
  return x;
}

TEST(TBufPool, LetsPhasesShareMemory) {
  const std::vector<float> x = Ramp(128);
  std::vector<float> y(128);
  KernelRunner(1).Input("x", x).Output("y", y).Run([&] {
    AscendC::TPipe pipe;
    AscendC::TBufPool<TPosition::VECCALC> first;
    AscendC::TBufPool<TPosition::VECCALC, 16> second;
    AscendC::TBufPool<TPosition::VECCALC> inner;
    pipe.InitBufPool(first, 1000);  // 1024
    pipe.InitBufPool(second, 1024, first);
    AscendC::TQue<TPosition::VECIN, 1> in[2];
    AscendC::TQue<TPosition::VECOUT, 1> out[2];
    first.InitBuffer(in[0], 1, 256);
    first.InitBufPool(inner, 512);
    inner.InitBuffer(out[0], 2, 250);
    Double(in[0], out[0], x, y, 0, 64);
    first.Reset();
    second.InitBuffer(in[1], 2, 256);
    second.InitBuffer(out[1], 1, 256);
    Double(in[1], out[1], x, y, 64, 64);
    second.Reset();
    // The same memory; the next buffer of the pipe lies behind it.
    auto a = in[0].AllocTensor<float>();
    auto b = in[1].AllocTensor<float>();
    EXPECT_EQ(AddressOf(a), AddressOf(b) - 256);  // the second of two
    in[0].FreeTensor(a);
    in[1].FreeTensor(b);
    auto c = out[0].AllocTensor<float>();
    EXPECT_EQ(AddressOf(c), 512u);
    EXPECT_EQ(c.GetSize(), 64u);
    out[0].FreeTensor(c);
    AscendC::TBuf<> behind;
    pipe.InitBuffer(behind, 32);
    EXPECT_EQ(AddressOf(behind.Get<float>()), 1024u);
    AscendC::TBuf<> inside;
    second.InitBuffer(inside, 100);
    EXPECT_EQ(AddressOf(inside.Get<float>()), 768u);
    EXPECT_EQ(inside.Get<float>().GetSize(), 32u);
  });
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(y[i], 2 * x[i]) << i;
}

TEST(TBufPool, KnowsItsLimits) {
  const std::string bytes = KernelRunner(1).Error([] {
    AscendC::TPipe pipe;
    AscendC::TBufPool<TPosition::VECCALC> pool;
    AscendC::TQue<TPosition::VECIN, 1> queue;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(queue, 2, 513);
  });
  EXPECT_NE(bytes.find("InitBuffer: 2 buffers of 544 bytes do not fit into the pool: 0 of its 1024 "
                       "bytes and 0 of its 4 buffers are taken"),
            std::string::npos)
      << bytes;
  const std::string number = KernelRunner(1).Error([] {
    AscendC::TPipe pipe;
    AscendC::TBufPool<TPosition::VECCALC, 3> pool;
    AscendC::TQue<TPosition::VECIN, 1> queue;
    AscendC::TBuf<> buffer;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(buffer, 32);
    pool.InitBuffer(queue, 3, 32);
  });
  EXPECT_NE(number.find("32 of its 1024 bytes and 1 of its 3 buffers are taken"), std::string::npos)
      << number;
  const std::string larger = KernelRunner(1).Error([] {
    AscendC::TPipe pipe;
    AscendC::TBufPool<TPosition::VECCALC> pool;
    AscendC::TBufPool<TPosition::VECCALC> other;
    pipe.InitBufPool(pool, 1024);
    pipe.InitBufPool(other, 1056, pool);
  });
  EXPECT_NE(larger.find("the pool is larger than the one whose memory it shares"),
            std::string::npos)
      << larger;
}

// A pool of the kernel's own, whose buffers are not one behind the other.
class OwnPool {
 public:
  OwnPool() { Init(); }
  template <typename T>
  bool InitBuffer(T& que, uint8_t num, uint32_t len) {
    auto handle = GetBufHandle(GetCurBufSize());
    const uint32_t at = GetCurAddr();
    que.InitStartBufHandle(handle, num, len);
    for (uint32_t i = 0; i < num; ++i) que.InitBufHandle(this, i, handle, at + i * 2 * len, len);
    SetCurAddr(at + 2 * num * len);
    SetCurBufSize(static_cast<uint8_t>(GetCurBufSize() + num));
    return true;
  }
  template <TPosition position>
  bool InitBuffer(AscendC::TBuf<position>& buf, uint32_t len) {
    auto handle = GetBufHandle(GetCurBufSize());
    buf.InitStartBufHandle(handle, 1, len);
    buf.InitBufHandle(this, 0, handle, GetCurAddr(), len);
    SetCurAddr(GetCurAddr() + len);
    SetCurBufSize(static_cast<uint8_t>(GetCurBufSize() + 1));
    return true;
  }
  EXTERN_IMPL_BUFPOOL(OwnPool, TPosition::VECCALC, 16);
};

TEST(TBufPool, MayBeTheKernelsOwn) {
  const std::vector<float> x = Ramp(64);
  std::vector<float> y(64);
  KernelRunner(1).Input("x", x).Output("y", y).Run([&] {
    AscendC::TPipe pipe;
    OwnPool pool;
    AscendC::TQue<TPosition::VECIN, 2> in;
    AscendC::TQue<TPosition::VECOUT, 1> out;
    AscendC::TBuf<> rest;
    pipe.InitBufPool(pool, 4096);
    pool.InitBuffer(in, 2, 256);
    pool.InitBuffer(out, 1, 256);
    pool.InitBuffer(rest, 64);
    EXPECT_EQ(pool.GetCurBufSize(), 4);
    auto a = in.AllocTensor<float>();
    auto b = in.AllocTensor<float>();
    EXPECT_EQ(AddressOf(b) - AddressOf(a), 512u);
    EXPECT_EQ(AddressOf(rest.Get<float>()), 1536u);
    in.FreeTensor(b);
    in.FreeTensor(a);
    Double(in, out, x, y, 0, 64);
    pool.Reset();
  });
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(y[i], 2 * x[i]) << i;
}

TEST(TPipe, TakesBuffersAtAddresses) {
  KernelRunner(1).Run([] {
    AscendC::TPipe pipe;
    AscendC::TQue<TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, AscendC::Std::make_tuple(0, 1024), AscendC::Std::make_tuple(2048, 2048),
                    AscendC::Std::make_tuple(8192, 4096));
    const uint32_t sizes[] = {1024, 2048, 4096};
    const uint32_t addresses[] = {0, 2048, 8192};
    AscendC::LocalTensor<float> tensors[3];
    for (int i = 0; i < 3; ++i) {
      tensors[i] = queue.AllocTensor<float>();
      EXPECT_EQ(AddressOf(tensors[i]), addresses[i]);
      EXPECT_EQ(tensors[i].GetLength(), sizes[i]);
    }
    EXPECT_FALSE(queue.HasIdleBuffer());
    queue.EnQue(tensors[1]);
    EXPECT_EQ(AddressOf(queue.DeQue<float>()), 2048u);
    for (auto& tensor : tensors) queue.FreeTensor(tensor);
    EXPECT_EQ(pipe.GetBaseAddr(static_cast<int8_t>(TPosition::VECCALC)),
              reinterpret_cast<uint8_t*>(tensors[0].GetPhyAddr()));
  });
  const std::string error = KernelRunner(1).Error([] {
    AscendC::TPipe pipe;
    AscendC::TQue<TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, AscendC::Std::make_tuple(196608 - 32, 64));
  });
  EXPECT_NE(error.find("a buffer of 64 bytes at address 196576 does not lie in the 196608 bytes of "
                       "the unified buffer, or one of the two is no multiple of 32."),
            std::string::npos)
      << error;
}

// The last 256 bytes are the system's in mixed kernels only.
TEST(TPipe, HandsOutTheWholeMemory) {
  const auto all = [] {
    if ASCEND_IS_AIC
      return;
    AscendC::TPipe pipe;
    AscendC::TQue<TPosition::VECOUT, 1> queue;
    for (int i = 0; i < 2; ++i) {
      pipe.InitBuffer(queue, 1, 192 * 1024);
      auto tensor = queue.AllocTensor<float>();
      AscendC::Duplicate(tensor, 1.0f, 192 * 1024 / 4);
      EXPECT_EQ(tensor.GetValue(192 * 1024 / 4 - 1), 1.0f);
      queue.FreeTensor(tensor);
      pipe.Reset();
    }
  };
  KernelRunner(1).Run(all);
  EXPECT_NE(KernelRunner(1)
                .Type(BASCULE_KERNEL_MIX_AIC_1_1)
                .Error(all)
                .find("do not fit into the unified buffer: 0 of its 196352 bytes are taken"),
            std::string::npos);
  static_assert(ASC_UB_SIZE == 192 * 1024 - 256, "");
}

// A TPipe that begins again and again has its 64 buffers each time.
TEST(TPipe, CountsItsOwnBuffersOnly) {
  KernelRunner(1).Run([] {
    AscendC::TPipe pipe;
    for (int i = 0; i < 10; ++i) {
      AscendC::TQue<TPosition::VECIN, 1> queues[8];
      for (auto& queue : queues) pipe.InitBuffer(queue, 8, 32);
      pipe.Reset();
    }
  });
}

TEST(TQue, WorksInPlace) {
  const std::vector<float> x = Ramp(64);
  std::vector<float> y(64);
  KernelRunner(1).Input("x", x).Output("y", y).Run([&] {
    AscendC::GlobalTensor<float> from;
    AscendC::GlobalTensor<float> to;
    from.SetGlobalBuffer(const_cast<float*>(x.data()), 64);
    to.SetGlobalBuffer(y.data(), 64);
    AscendC::TPipe pipe;
    AscendC::TQue<TPosition::VECIN, 0> in;
    AscendC::TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> both;
    pipe.InitBuffer(in, 2, 256);
    pipe.InitBuffer(both, 1, 256);
    AscendC::LocalTensor<float> tile;
    in.AllocTensor(tile);
    AscendC::DataCopy(tile, from, 64);
    in.EnQue(tile);
    in.DeQue(tile);
    EXPECT_EQ(tile.GetPosition(), static_cast<int32_t>(TPosition::VECIN));
    in.FreeTensor(tile);
    // One buffer that is filled, computed on, and emptied.
    auto work = both.AllocTensor<float>();
    AscendC::DataCopy(work, from, 64);
    both.EnQue<TPosition::GM, TPosition::VECIN, float>(work);
    work = both.DeQue<TPosition::GM, TPosition::VECIN, float>();
    AscendC::Add(work, work, work, 64);
    both.EnQue<TPosition::VECOUT, TPosition::GM, float>(work);
    work = both.DeQue<TPosition::VECOUT, TPosition::GM, float>();
    AscendC::DataCopy(to, work, 64);
    both.FreeTensor(work);
    both.FreeAllEvent();
  });
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(y[i], 2 * x[i]) << i;
}

TEST(Tensors, KnowTheirPositionTagAndPart) {
  const std::vector<int32_t> x = {1, -1, 1, -1, 1, -1, 1, -1};
  testing::internal::CaptureStdout();
  KernelRunner(1).Input("x", x).Run([&] {
    AscendC::TPipe pipe;
    AscendC::TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto floats = buffer.Get<float>();
    EXPECT_EQ(floats.GetPosition(), static_cast<int32_t>(TPosition::VECCALC));
    EXPECT_EQ(floats.ReinterpretCast<half>().GetPosition(),
              static_cast<int32_t>(TPosition::VECCALC));
    floats.SetUserTag(10);
    floats.SetShapeInfo(AscendC::ShapeInfo());
    EXPECT_EQ(buffer.Get<half>().GetUserTag(), 10);
    EXPECT_EQ(floats[8].GetUserTag(), 0);
    AscendC::LocalTensor<half> part;
    part.SetAddrWithOffset(floats, 16);
    EXPECT_EQ(part.GetPhyAddr(), floats.GetPhyAddr(16));
    EXPECT_EQ(part.GetSize(), 96u);
    part.SetBufferLen(5);
    EXPECT_EQ(part.GetSize(), 5u);
    for (uint32_t i = 0; i < 10; ++i) floats.SetValue(i, static_cast<float>(i) / 2);
    floats.Print(10);
    AscendC::GlobalTensor<int32_t> global;
    global.SetGlobalBuffer(const_cast<int32_t*>(x.data()), 8);
    auto halves = global.ReinterpretCast<int16_t>();
    EXPECT_EQ(halves.GetSize(), 16u);
    EXPECT_EQ(halves.GetValue(3), -1);
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "0000: 0 0.5 1 1.5 2 2.5 3 3.5\n0008: 4 4.5\n");
}

TEST(Order, BlocksTakeTheirTurns) {
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    std::vector<int32_t> workspace(48 * 8);
    std::mutex mutex;
    std::vector<int64_t> order;
    KernelRunner(48).Long().Output("workspace", workspace).Run([&] {
      AscendC::GlobalTensor<int32_t> gm;
      gm.SetGlobalBuffer(workspace.data(), workspace.size());
      AscendC::LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 49 * 8);
      AscendC::InitDetermineComputeWorkspace(gm, ub);
      for (int round = 0; round < 5; ++round) {
        AscendC::WaitPreBlock(gm, ub);
        {
          const std::lock_guard<std::mutex> lock(mutex);
          order.push_back(AscendC::GetBlockIdx());
        }
        AscendC::NotifyNextBlock(gm, ub);
      }
    });
    ASSERT_EQ(order.size(), 240u);
    for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<int64_t>(i % 48));
  }
  SetWorkerLimit(0);
  std::vector<int32_t> workspace(16);
  const std::string error = KernelRunner(2).Output("workspace", workspace).Error([&] {
    AscendC::GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer(workspace.data(), 16);
    AscendC::LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 24);
    AscendC::WaitPreBlock(gm, ub);
  });
  EXPECT_NE(
      error.find("block 1 waits in WaitPreBlock, which needs 1 of the calls that let it go on, "
                 "and has 0, at "),
      std::string::npos)
      << error;
}

TEST(GroupBarrier, HoldsOneGroupForAnother) {
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    std::vector<uint8_t> workspace(6 * 512);
    std::array<std::atomic<int>, 2> round = {};
    std::atomic<int> early{0};
    KernelRunner(8).Long().Output("workspace", workspace).Run([&] {
      AscendC::GroupBarrier<AscendC::PipeMode::MTE3_MODE> barrier(workspace.data(), 2, 6);
      EXPECT_EQ(barrier.GetWorkspaceLen(), 3072u);
      const uint32_t id = static_cast<uint32_t>(AscendC::GetBlockIdx());
      for (int i = 1; i <= 20; ++i) {
        if (id < 2) {
          round[id].store(i);
          barrier.Arrive(id);
        } else {
          barrier.Wait(id - 2);
          if (round[0].load() < i || round[1].load() < i) early.fetch_add(1);
        }
      }
    });
    EXPECT_EQ(early.load(), 0);
  }
  SetWorkerLimit(0);
  std::vector<uint8_t> workspace(512);
  const std::string error = KernelRunner(1).Output("workspace", workspace).Error([&] {
    AscendC::GroupBarrier<AscendC::PipeMode::MTE3_MODE> barrier(workspace.data(), 2, 1);
    barrier.Arrive(2);
  });
  EXPECT_NE(error.find("GroupBarrier::Arrive: the index is not below arriveSize"),
            std::string::npos)
      << error;
}

TEST(TQueSync, IsAFlagBetweenTwoPipes) {
  KernelRunner(1).Run([] {
    AscendC::TQueSync<PIPE_S, PIPE_MTE3> sync;
    sync.SetFlag(0);
    sync.WaitFlag(0);
    AscendC::SetNextTaskStart();
    AscendC::WaitPreTaskEnd();
    AscendC::SetSyncBaseAddr(0);
    set_ffts_base_addr(0);
    ffts_cross_core_sync(PIPE_MTE3, 1 | (0 << 4) | (5 << 8));
    wait_flag_dev(5);
  });
}

TEST(Scalars, HaveBits) {
  EXPECT_EQ(AscendC::CountLeadingZero(0x0100000000000020ULL), 7);
  EXPECT_EQ(AscendC::CountLeadingZero(0), 64);
  EXPECT_EQ(AscendC::ScalarCountLeadingZero(0xFFFF), 48);
  EXPECT_EQ(AscendC::GetBitCount<1>(0xFFFF), 16);
  EXPECT_EQ(AscendC::GetBitCount<0>(0xFFFF), 48);
  EXPECT_EQ(AscendC::ScalarGetCountOfValue<1>(0), 0);
  EXPECT_EQ(AscendC::GetSFFValue<1>(0x1000000000000100ULL), 8);
  EXPECT_EQ(AscendC::GetSFFValue<0>(0x7), 3);
  EXPECT_EQ(AscendC::GetSFFValue<1>(0), -1);
  EXPECT_EQ(AscendC::ScalarGetSFFValue<0>(~0ULL), -1);
  EXPECT_EQ(AscendC::CountBitsCntSameAsSignBit(0x0100000000000020LL), 6);
  EXPECT_EQ(AscendC::CountBitsCntSameAsSignBit(0), -1);
  EXPECT_EQ(AscendC::CountBitsCntSameAsSignBit(-1), -1);
  EXPECT_EQ(AscendC::CountBitsCntSameAsSignBit(-2), 62);
  static_assert(AscendC::GetDataBlockSizeInBytes() == 32, "");
  EXPECT_NE(AscendC::GetProgramCounter(), 0);
}

TEST(Scalars, GoPastTheCache) {
  std::vector<int32_t> data(4, 7);
  KernelRunner(1).Output("data", data).Run([&] {
    AscendC::WriteGmByPassDCache(data.data() + 1, 8);
    AscendC::DataSyncBarrier<AscendC::MemDsbT::DDR>();
    EXPECT_EQ(AscendC::ReadGmByPassDCache(data.data() + 1), 8);
    EXPECT_EQ(AscendC::GetICachePreloadStatus(), 0);
  });
  const std::string error = KernelRunner(1).Output("data", data).Error([&] {
    AscendC::WriteGmByPassDCache(data.data() + 4, 8);
  });
  EXPECT_NE(error.find("writes 4 bytes of 'data' from byte 16, but 'data' has 16 bytes"),
            std::string::npos)
      << error;
}

TEST(ListTensorDesc, FindsShapesAndAddresses) {
  std::vector<float> x(6, 1.0f);
  std::vector<float> y(24, 2.0f);
  // Two tensors, (2, 3) and (4, 3, 2).
  std::vector<uint64_t> list = {8 * (1 + 3 + 4),
                                2,
                                2,
                                3,
                                3 | (uint64_t{1} << 32),
                                4,
                                3,
                                2,
                                reinterpret_cast<uint64_t>(x.data()),
                                reinterpret_cast<uint64_t>(y.data())};
  KernelRunner(1).Input("list", list).Input("x", x).Input("y", y).Run([&] {
    AscendC::ListTensorDesc lists(list.data(), 80, 2);
    EXPECT_EQ(lists.GetSize(), 2u);
    EXPECT_EQ(lists.GetDataPtr<float>(0), x.data());
    uint64_t shape[8] = {};
    AscendC::TensorDesc<float> desc;
    desc.SetShapeAddr(shape);
    lists.GetDesc(desc, 1);
    EXPECT_EQ(desc.GetDim(), 3u);
    EXPECT_EQ(desc.GetIndex(), 1u);
    EXPECT_EQ(desc.GetShape(0), 4u);
    EXPECT_EQ(desc.GetShape(2), 2u);
    EXPECT_EQ(desc.GetDataPtr(), y.data());
    EXPECT_EQ(desc.GetDataObj().GetValue(23), 2.0f);
  });
  const auto error = [&](auto kernel) { return KernelRunner(1).Input("list", list).Error(kernel); };
  EXPECT_NE(error([&] {
              AscendC::ListTensorDesc lists(list.data());
              lists.GetDataPtr<float>(2);
            }).find("ListTensorDesc: the list is shorter"),
            std::string::npos);
  EXPECT_NE(error([&] { AscendC::ListTensorDesc lists(list.data(), 80, 3); }).find("no list of"),
            std::string::npos);
  for (uint64_t wrong : {uint64_t{0}, uint64_t{8}, uint64_t{72}, ~uint64_t{0}}) {
    list[0] = wrong;
    EXPECT_NE(error([&] { AscendC::ListTensorDesc lists(list.data(), 80, 2); }).find("no list of"),
              std::string::npos)
        << wrong;
  }
}

}  // namespace
}  // namespace bascule::engine

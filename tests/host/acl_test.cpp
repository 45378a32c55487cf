// The acl headers and launches through them, against the shared library, as a user's program does.
// SPDX-License-Identifier: Apache-2.0
#include "acl/acl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bascule/c_api.h"
#include "bascule/numeric/half.h"
#include "bascule_ascendc/launch.h"
#include "base/sanitizer.h"
#include "kernel_operator.h"
#include "tiling/platform/platform_ascendc.h"

namespace {

constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;

// Device memory for the length of a test.
class Device {
 public:
  explicit Device(size_t bytes) : bytes_(bytes) {
    EXPECT_EQ(aclrtMalloc(&memory_, bytes, kPolicy), ACL_SUCCESS);
  }
  ~Device() { aclrtFree(memory_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  template <typename T = uint8_t>
  T* As() const {
    return static_cast<T*>(memory_);
  }
  template <typename T>
  void Put(const std::vector<T>& data) {
    ASSERT_EQ(aclrtMemcpy(memory_, bytes_, data.data(), data.size() * sizeof(T),
                          ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_SUCCESS);
  }
  template <typename T>
  std::vector<T> Get() const {
    std::vector<T> data(bytes_ / sizeof(T));
    EXPECT_EQ(aclrtMemcpy(data.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return data;
  }

 private:
  void* memory_ = nullptr;
  size_t bytes_;
};

// Runs `call`, which has to be refused, and gives its sentence; also checks that it was told.
std::string Refused(const std::function<aclError()>& call) {
  testing::internal::CaptureStderr();
  const aclError code = call();
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(code, ACL_SUCCESS);
  const std::string sentence = aclGetRecentErrMsg();
  EXPECT_EQ(told, "bascule: " + sentence + "\n");
  return sentence;
}

TEST(AclErrors, AreKnownUntilAsked) {
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  aclError code = ACL_SUCCESS;
  Refused([&] { return code = aclrtSetDevice(7); });
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 64, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), code);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

TEST(AclMemory, CopiesBothWays) {
  std::vector<int> data(1000);
  std::iota(data.begin(), data.end(), 5);
  Device a(4000);
  Device b(4000);
  a.Put(data);
  EXPECT_EQ(aclrtMemcpy(b.As(), 4000, a.As(), 4000, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(b.Get<int>(), data);
  EXPECT_EQ(aclrtMemset(b.As() + 4, 3996, 0, 8), ACL_SUCCESS);
  data[1] = data[2] = 0;
  EXPECT_EQ(b.Get<int>(), data);
  std::vector<int> host(1000);
  EXPECT_EQ(aclrtMemcpy(host.data(), 4000, b.As(), 4000, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(host, data);
}

TEST(AclMemory, CopiesRows) {
  Device d(64);
  std::vector<uint8_t> rows(30);
  std::iota(rows.begin(), rows.end(), uint8_t{1});
  ASSERT_EQ(aclrtMemset(d.As(), 64, 0, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy2d(d.As(), 16, rows.data(), 10, 7, 3, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_SUCCESS);
  const std::vector<uint8_t> got = d.Get<uint8_t>();
  for (size_t i = 0; i < 64; ++i) {
    const size_t row = i / 16;
    const size_t column = i % 16;
    EXPECT_EQ(got[i], row < 3 && column < 7 ? rows[row * 10 + column] : 0) << i;
  }
}

TEST(AclMemory, TakesTypedPointers) {
  float* device = nullptr;
  void* untyped = nullptr;
  int* host = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 64, kPolicy), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&untyped, 64), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHost(&host, 64), ACL_SUCCESS);
  host[15] = 7;
  EXPECT_EQ(aclrtMemcpy(device, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(untyped), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
}

// Memory that was freed does not come back as the program's own, which then could not be copied
// from.
TEST(AclMemory, IsApartFromTheHeap) {
  for (size_t bytes : {size_t{64}, size_t{4096}, size_t{1} << 20}) {
    Device device(bytes);
    void* freed = nullptr;
    ASSERT_EQ(aclrtMalloc(&freed, bytes, kPolicy), ACL_SUCCESS);
    ASSERT_EQ(aclrtFree(freed), ACL_SUCCESS);
    for (int i = 0; i < 20; ++i) {
      const std::vector<char> host(bytes);
      EXPECT_EQ(aclrtMemcpy(device.As(), bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
                ACL_SUCCESS);
    }
  }
}

TEST(AclMemory, FitsSmartPointersAsDocumented) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 8, kPolicy), ACL_SUCCESS);
  const std::unique_ptr<void, aclError (*)(void*)> owner(memory, aclrtFree);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
}

struct Refusal {
  const char* name;
  aclError (*call)(Device& device, char* host);
  const char* says;
};

const Refusal kRefusals[] = {
    {"PastTheEndOfTheDestination",
     [](Device& d, char* h) {
       return aclrtMemcpy(d.As() + 60, 400, h, 400, ACL_MEMCPY_HOST_TO_DEVICE);
     },
     "aclrtMemcpy: the destination reaches from byte 60 to byte 460 of device memory that has 256 "
     "bytes"},
    {"PastTheEndOfTheSource",
     [](Device& d, char* h) { return aclrtMemcpy(h, 400, d.As(), 257, ACL_MEMCPY_DEVICE_TO_HOST); },
     "the source reaches from byte 0 to byte 257 of device memory that has 256 bytes"},
    {"MoreThanTheRoomStated",
     [](Device& d, char* h) { return aclrtMemcpy(d.As(), 128, h, 200, ACL_MEMCPY_HOST_TO_DEVICE); },
     "count is 200 bytes, and destMax says there is room for 128"},
    {"DestinationIsHost",
     [](Device&, char* h) { return aclrtMemcpy(h, 400, h + 200, 8, ACL_MEMCPY_HOST_TO_DEVICE); },
     "the destination is host memory, and ACL_MEMCPY_HOST_TO_DEVICE wants device memory there"},
    {"SourceIsDevice",
     [](Device& d, char*) {
       return aclrtMemcpy(d.As(), 256, d.As() + 8, 8, ACL_MEMCPY_HOST_TO_DEVICE);
     },
     "the source is device memory, and ACL_MEMCPY_HOST_TO_DEVICE wants host memory there"},
    {"NullSource",
     [](Device& d, char*) {
       return aclrtMemcpy(d.As(), 256, nullptr, 8, ACL_MEMCPY_HOST_TO_DEVICE);
     },
     "the source is null"},
    {"NoDirection",
     [](Device& d, char* h) {
       return aclrtMemcpy(d.As(), 256, h, 8, static_cast<aclrtMemcpyKind>(19));
     },
     "19 is no direction"},
    {"RowWiderThanPitch",
     [](Device& d, char* h) {
       return aclrtMemcpy2d(d.As(), 8, h, 16, 12, 2, ACL_MEMCPY_HOST_TO_DEVICE);
     },
     "a row of 12 bytes is wider than the pitch (destination 8, source 16 bytes)"},
    {"RowsPastTheEnd",
     [](Device& d, char* h) {
       return aclrtMemcpy2d(d.As(), 100, h, 16, 12, 4, ACL_MEMCPY_HOST_TO_DEVICE);
     },
     "reaches from byte 0 to byte 312 of device memory that has 256 bytes"},
    {"FillsTooMuch", [](Device& d, char*) { return aclrtMemset(d.As(), 400, 0, 300); },
     "aclrtMemset: the memory reaches from byte 0 to byte 300"},
    {"NoBytes",
     [](Device&, char*) {
       void* p;
       return aclrtMalloc(&p, 0, kPolicy);
     },
     "aclrtMalloc: 0 bytes were asked for"},
    {"TooManyBytes",
     [](Device&, char*) {
       void* p;
       return aclrtMalloc(&p, SIZE_MAX - 64, kPolicy);
     },
     "there is no memory for 18446744073709551551 bytes"},
    {"FreesForeignMemory", [](Device&, char* h) { return aclrtFree(h); },
     "aclrtFree: the pointer did not come from aclrtMalloc. Nothing was freed."},
    {"FreesNothing", [](Device&, char*) { return aclrtFree(nullptr); }, "the pointer is null"},
    {"FreesTheMiddle", [](Device& d, char*) { return aclrtFree(d.As() + 32); },
     "lies 32 bytes behind the beginning of an allocation of 256 bytes"},
    {"FreesWithTheWrongFunction", [](Device& d, char*) { return aclrtFreeHost(d.As()); },
     "aclrtFreeHost: the memory came from aclrtMalloc; aclrtFree frees it"},
    {"FreesTwice",
     [](Device&, char*) {
       void* p;
       aclrtMalloc(&p, 48, kPolicy);
       aclrtFree(p);
       return aclrtFree(p);
     },
     "this memory (48 bytes) was freed before"},
    {"UsesFreedMemory",
     [](Device&, char* h) {
       void* p;
       aclrtMalloc(&p, 48, kPolicy);
       aclrtFree(p);
       return aclrtMemcpy(h, 48, p, 48, ACL_MEMCPY_DEVICE_TO_HOST);
     },
     "the source is memory (48 bytes) that was freed"},
    {"NoSuchDevice", [](Device&, char*) { return aclrtSetDevice(3); },
     "there is no device 3; bascule is one device, number 0"},
    {"NoSuchStream", [](Device& d, char*) { return aclrtSynchronizeStream(d.As()); },
     "the stream did not come from aclrtCreateStream"},
    {"NoSuchEvent", [](Device& d, char*) { return aclrtRecordEvent(d.As(), nullptr); },
     "the event did not come from aclrtCreateEvent"},
    {"NoSuchContext", [](Device& d, char*) { return aclrtSetCurrentContext(d.As()); },
     "the context did not come from aclrtCreateContext"},
    {"NowhereToWrite", [](Device&, char*) { return aclrtCreateStream(nullptr); },
     "aclrtCreateStream: 'stream' is null"},
};

class AclRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(AclRefuses, WithASentence) {
  Device device(256);
  std::vector<char> host(400);
  EXPECT_NE(Refused([&] { return GetParam().call(device, host.data()); }).find(GetParam().says),
            std::string::npos)
      << aclGetRecentErrMsg();
  aclrtResetDevice(0);
}

INSTANTIATE_TEST_SUITE_P(All, AclRefuses, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return info.param.name; });

TEST(AclMemory, CopiesNothingWhenRefused) {
  Device d(64);
  ASSERT_EQ(aclrtMemset(d.As(), 64, 7, 64), ACL_SUCCESS);
  std::vector<char> host(100, 1);
  Refused([&] { return aclrtMemcpy(d.As(), 100, host.data(), 65, ACL_MEMCPY_HOST_TO_DEVICE); });
  EXPECT_EQ(d.Get<uint8_t>(), std::vector<uint8_t>(64, 7));
}

TEST(AclProcess, InitialisesOnce) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_NE(Refused([] { return aclInit(nullptr); }).find("called before"), std::string::npos);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(AclProcess, HasOneDevice) {
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B");
  EXPECT_EQ(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv(), 48u);
  size_t free = 0;
  size_t total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, total);
  aclrtContext context = nullptr;
  aclrtContext current = nullptr;
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, context);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
}

TEST(AclEvents, MeasureTime) {
  aclrtEvent start = nullptr;
  aclrtEvent end = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&start), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  float ms = -1;
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  EXPECT_EQ(aclrtQueryEventStatus(start, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_NE(
      Refused([&] { return aclrtEventElapsedTime(&ms, start, end); }).find("start event was not"),
      std::string::npos);
  EXPECT_EQ(aclrtRecordEvent(start, nullptr), ACL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_EQ(aclrtRecordEvent(end, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
  EXPECT_EQ(aclrtQueryEventStatus(end, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS);
  EXPECT_GE(ms, 3.0f);
  EXPECT_EQ(aclrtDestroyEvent(start), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(end), ACL_SUCCESS);
}

// Every half, against the type whose conversions are tested by themselves.
TEST(AclFloat16, ConvertsAsHalf) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const uint16_t bits = static_cast<uint16_t>(code);
    bascule::half_t half;
    std::memcpy(static_cast<void*>(&half), &bits, sizeof(half));
    const float wanted = static_cast<float>(half);
    const float got = aclFloat16ToFloat(bits);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(got)) << code;
      EXPECT_TRUE(std::isnan(aclFloat16ToFloat(aclFloatToFloat16(got)))) << code;
      continue;
    }
    ASSERT_EQ(got, wanted) << code;
    ASSERT_EQ(aclFloatToFloat16(got), bits) << code;
    // Halfway to the next, and a little to both sides of it.
    const float middle = (got + aclFloat16ToFloat(static_cast<uint16_t>(bits + 1))) / 2;
    for (float near :
         {std::nextafter(middle, -INFINITY), middle, std::nextafter(middle, INFINITY)}) {
      if (std::isnan(near)) continue;
      const bascule::half_t rounded(near);
      uint16_t rounded_bits;
      std::memcpy(&rounded_bits, &rounded, sizeof(rounded_bits));
      ASSERT_EQ(aclFloatToFloat16(near), rounded_bits) << near;
    }
  }
  EXPECT_EQ(aclDataTypeSize(ACL_BF16), 2u);
}

// --- launches -----------------------------------------------------------------------------------

struct Range {
  uint32_t first;
  uint32_t count;
};

template <typename T>
__aicore__ inline void Copy32(GM_ADDR from, GM_ADDR to, uint32_t at) {
  AscendC::GlobalTensor<T> source;
  AscendC::GlobalTensor<T> target;
  source.SetGlobalBuffer((__gm__ T*)from);
  target.SetGlobalBuffer((__gm__ T*)to);
  for (uint32_t i = 0; i < 32; ++i) target.SetValue(at + i, source.GetValue(at + i));
}

template <typename T>
void copy_kernel(GM_ADDR from, GM_ADDR to, Range range) {
  const uint32_t at = static_cast<uint32_t>(AscendC::GetBlockIdx()) * 32;
  if (at < range.count) Copy32<T>(from, to, range.first + at);
}

void count_blocks(int32_t* counters, int32_t step, const char* text) {
  AscendC::GlobalTensor<int32_t> out;
  out.SetGlobalBuffer(counters);
  out.SetValue(AscendC::GetBlockIdx() * 8, step + (text == nullptr ? 0 : 1000));
}

extern "C" void first_elements(GM_ADDR out) {
  AscendC::GlobalTensor<uint32_t> result;
  result.SetGlobalBuffer((__gm__ uint32_t*)out);
  result.SetValue(0, AscendC::GetTensorNum());
}

TEST(AclLaunch, RunsEveryBlockWithItsArguments) {
  std::vector<float> data(160);
  std::iota(data.begin(), data.end(), 1.0f);
  Device from(640);
  Device to(640);
  from.Put(data);
  ASSERT_EQ(aclrtMemset(to.As(), 640, 0, 640), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  (copy_kernel<float> % $(4, nullptr, stream))(from.As(), to.As(), Range{32, 128});
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
  std::fill(data.begin(), data.begin() + 32, 0.0f);
  EXPECT_EQ(to.Get<float>(), data);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

// Arguments convert as in a call, and the null stream is a stream.
TEST(AclLaunch, ConvertsArgumentsAsACallDoes) {
  Device counters(8 * 32);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(aclrtMemset(counters.As(), 256, 0, 256), ACL_SUCCESS);
    if (i == 0) (count_blocks % $(8))(counters.As<int32_t>(), 3, 0);
    if (i == 1) (count_blocks % $(8, 0))(counters.As<int32_t>(), {}, "x");
    if (i == 2) (count_blocks % $(8, nullptr, nullptr))(counters.As<int32_t>(), 2.5, nullptr);
    ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << aclGetRecentErrMsg();
    const std::vector<int32_t> got = counters.Get<int32_t>();
    for (size_t block = 0; block < 8; ++block) {
      EXPECT_EQ(got[block * 8], i == 0 ? 3 : i == 1 ? 1000 : 2);
    }
  }
}

int Launching(int32_t* counters) {
  (count_blocks % $(1, 0, nullptr))(counters, 7, nullptr);
  int32_t result = 0;
  aclrtMemcpy(&result, 4, counters, 4, ACL_MEMCPY_DEVICE_TO_HOST);
  return result + 1;
}

TEST(AclLaunch, MayLaunchWhileItsArgumentsAreEvaluated) {
  Device counters(64);
  (count_blocks % $(2, 0, nullptr))(counters.As<int32_t>(), Launching(counters.As<int32_t>()),
                                    nullptr);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(counters.Get<int32_t>()[8], 8);

  auto throwing = []() -> int32_t { throw 5; };
  EXPECT_THROW((count_blocks % $(2, 0, nullptr))(counters.As<int32_t>(), throwing(), nullptr), int);
  (count_blocks % $(2, 0, nullptr))(counters.As<int32_t>(), 9, nullptr);
  EXPECT_EQ(counters.Get<int32_t>()[0], 9);
}

TEST(AclLaunch, DeducesTemplateArguments) {
  Device counters(64);
  auto kernel = [](auto* out, auto step) { count_blocks(out, step, nullptr); };
  (bascule_ascendc::Deduced("kernel", BASCULE_KERNEL_UNSAID, [&](auto... a) { kernel(a...); }) %
   $(2, 0, nullptr))(counters.As<int32_t>(), short{4});
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << aclGetRecentErrMsg();
  EXPECT_EQ(counters.Get<int32_t>()[8], 4);
}

// The error of a launch, which its stream returns, again and again, and tells once.
std::string LaunchError(const std::function<void(aclrtStream)>& launch) {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  launch(stream);
  const std::string sentence = Refused([&] { return aclrtSynchronizeStream(stream); });
  testing::internal::CaptureStderr();
  EXPECT_NE(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclGetRecentErrMsg(), sentence);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return sentence;
}

bool Says(const std::string& sentence, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (sentence.find(part) == std::string::npos) {
      ADD_FAILURE() << "'" << part << "' is missing in: " << sentence;
      return false;
    }
  }
  return true;
}

TEST(AclLaunch, NamesKernelArgumentAndPlaceOfAnError) {
  Device from(256);
  Device to(512);
  const std::string sentence = LaunchError([&](aclrtStream s) {
    (copy_kernel<float> % $(3, nullptr, s))(from.As(), to.As(), Range{0, 96});
  });
  EXPECT_TRUE(Says(sentence, {"copy_kernel<float> (block 2 of 3)", "reads 4 bytes of 'argument 1'",
                              "from byte 256, but 'argument 1' has 256 bytes", "(launched at ",
                              "acl_test.cpp:"}))
      << sentence;
}

#if !defined(BASCULE_ADDRESS_SANITIZER) && !defined(BASCULE_THREAD_SANITIZER)
// A loop that calls nothing of Ascend C, and one that does little else.
void wait_for_ever(volatile int32_t* flag, bool raw) {
  if (AscendC::GetBlockIdx() != 1) return;
  if (raw) {
    while (*flag == 0) {
    }
  }
  for (;;) AscendC::PipeBarrier<PIPE_V>();
}

// The limit is asked for once a process, so the kernel runs in a new one.
TEST(AclLaunch, EndsAfterTheTimeLimit) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const bool raw : {true, false}) {
    EXPECT_EXIT(
        {
          setenv("BASCULE_TIMEOUT", "0.2", 1);
          setenv("BASCULE_THREADS", "3", 1);
          int right = 0;
          for (int i = 0; i < 3; ++i) {
            Device flag(64);
            flag.Put(std::vector<int32_t>(16, 0));
            const std::string sentence = LaunchError([&](aclrtStream s) {
              (wait_for_ever % $(3, nullptr, s))(flag.As<volatile int32_t>(), raw);
            });
            if (sentence.find("wait_for_ever (block 1 of 3): the launch has not ended within the "
                              "0.2 s of BASCULE_TIMEOUT; this block is still running (") !=
                std::string::npos)
              ++right;
            else
              std::fprintf(stderr, "%s\n", sentence.c_str());
          }
          // One that ends in time is left alone.
          (copy_kernel<float> % $(1, nullptr, nullptr))(nullptr, nullptr, Range{0, 0});
          const bool sound = aclrtSynchronizeStream(nullptr) == ACL_SUCCESS;
          exit(right == 3 && sound ? 42 : 1);
        },
        testing::ExitedWithCode(42), "");
  }
}

#endif

TEST(AclLaunch, RefusesHostMemoryWhenItIsTouched) {
  Device from(256);
  std::vector<float> host(64);
  EXPECT_TRUE(
      Says(LaunchError([&](aclrtStream s) {
             (copy_kernel<float> % $(1, nullptr, s))(from.As(), (GM_ADDR)host.data(), {0, 32});
           }),
           {"Argument 2 of the launch is host memory", "aclrtMalloc"}));
  void* gone = nullptr;
  ASSERT_EQ(aclrtMalloc(&gone, 256, kPolicy), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(gone), ACL_SUCCESS);
  EXPECT_TRUE(Says(LaunchError([&](aclrtStream s) {
                     (copy_kernel<float> % $(1, nullptr, s))((GM_ADDR)gone, from.As(), {0, 32});
                   }),
                   {"Argument 1 of the launch is device memory that is not allocated any more"}));
  // Not touched: not wrong.
  (copy_kernel<float> % $(1, nullptr, nullptr))((GM_ADDR)gone, (GM_ADDR)host.data(), {0, 0});
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << aclGetRecentErrMsg();
}

TEST(AclLaunch, RefusesImpossibleNumbersOfBlocks) {
  Device d(256);
  for (int64_t blocks : {int64_t{0}, int64_t{-1}, int64_t{65536}, int64_t{1} << 40}) {
    EXPECT_TRUE(Says(LaunchError([&](aclrtStream s) {
                       (copy_kernel<float> % $(blocks, nullptr, s))(d.As(), d.As(), {0, 0});
                     }),
                     {"copy_kernel<float>: launched with ", " blocks; 1 to 65535 are possible"}));
  }
}

TEST(AclLaunch, RefusesAStreamThatIsNone) {
  Device d(256);
  testing::internal::CaptureStderr();
  (copy_kernel<float> % $(1, nullptr, d.As()))(d.As(), d.As(), {0, 0});
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("the stream did not come from aclrtCreateStream"),
      std::string::npos);
}

TEST(AclLaunch, HasNoTensors) {
  Device d(256);
  EXPECT_TRUE(Says(LaunchError([&](aclrtStream s) { (first_elements % $(1, nullptr, s))(d.As()); }),
                   {"first_elements (block 0 of 1)", "GetTensorNum: this launch knows addresses"}));
}

// What comes after an error is left out; other streams go on.
TEST(AclLaunch, LeavesOutWhatFollowsAnError) {
  Device counters(64);
  ASSERT_EQ(aclrtMemset(counters.As(), 64, 0, 64), ACL_SUCCESS);
  std::vector<int32_t> host(16, 3);
  LaunchError([&](aclrtStream s) {
    (count_blocks % $(100, nullptr, s))(counters.As<int32_t>(), 1, nullptr);
    (count_blocks % $(1, nullptr, s))(counters.As<int32_t>(), 55, nullptr);
    EXPECT_NE(aclrtMemcpyAsync(counters.As(), 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE, s),
              ACL_SUCCESS);
  });
  EXPECT_NE(counters.Get<int32_t>()[0], 55);
  EXPECT_NE(counters.Get<int32_t>()[0], 3);
  (count_blocks % $(1, nullptr, nullptr))(counters.As<int32_t>(), 55, nullptr);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(counters.Get<int32_t>()[0], 55);
}

void launching_kernel(int32_t* counters) { (count_blocks % $(1))(counters, 1, nullptr); }

TEST(AclLaunch, RefusesALaunchInsideAKernel) {
  Device counters(64);
  EXPECT_TRUE(Says(LaunchError([&](aclrtStream s) {
                     (launching_kernel % $(1, nullptr, s))(counters.As<int32_t>());
                   }),
                   {"launching_kernel (block 0 of 1)", "a kernel uses a stream"}));
}

// Allocations that come and go are seen, and arguments lose their names with the launch.
TEST(AclLaunch, KnowsWhatIsAllocatedNow) {
  Device first(256);
  for (int i = 0; i < 3; ++i) {
    Device second(256);
    (copy_kernel<float> % $(2, nullptr, nullptr))(first.As(), second.As(), {0, 64});
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << aclGetRecentErrMsg();
  }
  Device second(256);
  EXPECT_TRUE(Says(LaunchError([&](aclrtStream s) {
                     (copy_kernel<float> % $(3, nullptr, s))(second.As(), first.As(), {0, 96});
                   }),
                   {"'argument 1'"}));
  EXPECT_TRUE(Says(LaunchError([&](aclrtStream s) {
                     (copy_kernel<float> % $(1, nullptr, s))(
                         first.As(), reinterpret_cast<GM_ADDR>(uintptr_t{64}), {0, 32});
                   }),
                   {"memory before every tensor", "Argument 2 of the launch is host memory"}));
}

TEST(AclLaunch, RunsFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      Device counters(8 * 32);
      aclrtStream stream = nullptr;
      EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      for (int i = 0; i < 200; ++i) {
        (count_blocks % $(8, nullptr, stream))(counters.As<int32_t>(), t * 1000 + i, nullptr);
        EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
        EXPECT_EQ(counters.Get<int32_t>()[56], t * 1000 + i);
      }
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Observers see launches however they are made.
TEST(AclLaunch, IsObserved) {
  ASSERT_EQ(bascule_observe_begin("count"), BASCULE_OK) << bascule_last_error();
  Device from(256);
  Device to(256);
  (copy_kernel<int32_t> % $(2, nullptr, nullptr))(from.As(), to.As(), {0, 64});
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << aclGetRecentErrMsg();
  char* json = nullptr;
  ASSERT_EQ(bascule_observe_report("count", &json), BASCULE_OK);
  EXPECT_NE(std::string(json).find("\"launches\": 1, \"blocks\": 2"), std::string::npos) << json;
  bascule_free(json);
  ASSERT_EQ(bascule_observe_end("count"), BASCULE_OK);
}

// And what the host does to memory between them; what was refused did not happen.
TEST(AclMemory, IsObserved) {
  ASSERT_EQ(bascule_observe_begin("count"), BASCULE_OK) << bascule_last_error();
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 256, kPolicy), ACL_SUCCESS);
  const std::vector<uint8_t> from(200, 7);
  EXPECT_EQ(aclrtMemcpy(memory, 256, from.data(), 200, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_NE(aclrtMemcpy(memory, 100, from.data(), 200, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy2d(memory, 64, from.data(), 50, 40, 3, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(memory, 256, 0, 16, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(memory, 256, 0, 256), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 32), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  char* json = nullptr;
  ASSERT_EQ(bascule_observe_report("count", &json), BASCULE_OK);
  EXPECT_NE(
      std::string(json).find("\"host\": [{\"call\": \"aclrtFree\", \"calls\": 1, \"bytes\": 256}, "
                             "{\"call\": \"aclrtFreeHost\", \"calls\": 1, \"bytes\": 32}, "
                             "{\"call\": \"aclrtMalloc\", \"calls\": 1, \"bytes\": 256}, "
                             "{\"call\": \"aclrtMallocHost\", \"calls\": 1, \"bytes\": 32}, "
                             "{\"call\": \"aclrtMemcpy\", \"calls\": 1, \"bytes\": 200}, "
                             "{\"call\": \"aclrtMemcpy2d\", \"calls\": 1, \"bytes\": 120}, "
                             "{\"call\": \"aclrtMemset\", \"calls\": 1, \"bytes\": 256}, "
                             "{\"call\": \"aclrtMemsetAsync\", \"calls\": 1, \"bytes\": 16}]"),
      std::string::npos)
      << json;
  bascule_free(json);
  ASSERT_EQ(bascule_observe_end("count"), BASCULE_OK);
}

void allocating_kernel(int32_t*) {
  void* memory = nullptr;
  aclrtMalloc(&memory, 64, kPolicy);
}

// On a helper's thread it would wait for its own launch, if that is observed.
TEST(AclMemory, IsNotForKernels) {
  Device counters(64);
  EXPECT_TRUE(Says(LaunchError([&](aclrtStream s) {
                     (allocating_kernel % $(1, nullptr, s))(counters.As<int32_t>());
                   }),
                   {"allocating_kernel (block 0 of 1)", "a kernel allocates"}));
}

}  // namespace

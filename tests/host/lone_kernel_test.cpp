// Lone kernels through the C interface: a plain shared library, its kernels by their symbols.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bascule/c_api.h"
#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"

namespace {

constexpr const char* kLibrary = BASCULE_TEST_LONE_LIBRARY;

template <typename T>
struct Format;
template <>
struct Format<float> {
  static constexpr uint8_t kCode = 2;
};
template <>
struct Format<bascule::half_t> {
  static constexpr uint8_t kCode = 2;
};
template <>
struct Format<bascule::bfloat16_t> {
  static constexpr uint8_t kCode = 4;
};
template <>
struct Format<int32_t> {
  static constexpr uint8_t kCode = 0;
};

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  BasculeTensor view = {};

  template <typename T>
  Tensor(T* data, std::vector<int64_t> dims, std::vector<int64_t> steps = {})
      : shape(std::move(dims)), strides(std::move(steps)) {
    view.data = data;
    view.device_type = 1;
    view.ndim = static_cast<int32_t>(shape.size());
    view.dtype_code = Format<T>::kCode;
    view.dtype_bits = 8 * sizeof(T);
    view.dtype_lanes = 1;
    view.shape = shape.data();
    view.strides = strides.empty() ? nullptr : strides.data();
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
};

BasculeLibrary* TheLibrary() {
  static BasculeLibrary* const library = [] {
    BasculeLibrary* opened = nullptr;
    EXPECT_EQ(bascule_library_open(kLibrary, &opened), BASCULE_OK) << bascule_last_error();
    return opened;
  }();
  return library;
}

const BasculeOperator* Kernel(const char* name) {
  const BasculeOperator* op = nullptr;
  EXPECT_EQ(bascule_library_find(TheLibrary(), name, &op), BASCULE_OK) << bascule_last_error();
  return op;
}

BasculeStatus Call(const char* kernel, const std::vector<Tensor*>& inputs,
                   const std::vector<Tensor*>& outputs) {
  std::vector<const BasculeTensor*> in;
  std::vector<BasculeTensor*> out;
  for (Tensor* tensor : inputs) in.push_back(tensor != nullptr ? &tensor->view : nullptr);
  for (Tensor* tensor : outputs) out.push_back(tensor != nullptr ? &tensor->view : nullptr);
  return bascule_operator_call(Kernel(kernel), static_cast<uint32_t>(in.size()), in.data(),
                               static_cast<uint32_t>(out.size()), out.data(), 0, nullptr);
}

template <typename T>
std::vector<T> Numbers(size_t count, int step) {
  std::vector<T> out(count);
  for (size_t i = 0; i < count; ++i) {
    out[i] = T(static_cast<float>(static_cast<int>(i * static_cast<size_t>(step) % 61) - 30) / 8);
  }
  return out;
}

constexpr size_t kLengths[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 513, 767, 768, 769, 100003};

// Where the last block's share ends behind the tensor's last datablock, a kernel without a tail
// fails.
template <typename T>
void Multiplies(const char* kernel, bool handles_tail) {
  constexpr size_t kLanes = 32 / sizeof(T);
  for (size_t n : kLengths) {
    const std::vector<T> x = Numbers<T>(n, 7);
    const std::vector<T> y = Numbers<T>(n, 11);
    std::vector<T> out(n + 64, T(99.0f));  // behind the end, all of which must stay
    Tensor tx(const_cast<T*>(x.data()), {static_cast<int64_t>(n)});
    Tensor ty(const_cast<T*>(y.data()), {static_cast<int64_t>(n)});
    Tensor tout(out.data(), {static_cast<int64_t>(n)});
    const BasculeStatus status = Call(kernel, {&tx, &ty}, {&tout});
    const size_t blocks = (n + kLanes - 1) / kLanes;  // datablocks, and cores there are 48
    const size_t share = (blocks + 47) / 48;
    const bool fits = blocks == 0 || blocks % share == 0;
    if (handles_tail || fits) {
      ASSERT_EQ(status, BASCULE_OK) << kernel << ", " << n << ": " << bascule_last_error();
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(static_cast<float>(out[i]), static_cast<float>(x[i] * y[i])) << i << " of " << n;
      }
    } else {
      ASSERT_EQ(status, BASCULE_KERNEL_ERROR) << kernel << ", " << n;
      const std::string said = bascule_last_error();
      EXPECT_NE(said.find("DataCopy at "), std::string::npos) << said;
      EXPECT_NE(said.find(" of 'argument 1' from byte "), std::string::npos) << said;
    }
    for (size_t i = n; i < out.size(); ++i) ASSERT_EQ(static_cast<float>(out[i]), 99.0f) << i;
  }
}

TEST(LoneKernel, NaiveTakesEveryTypeAndLength) {
  Multiplies<bascule::half_t>("naive_half", false);
  Multiplies<float>("naive_float", false);
  Multiplies<bascule::bfloat16_t>("naive_bfloat16", false);
}

TEST(LoneKernel, CompleteTakesEveryTypeAndLength) {
  Multiplies<bascule::half_t>("mul_half", true);
  Multiplies<float>("mul_float", true);
}

// The naive kernel has no tail: 48 shares of 131 datablocks are more than 6251.
TEST(LoneKernel, PastTheEndIsAnErrorAndOverwritesNothing) {
  constexpr size_t kCount = 100003;
  std::vector<bascule::half_t> x(kCount);
  std::vector<bascule::half_t> out(kCount + 4096, bascule::half_t(99.0f));
  Tensor tx(x.data(), {kCount});
  Tensor tout(out.data(), {kCount});
  ASSERT_EQ(Call("naive_half", {&tx, &tx}, {&tout}), BASCULE_KERNEL_ERROR);
  const std::string said = bascule_last_error();
  EXPECT_NE(said.find("naive_half (block 47 of 48): DataCopy at "), std::string::npos) << said;
  EXPECT_NE(said.find("reads 4192 bytes of 'argument 1' from byte 197024, but 'argument 1' has "
                      "200006 bytes. Nothing was read."),
            std::string::npos)
      << said;
  for (size_t i = kCount; i < out.size(); ++i) ASSERT_EQ(static_cast<float>(out[i]), 99.0f);
}

TEST(LoneKernel, FollowsStrides) {
  constexpr int64_t kRows = 13;
  constexpr int64_t kColumns = 7;
  std::vector<float> x = Numbers<float>(kRows * kColumns * 3, 7);
  std::vector<float> y = Numbers<float>(kRows * kColumns * 3, 5);
  const std::vector<int64_t> steps[] = {{}, {kColumns, 1}, {1, kRows}, {3 * kColumns, 3}, {0, 1}};
  auto at = [](const std::vector<int64_t>& step, int64_t r, int64_t c) {
    return static_cast<size_t>(step.empty() ? r * kColumns + c : r * step[0] + c * step[1]);
  };
  for (const char* kernel : {"naive_float", "mul_float"}) {
    for (const auto& sx : steps) {
      for (const auto& so : {steps[0], steps[2], steps[3]}) {
        std::vector<float> out(kRows * kColumns * 3, 99.0f);
        Tensor tx(x.data(), {kRows, kColumns}, sx);
        Tensor ty(y.data(), {kRows, kColumns});
        Tensor tout(out.data(), {kRows, kColumns}, so);
        ASSERT_EQ(Call(kernel, {&tx, &ty}, {&tout}), BASCULE_OK) << bascule_last_error();
        std::vector<float> expected(out.size(), 99.0f);
        for (int64_t r = 0; r < kRows; ++r) {
          for (int64_t c = 0; c < kColumns; ++c) {
            expected[at(so, r, c)] = x[at(sx, r, c)] * y[at({}, r, c)];
          }
        }
        ASSERT_EQ(out, expected);
      }
    }
  }
}

TEST(LoneKernel, RunsOnAsManyBlocksAsSharesAreNeeded) {
  struct Row {
    int64_t elements;
    int32_t blocks;
    int32_t share;
  };
  for (const Row& row : {Row{1, 1, 8}, Row{8, 1, 8}, Row{9, 2, 8}, Row{384, 48, 8},
                         Row{385, 25, 16}, Row{100003, 48, 2088}, Row{12501, 48, 264}}) {
    std::vector<float> x(static_cast<size_t>(row.elements));
    int32_t blocks = 0;
    int32_t share = 0;
    Tensor tx(x.data(), {row.elements});
    Tensor tblocks(&blocks, {});
    Tensor tshare(&share, {});
    ASSERT_EQ(Call("shares", {&tx}, {&tblocks, &tshare}), BASCULE_OK) << bascule_last_error();
    EXPECT_EQ(blocks, row.blocks) << row.elements;
    EXPECT_EQ(share, row.share) << row.elements;
  }
  // The first tensor has nothing: one block, and a share of nothing.
  int32_t blocks = 0;
  int32_t share = 1;
  Tensor none(static_cast<float*>(nullptr), {0});
  Tensor tblocks(&blocks, {});
  Tensor tshare(&share, {});
  ASSERT_EQ(Call("shares", {&none}, {&tblocks, &tshare}), BASCULE_OK) << bascule_last_error();
  EXPECT_EQ(blocks, 1);
  EXPECT_EQ(share, 0);
}

TEST(LoneKernel, ViewsAndUnseenWritesAreLegal) {
  for (size_t n : {1, 15, 16, 17, 513, 100003}) {
    std::vector<float> x = Numbers<float>(n, 7);
    std::vector<float> out(n);
    Tensor tx(x.data(), {static_cast<int64_t>(n)});
    Tensor tout(out.data(), {static_cast<int64_t>(n)});
    ASSERT_EQ(Call("copy_words", {&tx}, {&tout}), BASCULE_OK) << bascule_last_error();
    ASSERT_EQ(out, x);
    for (const char* kernel :
         {"raw_negate", "shop::negate", "negate_as<float>", "typed_negate", "typed_first"}) {
      // Twice into the same memory: what it holds already is written again.
      for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(Call(kernel, {&tx}, {&tout}), BASCULE_OK) << bascule_last_error();
        for (size_t k = 0; k < n; ++k) ASSERT_EQ(out[k], -x[k]) << kernel;
      }
    }
  }
}

TEST(LoneKernel, AnInputMayBeLeftOutUntilItIsTouched) {
  std::vector<float> x = Numbers<float>(17, 7);
  std::vector<float> out(17);
  Tensor tx(x.data(), {17});
  Tensor tout(out.data(), {17});
  ASSERT_EQ(Call("add_one_or_bias", {&tx, nullptr}, {&tout}), BASCULE_OK) << bascule_last_error();
  for (size_t i = 0; i < 17; ++i) EXPECT_EQ(out[i], x[i] + 1);
  ASSERT_EQ(Call("add_one_or_bias", {&tx, &tx}, {&tout}), BASCULE_OK) << bascule_last_error();
  for (size_t i = 0; i < 17; ++i) EXPECT_EQ(out[i], x[i] + x[i]);
}

TEST(LoneKernel, SeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> failures(4);
  for (size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&failures, t] {
      for (size_t n : {17, 513, 5003, 17}) {
        std::vector<float> x = Numbers<float>(n, 7 + static_cast<int>(t));
        std::vector<float> out(n);
        Tensor tx(x.data(), {static_cast<int64_t>(n)});
        Tensor tout(out.data(), {static_cast<int64_t>(n)});
        if (Call("mul_float", {&tx, &tx}, {&tout}) != BASCULE_OK)
          failures[t] = bascule_last_error();
        for (size_t i = 0; i < n; ++i) {
          if (out[i] != x[i] * x[i]) failures[t] = "a wrong number";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

TEST(LoneKernel, PaddingIsToldOnceForAKernelThatUsesIt) {
  std::vector<float> x(9);
  std::vector<float> out(9);
  auto said_by = [&](const char* kernel, int64_t length) {
    Tensor tx(x.data(), {length});
    Tensor tout(out.data(), {length});
    testing::internal::CaptureStderr();
    EXPECT_EQ(Call(kernel, {&tx, &tx}, {&tout}), BASCULE_OK) << bascule_last_error();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said_by("mul_float", 9), "");
  EXPECT_EQ(said_by("naive_float", 8), "");
  // Told by an earlier case of the same process, or here.
  said_by("naive_float", 9);
  EXPECT_EQ(said_by("naive_float", 9), "");
}

// Through a raw pointer, which only the processor notices.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(LoneKernel, ARawPointerToWhatWasNotPassedIsNamed) {
  std::vector<float> x(8);
  std::vector<float> out(8);
  Tensor tx(x.data(), {8});
  Tensor tout(out.data(), {8});
  ASSERT_EQ(Call("raw_tiling", {&tx}, {&tout}), BASCULE_KERNEL_ERROR);
  const std::string said = bascule_last_error();
  EXPECT_NE(said.find("reads through a raw pointer that is argument 3 (workspace, tiling data"),
            std::string::npos)
      << said;
}
#endif

struct Refusal {
  const char* name;
  BasculeStatus status;
  BasculeStatus (*call)(float* data, bascule::half_t* halves);
  std::vector<std::string> says;
};

const Refusal kRefusals[] = {
    {"OtherFloatingType",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       return Call("naive_half", {&x, &x}, {&out});
     },
     {"naive_half (block 0 of 1): SetGlobalBuffer at ", "lone.cpp:",
      "the kernel takes 'argument 1' for float16, and the tensor that was passed is float32. Pass "
      "a "
      "tensor of float16, or build the kernel for float32."}},
    {"OtherOutputType",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t* halves) {
       Tensor x(halves, {8});
       Tensor out(data, {8});
       return Call("naive_half", {&x, &x}, {&out});
     },
     {"the kernel takes 'argument 3' for float16, and the tensor that was passed is float32"}},
    {"IntegersAsFloats",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(reinterpret_cast<int32_t*>(data), {8});
       Tensor out(data + 100, {8});
       return Call("naive_float", {&x, &x}, {&out});
     },
     {"the kernel takes 'argument 1' for float32, and the tensor that was passed is int32"}},
    {"NothingWritten",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 100, {3000});
       return Call("writes_nothing", {&x, &x}, {&out});
     },
     {"writes_nothing: the kernel ran and wrote nothing to output 1, its argument 3. It was called "
      "with 2 inputs and 1 output; it has to take as many, the inputs first."}},
    {"SecondOutputNotWritten",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {9});
       Tensor a(data + 100, {9});
       Tensor b(data + 200, {9});
       return Call("writes_first", {&x}, {&a, &b});
     },
     {"writes_first: the kernel ran and wrote nothing to output 2, its argument 3"}},
    {"TooManyInputs",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor z(data + 50, {8});
       Tensor out(data + 100, {8});
       return Call("mul_float", {&x, &x, &z}, {&out});
     },
     {"writes to 'argument 3', which this launch only reads"}},
    {"Tiling",
     BASCULE_KERNEL_ERROR,
     [](float*, bascule::half_t* halves) {
       Tensor x(halves, {16});
       Tensor out(halves + 100, {16});
       return Call("reads_tiling", {&x, &x}, {&out});
     },
     {"GET_TILING_DATA at ", "lone.cpp:",
      "reads 8 bytes of argument 5 (workspace, tiling data or another tensor), which was not "
      "passed: "
      "the kernel was called by its symbol, with 3 tensors. Nothing was read."}},
    {"Workspace",
     BASCULE_KERNEL_ERROR,
     [](float*, bascule::half_t* halves) {
       Tensor x(halves, {16});
       Tensor out(halves + 100, {16});
       return Call("uses_workspace", {&x, &x}, {&out});
     },
     {"SetValue at ", "writes 2 bytes of argument 4 (workspace", "Nothing was written."}},
    {"TooFewInputs",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       return Call("mul_float", {&x}, {&out});
     },
     {"writes 32 bytes of argument 3 (workspace, tiling data or another tensor), which was not "
      "passed: the kernel was called by its symbol, with 2 tensors."}},
    {"NumberNotPassed",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       return Call("takes_a_number", {&x}, {&out});
     },
     {"GetValue at ", "reads 4 bytes of 'argument 1' from byte 32, but 'argument 1' has 32 bytes"}},
    {"NullTouched",
     BASCULE_KERNEL_ERROR,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       return Call("needs_bias", {&x, nullptr}, {&out});
     },
     {"GetValue at ", "reads 4 bytes of a null pointer"}},
    {"NoOutput",
     BASCULE_INVALID_ARGUMENT,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       return Call("mul_float", {&x, &x}, {});
     },
     {"mul_float: no output was passed; a kernel leaves its results in outputs."}},
    {"NullOutput",
     BASCULE_INVALID_ARGUMENT,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       return Call("mul_float", {&x, &x}, {nullptr});
     },
     {"mul_float: argument 3 is null."}},
    {"Overlap",
     BASCULE_INVALID_ARGUMENT,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 4, {8});
       return Call("mul_float", {&x, &x}, {&out});
     },
     {"mul_float: argument 3, an output, overlaps argument 1 in memory; an output needs memory of "
      "its own."}},
    {"Attribute",
     BASCULE_INVALID_ARGUMENT,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       const BasculeTensor* in[] = {&x.view, &x.view};
       BasculeTensor* to[] = {&out.view};
       BasculeAttribute attribute = {};
       attribute.name = "axis";
       return bascule_operator_call(Kernel("mul_float"), 2, in, 1, to, 1, &attribute);
     },
     {"mul_float is a lone kernel and has no attribute 'axis'; it takes tensors only."}},
    {"TooManyTensors",
     BASCULE_UNSUPPORTED,
     [](float* data, bascule::half_t*) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       return Call("mul_float", std::vector<Tensor*>(28, &x), {&out});
     },
     {"mul_float: a call takes at most 28 tensors, 29 were passed."}},
    {"Inference",
     BASCULE_UNSUPPORTED,
     [](float*, bascule::half_t*) {
       BasculeTensorInfo out;
       return bascule_operator_infer(Kernel("mul_float"), 0, nullptr, 0, nullptr, 1, &out);
     },
     {"mul_float is a lone kernel: nothing tells the shapes and element types of its outputs."}},
    {"Missing",
     BASCULE_NOT_FOUND,
     [](float*, bascule::half_t*) {
       const BasculeOperator* op = nullptr;
       return bascule_library_find(TheLibrary(), "naive_half_kernel", &op);
     },
     {"has no kernel 'naive_half_kernel'; was 'naive_half' meant? The library's kernels: "
      "add_one_or_bias, constants, copy_words, ",
      "naive_half, needs_bias"}},
    {"Stranger",
     BASCULE_NOT_FOUND,
     [](float*, bascule::half_t*) {
       const BasculeOperator* op = nullptr;
       return bascule_library_find(TheLibrary(), "lone_helper", &op);
     },
     {"'lone_helper' of '",
      "is a function and no kernel: it was not declared __global__ __aicore__, so it cannot be "
      "launched. ",
      "The library's kernels: "}},
    {"StrangerBesideATypedKernel",
     BASCULE_NOT_FOUND,
     [](float*, bascule::half_t*) {
       const BasculeOperator* op = nullptr;
       return bascule_library_find(TheLibrary(), "lone_neighbour", &op);
     },
     {"'lone_neighbour' of '", "is a function and no kernel"}},
    {"NoKernelLibrary",
     BASCULE_BAD_LIBRARY,
     [](float*, bascule::half_t*) {
       BasculeLibrary* library = nullptr;
       return bascule_library_open(BASCULE_TEST_STRANGER_LIBRARY, &library);
     },
     {"holds no manifest, so it is not an operator library",
      "it was not compiled with bascule's "
      "kernel headers. Its functions: stranger."}},
};

class LoneKernelRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(LoneKernelRefuses, WithASentence) {
  std::vector<float> data(4096);
  std::vector<bascule::half_t> halves(4096);
  ASSERT_EQ(GetParam().call(data.data(), halves.data()), GetParam().status) << bascule_last_error();
  const std::string said = bascule_last_error();
  size_t from = 0;
  for (const std::string& part : GetParam().says) {
    const size_t at = said.find(part, from);
    ASSERT_NE(at, std::string::npos) << "expected: " << part << "\nsaid: " << said;
    from = at + part.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, LoneKernelRefuses, testing::ValuesIn(kRefusals),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(LoneKernel, SaysWhatIsKnownOfIt) {
  EXPECT_EQ(bascule_operator_input_count(Kernel("mul_float")), BASCULE_ANY_COUNT);
  EXPECT_EQ(bascule_operator_output_count(Kernel("mul_float")), BASCULE_ANY_COUNT);
  EXPECT_STREQ(bascule_operator_name(Kernel("shop::negate")), "shop::negate");
  EXPECT_NE(std::string(bascule_operator_schema(Kernel("mul_float"))).find("\"kernel\":true"),
            std::string::npos);
}

using Aot = int (*)(int, void**, int*, int64_t**, const char**, void*, void*);

Aot FunctionAt(void* handle, const char* name) {
  void* const symbol = dlsym(handle, name);
  EXPECT_NE(symbol, nullptr) << name;
  Aot function = nullptr;
  std::memcpy(&function, &symbol, sizeof(symbol));
  return function;
}

// What MindSpore gets in place of a kernel: a function of its own form in the runtime's library.
TEST(LoneKernel, HasAFunctionInTheFormOfMindSpore) {
  const char* name = nullptr;
  const char* same = nullptr;
  const char* other = nullptr;
  ASSERT_EQ(bascule_operator_aot(Kernel("mul_float"), 2, &name), BASCULE_OK);
  ASSERT_EQ(bascule_operator_aot(Kernel("mul_float"), 2, &same), BASCULE_OK);
  ASSERT_EQ(bascule_operator_aot(Kernel("mul_half"), 2, &other), BASCULE_OK);
  EXPECT_STREQ(name, same);
  EXPECT_STRNE(name, other);
  const Aot function = FunctionAt(RTLD_DEFAULT, name);
  std::vector<float> x = Numbers<float>(17, 7);
  std::vector<float> out(17);
  void* data[] = {x.data(), x.data(), out.data()};
  int ranks[] = {1, 1, 1};
  int64_t shape[] = {17};
  int64_t* shapes[] = {shape, shape, shape};
  const char* dtypes[] = {"float32", "float32", "float32"};
  EXPECT_EQ(function(3, data, ranks, shapes, dtypes, nullptr, nullptr), 0);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i], x[i] * x[i]);
  auto failure = [&](const Aot called, int count) -> std::string {
    try {
      called(count, data, ranks, shapes, dtypes, nullptr, nullptr);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(failure(function, 2),
            "mul_float takes 2 inputs and at least one output; 2 tensors were passed.");
  EXPECT_NE(failure(FunctionAt(RTLD_DEFAULT, other), 3).find("takes 'argument 1' for float16"),
            std::string::npos);
  EXPECT_EQ(failure(FunctionAt(RTLD_DEFAULT, "bascule_aot_255"), 3),
            "this function of bascule stands for no kernel yet.");
}

// A `__gm__ const` array of the file is read as a tensor is, within its bounds, and never written.
TEST(LoneKernel, ReadsConstantsOfItsFile) {
  const struct {
    int32_t way;
    const char* says;  // null: it works
  } rows[] = {
      {0, nullptr},
      {1, nullptr},
      {2, ": reads 4 bytes of 'squares' from byte 96, but 'squares' has 96 bytes. "},
      {3, ": reads 96 bytes of 'squares' from byte 32, but 'squares' has 96 bytes. "},
      {4, ": writes to 'squares', which this launch only reads. Nothing was written."},
      {5, ": writes to 'squares', which this launch only reads. Nothing was written."},
  };
  for (const auto& row : rows) {
    int32_t way[8] = {row.way};
    std::vector<float> out(24, -1.0f);
    Tensor tway(way, {8});
    Tensor tout(out.data(), {24});
    const BasculeStatus status = Call("constants", {&tway}, {&tout});
    if (row.says == nullptr) {
      ASSERT_EQ(status, BASCULE_OK) << row.way << ": " << bascule_last_error();
      for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<float>(i * i));
      continue;
    }
    EXPECT_EQ(status, BASCULE_KERNEL_ERROR) << row.way;
    EXPECT_NE(std::string(bascule_last_error()).find(row.says), std::string::npos)
        << row.way << ": " << bascule_last_error();
  }
}

// As MindSpore's own loader would call it: not by launching it.
TEST(LoneKernel, CalledLikeAFunctionSaysSo) {
  void* const handle = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const Aot function = FunctionAt(handle, "naive_half");
  try {
    function(3, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("outside a kernel launch"), std::string::npos);
  }
}

}  // namespace

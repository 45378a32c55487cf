// my_mul from its project to its result through the C interface and the shared library alone.
// SPDX-License-Identifier: Apache-2.0
#include "bascule/c_api.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bascule/numeric/half.h"

namespace {

namespace fs = std::filesystem;

// A tensor with its shape and strides.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  BasculeTensor view = {};

  Tensor(void* data, std::vector<int64_t> dims, uint8_t bits = 32, std::vector<int64_t> steps = {})
      : shape(std::move(dims)), strides(std::move(steps)) {
    view.data = data;
    view.device_type = 1;
    view.ndim = static_cast<int32_t>(shape.size());
    view.dtype_code = 2;
    view.dtype_bits = bits;
    view.dtype_lanes = 1;
    view.shape = shape.data();
    view.strides = strides.empty() ? nullptr : strides.data();
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
};

// my_mul as the build made it.
class CApi : public testing::Test {
 public:
  static void SetUpTestSuite() {
    std::string folder = (fs::temp_directory_path() / "bascule-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    ASSERT_EQ(bascule_library_open(path_.c_str(), &library_), BASCULE_OK) << bascule_last_error();
    ASSERT_EQ(bascule_library_find(library_, "my_mul", &op_), BASCULE_OK) << bascule_last_error();
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static BasculeStatus Call(std::vector<Tensor*> inputs, std::vector<Tensor*> outputs) {
    std::vector<const BasculeTensor*> in;
    std::vector<BasculeTensor*> out;
    for (Tensor* tensor : inputs) in.push_back(tensor != nullptr ? &tensor->view : nullptr);
    for (Tensor* tensor : outputs) out.push_back(tensor != nullptr ? &tensor->view : nullptr);
    return bascule_operator_call(op_, static_cast<uint32_t>(in.size()), in.data(),
                                 static_cast<uint32_t>(out.size()), out.data(), 0, nullptr);
  }

  static std::string folder_;
  static const std::string path_;
  static BasculeLibrary* library_;
  static const BasculeOperator* op_;
};

std::string CApi::folder_;
const std::string CApi::path_ = BASCULE_TEST_LIBRARIES "/libmy_mul.so";
BasculeLibrary* CApi::library_ = nullptr;
const BasculeOperator* CApi::op_ = nullptr;

std::vector<float> Numbers(size_t count, int step) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(static_cast<int>(i * static_cast<size_t>(step) % 61) - 30) / 8;
  }
  return out;
}

TEST_F(CApi, MultipliesEveryLength) {
  for (size_t n : {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 513, 4096, 8191, 100003, 1000003}) {
    std::vector<float> x = Numbers(n, 7);
    std::vector<float> y = Numbers(n, 11);
    std::vector<float> out(n + 1, 99.0f);  // one behind the end, which must stay
    Tensor tx(x.data(), {static_cast<int64_t>(n)});
    Tensor ty(y.data(), {static_cast<int64_t>(n)});
    Tensor tout(out.data(), {static_cast<int64_t>(n)});
    ASSERT_EQ(Call({&tx, &ty}, {&tout}), BASCULE_OK) << bascule_last_error();
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], x[i] * y[i]) << i << " of " << n;
    ASSERT_EQ(out[n], 99.0f);

    std::vector<bascule::half_t> hx(x.begin(), x.end());
    std::vector<bascule::half_t> hy(y.begin(), y.end());
    std::vector<bascule::half_t> hout(n + 1, 99.0f);
    Tensor htx(hx.data(), {static_cast<int64_t>(n)}, 16);
    Tensor hty(hy.data(), {static_cast<int64_t>(n)}, 16);
    Tensor htout(hout.data(), {static_cast<int64_t>(n)}, 16);
    ASSERT_EQ(Call({&htx, &hty}, {&htout}), BASCULE_OK) << bascule_last_error();
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(hout[i], hx[i] * hy[i]) << i << " of " << n;
    ASSERT_EQ(hout[n], 99.0f);
  }
}

TEST_F(CApi, TakesScalarsAndManyDimensions) {
  std::vector<float> x = Numbers(60, 7);
  std::vector<float> out(60);
  Tensor scalar_x(x.data(), {});
  Tensor scalar_out(out.data(), {});
  ASSERT_EQ(Call({&scalar_x, &scalar_x}, {&scalar_out}), BASCULE_OK) << bascule_last_error();
  EXPECT_EQ(out[0], x[0] * x[0]);
  Tensor wide_x(x.data(), {1, 3, 1, 4, 5, 1});
  Tensor wide_out(out.data(), {1, 3, 1, 4, 5, 1});
  ASSERT_EQ(Call({&wide_x, &wide_x}, {&wide_out}), BASCULE_OK) << bascule_last_error();
  for (size_t i = 0; i < 60; ++i) EXPECT_EQ(out[i], x[i] * x[i]);
}

// Transposed, reversed, spread out, broadcast: read and written where the strides say, and nowhere
// else.
TEST_F(CApi, FollowsStrides) {
  constexpr int64_t kRows = 13;
  constexpr int64_t kColumns = 7;
  std::vector<float> x = Numbers(kRows * kColumns * 3, 7);
  std::vector<float> y = Numbers(kRows * kColumns * 3, 5);
  struct View {
    int64_t row;
    int64_t column;
    int64_t offset;
  };
  const View views[] = {
      {kColumns, 1, 0}, {1, kRows, 0},        {-kColumns, 1, (kRows - 1) * kColumns},
      {0, 1, 3},        {3 * kColumns, 3, 1}, {0, 0, 5}};
  for (const View& vx : views) {
    for (const View& vy : views) {
      for (const View& vo : {views[0], views[1], views[2], views[4]}) {
        std::vector<float> out(kRows * kColumns * 3, 99.0f);
        Tensor tx(x.data() + vx.offset, {kRows, kColumns}, 32, {vx.row, vx.column});
        Tensor ty(y.data() + vy.offset, {kRows, kColumns}, 32, {vy.row, vy.column});
        Tensor tout(out.data(), {kRows, kColumns}, 32, {vo.row, vo.column});
        tout.view.byte_offset = static_cast<uint64_t>(vo.offset) * sizeof(float);
        ASSERT_EQ(Call({&tx, &ty}, {&tout}), BASCULE_OK) << bascule_last_error();
        std::vector<float> expected(out.size(), 99.0f);
        for (int64_t r = 0; r < kRows; ++r) {
          for (int64_t c = 0; c < kColumns; ++c) {
            expected[static_cast<size_t>(vo.offset + r * vo.row + c * vo.column)] =
                x[static_cast<size_t>(vx.offset + r * vx.row + c * vx.column)] *
                y[static_cast<size_t>(vy.offset + r * vy.row + c * vy.column)];
          }
        }
        ASSERT_EQ(out, expected);
      }
    }
  }
}

struct Refusal {
  const char* name;
  BasculeStatus (*call)(float* data);
  const char* says;
};

const Refusal kRefusals[] = {
    {"OtherShape",
     [](float* data) {
       Tensor x(data, {3, 5});
       Tensor y(data, {3, 4});
       Tensor out(data + 100, {3, 5});
       return CApi::Call({&x, &y}, {&out});
     },
     "my_mul: its shape inference refuses x (3, 5), y (3, 4): it returned GRAPH_FAILED"},
    {"OtherType",
     [](float* data) {
       Tensor x(data, {8}, 64);
       Tensor out(data + 100, {8});
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul was called with x float64, y float64. It supports: float16, float16; float32, "
     "float32; bfloat16, bfloat16; int32, int32."},
    {"MixedTypes",
     [](float* data) {
       Tensor x(data, {8});
       Tensor y(data, {8}, 16);
       Tensor out(data + 100, {8});
       return CApi::Call({&x, &y}, {&out});
     },
     "my_mul was called with x float32, y float16. It supports: float16, float16; float32, "
     "float32; bfloat16, bfloat16; int32, int32."},
    {"OneInput",
     [](float* data) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       return CApi::Call({&x}, {&out});
     },
     "my_mul takes 2 inputs (x, y), but 1 was passed."},
    {"TwoOutputs",
     [](float* data) {
       Tensor x(data, {8});
       Tensor a(data + 100, {8});
       Tensor b(data + 200, {8});
       return CApi::Call({&x, &x}, {&a, &b});
     },
     "my_mul has 1 output, but 2 were passed."},
    {"OutputShape",
     [](float* data) {
       Tensor x(data, {8});
       Tensor out(data + 100, {9});
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul: output 'out' has to have shape (8,) for these inputs, but it has (9,)."},
    {"OutputType",
     [](float* data) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8}, 16);
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul: output 'out' has to be float32 for these inputs, but it is float16."},
    {"Overlap",
     [](float* data) {
       Tensor x(data, {8});
       Tensor out(data + 4, {8});
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul: output 'out' overlaps input 'x' in memory; an output needs memory of its own."},
    {"NullInput",
     [](float* data) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       return CApi::Call({&x, nullptr}, {&out});
     },
     "my_mul: the input 'y' is required."},
    {"NullData",
     [](float* data) {
       Tensor x(data, {8});
       Tensor y(nullptr, {8});
       Tensor out(data + 100, {8});
       return CApi::Call({&x, &y}, {&out});
     },
     "my_mul: input 'y' has no data."},
    {"OtherDevice",
     [](float* data) {
       Tensor x(data, {8});
       x.view.device_type = 2;
       Tensor out(data + 100, {8});
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul: input 'x' is on a device of DLPack type 2; bascule works on the CPU. Move it there "
     "first."},
    {"TooManyDimensions",
     [](float* data) {
       Tensor x(data, std::vector<int64_t>(26, 1));
       Tensor out(data + 100, {1});
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul: input 'x' has 26 dimensions; 0 to 25 are possible."},
    {"Negative",
     [](float* data) {
       Tensor x(data, {-8});
       Tensor out(data + 100, {8});
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul: input 'x' has the negative dimension -8."},
    {"TooLarge",
     [](float* data) {
       Tensor x(data, {int64_t{1} << 40, int64_t{1} << 40});
       Tensor out(data + 100, {int64_t{1} << 40, int64_t{1} << 40});
       return CApi::Call({&x, &x}, {&out});
     },
     nullptr},
    {"ByteOffset",
     [](float* data) {
       Tensor x(data, {8});
       x.view.byte_offset = uint64_t{1} << 55;
       Tensor out(data + 100, {8});
       return CApi::Call({&x, &x}, {&out});
     },
     "my_mul: input 'x' lies at an address that no program has; is its byte_offset "
     "36028797018963968 meant?"},
    {"UnknownDimension",
     [](float*) {
       BasculeTensorInfo x = {};
       x.present = 1;
       x.dtype = BASCULE_FLOAT;
       x.format = BASCULE_FORMAT_ND;
       x.shape = {2, {-1, 5}};
       const BasculeTensorInfo inputs[] = {x, x};
       BasculePlan* plan = nullptr;
       return bascule_operator_plan(CApi::op_, 2, inputs, 0, nullptr, &plan);
     },
     "my_mul: input 'x' has shape (?, 5); a plan is made for shapes that are known."},
    {"UnknownRank",
     [](float*) {
       BasculeTensorInfo x = {};
       x.present = 1;
       x.dtype = BASCULE_FLOAT;
       x.format = BASCULE_FORMAT_ND;
       BasculeTensorInfo y = x;
       y.shape.rank = -1;
       const BasculeTensorInfo inputs[] = {x, y};
       BasculePlan* plan = nullptr;
       return bascule_operator_plan(CApi::op_, 2, inputs, 0, nullptr, &plan);
     },
     "my_mul: input 'y' has shape (...); a plan is made for shapes that are known."},
    {"Attribute",
     [](float* data) {
       Tensor x(data, {8});
       Tensor out(data + 100, {8});
       const BasculeTensor* in[] = {&x.view, &x.view};
       BasculeTensor* results[] = {&out.view};
       BasculeAttribute attribute = {};
       attribute.name = "alpha";
       return bascule_operator_call(CApi::op_, 2, in, 1, results, 1, &attribute);
     },
     "my_mul has no attribute 'alpha'."},
};

class RefusalTest : public CApi, public testing::WithParamInterface<Refusal> {};

TEST_P(RefusalTest, IsASentenceAndTouchesNothing) {
  std::vector<float> data(512, 7.0f);
  EXPECT_NE(GetParam().call(data.data()), BASCULE_OK);
  if (GetParam().says != nullptr) {
    EXPECT_STREQ(bascule_last_error(), GetParam().says);
  } else {
    EXPECT_STRNE(bascule_last_error(), "");
  }
  for (float value : data) ASSERT_EQ(value, 7.0f);
}

INSTANTIATE_TEST_SUITE_P(All, RefusalTest, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(CApi, InfersShapesWithUnknowns) {
  auto infer = [](BasculeShape a, BasculeShape b, BasculeTensorInfo& out) {
    BasculeTensorInfo in[2] = {};
    for (BasculeTensorInfo& info : in) {
      info.present = 1;
      info.dtype = BASCULE_FLOAT16;
    }
    in[0].shape = a;
    in[1].shape = b;
    return bascule_operator_infer(op_, 2, in, 0, nullptr, 1, &out);
  };
  BasculeTensorInfo out = {};
  ASSERT_EQ(infer({2, {3, 5}}, {2, {3, 5}}, out), BASCULE_OK) << bascule_last_error();
  EXPECT_EQ(out.dtype, BASCULE_FLOAT16);
  EXPECT_EQ(out.shape.rank, 2);
  EXPECT_EQ(out.shape.dims[1], 5);
  ASSERT_EQ(infer({2, {-1, 5}}, {2, {3, -1}}, out), BASCULE_OK) << bascule_last_error();
  EXPECT_EQ(out.shape.dims[0], 3);
  EXPECT_EQ(out.shape.dims[1], 5);
  ASSERT_EQ(infer({-1, {}}, {-1, {}}, out), BASCULE_OK) << bascule_last_error();
  EXPECT_EQ(out.shape.rank, -1);
}

TEST_F(CApi, FindsOperatorsByName) {
  EXPECT_EQ(bascule_library_operator_count(library_), 1u);
  EXPECT_EQ(bascule_library_operator(library_, 0), op_);
  EXPECT_EQ(bascule_library_operator(library_, 1), nullptr);
  EXPECT_STREQ(bascule_operator_name(op_), "my_mul");
  EXPECT_NE(std::string(bascule_operator_schema(op_)).find("\"MyMul\""), std::string::npos);
  const BasculeOperator* none = nullptr;
  EXPECT_EQ(bascule_library_find(library_, "my_mull", &none), BASCULE_NOT_FOUND);
  EXPECT_EQ(bascule_last_error(), "'" + path_ + "' has no operator 'my_mull'; it has: my_mul.");
}

TEST_F(CApi, OpensTheSameContentOnce) {
  const std::string copy = folder_ + "/copy.so";
  fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
  BasculeLibrary* again = nullptr;
  ASSERT_EQ(bascule_library_open(copy.c_str(), &again), BASCULE_OK) << bascule_last_error();
  EXPECT_EQ(again, library_);
}

// A project edited and built again at the same path: the new code runs, in the process that ran the
// old.
TEST_F(CApi, ARebuiltLibraryIsNewCode) {
  const std::string project = folder_ + "/edited";
  fs::copy(BASCULE_SOURCE_DIR "/operators/my_mul", project, fs::copy_options::recursive);
  const std::string output = folder_ + "/libedited.so";
  auto build_and_run = [&](float x, float y) {
    char* report = nullptr;
    const std::string options =
        "{\"prefix\": \"" BASCULE_TEST_PREFIX "\", \"output\": \"" + output + "\"}";
    EXPECT_EQ(bascule_build(project.c_str(), options.c_str(), &report), BASCULE_OK)
        << bascule_last_error() << (report != nullptr ? report : "");
    bascule_free(report);
    BasculeLibrary* library = nullptr;
    const BasculeOperator* op = nullptr;
    EXPECT_EQ(bascule_library_open(output.c_str(), &library), BASCULE_OK) << bascule_last_error();
    EXPECT_EQ(bascule_library_find(library, "my_mul", &op), BASCULE_OK) << bascule_last_error();
    float out = 0;
    Tensor tx(&x, {1});
    Tensor ty(&y, {1});
    Tensor tout(&out, {1});
    const BasculeTensor* in[] = {&tx.view, &ty.view};
    BasculeTensor* results[] = {&tout.view};
    EXPECT_EQ(bascule_operator_call(op, 2, in, 1, results, 0, nullptr), BASCULE_OK)
        << bascule_last_error();
    return out;
  };
  EXPECT_EQ(build_and_run(3, 4), 12.0f);
  const std::string kernel = project + "/op_kernel/my_mul.cpp";
  std::string text;
  {
    std::ifstream file(kernel);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::string call = "product.Run(outLocal, xLocal, yLocal";
  ASSERT_NE(text.find(call), std::string::npos);
  text.replace(text.find(call), call.size(), "product.Run(outLocal, xLocal, xLocal");
  std::ofstream(kernel) << text;
  EXPECT_EQ(build_and_run(3, 4), 9.0f);
}

TEST_F(CApi, ReadsAManifestWithoutLoading) {
  char* json = nullptr;
  ASSERT_EQ(bascule_manifest_read(path_.c_str(), &json), BASCULE_OK) << bascule_last_error();
  const std::string text = json;
  bascule_free(json);
  EXPECT_NE(text.find("\"my_mul\""), std::string::npos);
  EXPECT_NE(text.find("my_mul_bprop"), std::string::npos);
  EXPECT_EQ(bascule_manifest_read("/nowhere.so", &json), BASCULE_NOT_FOUND);
}

TEST_F(CApi, NullArgumentsAreSentences) {
  EXPECT_EQ(bascule_library_open(nullptr, nullptr), BASCULE_INVALID_ARGUMENT);
  EXPECT_STREQ(bascule_last_error(), "bascule_library_open: 'path' is null.");
  EXPECT_EQ(bascule_operator_call(nullptr, 0, nullptr, 0, nullptr, 0, nullptr),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_STREQ(bascule_last_error(), "bascule_operator_call: 'op' is null.");
  EXPECT_EQ(bascule_build("x", "[", nullptr), BASCULE_INVALID_ARGUMENT);
}

TEST_F(CApi, CountsWhileTheCounterIsAttached) {
  ASSERT_EQ(bascule_observe_begin("count"), BASCULE_OK) << bascule_last_error();
  std::vector<float> x = Numbers(5000, 7);
  std::vector<float> out(5000);
  Tensor tx(x.data(), {5000});
  Tensor tout(out.data(), {5000});
  ASSERT_EQ(Call({&tx, &tx}, {&tout}), BASCULE_OK) << bascule_last_error();
  char* json = nullptr;
  ASSERT_EQ(bascule_observe_report("count", &json), BASCULE_OK) << bascule_last_error();
  EXPECT_NE(std::string(json).find("\"pipe\": \"V\", \"name\": \"Mul\""), std::string::npos)
      << json;
  bascule_free(json);
  ASSERT_EQ(bascule_observe_end("count"), BASCULE_OK);
  EXPECT_EQ(bascule_observe_end("count"), BASCULE_NOT_FOUND);
  EXPECT_EQ(bascule_observe_begin("telepathy"), BASCULE_NOT_FOUND);
  EXPECT_STREQ(bascule_last_error(), "there is no observer 'telepathy'; there is: count.");
}

TEST_F(CApi, ManyThreadsCallAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        const size_t n = 1000 + static_cast<size_t>(t * 37 + i);
        std::vector<float> x = Numbers(n, t + 1);
        std::vector<float> out(n);
        Tensor tx(x.data(), {static_cast<int64_t>(n)});
        Tensor tout(out.data(), {static_cast<int64_t>(n)});
        ASSERT_EQ(Call({&tx, &tx}, {&tout}), BASCULE_OK) << bascule_last_error();
        for (size_t j = 0; j < n; ++j) ASSERT_EQ(out[j], x[j] * x[j]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

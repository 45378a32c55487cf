// bascule/check.h: arguments that cannot be used, and what no library is needed for.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bascule/check.h"

namespace {

using nlohmann::json;

json Take(char* text) {
  const json value = json::parse(text == nullptr ? "null" : text);
  bascule_free(text);
  return value;
}

TEST(CheckApi, RefusesWhatIsMissing) {
  char* out = nullptr;
  EXPECT_EQ(bascule_check_cases(nullptr, nullptr, &out), BASCULE_INVALID_ARGUMENT);
  EXPECT_STREQ(bascule_last_error(), "bascule_check_cases: 'schema' is null.");
  EXPECT_EQ(bascule_check_cases("{", nullptr, &out), BASCULE_INVALID_ARGUMENT);
  EXPECT_STREQ(bascule_last_error(), "bascule_check_cases: 'schema' is no JSON.");
  EXPECT_EQ(bascule_check_cases("{}", nullptr, &out), BASCULE_INVALID_ARGUMENT);
  EXPECT_STREQ(bascule_last_error(), "the schema is no operator's entry of a manifest.");
  EXPECT_EQ(bascule_check_fill(nullptr, "{}"), BASCULE_INVALID_ARGUMENT);
  BasculeTensor tensor = {};
  tensor.device_type = 1;
  tensor.dtype_code = 2;
  tensor.dtype_bits = 32;
  tensor.dtype_lanes = 1;
  EXPECT_EQ(bascule_check_fill(&tensor, "{}"), BASCULE_INVALID_ARGUMENT);
  EXPECT_STREQ(bascule_last_error(), "bascule_check_fill: a tensor has no data.");
  tensor.ndim = 1000;
  EXPECT_EQ(bascule_check_fill(&tensor, "{}"), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(bascule_check_forward(nullptr, 0, nullptr, &out), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(bascule_check_gradient(nullptr, 0, nullptr, nullptr, 0, nullptr, &out),
            BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(bascule_check_memory(nullptr, nullptr, 1, &out), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(bascule_check_repeatable(nullptr, 0, nullptr, 0, nullptr, 0, nullptr, &out),
            BASCULE_INVALID_ARGUMENT);
  bascule_check_close(nullptr);
}

int Twice(void* context, uint32_t, const double* const* inputs, uint32_t, void* const* outputs) {
  if (context != nullptr) return 1;
  for (int i = 0; i < 3; ++i) static_cast<double*>(outputs[0])[i] = 2 * inputs[0][i];
  return 0;
}

TEST(CheckApi, JudgesACase) {
  float x[] = {1, 2, 3};
  float right[] = {2, 4, 6};
  float wrong[] = {2, 4, 7};
  float ones[] = {1, 1, 1};
  int64_t shape[] = {3};
  const auto tensor = [&](float* data) {
    return BasculeTensor{data, 1, 0, 1, 2, 32, 1, shape, nullptr, 0};
  };
  const BasculeTensor tx = tensor(x);
  const BasculeTensor tright = tensor(right);
  const BasculeTensor twrong = tensor(wrong);
  const BasculeTensor tones = tensor(ones);
  const BasculeTensor* inputs[] = {&tx};
  BasculeTensorInfo info = {};
  info.dtype = BASCULE_FLOAT;
  info.shape.rank = 1;
  info.shape.dims[0] = 3;
  BasculeCheck* check = nullptr;
  ASSERT_EQ(bascule_check_open(R"({"inputs": ["x"], "outputs": ["out"]})", 1, inputs, 1, &info,
                               Twice, nullptr, &check),
            BASCULE_OK);
  char* report = nullptr;
  const BasculeTensor* outputs[] = {&tright};
  ASSERT_EQ(bascule_check_forward(check, 1, outputs, &report), BASCULE_OK);
  EXPECT_EQ(Take(report)["verdict"], "ok");
  outputs[0] = &twrong;
  ASSERT_EQ(bascule_check_forward(check, 1, outputs, &report), BASCULE_OK);
  EXPECT_EQ(Take(report)["first"]["index"], json({2}));
  const BasculeTensor* douts[] = {&tones};
  const BasculeTensor* gradients[] = {&tones};
  ASSERT_EQ(bascule_check_gradient(check, 1, outputs, douts, 1, gradients, &report), BASCULE_OK);
  EXPECT_EQ(Take(report)["guess"], "a factor: it is 1/2 times what it should be");
  bascule_check_close(check);

  ASSERT_EQ(bascule_check_open("{}", 1, inputs, 1, &info, Twice, &info, &check), BASCULE_OK);
  EXPECT_EQ(bascule_check_forward(check, 1, outputs, &report), BASCULE_INVALID_ARGUMENT);
  EXPECT_STREQ(bascule_last_error(), "the function that results are held against failed.");
  bascule_check_close(check);
}

int Leak(void* context) {
  // 4 KB a call, touched so that it counts.
  auto& kept = *static_cast<std::vector<std::unique_ptr<char[]>>*>(context);
  kept.push_back(std::make_unique<char[]>(4096));
  std::memset(kept.back().get(), 1, 4096);
  return 0;
}
int Nothing(void*) { return 0; }

TEST(CheckApi, SeesMemoryThatGrows) {
  char* report = nullptr;
  ASSERT_EQ(bascule_check_memory(Nothing, nullptr, 1000, &report), BASCULE_OK);
  EXPECT_EQ(Take(report)["verdict"], "ok");
  std::vector<std::unique_ptr<char[]>> kept;
  ASSERT_EQ(bascule_check_memory(Leak, &kept, 1000, &report), BASCULE_OK);
  const json grown = Take(report);
  EXPECT_EQ(grown["verdict"], "failed");
  EXPECT_GT(grown["grown_bytes"].get<int64_t>(), 3'000'000);
}

TEST(CheckApi, AdvisesWhereABackwardKernelWouldPay) {
  char* advice = nullptr;
  ASSERT_EQ(bascule_check_advice(R"({"operator": "my_op", "operators": 7, "forward_seconds": 1,
                                     "backward_seconds": 3, "bytes_saved": 10, "input_bytes": 10})",
                                 &advice),
            BASCULE_OK);
  const json report = Take(advice);
  EXPECT_EQ(report["share"], 0.75);
  EXPECT_EQ(report["hints"],
            json({"a backward kernel would pay: the gradient of my_op runs 7 operators, which take "
                  "75 % of forward and backward together"}));
  EXPECT_TRUE(report["warnings"].empty());
  ASSERT_EQ(bascule_check_advice(R"({"operator": "my_op", "all_zero": true})", &advice),
            BASCULE_OK);
  EXPECT_EQ(Take(advice)["warnings"],
            json({"every gradient of my_op is 0: nothing in front of it will train"}));
}

}  // namespace

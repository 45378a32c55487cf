// Tiling data and the tiling key, by every macro that reads them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

struct Part {
  int32_t rows;
  int32_t columns;
};
struct Data {
  uint32_t length;
  Part part;
  uint64_t sizes[3];
};
constexpr Data kData = {513, {7, 11}, {1, 1ull << 40, 3}};

// What the host wrote: `bytes` bytes of the structure.
std::vector<uint8_t> Written(size_t bytes = sizeof(Data)) {
  std::vector<uint8_t> written(bytes);
  std::memcpy(written.data(), &kData, std::min(bytes, sizeof(Data)));
  return written;
}

TEST(TilingData, IsWhatTheHostWrote) {
  std::vector<uint8_t> written = Written();
  test::KernelRunner(3).Input("tiling", written).Run([&] {
    REGISTER_TILING_DEFAULT(Data);
    REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 1", Part);
    GM_ADDR tiling = written.data();
    GET_TILING_DATA(whole, tiling);
    EXPECT_EQ(whole.length, 513u);
    EXPECT_EQ(whole.sizes[1], 1ull << 40);
    whole.length = 1;  // a copy, which the kernel may change
    GET_TILING_DATA_WITH_STRUCT(Part, first, tiling + offsetof(Data, part));
    EXPECT_EQ(first.columns, 11);
    GET_TILING_DATA_MEMBER(Data, part, part, tiling);
    EXPECT_EQ(part.rows, 7);
    GET_TILING_DATA_MEMBER(Data, part.columns, columns, tiling);
    EXPECT_EQ(columns, 11);
    GET_TILING_DATA_PTR_WITH_STRUCT(Data, pointer, tiling);
    EXPECT_EQ(pointer->length, 513u);
    COPY_TILING_WITH_STRUCT(Part, pointer->part, copied);
    EXPECT_EQ(copied->rows, 7);
    COPY_TILING_WITH_ARRAY(uint64_t, 2, pointer->sizes, sizes);
    EXPECT_EQ((*sizes)[1], 1ull << 40);
  });
}

// A kernel that reads more than the host wrote sees another structure than the host does.
TEST(TilingData, ShorterThanTheStructureIsAnError) {
  REGISTER_NONE_TILING;
  for (size_t bytes : {size_t{1}, sizeof(Data) - 1}) {
    std::vector<uint8_t> written = Written(bytes);
    const auto error = [&](auto kernel) {
      return test::KernelRunner(1).Input("tiling", written).Error(kernel);
    };
    const std::string expected =
        "reads 40 bytes of tiling data, the host wrote " + std::to_string(bytes) + ";";
    static_assert(sizeof(Data) == 40);
    EXPECT_NE(error([&] {
                GET_TILING_DATA_WITH_STRUCT(Data, d, written.data());
                (void)d;
              }).find(expected),
              std::string::npos);
    EXPECT_NE(error([&] {
                GET_TILING_DATA_MEMBER(Data, length, d, written.data());
                (void)d;
              }).find(expected),
              std::string::npos);
    EXPECT_NE(error([&] {
                GET_TILING_DATA_PTR_WITH_STRUCT(Data, d, written.data());
                (void)d;
              }).find(expected),
              std::string::npos);
  }
  EXPECT_NE(test::KernelRunner(1)
                .Error([] {
                  GET_TILING_DATA_WITH_STRUCT(Data, d, nullptr);
                  (void)d;
                })
                .find("the host wrote 0"),
            std::string::npos);
}

TEST(TilingKey, ChoosesTheBranch) {
  for (uint64_t key : {uint64_t{0}, uint64_t{1}, uint64_t{10086}, ~uint64_t{0}}) {
    test::KernelRunner(2).TilingKey(key).Run([key] {
      EXPECT_EQ(TILING_KEY_IS(0), key == 0);
      EXPECT_EQ(TILING_KEY_IS(1), key == 1);
      EXPECT_EQ(TILING_KEY_IS(10086UL), key == 10086);
      EXPECT_EQ(TILING_KEY_IS(18446744073709551615UL), key == ~uint64_t{0});
      EXPECT_EQ(TILING_KEY_LIST(1, 10086), key == 1 || key == 10086);
    });
  }
}

}  // namespace
}  // namespace bascule::engine

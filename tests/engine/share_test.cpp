// GetTensorNum and GetBlockSize: what a kernel learns of the launch's first tensor.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/launch.h"
#include "engine/platform.h"
#include "kernel_operator.h"

namespace bascule::engine {
namespace {

struct Shares {
  uint32_t elements = 0;
  uint32_t share = 0;
};

// What every block is told; all blocks have to be told the same.
Shares Ask(uint64_t elements, uint32_t element_bytes, uint32_t blocks) {
  std::vector<Shares> told(blocks);
  auto kernel = [&] {
    Shares& mine = told[static_cast<size_t>(GetBlockIdx())];
    mine.elements = GetTensorNum();
    mine.share = GetBlockSize(mine.elements);
  };
  LaunchRequest request;
  request.kernel = "shares";
  request.invoke = [](const void* closure) { (*static_cast<const decltype(kernel)*>(closure))(); };
  request.closure = &kernel;
  request.block_count = blocks;
  request.platform = &Ascend910B();
  request.first_elements = elements;
  request.first_element_bytes = element_bytes;
  Launch(request);
  for (const Shares& other : told) {
    EXPECT_EQ(other.elements, told[0].elements);
    EXPECT_EQ(other.share, told[0].share);
  }
  return told[0];
}

TEST(Share, IsRoundedUpToADatablock) {
  EXPECT_EQ(Ask(100003, 2, 40).elements, 100003u);
  EXPECT_EQ(Ask(100003, 2, 40).share, 2512u);  // 2501, in steps of 16
  EXPECT_EQ(Ask(100003, 4, 40).share, 2504u);
  EXPECT_EQ(Ask(100003, 8, 40).share, 2504u);
  EXPECT_EQ(Ask(100003, 1, 40).share, 2528u);
  EXPECT_EQ(Ask(1, 2, 1).share, 16u);
  EXPECT_EQ(Ask(0, 2, 3).share, 0u);
  EXPECT_EQ(Ask(4096, 2, 8).share, 512u);
}

std::string ErrorOf(uint64_t elements, uint32_t element_bytes) {
  try {
    Ask(elements, element_bytes, 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Share, NeedsATensor) {
  EXPECT_NE(ErrorOf(0, 0).find("GetTensorNum: this launch knows addresses and not tensors"),
            std::string::npos);
  EXPECT_NE(ErrorOf(UINT32_MAX, 4).find("GetBlockSize: a block's share"), std::string::npos);
  EXPECT_NE(ErrorOf(uint64_t{1} << 32, 4).find("more elements than 32 bits count"),
            std::string::npos);
}

}  // namespace
}  // namespace bascule::engine

// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "isa/row.h"

namespace bascule {
namespace {

TEST(DType, EveryTypeIsFoundByEachOfItsNames) {
  size_t count = 0;
  const DTypeInfo* all = AllDTypes(&count);
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(FindDType(all[i].dtype), &all[i]);
    EXPECT_EQ(FindDType(all[i].name), &all[i]);
    EXPECT_EQ(FindDTypeByDlpack(all[i].dlpack_code, static_cast<uint8_t>(all[i].bits)), &all[i]);
    EXPECT_TRUE(names.insert(all[i].name).second) << all[i].name;
    // The instructions keep sizes of their own, for speed.
    const uint32_t bytes = all[i].bits / 8;
    EXPECT_EQ(isa::ElementBytes(static_cast<BasculeDType>(all[i].dtype)), bytes) << all[i].name;
  }
  EXPECT_EQ(FindDType(-1), nullptr);
  EXPECT_EQ(FindDType("float8"), nullptr);
  EXPECT_STREQ(DTypeName(99), "unknown");
}

}  // namespace
}  // namespace bascule

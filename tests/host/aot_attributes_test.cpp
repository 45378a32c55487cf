// Attributes out of MindSpore's AotExtra, whichever layout of strings MindSpore was built with.
// SPDX-License-Identifier: Apache-2.0
#include "host/aot_attributes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace old_strings {
const void* Extra();
}
namespace new_strings {
const void* Extra();
}

namespace bascule::host {
namespace {

BasculeAttributeDef Def(const char* name, uint32_t kind) {
  BasculeAttributeDef def = {};
  def.name = name;
  def.kind = kind;
  return def;
}

class AotAttributesTest : public testing::TestWithParam<const void*> {
 protected:
  AotAttributes Read(std::vector<BasculeAttributeDef> defs) {
    defs_ = std::move(defs);
    def_.attributes = defs_.data();
    def_.attribute_count = static_cast<uint32_t>(defs_.size());
    entry_.name = "my_op";
    entry_.def = &def_;
    return AotAttributes(entry_, GetParam());
  }

 private:
  std::vector<BasculeAttributeDef> defs_;
  BasculeOperatorDef def_ = {};
  BasculeOperatorEntry entry_ = {};
};

TEST_P(AotAttributesTest, EveryTypeArrives) {
  const AotAttributes read = Read({
      Def("flag", BASCULE_ATTR_BOOL),
      Def("count", BASCULE_ATTR_INT),
      Def("ratio", BASCULE_ATTR_FLOAT),
      Def("mode", BASCULE_ATTR_STRING),
      Def("nothing", BASCULE_ATTR_STRING),
      Def("long", BASCULE_ATTR_STRING),
      Def("axes", BASCULE_ATTR_INT_LIST),
      Def("scales", BASCULE_ATTR_FLOAT_LIST),
  });
  const auto given = read.given();
  ASSERT_EQ(given.size(), 8u);
  EXPECT_STREQ(given[0].name, "flag");
  EXPECT_EQ(given[0].value.i, 1);
  EXPECT_EQ(given[1].value.i, int64_t{1} << 40);
  EXPECT_EQ(given[2].value.f, 0.25F);
  EXPECT_EQ(std::string(given[3].value.s, given[3].length), "edge");
  EXPECT_EQ(std::string(given[4].value.s, given[4].length), "");
  EXPECT_EQ(std::string(given[5].value.s, given[5].length), std::string(100, 'x'));
  EXPECT_EQ(std::vector<int64_t>(given[6].value.ints, given[6].value.ints + given[6].length),
            (std::vector<int64_t>{3, -1}));
  EXPECT_EQ(std::vector<float>(given[7].value.floats, given[7].value.floats + given[7].length),
            (std::vector<float>{0.5F, 2}));
}

TEST_P(AotAttributesTest, WhatIsNotThereIsLeftOut) {
  EXPECT_TRUE(Read({Def("absent", BASCULE_ATTR_INT)}).given().empty());
}

TEST_P(AotAttributesTest, AnotherTypeIsASentence) {
  try {
    Read({Def("wrong", BASCULE_ATTR_INT)});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "my_op: the attribute 'wrong' has to be of type int; MindSpore says: Cast failed, "
                 "original value: 1.5. Give reg_info a value of that type: .attr(\"wrong\", "
                 "\"required\", \"int\", value=…).");
  }
  EXPECT_THROW(Read({Def("flag", 99)}), Error);
}

TEST_P(AotAttributesTest, CountsOfInputs) {
  BasculeOperatorDef def = {};
  BasculeOperatorEntry entry = {};
  entry.name = "my_op";
  entry.def = &def;
  def.input_count = 3;
  EXPECT_EQ(AotCounts(entry, GetParam()), (std::vector<uint32_t>{1, 0, 40}));
  EXPECT_TRUE(AotCounts(entry, nullptr).empty());
  def.input_count = 2;
  try {
    AotCounts(entry, GetParam());
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "my_op: bascule_counts has 3 numbers for 2 inputs.");
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, AotAttributesTest,
                         testing::Values(old_strings::Extra(), new_strings::Extra()));

TEST(AotAttributes, NothingIsReadWithoutAttributes) {
  const BasculeOperatorDef def = {};
  BasculeOperatorEntry entry = {};
  entry.def = &def;
  const char no_object = 0;
  EXPECT_TRUE(AotAttributes(entry, &no_object).given().empty());
}

}  // namespace
}  // namespace bascule::host

// Plans that are made from lists and carried in files.
// SPDX-License-Identifier: Apache-2.0
#include "host/plans.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "host/library.h"
#include "tests/host/made_up.h"
#include "xxhash.h"

namespace bascule::test {
namespace {

namespace fs = std::filesystem;

host::Operator& Op(const char* name) {
  return *reinterpret_cast<host::Operator*>(const_cast<BasculeOperator*>(MadeUp(name)));
}
const BasculeLibrary* TheLibrary() {
  return reinterpret_cast<const BasculeLibrary*>(Op("copy").library);
}

std::string Error() { return bascule_last_error(); }

class Plans : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "bascule-plans-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Path(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void Write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// With the checksum that belongs to it.
std::string Signed(std::string content) {
  const uint64_t hash = XXH3_64bits(content.data(), content.size() - 8);
  std::memcpy(content.data() + content.size() - 8, &hash, 8);
  return content;
}

TEST_F(Plans, AreMadeFromAList) {
  uint64_t count = 0;
  const int before = tilings.load();
  ASSERT_EQ(bascule_library_plan(TheLibrary(), R"([
      {"operator": "sum", "inputs": [{"shape": [31, 7], "dtype": "float32"}]},
      {"operator": "sum", "inputs": [{"shape": [0, 3, 0], "dtype": "float32"}]},
      {"operator": "add", "inputs": [{"shape": [91], "dtype": "float32"}, null]},
      {"operator": "copy", "inputs": [{"shape": [], "dtype": "bfloat16"}]},
      {"operator": "settings", "inputs": [{"shape": [93], "dtype": "float32"}],
       "attributes": {"count": 3, "scale": 2, "flag": true, "mode": "m", "steps": [1], "weights": [0.5, 1]}}
      ])",
                                 &count),
            BASCULE_OK)
      << Error();
  EXPECT_EQ(count, 5u);
  EXPECT_EQ(tilings.load(), before + 4);
  EXPECT_STREQ(seen, "3 2 1 'm' 1 0.5 1");
  std::vector<float> x(31 * 7, 1);
  std::vector<float> out(7);
  View view(x.data(), {31, 7});
  View result(out.data(), {7});
  ASSERT_EQ(CallOn("sum", {&view}, {&result}), BASCULE_OK) << Error();
  EXPECT_EQ(out, std::vector<float>(7, 31));
  EXPECT_EQ(tilings.load(), before + 4);
}

TEST_F(Plans, AListThatSaysSomethingElseIsASentence) {
  const struct {
    const char* json;
    const char* says;
  } cases[] = {
      {"{", "plans for '"},
      {"{}", "plans for '"},
      {"[1]", "an entry is {"},
      {R"([{"operator": "copy"}])", "an entry is {"},
      {R"([{"operator": "copy", "inputs": [], "blocks": 1}])", "it has a member 'blocks'"},
      {R"([{"inputs": []}])", "it has to say which \"operator\" it is for"},
      {R"([{"operator": "nothing", "inputs": []}])", "has no operator 'nothing'"},
      {R"([{"operator": "copy", "inputs": []}])", "copy takes 1 input (x), but 0 were passed."},
      {R"([{"operator": "copy", "inputs": [[3]]}])", "an input is {\"shape\""},
      {R"([{"operator": "copy", "inputs": [{"shape": [3], "dtype": "x"}]}])",
       "\"x\" is no element"},
      {R"([{"operator": "copy", "inputs": [{"shape": [-1], "dtype": "int8"}]}])",
       "a shape is a list"},
      {R"([{"operator": "copy", "inputs": [{"shape": [1.5], "dtype": "int8"}]}])",
       "a shape is a list"},
      {R"([{"operator": "copy", "inputs": [{"shape": [3], "dtype": "int8"}], "attributes": {"a": 1}}])",
       "copy has no attribute 'a'"},
      {R"([{"operator": "settings", "inputs": [{"shape": [3], "dtype": "float32"}], "attributes": {"count": "x"}}])",
       "the attribute 'count' takes an integer, not \"x\""},
      {R"([{"operator": "settings", "inputs": [{"shape": [3], "dtype": "float32"}], "attributes": []}])",
       "\"attributes\" is an object"},
      {R"([{"operator": "copy", "inputs": [{"shape": [3], "dtype": "int8"}]}, {"operator": "divide",
         "inputs": [{"shape": [3], "dtype": "int8"}]}])",
       "entry 2 of the list of plans"},
  };
  for (const auto& [json, says] : cases) {
    EXPECT_NE(bascule_library_plan(TheLibrary(), json, nullptr), BASCULE_OK) << json;
    EXPECT_NE(Error().find(says), std::string::npos) << json << "\n" << Error();
  }
}

TEST_F(Plans, TravelInAFile) {
  ASSERT_EQ(bascule_library_plan(TheLibrary(), R"([
      {"operator": "copy", "inputs": [{"shape": [5, 7], "dtype": "int8"}]},
      {"operator": "copy", "inputs": [{"shape": [0], "dtype": "int8"}]},
      {"operator": "scratch", "inputs": [{"shape": [7], "dtype": "int32"}]}])",
                                 nullptr),
            BASCULE_OK)
      << Error();
  const std::string path = Path("plans");
  ASSERT_EQ(bascule_library_plans_save(TheLibrary(), path.c_str()), BASCULE_OK) << Error();
  const uint64_t copies = StatisticsOf("copy").plans;
  uint64_t count = 0;
  ASSERT_EQ(bascule_library_plans_load(TheLibrary(), path.c_str(), &count), BASCULE_OK) << Error();
  EXPECT_GE(count, 3u);
  EXPECT_EQ(StatisticsOf("copy").plans, copies) << "they were there";
  EXPECT_EQ(StatisticsOf("copy").plans_loaded, copies);
  ASSERT_EQ(bascule_operator_plans_load(MadeUp("scratch"), path.c_str(), &count), BASCULE_OK);
  EXPECT_EQ(count, StatisticsOf("scratch").plans) << "of one operator only";
  ASSERT_EQ(bascule_operator_plans_save(MadeUp("scratch"), path.c_str()), BASCULE_OK);
  ASSERT_EQ(bascule_operator_plans_load(MadeUp("copy"), path.c_str(), &count), BASCULE_OK);
  EXPECT_EQ(count, 0u);
}

// Into an empty cache, so that what is found came from the file.
TEST_F(Plans, ArriveAsTheyWere) {
  host::Operator& op = Op("scratch");
  BasculeTensorInfo x = {};
  x.present = 1;
  x.dtype = BASCULE_INT32;
  x.format = BASCULE_FORMAT_ND;
  x.shape = {3, {2, 3, 4}};
  const registry::PlanRef made = host::PlanFor(op, {&x, 1}, {});
  made->launch_ns().store(1234);
  host::Operator* const list[] = {&op};
  const std::string content = host::PackPlans(*op.library, list);
  host::Operator other;
  other.entry = op.entry;
  other.library = op.library;
  host::Operator* const others[] = {&other};
  EXPECT_GE(host::UnpackPlans(*op.library, others, content, "a test", false), 1u);
  const registry::PlanRef come = other.plans.Find(made->key());
  ASSERT_TRUE(come);
  EXPECT_NE(come.get(), made.get());
  EXPECT_EQ(come->variant(), made->variant());
  EXPECT_EQ(come->block_count(), made->block_count());
  EXPECT_EQ(come->kernel_type(), made->kernel_type());
  EXPECT_EQ(come->tiling_key(), made->tiling_key());
  EXPECT_EQ(come->workspace_bytes(), made->workspace_bytes());
  EXPECT_EQ(come->launch_ns().load(), 1234u);
  ASSERT_EQ(come->tiling_bytes(), made->tiling_bytes());
  EXPECT_EQ(std::memcmp(come->tiling_data(), made->tiling_data(), made->tiling_bytes()), 0);
  ASSERT_EQ(come->output_count(), 1u);
  EXPECT_EQ(come->Output(0).dims[2], 4);
}

TEST_F(Plans, AreRefusedWhereTheyDoNotBelong) {
  const std::string path = Path("plans");
  ASSERT_EQ(bascule_operator_plans_save(MadeUp("copy"), path.c_str()), BASCULE_OK) << Error();
  const std::string whole = Read(path);
  const auto load = [&](const std::string& content) {
    Write(path, content);
    return bascule_operator_plans_load(MadeUp("copy"), path.c_str(), nullptr);
  };
  const std::string library = bascule_library_path(TheLibrary());
  std::string changed = whole;
  changed[16] ^= 1;
  EXPECT_EQ(load(Signed(changed)), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "the plans in '" + path + "' were made by another library than '" + library +
                         "', or before it was built again; plan and save them again.");
  changed = whole;
  changed[32] ^= 1;
  EXPECT_EQ(load(Signed(changed)), BASCULE_VERSION_MISMATCH);
  EXPECT_EQ(Error(), "the plans in '" + path +
                         "' were made for another platform than Ascend910B as this runtime knows "
                         "it; plan again.");
  changed = whole;
  changed[8] = 2;
  EXPECT_EQ(load(Signed(changed)), BASCULE_VERSION_MISMATCH);
  changed = whole;
  changed[50] ^= 4;
  EXPECT_EQ(load(changed), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "the plans in '" + path +
                         "' are damaged: their checksum does not fit. Save them again, or go on "
                         "without them.");
  EXPECT_EQ(load("no plans at all"), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(),
            "'" + path + "' holds no plans; bascule_library_plans_save() makes such files.");
  EXPECT_EQ(load(""), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(load(whole), BASCULE_OK) << Error();
  EXPECT_EQ(bascule_library_plans_load(TheLibrary(), "/nowhere", nullptr), BASCULE_NOT_FOUND);
  EXPECT_EQ(Error(), "there is no file '/nowhere' with plans.");
  EXPECT_EQ(bascule_library_plans_load(TheLibrary(), "/tmp", nullptr), BASCULE_NOT_FOUND);
  EXPECT_EQ(bascule_library_plans_save(TheLibrary(), "/nowhere/plans"), BASCULE_INVALID_ARGUMENT);
  EXPECT_EQ(Error(), "the plans of '" + library +
                         "' cannot be written to '/nowhere/plans': No such file or directory.");
}

// Any damage is refused or harmless, also one that somebody gave a checksum; a plan that gets
// through fails in the kernel or works, and never in the process.
TEST_F(Plans, ADamagedFileNeverCrashes) {
  ASSERT_EQ(bascule_library_plan(TheLibrary(), R"([
      {"operator": "sum", "inputs": [{"shape": [2, 3], "dtype": "float32"}]},
      {"operator": "copy", "inputs": [{"shape": [2, 3], "dtype": "int64"}]}])",
                                 nullptr),
            BASCULE_OK)
      << Error();
  std::vector<host::Operator*> list = {&Op("sum"), &Op("copy")};
  const std::string whole = host::PackPlans(*list[0]->library, list);
  std::mt19937 random(3);
  int taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string content = whole;
    if (round % 4 == 0) content.resize(random() % content.size() / 8 * 8);
    if (content.size() < 8) continue;
    for (uint32_t change = random() % 3 + 1; change != 0; --change) {
      const size_t word = random() % (content.size() / 8);
      uint64_t value = 0;
      std::memcpy(&value, &content[word * 8], 8);
      switch (random() % 4) {
        case 0:
          value ^= uint64_t{1} << (random() % 64);
          break;
        case 1:
          value = random() % 8;
          break;
        case 2:
          value = ~uint64_t{0} >> (random() % 64);
          break;
        default:
          value += random() % 5;
          value -= 2;
      }
      std::memcpy(&content[word * 8], &value, 8);
    }
    if (round % 8 != 0) content = Signed(content);
    host::Operator others[2];
    for (size_t i = 0; i < 2; ++i) {
      others[i].entry = list[i]->entry;
      others[i].library = list[i]->library;
    }
    host::Operator* const pointers[] = {&others[0], &others[1]};
    try {
      host::UnpackPlans(*list[0]->library, pointers, content, "a test", false);
      ++taken;
    } catch (const std::exception&) {
      continue;
    }
    std::vector<float> x(6, 1);
    std::vector<float> out(3);
    View view(x.data(), {2, 3});
    View result(out.data(), {3});
    const BasculeTensor* in[] = {&view.tensor};
    BasculeTensor* to[] = {&result.tensor};
    bascule_operator_call(reinterpret_cast<const BasculeOperator*>(&others[0]), 1, in, 1, to, 0,
                          nullptr);
  }
  EXPECT_GT(taken, 100) << "the checks behind the checksum were met";
}

}  // namespace
}  // namespace bascule::test

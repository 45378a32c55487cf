// A stand-in for mindspore::AotExtra, as its public header has it. Compiled twice, with each of the
// two layouts that libstdc++'s std::string can have. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace BASCULE_TEST_LAYOUT {

class AotExtra {
 public:
  virtual ~AotExtra() = default;
  virtual bool HasAttr(std::string name) = 0;

 private:
  virtual bool GetAttrBool(std::string name) = 0;
  virtual int64_t GetAttrInt(std::string name) = 0;
  virtual float GetAttrFloat(std::string name) = 0;
  virtual std::string GetAttrStr(std::string name) = 0;
  virtual std::vector<int64_t> GetAttrIntVec(std::string name) = 0;
  virtual std::vector<float> GetAttrFloatVec(std::string name) = 0;
};

class Filled : public AotExtra {
 public:
  bool HasAttr(std::string name) override {
    std::string kept = name;  // shared or copied, as the layout does it
    kept += "";
    for (const char* known : {"func_name", "flag", "count", "ratio", "mode", "nothing", "long",
                              "axes", "scales", "bascule_counts"}) {
      if (kept == known) return true;
    }
    return kept == "wrong";
  }

 private:
  bool GetAttrBool(std::string name) override { return name == "flag"; }
  int64_t GetAttrInt(std::string name) override {
    if (name == "wrong") throw std::runtime_error("Cast failed, original value: 1.5\n\n-- stack");
    return name == "count" ? int64_t{1} << 40 : -1;
  }
  float GetAttrFloat(std::string name) override { return name == "ratio" ? 0.25F : -1; }
  std::string GetAttrStr(std::string name) override {
    if (name == "mode") return "edge";
    return name == "long" ? std::string(100, 'x') : std::string();
  }
  std::vector<int64_t> GetAttrIntVec(std::string name) override {
    if (name == "bascule_counts") return {1, 0, 40};
    return {3, -1};
  }
  std::vector<float> GetAttrFloatVec(std::string /*name*/) override { return {0.5F, 2}; }
};

const void* Extra() {
  static Filled filled;
  return static_cast<AotExtra*>(&filled);
}

}  // namespace BASCULE_TEST_LAYOUT

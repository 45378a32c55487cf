// An operator as its author defines it: inputs, outputs, attributes, and the functions that infer
// shapes and dtypes and plan a launch.
//
// A definition only collects; it is checked as a whole when the library is built, where a mistake
// is a sentence (bascule_host_table.h). SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REGISTER_OP_DEF_H_
#define BASCULE_ASCENDC_REGISTER_OP_DEF_H_

#include <cstdint>
#include <list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/types.h"
#include "register/op_impl_registry.h"

namespace bascule_host {
struct Access;  // reads what the classes below collected
}  // namespace bascule_host

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope : uint32_t { ALL = 0, TILING = 1 };
enum class FollowType { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3 };
enum class FormatCheckOption { DEFAULT = 0, STRICT = 1 };
enum class HcclServerType : uint32_t { AICPU = 0, AICORE = 1, CCU = 2, MAX };
enum class CommentSection {
  BRIEF = 0,
  CONSTRAINTS,
  RESTRICTIONS,
  SEE,
  THIRDPARTYFWKCOMPAT,
  CATEGORY
};

// The value an output's memory holds before the kernel runs.
enum class ScalarType : uint32_t {
  UINT64 = 0,
  INT64 = 1,
  UINT32 = 2,
  INT32 = 3,
  UINT16 = 4,
  INT16 = 5,
  UINT8 = 6,
  INT8 = 7,
  FLOAT32 = 8,
  FLOAT16 = 9,
  INVALID_DTYPE = static_cast<uint32_t>(-1)
};
union ScalarNum {
  BASCULE_HIDDEN ScalarNum() : value_u64(0) {}
  BASCULE_HIDDEN explicit ScalarNum(uint64_t value) : value_u64(value) {}
  BASCULE_HIDDEN explicit ScalarNum(int64_t value) : value_i64(value) {}
  BASCULE_HIDDEN explicit ScalarNum(float value) : value_f32(value) {}
  uint64_t value_u64;
  int64_t value_i64;
  float value_f32;
};
struct ScalarVar {
  BASCULE_HIDDEN ScalarVar() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
  BASCULE_HIDDEN ScalarVar(ScalarType type, T value) : scalar_type(type) {
    if constexpr (std::is_floating_point<T>::value) {
      scalar_num = ScalarNum(static_cast<float>(value));
    } else if constexpr (std::is_signed<T>::value) {
      scalar_num = ScalarNum(static_cast<int64_t>(value));
    } else {
      scalar_num = ScalarNum(static_cast<uint64_t>(value));
    }
    is_float = std::is_floating_point<T>::value;
  }
  BASCULE_HIDDEN bool operator==(const ScalarVar& other) const {
    return scalar_type == other.scalar_type && is_float == other.is_float &&
           scalar_num.value_u64 == other.scalar_num.value_u64;
  }
  ScalarType scalar_type = ScalarType::INVALID_DTYPE;
  ScalarNum scalar_num;
  bool is_float = false;
};

class OpParamDef {
 public:
  BASCULE_HIDDEN explicit OpParamDef(const char* name) : name_(name) {}

  BASCULE_HIDDEN OpParamDef& ParamType(Option param_type) {
    param_type_ = param_type;
    return *this;
  }
  // One entry per supported combination; all DataType and Format lists of an operator go together.
  BASCULE_HIDDEN OpParamDef& DataType(std::vector<ge::DataType> types) {
    dtypes_ = std::move(types);
    return *this;
  }
  BASCULE_HIDDEN OpParamDef& Format(std::vector<ge::Format> formats) {
    formats_ = std::move(formats);
    return *this;
  }
  // Every entry combines with every combination of the other parameters.
  BASCULE_HIDDEN OpParamDef& DataTypeList(std::vector<ge::DataType> types) {
    dtype_choices_ = std::move(types);
    return *this;
  }
  BASCULE_HIDDEN OpParamDef& FormatList(std::vector<ge::Format> formats) {
    format_choices_ = std::move(formats);
    return *this;
  }
  // Formats for unknown shapes: the same kernels serve them here.
  BASCULE_HIDDEN OpParamDef& UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
  BASCULE_HIDDEN OpParamDef& Follow(const char* param_name) {
    return Follow(param_name, FollowType::ALL);
  }
  BASCULE_HIDDEN OpParamDef& Follow(const char* param_name, FollowType type) {
    follow_ = param_name;
    follow_type_ = type;
    return *this;
  }

  // What the generated aclnn functions take for this input: a number, a list of numbers, and the
  // element type those become; an array of host numbers that tiling and shape inference may read;
  // and the first version of the functions that has it.
  BASCULE_HIDDEN OpParamDef& Scalar() {
    scalar_ = 1;
    return *this;
  }
  BASCULE_HIDDEN OpParamDef& ScalarList() {
    scalar_ = 2;
    return *this;
  }
  BASCULE_HIDDEN OpParamDef& To(const ge::DataType type) {
    to_dtype_ = static_cast<int32_t>(type);
    return *this;
  }
  BASCULE_HIDDEN OpParamDef& To(const char* name) {
    to_name_ = name;
    return *this;
  }
  BASCULE_HIDDEN OpParamDef& ValueDepend(Option value_depend) {
    return ValueDepend(value_depend, DependScope::ALL);
  }
  BASCULE_HIDDEN OpParamDef& ValueDepend(Option, DependScope) {
    value_depend_ = true;
    return *this;
  }
  // The kernel finds the output filled with the value.
  BASCULE_HIDDEN OpParamDef& InitValue(uint64_t value) {
    return InitValue(ScalarVar(ScalarType::UINT64, value));
  }
  BASCULE_HIDDEN OpParamDef& InitValue(const ScalarVar& value) {
    initial_.assign(1, value);
    return *this;
  }
  // One entry per supported combination.
  BASCULE_HIDDEN OpParamDef& InitValue(const std::vector<ScalarVar>& values) {
    initial_ = values;
    return *this;
  }
  BASCULE_HIDDEN OpParamDef& OutputShapeDependOnCompute() {
    shape_depends_on_compute_ = true;
    return *this;
  }

  // How the toolkit finds a compiled kernel; here each combination has one.
  BASCULE_HIDDEN OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
  BASCULE_HIDDEN OpParamDef& FormatForBinQuery(std::vector<ge::Format>) { return *this; }
  BASCULE_HIDDEN OpParamDef& Version(uint32_t version) {
    version_ = version;
    return *this;
  }

  // Without effect here: tensors always arrive dense.
  BASCULE_HIDDEN OpParamDef& AutoContiguous() { return *this; }
  BASCULE_HIDDEN OpParamDef& IgnoreContiguous() { return *this; }
  BASCULE_HIDDEN OpParamDef& Comment(const char*) { return *this; }

 private:
  friend struct bascule_host::Access;

  std::string name_;
  Option param_type_ = REQUIRED;
  std::vector<ge::DataType> dtypes_;
  std::vector<ge::Format> formats_;
  std::vector<ge::DataType> dtype_choices_;
  std::vector<ge::Format> format_choices_;
  std::string follow_;
  FollowType follow_type_ = FollowType::ALL;
  uint32_t scalar_ = 0;
  int32_t to_dtype_ = -1;
  std::string to_name_;
  bool value_depend_ = false;
  uint32_t version_ = 0;
  bool shape_depends_on_compute_ = false;
  std::vector<ScalarVar> initial_;
};

class OpAttrDef {
 public:
  BASCULE_HIDDEN explicit OpAttrDef(const char* name) : name_(name), text_(name) {}

  BASCULE_HIDDEN OpAttrDef& AttrType(Option attr_type) {
    attr_type_ = attr_type;
    return *this;
  }
  BASCULE_HIDDEN OpAttrDef& Int() { return Of(BASCULE_ATTR_INT, false); }
  BASCULE_HIDDEN OpAttrDef& Int(int64_t value) {
    int_ = value;
    return Of(BASCULE_ATTR_INT, true);
  }
  BASCULE_HIDDEN OpAttrDef& Float() { return Of(BASCULE_ATTR_FLOAT, false); }
  BASCULE_HIDDEN OpAttrDef& Float(float value) {
    float_ = value;
    return Of(BASCULE_ATTR_FLOAT, true);
  }
  BASCULE_HIDDEN OpAttrDef& Bool() { return Of(BASCULE_ATTR_BOOL, false); }
  BASCULE_HIDDEN OpAttrDef& Bool(bool value) {
    int_ = value ? 1 : 0;
    return Of(BASCULE_ATTR_BOOL, true);
  }
  BASCULE_HIDDEN OpAttrDef& String() { return Of(BASCULE_ATTR_STRING, false); }
  BASCULE_HIDDEN OpAttrDef& String(const char* value) {
    string_ = value;
    return Of(BASCULE_ATTR_STRING, true);
  }
  BASCULE_HIDDEN OpAttrDef& ListInt() { return Of(BASCULE_ATTR_INT_LIST, false); }
  BASCULE_HIDDEN OpAttrDef& ListInt(std::vector<int64_t> value) {
    ints_ = std::move(value);
    return Of(BASCULE_ATTR_INT_LIST, true);
  }
  BASCULE_HIDDEN OpAttrDef& ListFloat() { return Of(BASCULE_ATTR_FLOAT_LIST, false); }
  BASCULE_HIDDEN OpAttrDef& ListFloat(std::vector<float> value) {
    floats_ = std::move(value);
    return Of(BASCULE_ATTR_FLOAT_LIST, true);
  }
  BASCULE_HIDDEN OpAttrDef& ListBool() { return Of(BASCULE_ATTR_BOOL_LIST, false); }
  BASCULE_HIDDEN OpAttrDef& ListBool(std::vector<bool> value) {
    ints_.assign(value.begin(), value.end());
    return Of(BASCULE_ATTR_BOOL_LIST, true);
  }
  BASCULE_HIDDEN OpAttrDef& ListListInt() { return Of(BASCULE_ATTR_INT_LISTS, false); }
  BASCULE_HIDDEN OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value) {
    ints_.clear();
    for (const std::vector<int64_t>& list : value) {
      ints_.push_back(static_cast<int64_t>(list.size()));
      ints_.insert(ints_.end(), list.begin(), list.end());
    }
    return Of(BASCULE_ATTR_INT_LISTS, true);
  }
  BASCULE_HIDDEN OpAttrDef& Comment(const char*) { return *this; }
  BASCULE_HIDDEN OpAttrDef& Version(uint32_t version) {
    version_ = version;
    return *this;
  }
  BASCULE_HIDDEN const ge::AscendString& GetName() const { return text_; }
  BASCULE_HIDDEN bool IsRequired() const { return attr_type_ == REQUIRED; }

 private:
  friend struct bascule_host::Access;
  BASCULE_HIDDEN OpAttrDef& Of(uint32_t kind, bool has_value) {
    kind_ = static_cast<int>(kind);
    has_value_ = has_value;
    return *this;
  }

  std::string name_;
  ge::AscendString text_;
  Option attr_type_ = REQUIRED;
  int kind_ = -1;
  bool has_value_ = false;
  int64_t int_ = 0;
  float float_ = 0;
  std::string string_;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
  uint32_t version_ = 0;
};

// What differs on one processor. Parameters named here replace those of the OpDef.
class OpAICoreConfig {
 public:
  OpAICoreConfig() = default;
  BASCULE_HIDDEN explicit OpAICoreConfig(const char*) {}

  BASCULE_HIDDEN OpParamDef& Input(const char* name) { return Add(&inputs_, name); }
  BASCULE_HIDDEN OpParamDef& Output(const char* name) { return Add(&outputs_, name); }

  // These steer the graph compiler of the toolkit.
  BASCULE_HIDDEN OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
  BASCULE_HIDDEN OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
  BASCULE_HIDDEN OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
  BASCULE_HIDDEN OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
  BASCULE_HIDDEN OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
  BASCULE_HIDDEN OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
  // "opFile.value" names the kernel's file, "opInterface.value" its function; the other keys steer
  // the toolkit.
  BASCULE_HIDDEN OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value) {
    info_.emplace_back(key == nullptr ? "" : key, value == nullptr ? "" : value);
    return *this;
  }

 private:
  friend struct bascule_host::Access;

  BASCULE_HIDDEN static OpParamDef& Add(std::list<OpParamDef>* list, const char* name) {
    list->emplace_back(name);
    return list->back();
  }

  std::list<OpParamDef> inputs_;
  std::list<OpParamDef> outputs_;
  std::vector<std::pair<std::string, std::string>> info_;
};

class OpAICoreDef {
 public:
  BASCULE_HIDDEN OpAICoreDef& SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function) {
    tiling_ = function;
    return *this;
  }
  BASCULE_HIDDEN OpAICoreDef& AddConfig(const char* soc) {
    configs_.emplace_back();
    configs_.back().soc = soc;
    return *this;
  }
  BASCULE_HIDDEN OpAICoreDef& AddConfig(const char* soc, const OpAICoreConfig& config) {
    configs_.push_back({soc, config});
    return *this;
  }
  // These answer questions of the toolkit's graph compiler, which does not exist here.
  template <typename Function>
  BASCULE_HIDDEN OpAICoreDef& SetCheckSupport(Function) {
    return *this;
  }
  template <typename Function>
  BASCULE_HIDDEN OpAICoreDef& SetOpSelectFormat(Function) {
    return *this;
  }
  template <typename Function>
  BASCULE_HIDDEN OpAICoreDef& SetOpSupportInfo(Function) {
    return *this;
  }
  template <typename Function>
  BASCULE_HIDDEN OpAICoreDef& SetOpSpecInfo(Function) {
    return *this;
  }
  template <typename Function>
  BASCULE_HIDDEN OpAICoreDef& SetParamGeneralize(Function) {
    return *this;
  }
  // A call whose outputs are all empty launches nothing.
  BASCULE_HIDDEN OpAICoreDef& LaunchWithZeroEleOutputTensors(bool) { return *this; }

 private:
  friend struct bascule_host::Access;
  struct Configured {
    std::string soc;
    OpAICoreConfig config;
  };

  gert::OpImplRegisterV2::TilingKernelFunc tiling_ = nullptr;
  std::list<Configured> configs_;
};

// What an operator says of processors' other parts; without effect here.
class OpAICPUDef {
 public:
  BASCULE_HIDDEN OpAICPUDef& OpKernelLib(const char*) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& Engine(const char*) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& ComputeCost(int32_t) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& ExtendCfgInfo(const char*, const char*) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& FlagAsync(bool) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& FlagPartial(bool) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& FunctionName(const char*) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& KernelSo(const char*) { return *this; }
  BASCULE_HIDDEN OpAICPUDef& UserDefined(bool) { return *this; }
};
using OpHostCPUDef = OpAICPUDef;
class OpMC2Def {
 public:
  BASCULE_HIDDEN OpMC2Def& HcclGroup(const char*) { return *this; }
  BASCULE_HIDDEN OpMC2Def& HcclGroup(std::vector<const char*>) { return *this; }
  BASCULE_HIDDEN OpMC2Def& HcclServerType(ops::HcclServerType, const char* = nullptr) {
    return *this;
  }
};

class OpDef {
 public:
  BASCULE_HIDDEN explicit OpDef(const char* type) : type_(type) {}

  // References stay valid while the definition lives.
  BASCULE_HIDDEN OpParamDef& Input(const char* name) {
    inputs_.emplace_back(name);
    return inputs_.back();
  }
  BASCULE_HIDDEN OpParamDef& Output(const char* name) {
    outputs_.emplace_back(name);
    return outputs_.back();
  }
  BASCULE_HIDDEN OpAttrDef& Attr(const char* name) {
    attributes_.emplace_back(name);
    return attributes_.back();
  }
  BASCULE_HIDDEN OpDef& SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function) {
    infer_shape_ = function;
    return *this;
  }
  BASCULE_HIDDEN OpDef& SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc) {
    return *this;
  }
  BASCULE_HIDDEN OpDef& SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
    infer_dtype_ = function;
    return *this;
  }
  BASCULE_HIDDEN OpDef& Comment(CommentSection, const char*) { return *this; }
  BASCULE_HIDDEN OpDef& EnableFallBack() { return *this; }
  BASCULE_HIDDEN OpDef& FormatMatchMode(FormatCheckOption) { return *this; }
  BASCULE_HIDDEN OpAICoreDef& AICore() { return ai_core_; }
  BASCULE_HIDDEN OpAICPUDef& AICPU() { return ai_cpu_; }
  BASCULE_HIDDEN OpHostCPUDef& HostCPU() { return host_cpu_; }
  BASCULE_HIDDEN OpMC2Def& MC2() { return mc2_; }

 private:
  friend struct bascule_host::Access;

  std::string type_;
  std::list<OpParamDef> inputs_;
  std::list<OpParamDef> outputs_;
  std::list<OpAttrDef> attributes_;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape_ = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_dtype_ = nullptr;
  OpAICoreDef ai_core_;
  OpAICPUDef ai_cpu_;
  OpHostCPUDef host_cpu_;
  OpMC2Def mc2_;
};

}  // namespace ops

namespace bascule_host {

// One OP_ADD. Only noted while the library loads; the definition runs later, where what it throws
// can be caught and told.
struct AddedOperator {
  using Visitor = void (*)(ops::OpDef& definition, void* context);
  using Definer = void (*)(const char* type, Visitor visit, void* context);

  BASCULE_HIDDEN AddedOperator(const char* op_type, const char* op_file, int op_line,
                               Definer op_define)
      : type(op_type), file(op_file), line(op_line), define(op_define) {
    AddedOperator** place = &First();
    while (*place != nullptr) place = &(*place)->next;
    *place = this;
  }
  // The list of this library, in the order of loading.
  BASCULE_HIDDEN static AddedOperator*& First() {
    static AddedOperator* first = nullptr;
    return first;
  }

  const char* type;
  const char* file;
  int line;
  Definer define;
  AddedOperator* next = nullptr;
};

template <typename Definition>
BASCULE_HIDDEN inline void Define(const char* type, AddedOperator::Visitor visit, void* context) {
  Definition definition(type);
  visit(definition, context);
}

}  // namespace bascule_host

#endif  // BASCULE_ASCENDC_REGISTER_OP_DEF_H_

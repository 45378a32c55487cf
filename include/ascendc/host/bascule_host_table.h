// Turns the operators of this library into the C structures of bascule/abi/library.h: checks each
// OpDef as a whole, spreads its dtype and format lists into columns, and wraps the host functions
// so that no exception leaves them.
//
// For the generated part of a library and for the build's describe step; operator projects do not
// include it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_TABLE_H_
#define BASCULE_HOST_TABLE_H_

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bascule_host_base.h"
#include "graph/utils/type_utils.h"
#include "register/op_def.h"

namespace bascule_host {

constexpr const char* kSoc = "ascend910b";  // the processor whose configuration is used
constexpr size_t kMaxColumns = 256;

// A piece of a sentence. A sentence is a list of them and no chain of "+", which compilers spend
// more time on; each build of a project compiles this file.
class Piece {
 public:
  BASCULE_HIDDEN Piece(const char* text) : text_(text) {}
  BASCULE_HIDDEN Piece(const std::string& text) : text_(text.c_str()) {}
  BASCULE_HIDDEN Piece(size_t number) : number_(number) {}
  BASCULE_HIDDEN void AppendTo(std::string* sentence) const {
    if (text_ != nullptr) {
      *sentence += text_;
    } else {
      *sentence += std::to_string(number_);
    }
  }

 private:
  const char* text_ = nullptr;
  size_t number_ = 0;
};

BASCULE_HIDDEN inline std::string Sentence(std::initializer_list<Piece> pieces) {
  std::string sentence;
  for (const Piece& piece : pieces) piece.AppendTo(&sentence);
  return sentence;
}

struct Parameter {
  std::string name;
  uint32_t kind = BASCULE_REQUIRED;
  std::vector<int32_t> dtypes;
  std::vector<int32_t> formats;
  int shape_of = -1;  // the input whose shape an output has; -1: not said
  // What the aclnn functions take for it (ops::OpParamDef).
  uint32_t scalar = 0;  // 1: a number, 2: a list of numbers
  int32_t to_dtype = -1;
  std::string to_name;
  bool value_depend = false;
  uint32_t version = 0;
  std::vector<BasculeInitialValue> initial;  // one per column, or none
};

struct Attribute {
  std::string name;
  uint32_t kind = 0;
  bool required = true;
  int64_t i = 0;
  float f = 0;
  std::string text;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  uint32_t version = 0;
};

struct Operator {
  std::string type;
  std::string name;
  const char* file = nullptr;
  int line = 0;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  std::vector<Attribute> attributes;
  // The OpDef has no outputs: the kernel changes its inputs, which stand in `outputs`, too.
  bool in_place = false;
  std::vector<std::string> socs;  // what AddConfig names
  size_t columns = 0;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_dtype = nullptr;
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  gert::OpImplRegisterV2::TilingParseFunc tiling_parse = nullptr;
  gert::OpImplRegisterV2::CompileInfoMaker make_compile_info = nullptr;
  std::string kernel_file;      // as the OpDef's configuration names it; "": the operator's name
  std::string kernel_function;  // likewise
  std::string notes;            // what the author should know, in lines

  // What the parse function left, for each platform it was asked about.
  mutable std::mutex compile_info_mutex;
  mutable std::vector<std::pair<const BasculePlatform*, std::shared_ptr<void>>> compile_infos;

  // The C view of the above.
  std::vector<BasculeParameterDef> input_defs;
  std::vector<BasculeParameterDef> output_defs;
  std::vector<BasculeAttributeDef> attribute_defs;
  std::vector<BasculeInitialValue> initial_values;
  BasculeOperatorDef def = {};
};

// "MyMul" becomes "my_mul". Source: the naming rules of the operator-project guide: an underscore
// goes before a capital that follows a small letter or digit, and before the last capital of a run
// that a small letter follows.
BASCULE_HIDDEN inline std::string SnakeCase(const std::string& type) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string name;
  for (size_t i = 0; i < type.size(); ++i) {
    const char c = type[i];
    if (!is_upper(c)) {
      name += c;
      continue;
    }
    const bool after_word = i > 0 && !is_upper(type[i - 1]);
    const bool before_word = i > 0 && i + 1 < type.size() && is_lower(type[i + 1]);
    if (after_word || before_word) name += '_';
    name += static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

BASCULE_HIDDEN inline bool IsIdentifier(const std::string& name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) {
      return false;
    }
  }
  return true;
}

// Reads and checks one OpDef. Every mistake throws a HostError that starts with the operator's
// name.
struct Access {
  using Params = std::vector<const ops::OpParamDef*>;

  BASCULE_HIDDEN static std::unique_ptr<Operator> Resolve(const ops::OpDef& definition) {
    auto owned = std::make_unique<Operator>();
    Operator& op = *owned;
    op.type = definition.type_;
    op.name = SnakeCase(op.type);
    if (!IsIdentifier(op.type)) Fail(op, "the name must be letters and digits");

    Params inputs = Listed(definition.inputs_);
    Params outputs = Listed(definition.outputs_);
    for (const auto& configured : definition.ai_core_.configs_) {
      op.socs.push_back(configured.soc);
      if (configured.soc != kSoc) continue;
      Replace(op, "input", configured.config.inputs_, &inputs);
      Replace(op, "output", configured.config.outputs_, &outputs);
      for (const auto& info : configured.config.info_) {
        if (info.first == "opFile.value") op.kernel_file = info.second;
        if (info.first == "opInterface.value") op.kernel_function = info.second;
      }
    }
    CheckNames(op, "input", Names(inputs));
    CheckNames(op, "output", Names(outputs));
    std::vector<const std::string*> attributes;
    for (const ops::OpAttrDef& attribute : definition.attributes_) {
      attributes.push_back(&attribute.name_);
    }
    CheckNames(op, "attribute", attributes);
    if (outputs.empty()) {
      outputs = Changed(op, inputs);
      op.in_place = true;
    }

    SpreadColumns(inputs, outputs, &op);
    for (const ops::OpAttrDef& attribute : definition.attributes_) {
      op.attributes.emplace_back();
      ResolveAttribute(op, attribute, &op.attributes.back());
    }

    op.infer_shape = definition.infer_shape_;
    op.infer_dtype = definition.infer_dtype_;
    op.tiling = definition.ai_core_.tiling_;
    if (const gert::OpImplRegisterV2* impl = gert::OpImplRegisterV2::Find(op.type.c_str())) {
      if (op.infer_shape == nullptr) op.infer_shape = impl->infer_shape;
      if (op.infer_dtype == nullptr) op.infer_dtype = impl->infer_dtype;
      if (op.tiling == nullptr) op.tiling = impl->tiling;
      op.tiling_parse = impl->tiling_parse;
      op.make_compile_info = impl->make_compile_info;
      for (const int32_t input : impl->value_inputs) {
        if (input < 0 || static_cast<size_t>(input) >= op.inputs.size()) {
          Fail(op, {"its functions depend on the values of input ", std::to_string(input),
                    "; there are ", op.inputs.size(), " inputs"});
        }
        op.inputs[static_cast<size_t>(input)].value_depend = true;
      }
    }
    if (op.in_place) {  // what is changed keeps its shape and type
      op.infer_shape = nullptr;
      op.infer_dtype = nullptr;
      for (Parameter& output : op.outputs) {
        for (size_t i = 0; i < op.inputs.size(); ++i) {
          if (op.inputs[i].name == output.name) output.shape_of = static_cast<int>(i);
        }
      }
    }
    if (op.tiling == nullptr) {
      Fail(op, "there is no tiling function; set one with this->AICore().SetTiling(function)");
    }
    return owned;
  }

 private:
  [[noreturn]] BASCULE_HIDDEN static void Fail(const Operator& op,
                                               std::initializer_list<Piece> pieces) {
    throw HostError(Sentence({"operator ", op.type, ": "}) + Sentence(pieces));
  }
  [[noreturn]] BASCULE_HIDDEN static void Fail(const Operator& op, const char* text) {
    Fail(op, {text, ""});
  }

  BASCULE_HIDDEN static Params Listed(const std::list<ops::OpParamDef>& parameters) {
    Params list;
    for (const ops::OpParamDef& parameter : parameters) list.push_back(&parameter);
    return list;
  }
  BASCULE_HIDDEN static std::vector<const std::string*> Names(const Params& parameters) {
    std::vector<const std::string*> names;
    for (const ops::OpParamDef* parameter : parameters) names.push_back(&parameter->name_);
    return names;
  }

  // The outputs of an operator that defines none. Nothing says which inputs its kernel changes: all
  // that a kernel could change are results. An optional one may not be there; numbers of the host
  // cannot be changed.
  BASCULE_HIDDEN static Params Changed(const Operator& op, const Params& inputs) {
    Params outputs;
    for (const ops::OpParamDef* input : inputs) {
      if (input->param_type_ == ops::DYNAMIC) {
        Fail(op, {"there is no output, and input ", input->name_,
                  " is a list of tensors; a kernel that changes the tensors of a list needs an "
                  "output of the same name, this->Output(\"",
                  input->name_, "\")"});
      }
      const bool number = input->value_depend_ || input->scalar_ != 0;
      if (input->param_type_ == ops::REQUIRED && !number) outputs.push_back(input);
    }
    if (outputs.empty()) Fail(op, "there is no output; define one with this->Output(\"name\")");
    return outputs;
  }

  BASCULE_HIDDEN static void Replace(const Operator& op, const char* what,
                                     const std::list<ops::OpParamDef>& from, Params* to) {
    if (to->empty()) {  // all of them stand in the configuration
      *to = Listed(from);
      return;
    }
    for (const ops::OpParamDef& changed : from) {
      bool found = false;
      for (const ops::OpParamDef*& parameter : *to) {
        if (parameter->name_ != changed.name_) continue;
        parameter = &changed;
        found = true;
      }
      if (!found) {
        Fail(op, {"the configuration for ", kSoc, " changes ", what, " ", changed.name_,
                  ", which the operator does not have"});
      }
    }
  }

  BASCULE_HIDDEN static void CheckNames(const Operator& op, const char* what,
                                        const std::vector<const std::string*>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (!IsIdentifier(*names[i])) {
        Fail(op, {what, " ", i, " is named \"", *names[i],
                  "\"; a name is made of letters, digits and underscores"});
      }
      for (size_t k = 0; k < i; ++k) {
        if (*names[i] == *names[k]) Fail(op, {"two ", what, "s are named ", *names[i]});
      }
    }
  }

  // The input that a parameter follows in `what`, through chains; null when it follows none.
  BASCULE_HIDDEN static const ops::OpParamDef* Followed(const Operator& op, const Params& inputs,
                                                        const ops::OpParamDef& parameter,
                                                        ops::FollowType what) {
    const ops::OpParamDef* source = nullptr;
    const ops::OpParamDef* current = &parameter;
    for (size_t steps = 0; !current->follow_.empty(); ++steps) {
      if (current->follow_type_ != ops::FollowType::ALL && current->follow_type_ != what) break;
      if (steps > inputs.size()) Fail(op, {parameter.name_, " follows itself"});
      source = nullptr;
      for (const ops::OpParamDef* input : inputs) {
        if (input->name_ == current->follow_) source = input;
      }
      if (source == nullptr) {
        Fail(op, {current->name_, " follows ", current->follow_, ", which is no input"});
      }
      current = source;
    }
    return source;
  }

  BASCULE_HIDDEN static uint32_t Kind(const Operator& op, const ops::OpParamDef& parameter) {
    switch (parameter.param_type_) {
      case ops::REQUIRED:
        return BASCULE_REQUIRED;
      case ops::OPTIONAL:
        return BASCULE_OPTIONAL;
      case ops::DYNAMIC:
        return BASCULE_DYNAMIC;
      default:
        Fail(op, {parameter.name_, " is neither REQUIRED, OPTIONAL nor DYNAMIC"});
    }
  }

  // DataType and Format lists run in step; each DataTypeList and FormatList multiplies the
  // combinations.
  BASCULE_HIDDEN static void SpreadColumns(const Params& inputs, const Params& outputs,
                                           Operator* op) {
    struct List {
      std::string owner;  // "input x"
      const char* what;   // "data types"
      size_t length;
    };
    struct Row {
      const ops::OpParamDef* dtypes;   // whose dtype lists count
      const ops::OpParamDef* formats;  // whose format lists count
    };
    std::vector<List> lists;
    std::vector<Row> rows;
    std::vector<const void*> choices;  // the lists that multiply, each once
    size_t total = 1;
    const auto collect = [&](const char* kind, const Params& parameters,
                             std::vector<Parameter>* out) {
      for (const ops::OpParamDef* listed : parameters) {
        const ops::OpParamDef& parameter = *listed;
        const std::string owner = Sentence({kind, " ", parameter.name_});
        out->emplace_back();
        Parameter& resolved = out->back();
        resolved.name = parameter.name_;
        resolved.kind = Kind(*op, parameter);
        resolved.scalar = parameter.scalar_;
        resolved.to_dtype = parameter.to_dtype_;
        resolved.to_name = parameter.to_name_;
        resolved.value_depend = parameter.value_depend_;
        resolved.version = parameter.version_;
        if (const auto* shape = Followed(*op, inputs, parameter, ops::FollowType::SHAPE)) {
          for (size_t i = 0; i < inputs.size(); ++i) {
            if (inputs[i] == shape) resolved.shape_of = static_cast<int>(i);
          }
        }
        Row row;
        row.dtypes = Followed(*op, inputs, parameter, ops::FollowType::DTYPE);
        row.formats = Followed(*op, inputs, parameter, ops::FollowType::FORMAT);
        if (row.dtypes == nullptr) row.dtypes = &parameter;
        if (row.formats == nullptr) row.formats = &parameter;
        if (row.dtypes->dtypes_.empty() && row.dtypes->dtype_choices_.empty()) {
          Fail(*op, {owner, " has no data types; list them with .DataType({...})"});
        }
        if (!row.dtypes->dtypes_.empty() && !row.dtypes->dtype_choices_.empty()) {
          Fail(*op, {owner, " has both DataType and DataTypeList; use one of them"});
        }
        if (!row.formats->formats_.empty() && !row.formats->format_choices_.empty()) {
          Fail(*op, {owner, " has both Format and FormatList; use one of them"});
        }
        if (row.dtypes == &parameter && !parameter.dtypes_.empty()) {
          lists.push_back({owner, "data types", parameter.dtypes_.size()});
        }
        if (row.formats == &parameter && !parameter.formats_.empty()) {
          lists.push_back({owner, "formats", parameter.formats_.size()});
        }
        const auto multiply = [&](const void* list, size_t length) {
          if (length == 0) return;
          for (const void* known : choices) {
            if (known == list) return;
          }
          choices.push_back(list);
          total *= length;
          if (total > kMaxColumns) Fail(*op, "there are more than 256 combinations of data types");
        };
        multiply(&row.dtypes->dtype_choices_, row.dtypes->dtype_choices_.size());
        multiply(&row.formats->format_choices_, row.formats->format_choices_.size());
        rows.push_back(row);
      }
    };
    collect("input", inputs, &op->inputs);
    collect("output", outputs, &op->outputs);

    for (const List& list : lists) {
      const List& first = lists[0];
      if (list.length == first.length) continue;
      Fail(*op, {list.owner, " lists ", list.length, " ", list.what, " and ", first.owner,
                 " lists ", first.length, " ", first.what,
                 "; each list has one entry per supported combination, so all are equally long"});
    }
    const size_t base = lists.empty() ? 1 : lists[0].length;
    if (total * base > kMaxColumns) Fail(*op, "there are more than 256 combinations of data types");
    op->columns = total * base;

    for (size_t column = 0; column < op->columns; ++column) {
      const auto choose = [&](const void* list, size_t length) {
        size_t rest = column / base;
        for (const void* known : choices) {
          const size_t known_length = Length(known, rows);
          if (known == list) return rest % length;
          rest /= known_length;
        }
        return size_t{0};
      };
      for (size_t i = 0; i < rows.size(); ++i) {
        Parameter& out = i < op->inputs.size() ? op->inputs[i] : op->outputs[i - op->inputs.size()];
        const ops::OpParamDef& d = *rows[i].dtypes;
        const ops::OpParamDef& f = *rows[i].formats;
        out.dtypes.push_back(static_cast<int32_t>(
            d.dtype_choices_.empty()
                ? d.dtypes_[column % base]
                : d.dtype_choices_[choose(&d.dtype_choices_, d.dtype_choices_.size())]));
        ge::Format format = ge::FORMAT_ND;
        if (!f.format_choices_.empty()) {
          format = f.format_choices_[choose(&f.format_choices_, f.format_choices_.size())];
        } else if (!f.formats_.empty()) {
          format = f.formats_[column % base];
        }
        out.formats.push_back(static_cast<int32_t>(format));
      }
    }
    ReadInitialValues(outputs, op);
    LeaveOutUnknown(op);
  }

  // Element types that tensors and kernels have here.
  BASCULE_HIDDEN static bool IsElementType(int32_t dtype) {
    for (const int known :
         {BASCULE_FLOAT, BASCULE_FLOAT16, BASCULE_INT8, BASCULE_INT32, BASCULE_UINT8, BASCULE_INT16,
          BASCULE_UINT16, BASCULE_UINT32, BASCULE_INT64, BASCULE_UINT64, BASCULE_DOUBLE,
          BASCULE_BOOL, BASCULE_BFLOAT16, BASCULE_INT4}) {
      if (dtype == known) return true;
    }
    return false;
  }

  // Combinations with a data type that there is no tensor of; the others stay.
  BASCULE_HIDDEN static void LeaveOutUnknown(Operator* op) {
    std::vector<char> keep(op->columns, true);
    std::vector<int32_t> unknown;
    for (const auto* list : {&op->inputs, &op->outputs}) {
      for (const Parameter& parameter : *list) {
        for (size_t column = 0; column < op->columns; ++column) {
          const int32_t dtype = parameter.dtypes[column];
          if (IsElementType(dtype)) continue;
          keep[column] = false;
          bool told = false;
          for (const int32_t known : unknown) told = told || known == dtype;
          if (!told) unknown.push_back(dtype);
        }
      }
    }
    if (unknown.empty()) return;
    std::string names;
    for (const int32_t dtype : unknown) {
      const char* name = DataTypeText(static_cast<ge::DataType>(dtype));
      if (!names.empty()) names += ", ";
      names += name != nullptr ? std::string(name) : std::to_string(dtype);
    }
    size_t left = 0;
    for (const char kept : keep) left += kept != 0 ? 1 : 0;
    if (left == 0) {
      Fail(*op, {"every combination of data types has one that kernels here do not know: ", names});
    }
    op->notes +=
        Sentence({"operator ", op->type, ": ", op->columns - left, " of ", op->columns,
                  " combinations of data types are left out, because kernels here do not know ",
                  names, "\n"});
    const auto filter = [&](auto& values) {
      size_t to = 0;
      for (size_t column = 0; column < values.size(); ++column) {
        if (keep[column] != 0) values[to++] = values[column];
      }
      values.resize(to);
    };
    for (auto* list : {&op->inputs, &op->outputs}) {
      for (Parameter& parameter : *list) {
        filter(parameter.dtypes);
        filter(parameter.formats);
        if (!parameter.initial.empty()) filter(parameter.initial);
      }
    }
    op->columns = left;
  }

  BASCULE_HIDDEN static void ReadInitialValues(const Params& outputs, Operator* op) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::vector<ops::ScalarVar>& given = outputs[i]->initial_;
      if (given.empty()) continue;
      if (given.size() != 1 && given.size() != op->columns) {
        Fail(*op, {"output ", outputs[i]->name_, " has ", given.size(),
                   " initial values; give one, or one for each of the ", op->columns,
                   " combinations of data types"});
      }
      for (size_t column = 0; column < op->columns; ++column) {
        op->outputs[i].initial.push_back(Initial(given[given.size() == 1 ? 0 : column]));
      }
    }
  }

  BASCULE_HIDDEN static BasculeInitialValue Initial(const ops::ScalarVar& from) {
    BasculeInitialValue value = {};
    const bool real = from.is_float;
    const bool is_signed =
        from.scalar_type == ops::ScalarType::INT64 || from.scalar_type == ops::ScalarType::INT32 ||
        from.scalar_type == ops::ScalarType::INT16 || from.scalar_type == ops::ScalarType::INT8;
    if (real) {
      value.kind = BASCULE_INITIAL_FLOAT;
      value.value.f = from.scalar_num.value_f32;
    } else if (is_signed || from.scalar_num.value_i64 < 0) {
      value.kind = BASCULE_INITIAL_SIGNED;
      value.value.i = from.scalar_num.value_i64;
    } else {
      value.kind = BASCULE_INITIAL_UNSIGNED;
      value.value.u = from.scalar_num.value_u64;
    }
    return value;
  }

  template <typename Rows>
  BASCULE_HIDDEN static size_t Length(const void* list, const Rows& rows) {
    for (const auto& row : rows) {
      if (list == &row.dtypes->dtype_choices_) return row.dtypes->dtype_choices_.size();
      if (list == &row.formats->format_choices_) return row.formats->format_choices_.size();
    }
    return 1;
  }

  BASCULE_HIDDEN static void ResolveAttribute(const Operator& op, const ops::OpAttrDef& from,
                                              Attribute* attribute) {
    attribute->name = from.name_;
    if (from.kind_ < 0) {
      Fail(op, {"attribute ", from.name_, " has no type; give it one, as in .Int(0)"});
    }
    attribute->kind = static_cast<uint32_t>(from.kind_);
    // An optional one without a default has no value that anybody could mean.
    attribute->required = from.attr_type_ == ops::REQUIRED || !from.has_value_;
    attribute->i = from.int_;
    attribute->f = from.float_;
    attribute->text = from.string_;
    attribute->version = from.version_;
    attribute->ints = from.ints_;
    attribute->floats = from.floats_;
  }
};

// All operators of this library, each with its C view. Throws HostError.
class OperatorTable {
 public:
  BASCULE_HIDDEN OperatorTable() {
    for (AddedOperator* added = AddedOperator::First(); added != nullptr; added = added->next) {
      added->define(
          added->type,
          [](ops::OpDef& definition, void* context) {
            static_cast<OperatorTable*>(context)->operators_.emplace_back(
                Access::Resolve(definition));
          },
          this);
      Operator& op = *operators_.back();
      op.file = added->file;
      op.line = added->line;
      for (const auto& other : operators_) {
        if (other.get() == &op || other->name != op.name) continue;
        throw HostError(Sentence({"operator ", op.type, " is added twice, at ", other->file, ":",
                                  std::to_string(other->line), " and at ", op.file, ":",
                                  std::to_string(op.line)}));
      }
    }
    for (const auto& op : operators_) Finish(op.get());
  }

  BASCULE_HIDDEN const std::vector<std::unique_ptr<Operator>>& operators() const {
    return operators_;
  }
  // By type ("MyMul") or name ("my_mul"); null when there is none.
  BASCULE_HIDDEN const Operator* Find(const char* name) const {
    for (const auto& op : operators_) {
      if (op->type == name || op->name == name) return op.get();
    }
    return nullptr;
  }

  // Built on first use, for the life of the library.
  BASCULE_HIDDEN static const OperatorTable& Get() {
    static const OperatorTable table;
    return table;
  }

 private:
  BASCULE_HIDDEN static void Finish(Operator* op);

  std::vector<std::unique_ptr<Operator>> operators_;
};

// Runs `body` for the operator the call names. What goes wrong becomes the call's message, in words
// that follow "its tiling refuses …: ".
template <typename Body>
BASCULE_HIDDEN inline int Guard(BasculeHostCall* call, Body body) noexcept {
  const auto fail = [&](const char* text) {
    if (call->message != nullptr && call->message_capacity > 0) {
      std::snprintf(call->message, call->message_capacity, "%s", text);
    }
    return 1;
  };
  try {
    TakeLoggedError();  // of an earlier call
    const Operator* op = OperatorTable::Get().Find(call->operator_name);
    if (op == nullptr) return fail("the library has no operator of this name");
    body(*op);
    return 0;
  } catch (const std::exception& error) {
    return fail(error.what());
  } catch (...) {
    return fail("it threw something that is no std::exception");
  }
}

// What the function logged as an error says more than its status.
BASCULE_HIDDEN inline void CheckStatus(ge::graphStatus status) {
  const std::string logged = TakeLoggedError();
  if (status == ge::GRAPH_SUCCESS) return;
  if (!logged.empty()) throw HostError(logged);
  throw HostError(status == ge::GRAPH_FAILED ? "it returned GRAPH_FAILED"
                                             : "it returned the error " + std::to_string(status));
}

BASCULE_HIDDEN inline int RunInferShape(BasculeHostCall* call) {
  return Guard(call, [call](const Operator& op) {
    gert::InferShapeContext context(call, op.type.c_str());
    if (op.infer_shape != nullptr) {
      CheckStatus(op.infer_shape(&context));
    } else {
      for (size_t i = 0; i < op.outputs.size(); ++i) {
        // Member by member where both are lists.
        const auto source_index = static_cast<size_t>(op.outputs[i].shape_of);
        const gert::AnchorInstanceInfo* outputs = context.GetIrOutputInstanceInfo(i);
        const bool lists = op.inputs[source_index].kind == BASCULE_DYNAMIC;
        for (size_t n = 0; outputs != nullptr && n < outputs->GetInstanceNum(); ++n) {
          const gert::Shape* source = context.GetDynamicInputShape(source_index, lists ? n : 0);
          gert::Shape* output = context.GetOutputShape(outputs->GetInstanceStart() + n);
          if (source != nullptr && output != nullptr) *output = *source;
        }
      }
    }
    for (uint32_t i = 0; i < call->output_count; ++i) {
      FromGert(*context.GetOutputShape(i), &call->outputs[i].shape);
    }
  });
}

BASCULE_HIDDEN inline int RunInferDtype(BasculeHostCall* call) {
  return Guard(call, [call](const Operator& op) {
    gert::InferDataTypeContext context(call, op.type.c_str());
    CheckStatus(op.infer_dtype(&context));
  });
}

// What the operator's parse function makes of the platform, made once.
BASCULE_HIDDEN inline const void* CompileInfoOf(const Operator& op, const BasculeHostCall* call) {
  if (op.make_compile_info == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(op.compile_info_mutex);
  for (const auto& known : op.compile_infos) {
    if (known.first == call->platform) return known.second.get();
  }
  std::shared_ptr<void> info = op.make_compile_info();
  if (op.tiling_parse != nullptr) {
    gert::TilingParseContext context(call, op.type.c_str(), info.get());
    CheckStatus(op.tiling_parse(&context));
  }
  op.compile_infos.emplace_back(call->platform, std::move(info));
  return op.compile_infos.back().second.get();
}

BASCULE_HIDDEN inline int RunTiling(BasculeHostCall* call) {
  return Guard(call, [call](const Operator& op) {
    call->tiling_bytes = 0;
    call->tiling_key = 0;
    call->block_count = 0;
    call->workspace_count = 0;
    std::memset(call->workspace_bytes, 0, sizeof(call->workspace_bytes));
    gert::TilingContext context(call, op.type.c_str(), CompileInfoOf(op, call));
    CheckStatus(op.tiling(&context));
  });
}

BASCULE_HIDDEN inline void OperatorTable::Finish(Operator* op) {
  const auto parameters = [](const std::vector<Parameter>& from,
                             std::vector<BasculeParameterDef>* to) {
    for (const Parameter& parameter : from) {
      to->push_back({parameter.name.c_str(), parameter.kind,
                     static_cast<uint32_t>(parameter.dtypes.size()), parameter.dtypes.data(),
                     parameter.formats.data()});
    }
  };
  parameters(op->inputs, &op->input_defs);
  parameters(op->outputs, &op->output_defs);
  for (const Attribute& attribute : op->attributes) {
    BasculeAttributeDef def = {};
    def.name = def.fallback.name = attribute.name.c_str();
    def.kind = def.fallback.kind = attribute.kind;
    def.required = attribute.required ? 1 : 0;
    switch (attribute.kind) {
      case BASCULE_ATTR_FLOAT:
        def.fallback.value.f = attribute.f;
        break;
      case BASCULE_ATTR_STRING:
        def.fallback.value.s = attribute.text.c_str();
        def.fallback.length = static_cast<uint32_t>(attribute.text.size());
        break;
      case BASCULE_ATTR_INT_LIST:
      case BASCULE_ATTR_BOOL_LIST:
      case BASCULE_ATTR_INT_LISTS:
        def.fallback.value.ints = attribute.ints.data();
        def.fallback.length = static_cast<uint32_t>(attribute.ints.size());
        break;
      case BASCULE_ATTR_FLOAT_LIST:
        def.fallback.value.floats = attribute.floats.data();
        def.fallback.length = static_cast<uint32_t>(attribute.floats.size());
        break;
      default:
        def.fallback.value.i = attribute.i;
        break;
    }
    op->attribute_defs.push_back(def);
  }
  bool shapes_follow = true;
  for (const Parameter& output : op->outputs) shapes_follow = shapes_follow && output.shape_of >= 0;

  op->def.struct_bytes = sizeof(BasculeOperatorDef);
  op->def.type = op->type.c_str();
  op->def.input_count = static_cast<uint32_t>(op->input_defs.size());
  op->def.output_count = static_cast<uint32_t>(op->output_defs.size());
  op->def.attribute_count = static_cast<uint32_t>(op->attribute_defs.size());
  op->def.inputs = op->input_defs.data();
  op->def.outputs = op->output_defs.data();
  op->def.attributes = op->attribute_defs.data();
  op->def.infer_shape = op->infer_shape != nullptr || shapes_follow ? &RunInferShape : nullptr;
  op->def.infer_dtype = op->infer_dtype != nullptr ? &RunInferDtype : nullptr;
  op->def.tiling = &RunTiling;
  for (size_t i = 0; i < op->inputs.size() && i < 64; ++i) {
    if (op->inputs[i].value_depend) op->def.value_inputs |= uint64_t{1} << i;
  }
  bool any = false;
  for (const Parameter& output : op->outputs) any = any || !output.initial.empty();
  if (any) {
    for (const Parameter& output : op->outputs) {
      std::vector<BasculeInitialValue> values = output.initial;
      values.resize(op->columns, BasculeInitialValue{});
      op->initial_values.insert(op->initial_values.end(), values.begin(), values.end());
    }
    op->def.initial_values = op->initial_values.data();
  }
}

// The definition of the operator `type` of this library. Null when there is none or it cannot be
// read, which the build has ruled out.
BASCULE_HIDDEN inline const BasculeOperatorDef* FindOperatorDef(const char* type) noexcept {
  try {
    const Operator* op = OperatorTable::Get().Find(type);
    return op == nullptr ? nullptr : &op->def;
  } catch (...) {
    return nullptr;
  }
}

}  // namespace bascule_host

#endif  // BASCULE_HOST_TABLE_H_

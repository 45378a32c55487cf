// bascule/check.h: JSON and tensors in, reports out.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bascule/check.h"
#include "base/dtype.h"
#include "base/error.h"
#include "check/advice.h"
#include "check/case_check.h"
#include "check/cases.h"
#include "check/numbers.h"
#include "check/repeatable.h"
#include "check/tolerance.h"
#include "host/last_error.h"

namespace {

using bascule::Error;
using bascule::Join;
using bascule::host::Guarded;
using nlohmann::json;
namespace check = bascule::check;

void Require(const void* pointer, const char* function, const char* argument) {
  if (pointer == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(function, ": '", argument, "' is null."));
  }
}

json Parse(const char* text, const char* function, const char* argument) {
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(function, ": '", argument, "' is no JSON."));
  }
  return value;
}

void Give(const json& value, char** out) {
  *out = bascule::host::CopyText(
      value.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace));
}

// A tensor of the caller's, with what is read of it looked at first.
void CheckTensor(const BasculeTensor& tensor, const char* function) {
  const bool bad_rank = tensor.ndim < 0 || tensor.ndim > BASCULE_MAX_RANK;
  if (bad_rank || (tensor.ndim > 0 && tensor.shape == nullptr) || tensor.device_type != 1) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(function, ": a tensor is not in CPU memory, has no shape, or more than ",
                     BASCULE_MAX_RANK, " dimensions."));
  }
  check::DTypeOf(tensor);
  if (check::CountOf(tensor) != 0 && tensor.data == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(function, ": a tensor has no data."));
  }
}

std::span<const BasculeTensor* const> CheckTensors(uint32_t count,
                                                   const BasculeTensor* const* tensors,
                                                   bool may_be_null, const char* function,
                                                   const char* argument) {
  if (count != 0) Require(tensors, function, argument);
  for (uint32_t i = 0; i < count; ++i) {
    if (tensors[i] != nullptr) {
      CheckTensor(*tensors[i], function);
    } else if (!may_be_null) {
      Require(nullptr, function, argument);
    }
  }
  return {tensors, count};
}

std::vector<std::string> Names(const json& settings, const char* member, uint32_t count) {
  std::vector<std::string> names;
  const json given = settings.value(member, json::array());
  for (uint32_t i = 0; i < count; ++i) {
    const bool named = given.is_array() && i < given.size() && given[i].is_string();
    names.push_back(named ? given[i].get<std::string>() : std::to_string(i));
  }
  return names;
}

struct Case {
  std::unique_ptr<check::CaseCheck> check;
};

// The caller's function as C++: memory for its results, in the kind that each output has.
check::Function Wrap(BasculeCheckFunction function, void* context,
                     std::vector<check::Described> outputs) {
  return [=, outputs = std::move(outputs)](const std::vector<std::vector<double>>& inputs) {
    std::vector<const double*> in;
    in.reserve(inputs.size());
    // An empty vector of a floating input has an address, too; the caller knows which are which.
    for (const std::vector<double>& values : inputs) in.push_back(values.data());
    check::Outputs result;
    result.numbers.resize(outputs.size());
    result.integers.resize(outputs.size());
    std::vector<void*> out;
    for (size_t o = 0; o < outputs.size(); ++o) {
      const auto count = static_cast<size_t>(check::CountOf(outputs[o].shape));
      if (outputs[o].format->is_float) {
        result.numbers[o].resize(count);
        out.push_back(result.numbers[o].data());
      } else {
        result.integers[o].resize(count);
        out.push_back(result.integers[o].data());
      }
    }
    if (function(context, static_cast<uint32_t>(in.size()), in.data(),
                 static_cast<uint32_t>(out.size()), out.data()) != 0) {
      throw Error(BASCULE_INVALID_ARGUMENT, "the function that results are held against failed.");
    }
    return result;
  };
}

check::CaseCheck& Unwrap(BasculeCheck* handle) { return *reinterpret_cast<Case*>(handle)->check; }

}  // namespace

extern "C" {

BasculeStatus bascule_check_cases(const char* schema, const char* options, char** cases) {
  return Guarded("bascule_check_cases", [&] {
    Require(schema, "bascule_check_cases", "schema");
    Require(cases, "bascule_check_cases", "cases");
    const json given =
        options != nullptr ? Parse(options, "bascule_check_cases", "options") : json::object();
    Give(check::MakeCases(Parse(schema, "bascule_check_cases", "schema"), given), cases);
  });
}

BasculeStatus bascule_check_fill(const BasculeTensor* tensor, const char* recipe) {
  return Guarded("bascule_check_fill", [&] {
    Require(tensor, "bascule_check_fill", "tensor");
    Require(recipe, "bascule_check_fill", "recipe");
    CheckTensor(*tensor, "bascule_check_fill");
    check::Fill(*tensor, Parse(recipe, "bascule_check_fill", "recipe"));
  });
}

BasculeStatus bascule_check_open(const char* settings, uint32_t input_count,
                                 const BasculeTensor* const* inputs, uint32_t output_count,
                                 const BasculeTensorInfo* outputs, BasculeCheckFunction function,
                                 void* context, BasculeCheck** handle) {
  constexpr const char* kName = "bascule_check_open";
  return Guarded(kName, [&] {
    Require(settings, kName, "settings");
    Require(reinterpret_cast<const void*>(function), kName, "function");
    Require(handle, kName, "check");
    if (output_count != 0) Require(outputs, kName, "outputs");
    const json given = Parse(settings, kName, "settings");
    const auto tensors = CheckTensors(input_count, inputs, true, kName, "inputs");
    const std::vector<std::string> input_names = Names(given, "inputs", input_count);
    const std::vector<std::string> output_names = Names(given, "outputs", output_count);
    std::vector<check::Described> ins(input_count);
    std::vector<std::vector<double>> numbers(input_count);
    for (uint32_t i = 0; i < input_count; ++i) {
      ins[i].name = input_names[i];
      ins[i].present = tensors[i] != nullptr;
      ins[i].format = &check::FormatOf(BASCULE_FLOAT);
      if (!ins[i].present) continue;
      ins[i].format = &check::FormatOf(check::DTypeOf(*tensors[i]));
      ins[i].shape = check::ShapeOf(*tensors[i]);
      if (ins[i].format->is_float) numbers[i] = check::Numbers(*tensors[i]);
    }
    std::vector<check::Described> outs(output_count);
    for (uint32_t o = 0; o < output_count; ++o) {
      outs[o].name = output_names[o];
      outs[o].format = &check::FormatOf(outputs[o].dtype);
      const BasculeShape& shape = outputs[o].shape;
      if (shape.rank < 0 || shape.rank > BASCULE_MAX_RANK) {
        throw Error(BASCULE_INVALID_ARGUMENT,
                    Join(kName, ": the rank of output '", outs[o].name, "' is not known."));
      }
      outs[o].shape.assign(shape.dims, shape.dims + shape.rank);
      check::CountOf(outs[o].shape);
    }
    check::Settings wanted;
    wanted.is_self = given.value("self", false);
    wanted.values = given.value("values", "range");
    wanted.forward_limit = given.value("forward_ulp", 0.0);
    wanted.gradient_limit = given.value("gradient_ulp", 0.0);
    auto made = std::make_unique<Case>();
    check::Function wrapped = Wrap(function, context, outs);
    made->check = std::make_unique<check::CaseCheck>(std::move(ins), std::move(numbers),
                                                     std::move(outs), std::move(wrapped), wanted);
    *handle = reinterpret_cast<BasculeCheck*>(made.release());
  });
}

void bascule_check_close(BasculeCheck* handle) { delete reinterpret_cast<Case*>(handle); }

BasculeStatus bascule_check_forward(BasculeCheck* handle, uint32_t output_count,
                                    const BasculeTensor* const* outputs, char** report) {
  constexpr const char* kName = "bascule_check_forward";
  return Guarded(kName, [&] {
    Require(handle, kName, "check");
    Require(report, kName, "report");
    Give(Unwrap(handle).Forward(CheckTensors(output_count, outputs, false, kName, "outputs")),
         report);
  });
}

BasculeStatus bascule_check_gradient(BasculeCheck* handle, uint32_t output_count,
                                     const BasculeTensor* const* outputs,
                                     const BasculeTensor* const* douts, uint32_t gradient_count,
                                     const BasculeTensor* const* gradients, char** report) {
  constexpr const char* kName = "bascule_check_gradient";
  return Guarded(kName, [&] {
    Require(handle, kName, "check");
    Require(report, kName, "report");
    Give(Unwrap(handle).Gradient(CheckTensors(output_count, outputs, true, kName, "outputs"),
                                 CheckTensors(output_count, douts, true, kName, "douts"),
                                 CheckTensors(gradient_count, gradients, true, kName, "gradients")),
         report);
  });
}

BasculeStatus bascule_check_repeatable(const BasculeOperator* op, uint32_t input_count,
                                       const BasculeTensor* const* inputs, uint32_t output_count,
                                       const BasculeTensorInfo* outputs, uint32_t attribute_count,
                                       const BasculeAttribute* attributes, char** report) {
  return bascule_check_repeatable_lists(op, nullptr, input_count, inputs, output_count, outputs,
                                        attribute_count, attributes, report);
}

BasculeStatus bascule_check_repeatable_lists(
    const BasculeOperator* op, const BasculeLists* lists, uint32_t input_count,
    const BasculeTensor* const* inputs, uint32_t output_count, const BasculeTensorInfo* outputs,
    uint32_t attribute_count, const BasculeAttribute* attributes, char** report) {
  constexpr const char* kName = "bascule_check_repeatable";
  return Guarded(kName, [&] {
    Require(op, kName, "op");
    Require(report, kName, "report");
    if (output_count != 0) Require(outputs, kName, "outputs");
    if (attribute_count != 0) Require(attributes, kName, "attributes");
    std::vector<std::string> names;
    const json schema = json::parse(bascule_operator_schema(op), nullptr, false);
    if (schema.is_object() && schema.contains("outputs")) {
      for (const json& output : schema["outputs"]) names.push_back(output.value("name", ""));
    }
    for (uint32_t o = 0; o < output_count; ++o) {
      if (outputs[o].shape.rank < 0 || outputs[o].shape.rank > BASCULE_MAX_RANK) {
        throw Error(BASCULE_INVALID_ARGUMENT, Join(kName, ": the rank of an output is not known."));
      }
      check::FormatOf(outputs[o].dtype);
    }
    Give(check::CheckRepeatable(op, lists, CheckTensors(input_count, inputs, true, kName, "inputs"),
                                {outputs, output_count}, {attributes, attribute_count}, names),
         report);
  });
}

BasculeStatus bascule_check_memory(int (*call)(void* context), void* context, uint32_t calls,
                                   char** report) {
  constexpr const char* kName = "bascule_check_memory";
  return Guarded(kName, [&] {
    Require(reinterpret_cast<const void*>(call), kName, "call");
    Require(report, kName, "report");
    if (calls == 0) {
      throw Error(BASCULE_INVALID_ARGUMENT, Join(kName, ": 'calls' is 0; at least 1 is needed."));
    }
    const auto once = [&] {
      if (call(context) != 0) {
        throw Error(BASCULE_INVALID_ARGUMENT, "a call failed while memory was watched.");
      }
    };
    Give(check::CheckMemory(once, calls), report);
  });
}

BasculeStatus bascule_check_advice(const char* facts, char** advice) {
  return Guarded("bascule_check_advice", [&] {
    Require(facts, "bascule_check_advice", "facts");
    Require(advice, "bascule_check_advice", "advice");
    Give(check::Advise(Parse(facts, "bascule_check_advice", "facts")), advice);
  });
}

}  // extern "C"

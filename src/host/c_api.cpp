// The C border: every exception becomes a status and a sentence here.
// SPDX-License-Identifier: Apache-2.0
#include "bascule/c_api.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bascule/abi/runtime.h"
#include "base/error.h"
#include "engine/launch.h"
#include "host/acl.h"
#include "host/aot.h"
#include "host/aot_functions.h"
#include "host/call.h"
#include "host/function.h"
#include "host/host_function.h"
#include "host/last_error.h"
#include "host/library.h"
#include "host/observers.h"
#include "host/plan_limits.h"
#include "host/plans.h"
#include "host/tensors.h"
#include "registry/inference.h"
#include "registry/lists.h"
#include "simd/targets.h"
#include "toolchain/build.h"
#include "toolchain/doctor.h"
#include "toolchain/manifest.h"

// The handles of the C interface are the objects themselves.
using bascule::Error;
using bascule::Join;
using bascule::host::Library;
using bascule::host::Operator;

namespace {

thread_local std::string last_error;

Library& Unwrap(const BasculeLibrary* library) {
  return *reinterpret_cast<Library*>(const_cast<BasculeLibrary*>(library));
}
Operator& Unwrap(const BasculeOperator* op) {
  return *reinterpret_cast<Operator*>(const_cast<BasculeOperator*>(op));
}
const BasculeOperator* Wrap(const Operator& op) {
  return reinterpret_cast<const BasculeOperator*>(&op);
}

const BasculePlan* Wrap(const bascule::registry::CachedPlan* plan) {
  return reinterpret_cast<const BasculePlan*>(plan);
}
const bascule::registry::CachedPlan& Unwrap(const BasculePlan* plan) {
  return *reinterpret_cast<const bascule::registry::CachedPlan*>(plan);
}

// One that has plans of its own to save or load.
Operator* Planned(const BasculeOperator* op, const char* function) {
  Operator& self = Unwrap(op);
  if (!self.takes_any()) return &self;
  throw Error(BASCULE_UNSUPPORTED, Join(function, ": ", self.entry->name, " is ", self.kind(),
                                        ", which has no tiling and so no plans."));
}

std::vector<Operator*> OperatorsOf(const Library& library) {
  std::vector<Operator*> operators;
  for (const auto& op : library.operators()) operators.push_back(op.get());
  return operators;
}

[[noreturn]] void RefuseNull(const char* function, const char* argument) {
  throw Error(BASCULE_INVALID_ARGUMENT, Join(function, ": '", argument, "' is null."));
}
inline void Require(const void* pointer, const char* function, const char* argument) {
  if (pointer == nullptr) [[unlikely]]
    RefuseNull(function, argument);
}

template <typename Body>
BasculeStatus Guard(const char* function, Body body) {
  try {
    static const bool ready = (bascule::simd::ChooseTarget(), true);
    (void)ready;
    body();
    return BASCULE_OK;
  } catch (const Error& error) {
    last_error = error.what();
    return error.status();
  } catch (const std::bad_alloc&) {
    last_error = Join(function, ": out of memory.");
    return BASCULE_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    last_error = Join(function, ": ", error.what());
    return BASCULE_INTERNAL;
  }
}

// Fills a structure that says how large it is: what an older caller does not know is left out, and
// what an older runtime does not know stays 0.
template <typename Struct>
void Fill(const Struct& from, Struct* to, const char* function, const char* argument) {
  constexpr uint32_t kLeast = 8;
  const uint32_t bytes = to->struct_bytes;
  if (bytes < kLeast || bytes > 4096) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(function, ": '", argument, "' says it has ", bytes,
                     " bytes; set struct_bytes to its sizeof before the call."));
  }
  std::memset(static_cast<void*>(to), 0, bytes);
  std::memcpy(static_cast<void*>(to), &from, std::min<size_t>(bytes, sizeof(from)));
  to->struct_bytes = bytes;
}

// The tensors and attributes of a call that is done later. Their memory stays the caller's.
class KeptCall {
 public:
  KeptCall(Operator& op, std::span<const BasculeTensor* const> inputs,
           std::span<BasculeTensor* const> outputs, std::span<const BasculeAttribute> attributes,
           const bascule::registry::Counts& counts)
      : op_(op),
        attributes_(attributes.begin(), attributes.end()),
        input_counts_(counts.inputs.begin(), counts.inputs.end()),
        output_counts_(counts.outputs.begin(), counts.outputs.end()) {
    for (const BasculeTensor* tensor : inputs) inputs_.push_back(Keep(tensor));
    for (const BasculeTensor* tensor : outputs) outputs_.push_back(Keep(tensor));
    for (BasculeAttribute& attribute : attributes_) {
      if (attribute.name != nullptr) attribute.name = Text(attribute.name);
      const auto length = attribute.length;
      switch (attribute.kind) {
        case BASCULE_ATTR_STRING:
          attribute.value.s = Text({attribute.value.s, length});
          break;
        case BASCULE_ATTR_INT_LIST:
        case BASCULE_ATTR_BOOL_LIST:
        case BASCULE_ATTR_INT_LISTS:
          attribute.value.ints =
              ints_.emplace_back(attribute.value.ints, attribute.value.ints + length).data();
          break;
        case BASCULE_ATTR_FLOAT_LIST:
          attribute.value.floats =
              floats_.emplace_back(attribute.value.floats, attribute.value.floats + length).data();
          break;
        default:
          break;
      }
    }
  }
  void Run() const {
    bascule::host::Call(op_, inputs_, outputs_, attributes_, {input_counts_, output_counts_});
  }

 private:
  const char* Text(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }
  BasculeTensor* Keep(const BasculeTensor* tensor) {
    if (tensor == nullptr) return nullptr;
    BasculeTensor& kept = tensors_.emplace_back(*tensor);
    if (kept.shape != nullptr) {
      kept.shape = ints_.emplace_back(kept.shape, kept.shape + kept.ndim).data();
    }
    if (kept.strides != nullptr) {
      kept.strides = ints_.emplace_back(kept.strides, kept.strides + kept.ndim).data();
    }
    return &kept;
  }

  Operator& op_;
  std::deque<BasculeTensor> tensors_;
  std::vector<const BasculeTensor*> inputs_;
  std::vector<BasculeTensor*> outputs_;
  std::vector<BasculeAttribute> attributes_;
  std::vector<uint32_t> input_counts_;
  std::vector<uint32_t> output_counts_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<float>> floats_;
};

// The numbers of tensors that a caller gave; none for null.
bascule::registry::Counts CountsOf(const BasculeLists* lists, const char* function) {
  if (lists == nullptr) return {};
  if (lists->struct_bytes < sizeof(BasculeLists)) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(function, ": 'lists' says it has ", lists->struct_bytes,
                     " bytes; set struct_bytes to its sizeof before the call."));
  }
  if (lists->input_count != 0) Require(lists->inputs, function, "lists->inputs");
  if (lists->output_count != 0) Require(lists->outputs, function, "lists->outputs");
  return {{lists->inputs, lists->input_count}, {lists->outputs, lists->output_count}};
}

char* Copy(const std::string& text) {
  char* memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory, text.c_str(), text.size() + 1);
  return memory;
}

// --- the functions that take lists of tensors, and those that do not

BasculeStatus Infer(const char* function, const BasculeOperator* op, const BasculeLists* lists,
                    uint32_t input_count, const BasculeTensorInfo* inputs, uint32_t attribute_count,
                    const BasculeAttribute* attributes, uint32_t output_count,
                    BasculeTensorInfo* outputs) {
  return Guard(function, [&] {
    Require(op, function, "op");
    if (input_count != 0) Require(inputs, function, "inputs");
    if (attribute_count != 0) Require(attributes, function, "attributes");
    if (output_count != 0) Require(outputs, function, "outputs");
    const BasculeOperatorEntry& entry = *Unwrap(op).entry;
    if (Unwrap(op).takes_any()) {
      throw Error(BASCULE_UNSUPPORTED, Join(entry.name, " is ", Unwrap(op).kind(),
                                            ": nothing tells the shapes and element types of "
                                            "its outputs. Its caller has to know them."));
    }
    const std::vector<BasculeAttribute> complete =
        bascule::registry::CompleteAttributes(entry, {attributes, attribute_count});
    bascule::registry::InferOutputs(
        entry, {inputs, input_count}, complete, {outputs, output_count},
        bascule::host::CallHostFunction, {},
        Unwrap(op).ListsOf(input_count, output_count, CountsOf(lists, function)));
  });
}

void RequireTensors(const char* function, const BasculeOperator* op, uint32_t input_count,
                    const BasculeTensor* const* inputs, uint32_t output_count,
                    BasculeTensor* const* outputs, uint32_t attribute_count,
                    const BasculeAttribute* attributes) {
  Require(op, function, "op");
  if (input_count != 0) Require(inputs, function, "inputs");
  if (output_count != 0) Require(outputs, function, "outputs");
  if (attribute_count != 0) Require(attributes, function, "attributes");
}

BasculeStatus Call(const char* function, const BasculeOperator* op, const BasculeLists* lists,
                   uint32_t input_count, const BasculeTensor* const* inputs, uint32_t output_count,
                   BasculeTensor* const* outputs, uint32_t attribute_count,
                   const BasculeAttribute* attributes) {
  return Guard(function, [&] {
    RequireTensors(function, op, input_count, inputs, output_count, outputs, attribute_count,
                   attributes);
    bascule::host::Call(Unwrap(op), {inputs, input_count}, {outputs, output_count},
                        {attributes, attribute_count}, CountsOf(lists, function));
  });
}

BasculeStatus CallOn(const char* function, const BasculeOperator* op, const BasculeLists* lists,
                     uint32_t input_count, const BasculeTensor* const* inputs,
                     uint32_t output_count, BasculeTensor* const* outputs, uint32_t attribute_count,
                     const BasculeAttribute* attributes, BasculeStream stream) {
  return Guard(function, [&] {
    RequireTensors(function, op, input_count, inputs, output_count, outputs, attribute_count,
                   attributes);
    Operator& self = Unwrap(op);
    const std::span in{inputs, input_count};
    const std::span out{outputs, output_count};
    const std::span values{attributes, attribute_count};
    const bascule::registry::Counts counts = CountsOf(lists, function);
    bascule::host::RunOnStream(
        stream, self.entry->name, [&] { bascule::host::Call(self, in, out, values, counts); },
        [&]() -> std::function<void()> {
          bascule::host::CheckCall(self, in, out, values, counts);
          const auto kept = std::make_shared<const KeptCall>(self, in, out, values, counts);
          return [kept] { kept->Run(); };
        });
  });
}

BasculeStatus MakePlan(const char* function, const BasculeOperator* op, const BasculeLists* lists,
                       uint32_t input_count, const BasculeTensorInfo* inputs,
                       uint32_t attribute_count, const BasculeAttribute* attributes,
                       BasculePlan** out) {
  return Guard(function, [&] {
    Require(op, function, "op");
    Require(out, function, "out");
    if (input_count != 0) Require(inputs, function, "inputs");
    if (attribute_count != 0) Require(attributes, function, "attributes");
    *out = const_cast<BasculePlan*>(
        Wrap(bascule::host::PlanFor(Unwrap(op), {inputs, input_count},
                                    {attributes, attribute_count}, {}, CountsOf(lists, function))
                 .release()));
  });
}

BasculeStatus RuntimeAotCallWith(const BasculeLibraryTable* library, const char* operator_name,
                                 const void* extra, int nparam, void** params, int* ndims,
                                 int64_t** shapes, const char** dtypes) {
  return Guard(operator_name, [&] {
    bascule::host::AotCall(*library, operator_name, extra, nparam, params, ndims, shapes, dtypes);
  });
}

BasculeStatus RuntimeAotInferShapes(const BasculeLibraryTable* library, const char* operator_name,
                                    const void* extra, int nparam, const int* ndims,
                                    int64_t* const* shapes, BasculeShape* out) {
  return Guard(operator_name, [&] {
    const auto found =
        bascule::host::AotInferShapes(*library, operator_name, extra, nparam, ndims, shapes);
    std::copy(found.begin(), found.end(), out);
  });
}

BasculeStatus RuntimeAotInferDtypes(const BasculeLibraryTable* library, const char* operator_name,
                                    int nparam, const int32_t* dtypes, int32_t* out) {
  return Guard(operator_name, [&] {
    const auto found = bascule::host::AotInferDtypes(*library, operator_name, nparam, dtypes);
    std::copy(found.begin(), found.end(), out);
  });
}

// What libraries built before the three above call.

BasculeStatus RuntimeAotCall(const BasculeLibraryTable* library, const char* operator_name,
                             int nparam, void** params, int* ndims, int64_t** shapes,
                             const char** dtypes) {
  return RuntimeAotCallWith(library, operator_name, nullptr, nparam, params, ndims, shapes, dtypes);
}

BasculeStatus RuntimeAotInferShape(const BasculeLibraryTable* library, const char* operator_name,
                                   int nparam, const int* ndims, int64_t* const* shapes,
                                   BasculeShape* out) {
  return Guard(operator_name, [&] {
    *out = bascule::host::AotInferShapes(*library, operator_name, nullptr, nparam, ndims, shapes)
               .at(0);
  });
}

BasculeStatus RuntimeAotInferDtype(const BasculeLibraryTable* library, const char* operator_name,
                                   int nparam, const int32_t* dtypes, int32_t* out) {
  return Guard(operator_name, [&] {
    *out = bascule::host::AotInferDtypes(*library, operator_name, nparam, dtypes).at(0);
  });
}

}  // namespace

namespace bascule::host {

BasculeStatus Guarded(const char* function, void (*body)(const void* closure),
                      const void* closure) {
  return Guard(function, [&] { body(closure); });
}

char* CopyText(const std::string& text) { return Copy(text); }

}  // namespace bascule::host

extern "C" {

int32_t bascule_c_api_version(void) { return BASCULE_C_API_VERSION; }

const char* bascule_version(void) { return BASCULE_VERSION; }

int32_t bascule_version_number(void) { return BASCULE_VERSION_NUMBER; }

const char* bascule_last_error(void) { return last_error.c_str(); }

BASCULE_EXPORT const BasculeRuntimeApi* bascule_runtime_v1(void) {
  static const BasculeRuntimeApi api = {
      .struct_bytes = sizeof(BasculeRuntimeApi),
      .abi_version = BASCULE_KERNEL_ABI_VERSION,
      .kernel = &bascule::engine::KernelApi(),
      .version = BASCULE_VERSION,
      .aot_call = RuntimeAotCall,
      .aot_infer_shape = RuntimeAotInferShape,
      .aot_infer_dtype = RuntimeAotInferDtype,
      .last_error = bascule_last_error,
      .acl = &bascule::host::AclApi(),
      .launch = bascule::host::LaunchOnStream,
      .aot_call_with = RuntimeAotCallWith,
      .aot_infer_shapes = RuntimeAotInferShapes,
      .aot_infer_dtypes = RuntimeAotInferDtypes,
  };
  return &api;
}

BasculeStatus bascule_library_open(const char* path, BasculeLibrary** out) {
  return Guard("bascule_library_open", [&] {
    Require(path, "bascule_library_open", "path");
    Require(out, "bascule_library_open", "out");
    *out = reinterpret_cast<BasculeLibrary*>(&Library::Open(path));
  });
}

const char* bascule_library_path(const BasculeLibrary* library) {
  if (library == nullptr) return "";
  return Unwrap(library).path().c_str();
}

const char* bascule_library_manifest(const BasculeLibrary* library) {
  if (library == nullptr) return "";
  return Unwrap(library).manifest().c_str();
}

uint32_t bascule_library_operator_count(const BasculeLibrary* library) {
  if (library == nullptr) return 0;
  return static_cast<uint32_t>(Unwrap(library).operators().size());
}

const BasculeOperator* bascule_library_operator(const BasculeLibrary* library, uint32_t index) {
  if (library == nullptr) return nullptr;
  const auto& operators = Unwrap(library).operators();
  return index < operators.size() ? Wrap(*operators[index]) : nullptr;
}

BasculeStatus bascule_library_find(const BasculeLibrary* library, const char* name,
                                   const BasculeOperator** out) {
  return Guard("bascule_library_find", [&] {
    Require(library, "bascule_library_find", "library");
    Require(name, "bascule_library_find", "name");
    Require(out, "bascule_library_find", "out");
    *out = Wrap(Unwrap(library).Find(name));
  });
}

BasculeStatus bascule_function_open(const char* path, const char* symbol,
                                    const BasculeOperator** out) {
  return Guard("bascule_function_open", [&] {
    Require(path, "bascule_function_open", "path");
    Require(symbol, "bascule_function_open", "symbol");
    Require(out, "bascule_function_open", "out");
    *out = Wrap(bascule::host::OpenFunction(path, symbol));
  });
}

const char* bascule_operator_name(const BasculeOperator* op) {
  return op != nullptr ? Unwrap(op).entry->name : "";
}

const char* bascule_operator_schema(const BasculeOperator* op) {
  return op != nullptr ? Unwrap(op).schema.c_str() : "";
}

uint32_t bascule_operator_input_count(const BasculeOperator* op) {
  if (op == nullptr) return 0;
  return Unwrap(op).takes_any() ? BASCULE_ANY_COUNT : Unwrap(op).entry->def->input_count;
}

uint32_t bascule_operator_output_count(const BasculeOperator* op) {
  if (op == nullptr) return 0;
  return Unwrap(op).takes_any() ? BASCULE_ANY_COUNT : Unwrap(op).entry->def->output_count;
}

BasculeStatus bascule_operator_gradient(const BasculeOperator* op, const BasculeOperator** out) {
  return Guard("bascule_operator_gradient", [&] {
    Require(op, "bascule_operator_gradient", "op");
    Require(out, "bascule_operator_gradient", "out");
    *out = Wrap(bascule::host::GradientOf(Unwrap(op)));
  });
}

BasculeStatus bascule_operator_infer(const BasculeOperator* op, uint32_t input_count,
                                     const BasculeTensorInfo* inputs, uint32_t attribute_count,
                                     const BasculeAttribute* attributes, uint32_t output_count,
                                     BasculeTensorInfo* outputs) {
  return Infer("bascule_operator_infer", op, nullptr, input_count, inputs, attribute_count,
               attributes, output_count, outputs);
}

BasculeStatus bascule_operator_infer_lists(const BasculeOperator* op, const BasculeLists* lists,
                                           uint32_t input_count, const BasculeTensorInfo* inputs,
                                           uint32_t attribute_count,
                                           const BasculeAttribute* attributes,
                                           uint32_t output_count, BasculeTensorInfo* outputs) {
  return Infer("bascule_operator_infer_lists", op, lists, input_count, inputs, attribute_count,
               attributes, output_count, outputs);
}

BasculeStatus bascule_operator_call(const BasculeOperator* op, uint32_t input_count,
                                    const BasculeTensor* const* inputs, uint32_t output_count,
                                    BasculeTensor* const* outputs, uint32_t attribute_count,
                                    const BasculeAttribute* attributes) {
  return Call("bascule_operator_call", op, nullptr, input_count, inputs, output_count, outputs,
              attribute_count, attributes);
}

BasculeStatus bascule_operator_call_lists(const BasculeOperator* op, const BasculeLists* lists,
                                          uint32_t input_count, const BasculeTensor* const* inputs,
                                          uint32_t output_count, BasculeTensor* const* outputs,
                                          uint32_t attribute_count,
                                          const BasculeAttribute* attributes) {
  return Call("bascule_operator_call_lists", op, lists, input_count, inputs, output_count, outputs,
              attribute_count, attributes);
}

BasculeStatus bascule_stream_create(BasculeStream* out) {
  return Guard("bascule_stream_create", [&] {
    Require(out, "bascule_stream_create", "out");
    *out = bascule::host::MakeStream();
  });
}

BasculeStatus bascule_stream_destroy(BasculeStream stream) {
  return Guard("bascule_stream_destroy", [&] {
    if (stream != nullptr) bascule::host::DropStream(stream, "bascule_stream_destroy");
  });
}

BasculeStatus bascule_stream_synchronize(BasculeStream stream) {
  return Guard("bascule_stream_synchronize",
               [&] { bascule::host::Synchronize(stream, "bascule_stream_synchronize"); });
}

BasculeStatus bascule_operator_call_on(const BasculeOperator* op, uint32_t input_count,
                                       const BasculeTensor* const* inputs, uint32_t output_count,
                                       BasculeTensor* const* outputs, uint32_t attribute_count,
                                       const BasculeAttribute* attributes, BasculeStream stream) {
  return CallOn("bascule_operator_call_on", op, nullptr, input_count, inputs, output_count, outputs,
                attribute_count, attributes, stream);
}

BasculeStatus bascule_operator_call_lists_on(
    const BasculeOperator* op, const BasculeLists* lists, uint32_t input_count,
    const BasculeTensor* const* inputs, uint32_t output_count, BasculeTensor* const* outputs,
    uint32_t attribute_count, const BasculeAttribute* attributes, BasculeStream stream) {
  return CallOn("bascule_operator_call_lists_on", op, lists, input_count, inputs, output_count,
                outputs, attribute_count, attributes, stream);
}

BasculeStatus bascule_operator_plan(const BasculeOperator* op, uint32_t input_count,
                                    const BasculeTensorInfo* inputs, uint32_t attribute_count,
                                    const BasculeAttribute* attributes, BasculePlan** out) {
  return MakePlan("bascule_operator_plan", op, nullptr, input_count, inputs, attribute_count,
                  attributes, out);
}

BasculeStatus bascule_operator_plan_lists(const BasculeOperator* op, const BasculeLists* lists,
                                          uint32_t input_count, const BasculeTensorInfo* inputs,
                                          uint32_t attribute_count,
                                          const BasculeAttribute* attributes, BasculePlan** out) {
  return MakePlan("bascule_operator_plan_lists", op, lists, input_count, inputs, attribute_count,
                  attributes, out);
}

BasculeStatus bascule_plan_info(const BasculePlan* plan, BasculePlanInfo* info) {
  return Guard("bascule_plan_info", [&] {
    Require(plan, "bascule_plan_info", "plan");
    Require(info, "bascule_plan_info", "info");
    const bascule::registry::CachedPlan& self = Unwrap(plan);
    BasculePlanInfo filled = {};
    filled.block_count = self.block_count();
    filled.tiling_key = self.tiling_key();
    filled.tiling_bytes = self.tiling_bytes();
    filled.tiling_data = self.tiling_bytes() != 0 ? self.tiling_data() : nullptr;
    filled.workspace_bytes = self.workspace_bytes();
    filled.column = self.variant() != nullptr ? self.variant()->column : 0;
    filled.kernel_type = self.kernel_type();
    filled.output_count = self.output_count();
    Fill(filled, info, "bascule_plan_info", "info");
  });
}

BasculeStatus bascule_plan_output(const BasculePlan* plan, uint32_t index, BasculeTensorInfo* out) {
  return Guard("bascule_plan_output", [&] {
    Require(plan, "bascule_plan_output", "plan");
    Require(out, "bascule_plan_output", "out");
    const bascule::registry::CachedPlan& self = Unwrap(plan);
    if (index >= self.output_count()) {
      throw Error(BASCULE_INVALID_ARGUMENT, Join("bascule_plan_output: there is no output ", index,
                                                 "; the plan has ", self.output_count(), "."));
    }
    const bascule::registry::PlannedOutput output = self.Output(index);
    *out = {};
    out->present = 1;
    out->dtype = output.dtype;
    out->format = output.format;
    out->shape.rank = output.rank;
    std::copy_n(output.dims, output.rank, out->shape.dims);
  });
}

void bascule_plan_release(BasculePlan* plan) {
  if (plan == nullptr) return;
  const bascule::registry::PlanRef dropped(reinterpret_cast<bascule::registry::CachedPlan*>(plan));
}

BasculeStatus bascule_library_plan(const BasculeLibrary* library, const char* json,
                                   uint64_t* count) {
  return Guard("bascule_library_plan", [&] {
    Require(library, "bascule_library_plan", "library");
    Require(json, "bascule_library_plan", "json");
    const uint64_t planned = bascule::host::PlanList(Unwrap(library), json);
    if (count != nullptr) *count = planned;
  });
}

BasculeStatus bascule_library_plans_save(const BasculeLibrary* library, const char* path) {
  return Guard("bascule_library_plans_save", [&] {
    Require(library, "bascule_library_plans_save", "library");
    Require(path, "bascule_library_plans_save", "path");
    bascule::host::SavePlans(Unwrap(library), OperatorsOf(Unwrap(library)), path);
  });
}

BasculeStatus bascule_library_plans_load(const BasculeLibrary* library, const char* path,
                                         uint64_t* count) {
  return Guard("bascule_library_plans_load", [&] {
    Require(library, "bascule_library_plans_load", "library");
    Require(path, "bascule_library_plans_load", "path");
    const uint64_t loaded =
        bascule::host::LoadPlans(Unwrap(library), OperatorsOf(Unwrap(library)), path);
    if (count != nullptr) *count = loaded;
  });
}

BasculeStatus bascule_operator_plans_save(const BasculeOperator* op, const char* path) {
  return Guard("bascule_operator_plans_save", [&] {
    Require(op, "bascule_operator_plans_save", "op");
    Require(path, "bascule_operator_plans_save", "path");
    Operator* const self = Planned(op, "bascule_operator_plans_save");
    bascule::host::SavePlans(*self->library, {&self, 1}, path);
  });
}

BasculeStatus bascule_operator_plans_load(const BasculeOperator* op, const char* path,
                                          uint64_t* count) {
  return Guard("bascule_operator_plans_load", [&] {
    Require(op, "bascule_operator_plans_load", "op");
    Require(path, "bascule_operator_plans_load", "path");
    Operator* const self = Planned(op, "bascule_operator_plans_load");
    const uint64_t loaded = bascule::host::LoadPlans(*self->library, {&self, 1}, path);
    if (count != nullptr) *count = loaded;
  });
}

BasculeStatus bascule_operator_statistics(const BasculeOperator* op,
                                          BasculeOperatorStatistics* statistics) {
  return Guard("bascule_operator_statistics", [&] {
    Require(op, "bascule_operator_statistics", "op");
    Require(statistics, "bascule_operator_statistics", "statistics");
    Operator& self = Unwrap(op);
    const bascule::registry::PlanCache::Statistics plans = self.plans.GetStatistics();
    BasculeOperatorStatistics filled = {};
    filled.plan_hits = plans.hits;
    filled.plan_misses = plans.misses;
    filled.plans = plans.entries;
    filled.plan_limit = plans.capacity;
    filled.plans_dropped = plans.dropped;
    filled.plans_loaded = self.loaded_plans.load();
    filled.plan_bytes = plans.bytes;
    filled.tiling_bytes = plans.tiling_bytes;
    filled.packed_inputs = self.copies.inputs.load();
    filled.packed_input_bytes = self.copies.input_bytes.load();
    filled.unpacked_outputs = self.copies.outputs.load();
    filled.unpacked_output_bytes = self.copies.output_bytes.load();
    filled.calls = self.calls.load();
    filled.gradients = self.gradients.load();
    Fill(filled, statistics, "bascule_operator_statistics", "statistics");
  });
}

BasculeStatus bascule_plan_limits(uint32_t vector_cores, uint64_t ub_bytes) {
  return Guard("bascule_plan_limits", [&] { bascule::host::LimitPlans(vector_cores, ub_bytes); });
}

void bascule_operator_count_gradient(const BasculeOperator* op) {
  if (op != nullptr) Unwrap(op).gradients.fetch_add(1, std::memory_order_relaxed);
}

int64_t bascule_operator_number(const BasculeOperator* op) {
  return op != nullptr ? bascule::host::NumberOf(Unwrap(op)) : -1;
}

BasculeStatus bascule_operator_aot(const BasculeOperator* op, uint32_t input_count,
                                   const char** function) {
  return Guard("bascule_operator_aot", [&] {
    Require(op, "bascule_operator_aot", "op");
    Require(function, "bascule_operator_aot", "function");
    *function = bascule::host::BindAotFunction(Unwrap(op), input_count);
  });
}

BasculeStatus bascule_manifest_read(const char* path, char** json) {
  return Guard("bascule_manifest_read", [&] {
    Require(path, "bascule_manifest_read", "path");
    Require(json, "bascule_manifest_read", "json");
    *json = Copy(bascule::toolchain::ReadManifest(path).dump());
  });
}

BasculeStatus bascule_doctor(const char* path, const char* wanted, char** json) {
  return Guard("bascule_doctor", [&] {
    Require(json, "bascule_doctor", "json");
    const nlohmann::json found =
        path != nullptr ? bascule::toolchain::ExamineLibrary(path, wanted != nullptr ? wanted : "")
                        : bascule::toolchain::ExamineInstallation();
    *json = Copy(found.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  });
}

void bascule_free(void* memory) { std::free(memory); }

BasculeStatus bascule_build(const char* path, const char* options, char** report) {
  return Guard("bascule_build", [&] {
    Require(path, "bascule_build", "path");
    Require(report, "bascule_build", "report");
    *report = nullptr;
    const char* text = options != nullptr && options[0] != '\0' ? options : "{}";
    const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object()) {
      throw Error(BASCULE_INVALID_ARGUMENT, "bascule_build: 'options' is no JSON object.");
    }
    bascule::toolchain::BuildResult result = bascule::toolchain::Build(path, parsed);
    // Compilers quote sources, and those need not be UTF-8.
    *report = Copy(result.report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (result.status != BASCULE_OK) throw Error(result.status, result.error);
  });
}

BasculeStatus bascule_observe_begin(const char* name) {
  return Guard("bascule_observe_begin", [&] {
    Require(name, "bascule_observe_begin", "name");
    bascule::host::AttachObserver(name);
  });
}

BasculeStatus bascule_observe_report(const char* name, char** json) {
  return Guard("bascule_observe_report", [&] {
    Require(name, "bascule_observe_report", "name");
    Require(json, "bascule_observe_report", "json");
    *json = Copy(bascule::host::ObserverReport(name));
  });
}

BasculeStatus bascule_observe_end(const char* name) {
  return Guard("bascule_observe_end", [&] {
    Require(name, "bascule_observe_end", "name");
    bascule::host::DetachObserver(name);
  });
}

}  // extern "C"

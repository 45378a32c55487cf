// The C border: every exception becomes a status and a sentence here.
// SPDX-License-Identifier: Apache-2.0
#include "bascule/c_api.h"

#include <cstdlib>
#include <cstring>
#include <exception>
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
#include "host/library.h"
#include "host/observers.h"
#include "registry/inference.h"
#include "simd/targets.h"
#include "toolchain/build.h"
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

void Require(const void* pointer, const char* function, const char* argument) {
  if (pointer == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(function, ": '", argument, "' is null."));
  }
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

char* Copy(const std::string& text) {
  char* memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory, text.c_str(), text.size() + 1);
  return memory;
}

BasculeStatus RuntimeAotCall(const BasculeLibraryTable* library, const char* operator_name,
                             int nparam, void** params, int* ndims, int64_t** shapes,
                             const char** dtypes) {
  return Guard(operator_name, [&] {
    bascule::host::AotCall(*library, operator_name, nparam, params, ndims, shapes, dtypes);
  });
}

BasculeStatus RuntimeAotInferShape(const BasculeLibraryTable* library, const char* operator_name,
                                   int nparam, const int* ndims, int64_t* const* shapes,
                                   BasculeShape* out) {
  return Guard(operator_name, [&] {
    *out = bascule::host::AotInferShape(*library, operator_name, nparam, ndims, shapes);
  });
}

BasculeStatus RuntimeAotInferDtype(const BasculeLibraryTable* library, const char* operator_name,
                                   int nparam, const int32_t* dtypes, int32_t* out) {
  return Guard(operator_name, [&] {
    *out = bascule::host::AotInferDtype(*library, operator_name, nparam, dtypes);
  });
}

}  // namespace

extern "C" {

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
  return Unwrap(library).path().c_str();
}

const char* bascule_library_manifest(const BasculeLibrary* library) {
  return Unwrap(library).manifest().c_str();
}

uint32_t bascule_library_operator_count(const BasculeLibrary* library) {
  return static_cast<uint32_t>(Unwrap(library).operators().size());
}

const BasculeOperator* bascule_library_operator(const BasculeLibrary* library, uint32_t index) {
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

const char* bascule_operator_name(const BasculeOperator* op) { return Unwrap(op).entry->name; }

const char* bascule_operator_schema(const BasculeOperator* op) { return Unwrap(op).schema.c_str(); }

uint32_t bascule_operator_input_count(const BasculeOperator* op) {
  return Unwrap(op).takes_any() ? BASCULE_ANY_COUNT : Unwrap(op).entry->def->input_count;
}

uint32_t bascule_operator_output_count(const BasculeOperator* op) {
  return Unwrap(op).takes_any() ? BASCULE_ANY_COUNT : Unwrap(op).entry->def->output_count;
}

BasculeStatus bascule_operator_infer(const BasculeOperator* op, uint32_t input_count,
                                     const BasculeTensorInfo* inputs, uint32_t attribute_count,
                                     const BasculeAttribute* attributes, uint32_t output_count,
                                     BasculeTensorInfo* outputs) {
  return Guard("bascule_operator_infer", [&] {
    Require(op, "bascule_operator_infer", "op");
    if (input_count != 0) Require(inputs, "bascule_operator_infer", "inputs");
    if (attribute_count != 0) Require(attributes, "bascule_operator_infer", "attributes");
    if (output_count != 0) Require(outputs, "bascule_operator_infer", "outputs");
    const BasculeOperatorEntry& entry = *Unwrap(op).entry;
    if (Unwrap(op).takes_any()) {
      throw Error(BASCULE_UNSUPPORTED, Join(entry.name, " is ", Unwrap(op).kind(),
                                            ": nothing tells the shapes and element types of "
                                            "its outputs. Its caller has to know them."));
    }
    const std::vector<BasculeAttribute> complete =
        bascule::registry::CompleteAttributes(entry, {attributes, attribute_count});
    bascule::registry::InferOutputs(entry, {inputs, input_count}, complete,
                                    {outputs, output_count});
  });
}

BasculeStatus bascule_operator_call(const BasculeOperator* op, uint32_t input_count,
                                    const BasculeTensor* const* inputs, uint32_t output_count,
                                    BasculeTensor* const* outputs, uint32_t attribute_count,
                                    const BasculeAttribute* attributes) {
  return Guard("bascule_operator_call", [&] {
    Require(op, "bascule_operator_call", "op");
    if (input_count != 0) Require(inputs, "bascule_operator_call", "inputs");
    if (output_count != 0) Require(outputs, "bascule_operator_call", "outputs");
    if (attribute_count != 0) Require(attributes, "bascule_operator_call", "attributes");
    bascule::host::Call(Unwrap(op), {inputs, input_count}, {outputs, output_count},
                        {attributes, attribute_count});
  });
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
    *report = Copy(result.report.dump());
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

// Calling a tiling function by hand, from a test of host code: a context of one's own, and the
// functions of a library that is built.
//
//     auto data = gert::TilingData::CreateCap(4096);
//     auto holder = context_ascendc::ContextBuilder()
//                       .NodeIoNum(1, 1)
//                       .IrInstanceNum({1})
//                       .AddInputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, shape)
//                       .AddOutputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, shape)
//                       .TilingData(data.get())
//                       .AddPlatformInfo("Ascend910B1")
//                       .BuildTilingContext();
//     context_ascendc::OpTilingRegistry registry;
//     registry.LoadTilingLibrary("libmy_mul.so");
//     registry.GetTilingFunc("MyMul")(holder->GetContext<gert::TilingContext>());
//
// A mistake is a sentence on standard error, and a null pointer or false. Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_CONTEXT_CONTEXT_BUILDER_H_
#define BASCULE_ASCENDC_TILING_CONTEXT_CONTEXT_BUILDER_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bascule/abi/library.h"
#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "platform/platform_infos_def.h"
#include "tiling/platform/platform_ascendc.h"

namespace context_ascendc {

using TilingFunc = uint32_t (*)(gert::TilingContext*);

// A context, and everything it points to.
struct KernelRunContextHolder {
  // T is gert::TilingContext, or gert::KernelContext after BuildKernelRunContext(); null where the
  // holder has the other kind.
  template <typename T>
  BASCULE_HIDDEN T* GetContext() const {
    if constexpr (std::is_base_of_v<T, gert::TilingContext>) {
      return tiling.get();
    } else {
      static_assert(std::is_base_of_v<T, gert::TilingParseContext>,
                    "GetContext gives a gert::TilingContext or a gert::KernelContext");
      return parse.get();
    }
  }
  // Null after BuildKernelRunContext().
  BASCULE_HIDDEN const gert::ComputeNodeInfo* MutableComputeNodeInfo() const {
    return tiling == nullptr ? nullptr : tiling->GetComputeNodeInfo();
  }

  BasculeHostCall call = {};
  std::string name;
  std::string type;
  std::vector<BasculeTensorInfo> inputs;
  std::vector<BasculeTensorInfo> outputs;
  std::vector<const void*> values;
  std::vector<uint32_t> instances;
  std::vector<BasculeAttribute> attributes;
  std::deque<std::string> texts;  // strings, files, converted values
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<float>> floats;
  std::unique_ptr<uint8_t[]> own_tiling;
  std::unique_ptr<gert::TilingContext> tiling;
  std::unique_ptr<gert::TilingParseContext> parse;
};

class ContextBuilder {
 public:
  BASCULE_HIDDEN ContextBuilder() : holder_(std::make_shared<KernelRunContextHolder>()) {}
  BASCULE_HIDDEN ~ContextBuilder() = default;
  ContextBuilder(const ContextBuilder&) = delete;
  ContextBuilder& operator=(const ContextBuilder&) = delete;

  // How many inputs and outputs the OpDef has.
  BASCULE_HIDDEN ContextBuilder& NodeIoNum(size_t inputs, size_t outputs) {
    input_count_ = inputs;
    holder_->outputs.assign(outputs, BasculeTensorInfo{});
    output_shapes_.resize(outputs);
    output_formats_.resize(outputs);
    return *this;
  }
  // How many tensors each of the inputs is: 0 for an optional one that is left out, any number for
  // a dynamic one.
  BASCULE_HIDDEN ContextBuilder& IrInstanceNum(std::vector<uint32_t> instances) {
    size_t count = 0;
    for (const uint32_t number : instances) count += number;
    holder_->instances = std::move(instances);
    holder_->inputs.assign(count, BasculeTensorInfo{});
    holder_->values.assign(count, nullptr);
    input_shapes_.resize(count);
    input_formats_.resize(count);
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& SetOpNameType(const std::string& name, const std::string& type) {
    holder_->name = name;
    holder_->type = type;
    return *this;
  }

  // `index` counts tensors, in the order of IrInstanceNum. What the tensor holds is for tiling
  // functions that read it (ValueDepend): `values` of half and bfloat16 tensors are floats, and
  // are rounded; a file holds the tensor's own bytes.
  BASCULE_HIDDEN ContextBuilder& AddInputTd(int32_t index, ge::DataType dtype,
                                            ge::Format origin_format, ge::Format storage_format,
                                            gert::StorageShape shape) {
    if (!Has(index, holder_->inputs.size(), "AddInputTd", "IrInstanceNum")) return *this;
    const size_t at = static_cast<size_t>(index);
    Fill(dtype, storage_format, shape, &holder_->inputs[at]);
    input_shapes_[at] = shape;
    input_formats_[at] = gert::StorageFormat(origin_format, storage_format, {});
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& AddInputTd(int32_t index, ge::DataType dtype,
                                            ge::Format origin_format, ge::Format storage_format,
                                            gert::StorageShape shape, void* values) {
    AddInputTd(index, dtype, origin_format, storage_format, shape);
    if (failed_ || values == nullptr) return *this;
    const auto count = static_cast<size_t>(shape.GetStorageShape().GetShapeSize());
    if (dtype == ge::DT_FLOAT16) values = Rounded<bascule::half_t>(values, count);
    if (dtype == ge::DT_BF16) values = Rounded<bascule::bfloat16_t>(values, count);
    holder_->values[static_cast<size_t>(index)] = values;
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& AddInputTd(int32_t index, ge::DataType dtype,
                                            ge::Format origin_format, ge::Format storage_format,
                                            gert::StorageShape shape, const std::string& file) {
    AddInputTd(index, dtype, origin_format, storage_format, shape);
    if (failed_) return *this;
    std::ifstream stream(file, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const int64_t wanted = ge::GetSizeInBytes(shape.GetStorageShape().GetShapeSize(), dtype);
    if (!stream.is_open() || static_cast<int64_t>(bytes.size()) != wanted) {
      return Fail("AddInputTd: input " + std::to_string(index) + " has " + std::to_string(wanted) +
                  " bytes, and " + file +
                  (stream.is_open() ? " has " + std::to_string(bytes.size()) : " cannot be read"));
    }
    holder_->values[static_cast<size_t>(index)] =
        holder_->texts.emplace_back(std::move(bytes)).data();
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& AddOutputTd(int32_t index, ge::DataType dtype,
                                             ge::Format origin_format, ge::Format storage_format,
                                             gert::StorageShape shape) {
    if (!Has(index, holder_->outputs.size(), "AddOutputTd", "NodeIoNum")) return *this;
    const size_t at = static_cast<size_t>(index);
    Fill(dtype, storage_format, shape, &holder_->outputs[at]);
    output_shapes_[at] = shape;
    output_formats_[at] = gert::StorageFormat(origin_format, storage_format, {});
    return *this;
  }

  // In the order of the OpDef, each once.
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  BASCULE_HIDDEN ContextBuilder& AddAttr(const std::string& name, Number value) {
    if constexpr (std::is_same_v<Number, bool>) {
      if (BasculeAttribute* to = NewAttribute(name, BASCULE_ATTR_BOOL)) to->value.i = value;
    } else if constexpr (std::is_floating_point_v<Number>) {
      if (BasculeAttribute* to = NewAttribute(name, BASCULE_ATTR_FLOAT)) {
        to->value.f = static_cast<float>(value);
      }
    } else if (BasculeAttribute* to = NewAttribute(name, BASCULE_ATTR_INT)) {
      to->value.i = static_cast<int64_t>(value);
    }
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& AddAttr(const std::string& name, const std::string& value) {
    if (BasculeAttribute* to = NewAttribute(name, BASCULE_ATTR_STRING)) {
      to->value.s = holder_->texts.emplace_back(value).c_str();
      to->length = static_cast<uint32_t>(value.size());
    }
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& AddAttr(const std::string& name, const char* value) {
    return AddAttr(name, std::string(value));
  }
  BASCULE_HIDDEN ContextBuilder& AddAttr(const std::string& name,
                                         const std::vector<int64_t>& value) {
    if (BasculeAttribute* to = NewAttribute(name, BASCULE_ATTR_INT_LIST)) {
      to->value.ints = holder_->ints.emplace_back(value).data();
      to->length = static_cast<uint32_t>(value.size());
    }
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& AddAttr(const std::string& name, const std::vector<float>& value) {
    if (BasculeAttribute* to = NewAttribute(name, BASCULE_ATTR_FLOAT_LIST)) {
      to->value.floats = holder_->floats.emplace_back(value).data();
      to->length = static_cast<uint32_t>(value.size());
    }
    return *this;
  }

  // The machine's numbers. Its name changes nothing: there is one, and null means it, too.
  BASCULE_HIDDEN ContextBuilder& AddPlatformInfo(const char* soc_version) {
    const BasculeAclApi* api = BasculeAcl();  // says itself where the runtime is missing
    if (api == nullptr) return Fail("AddPlatformInfo: there is no runtime to ask");
    static_cast<void>(soc_version);
    holder_->call.platform = api->platform();
    return *this;
  }
  // A fe::PlatFormInfos*, alive as long as the context.
  BASCULE_HIDDEN ContextBuilder& PlatformInfo(void* platform) {
    if (platform != nullptr) {
      holder_->call.platform = static_cast<fe::PlatFormInfos*>(platform)->Get();
    }
    return *this;
  }
  // What GetCompileInfo() gives to a function that is called directly. A function of a library
  // makes its own, as in every call.
  BASCULE_HIDDEN ContextBuilder& CompileInfo(void* info) {
    compile_info_ = info;
    return *this;
  }
  // The object that gert::TilingData::CreateCap made; it holds the result. Left out, the context
  // has memory of its own (GetRawTilingData).
  BASCULE_HIDDEN ContextBuilder& TilingData(void* data) {
    tiling_data_ = static_cast<gert::TilingData*>(data);
    return *this;
  }
  // The object that gert::ContinuousVector::Create<size_t> made; it holds the workspaces' sizes.
  BASCULE_HIDDEN ContextBuilder& Workspace(gert::ContinuousVector* sizes) {
    workspaces_ = sizes;
    return *this;
  }

  // Of a TilingParse function: its second input is a fe::PlatFormInfos*, its first output the
  // object to fill.
  BASCULE_HIDDEN ContextBuilder& Inputs(std::vector<void*> inputs) {
    if (inputs.size() > 1) PlatformInfo(inputs[1]);
    return *this;
  }
  BASCULE_HIDDEN ContextBuilder& Outputs(std::vector<void*> outputs) {
    if (!outputs.empty()) compile_info_ = outputs[0];
    return *this;
  }

  // Null after a mistake. A builder makes one context.
  BASCULE_HIDDEN std::shared_ptr<KernelRunContextHolder> BuildTilingContext() {
    if (!failed_ && holder_->instances.size() != input_count_) {
      Fail("BuildTilingContext: NodeIoNum says there are " + std::to_string(input_count_) +
           " inputs, and IrInstanceNum has numbers for " +
           std::to_string(holder_->instances.size()));
    }
    for (size_t i = 0; i < holder_->inputs.size(); ++i) Described(holder_->inputs[i], "input", i);
    for (size_t i = 0; i < holder_->outputs.size(); ++i) {
      Described(holder_->outputs[i], "output", i);
    }
    if (failed_) return nullptr;
    Prepare();
    constexpr size_t kOwnBytes = 1 << 16;
    if (tiling_data_ == nullptr) {
      holder_->own_tiling = gert::TilingData::CreateCap(kOwnBytes);
      tiling_data_ = reinterpret_cast<gert::TilingData*>(holder_->own_tiling.get());
    }
    holder_->call.tiling_data = tiling_data_->GetData();
    holder_->call.tiling_capacity = static_cast<uint32_t>(tiling_data_->GetCapacity());
    holder_->tiling =
        std::make_unique<gert::TilingContext>(&holder_->call, holder_->type.c_str(), compile_info_);
    gert::TilingContext& context = *holder_->tiling;
    context.SetResults(tiling_data_, workspaces_);
    for (size_t i = 0; i < input_shapes_.size(); ++i) {
      context.Describe(true, i, input_shapes_[i], input_formats_[i]);
    }
    for (size_t i = 0; i < output_shapes_.size(); ++i) {
      context.Describe(false, i, output_shapes_[i], output_formats_[i]);
    }
    return std::move(holder_);
  }
  BASCULE_HIDDEN std::shared_ptr<KernelRunContextHolder> BuildKernelRunContext() {
    if (failed_) return nullptr;
    Prepare();
    holder_->parse = std::make_unique<gert::TilingParseContext>(
        &holder_->call, holder_->type.c_str(), compile_info_);
    return std::move(holder_);
  }

 private:
  BASCULE_HIDDEN ContextBuilder& Fail(const std::string& sentence) {
    if (!failed_) std::fprintf(stderr, "ContextBuilder: %s.\n", sentence.c_str());
    failed_ = true;
    return *this;
  }
  BASCULE_HIDDEN bool Has(int32_t index, size_t count, const char* call, const char* declared_by) {
    if (index >= 0 && static_cast<size_t>(index) < count) return true;
    Fail(std::string(call) + ": there is no tensor " + std::to_string(index) + "; " + declared_by +
         ", which has to come first, says there are " + std::to_string(count));
    return false;
  }
  BASCULE_HIDDEN void Described(const BasculeTensorInfo& info, const char* what, size_t index) {
    if (info.present != 0) return;
    Fail("BuildTilingContext: " + std::string(what) + " " + std::to_string(index) +
         " was never described");
  }
  BASCULE_HIDDEN static void Fill(ge::DataType dtype, ge::Format format,
                                  const gert::StorageShape& shape, BasculeTensorInfo* info) {
    info->present = 1;
    info->dtype = static_cast<int32_t>(dtype);
    info->format = static_cast<int32_t>(format);
    bascule_host::FromGert(shape.GetStorageShape(), &info->shape);
  }
  template <typename To>
  BASCULE_HIDDEN void* Rounded(const void* values, size_t count) {
    std::string& bytes = holder_->texts.emplace_back(count * sizeof(To), '\0');
    for (size_t i = 0; i < count; ++i) {
      const To number(static_cast<const float*>(values)[i]);
      std::memcpy(bytes.data() + i * sizeof(To), &number, sizeof(To));
    }
    return bytes.data();
  }
  BASCULE_HIDDEN BasculeAttribute* NewAttribute(const std::string& name, uint32_t kind) {
    for (const BasculeAttribute& other : holder_->attributes) {
      if (name != other.name) continue;
      Fail("AddAttr: the attribute " + name + " was added before");
      return nullptr;
    }
    BasculeAttribute attribute = {};
    attribute.name = holder_->texts.emplace_back(name).c_str();
    attribute.kind = kind;
    holder_->attributes.push_back(attribute);
    return &holder_->attributes.back();
  }
  BASCULE_HIDDEN void Prepare() {
    KernelRunContextHolder& holder = *holder_;
    BasculeHostCall& call = holder.call;
    call.struct_bytes = sizeof(call);
    call.operator_name = holder.name.c_str();
    call.inputs = holder.inputs.data();
    call.input_count = static_cast<uint32_t>(holder.inputs.size());
    call.outputs = holder.outputs.data();
    call.output_count = static_cast<uint32_t>(holder.outputs.size());
    call.input_instances = holder.instances.data();
    call.schema_input_count = static_cast<uint32_t>(holder.instances.size());
    call.schema_output_count = call.output_count;
    call.input_data = holder.values.data();
    call.attributes = holder.attributes.data();
    call.attribute_count = static_cast<uint32_t>(holder.attributes.size());
  }

  std::shared_ptr<KernelRunContextHolder> holder_;
  size_t input_count_ = 0;
  std::vector<gert::StorageShape> input_shapes_;
  std::vector<gert::StorageShape> output_shapes_;
  std::vector<gert::StorageFormat> input_formats_;
  std::vector<gert::StorageFormat> output_formats_;
  void* compile_info_ = nullptr;
  gert::TilingData* tiling_data_ = nullptr;
  gert::ContinuousVector* workspaces_ = nullptr;
  bool failed_ = false;
};

// The tiling functions of operator libraries that `bascule build` or an aclnn package made.
class OpTilingRegistry {
 public:
  BASCULE_HIDDEN OpTilingRegistry() = default;
  BASCULE_HIDDEN ~OpTilingRegistry() = default;

  // The library stays in the process. The last one that was loaded is asked.
  BASCULE_HIDDEN bool LoadTilingLibrary(const char* path) const {
    void* const handle = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const why = path == nullptr ? "the path is null" : dlerror();
      std::fprintf(stderr, "LoadTilingLibrary: %s\n", why != nullptr ? why : "it does not load");
      return false;
    }
    const BasculeLibraryTable* (*function)() = nullptr;
    void* const symbol = dlsym(handle, BASCULE_LIBRARY_SYMBOL);
    std::memcpy(&function, &symbol, sizeof(function));
    if (function == nullptr) {
      std::fprintf(stderr,
                   "LoadTilingLibrary: %s is no operator library: it has no %s. `bascule build` "
                   "makes one of a project.\n",
                   path, BASCULE_LIBRARY_SYMBOL);
      return false;
    }
    table_ = function();
    return true;
  }

  // Null, with a sentence, where the library has no such operator. `type` as in the OpDef: "MyMul".
  BASCULE_HIDDEN TilingFunc GetTilingFunc(const char* type) const {
    if (table_ == nullptr || type == nullptr) {
      std::fprintf(stderr, "GetTilingFunc: LoadTilingLibrary has loaded no library.\n");
      return nullptr;
    }
    std::string known;
    for (uint32_t i = 0; i < table_->operator_count; ++i) {
      const BasculeOperatorEntry& entry = table_->operators[i];
      if (std::strcmp(entry.def->type, type) == 0) return FunctionOf(entry);
      known += std::string(known.empty() ? "" : ", ") + entry.def->type;
    }
    std::fprintf(stderr, "GetTilingFunc: the library has no operator %s; it has: %s.\n", type,
                 known.c_str());
    return nullptr;
  }

 private:
  // A function pointer carries no data, so there is a number of functions, each of which becomes
  // that of one operator when it is first asked for.
  static constexpr size_t kFunctions = 64;
  struct Slots {
    const BasculeOperatorEntry* entries[kFunctions] = {};
  };
  BASCULE_HIDDEN static Slots& AllSlots() {
    static Slots slots;
    return slots;
  }
  template <size_t slot>
  BASCULE_HIDDEN static uint32_t Run(gert::TilingContext* context) {
    if (context == nullptr) return ge::GRAPH_FAILED;
    const BasculeOperatorEntry& entry = *AllSlots().entries[slot];
    std::string why;
    if (context->RunIn(entry.def->tiling, entry.name, &why)) return ge::GRAPH_SUCCESS;
    std::fprintf(stderr, "%s: its tiling refuses this context: %s\n", entry.def->type, why.c_str());
    return ge::GRAPH_FAILED;
  }
  template <size_t... slot>
  BASCULE_HIDDEN static TilingFunc FunctionAt(size_t wanted, std::index_sequence<slot...>) {
    constexpr TilingFunc kAll[] = {&Run<slot>...};
    return kAll[wanted];
  }
  BASCULE_HIDDEN static TilingFunc FunctionOf(const BasculeOperatorEntry& entry) {
    for (size_t slot = 0; slot < kFunctions; ++slot) {
      const BasculeOperatorEntry*& bound = AllSlots().entries[slot];
      if (bound != nullptr && bound != &entry) continue;
      bound = &entry;
      return FunctionAt(slot, std::make_index_sequence<kFunctions>());
    }
    std::fprintf(stderr, "GetTilingFunc: %zu functions are in use, and a process has no more.\n",
                 kFunctions);
    return nullptr;
  }

  mutable const BasculeLibraryTable* table_ = nullptr;
};

}  // namespace context_ascendc

#endif  // BASCULE_ASCENDC_TILING_CONTEXT_CONTEXT_BUILDER_H_

// SPDX-License-Identifier: Apache-2.0
#include "host/aclop.h"

#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "host/acl.h"
#include "host/acl_error.h"
#include "host/call.h"
#include "host/library.h"
#include "host/tensors.h"
#include "toolchain/installed_packages.h"

namespace bascule::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKinds[] = {"aclTensorDesc", "aclDataBuffer", "aclopAttr"};
constexpr const char* kMakers[] = {"aclCreateTensorDesc", "aclCreateDataBuffer", "aclopCreateAttr"};
constexpr uint64_t kMaxValues = 1u << 20;  // of an attribute

struct AttributeValue {
  uint32_t kind = 0;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::string text;
};

struct Thing {
  uint32_t kind = 0;
  int32_t dtype = 0;
  int32_t format = 0;
  std::vector<int64_t> dims;
  void* data = nullptr;
  uint64_t bytes = 0;
  std::map<std::string, AttributeValue> attributes;
};
using ThingPointer = std::shared_ptr<const Thing>;

// By handle, a number that is given once; a thing that changes is replaced.
struct Things {
  std::mutex mutex;
  uintptr_t next = 0;
  std::unordered_map<uintptr_t, ThingPointer> all;
};

Things& AllThings() {
  static Things* const things = new Things;  // outlives static destructors
  return *things;
}

void* Keep(Thing thing) {
  Things& things = AllThings();
  const std::lock_guard<std::mutex> lock(things.mutex);
  things.next += 16;
  things.all[things.next] = std::make_shared<const Thing>(std::move(thing));
  return reinterpret_cast<void*>(things.next);
}

void Replace(const void* handle, Thing thing) {
  Things& things = AllThings();
  const std::lock_guard<std::mutex> lock(things.mutex);
  things.all[reinterpret_cast<uintptr_t>(handle)] = std::make_shared<const Thing>(std::move(thing));
}

[[noreturn]] void Refuse(const std::string& text) {
  throw Refusal(BASCULE_ACL_INVALID_PARAM, text);
}

ThingPointer Find(const void* handle, uint32_t kind, const char* call, const std::string& name) {
  if (handle == nullptr) Refuse(Join(call, ": ", name, " is null; ", kMakers[kind], " makes one."));
  Things& things = AllThings();
  const std::lock_guard<std::mutex> lock(things.mutex);
  const auto found = things.all.find(reinterpret_cast<uintptr_t>(handle));
  if (found != things.all.end() && found->second->kind == kind) return found->second;
  Refuse(Join(call, ": ", name, " is no ", kKinds[kind], " of ", kMakers[kind],
              ", or was destroyed."));
}

int32_t CreateDesc(int32_t dtype, int32_t rank, const int64_t* dims, int32_t format, void** desc) {
  return Guard([&] {
    const char* const call = "aclCreateTensorDesc";
    const DTypeInfo* info = FindDType(dtype);
    if (info == nullptr || info->bits < 8) {
      Refuse(Join(call, ": dataType is ", dtype,
                  " of aclDataType, which operators here do not take."));
    }
    if (rank < 0 || rank > BASCULE_MAX_RANK || (rank != 0 && dims == nullptr)) {
      Refuse(Join(call, ": numDims is ", rank, dims == nullptr ? " and dims is null" : "",
                  "; 0 to ", BASCULE_MAX_RANK, " dimensions are possible."));
    }
    Thing thing;
    thing.kind = BASCULE_ACLOP_DESC;
    thing.dtype = dtype;
    thing.format = format;
    thing.dims.assign(dims, dims + rank);
    for (const int64_t dim : thing.dims) {
      if (dim < 0) Refuse(Join(call, ": dims holds ", dim, "; dimensions are not negative."));
    }
    *desc = Keep(std::move(thing));
  });
}

int32_t GetDesc(const char* call, const void* desc, int32_t* dtype, int32_t* format, int32_t* rank,
                const int64_t** dims) {
  return Guard([&] {
    const ThingPointer thing = Find(desc, BASCULE_ACLOP_DESC, call, "desc");
    *dtype = thing->dtype;
    *format = thing->format;
    *rank = static_cast<int32_t>(thing->dims.size());
    *dims = thing->dims.data();
  });
}

int32_t CreateBuffer(void* data, uint64_t bytes, void** buffer) {
  return Guard([&] {
    Thing thing;
    thing.kind = BASCULE_ACLOP_BUFFER;
    thing.data = data;
    thing.bytes = bytes;
    *buffer = Keep(std::move(thing));
  });
}

int32_t GetBuffer(const char* call, const void* buffer, void** data, uint64_t* bytes) {
  return Guard([&] {
    const ThingPointer thing = Find(buffer, BASCULE_ACLOP_BUFFER, call, "dataBuffer");
    *data = thing->data;
    *bytes = thing->bytes;
  });
}

int32_t SetBuffer(const char* call, void* buffer, void* data, uint64_t bytes) {
  return Guard([&] {
    Thing thing = *Find(buffer, BASCULE_ACLOP_BUFFER, call, "dataBuffer");
    thing.data = data;
    thing.bytes = bytes;
    Replace(buffer, std::move(thing));
  });
}

int32_t CreateAttributes(void** attributes) {
  return Guard([&] {
    Thing thing;
    thing.kind = BASCULE_ACLOP_ATTRIBUTES;
    *attributes = Keep(std::move(thing));
  });
}

int32_t SetAttribute(const char* call, void* attributes, const char* name, uint32_t kind,
                     const void* values, uint64_t count) {
  return Guard([&] {
    Thing thing = *Find(attributes, BASCULE_ACLOP_ATTRIBUTES, call, "attr");
    if (name == nullptr) Refuse(Join(call, ": attrName is null."));
    if (count > kMaxValues) {
      Refuse(Join(call, ": ", count, " values; at most ", kMaxValues, " are possible."));
    }
    if (count != 0 && values == nullptr) Refuse(Join(call, ": the value of '", name, "' is null."));
    AttributeValue& value = thing.attributes[name];
    value = {};
    value.kind = kind;
    if (kind == BASCULE_ATTR_STRING) {
      value.text.assign(static_cast<const char*>(values), count);
    } else if (kind == BASCULE_ATTR_FLOAT || kind == BASCULE_ATTR_FLOAT_LIST) {
      value.floats.resize(count);
      if (count != 0) std::memcpy(value.floats.data(), values, count * sizeof(float));
    } else if (kind == BASCULE_ATTR_BOOL_LIST) {  // as its function takes them: bytes
      const auto* const bytes = static_cast<const uint8_t*>(values);
      for (uint64_t i = 0; i < count; ++i) value.ints.push_back(bytes[i] != 0 ? 1 : 0);
    } else {
      value.ints.resize(count);
      if (count != 0) std::memcpy(value.ints.data(), values, count * sizeof(int64_t));
    }
    Replace(attributes, std::move(thing));
  });
}

int32_t Destroy(const char* call, uint32_t kind, const void* handle) {
  return Guard([&] {
    if (handle == nullptr) return;
    Find(handle, kind, call, "the argument");
    Things& things = AllThings();
    const std::lock_guard<std::mutex> lock(things.mutex);
    things.all.erase(reinterpret_cast<uintptr_t>(handle));
  });
}

int32_t SetModelFolder(const char* folder) {
  return Guard([&] {
    std::error_code error;
    if (folder != nullptr && fs::is_directory(folder, error)) return;
    Refuse(Join("aclopSetModelDir: there is no folder '", folder == nullptr ? "" : folder, "'."));
  });
}

// --- installed packages -------------------------------------------------------------------------

Operator& FindOperator(const char* call, const char* type) {
  std::string looked_at;
  for (const fs::path& path : toolchain::InstalledLibraries()) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
      looked_at += Join("\n  ", path.string(), ": not there");
      continue;
    }
    if (const std::string why = toolchain::WhyNotTrusted(path); !why.empty()) {
      looked_at += Join("\n  ", path.string(), ": not opened, because ", why);
      continue;
    }
    for (const auto& op : Library::Open(path.string()).operators()) {
      if (op->entry->def != nullptr && std::strcmp(op->entry->def->type, type) == 0) return *op;
    }
    looked_at += Join("\n  ", path.string(), ": has no ", type);
  }
  throw Refusal(
      BASCULE_ACLOP_NOT_FOUND,
      Join(call, ": no installed package has an operator ", type,
           "; install one, or set ASCEND_OPP_PATH or ASCEND_CUSTOM_OPP_PATH to where it is.",
           looked_at.empty() ? std::string(" Neither leads to a package.")
                             : " Looked at:" + looked_at));
}

// --- the call -----------------------------------------------------------------------------------

// What a call uses, so that it may be done later.
struct Prepared {
  Operator* op = nullptr;
  std::string call;
  std::vector<ThingPointer> descs;  // inputs, then outputs; null: left out
  std::vector<ThingPointer> buffers;
  size_t inputs = 0;
  ThingPointer attributes;
};

BasculeTensor View(const Thing& desc, const Thing& buffer) {
  const DTypeInfo& dtype = *FindDType(desc.dtype);
  BasculeTensor tensor = {};
  tensor.data = buffer.data;
  tensor.device_type = 1;
  tensor.ndim = static_cast<int32_t>(desc.dims.size());
  tensor.dtype_code = dtype.dlpack_code;
  tensor.dtype_bits = static_cast<uint8_t>(dtype.bits);
  tensor.dtype_lanes = 1;
  tensor.shape = const_cast<int64_t*>(desc.dims.data());
  return tensor;
}

std::string NameOf(const Prepared& what, size_t i) {
  return i < what.inputs ? Join("inputs[", i, "]") : Join("outputs[", i - what.inputs, "]");
}

void CheckMemory(const Prepared& what, size_t i) {
  const Thing& desc = *what.descs[i];
  const Thing& buffer = *what.buffers[i];
  uint64_t bytes = FindDType(desc.dtype)->bits / 8;
  for (const int64_t dim : desc.dims) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes)) {
      Refuse(Join(what.call, ": ", NameOf(what, i), " is larger than any memory."));
    }
  }
  if (bytes > buffer.bytes) {
    Refuse(Join(what.call, ": ", NameOf(what, i), " has ", buffer.bytes,
                " bytes, and its description wants ", bytes, "."));
  }
  if (bytes == 0) return;
  const std::string name = NameOf(what, i);
  TheDeviceMemory().Check(buffer.data, bytes, 1, what.call.c_str(), name.c_str(),
                          "an operator's tensor");
}

void Run(const Prepared& what) {
  std::vector<BasculeTensor> tensors(what.descs.size());
  std::vector<const BasculeTensor*> inputs;
  std::vector<BasculeTensor*> outputs;
  for (size_t i = 0; i < what.descs.size(); ++i) {
    if (what.buffers[i] == nullptr) {
      inputs.push_back(nullptr);
      continue;
    }
    CheckMemory(what, i);
    tensors[i] = View(*what.descs[i], *what.buffers[i]);
    if (i < what.inputs) {
      inputs.push_back(&tensors[i]);
    } else {
      outputs.push_back(&tensors[i]);
    }
  }
  std::vector<BasculeAttribute> attributes;
  if (what.attributes != nullptr) {
    for (const auto& [name, value] : what.attributes->attributes) {
      BasculeAttribute attribute = {};
      attribute.name = name.c_str();
      attribute.kind = value.kind;
      switch (value.kind) {
        case BASCULE_ATTR_FLOAT:
          attribute.value.f = value.floats.at(0);
          break;
        case BASCULE_ATTR_FLOAT_LIST:
          attribute.value.floats = value.floats.data();
          attribute.length = static_cast<uint32_t>(value.floats.size());
          break;
        case BASCULE_ATTR_STRING:
          attribute.value.s = value.text.c_str();
          attribute.length = static_cast<uint32_t>(value.text.size());
          break;
        case BASCULE_ATTR_INT_LIST:
        case BASCULE_ATTR_BOOL_LIST:
        case BASCULE_ATTR_INT_LISTS:
          attribute.value.ints = value.ints.data();
          attribute.length = static_cast<uint32_t>(value.ints.size());
          break;
        default:
          attribute.value.i = value.ints.at(0);
          break;
      }
      attributes.push_back(attribute);
    }
  }
  Call(*what.op, inputs, outputs, attributes);
}

int32_t Execute(const BasculeAclopCall* from) {
  return Guard([&] {
    auto what = std::make_shared<Prepared>();
    what->call = from->call;
    if (from->type == nullptr) Refuse(Join(from->call, ": opType is null."));
    if (from->input_count < 0 || from->output_count < 0 ||
        static_cast<size_t>(from->input_count) + static_cast<size_t>(from->output_count) >
            kMaxListedTensors) {
      Refuse(Join(from->call, ": ", from->input_count, " inputs and ", from->output_count,
                  " outputs; at most ", kMaxListedTensors, " tensors are possible."));
    }
    what->inputs = static_cast<size_t>(from->input_count);
    const auto take = [&](int32_t count, const void* const* descs, const void* const* buffers,
                          const char* of) {
      if (count != 0 && (descs == nullptr || buffers == nullptr)) {
        Refuse(Join(from->call, ": the ", of, "s are null."));
      }
      for (int32_t i = 0; i < count; ++i) {
        const std::string name = Join(of, "s[", i, "]");
        ThingPointer buffer;
        if (buffers[i] != nullptr || *of == 'o') {
          buffer = Find(buffers[i], BASCULE_ACLOP_BUFFER, from->call, name);
        }
        if (*of == 'i' && buffer != nullptr && buffer->data == nullptr && buffer->bytes == 0) {
          buffer = nullptr;
        }
        what->descs.push_back(buffer == nullptr ? nullptr
                                                : Find(descs[i], BASCULE_ACLOP_DESC, from->call,
                                                       Join(of, "Desc[", i, "]")));
        what->buffers.push_back(std::move(buffer));
      }
    };
    take(from->input_count, from->input_descs, from->input_buffers, "input");
    take(from->output_count, from->output_descs, from->output_buffers, "output");
    if (from->attributes != nullptr) {
      what->attributes = Find(from->attributes, BASCULE_ACLOP_ATTRIBUTES, from->call, "attr");
    }
    what->op = &FindOperator(from->call, from->type);
    RunOnStream(
        from->stream, from->call, [&] { Run(*what); },
        [&]() -> std::function<void()> { return [what] { Run(*what); }; });
  });
}

}  // namespace

const BasculeAclopApi& AclopApi() {
  static const BasculeAclopApi api = {
      .struct_bytes = sizeof(BasculeAclopApi),
      .reserved = 0,
      .desc_create = CreateDesc,
      .desc_get = GetDesc,
      .buffer_create = CreateBuffer,
      .buffer_get = GetBuffer,
      .buffer_set = SetBuffer,
      .attributes_create = CreateAttributes,
      .attributes_set = SetAttribute,
      .destroy = Destroy,
      .set_model_folder = SetModelFolder,
      .execute = Execute,
  };
  return api;
}

}  // namespace bascule::host

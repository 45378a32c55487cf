// SPDX-License-Identifier: Apache-2.0
#include "host/aclnn.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "base/dtype.h"
#include "base/error.h"
#include "host/acl.h"
#include "host/acl_error.h"
#include "host/call.h"
#include "host/library.h"
#include "host/plans.h"
#include "host/tensors.h"
#include "registry/inference.h"

namespace bascule::host {
namespace {

constexpr uint64_t kMaxItems = 1u << 20;  // of an array or a list; more is taken for a mistake

constexpr const char* kKindNames[] = {"aclTensor",     "aclScalar",     "aclIntArray",
                                      "aclFloatArray", "aclBoolArray",  "aclTensorList",
                                      "aclScalarList", "aclOpExecutor", "number",
                                      "number",        "text"};
constexpr const char* kMakers[] = {
    "aclCreateTensor",     "aclCreateScalar",
    "aclCreateIntArray",   "aclCreateFloatArray",
    "aclCreateBoolArray",  "aclCreateTensorList",
    "aclCreateScalarList", "the first step (aclnn…GetWorkspaceSize)"};

// --- what handles name --------------------------------------------------------------------------

struct Tensor {
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;  // always there
  std::vector<int64_t> storage;
  int32_t dtype = BASCULE_FLOAT;
  int32_t format = BASCULE_FORMAT_ND;
  int64_t offset = 0;
  void* data = nullptr;
};

struct Executor;

struct Object {
  uint32_t kind = 0;
  Tensor tensor;
  int32_t dtype = -1;        // of a scalar
  std::vector<char> values;  // of a scalar or an array
  uint64_t count = 0;
  std::vector<const void*> items;  // of a list, null ones included
  std::shared_ptr<const Executor> executor;
};
using ObjectPointer = std::shared_ptr<const Object>;

// The objects of the process by handle. A handle is a number counted up, so it never comes back; an
// object is never changed, but replaced, so another thread may go on with the old one.
class Objects {
 public:
  const void* Add(ObjectPointer object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_ += kStep;
    objects_[next_] = std::move(object);
    return reinterpret_cast<const void*>(next_);
  }
  void Replace(const void* handle, ObjectPointer object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    if (found != objects_.end()) found->second = std::move(object);
  }
  ObjectPointer Find(const void* handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }
  void Erase(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    objects_.erase(reinterpret_cast<uintptr_t>(handle));
  }
  // Whether the handle was given once.
  bool Gone(const void* handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const uintptr_t number = reinterpret_cast<uintptr_t>(handle);
    return number != 0 && number <= next_ && number % kStep == 0;
  }

 private:
  static constexpr uintptr_t kStep = 16;
  mutable std::mutex mutex_;
  uintptr_t next_ = 0;
  std::unordered_map<uintptr_t, ObjectPointer> objects_;
};

Objects& AllObjects() {
  static Objects* const objects = new Objects;  // outlives static destructors, which may use it
  return *objects;
}

// "aclnnAddCustomGetWorkspaceSize: x", "aclDestroyTensor: the argument"
std::string Subject(const char* call, const char* name) {
  return Join(call, ": ", name != nullptr ? name : "the argument");
}

ObjectPointer FindObject(const void* handle, uint32_t kind, const char* call, const char* name,
                         int32_t null_code = BASCULE_ACLNN_NULL) {
  if (handle == nullptr) {
    throw Refusal(null_code, Join(Subject(call, name), " is null; ", kMakers[kind], " makes one."));
  }
  ObjectPointer object = AllObjects().Find(handle);
  if (object != nullptr && object->kind == kind) return object;
  throw Refusal(BASCULE_ACLNN_INVALID,
                Join(Subject(call, name), " is no ", kKindNames[kind], " of ", kMakers[kind],
                     object != nullptr           ? Join(": it is an ", kKindNames[object->kind])
                     : AllObjects().Gone(handle) ? std::string(": it was destroyed")
                                                 : std::string(),
                     "."));
}

// --- errors -------------------------------------------------------------------------------------

template <typename Body>
int32_t GuardAclnn(Body body) {
  int32_t code = BASCULE_ACLNN_INNER;
  try {
    body();
    return BASCULE_ACLNN_SUCCESS;
  } catch (const Refusal& refusal) {
    code = refusal.code();
    RecentError() = refusal.what();
  } catch (const Error& error) {
    code = error.status() == BASCULE_INVALID_ARGUMENT || error.status() == BASCULE_UNSUPPORTED
               ? BASCULE_ACLNN_INVALID
           : error.status() == BASCULE_BAD_LIBRARY ? BASCULE_ACLNN_TILING
                                                   : BASCULE_ACLNN_INNER;
    RecentError() = error.what();
  } catch (const std::bad_alloc&) {
    code = BASCULE_ACLNN_RUNTIME;
    RecentError() = "out of memory.";
  } catch (const std::exception& error) {
    RecentError() = error.what();
  }
  Say(RecentError());
  return code;
}

void CheckOut(const void* out, const char* call, const char* name) {
  if (out != nullptr) return;
  throw Refusal(BASCULE_ACLNN_NULL, Join(Subject(call, name), " is null."));
}

// --- tensors ------------------------------------------------------------------------------------

std::vector<int64_t> CopyDims(const int64_t* dims, uint64_t rank, const char* call,
                              const char* name) {
  if (rank > BASCULE_MAX_RANK) {
    throw Refusal(BASCULE_ACLNN_INVALID, Join(call, ": ", name, " has ", rank, " numbers; at most ",
                                              BASCULE_MAX_RANK, " are possible."));
  }
  if (rank != 0) CheckOut(dims, call, name);
  std::vector<int64_t> copy(dims, dims + rank);
  for (const int64_t dim : copy) {
    if (dim >= 0) continue;
    throw Refusal(BASCULE_ACLNN_INVALID,
                  Join(call, ": ", name, " holds ", dim, "; these numbers are not negative."));
  }
  return copy;
}

Tensor MakeTensor(const BasculeAclnnTensor& from, const char* call) {
  Tensor tensor;
  tensor.dims = CopyDims(from.view_dims, from.view_rank, call, "viewDims");
  tensor.storage = CopyDims(from.storage_dims, from.storage_rank, call, "storageDims");
  const DTypeInfo* dtype = FindDType(from.dtype);
  if (dtype == nullptr || dtype->bits < 8) {
    throw Refusal(BASCULE_ACLNN_INVALID,
                  Join(call, ": dataType is ", from.dtype,
                       " of aclDataType, which operators here do not take."));
  }
  if (from.offset < 0) {
    throw Refusal(BASCULE_ACLNN_INVALID, Join(call, ": offset is ", from.offset,
                                              "; it counts elements from tensorData on."));
  }
  tensor.dtype = from.dtype;
  tensor.format = from.format;
  tensor.offset = from.offset;
  tensor.data = from.data;
  if (from.strides != nullptr) {
    tensor.strides = CopyDims(from.strides, from.view_rank, call, "stride");
  } else {
    tensor.strides.resize(tensor.dims.size());
  }
  // The last byte has to have an address.
  int64_t dense = 1;
  int64_t last = from.offset;
  bool beyond = false;
  for (size_t d = tensor.dims.size(); d-- > 0;) {
    if (from.strides == nullptr) tensor.strides[d] = dense;
    int64_t step = 0;
    beyond = beyond || __builtin_mul_overflow(dense, std::max<int64_t>(tensor.dims[d], 1), &dense);
    beyond = beyond || __builtin_mul_overflow(tensor.strides[d],
                                              std::max<int64_t>(tensor.dims[d], 1) - 1, &step);
    beyond = beyond || __builtin_add_overflow(last, step, &last);
  }
  if (beyond || last > std::numeric_limits<int64_t>::max() / 16) {
    throw Refusal(BASCULE_ACLNN_INVALID,
                  Join(call, ": dimensions, strides and offset reach beyond any memory."));
  }
  return tensor;
}

// Bytes from the first element to the end of the last.
uint64_t ReachOf(const Tensor& tensor) {
  uint64_t last = 0;
  for (size_t d = 0; d < tensor.dims.size(); ++d) {
    if (tensor.dims[d] == 0) return 0;
    last += static_cast<uint64_t>(tensor.strides[d]) * static_cast<uint64_t>(tensor.dims[d] - 1);
  }
  return (last + 1) * (FindDType(tensor.dtype)->bits / 8);
}

char* FirstOf(const Tensor& tensor) {
  return static_cast<char*>(tensor.data) +
         static_cast<uint64_t>(tensor.offset) * (FindDType(tensor.dtype)->bits / 8);
}

// The same tensor as the operator's call takes it; it points into `tensor`.
BasculeTensor View(const Tensor& tensor) {
  const DTypeInfo& dtype = *FindDType(tensor.dtype);
  BasculeTensor view = {};
  view.data = tensor.data == nullptr ? nullptr : FirstOf(tensor);
  view.device_type = 1;
  view.ndim = static_cast<int32_t>(tensor.dims.size());
  view.dtype_code = dtype.dlpack_code;
  view.dtype_bits = static_cast<uint8_t>(dtype.bits);
  view.dtype_lanes = 1;
  view.shape = const_cast<int64_t*>(tensor.dims.data());
  view.strides = const_cast<int64_t*>(tensor.strides.data());
  return view;
}

int32_t CreateTensor(const BasculeAclnnTensor* from, void** handle) {
  return GuardAclnn([&] {
    auto object = std::make_shared<Object>();
    object->kind = BASCULE_ACLNN_TENSOR;
    object->tensor = MakeTensor(*from, "aclCreateTensor");
    *handle = const_cast<void*>(AllObjects().Add(std::move(object)));
  });
}

int32_t SetTensor(void* handle, const BasculeAclnnTensor* from) {
  return GuardAclnn([&] {
    const auto old = FindObject(handle, BASCULE_ACLNN_TENSOR, "aclInitTensor", "tensor");
    auto object = std::make_shared<Object>(*old);
    object->tensor = MakeTensor(*from, "aclInitTensor");
    AllObjects().Replace(handle, std::move(object));
  });
}

int32_t GetTensor(const char* call, const void* handle, BasculeAclnnTensor* to) {
  return GuardAclnn([&] {
    const auto object = FindObject(handle, BASCULE_ACLNN_TENSOR, call, "the tensor or a result");
    const Tensor& tensor = object->tensor;
    to->dtype = tensor.dtype;
    to->format = tensor.format;
    to->view_dims = tensor.dims.data();
    to->view_rank = tensor.dims.size();
    to->strides = tensor.strides.data();
    to->storage_dims = tensor.storage.data();
    to->storage_rank = tensor.storage.size();
    to->offset = tensor.offset;
    to->data = tensor.data;
  });
}

int32_t SetTensorAddress(void* handle, void* address) {
  return GuardAclnn([&] {
    auto object = std::make_shared<Object>(
        *FindObject(handle, BASCULE_ACLNN_TENSOR, "aclSetRawTensorAddr", "tensor"));
    object->tensor.data = address;
    AllObjects().Replace(handle, std::move(object));
  });
}

// --- scalars, arrays, lists ---------------------------------------------------------------------

int32_t DTypeOf(uint32_t kind) {
  return kind == BASCULE_ACLNN_INTS     ? BASCULE_INT64
         : kind == BASCULE_ACLNN_FLOATS ? BASCULE_FLOAT
                                        : BASCULE_BOOL;
}

int32_t CreateValues(const char* call, uint32_t kind, const void* values, uint64_t count,
                     int32_t dtype, void** handle) {
  return GuardAclnn([&] {
    if (kind != BASCULE_ACLNN_SCALAR) dtype = DTypeOf(kind);
    const DTypeInfo* info = FindDType(dtype);
    if (info == nullptr || info->bits < 8) {
      throw Refusal(BASCULE_ACLNN_INVALID,
                    Join(call, ": dataType is ", dtype,
                         " of aclDataType, which operators here do not take."));
    }
    if (count > kMaxItems) {
      throw Refusal(BASCULE_ACLNN_INVALID, Join(call, ": size is ", count, "; at most ", kMaxItems,
                                                " values are possible."));
    }
    if (count != 0) CheckOut(values, call, "value");
    auto object = std::make_shared<Object>();
    object->kind = kind;
    object->dtype = dtype;
    object->count = count;
    object->values.assign(static_cast<const char*>(values),
                          static_cast<const char*>(values) + count * (info->bits / 8));
    *handle = const_cast<void*>(AllObjects().Add(std::move(object)));
  });
}

int32_t CreateList(const char* call, uint32_t kind, const void* const* items, uint64_t count,
                   void** handle) {
  return GuardAclnn([&] {
    if (count > kMaxItems) {
      throw Refusal(BASCULE_ACLNN_INVALID, Join(call, ": size is ", count, "; at most ", kMaxItems,
                                                " items are possible."));
    }
    if (count != 0) CheckOut(items, call, "value");
    const uint32_t item_kind =
        kind == BASCULE_ACLNN_TENSOR_LIST ? BASCULE_ACLNN_TENSOR : BASCULE_ACLNN_SCALAR;
    for (uint64_t i = 0; i < count; ++i) {
      FindObject(items[i], item_kind, call, Join("value[", i, "]").c_str());
    }
    auto object = std::make_shared<Object>();
    object->kind = kind;
    object->count = count;
    object->items.assign(items, items + count);
    *handle = const_cast<void*>(AllObjects().Add(std::move(object)));
  });
}

int32_t SizeOf(const char* call, uint32_t kind, const void* handle, uint64_t* count) {
  return GuardAclnn([&] {
    const auto object = FindObject(handle, kind, call, nullptr);
    CheckOut(count, call, "size");
    *count = object->count;
  });
}

int32_t Destroy(const char* call, uint32_t kind, const void* handle) {
  return GuardAclnn([&] {
    if (kind == BASCULE_ACLNN_EXECUTOR) {
      if (handle == nullptr) {
        throw Refusal(BASCULE_ACLNN_INNER_NULL, Join(call, ": the executor is null."));
      }
      // One that has run is gone, and programs destroy it all the same.
      if (AllObjects().Find(handle) == nullptr && AllObjects().Gone(handle)) return;
    }
    if (handle == nullptr) return;
    const auto object = FindObject(handle, kind, call, nullptr);
    for (const void* item : object->items) AllObjects().Erase(item);
    AllObjects().Erase(handle);
  });
}

// --- the two steps ------------------------------------------------------------------------------

// One tensor of a run, as the definition counts them.
struct Slot {
  std::string name;
  bool present = false;
  bool shared = false;         // an input whose memory is an output's, too
  const void* list = nullptr;  // the list it came in
  Tensor tensor;
  std::vector<char> own;  // the elements of one that was made from numbers
};

// Those the program gave, and what they point to.
struct Attributes {
  std::vector<BasculeAttribute> list;
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<float>> floats;
};

struct Executor {
  std::string function;  // "aclnnAddCustom"
  Operator* op = nullptr;
  std::vector<Slot> inputs;  // the members of a list each for themselves
  std::vector<Slot> outputs;
  std::vector<uint32_t> input_counts;  // of each input of the definition
  std::vector<uint32_t> output_counts;
  std::shared_ptr<Attributes> attributes = std::make_shared<Attributes>();
  uint64_t workspace_bytes = 0;
  bool repeatable = false;
};

// A scalar's value as another element type: as a cast in C does it, and where C leaves the result
// open, the nearest number there is, or 0 for what is none.
template <typename To>
void WriteAs(double real, int64_t integer, bool is_real, char* to) {
  To value = static_cast<To>(integer);
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    constexpr double kEnd =
        static_cast<double>(std::numeric_limits<To>::max()) + 1;  // also rounded
    constexpr To kLowest = std::numeric_limits<To>::min();
    if (is_real) {
      value = real >= kEnd                              ? std::numeric_limits<To>::max()
              : real > static_cast<double>(kLowest) - 1 ? static_cast<To>(real)
              : real == real                            ? kLowest
                                                        : To{0};
    }
  } else {
    if (is_real) value = static_cast<To>(real);
  }
  std::memcpy(to, &value, sizeof(value));
}

template <typename From>
From ReadAs(const char* from) {
  From value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

void AppendScalar(const Object& scalar, int32_t to, std::vector<char>* out) {
  const char* from = scalar.values.data();
  double real = 0;
  int64_t integer = 0;
  bool is_real = false;
  switch (scalar.dtype) {
    case BASCULE_FLOAT:
      real = ReadAs<float>(from);
      is_real = true;
      break;
    case BASCULE_DOUBLE:
      real = ReadAs<double>(from);
      is_real = true;
      break;
    case BASCULE_FLOAT16:
      real = static_cast<float>(half_t::FromBits(ReadAs<uint16_t>(from)));
      is_real = true;
      break;
    case BASCULE_BFLOAT16:
      real = static_cast<float>(bfloat16_t::FromBits(ReadAs<uint16_t>(from)));
      is_real = true;
      break;
    case BASCULE_INT8:
      integer = ReadAs<int8_t>(from);
      break;
    case BASCULE_INT16:
      integer = ReadAs<int16_t>(from);
      break;
    case BASCULE_INT32:
      integer = ReadAs<int32_t>(from);
      break;
    case BASCULE_UINT8:
    case BASCULE_BOOL:
      integer = ReadAs<uint8_t>(from);
      break;
    case BASCULE_UINT16:
      integer = ReadAs<uint16_t>(from);
      break;
    case BASCULE_UINT32:
      integer = ReadAs<uint32_t>(from);
      break;
    default:
      integer = ReadAs<int64_t>(from);
      break;
  }
  const size_t at = out->size();
  out->resize(at + FindDType(to)->bits / 8);
  char* const into = out->data() + at;
  switch (to) {
    case BASCULE_FLOAT:
      return WriteAs<float>(real, integer, is_real, into);
    case BASCULE_DOUBLE:
      return WriteAs<double>(real, integer, is_real, into);
    case BASCULE_FLOAT16:
      return WriteAs<half_t>(is_real ? real : static_cast<double>(integer), 0, true, into);
    case BASCULE_BFLOAT16:
      return WriteAs<bfloat16_t>(is_real ? real : static_cast<double>(integer), 0, true, into);
    case BASCULE_INT8:
      return WriteAs<int8_t>(real, integer, is_real, into);
    case BASCULE_INT16:
      return WriteAs<int16_t>(real, integer, is_real, into);
    case BASCULE_INT32:
      return WriteAs<int32_t>(real, integer, is_real, into);
    case BASCULE_UINT8:
      return WriteAs<uint8_t>(real, integer, is_real, into);
    case BASCULE_BOOL:
      return WriteAs<bool>(real, integer, is_real, into);
    case BASCULE_UINT16:
      return WriteAs<uint16_t>(real, integer, is_real, into);
    case BASCULE_UINT32:
      return WriteAs<uint32_t>(real, integer, is_real, into);
    case BASCULE_UINT64:
      return WriteAs<uint64_t>(real, integer, is_real, into);
    default:
      return WriteAs<int64_t>(real, integer, is_real, into);
  }
}

// A tensor of one dimension made from numbers.
void FillFromNumbers(int32_t dtype, uint64_t count, std::vector<char> values, Slot* slot) {
  slot->own = std::move(values);
  slot->tensor.dtype = dtype;
  slot->tensor.dims = {static_cast<int64_t>(count)};
  slot->tensor.strides = {1};
  slot->tensor.storage = slot->tensor.dims;
}

class Planner {
 public:
  Planner(const BasculeLibraryTable* library, const char* function, const char* type)
      : call_(Join(function, "GetWorkspaceSize")), executor_(std::make_shared<Executor>()) {
    executor_->function = function;
    executor_->op = &FindOperator(Library::FromTable(*library), type);
    const BasculeOperatorDef& def = *executor_->op->entry->def;
    inputs_.resize(def.input_count, {Slot()});
    outputs_.resize(def.output_count, {Slot()});
  }

  std::shared_ptr<Executor> Plan(uint32_t count, const BasculeAclnnArgument* arguments) {
    for (uint32_t i = 0; i < count; ++i) Take(arguments[i]);
    const BasculeOperatorDef& def = *executor_->op->entry->def;
    for (uint32_t i = 0; i < def.output_count; ++i) {
      if (outputs_[i].empty() || outputs_[i][0].present) continue;
      throw Refusal(BASCULE_ACLNN_NULL, Join(call_, ": the output ", def.outputs[i].name,
                                             " is null; aclCreateTensor makes one."));
    }
    const auto flatten = [](std::vector<std::vector<Slot>>& from, std::vector<Slot>* to,
                            std::vector<uint32_t>* counts) {
      for (std::vector<Slot>& slots : from) {
        counts->push_back(static_cast<uint32_t>(slots.size()));
        std::move(slots.begin(), slots.end(), std::back_inserter(*to));
      }
    };
    flatten(inputs_, &executor_->inputs, &executor_->input_counts);
    flatten(outputs_, &executor_->outputs, &executor_->output_counts);
    MakePlan();
    return executor_;
  }

 private:
  static Operator& FindOperator(const Library& library, const char* type) {
    for (const auto& op : library.operators()) {
      if (op->entry->def != nullptr && std::strcmp(op->entry->def->type, type) == 0) return *op;
    }
    throw Error(BASCULE_NOT_FOUND,
                Join("'", library.path(), "' has no operator ", type, ", though it has aclnn", type,
                     "; configure and build its project again."));
  }

  void Take(const BasculeAclnnArgument& argument) {
    Executor& executor = *executor_;
    const BasculeOperatorDef& def = *executor.op->entry->def;
    const uint32_t limit = argument.role == BASCULE_ACLNN_OUTPUT      ? def.output_count
                           : argument.role == BASCULE_ACLNN_ATTRIBUTE ? def.attribute_count
                                                                      : def.input_count;
    if (argument.index >= limit ||
        (argument.role == BASCULE_ACLNN_INPUT_AND_OUTPUT && argument.output >= def.output_count)) {
      throw Error(BASCULE_INTERNAL,
                  Join(call_, " was generated from another definition of the operator (",
                       argument.name, "); configure and build its project again."));
    }
    if (argument.role == BASCULE_ACLNN_ATTRIBUTE) return TakeAttribute(argument);
    std::vector<Slot>& slots =
        argument.role == BASCULE_ACLNN_OUTPUT ? outputs_[argument.index] : inputs_[argument.index];
    Slot& slot = slots[0];
    slot.name = argument.name;
    if (argument.value.handle == nullptr) {
      const bool optional = argument.role == BASCULE_ACLNN_INPUT &&
                            def.inputs[argument.index].kind == BASCULE_OPTIONAL;
      if (optional) return;
      throw Refusal(BASCULE_ACLNN_NULL, Join(call_, ": ", argument.name, " is null; ",
                                             kMakers[argument.kind], " makes one."));
    }
    const auto object =
        FindObject(argument.value.handle, argument.kind, call_.c_str(), argument.name);
    slot.present = true;
    switch (argument.kind) {
      case BASCULE_ACLNN_TENSOR:
        slot.tensor = object->tensor;
        break;
      case BASCULE_ACLNN_TENSOR_LIST:
        TakeList(argument, *object, &slots);
        break;
      case BASCULE_ACLNN_SCALAR: {
        const int32_t to = ScalarType(argument, *object);
        std::vector<char> values;
        AppendScalar(*object, to, &values);
        FillFromNumbers(to, 1, std::move(values), &slot);
        break;
      }
      case BASCULE_ACLNN_SCALAR_LIST: {
        std::vector<char> values;
        int32_t to = argument.to >= 0 ? argument.to : int32_t{BASCULE_FLOAT};
        for (const void* item : object->items) {
          const auto scalar = FindObject(item, BASCULE_ACLNN_SCALAR, call_.c_str(), argument.name);
          if (&item == &object->items.front()) to = ScalarType(argument, *scalar);
          AppendScalar(*scalar, to, &values);
        }
        FillFromNumbers(to, object->count, std::move(values), &slot);
        break;
      }
      default:
        FillFromNumbers(object->dtype, object->count, object->values, &slot);
        break;
    }
    if (argument.role != BASCULE_ACLNN_INPUT_AND_OUTPUT) return;
    outputs_[argument.output] = slots;
    for (Slot& input : slots) input.shared = true;
  }

  void TakeList(const BasculeAclnnArgument& argument, const Object& list,
                std::vector<Slot>* slots) {
    slots->clear();
    for (size_t i = 0; i < list.items.size(); ++i) {
      Slot& slot = slots->emplace_back();
      slot.name = Join(argument.name, "[", i, "]");
      slot.present = true;
      slot.list = argument.value.handle;
      slot.tensor =
          FindObject(list.items[i], BASCULE_ACLNN_TENSOR, call_.c_str(), slot.name.c_str())->tensor;
    }
  }

  int32_t ScalarType(const BasculeAclnnArgument& argument, const Object& scalar) const {
    if (argument.to >= 0) return argument.to;
    if (argument.to == -1) return scalar.dtype;
    const size_t input = static_cast<size_t>(-2 - argument.to);
    const bool known = input < inputs_.size() && !inputs_[input].empty();
    return known ? inputs_[input][0].tensor.dtype : scalar.dtype;
  }

  void TakeAttribute(const BasculeAclnnArgument& argument) {
    Executor& executor = *executor_;
    Attributes& attributes = *executor.attributes;
    const BasculeAttributeDef& def = executor.op->entry->def->attributes[argument.index];
    BasculeAttribute attribute = {};
    attribute.name = def.name;
    attribute.kind = def.kind;
    switch (argument.kind) {
      case BASCULE_ACLNN_INT:
        attribute.value.i = argument.value.i;
        break;
      case BASCULE_ACLNN_FLOAT:
        attribute.value.f = static_cast<float>(argument.value.f);
        break;
      default: {
        if (argument.value.handle == nullptr) {
          if (def.required == 0) return;  // the default
          throw Refusal(BASCULE_ACLNN_NULL, Join(call_, ": ", argument.name, " is null."));
        }
        if (argument.kind == BASCULE_ACLNN_TEXT) {
          attributes.texts.emplace_back(argument.value.text);
          attribute.value.s = attributes.texts.back().c_str();
          attribute.length = static_cast<uint32_t>(attributes.texts.back().size());
          break;
        }
        const auto object =
            FindObject(argument.value.handle, argument.kind, call_.c_str(), argument.name);
        attribute.length = static_cast<uint32_t>(object->count);
        if (argument.kind == BASCULE_ACLNN_FLOATS) {
          std::vector<float>& floats = attributes.floats.emplace_back(object->count);
          std::memcpy(floats.data(), object->values.data(), object->values.size());
          attribute.value.floats = floats.data();
        } else {
          std::vector<int64_t>& ints = attributes.ints.emplace_back(object->count);
          if (argument.kind == BASCULE_ACLNN_INTS) {
            std::memcpy(ints.data(), object->values.data(), object->values.size());
          } else {
            for (size_t i = 0; i < ints.size(); ++i) ints[i] = object->values[i] != 0 ? 1 : 0;
          }
          attribute.value.ints = ints.data();
        }
      }
    }
    attributes.list.push_back(attribute);
  }

  static BasculeTensorInfo InfoOf(const Slot& slot) {
    BasculeTensorInfo info = {};
    info.dtype = slot.present ? slot.tensor.dtype : -1;
    info.format = BASCULE_FORMAT_ND;
    info.present = slot.present ? 1 : 0;
    info.shape.rank = static_cast<int64_t>(slot.tensor.dims.size());
    std::copy(slot.tensor.dims.begin(), slot.tensor.dims.end(), info.shape.dims);
    return info;
  }

  // The plan that the call finds in the cache, or the like of it where tiling looks at what inputs
  // hold; the memory itself may be told later.
  void MakePlan() {
    Executor& executor = *executor_;
    Operator& op = *executor.op;
    std::vector<BasculeTensorInfo> infos;
    for (const Slot& slot : executor.inputs) infos.push_back(InfoOf(slot));
    std::vector<BasculeTensorInfo> given;
    for (const Slot& slot : executor.outputs) given.push_back(InfoOf(slot));
    std::vector<BasculeTensorInfo> wanted;
    const registry::Counts counts = {executor.input_counts, executor.output_counts};
    if (op.value_inputs == 0) {
      const registry::PlanRef plan = PlanFor(op, infos, executor.attributes->list, given, counts);
      executor.workspace_bytes = plan->workspace_bytes();
      for (uint32_t i = 0; i < executor.outputs.size(); ++i) {
        const registry::PlannedOutput output = plan->Output(i);
        BasculeTensorInfo& info = wanted.emplace_back();
        info.dtype = output.dtype;
        info.shape.rank = output.rank;
        std::copy_n(output.dims, output.rank, info.shape.dims);
      }
    } else {
      const registry::Lists lists = op.ListsOf(infos.size(), executor.outputs.size(), counts);
      registry::CheckShapes(*op.entry, infos, lists);
      std::vector<const void*> values;
      for (const Slot& slot : executor.inputs) {
        values.push_back(slot.own.empty() ? nullptr : slot.own.data());
      }
      const registry::Plan plan = host::MakePlan(
          op, infos, registry::CompleteAttributes(*op.entry, executor.attributes->list), values,
          given, lists);
      executor.workspace_bytes = plan.workspace_bytes;
      wanted = plan.outputs;
    }
    for (size_t i = 0; i < executor.outputs.size(); ++i) {
      const Slot& slot = executor.outputs[i];
      if (slot.tensor.dtype != wanted[i].dtype) {
        throw Error(BASCULE_INVALID_ARGUMENT,
                    Join(call_, ": ", slot.name, " has to be ", DTypeName(wanted[i].dtype),
                         " for these inputs, but it is ", DTypeName(slot.tensor.dtype), "."));
      }
      const BasculeShape came = InfoOf(slot).shape;
      if (!registry::SameShape(came, wanted[i].shape)) {
        throw Error(BASCULE_INVALID_ARGUMENT,
                    Join(call_, ": ", slot.name, " has to have shape ",
                         registry::ShapeText(wanted[i].shape), " for these inputs, but it has ",
                         registry::ShapeText(came), "."));
      }
    }
  }

  const std::string call_;
  std::shared_ptr<Executor> executor_;
  // The tensors of each parameter: one, or the members of a list.
  std::vector<std::vector<Slot>> inputs_;
  std::vector<std::vector<Slot>> outputs_;
};

int32_t Plan(const BasculeLibraryTable* library, const char* function, const char* type,
             uint32_t count, const BasculeAclnnArgument* arguments, uint64_t* workspace_bytes,
             void** handle) {
  return GuardAclnn([&] {
    const std::string call = Join(function, "GetWorkspaceSize");
    CheckOut(workspace_bytes, call.c_str(), "workspaceSize");
    CheckOut(handle, call.c_str(), "executor");
    *workspace_bytes = 0;
    *handle = nullptr;
    auto object = std::make_shared<Object>();
    object->kind = BASCULE_ACLNN_EXECUTOR;
    object->executor = Planner(library, function, type).Plan(count, arguments);
    *workspace_bytes = object->executor->workspace_bytes;
    *handle = const_cast<void*>(AllObjects().Add(std::move(object)));
  });
}

// Memory that a run reads or writes has to be the device's.
void CheckMemory(const std::string& function, const std::string& name, const void* address,
                 uint64_t bytes) {
  if (bytes == 0) return;
  const std::string subject = Join(function, ": ", name);
  if (address == nullptr) {
    throw Refusal(BASCULE_ACLNN_NULL, Join(subject, " has no memory: its address is null."));
  }
  const DeviceMemory::Place place = TheDeviceMemory().Find(address);
  if (place.kind == DeviceMemory::Kind::kFreed) {
    throw Refusal(BASCULE_ACLNN_INVALID,
                  Join(subject, " is device memory that is not allocated any more."));
  }
  if (place.kind != DeviceMemory::Kind::kDevice) {
    throw Refusal(BASCULE_ACLNN_INVALID,
                  Join(subject, " is host memory; operators work on what aclrtMalloc gave."));
  }
  const uint64_t offset = reinterpret_cast<uint64_t>(address) - place.begin;
  if (bytes > place.bytes - offset) {
    throw Refusal(BASCULE_ACLNN_INVALID,
                  Join(subject, " reaches from byte ", offset, " to byte ", offset + bytes,
                       " of device memory that has ", place.bytes, " bytes."));
  }
}

// The second step proper.
void Execute(const Executor& executor, void* workspace) {
  std::vector<BasculeTensor> tensors;
  tensors.reserve(executor.inputs.size() + executor.outputs.size());
  std::vector<const BasculeTensor*> inputs;
  std::vector<BasculeTensor*> outputs;
  CheckMemory(executor.function, "workspace", workspace, executor.workspace_bytes);
  for (const Slot& slot : executor.inputs) {
    if (!slot.present) {
      inputs.push_back(nullptr);
      continue;
    }
    BasculeTensor& view = tensors.emplace_back(View(slot.tensor));
    if (!slot.own.empty()) {
      view.data = const_cast<char*>(slot.own.data());  // an input is only read
    } else {
      CheckMemory(executor.function, slot.name, view.data, ReachOf(slot.tensor));
    }
    inputs.push_back(&view);
  }
  for (const Slot& slot : executor.outputs) {
    BasculeTensor& view = tensors.emplace_back(View(slot.tensor));
    CheckMemory(executor.function, slot.name, view.data, ReachOf(slot.tensor));
    outputs.push_back(&view);
  }
  Call(*executor.op, inputs, outputs, executor.attributes->list,
       {executor.input_counts, executor.output_counts},
       executor.workspace_bytes == 0 ? nullptr : workspace, executor.workspace_bytes);
}

int32_t Run(const char* function, void* workspace, uint64_t workspace_bytes, void* handle,
            void* stream) {
  std::shared_ptr<const Executor> executor;
  const int32_t refused = GuardAclnn([&] {
    if (handle != nullptr && AllObjects().Find(handle) == nullptr && AllObjects().Gone(handle)) {
      throw Refusal(BASCULE_ACLNN_INVALID,
                    Join(function, ": the executor has run already, which ends it; call ", function,
                         "GetWorkspaceSize again, or aclSetAclOpExecutorRepeatable before the "
                         "first run."));
    }
    const auto object = FindObject(handle, BASCULE_ACLNN_EXECUTOR, function, "executor");
    if (object->executor->function != function) {
      throw Refusal(BASCULE_ACLNN_INVALID,
                    Join(function, ": the executor is one for ", object->executor->function, "."));
    }
    const uint64_t wanted = object->executor->workspace_bytes;
    if (workspace_bytes < wanted) {
      throw Refusal(BASCULE_ACLNN_INVALID,
                    Join(function, ": workspaceSize is ", workspace_bytes, " bytes, and ", function,
                         "GetWorkspaceSize said ", wanted, "."));
    }
    CheckMemory(function, "workspace", workspace, wanted);
    executor = object->executor;
    if (!object->executor->repeatable) AllObjects().Erase(handle);
  });
  if (refused != BASCULE_ACLNN_SUCCESS) return refused;
  return GuardAclnn([&] {
    RunOnStream(
        stream, function, [&] { Execute(*executor, workspace); },
        [&]() -> std::function<void()> {
          return [executor, workspace] { Execute(*executor, workspace); };
        });
  });
}

void ReplaceExecutor(const void* handle, const Object& old, std::shared_ptr<const Executor> with) {
  auto object = std::make_shared<Object>(old);
  object->executor = std::move(with);
  AllObjects().Replace(handle, std::move(object));
}

int32_t SetRepeatable(void* handle) {
  return GuardAclnn([&] {
    const auto old = FindObject(handle, BASCULE_ACLNN_EXECUTOR, "aclSetAclOpExecutorRepeatable",
                                "executor", BASCULE_ACLNN_INNER_NULL);
    auto executor = std::make_shared<Executor>(*old->executor);
    executor->repeatable = true;
    ReplaceExecutor(handle, *old, std::move(executor));
  });
}

int32_t SetAddress(const char* call, void* handle, uint32_t role, int64_t list, uint64_t index,
                   const void* tensor, void* address) {
  return GuardAclnn([&] {
    const auto old =
        FindObject(handle, BASCULE_ACLNN_EXECUTOR, call, "executor", BASCULE_ACLNN_INNER_NULL);
    FindObject(tensor, list < 0 ? BASCULE_ACLNN_TENSOR : BASCULE_ACLNN_TENSOR_LIST, call,
               list < 0 ? "tensor" : "tensors", BASCULE_ACLNN_INNER_NULL);
    const auto changed = std::make_shared<Executor>(*old->executor);
    Executor& executor = *changed;
    std::vector<Slot*> slots;
    if (role != BASCULE_ACLNN_OUTPUT) {
      for (Slot& slot : executor.inputs) slots.push_back(&slot);
    }
    if (role != BASCULE_ACLNN_INPUT) {
      for (Slot& slot : executor.outputs) slots.push_back(&slot);
    }
    const auto set = [&](Slot& slot) {
      if (!slot.present || !slot.own.empty()) {
        throw Refusal(BASCULE_ACLNN_INVALID,
                      Join(call, ": ", slot.name, " is no tensor of this executor: ",
                           slot.present ? "it was made from numbers." : "it was null."));
      }
      slot.tensor.data = address;
      for (Slot& output : executor.outputs) {
        if (slot.shared && output.name == slot.name) output.tensor.data = address;
      }
      ReplaceExecutor(handle, *old, changed);
    };
    if (list >= 0) {
      // The documentation counts inputs and outputs in one row or two; the list itself is certain.
      uint64_t place = 0;
      for (Slot* slot : slots) {
        if (slot->list == tensor && place++ == index) return set(*slot);
      }
      throw Refusal(BASCULE_ACLNN_INVALID,
                    Join(call, ": parameter ", list, " has no tensor ", index, "."));
    }
    if (index >= slots.size()) {
      throw Refusal(BASCULE_ACLNN_INVALID, Join(call, ": index is ", index, ", and there are ",
                                                slots.size(), " tensors, counted from 0."));
    }
    set(*slots[index]);
  });
}

// --- the process --------------------------------------------------------------------------------

int32_t Init(const char* config) {
  return GuardAclnn([&] {
    if (config == nullptr || config[0] == '\0' || access(config, R_OK) == 0) return;
    throw Refusal(BASCULE_ACLNN_INVALID,
                  Join("aclnnInit: the file '", config, "' cannot be read."));
  });
}

int32_t Finalize() { return BASCULE_ACLNN_SUCCESS; }

}  // namespace

const BasculeAclnnApi& AclnnApi() {
  static const BasculeAclnnApi api = {
      .struct_bytes = sizeof(BasculeAclnnApi),
      .reserved = 0,
      .init = Init,
      .finalize = Finalize,
      .tensor_create = CreateTensor,
      .tensor_set = SetTensor,
      .tensor_get = GetTensor,
      .tensor_set_address = SetTensorAddress,
      .values_create = CreateValues,
      .list_create = CreateList,
      .size = SizeOf,
      .destroy = Destroy,
      .plan = Plan,
      .run = Run,
      .executor_set_repeatable = SetRepeatable,
      .executor_set_address = SetAddress,
  };
  return api;
}

}  // namespace bascule::host

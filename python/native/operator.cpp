// SPDX-License-Identifier: Apache-2.0
#include "operator.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "dtypes.h"
#include "errors.h"
#include "tensor.h"

namespace nb = nanobind;

namespace bascule::native {
namespace {

// An array of `count` elements that needs the heap only for operators with many parameters.
template <typename T, size_t kInline>
class Slots {
 public:
  explicit Slots(size_t count) : data_(inline_) {
    if (count > kInline) {
      heap_ = std::make_unique<T[]>(count);
      data_ = heap_.get();
    }
  }
  T& operator[](size_t index) { return data_[index]; }
  T* data() { return data_; }

 private:
  T inline_[kInline];
  std::unique_ptr<T[]> heap_;
  T* data_;
};
constexpr size_t kUsualParameters = 4;

class Parameter final : public Role {
 public:
  Parameter(const Operator& op, bool output, size_t index)
      : op_(op), output_(output), index_(index) {}
  std::string Text() const override {
    return std::string(op_.name()) + ": " + (output_ ? "output '" : "input '") +
           op_.ParameterName(output_, static_cast<uint32_t>(index_)) + "'";
  }

 private:
  const Operator& op_;
  bool output_;
  size_t index_;
};

// The names of the manifest for BASCULE_ATTR_INT, … in their order.
constexpr std::array<std::string_view, 6> kAttributeKinds = {"int",    "float",    "bool",
                                                             "string", "int_list", "float_list"};

std::vector<std::string> Names(const nb::object& entries) {
  std::vector<std::string> names;
  for (nb::handle entry : entries) names.push_back(nb::cast<std::string>(entry["name"]));
  return names;
}

void ReadInfo(nb::handle pair, BasculeTensorInfo* info) {
  *info = {};
  info->format = BASCULE_FORMAT_ND;
  if (pair.is_none()) return;  // an optional input that was left out
  info->present = 1;
  nb::object shape = pair[0];
  nb::object dtype = pair[1];
  info->dtype = -1;
  if (!dtype.is_none()) {
    const auto name = nb::cast<std::string>(dtype);
    const DType* known = DTypeByName(name);
    if (known == nullptr)
      Raise(BASCULE_INVALID_ARGUMENT, "'" + name + "' is not the name of an element type.");
    info->dtype = known->number;
  }
  if (shape.is_none()) {
    info->shape.rank = -1;
    return;
  }
  const size_t rank = nb::len(shape);
  if (rank > BASCULE_MAX_RANK)
    Raise(BASCULE_INVALID_ARGUMENT, "A shape has " + std::to_string(rank) +
                                        " dimensions; at most " + std::to_string(BASCULE_MAX_RANK) +
                                        " are supported.");
  info->shape.rank = static_cast<int64_t>(rank);
  for (size_t i = 0; i < rank; ++i) info->shape.dims[i] = nb::cast<int64_t>(shape[i]);
}

nb::object WriteInfo(const BasculeTensorInfo& info) {
  nb::object shape = nb::none();
  if (info.shape.rank >= 0) {
    nb::list dims;
    for (int64_t i = 0; i < info.shape.rank; ++i) dims.append(info.shape.dims[i]);
    shape = nb::tuple(dims);
  }
  const DType* dtype = DTypeByNumber(info.dtype);
  return nb::make_tuple(shape, dtype == nullptr ? nb::none() : nb::object(nb::str(dtype->name)));
}

bool SameInfo(const BasculeTensorInfo& a, const BasculeTensorInfo& b) {
  return a.present == b.present && a.dtype == b.dtype && a.shape.rank == b.shape.rank &&
         std::equal(a.shape.dims, a.shape.dims + a.shape.rank, b.shape.dims);
}

// Runs with the GIL released: other Python threads go on while the kernel works.
BasculeStatus CallReleased(const BasculeOperator* op, uint32_t input_count,
                           const BasculeTensor* const* inputs, uint32_t output_count,
                           BasculeTensor* const* outputs, const Attributes& attributes,
                           uint32_t repeat = 1) {
  nb::gil_scoped_release release;
  BasculeStatus status = BASCULE_OK;
  for (uint32_t i = 0; i < repeat && status == BASCULE_OK; ++i) {
    status = bascule_operator_call(op, input_count, inputs, output_count, outputs,
                                   attributes.size(), attributes.data());
  }
  return status;
}

}  // namespace

Operator::Operator(const BasculeOperator* op) : op_(op), schema_(bascule_operator_schema(op)) {
  ReadSchema();
}

Operator::Operator(const Operator& kernel, const std::string& schema, nb::object infer)
    : op_(kernel.op_), schema_(schema), infer_(std::move(infer)) {
  if (!is_kernel())
    Raise(BASCULE_INVALID_ARGUMENT,
          std::string(name()) + " is no lone kernel; its library describes it.");
  ReadSchema();
}

const char* Operator::AotFunction(uint32_t inputs) const {
  const char* function = nullptr;
  Check(bascule_operator_aot(op_, inputs, &function));
  return function;
}

nb::dict Operator::Statistics() const {
  BasculeOperatorStatistics all = {};
  all.struct_bytes = sizeof(all);
  Check(bascule_operator_statistics(op_, &all));
  nb::dict result;
  result["calls"] = all.calls;
  result["gradients"] = all.gradients;
  result["tiling_runs"] = all.plan_misses;
  result["plans"] = all.plans;
  result["plan_hits"] = all.plan_hits;
  result["plans_dropped"] = all.plans_dropped;
  result["plans_loaded"] = all.plans_loaded;
  result["packed_inputs"] = all.packed_inputs;
  result["packed_input_bytes"] = all.packed_input_bytes;
  result["unpacked_outputs"] = all.unpacked_outputs;
  result["unpacked_output_bytes"] = all.unpacked_output_bytes;
  return result;
}

void Operator::ReadSchema() {
  nb::object schema = nb::module_::import_("json").attr("loads")(schema_);
  input_names_ = Names(schema["inputs"]);
  output_names_ = Names(schema["outputs"]);
  for (nb::handle entry : nb::object(schema.attr("get")("attributes", nb::tuple()))) {
    const auto kind = nb::cast<std::string>(entry["kind"]);
    uint32_t number = 0;
    while (number < kAttributeKinds.size() && kAttributeKinds[number] != kind) ++number;
    if (number == kAttributeKinds.size())
      Raise(BASCULE_VERSION_MISMATCH, std::string(name()) + ": attributes of kind '" + kind +
                                          "' are unknown to this version of bascule.");
    attributes_.push_back({nb::cast<std::string>(entry["name"]), number});
  }
}

void Operator::CheckCount(const char* what, size_t expected, size_t got,
                          const std::vector<std::string>& names) const {
  if (expected == got) [[likely]]
    return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  Raise(BASCULE_INVALID_ARGUMENT, std::string(name()) + ": " + std::to_string(expected) + " " +
                                      what + (expected == 1 ? "" : "s") + " expected (" + list +
                                      "), " + std::to_string(got) + " came.");
}

void Operator::Add(const AttributeSlot& slot, nb::handle value, Attributes* out) const {
  BasculeAttribute attribute{};
  attribute.name = slot.name.c_str();
  attribute.kind = slot.kind;
  try {
    switch (slot.kind) {
      case BASCULE_ATTR_INT:
        attribute.value.i = nb::cast<int64_t>(value);
        break;
      case BASCULE_ATTR_BOOL:
        attribute.value.i = nb::cast<bool>(value) ? 1 : 0;
        break;
      case BASCULE_ATTR_FLOAT:
        attribute.value.f = nb::cast<float>(value);
        break;
      case BASCULE_ATTR_STRING:
        out->texts_.push_front(nb::cast<std::string>(value));
        attribute.value.s = out->texts_.front().c_str();
        attribute.length = static_cast<uint32_t>(out->texts_.front().size());
        break;
      case BASCULE_ATTR_INT_LIST: {
        std::vector<int64_t>& list = out->ints_.emplace_front();
        for (nb::handle item : value) list.push_back(nb::cast<int64_t>(item));
        attribute.value.ints = list.data();
        attribute.length = static_cast<uint32_t>(list.size());
        break;
      }
      default: {
        std::vector<float>& list = out->floats_.emplace_front();
        for (nb::handle item : value) list.push_back(nb::cast<float>(item));
        attribute.value.floats = list.data();
        attribute.length = static_cast<uint32_t>(list.size());
      }
    }
  } catch (const nb::cast_error&) {
    Raise(BASCULE_INVALID_ARGUMENT, std::string(name()) + ": attribute '" + slot.name + "' takes " +
                                        std::string(kAttributeKinds[slot.kind]) + ", " +
                                        nb::cast<std::string>(nb::repr(value)) + " came.");
  }
  out->values_.push_back(attribute);
}

Attributes Operator::FromDict(nb::handle dict) const {
  Attributes out;
  if (dict.is_none()) return out;
  for (auto [key, value] : nb::cast<nb::dict>(dict)) {
    const auto wanted = nb::cast<std::string>(key);
    const AttributeSlot* found = nullptr;
    for (const AttributeSlot& slot : attributes_)
      if (slot.name == wanted) found = &slot;
    if (found == nullptr) {
      std::string list;
      for (const AttributeSlot& slot : attributes_) list += (list.empty() ? "" : ", ") + slot.name;
      Raise(BASCULE_INVALID_ARGUMENT,
            std::string(name()) + " has no attribute '" + wanted + "'. " +
                (list.empty() ? "It has none." : "It has: " + list + "."));
    }
    Add(*found, value, &out);
  }
  return out;
}

nb::list Operator::Infer(nb::sequence inputs, nb::handle attributes) const {
  const size_t count = nb::len(inputs);
  if (!takes_any()) CheckCount("input", input_count(), count, input_names_);
  std::vector<BasculeTensorInfo> in(count);
  std::vector<BasculeTensorInfo> out(output_count());
  for (size_t i = 0; i < count; ++i) ReadInfo(nb::object(inputs[i]), &in[i]);
  const Attributes values = FromDict(attributes);
  if (infer_.is_valid()) {
    InferByFunction(in.data(), out.data());
  } else {
    Check(bascule_operator_infer(op_, static_cast<uint32_t>(count), in.data(), values.size(),
                                 values.data(), output_count(), out.data()));
  }
  nb::list result;
  for (const BasculeTensorInfo& info : out) result.append(WriteInfo(info));
  return result;
}

nb::dict Operator::Plan(nb::sequence inputs, nb::handle attributes) const {
  const size_t count = nb::len(inputs);
  if (!takes_any()) CheckCount("input", input_count(), count, input_names_);
  std::vector<BasculeTensorInfo> in(count);
  for (size_t i = 0; i < count; ++i) ReadInfo(nb::object(inputs[i]), &in[i]);
  const Attributes values = FromDict(attributes);
  BasculePlan* plan = nullptr;
  Check(bascule_operator_plan(op_, static_cast<uint32_t>(count), in.data(), values.size(),
                              values.data(), &plan));
  BasculePlanInfo info = {};
  info.struct_bytes = sizeof(info);
  const BasculeStatus status = bascule_plan_info(plan, &info);
  nb::dict result;
  result["block_count"] = info.block_count;
  result["tiling_key"] = info.tiling_key;
  result["tiling_data"] = nb::bytes(static_cast<const char*>(info.tiling_data), info.tiling_bytes);
  result["workspace_bytes"] = info.workspace_bytes;
  bascule_plan_release(plan);
  Check(status);
  return result;
}

void Operator::Call(nb::sequence inputs, nb::sequence outputs, nb::handle attributes,
                    uint32_t repeat) const {
  const uint32_t in_count = static_cast<uint32_t>(nb::len(inputs));
  const uint32_t out_count = static_cast<uint32_t>(nb::len(outputs));
  if (!takes_any()) {
    CheckCount("input", input_count(), in_count, input_names_);
    CheckCount("output", output_count(), out_count, output_names_);
  }
  Slots<TensorView, kUsualParameters> in_views(in_count);
  Slots<TensorView, kUsualParameters> out_views(out_count);
  Slots<const BasculeTensor*, kUsualParameters> in(in_count);
  Slots<BasculeTensor*, kUsualParameters> out(out_count);
  // The sequences might give out temporary items: these keep them alive.
  nb::list kept;
  for (uint32_t i = 0; i < in_count; ++i) {
    nb::object item = inputs[i];
    kept.append(item);
    in[i] = nullptr;
    if (item.is_none()) continue;
    in_views[i].Acquire(item.ptr(), Access::kRead, Trust::kCheckLazyBits,
                        Parameter(*this, false, i));
    in[i] = in_views[i].tensor();
  }
  for (uint32_t i = 0; i < out_count; ++i) {
    nb::object item = outputs[i];
    kept.append(item);
    out_views[i].Acquire(item.ptr(), Access::kWrite, Trust::kCheckLazyBits,
                         Parameter(*this, true, i));
    out[i] = out_views[i].tensor();
  }
  const Attributes values = FromDict(attributes);
  Check(CallReleased(op_, in_count, in.data(), out_count, out.data(), values, repeat));
}

void Operator::InferByFunction(const BasculeTensorInfo* inputs, BasculeTensorInfo* outputs) const {
  nb::list pairs;
  for (uint32_t i = 0; i < input_count(); ++i)
    pairs.append(inputs[i].present != 0 ? WriteInfo(inputs[i]) : nb::object(nb::none()));
  nb::object answer = infer_(pairs);  // a pair for each output: whoever described it sees to that
  CheckCount("output", output_count(), nb::len(answer), output_names_);
  for (uint32_t i = 0; i < output_count(); ++i) {
    ReadInfo(nb::object(answer[i]), &outputs[i]);
    if (outputs[i].shape.rank < 0 || outputs[i].dtype < 0)
      Raise(BASCULE_INVALID_ARGUMENT, std::string(name()) + ": the shape and element type of " +
                                          output_names_[i] + " have to be known.");
  }
}

void Operator::InferOutputs(const BasculeTensorInfo* inputs, const Attributes& attributes,
                            BasculeTensorInfo* outputs) {
  const bool plain = attributes.size() == 0;
  if (plain && !last_inputs_.empty() &&
      std::equal(last_inputs_.begin(), last_inputs_.end(), inputs, SameInfo)) {
    std::copy(last_outputs_.begin(), last_outputs_.end(), outputs);
    return;
  }
  if (infer_.is_valid()) {
    InferByFunction(inputs, outputs);
  } else {
    Check(bascule_operator_infer(op_, input_count(), inputs, attributes.size(), attributes.data(),
                                 output_count(), outputs));
  }
  if (!plain) return;
  last_inputs_.assign(inputs, inputs + input_count());
  last_outputs_.assign(outputs, outputs + output_count());
}

nb::object Operator::Run(nb::args arguments) {
  if (takes_any())
    Raise(BASCULE_UNSUPPORTED,
          std::string(name()) +
              " is known by its symbol only: nothing tells the shapes and element types of its "
              "outputs. Pass "
              "NumPy arrays for them (out=), or use Custom with out_shape and out_dtype.");
  const size_t given = nb::len(arguments);
  const uint32_t inputs = input_count();
  if (given < inputs || given > inputs + attributes_.size())
    CheckCount("input", inputs, given, input_names_);
  PyObject* const tuple = arguments.ptr();

  Attributes values;
  for (size_t i = inputs; i < given; ++i)
    Add(attributes_[i - inputs], PyTuple_GET_ITEM(tuple, i), &values);

  Slots<TensorView, kUsualParameters> in_views(inputs);
  Slots<const BasculeTensor*, kUsualParameters> in(inputs);
  Slots<BasculeTensorInfo, kUsualParameters> in_info(inputs);
  PyObject* like = nullptr;  // the outputs are made in the library of the first tensor
  for (uint32_t i = 0; i < inputs; ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    in[i] = nullptr;
    if (item == Py_None) {
      in_info[i] = {};
      continue;
    }
    const Parameter role(*this, false, i);
    in_views[i].Acquire(item, Access::kRead, Trust::kChecked, role);
    in[i] = in_views[i].tensor();
    Describe(*in[i], &in_info[i], role);
    if (like == nullptr) like = item;
  }
  if (like == nullptr)
    Raise(BASCULE_INVALID_ARGUMENT,
          std::string(name()) + ": no input is a tensor; pass the outputs.");

  const uint32_t outputs = output_count();
  Slots<BasculeTensorInfo, kUsualParameters> out_info(outputs);
  InferOutputs(in_info.data(), values, out_info.data());

  Slots<TensorView, kUsualParameters> out_views(outputs);
  Slots<BasculeTensor*, kUsualParameters> out(outputs);
  Slots<nb::object, kUsualParameters> results(outputs);
  for (uint32_t i = 0; i < outputs; ++i) {
    const BasculeTensorInfo& info = out_info[i];
    results[i] = nb::steal(out_views[i].Allocate(like, info.dtype, info.shape.rank, info.shape.dims,
                                                 Parameter(*this, true, i)));
    out[i] = out_views[i].tensor();
  }
  Check(CallReleased(op_, inputs, in.data(), outputs, out.data(), values));
  if (outputs == 1) return std::move(results[0]);
  nb::object tuple_of_results = nb::steal(PyTuple_New(outputs));
  for (uint32_t i = 0; i < outputs; ++i)
    PyTuple_SET_ITEM(tuple_of_results.ptr(), i, results[i].release().ptr());
  return tuple_of_results;
}

}  // namespace bascule::native

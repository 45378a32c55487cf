// SPDX-License-Identifier: Apache-2.0
#include "operator.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
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

// The arguments of a call in one row, and how many each parameter has: the members of a list, one
// of everything else. Without lists `counts` stays empty.
class Row {
 public:
  // `get(i)` gives the i-th of `count` arguments, a new reference.
  template <typename Get>
  Row(const Operator& op, bool output, size_t count, Get get) {
    for (size_t i = 0; i < count; ++i) {
      nb::object item = get(i);
      if (!op.has_lists()) {
        Add(std::move(item));
        continue;
      }
      if (!op.IsList(output, i)) {
        counts.push_back(1);
        Add(std::move(item));
        continue;
      }
      if (PyList_Check(item.ptr()) == 0 && PyTuple_Check(item.ptr()) == 0) {
        Raise(BASCULE_INVALID_ARGUMENT,
              std::string(op.name()) + ": " + (output ? "output '" : "input '") +
                  op.ParameterName(output, static_cast<uint32_t>(i)) +
                  "' takes a list or tuple of tensors, and a " +
                  nb::cast<std::string>(nb::handle(item.type()).attr("__name__")) + " came.");
      }
      counts.push_back(static_cast<uint32_t>(nb::len(item)));
      for (nb::handle member : item) Add(nb::borrow(member));
    }
  }
  size_t size() const { return items.size(); }

  std::vector<nb::object> items;
  std::vector<uint32_t> counts;

 private:
  void Add(nb::object item) { items.push_back(std::move(item)); }
};

BasculeLists ListsOf(const std::vector<uint32_t>& inputs, const std::vector<uint32_t>& outputs) {
  return {sizeof(BasculeLists), static_cast<uint32_t>(inputs.size()),  inputs.data(),
          outputs.data(),       static_cast<uint32_t>(outputs.size()), 0};
}

class Parameter final : public Role {
 public:
  // `counts` are those of a row; empty: the index is the parameter's.
  Parameter(const Operator& op, bool output, size_t index,
            const std::vector<uint32_t>* counts = nullptr)
      : op_(op), output_(output), index_(index), counts_(counts) {}
  std::string Text() const override {
    size_t owner = index_;
    size_t member = 0;
    if (counts_ != nullptr && !counts_->empty()) {
      member = index_;
      for (owner = 0; member >= (*counts_)[owner]; ++owner) member -= (*counts_)[owner];
    }
    const std::string place = op_.IsList(output_, owner) ? "[" + std::to_string(member) + "]" : "";
    return std::string(op_.name()) + ": " + (output_ ? "output '" : "input '") +
           op_.ParameterName(output_, static_cast<uint32_t>(owner)) + place + "'";
  }

 private:
  const Operator& op_;
  bool output_;
  size_t index_;
  const std::vector<uint32_t>* counts_;
};

// The names of the manifest for BASCULE_ATTR_INT, … in their order.
constexpr std::array<std::string_view, 8> kAttributeKinds = {
    "int", "float", "bool", "string", "int_list", "float_list", "bool_list", "int_lists"};

std::vector<std::string> Names(const nb::object& entries) {
  std::vector<std::string> names;
  for (nb::handle entry : entries) names.push_back(nb::cast<std::string>(entry["name"]));
  return names;
}

std::vector<bool> Lists(const nb::object& entries, bool* any) {
  std::vector<bool> lists;
  for (nb::handle entry : entries) {
    const nb::object kind = entry.attr("get")("kind", "required");
    lists.push_back(nb::cast<std::string>(kind) == "dynamic");
    *any = *any || lists.back();
  }
  return lists;
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
BasculeStatus CallReleased(const BasculeOperator* op, const BasculeLists* lists,
                           uint32_t input_count, const BasculeTensor* const* inputs,
                           uint32_t output_count, BasculeTensor* const* outputs,
                           const Attributes& attributes, uint32_t repeat = 1) {
  nb::gil_scoped_release release;
  BasculeStatus status = BASCULE_OK;
  for (uint32_t i = 0; i < repeat && status == BASCULE_OK; ++i) {
    status = lists != nullptr
                 ? bascule_operator_call_lists(op, lists, input_count, inputs, output_count,
                                               outputs, attributes.size(), attributes.data())
                 : bascule_operator_call(op, input_count, inputs, output_count, outputs,
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
  input_lists_ = Lists(schema["inputs"], &has_input_lists_);
  output_lists_ = Lists(schema["outputs"], &has_output_lists_);
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
  const auto refuse = [&] {
    Raise(BASCULE_INVALID_ARGUMENT, std::string(name()) + ": attribute '" + slot.name + "' takes " +
                                        std::string(kAttributeKinds[slot.kind]) + ", " +
                                        nb::cast<std::string>(nb::repr(value)) + " came.");
  };
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
      case BASCULE_ATTR_BOOL_LIST: {
        std::vector<int64_t>& list = out->ints_.emplace_front();
        for (nb::handle item : value) list.push_back(nb::cast<bool>(item) ? 1 : 0);
        attribute.value.ints = list.data();
        attribute.length = static_cast<uint32_t>(list.size());
        break;
      }
      case BASCULE_ATTR_INT_LISTS: {
        std::vector<int64_t>& list = out->ints_.emplace_front();
        for (nb::handle numbers : value) {
          list.push_back(static_cast<int64_t>(nb::len(numbers)));
          for (nb::handle item : numbers) list.push_back(nb::cast<int64_t>(item));
        }
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
    refuse();
  } catch (nb::python_error& error) {  // what is no list
    if (!error.matches(PyExc_TypeError)) throw;
    refuse();
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

void Operator::RequireKnownOutputs(const char* instead) const {
  if (!has_output_lists_) return;
  for (uint32_t i = 0; i < output_count(); ++i) {
    if (!IsList(true, i)) continue;
    Raise(BASCULE_UNSUPPORTED, std::string(name()) + ": output '" + output_names_[i] +
                                   "' is a list of tensors, and nothing but the caller says how "
                                   "many. " +
                                   instead);
  }
}

void Operator::RefuseNoTensor(const std::vector<uint32_t>& counts) const {
  for (uint32_t i = 0; i < counts.size(); ++i) {
    if (!IsList(false, i) || counts[i] != 0) continue;
    Raise(
        BASCULE_INVALID_ARGUMENT,
        std::string(name()) + ": the list '" + ParameterName(false, i) +
            "' is empty and no other input is a tensor, so nothing says what the outputs are made "
            "as; pass a tensor or more in it, or the outputs (out=).");
  }
  Raise(BASCULE_INVALID_ARGUMENT,
        std::string(name()) + ": no input is a tensor; pass the outputs.");
}

nb::list Operator::Infer(nb::sequence inputs, nb::handle attributes) const {
  const size_t given = nb::len(inputs);
  if (!takes_any()) CheckCount("input", input_count(), given, input_names_);
  RequireKnownOutputs("Its shapes are those of the arrays that are passed with out=.");
  const Row row(*this, false, given, [&](size_t i) { return nb::object(inputs[i]); });
  const size_t count = row.size();
  std::vector<BasculeTensorInfo> in(count);
  std::vector<BasculeTensorInfo> out(output_count());
  for (size_t i = 0; i < count; ++i) ReadInfo(row.items[i], &in[i]);
  const Attributes values = FromDict(attributes);
  if (infer_.is_valid()) {
    InferByFunction(in.data(), out.data());
  } else {
    const BasculeLists lists = ListsOf(row.counts, {});
    Check(bascule_operator_infer_lists(op_, has_lists() ? &lists : nullptr,
                                       static_cast<uint32_t>(count), in.data(), values.size(),
                                       values.data(), output_count(), out.data()));
  }
  nb::list result;
  for (const BasculeTensorInfo& info : out) result.append(WriteInfo(info));
  return result;
}

nb::dict Operator::Plan(nb::sequence inputs, nb::handle attributes) const {
  const size_t given = nb::len(inputs);
  if (!takes_any()) CheckCount("input", input_count(), given, input_names_);
  RequireKnownOutputs("A call plans it.");
  const Row row(*this, false, given, [&](size_t i) { return nb::object(inputs[i]); });
  const size_t count = row.size();
  std::vector<BasculeTensorInfo> in(count);
  for (size_t i = 0; i < count; ++i) ReadInfo(row.items[i], &in[i]);
  const Attributes values = FromDict(attributes);
  BasculePlan* plan = nullptr;
  const BasculeLists lists = ListsOf(row.counts, {});
  Check(bascule_operator_plan_lists(op_, has_lists() ? &lists : nullptr,
                                    static_cast<uint32_t>(count), in.data(), values.size(),
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
  const size_t given_inputs = nb::len(inputs);
  const size_t given_outputs = nb::len(outputs);
  if (!takes_any()) {
    CheckCount("input", input_count(), given_inputs, input_names_);
    CheckCount("output", output_count(), given_outputs, output_names_);
  }
  // They also keep temporary items of the sequences alive.
  const Row in_row(*this, false, given_inputs, [&](size_t i) { return nb::object(inputs[i]); });
  const Row out_row(*this, true, given_outputs, [&](size_t i) { return nb::object(outputs[i]); });
  const auto in_count = static_cast<uint32_t>(in_row.size());
  const auto out_count = static_cast<uint32_t>(out_row.size());
  Slots<TensorView, kUsualParameters> in_views(in_count);
  Slots<TensorView, kUsualParameters> out_views(out_count);
  Slots<const BasculeTensor*, kUsualParameters> in(in_count);
  Slots<BasculeTensor*, kUsualParameters> out(out_count);
  for (uint32_t i = 0; i < in_count; ++i) {
    const nb::object& item = in_row.items[i];
    in[i] = nullptr;
    if (item.is_none()) continue;
    in_views[i].Acquire(item.ptr(), Access::kRead, Trust::kCheckLazyBits,
                        Parameter(*this, false, i, &in_row.counts));
    in[i] = in_views[i].tensor();
  }
  for (uint32_t i = 0; i < out_count; ++i) {
    out_views[i].Acquire(out_row.items[i].ptr(), Access::kWrite, Trust::kCheckLazyBits,
                         Parameter(*this, true, i, &out_row.counts));
    out[i] = out_views[i].tensor();
  }
  const Attributes values = FromDict(attributes);
  const BasculeLists lists = ListsOf(in_row.counts, out_row.counts);
  Check(CallReleased(op_, has_lists() ? &lists : nullptr, in_count, in.data(), out_count,
                     out.data(), values, repeat));
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

void Operator::InferOutputs(const BasculeTensorInfo* inputs, size_t count,
                            const std::vector<uint32_t>& counts, const Attributes& attributes,
                            BasculeTensorInfo* outputs) {
  const bool plain = attributes.size() == 0;
  if (plain && !last_inputs_.empty() && last_inputs_.size() == count && last_counts_ == counts &&
      std::equal(last_inputs_.begin(), last_inputs_.end(), inputs, SameInfo)) {
    std::copy(last_outputs_.begin(), last_outputs_.end(), outputs);
    return;
  }
  if (infer_.is_valid()) {
    InferByFunction(inputs, outputs);
  } else {
    const BasculeLists lists = ListsOf(counts, {});
    Check(bascule_operator_infer_lists(op_, has_lists() ? &lists : nullptr,
                                       static_cast<uint32_t>(count), inputs, attributes.size(),
                                       attributes.data(), output_count(), outputs));
  }
  if (!plain) return;
  last_inputs_.assign(inputs, inputs + count);
  last_outputs_.assign(outputs, outputs + output_count());
  last_counts_ = counts;
}

nb::object Operator::Run(nb::args arguments) {
  if (takes_any())
    Raise(BASCULE_UNSUPPORTED,
          std::string(name()) +
              " is known by its symbol only: nothing tells the shapes and element types of its "
              "outputs. Pass "
              "NumPy arrays for them (out=), or use Custom with out_shape and out_dtype.");
  const size_t given = nb::len(arguments);
  const uint32_t parameters = input_count();
  if (given < parameters || given > parameters + attributes_.size())
    CheckCount("input", parameters, given, input_names_);
  PyObject* const tuple = arguments.ptr();

  Attributes values;
  for (size_t i = parameters; i < given; ++i)
    Add(attributes_[i - parameters], PyTuple_GET_ITEM(tuple, i), &values);

  RequireKnownOutputs("Pass NumPy arrays for them (out=).");
  std::optional<Row> row;  // the usual call needs none
  if (has_input_lists_) {
    row.emplace(*this, false, parameters,
                [&](size_t i) { return nb::borrow(PyTuple_GET_ITEM(tuple, i)); });
  }
  static const std::vector<uint32_t> no_counts;
  const std::vector<uint32_t>& counts = row ? row->counts : no_counts;
  const uint32_t inputs = row ? static_cast<uint32_t>(row->size()) : parameters;

  Slots<TensorView, kUsualParameters> in_views(inputs);
  Slots<const BasculeTensor*, kUsualParameters> in(inputs);
  Slots<BasculeTensorInfo, kUsualParameters> in_info(inputs);
  PyObject* like = nullptr;  // the outputs are made in the library of the first tensor
  for (uint32_t i = 0; i < inputs; ++i) {
    PyObject* item = row ? row->items[i].ptr() : PyTuple_GET_ITEM(tuple, i);
    in[i] = nullptr;
    if (item == Py_None) {
      in_info[i] = {};
      continue;
    }
    const Parameter role(*this, false, i, &counts);
    in_views[i].Acquire(item, Access::kRead, Trust::kChecked, role);
    in[i] = in_views[i].tensor();
    Describe(*in[i], &in_info[i], role);
    if (like == nullptr) like = item;
  }
  if (like == nullptr) RefuseNoTensor(counts);

  const uint32_t outputs = output_count();
  Slots<BasculeTensorInfo, kUsualParameters> out_info(outputs);
  InferOutputs(in_info.data(), inputs, counts, values, out_info.data());

  Slots<TensorView, kUsualParameters> out_views(outputs);
  Slots<BasculeTensor*, kUsualParameters> out(outputs);
  Slots<nb::object, kUsualParameters> results(outputs);
  for (uint32_t i = 0; i < outputs; ++i) {
    const BasculeTensorInfo& info = out_info[i];
    results[i] = nb::steal(out_views[i].Allocate(like, info.dtype, info.shape.rank, info.shape.dims,
                                                 Parameter(*this, true, i)));
    out[i] = out_views[i].tensor();
  }
  const BasculeLists lists = ListsOf(counts, {});
  Check(CallReleased(op_, row ? &lists : nullptr, inputs, in.data(), outputs, out.data(), values));
  if (outputs == 1) return std::move(results[0]);
  nb::object tuple_of_results = nb::steal(PyTuple_New(outputs));
  for (uint32_t i = 0; i < outputs; ++i)
    PyTuple_SET_ITEM(tuple_of_results.ptr(), i, results[i].release().ptr());
  return tuple_of_results;
}

}  // namespace bascule::native

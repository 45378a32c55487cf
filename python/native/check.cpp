// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bascule/check.h"
#include "dtypes.h"
#include "errors.h"
#include "operator.h"
#include "tensor.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bascule::native {
namespace {

struct FreeText {
  void operator()(char* text) const { bascule_free(text); }
};

std::string Take(char* text) {
  const std::unique_ptr<char, FreeText> owned(text);
  return owned == nullptr ? std::string() : std::string(owned.get());
}

class Named final : public Role {
 public:
  Named(const char* what, size_t index) : what_(what), index_(index) {}
  std::string Text() const override {
    return std::string("check: ") + what_ + " " + std::to_string(index_);
  }

 private:
  const char* what_;
  size_t index_;
};

// Views of a sequence of arrays, None as null, for one call.
class Views {
 public:
  Views(nb::sequence items, const char* what, Access access = Access::kRead)
      : views_(std::make_unique<TensorView[]>(nb::len(items))) {
    const size_t count = nb::len(items);
    for (size_t i = 0; i < count; ++i) {
      nb::object item = items[i];
      kept_.append(item);
      if (item.is_none()) {
        pointers_.push_back(nullptr);
        continue;
      }
      views_[i].Acquire(item.ptr(), access, Trust::kCheckLazyBits, Named(what, i));
      pointers_.push_back(views_[i].tensor());
    }
  }
  uint32_t size() const { return static_cast<uint32_t>(pointers_.size()); }
  const BasculeTensor* const* data() const { return pointers_.data(); }

 private:
  std::unique_ptr<TensorView[]> views_;
  std::vector<const BasculeTensor*> pointers_;
  nb::list kept_;
};

// Copies a tensor of 8-byte elements with any strides to dense memory.
void CopyDense(const BasculeTensor& tensor, int dim, const char* from, char** to) {
  if (dim == tensor.ndim) {
    std::memcpy(*to, from, 8);
    *to += 8;
    return;
  }
  int64_t stride = 1;
  if (tensor.strides != nullptr) {
    stride = tensor.strides[dim];
  } else {
    for (int d = dim + 1; d < tensor.ndim; ++d) stride *= tensor.shape[d];
  }
  for (int64_t i = 0; i < tensor.shape[dim]; ++i) {
    CopyDense(tensor, dim + 1, from + i * stride * 8, to);
  }
}

std::vector<BasculeTensorInfo> ReadInfos(nb::sequence pairs) {
  std::vector<BasculeTensorInfo> infos;
  for (nb::handle pair : pairs) {
    BasculeTensorInfo info = {};
    info.format = BASCULE_FORMAT_ND;
    info.present = 1;
    const auto name = nb::cast<std::string>(pair[1]);
    const DType* dtype = DTypeByName(name);
    if (dtype == nullptr)
      Raise(BASCULE_INVALID_ARGUMENT, "'" + name + "' is not the name of an element type.");
    info.dtype = dtype->number;
    nb::object shape = pair[0];
    const size_t rank = nb::len(shape);
    if (rank > BASCULE_MAX_RANK) Raise(BASCULE_INVALID_ARGUMENT, "A shape is too long.");
    info.shape.rank = static_cast<int64_t>(rank);
    for (size_t d = 0; d < rank; ++d) info.shape.dims[d] = nb::cast<int64_t>(shape[d]);
    infos.push_back(info);
  }
  return infos;
}

class Judge {
 public:
  Judge(const std::string& settings, nb::sequence inputs, nb::sequence outputs, nb::object function)
      : function_(std::move(function)), outputs_(ReadInfos(outputs)) {
    const Views views(inputs, "input");
    for (uint32_t i = 0; i < views.size(); ++i) {
      const BasculeTensor* tensor = views.data()[i];
      Input input;
      if (tensor != nullptr) {
        const DType* dtype = DTypeByDlpack(tensor->dtype_code, tensor->dtype_bits);
        input.floating = dtype != nullptr && (dtype->dlpack_code == 2 || dtype->dlpack_code == 4);
        for (int d = 0; d < tensor->ndim; ++d)
          input.shape.push_back(static_cast<size_t>(tensor->shape[d]));
      }
      inputs_.push_back(std::move(input));
    }
    Check(bascule_check_open(settings.c_str(), views.size(), views.data(),
                             static_cast<uint32_t>(outputs_.size()), outputs_.data(), Evaluate,
                             this, &check_));
  }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  ~Judge() { bascule_check_close(check_); }

  std::string Forward(nb::sequence outputs) {
    const Views views(outputs, "output");
    char* report = nullptr;
    Finish(bascule_check_forward(check_, views.size(), views.data(), &report));
    return Take(report);
  }

  std::string Gradient(nb::sequence outputs, nb::sequence douts, nb::sequence gradients) {
    const Views outs(outputs, "output");
    const Views grads_of_outs(douts, "gradient of output");
    const Views grads(gradients, "gradient of input");
    if (outs.size() != grads_of_outs.size())
      Raise(BASCULE_INVALID_ARGUMENT, "check: as many douts as outputs are needed.");
    char* report = nullptr;
    Finish(bascule_check_gradient(check_, outs.size(), outs.data(), grads_of_outs.data(),
                                  grads.size(), grads.data(), &report));
    return Take(report);
  }

 private:
  struct Input {
    bool floating = false;
    std::vector<size_t> shape;
  };

  // Throws what the Python function threw, else what the interface says.
  void Finish(BasculeStatus status) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    Check(status);
  }

  static int Evaluate(void* context, uint32_t input_count, const double* const* inputs,
                      uint32_t output_count, void* const* outputs) {
    Judge& self = *static_cast<Judge*>(context);
    try {
      self.Call(input_count, inputs, output_count, outputs);
      return 0;
    } catch (...) {
      self.failure_ = std::current_exception();
      return 1;
    }
  }

  void Call(uint32_t input_count, const double* const* inputs, uint32_t output_count,
            void* const* outputs) {
    nb::list arrays;
    for (uint32_t i = 0; i < input_count; ++i) {
      if (!inputs_[i].floating) {
        arrays.append(nb::none());
        continue;
      }
      const std::vector<size_t>& shape = inputs_[i].shape;
      static const double nothing = 0.0;  // an empty array needs an address
      const double* data = inputs[i] != nullptr ? inputs[i] : &nothing;
      nb::ndarray<nb::numpy, const double> view(data, shape.size(), shape.data());
      arrays.append(nb::cast(view, nb::rv_policy::copy));  // the function may change or keep it
    }
    nb::object results = function_(arrays);
    if (nb::len(results) != output_count)
      Raise(BASCULE_INVALID_ARGUMENT, "the reference returned " + std::to_string(nb::len(results)) +
                                          " results for " + std::to_string(output_count) +
                                          " outputs.");
    for (uint32_t o = 0; o < output_count; ++o) {
      nb::object result = results[o];
      TensorView view;
      const Named role("result of the reference", o);
      view.Acquire(result.ptr(), Access::kRead, Trust::kCheckLazyBits, role);
      const BasculeTensor& tensor = *view.tensor();
      const BasculeShape& wanted = outputs_[o].shape;
      bool same = tensor.dtype_bits == 64 && tensor.ndim == wanted.rank;
      for (int d = 0; same && d < tensor.ndim; ++d) same = tensor.shape[d] == wanted.dims[d];
      if (!same)
        Raise(BASCULE_INVALID_ARGUMENT,
              role.Text() + " has another shape or element type than the output needs.");
      char* to = static_cast<char*>(outputs[o]);
      CopyDense(tensor, 0, static_cast<const char*>(tensor.data) + tensor.byte_offset, &to);
    }
  }

  nb::object function_;
  std::vector<BasculeTensorInfo> outputs_;
  std::vector<Input> inputs_;
  std::exception_ptr failure_;
  BasculeCheck* check_ = nullptr;
};

std::string Cases(const std::string& schema, const std::string& options) {
  char* cases = nullptr;
  Check(bascule_check_cases(schema.c_str(), options.c_str(), &cases));
  return Take(cases);
}

void Fill(nb::object array, const std::string& recipe) {
  TensorView view;
  view.Acquire(array.ptr(), Access::kWrite, Trust::kCheckLazyBits, Named("array", 0));
  Check(bascule_check_fill(view.tensor(), recipe.c_str()));
}

std::string Advice(const std::string& facts) {
  char* advice = nullptr;
  Check(bascule_check_advice(facts.c_str(), &advice));
  return Take(advice);
}

std::string Memory(nb::object function, uint32_t calls) {
  struct Context {
    nb::object function;
    std::exception_ptr failure;
  } context = {std::move(function), nullptr};
  const auto call = [](void* pointer) {
    Context& self = *static_cast<Context*>(pointer);
    try {
      self.function();
      return 0;
    } catch (...) {
      self.failure = std::current_exception();
      return 1;
    }
  };
  char* report = nullptr;
  const BasculeStatus status = bascule_check_memory(call, &context, calls, &report);
  if (context.failure) std::rethrow_exception(context.failure);
  Check(status);
  return Take(report);
}

std::string Repeatable(const Operator& op, nb::sequence inputs, nb::sequence outputs,
                       nb::handle attributes, const std::vector<uint32_t>& counts) {
  const Views views(inputs, "input");
  BasculeLists lists = {};
  lists.struct_bytes = sizeof(lists);
  lists.input_count = static_cast<uint32_t>(counts.size());
  lists.inputs = counts.data();
  const std::vector<BasculeTensorInfo> infos = ReadInfos(outputs);
  const Attributes values = op.AttributesOf(attributes);
  char* report = nullptr;
  BasculeStatus status;
  {
    nb::gil_scoped_release release;
    status = bascule_check_repeatable_lists(
        op.handle(), counts.empty() ? nullptr : &lists, views.size(), views.data(),
        static_cast<uint32_t>(infos.size()), infos.data(), values.size(), values.data(), &report);
  }
  const std::string text = Take(report);
  Check(status);
  return text;
}

constexpr const char* kCheckText = R"(One case, for any number of results to be held against.

settings: JSON. inputs: arrays, None where one is left out. outputs: a (shape, dtype) for each. function:
from a list of float64 arrays, None for inputs that are not floating, to a list with a float64 or int64
array for each output.)";

}  // namespace

void BindCheck(nb::module_& module) {
  nb::class_<Judge>(module, "Check", kCheckText)
      .def(nb::init<const std::string&, nb::sequence, nb::sequence, nb::object>(), "settings"_a,
           "inputs"_a, "outputs"_a, "function"_a)
      .def("forward", &Judge::Forward, "outputs"_a, "A report, JSON.")
      .def("gradient", &Judge::Gradient, "outputs"_a, "douts"_a, "gradients"_a, "A report, JSON.");
  module.def("check_cases", &Cases, "schema"_a, "options"_a = "{}",
             "The cases for an operator with that entry of a manifest; all JSON.");
  module.def("check_fill", &Fill, "array"_a, "recipe"_a,
             "Fills an array by a case's `fill`, JSON.");
  module.def("check_advice", &Advice, "facts"_a, "Hints and warnings from facts; all JSON.");
  module.def("check_memory", &Memory, "function"_a, "calls"_a,
             "Calls the function so many times; a report on the memory of the process, JSON.");
  module.def("check_repeatable", &Repeatable, "operator"_a, "inputs"_a, "outputs"_a,
             "attributes"_a = nb::none(), "counts"_a = std::vector<uint32_t>(),
             "Whether an operator gives the same bits every time: a report, JSON. With lists the "
             "inputs are in one row, and counts has how many tensors each is.");
}

}  // namespace bascule::native

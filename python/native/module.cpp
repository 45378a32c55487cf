// bascule._native: the C ABI for Python. Argument translation only.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>

#include "bascule/c_api.h"
#include "bascule/interrupt.h"
#include "check.h"
#include "dtypes.h"
#include "errors.h"
#include "operator.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bascule::native {
namespace {

struct FreeText {
  void operator()(char* text) const { bascule_free(text); }
};
using Text = std::unique_ptr<char, FreeText>;

class Library {
 public:
  explicit Library(const std::string& path) {
    BasculeStatus status;
    {
      nb::gil_scoped_release release;  // constructors of the library may run
      status = bascule_library_open(path.c_str(), &library_);
    }
    Check(status);
  }

  const char* path() const { return bascule_library_path(library_); }
  const char* manifest() const { return bascule_library_manifest(library_); }

  uintptr_t identity() const { return reinterpret_cast<uintptr_t>(library_); }

  nb::list Operators() const {
    nb::list result;
    for (uint32_t i = 0; i < bascule_library_operator_count(library_); ++i)
      result.append(nb::cast(Operator(bascule_library_operator(library_, i))));
    return result;
  }

  uint64_t Plan(const std::string& list) const {
    uint64_t count = 0;
    Check(bascule_library_plan(library_, list.c_str(), &count));
    return count;
  }
  void SavePlans(const std::string& path) const {
    Check(bascule_library_plans_save(library_, path.c_str()));
  }
  uint64_t LoadPlans(const std::string& path) const {
    uint64_t count = 0;
    Check(bascule_library_plans_load(library_, path.c_str(), &count));
    return count;
  }

  Operator Find(const std::string& name) const {
    const BasculeOperator* found = nullptr;
    Check(bascule_library_find(library_, name.c_str(), &found));
    return Operator(found);
  }

 private:
  BasculeLibrary* library_ = nullptr;  // lives until the process ends
};

std::string Build(const std::string& path, const std::string& options) {
  char* raw = nullptr;
  BasculeStatus status;
  {
    nb::gil_scoped_release release;
    status = bascule_build(path.c_str(), options.c_str(), &raw);
  }
  const Text report(raw);
  const std::string text = report == nullptr ? "{}" : report.get();
  if (status == BASCULE_OK) return text;
  try {
    Raise(status, bascule_last_error());
  } catch (nb::python_error& error) {
    error.value().attr("report") = text;
    throw;
  }
}

std::string ManifestRead(const std::string& path) {
  char* raw = nullptr;
  Check(bascule_manifest_read(path.c_str(), &raw));
  return Text(raw).get();
}

std::string Doctor(const std::optional<std::string>& path, const std::string& wanted) {
  char* raw = nullptr;
  BasculeStatus status;
  {
    nb::gil_scoped_release release;  // it may start a compiler
    status = bascule_doctor(path ? path->c_str() : nullptr, wanted.c_str(), &raw);
  }
  Check(status);
  return Text(raw).get();
}

void ObserveBegin(const std::string& name) { Check(bascule_observe_begin(name.c_str())); }
void ObserveEnd(const std::string& name) { Check(bascule_observe_end(name.c_str())); }

std::string ObserveReport(const std::string& name) {
  char* raw = nullptr;
  Check(bascule_observe_report(name.c_str(), &raw));
  return Text(raw).get();
}

// Ctrl-C also ends the launch that the main thread waits for. Python's own handler notes the
// signal, and what the launch throws becomes KeyboardInterrupt.
void (*python_handler)(int) = nullptr;
void HandleInterrupt(int signal) {
  bascule_interrupt();
  python_handler(signal);
}

// In the main thread, and where Ctrl-C means what it means in every Python program.
void CatchInterrupts() {
  if (syscall(SYS_gettid) != getpid()) return;
  const nb::module_ signals = nb::module_::import_("_signal");
  if (!signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"))) return;
  struct sigaction action = {};
  if (sigaction(SIGINT, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 ||
      action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
    return;
  }
  python_handler = action.sa_handler;
  bascule_interrupt_watch();
  action.sa_handler = HandleInterrupt;
  sigfillset(&action.sa_mask);  // it is not to be stopped itself
  sigaction(SIGINT, &action, nullptr);
}

constexpr const char* kOperatorText = "One operator of a library; lives as long as the process.";

constexpr const char* kInferText =
    R"(Shapes and dtypes of the outputs: a list of (shape, dtype) from one.

A shape is a tuple of int, -1 for an unknown dimension, or None for an unknown rank; a dtype is a name
or None. An optional input that is left out is None in place of its pair; a dynamic input is a list of
pairs.)";

constexpr const char* kPlanText =
    R"(What tiling decides for inputs, given as for infer(): a dict.

The plan is kept: a call with these shapes finds it.)";

constexpr const char* kPlanLimitsText =
    R"(Plans are made as if there were only so many vector cores and bytes of unified buffer, from now on.

0: what the platform has. For measurements; not while calls run.)";

constexpr const char* kCallText =
    R"(Runs on tensors in CPU memory, without a copy; returns when done.

inputs, outputs: sequences of NumPy arrays or DLPack tensors with any strides; only the outputs are
written, and must have the inferred shape and dtype. A dynamic one is a list. attributes: a dict, to which defaults are added.
repeat: runs so many times, to measure without Python in between. The GIL is released meanwhile.)";

constexpr const char* kRunText =
    R"(Inputs, then attributes, by position; returns one new output or a tuple.

The outputs are tensors of the first input's library. The fast path of the bridges: the caller has made
sure that no torch tensor among the inputs has a negative or conjugate bit.)";

constexpr const char* kDescribedText =
    R"(A lone kernel with what its caller knows of it.

schema: JSON as of an operator's manifest entry. infer: a function from a list of (shape, dtype), None
for an input that was left out, to a list of as many pairs as there are outputs.)";

constexpr const char* kBuildText = R"(Builds the project folder at `path`; returns the report.

options, report: JSON (docs/build.md). A failure raises with the report as the exception's `report`.)";

}  // namespace

NB_MODULE(_native, module) {
  // torch keeps registered kernels until after the interpreter is gone; that is no leak.
  nb::set_leak_warnings(false);
  module.doc() =
      "The C interface of the bascule runtime. Errors are the classes of bascule.errors.";
  module.attr("version") = bascule_version();
  nb::list dtypes;
  for (const DType& dtype : kDTypes)
    dtypes.append(nb::make_tuple(dtype.name, dtype.number, dtype.dlpack_code, dtype.bits));
  module.attr("dtypes") = nb::tuple(dtypes);  // (name, number in the C ABI, DLPack code, bits)

  nb::class_<Operator>(module, "Operator", kOperatorText)
      .def_prop_ro("name", &Operator::name)
      .def_prop_ro("schema", &Operator::schema, "The operator's entry of the manifest, JSON.")
      .def_prop_ro("input_count", &Operator::input_count)
      .def_prop_ro("output_count", &Operator::output_count)
      .def_prop_ro("is_kernel", &Operator::is_kernel, "Whether it is a lone kernel.")
      .def(
          "described",
          [](const Operator& self, const std::string& schema, nb::object infer) {
            return Operator(self, schema, std::move(infer));
          },
          "schema"_a, "infer"_a, kDescribedText)
      .def("aot_function", &Operator::AotFunction, "inputs"_a,
           "The function of the runtime's library that calls a lone kernel as MindSpore does.")
      .def("statistics", &Operator::Statistics, "What happened in this process, as numbers.")
      .def("count_gradient", &Operator::CountGradient, "Says that a gradient was computed.")
      .def_prop_ro("number", &Operator::Number,
                   "What bascule_aot_count_gradient of the runtime's library knows it by.")
      .def("infer", &Operator::Infer, "inputs"_a, "attributes"_a = nb::none(), kInferText)
      .def("call", &Operator::Call, "inputs"_a, "outputs"_a, "attributes"_a = nb::none(),
           "repeat"_a = 1, kCallText)
      .def("plan", &Operator::Plan, "inputs"_a, "attributes"_a = nb::none(), kPlanText)
      .def("run", &Operator::Run, "arguments"_a, kRunText)
      .def("__repr__", [](const Operator& op) { return "<" + std::string(op.name()) + ">"; });

  nb::class_<Library>(module, "Library", "An operator library, loaded until the process ends.")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_prop_ro("path", &Library::path)
      .def_prop_ro("identity", &Library::identity, "Equal for two libraries of the same content.")
      .def_prop_ro("manifest", &Library::manifest, "JSON; docs/manifest.md.")
      .def("operators", &Library::Operators)
      .def("plan", &Library::Plan, "list"_a, "Plans a JSON list of shapes; how many.")
      .def("save_plans", &Library::SavePlans, "path"_a)
      .def("load_plans", &Library::LoadPlans, "path"_a, "How many came.")
      .def("find", &Library::Find, "name"_a, "The operator `name`; NotFound lists those there.");

  module.def(
      "open_function",
      [](const std::string& path, const std::string& symbol) {
        const BasculeOperator* op = nullptr;
        Check(bascule_function_open(path.c_str(), symbol.c_str(), &op));
        return Operator(op);
      },
      "path"_a, "symbol"_a,
      "A function in MindSpore's aot convention, from a library without manifest.");
  module.def("build", &Build, "path"_a, "options"_a = "{}", kBuildText);
  module.def(
      "plan_limits",
      [](uint32_t vector_cores, uint64_t ub_bytes) {
        Check(bascule_plan_limits(vector_cores, ub_bytes));
      },
      "vector_cores"_a = 0, "ub_bytes"_a = 0, kPlanLimitsText);
  module.def("manifest_read", &ManifestRead, "path"_a,
             "The manifest of a library, which is not loaded.");
  module.def(
      "doctor", &Doctor, "path"_a.none(), "wanted"_a = "",
      "JSON: what is right and wrong with a library, which is not loaded; of None, with what "
      "a build needs.");
  module.def("observe_begin", &ObserveBegin, "name"_a,
             "Attaches the shipped observer `name` to every launch from now on.");
  module.def("observe_report", &ObserveReport, "name"_a,
             "What the observer saw since it was attached, JSON.");
  module.def("observe_end", &ObserveEnd, "name"_a, "Takes the observer away.");
  BindCheck(module);
  CatchInterrupts();
}

}  // namespace bascule::native

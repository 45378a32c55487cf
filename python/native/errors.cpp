// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace bascule::native {
namespace {

// Takes the exception that is set, normalised, or null.
PyObject* TakePending() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == nullptr) return nullptr;
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
}

}  // namespace

void Raise(BasculeStatus status, const std::string& sentence) {
  // Of a launch that Ctrl-C has ended.
  if (PyErr_Occurred() == nullptr && PyErr_CheckSignals() != 0) throw nb::python_error();
  PyObject* cause = TakePending();
  {
    nb::object classes = nb::module_::import_("bascule.errors").attr("BY_STATUS");
    nb::object type = classes[nb::int_(status)];
    // A compiler's words quote sources, and those need not be UTF-8.
    nb::object text = nb::steal(
        PyUnicode_DecodeUTF8(sentence.data(), static_cast<Py_ssize_t>(sentence.size()), "replace"));
    nb::object error = type(text);
    // PyException_SetCause steals its argument.
    if (cause != nullptr) PyException_SetCause(error.ptr(), cause);
    PyErr_SetObject(type.ptr(), error.ptr());
  }
  throw nb::python_error();
}

std::string PendingMessage() {
  PyObject* value = TakePending();
  if (value == nullptr) return "unknown error";
  std::string text = nb::cast<std::string>(nb::str(nb::handle(value)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), value);
  Py_DECREF(value);
  return text.substr(0, text.find('\n'));
}

}  // namespace bascule::native

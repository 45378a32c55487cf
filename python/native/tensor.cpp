// SPDX-License-Identifier: Apache-2.0
#include "tensor.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "dtypes.h"
#include "errors.h"

namespace nb = nanobind;

namespace bascule::native {
namespace {

[[noreturn]] void Refuse(const Role& role, const std::string& why) {
  Raise(BASCULE_INVALID_ARGUMENT, role.Text() + " " + why);
}

// NumPy's array interface structure, from its public documentation ("The array interface
// protocol").
struct ArrayInterface {
  int two;
  int rank;
  char kind;
  int item_bytes;
  int flags;
  Py_ssize_t* shape;
  Py_ssize_t* stride_bytes;
  void* data;
  PyObject* description;
};
constexpr int kAligned = 0x100;
constexpr int kNativeOrder = 0x200;
constexpr int kWriteable = 0x400;

bool Has(PyTypeObject* type, const char* name) {
  PyObject* found = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name);
  PyErr_Clear();
  Py_XDECREF(found);
  return found != nullptr;
}

// The newest table of our major version in the chain, or null.
const dlpack::ExchangeApi* ExchangeOf(PyTypeObject* type) {
  PyObject* capsule =
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), dlpack::kExchangeAttribute);
  const dlpack::ExchangeApi* api = nullptr;
  if (capsule != nullptr && PyCapsule_IsValid(capsule, dlpack::kExchangeCapsule)) {
    api =
        static_cast<dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule, dlpack::kExchangeCapsule));
  }
  Py_XDECREF(capsule);
  PyErr_Clear();
  while (api != nullptr && api->version.major > dlpack::kMajor) api = api->previous;
  if (api == nullptr || api->version.major != dlpack::kMajor) return nullptr;
  // The view is optional in the specification; without it the table saves nothing over __dlpack__.
  return api->view_object == nullptr ? nullptr : api;
}

std::string TypeName(PyObject* object) { return Py_TYPE(object)->tp_name; }

int64_t Count(const BasculeTensor& tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  return count;
}

// `method` is an interned string that stays alive.
bool CallsTrue(PyObject* object, PyObject* method) {
  PyObject* result = PyObject_CallMethodNoArgs(object, method);
  if (result == nullptr) throw nb::python_error();
  const bool yes = PyObject_IsTrue(result) == 1;
  Py_DECREF(result);
  return yes;
}

// `numpy.empty` and the dtype objects it wants, looked up once.
PyObject* NumpyEmpty(const DType& dtype, int64_t rank, const int64_t* shape) {
  static PyObject* empty = nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
  static PyObject* objects[BASCULE_DTYPE_COUNT] = {};
  PyObject*& object = objects[dtype.number];
  if (object == nullptr) {
    const char* module = dtype.numpy_kind == 'V' ? "ml_dtypes" : "numpy";
    nb::object scalar =
        nb::module_::import_(module).attr(dtype.number == BASCULE_BOOL ? "bool_" : dtype.name);
    object = nb::module_::import_("numpy").attr("dtype")(scalar).release().ptr();
  }
  nb::object dims = nb::steal(PyTuple_New(rank));
  for (int64_t i = 0; i < rank; ++i) PyTuple_SET_ITEM(dims.ptr(), i, PyLong_FromLongLong(shape[i]));
  PyObject* arguments[] = {dims.ptr(), object};
  return PyObject_Vectorcall(empty, arguments, 2, nullptr);
}

// "complex64", for sentences about element types that have no number.
std::string DTypeText(uint8_t code, uint8_t bits) {
  if (const DType* dtype = DTypeByDlpack(code, bits)) return dtype->name;
  if (code == 5) return "complex" + std::to_string(bits);
  return "of an element type unknown to bascule (DLPack code " + std::to_string(code) + ", " +
         std::to_string(bits) + " bits)";
}

}  // namespace

const TypeRow& RowOf(PyObject* object) {
  // Guarded by the GIL. Types are kept alive, so that an address means one type; a program that
  // makes types without end starts over now and then.
  static std::vector<TypeRow> rows;
  PyTypeObject* type = Py_TYPE(object);
  for (const TypeRow& row : rows)
    if (row.type == type) return row;
  constexpr size_t kMostTypes = 64;
  if (rows.size() >= kMostTypes) {
    for (const TypeRow& row : rows) Py_DECREF(row.type);
    rows.clear();
  }
  Py_INCREF(type);
  rows.push_back({type, ExchangeOf(type), Has(type, "__array_struct__"), Has(type, "__dlpack__"),
                  Has(type, "is_neg") && Has(type, "is_conj")});
  return rows.back();
}

void TensorView::Acquire(PyObject* object, Access access, Trust trust, const Role& role) {
  const TypeRow row = RowOf(object);
  if (trust == Trust::kCheckLazyBits && row.lazy_bits) {
    static PyObject* const is_neg = PyUnicode_InternFromString("is_neg");
    static PyObject* const is_conj = PyUnicode_InternFromString("is_conj");
    if (CallsTrue(object, is_neg))
      Refuse(
          role,
          "has torch's negative bit: its memory holds the negated values. Pass x.resolve_neg().");
    if (CallsTrue(object, is_conj))
      Refuse(role, "has torch's conjugate bit. Pass x.resolve_conj().");
    static PyObject* const requires_grad = PyUnicode_InternFromString("requires_grad");
    PyObject* const wanted = PyObject_GetAttr(object, requires_grad);
    const bool attached = wanted != nullptr && PyObject_IsTrue(wanted) == 1;
    Py_XDECREF(wanted);
    PyErr_Clear();
    if (attached)
      Refuse(role, "requires a gradient, which a call on memory does not record. Pass x.detach().");
  }
  if (row.exchange != nullptr) {
    AcquireExchange(row, object, role);
  } else if (row.numpy) {
    AcquireNumpy(object, access, role);
  } else if (row.dlpack) {
    AcquireCapsule(object, access, role);
  } else {
    Refuse(role, "is a " + TypeName(object) +
                     "; a NumPy array or a tensor with __dlpack__ was expected.");
  }
  if (tensor_.device_type != dlpack::kCpu)
    Refuse(role, "is not in CPU memory (DLPack device " + std::to_string(tensor_.device_type) +
                     "). Move it there first.");
  if (tensor_.data == nullptr && Count(tensor_) != 0)
    Refuse(role, "is a " + TypeName(object) + " without memory of its own (meta, fake or lazy).");
}

void TensorView::AcquireExchange(const TypeRow& row, PyObject* object, const Role& role) {
  if (row.exchange->view_object(object, &tensor_) != 0)
    Refuse(role, "cannot be read: " + PendingMessage());
}

void TensorView::AcquireNumpy(PyObject* object, Access access, const Role& role) {
  holder_ = PyObject_GetAttrString(object, "__array_struct__");
  if (holder_ == nullptr) Refuse(role, "cannot be read: " + PendingMessage());
  const auto* array = static_cast<ArrayInterface*>(PyCapsule_GetPointer(holder_, nullptr));
  if (array == nullptr) throw nb::python_error();

  const DType* dtype = DTypeByNumpy(array->kind, array->item_bytes);
  if (dtype == nullptr || dtype->numpy_kind == 'V') {
    // ml_dtypes' types are opaque bytes to NumPy; only the name tells bfloat16 from a record.
    static PyObject* bfloat16 = nullptr;
    nb::object own = nb::steal(PyObject_GetAttrString(object, "dtype"));
    if (dtype == nullptr || own.ptr() != bfloat16) {
      const std::string name = nb::cast<std::string>(nb::str(own));
      if (dtype == nullptr || name != dtype->name)
        Refuse(role, "has the NumPy dtype " + name + ", which no operator takes.");
      bfloat16 = own.release().ptr();
    }
  }
  if ((array->flags & kNativeOrder) == 0)
    Refuse(role, "is in the other byte order. Pass x.astype(x.dtype.newbyteorder('=')).");
  if ((array->flags & kAligned) == 0)
    Refuse(role, "is not aligned to its element type. Pass x.copy().");
  if (access == Access::kWrite && (array->flags & kWriteable) == 0)
    Refuse(role, "is read-only and would be written.");
  if (array->rank > BASCULE_MAX_RANK)
    Refuse(role, "has " + std::to_string(array->rank) + " dimensions; at most " +
                     std::to_string(BASCULE_MAX_RANK) + " are supported.");
  tensor_ = {array->data,
             dlpack::kCpu,
             0,
             array->rank,
             dtype->dlpack_code,
             dtype->bits,
             1,
             reinterpret_cast<int64_t*>(array->shape),
             strides_,
             0};
  // An aligned array has strides of whole elements: each type here is aligned to its size.
  for (int i = 0; i < array->rank; ++i) strides_[i] = array->stride_bytes[i] / array->item_bytes;
}

void TensorView::AcquireCapsule(PyObject* object, Access access, const Role& role) {
  // A capsule that nobody consumes frees its tensor when it dies, so borrowing is holding it.
  PyObject* method = PyObject_GetAttrString(object, "__dlpack__");
  if (method != nullptr) {
    PyObject* options = Py_BuildValue("{s:(ii)}", "max_version", 1, 3);
    PyObject* none = PyTuple_New(0);
    holder_ = PyObject_Call(method, none, options);
    if (holder_ == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {  // before DLPack 1.0
      PyErr_Clear();
      holder_ = PyObject_CallNoArgs(method);
    }
    Py_DECREF(none);
    Py_DECREF(options);
    Py_DECREF(method);
  }
  if (holder_ == nullptr) Refuse(role, "cannot be read: " + PendingMessage());
  if (PyCapsule_IsValid(holder_, "dltensor_versioned")) {
    const auto* managed = static_cast<dlpack::ManagedTensorVersioned*>(
        PyCapsule_GetPointer(holder_, "dltensor_versioned"));
    if (managed->version.major != dlpack::kMajor)
      Refuse(role, "is offered as DLPack " + std::to_string(managed->version.major) +
                       "; this version of bascule reads DLPack 1.");
    if (access == Access::kWrite && (managed->flags & dlpack::kReadOnly) != 0)
      Refuse(role, "is read-only and would be written.");
    tensor_ = managed->tensor;
  } else if (PyCapsule_IsValid(holder_, "dltensor")) {
    tensor_ =
        static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(holder_, "dltensor"))->tensor;
  } else {
    Refuse(role, "gave something else than a DLPack capsule.");
  }
}

PyObject* TensorView::Allocate(PyObject* like, int32_t dtype, int64_t rank, const int64_t* shape,
                               const Role& role) {
  const TypeRow row = RowOf(like);
  const DType* type = DTypeByNumber(dtype);
  if (type == nullptr || rank < 0 ||
      std::any_of(shape, shape + rank, [](int64_t n) { return n < 0; }))
    Refuse(role, "has a shape or element type that is known only after the run; pass the output.");
  tensor_ = {nullptr,
             dlpack::kCpu,
             0,
             static_cast<int32_t>(rank),
             type->dlpack_code,
             type->bits,
             1,
             const_cast<int64_t*>(shape),
             nullptr,
             0};
  if (row.exchange != nullptr) {
    dlpack::ManagedTensorVersioned* managed = nullptr;
    std::string why;
    auto set_error = [](void* context, const char*, const char* message) {
      *static_cast<std::string*>(context) = message;
    };
    BasculeTensor prototype = tensor_;
    if (row.exchange->allocate(&prototype, &managed, &why, set_error) != 0)
      Raise(BASCULE_OUT_OF_MEMORY, role.Text() + " could not be allocated: " + why);
    tensor_.data = managed->tensor.data;
    tensor_.byte_offset = managed->tensor.byte_offset;
    void* object = nullptr;
    if (row.exchange->managed_to_object(managed, &object) != 0) throw nb::python_error();
    return static_cast<PyObject*>(object);
  }
  if (row.numpy) {
    PyObject* array = NumpyEmpty(*type, rank, shape);
    if (array == nullptr) throw nb::python_error();
    AcquireNumpy(array, Access::kWrite, role);
    return array;
  }
  Refuse(role, "cannot be made for a " + TypeName(like) + "; pass the outputs.");
}

void Describe(const BasculeTensor& tensor, BasculeTensorInfo* info, const Role& role) {
  const DType* dtype = DTypeByDlpack(tensor.dtype_code, tensor.dtype_bits);
  if (dtype == nullptr || tensor.dtype_lanes != 1)
    Refuse(role,
           "is " + DTypeText(tensor.dtype_code, tensor.dtype_bits) + ", which no operator takes.");
  if (tensor.ndim > BASCULE_MAX_RANK)
    Refuse(role, "has " + std::to_string(tensor.ndim) + " dimensions; at most " +
                     std::to_string(BASCULE_MAX_RANK) + " are supported.");
  info->shape.rank = tensor.ndim;
  std::copy_n(tensor.shape, tensor.ndim, info->shape.dims);
  info->dtype = dtype->number;
  info->format = BASCULE_FORMAT_ND;
  info->present = 1;
  info->reserved = 0;
}

}  // namespace bascule::native

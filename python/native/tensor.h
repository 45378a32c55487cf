// Tensors of any Python library, seen as the BasculeTensor of the C ABI without a copy, and new
// ones made in the library they belong to.
//
// Ways in, the first that a type offers: DLPack's C exchange table (no allocation, no Python code),
// NumPy's `__array_struct__` (unlike DLPack it also gives read-only arrays and ml_dtypes'
// bfloat16),
// `__dlpack__()`.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NATIVE_TENSOR_H_
#define BASCULE_NATIVE_TENSOR_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "bascule/c_api.h"
#include "dlpack.h"

namespace bascule::native {

// Names an argument in sentences: "my_mul: input 'x'". Made only when something is wrong.
class Role {
 public:
  virtual std::string Text() const = 0;

 protected:
  ~Role() = default;
};

enum class Access { kRead, kWrite };

// Whether a view still has to look for what its producer does not export: torch's lazy negation and
// conjugation. A caller that dispatches on such things before, as bascule.torch does, need not.
enum class Trust { kCheckLazyBits, kChecked };

// How objects of one Python type are read and made.
struct TypeRow {
  PyTypeObject* type;
  const dlpack::ExchangeApi* exchange;  // null: none
  bool numpy;                           // offers __array_struct__
  bool dlpack;                          // offers __dlpack__
  bool lazy_bits;                       // has is_neg and is_conj
};

// The row of `object`'s type; valid until the next call.
const TypeRow& RowOf(PyObject* object);

// A borrowed view: lives for one call, while the object is kept alive by the caller.
class TensorView {
 public:
  TensorView() = default;
  TensorView(const TensorView&) = delete;
  TensorView& operator=(const TensorView&) = delete;
  ~TensorView() { Py_XDECREF(holder_); }

  // Raises InvalidArgument, with `role`, for what is not a tensor, not in CPU memory, without
  // memory, of foreign byte order, unaligned, or read-only though it is to be written.
  void Acquire(PyObject* object, Access access, Trust trust, const Role& role);

  // Makes a new dense tensor of the library that `like` belongs to and views it. Returns a new
  // reference. `shape` must live as long as the view.
  PyObject* Allocate(PyObject* like, int32_t dtype, int64_t rank, const int64_t* shape,
                     const Role& role);

  BasculeTensor* tensor() { return &tensor_; }

 private:
  void AcquireExchange(const TypeRow& row, PyObject* object, const Role& role);
  void AcquireNumpy(PyObject* object, Access access, const Role& role);
  void AcquireCapsule(PyObject* object, Access access, const Role& role);

  BasculeTensor tensor_{};
  PyObject* holder_ = nullptr;  // what owns the memory behind shape and strides
  int64_t strides_[BASCULE_MAX_RANK];
};

// Fills `info` from a view. Raises, with `role`, for an element type or rank the C ABI has no
// number for.
void Describe(const BasculeTensor& tensor, BasculeTensorInfo* info, const Role& role);

}  // namespace bascule::native

#endif  // BASCULE_NATIVE_TENSOR_H_

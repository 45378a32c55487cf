// SPDX-License-Identifier: Apache-2.0
#include "host/aot.h"

#include <algorithm>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "host/aot_attributes.h"
#include "host/call.h"
#include "host/host_function.h"
#include "host/library.h"
#include "registry/lists.h"

namespace bascule::host {
namespace {

void CheckCount(const Operator& op, int came, size_t wanted, const char* what) {
  if (came >= 0 && static_cast<size_t>(came) == wanted) return;
  throw Error(BASCULE_INVALID_ARGUMENT,
              Join(op.entry->name, " takes ", wanted, " ", what, ", but ", came, " were passed."));
}

// How many inputs came: optional ones may be left out.
size_t InputCount(const Operator& op, int came, size_t others, const char* what) {
  const BasculeOperatorDef& def = *op.entry->def;
  size_t needed = 0;
  for (uint32_t i = 0; i < def.input_count; ++i) needed += def.inputs[i].kind != BASCULE_OPTIONAL;
  const size_t count = static_cast<size_t>(came < 0 ? 0 : came);
  if (count < needed + others) CheckCount(op, came, needed + others, what);
  if (count > def.input_count + others) CheckCount(op, came, def.input_count + others, what);
  return count - others;
}

BasculeShape ShapeOf(const Operator& op, int rank, const int64_t* dims) {
  BasculeShape shape = {};
  if (rank > BASCULE_MAX_RANK) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(op.entry->name, ": a tensor has ", rank, " dimensions; at most ",
                     BASCULE_MAX_RANK, " are possible."));
  }
  shape.rank = rank;
  for (int d = 0; d < rank; ++d) shape.dims[d] = dims[d];
  // MindSpore's way to say that the rank itself is unknown.
  if (rank == 1 && shape.dims[0] == -2) shape.rank = -1;
  return shape;
}

}  // namespace

void AotCall(Operator& op, std::span<const BasculeAttribute> attributes, size_t inputs,
             LeftOut left_out, int nparam, void** params, int* ndims, int64_t** shapes,
             const char** dtypes) {
  const char* const name = op.entry->name;
  const size_t total = static_cast<size_t>(nparam);
  std::vector<BasculeTensor> tensors(total);
  std::vector<const BasculeTensor*> in;
  std::vector<BasculeTensor*> out;
  for (size_t i = 0; i < total; ++i) {
    const DTypeInfo* dtype = FindDType(dtypes[i] != nullptr ? dtypes[i] : "");
    if (dtype == nullptr) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(name, ": element type '", dtypes[i] != nullptr ? dtypes[i] : "(null)",
                       "' is not known."));
    }
    BasculeTensor& tensor = tensors[i];
    tensor.data = params[i];
    tensor.device_type = 1;
    tensor.ndim = ndims[i];
    tensor.dtype_code = dtype->dlpack_code;
    tensor.dtype_bits = static_cast<uint8_t>(dtype->bits);
    tensor.dtype_lanes = 1;
    tensor.shape = ndims[i] > 0 ? shapes[i] : nullptr;
    if (i < inputs) {
      while (in.size() < left_out.all && (left_out.mask >> in.size() & 1) != 0) {
        in.push_back(nullptr);
      }
      in.push_back(&tensor);
    } else {
      out.push_back(&tensor);
    }
  }
  in.resize(std::max(in.size(), left_out.all));
  Call(op, in, out, attributes);
}

void AotCall(const BasculeLibraryTable& table, const char* name, const void* extra, int nparam,
             void** params, int* ndims, int64_t** shapes, const char** dtypes) {
  Operator& op = Library::FromTable(table).Find(name);
  const BasculeOperatorDef& def = *op.entry->def;
  const AotAttributes attributes(*op.entry, extra);
  if (registry::IsDynamic(def)) {
    // The caller says how many tensors there are and not which are which.
    for (uint32_t i = 0; i < def.output_count; ++i) {
      if (def.outputs[i].kind != BASCULE_DYNAMIC) continue;
      throw Error(BASCULE_UNSUPPORTED,
                  Join(name, ": its output '", def.outputs[i].name,
                       "' is a list of tensors, and MindSpore does not say how many it has."));
    }
    if (nparam < 0 || static_cast<uint32_t>(nparam) < def.output_count) {
      CheckCount(op, nparam, size_t{def.input_count} + def.output_count,
                 "inputs and outputs together");
    }
    const size_t all = static_cast<size_t>(nparam) - def.output_count;
    return AotCall(op, attributes.given(), all, LeftOut{all, 0}, nparam, params, ndims, shapes,
                   dtypes);
  }
  const size_t inputs = InputCount(op, nparam, def.output_count, "inputs and outputs together");
  LeftOut left_out{def.input_count, 0};
  if (inputs < def.input_count) left_out.mask = AotLeftOut(extra);
  AotCall(op, attributes.given(), inputs, left_out, nparam, params, ndims, shapes, dtypes);
}

std::vector<BasculeShape> AotInferShapes(const BasculeLibraryTable& table, const char* name,
                                         const void* extra, int nparam, const int* ndims,
                                         int64_t* const* shapes) {
  const Operator& op = Library::FromTable(table).Find(name);
  const BasculeOperatorDef& def = *op.entry->def;
  CheckCount(op, nparam, def.input_count, "inputs");  // MindSpore does not say how many came
  // The dtypes are not told here; any column has the same shapes.
  std::vector<BasculeTensorInfo> inputs(def.input_count);
  for (uint32_t i = 0; i < def.input_count; ++i) {
    inputs[i].present = 1;
    inputs[i].dtype = def.inputs[i].dtypes[0];
    inputs[i].format = BASCULE_FORMAT_ND;
    inputs[i].shape = ShapeOf(op, ndims[i], ndims[i] > 0 ? shapes[i] : nullptr);
  }
  const AotAttributes attributes(*op.entry, extra);
  std::vector<BasculeTensorInfo> outputs(def.output_count);
  registry::InferOutputs(*op.entry, inputs,
                         registry::CompleteAttributes(*op.entry, attributes.given()), outputs,
                         CallHostFunction);
  std::vector<BasculeShape> found;
  for (const BasculeTensorInfo& output : outputs) found.push_back(output.shape);
  return found;
}

std::vector<int32_t> AotInferDtypes(const BasculeLibraryTable& table, const char* name, int nparam,
                                    const int32_t* dtypes) {
  const Operator& op = Library::FromTable(table).Find(name);
  const BasculeOperatorDef& def = *op.entry->def;
  const size_t count = InputCount(op, nparam, 0, "inputs");
  std::vector<BasculeTensorInfo> inputs(def.input_count);
  for (size_t i = 0; i < count; ++i) {
    inputs[i].present = 1;
    inputs[i].dtype = dtypes[i];
  }
  const uint32_t column = registry::ChooseColumn(*op.entry, inputs);
  std::vector<int32_t> found;
  for (uint32_t i = 0; i < def.output_count; ++i) found.push_back(def.outputs[i].dtypes[column]);
  return found;
}

}  // namespace bascule::host

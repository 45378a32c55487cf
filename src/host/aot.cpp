// SPDX-License-Identifier: Apache-2.0
#include "host/aot.h"

#include <algorithm>
#include <numeric>
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

bool IsList(const BasculeOperatorDef& def, size_t input) {
  return input < def.input_count && def.inputs[input].kind == BASCULE_DYNAMIC;
}

// How many tensors each input has, of `came` of them together with `others` that are no inputs.
// Where the caller does not say so in `extra`, optional inputs at the end may be missing, and a
// list has what the others leave.
std::vector<uint32_t> CountsOf(const Operator& op, const void* extra, int came, size_t others,
                               const char* what) {
  const BasculeOperatorDef& def = *op.entry->def;
  const size_t all = static_cast<size_t>(came < 0 ? 0 : came);
  const bool dynamic = op.takes_lists;
  std::vector<uint32_t> counts;
  if (dynamic || all < def.input_count + others) counts = AotCounts(*op.entry, extra);
  if (!counts.empty()) {
    CheckCount(op, came, std::accumulate(counts.begin(), counts.end(), others), what);
    return counts;
  }
  if (dynamic) {
    if (all < others) CheckCount(op, came, def.input_count + others, what);
    const auto lists = registry::Lists::Of(*op.entry, all - others, def.output_count);
    return {lists.input_counts().begin(), lists.input_counts().end()};
  }
  size_t needed = others;
  for (uint32_t i = 0; i < def.input_count; ++i) needed += def.inputs[i].kind != BASCULE_OPTIONAL;
  if (all < needed) CheckCount(op, came, needed, what);
  if (all > def.input_count + others) CheckCount(op, came, def.input_count + others, what);
  counts.assign(def.input_count, 0);
  std::fill_n(counts.begin(), all - others, 1);
  return counts;
}

// The same in the manner of BasculeLists, for which an input that was left out is a null pointer.
std::vector<uint32_t> ListCounts(const BasculeOperatorDef& def, std::span<const uint32_t> counts) {
  std::vector<uint32_t> lists(counts.begin(), counts.end());
  for (size_t i = 0; i < lists.size(); ++i) {
    if (!IsList(def, i)) lists[i] = 1;
  }
  return lists;
}

// What is told of the inputs: `tell(info, i, n)` fills in one of input i, the n-th
// tensor of those that came.
template <typename Tell>
std::vector<BasculeTensorInfo> InputInfos(const BasculeOperatorDef& def,
                                          std::span<const uint32_t> counts, Tell tell) {
  std::vector<BasculeTensorInfo> inputs;
  size_t next = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0 && !IsList(def, i)) inputs.emplace_back();
    for (uint32_t n = 0; n < counts[i]; ++n) {
      BasculeTensorInfo& input = inputs.emplace_back();
      input.present = 1;
      tell(input, i, next++);
    }
  }
  return inputs;
}

void RefuseListOutputs(const Operator& op) {
  const BasculeOperatorDef& def = *op.entry->def;
  for (uint32_t i = 0; i < def.output_count; ++i) {
    if (def.outputs[i].kind != BASCULE_DYNAMIC) continue;
    throw Error(BASCULE_UNSUPPORTED,
                Join(op.entry->name, ": its output '", def.outputs[i].name,
                     "' is a list of tensors, and MindSpore does not say how many it has."));
  }
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

void AotCall(Operator& op, std::span<const BasculeAttribute> attributes,
             std::span<const uint32_t> counts, int nparam, void** params, int* ndims,
             int64_t** shapes, const char** dtypes) {
  const char* const name = op.entry->name;
  const BasculeOperatorDef& def = *op.entry->def;
  std::vector<BasculeTensor> tensors(static_cast<size_t>(nparam));
  for (size_t i = 0; i < tensors.size(); ++i) {
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
  }
  std::vector<const BasculeTensor*> in;
  std::vector<BasculeTensor*> out;
  size_t next = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0 && !IsList(def, i)) in.push_back(nullptr);
    for (uint32_t n = 0; n < counts[i]; ++n) in.push_back(&tensors[next++]);
  }
  while (next < tensors.size()) out.push_back(&tensors[next++]);
  if (!op.takes_lists) return Call(op, in, out, attributes);
  Call(op, in, out, attributes, {ListCounts(def, counts), {}});
}

void AotCall(const BasculeLibraryTable& table, const char* name, const void* extra, int nparam,
             void** params, int* ndims, int64_t** shapes, const char** dtypes) {
  Operator& op = Library::FromTable(table).Find(name);
  const AotAttributes attributes(*op.entry, extra);
  RefuseListOutputs(op);
  const std::vector<uint32_t> counts =
      CountsOf(op, extra, nparam, op.entry->def->output_count, "inputs and outputs together");
  AotCall(op, attributes.given(), counts, nparam, params, ndims, shapes, dtypes);
}

std::vector<BasculeShape> AotInferShapes(const BasculeLibraryTable& table, const char* name,
                                         const void* extra, int nparam, const int* ndims,
                                         int64_t* const* shapes) {
  const Operator& op = Library::FromTable(table).Find(name);
  const BasculeOperatorDef& def = *op.entry->def;
  CheckCount(op, nparam, def.input_count, "inputs");  // MindSpore does not say how many came
  RefuseListOutputs(op);
  std::vector<uint32_t> counts = AotCounts(*op.entry, extra);
  if (counts.empty()) {
    for (uint32_t i = 0; i < def.input_count; ++i) {
      if (!IsList(def, i)) continue;
      throw Error(BASCULE_UNSUPPORTED,
                  Join(name, ": its input '", def.inputs[i].name,
                       "' is a list of tensors, and MindSpore does not say how many it has. Give "
                       "out_shape and out_dtype, or use bascule.mindspore.Custom."));
    }
    counts.assign(def.input_count, 1);
  }
  // The dtypes are not told here; any column has the same shapes.
  const std::vector<BasculeTensorInfo> inputs =
      InputInfos(def, counts, [&](BasculeTensorInfo& input, size_t i, size_t n) {
        input.dtype = def.inputs[i].dtypes[0];
        input.format = BASCULE_FORMAT_ND;
        input.shape = ShapeOf(op, ndims[n], ndims[n] > 0 ? shapes[n] : nullptr);
      });
  const std::vector<uint32_t> list_counts = ListCounts(def, counts);
  const AotAttributes attributes(*op.entry, extra);
  std::vector<BasculeTensorInfo> outputs(def.output_count);
  registry::InferOutputs(
      *op.entry, inputs, registry::CompleteAttributes(*op.entry, attributes.given()), outputs,
      CallHostFunction, {},
      registry::Lists::Of(*op.entry, inputs.size(), outputs.size(), {list_counts, {}}));
  // In a graph for unknown shapes MindSpore takes what has rank 0 for a number, and a number has no
  // gradient: all of them would be 0. Of an unknown rank it is a tensor, until the run tells.
  const bool unknown = std::any_of(inputs.begin(), inputs.end(), [](const auto& input) {
    const BasculeShape& shape = input.shape;
    return shape.rank < 0 ||
           std::any_of(shape.dims, shape.dims + shape.rank, [](int64_t size) { return size < 0; });
  });
  std::vector<BasculeShape> found;
  for (const BasculeTensorInfo& output : outputs) {
    found.push_back(output.shape);
    if (unknown && output.shape.rank == 0) found.back().rank = -1;
  }
  return found;
}

std::vector<int32_t> AotInferDtypes(const BasculeLibraryTable& table, const char* name, int nparam,
                                    const int32_t* dtypes) {
  const Operator& op = Library::FromTable(table).Find(name);
  const BasculeOperatorDef& def = *op.entry->def;
  RefuseListOutputs(op);
  const std::vector<uint32_t> counts = CountsOf(op, nullptr, nparam, 0, "inputs");
  const std::vector<BasculeTensorInfo> inputs = InputInfos(
      def, counts, [&](BasculeTensorInfo& input, size_t, size_t n) { input.dtype = dtypes[n]; });
  const std::vector<uint32_t> list_counts = ListCounts(def, counts);
  const uint32_t column = registry::ChooseColumn(
      *op.entry, inputs,
      registry::Lists::Of(*op.entry, inputs.size(), def.output_count, {list_counts, {}}));
  std::vector<int32_t> found;
  for (uint32_t i = 0; i < def.output_count; ++i) found.push_back(def.outputs[i].dtypes[column]);
  return found;
}

}  // namespace bascule::host

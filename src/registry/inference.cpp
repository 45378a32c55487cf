// SPDX-License-Identifier: Apache-2.0
#include "registry/inference.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/dtype.h"
#include "base/error.h"

namespace bascule::registry {
namespace {

constexpr uint32_t kTilingCapacity = 64 * 1024;
constexpr uint32_t kMaxBlocks = 65535;
constexpr uint64_t kMaxWorkspaceBytes = uint64_t{1} << 40;

// "x (3, 5), y (3, 4), z left out"
std::string InputsText(const BasculeOperatorDef& def, std::span<const BasculeTensorInfo> inputs,
                       const Lists& lists) {
  constexpr size_t kMost = 16;  // a list may have thousands
  std::string text;
  for (size_t i = 0; i < std::min(inputs.size(), kMost); ++i) {
    text += Join(i == 0 ? "" : ", ", lists.InputName(def, i), " ",
                 inputs[i].present == 0 ? "left out" : ShapeText(inputs[i].shape));
  }
  if (inputs.size() > kMost) text += Join(" and ", inputs.size() - kMost, " more");
  return inputs.empty() ? "no tensors" : text;
}

// One supported combination: "float16, float16".
std::string ColumnText(const BasculeOperatorDef& def, uint32_t column) {
  std::string text;
  for (uint32_t i = 0; i < def.input_count; ++i) {
    text += Join(i == 0 ? "" : ", ", DTypeName(def.inputs[i].dtypes[column]));
  }
  return text;
}

const char* KindName(uint32_t kind) {
  static constexpr const char* kNames[] = {
      "int",         "float",         "bool",         "string",
      "list of int", "list of float", "list of bool", "list of lists of int"};
  return kind < sizeof(kNames) / sizeof(kNames[0]) ? kNames[kind] : "unknown";
}

BasculeHostCall NewCall(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                        std::span<const BasculeAttribute> attributes,
                        std::span<BasculeTensorInfo> outputs, const Lists& lists,
                        std::span<char> message) {
  BasculeHostCall call = {};
  call.struct_bytes = sizeof(call);
  call.operator_name = op.name;
  call.input_count = static_cast<uint32_t>(inputs.size());
  call.inputs = inputs.data();
  call.output_count = static_cast<uint32_t>(outputs.size());
  call.outputs = outputs.data();
  call.attribute_count = static_cast<uint32_t>(attributes.size());
  call.attributes = attributes.data();
  if (!lists.plain()) {
    call.input_instances = lists.input_counts().data();
    call.output_instances = lists.output_counts().data();
    call.schema_input_count = op.def->input_count;
    call.schema_output_count = op.def->output_count;
  }
  message[0] = '\0';
  call.message = message.data();
  call.message_capacity = static_cast<uint32_t>(message.size());
  return call;
}

// Formats whose memory is the tensor's elements in the order of its shape. Source: "Format" page of
// the graph-engine documentation. The others are private to the hardware.
bool RowMajor(int32_t format) {
  constexpr int32_t kRowMajor[] = {BASCULE_FORMAT_NCHW,
                                   BASCULE_FORMAT_NHWC,
                                   BASCULE_FORMAT_ND,
                                   14 /* CHWN */,
                                   16 /* HWCN */,
                                   27 /* NDHWC */,
                                   30 /* NCDHW */,
                                   31 /* DHWCN */,
                                   34 /* CN */,
                                   35 /* NC */,
                                   36 /* DHWNC */};
  return std::find(std::begin(kRowMajor), std::end(kRowMajor), format) != std::end(kRowMajor);
}

bool FormatFits(int32_t wanted, int32_t came) {
  if (wanted == came) return true;
  return (wanted == BASCULE_FORMAT_ND || came == BASCULE_FORMAT_ND) && RowMajor(wanted) &&
         RowMajor(came);
}

std::string FormatText(int32_t format) {
  switch (format) {
    case BASCULE_FORMAT_NCHW:
      return "NCHW";
    case BASCULE_FORMAT_NHWC:
      return "NHWC";
    case BASCULE_FORMAT_ND:
      return "ND";
    case BASCULE_FORMAT_NC1HWC0:
      return "NC1HWC0";
    case BASCULE_FORMAT_FRACTAL_Z:
      return "FRACTAL_Z";
    case BASCULE_FORMAT_FRACTAL_NZ:
      return "FRACTAL_NZ";
    default:
      return Join("number ", format);
  }
}

void CheckValue(const BasculeOperatorEntry& op, const BasculeAttribute& attribute) {
  const bool points = attribute.kind >= BASCULE_ATTR_STRING;
  if (!points) return;
  if (attribute.length != 0 && attribute.value.s == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(op.name, ": the attribute '", attribute.name, "' says it has ",
                     attribute.length, " elements, and its value is a null pointer."));
  }
  if (attribute.kind != BASCULE_ATTR_INT_LISTS) return;
  for (uint32_t at = 0; at < attribute.length;) {
    const int64_t numbers = attribute.value.ints[at++];
    if (numbers >= 0 && numbers <= attribute.length - at) {
      at += static_cast<uint32_t>(numbers);
      continue;
    }
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(op.name, ": the attribute '", attribute.name, "' holds a list of ", numbers,
                     " numbers, and ", attribute.length - at,
                     " follow; each list is its length and as many numbers."));
  }
}

bool Known(const BasculeShape& shape) {
  return shape.rank >= 0 && std::all_of(shape.dims, shape.dims + shape.rank,
                                        [](int64_t dimension) { return dimension >= 0; });
}

// The host function's own words, when it had any.
// A host function need not have ended its sentence.
template <size_t capacity>
std::string Because(const char (&message)[capacity]) {
  const std::string text(message, strnlen(message, capacity));
  return text.empty() ? std::string(".") : Join(": ", text);
}

}  // namespace

std::string ShapeText(const BasculeShape& shape) {
  if (shape.rank < 0) return "(...)";
  std::string text = "(";
  for (int64_t i = 0; i < shape.rank; ++i) {
    text += i == 0 ? "" : ", ";
    text += shape.dims[i] < 0 ? std::string("?") : std::to_string(shape.dims[i]);
  }
  return text + (shape.rank == 1 ? ",)" : ")");
}

int64_t ElementCount(const BasculeShape& shape, const char* operator_name,
                     const char* tensor_name) {
  int64_t count = 1;
  for (int64_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] < 0 || __builtin_mul_overflow(count, shape.dims[i], &count)) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(operator_name, ": '", tensor_name, "' has shape ", ShapeText(shape),
                       ", whose size is no 64-bit number."));
    }
  }
  return count;
}

bool SameShape(const BasculeShape& a, const BasculeShape& b) {
  return a.rank == b.rank && (a.rank <= 0 || std::equal(a.dims, a.dims + a.rank, b.dims));
}

uint64_t ValueInputs(const BasculeOperatorDef& def) {
  const size_t known = offsetof(BasculeOperatorDef, value_inputs) + sizeof(def.value_inputs);
  return def.struct_bytes >= known ? def.value_inputs : 0;
}

void RefuseCounts(const BasculeOperatorEntry& op, size_t inputs, size_t outputs) {
  const BasculeOperatorDef& def = *op.def;
  if (inputs != def.input_count) {
    std::string names;
    for (uint32_t i = 0; i < def.input_count; ++i)
      names += Join(i == 0 ? "" : ", ", def.inputs[i].name);
    throw Error(
        BASCULE_INVALID_ARGUMENT,
        Join(op.name, " takes ", def.input_count, def.input_count == 1 ? " input (" : " inputs (",
             names, "), but ", inputs, inputs == 1 ? " was" : " were", " passed."));
  }
  throw Error(
      BASCULE_INVALID_ARGUMENT,
      Join(op.name, " has ", def.output_count, def.output_count == 1 ? " output" : " outputs",
           ", but ", outputs, outputs == 1 ? " was" : " were", " passed."));
}

void CheckShapes(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                 const Lists& lists) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (IsShape(inputs[i])) continue;
    const BasculeShape& shape = inputs[i].shape;
    if (shape.rank < -1 || shape.rank > BASCULE_MAX_RANK) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op.name, ": input '", lists.InputName(*op.def, i), "' has ", shape.rank,
                       " dimensions; 0 to ", BASCULE_MAX_RANK,
                       " are possible, or -1 where that is unknown."));
    }
    for (int64_t d = 0; d < shape.rank; ++d) {
      if (shape.dims[d] >= -1) continue;
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op.name, ": input '", lists.InputName(*op.def, i), "' has the dimension ",
                       shape.dims[d], "; a dimension is 0 or more, or -1 where it is unknown."));
    }
  }
}

namespace {

// The members of a list are one tensor to the dtype lists of an OpDef.
void CheckMembers(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                  const Lists& lists) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (op.def->inputs[lists.Input(i)].kind != BASCULE_DYNAMIC) continue;
    if (inputs[i].present == 0) {
      throw Error(BASCULE_INVALID_ARGUMENT, Join(op.name, ": input '", lists.InputName(*op.def, i),
                                                 "' is null; every member of a list is a tensor."));
    }
    const bool first = i == 0 || lists.Input(i - 1) != lists.Input(i);
    if (first || inputs[i].dtype == inputs[i - 1].dtype) continue;
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(op.name, ": the members of the list '", op.def->inputs[lists.Input(i)].name,
                     "' have to be of one element type, but ", lists.InputName(*op.def, i - 1),
                     " is ", DTypeName(inputs[i - 1].dtype), " and ", lists.InputName(*op.def, i),
                     " is ", DTypeName(inputs[i].dtype), "."));
  }
}

}  // namespace

uint32_t ChooseColumn(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                      const Lists& lists) {
  const BasculeOperatorDef& def = *op.def;
  if (!lists.plain()) CheckMembers(op, inputs, lists);
  const uint32_t columns = def.input_count == 0 ? 1 : def.inputs[0].column_count;
  uint32_t other_format = columns;  // a column that only a format keeps from fitting
  for (uint32_t column = 0; column < columns; ++column) {
    bool fits = true;
    bool format_fits = true;
    for (size_t i = 0; fits && i < inputs.size(); ++i) {
      if (inputs[i].present == 0) continue;
      const BasculeParameterDef& wanted = def.inputs[lists.Input(i)];
      fits = inputs[i].dtype == wanted.dtypes[column];
      format_fits = format_fits && FormatFits(wanted.formats[column], inputs[i].format);
    }
    if (fits && format_fits) return column;
    if (fits && other_format == columns) other_format = column;
  }
  for (size_t i = 0; other_format != columns && i < inputs.size(); ++i) {
    const int32_t wanted = def.inputs[lists.Input(i)].formats[other_format];
    if (inputs[i].present == 0 || FormatFits(wanted, inputs[i].format)) continue;
    throw Error(BASCULE_UNSUPPORTED,
                Join(op.name, ": input '", lists.InputName(def, i), "' has to be in format ",
                     FormatText(wanted), ", but it is in format ", FormatText(inputs[i].format),
                     ". Tensors of frameworks are row-major, which is ND; bascule does not convert "
                     "between formats."));
  }
  std::string came;
  std::string supported;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint32_t owner = lists.Input(i);
    if (i != 0 && lists.Input(i - 1) == owner) continue;  // another member of the list
    came += Join(came.empty() ? "" : ", ", def.inputs[owner].name, " ",
                 inputs[i].present == 0 ? "left out" : DTypeName(inputs[i].dtype));
  }
  for (uint32_t column = 0; column < columns; ++column) {
    supported += Join(column == 0 ? "" : "; ", ColumnText(def, column));
  }
  throw Error(BASCULE_INVALID_ARGUMENT,
              Join(op.name, " was called with ", came, ". It supports: ", supported, "."));
}

std::vector<BasculeAttribute> CompleteAttributes(const BasculeOperatorEntry& op,
                                                 std::span<const BasculeAttribute> given) {
  const BasculeOperatorDef& def = *op.def;
  std::vector<BasculeAttribute> out;
  for (uint32_t i = 0; i < def.attribute_count; ++i) {
    const BasculeAttributeDef& wanted = def.attributes[i];
    const auto found = std::find_if(given.begin(), given.end(), [&](const BasculeAttribute& a) {
      return a.name != nullptr && std::strcmp(a.name, wanted.name) == 0;
    });
    if (found == given.end()) {
      if (wanted.required != 0) {
        throw Error(BASCULE_INVALID_ARGUMENT, Join(op.name, ": the attribute '", wanted.name, "' (",
                                                   KindName(wanted.kind), ") is required."));
      }
      out.push_back(wanted.fallback);
      continue;
    }
    if (found->kind != wanted.kind) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op.name, ": the attribute '", wanted.name, "' has to be of type ",
                       KindName(wanted.kind), ", not ", KindName(found->kind), "."));
    }
    CheckValue(op, *found);
    out.push_back(*found);
  }
  for (const BasculeAttribute& attribute : given) {
    const char* name = attribute.name != nullptr ? attribute.name : "";
    const bool known = std::any_of(out.begin(), out.end(), [&](const BasculeAttribute& a) {
      return std::strcmp(a.name, name) == 0;
    });
    if (!known) {
      throw Error(BASCULE_INVALID_ARGUMENT, Join(op.name, " has no attribute '", name, "'."));
    }
    const auto again = std::count_if(given.begin(), given.end(), [&](const BasculeAttribute& a) {
      return a.name != nullptr && std::strcmp(a.name, name) == 0;
    });
    if (again > 1) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op.name, ": the attribute '", name, "' was passed twice."));
    }
  }
  return out;
}

namespace {

// Throws unless the inputs are there; the column that their dtypes select.
uint32_t CheckInputs(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                     const Lists& lists) {
  const BasculeOperatorDef& def = *op.def;
  CheckShapes(op, inputs, lists);
  const uint32_t column = ChooseColumn(op, inputs, lists);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const BasculeParameterDef& wanted = def.inputs[lists.Input(i)];
    if (inputs[i].present != 0 || wanted.kind != BASCULE_REQUIRED) continue;
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(op.name, ": the input '", wanted.name, "' is required."));
  }
  return column;
}

// Of a call with one tensor for each parameter, or of lists that were made for so many.
void CheckTensors(const BasculeOperatorEntry& op, size_t inputs, size_t outputs,
                  const Lists& lists) {
  if (lists.plain()) return CheckCounts(op, inputs, outputs);
  if (lists.InputTensors() == inputs && lists.OutputTensors(*op.def) == outputs) return;
  throw Error(BASCULE_INTERNAL, Join(op.name, ": the lists are those of another call."));
}

BasculeTensorInfo OutputOf(const BasculeOperatorDef& def, uint32_t index, uint32_t column) {
  BasculeTensorInfo info = {};
  info.present = 1;
  info.dtype = def.outputs[index].dtypes[column];
  info.format = def.outputs[index].formats[column];
  return info;
}

// The outputs of an operator without shape inference: the caller's shapes.
void TakeOutputs(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                 std::span<const BasculeTensorInfo> given, std::span<BasculeTensorInfo> outputs,
                 const Lists& lists) {
  CheckTensors(op, inputs.size(), outputs.size(), lists);
  const uint32_t column = CheckInputs(op, inputs, lists);
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = OutputOf(*op.def, lists.Output(i), column);
    outputs[i].shape = given[i].shape;
  }
}

}  // namespace

void InferOutputs(const BasculeOperatorEntry& op, std::span<const BasculeTensorInfo> inputs,
                  std::span<const BasculeAttribute> attributes,
                  std::span<BasculeTensorInfo> outputs, HostCaller caller,
                  std::span<const void* const> input_data, const Lists& lists) {
  const BasculeOperatorDef& def = *op.def;
  CheckTensors(op, inputs.size(), outputs.size(), lists);
  const uint32_t column = CheckInputs(op, inputs, lists);
  if (def.infer_shape == nullptr) {
    throw Error(BASCULE_UNSUPPORTED,
                Join(op.name,
                     " has no shape inference (SetInferShape in its OpDef). Pass outputs "
                     "of the right shapes."));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = OutputOf(def, lists.Output(i), column);
  }
  char message[1024];
  BasculeHostCall call = NewCall(op, inputs, attributes, outputs, lists, message);
  if (input_data.size() == inputs.size()) call.input_data = input_data.data();
  if (caller(def.infer_shape, &call) != 0) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(op.name, ": its shape inference refuses ",
                                               InputsText(def, inputs, lists), Because(message)));
  }
  if (def.infer_dtype != nullptr) {
    std::vector<BasculeTensorInfo> typed(outputs.begin(), outputs.end());
    BasculeHostCall dtype_call = NewCall(op, inputs, attributes, typed, lists, message);
    if (caller(def.infer_dtype, &dtype_call) != 0) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op.name, ": its dtype inference refuses the inputs", Because(message)));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (typed[i].dtype == outputs[i].dtype) continue;
      throw Error(BASCULE_BAD_LIBRARY,
                  Join(op.name, ": the OpDef says output '", lists.OutputName(def, i), "' is ",
                       DTypeName(outputs[i].dtype), " for these inputs, its dtype inference says ",
                       DTypeName(typed[i].dtype), "."));
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const BasculeShape& shape = outputs[i].shape;
    if (shape.rank > BASCULE_MAX_RANK) {
      throw Error(BASCULE_BAD_LIBRARY,
                  Join(op.name, ": its shape inference gave '", lists.OutputName(def, i), "' ",
                       shape.rank, " dimensions; at most ", BASCULE_MAX_RANK, " are possible."));
    }
    if (shape.rank < -1 || std::any_of(shape.dims, shape.dims + std::max<int64_t>(shape.rank, 0),
                                       [](int64_t dimension) { return dimension < -1; })) {
      throw Error(BASCULE_BAD_LIBRARY,
                  Join(op.name, ": its shape inference gave '", lists.OutputName(def, i),
                       "' a negative dimension for ", InputsText(def, inputs, lists), "."));
    }
  }
}

Plan MakePlan(const BasculeOperatorEntry& op, const BasculePlatform& platform,
              std::span<const BasculeTensorInfo> inputs,
              std::span<const BasculeAttribute> attributes, HostCaller caller,
              std::span<const void* const> input_data,
              std::span<const BasculeTensorInfo> given_outputs, const Lists& lists) {
  const BasculeOperatorDef& def = *op.def;
  CheckTensors(op, inputs.size(), lists.OutputTensors(def), lists);
  CheckShapes(op, inputs, lists);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].present == 0 || Known(inputs[i].shape)) continue;
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(op.name, ": input '", lists.InputName(def, i), "' has shape ",
                     ShapeText(inputs[i].shape), "; a plan is made for shapes that are known."));
  }
  Plan plan;
  plan.outputs.resize(lists.OutputTensors(def));
  if (def.infer_shape == nullptr && given_outputs.size() == plan.outputs.size()) {
    TakeOutputs(op, inputs, given_outputs, plan.outputs, lists);
  } else {
    InferOutputs(op, inputs, attributes, plan.outputs, caller, input_data, lists);
  }
  bool empty = true;
  bool came = false;    // an input besides those that are settings of host functions
  bool nothing = true;  // and none of these has an element
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].present == 0) continue;
    const uint32_t owner = lists.Input(i);
    const int64_t count =  // refuses what is not known
        ElementCount(inputs[i].shape, op.name, def.inputs[owner].name);
    if (owner < 64 && (ValueInputs(def) >> owner & 1) != 0) continue;
    came = true;
    nothing = nothing && count == 0;
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (!Known(plan.outputs[i].shape)) {
      throw Error(BASCULE_BAD_LIBRARY,
                  Join(op.name, ": its shape inference does not tell the shape of '",
                       lists.OutputName(def, i), "' for ", InputsText(def, inputs, lists), "."));
    }
    empty = empty &&
            ElementCount(plan.outputs[i].shape, op.name, def.outputs[lists.Output(i)].name) == 0;
  }
  // Nothing to compute, or nothing to compute it from. A tiling function would divide by the number
  // of elements.
  if ((empty || (came && nothing)) && def.output_count != 0) return plan;
  const uint32_t column = ChooseColumn(op, inputs, lists);
  for (uint32_t i = 0; i < op.variant_count; ++i) {
    if (op.variants[i].column == column) plan.variant = &op.variants[i];
  }
  if (plan.variant == nullptr) {
    throw Error(BASCULE_BAD_LIBRARY,
                Join(op.name, ": the library has no kernel for ", ColumnText(def, column), "."));
  }
  if (def.tiling == nullptr) {
    throw Error(BASCULE_BAD_LIBRARY,
                Join(op.name, " has no tiling function (SetTiling in its OpDef)."));
  }
  struct alignas(64) Line {
    uint64_t words[8];
  };
  std::vector<Line> scratch(kTilingCapacity / sizeof(Line), Line{});
  char message[1024];
  BasculeHostCall call = NewCall(op, inputs, attributes, plan.outputs, lists, message);
  call.platform = &platform;
  if (input_data.size() == inputs.size()) call.input_data = input_data.data();
  call.tiling_data = scratch.data();
  call.tiling_capacity = kTilingCapacity;
  if (caller(def.tiling, &call) != 0) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(op.name, ": its tiling refuses ",
                                               InputsText(def, inputs, lists), Because(message)));
  }
  if (call.block_count == 0 || call.block_count > kMaxBlocks) {
    throw Error(BASCULE_BAD_LIBRARY,
                Join(op.name, ": its tiling asks for ", call.block_count, " blocks; 1 to ",
                     kMaxBlocks, " are possible (SetBlockDim)."));
  }
  if (call.tiling_bytes > kTilingCapacity) {
    throw Error(BASCULE_BAD_LIBRARY,
                Join(op.name, ": its tiling says it wrote ", call.tiling_bytes,
                     " bytes of tiling data; there is room for ", kTilingCapacity, "."));
  }
  if (call.workspace_count > BASCULE_MAX_WORKSPACES) {
    throw Error(BASCULE_BAD_LIBRARY,
                Join(op.name, ": its tiling asks for ", call.workspace_count,
                     " workspaces; at most ", BASCULE_MAX_WORKSPACES, " are possible."));
  }
  for (uint32_t i = 0; i < call.workspace_count; ++i) {
    if (__builtin_add_overflow(plan.workspace_bytes, call.workspace_bytes[i],
                               &plan.workspace_bytes) ||
        plan.workspace_bytes > kMaxWorkspaceBytes) {
      throw Error(BASCULE_BAD_LIBRARY,
                  Join(op.name, ": its tiling asks for ", call.workspace_bytes[i],
                       " bytes of workspace, more than any machine has."));
    }
  }
  plan.block_count = call.block_count;
  plan.tiling_key = call.tiling_key;
  plan.tiling_bytes = call.tiling_bytes;
  plan.tiling_data.assign(&scratch[0].words[0],
                          &scratch[0].words[0] + (call.tiling_bytes + 7) / sizeof(uint64_t));
  return plan;
}

}  // namespace bascule::registry

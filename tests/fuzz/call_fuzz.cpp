// The arguments of the C interface: tensors, shapes, strides, dtypes, counts, attributes, nulls.
//
// A tensor that claims memory it does not have is beyond what any callee can see, so such a tensor
// gets a null address here; everything that is claimed before memory is touched is anything at all.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "bascule/c_api.h"
#include "host/library.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/operator.h"

namespace bascule::fuzz {
namespace {

constexpr int64_t kBufferBytes = 1 << 16;
constexpr uint32_t kMaxDims = 30;

int InferShape(BasculeHostCall* call) {
  call->outputs[0].shape = call->inputs[0].shape;
  return 0;
}
int Tiling(BasculeHostCall* call) {
  call->block_count = 1;
  call->tiling_bytes = 8;
  return 0;
}

struct AnyTensor {
  BasculeTensor view = {};
  std::array<int64_t, kMaxDims> shape = {};
  std::array<int64_t, kMaxDims> strides = {};

  AnyTensor(Reader* from, char* memory) {
    view.device_type = from->Below(8) == 0 ? static_cast<int32_t>(from->Number()) : 1;
    view.device_id = static_cast<int32_t>(from->Below(2));
    view.ndim = from->Below(6) == 0 ? static_cast<int32_t>(from->Number())
                                    : static_cast<int32_t>(from->Below(4));
    view.dtype_code = from->Below(8) == 0 ? from->Take<uint8_t>() : 2;
    const uint32_t bits = from->Below(8);
    view.dtype_bits = bits == 0 ? from->Take<uint8_t>() : (bits < 5 ? 32 : 16);
    view.dtype_lanes = from->Below(16) == 0 ? from->Take<uint16_t>() : 1;
    view.byte_offset = from->Below(8) == 0 ? static_cast<uint64_t>(from->Number()) : 0;
    const bool sane = from->Below(3) != 0;
    for (int64_t& extent : shape) extent = sane ? from->Below(5) : from->Number();
    const bool strided = from->Below(2) == 0;
    for (int64_t& stride : strides) stride = sane ? from->Below(9) : from->Number();
    if (from->Below(16) != 0) view.shape = shape.data();
    if (strided) view.strides = strides.data();
    view.data = Fits() && from->Below(8) != 0 ? memory : nullptr;
  }

  // Whether everything that the tensor says lies inside kBufferBytes.
  bool Fits() const {
    if (view.ndim < 0 || view.ndim > static_cast<int32_t>(kMaxDims)) return true;  // refused
    __int128 count = 1;
    __int128 last = 0;
    for (int32_t d = 0; d < view.ndim; ++d) {
      const int64_t extent = shape[static_cast<size_t>(d)];
      if (extent < 0) return false;
      count *= extent;
      if (count > kBufferBytes) return false;
      if (view.strides == nullptr || extent == 0) continue;
      if (strides[static_cast<size_t>(d)] < 0) return false;
      last += static_cast<__int128>(extent - 1) * strides[static_cast<size_t>(d)];
      if (last > kBufferBytes) return false;
    }
    const __int128 bytes = (std::max(count, last + 1)) * 32 + view.byte_offset;
    return bytes <= kBufferBytes;
  }
};

BasculeAttribute AnyAttribute(Reader* from) {
  static const char* const names[] = {"i", "f", "b", "s", "li", "lf", "unknown", ""};
  static const int64_t ints[16] = {1, -1, INT64_MAX};
  static const float floats[16] = {0.5f, -1e30f};
  BasculeAttribute attribute = {};
  attribute.name = from->Below(16) == 0 ? nullptr : names[from->Below(8)];
  attribute.kind = from->Below(8) == 0 ? from->Take<uint32_t>() : from->Below(6);
  attribute.length = from->Below(17);
  switch (attribute.kind) {
    case BASCULE_ATTR_STRING:
      attribute.value.s = from->Below(4) == 0 ? nullptr : "a text of some length";
      break;
    case BASCULE_ATTR_INT_LIST:
      attribute.value.ints = from->Below(4) == 0 ? nullptr : ints;
      break;
    case BASCULE_ATTR_FLOAT_LIST:
      attribute.value.floats = from->Below(4) == 0 ? nullptr : floats;
      break;
    default:
      attribute.value.i = from->Number();
      break;
  }
  return attribute;
}

void Check(BasculeStatus status) {
  if (status == BASCULE_OK) {
    ++passed;
    return;
  }
  CheckSentence(bascule_last_error());
  if (status == BASCULE_INTERNAL) Found(std::string("an internal error: ") + bascule_last_error());
}

void Infer(Reader* from, const BasculeOperator* op,
           const std::vector<BasculeAttribute>& attributes) {
  std::array<BasculeTensorInfo, 3> infos = {};
  for (BasculeTensorInfo& info : infos) {
    info.present = from->Below(4) != 0;
    info.dtype = from->Below(3) == 0 ? static_cast<int32_t>(from->Number()) : 0;
    info.format = from->Below(4) == 0 ? static_cast<int32_t>(from->Number()) : BASCULE_FORMAT_ND;
    info.shape.rank = from->Below(4) == 0 ? from->Number() : from->Below(4);
    for (int64_t& extent : info.shape.dims) extent = from->Number();
  }
  std::array<BasculeTensorInfo, 3> outputs = {};
  Check(bascule_operator_infer(op, from->Below(4), from->Below(8) == 0 ? nullptr : infos.data(),
                               static_cast<uint32_t>(attributes.size()), attributes.data(),
                               from->Below(4), from->Below(8) == 0 ? nullptr : outputs.data()));
}

}  // namespace

std::vector<std::string> Seeds() { return NumberSeeds({'\1', '\0', '\2'}, 800); }

}  // namespace bascule::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bascule;
  using namespace bascule::fuzz;
  static host::Operator& fuzzed = MakeOperator({InferShape, nullptr, Tiling});
  const auto* op = reinterpret_cast<const BasculeOperator*>(&fuzzed);
  alignas(64) static char memory[3][kBufferBytes];

  Reader from(data, size);
  std::vector<BasculeAttribute> attributes;
  const uint32_t count = from.Below(3) == 0 ? from.Below(9) : 0;
  for (uint32_t i = 0; i < count; ++i) attributes.push_back(AnyAttribute(&from));
  if (from.Below(8) == 0) {
    Infer(&from, from.Below(16) == 0 ? nullptr : op, attributes);
    return 0;
  }
  std::vector<AnyTensor> tensors;
  tensors.reserve(40);
  std::vector<const BasculeTensor*> inputs;
  std::vector<BasculeTensor*> outputs;
  const uint32_t input_count = from.Below(8) == 0 ? from.Below(32) : 2;
  const uint32_t output_count = from.Below(8) == 0 ? from.Below(4) : 1;
  // Often all alike, as a call that gets far has them.
  const bool alike = from.Below(3) == 0;
  for (uint32_t i = 0; i < input_count + output_count; ++i) {
    const bool output = i >= input_count;
    const bool null = from.Below(8) == 0;
    if (alike && i != 0) {
      tensors.push_back(tensors.front());
      AnyTensor& copy = tensors.back();
      if (copy.view.shape != nullptr) copy.view.shape = copy.shape.data();
      if (copy.view.strides != nullptr) copy.view.strides = copy.strides.data();
      if (copy.view.data != nullptr && output) copy.view.data = memory[2];
    } else {
      tensors.emplace_back(&from, memory[output ? 2 : i % 2]);
    }
    if (output) {
      outputs.push_back(null ? nullptr : &tensors.back().view);
    } else {
      inputs.push_back(null ? nullptr : &tensors.back().view);
    }
  }
  Check(bascule_operator_call(op, input_count, inputs.data(), output_count, outputs.data(),
                              static_cast<uint32_t>(attributes.size()), attributes.data()));
  return 0;
}

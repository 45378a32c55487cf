// An operator whose host functions do what an input says.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_FUZZ_OPERATOR_H_
#define BASCULE_TESTS_FUZZ_OPERATOR_H_

#include "bascule/abi/library.h"
#include "bascule/abi/types.h"
#include "host/library.h"

namespace bascule::fuzz {

// What the host functions are; null: the operator does not have it.
struct HostFunctions {
  BasculeHostFunction infer_shape;
  BasculeHostFunction infer_dtype;
  BasculeHostFunction tiling;
};

// out = operator(x, optional y; attributes), float16 or float32; its kernel touches nothing.
inline host::Operator& MakeOperator(const HostFunctions& functions) {
  static const int32_t dtypes[] = {BASCULE_FLOAT16, BASCULE_FLOAT};
  static const int32_t formats[] = {BASCULE_FORMAT_ND, BASCULE_FORMAT_ND};
  static const BasculeParameterDef inputs[] = {{"x", BASCULE_REQUIRED, 2, dtypes, formats},
                                               {"y", BASCULE_OPTIONAL, 2, dtypes, formats}};
  static const BasculeParameterDef outputs[] = {{"out", BASCULE_REQUIRED, 2, dtypes, formats}};
  static const int64_t ints[] = {1, 2};
  static const float floats[] = {0.5f};
  static BasculeAttributeDef attributes[6];
  static const char* const names[] = {"i", "f", "b", "s", "li", "lf"};
  for (uint32_t kind = 0; kind < 6; ++kind) {
    attributes[kind] = {names[kind], kind, 0, {names[kind], kind, 0, {}}};
  }
  attributes[BASCULE_ATTR_STRING].fallback.value.s = "text";
  attributes[BASCULE_ATTR_STRING].fallback.length = 4;
  attributes[BASCULE_ATTR_INT_LIST].fallback.value.ints = ints;
  attributes[BASCULE_ATTR_INT_LIST].fallback.length = 2;
  attributes[BASCULE_ATTR_FLOAT_LIST].fallback.value.floats = floats;
  attributes[BASCULE_ATTR_FLOAT_LIST].fallback.length = 1;
  static BasculeOperatorDef def = {};
  def.struct_bytes = sizeof(def);
  def.type = "Fuzzed";
  def.input_count = 2;
  def.inputs = inputs;
  def.output_count = 1;
  def.outputs = outputs;
  def.attribute_count = 6;
  def.attributes = attributes;
  def.infer_shape = functions.infer_shape;
  def.infer_dtype = functions.infer_dtype;
  def.tiling = functions.tiling;
  static constexpr auto kKernel = [](void*, void*, void*, void*, void*) {};
  static const auto kernel = reinterpret_cast<void (*)(void)>(
      static_cast<void (*)(void*, void*, void*, void*, void*)>(kKernel));
  static const BasculeKernelVariant variants[] = {{0, BASCULE_KERNEL_UNSAID, kernel},
                                                  {1, BASCULE_KERNEL_UNSAID, kernel}};
  static const BasculeOperatorEntry entries[] = {{"fuzzed", &def, variants, 2, 0}};
  static const BasculeLibraryTable table = {sizeof(BasculeLibraryTable),
                                            BASCULE_LIBRARY_ABI_VERSION, entries, 1, 0};
  return host::Library::FromTable(table).Find("fuzzed");
}

}  // namespace bascule::fuzz

#endif  // BASCULE_TESTS_FUZZ_OPERATOR_H_

// Registers host functions of an operator outside its OpDef:
//
//     IMPL_OP_INFERSHAPE(MyMul).InferShape(InferShapeFunc).InferDataType(InferDataTypeFunc);
//     IMPL_OP_OPTILING(MyMul).Tiling(TilingFunc);
//
// A function set in the OpDef goes first.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REGISTER_OP_IMPL_REGISTRY_H_
#define BASCULE_ASCENDC_REGISTER_OP_IMPL_REGISTRY_H_

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace gert {

enum class TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

class OpImplRegisterV2 {
 public:
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext*);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext*);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext*);
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext*);
  using TilingParseFunc = ge::graphStatus (*)(TilingParseContext*);
  using KernelFunc = TilingParseFunc;
  using CompileInfoMaker = std::shared_ptr<void> (*)();

  BASCULE_HIDDEN OpImplRegisterV2& InferShape(InferShapeKernelFunc function) {
    infer_shape = function;
    return *this;
  }
  BASCULE_HIDDEN OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
  BASCULE_HIDDEN OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function) {
    infer_dtype = function;
    return *this;
  }
  // All outputs are of the first input's data type.
  BASCULE_HIDDEN OpImplRegisterV2& InferOutDataTypeSameWithFirstInput() {
    return InferDataType([](InferDataTypeContext* context) -> ge::graphStatus {
      for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
        if (context->SetOutputDataType(i, context->GetInputDataType(0)) != ge::GRAPH_SUCCESS) {
          return ge::GRAPH_FAILED;
        }
      }
      return ge::GRAPH_SUCCESS;
    });
  }
  BASCULE_HIDDEN OpImplRegisterV2& Tiling(TilingKernelFunc function) {
    tiling = function;
    return *this;
  }
  // There is room for as much tiling data as any operator has.
  BASCULE_HIDDEN OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t /*max_data_bytes*/) {
    return Tiling(function);
  }

  // The function fills a T; tiling finds it with GetCompileInfo<T>().
  template <typename T>
  BASCULE_HIDDEN OpImplRegisterV2& TilingParse(TilingParseFunc function) {
    tiling_parse = function;
    make_compile_info = []() -> std::shared_ptr<void> { return std::make_shared<T>(); };
    return *this;
  }
  // The functions read what these inputs hold.
  BASCULE_HIDDEN OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs) {
    value_inputs.insert(value_inputs.end(), inputs.begin(), inputs.end());
    return *this;
  }
  BASCULE_HIDDEN OpImplRegisterV2& TilingInputsDataDependency(
      std::initializer_list<int32_t> inputs) {
    return InputsDataDependency(inputs);
  }
  BASCULE_HIDDEN OpImplRegisterV2& TilingInputsDataDependency(
      std::initializer_list<int32_t> inputs, std::initializer_list<TilingPlacement>) {
    return InputsDataDependency(inputs);
  }
  BASCULE_HIDDEN OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t>) {
    shape_depends_on_compute = true;
    return *this;
  }
  // Attributes beside those of the OpDef are the toolkit's.
  template <typename... Anything>
  BASCULE_HIDDEN OpImplRegisterV2& PrivateAttr(Anything...) {
    return *this;
  }

  // The entry of `type`, made on first use. One list per library; entries live as long as it does.
  BASCULE_HIDDEN static OpImplRegisterV2& Of(const char* type) {
    OpImplRegisterV2*& head = Head();
    for (OpImplRegisterV2* entry = head; entry != nullptr; entry = entry->next_) {
      if (std::strcmp(entry->type_, type) == 0) return *entry;
    }
    head = new OpImplRegisterV2(type, head);
    return *head;
  }
  // Null when there is none.
  BASCULE_HIDDEN static const OpImplRegisterV2* Find(const char* type) {
    for (const OpImplRegisterV2* entry = Head(); entry != nullptr; entry = entry->next_) {
      if (std::strcmp(entry->type_, type) == 0) return entry;
    }
    return nullptr;
  }

  InferShapeKernelFunc infer_shape = nullptr;
  InferDataTypeKernelFunc infer_dtype = nullptr;
  TilingKernelFunc tiling = nullptr;
  TilingParseFunc tiling_parse = nullptr;
  CompileInfoMaker make_compile_info = nullptr;
  std::vector<int32_t> value_inputs;
  bool shape_depends_on_compute = false;

 private:
  BASCULE_HIDDEN OpImplRegisterV2(const char* type, OpImplRegisterV2* next)
      : type_(type), next_(next) {}
  BASCULE_HIDDEN static OpImplRegisterV2*& Head() {
    static OpImplRegisterV2* head = nullptr;
    return head;
  }

  const char* type_;
  OpImplRegisterV2* next_;
};

}  // namespace gert

#define BASCULE_HOST_JOIN_(a, b) a##b
#define BASCULE_HOST_JOIN(a, b) BASCULE_HOST_JOIN_(a, b)
#define BASCULE_HOST_IMPL_OP(op_type)                                  \
  [[maybe_unused]] static ::gert::OpImplRegisterV2& BASCULE_HOST_JOIN( \
      bascule_op_impl_, __COUNTER__) = ::gert::OpImplRegisterV2::Of(#op_type)

// A function that the toolkit runs on the device's own CPU; here the host runs all tiling.
#define DEVICE_IMPL_OP_OPTILING(op_type) BASCULE_HOST_IMPL_OP(op_type)
#define IMPL_OP(op_type) BASCULE_HOST_IMPL_OP(op_type)
#define IMPL_OP_INFERSHAPE(op_type) BASCULE_HOST_IMPL_OP(op_type)
#define IMPL_OP_OPTILING(op_type) BASCULE_HOST_IMPL_OP(op_type)

#endif  // BASCULE_ASCENDC_REGISTER_OP_IMPL_REGISTRY_H_

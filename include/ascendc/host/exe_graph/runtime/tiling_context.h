// What a tiling function reads (shapes, dtypes, attributes, platform) and fills (tiling data,
// number of blocks, tiling key, workspace sizes). SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_data.h"
#include "platform/platform_infos_def.h"

namespace gert {

class TilingContext : public ExtendedKernelContext {
 public:
  BASCULE_HIDDEN TilingContext(BasculeHostCall* call, const char* type,
                               const void* compile_info = nullptr)
      : ExtendedKernelContext(call, type),
        data_(call),
        platform_(call->platform),
        compile_info_(compile_info) {
    for (size_t i = 0; i < present().size(); ++i) {
      const BasculeTensorInfo& input = call->inputs[present()[i]];
      inputs_.emplace_back(Store(input.shape), bascule_host::ToGe(input.dtype),
                           static_cast<ge::Format>(input.format), InputData(i));
    }
    for (uint32_t i = 0; i < call->output_count; ++i) {
      outputs_.push_back(Store(call->outputs[i].shape));
    }
  }

  BASCULE_HIDDEN const StorageShape* GetInputShape(size_t index) const {
    return index < inputs_.size() ? &inputs_[index].GetShape() : nullptr;
  }
  BASCULE_HIDDEN const StorageShape* GetOptionalInputShape(size_t ir_index) const {
    return GetInputShape(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const StorageShape* GetRequiredInputShape(size_t ir_index) const {
    return GetInputShape(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const StorageShape* GetDynamicInputShape(size_t ir_index, size_t n) const {
    return GetInputShape(InputOf(ir_index, n));
  }
  BASCULE_HIDDEN const Tensor* GetInputTensor(size_t index) const {
    return index < inputs_.size() ? &inputs_[index] : nullptr;
  }
  BASCULE_HIDDEN const Tensor* GetOptionalInputTensor(size_t ir_index) const {
    return GetInputTensor(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Tensor* GetRequiredInputTensor(size_t ir_index) const {
    return GetInputTensor(InputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const Tensor* GetDynamicInputTensor(size_t ir_index, size_t n) const {
    return GetInputTensor(InputOf(ir_index, n));
  }
  BASCULE_HIDDEN const StorageShape* GetOutputShape(size_t index) const {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }
  BASCULE_HIDDEN const StorageShape* GetRequiredOutputShape(size_t ir_index) const {
    return GetOutputShape(OutputOf(ir_index, 0));
  }
  BASCULE_HIDDEN const StorageShape* GetDynamicOutputShape(size_t ir_index, size_t n) const {
    return GetOutputShape(OutputOf(ir_index, n));
  }

  // What the operator's TilingParse function left; null when there is none.
  template <typename T>
  BASCULE_HIDDEN const T* GetCompileInfo() const {
    return static_cast<const T*>(compile_info_);
  }
  BASCULE_HIDDEN const void* GetCompileInfo() const { return compile_info_; }

  // The memory the kernel will see as T. It is zeroed; no constructor runs.
  template <typename T>
  BASCULE_HIDDEN T* GetTilingData() {
    static_assert(alignof(T) <= 64, "tiling data is aligned to 64 bytes");
    GetRawTilingData()->SetDataSize(sizeof(T));
    return static_cast<T*>(GetRawTilingData()->GetData());
  }
  BASCULE_HIDDEN TilingData* GetRawTilingData() { return raw_ != nullptr ? raw_ : &data_; }

  BASCULE_HIDDEN ge::graphStatus SetBlockDim(uint32_t block_dim) {
    call_->block_count = block_dim;
    return ge::GRAPH_SUCCESS;
  }
  BASCULE_HIDDEN uint32_t GetBlockDim() const { return call_->block_count; }
  BASCULE_HIDDEN ge::graphStatus SetSimdNumBlocks(uint32_t num_blocks) {
    return SetBlockDim(num_blocks);
  }
  BASCULE_HIDDEN uint32_t GetSimdNumBlocks() const { return call_->block_count; }

  BASCULE_HIDDEN ge::graphStatus SetTilingKey(uint64_t tiling_key) {
    call_->tiling_key = tiling_key;
    return ge::GRAPH_SUCCESS;
  }
  BASCULE_HIDDEN uint64_t GetTilingKey() const { return call_->tiling_key; }

  // Bytes of each workspace, zero until written.
  BASCULE_HIDDEN size_t* GetWorkspaceSizes(size_t count) {
    if (count > BASCULE_MAX_WORKSPACES) {
      throw bascule_host::HostError("GetWorkspaceSizes(" + std::to_string(count) +
                                    "): an operator has at most 16 workspaces");
    }
    static_assert(sizeof(size_t) == sizeof(call_->workspace_bytes[0]), "64-bit platform");
    call_->workspace_count = static_cast<uint32_t>(count);
    if (workspaces_ != nullptr) {
      if (count > workspaces_->GetCapacity()) return nullptr;
      workspaces_->SetSize(count);
      return static_cast<size_t*>(workspaces_->MutableData());
    }
    return reinterpret_cast<size_t*>(call_->workspace_bytes);
  }
  BASCULE_HIDDEN size_t GetWorkspaceNum() const { return call_->workspace_count; }

  BASCULE_HIDDEN fe::PlatFormInfos* GetPlatformInfo() const {
    return platform_.Get() == nullptr ? nullptr : &platform_;
  }

  // Without meaning on a CPU; accepted because host code sets them.
  BASCULE_HIDDEN ge::graphStatus SetScheduleMode(uint32_t mode) {
    schedule_mode_ = mode;
    return ge::GRAPH_SUCCESS;
  }
  BASCULE_HIDDEN uint32_t GetScheduleMode() const { return schedule_mode_; }
  BASCULE_HIDDEN ge::graphStatus SetNeedAtomic(bool atomic) {
    need_atomic_ = atomic;
    return ge::GRAPH_SUCCESS;
  }
  BASCULE_HIDDEN bool NeedAtomic() const { return need_atomic_; }
  BASCULE_HIDDEN ge::graphStatus SetTilingCond(int32_t condition) {
    tiling_condition_ = condition;
    return ge::GRAPH_SUCCESS;
  }
  BASCULE_HIDDEN int32_t GetTilingCond() const { return tiling_condition_; }
  BASCULE_HIDDEN ge::graphStatus SetLocalMemorySize(uint32_t bytes) {
    local_memory_bytes_ = bytes;
    return ge::GRAPH_SUCCESS;
  }
  BASCULE_HIDDEN uint32_t GetLocalMemorySize() const { return local_memory_bytes_; }
  BASCULE_HIDDEN ge::graphStatus SetDynUBufSize(uint32_t bytes) {
    return SetLocalMemorySize(bytes);
  }
  BASCULE_HIDDEN ge::graphStatus SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }

  // What context_ascendc::ContextBuilder does with a context of its own, which has to outlive it:
  // the result is the caller's object, and shapes and formats differ in origin and storage.
  BASCULE_HIDDEN void SetResults(TilingData* data, ContinuousVector* workspaces) {
    raw_ = data;
    workspaces_ = workspaces;
  }
  BASCULE_HIDDEN void Describe(bool input, size_t index, const StorageShape& shape,
                               const StorageFormat& format) {
    DescribeNode(input, index, format);
    if (!input) {
      outputs_[index] = shape;
      return;
    }
    inputs_[index] = Tensor(shape, format, kOnHost, inputs_[index].GetDataType(),
                            const_cast<void*>(inputs_[index].GetAddr()));
  }
  // Has a function of a library, which knows the operator by `name`, run on the same inputs and
  // takes its results. False: it failed, and `why` says so.
  BASCULE_HIDDEN bool RunIn(BasculeHostFunction function, const char* name, std::string* why) {
    char message[1024] = "";
    BasculeHostCall call = *call_;
    call.operator_name = name;
    call.message = message;
    call.message_capacity = sizeof(message);
    if (function(&call) != 0) {
      *why = message;
      return false;
    }
    call_->tiling_key = call.tiling_key;
    call_->block_count = call.block_count;
    GetRawTilingData()->SetDataSize(call.tiling_bytes);
    size_t* const sizes = GetWorkspaceSizes(call.workspace_count);
    if (sizes == nullptr && call.workspace_count != 0) {
      *why = "there is too little room for " + std::to_string(call.workspace_count) +
             " workspaces' sizes";
      return false;
    }
    for (uint32_t i = 0; i < call.workspace_count; ++i) sizes[i] = call.workspace_bytes[i];
    return true;
  }

  // One build of a kernel serves every launch; launches repeat bit by bit where
  // BASCULE_DETERMINISTIC asks for it.
  BASCULE_HIDDEN int32_t GetDeterministic() const { return 0; }
  BASCULE_HIDDEN int32_t GetDeterministicLevel() const { return 0; }

 private:
  BASCULE_HIDDEN static StorageShape Store(const BasculeShape& shape) {
    StorageShape stored;
    stored.MutableOriginShape() = bascule_host::ToGert(shape);
    stored.MutableStorageShape() = stored.GetOriginShape();
    return stored;
  }

  TilingData data_;
  TilingData* raw_ = nullptr;  // not this context's own
  ContinuousVector* workspaces_ = nullptr;
  mutable fe::PlatFormInfos platform_;
  const void* compile_info_;
  std::vector<Tensor> inputs_;
  std::vector<StorageShape> outputs_;
  uint32_t schedule_mode_ = 0;
  uint32_t local_memory_bytes_ = 0;
  int32_t tiling_condition_ = 0;
  bool need_atomic_ = false;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_

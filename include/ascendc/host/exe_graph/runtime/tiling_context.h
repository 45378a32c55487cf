// What a tiling function reads (shapes, dtypes, attributes, platform) and fills (tiling data,
// number of blocks, tiling key, workspace sizes). SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {

// Facts about the machine; read through platform_ascendc::PlatformAscendC.
class PlatFormInfos {
 public:
  BASCULE_HIDDEN explicit PlatFormInfos(const BasculePlatform* platform) : platform_(platform) {}
  BASCULE_HIDDEN const BasculePlatform* Get() const { return platform_; }

 private:
  const BasculePlatform* platform_;
};

}  // namespace fe

namespace gert {

class TilingContext : public ExtendedKernelContext {
 public:
  BASCULE_HIDDEN TilingContext(BasculeHostCall* call, const char* type)
      : ExtendedKernelContext(call, type), data_(call), platform_(call->platform) {
    for (uint32_t i = 0; i < call->input_count; ++i) {
      inputs_.push_back(Store(call->inputs[i].shape));
    }
    for (uint32_t i = 0; i < call->output_count; ++i) {
      outputs_.push_back(Store(call->outputs[i].shape));
    }
  }

  BASCULE_HIDDEN const StorageShape* GetInputShape(size_t index) const {
    return GetOptionalInputShape(IrIndex(index));
  }
  BASCULE_HIDDEN const StorageShape* GetOptionalInputShape(size_t ir_index) const {
    return IsPresent(ir_index) ? &inputs_[ir_index] : nullptr;
  }
  BASCULE_HIDDEN const StorageShape* GetRequiredInputShape(size_t ir_index) const {
    return GetOptionalInputShape(ir_index);
  }
  BASCULE_HIDDEN const StorageShape* GetOutputShape(size_t index) const {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }

  // The memory the kernel will see as T. It is zeroed; no constructor runs.
  template <typename T>
  BASCULE_HIDDEN T* GetTilingData() {
    static_assert(alignof(T) <= 64, "tiling data is aligned to 64 bytes");
    data_.SetDataSize(sizeof(T));
    return static_cast<T*>(data_.GetData());
  }
  BASCULE_HIDDEN TilingData* GetRawTilingData() { return &data_; }

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
    return reinterpret_cast<size_t*>(call_->workspace_bytes);
  }
  BASCULE_HIDDEN size_t GetWorkspaceNum() const { return call_->workspace_count; }

  BASCULE_HIDDEN fe::PlatFormInfos* GetPlatformInfo() const {
    return platform_.Get() == nullptr ? nullptr : &platform_;
  }

  // Without meaning on a CPU; accepted because host code sets them.
  BASCULE_HIDDEN ge::graphStatus SetScheduleMode(uint32_t) { return ge::GRAPH_SUCCESS; }
  BASCULE_HIDDEN ge::graphStatus SetNeedAtomic(bool) { return ge::GRAPH_SUCCESS; }
  BASCULE_HIDDEN int32_t GetDeterministic() const { return 0; }

 private:
  BASCULE_HIDDEN static StorageShape Store(const BasculeShape& shape) {
    StorageShape stored;
    stored.MutableOriginShape() = bascule_host::ToGert(shape);
    stored.MutableStorageShape() = stored.GetOriginShape();
    return stored;
  }

  TilingData data_;
  mutable fe::PlatFormInfos platform_;
  std::vector<StorageShape> inputs_;
  std::vector<StorageShape> outputs_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_

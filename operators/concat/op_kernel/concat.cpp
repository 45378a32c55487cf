// out = the tensors of the list x one after the other along an axis, of any number and any lengths.
//
// Bytes are moved and never computed with, so one code serves all element types.
//
// SPDX-License-Identifier: Apache-2.0
#include "concat_tiling.h"
#include "kernel_operator.h"

namespace {

constexpr int32_t BUFFER_NUM = 2;
constexpr uint64_t DATABLOCK_BYTES = 32;
constexpr uint64_t MAX_COPIES = 4095;  // that one DataCopyPad makes
constexpr uint64_t MAX_GAP = 0xffffffff;
constexpr uint32_t MAX_DIMS = 25;

class KernelConcat {
 public:
  __aicore__ inline KernelConcat() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out, const ConcatTilingData& data) {
    tiling = data;
    list.Init(reinterpret_cast<__gm__ void*>(x));
    outGm.SetGlobalBuffer(out, tiling.rows * tiling.rowBytes);
    pipe.InitBuffer(queue, BUFFER_NUM, tiling.tileBytes);
  }

  __aicore__ inline void Process() {
    const uint64_t block = AscendC::GetBlockIdx();
    const uint64_t rowBegin = block / tiling.blocksPerRow * tiling.rowsPerBlock;
    const uint64_t rowEnd = Min(rowBegin + tiling.rowsPerBlock, tiling.rows);
    const uint64_t begin = block % tiling.blocksPerRow * tiling.bytesPerBlock;
    const uint64_t end = Min(begin + tiling.bytesPerBlock, tiling.rowBytes);
    uint64_t shape[MAX_DIMS];
    AscendC::TensorDesc<uint8_t> desc;
    desc.SetShapeAddr(shape);
    uint64_t place = 0;  // in a row, where the tensor begins
    for (uint32_t i = 0; i < list.GetSize() && place < end; ++i) {
      list.GetDesc(desc, i);
      uint64_t bytes = tiling.elementBytes;  // of the tensor in each row
      for (uint64_t d = tiling.axis; d < desc.GetDim(); ++d) bytes *= shape[d];
      const uint64_t from = place < begin ? begin - place : 0;
      const uint64_t to = place + bytes > end ? end - place : bytes;
      if (from < to) {
        xGm.SetGlobalBuffer(desc.GetDataPtr(), tiling.rows * bytes);
        Move(bytes, place, from, to, rowBegin, rowEnd);
      }
      place += bytes;
    }
  }

 private:
  __aicore__ static inline uint64_t Min(uint64_t a, uint64_t b) { return a < b ? a : b; }

  // The bytes [from, to) that a tensor with `bytes` in each row has, of the rows given.
  __aicore__ inline void Move(uint64_t bytes, uint64_t place, uint64_t from, uint64_t to,
                              uint64_t rowBegin, uint64_t rowEnd) {
    const uint64_t most = tiling.tileBytes / DATABLOCK_BYTES * DATABLOCK_BYTES;
    for (uint64_t at = from; at < to; at += most) {
      const uint64_t width = Min(to - at, most);
      // In the unified buffer each row begins on a datablock.
      const uint64_t padded = (width + DATABLOCK_BYTES - 1) / DATABLOCK_BYTES * DATABLOCK_BYTES;
      uint64_t rows = Min(most / padded, MAX_COPIES);
      if (bytes - width > MAX_GAP || tiling.rowBytes - width > MAX_GAP) rows = 1;
      for (uint64_t row = rowBegin; row < rowEnd; row += rows) {
        const uint64_t count = Min(rows, rowEnd - row);
        CopyIn(row * bytes + at, width, bytes - width, count);
        CopyOut(row * tiling.rowBytes + place + at, width, tiling.rowBytes - width, count);
      }
    }
  }

  __aicore__ inline void CopyIn(uint64_t offset, uint64_t width, uint64_t gap, uint64_t rows) {
    AscendC::LocalTensor<uint8_t> local = queue.AllocTensor<uint8_t>();
    const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(rows), static_cast<uint32_t>(width),
                                          rows > 1 ? static_cast<uint32_t>(gap) : 0, 0, 0};
    AscendC::DataCopyPad(local, xGm[offset], copy,
                         AscendC::DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
    queue.EnQue(local);
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint64_t width, uint64_t gap, uint64_t rows) {
    AscendC::LocalTensor<uint8_t> local = queue.DeQue<uint8_t>();
    const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(rows), static_cast<uint32_t>(width),
                                          0, rows > 1 ? static_cast<uint32_t>(gap) : 0, 0};
    AscendC::DataCopyPad(outGm[offset], local, copy);
    queue.FreeTensor(local);
  }

  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, BUFFER_NUM> queue;
  AscendC::GlobalTensor<uint8_t> xGm;
  AscendC::GlobalTensor<uint8_t> outGm;
  AscendC::ListTensorDesc list;
  ConcatTilingData tiling;
};

}  // namespace

extern "C" __global__ __aicore__ void concat(GM_ADDR x, GM_ADDR out, GM_ADDR workspace,
                                             GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(ConcatTilingData);
  GET_TILING_DATA(tilingData, tiling);
  KernelConcat op;
  op.Init(x, out, tilingData);
  op.Process();
}

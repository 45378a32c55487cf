// product = x * factor, where the factor comes with the tiling; sum is added to what is there.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "values_tiling.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void values(GM_ADDR x, GM_ADDR factor, GM_ADDR product,
                                             GM_ADDR sum, GM_ADDR workspace, GM_ADDR tiling) {
  (void)factor;
  (void)workspace;
  REGISTER_TILING_DEFAULT(ValuesTiling);
  GET_TILING_DATA(data, tiling);
  GlobalTensor<DTYPE_X> from;
  GlobalTensor<DTYPE_X> to;
  GlobalTensor<DTYPE_X> added;
  from.SetGlobalBuffer((__gm__ DTYPE_X*)x, data.length);
  to.SetGlobalBuffer((__gm__ DTYPE_X*)product, data.length);
  added.SetGlobalBuffer((__gm__ DTYPE_X*)sum, data.length);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  LocalTensor<DTYPE_X> tile = buffer.Get<DTYPE_X>();
  const DataCopyExtParams bytes(1, data.length * sizeof(DTYPE_X), 0, 0, 0);
  DataCopyPad(tile, from, bytes, DataCopyPadExtParams<DTYPE_X>());
  PipeBarrier<PIPE_ALL>();
  SetAtomicAdd<DTYPE_X>();
  DataCopyPad(added, tile, bytes);
  SetAtomicNone();
  PipeBarrier<PIPE_ALL>();
  Muls(tile, tile, static_cast<DTYPE_X>(data.factor), data.length);
  PipeBarrier<PIPE_ALL>();
  DataCopyPad(to, tile, bytes);
}

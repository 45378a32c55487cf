// y = x + ADDEND, negated or not: an instance for each selection.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "selections_key.h"
#include "selections_tiling.h"

using namespace AscendC;

template <typename D_T, int ADDEND, bool NEGATE>
__global__ __aicore__ void selections(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  static_assert(std::is_same<D_T, DTYPE_X>::value, "instances are for the tensors' type only");
  static_assert(ADDEND <= 2 || ADDEND == 9 || ADDEND == 300, "an instance that is not selected");
  (void)workspace;
  REGISTER_TILING_DEFAULT(SelectionsTiling);
  GET_TILING_DATA(data, tiling);
  GlobalTensor<D_T> from;
  GlobalTensor<D_T> to;
  from.SetGlobalBuffer((__gm__ D_T*)x, data.length);
  to.SetGlobalBuffer((__gm__ D_T*)y, data.length);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  LocalTensor<D_T> tile = buffer.Get<D_T>();
  const DataCopyExtParams bytes(1, data.length * sizeof(D_T), 0, 0, 0);
  DataCopyPad(tile, from, bytes, DataCopyPadExtParams<D_T>());
  PipeBarrier<PIPE_ALL>();
  Adds(tile, tile, static_cast<D_T>(ADDEND), data.length);
  if constexpr (NEGATE) Muls(tile, tile, static_cast<D_T>(-1), data.length);
  PipeBarrier<PIPE_ALL>();
  DataCopyPad(to, tile, bytes);
}

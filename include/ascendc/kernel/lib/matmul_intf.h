// The matrix product of the advanced library: what describes one. The product itself is not there
// yet, and an object of it is an error of the compiler that says so.
// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_INTF_H
#define LIB_MATMUL_INTF_H

#include "bascule_ascendc/matmul_config.h"
#include "kernel_operator.h"

BASCULE_ASCENDC_BEGIN

template <auto callback_copy_out = nullptr, auto callback_copy_a = nullptr,
          auto callback_copy_b = nullptr>
struct MatmulCallBackFunc {};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>>
class Matmul {
  static_assert(bascule_ascendc::NeverFor<A_TYPE>::value,
                "Matmul is not there yet: this part of the advanced library comes later. "
                "docs/coverage.md lists what is there.");
};

BASCULE_ASCENDC_END

#endif  // LIB_MATMUL_INTF_H

// The template parameters of the kernel, for both sides.
// SPDX-License-Identifier: Apache-2.0
#ifndef SELECTIONS_KEY_H
#define SELECTIONS_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

#define SELECTIONS_NINE 9

ASCENDC_TPL_ARGS_DECL(Selections,
                      ASCENDC_TPL_DATATYPE_DECL(D_T, C_DT_FLOAT, C_DT_FLOAT16, C_DT_INT32,
                                                ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_UINT_DECL(ADDEND, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 2, 0, 2,
                                            4, 5, 12, SELECTIONS_NINE, 300),
                      ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1), );

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),
                                     ASCENDC_TPL_DATATYPE_SEL(D_T, C_DT_FLOAT, C_DT_FLOAT16),
                                     ASCENDC_TPL_UINT_SEL(ADDEND, ASCENDC_TPL_UI_RANGE, 1, 0, 2),
                                     ASCENDC_TPL_BOOL_SEL(NEGATE, 0, 1)),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),
                                     ASCENDC_TPL_DATATYPE_SEL(D_T, C_DT_INT32),
                                     ASCENDC_TPL_UINT_SEL(ADDEND, ASCENDC_TPL_UI_LIST,
                                                          SELECTIONS_NINE, 300),
                                     ASCENDC_TPL_BOOL_SEL(NEGATE, 0)), );

#endif  // SELECTIONS_KEY_H

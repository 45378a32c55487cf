// The constants that kernel code compares ORIG_DTYPE_X and FORMAT_X with in `#if`. The build puts
// this header in front of every kernel file, together with -DDTYPE_X=half -DORIG_DTYPE_X=DT_FLOAT16
// -DFORMAT_X=FORMAT_ND for each input and output. Preprocessor only.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_KERNEL_VARIANT_H_
#define BASCULE_KERNEL_VARIANT_H_

// The numbers of bascule/abi/types.h.
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_BF16 27
#define DT_INT4 29

#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_NC1HWC0_C04 12
#define FORMAT_HWCN 16
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_NDC1HWC0 32
#define FORMAT_FRACTAL_Z_3D 33
#define FORMAT_NC 35
#define FORMAT_NCL 47

#endif  // BASCULE_KERNEL_VARIANT_H_

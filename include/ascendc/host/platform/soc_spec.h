// Architectures of processors by name.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_PLATFORM_SOC_SPEC_H_
#define BASCULE_ASCENDC_PLATFORM_SOC_SPEC_H_

// Source: "GetCurNpuArch" page of the Ascend C documentation; a number is that of __NPU_ARCH__.
enum class NpuArch : unsigned int {
  DAV_1001 = 1001,
  DAV_2002 = 2002,
  DAV_2201 = 2201,
  DAV_3002 = 3002,
  DAV_3102 = 3102,
  DAV_3510 = 3510,
  DAV_5102 = 5102,
  DAV_RESV = 0xffff
};

#endif  // BASCULE_ASCENDC_PLATFORM_SOC_SPEC_H_

// The high-level matrix product.
// SPDX-License-Identifier: Apache-2.0
#error \
    "lib/matmul_intf.h is not there yet: it works on the cube unit, which comes later. docs/coverage.md lists what is there."

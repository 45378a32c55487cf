// A library that has nothing to do with kernels. SPDX-License-Identifier: Apache-2.0
extern "C" int stranger(int x) { return x; }

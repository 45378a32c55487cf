// bascule/check.h for Python.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NATIVE_CHECK_H_
#define BASCULE_NATIVE_CHECK_H_

#include <nanobind/nanobind.h>

namespace bascule::native {

// Adds the class Check and the functions check_… to the module.
void BindCheck(nanobind::module_& module);

}  // namespace bascule::native

#endif  // BASCULE_NATIVE_CHECK_H_

// What `bascule doctor` finds: is this library, or this installation, as it has to be?
//
// A library is read and never loaded, so none of its code runs, nor the text of its gradient.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_DOCTOR_H_
#define BASCULE_TOOLCHAIN_DOCTOR_H_

#include <string>

#include <nlohmann/json.hpp>

namespace bascule::toolchain {

// {"path", "kind": "operators" | "kernels" | "functions" | "unknown", "ok", "checks"}. A check is
// {"check", "status": "ok" | "warning" | "failed", "text", "todo"}; "todo" says what to do next and
// is "" where nothing is. The checks come in one order: found, readable, machine, dependencies,
// symbols, manifest, version, platform, c++ runtime. What an earlier failure makes meaningless is
// left out. `wanted` is an operator that has to be there, or "".
nlohmann::json ExamineLibrary(const std::string& path, const std::string& wanted);

// {"ok", "checks"} of what a build needs: compiler, binutils, headers.
nlohmann::json ExamineInstallation();

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_DOCTOR_H_

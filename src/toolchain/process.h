// Runs compilers and other programs.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_PROCESS_H_
#define BASCULE_TOOLCHAIN_PROCESS_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bascule::toolchain {

struct ProcessResult {
  int exit_code = 0;       // when signal is 0 and it did not time out
  int signal = 0;          // not 0: the signal that ended it
  bool timed_out = false;  // it was killed
  std::string output;      // standard output and error, at most 1 MB

  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

// Runs `command` to its end, with its output in the file `log`. No limit when `timeout_seconds` is
// 0. Throws an Error when the program cannot be started. May be called from several threads.
ProcessResult RunProgram(const std::vector<std::string>& command, const std::filesystem::path& log,
                         double timeout_seconds = 0);

// Runs `command` to its end as this process's own child: standard streams are shared. Interrupts
// end the child and not this process, which still has to clean up. Throws as above.
ProcessResult RunForwarded(const std::vector<std::string>& command);

// The file that PATH gives for `program`, or `program` itself when it holds a slash; nothing when
// there is no such executable.
std::optional<std::filesystem::path> FindProgram(const std::string& program);

// "SIGSEGV", or "signal 42".
std::string SignalName(int signal);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_PROCESS_H_

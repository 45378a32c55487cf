// SPDX-License-Identifier: Apache-2.0
#include "toolchain/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/error.h"

extern char** environ;

namespace bascule::toolchain {
namespace {

constexpr std::size_t kMaxOutput = 1 << 20;

std::string ReadHead(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxOutput, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// Waits for `pid`. With a limit, the process leads a group of its own, and what it started ends
// with it.
int Wait(pid_t pid, double timeout_seconds, bool* timed_out) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_seconds);
  *timed_out = false;
  for (;;) {
    int status = 0;
    const pid_t got = waitpid(pid, &status, timeout_seconds > 0 ? WNOHANG : 0);
    if (got == pid) return status;
    if (got < 0 && errno != EINTR) {
      throw Error(BASCULE_INTERNAL,
                  Join("cannot learn how a child process ended: ", std::strerror(errno),
                       errno == ECHILD ? " (this process ignores SIGCHLD)" : ""));
    }
    if (timeout_seconds <= 0) continue;
    if (Clock::now() >= end) {
      *timed_out = true;
      kill(-pid, SIGKILL);
      timeout_seconds = 0;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

// A spawn that is being prepared: what the child shall find, and how its end is told.
class Spawn {
 public:
  Spawn() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // The caller may block or ignore signals (Python does); a compiler expects the defaults.
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  ProcessResult Run(const std::vector<std::string>& command, double timeout_seconds) {
    std::vector<char*> arguments;
    for (const std::string& argument : command)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    // Without a limit the child stays in the caller's group, so that Ctrl-C reaches both.
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (timeout_seconds > 0) {
      posix_spawnattr_setpgroup(&attributes, 0);
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&attributes, flags);
    pid_t pid = 0;
    const int error =
        posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
    if (error != 0) {
      throw Error(BASCULE_BUILD_ERROR, Join("cannot run ", command[0], ": ", std::strerror(error)));
    }
    ProcessResult result;
    const int status = Wait(pid, timeout_seconds, &result.timed_out);
    if (WIFSIGNALED(status)) {
      result.signal = WTERMSIG(status);
    } else {
      result.exit_code = WEXITSTATUS(status);
    }
    return result;
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

ProcessResult RunProgram(const std::vector<std::string>& command, const std::filesystem::path& log,
                         double timeout_seconds) {
  Spawn spawn;
  posix_spawn_file_actions_addopen(&spawn.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&spawn.actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0644);
  posix_spawn_file_actions_adddup2(&spawn.actions, 1, 2);
  ProcessResult result = spawn.Run(command, timeout_seconds);
  result.output = ReadHead(log);
  return result;
}

ProcessResult RunForwarded(const std::vector<std::string>& command) {
  Spawn spawn;
  using Handler = void (*)(int);
  const Handler interrupt = signal(SIGINT, SIG_IGN);
  const Handler quit = signal(SIGQUIT, SIG_IGN);
  const Handler terminate = signal(SIGTERM, SIG_IGN);
  ProcessResult result = spawn.Run(command, 0);
  signal(SIGINT, interrupt);
  signal(SIGQUIT, quit);
  signal(SIGTERM, terminate);
  return result;
}

std::optional<std::filesystem::path> FindProgram(const std::string& program) {
  const auto usable = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
  };
  if (program.empty()) return std::nullopt;
  if (program.find('/') != std::string::npos) {
    return usable(program) ? std::optional<std::filesystem::path>(program) : std::nullopt;
  }
  const char* search = std::getenv("PATH");
  std::string rest = search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    const std::filesystem::path path =
        std::filesystem::path(folder.empty() ? "." : folder) / program;
    if (usable(path)) return path;
  }
  return std::nullopt;
}

std::string SignalName(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGABRT:
      return "SIGABRT";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGBUS:
      return "SIGBUS";
    case SIGKILL:
      return "SIGKILL";
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGTRAP:
      return "SIGTRAP";
    default:
      return Join("signal ", signal);
  }
}

}  // namespace bascule::toolchain

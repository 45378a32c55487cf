// Work that is done again only when its inputs changed, judged by content.
//
// A step writes one file. Beside it lies a record: a key (command, tool, flags), the content hash
// of every file it read, and that of what it wrote. The step is reused when all of them still hold.
// Like any build tool that trusts dependency files, this does not see a header that appears in a
// folder searched earlier. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_CACHE_H_
#define BASCULE_TOOLCHAIN_CACHE_H_

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::toolchain {

// 32 hexadecimal digits.
std::string HashText(std::string_view text);

// Content hashes of files, each read once. Thread-safe.
class FileHashes {
 public:
  // "" when the file cannot be read.
  std::string Of(const std::filesystem::path& path);
  void Forget(const std::filesystem::path& path);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> hashes_;
};

struct Step {
  std::string name;  // for people: "op_kernel/my_mul.cpp for float16"
  std::filesystem::path output;
  std::filesystem::path record;               // <output>.step unless set
  std::string key;                            // whatever decides the result besides the files read
  std::vector<std::filesystem::path> inputs;  // files it reads, as far as known beforehand
  std::filesystem::path depfile;              // as -MD writes it, for the rest; may be empty
  // Writes `output`; returns what the tools said. Throws an Error on failure.
  std::function<std::string()> run;

  // Results.
  bool reused = false;
  std::string reason;  // why it ran: "new", "op_kernel/my_mul.cpp changed"; empty: reused
  double seconds = 0;
  std::string log;
  std::vector<std::filesystem::path> read;  // inputs and what the dependency file lists
};

// Runs the steps that are not up to date, at most `jobs` at a time. When some fail, the others
// still end, and the error of the first in the list is thrown.
void RunSteps(const std::vector<Step*>& steps, std::size_t jobs, bool force, FileHashes* hashes);

// The prerequisites that a dependency file lists.
std::vector<std::filesystem::path> ParseDepfile(std::string_view text);

std::string ReadFile(const std::filesystem::path& path);  // throws when it cannot be read
// Writes `path` through a temporary file beside it. Does nothing when the content is already there.
void WriteFile(const std::filesystem::path& path, std::string_view text);

// Holds the lock on a folder while it lives; waits for other processes and threads.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_CACHE_H_

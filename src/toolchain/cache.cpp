// SPDX-License-Identifier: Apache-2.0
#include "toolchain/cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path RecordPath(const Step& step) {
  return step.record.empty() ? fs::path(step.output.string() + ".step") : step.record;
}

// What has changed since the record beside the output was written; "": nothing.
std::string WhatChanged(Step* step, FileHashes* hashes) {
  std::ifstream file(RecordPath(*step));
  if (!file) return "new";
  const json record = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object()) return "new";
  try {
    const auto key = record.at("key").get<std::string>();
    std::vector<fs::path> read;
    for (const auto& [path, hash] : record.at("read").items()) {
      if (hashes->Of(path) != hash.get<std::string>()) {
        std::error_code error;
        return path + (fs::exists(path, error) ? " changed" : " is gone");
      }
      read.emplace_back(path);
    }
    if (key != step->key) return "compiler or flags changed";
    for (const fs::path& input : step->inputs) {
      if (!record.at("read").contains(input.string())) return input.string() + " is new";
    }
    if (hashes->Of(step->output) != record.at("output").get<std::string>()) {
      std::error_code error;
      return fs::exists(step->output, error) ? "its result was altered" : "its result is gone";
    }
    step->log = record.at("log").get<std::string>();
    step->read = std::move(read);
    return "";
  } catch (const json::exception&) {
    return "new";  // a record of another version
  }
}

void RunStep(Step* step, bool force, FileHashes* hashes) {
  const auto start = std::chrono::steady_clock::now();
  const auto finish = [&] {
    step->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  step->reason = force ? "forced" : WhatChanged(step, hashes);
  if (step->reason.empty()) {
    step->reused = true;
    finish();
    return;
  }

  // Without the record a step that is interrupted runs again.
  std::error_code ignored;
  fs::remove(RecordPath(*step), ignored);
  hashes->Forget(step->output);
  step->log = step->run();
  step->read = step->inputs;
  if (!step->depfile.empty()) {
    for (fs::path& path : ParseDepfile(ReadFile(step->depfile)))
      step->read.push_back(std::move(path));
  }
  json read = json::object();
  for (const fs::path& path : step->read) read[path.string()] = hashes->Of(path);
  const json record = {
      {"key", step->key}, {"read", read}, {"output", hashes->Of(step->output)}, {"log", step->log}};
  WriteFile(RecordPath(*step), record.dump(1, ' ', false, json::error_handler_t::replace));
  finish();
}

}  // namespace

std::string HashText(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char digits[33];
  std::snprintf(digits, sizeof(digits), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

std::string FileHashes::Of(const fs::path& path) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = hashes_.find(path.string());
    if (known != hashes_.end()) return known->second;
  }
  std::ifstream file(path, std::ios::binary);
  std::string hash;
  if (file) {
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.bad()) hash = HashText(text);
  }
  const std::lock_guard lock(mutex_);
  return hashes_[path.string()] = hash;
}

void FileHashes::Forget(const fs::path& path) {
  const std::lock_guard lock(mutex_);
  hashes_.erase(path.string());
}

void RunSteps(const std::vector<Step*>& steps, std::size_t jobs, bool force, FileHashes* hashes) {
  std::vector<std::exception_ptr> errors(steps.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < steps.size(); i = next++) {
      try {
        RunStep(steps[i], force, hashes);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min(jobs, steps.size()); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

std::vector<fs::path> ParseDepfile(std::string_view text) {
  std::vector<fs::path> paths;
  std::string word;
  bool in_targets = true;
  const auto end_word = [&] {
    if (!word.empty() && !in_targets) paths.emplace_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char following = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && (following == '\n' || following == '\r')) {
      end_word();
      i += following == '\r' ? 2 : 1;
    } else if (c == '\\' && (following == ' ' || following == '#' || following == '\\')) {
      word += following;
      ++i;
    } else if (c == '$' && following == '$') {
      word += '$';
      ++i;
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else if (c == '\n') {
      end_word();
      in_targets = true;
    } else if (c == ':' && in_targets &&
               (following == ' ' || following == '\n' || following == '\\')) {
      word.clear();
      in_targets = false;
    } else {
      word += c;
    }
  }
  end_word();
  return paths;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(BASCULE_NOT_FOUND, Join(path.string(), " cannot be read: ", std::strerror(errno)));
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, std::string_view text) {
  {
    std::ifstream file(path, std::ios::binary);
    if (file && std::string(std::istreambuf_iterator<char>(file), {}) == text) return;
  }
  const fs::path aside = path.string() + Join(".", getpid(), ".tmp");
  std::ofstream file(aside, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code error;
  if (!file) {
    error.assign(errno, std::generic_category());
  } else {
    fs::rename(aside, path, error);
  }
  if (!file || error) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw Error(BASCULE_BUILD_ERROR, Join(path.string(), " cannot be written: ", error.message()));
  }
}

FolderLock::FolderLock(const fs::path& folder) {
  const fs::path path = folder / "lock";
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    throw Error(BASCULE_BUILD_ERROR,
                Join(path.string(), " cannot be opened: ", std::strerror(errno)));
  }
  while (flock(fd_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int error = errno;
    close(fd_);
    throw Error(BASCULE_BUILD_ERROR,
                Join(path.string(), " cannot be locked: ", std::strerror(error)));
  }
}

FolderLock::~FolderLock() { close(fd_); }

}  // namespace bascule::toolchain

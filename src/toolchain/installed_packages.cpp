// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installed_packages.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libcust_opapi.so";

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

}  // namespace

std::vector<fs::path> InstalledLibraries() {
  std::vector<fs::path> places;
  if (const char* custom = std::getenv("ASCEND_CUSTOM_OPP_PATH"); custom != nullptr) {
    for (const std::string& entry : Split(custom, ':')) {
      if (entry.empty() || entry[0] != '/') continue;
      places.push_back(fs::path(entry) / "op_api/lib" / kLibrary);
      places.push_back(fs::path(entry) / kLibrary);
    }
  }
  if (const char* opp = std::getenv("ASCEND_OPP_PATH"); opp != nullptr && opp[0] == '/') {
    std::ifstream config(fs::path(opp) / "vendors/config.ini");
    const std::string key = "load_priority=";
    for (std::string line; std::getline(config, line);) {
      if (line.rfind(key, 0) != 0) continue;
      for (const std::string& vendor : Split(line.substr(key.size()), ',')) {
        places.push_back(fs::path(opp) / "vendors" / vendor / "op_api/lib" / kLibrary);
      }
    }
  }
  return places;
}

std::string WhyNotTrusted(const fs::path& library) {
  for (const fs::path& place : {library, library.parent_path()}) {
    struct stat status;
    if (stat(place.c_str(), &status) != 0) return place.string() + " cannot be looked at";
    if ((status.st_mode & S_IWOTH) != 0) return "everybody may write to " + place.string();
  }
  return "";
}

}  // namespace bascule::toolchain

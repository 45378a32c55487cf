# Third-party code: the system's package first, else the upstream release by its SHA-256. A fetched
# project becomes a static library inside libbascule.so and installs nothing.
#
# Each dependency ends as one target that means the same either way, and the layers name that target:
#   hwy::hwy  Boost::context  nlohmann_json::nlohmann_json  xxHash::xxhash  libelf::libelf
#   GTest::gtest_main  benchmark::benchmark
#
# -DBASCULE_FETCH_DEPENDENCIES=ON skips the search, to build what users without the packages build.

include_guard(GLOBAL)
include(FetchContent)

option(BASCULE_FETCH_DEPENDENCIES "Build pinned releases even where a system package exists" OFF)

# Downloads a release and sets <name>_SOURCE_DIR without adding it to the build (a SOURCE_SUBDIR that
# does not exist is the documented way to say that).
macro(bascule_fetch name url sha256)
  FetchContent_Declare(
    ${name}
    URL ${url}
    URL_HASH SHA256=${sha256}
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(${name})
endmacro()

# bascule_dependency(<target>
#   PACKAGE <arguments of find_package>
#   FETCH <name> <url> <sha256> PROVIDES <the fetched project's own target>
#   OPTIONS <VAR=value> ...)
function(bascule_dependency target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROVIDES" "PACKAGE;FETCH;OPTIONS")
  if(NOT TARGET ${target} AND NOT BASCULE_FETCH_DEPENDENCIES)
    find_package(${arg_PACKAGE} QUIET GLOBAL)
  endif()
  if(TARGET ${target})
    return()
  endif()

  list(POP_FRONT arg_FETCH name url sha256)
  message(STATUS "${target}: building ${url}")
  bascule_fetch(${name} ${url} ${sha256})

  # Plain variables of this function's scope: they reach the project below and nothing else.
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_C_VISIBILITY_PRESET hidden)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_SKIP_INSTALL_RULES ON)
  set(BUILD_SHARED_LIBS OFF)
  set(BUILD_TESTING OFF)
  foreach(option IN LISTS arg_OPTIONS)
    string(REGEX MATCH "^([^=]+)=(.*)$" _ "${option}")
    set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
  endforeach()
  add_subdirectory("${${name}_SOURCE_DIR}" "${${name}_BINARY_DIR}" EXCLUDE_FROM_ALL)
  if(NOT TARGET ${target})
    add_library(${target} ALIAS ${arg_PROVIDES})
  endif()
endfunction()

# Vector instructions. 1.0.3 is what Debian 12 has and the oldest we build with.
bascule_dependency(
  hwy::hwy
  PACKAGE hwy 1.0.3
  FETCH highway https://github.com/google/highway/archive/refs/tags/1.2.0.tar.gz
        7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343
  PROVIDES hwy
  OPTIONS HWY_ENABLE_TESTS=OFF HWY_ENABLE_EXAMPLES=OFF HWY_ENABLE_CONTRIB=OFF HWY_ENABLE_INSTALL=OFF)

# Fibres. Only the context library; static where the system has it, so that a wheel does not depend
# on a Boost of one exact version.
set(Boost_USE_STATIC_LIBS ON)
bascule_dependency(
  Boost::context
  PACKAGE Boost 1.74 CONFIG COMPONENTS context
  FETCH boost https://github.com/boostorg/boost/releases/download/boost-1.84.0/boost-1.84.0.tar.xz
        2e64e5d79a738d0fa6fb546c6e5c2bd28f88d268a2a080546f74e5ff98f29d0e
  PROVIDES boost_context
  OPTIONS BOOST_INCLUDE_LIBRARIES=context BOOST_SKIP_INSTALL_RULES=ON)
unset(Boost_USE_STATIC_LIBS)

# Manifests.
bascule_dependency(
  nlohmann_json::nlohmann_json
  PACKAGE nlohmann_json 3.10
  FETCH nlohmann_json https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
        d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  PROVIDES nlohmann_json
  OPTIONS JSON_BuildTests=OFF JSON_Install=OFF)

# Content hashes. Used as a header only (XXH_INLINE_ALL), so no symbol of another xxHash in the
# process can be taken for ours.
if(NOT TARGET xxHash::xxhash)
  if(NOT BASCULE_FETCH_DEPENDENCIES)
    find_path(BASCULE_XXHASH_INCLUDE_DIR xxhash.h)
    mark_as_advanced(BASCULE_XXHASH_INCLUDE_DIR)
  endif()
  if(NOT BASCULE_XXHASH_INCLUDE_DIR)
    message(STATUS "xxHash::xxhash: fetching 0.8.2")
    bascule_fetch(xxhash https://github.com/Cyan4973/xxHash/archive/refs/tags/v0.8.2.tar.gz
                  baee0c6afd4f03165de7a4e67988d16f0f2b257b51d0e3cb91909302a26a79c4)
    set(BASCULE_XXHASH_INCLUDE_DIR "${xxhash_SOURCE_DIR}")
  endif()
  add_library(bascule_xxhash INTERFACE)
  target_include_directories(bascule_xxhash SYSTEM INTERFACE "${BASCULE_XXHASH_INCLUDE_DIR}")
  target_compile_definitions(bascule_xxhash INTERFACE XXH_INLINE_ALL)
  add_library(xxHash::xxhash ALIAS bascule_xxhash)
endif()

# Reading libraries without loading them. From the system only: elfutils has no CMake build, and every
# Linux distribution has the package.
if(NOT TARGET libelf::libelf)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(BASCULE_LIBELF QUIET IMPORTED_TARGET GLOBAL libelf)
  endif()
  if(NOT BASCULE_LIBELF_FOUND)
    message(FATAL_ERROR "libelf was not found through pkg-config. Install it: "
                        "`apt-get install libelf-dev pkg-config` (Debian, Ubuntu), "
                        "`dnf install elfutils-libelf-devel pkgconf` (Fedora).")
  endif()
  add_library(libelf::libelf ALIAS PkgConfig::BASCULE_LIBELF)
endif()

if(BASCULE_BUILD_TESTS)
  bascule_dependency(
    GTest::gtest_main
    PACKAGE GTest 1.11
    FETCH googletest https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
          8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
    PROVIDES gtest_main
    OPTIONS INSTALL_GTEST=OFF)
endif()

if(BASCULE_BUILD_BENCH)
  bascule_dependency(
    benchmark::benchmark
    PACKAGE benchmark 1.7
    FETCH benchmark https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
          6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce
    PROVIDES benchmark
    OPTIONS BENCHMARK_ENABLE_TESTING=OFF BENCHMARK_ENABLE_GTEST_TESTS=OFF
            BENCHMARK_ENABLE_INSTALL=OFF BENCHMARK_ENABLE_WERROR=OFF)
endif()

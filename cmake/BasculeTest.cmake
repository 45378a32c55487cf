# Tests and benchmarks: one call each.
#
#   bascule_add_test(base_half_test
#     SOURCES half_test.cpp
#     USES base                 # layers by short name, third-party targets with `::`
#     LABELS base slow          # ctest -L / -LE; `slow` is left out of `make test`
#     TIMEOUT 120)              # seconds for one case, 60 unless told
#
# Every GoogleTest case becomes one CTest test named <name>.<Suite>.<Case>. The tests link the static
# layers, so they see what the shared library hides. `PREFIX` makes the test wait for the staged
# installation and compiles its path in as BASCULE_TEST_PREFIX, for tests that compile kernels.
# `SERIAL` runs the cases while nothing else runs, for those that look at the clock.
#
#   bascule_add_bench(base_half_bench SOURCES half_bench.cpp USES base)
#
# makes a Google Benchmark program in <build>/bench; bench/run.py runs them.

include_guard(GLOBAL)
include(BasculeLayer)

function(bascule_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PREFIX;SERIAL" "TIMEOUT" "SOURCES;USES;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "bascule_add_test(${name}): wanted SOURCES files [USES layers] "
                        "[LABELS labels] [TIMEOUT seconds] [PREFIX] [SERIAL], got '${ARGN}'.")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(CMAKE_CROSSCOMPILING_EMULATOR OR BASCULE_SANITIZE) # ten times slower and more
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 10")
  endif()

  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  bascule_target_defaults(${name})
  bascule_resolve_uses(uses ${arg_USES})
  target_link_libraries(${name} PRIVATE bascule_options ${uses} GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                             "${PROJECT_SOURCE_DIR}/include"
                                             "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE BASCULE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # What is tested stands in the libraries; a test itself compiles in half the time so.
  target_compile_options(${name} PRIVATE -O1)
  if(arg_PREFIX)
    add_dependencies(${name} bascule_stage)
    target_compile_definitions(${name} PRIVATE BASCULE_TEST_PREFIX="${BASCULE_STAGE_DIR}")
  endif()

  # PRE_TEST: a cross-compiled or sanitized binary is not run while building.
  gtest_discover_tests(
    ${name}
    TEST_PREFIX "${name}."
    NO_PRETTY_VALUES # a structure prints as its bytes, and they differ from run to run
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${arg_SERIAL})

  # Labels are set afterwards, when CTest reads its files: handed to gtest_discover_tests, a list of
  # more than one needs a different escape in every few CMake versions.
  if(arg_LABELS)
    set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
    file(WRITE "${labels_file}" "foreach(test IN LISTS ${name}_TESTS)\n"
         "  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${arg_LABELS}\")\n"
         "endforeach()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
  endif()
endfunction()

function(bascule_add_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "bascule_add_bench(${name}): wanted SOURCES files [USES layers], "
                        "got '${ARGN}'.")
  endif()
  add_executable(${name} ${arg_SOURCES})
  bascule_target_defaults(${name})
  bascule_resolve_uses(uses ${arg_USES})
  target_link_libraries(${name} PRIVATE bascule_options ${uses} benchmark::benchmark)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                             "${PROJECT_SOURCE_DIR}/include")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
endfunction()

# The compilers that kernel headers are tried with: this build's and, where there are any, clang++
# and g++.
function(bascule_find_compilers out)
  find_program(BASCULE_OTHER_CLANG NAMES clang++ clang++-14 clang++-15 clang++-16 clang++-17)
  find_program(BASCULE_OTHER_GCC NAMES g++)
  mark_as_advanced(BASCULE_OTHER_CLANG BASCULE_OTHER_GCC)
  if(CMAKE_CROSSCOMPILING) # the machine's own compilers have their turn where it builds for itself
    set(BASCULE_OTHER_GCC "")
  endif()
  set(compilers "")
  foreach(compiler IN ITEMS "${CMAKE_CXX_COMPILER}" ${BASCULE_OTHER_CLANG} ${BASCULE_OTHER_GCC})
    if(compiler)
      file(REAL_PATH "${compiler}" compiler)
      list(APPEND compilers "${compiler}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES compilers)
  set(${out} "${compilers}" PARENT_SCOPE)
endfunction()

# The prefix: what `bascule prefix` prints, the same under a system directory, in the staging folder
# of a build, and inside the Python package of a wheel.
#
#   include/                 the Ascend C headers, kernel and host side under one root
#   include/bascule/         ours
#   lib/libbascule.so
#   lib/bascule/             what builds with this compiler need not compile
#   lib64/                   libraries of the toolkit that build files link by name: nothing is in them
#   bin/bascule-ascc         the driver that compiles .asc files
#   bin/bascule-npu-op       what the CMake functions npu_op_... call
#   bin/atc                  the toolkit's converter, for descriptions of single operators
#   set_env.sh               environment variables for build files of the toolkit
#   opp/                     made when an operator package is installed
#   share/cmake/bascule/     find_package(bascule)
#   share/cmake/ASC/         find_package(ASC), which brings the language
#   share/cmake/ascendc/     ascendc_library()
#   share/cmake/npu_op/      npu_op_package() and its kin
#   share/cmake/tikicpulib/  find_package(tikicpulib), for tests written for the CPU debug mode
#   compiler/, tools/        the last three where other build files look for them

include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

# Every build stages the prefix once more; a line per header each time would bury the warnings.
if(NOT DEFINED CMAKE_INSTALL_MESSAGE)
  set(CMAKE_INSTALL_MESSAGE NEVER)
endif()

target_include_directories(bascule INTERFACE $<INSTALL_INTERFACE:include>
                                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
install(
  TARGETS bascule
  EXPORT basculeTargets
  LIBRARY DESTINATION lib COMPONENT runtime)
install(DIRECTORY include/ascendc/kernel/ include/ascendc/host/ DESTINATION include
        COMPONENT runtime)
install(DIRECTORY include/bascule DESTINATION include COMPONENT runtime)
# The toolkit has a header for each function of its library, under two roots; here there is one.
set(functions
    activation/geglu activation/gelu activation/logsoftmax activation/reglu activation/sigmoid
    activation/silu activation/softmax activation/swiglu activation/swish
    math/acos math/acosh math/asin math/asinh math/atan math/atanh math/axpy math/ceil math/clamp
    math/cos math/cosh math/cumsum math/erf math/erfc math/exp math/floor math/fmod math/frac math/log
    math/power math/rint math/round math/sign math/sin math/sinh math/tan math/tanh math/trunc math/xor
    normalization/deepnorm normalization/layernorm normalization/normalize normalization/rmsnorm
    normalization/welfordfinalize normalization/welfordupdate
    pad/broadcast pad/kernel_operator_pad_intf pad/pad reduce/mean reduce/reduce reduce/sum
    sort/sort sort/topk transpose/confusion_transpose)
foreach(root IN ITEMS adv_api lib)
  foreach(function IN LISTS functions)
    set(header "${PROJECT_BINARY_DIR}/headers/${root}/${function}.h")
    file(CONFIGURE OUTPUT "${header}" CONTENT "#pragma once\n#include \"kernel_operator.h\"\n")
  endforeach()
endforeach()
install(DIRECTORY "${PROJECT_BINARY_DIR}/headers/" DESTINATION include COMPONENT runtime)
install(
  CODE "
    set(FROM \"${PROJECT_SOURCE_DIR}/include/ascendc/kernel\")
    set(TO \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/include\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/name_headers.cmake\")"
  COMPONENT runtime)

install(
  EXPORT basculeTargets
  NAMESPACE bascule::
  DESTINATION share/cmake/bascule
  COMPONENT runtime)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/basculeConfig.cmake.in" "${PROJECT_BINARY_DIR}/basculeConfig.cmake"
  INSTALL_DESTINATION share/cmake/bascule)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/basculeConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/basculeConfig.cmake"
              "${PROJECT_BINARY_DIR}/basculeConfigVersion.cmake"
        DESTINATION share/cmake/bascule COMPONENT runtime)
foreach(library IN ITEMS acl_mdl acl_op_executor acl_rt acl_rtc ascendcl c_sec exe_graph graph graph_base
                         nnopbase platform register rt2_registry runtime tiling_api unified_dlog)
  install(FILES cmake/libraries/nothing.ld RENAME lib${library}.so DESTINATION lib64
          COMPONENT runtime)
endforeach()
# The shipped operators as sources, which bascule.shipped builds when they are asked for.
install(DIRECTORY operators/ DESTINATION share/operators COMPONENT runtime
        FILES_MATCHING PATTERN "*/*.cpp" PATTERN "*/*.h" PATTERN "*/*.py"
        PATTERN "build_out" EXCLUDE PATTERN "__pycache__" EXCLUDE PATTERN ".*" EXCLUDE
        PATTERN "build_operator.cpp" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
# Under share/, because before project() no CMake looks into lib64 or lib/<architecture>.
install(DIRECTORY cmake/asc/ DESTINATION share/cmake/ASC COMPONENT runtime)
install(DIRECTORY cmake/npu_op/ DESTINATION share/cmake/npu_op COMPONENT runtime
        PATTERN set_env.sh EXCLUDE
        PATTERN atc EXCLUDE)
install(PROGRAMS cmake/npu_op/atc DESTINATION bin COMPONENT runtime)
install(FILES cmake/npu_op/set_env.sh DESTINATION . COMPONENT runtime)
install(FILES cmake/ascendc/ascendc.cmake DESTINATION share/cmake/ascendc COMPONENT runtime)
install(FILES cmake/tikicpulib/tikicpulibConfig.cmake DESTINATION share/cmake/tikicpulib
        COMPONENT runtime)
install(FILES cmake/tikicpulib/forward.cmake RENAME tikicpulib-config.cmake COMPONENT runtime
        DESTINATION tools/tikicpulib/lib/cmake)
foreach(folder IN ITEMS compiler tools)
  foreach(file IN ITEMS ascendc ASCConfig)
    install(FILES cmake/ascendc/forward_${file}.cmake RENAME ${file}.cmake COMPONENT runtime
            DESTINATION ${folder}/tikcpp/ascendc_kernel_cmake)
  endforeach()
endforeach()

# The part of operators' libraries that is always the same, and the compiler that made it
# (CompiledHostPart in src/toolchain/build.cpp). Its flags are those of `bascule build` and not the
# project's own.
if(NOT CMAKE_CROSSCOMPILING)
  set(host_part "${PROJECT_BINARY_DIR}/host_part")
  file(MAKE_DIRECTORY "${host_part}")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" --version OUTPUT_VARIABLE version)
  string(REGEX REPLACE "\n.*" "" version "${version}")
  file(CONFIGURE OUTPUT "${host_part}/host_part.compiler" CONTENT "${version}" @ONLY)
  set(gnu_flags)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(gnu_flags -fno-gnu-unique)
  endif()
  add_custom_command(
    OUTPUT "${host_part}/host_part.o"
    COMMAND
      "${CMAKE_CXX_COMPILER}" -std=c++17 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
      -ffp-contract=off ${gnu_flags} -Os
      "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/include/ascendc/host"
      -MD -MF "${host_part}/host_part.d" -MT "${host_part}/host_part.o"
      -x c++ -c "${PROJECT_SOURCE_DIR}/include/ascendc/host/bascule_host_part.h"
      -o "${host_part}/host_part.o"
    DEPENDS "${PROJECT_SOURCE_DIR}/include/ascendc/host/bascule_host_part.h"
    DEPFILE "${host_part}/host_part.d"
    COMMENT "Compiling the host part of operators' libraries"
    VERBATIM)
  add_custom_target(bascule_host_part ALL DEPENDS "${host_part}/host_part.o")
  install(FILES "${host_part}/host_part.o" "${host_part}/host_part.compiler"
          DESTINATION lib/bascule COMPONENT runtime)
endif()

# The same prefix under the build tree, for tests that compile kernels. Always run, because headers
# come and go without CMake being asked; the old ones go first, so that a header that was renamed is
# not found under its old name. File times are kept, so nothing is recompiled for it.
set(BASCULE_STAGE_DIR "${PROJECT_BINARY_DIR}/prefix")
add_custom_target(
  bascule_stage ALL
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${BASCULE_STAGE_DIR}/include"
  COMMAND
    "${CMAKE_COMMAND}" "-DCMAKE_INSTALL_PREFIX=${BASCULE_STAGE_DIR}"
    -DCMAKE_INSTALL_COMPONENT=runtime -P
    "${PROJECT_BINARY_DIR}/cmake_install.cmake"
  COMMENT "Staging ${BASCULE_STAGE_DIR}"
  VERBATIM)
add_dependencies(bascule_stage bascule bascule-ascc bascule-npu-op)
if(TARGET bascule_host_part)
  add_dependencies(bascule_stage bascule_host_part)
endif()

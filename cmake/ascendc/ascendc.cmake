# The older way to build kernels: include(ascendc.cmake) in a project of CXX, then
#
#   ascendc_library(kernels STATIC add_custom.cpp)       # or SHARED
#   ascendc_include_directories(kernels PRIVATE ...)
#   ascendc_compile_definitions(kernels PRIVATE ...)
#   ascendc_compile_options(kernels PRIVATE ...)
#   target_link_libraries(main PRIVATE kernels)
#
# For each kernel there is a header aclrtlaunch_NAME.h, and main.cpp launches it with
# ACLRT_LAUNCH_KERNEL(NAME)(blockDim, stream, arguments...). Kernel files may use <<<>>> themselves.
#
# Kernels are compiled by commands and not by a language, so this works from any folder of a project.

include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.16)
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

get_filename_component(_ascendc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set_property(GLOBAL PROPERTY ASCENDC_PREFIX "${_ascendc_prefix}")
unset(_ascendc_prefix)

# What host code is linked with: headers, and the loader they look the runtime up with.
foreach(_ascendc_target IN ITEMS host_intf_pub ascendcl)
  if(NOT TARGET ${_ascendc_target})
    add_library(${_ascendc_target} INTERFACE IMPORTED GLOBAL)
    get_property(_ascendc_prefix GLOBAL PROPERTY ASCENDC_PREFIX)
    set_target_properties(
      ${_ascendc_target}
      PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_ascendc_prefix}/include"
                 INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
  endif()
endforeach()
unset(_ascendc_target)

# -Dname for each entry of a property of the target, and so on; empty when there is none.
function(_ascendc_each out flag target property)
  set(list "$<TARGET_PROPERTY:${target},${property}>")
  set(${out} "$<$<BOOL:${list}>:${flag}$<JOIN:${list},$<SEMICOLON>${flag}>>" PARENT_SCOPE)
endfunction()

function(ascendc_library target)
  set(sources ${ARGN})
  set(kind STATIC)
  list(GET sources 0 first)
  if(first MATCHES "^(STATIC|SHARED)$")
    set(kind ${first})
    list(REMOVE_AT sources 0)
  endif()
  if(NOT sources)
    message(FATAL_ERROR "ascendc_library(${target}): no kernel files were named.")
  endif()

  get_property(prefix GLOBAL PROPERTY ASCENDC_PREFIX)
  set(driver "${prefix}/bin/bascule-ascc")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir")
  set(headers "${CMAKE_BINARY_DIR}/include/${target}")
  file(MAKE_DIRECTORY "${folder}" "${headers}")
  _ascendc_each(definitions -D ${target} COMPILE_DEFINITIONS)
  _ascendc_each(includes -I ${target} INCLUDE_DIRECTORIES)
  _ascendc_each(options "" ${target} COMPILE_OPTIONS)
  set(launcher "")
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    string(REPLACE ";" " " launcher "${CMAKE_CXX_COMPILER_LAUNCHER}")
    set(launcher "--launcher=${launcher}")
  endif()

  set(objects "")
  set(stamps "")
  foreach(source IN LISTS sources)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(name "${source}" NAME)
    list(LENGTH objects number)
    set(object "${folder}/${number}-${name}.o")
    # Who finds out about headers: the depfile, but for Makefiles of an old CMake its own scan.
    file(RELATIVE_PATH made "${CMAKE_BINARY_DIR}" "${object}")
    if(NOT CMAKE_VERSION VERSION_LESS 3.20)
      set(made "${object}")
    endif()
    set(dependencies DEPFILE "${object}.d")
    if(CMAKE_VERSION VERSION_LESS 3.20 AND NOT CMAKE_GENERATOR MATCHES "Ninja")
      set(dependencies IMPLICIT_DEPENDS CXX "${source}")
    endif()
    add_custom_command(
      OUTPUT "${object}"
      COMMAND
        "${driver}" "--host-compiler=${CMAKE_CXX_COMPILER}" ${launcher} --launch-functions -std=gnu++17
        -fPIC -O2 "$<$<CONFIG:Debug>:-O0;-g>" "${definitions}" "${includes}" "${options}" -MD -MT
        "${made}" -MF "${object}.d" -c "${source}" -o "${object}"
      DEPENDS "${source}" "${driver}" ${dependencies}
      COMMENT "Building Ascend C object ${name}"
      COMMAND_EXPAND_LISTS VERBATIM)
    set(stamp "${folder}/${number}-${name}.headers")
    add_custom_command(
      OUTPUT "${stamp}"
      COMMAND "${driver}" "--launch-headers=${headers}" "${source}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS "${source}" "${driver}"
      COMMENT "Writing launch headers of ${name}"
      VERBATIM)
    list(APPEND objects "${object}")
    list(APPEND stamps "${stamp}")
  endforeach()

  add_custom_target(${target}_launch_headers DEPENDS ${stamps})
  add_library(${target} ${kind} ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  add_dependencies(${target} ${target}_launch_headers)
  target_include_directories(${target} INTERFACE "${headers}")
  target_link_libraries(${target} PUBLIC host_intf_pub)
endfunction()

# The target's own properties are what its kernels are compiled with.
macro(ascendc_include_directories target)
  target_include_directories(${target} ${ARGN})
endmacro()
macro(ascendc_compile_definitions target)
  target_compile_definitions(${target} ${ARGN})
endmacro()
macro(ascendc_compile_options target)
  target_compile_options(${target} ${ARGN})
endmacro()

function(ascendc_fatbin_library target)
  message(FATAL_ERROR "ascendc_fatbin_library(${target}): a kernel binary for the NPU is nothing bascule makes. "
                      "Use ascendc_library.")
endfunction()

cmake_policy(POP)

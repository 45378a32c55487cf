# find_package(ASC): makes the language ASC known, for
#
#   find_package(ASC REQUIRED)
#   project(saxpy LANGUAGES ASC CXX)
#   add_executable(saxpy saxpy.asc)
#
# It may stand before project(), so it sets paths and nothing else:
#
#   CMAKE_MODULE_PATH         where project() then finds the language, beside this file
#   ASC_PREFIX                the installation of bascule this file belongs to
#   ENV{ASCEND_HOME_PATH}     the same, while CMake runs: build files look for headers there
#
# The language itself is described in CMakeASCInformation.cmake.

if(CMAKE_VERSION VERSION_LESS 3.16)
  set(ASC_FOUND FALSE)
  set(ASC_NOT_FOUND_MESSAGE "the ASC language needs CMake 3.16, and this is ${CMAKE_VERSION}")
  return()
endif()

get_filename_component(ASC_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
list(FIND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}" _asc_index)
if(_asc_index EQUAL -1)
  list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
endif()
unset(_asc_index)

if(NOT "$ENV{ASCEND_HOME_PATH}" STREQUAL "" AND NOT "$ENV{ASCEND_HOME_PATH}" STREQUAL ASC_PREFIX)
  message(STATUS "ASC: ASCEND_HOME_PATH is ${ASC_PREFIX} here, instead of $ENV{ASCEND_HOME_PATH}")
endif()
set(ENV{ASCEND_HOME_PATH} "${ASC_PREFIX}")
# Operator projects: npu_op_package() and its kin.
if(NOT ASCEND_AUTOGEN_PATH)
  set(ASCEND_AUTOGEN_PATH "${CMAKE_BINARY_DIR}/autogen")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/../npu_op/npu_op.cmake")

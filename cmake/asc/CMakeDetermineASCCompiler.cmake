# Finds the driver and the C++ compiler it works with. Called once, when a build folder is new.
#
# CMAKE_ASC_COMPILER       the driver; of the same installation unless set
# CMAKE_ASC_HOST_COMPILER  the C++ compiler; CMAKE_CXX_COMPILER, CXX, g++, c++ or clang++ unless set

get_filename_component(_asc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT CMAKE_ASC_COMPILER)
  set(CMAKE_ASC_COMPILER "${_asc_prefix}/bin/bascule-ascc" CACHE FILEPATH "The driver that compiles ASC")
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)
if(NOT EXISTS "${CMAKE_ASC_COMPILER}")
  message(FATAL_ERROR "CMAKE_ASC_COMPILER is ${CMAKE_ASC_COMPILER}, which does not exist. It is the program "
                      "bascule-ascc of an installation of bascule; leave it unset to use the one beside "
                      "${CMAKE_CURRENT_LIST_DIR}.")
endif()

if(NOT CMAKE_ASC_HOST_COMPILER)
  set(_asc_names g++ c++ clang++)
  if(CMAKE_CXX_COMPILER)
    set(_asc_names "${CMAKE_CXX_COMPILER}")
  elseif(NOT "$ENV{CXX}" STREQUAL "")
    separate_arguments(_asc_words UNIX_COMMAND "$ENV{CXX}")
    # Launchers stand in front, options behind.
    foreach(_asc_word IN LISTS _asc_words)
      if(_asc_word MATCHES "^-")
        break()
      endif()
      set(_asc_names "${_asc_word}")
    endforeach()
  endif()
  find_program(CMAKE_ASC_HOST_COMPILER NAMES ${_asc_names} DOC "The C++ compiler that ASC is compiled with")
  if(NOT CMAKE_ASC_HOST_COMPILER)
    string(REPLACE ";" ", " _asc_names "${_asc_names}")
    message(FATAL_ERROR "No C++ compiler was found for ASC; looked for ${_asc_names}. Install one, or name it "
                        "with -DCMAKE_ASC_HOST_COMPILER=.")
  endif()
endif()
mark_as_advanced(CMAKE_ASC_HOST_COMPILER)

execute_process(
  COMMAND "${CMAKE_ASC_COMPILER}" "--host-compiler=${CMAKE_ASC_HOST_COMPILER}" --version
  OUTPUT_VARIABLE _asc_version
  ERROR_VARIABLE _asc_error
  RESULT_VARIABLE _asc_result)
if(NOT _asc_result EQUAL 0)
  message(FATAL_ERROR "The ASC compiler does not run: ${_asc_version}${_asc_error}")
endif()
string(REGEX MATCH "bascule-ascc ([0-9.]+)\n([^\n]*)" _asc_match "${_asc_version}")
set(CMAKE_ASC_COMPILER_VERSION "${CMAKE_MATCH_1}")
set(_asc_host_version "${CMAKE_MATCH_2}")
if(_asc_host_version MATCHES "clang")
  set(CMAKE_ASC_COMPILER_ID Clang)
else()
  set(CMAKE_ASC_COMPILER_ID GNU)
endif()
message(STATUS "The ASC compiler is bascule-ascc ${CMAKE_ASC_COMPILER_VERSION} with ${_asc_host_version}")

# Folders the compiler searches anyway: named once more with -isystem, they would come in another order.
execute_process(
  COMMAND "${CMAKE_ASC_HOST_COMPILER}" -E -v -x c++ /dev/null
  OUTPUT_QUIET
  ERROR_VARIABLE _asc_search)
set(CMAKE_ASC_IMPLICIT_INCLUDE_DIRECTORIES "")
if(_asc_search MATCHES "#include <\\.\\.\\.>[^\n]*\n(.*)\nEnd of search list")
  string(REPLACE "\n" ";" _asc_search "${CMAKE_MATCH_1}")
  foreach(_asc_folder IN LISTS _asc_search)
    string(STRIP "${_asc_folder}" _asc_folder)
    get_filename_component(_asc_folder "${_asc_folder}" ABSOLUTE)
    list(APPEND CMAKE_ASC_IMPLICIT_INCLUDE_DIRECTORIES "${_asc_folder}")
  endforeach()
endif()

set(_CMAKE_PROCESSING_LANGUAGE ASC)
get_filename_component(_CMAKE_TOOLCHAIN_LOCATION "${CMAKE_ASC_HOST_COMPILER}" DIRECTORY)
include(CMakeFindBinUtils)
unset(_CMAKE_PROCESSING_LANGUAGE)

set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
if(NOT CMAKE_ASC_SOURCE_FILE_EXTENSIONS)
  set(CMAKE_ASC_SOURCE_FILE_EXTENSIONS asc)
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
               "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)

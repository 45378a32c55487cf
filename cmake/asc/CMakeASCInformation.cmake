# How ASC is compiled and linked: as C++, by the driver. Read by project() or enable_language().
#
# Looked at, where set before find_package(ASC) or with -D:
#
#   CMAKE_ASC_ARCHITECTURES      dav-2201, which is all there is (Atlas A2 and A3)
#   CMAKE_ASC_STANDARD           17 unless set
#   CMAKE_ASC_FLAGS, CMAKE_ASC_FLAGS_<CONFIG>; without a CMAKE_BUILD_TYPE, -O2
#   CMAKE_ASC_COMPILER_LAUNCHER  ccache works
#   CMAKE_ASC_RUN_MODE           npu, cpu and sim are the same here

include(CMakeCommonLanguageInclude)

if(CMAKE_ASC_ARCHITECTURES AND NOT CMAKE_ASC_ARCHITECTURES STREQUAL "dav-2201")
  message(FATAL_ERROR "CMAKE_ASC_ARCHITECTURES is ${CMAKE_ASC_ARCHITECTURES}; bascule runs kernels for dav-2201 "
                      "(Atlas A2 and A3) only.")
endif()
if(CMAKE_ASC_ENABLE_SIMT)
  message(FATAL_ERROR "CMAKE_ASC_ENABLE_SIMT is on, but dav-2201 (Atlas A2 and A3) has no SIMT; that is dav-3510.")
endif()
if(CMAKE_ASC_STANDARD AND CMAKE_ASC_STANDARD LESS 17)
  message(WARNING "CMAKE_ASC_STANDARD is ${CMAKE_ASC_STANDARD}; the Ascend C headers need 17.")
endif()

set(_asc_standard "${CMAKE_ASC_STANDARD}")
if(NOT _asc_standard)
  set(_asc_standard 17)
endif()
set(_asc_driver "<CMAKE_ASC_COMPILER> \"--host-compiler=${CMAKE_ASC_HOST_COMPILER}\"")
set(_asc_compile "${_asc_driver} -std=gnu++${_asc_standard}")
if(CMAKE_ASC_ARCHITECTURES)
  string(APPEND _asc_compile " --npu-arch=${CMAKE_ASC_ARCHITECTURES}")
endif()
if(CMAKE_ASC_COMPILER_LAUNCHER)
  # The launcher knows C++ and not .asc, so it comes behind the driver.
  string(REPLACE ";" " " _asc_launcher "${CMAKE_ASC_COMPILER_LAUNCHER}")
  string(APPEND _asc_compile " \"--launcher=${_asc_launcher}\"")
endif()

set(CMAKE_ASC_FLAGS_INIT "$ENV{ASCFLAGS} ${CMAKE_ASC_FLAGS_INIT}")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  # Ascend C's own compiler optimises unless told otherwise.
  string(APPEND _asc_compile " -O2")
endif()
string(APPEND CMAKE_ASC_FLAGS_DEBUG_INIT " -O0 -g")
string(APPEND CMAKE_ASC_FLAGS_RELEASE_INIT " -O3 -DNDEBUG")
string(APPEND CMAKE_ASC_FLAGS_RELWITHDEBINFO_INIT " -O2 -g -DNDEBUG")
string(APPEND CMAKE_ASC_FLAGS_MINSIZEREL_INIT " -Os -DNDEBUG")
cmake_initialize_per_config_variable(CMAKE_ASC_FLAGS "Flags used by the ASC compiler")

set(CMAKE_INCLUDE_FLAG_ASC "-I")
set(CMAKE_INCLUDE_SYSTEM_FLAG_ASC "-isystem ")
set(CMAKE_ASC_COMPILE_OPTIONS_PIC -fPIC)
set(CMAKE_ASC_COMPILE_OPTIONS_PIE -fPIE)
set(CMAKE_ASC_LINK_OPTIONS_PIE -fPIE -pie)
set(CMAKE_ASC_LINK_OPTIONS_NO_PIE -no-pie)
set(CMAKE_ASC_COMPILE_OPTIONS_VISIBILITY -fvisibility=)
set(CMAKE_ASC_COMPILE_OPTIONS_VISIBILITY_INLINES_HIDDEN -fvisibility-inlines-hidden)
set(CMAKE_ASC_LINKER_WRAPPER_FLAG "-Wl,")
set(CMAKE_ASC_LINKER_WRAPPER_FLAG_SEP ",")

# Which headers an object depends on. Makefiles ask the compiler from CMake 3.20; older ones do not ask
# at all for a language they do not know.
if(CMAKE_VERSION VERSION_LESS 3.20)
  set(CMAKE_DEPFILE_FLAGS_ASC "-MD -MT <OBJECT> -MF <DEPFILE>")
else()
  set(CMAKE_DEPFILE_FLAGS_ASC "-MD -MT <DEP_TARGET> -MF <DEP_FILE>")
  set(CMAKE_ASC_DEPFILE_FORMAT gcc)
  set(CMAKE_ASC_DEPENDS_USE_COMPILER TRUE)
endif()

set(CMAKE_SHARED_LIBRARY_ASC_FLAGS -fPIC)
set(CMAKE_SHARED_LIBRARY_CREATE_ASC_FLAGS -shared)
set(CMAKE_SHARED_LIBRARY_SONAME_ASC_FLAG "-Wl,-soname,")
set(CMAKE_SHARED_LIBRARY_RUNTIME_ASC_FLAG "-Wl,-rpath,")
set(CMAKE_SHARED_LIBRARY_RUNTIME_ASC_FLAG_SEP ":")
set(CMAKE_SHARED_LIBRARY_RPATH_LINK_ASC_FLAG "-Wl,-rpath-link,")
set(CMAKE_SHARED_LIBRARY_RPATH_ORIGIN_TOKEN "\$ORIGIN")
set(CMAKE_SHARED_MODULE_ASC_FLAGS -fPIC)
set(CMAKE_SHARED_MODULE_CREATE_ASC_FLAGS -shared)
set(CMAKE_EXECUTABLE_RUNTIME_ASC_FLAG "-Wl,-rpath,")
set(CMAKE_EXECUTABLE_RUNTIME_ASC_FLAG_SEP ":")
set(CMAKE_EXECUTABLE_RPATH_LINK_ASC_FLAG "-Wl,-rpath-link,")
set(CMAKE_EXE_EXPORTS_ASC_FLAG "-Wl,--export-dynamic")

set(CMAKE_ASC_COMPILE_OBJECT
    "${_asc_compile} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -x asc -c <SOURCE>")
set(CMAKE_ASC_CREATE_PREPROCESSED_SOURCE
    "${_asc_compile} <DEFINES> <INCLUDES> <FLAGS> -x asc -E <SOURCE> -o <PREPROCESSED_SOURCE>")
set(CMAKE_ASC_CREATE_ASSEMBLY_SOURCE
    "${_asc_compile} <DEFINES> <INCLUDES> <FLAGS> -x asc -S <SOURCE> -o <ASSEMBLY_SOURCE>")
set(CMAKE_ASC_LINK_EXECUTABLE
    "${_asc_driver} <FLAGS> <CMAKE_ASC_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_ASC_CREATE_SHARED_LIBRARY
    "${_asc_driver} <CMAKE_SHARED_LIBRARY_ASC_FLAGS> <LANGUAGE_COMPILE_FLAGS> <LINK_FLAGS> \
<CMAKE_SHARED_LIBRARY_CREATE_ASC_FLAGS> <SONAME_FLAG><TARGET_SONAME> -o <TARGET> <OBJECTS> <LINK_LIBRARIES>")
set(CMAKE_ASC_CREATE_SHARED_MODULE "${CMAKE_ASC_CREATE_SHARED_LIBRARY}")
set(CMAKE_ASC_ARCHIVE_CREATE "<CMAKE_AR> qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_ASC_ARCHIVE_APPEND "<CMAKE_AR> q <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_ASC_ARCHIVE_FINISH "<CMAKE_RANLIB> <TARGET>")

# Libraries of the toolkit that build files link and that have no counterpart here: what programs use of
# them is in the headers. The driver knows them too; these serve what the C++ compiler links. Names that
# a project may well give to a target of its own are left to the driver.
foreach(_asc_library IN ITEMS ascendcl acl_rt tiling_api nnopbase graph_base unified_dlog ascendalog profapi
                              mmpa ascend_dump c_sec error_manager ascendc_runtime)
  if(NOT TARGET ${_asc_library})
    add_library(${_asc_library} INTERFACE IMPORTED)
  endif()
endforeach()

unset(_asc_standard)
unset(_asc_launcher)
unset(_asc_library)
set(CMAKE_ASC_INFORMATION_LOADED 1)

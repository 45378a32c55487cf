# Cross-building for aarch64 Linux with Debian's compiler; `make test-arm64`, preset `arm64`.
#
# Libraries come from .sysroot-arm64, where tools/setup.py unpacks Debian's packages; the C and C++
# libraries are the cross compiler's own. Programs run under qemu-user by its name, so nothing has to
# be registered with the machine's kernel; what they start in turn runs there by way of spawn.c.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(bascule_source "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(bascule_sysroot "${bascule_source}/.sysroot-arm64")
set(bascule_libraries "${bascule_sysroot}/usr/lib/aarch64-linux-gnu")
if(NOT EXISTS "${bascule_sysroot}/.packages")
  message(FATAL_ERROR "${bascule_sysroot} is not there. `python3 tools/setup.py build test arm64` "
                      "makes it, and `make test-arm64` does all of it.")
endif()
set(CMAKE_FIND_ROOT_PATH "${bascule_sysroot}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${bascule_sysroot}")
set(ENV{PKG_CONFIG_LIBDIR} "${bascule_libraries}/pkgconfig")

# Libraries of the sysroot need each other.
set(bascule_link "-Wl,-rpath-link,${bascule_libraries}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${bascule_link}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${bascule_link}")

# A folder of tools under the names they have on an aarch64 machine, with the sysroot's libraries where
# they look for them. The preset puts it in front of PATH, where tests, the driver and the builder of
# operators find compiler and binutils.
set(bascule_tools "${bascule_source}/build/arm64/tools")
file(MAKE_DIRECTORY "${bascule_tools}")
foreach(tool IN ITEMS ar ld objcopy)
  find_program(BASCULE_CROSS_${tool} aarch64-linux-gnu-${tool} REQUIRED)
  mark_as_advanced(BASCULE_CROSS_${tool})
  file(CREATE_LINK "${BASCULE_CROSS_${tool}}" "${bascule_tools}/${tool}" SYMBOLIC)
endforeach()
function(bascule_compiler name program) # program with its first arguments
  file(WRITE "${bascule_tools}/${name}" "#!/bin/sh\nexec ${program} \"$@\"\n")
  file(CHMOD "${bascule_tools}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
bascule_compiler(g++ "${CMAKE_CXX_COMPILER} ${bascule_link}")
# Clang has every target in one program.
find_program(BASCULE_CROSS_CLANG NAMES clang++ clang++-14 clang++-15 clang++-16 clang++-17 clang++-18)
mark_as_advanced(BASCULE_CROSS_CLANG)
if(BASCULE_CROSS_CLANG AND NOT BASCULE_CROSS_CLANG STREQUAL "${bascule_tools}/clang++")
  string(CONCAT arguments "--target=aarch64-linux-gnu "
                "--start-no-unused-arguments ${bascule_link} --end-no-unused-arguments")
  bascule_compiler(clang++ "${BASCULE_CROSS_CLANG} ${arguments}")
endif()

find_program(BASCULE_QEMU NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
mark_as_advanced(BASCULE_QEMU)
set(bascule_spawn "${bascule_tools}/spawn.so")
if("${CMAKE_CURRENT_LIST_DIR}/spawn.c" IS_NEWER_THAN "${bascule_spawn}")
  execute_process(
    COMMAND "${CMAKE_C_COMPILER}" -O2 -Wall -Wextra -fPIC -shared -o "${bascule_spawn}"
            "${CMAKE_CURRENT_LIST_DIR}/spawn.c" COMMAND_ERROR_IS_FATAL ANY)
endif()
set(bascule_qemu "${BASCULE_QEMU}" -L /usr/aarch64-linux-gnu)
list(JOIN bascule_qemu " " bascule_qemu_words)
set(CMAKE_CROSSCOMPILING_EMULATOR
    ${bascule_qemu} -E "BASCULE_QEMU=${bascule_qemu_words}" -E "LD_PRELOAD=${bascule_spawn}"
    -E "LD_LIBRARY_PATH=${bascule_libraries}")

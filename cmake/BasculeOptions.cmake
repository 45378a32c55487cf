# What every target of this project is compiled with, as one interface target instead of
# directory-wide state. Fetched third-party code never sees it.

include_guard(GLOBAL)

add_library(bascule_options INTERFACE)
add_library(bascule::options ALIAS bascule_options)

target_compile_features(bascule_options INTERFACE cxx_std_20 c_std_11)

# -ffp-contract=off: GCC fuses a*b+c by default where the machine has FMA, which would make the
# result of a kernel depend on the CPU and on the optimiser. An instruction row that is fused says so.
target_compile_options(bascule_options INTERFACE -Wall -Wextra -ffp-contract=off)
if(BASCULE_WERROR)
  target_compile_options(bascule_options INTERFACE -Werror)
endif()

# BASCULE_SANITIZE is what follows -fsanitize=, commas included. The engine sees the sanitizers'
# own predefined macros and announces its fibres to them.
if(BASCULE_SANITIZE)
  target_compile_options(
    bascule_options INTERFACE -fsanitize=${BASCULE_SANITIZE} -fno-omit-frame-pointer
                              -fno-sanitize-recover=all)
  target_link_options(bascule_options INTERFACE -fsanitize=${BASCULE_SANITIZE})
endif()

find_package(Threads REQUIRED)
target_link_libraries(bascule_options INTERFACE Threads::Threads)

# The compiler cache changes nothing but time, so it is used where it is found. Whoever set a
# launcher, or set it to nothing, is left alone.
find_program(BASCULE_CCACHE ccache)
mark_as_advanced(BASCULE_CCACHE)
if(BASCULE_CCACHE)
  foreach(lang IN ITEMS C CXX)
    if(NOT DEFINED CMAKE_${lang}_COMPILER_LAUNCHER)
      set(CMAKE_${lang}_COMPILER_LAUNCHER "${BASCULE_CCACHE}")
    endif()
  endforeach()
endif()

# Applied to every target a helper makes: PIC because all of it ends in one shared library, hidden
# visibility because that library's border is plain C.
function(bascule_target_defaults target)
  set_target_properties(
    ${target}
    PROPERTIES POSITION_INDEPENDENT_CODE ON
               CXX_EXTENSIONS OFF
               C_VISIBILITY_PRESET hidden
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)
endfunction()

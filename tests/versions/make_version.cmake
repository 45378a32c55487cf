# cmake -DSOURCE=<source tree> -DTO=<folder> -DVERSION=<current|old|newer> -P make_version.cmake
#
# Kernel headers as another version could have them. The old ones have a smaller function table, and
# classes and helpers of the same names with another layout; the newer ones have one function more.

file(REMOVE_RECURSE "${TO}")
file(COPY "${SOURCE}/include/ascendc/kernel/" DESTINATION "${TO}")
file(COPY "${SOURCE}/include/bascule" DESTINATION "${TO}")

# Replaces a text that has to be there.
function(edit file from to)
  file(READ "${TO}/${file}" text)
  string(REPLACE "${from}" "${to}" edited "${text}")
  if(edited STREQUAL text)
    message(FATAL_ERROR "${file} does not hold `${from}` any more; adapt ${CMAKE_SCRIPT_MODE_FILE}.")
  endif()
  file(WRITE "${TO}/${file}" "${edited}")
endfunction()

if(VERSION STREQUAL "old")
  # It knew no element types.
  edit(bascule_ascendc/tensor.h
       "    core_->api->resolve_elements(core_, address, bascule_ascendc::ElementNumber<T>::value, &range,
                                 &site);"
       "    core_->api->resolve_global(core_, address, &range);")
  # It knew one kind of core.
  edit(bascule_ascendc/sync.h "core->api->sync_cores(core, isAIVOnly ? 1 : 0, &site);"
       "core->api->sync_all(core, &site);")
  # The table ends in front of yield, and nobody calls what came later.
  file(READ "${TO}/bascule/abi/kernel.h" text)
  string(FIND "${text}" "  // Lets other blocks run; called where" begin)
  string(FIND "${text}" "} BasculeKernelApi;" end)
  if(begin EQUAL -1 OR end LESS begin)
    message(FATAL_ERROR "bascule/abi/kernel.h has changed; adapt ${CMAKE_SCRIPT_MODE_FILE}.")
  endif()
  math(EXPR length "${end} - ${begin}")
  string(SUBSTRING "${text}" ${begin} ${length} later)
  string(REPLACE "${later}" "" text "${text}")
  file(WRITE "${TO}/bascule/abi/kernel.h" "${text}")
  string(REGEX MATCHALL "\\(\\*[a-z_0-9]+\\)" names "${later}")
  file(GLOB files "${TO}/bascule_ascendc/*.h")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    foreach(name IN LISTS names)
      string(REGEX REPLACE "[(*)]" "" name "${name}")
      string(REGEX REPLACE "(core|core_)->api->${name}\\(" "bascule_ascendc::Absent(" text "${text}")
    endforeach()
    file(WRITE "${file}" "${text}")
  endforeach()
  edit(bascule_ascendc/core.h "inline BasculeCore* Core() {"
       "struct Anything {
  template <typename T>
  operator T() const {
    return T();
  }
};
template <typename... Arguments>
Anything Absent(const Arguments&...) {
  Refuse(\"this version has no such call\");
}
inline BasculeCore* Core() {")
  # The same names, another layout.
  edit(bascule_ascendc/core.h "inline const BasculeKernelApi* kernel_api = nullptr;"
       "inline uint64_t padding = 0;\ninline const BasculeKernelApi* kernel_api = nullptr;")
  edit(bascule_ascendc/tensor.h "  T* data_ = nullptr;" "  uint64_t old_[5] = {};\n  T* data_ = nullptr;")
  edit(bascule_ascendc/vector.h "  BasculeCore* core_;\n  BasculeInstruction in_;"
       "  BasculeInstruction in_;\n  uint64_t old_ = 0;\n  BasculeCore* core_;")
  edit(bascule_ascendc/vector.h "      : core_(core) {" "      {\n    core_ = core;")
elseif(VERSION STREQUAL "newer")
  edit(bascule/abi/kernel.h "} BasculeKernelApi;"
       "  void (*of_the_future)(BasculeCore* core);\n} BasculeKernelApi;")
endif()

set(FROM "${TO}/../from")
file(REMOVE_RECURSE "${FROM}")
file(COPY "${TO}/bascule_ascendc/keywords.h" DESTINATION "${FROM}/bascule_ascendc")
include("${SOURCE}/cmake/name_headers.cmake")
file(TOUCH "${TO}/bascule_ascendc/keywords.h")  # what was made of the last one is made again
file(WRITE "${TO}/made" "")

# Operator projects with their own CMake files: find_package(ASC), then
#
#   npu_op_package(my_ops TYPE RUN|SHARED|STATIC [CONFIG ...])    the package; a target of that name
#   npu_op_code_gen(SRC ... PACKAGE my_ops OUT_DIR ...)           aclnn_<name>.h and .cpp, at once
#   npu_op_library(name TILING|ACLNN|GRAPH|... sources)
#   npu_op_kernel_library(name SRC_BASE path TILING_LIBRARY name)
#   npu_op_kernel_sources(name ...), npu_op_kernel_options(name ...)
#   npu_op_device_tiling_library(name SHARED|STATIC sources)
#   npu_op_package_add(my_ops LIBRARY ... | FILES ...)
#
# as the documentation's "CMake function reference" describes them. The names may come in any order,
# from any folder of a project: what the functions are told is kept on INTERFACE targets, and read
# when CMake generates. bin/bascule-npu-op does the work.
#
# Host code is compiled by the build of the package, with the flags of its TILING library; that
# library itself is not built. The package's library (libcust_opapi) holds everything: the aclnn
# functions, host code, kernels and manifest. It is an operator library as `bascule build` makes it.

include_guard(GLOBAL)

get_filename_component(_npu_op_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set_property(GLOBAL PROPERTY NPU_OP_PREFIX "${_npu_op_prefix}")
set_property(GLOBAL PROPERTY NPU_OP_FOLDER "${CMAKE_CURRENT_LIST_DIR}")
unset(_npu_op_prefix)

# The target that carries what is known of a package or a kernel library, made when first named.
function(_npu_op_carrier out name)
  set(carrier "_npu_op_${name}")
  if(NOT TARGET ${carrier})
    add_library(${carrier} INTERFACE IMPORTED GLOBAL)
  endif()
  set(${out} "${carrier}" PARENT_SCOPE)
endfunction()

function(_npu_op_check_units)
  if(NOT ASCEND_COMPUTE_UNIT)
    return()
  endif()
  set(ignored "")
  set(known FALSE)
  foreach(unit IN LISTS ASCEND_COMPUTE_UNIT)
    string(TOLOWER "${unit}" lower)
    if(lower MATCHES "^ascend910(b|_93)")
      set(known TRUE)
    else()
      list(APPEND ignored "${unit}")
    endif()
  endforeach()
  if(NOT known)
    message(FATAL_ERROR "ASCEND_COMPUTE_UNIT is ${ASCEND_COMPUTE_UNIT}; bascule runs operators for ascend910b "
                        "(Atlas A2) and ascend910_93 (Atlas A3). Configure with -DASCEND_COMPUTE_UNIT=ascend910b.")
  endif()
  if(ignored)
    list(JOIN ignored ", " ignored)
    message(STATUS "ASC: operators are built for Atlas A2 and A3, not for ${ignored}")
  endif()
endfunction()

# Whether something that is for COMPUTE_UNIT `unit` is for this machine; no unit is every unit.
function(_npu_op_for_us out unit)
  string(TOLOWER "${unit}" lower)
  if(lower STREQUAL "" OR lower MATCHES "^ascend910(b|_93)")
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# --- the package --------------------------------------------------------------------------------

function(npu_op_package package)
  cmake_parse_arguments(
    PARSE_ARGV 1 arg "CONFIG" "TYPE;INSTALL_PATH;ENABLE_CPACK;ENABLE_SOURCE_PACKAGE;ENABLE_SOURCE_PKG;ENABLE_BINARY_PACKAGE" "")
  if(NOT "${arg_TYPE}" MATCHES "^(RUN|SHARED|STATIC)$")
    message(FATAL_ERROR "npu_op_package(${package}): TYPE is RUN, SHARED or STATIC, not '${arg_TYPE}'.")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "npu_op_package(${package}): '${arg_UNPARSED_ARGUMENTS}' is not known.")
  endif()
  if(NOT CMAKE_CXX_COMPILER)
    message(FATAL_ERROR "npu_op_package(${package}): the project has no language CXX.")
  endif()
  if(CMAKE_CROSSCOMPILING OR ENABLE_CROSS_COMPILE)
    message(FATAL_ERROR "npu_op_package(${package}): operators run where they are built; cross-compilation is "
                        "not supported. Build on the target machine, without ENABLE_CROSS_COMPILE.")
  endif()
  _npu_op_check_units()
  if(DEFINED arg_ENABLE_BINARY_PACKAGE AND NOT arg_ENABLE_BINARY_PACKAGE)
    message(STATUS "ASC: ENABLE_BINARY_PACKAGE has no effect; kernels are always compiled")
  endif()
  if(NOT ASCEND_AUTOGEN_PATH)
    set(ASCEND_AUTOGEN_PATH "${CMAKE_BINARY_DIR}/autogen" PARENT_SCOPE)
  endif()
  set(path "${arg_INSTALL_PATH}")
  if(path STREQUAL "")
    set(path "${CMAKE_BINARY_DIR}")
    if(NOT CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
      set(path "${CMAKE_INSTALL_PREFIX}")
    endif()
  endif()
  get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")

  get_property(prefix GLOBAL PROPERTY NPU_OP_PREFIX)
  get_property(module GLOBAL PROPERTY NPU_OP_FOLDER)
  _npu_op_carrier(carrier ${package})
  set(folder "${CMAKE_BINARY_DIR}/npu_op/${package}")
  set(object "${folder}/operators.o")
  set_target_properties(${carrier} PROPERTIES INTERFACE_NPU_OBJECT "${object}" INTERFACE_NPU_TYPE ${arg_TYPE})
  file(MAKE_DIRECTORY "${folder}")

  # Everything that is known of the operators, when CMake generates.
  set(tiling "$<TARGET_PROPERTY:${carrier},INTERFACE_NPU_TILING>")
  set(kernels "$<TARGET_PROPERTY:${carrier},INTERFACE_NPU_KERNELS>")
  set(has_tiling "$<BOOL:${tiling}>")
  set(local 0)
  if(arg_TYPE STREQUAL "STATIC")
    set(local 1)
  endif()
  set(of_tiling "TARGET_PROPERTY:$<IF:${has_tiling},${tiling},${carrier}>")
  set(of_kernels "TARGET_PROPERTY:$<IF:$<BOOL:${kernels}>,_npu_op_${kernels},${carrier}>")
  set(settings
      "package=${package}
root=${PROJECT_SOURCE_DIR}
prefix=${prefix}
output=${object}
compiler=${CMAKE_CXX_COMPILER}
launcher=$<JOIN:${CMAKE_CXX_COMPILER_LAUNCHER}, >
local=${local}
host_source=$<JOIN:$<${of_tiling},INTERFACE_NPU_SOURCES>,
host_source=>
host_define=$<JOIN:$<${of_tiling},COMPILE_DEFINITIONS>,
host_define=>
host_include=$<JOIN:$<${of_tiling},INCLUDE_DIRECTORIES>,
host_include=>
host_flag=$<JOIN:$<${of_tiling},COMPILE_OPTIONS>,
host_flag=>
kernel_base=$<${of_kernels},INTERFACE_NPU_BASE>
kernel_source=$<JOIN:$<${of_kernels},INTERFACE_NPU_SOURCES>,
kernel_source=>
kernel_flag=$<JOIN:$<${of_kernels},INTERFACE_NPU_FLAGS>,
kernel_flag=>
")
  file(GENERATE OUTPUT "${folder}/settings" CONTENT "${settings}")
  add_custom_target(
    ${package}_operators
    COMMAND "${prefix}/bin/bascule-npu-op" build "${folder}/settings"
    BYPRODUCTS "${object}" "${folder}/exports.map"
    COMMENT "Building the operators of ${package}"
    VERBATIM)

  # The library. Its sources are added by npu_op_package_add.
  set(kind SHARED)
  set(name cust_opapi)
  if(arg_TYPE STREQUAL "STATIC")
    set(kind STATIC)
    set(name "${package}")
  endif()
  file(WRITE "${folder}/package.cpp.in" "// The rest of the library are objects.\n")
  configure_file("${folder}/package.cpp.in" "${folder}/package.cpp" COPYONLY)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${package} ${kind} "${folder}/package.cpp" "${object}")
  add_dependencies(${package} ${package}_operators)
  set_target_properties(
    ${package}
    PROPERTIES OUTPUT_NAME ${name}
               LIBRARY_OUTPUT_DIRECTORY "${folder}/lib"
               ARCHIVE_OUTPUT_DIRECTORY "${folder}/lib"
               POSITION_INDEPENDENT_CODE ON
               LINKER_LANGUAGE CXX)
  if(kind STREQUAL "SHARED")
    # -z nodelete: frameworks close a library after each question, and plans keep pointers into it.
    set_target_properties(
      ${package}
      PROPERTIES LINK_FLAGS "-Wl,--version-script=${folder}/exports.map -Wl,-Bsymbolic -Wl,-z,defs \
-Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete"
                 LINK_DEPENDS "${object}")
    target_link_libraries(${package} PRIVATE dl m pthread)
  endif()
  if(NOT TARGET binary)
    add_custom_target(binary)
  endif()
  add_dependencies(binary ${package})

  if(arg_TYPE STREQUAL "RUN")
    _npu_op_run_package(${package} "${path}" "${arg_ENABLE_CPACK}")
  else()
    _npu_op_install(${package} "${path}" ${arg_TYPE})
  endif()
endfunction()

# The headers and the CMake package of a SHARED or STATIC library.
function(_npu_op_install package path type)
  get_property(prefix GLOBAL PROPERTY NPU_OP_PREFIX)
  get_property(module GLOBAL PROPERTY NPU_OP_FOLDER)
  set(folder "${CMAKE_BINARY_DIR}/npu_op/${package}")
  install(TARGETS ${package} LIBRARY DESTINATION "${path}/lib" ARCHIVE DESTINATION "${path}/lib")
  set(headers "$<TARGET_PROPERTY:_npu_op_${package},INTERFACE_NPU_AUTOGEN>")
  file(GENERATE OUTPUT "${folder}/install.cmake"
       CONTENT "foreach(from IN ITEMS ${headers})
  file(GLOB headers \"\${from}/aclnn_*.h\")
  file(INSTALL \${headers} DESTINATION \"${path}/include\")
endforeach()
")
  install(SCRIPT "${folder}/install.cmake")
  set(NPU_OP_PACKAGE "${package}")
  set(NPU_OP_TYPE "${type}")
  set(NPU_OP_HOME "${prefix}")
  # The output name may be set after this call, so it is read when CMake generates.
  configure_file("${module}/package-config.cmake.in" "${folder}/config.cmake.in" @ONLY)
  file(GENERATE OUTPUT "${folder}/${package}-config.cmake" INPUT "${folder}/config.cmake.in")
  install(FILES "${folder}/${package}-config.cmake" DESTINATION "${path}/lib/cmake/${package}")
endfunction()

# The target `package`: an installer, a file that unpacks itself into <opp>/vendors/<package>.
function(_npu_op_run_package package path cpack)
  get_property(prefix GLOBAL PROPERTY NPU_OP_PREFIX)
  get_property(module GLOBAL PROPERTY NPU_OP_FOLDER)
  set(system "linux")
  if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release lines REGEX "^ID=")
    if(lines MATCHES "^ID=\"?([A-Za-z0-9_.-]+)")
      set(system "${CMAKE_MATCH_1}")
    endif()
  endif()
  set(NPU_OP_PACKAGE "${package}")
  set(NPU_OP_HOME "${prefix}")
  set(NPU_OP_MACHINE "${CMAKE_SYSTEM_PROCESSOR}")
  set(folder "${CMAKE_BINARY_DIR}/npu_op/${package}")
  foreach(file IN ITEMS installer.sh uninstall.sh set_env.bash)
    configure_file("${module}/${file}.in" "${folder}/${file}" @ONLY)
  endforeach()
  set(run "${path}/custom_opp_${system}_${CMAKE_SYSTEM_PROCESSOR}.run")
  set(unpacked "")
  if(NOT "${cpack}" STREQUAL "" AND NOT cpack)
    set(run "")
    set(unpacked "${path}/packages")
  endif()
  set(carrier "TARGET_PROPERTY:_npu_op_${package}")
  file(GENERATE OUTPUT "${folder}/pack.cmake"
       CONTENT "set(PACKAGE [[${package}]])
set(FOLDER [[${folder}]])
set(LIBRARY [[$<TARGET_FILE:${package}>]])
set(AUTOGEN [[$<${carrier},INTERFACE_NPU_AUTOGEN>]])
set(FILES [[$<${carrier},INTERFACE_NPU_FILES>]])
set(RUN [[${run}]])
set(UNPACKED [[${unpacked}]])
set(TOOL [[${prefix}/bin/bascule-npu-op]])
include([[${module}/pack.cmake]])
")
  add_custom_target(
    ${package}_package
    COMMAND "${CMAKE_COMMAND}" -P "${folder}/pack.cmake"
    COMMENT "Packing ${package}"
    VERBATIM)
  add_dependencies(${package}_package ${package})
  if(NOT TARGET package)
    add_custom_target(package)
  endif()
  add_dependencies(package ${package}_package)
endfunction()

function(npu_op_package_add package)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TYPE;PACKAGE_PATH" "LIBRARY;FILES")
  _npu_op_carrier(carrier ${package})
  if(NOT TARGET ${package})
    message(FATAL_ERROR "npu_op_package_add(${package}): there is no such package; npu_op_package comes first.")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR NOT (arg_LIBRARY OR arg_FILES))
    message(FATAL_ERROR "npu_op_package_add(${package}): wanted LIBRARY targets or FILES files, got '${ARGN}'.")
  endif()
  foreach(library IN LISTS arg_LIBRARY)
    set(kind "")
    if(TARGET ${library})
      get_target_property(kind ${library} NPU_OP_KIND)
    endif()
    if(kind STREQUAL "TILING")
      set_target_properties(${carrier} PROPERTIES INTERFACE_NPU_TILING ${library})
    elseif(kind STREQUAL "ACLNN")
      target_sources(${package} PRIVATE $<TARGET_OBJECTS:${library}>)
      # Who links the aclnn functions inside the project needs the operators, too.
      get_target_property(object ${carrier} INTERFACE_NPU_OBJECT)
      target_link_libraries(${library} INTERFACE "${object}" dl m pthread)
      add_dependencies(${library} ${package}_operators)
    elseif(kind STREQUAL "KERNELS")
      set_target_properties(${carrier} PROPERTIES INTERFACE_NPU_KERNELS ${library})
      add_dependencies(${library} ${package}_operators)
    elseif(NOT kind)
      message(FATAL_ERROR "npu_op_package_add(${package}): ${library} was not made by npu_op_library, "
                          "npu_op_kernel_library or npu_op_device_tiling_library.")
    endif()
  endforeach()
  foreach(file IN LISTS arg_FILES)
    get_filename_component(file "${file}" ABSOLUTE)
    if(arg_PACKAGE_PATH)
      set(to "${arg_PACKAGE_PATH}")
    elseif(arg_TYPE STREQUAL "GRAPH")
      set(to "op_proto/inc")
    else()
      set(to "op_api/include")
    endif()
    set_property(TARGET ${carrier} APPEND PROPERTY INTERFACE_NPU_FILES "${to}|${file}")
  endforeach()
endfunction()

# --- what it is made of -------------------------------------------------------------------------

function(npu_op_code_gen)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_DIR;PACKAGE;JOIN_OP_DEF" "SRC;COMPILE_OPTIONS;OPTIONS")
  foreach(wanted IN ITEMS SRC OUT_DIR PACKAGE)
    if(NOT arg_${wanted})
      message(FATAL_ERROR "npu_op_code_gen: ${wanted} is missing.")
    endif()
  endforeach()
  get_property(prefix GLOBAL PROPERTY NPU_OP_PREFIX)
  _npu_op_carrier(carrier ${arg_PACKAGE})
  get_filename_component(out "${arg_OUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
  get_property(calls GLOBAL PROPERTY NPU_OP_CALLS)
  math(EXPR calls "${calls} + 1")
  set_property(GLOBAL PROPERTY NPU_OP_CALLS ${calls})
  set(folder "${CMAKE_BINARY_DIR}/npu_op/${arg_PACKAGE}")
  file(MAKE_DIRECTORY "${folder}")
  set(text "package=${arg_PACKAGE}\nroot=${PROJECT_SOURCE_DIR}\nprefix=${prefix}\n")
  # The same output as the build's: what is compiled here with the same flags is compiled once.
  string(APPEND text "output=${folder}/operators.o\nfolder=${out}\nrecord=${folder}/generated_${calls}\n")
  string(APPEND text "compiler=${CMAKE_CXX_COMPILER}\n")
  list(JOIN CMAKE_CXX_COMPILER_LAUNCHER " " launcher)
  string(APPEND text "launcher=${launcher}\n")
  foreach(source IN LISTS arg_SRC)
    get_filename_component(source "${source}" ABSOLUTE)
    string(APPEND text "host_source=${source}\n")
    # A definition that changed changes the functions.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  endforeach()
  get_directory_property(definitions COMPILE_DEFINITIONS)
  foreach(flag IN LISTS definitions)
    string(APPEND text "host_define=${flag}\n")
  endforeach()
  get_directory_property(includes INCLUDE_DIRECTORIES)
  foreach(flag IN LISTS includes)
    string(APPEND text "host_include=${flag}\n")
  endforeach()
  get_directory_property(options COMPILE_OPTIONS)
  foreach(flag IN LISTS options arg_COMPILE_OPTIONS arg_OPTIONS)
    string(APPEND text "host_flag=${flag}\n")
  endforeach()
  file(WRITE "${folder}/generate_${calls}" "${text}")
  execute_process(
    COMMAND "${prefix}/bin/bascule-npu-op" generate "${folder}/generate_${calls}"
    RESULT_VARIABLE result
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    message("${said}") # as it is: an error is wrapped
    message(FATAL_ERROR "npu_op_code_gen(PACKAGE ${arg_PACKAGE}): the operators' definitions could not be read.")
  endif()
  set_property(TARGET ${carrier} APPEND PROPERTY INTERFACE_NPU_AUTOGEN "${out}")
endfunction()

# A target for sources that another target compiles, or nobody.
function(_npu_op_objects name kind)
  set(sources "")
  foreach(source IN LISTS ARGN)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  set(empty "${CMAKE_BINARY_DIR}/npu_op/empty.cpp")
  if(NOT EXISTS "${empty}")
    file(WRITE "${empty}" "// Where a library has no sources of its own.\n")
  endif()
  set(own "${sources}")
  list(REMOVE_DUPLICATES own)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${own} "${empty}")
  set_target_properties(${name} PROPERTIES NPU_OP_KIND ${kind} INTERFACE_NPU_SOURCES "${own}"
                                           POSITION_INDEPENDENT_CODE ON)
endfunction()

function(npu_op_library name)
  set(sources ${ARGN})
  list(GET sources 0 kind)
  list(REMOVE_AT sources 0)
  if(kind STREQUAL "TYPE")
    list(GET sources 0 kind)
    list(REMOVE_AT sources 0)
  endif()
  if(NOT kind MATCHES "^(TILING|ACLNN|GRAPH|TF_PLUGIN|ONNX_PLUGIN)$")
    message(FATAL_ERROR "npu_op_library(${name}): the type is TILING, ACLNN, GRAPH, TF_PLUGIN or ONNX_PLUGIN, "
                        "not '${kind}'.")
  endif()
  if(kind STREQUAL "TILING")
    _npu_op_objects(${name} TILING ${sources})
  elseif(kind STREQUAL "ACLNN")
    get_property(prefix GLOBAL PROPERTY NPU_OP_PREFIX)
    _npu_op_objects(${name} ACLNN ${sources})
    target_include_directories(${name} PRIVATE "${prefix}/include")
    target_compile_features(${name} PRIVATE cxx_std_17)
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  else()
    message(STATUS "ASC: ${name} (${kind}) is for the graph engine of an NPU; nothing is built of it here")
    _npu_op_objects(${name} OTHER ${sources})
  endif()
endfunction()

function(npu_op_device_tiling_library name kind)
  if(NOT kind MATCHES "^(SHARED|STATIC)$")
    message(FATAL_ERROR "npu_op_device_tiling_library(${name}): the type is SHARED or STATIC, not '${kind}'.")
  endif()
  message(STATUS "ASC: ${name} is tiling for the NPU's own processor; here the host's tiling does that work")
  _npu_op_objects(${name} OTHER ${ARGN})
endfunction()

function(npu_op_kernel_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SRC_BASE;TILING_LIBRARY" "")
  if(NOT arg_SRC_BASE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "npu_op_kernel_library(${name}): wanted SRC_BASE path TILING_LIBRARY target, got '${ARGN}'.")
  endif()
  _npu_op_carrier(carrier ${name})
  get_filename_component(base "${arg_SRC_BASE}" ABSOLUTE)
  set_target_properties(${carrier} PROPERTIES INTERFACE_NPU_BASE "${base}")
  add_custom_target(${name})
  set_target_properties(${name} PROPERTIES NPU_OP_KIND KERNELS)
endfunction()

function(npu_op_kernel_sources name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OP_TYPE;KERNEL_DIR;COMPUTE_UNIT;KERNEL_FILE" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "npu_op_kernel_sources(${name}): '${arg_UNPARSED_ARGUMENTS}' is not known.")
  endif()
  if(arg_KERNEL_FILE AND NOT arg_OP_TYPE)
    message(FATAL_ERROR "npu_op_kernel_sources(${name}): KERNEL_FILE is for one operator; name it with OP_TYPE.")
  endif()
  _npu_op_for_us(ours "${arg_COMPUTE_UNIT}")
  if(NOT ours)
    return()
  endif()
  _npu_op_carrier(carrier ${name})
  set_property(TARGET ${carrier} APPEND PROPERTY INTERFACE_NPU_SOURCES
                                                 "${arg_OP_TYPE}|${arg_KERNEL_DIR}|${arg_KERNEL_FILE}")
endfunction()

function(npu_op_kernel_options name type)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "COMPUTE_UNIT" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "npu_op_kernel_options(${name}): '${arg_UNPARSED_ARGUMENTS}' is not known.")
  endif()
  _npu_op_for_us(ours "${arg_COMPUTE_UNIT}")
  if(NOT ours)
    return()
  endif()
  _npu_op_carrier(carrier ${name})
  set(word "") # of an option in two words
  foreach(option IN LISTS arg_OPTIONS)
    if(word STREQUAL "drop")
      set(word "")
    elseif(NOT word STREQUAL "" OR option MATCHES "^-(D|U|I|g|O|W|std=|f|isystem)")
      set_property(TARGET ${carrier} APPEND PROPERTY INTERFACE_NPU_FLAGS "${type}|${option}")
      set(word "")
      if(option MATCHES "^-(D|U|I|isystem)$")
        set(word "keep")
      endif()
    elseif(option MATCHES "^-include$")
      set_property(TARGET ${carrier} APPEND PROPERTY INTERFACE_NPU_FLAGS "${type}|${option}")
      set(word "keep")
    else()
      message(STATUS "ASC: the kernel option ${option} has no effect here")
      if(option MATCHES "^-(mllvm|Xaicore-start|Xclang)$")
        set(word "drop")
      endif()
    endif()
  endforeach()
endfunction()

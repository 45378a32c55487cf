# Layers: one folder under src/, one static library, one list of what it may use.
#
#   bascule_add_layer(engine
#     SOURCES fibre.cpp pool.cpp launch.cpp
#     USES base isa Boost::context)
#
# makes `bascule_engine` (alias bascule::engine). An entry of USES is a layer by its short name, or a
# third-party target by its full name (anything with `::`); `tools/check_layers.py` compares the
# entries with the layer table, as it does the includes. A layer without SOURCES is an interface
# library. Files are included as "<layer>/file.h" (root src/) and "bascule/file.h" (root include/).
#
# All layers end in the shared library `bascule`; tests link the static layers they need.

include_guard(GLOBAL)
include(BasculeOptions)

function(bascule_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bascule_add_layer(${name}): I do not know '${arg_UNPARSED_ARGUMENTS}'. "
                        "The keywords are SOURCES and USES.")
  endif()

  set(target bascule_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    bascule_target_defaults(${target})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE bascule_options)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(bascule::${name} ALIAS ${target})
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src"
                                                "${PROJECT_SOURCE_DIR}/include")

  bascule_resolve_uses(uses ${arg_USES})
  target_link_libraries(${target} ${scope} ${uses})
  set_property(GLOBAL APPEND PROPERTY BASCULE_LAYERS ${name})
  foreach(use IN LISTS uses)
    set_property(GLOBAL APPEND PROPERTY BASCULE_LAYER_USES "${target}|${use}")
  endforeach()
endfunction()

# Short layer names become targets; names with `::` stay.
function(bascule_resolve_uses out)
  set(result "")
  foreach(use IN LISTS ARGN)
    if(use MATCHES "::")
      list(APPEND result ${use})
    else()
      list(APPEND result bascule_${use})
    endif()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# Adds the folders among ARGN that have a CMakeLists.txt, then refuses a USES entry that names
# nothing: the linker would only say that -lbascule_xyz is missing.
function(bascule_add_layer_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
    endif()
  endforeach()

  get_property(layers GLOBAL PROPERTY BASCULE_LAYERS)
  get_property(pairs GLOBAL PROPERTY BASCULE_LAYER_USES)
  foreach(pair IN LISTS pairs)
    string(REPLACE "|" ";" pair "${pair}")
    list(GET pair 0 user)
    list(GET pair 1 used)
    if(NOT TARGET ${used})
      list(JOIN layers " " known)
      message(FATAL_ERROR "Layer ${user} uses ${used}, which is no target. Layers here: ${known}. "
                          "Third-party targets are made by cmake/dependencies.cmake.")
    endif()
  endforeach()
endfunction()

# The one shared library. The layers' objects go in whole (an archive would lose what nobody calls
# from inside, which is all of the C ABI); the archives are linked besides for what they need in turn.
function(bascule_add_runtime target)
  get_property(layers GLOBAL PROPERTY BASCULE_LAYERS)
  add_library(${target} SHARED)
  bascule_target_defaults(${target})
  target_link_libraries(${target} PRIVATE bascule_options)
  foreach(layer IN LISTS layers)
    target_link_libraries(${target} PRIVATE bascule_${layer})
    get_target_property(type bascule_${layer} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:bascule_${layer}>)
    endif()
  endforeach()

  set(map "${PROJECT_SOURCE_DIR}/cmake/bascule.map")
  # Its threads and signal handlers outlive a dlclose().
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" "LINKER:--no-undefined"
                                        "LINKER:-z,nodelete")
  if(BASCULE_SANITIZE) # the sanitizers leave their own symbols open until the program is linked
    target_link_options(${target} PRIVATE "LINKER:--unresolved-symbols=ignore-all")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

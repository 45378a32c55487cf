# find_package(tikicpulib): kernels as ordinary C++ in programs and unit tests of the toolkit's CPU
# debug mode. target_link_libraries(test PRIVATE tikicpulib::Ascend910B1) brings the headers and the
# loader; the chip's name chooses nothing here, all of them are the same architecture.

get_filename_component(_tikicpulib_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Threads REQUIRED)
foreach(_tikicpulib_soc IN ITEMS 910B1 910B2 910B2C 910B3 910B4 910B4-1 910_9361 910_9362 910_9371
                                 910_9372 910_9381 910_9382 910_9391 910_9392)
  foreach(_tikicpulib_target IN ITEMS tikicpulib::Ascend${_tikicpulib_soc}
                                      tikicpulib::ascend${_tikicpulib_soc})
    if(NOT TARGET ${_tikicpulib_target})
      add_library(${_tikicpulib_target} INTERFACE IMPORTED GLOBAL)
      set_target_properties(
        ${_tikicpulib_target}
        PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_tikicpulib_prefix}/include"
                   INTERFACE_COMPILE_DEFINITIONS ASCENDC_CPU_DEBUG=1
                   INTERFACE_COMPILE_FEATURES cxx_std_17
                   INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}")
    endif()
  endforeach()
endforeach()
unset(_tikicpulib_target)
unset(_tikicpulib_soc)
unset(_tikicpulib_prefix)

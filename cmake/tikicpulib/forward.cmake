# Where build files of the toolkit's CPU debug mode look for it.
include("${CMAKE_CURRENT_LIST_DIR}/../../../../share/cmake/tikicpulib/tikicpulibConfig.cmake")

# Where build files of several versions look for it.
include("${CMAKE_CURRENT_LIST_DIR}/../../../share/cmake/ascendc/ascendc.cmake")

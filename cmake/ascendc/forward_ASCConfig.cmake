# Where ASC_DIR points in build files of several versions.
include("${CMAKE_CURRENT_LIST_DIR}/../../../share/cmake/ASC/ASCConfig.cmake")

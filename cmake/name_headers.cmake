# cmake -DFROM=<folder with bascule_ascendc/keywords.h> -DTO=<installed include folder> -P name_headers.cmake
#
# Gives the classes of the installed kernel headers a namespace that no other version of them has. A
# kernel's classes hold them as members, so they cannot be hidden, and the loader makes equal names of
# two libraries one; the name therefore follows from what the headers say. The file's time stays that
# of the source, so that nothing is compiled again for it.

file(GLOB_RECURSE headers RELATIVE "${TO}" "${TO}/bascule_ascendc/*.h" "${TO}/bascule/*.h")
list(SORT headers)
set(digests "")
foreach(header IN LISTS headers)
  if(header STREQUAL "bascule_ascendc/keywords.h")
    file(SHA256 "${FROM}/${header}" digest)
  else()
    file(SHA256 "${TO}/${header}" digest)
  endif()
  string(APPEND digests "${header} ${digest}\n")
endforeach()
string(SHA256 name "${digests}")
string(SUBSTRING "${name}" 0 6 name)

file(READ "${FROM}/bascule_ascendc/keywords.h" text)
string(REPLACE "inline namespace bascule_1 {" "inline namespace bascule_${name} {" named "${text}")
if(named STREQUAL text)
  message(FATAL_ERROR "bascule_ascendc/keywords.h has no line `inline namespace bascule_1 {`; "
                      "cmake/name_headers.cmake renames it.")
endif()
file(WRITE "${TO}/bascule_ascendc/keywords.h" "${named}")
execute_process(COMMAND touch -r "${FROM}/bascule_ascendc/keywords.h"
                        "${TO}/bascule_ascendc/keywords.h")

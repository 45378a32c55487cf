# gdb stops at a line of a kernel and shows its variables, as docs/drop_in_build.md says: cmake -P, with
#   PREFIX   the installation to use    SOURCE   an .asc file with a program in it
#   FOLDER   where to work              GDB      the debugger
#   LINE     text of the line to stop at
#   ARGUMENTS  of the program           EXPECTED a regular expression for what `info locals` shows
cmake_minimum_required(VERSION 3.16)

file(MAKE_DIRECTORY "${FOLDER}")
file(READ "${SOURCE}" text)
string(FIND "${text}" "${LINE}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${SOURCE} has no '${LINE}'.")
endif()
string(SUBSTRING "${text}" 0 ${place} before)
string(REGEX REPLACE "[^\n]" "" newlines "${before}")
string(LENGTH "${newlines}" number)
math(EXPR number "${number} + 1")
get_filename_component(name "${SOURCE}" NAME)

execute_process(COMMAND "${PREFIX}/bin/bascule-ascc" -g -O0 "${SOURCE}" -o program
                WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "compiling ${SOURCE}: ${result}")
endif()
separate_arguments(ARGUMENTS)
execute_process(
  COMMAND "${GDB}" -nx -batch -ex "break ${name}:${number}" -ex run -ex "info locals" -ex continue
          --args ./program ${ARGUMENTS}
  WORKING_DIRECTORY "${FOLDER}"
  OUTPUT_VARIABLE output
  ERROR_VARIABLE errors)
foreach(wanted IN ITEMS "${name}:${number}" "${EXPECTED}")
  if(NOT output MATCHES "${wanted}")
    message(FATAL_ERROR "gdb did not show '${wanted}':\n${output}\n${errors}")
  endif()
endforeach()

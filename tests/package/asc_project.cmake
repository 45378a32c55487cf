# Configures, builds and runs a project as its README says: cmake -P, with
#   PREFIX    the installation to use          PROJECT  the project's folder
#   FOLDER    where to build; emptied first    SANITIZE what the installation was built with
#   SETTINGS  "-DNAME=value;..." for configuring
#   RUNS      "program arguments;program arguments": each has to succeed, and to say the same with one
#             worker and with four
cmake_minimum_required(VERSION 3.16)

file(REMOVE_RECURSE "${FOLDER}")
set(flags "")
if(SANITIZE)
  set(flags "-DCMAKE_ASC_FLAGS=-fsanitize=${SANITIZE}" "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
endif()
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}")
  endif()
endfunction()

file(MAKE_DIRECTORY "${FOLDER}")
run("${CMAKE_COMMAND}" -S "${PROJECT}" -B "${FOLDER}" "-DCMAKE_PREFIX_PATH=${PREFIX}" ${SETTINGS}
    ${flags})
run("${CMAKE_COMMAND}" --build "${FOLDER}")
foreach(line IN LISTS RUNS)
  separate_arguments(line)
  set(said "")
  foreach(workers IN ITEMS 1 4)
    set(ENV{BASCULE_THREADS} ${workers})
    execute_process(COMMAND ${line} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE result
                    OUTPUT_VARIABLE output)
    message("${output}")
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${line}, ${workers} workers: ${result}")
    endif()
    if(said AND NOT said STREQUAL output)
      message(FATAL_ERROR "${line}: one worker gives other results than ${workers}.")
    endif()
    set(said "${output}")
  endforeach()
endforeach()

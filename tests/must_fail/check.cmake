# cmake -DCOMPILER=… -DSOURCE=… -DINCLUDE=… -P check.cmake

execute_process(
  COMMAND "${COMPILER}" -std=c++17 -fsyntax-only -fmessage-length=0 "-I${INCLUDE}"
          "-I${INCLUDE}/ascendc/kernel" "${SOURCE}"
  RESULT_VARIABLE result
  OUTPUT_VARIABLE said
  ERROR_VARIABLE said)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, and it must not.")
endif()

file(STRINGS "${SOURCE}" expectations REGEX "^ *// expected: ")
if(NOT expectations)
  message(FATAL_ERROR "${SOURCE} has no line `// expected: TEXT`.")
endif()
# Without semicolons a line is one element of a list.
string(REPLACE ";" "," said "${said}")
foreach(expectation IN LISTS expectations)
  string(REGEX REPLACE "^ *// expected: " "" text "${expectation}")
  string(REPLACE ";" "," text "${text}")
  string(REPLACE " | " ";" alternatives "${text}")
  set(found FALSE)
  foreach(alternative IN LISTS alternatives)
    string(FIND "${said}" "${alternative}" at)
    if(NOT at EQUAL -1)
      set(found TRUE)
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "expected: ${text}\nThe compiler said:\n${said}")
  endif()
endforeach()

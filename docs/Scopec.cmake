# scopec_add_tests(FILE... [ENGINE name] [ARGUMENTS argument...]): a CTest test for each program, `scopec:FILE`, which
# passes if every expectation holds. `scopec docs Scopec.cmake > cmake/Scopec.cmake` brings this file into a project.
find_program(SCOPEC scopec REQUIRED)

function(scopec_add_tests)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "ENGINE" "ARGUMENTS")
  if(NOT ARG_ENGINE)
    set(ARG_ENGINE auto)
  endif()
  foreach(file IN LISTS ARG_UNPARSED_ARGUMENTS)
    add_test(NAME "scopec:${file}"
             COMMAND ${SCOPEC} check --engine ${ARG_ENGINE} ${ARG_ARGUMENTS} -- "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Test programs and their entries in ctest. Included by CMakeLists.txt.

# hlocts_test_program(<name> <sources>... [DEPS ...]): a GoogleTest program. It knows the source
# directory as HLOCTS_SOURCE_DIR and the build directory as HLOCTS_BINARY_DIR.
function(hlocts_test_program name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main ${HLOCTS_ABSL})
  target_compile_definitions(${name} PRIVATE HLOCTS_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             HLOCTS_BINARY_DIR="${CMAKE_BINARY_DIR}")
  hlocts_target(${name})
endfunction()

# A temporary directory per test, so that parallel tests do not share files, and a time
# limit that only a hanging test reaches.
function(hlocts_test_limits name)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tmp/${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800
                       ENVIRONMENT TEST_TMPDIR=${CMAKE_BINARY_DIR}/tmp/${name})
endfunction()

# hlocts_test(<name> [IN directory] [SHARDS N] [DIRECTORIES ...] [DEPS ...]): every *_test.cc of this
# directory, or of that after IN, and of DIRECTORIES in one program, run in the source directory. SHARDS
# divides a long one into N tests of ctest, which run in parallel: <name>, <name>_2, ...
function(hlocts_test name)
  cmake_parse_arguments(ARG "" "IN;SHARDS" "DIRECTORIES;DEPS" ${ARGN})
  hlocts_sources(sources *_test.cc "${ARG_IN}" ${ARG_DIRECTORIES})
  if(NOT sources)
    return()
  endif()
  hlocts_test_program(${name} ${sources} DEPS ${ARG_DEPS})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  hlocts_test_limits(${name})
  if(ARG_SHARDS)
    hlocts_test_shards(${name} ${ARG_SHARDS})
  endif()
endfunction()

# The test <name> becomes the first of <count> shards of its program.
function(hlocts_test_shards name count)
  foreach(shard RANGE 1 ${count})
    set(test ${name}_${shard})
    if(shard EQUAL 1)
      set(test ${name})
    else()
      add_test(NAME ${test} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      hlocts_test_limits(${test})
    endif()
    math(EXPR index "${shard} - 1")
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=${count}
                 GTEST_SHARD_INDEX=${index})
    # The longest tests start first, so that others run in parallel.
    set_tests_properties(${test} PROPERTIES COST 100)
  endforeach()
endfunction()

# hlocts_xla_dependent_test(<name> <command>...): a test that needs XLA's C++. Without it the test is
# in the list, disabled and labelled xla_absent, so that it is counted.
function(hlocts_xla_dependent_test name)
  if(TARGET hlocts_xla)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS xla TIMEOUT 1800)
  else()
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E false)
    set_tests_properties(${name} PROPERTIES LABELS xla_absent DISABLED TRUE)
  endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Test programs and their entries in ctest. Included by CMakeLists.txt.

# hlocts_test_program(<name> <sources>... [DEPS ...]): a GoogleTest program. The macros
# HLOCTS_SOURCE_DIR and HLOCTS_BINARY_DIR are the source directory and the build directory.
function(hlocts_test_program name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main ${HLOCTS_ABSL})
  target_compile_definitions(${name} PRIVATE HLOCTS_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             HLOCTS_BINARY_DIR="${CMAKE_BINARY_DIR}")
  hlocts_target(${name})
endfunction()

# hlocts_test_limits(<name>): sets a temporary directory for the test, so that parallel tests do not
# share files, and a time limit that only a hanging test reaches.
function(hlocts_test_limits name)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tmp/${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800
                       ENVIRONMENT TEST_TMPDIR=${CMAKE_BINARY_DIR}/tmp/${name})
endfunction()

# hlocts_test(<name> [IN directory] [SHARDS N] [DIRECTORIES ...] [DEPS ...]): a test program of every
# *_test.cc in the directory after IN (default: this one) and in DIRECTORIES. It runs in the source
# directory. SHARDS divides a long test into N tests of ctest that run in parallel: <name>, <name>_2, ...
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

# hlocts_test_shards(<name> <count>): divides the test <name> into shards, of which it is the first.
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

# hlocts_xla_dependent_test(<name> <command>...): a test that needs XLA's C++. Without XLA's C++, ctest
# lists the test as disabled with the label xla_absent, so that ci/test can count it.
function(hlocts_xla_dependent_test name)
  if(TARGET hlocts_xla)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS xla TIMEOUT 1800)
  else()
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E false)
    set_tests_properties(${name} PROPERTIES LABELS xla_absent DISABLED TRUE)
  endif()
endfunction()

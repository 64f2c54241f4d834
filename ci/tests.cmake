# SPDX-License-Identifier: Apache-2.0
# How programs of tests are compiled and listed. Included by CMakeLists.txt.

# hlocts_test_program(<name> [BUSY])
function(hlocts_test_program name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  hlocts_cold_options(${name} ${ARGN})
  if(hlocts_has_pch)
    target_precompile_headers(${name} REUSE_FROM hlocts_pch_test${ARGN})
  endif()
  hlocts_unity(${name})
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main ${HLOCTS_ABSL})
  target_compile_definitions(${name} PRIVATE HLOCTS_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             HLOCTS_BINARY_DIR="${CMAKE_BINARY_DIR}")
endfunction()

# A temporary folder of the test's own, so that checkouts and tests side by side do not meet, and a
# time that only what hangs takes, on whatever machine.
function(hlocts_test_limits name)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tmp/${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800
                       ENVIRONMENT TEST_TMPDIR=${CMAKE_BINARY_DIR}/tmp/${name})
endfunction()

# hlocts_test(<name> [BUSY] [SHARDS N] [ROOMS ...] [DEPS ...]): every *_test.cc of this folder and
# of the folders in ROOMS in one GoogleTest program. One that takes minutes is cut into N tests of
# ctest, which run side by side: <name>, <name>_2, ...
# Tests run with the source folder as HLOCTS_SOURCE_DIR, the build folder as HLOCTS_BINARY_DIR.
function(hlocts_test name)
  cmake_parse_arguments(ARG "BUSY" "SHARDS" "ROOMS;DEPS" ${ARGN})
  hlocts_sources(sources *_test.cc ${ARG_ROOMS})
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  if(ARG_BUSY)
    hlocts_test_program(${name} BUSY)
  else()
    hlocts_test_program(${name})
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  hlocts_test_limits(${name})
  if(ARG_SHARDS)
    hlocts_test_shards(${name} ${ARG_SHARDS})
  endif()
endfunction()

# The test <name> becomes the first of <count> shards of its program.
function(hlocts_test_shards name count)
  foreach(shard RANGE 2 ${count})
    add_test(NAME ${name}_${shard} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    hlocts_test_limits(${name}_${shard})
  endforeach()
  foreach(shard RANGE 1 ${count})
    set(test ${name}_${shard})
    if(shard EQUAL 1)
      set(test ${name})
    endif()
    math(EXPR index "${shard} - 1")
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=${count}
                 GTEST_SHARD_INDEX=${index})
    # The longest: begun first, others run beside them.
    set_tests_properties(${test} PROPERTIES COST 100)
  endforeach()
endfunction()

# hlocts_xla_dependent_test(<name> <command>...): a test that needs real XLA. Without it the test
# stands in the list, disabled and labelled xla_absent, so that nobody mistakes a hole for a pass.
function(hlocts_xla_dependent_test name)
  if(TARGET hlocts_xla)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS xla TIMEOUT 1800)
  else()
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E false)
    set_tests_properties(${name} PROPERTIES LABELS xla_absent DISABLED TRUE)
  endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Headers that nearly every file includes, compiled once: one for libraries, one for those that are
# COLD, two for tests. Included by the top level.

# A build with clang as its compiler has none, so that every file keeps naming what it uses; but one
# of many files at once cannot show that. In Debug alone: clang takes no header of another level.
set(hlocts_has_pch OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR (HLOCTS_UNITY AND CMAKE_BUILD_TYPE STREQUAL "Debug"))
  set(hlocts_has_pch ${HLOCTS_PCH})
endif()

# hlocts_pch(<name> <header>...)
function(hlocts_pch name)
  target_precompile_headers(${name} PRIVATE
    <algorithm> <functional> <map> <memory> <optional> <set> <string> <variant> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/strings/str_cat.h>
    spec/base/status.h spec/ir/module.h ${ARGN})
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # clang writes the folder's path into it: it is for no other folder (as in ci/with_clang).
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

if(hlocts_has_pch)
  # A target with options of its own reads the headers themselves: slower, not wrong.
  set(CMAKE_PCH_WARN_INVALID OFF)
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cc "")
  foreach(kind "" _cold _test _testBUSY)
    add_library(hlocts_pch${kind} OBJECT ${CMAKE_BINARY_DIR}/pch.cc)
  endforeach()
  hlocts_pch_options(hlocts_pch)
  hlocts_pch(hlocts_pch)
  # Most of them write records and reports.
  hlocts_cold_options(hlocts_pch_cold)
  hlocts_pch(hlocts_pch_cold <filesystem> <fstream> <absl/strings/str_format.h> <nlohmann/json.hpp>)
  foreach(kind "" BUSY)
    hlocts_cold_options(hlocts_pch_test${kind} ${kind})
    target_link_libraries(hlocts_pch_test${kind} PRIVATE GTest::gmock)  # for its definitions
    hlocts_pch(hlocts_pch_test${kind} <gmock/gmock.h> <gtest/gtest.h>)
  endforeach()
endif()

function(hlocts_precompiled name)
  if(hlocts_has_pch)
    hlocts_pch_options(${name})
    target_precompile_headers(${name} REUSE_FROM hlocts_pch)
  endif()
endfunction()

# hlocts_other_level(<file>...): files with options that clang wants the header to have too.
function(hlocts_other_level)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# hlocts_optimised(<name>): one of the libraries whose copies of inline functions the program takes
# (tools/CMakeLists.txt).
function(hlocts_optimised name)
  set_property(GLOBAL APPEND PROPERTY HLOCTS_OPTIMISED ${name})
  hlocts_precompiled(${name})
endfunction()

function(hlocts_cold name)
  hlocts_cold_options(${name})
  if(hlocts_has_pch)
    target_precompile_headers(${name} REUSE_FROM hlocts_pch_cold)
  endif()
endfunction()

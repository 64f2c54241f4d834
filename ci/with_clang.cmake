# SPDX-License-Identifier: Apache-2.0
# Compiling some targets by clang in a build by g++: it reads headers in a half to a third of the
# time, and both have one standard library and one ABI. Included by ci/tests.cmake and by
# backends/adapters/xla, which is a project of its own too.

find_program(HLOCTS_CLANG NAMES clang++)
find_program(CCACHE ccache)
set(HLOCTS_CLANG_LAUNCHER env)
if(CCACHE)
  set(HLOCTS_CLANG_LAUNCHER ${CCACHE})
endif()
set(HLOCTS_WITH_CLANG OFF)
if(HLOCTS_CLANG AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(HLOCTS_WITH_CLANG ON)
endif()

# The target <name> is compiled by clang, without the options of the folders that it lies in.
function(hlocts_with_clang name)
  set_target_properties(${name} PROPERTIES COMPILE_OPTIONS "" CXX_COMPILER_LAUNCHER
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/with_clang;${HLOCTS_CLANG};${HLOCTS_CLANG_LAUNCHER}")
endfunction()

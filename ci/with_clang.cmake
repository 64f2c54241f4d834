# SPDX-License-Identifier: Apache-2.0
# Compiling some targets by clang in a build by g++: it reads headers in a half to a third of the
# time, and both have one standard library and one ABI. Included by the top level and by
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

# What ccache asks of who makes or reads a precompiled header.
function(hlocts_pch_options name)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT "CLANG" IN_LIST ARGN)
    target_compile_options(${name} PRIVATE -fpch-preprocess)
  else()
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# What programs of GoogleTest, libraries that are COLD, and headers precompiled for them are
# compiled with: their build time counts more than their speed. BUSY: what they compute takes
# longer than to optimise it. -fPIC instead of an executable's -fPIE, as those headers have it.
function(hlocts_cold_options name)
  set(level $<$<NOT:$<CONFIG:Debug>>:-O1>)
  set(clang "")
  if(HLOCTS_WITH_CLANG AND NOT HLOCTS_SANITIZE)
    set(clang CLANG)
    if(NOT "BUSY" IN_LIST ARGN)
      set(level -O0)
    endif()
    hlocts_with_clang(${name})
    # What a header precompiled for them uses of templates is instantiated there, once.
    target_compile_options(${name} PRIVATE ${hlocts_clang_options} -fpch-instantiate-templates)
  endif()
  hlocts_pch_options(${name} ${clang})
  target_compile_options(${name} PRIVATE ${level} -fPIC)
endfunction()

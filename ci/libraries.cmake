# SPDX-License-Identifier: Apache-2.0
# Libraries and programs of the core: one compiler, one set of options, one precompiled header.
# Included by CMakeLists.txt.

set(HLOCTS_ABSL absl::base absl::flat_hash_map absl::flat_hash_set absl::inlined_vector
    absl::int128 absl::span absl::status absl::statusor absl::strings absl::str_format)

# The options of every target. Values must be exact: no contraction, no fast-math.
add_library(hlocts_options INTERFACE)
target_compile_features(hlocts_options INTERFACE cxx_std_20)
target_compile_options(hlocts_options INTERFACE -fPIC -ffp-contract=off -fno-fast-math -Wall -Wextra
                       -Werror -Wno-unused-parameter -Wno-missing-field-initializers)
target_include_directories(hlocts_options INTERFACE
                           "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR};${CMAKE_BINARY_DIR}>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 vectorises two adjacent roundings of doubles to floats and loses one of them
  # (reference/evaluator_test.cc). Every target needs the option, since targets share inline functions.
  target_compile_options(hlocts_options INTERFACE -fno-tree-slp-vectorize)
  # g++ 12 gives these warnings for correct code of the standard library and Abseil, once inlined.
  target_compile_options(hlocts_options INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow
    -Wno-array-bounds -Wno-stringop-overread -Wno-restrict -Wno-free-nonheap-object
    -Wno-dangling-pointer)
  # Garbage collection at half a GiB saves a tenth of the time and needs up to a quarter more memory.
  target_compile_options(hlocts_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(HLOCTS_FUZZERS)
  target_compile_options(hlocts_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HLOCTS_SANITIZE)
  target_compile_options(hlocts_options INTERFACE -fsanitize=address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(hlocts_options INTERFACE -fsanitize=address,undefined)
endif()

# Links protobuf statically: a plugin may contain its own, and two shared ones abort the process.
find_library(HLOCTS_PROTOBUF_STATIC NAMES libprotobuf.a REQUIRED)
add_library(hlocts_protobuf INTERFACE)
target_link_libraries(hlocts_protobuf INTERFACE $<BUILD_INTERFACE:${HLOCTS_PROTOBUF_STATIC}>
                      $<INSTALL_INTERFACE:protobuf::libprotobuf> Threads::Threads)

# Precompiles headers of libraries that nearly every file includes. Omits headers of this project,
# since each edit of such a header would rebuild everything.
if(HLOCTS_PCH)
  # Writes the file only once, since a new time stamp would rebuild everything.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch.cc CONTENT "")
  add_library(hlocts_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cc)
  target_link_libraries(hlocts_pch PRIVATE hlocts_options ${HLOCTS_ABSL})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(hlocts_pch PUBLIC -fpch-preprocess)
  else()
    target_compile_options(hlocts_pch PUBLIC "SHELL:-Xclang -fno-pch-timestamp"
                           -fpch-instantiate-templates)
  endif()
  target_precompile_headers(hlocts_pch PRIVATE
    <algorithm> <functional> <map> <memory> <optional> <set> <string> <variant> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/status/statusor.h>
    <absl/strings/str_cat.h> <absl/types/span.h>)
endif()

# hlocts_target(<name>): gives a library or program the project's options and precompiled header.
function(hlocts_target name)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:hlocts_options>)
  if(HLOCTS_PCH)
    target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:hlocts_pch,INTERFACE_COMPILE_OPTIONS>)
    target_precompile_headers(${name} REUSE_FROM hlocts_pch)
  endif()
endfunction()

# hlocts_sources(<variable> <pattern> <own> [directories ...]): sets the variable to the files that
# match the pattern in <own> (this directory if <own> is "") and in the other directories.
function(hlocts_sources variable pattern own)
  cmake_path(APPEND own ${pattern} OUTPUT_VARIABLE globs)
  foreach(directory ${ARGN})
    list(APPEND globs ${directory}/${pattern})
  endforeach()
  file(GLOB found CONFIGURE_DEPENDS ${globs})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# hlocts_library(<name> [IN directory] [DIRECTORIES ...] [DEPS ...] [PROTOS ...]): a static library of
# every *.cc in the directory after IN (default: this one) and in DIRECTORIES, except *_test.cc,
# *_main.cc, *_fuzzer.cc and main.cc. Without sources, the library is an interface library.
function(hlocts_library name)
  cmake_parse_arguments(ARG "" "IN" "DIRECTORIES;DEPS;PROTOS" ${ARGN})
  hlocts_sources(sources *.cc "${ARG_IN}" ${ARG_DIRECTORIES})
  list(FILTER sources EXCLUDE REGEX "(_test|_main|_fuzzer|/main)\\.cc$")
  foreach(proto ${ARG_PROTOS})
    hlocts_generate_proto(${proto} generated)
    list(APPEND sources ${generated})
  endforeach()
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_DEPS} ${HLOCTS_ABSL})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} ${HLOCTS_ABSL})
  hlocts_target(${name})
endfunction()

# hlocts_program(<name> <sources>... [DEPS ...]): a program in the top build directory.
function(hlocts_program name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  hlocts_target(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()

# hlocts_plugin(<name>): makes a library a plugin in build/engines that finds other libraries in its
# directory. It has DT_RPATH, which also applies to the dependencies of its libraries.
function(hlocts_plugin name)
  target_link_options(${name} PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/engines)
endfunction()

# Generates <dir>/x.pb.{h,cc} in the build directory, so that #include "<dir>/x.pb.h" works.
function(hlocts_generate_proto proto out_sources)
  file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
  string(REGEX REPLACE "\\.proto$" "" stem ${relative})
  set(outputs ${CMAKE_BINARY_DIR}/${stem}.pb.cc ${CMAKE_BINARY_DIR}/${stem}.pb.h)
  add_custom_command(OUTPUT ${outputs}
    COMMAND protobuf::protoc --cpp_out=${CMAKE_BINARY_DIR} -I ${CMAKE_SOURCE_DIR} ${relative}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    DEPENDS ${CMAKE_SOURCE_DIR}/${relative})
  # Compiles generated code without warnings and arithmetic checks. Its messages name no build
  # directory.
  set(options -w -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
  if(HLOCTS_SANITIZE)
    list(APPEND options -fno-sanitize=undefined)
  endif()
  set_source_files_properties(${outputs} PROPERTIES COMPILE_OPTIONS "${options}" GENERATED ON
                              SKIP_UNITY_BUILD_INCLUSION ON)
  set(${out_sources} ${outputs} PARENT_SCOPE)
endfunction()

# SPDX-License-Identifier: Apache-2.0
# find_package(hlocts_spec): the library hlocts::spec.
include(CMakeFindDependencyMacro)
foreach(package absl Protobuf Threads)
  find_dependency(${package})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/hlocts_spec-targets.cmake)

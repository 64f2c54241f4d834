# SPDX-License-Identifier: Apache-2.0
# find_package(hlocts_spec): libraries hlocts::spec_base, spec_ir, spec_ops, spec_infer, spec_text and
# spec_proto.
include(CMakeFindDependencyMacro)
foreach(package absl Protobuf Threads)
  find_dependency(${package})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/hlocts_spec-targets.cmake)

# SPDX-License-Identifier: Apache-2.0
# Toolchain file: Debian's cross compiler for arm64, the libraries of a system root, and user-mode
# emulation for tests. ci/arm64 creates the root and passes its path.
set(HLOCTS_ARM64_ROOT "" CACHE PATH "System root with the arm64 libraries that ci/arm64 unpacks")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HLOCTS_ARM64_ROOT)
if(NOT EXISTS "${HLOCTS_ARM64_ROOT}/usr/include")
  message(FATAL_ERROR "no arm64 libraries in HLOCTS_ARM64_ROOT (ci/arm64 unpacks them)")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${HLOCTS_ARM64_ROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${HLOCTS_ARM64_ROOT})
# Programs, including protoc and Python, are the host's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

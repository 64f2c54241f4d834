# SPDX-License-Identifier: Apache-2.0
# The outputs of nvcc for engine_cuda, and the options of its runtime/. It links no library of the
# toolkit but the static CUDA runtime that launches CUB's kernels, which opens libcuda itself.
file(GLOB device_headers CONFIGURE_DEPENDS ${engine_include}/backends/engine/cuda/device/*.h)
list(APPEND device_headers ${engine_include}/spec/ops/scalar_functions.def)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/runtime)
file(MAKE_DIRECTORY ${generated})
set(runtime ${CMAKE_CURRENT_SOURCE_DIR}/runtime)
add_custom_command(OUTPUT ${generated}/device_headers.inc
  COMMAND ${CMAKE_COMMAND} -DOUT=${generated}/device_headers.inc
          -DROOT=${engine_include} "-DFILES=${device_headers}" -P ${runtime}/embed.cmake
  DEPENDS ${device_headers} ${runtime}/embed.cmake VERBATIM)
# Code of the architectures in use, which needs no compiler at run time and runs under every driver
# for CUDA 13; PTX of the oldest for all others. Code of 8.0 runs on 8.6 and 8.9 as well, that of
# 10.0 on 10.3, that of 12.0 on 12.1.
set(HLOCTS_CUDA_ARCHITECTURES "80;90;100;120" CACHE STRING
    "Compute capabilities, without the dot, to have code for; or native; empty: PTX alone")
# Our own kernels need no feature of a newer architecture: its code is made of the same PTX, which
# nvcc's front end then makes once. Compression reduces it to a fifth; the driver unpacks it. CUB's
# choices differ between architectures.
if(HLOCTS_CUDA_ARCHITECTURES STREQUAL "native")
  set(code_flags -arch=native)
  set(generic_flags -arch=native)
else()
  set(code_flags -gencode arch=compute_80,code=compute_80)
  set(generic_flags ${code_flags})
  foreach(architecture ${HLOCTS_CUDA_ARCHITECTURES})
    list(APPEND code_flags -gencode arch=compute_${architecture},code=sm_${architecture})
    list(APPEND generic_flags -gencode arch=compute_80,code=sm_${architecture})
  endforeach()
endif()
add_custom_command(OUTPUT ${generated}/generic.fatbin
  COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++17 -fmad=false -fatbin -t2 ${generic_flags}
          -Xfatbin --compress-all -I${engine_include} ${runtime}/generic.cu
          -o ${generated}/generic.fatbin
  DEPENDS ${device_headers} ${runtime}/generic.cu VERBATIM)
set_source_files_properties(runtime/generic_image.cc PROPERTIES
  COMPILE_DEFINITIONS HLOCTS_GENERIC_IMAGE="${generated}/generic.fatbin"
  OBJECT_DEPENDS ${generated}/generic.fatbin)
# Warnings in CUB are not ours.
add_custom_command(OUTPUT ${generated}/cub_sort.o
  COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++17 -O2 -w -c -Xcompiler -fPIC,-fvisibility=hidden
          -t2 ${code_flags} -I${engine_include} ${runtime}/cub_sort.cu -o ${generated}/cub_sort.o
  DEPENDS runtime/cub_sort.cu runtime/cub_sort.h base/libraries.h VERBATIM)
target_sources(engine_cuda PRIVATE ${generated}/cub_sort.o ${generated}/device_headers.inc)
target_include_directories(engine_cuda PRIVATE ${generated})
target_include_directories(engine_cuda SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_compile_definitions(engine_cuda PRIVATE HLOCTS_HAVE_CUDA
                           HLOCTS_CUDA_LIB_DIR="${CUDAToolkit_LIBRARY_DIR}")
find_package(Threads REQUIRED)
target_link_libraries(engine_cuda PRIVATE ${CUDA_cudart_static_LIBRARY} Threads::Threads rt)
set(summary "CUDA: code for compute capabilities ${HLOCTS_CUDA_ARCHITECTURES}")
include(CheckCXXSourceCompiles)
find_path(HLOCTS_CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
if(HLOCTS_CUDNN_INCLUDE_DIR)
  # A cuDNN without the calls that describe one convolution is treated as missing.
  set(CMAKE_REQUIRED_INCLUDES ${CUDAToolkit_INCLUDE_DIRS} ${HLOCTS_CUDNN_INCLUDE_DIR})
  set(CMAKE_REQUIRED_FLAGS -Wno-deprecated-declarations)
  check_cxx_source_compiles("#include <cudnn.h>
    decltype(&::cudnnConvolutionForward) call = nullptr; int main() { return call != nullptr; }"
    HLOCTS_CUDNN_HAS_CONVOLUTIONS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_FLAGS)
endif()
if(HLOCTS_CUDNN_HAS_CONVOLUTIONS)
  target_include_directories(engine_cuda SYSTEM PRIVATE ${HLOCTS_CUDNN_INCLUDE_DIR})
  target_compile_definitions(engine_cuda PRIVATE HLOCTS_HAVE_CUDNN)
else()
  string(APPEND summary "; left out: convolutions by cuDNN (no cudnn.h of version 9)")
endif()
# Repeated at the end of the configuration, where users look.
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL message STATUS "${summary}")

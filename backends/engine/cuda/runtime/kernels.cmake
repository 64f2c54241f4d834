# SPDX-License-Identifier: Apache-2.0
# Adds the outputs of nvcc to engine_cuda, and the options of its runtime/. The only linked library
# of the toolkit is the static CUDA runtime, which launches CUB's kernels and opens libcuda itself.
file(GLOB device_headers CONFIGURE_DEPENDS ${engine_include}/backends/engine/cuda/device/*.h)
list(APPEND device_headers ${engine_include}/spec/ops/scalar_functions.def)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/runtime)
file(MAKE_DIRECTORY ${generated})
set(runtime ${CMAKE_CURRENT_SOURCE_DIR}/runtime)
add_custom_command(OUTPUT ${generated}/device_headers.inc
  COMMAND ${CMAKE_COMMAND} -DOUT=${generated}/device_headers.inc
          -DROOT=${engine_include} "-DFILES=${device_headers}" -P ${runtime}/embed.cmake
  DEPENDS ${device_headers} ${runtime}/embed.cmake VERBATIM)
# Architectures to have machine code for. It requires no compiler at run time and runs under every
# driver for CUDA 13. All others use PTX of the oldest one. Code for 8.0 also runs on 8.6 and 8.9,
# code for 10.0 on 10.3, code for 12.0 on 12.1.
set(HLOCTS_CUDA_ARCHITECTURES "80;90;100;120" CACHE STRING
    "Compute capabilities, without the dot, to have code for; or native; empty: PTX alone")
# The engine's kernels use no feature of a newer architecture, so all code is compiled from the PTX
# of 8.0, which nvcc's front end then creates only once. Compression divides the size by five; the
# driver decompresses. CUB chooses algorithms by architecture, so it needs the PTX of each.
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
# CUB's warnings are disabled, because this project cannot fix them.
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
  # A cuDNN without the functions that execute one convolution is treated as missing.
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
# Repeats the summary at the end of the configuration, where users see it.
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL message STATUS "${summary}")

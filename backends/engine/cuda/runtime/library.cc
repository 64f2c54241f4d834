// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/library.h"

#include <dlfcn.h>

namespace hlocts::cuda {

LibraryStatus Declined() { return {HLOCTS_CUDA_DECLINED, "no library takes it"}; }

bool IsSticky(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

LibraryStatus LibraryFailed(const LibraryContext& context, const char* what, int code,
                            bool out_of_memory) {
  const std::string reason = std::string(what) + ": status " + std::to_string(code);
  if (out_of_memory) return {HLOCTS_CUDA_OUT_OF_MEMORY, reason};
  const CUresult state = context.driver->cuStreamSynchronize_(context.stream);
  if (IsSticky(state)) return {HLOCTS_CUDA_LOST, reason + ", " + ErrorText(*context.driver, state)};
  return {HLOCTS_CUDA_FAILED, reason};
}

void* OpenLibrary(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  return dlopen((std::string(HLOCTS_CUDA_LIB_DIR "/") + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

Workspace::Workspace(const LibraryContext& context, size_t bytes) : context_(context) {
  if (bytes > 0) result_ = context.driver->cuMemAllocAsync_(&address_, bytes, context.stream);
}
Workspace::~Workspace() {
  if (address_ != 0) context_.driver->cuMemFreeAsync_(address_, context_.stream);
}
LibraryStatus Workspace::failure() const {
  return {result_ == CUDA_ERROR_OUT_OF_MEMORY ? HLOCTS_CUDA_OUT_OF_MEMORY
          : IsSticky(result_)                 ? HLOCTS_CUDA_LOST
                                              : HLOCTS_CUDA_FAILED,
          "a workspace: " + ErrorText(*context_.driver, result_)};
}

}  // namespace hlocts::cuda

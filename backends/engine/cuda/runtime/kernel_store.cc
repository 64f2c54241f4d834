// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/kernel_store.h"

namespace hlocts::cuda {
namespace {

StoreResult Fine() {
  StoreResult result;
  result.ok = true;
  return result;
}

}  // namespace

void KernelStore::Open(const Driver* driver, std::string architecture, size_t loaded_max) {
  driver_ = driver;
  architecture_ = std::move(architecture);
  loaded_max_ = loaded_max;
}

StoreResult KernelStore::Add(const std::string& source, bool fast_math, int64_t* code) {
  const auto [known, is_new] =
      known_.emplace((fast_math ? "f" : "e") + source, static_cast<int64_t>(kernels_.size()));
  *code = known->second;
  if (!is_new) return Fine();
  Kernel kernel;
  kernel.source = &known->first;
  StoreResult result = Load(kernel, *code);
  if (!result.ok) {
    known_.erase(known);
    return result;
  }
  kernels_.push_back(std::move(kernel));
  Unload();
  return result;
}

StoreResult KernelStore::Function(int64_t code, bool pinned, CUfunction* function) {
  Kernel& kernel = kernels_[static_cast<size_t>(code)];
  StoreResult result = Fine();
  if (kernel.function == nullptr) {
    result = Load(kernel, code);
    if (!result.ok) return result;
  } else if (!kernel.pinned) {
    recent_.splice(recent_.begin(), recent_, kernel.place);
  }
  *function = kernel.function;
  if (pinned && !kernel.pinned) {
    kernel.pinned = true;
    recent_.erase(kernel.place);
  }
  Unload();
  return result;
}

StoreResult KernelStore::Load(Kernel& kernel, int64_t code) {
  const bool fast_math = kernel.source->front() == 'f';
  const std::string source = kernel.source->substr(1);
  Compiled compiled = CompileCached(source, architecture_, fast_math);
  CUresult loaded = compiled.ok ? LoadImage(compiled.image, kernel) : CUDA_SUCCESS;
  if (loaded != CUDA_SUCCESS && compiled.is_from_disk) {
    // What lay on the disk is damaged, or of another time: it is written anew.
    compiled = CompileAnew(source, architecture_, fast_math);
    loaded = compiled.ok ? LoadImage(compiled.image, kernel) : CUDA_SUCCESS;
  }
  if (!compiled.ok || loaded != CUDA_SUCCESS) {
    return {false, compiled.available, compiled.ok, loaded, compiled.log};
  }
  recent_.push_front(code);
  kernel.place = recent_.begin();
  return Fine();
}

CUresult KernelStore::LoadImage(const std::string& image, Kernel& kernel) {
  CUresult result = driver_->cuModuleLoadData_(&kernel.module, image.c_str());
  if (result != CUDA_SUCCESS) return result;
  result = driver_->cuModuleGetFunction_(&kernel.function, kernel.module, "hl_kernel");
  if (result != CUDA_SUCCESS) driver_->cuModuleUnload_(kernel.module);
  return result;
}

// The oldest go, once nothing runs any more.
void KernelStore::Unload() {
  if (recent_.size() > loaded_max_) driver_->cuCtxSynchronize_();
  while (recent_.size() > loaded_max_) {
    Kernel& oldest = kernels_[static_cast<size_t>(recent_.back())];
    driver_->cuModuleUnload_(oldest.module);
    oldest.module = nullptr;
    oldest.function = nullptr;
    recent_.pop_back();
  }
}

}  // namespace hlocts::cuda

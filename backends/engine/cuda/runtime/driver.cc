// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/driver.h"

#include <dlfcn.h>

namespace hlocts::cuda {

const Driver* OpenDriver(std::string& reason) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    reason = "no NVIDIA driver: libcuda.so.1 is not there";
    return nullptr;
  }
  static Driver driver;
#define HLOCTS_FIND(name)                                                                         \
  driver.name##_ = reinterpret_cast<decltype(driver.name##_)>(dlsym(library, HLOCTS_TEXT(name))); \
  if (driver.name##_ == nullptr) {                                                                \
    reason = "the NVIDIA driver is too old: it lacks " HLOCTS_TEXT(name);                         \
    return nullptr;                                                                               \
  }
  HLOCTS_DRIVER_FUNCTIONS(HLOCTS_FIND)
#undef HLOCTS_FIND
  return &driver;
}

std::string ErrorText(const Driver& driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName_(result, &name);
  driver.cuGetErrorString_(result, &text);
  return std::string(name != nullptr ? name : "unknown error") + ": " +
         (text != nullptr ? text : "");
}

}  // namespace hlocts::cuda

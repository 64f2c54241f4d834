// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/driver.h"

#include <dlfcn.h>

namespace hlocts::cuda {

namespace {

// nullptr where a function is missing.
const Driver* Find(std::string& reason) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    reason = "no NVIDIA driver: libcuda.so.1 is not there";
    return nullptr;
  }
  static Driver driver;
#define HLOCTS_FIND(name)                                                                          \
  driver.name##_ = reinterpret_cast<decltype(driver.name##_)>(dlsym(library, HLOCTS_TEXT(name)));  \
  if (driver.name##_ == nullptr) {                                                                 \
    reason = "the NVIDIA driver is too old (580 or newer is needed): it lacks " HLOCTS_TEXT(name); \
    return nullptr;                                                                                \
  }
  HLOCTS_DRIVER_FUNCTIONS(HLOCTS_FIND)
#undef HLOCTS_FIND
  return &driver;
}

}  // namespace

// Once: other threads read the table.
const Driver* OpenDriver(std::string& reason) {
  static const std::string* why = nullptr;
  static const Driver* driver = [] {
    std::string text;
    const Driver* found = Find(text);
    why = new std::string(text);
    return found;
  }();
  reason = *why;
  return driver;
}

std::string ErrorText(const Driver& driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName_(result, &name);
  driver.cuGetErrorString_(result, &text);
  return std::string(name != nullptr ? name : "unknown error") + ": " +
         (text != nullptr ? text : "");
}

}  // namespace hlocts::cuda

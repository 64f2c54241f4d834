// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/driver.h"

#include <dlfcn.h>

namespace hlocts::cuda {

namespace {

absl::StatusOr<const Driver*> Find() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError("no NVIDIA driver: libcuda.so.1 is missing");
  }
  static Driver driver;
#define HLOCTS_FIND(name)                                                                         \
  driver.name##_ = reinterpret_cast<decltype(driver.name##_)>(dlsym(library, HLOCTS_TEXT(name))); \
  if (driver.name##_ == nullptr) {                                                                \
    return absl::UnavailableError(                                                                \
        "the NVIDIA driver is too old (580 or newer is needed): it lacks " HLOCTS_TEXT(name));    \
  }
  HLOCTS_DRIVER_FUNCTIONS(HLOCTS_FIND)
#undef HLOCTS_FIND
  return &driver;
}

}  // namespace

// Opens the driver once per process. Any thread may call this.
absl::StatusOr<const Driver*> OpenDriver() {
  static const auto* driver = new absl::StatusOr<const Driver*>(Find());
  return *driver;
}

std::string ErrorText(const Driver& driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName_(result, &name);
  driver.cuGetErrorString_(result, &text);
  return std::string(name != nullptr ? name : "unknown error") + ": " +
         (text != nullptr ? text : "");
}

}  // namespace hlocts::cuda

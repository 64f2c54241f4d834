// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "spec/files/home_folder.h"

namespace hlocts::backends {

std::string XlaLibraryPath() {
  if (const char* path = std::getenv("HLOCTS_XLA_LIBRARY")) return path;
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  std::string folder(program, length > 0 ? static_cast<size_t>(length) : 0);
  return folder.substr(0, folder.rfind('/') + 1) + "libhlocts_xla.so";
}

absl::Status CheckXlaLibrary() {
  const std::string path = XlaLibraryPath();
  if (access(path.c_str(), R_OK) == 0) return absl::OkStatus();
  if (IsInstalled())
    return absl::UnavailableError(
        "this release contains no C++ library of XLA; only a build from the sources has one");
  return absl::UnavailableError(absl::StrCat(
      path, " is missing: this build contains no XLA (ci/fetch-xla, -DHLOCTS_XLA_DIR)"));
}

absl::StatusOr<void*> OpenXlaLibrary() {
  HLOCTS_RETURN_IF_ERROR(CheckXlaLibrary());
  // Binds functions lazily: most of the library's 150,000 functions are never called, and binding
  // all of them takes a third of the load time.
  void* library = dlopen(XlaLibraryPath().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) return absl::UnavailableError(absl::StrCat("dlopen: ", dlerror()));
  return library;
}

absl::Status StatusOfXla(hlocts_xla_status status, absl::string_view message) {
  switch (status) {
    case HLOCTS_XLA_OK:
      return absl::OkStatus();
    case HLOCTS_XLA_PARSE_ERROR:
    case HLOCTS_XLA_VERIFY_ERROR:
    case HLOCTS_XLA_ARGUMENT_ERROR:
      return absl::InvalidArgumentError(message);
    case HLOCTS_XLA_UNIMPLEMENTED:
      return absl::UnimplementedError(message);
    case HLOCTS_XLA_EXECUTE_ERROR:
      return absl::InternalError(message);
  }
  return absl::InternalError(message);
}

}  // namespace hlocts::backends

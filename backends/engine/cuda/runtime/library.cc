// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"

namespace hlocts::cuda {

absl::StatusOr<bool> LibraryFailed(const Gpu& gpu, const char* what, int code, bool out_of_memory) {
  const std::string reason = absl::StrCat(what, ": status ", code);
  if (out_of_memory) return absl::ResourceExhaustedError(reason);
  HLOCTS_RETURN_IF_ERROR(gpu.Wait(reason));
  return Refused(reason);
}

absl::StatusOr<bool> Refused(const std::string& reason) {
  static std::set<std::string>* said = new std::set<std::string>();
  if (IsSet("HLOCTS_CUDA_STRICT_LIBRARIES")) return absl::InternalError(reason);
  if (said->insert(reason).second) {
    std::fprintf(stderr, "hlocts: cuda: %s; the engine's own kernel runs instead\n",
                 reason.c_str());
  }
  return false;
}

namespace {

// Returns the directories in which Python packages install CUDA's libraries. Each library may have
// a directory, or all may share one.
std::vector<std::string> PythonFolders() {
  std::vector<std::string> roots = {"/usr/lib", "/usr/local/lib"};
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    roots.insert(roots.begin(), std::string(environment) + "/lib");
  }
  if (const char* home = std::getenv("HOME")) roots.push_back(std::string(home) + "/.local/lib");
  std::vector<std::string> folders;
  for (const std::string& root : roots) {
    for (const char* packages : {"/python3*/site-packages", "/python3*/dist-packages"}) {
      glob_t found = {};
      if (glob((root + packages + "/nvidia/*/lib").c_str(), 0, nullptr, &found) == 0) {
        folders.insert(folders.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
      }
      globfree(&found);
    }
  }
  return folders;
}

std::vector<std::string> Folders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("HLOCTS_CUDA_PATH")) {
    for (const char* sub : {"/", "/lib64/", "/lib/"}) folders.push_back(std::string(path) + sub);
  }
  folders.emplace_back();  // "": dlopen searches the system's directories
  folders.emplace_back(HLOCTS_CUDA_LIB_DIR "/");
  for (const std::string& folder : PythonFolders()) folders.push_back(folder + "/");
  return folders;
}

}  // namespace

void* OpenLibrary(const char* name) {
  static const std::vector<std::string>* folders = new std::vector<std::string>(Folders());
  for (const std::string& folder : *folders) {
    void* library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return nullptr;
}

namespace {

// Searches without loading the library, because some libraries have hundreds of megabytes.
bool IsThere(const std::string& name) {
  std::vector<std::string> folders = Folders();
  folders.insert(folders.end(), {"/usr/lib/x86_64-linux-gnu/", "/usr/lib64/", "/usr/lib/"});
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder + "/");
  }
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return !folder.empty() && access((folder + name).c_str(), R_OK) == 0;
  });
}

}  // namespace

std::string LibrariesMissing() {
  constexpr const char* kNames[] = {"libnvrtc.so.13", "libcublasLt.so.13", "libcudnn.so.9"};
  std::string missing;
  for (const char* name : kNames) {
    if (!IsThere(name)) missing += (missing.empty() ? "" : " and ") + std::string(name);
  }
  return missing;
}

}  // namespace hlocts::cuda

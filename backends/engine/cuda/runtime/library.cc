// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

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
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
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
  if (state != CUDA_SUCCESS) {
    return {HLOCTS_CUDA_LOST, reason + ", " + ErrorText(*context.driver, state)};
  }
  return Refused(reason);
}

LibraryStatus Refused(const std::string& reason) {
  static std::mutex* mutex = new std::mutex();
  static std::set<std::string>* said = new std::set<std::string>();
  if (std::getenv("HLOCTS_CUDA_STRICT_LIBRARIES") != nullptr) return {HLOCTS_CUDA_FAILED, reason};
  std::lock_guard<std::mutex> lock(*mutex);
  if (said->insert(reason).second) {
    std::fprintf(stderr, "hlocts: cuda: %s; a kernel of the engine's own stands in\n",
                 reason.c_str());
  }
  return {HLOCTS_CUDA_DECLINED, reason};
}

namespace {

// Where Python's packages keep CUDA's libraries, one folder for each of them or one for all.
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
  folders.emplace_back();  // the loader's own
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

// Without loading it: some are hundreds of megabytes.
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
  constexpr const char* kNames[] = {"libnvrtc.so.13",    "libcublasLt.so.13", "libcublas.so.13",
                                    "libcusolver.so.12", "libcufft.so.12",    "libcudnn.so.9",
                                    "libnccl.so.2"};
  std::string missing;
  for (const char* name : kNames) {
    if (!IsThere(name)) missing += (missing.empty() ? "" : " and ") + std::string(name);
  }
  return missing;
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

// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/compile.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace hlocts::cuda {
namespace {

struct Header {
  const char* name;
  const char* text;
};
const Header kHeaders[] = {
#include "backends/engine/cuda/runtime/device_headers.inc"
};

#define HLOCTS_NVRTC_FUNCTIONS(F) \
  F(nvrtcCreateProgram)           \
  F(nvrtcDestroyProgram)          \
  F(nvrtcCompileProgram)          \
  F(nvrtcGetProgramLogSize)       \
  F(nvrtcGetProgramLog) F(nvrtcGetCUBINSize) F(nvrtcGetCUBIN) F(nvrtcGetErrorString) F(nvrtcVersion)

struct Nvrtc {
#define HLOCTS_MEMBER(name) decltype(&::name) name##_ = nullptr;
  HLOCTS_NVRTC_FUNCTIONS(HLOCTS_MEMBER)
#undef HLOCTS_MEMBER
  bool ok = false;

  Nvrtc() {
    void* library = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    // Where this build found its toolkit.
    if (library == nullptr)
      library = dlopen(HLOCTS_CUDA_LIB_DIR "/libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
#define HLOCTS_FIND(name)                                               \
  name##_ = reinterpret_cast<decltype(name##_)>(dlsym(library, #name)); \
  if (name##_ == nullptr) return;
    HLOCTS_NVRTC_FUNCTIONS(HLOCTS_FIND)
#undef HLOCTS_FIND
    ok = true;
  }
};
const Nvrtc& TheNvrtc() {
  static const Nvrtc* nvrtc = new Nvrtc();
  return *nvrtc;
}

std::vector<std::string> Options(const std::string& architecture, bool fast_math) {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture, "--std=c++17",
                                      "--ptxas-options=-v"};
  if (fast_math) {
    options.push_back("--use_fast_math");
    options.push_back("-DHL_FAST_MATH");
  } else {
    // Subnormals stay, division and square root are rounded correctly, nothing is contracted.
    for (const char* option :
         {"--ftz=false", "--prec-div=true", "--prec-sqrt=true", "--fmad=false"}) {
      options.emplace_back(option);
    }
  }
  return options;
}

std::string LogOf(const Nvrtc& nvrtc, nvrtcProgram program) {
  size_t size = 0;
  if (nvrtc.nvrtcGetProgramLogSize_(program, &size) != NVRTC_SUCCESS || size == 0) return "";
  std::string log(size, '\0');
  nvrtc.nvrtcGetProgramLog_(program, log.data());
  log.resize(size - 1);
  return log;
}

nvrtcResult Create(const Nvrtc& nvrtc, const std::string& source, nvrtcProgram& program) {
  std::vector<const char*> texts, names;
  for (const Header& header : kHeaders) {
    texts.push_back(header.text);
    names.push_back(header.name);
  }
  return nvrtc.nvrtcCreateProgram_(&program, source.c_str(), "kernel.cu",
                                   static_cast<int>(texts.size()), texts.data(), names.data());
}
nvrtcResult Compile(const Nvrtc& nvrtc, nvrtcProgram program,
                    const std::vector<std::string>& options) {
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  return nvrtc.nvrtcCompileProgram_(program, static_cast<int>(texts.size()), texts.data());
}

// FNV-1a, twice with different starts: a name, not a secret.
std::string Hash(const std::string& text) {
  char name[40];
  uint64_t hashes[2] = {0xcbf29ce484222325ull, 0x84222325cbf29ce4ull};
  for (uint64_t& hash : hashes) {
    for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
  }
  std::snprintf(name, sizeof(name), "%016llx%016llx", static_cast<unsigned long long>(hashes[0]),
                static_cast<unsigned long long>(hashes[1]));
  return name;
}

// "" where nothing may be kept.
std::string CacheFolder() {
  if (const char* folder = std::getenv("HLOCTS_CUDA_CACHE")) {
    mkdir(folder, 0755);
    return folder;
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr) return "";
  std::string folder = home;
  for (const char* part : {"/.cache", "/hlocts", "/cuda"}) {
    folder += part;
    mkdir(folder.c_str(), 0755);
  }
  return folder;
}

}  // namespace

Compiled CompileSource(const std::string& source, const std::string& architecture, bool fast_math) {
  Compiled result;
  const Nvrtc& nvrtc = TheNvrtc();
  if (!nvrtc.ok) {
    result.available = false;
    result.log = "libnvrtc.so.13 is not there";
    return result;
  }
  nvrtcProgram program;
  nvrtcResult status = Create(nvrtc, source, program);
  if (status == NVRTC_SUCCESS) {
    status = Compile(nvrtc, program, Options(architecture, fast_math));
    result.log = LogOf(nvrtc, program);
    size_t size = 0;
    if (status == NVRTC_SUCCESS) status = nvrtc.nvrtcGetCUBINSize_(program, &size);
    if (status == NVRTC_SUCCESS) {
      result.cubin.resize(size);
      status = nvrtc.nvrtcGetCUBIN_(program, result.cubin.data());
    }
    nvrtc.nvrtcDestroyProgram_(&program);
  }
  result.ok = status == NVRTC_SUCCESS;
  if (!result.ok) result.log = std::string(nvrtc.nvrtcGetErrorString_(status)) + "\n" + result.log;
  return result;
}

Compiled CompileCached(const std::string& source, const std::string& architecture, bool fast_math) {
  int major = 0, minor = 0;
  if (TheNvrtc().ok) TheNvrtc().nvrtcVersion_(&major, &minor);
  std::string everything = source + architecture + std::to_string(major * 100 + minor);
  for (const Header& header : kHeaders) everything += header.text;
  for (const std::string& option : Options(architecture, fast_math)) everything += option;
  const std::string folder = CacheFolder(), path = folder + "/" + Hash(everything) + ".cubin";
  Compiled result;
  if (!folder.empty()) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    result.cubin = bytes.str();
    result.ok = result.is_from_disk = in.good() && !result.cubin.empty();
  }
  if (result.ok) return result;
  result = CompileSource(source, architecture, fast_math);
  if (!result.ok || folder.empty()) return result;
  // Written beside, then renamed: nobody reads half a file.
  const std::string draft = path + "." + std::to_string(getpid());
  std::ofstream out(draft, std::ios::binary);
  out << result.cubin;
  out.close();
  if (!out.good() || std::rename(draft.c_str(), path.c_str()) != 0) std::remove(draft.c_str());
  return result;
}

}  // namespace hlocts::cuda

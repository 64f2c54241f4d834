// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/nvrtc.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {
namespace {

struct Header {
  const char* name;
  const char* text;
};
const Header kHeaders[] = {
#include "device_headers.inc"
};

#define HLOCTS_NVRTC_FUNCTIONS(F) \
  F(nvrtcCreateProgram)           \
  F(nvrtcDestroyProgram)          \
  F(nvrtcCompileProgram)          \
  F(nvrtcGetProgramLogSize)       \
  F(nvrtcGetProgramLog)           \
  F(nvrtcGetCUBINSize)            \
  F(nvrtcGetCUBIN)                \
  F(nvrtcGetPTXSize)              \
  F(nvrtcGetPTX)                  \
  F(nvrtcGetNumSupportedArchs)    \
  F(nvrtcGetSupportedArchs) F(nvrtcGetErrorString)

struct Nvrtc {
  HLOCTS_NVRTC_FUNCTIONS(HLOCTS_LIBRARY_MEMBER)
  bool ok = false;

  Nvrtc() {
    void* library = OpenLibrary("libnvrtc.so.13");
    if (library == nullptr) return;
    HLOCTS_NVRTC_FUNCTIONS(HLOCTS_LIBRARY_FIND)
    ok = true;
  }
};
const Nvrtc& TheNvrtc() {
  static const Nvrtc* nvrtc = new Nvrtc();
  return *nvrtc;
}

std::vector<std::string> Options(const std::string& architecture, bool fast_math) {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture, "--std=c++17"};
  if (architecture.front() == 's') options.emplace_back("--ptxas-options=-v");
  if (fast_math) {
    // device/real.h decides which functions are approximated. --use_fast_math would also
    // approximate them outside the ranges in which approximations are accurate, and would flush
    // subnormals of complex numbers that are only moved. Products and sums are never contracted,
    // because compensated sums depend on separate roundings.
    for (const char* option : {"--ftz=false", "--prec-div=false", "--prec-sqrt=false",
                               "--fmad=false", "-DHL_FAST_MATH"}) {
      options.emplace_back(option);
    }
  } else {
    // Keeps subnormals, rounds division and square root correctly, and contracts nothing.
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

// Returns `architecture` if NVRTC supports it, else "compute_" with the newest one it supports.
std::string TargetOf(const Nvrtc& nvrtc, const std::string& architecture) {
  int count = 0;
  if (nvrtc.nvrtcGetNumSupportedArchs_(&count) != NVRTC_SUCCESS || count == 0) return architecture;
  std::vector<int> known(static_cast<size_t>(count));
  if (nvrtc.nvrtcGetSupportedArchs_(known.data()) != NVRTC_SUCCESS) return architecture;
  const int wanted = std::atoi(architecture.c_str() + architecture.find('_') + 1);
  const int newest = *std::max_element(known.begin(), known.end());
  return wanted > newest ? absl::StrCat("compute_", newest) : architecture;
}

// Reads the compiled program: SASS, or PTX if `ptx`.
nvrtcResult TakeImage(const Nvrtc& nvrtc, nvrtcProgram program, bool ptx, std::string& image) {
  size_t size = 0;
  nvrtcResult status =
      ptx ? nvrtc.nvrtcGetPTXSize_(program, &size) : nvrtc.nvrtcGetCUBINSize_(program, &size);
  if (status != NVRTC_SUCCESS) return status;
  image.resize(size);
  return ptx ? nvrtc.nvrtcGetPTX_(program, image.data())
             : nvrtc.nvrtcGetCUBIN_(program, image.data());
}

}  // namespace

absl::StatusOr<CompiledKernel> CompileSource(const std::string& source,
                                             const std::string& architecture, bool fast_math) {
  const Nvrtc& nvrtc = TheNvrtc();
  if (!nvrtc.ok) return absl::UnavailableError("libnvrtc.so.13 is missing");
  const std::string target = TargetOf(nvrtc, architecture);
  const bool ptx = target.front() == 'c';
  CompiledKernel result;
  nvrtcProgram program;
  nvrtcResult status = Create(nvrtc, source, program);
  if (status == NVRTC_SUCCESS) {
    status = Compile(nvrtc, program, Options(target, fast_math));
    result.log = LogOf(nvrtc, program);
    if (status == NVRTC_SUCCESS) status = TakeImage(nvrtc, program, ptx, result.image);
    nvrtc.nvrtcDestroyProgram_(&program);
  }
  if (status == NVRTC_SUCCESS) return result;
  return absl::InternalError(
      absl::StrCat("NVRTC: ", nvrtc.nvrtcGetErrorString_(status), "\n", result.log));
}

}  // namespace hlocts::cuda

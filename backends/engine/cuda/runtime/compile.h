// SPDX-License-Identifier: Apache-2.0
// NVRTC, opened when it is first needed, and the compiled kernels kept on disk.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_COMPILE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_COMPILE_H_

#include <string>

namespace hlocts::cuda {

struct Compiled {
  bool ok = false, available = true;
  bool is_from_disk = false;
  // For cuModuleLoadData: SASS, or, of a device that this NVRTC does not know, PTX of the newest
  // that it does.
  std::string image;
  std::string log;  // also of what succeeded
};

// The device headers are part of the library.
Compiled CompileSource(const std::string& source, const std::string& architecture, bool fast_math);
// The same, remembered under a name made of everything that goes into it, in $HLOCTS_CUDA_CACHE or
// ~/.cache/hlocts/cuda, at most $HLOCTS_CUDA_CACHE_MIB (1024) of it.
Compiled CompileCached(const std::string& source, const std::string& architecture, bool fast_math);
// Whatever is remembered, which is then overwritten.
Compiled CompileAnew(const std::string& source, const std::string& architecture, bool fast_math);

// All kernels of device/dispatch.h around the interpreter: SASS of HLOCTS_CUDA_ARCHITECTURES, and
// PTX for all others.
extern "C" const char hlocts_cuda_generic_image[];

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_COMPILE_H_

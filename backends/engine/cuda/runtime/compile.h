// SPDX-License-Identifier: Apache-2.0
// NVRTC, opened when it is first needed, and the compiled kernels kept on disk.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_COMPILE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_COMPILE_H_

#include <string>

namespace hlocts::cuda {

struct Compiled {
  bool ok = false, available = true;
  bool is_from_disk = false;
  std::string cubin, log;  // the log also of what succeeded
};

// The device headers are part of the library.
Compiled CompileSource(const std::string& source, const std::string& architecture, bool fast_math);
// The same, remembered under a name made of everything that goes into it.
Compiled CompileCached(const std::string& source, const std::string& architecture, bool fast_math);

// All kernels of device/dispatch.h around the interpreter, as PTX.
extern const char kGenericPtx[];

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_COMPILE_H_

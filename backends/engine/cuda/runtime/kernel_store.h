// SPDX-License-Identifier: Apache-2.0
// Kernels compiled at run time, by number: as many stay loaded as are used, up to a bound; one that
// was unloaded is loaded again when it is launched.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_KERNEL_STORE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_KERNEL_STORE_H_

#include <list>
#include <map>
#include <string>
#include <vector>

#include "backends/engine/cuda/runtime/compile.h"
#include "backends/engine/cuda/runtime/driver.h"

namespace hlocts::cuda {

// What went wrong: the compiler's words, or what the driver said of the code.
struct StoreResult {
  bool ok = false, available = true, compiled = false;
  CUresult loaded = CUDA_SUCCESS;
  std::string log;
};

class KernelStore {
 public:
  void Open(const Driver* driver, std::string architecture, size_t loaded_max);
  // The number of a kernel, which is loaded then.
  StoreResult Add(const std::string& source, bool fast_math, int64_t* code);
  // Of a number that Add gave. pinned: a graph will hold the function, it stays.
  StoreResult Function(int64_t code, bool pinned, CUfunction* function);
  size_t loaded() const { return recent_.size(); }

 private:
  struct Kernel {
    const std::string* source = nullptr;  // a key of known_, with its first letter
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    bool pinned = false;
    std::list<int64_t>::iterator place;  // in recent_, while loaded and not pinned
  };
  StoreResult Load(Kernel& kernel, int64_t code);
  CUresult LoadImage(const std::string& image, Kernel& kernel);
  void Unload();

  const Driver* driver_ = nullptr;
  std::string architecture_;
  size_t loaded_max_ = 0;
  std::map<std::string, int64_t> known_;  // 'f' for fast or 'e' for exact, then the source
  std::vector<Kernel> kernels_;
  std::list<int64_t> recent_;  // the last used first
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_KERNEL_STORE_H_

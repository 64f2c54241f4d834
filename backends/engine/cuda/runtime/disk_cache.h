// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, for the next process: $HLOCTS_CUDA_CACHE, else ~/.cache/hlocts/cuda; at
// most $HLOCTS_CUDA_CACHE_MIB (1024) MiB, the oldest go.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_DISK_CACHE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_DISK_CACHE_H_

#include <string>

namespace hlocts::cuda {

// A name for a text: 32 hexadecimal digits, no secret.
std::string HashName(const std::string& text);
// "" where there is none.
std::string ReadCached(const std::string& name);
// Nothing happens where nothing can be kept.
void WriteCached(const std::string& name, const std::string& bytes);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_DISK_CACHE_H_

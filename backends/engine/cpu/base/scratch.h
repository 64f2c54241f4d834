// SPDX-License-Identifier: Apache-2.0
// Memory for the duration of one call, from a block that each thread keeps.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_BASE_SCRATCH_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_BASE_SCRATCH_H_

#include <cstddef>
#include <cstdint>

namespace hlocts::cpu {

// Nested buffers are released in reverse order, as scopes end. Throws std::bad_alloc.
class ScratchBuffer {
 public:
  explicit ScratchBuffer(int64_t bytes);
  ~ScratchBuffer();
  ScratchBuffer(const ScratchBuffer&) = delete;
  ScratchBuffer& operator=(const ScratchBuffer&) = delete;
  uint8_t* data() const { return data_; }

 private:
  uint8_t* data_;
  int64_t bytes_;
  bool own_;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_BASE_SCRATCH_H_

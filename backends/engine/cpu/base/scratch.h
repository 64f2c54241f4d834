// SPDX-License-Identifier: Apache-2.0
// Temporary memory for one call, from a block of memory that each thread keeps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hlocts::cpu {

// A buffer in the thread's block. Buffers must be destroyed in the reverse order of their creation,
// as in nested scopes. The constructor may throw std::bad_alloc.
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

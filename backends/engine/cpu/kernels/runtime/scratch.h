// SPDX-License-Identifier: Apache-2.0
// Working memory of kernels. Blocks are kept between calls, because the first access to new pages
// costs more than most kernels. If an allocation fails, ok() is false.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace hlocts::kernels {

class Scratch {
 public:
  // Allocates `bytes`, aligned to 64 bytes. Fails if the size is negative or exceeds memory.
  explicit Scratch(int64_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  bool ok() const { return data_ != nullptr; }
  template <typename T = char>
  T* As() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

absl::Status OutOfScratch(int64_t bytes);

}  // namespace hlocts::kernels

// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/base/scratch.h"

#include <new>

namespace hlocts::cpu {
namespace {

constexpr int64_t kThreadBytes = 1 << 20;
constexpr int64_t kAlignment = 64;

struct ThreadBlock {
  uint8_t* data = static_cast<uint8_t*>(::operator new(kThreadBytes, std::align_val_t(kAlignment)));
  int64_t used = 0;
  ~ThreadBlock() { ::operator delete(data, std::align_val_t(kAlignment)); }
};

ThreadBlock& ThreadLocalBlock() {
  thread_local ThreadBlock block;
  return block;
}

}  // namespace

ScratchBuffer::ScratchBuffer(int64_t bytes)
    : bytes_((bytes + kAlignment - 1) / kAlignment * kAlignment) {
  ThreadBlock& block = ThreadLocalBlock();
  own_ = block.used + bytes_ > kThreadBytes;
  if (own_) {
    data_ = static_cast<uint8_t*>(::operator new(bytes_, std::align_val_t(kAlignment)));
    return;
  }
  data_ = block.data + block.used;
  block.used += bytes_;
}

ScratchBuffer::~ScratchBuffer() {
  if (own_) {
    ::operator delete(data_, std::align_val_t(kAlignment));
  } else {
    ThreadLocalBlock().used -= bytes_;
  }
}

}  // namespace hlocts::cpu

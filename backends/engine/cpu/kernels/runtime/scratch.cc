// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/runtime/scratch.h"

#include <cstdlib>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/base/array_memory.h"

namespace hlocts::kernels {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kKeptBytes = size_t{256} << 20;
constexpr size_t kKeptBlocks = 64;

struct Block {
  void* data;
  size_t bytes;
};

// The unused blocks, sorted from the oldest to the newest.
class FreeList {
 public:
  static FreeList& Get() {
    static auto* list = new FreeList();
    return *list;
  }

  // Removes and returns the smallest block of at least `bytes` and at most four times `bytes`. If
  // there is none, the data of the result is null.
  Block Take(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    size_t best = blocks_.size();
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].bytes < bytes || blocks_[i].bytes / 4 > bytes) continue;
      if (best == blocks_.size() || blocks_[i].bytes < blocks_[best].bytes) best = i;
    }
    if (best == blocks_.size()) return {nullptr, 0};
    Block block = blocks_[best];
    blocks_.erase(blocks_.begin() + best);
    kept_ -= block.bytes;
    return block;
  }

  void Give(Block block) {
    if (block.bytes > kKeptBytes) return std::free(block.data);
    std::lock_guard<std::mutex> lock(mutex_);
    blocks_.push_back(block);
    kept_ += block.bytes;
    while (kept_ > kKeptBytes || blocks_.size() > kKeptBlocks) {
      kept_ -= blocks_.front().bytes;
      std::free(blocks_.front().data);
      blocks_.erase(blocks_.begin());
    }
  }

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;
  size_t kept_ = 0;
};

}  // namespace

Scratch::Scratch(int64_t bytes) {
  if (bytes < 0 || bytes > (int64_t{1} << 46)) return;
  const size_t rounded = (static_cast<size_t>(bytes) + kAlignment) / kAlignment * kAlignment;
  const Block block = FreeList::Get().Take(rounded);
  data_ = block.data;
  bytes_ = block.bytes;
  if (data_ != nullptr) return;
  data_ = AllocateArray(rounded);
  bytes_ = rounded;
}

Scratch::~Scratch() {
  if (data_ != nullptr) FreeList::Get().Give({data_, bytes_});
}

absl::Status OutOfScratch(int64_t bytes) {
  return absl::ResourceExhaustedError(absl::StrCat("cannot allocate ", bytes, " bytes"));
}

}  // namespace hlocts::kernels

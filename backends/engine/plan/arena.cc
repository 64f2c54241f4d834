// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/arena.h"

#include <algorithm>
#include <queue>

namespace hlocts::plan {
namespace {

struct Hole {
  int64_t offset, bytes;
};

// The free ranges of the block, sorted by offset. Adjacent ranges are merged.
class Holes {
 public:
  // Allocates memory in the smallest hole that is large enough. Returns -1 if there is none.
  int64_t Take(int64_t bytes) {
    size_t best = holes_.size();
    for (size_t i = 0; i < holes_.size(); ++i) {
      if (holes_[i].bytes < bytes) continue;
      if (best == holes_.size() || holes_[i].bytes < holes_[best].bytes) best = i;
    }
    if (best == holes_.size()) return -1;
    const int64_t offset = holes_[best].offset;
    holes_[best] = {offset + bytes, holes_[best].bytes - bytes};
    if (holes_[best].bytes == 0) holes_.erase(holes_.begin() + static_cast<int64_t>(best));
    return offset;
  }
  void Give(int64_t offset, int64_t bytes) {
    auto next = std::find_if(holes_.begin(), holes_.end(),
                             [&](const Hole& hole) { return hole.offset > offset; });
    next = holes_.insert(next, {offset, bytes});
    if (next + 1 != holes_.end() && next->offset + next->bytes == (next + 1)->offset) {
      next->bytes += (next + 1)->bytes;
      holes_.erase(next + 1);
    }
    if (next != holes_.begin() && (next - 1)->offset + (next - 1)->bytes == next->offset) {
      (next - 1)->bytes += next->bytes;
      holes_.erase(next);
    }
  }
  // Removes and returns a hole that ends at `end`, the block's end. Returns `end` if there is none.
  int64_t TakeEnd(int64_t end) {
    if (holes_.empty() || holes_.back().offset + holes_.back().bytes != end) return end;
    const int64_t offset = holes_.back().offset;
    holes_.pop_back();
    return offset;
  }

 private:
  std::vector<Hole> holes_;
};

}  // namespace

absl::StatusOr<ArenaPlan> PlanArena(absl::Span<const Lifetime> lifetimes, int64_t bytes_max) {
  ArenaPlan plan;
  Holes holes;
  struct Ending {
    int32_t last;
    int64_t offset, bytes;
    bool operator<(const Ending& other) const { return last > other.last; }
  };
  std::priority_queue<Ending> endings;
  for (const Lifetime& lifetime : lifetimes) {
    while (!endings.empty() && endings.top().last < lifetime.first) {
      holes.Give(endings.top().offset, endings.top().bytes);
      endings.pop();
    }
    if (lifetime.bytes > bytes_max) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a buffer needs ", lifetime.bytes, " bytes, but the budget is ", bytes_max));
    }
    const int64_t bytes = std::max<int64_t>(
        (lifetime.bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment,
        kArenaAlignment);
    int64_t offset = holes.Take(bytes);
    if (offset < 0) {
      offset = holes.TakeEnd(plan.bytes);
      plan.bytes = offset + bytes;
    }
    if (plan.bytes > bytes_max) {
      return absl::ResourceExhaustedError(
          absl::StrCat("buffers need ", plan.bytes, " bytes, but the budget is ", bytes_max));
    }
    plan.offsets.push_back(offset);
    endings.push({lifetime.last, offset, bytes});
  }
  return plan;
}

}  // namespace hlocts::plan

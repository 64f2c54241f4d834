// SPDX-License-Identifier: Apache-2.0
// Collectives of libraries.h as loops of the host. Sums begin with the last member: their order is
// nobody's promise.
#include <algorithm>
#include <cstring>

#include "backends/engine/cuda/base/libraries.h"
#include "backends/engine/cuda/device/dispatch.h"

namespace hlocts::cuda {
namespace {

// Element `first + i` of all members, combined.
void Reduce(const CollectiveCall& p, const void* const* in, int64_t first, void* out) {
  constexpr int kOps[] = {hl::kOpAdd, hl::kOpMultiply, hl::kOpMinimum, hl::kOpMaximum};
  for (int64_t i = 0; i < p.count; ++i) {
    hl::Value value = hl::Load(p.type, in[p.members - 1], first + i);
    for (int m = p.members - 1; m-- > 0;) {
      value = hl::Binary(kOps[p.reduction], p.type, value, hl::Load(p.type, in[m], first + i));
    }
    hl::Store(p.type, out, i, value);
  }
}

// Block `block` of a member's memory.
void CopyBlock(const CollectiveCall& p, const void* from, int from_block, void* to, int to_block) {
  std::memcpy(static_cast<char*>(to) + to_block * p.count,
              static_cast<const char*>(from) + from_block * p.count, static_cast<size_t>(p.count));
}

}  // namespace

bool RunHostCollective(const CollectiveCall& p, const void* const* in, void* const* out) {
  for (int m = 0; m < p.members; ++m) {
    if (p.kind == kReduceToAll) Reduce(p, in, 0, out[m]);
    if (p.kind == kReduceToParts) Reduce(p, in, m * p.count, out[m]);
    for (int peer = 0; peer < p.members; ++peer) {
      if (p.kind == kGather) CopyBlock(p, in[peer], 0, out[m], peer);
      if (p.kind == kExchange) CopyBlock(p, in[peer], m, out[m], peer);
    }
    if (p.kind != kPermute) continue;
    if (p.sources[m] >= 0) {
      CopyBlock(p, in[p.sources[m]], 0, out[m], 0);
    } else {
      std::memset(out[m], 0, static_cast<size_t>(p.count));
    }
  }
  return true;
}

}  // namespace hlocts::cuda

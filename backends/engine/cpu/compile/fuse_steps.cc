// SPDX-License-Identifier: Apache-2.0
// Fuses a loop into the step that reads its result.
#include <algorithm>

#include "backends/engine/cpu/compile/function_builder.h"

namespace hlocts::cpu {

// Fuses the loop that writes operand `made` into draft d, if there is no other reader.
bool FunctionBuilder::FuseComputedOperandsOf(size_t d) {
  const int made = drafts_[d].step.made;
  const int32_t buffer = drafts_[d].in[made];
  size_t maker = drafts_.size();
  int64_t readers = buffers_[buffer].result >= 0 ? 1 : 0;
  for (size_t other = 0; other < drafts_.size(); ++other) {
    const Draft& draft = drafts_[other];
    if (draft.out.size() == 1 && draft.out[0] == buffer) maker = other;
    readers += std::count(draft.in.begin(), draft.in.end(), buffer);
  }
  if (maker >= d || readers != 1 || drafts_[maker].step.rows.loop == nullptr) return false;
  Draft &step = drafts_[d], &loop = drafts_[maker];
  const size_t first = step.in.size();
  step.in[made] = -1;
  step.in.insert(step.in.end(), loop.in.begin(), loop.in.end());
  step.step.run = step.step.with_loop(loop.step.rows.loop, first);
  drafts_.erase(drafts_.begin() + static_cast<int64_t>(maker));
  return true;
}

// Fuses loops into steps that can compute an operand, so that the operand is not stored.
void FunctionBuilder::FuseComputedOperands() {
  for (size_t d = 0; d < drafts_.size(); ++d) {
    // The loop was removed; it preceded this draft.
    if (drafts_[d].step.made >= 0 && FuseComputedOperandsOf(d)) --d;
  }
}

}  // namespace hlocts::cpu

// SPDX-License-Identifier: Apache-2.0
// Fuses a loop into the step that reads its result or that computes its input.
#include <algorithm>

#include "backends/engine/cpu/compile/function_builder.h"

namespace hlocts::cpu {

// Fuses the loop that writes operand `made` into the draft, if the loop has no other reader.
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

// Avoids storing an array that only one step reads.
void FunctionBuilder::FuseComputedOperands(absl::string_view pass) {
  if (compiler_.options().disabled.contains(pass)) return;
  for (size_t d = 0; d < drafts_.size(); ++d) {
    const StepDraft& step = drafts_[d].step;
    // The removed loop preceded the draft.
    if (step.made >= 0 && step.made_by == pass && FuseComputedOperandsOf(d)) --d;
  }
}

// Fuses the first loop that reads the step's result into the step, unless something reads the
// result before that loop.
bool FunctionBuilder::FuseEpilogueOf(size_t d) {
  const int32_t made = drafts_[d].out[0];
  size_t reader = d + 1;
  const auto reads = [&](const Draft& draft) {
    return std::count(draft.in.begin(), draft.in.end(), made) > 0;
  };
  while (reader < drafts_.size() && !reads(drafts_[reader])) ++reader;
  if (reader == drafts_.size()) return false;
  Draft &step = drafts_[d], &loop = drafts_[reader];
  const RowWork& work = loop.step.rows;
  if (work.loop == nullptr) return false;
  const auto array =
      static_cast<int>(std::find(loop.in.begin(), loop.in.end(), made) - loop.in.begin());
  const int width = work.loop->WidthOf(array);
  if (work.elements * width != buffers_[made].bytes || !work.loop->ReadsInPlace(array, width)) {
    return false;
  }
  Draft both;
  const bool apart = IsReadOutside(made, reader, reader + 1) || work.width != width;
  both.step.run = step.step.with_epilogue(
      {work.loop, step.in.size(), loop.in.size(), static_cast<size_t>(array), apart});
  both.in = step.in;
  for (int32_t buffer : loop.in) both.in.push_back(buffer == made ? -1 : buffer);
  both.out = loop.out;
  if (apart) both.out.push_back(made);
  drafts_[reader] = std::move(both);
  drafts_.erase(drafts_.begin() + static_cast<int64_t>(d));
  return true;
}

// Computes functions of a product while the product is in the cache.
void FunctionBuilder::FuseEpilogues() {
  for (size_t d = 0; d < drafts_.size(); ++d) {
    if (drafts_[d].step.with_epilogue != nullptr && FuseEpilogueOf(d)) --d;
  }
}

}  // namespace hlocts::cpu

// SPDX-License-Identifier: Apache-2.0
// Pairs: operations of a loop that another takes in, so that what lies between them is never
// stored.
#include <vector>

#include "backends/engine/cpu/loops/loop_program.h"

namespace hlocts::cpu {
namespace {

// The second operation takes in the first, whose result is one of its operands.
bool TakeIn(const LoopProgram::Operation& first, LoopProgram::Operation& second) {
  if (first.b < 0 || first.c >= 0 || second.b < 0 || second.a == second.b) return false;
  const bool right = second.b == first.out, chooses = second.c >= 0;
  if (chooses && second.a != first.out) return false;
  const Kernel both = PairKernel(first.kernel, second.kernel, right);
  if (both.run == nullptr) return false;
  const int other = right ? second.a : second.b, last = second.c;
  second = {both, first.a, first.b, other, second.out};
  second.d = last;
  return true;
}

}  // namespace

void LoopProgram::FindPairs() {
  std::vector<int> readers(registers_.size(), 0), maker(registers_.size(), -1);
  for (int r : outputs_) ++readers[r];
  for (const Operation& operation : operations_) {
    for (int r : operation.operands()) {
      if (r >= 0) ++readers[r];
    }
  }
  unpaired_ = operations_;
  std::vector<bool> gone(operations_.size(), false);
  for (size_t o = 0; o < operations_.size(); ++o) {
    Operation& second = operations_[o];
    for (int r : {second.a, second.b}) {
      if (r < 0 || readers[r] != 1 || maker[r] < 0) continue;
      gone[maker[r]] = TakeIn(operations_[maker[r]], second);
      if (gone[maker[r]]) break;
    }
    maker[second.out] = static_cast<int>(o);
  }
  size_t at = 0;
  std::erase_if(operations_, [&](const Operation&) { return gone[at++]; });
}

}  // namespace hlocts::cpu

// SPDX-License-Identifier: Apache-2.0
// Shrinks by two edits together, such as a slice and its operand, or an array and its window.
#include "fuzz/shrink/size_edits.h"
#include "spec/infer/verifier.h"
#include "spec/ir/index_util.h"

namespace hlocts::fuzz {
namespace {

// The number of valid candidates after which a search without success ends.
constexpr int kCandidatesMax = 128;

int64_t AllElements(const Module& module) {
  int64_t elements = 0;
  for (const auto& instruction : module.entry()->instructions()) {
    for (const Shape& leaf : LeafShapes(instruction->shape()))
      elements += leaf.IsArray() ? leaf.ElementCount() : 0;
  }
  return elements;
}

// Returns nullptr unless both edits yield a smaller module that is valid or breaks the same rule.
std::unique_ptr<Sample> WithBoth(const Sample& sample, const std::string& rule,
                                 const SampleEdit& one, const SampleEdit& other) {
  auto candidate = std::make_unique<Sample>(sample.Clone());
  one(*candidate);
  other(*candidate);
  candidate->module->entry_computation_layout.reset();
  if (!InferEdited(*candidate->module, *sample.module) ||
      AllElements(*candidate->module) >= AllElements(*sample.module) ||
      RuleOf(VerifyModule(*candidate->module)) != rule)
    return nullptr;
  return candidate;
}

bool TryPairs(Sample& sample, const StillFails& still_fails) {
  const std::string rule = RuleOf(VerifyModule(*sample.module));
  std::vector<SampleEdit> edits = SizeEdits(sample);
  for (SampleEdit& edit : NumberEdits(sample)) edits.push_back(std::move(edit));
  int candidates = 0;
  for (size_t i = 0; i < edits.size(); ++i) {
    for (size_t j = i + 1; j < edits.size(); ++j) {
      std::unique_ptr<Sample> candidate = WithBoth(sample, rule, edits[i], edits[j]);
      if (!candidate) continue;
      if (KeepIfFails(sample, std::move(*candidate), still_fails)) return true;
      if (++candidates == kCandidatesMax) return false;
    }
  }
  return false;
}

}  // namespace

bool ShrinkTogether(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  while (CountElements(*sample.module) > kElementsEnough && TryPairs(sample, still_fails))
    progress = true;
  return progress;
}

}  // namespace hlocts::fuzz

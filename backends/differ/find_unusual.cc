// SPDX-License-Identifier: Apache-2.0
// What is acceptable but improbable (RULES 32): two more walks over the module.
#include <algorithm>

#include "backends/differ/differ.h"
#include "reference/judge/centred/likely.h"
#include "spec/base/hard_limit.h"
#include "spec/ir/module.h"

namespace hlocts::backends {

double Differ::LambdaOf(Kind kind) const {
  if (kind == Kind::kLikely) return kLikelyLambda;
  if (kind != Kind::kFar) return 0;
  // Each element of each result may be a sum. What a loop repeats counts once: it enters by the
  // root of a logarithm.
  int64_t sums = 1;
  for (const auto& computation : module_.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Shape& leaf : LeafShapes(instruction->shape())) sums += leaf.ElementCount();
    }
  }
  return FarLambda(sums);
}

Unusual Differ::FindUnusual(const std::vector<std::vector<Literal>>& outputs,
                            const std::vector<std::string>& facts) {
  auto exact = [](const LeafAcceptance& leaf) { return leaf.token || leaf.set.exact(); };
  auto sets = Sets(facts, Kind::kUsual);
  Unusual found;
  bool open = false;
  for (const ModuleAcceptance& device : **sets) {
    open = open || !std::all_of(device.leaves.begin(), device.leaves.end(), exact);
  }
  if (!open) return found;
  auto likely = Sets(facts, Kind::kLikely), far = Sets(facts, Kind::kFar);
  for (size_t d = 0; likely.ok() && far.ok() && d < outputs.size(); ++d) {
    const Unusual one = hlocts::FindUnusual((**sets)[d], (**far)[d], (**likely)[d], outputs[d]);
    found.tensors += one.tensors;
    found.tensors_marked += one.tensors_marked;
    found.elements += one.elements;
    found.elements_marked += one.elements_marked;
    if (found.text.empty()) found.text = one.text;
  }
  if (found.text.empty() && outputs.size() == 1) {
    reference::JudgeOptions judge{{options_.load}};
    judge.profile = options_.profile;
    judge.deadline = reference::DeadlineAfter(options_.load.reference_seconds_max);
    const HardLimit limit(judge.deadline);
    for (const std::string& fact : facts) SetTargetFact(fact, judge.facts).IgnoreError();
    const auto arguments = NestArguments(module_, request_.arguments[0]);
    if (!arguments.ok()) return found;
    const auto suspect = reference::FindSuspect(module_, *arguments, outputs[0], judge);
    if (suspect.ok()) found.text = *suspect;
  }
  return found;
}

}  // namespace hlocts::backends

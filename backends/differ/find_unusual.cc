// SPDX-License-Identifier: Apache-2.0
// Finds acceptable but improbable outputs: by two more evaluations of the module (lemma 32), or by
// one evaluation in f64 (lemma 44).
#include <algorithm>

#include "backends/differ/differ.h"
#include "reference/judge/centred/likely.h"
#include "spec/base/hard_limit.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// If nearly all elements have more effective bits than this, the sets are so narrow that the tests
// would find nothing more.
constexpr double kTightBits = 20;

absl::StatusOr<reference::StatisticalTestResult> StatisticalTestOf(
    const Module& module, const ExecuteRequest& request, const DiffOptions& options,
    const std::vector<Literal>& outputs, const std::vector<std::string>& facts) {
  reference::JudgeOptions judge{{options.load}};
  judge.profile = options.profile;
  judge.infeed = request.infeed;
  judge.deadline = reference::DeadlineAfter(options.load.reference_seconds_max);
  const HardLimit limit(judge.deadline);
  for (const std::string& fact : facts) HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, judge.facts));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Literal> arguments,
                          NestArguments(module, request.arguments[0]));
  return reference::RunStatisticalTests(module, arguments, outputs, judge);
}

}  // namespace

double Differ::SigmaFactorOf(Kind kind) const {
  if (kind == Kind::kLikely) return kLikelyLambda;
  if (kind != Kind::kVeryLikely) return 0;
  // Counts the elements of all results, each of which may be a sum. Iterations of a loop count
  // once, since VeryLikelyFactor grows only with the square root of the logarithm of the count.
  int64_t sums = 1;
  for (const auto& computation : module_.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Shape& leaf : LeafShapes(instruction->shape())) sums += leaf.ElementCount();
    }
  }
  return VeryLikelyFactor(sums);
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
  auto likely = Sets(facts, Kind::kLikely), far = Sets(facts, Kind::kVeryLikely);
  for (size_t d = 0; likely.ok() && far.ok() && d < outputs.size(); ++d) {
    const Unusual one = hlocts::FindUnusual((**sets)[d], (**far)[d], (**likely)[d], outputs[d]);
    found.tensors += one.tensors;
    found.tensors_marked += one.tensors_marked;
    found.elements += one.elements;
    found.elements_marked += one.elements_marked;
    if (found.text.empty()) found.text = one.text;
  }
  return found;
}

void Differ::AddStatistical(const std::vector<std::vector<Literal>>& outputs,
                            const std::vector<std::string>& facts, reports::Verdict& verdict) {
  const bool open = verdict.kind == Outcome::kInconclusive;
  const bool wide = verdict.effective_bits_p5 >= 0 && verdict.effective_bits_p5 < kTightBits;
  using Suspect = DiffOptions::Suspect;
  const Suspect least = open   ? Suspect::kWhereInconclusive
                        : wide ? Suspect::kWhereWide
                               : Suspect::kAlways;
  if (options_.suspect < least || outputs.size() != 1) return;
  auto found = StatisticalTestOf(module_, request_, options_, outputs[0], facts);
  if (!found.ok() || found->elements == 0) return;
  constexpr const char* kTests[] = {"element", "variance", "bias", "terms"};
  reports::Statistical& of = verdict.statistical.emplace();
  of.proof = verdict.kind;
  of.test = kTests[static_cast<size_t>(found->test)];
  of.elements = found->elements, of.bits = found->bits;
  of.most = found->most, of.limit = found->limit;
  of.output = found->output;
  of.index = MultiIndex(found->element, outputs[0][found->output].shape().dimensions());
  of.found = found->found, of.expected = found->expected, of.deviation = found->deviation;
  if (found->IsSuspect()) verdict.kind = Outcome::kSuspect;
}

}  // namespace hlocts::backends

// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/variant_trial.h"

#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"

namespace hlocts::fuzz {
namespace {

bool SameLeaf(const Literal& first, const Literal& variant) {
  if (first.BitwiseEqual(variant)) return true;
  PrimitiveType type = ComponentType(first.element_type());
  if (!IsFloat(type) || !first.shape().CompatibleWith(variant.shape()) || first.has_runtime_sizes())
    return false;
  const FloatFormat& format = FormatOf(type);
  const auto width = static_cast<size_t>(StorageBytes(type));
  for (size_t at = 0; at < first.raw_size(); at += width) {
    const uint64_t a = StoredBits(first.raw_data() + at, width);
    const uint64_t b = StoredBits(variant.raw_data() + at, width);
    if (a != b && !(IsNanBits(format, a) && IsNanBits(format, b))) return false;
  }
  return true;
}

int64_t CountElements(const std::vector<std::vector<Literal>>& outputs) {
  int64_t count = 0;
  for (const auto& device : outputs) {
    for (const Literal& leaf : device) count += leaf.element_count();
  }
  return count;
}

}  // namespace

bool SameOutputs(const std::vector<std::vector<Literal>>& first,
                 const std::vector<std::vector<Literal>>& variant) {
  if (first.size() != variant.size()) return false;
  for (size_t d = 0; d < first.size(); ++d) {
    if (variant[d].size() < first[d].size()) return false;
    for (size_t i = 0; i < first[d].size(); ++i) {
      if (!SameLeaf(first[d][i], variant[d][i])) return false;
    }
  }
  return true;
}

VariantTrial RunVariant(const Sample& first, const backends::RunOutcome& outcome,
                        const Sample& variant, backends::Backend& engine,
                        const TrialOptions& options) {
  VariantTrial trial;
  backends::RunOutcome other = RunSample(variant, engine, options);
  trial.same = other.has_values() && SameOutputs(outcome.result.outputs, other.result.outputs);
  if (trial.same) {
    reports::Verdict& verdict = trial.result.verdict;
    verdict.kind = Outcome::kPass;
    verdict.elements = CountElements(outcome.result.outputs);
    return trial;
  }
  trial.result = JudgeTrial(variant, other, engine, options, /*blame=*/false);
  if (trial.result.verdict.kind != Outcome::kPass) return trial;
  TrialResult of_first = JudgeTrial(first, outcome, engine, options, /*blame=*/false);
  trial.is_variant = of_first.verdict.kind == Outcome::kPass;
  if (!trial.is_variant) trial.result = std::move(of_first);
  return trial;
}

}  // namespace hlocts::fuzz

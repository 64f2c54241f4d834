// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/variant_trial.h"

#include <cstring>

#include "spec/ir/float_format.h"

namespace hlocts::fuzz {
namespace {

// Returns the bits of component `i` of an array.
uint64_t BitsAt(const Literal& literal, int width, size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, literal.raw_data() + i * static_cast<size_t>(width),
              static_cast<size_t>(width));
  return bits;
}

bool SameLeaf(const Literal& first, const Literal& variant) {
  if (first.BitwiseEqual(variant)) return true;
  PrimitiveType type = ComponentType(first.element_type());
  if (!IsFloat(type) || !first.shape().CompatibleWith(variant.shape()) || first.has_runtime_sizes())
    return false;
  const FloatFormat& format = FormatOf(type);
  int width = StorageBytes(type);
  for (size_t i = 0; i < first.raw_size() / static_cast<size_t>(width); ++i) {
    uint64_t a = BitsAt(first, width, i), b = BitsAt(variant, width, i);
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

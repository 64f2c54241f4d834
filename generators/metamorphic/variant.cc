// SPDX-License-Identifier: Apache-2.0
#include "generators/metamorphic/variant.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

// Returns the computations that a rule may change: the entry and the computations that control flow
// calls, but not those of fusions, reductions, sorts and scatters.
std::vector<Computation*> OpenComputations(const Module& module) {
  std::vector<Computation*> open = {module.entry()};
  for (size_t next = 0; next < open.size(); ++next) {
    for (const auto& instruction : open[next]->instructions()) {
      Opcode opcode = instruction->opcode();
      if (opcode != Opcode::kCall && opcode != Opcode::kWhile && opcode != Opcode::kConditional)
        continue;
      for (Computation* called : instruction->called_computations()) {
        if (std::find(open.begin(), open.end(), called) == open.end()) open.push_back(called);
      }
    }
  }
  return open;
}

bool IsSite(const Instruction& instruction) {
  return !instruction.shape().IsToken() && !instruction.shape().is_dynamic();
}

std::vector<Instruction*> SitesOf(const Module& module) {
  std::vector<Instruction*> sites;
  for (Computation* computation : OpenComputations(module)) {
    for (const auto& instruction : computation->instructions()) {
      if (IsSite(*instruction)) sites.push_back(instruction.get());
    }
  }
  return sites;
}

// Applies a rule. Returns false if it does not apply, kInternal if it made an invalid module.
absl::StatusOr<bool> Rewrite(Variant& variant, Instruction* at, const MetamorphicRule& rule,
                             uint64_t seed) {
  SeedSource choices(seed);
  std::string name = at->name();
  Site site(*variant.module, variant.arguments, at, choices);
  if (!rule.apply(site)) {
    site.Undo();
    return false;
  }
  if (!site.defect().ok()) {
    return absl::InternalError(
        absl::StrCat(rule.name, " at ", name, ": ", site.defect().message()));
  }
  variant.rule = &rule;
  variant.recipe = {std::string(rule.name), std::move(name), seed};
  return true;
}

}  // namespace

std::string VariantRecipe::ToText() const {
  return absl::StrCat(rule, " at ", instruction, " by ", seed);
}

bool CanHaveVariants(const Module& module) {
  if (module.is_scheduled) return false;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      Family family = RowOf(instruction->opcode()).family;
      bool fixed =
          family == Family::kChannel || family == Family::kAsync || family == Family::kRandom ||
          family == Family::kDynamicSize || instruction->opcode() == Opcode::kCustomCall ||
          instruction->shape().is_dynamic() || instruction->Has(Attr::kControlPredecessors);
      if (fixed) return false;
    }
  }
  return true;
}

absl::StatusOr<std::optional<Variant>> DrawVariant(const Module& module,
                                                   const std::vector<Literal>& arguments,
                                                   ChoiceSource& choose,
                                                   absl::Span<const MetamorphicRule* const> rules) {
  constexpr int kRulesTried = 8;
  if (!CanHaveVariants(module)) return std::optional<Variant>();
  Variant variant = {module.Clone(), arguments, nullptr, {}};
  std::vector<Instruction*> sites = SitesOf(*variant.module);
  for (int tried = 0; tried < kRulesTried; ++tried) {
    const MetamorphicRule* rule =
        rules.empty() ? &choose.Pick(AllMetamorphicRules()) : choose.Pick(rules);
    uint64_t seed = choose.Below(uint64_t{1} << 32);
    size_t first = choose.Below(sites.size());
    for (size_t i = 0; i < sites.size(); ++i) {
      Instruction* site = sites[(first + i) % sites.size()];
      HLOCTS_ASSIGN_OR_RETURN(bool rewritten, Rewrite(variant, site, *rule, seed));
      if (rewritten) return std::optional<Variant>(std::move(variant));
    }
  }
  return std::optional<Variant>();
}

}  // namespace hlocts::generators

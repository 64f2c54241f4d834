// SPDX-License-Identifier: Apache-2.0
// Metamorphic variants: modules rewritten by a rule that preserves their meaning. An engine that
// returns other values for the variant has a defect or uses a freedom; the acceptance sets decide
// which.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generators/metamorphic/rules.h"

namespace hlocts::generators {

// Identifies a metamorphic variant: "transposed_and_back at add.7 by 12".
struct VariantRecipe {
  std::string rule;
  std::string instruction;  // in any computation; names are unique in a module
  uint64_t seed = 0;        // of the rule's random choices

  std::string ToText() const;
};

struct Variant {
  std::unique_ptr<Module> module;
  // The leaves of the arguments: those of the original module, then any that the rule added. The
  // outputs are in the order of the original module's.
  std::vector<Literal> arguments;
  const MetamorphicRule* rule = nullptr;
  VariantRecipe recipe;
};

// Applies a random rule (one of `rules`, or any if `rules` is empty) at a random instruction.
// Returns nullopt if no rule tried applies, and kInternal if one created a malformed module.
absl::StatusOr<std::optional<Variant>> DrawVariant(
    const Module& module, const std::vector<Literal>& arguments, ChoiceSource& choose,
    absl::Span<const MetamorphicRule* const> rules = {});

// Returns false for modules with side effects, dynamic sizes, or properties that a rewrite would
// violate (custom-calls, schedules, channels).
bool CanHaveVariants(const Module& module);

}  // namespace hlocts::generators

// SPDX-License-Identifier: Apache-2.0
// A metamorphic variant is a module that a rule has rewritten without a change of meaning. If an
// engine returns other values for the variant, it has a defect or uses a freedom; the acceptance
// sets decide which is the case.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generators/metamorphic/rules.h"

namespace hlocts::generators {

// The identity of a variant; as text: "transposed_and_back at add.7 by 12".
struct VariantRecipe {
  std::string rule;
  std::string instruction;  // in any computation; names are unique within a module
  uint64_t seed = 0;        // of the rule's random choices

  std::string ToText() const;
};

struct Variant {
  std::unique_ptr<Module> module;
  // The leaves of the arguments: those of the original module, then those that the rule added. The
  // order of the outputs is that of the original module.
  std::vector<Literal> arguments;
  const MetamorphicRule* rule = nullptr;
  VariantRecipe recipe;
};

// Applies a random rule (one of `rules`, or any rule if `rules` is empty) to a random instruction.
// Returns nullopt if no rule that was tried applies, kInternal if a rule made an invalid module.
absl::StatusOr<std::optional<Variant>> DrawVariant(
    const Module& module, const std::vector<Literal>& arguments, ChoiceSource& choose,
    absl::Span<const MetamorphicRule* const> rules = {});

// Returns false for modules with side effects, dynamic sizes, or features that a rewrite could make
// invalid (custom-calls, schedules, channels).
bool CanHaveVariants(const Module& module);

}  // namespace hlocts::generators

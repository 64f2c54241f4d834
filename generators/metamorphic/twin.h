// SPDX-License-Identifier: Apache-2.0
// Metamorphic variants: a module rewritten by a rule that preserves its meaning. An engine that
// treats the two differently is wrong about one of them, or uses a freedom; the acceptance sets
// decide.
#ifndef HLOCTS_GENERATORS_METAMORPHIC_TWIN_H_
#define HLOCTS_GENERATORS_METAMORPHIC_TWIN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generators/metamorphic/rules.h"

namespace hlocts::generators {

// Reproduces a metamorphic variant: "transposed_and_back at add.7 by 12".
struct TwinRecipe {
  std::string rule;
  std::string instruction;  // of any computation; names are unique in a module
  uint64_t seed = 0;        // of the rule's own choices

  std::string ToText() const;
};
absl::StatusOr<TwinRecipe> ParseTwinRecipe(absl::string_view text);

struct Twin {
  std::unique_ptr<Module> module;
  // The leaves of the arguments; those of the first module come first, a rule may have added some.
  // The outputs are ordered in the same way.
  std::vector<Literal> arguments;
  const MetamorphicRule* rule = nullptr;
  TwinRecipe recipe;
};

// Errors: no such rule or instruction, a rule that does not apply there, and kInternal when the
// rule made something malformed.
absl::StatusOr<Twin> MakeTwin(const Module& module, const std::vector<Literal>& arguments,
                              const TwinRecipe& recipe);

// A rule (one of `rules`; empty: any) at a site, both drawn; nullopt when none of those tried
// applies. kInternal as above.
absl::StatusOr<std::optional<Twin>> DrawTwin(const Module& module,
                                             const std::vector<Literal>& arguments,
                                             ChoiceSource& choose,
                                             absl::Span<const MetamorphicRule* const> rules = {});

// False for modules with side effects, dynamic sizes or broken promises to the engine
// (custom-calls, schedules, channels).
bool CanHaveTwins(const Module& module);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_METAMORPHIC_TWIN_H_

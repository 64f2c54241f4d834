// SPDX-License-Identifier: Apache-2.0
// Named rewrites: value-changing rewrites that compilers apply. rewrites.def lists them.
//
// A rewrite, such as log(exp(x)) to x, is exact for real numbers, not in floating point. Each has a
// row in rewrites.def with a name, the strictest profile that permits it (never strict) and a page
// in spec/rulings. If a row matches, the judge also accepts the value of the replacement. The judge
// applies a single rewrite, within one computation, and no chain of rewrites.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/accuracy/profile.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

enum class RewriteGuard : uint8_t {
  kAlways,
  kReciprocalSubnormal,  // 1/k is below the least normal value of the type
};

struct Rewrite {
  absl::string_view name;
  absl::string_view pattern, replacement;
  Profile profile;  // the strictest profile that permits it
  RewriteGuard guard;
  absl::string_view ruling;
};
absl::Span<const Rewrite> AllRewrites();

// A match of a pattern at an instruction, and the replacement to evaluate instead.
struct RewriteMatch {
  const Rewrite* rewrite = nullptr;
  const Instruction* instruction = nullptr;
  // The replacement is the entry of this module. The entry's parameter i is operands[i].
  std::unique_ptr<Module> replacement;
  std::vector<const Instruction*> operands;
};

// Returns every match in the computation that `profile` permits; an instruction may have several.
std::vector<RewriteMatch> FindRewrites(const Computation& computation, Profile profile);

// Returns the errors in rewrites.def, one line each: invalid patterns, strict profiles, repeated
// names.
std::vector<std::string> LintRewrites();

}  // namespace hlocts

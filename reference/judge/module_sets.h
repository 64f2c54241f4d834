// SPDX-License-Identifier: Apache-2.0
// Computes the acceptance sets of a whole module: the reference evaluator's walk over the module,
// with sets instead of values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "reference/evaluator.h"
#include "spec/accuracy/rules.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/judge/bounds.h"
#include "spec/judge/judge.h"

namespace hlocts::reference {

struct SetValue;  // reference/judge/interpreter/set_value.h

// Sees the sets of each instruction on each device, before it runs (`result` is null) and after.
using SetWatch = std::function<void(const Instruction& instruction, int64_t device,
                                    absl::Span<const SetValue> operands, const SetValue* result)>;

struct JudgeOptions : EvalOptions {
  Profile profile = Profile::kDefault;
  TargetFacts facts;
  // Encloses functions with MPFR, which is rigorous but slower, instead of glibc and its published
  // bounds. The strict profile always does so. A failure must be confirmed with `rigorous` before
  // it is reported (Judge does so).
  bool rigorous = false;
  // If not 0, the sets are likely sets: n roundings of a sum add at most `likely` times the square
  // root of n unit roundoffs (lemma 32). Values outside these sets may still be acceptable.
  double likely = 0;
  // Narrows wide sets of outputs and sums by centred forms (lemma 43).
  bool centred = true;
  int64_t replicas = 1;
  int64_t partitions = 1;
  // Replaces the judge's constants and the rule table, for mutation tests of the judge.
  const Bounds* bounds = &kBounds;
  RuleChange change_rule;
  SetWatch watch;
  // The infeed literals of each device (replica * partitions + partition), in order of use.
  std::vector<std::vector<Literal>> infeed;
};

// Returns the possible results of `module` for these arguments (one per entry parameter, with
// nested tuples). Returns the errors of Evaluate: InvalidArgument, Unimplemented (names the
// instruction), DeadlineExceeded, ResourceExhausted. A result that no set can express is
// Unspecified, without an error.
absl::StatusOr<ModuleAcceptance> AcceptanceOf(const Module& module,
                                              absl::Span<const Literal> arguments,
                                              const JudgeOptions& options);

// Like AcceptanceOf, for replicas x partitions devices that run together. arguments[d] belong to
// device d = replica * partitions + partition. Returns one ModuleAcceptance per device.
absl::StatusOr<std::vector<ModuleAcceptance>> AcceptanceOfDevices(
    const Module& module, absl::Span<const std::vector<Literal>> arguments,
    const JudgeOptions& options);

// Runs AcceptanceOf and JudgeLeaves. Confirms a failure with rigorous enclosures.
absl::StatusOr<JudgeResult> Judge(const Module& module, absl::Span<const Literal> arguments,
                                  absl::Span<const Literal> actual_leaves,
                                  const JudgeOptions& options);

// Returns a text that explains element `index` of leaf `output`: its set, dominant rule and
// instruction.
inline std::string Explain(const ModuleAcceptance& accepted, int64_t output, int64_t index) {
  const ElementExplanation explained = ExplainElement(accepted, output, index);
  return explained.element + explained.accepted + explained.sources;
}

}  // namespace hlocts::reference

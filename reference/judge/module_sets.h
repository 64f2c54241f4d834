// SPDX-License-Identifier: Apache-2.0
// The acceptance sets of a whole module: the reference evaluator's walk over the module with sets
// instead of values.
#ifndef HLOCTS_REFERENCE_JUDGE_MODULE_SETS_H_
#define HLOCTS_REFERENCE_JUDGE_MODULE_SETS_H_

#include <cstdint>
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

struct JudgeOptions : EvalOptions {
  Profile profile = Profile::kDefault;
  TargetFacts facts;
  // Enclosures of functions by MPFR instead of glibc and its published bounds: slower, and
  // rigorous. Always on in strict. A failure should be confirmed with it before it is reported
  // (Judge does).
  bool rigorous = false;
  // Not 0: the likely sets. n roundings of a sum count as this many times the square root of n
  // (RULES 32): values outside of these sets may still be acceptable.
  double likely = 0;
  // Sets of outputs and sums are narrowed by centred forms (RULES 43) where they are wide.
  bool centred = true;
  int64_t replicas = 1;
  int64_t partitions = 1;
  // For tests of the judge: mutants of its constants and of the rule table.
  const Bounds* bounds = &kBounds;
  RuleChange change_rule;
  // Infeed literals of each device (device = replica * partitions + partition), in order of use.
  std::vector<std::vector<Literal>> infeed;
};

// The possible results of `module` for these arguments (one per entry parameter, tuples nested).
// Errors as Evaluate's: InvalidArgument, Unimplemented (naming the instruction), DeadlineExceeded,
// ResourceExhausted. A result that the sets cannot express is Unspecified, not an error.
absl::StatusOr<ModuleAcceptance> AcceptanceOf(const Module& module,
                                              absl::Span<const Literal> arguments,
                                              const JudgeOptions& options);

// The same for replicas x partitions devices running together; arguments[d] are those of device d =
// replica * partitions + partition. One ModuleAcceptance per device.
absl::StatusOr<std::vector<ModuleAcceptance>> AcceptanceOfDevices(
    const Module& module, absl::Span<const std::vector<Literal>> arguments,
    const JudgeOptions& options);

// AcceptanceOf and JudgeLeaves; a failure is confirmed with rigorous enclosures before it is one.
absl::StatusOr<JudgeResult> Judge(const Module& module, absl::Span<const Literal> arguments,
                                  absl::Span<const Literal> actual_leaves,
                                  const JudgeOptions& options);

// A text for the reader: the accepted set of element `index` of leaf `output`, the dominant rule,
// the instruction and the clause.
inline std::string Explain(const ModuleAcceptance& accepted, int64_t output, int64_t index) {
  return ExplainElement(accepted, output, index);
}

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_MODULE_SETS_H_

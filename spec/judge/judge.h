// SPDX-License-Identifier: Apache-2.0
// Membership: are these outputs acceptable? The one place where a verdict on values is made.
#ifndef HLOCTS_SPEC_JUDGE_JUDGE_H_
#define HLOCTS_SPEC_JUDGE_JUDGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/outcome.h"
#include "spec/base/status.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// Where a set came from: the instruction whose rule made it, for explanations.
struct Origin {
  std::string instruction;  // name, "" for none
  std::string opcode;
  std::string rule;    // "ulp(4)", "sum", "correctly-rounded", ...
  std::string clause;  // file of spec/clauses
};

// What is accepted for one leaf of the root.
struct LeafAcceptance {
  Shape shape;
  bool token = false;  // tokens carry no value
  SetArray set;
};

struct ModuleAcceptance {
  std::vector<LeafAcceptance> leaves;  // of the root, depth first
  std::vector<Origin> origins;         // [0] is "no instruction"

  const Origin& OriginOf(uint32_t origin) const {
    static const Origin* none = new Origin();
    return origin < origins.size() ? origins[origin] : *none;
  }
};

struct FirstFailure {
  int64_t output = 0;  // leaf
  std::vector<int64_t> index;
  std::string actual;       // as the literals file prints it
  std::string actual_bits;  // "0x3f800000"
  std::string accepted;     // text of the set, or what the joint predicate asks
  std::string rule, clause, instruction;
  WrongValue value = WrongValue::kNumber;
};

// Effective significand bits of float elements: p - log2(1 + width / ulp(|reference|)), clipped to
// [0, p] (RULES 29). Exact integers and preds are not counted here, random draws apart.
struct EffectiveBits {
  int64_t elements = 0;
  int64_t draws = 0;        // not among the elements: they have a distribution, and no bits
  int64_t unspecified = 0;  // of them; they have no bits
  double median = 0;
  double percentile5 = 0;
  double share_below_2 = 0;
  // More than half of the elements of formats wider than 8 bits.
  bool mostly_below_2 = false;
  // Elements by quarters of a bit, for each precision p: what many verdicts are added up from.
  std::map<int, std::vector<int64_t>> quarters;
};

struct JudgeResult {
  Outcome outcome = Outcome::kError;  // kPass, kFail, kInconclusive or kError
  std::string reason;
  int64_t elements = 0;  // compared
  double bits_checked_mean = 0;
  int64_t unspecified_elements = 0;
  int64_t failed_elements = 0;
  bool only_nan_bits = false;  // those are NaNs where NaNs of other payload or sign belong
  // Inconclusive only because too little was checked: every value lies in its set.
  bool too_few_bits = false;
  EffectiveBits effective;
  // Names (spec/ops/freedoms.def) of what widened the sets of the elements, where all lie inside.
  std::vector<std::string> freedoms;
  std::optional<FirstFailure> first_failure;
};

// Judges the leaves of one execution, in root order. Wrong number of leaves, shape or run-time size
// is a failure (naming it), zero comparisons of a nonempty module an error. Inconclusive: only
// unspecified values, less than one checked bit an element of some floating-point leaf, or a median
// of less than two effective bits.
JudgeResult JudgeLeaves(const ModuleAcceptance& accepted, absl::Span<const Literal> actual);

// expected.jsonl: a line per leaf, {"shape","lo","hi","flags",...} with bits, or {"predicate",...}.
std::string AcceptanceToJsonl(const ModuleAcceptance& accepted);
absl::StatusOr<ModuleAcceptance> AcceptanceFromJsonl(absl::string_view text);

// For people: the set of one element, which term dominates, rule, clause, instruction.
std::string ExplainElement(const ModuleAcceptance& accepted, int64_t output, int64_t index);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_JUDGE_H_

// SPDX-License-Identifier: Apache-2.0
// Membership: checks whether outputs are acceptable. All verdicts on values are made here.
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

// The origin of a set: the instruction whose rule made it, for explanations.
struct Origin {
  std::string instruction;  // name, "" for none
  std::string opcode;
  std::string rule;    // "ulp(4)", "sum", "correctly-rounded", ...
  std::string clause;  // file of spec/clauses
};

// The accepted values of one leaf of the root.
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
  int64_t output = 0;  // index of the leaf
  std::vector<int64_t> index;
  std::string actual;       // as in a literals file
  std::string actual_bits;  // "0x3f800000"
  std::string accepted;     // text of the set, or the requirement of the joint predicate
  std::string rule, clause, instruction;
  WrongValue value = WrongValue::kNumber;
};

// Effective significand bits of float elements: p - log2(1 + width / ulp(|reference|)), clipped to
// [0, p] (RULES 29). Exact integers and preds are not counted; random draws are counted separately.
struct EffectiveBits {
  int64_t elements = 0;
  int64_t draws = 0;        // not among the elements: they have a distribution, and no bits
  int64_t unspecified = 0;  // among the elements, with no bits
  double median = 0;
  double percentile5 = 0;
  double share_below_2 = 0;
  // More than half of the elements of formats wider than 8 bits.
  bool mostly_below_2 = false;
  // Elements by quarters of a bit, for each precision p, so that many verdicts can be added up.
  std::map<int, std::vector<int64_t>> quarters;
};

struct JudgeResult {
  Outcome outcome = Outcome::kError;  // kPass, kFail, kInconclusive or kError
  std::string reason;
  int64_t elements = 0;  // compared elements
  double bits_checked_mean = 0;
  int64_t unspecified_elements = 0;
  int64_t failed_elements = 0;
  bool only_nan_bits = false;  // all failures are NaNs with unexpected payload or sign
  // Inconclusive only because too little was checked: every value is in its set.
  bool too_few_bits = false;
  EffectiveBits effective;
  // Names (spec/ops/freedoms.def) of the freedoms that widened the sets, if all elements are
  // accepted.
  std::vector<std::string> freedoms;
  std::optional<FirstFailure> first_failure;
};

// Judges the leaves of one execution, in root order. A wrong number of leaves, shape or run-time
// size is a failure that names it; zero comparisons of a nonempty module are an error.
// Inconclusive: only unspecified values, less than one checked bit per element of some
// floating-point leaf, or a median of less than two effective bits.
JudgeResult JudgeLeaves(const ModuleAcceptance& accepted, absl::Span<const Literal> actual);

// expected.jsonl: one line per leaf, {"shape","lo","hi","flags",...} with bits, or
// {"predicate",...}.
std::string AcceptanceToJsonl(const ModuleAcceptance& accepted);
absl::StatusOr<ModuleAcceptance> AcceptanceFromJsonl(absl::string_view text);

// Text for users: the set of one element, its dominant term, rule, clause and instruction.
std::string ExplainElement(const ModuleAcceptance& accepted, int64_t output, int64_t index);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_JUDGE_H_

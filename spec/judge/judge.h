// SPDX-License-Identifier: Apache-2.0
// Decides whether outputs are acceptable (membership). All verdicts on values come from here.
#pragma once

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

// The instruction whose rule made a set, for explanations.
struct Origin {
  std::string instruction;  // name, "" for none
  std::string opcode;
  std::string rule;    // "ulp(4)", "sum", "correctly-rounded", ...
  std::string clause;  // name of a file of spec/clauses
  int lemma = 0;       // the lemma of its sums and joint predicates
  bool ruled = true;   // false: no rule describes the instruction
};

// The accepted values of one leaf of the root.
struct LeafAcceptance {
  Shape shape;
  bool token = false;  // tokens carry no value
  SetArray set;
};

struct ModuleAcceptance {
  std::vector<LeafAcceptance> leaves;  // the leaves of the root, depth first
  std::vector<Origin> origins;         // [0] means no instruction

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

// Effective significand bits of float elements of precision p: p - log2(1 + width /
// ulp(|reference|)), clipped to [0, p] (lemma 29). Exact integers and preds are not counted. Random
// draws are counted separately.
struct EffectiveBits {
  int64_t elements = 0;
  int64_t draws = 0;        // not counted in `elements`: draws have a distribution and no bits
  int64_t unspecified = 0;  // elements that may have any value, counted in `elements` with 0 bits
  double median = 0;
  double percentile5 = 0;
  double share_below_2 = 0;
  // True if share_below_2, over elements of formats wider than 8 bits, exceeds one half.
  bool mostly_below_two_bits = false;
  // For each precision p: the number of elements by quarters of a bit, which can be added up.
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
  // Every value is in its set; the verdict is inconclusive only because too little was checked.
  bool too_few_bits = false;
  EffectiveBits effective;
  // Names (spec/ops/freedoms.def) of the freedoms that widened the sets. Empty if an element fails.
  std::vector<std::string> freedoms;
  std::optional<FirstFailure> first_failure;
};

// Judges the leaves of one execution, in root order. A wrong number of leaves, a wrong shape or a
// wrong run-time size is a failure whose reason names it. It is an error if the outputs have
// elements but none is compared. The verdict is inconclusive if all values are unspecified, if a
// leaf is hardly checked (kBitsOfLeaf in judge.cc), or if most floating-point elements of formats
// wider than 8 bits have fewer than two effective bits.
JudgeResult JudgeLeaves(const ModuleAcceptance& accepted, absl::Span<const Literal> actual);

// Write and read expected.jsonl, which has one JSON line per leaf (the format is in serialize.cc).
std::string AcceptanceToJsonl(const ModuleAcceptance& accepted);
absl::StatusOr<ModuleAcceptance> AcceptanceFromJsonl(absl::string_view text);

// The explanation of one element for users. Each text consists of whole lines.
struct ElementExplanation {
  std::string element;   // the output and the index, or the reason why there is nothing to explain
  std::string accepted;  // the accepted values
  std::string sources;   // the main cause of the set's width; its rule and instruction
  bool exact = false;    // the set has one value
};

ElementExplanation ExplainElement(const ModuleAcceptance& accepted, int64_t output, int64_t index);

}  // namespace hlocts

// SPDX-License-Identifier: Apache-2.0
// Traits of a shrunk module that are not in its signature. The shrinker removes everything that a
// failure does not need, so the remaining traits distinguish defects of one operation.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct FailureTraits {
  int64_t elements = 0;  // of the largest array
  // True if two computations have equal shapes but cannot replace each other: the failure depends
  // on which of them is called.
  bool has_distinct_callees = false;
  // Values: "nan", "inf", "-0", "subnormal", "least" (of signed integers), "negative" (of indices).
  // Element types: "packed" (below a byte), "narrow" (below 32 bits), "wide" (64 bits), "unsigned",
  // "complex". Attributes: the names of SimplifyingEdits(). "layout": a layout is not the default.
  // "permutation": a loop permutes its state. "twice": an operation with several results uses one
  // operand twice. "slight": a wrong number that the relaxed profile accepts. "only-nan": a number
  // where only NaN is accepted.
  std::set<std::string> needs = {};
};

FailureTraits FailureTraitsOf(const Sample& shrunk);
// Like the function above; adds the traits of the wrong outputs.
FailureTraits FailureTraitsOf(const Sample& shrunk, const TrialResult& result);

}  // namespace hlocts::fuzz

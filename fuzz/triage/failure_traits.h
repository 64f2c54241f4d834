// SPDX-License-Identifier: Apache-2.0
// Traits of a shrunk module that its signature lacks. The shrinker removes all that a failure does
// not need, so the rest distinguishes faults of one operation.
#ifndef HLOCTS_FUZZ_TRIAGE_FAILURE_TRAITS_H_
#define HLOCTS_FUZZ_TRIAGE_FAILURE_TRAITS_H_

#include <cstdint>
#include <set>
#include <string>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct FailureTraits {
  int64_t elements = 0;  // of its largest array
  // Two computations could replace each other, and do not: the failure depends on which one is
  // called.
  bool rivals = false;
  // Values: "nan", "inf", "-0", "subnormal", "least" (of signed integers), "negative" (of indices).
  // Element types: "packed" (below a byte), "narrow" (below 32 bits), "wide" (of 64), "unsigned",
  // "complex". "layout": other than the default. Attributes: the names of PlainEdits(). Loops:
  // "permutation", carried values that change places. "twice": one array is passed to an operation
  // of several results for two. Wrong numbers: "slight", accepted by the relaxed profile.
  std::set<std::string> needs = {};
};

FailureTraits FailureTraitsOf(const Sample& shrunk);
// The same, with the traits of its wrong outputs.
FailureTraits FailureTraitsOf(const Sample& shrunk, const TrialResult& result);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_FAILURE_TRAITS_H_

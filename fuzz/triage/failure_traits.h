// SPDX-License-Identifier: Apache-2.0
// What a shrunk module still holds besides what its signature says. The shrinker takes away all
// that a failure does not need, so what remains tells faults of one operation apart.
#ifndef HLOCTS_FUZZ_TRIAGE_FAILURE_TRAITS_H_
#define HLOCTS_FUZZ_TRIAGE_FAILURE_TRAITS_H_

#include <cstdint>
#include <set>
#include <string>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct FailureTraits {
  int64_t elements = 0;  // of its largest array
  // Two computations that could stand for each other, and do not: which one is called is the
  // matter.
  bool rivals = false;
  // Of values "nan", "inf", "-0", "subnormal", "least" (of signed integers), "negative" (of
  // indices); of element types "packed" (below a byte), "narrow" (below 32 bits), "wide" (of 64),
  // "unsigned", "complex"; "layout", other than the default; of attributes the names of
  // PlainEdits(); of loops "permutation", carried values that change places; "twice", one array
  // given to an operation of several results for two; of wrong numbers "slight", which the relaxed
  // profile would take.
  std::set<std::string> needs = {};
};

FailureTraits FailureTraitsOf(const Sample& shrunk);
// The same, with what its wrong outputs tell.
FailureTraits FailureTraitsOf(const Sample& shrunk, const TrialResult& result);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_FAILURE_TRAITS_H_

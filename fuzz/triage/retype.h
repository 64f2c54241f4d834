// SPDX-License-Identifier: Apache-2.0
// A sample with other element types: a failure in any type is tried in f32, or else in s32.
#ifndef HLOCTS_FUZZ_TRIAGE_RETYPE_H_
#define HLOCTS_FUZZ_TRIAGE_RETYPE_H_

#include <set>
#include <vector>

#include "fuzz/triage/sample.h"

namespace hlocts::fuzz {

// The types to try instead of a type, plainest first: f32 and s32, or those of its width or sign.
std::vector<PrimitiveType> PlainerThan(PrimitiveType from);
// Empty where sizes are known at run time only: those are data of another kind.
std::set<PrimitiveType> TypesOf(const Module& module);
// The sample with every `from` as a `to`; values are kept as far as `to` has them.
Sample Retyped(const Sample& sample, PrimitiveType from, PrimitiveType to);
// Element types for which shrinking found nothing plainer although the module could be of it: the
// failure needs them.
std::set<PrimitiveType> NeededTypes(const Sample& shrunk);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_RETYPE_H_

// SPDX-License-Identifier: Apache-2.0
// Changes the element types of a sample: the shrinker tries a failure in f32, then in s32.
#pragma once

#include <set>
#include <vector>

#include "fuzz/triage/sample.h"

namespace hlocts::fuzz {

// Returns simpler types to try, simplest first: f32, s32, and for some types f64 or u32.
std::vector<PrimitiveType> SimplerTypesThan(PrimitiveType from);
// Returns the element types of a module, or {} if it has dynamic sizes, which need other edits.
std::set<PrimitiveType> TypesOf(const Module& module);
// Returns the sample with `to` instead of `from`. Keeps values as far as `to` can represent them.
Sample Retyped(const Sample& sample, PrimitiveType from, PrimitiveType to);
// Returns the types that the failure needs although a simpler type would be valid.
std::set<PrimitiveType> NeededTypes(const Sample& shrunk);

}  // namespace hlocts::fuzz

// SPDX-License-Identifier: Apache-2.0
// The attribute `result_accuracy` of a function: what the module itself demands (RULES 41).
#ifndef HLOCTS_SPEC_ACCURACY_RESULT_ACCURACY_H_
#define HLOCTS_SPEC_ACCURACY_RESULT_ACCURACY_H_

#include "absl/strings/string_view.h"
#include "spec/accuracy/rules.h"

namespace hlocts {

// Puts what `attribute` ("{mode=highest}", "{tolerance={atol=0,rtol=0.001,ulps=0}}"; "" and
// "{mode=default}" demand nothing) asks for in the place of the row's numbers. The rule of a real
// function, correctly rounded or in ulps; others stay as they are. `by_default`: the same row in
// the profile default.
void HonourResultAccuracy(absl::string_view attribute, PrimitiveType type, Profile profile,
                          const Rule& by_default, Rule& rule);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_ACCURACY_RESULT_ACCURACY_H_

// SPDX-License-Identifier: Apache-2.0
// Applies a function's attribute `result_accuracy`, the accuracy that the module requests (lemma
// 41).
#pragma once

#include "absl/strings/string_view.h"
#include "spec/accuracy/rules.h"

namespace hlocts {

// Replaces the numbers of the rule by those that `attribute` requests: "{mode=highest}" or
// "{tolerance={atol=0,rtol=0.001,ulps=0}}"; "" and "{mode=default}" request nothing. Changes only
// kCorrectlyRounded and kUlp rules of real functions. `by_default` is the rule in default.
void HonourResultAccuracy(absl::string_view attribute, PrimitiveType type, Profile profile,
                          const Rule& by_default, Rule& rule);

}  // namespace hlocts

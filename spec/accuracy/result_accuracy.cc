// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/result_accuracy.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hlocts {
namespace {

struct Tolerance {
  double atol = 0, rtol = 0, ulps = 0;
};

// Parses fields that the parser has already checked.
Tolerance ToleranceOf(absl::string_view fields) {
  Tolerance tolerance;
  for (absl::string_view field : absl::StrSplit(fields, ',')) {
    const std::pair<absl::string_view, absl::string_view> part = absl::StrSplit(field, '=');
    double value = 0;
    if (!absl::SimpleAtod(part.second, &value)) continue;
    if (part.first == "atol") tolerance.atol = value;
    if (part.first == "rtol") tolerance.rtol = value;
    if (part.first == "ulps") tolerance.ulps = value;
  }
  return tolerance;
}

// Returns `numbers` with the permissions of `rule`, except the one to leave the function's range.
Rule WithNumbersOf(const Rule& numbers, const Rule& rule) {
  Rule result = numbers;
  result.permissions = rule.permissions & ~uint32_t{kNoRangeGuard};
  return result;
}

}  // namespace

void HonourResultAccuracy(absl::string_view attribute, PrimitiveType type, Profile profile,
                          const Rule& by_default, Rule& rule) {
  const bool function =
      rule.rule_class == RuleClass::kUlp || rule.rule_class == RuleClass::kCorrectlyRounded;
  if (!function || !IsFloat(type)) return;
  if (attribute == "{mode=highest}") {
    if (profile != Profile::kStrict) rule = WithNumbersOf(by_default, rule);
    return;
  }
  if (!absl::ConsumePrefix(&attribute, "{tolerance={")) return;
  const Tolerance tolerance = ToleranceOf(absl::StripSuffix(attribute, "}}"));
  Rule numbers;
  numbers.rule_class = RuleClass::kUlp;
  numbers.ulps = static_cast<float>(tolerance.ulps);
  numbers.relative = tolerance.rtol;
  numbers.added = tolerance.atol;
  rule = WithNumbersOf(numbers, rule);
}

}  // namespace hlocts

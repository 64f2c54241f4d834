// SPDX-License-Identifier: Apache-2.0
#include "spec/base/status.h"

#include <string>

#include "absl/strings/cord.h"

namespace hlocts {
namespace {
constexpr char kRulePayload[] = "hlocts/rule";
}  // namespace

absl::Status RuleError(absl::string_view rule, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kRulePayload, absl::Cord(rule));
  return status;
}

std::string RuleOf(const absl::Status& status) {
  auto payload = status.GetPayload(kRulePayload);
  return payload ? std::string(*payload) : std::string();
}

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(context, ": ", status.message()));
  std::string rule = RuleOf(status);
  if (!rule.empty()) annotated.SetPayload(kRulePayload, absl::Cord(rule));
  return annotated;
}

}  // namespace hlocts

// SPDX-License-Identifier: Apache-2.0
#include "spec/base/status.h"

#include <string>

#include "absl/strings/cord.h"

namespace hlocts {
namespace {
constexpr char kRulePayload[] = "hlocts/rule", kInstructionPayload[] = "hlocts/instruction";

std::string PayloadOf(const absl::Status& status, const char* url) {
  auto payload = status.GetPayload(url);
  return payload ? std::string(*payload) : std::string();
}
}  // namespace

absl::Status RuleError(absl::string_view rule, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kRulePayload, absl::Cord(rule));
  return status;
}

std::string RuleOf(const absl::Status& status) { return PayloadOf(status, kRulePayload); }

absl::Status AtInstruction(absl::Status status, absl::string_view name) {
  if (!status.ok() && InstructionOf(status).empty())
    status.SetPayload(kInstructionPayload, absl::Cord(name));
  return status;
}

std::string InstructionOf(const absl::Status& status) {
  return PayloadOf(status, kInstructionPayload);
}

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(context, ": ", status.message()));
  for (const char* url : {kRulePayload, kInstructionPayload})
    if (const auto payload = status.GetPayload(url)) annotated.SetPayload(url, *payload);
  return annotated;
}

}  // namespace hlocts

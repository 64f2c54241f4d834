// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/causes.h"
#include "reports/scorecard.h"

namespace hlocts::reports {
namespace {

constexpr size_t kLinesMax = 12;
constexpr size_t kTextMax = 110;

struct Group {
  int count = 0;
  int64_t devices = 0;  // the largest number that a case needs
  std::string sample;
};

std::string ListOf(absl::string_view heading, std::map<std::string, Group>& groups) {
  std::vector<Group> sorted;
  for (auto& [pattern, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Group& a, const Group& b) { return a.count > b.count; });
  std::string text;
  int left = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i >= kLinesMax) {
      left += sorted[i].count;
      continue;
    }
    absl::StrAppendFormat(&text, "  %6d  %s\n", sorted[i].count, sorted[i].sample);
    if (sorted[i].devices == 0) continue;
    absl::StrAppend(&text, "           give the engine as many by its client option, such as '",
                    kDevicesOption, sorted[i].devices, "'\n");
  }
  if (left > 0) absl::StrAppendFormat(&text, "  %6d  for other reasons\n", left);
  return text.empty() ? "" : absl::StrCat("  ", heading, "\n", text);
}

}  // namespace

std::string UnsupportedReasons(const std::vector<Verdict>& verdicts) {
  std::map<std::string, Group> unsupported, not_sent;
  for (const Verdict& verdict : verdicts) {
    if (verdict.kind != Outcome::kUnsupported) continue;
    const bool sent = verdict.error.kind != ErrorKind::kNotEncodable;
    const std::string statement = sent ? FoldedReason(verdict) : verdict.reason;
    Group& group = (sent ? unsupported : not_sent)[Pattern(statement)];
    if (group.count++ == 0) group.sample = statement.substr(0, kTextMax);
    group.devices = std::max(group.devices, verdict.error.devices);
  }
  return absl::StrCat(
      ListOf("unsupported, since", unsupported),
      ListOf("also unsupported, not sent to the engine: the invalid text has no proto form",
             not_sent));
}

}  // namespace hlocts::reports

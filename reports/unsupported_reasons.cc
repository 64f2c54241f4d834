// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/scorecard.h"

namespace hlocts::reports {
namespace {

constexpr size_t kLinesMax = 12;
constexpr size_t kTextMax = 110;

// What a person can do about it.
struct Hint {
  const char *part, *help;
};
constexpr Hint kHints[] = {
    {"devices",
     "give the engine more devices by its client option, e.g. '?client.cpu_device_count=4'"},
};

// Alike but for numbers and the names of instructions.
std::string Pattern(absl::string_view text) {
  std::string pattern;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      while (i + 1 < text.size() && (absl::ascii_isalnum(text[i + 1]) || text[i + 1] == '.' ||
                                     text[i + 1] == '-' || text[i + 1] == '_')) {
        ++i;
      }
      pattern += "%";
    } else if (absl::ascii_isdigit(text[i])) {
      if (pattern.empty() || pattern.back() != '#') pattern += "#";
    } else {
      pattern.push_back(text[i]);
    }
  }
  return pattern.substr(0, kTextMax);
}

std::string HintFor(absl::string_view reason) {
  for (const Hint& hint : kHints) {
    if (absl::StrContains(reason, hint.part)) return absl::StrCat("\n           ", hint.help);
  }
  return "";
}

}  // namespace

std::string UnsupportedReasons(const std::vector<Verdict>& verdicts) {
  struct Group {
    int count = 0;
    std::string sample;
  };
  std::map<std::string, Group> groups;
  for (const Verdict& verdict : verdicts) {
    if (verdict.kind != VerdictKind::kUnsupported) continue;
    std::string reason = FoldedReason(verdict.reason);
    Group& group = groups[Pattern(reason)];
    if (group.count++ == 0) group.sample = reason.substr(0, kTextMax);
  }
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
    absl::StrAppendFormat(&text, "  %6d  %s%s\n", sorted[i].count, sorted[i].sample,
                          HintFor(sorted[i].sample));
  }
  if (left > 0) absl::StrAppendFormat(&text, "  %6d  for other reasons\n", left);
  return text.empty() ? "" : absl::StrCat("  unsupported, since\n", text);
}

}  // namespace hlocts::reports

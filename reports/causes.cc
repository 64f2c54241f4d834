// SPDX-License-Identifier: Apache-2.0
#include "reports/causes.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/scorecard.h"
#include "reports/verdict_parts.h"

namespace hlocts::reports {
namespace {

constexpr size_t kCausesShown = 10;
constexpr size_t kOperationsShown = 6;

std::string CauseOfFailure(const VerdictFailure& failure) {
  // A categorical distance ("a number, where only NaN is accepted") is one cause in all operations.
  if (failure.categorical) return failure.distance;
  const std::string operation = failure.operation.substr(0, failure.operation.find(':'));
  return absl::StrCat(operation.empty() ? failure.clause : operation, ", rule ", failure.rule);
}

// Returns "pow" for "elementwise/pow:special_values:type=f32".
std::string OperationIn(absl::string_view address) {
  address = address.substr(0, address.find(':'));
  return std::string(address.substr(address.find('/') + 1));
}

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

std::string CauseOf(const Verdict& verdict) {
  const absl::string_view word = OutcomeName(verdict.kind);
  if (verdict.kind == Outcome::kAccepted) return absl::StrCat(word, ": invalid modules");
  if (verdict.first_failure)
    return absl::StrCat(word, ": ", CauseOfFailure(*verdict.first_failure));
  if (!verdict.error.condition.empty())
    return absl::StrCat(word, ": check failed: ", verdict.error.condition);
  const std::string reason = Pattern(FoldedReason(verdict));
  return absl::StrCat(word, ": ", reason.empty() ? OperationIn(verdict.case_address) : reason);
}

std::vector<const Verdict*> InOrderOfCauses(std::vector<const Verdict*> verdicts) {
  std::map<std::string, int> counts;
  for (const Verdict* one : verdicts) ++counts[CauseOf(*one)];
  const auto key = [&](const Verdict* one) {
    std::string cause = CauseOf(*one);
    return std::pair(-counts[cause], std::move(cause));
  };
  absl::c_stable_sort(verdicts,
                      [&](const Verdict* a, const Verdict* b) { return key(a) < key(b); });
  return verdicts;
}

std::string CausesText(const std::vector<const Verdict*>& ordered) {
  if (ordered.size() < 2) return "";
  std::string text = "\ncauses, by the number of verdicts that one fix would resolve:\n";
  size_t shown = 0, causes = 0;
  for (size_t i = 0; i < ordered.size(); ++causes) {
    const std::string cause = CauseOf(*ordered[i]);
    const size_t first = i;
    std::set<std::string> operations;
    for (; i < ordered.size() && CauseOf(*ordered[i]) == cause; ++i)
      operations.insert(OperationIn(ordered[i]->case_address));
    if (causes >= kCausesShown) continue;
    shown = i;
    std::vector<std::string> named(operations.begin(), operations.end());
    if (named.size() > kOperationsShown) {
      named.resize(kOperationsShown);
      named.push_back(absl::StrCat("... ", operations.size(), " in all"));
    }
    absl::StrAppendFormat(&text, "  %4d  %s  (%s)  first: %s\n", i - first, cause,
                          absl::StrJoin(named, ", "), ordered[first]->case_address);
  }
  if (causes > kCausesShown) {
    absl::StrAppendFormat(&text, "  %4d  by %d other causes (hlocts report DIR --html=F)\n",
                          ordered.size() - shown, causes - kCausesShown);
  }
  return text;
}

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

// SPDX-License-Identifier: Apache-2.0
#include "reports/causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "reports/scorecard.h"
#include "reports/verdict_parts.h"
#include "spec/ir/float_format.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reports {
namespace {

constexpr size_t kCausesShown = 10;
constexpr size_t kOperationsShown = 6;

double LeastNormal(const std::string& type_name) {
  const auto type = PrimitiveTypeFromName(type_name);
  const bool is_known = type && (IsFloat(*type) || IsComplex(*type));
  return is_known ? FormatOf(ComponentType(*type)).min_normal() : 0;
}

// Returns the kinds of special values in the operands: "infinity, subnormal", or "". A NaN is the
// only kind if there is one: a lost NaN has the same cause beside other values.
std::string KindsOfOperands(const VerdictFailure& failure) {
  bool nan = false, infinity = false, subnormal = false, minus_zero = false;
  for (const FailureOperand& operand : failure.operands) {
    for (absl::string_view word : absl::StrSplit(operand.value, absl::ByAnyChar(" ,(){}"))) {
      double value = 0;
      if (!absl::SimpleAtod(word, &value)) continue;
      nan = nan || std::isnan(value);
      infinity = infinity || std::isinf(value);
      subnormal = subnormal || (value != 0 && std::abs(value) < LeastNormal(failure.type));
      minus_zero = minus_zero || word == "-0";
    }
  }
  if (nan) return "NaN";
  std::vector<absl::string_view> kinds;
  for (const auto& [found, kind] : {std::pair(infinity, "infinity"),
                                    std::pair(subnormal, "subnormal"), std::pair(minus_zero, "-0")})
    if (found) kinds.push_back(kind);
  return absl::StrJoin(kinds, ", ");
}

std::string CauseOfFailure(const Verdict& verdict) {
  const VerdictFailure& failure = *verdict.first_failure;
  const std::string operation = failure.operation.substr(0, failure.operation.find(':'));
  // A categorical distance ("a number, where only NaN is accepted") replaces the operation.
  std::string cause =
      failure.categorical
          ? failure.distance
          : absl::StrCat(operation.empty() ? failure.clause : operation, ", rule ", failure.rule);
  if (const std::string kinds = KindsOfOperands(failure); !kinds.empty())
    absl::StrAppend(&cause, ", operands with ", kinds);
  if (verdict.localisation.kind == Localisation::Kind::kTogether)
    absl::StrAppend(&cause, ", only when compiled together");
  return cause;
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
    absl::StrAppend(&text, "           a client option gives the engine as many, such as '",
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
  return CutAtWord(pattern, kTextMax);
}

std::string CauseOf(const Verdict& verdict) {
  const absl::string_view word = OutcomeName(verdict.kind);
  if (verdict.kind == Outcome::kAccepted) return absl::StrCat(word, ": invalid modules");
  if (verdict.kind == Outcome::kPass && !verdict.wanted.empty())
    return absl::StrCat("listed as ", verdict.wanted, ", but passes");
  if (verdict.first_failure) return absl::StrCat(word, ": ", CauseOfFailure(verdict));
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

std::string CausesText(const std::vector<const Verdict*>& ordered, bool cases) {
  if (ordered.size() < 2 && !cases) return "";
  std::string text =
      "\ncauses: unexpected verdicts that one fix may resolve in part (same operation and rule, "
      "or same kind of wrong value; same kinds of operands):\n";
  size_t shown = 0, causes = 0;
  for (size_t i = 0; i < ordered.size(); ++causes) {
    const std::string cause = CauseOf(*ordered[i]);
    const size_t first = i;
    std::set<std::string> operations;
    std::map<std::string, int> permitted;  // number of verdicts by the fact that would permit them
    std::string addresses, facts;
    for (; i < ordered.size() && CauseOf(*ordered[i]) == cause; ++i) {
      operations.insert(OperationIn(ordered[i]->case_address));
      absl::StrAppend(&addresses, "          ", ordered[i]->case_address, "\n");
      if (!ordered[i]->first_failure) continue;
      for (const std::string& fact : ordered[i]->first_failure->permitted_by) ++permitted[fact];
    }
    for (const auto& [fact, count] : permitted)
      absl::StrAppend(&facts, "        ", count, " whose first wrong element the fact ", fact,
                      " permits: if intended, declare it (ENGINE?facts=", fact,
                      "); the other elements are then judged too\n");
    if (cases) absl::StrAppendFormat(&text, "  %4d  %s\n%s%s", i - first, cause, facts, addresses);
    if (causes >= kCausesShown || cases) continue;
    shown = i;
    std::vector<std::string> named(operations.begin(), operations.end());
    if (named.size() > kOperationsShown) {
      named.resize(kOperationsShown);
      named.push_back(absl::StrCat("... ", operations.size(), " in all"));
    }
    absl::StrAppendFormat(&text, "  %4d  %s  (%s)  first: %s\n%s", i - first, cause,
                          absl::StrJoin(named, ", "), ordered[first]->case_address, facts);
  }
  if (causes > kCausesShown && !cases) {
    absl::StrAppendFormat(&text, "  %4d  by %d other causes (hlocts report DIR --causes)\n",
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
    if (group.count++ == 0) group.sample = CutAtWord(statement, kTextMax);
    group.devices = std::max(group.devices, verdict.error.devices);
  }
  return absl::StrCat(
      ListOf("unsupported, for these reasons:", unsupported),
      ListOf("also unsupported, since the invalid text has no proto form that can be sent:",
             not_sent));
}

}  // namespace hlocts::reports

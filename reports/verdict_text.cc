// SPDX-License-Identifier: Apache-2.0
// Verdicts as people read them.
#include <algorithm>
#include <map>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "reports/effective_bits.h"
#include "reports/verdict.h"

namespace hlocts::reports {
namespace {

int64_t Total(const std::vector<int64_t>& quarters) {
  return std::accumulate(quarters.begin(), quarters.end(), int64_t{0});
}

// The middle of the elements, in bits to a quarter.
double Median(const std::vector<int64_t>& quarters) {
  int64_t half = Total(quarters) / 2, seen = 0;
  for (size_t i = 0; i < quarters.size(); ++i) {
    seen += quarters[i];
    if (seen > half) return static_cast<double>(i) / 4;
  }
  return 0;
}

std::string MedianText(const std::map<int, std::vector<int64_t>>& quarters) {
  std::vector<std::string> parts;
  for (const auto& [precision, counts] : quarters) {
    if (Total(counts) == 0) continue;
    parts.push_back(absl::StrFormat("%.4g of %d", Median(counts), precision));
  }
  return absl::StrJoin(parts, ", ");
}

// Lines that handlers of crashes print before they say what happened. The first is often cut: only
// the end of what was written is kept.
bool IsBoilerplate(absl::string_view line) {
  for (absl::string_view known :
       {"WARNING: All log messages before absl", "is called are written to STDERR",
        "oneDNN custom operations", "I0000 ", "*** Check failure stack trace",
        "To enable the following instructions", "This TensorFlow binary is optimized"}) {
    if (absl::StrContains(line, known)) return true;
  }
  return line.find_first_not_of(" \t") == line.npos;
}

// A fatal line of a log, "F0000 ...", or a failed check: why a process ended itself.
bool IsTelling(absl::string_view line) {
  constexpr size_t kDigits = 4;
  if (absl::StrContains(line, "Check failed")) return true;
  return line.size() > kDigits && line[0] == 'F' &&
         absl::c_all_of(line.substr(1, kDigits), absl::ascii_isdigit);
}

std::string FailureText(const VerdictFailure& failure) {
  std::string text = absl::StrCat("\n    output ", failure.output, " [",
                                  absl::StrJoin(failure.index, ","), "] is ", failure.actual, " (",
                                  failure.actual_bits, "), accepted ", failure.accepted);
  if (!failure.distance.empty()) absl::StrAppend(&text, "; ", failure.distance);
  if (!failure.operands.empty()) {
    absl::StrAppend(&text, "\n    operands: ",
                    absl::StrJoin(failure.operands, ", ", [](std::string* out, const auto& one) {
                      absl::StrAppend(out, one.name, " = ", one.value);
                    }));
  }
  if (failure.rule.empty() && failure.clause.empty() && failure.instruction.empty()) return text;
  return absl::StrCat(text, "\n    rule ", failure.rule, ", clause ", failure.clause, ", at ",
                      failure.instruction);
}

}  // namespace

std::string CheckedText(const Verdict& verdict) {
  std::string text =
      absl::StrCat(verdict.elements, verdict.elements == 1 ? " element" : " elements");
  int64_t floats = 0;
  for (const auto& [precision, counts] : verdict.effective_quarters) floats += Total(counts);
  if (floats > 0) {
    absl::StrAppend(&text, "; ", MedianText(verdict.effective_quarters),
                    " significant bits checked (median)");
    int64_t below = ElementsBelowTwoBits(verdict);
    if (below > 0) {
      absl::StrAppendFormat(&text, ", fewer than 2 in %.3g%%",
                            100.0 * static_cast<double>(below) / static_cast<double>(floats));
    }
  }
  if (verdict.unspecified_elements > 0)
    absl::StrAppend(&text, "; ", verdict.unspecified_elements, " may have any value");
  return text;
}

std::string FoldedReason(const std::string& reason) {
  // "worker killed by signal 6 (Aborted); it last wrote: " stands before the engine's own words.
  const std::string last_wrote = "it last wrote: ";
  const size_t wrote = reason.substr(0, reason.find('\n')).find(last_wrote);
  const bool ended = wrote != std::string::npos;
  const size_t head = ended ? wrote + last_wrote.size() : 0;
  std::vector<absl::string_view> lines =
      absl::StrSplit(absl::string_view(reason).substr(head), '\n');
  lines.erase(std::remove_if(lines.begin(), lines.end(), IsBoilerplate), lines.end());
  auto shown = ended ? absl::c_find_if(lines, IsTelling) : lines.begin();
  if (shown == lines.end()) shown = lines.begin();
  std::string text = reason.substr(0, head);
  if (lines.empty()) return text;
  absl::StrAppend(&text, *shown);
  const size_t left = lines.size() - 1;
  if (left > 0) absl::StrAppend(&text, " (", left, left == 1 ? " more line)" : " more lines)");
  return text;
}

std::string VerdictHeadline(const Verdict& verdict) {
  std::string line(verdict.flake.empty() ? VerdictName(verdict.kind) : "flake");
  if (!verdict.backend.empty()) absl::StrAppend(&line, "  ", verdict.backend);
  const std::string& name = verdict.case_address.empty() ? verdict.module : verdict.case_address;
  if (!name.empty()) absl::StrAppend(&line, "  ", name);
  if (!verdict.flake.empty()) absl::StrAppend(&line, "  (", verdict.flake, ")");
  if (verdict.replica != 0) absl::StrAppend(&line, "  replica ", verdict.replica);
  if (verdict.kind == VerdictKind::kPass) absl::StrAppend(&line, "  ", CheckedText(verdict));
  return line;
}

std::string VerdictToText(const Verdict& verdict) {
  std::string text = VerdictHeadline(verdict);
  if (verdict.first_failure) {
    // What the judge says of the first failure stands in the lines below.
    absl::StrAppend(&text, FailureText(*verdict.first_failure));
    if (!verdict.finding.empty()) absl::StrAppend(&text, "\n    ", verdict.finding);
    if (!verdict.expected && absl::StrContains(verdict.reason, "expected "))
      absl::StrAppend(&text, "\n    ", verdict.reason.substr(verdict.reason.rfind("expected ")));
  } else if (!verdict.reason.empty()) {
    absl::StrAppend(&text, "\n    ", FoldedReason(verdict.reason));
  }
  if (!verdict.unusual.empty()) absl::StrAppend(&text, "\n    unusual: ", verdict.unusual);
  return text;
}

}  // namespace hlocts::reports

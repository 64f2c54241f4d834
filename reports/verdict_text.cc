// SPDX-License-Identifier: Apache-2.0
// Formats verdicts as text for users.
#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "reports/effective_bits.h"
#include "reports/sentences.h"
#include "reports/verdict.h"
#include "spec/base/count_text.h"

namespace hlocts::reports {
namespace {

constexpr size_t kNamesShown = 12;

std::string MedianText(const std::map<int, std::vector<int64_t>>& quarters) {
  std::vector<std::string> parts;
  for (const auto& [precision, counts] : quarters) {
    if (Total(counts) == 0) continue;
    parts.push_back(absl::StrFormat("%.4g of %d", Quantile(counts, 0.5), precision));
  }
  return absl::StrJoin(parts, ", ");
}

// Returns true for lines that crash handlers print before the cause. The first line may also be
// incomplete, since only the end of the output is kept.
bool IsBoilerplate(absl::string_view line) {
  for (absl::string_view known :
       {"WARNING: All log messages before absl", "is called are written to STDERR",
        "oneDNN custom operations", "I0000 ", "*** Check failure stack trace",
        "To enable the following instructions", "This TensorFlow binary is optimized"}) {
    if (absl::StrContains(line, known)) return true;
  }
  return line.find_first_not_of(" \t") == line.npos;
}

// Returns true for a log line with the reason of an abort: "F0000 ..." or a failed check.
bool StatesAbortReason(absl::string_view line) {
  constexpr size_t kDigits = 4;
  for (const char* telling : {"Check failed", "LLVM ERROR", "what():", "Assertion `"})
    if (absl::StrContains(line, telling)) return true;
  return line.size() > kDigits && line[0] == 'F' &&
         absl::c_all_of(line.substr(1, kDigits), absl::ascii_isdigit);
}

// Returns the line with the reason of an abort or, if there is none, the last line that is not a
// frame of a stack trace ("    @ 0x7f foo()", "#1 0x7f foo").
std::string TellingLine(const std::vector<absl::string_view>& log) {
  static const auto* frame = new std::regex("\\s*(PC: )?(@|#\\d)");
  const auto reason = absl::c_find_if(log, StatesAbortReason);
  if (reason != log.end()) return std::string(*reason);
  for (auto line = log.rbegin(); line != log.rend(); ++line)
    if (!std::regex_search(line->begin(), line->end(), *frame,
                           std::regex_constants::match_continuous))
      return std::string(*line);
  return std::string(log[0]);
}

// Returns a log line without its time and thread, which differ in each run.
std::string WithoutTime(const std::string& line) {
  static const auto* stamp = new std::regex("[IWEF]\\d{4} [\\d:.]+ +\\d+ ");
  std::smatch found;
  const bool has = std::regex_search(line, found, *stamp, std::regex_constants::match_continuous);
  return has ? found.suffix().str() : line;
}

// Cites the clauses of the documents for the operation and, without any, the clause of the case.
std::string FailureText(const Verdict& verdict) {
  const VerdictFailure& failure = *verdict.first_failure;
  std::string text = absl::StrCat("\n    output ", failure.output, " [",
                                  absl::StrJoin(failure.index, ","), "] is ", failure.actual, " (",
                                  failure.actual_bits, "), accepted ", failure.accepted);
  if (!failure.distance.empty()) absl::StrAppend(&text, "; ", failure.distance);
  if (!failure.operands.empty()) absl::StrAppend(&text, "\n    operands: ", OperandsText(failure));
  std::vector<std::string> sources;
  if (!failure.rule.empty()) sources.push_back(absl::StrCat("rule ", failure.rule));
  const std::vector<ClauseSentence> sentences = SentencesOf(verdict);
  for (const ClauseSentence& sentence : sentences) {
    sources.push_back(absl::StrCat("clause ", sentence.id));
    if (!sentence.ruling.empty()) sources.push_back(absl::StrCat("ruling ", sentence.ruling));
  }
  if (sentences.empty() && !failure.clause.empty())
    sources.push_back(absl::StrCat("clause ", failure.clause));
  if (!failure.instruction.empty()) sources.push_back(absl::StrCat("at ", failure.instruction));
  if (!sources.empty()) absl::StrAppend(&text, "\n    ", absl::StrJoin(sources, ", "));
  return text;
}

}  // namespace

std::string CheckedText(const Verdict& verdict) {
  std::string text = CountText(verdict.elements, "element");
  if (verdict.unspecified_elements > 0)
    absl::StrAppend(&text, ", of which ", verdict.unspecified_elements, " may have any value");
  int64_t floats = 0;
  for (const auto& [precision, counts] : verdict.effective_quarters) floats += Total(counts);
  if (floats > 0) {
    absl::StrAppend(&text, "; ", MedianText(verdict.effective_quarters),
                    " significant bits checked (median)");
    int64_t below = ElementsBelowTwoBits(verdict);
    if (below > 0) {
      absl::StrAppendFormat(&text, ", fewer than 2 bits of %.3g%% of the elements",
                            100.0 * static_cast<double>(below) / static_cast<double>(floats));
    }
  }
  return text;
}

absl::string_view FirstLine(absl::string_view text) { return text.substr(0, text.find('\n')); }

std::string CutAtWord(absl::string_view text, size_t size_max) {
  if (text.size() <= size_max) return std::string(text);
  constexpr absl::string_view kMore = " ...";
  text = text.substr(0, size_max - kMore.size() + 1);
  return absl::StrCat(text.substr(0, std::min(text.rfind(' '), text.size() - 1)), kMore);
}

std::string NamesText(const std::vector<std::string>& names) {
  if (names.size() == 1) return names[0];
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + std::min(names.size(), kNamesShown));
  if (names.size() > kNamesShown) shown.push_back(absl::StrCat("... ", names.size(), " in all"));
  return absl::StrCat("{", absl::StrJoin(shown, ", "), "}");
}

namespace {

std::string PieceText(const Localisation& found) {
  if (found.kind == Localisation::Kind::kNone) return "";
  if (found.kind == Localisation::Kind::kNotFound)
    return "not localised: neither the pieces nor the whole module failed when run again";
  const absl::string_view how =
      found.outcome == Outcome::kFail ? "wrong" : OutcomeName(found.outcome);
  const absl::string_view on = found.operands == "constants" ? ", on constants"
                               : found.operands == "inputs"
                                   ? ", on the inputs"
                                   : ", on operands that the engine computed";
  const std::string names = absl::StrCat(found.where, NamesText(found.instructions));
  return absl::StrCat(found.kind == Localisation::Kind::kTogether
                          ? absl::StrCat(how, " only when compiled together: ")
                          : absl::StrCat(how, " in isolation", on, ": "),
                      names, found.in_piece ? " (the module's outputs alone do not show it)" : "");
}

std::string PartitionText(const Localisation& found) {
  if (!found.unpartitioned) return "";
  const Outcome one = *found.unpartitioned;
  if (one == Outcome::kPass || one == Outcome::kNanBits)
    return absl::StrCat("wrong only when partitioned for ", found.partitions, " devices");
  return absl::StrCat("on one device, without partitions, the verdict is ", OutcomeName(one));
}

}  // namespace

std::string FindingText(const Localisation& found) {
  const std::string partition = PartitionText(found);
  // Pieces run on one device, so a fault of the partitioner appears in no piece.
  const bool says_more = partition.empty() || found.kind != Localisation::Kind::kNotFound;
  std::vector<std::string> parts = {found.compiled_form ? "the optimized module is wrong" : "",
                                    says_more ? PieceText(found) : "", partition};
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return absl::StrJoin(parts, "; ");
}

std::string ExplanationText(const Localisation& found) {
  if (found.kind == Localisation::Kind::kNone) return "";
  std::string text = absl::StrCat(FindingText(found), "\n");
  if (!found.piece.empty()) absl::StrAppend(&text, "  ", found.piece);
  if (!found.set.empty())
    absl::StrAppend(&text, "  ", absl::StrReplaceAll(found.set, {{"\n", "\n  "}}));
  return text;
}

std::vector<std::string> StatementsOf(const Verdict& verdict) {
  const bool sent = verdict.error.kind != ErrorKind::kNotEncodable;
  std::vector<std::string> statements = {absl::StrCat(
      sent ? "" : "not sent to the engine, since the text has no proto form: ", verdict.reason)};
  const std::string finding = FindingText(verdict.localisation);
  statements.insert(verdict.localisation.in_piece ? statements.begin() : statements.end(), finding);
  statements.insert(statements.end(), verdict.notes.begin(), verdict.notes.end());
  if (!verdict.wanted.empty()) statements.push_back(absl::StrCat("expected ", verdict.wanted));
  if (verdict.kind == Outcome::kSuspect) statements.push_back(StatisticalText(verdict));
  statements.erase(std::remove(statements.begin(), statements.end(), ""), statements.end());
  return statements;
}

std::string ReasonText(const Verdict& verdict) {
  return absl::StrJoin(StatementsOf(verdict), "; ");
}

std::string StatisticalText(const Verdict& verdict) {
  if (!verdict.statistical || verdict.statistical->elements == 0) return "";
  const Statistical& one = *verdict.statistical;
  const char* units = one.test == "terms" ? "typical terms" : "standard deviations";
  if (one.most <= one.limit)
    return absl::StrFormat("%d elements are within %.2g %s of a run in f64 (limit: %.2g)",
                           one.elements, one.most, units, one.limit);
  const std::string kind =
      one.test == "element" ? "" : absl::StrCat(" (test of the output's ", one.test, ")");
  return absl::StrFormat(
      "output %d [%s]%s is %.9g, but %.9g in a run in f64; the difference is %.3g %s of %.2g%s, "
      "and a correct engine exceeds the limit of %.2g with a probability of at most 1e-7",
      one.output, absl::StrJoin(one.index, ","), one.in_piece ? " of the piece" : "", one.found,
      one.expected, one.most, units, one.deviation, kind, one.limit);
}

std::string ExpectationText(const Verdict& verdict) {
  const bool declared_inconclusive = !verdict.inconclusive_by_nature.empty();
  return absl::StrCat(declared_inconclusive ? "inconclusive by its case: " : "",
                      verdict.expectation);
}

std::string FoldedError(const EngineError& error) {
  const bool ended = !error.log.empty();
  EngineError shown = error;
  std::string& text = ended ? shown.log : shown.message;
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  lines.erase(std::remove_if(lines.begin(), lines.end(), IsBoilerplate), lines.end());
  if (lines.empty()) {
    text.clear();
    return shown.Text();
  }
  std::string one = WithoutTime(ended ? TellingLine(lines) : std::string(lines[0]));
  const size_t left = lines.size() - 1;
  if (left > 0) absl::StrAppend(&one, " (", CountText(left, "more line"), ")");
  text = std::move(one);
  return shown.Text();
}

std::string FoldedReason(const Verdict& verdict) {
  Verdict shown = verdict;
  if (!verdict.error.log.empty()) shown.reason = FoldedError(verdict.error);
  EngineError all;
  all.message = ReasonText(shown);
  return FoldedError(all);
}

std::string VerdictHeadline(const Verdict& verdict) {
  std::string line(verdict.flake.empty() ? OutcomeName(verdict.kind) : "flake");
  if (!verdict.backend.empty()) absl::StrAppend(&line, "  ", verdict.backend);
  const std::string& name = verdict.case_address.empty() ? verdict.module : verdict.case_address;
  if (!name.empty()) absl::StrAppend(&line, "  ", name);
  if (!verdict.flake.empty()) absl::StrAppend(&line, "  (", verdict.flake, ")");
  if (verdict.replica != 0) absl::StrAppend(&line, "  replica ", verdict.replica);
  // A pass without elements but with a reason is the rejection of an invalid module.
  if (verdict.kind == Outcome::kPass && (verdict.elements > 0 || verdict.reason.empty()))
    absl::StrAppend(&line, "  ", CheckedText(verdict));
  return line;
}

std::string RunCountsText(const std::map<std::string, int64_t>& runs) {
  return absl::StrJoin(runs, ", ", [](std::string* text, const auto& count) {
    absl::StrAppend(text, count.second, " ", count.first);
  });
}

int64_t RunsUntilSeen(int64_t failed, int64_t all, double chance) {
  if (all <= 0 || failed >= all) return 1;
  // If no run failed, the next one is assumed to fail.
  const double rate = failed > 0 ? static_cast<double>(failed) / static_cast<double>(all)
                                 : 1.0 / static_cast<double>(all + 1);
  return static_cast<int64_t>(std::ceil(std::log(chance) / std::log1p(-rate)));
}

std::string VerdictToText(const Verdict& verdict) {
  std::string text = VerdictHeadline(verdict);
  if (verdict.first_failure) {
    // The lines below include the judge's statement on the first failure.
    absl::StrAppend(&text, FailureText(verdict));
    const std::string finding = FindingText(verdict.localisation);
    if (!finding.empty()) absl::StrAppend(&text, "\n    ", finding);
    for (const std::string& fact : verdict.first_failure->facts)
      absl::StrAppend(&text, "\n    fact: ", FactText(fact, verdict.backend));
    for (const std::string& note : verdict.notes) absl::StrAppend(&text, "\n    ", note);
    if (!verdict.wanted.empty()) absl::StrAppend(&text, "\n    expected ", verdict.wanted);
  } else if (const std::string reason = FoldedReason(verdict); !reason.empty()) {
    absl::StrAppend(&text, "\n    ", reason);
  }
  const std::string statistical = StatisticalText(verdict);
  if (!statistical.empty() && verdict.kind != Outcome::kSuspect)
    absl::StrAppend(&text, "\n    statistics: ", statistical);
  if (!verdict.unusual.empty()) absl::StrAppend(&text, "\n    unusual: ", verdict.unusual);
  return text;
}

}  // namespace hlocts::reports

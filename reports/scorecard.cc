// SPDX-License-Identifier: Apache-2.0
#include "reports/scorecard.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/causes.h"
#include "reports/effective_bits.h"
#include "reports/sentences.h"
#include "spec/base/count_text.h"

namespace hlocts::reports {
namespace {

// Columns are the verdicts and a last one for flakes, which are not a verdict.
constexpr size_t kFlake = static_cast<size_t>(kLastOutcome) + 1;
constexpr size_t kKinds = kFlake + 1;
using Counts = std::array<int, kKinds>;

constexpr char kLegend[] =
    "  reject: a valid module was rejected; accept: an invalid module was accepted; inconc: the "
    "sets\n  were too wide; nan_bi: only the bits of a copied NaN differ; flake: another verdict "
    "when run\n  again; as expected: passes, unsupported cases, and failures that are listed\n";

size_t ColumnOf(const Verdict& verdict) {
  return verdict.flake.empty() ? static_cast<size_t>(verdict.kind) : kFlake;
}

std::string AreaOf(const std::string& address) { return address.substr(0, address.find('/')); }

// Returns false for an empty column of a verdict that only few commands report.
bool HasColumn(size_t kind, const Counts& all) {
  const auto outcome = static_cast<Outcome>(kind);
  return (outcome != Outcome::kSuspect && outcome != Outcome::kProbable) || all[kind] > 0;
}

std::string Row(const std::string& name, const Counts& counts, const Counts& all, int expected,
                int total) {
  std::string row = absl::StrFormat("  %-18s %6d", name, total);
  for (size_t k = 0; k < kKinds; ++k) {
    if (HasColumn(k, all))
      absl::StrAppendFormat(&row, " %6s", counts[k] ? absl::StrCat(counts[k]) : ".");
  }
  absl::StrAppendFormat(&row, " %7.1f%%\n", total ? 100.0 * expected / total : 100.0);
  return row;
}

std::string Header(const Counts& all) {
  std::string header = absl::StrFormat("  %-18s %6s", "area", "cases");
  for (size_t k = 0; k < kKinds; ++k) {
    if (!HasColumn(k, all)) continue;
    absl::string_view name = k == kFlake ? "flake" : OutcomeName(static_cast<Outcome>(k));
    absl::StrAppendFormat(&header, " %6s", name.substr(0, 6));
  }
  return header + " as expected\n";
}

// Lists the names of at most kNamedMax facts, then the number of the others.
std::string PromisesText(const std::vector<std::string>& facts) {
  constexpr size_t kNamedMax = 8;
  if (facts.empty()) return "  declares no facts (hlocts backends --facts)\n";
  std::string text = "  declares";
  for (size_t i = 0; i < std::min(facts.size(), kNamedMax); ++i) {
    absl::StrAppend(&text, i == 0 ? " " : ", ", facts[i]);
  }
  if (facts.size() > kNamedMax) {
    absl::StrAppend(&text, " and ", facts.size() - kNamedMax, " more (hlocts backends --json)");
  }
  return text + "\n";
}

// The totals of one engine's verdicts.
struct Sums {
  std::map<std::string, Counts> areas;
  std::map<std::string, std::pair<int, int>> expected;  // expected, total
  Counts all{};
  int all_expected = 0, total = 0;
  double bits = 0;
  int64_t elements = 0, unspecified = 0, declared_inconclusive = 0;
  std::map<std::string, int> freedoms;  // number of verdicts that depend on each freedom
  std::map<int64_t, std::pair<int, int>>
      partitioned;  // devices -> (pass, total without unsupported)
  EffectiveBitsTable effective;

  explicit Sums(const std::vector<Verdict>& verdicts) {
    for (const Verdict& verdict : verdicts) Add(verdict);
  }
  void Add(const Verdict& verdict) {
    std::string area = AreaOf(verdict.case_address);
    ++areas[area][ColumnOf(verdict)];
    ++all[ColumnOf(verdict)];
    expected[area].first += verdict.expected;
    ++expected[area].second;
    all_expected += verdict.expected;
    ++total;
    bits += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
    elements += verdict.elements;
    unspecified += verdict.unspecified_elements;
    for (const std::string& freedom : verdict.freedoms) ++freedoms[freedom];
    declared_inconclusive += !verdict.inconclusive_by_nature.empty();
    effective.Add(verdict);
    const int64_t devices = verdict.localisation.partitions;
    if (devices == 0 || verdict.kind == Outcome::kUnsupported) return;
    partitioned[devices].first += verdict.kind == Outcome::kPass;
    ++partitioned[devices].second;
  }
};

// Omits the options of the engine, which the heading of the table below the list has.
std::string OneLine(Verdict verdict) {
  verdict.backend = verdict.backend.substr(0, verdict.backend.find('?'));
  std::string line = absl::StrCat("  ", VerdictHeadline(verdict));
  if (const auto& failure = verdict.first_failure) {
    absl::StrAppend(&line, "  [", absl::StrJoin(failure->index, ","), "] is ", failure->actual,
                    ", accepted ", failure->accepted);
    if (!failure->operands.empty()) absl::StrAppend(&line, "; ", OperandsText(*failure));
  } else if (const std::string reason = FoldedReason(verdict); !reason.empty()) {
    absl::StrAppend(&line, "  ", reason);
  }
  return line;
}

// Returns the unexpected verdicts, sorted by cause.
std::vector<const Verdict*> UnexpectedVerdicts(const std::vector<Verdict>& verdicts) {
  std::vector<const Verdict*> surprises;
  for (const Verdict& verdict : verdicts) {
    if (!verdict.expected) surprises.push_back(&verdict);
  }
  return InOrderOfCauses(std::move(surprises));
}

std::string UnexpectedVerdictsText(const std::vector<const Verdict*>& surprises, bool verbose) {
  constexpr size_t kLinesMax = 30;  // the causes follow, each with its first case
  const size_t lines = verbose ? surprises.size() : std::min(surprises.size(), kLinesMax);
  std::string text;
  for (size_t i = 0; i < lines; ++i) absl::StrAppend(&text, OneLine(*surprises[i]), "\n");
  if (lines < surprises.size()) {
    absl::StrAppend(&text, "  ", surprises.size() - lines,
                    " more (in scorecard.txt of --out, or with --verbose)\n");
  }
  return text.empty() ? "" : absl::StrCat("\nnot as expected:\n", text);
}

std::string Percent(int part, int whole) {
  return absl::StrFormat("%.1f%%", whole > 0 ? 100.0 * part / whole : 100.0);
}

std::string SummaryLine(const std::string& backend, const Sums& sums) {
  auto count = [&](Outcome kind) { return sums.all[static_cast<size_t>(kind)]; };
  const int total = sums.total, pass = count(Outcome::kPass);
  const int supported = total - count(Outcome::kUnsupported);
  std::string line =
      absl::StrCat(backend, ": ", pass, " of ", total, " pass (", Percent(pass, total));
  if (supported != total && supported > 0)
    absl::StrAppend(&line, "; ", Percent(pass, supported), " of the ", supported, " supported");
  line += ")";
  for (size_t k = 0; k < kKinds; ++k) {
    if (k == static_cast<size_t>(Outcome::kPass) || sums.all[k] == 0) continue;
    absl::StrAppend(&line, ", ", sums.all[k], " ",
                    k == kFlake ? "flake" : OutcomeName(static_cast<Outcome>(k)));
  }
  int surprises = total - sums.all_expected;
  return absl::StrCat(line, "; ", surprises == 0 ? "all" : absl::StrCat(surprises, " not"),
                      " as expected\n");
}

std::string Table(const std::string& backend, const std::string& version, const Sums& sums) {
  std::string text = absl::StrCat("\n", backend, "  ", version, "\n", Header(sums.all));
  for (const auto& [area, counts] : sums.areas)
    text +=
        Row(area, counts, sums.all, sums.expected.at(area).first, sums.expected.at(area).second);
  text += Row("all", sums.all, sums.all, sums.all_expected, sums.total);
  return text + kLegend;
}

}  // namespace

void Scorecard::Add(const Verdict& verdict) { verdicts_[verdict.backend].push_back(verdict); }

void Scorecard::AddUnavailable(const std::string& backend, EngineError error) {
  unavailable_[backend] = std::move(error);
}

void Scorecard::Promise(const std::string& backend, std::vector<std::string> facts) {
  promises_[backend] = std::move(facts);
}

std::string Scorecard::ToText(bool verbose) const {
  std::string text;
  for (const auto& [backend, verdicts] : verdicts_) {
    Sums sums(verdicts);
    const std::vector<const Verdict*> surprises = UnexpectedVerdicts(verdicts);
    text += UnexpectedVerdictsText(surprises, verbose);
    text += Table(backend, verdicts.front().backend_version, sums);
    if (auto promised = promises_.find(backend); promised != promises_.end()) {
      text += PromisesText(promised->second);
    }
    text += UnsupportedReasons(verdicts);
    double count = std::max<double>(1, static_cast<double>(sums.elements));
    absl::StrAppendFormat(
        &text, "  %d elements compared, of which %d may have any value (%.2f%%)\n", sums.elements,
        sums.unspecified, 100 * static_cast<double>(sums.unspecified) / count);
    if (!sums.freedoms.empty()) {
      absl::StrAppend(&text, "  number of cases by the freedom that widened their sets: ",
                      absl::StrJoin(sums.freedoms, ", ", absl::PairFormatter(" ")), "\n");
    }
    if (!sums.partitioned.empty()) {
      const auto of_devices = [](std::string* out, const auto& one) {
        absl::StrAppend(out, one.second.first, " of ", one.second.second, " for ", one.first,
                        " devices");
      };
      absl::StrAppend(&text, "  passed when the engine partitioned them: ",
                      absl::StrJoin(sums.partitioned, ", ", of_devices), "\n");
    }
    if (sums.declared_inconclusive > 0) {
      absl::StrAppend(&text, "  ", CountText(sums.declared_inconclusive, "case"),
                      " cannot be judged by design\n");
    }
    if (verbose) {
      absl::StrAppendFormat(&text, "  %.1f bits checked per element\n", sums.bits / count);
      text += sums.effective.ToText();
    }
    text += CausesText(surprises);
  }
  return absl::StrCat(text, "\n", Summary());
}

std::string Scorecard::CasesOfCauses() const {
  std::string text;
  for (const auto& [backend, verdicts] : verdicts_)
    absl::StrAppend(&text, backend, ":", CausesText(UnexpectedVerdicts(verdicts), /*cases=*/true));
  return text;
}

std::string Scorecard::Summary() const {
  std::string text;
  for (const auto& [backend, verdicts] : verdicts_) text += SummaryLine(backend, Sums(verdicts));
  for (const auto& [backend, error] : unavailable_)
    absl::StrAppend(&text, backend, ": could not be started: ", FoldedError(error), "\n");
  return text;
}

int Scorecard::ExitStatus(bool suspect_fails) const {
  int status = unavailable_.empty() ? 0 : 3;
  bool suspect = false;
  for (const auto& [backend, verdicts] : verdicts_) {
    for (const Verdict& verdict : verdicts) {
      // Expected verdicts do not change the exit status, even if they are failures.
      if (verdict.expected) continue;
      const bool only_suspect = verdict.kind == Outcome::kSuspect && !suspect_fails;
      suspect = suspect || only_suspect;
      if (!only_suspect) status = std::max(status, verdict.kind == Outcome::kError ? 3 : 1);
    }
  }
  return status == 0 && suspect ? 4 : status;
}

}  // namespace hlocts::reports

// SPDX-License-Identifier: Apache-2.0
#include "suites/conformance.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "suites/case.h"

namespace hlocts::suites {
namespace {

// The percentage of cases that an engine must support; only supported cases are judged.
constexpr int kSupportedPercent = 90;

// Returns 1 for smoke, 2 for presubmit, 3 for the larger tiers.
int LevelOf(const std::string& tier) {
  const auto known = TierFromName(tier);
  return known ? std::min(static_cast<int>(*known) + 1, 3) : 0;
}

void CheckRun(const reports::RunRecord& record, Conformance& result) {
  if (!record.queries.empty())
    result.against.push_back(absl::StrCat("only ", absl::StrJoin(record.queries, " "), " was run"));
  if (record.profile != "default" && record.profile != "strict")
    result.against.push_back(absl::StrCat("the profile is ", record.profile));
  if (record.finished.empty()) result.against.push_back("the run did not finish");
  if (static_cast<int>(record.selection.size()) != result.cases) {
    result.against.push_back(
        absl::StrCat(result.cases, " of ", record.selection.size(), " cases have a verdict"));
  }
}

void CheckVerdicts(Conformance& result) {
  for (const char* word : {"fail", "accepted", "crash", "timeout", "rejected", "error", "flake"}) {
    int count = result.counts.count(word) ? result.counts[word] : 0;
    if (count > 0) result.against.push_back(absl::StrCat(count, " ", word));
  }
  int unsupported = result.counts.count("unsupported") ? result.counts["unsupported"] : 0;
  if (100 * (result.cases - unsupported) < kSupportedPercent * result.cases) {
    result.against.push_back(
        absl::StrCat("fewer than ", kSupportedPercent, "% of the cases are supported"));
  }
}

}  // namespace

std::vector<Conformance> ConformanceOf(const reports::RunRecord& record,
                                       const std::vector<reports::Verdict>& verdicts) {
  std::vector<Conformance> results;
  for (const std::string& engine : record.backends) {
    Conformance result{.engine = engine, .tier = record.tier, .profile = record.profile};
    if (auto own = record.facts.find(engine); own != record.facts.end()) result.facts = own->second;
    for (const reports::Verdict& verdict : verdicts) {
      if (verdict.backend != engine) continue;
      ++result.cases;
      result.version = verdict.backend_version;
      ++result.counts[verdict.flake.empty() ? std::string(OutcomeName(verdict.kind)) : "flake"];
      const bool known =
          verdict.expected && !IsInconclusive(verdict.kind) && IsFailure(verdict.kind);
      if (known) ++result.counts["known"];
    }
    CheckRun(record, result);
    CheckVerdicts(result);
    if (result.against.empty()) result.level = LevelOf(record.tier);
    results.push_back(std::move(result));
  }
  return results;
}

std::string WhyClaimDiffers(int exit_status, const std::vector<Conformance>& engines) {
  std::set<std::string> against;
  for (const Conformance& engine : engines)
    against.insert(engine.against.begin(), engine.against.end());
  if (against.empty() == (exit_status == 0)) return "";
  return against.empty()
             ? absl::StrCat("exit status ", exit_status,
                            ", but conformant: a level does not count "
                            "unexpected passes and inconclusive or suspect results\n")
             : absl::StrCat("exit status 0, as all is as expected, but NOT conformant: ",
                            absl::StrJoin(against, ", "), "\n");
}

std::string Conformance::ToText() const {
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) {
    if (word != "known") parts.push_back(absl::StrCat(count, " ", word));
  }
  if (auto known = counts.find("known"); known != counts.end()) {
    parts.push_back(absl::StrCat(
        known->second,
        known->second == 1 ? " of these is a known failure" : " of these are known failures",
        " (listed in expectations/, or declared by its case)"));
  }
  return absl::StrCat(engine, version.empty() ? "" : " ", version, ": ", tier, " tier, ", profile,
                      " profile: ", absl::StrJoin(parts, ", "), ": ",
                      level > 0 ? absl::StrCat("conformant, level ", level,
                                               facts.empty() ? "" : ", with the declared facts")
                                : absl::StrCat("NOT conformant: ", absl::StrJoin(against, ", ")));
}

std::string Conformance::ToSvg() const {
  const std::string right = level > 0 ? absl::StrCat("level ", level) : "not conformant";
  const int left_width = 112, right_width = 14 + 7 * static_cast<int>(right.size());
  return absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"20\" role=\"img\" "
      "aria-label=\"HLO conformance: %s\">\n"
      "<rect width=\"%d\" height=\"20\" fill=\"#555\"/>"
      "<rect x=\"%d\" width=\"%d\" height=\"20\" fill=\"%s\"/>\n"
      "<g fill=\"#fff\" font-family=\"Verdana,sans-serif\" font-size=\"11\">"
      "<text x=\"7\" y=\"14\">HLO conformance</text><text x=\"%d\" y=\"14\">%s</text></g>\n"
      "</svg>\n",
      left_width + right_width, right, left_width, left_width, right_width,
      level > 0 ? "#2a7d2e" : "#b3261e", left_width + 7, right);
}

}  // namespace hlocts::suites

// SPDX-License-Identifier: Apache-2.0
// hlocts report: runs (the shards of one) merged, proven complete, compared with an earlier one.
#include <iostream>

#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "reports/html.h"
#include "reports/run_record.h"
#include "reports/scorecard.h"
#include "spec/files/file_io.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/commands.h"
#include "tools/selfcheck/clause_rows.h"

namespace hlocts::tools {
namespace {

struct Options {
  std::vector<std::string> folders;
  std::string baseline, html, junit;
  bool json = false;
};

absl::Status WriteIfAsked(const std::string& path, const std::string& text) {
  if (path.empty()) return absl::OkStatus();
  return WriteFile(path, text);
}

reports::ClausesOfCases LoadClausesOfCases() {
  reports::ClausesOfCases clauses;
  auto cases = suites::SelectCases({}, suites::Tier::kExhaustive);
  if (!cases.ok()) return clauses;
  for (const suites::Case& one : *cases) clauses[one.address] = one.clauses;
  return clauses;
}

void PrintText(const reports::HtmlReport& report, const reports::Scorecard& scorecard,
               const Options& options) {
  std::cout << scorecard.ToText(true);
  if (!options.baseline.empty()) {
    std::cout << "\ncompared with " << options.baseline << ": " << report.changes.worse.size()
              << " worse, " << report.changes.better.size() << " better, "
              << report.changes.other.size() << " changed\n";
  }
  for (const auto& [what, lines] :
       {std::pair("worse", report.changes.worse), std::pair("better", report.changes.better),
        std::pair("changed", report.changes.other)}) {
    if (lines.empty()) continue;
    std::cout << "\n"
              << what << " than " << options.baseline << ":\n"
              << absl::StrJoin(lines, "\n") << "\n";
  }
  for (const std::string& problem : report.run.problems)
    std::cout << "\nincomplete: " << problem << "\n";
  if (report.run.problems.empty()) {
    std::cout << "\ncomplete: " << report.run.verdicts.size()
              << " verdicts, none missing, none twice\n";
  }
}

void PrintJson(const reports::HtmlReport& report) {
  nlohmann::ordered_json line = {
      {"verdicts", report.run.verdicts.size()}, {"complete", report.run.problems.empty()},
      {"problems", report.run.problems},        {"worse", report.changes.worse},
      {"better", report.changes.better},        {"changed", report.changes.other}};
  std::cout << line.dump() << std::endl;
}

absl::StatusOr<reports::HtmlReport> MakeReport(const Options& options) {
  reports::HtmlReport report;
  report.title = absl::StrCat("hlocts: ", absl::StrJoin(options.folders, ", "));
  std::vector<reports::LoadedRun> runs;
  for (const std::string& folder : options.folders) {
    HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun run, reports::LoadRun(folder));
    runs.push_back(std::move(run));
  }
  report.run = reports::MergeRuns(runs);
  if (!options.baseline.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun before, reports::LoadRun(options.baseline));
    report.changes = reports::CompareRuns(before.verdicts, report.run.verdicts);
  }
  if (options.html.empty()) return report;
  // A suite that cannot be read leaves the matrix out of the report.
  report.clauses = LoadClausesOfCases();
  auto rows = LoadClauseRows();
  if (rows.ok()) report.registry = *std::move(rows);
  return report;
}

int RunReport(const Options& options) {
  if (options.folders.empty()) return Fail(InvalidInput("report: expected a folder of run --out"));
  auto report = MakeReport(options);
  if (!report.ok()) return Fail(report.status());
  reports::Scorecard scorecard;
  for (const reports::Verdict& verdict : report->run.verdicts) scorecard.Add(verdict);
  absl::Status written = WriteIfAsked(options.junit, scorecard.ToJunit());
  if (written.ok() && !options.html.empty())
    written = WriteIfAsked(options.html, reports::ToHtml(*report));
  if (!written.ok()) return Fail(written);
  options.json ? PrintJson(*report) : PrintText(*report, scorecard, options);
  bool good = report->run.problems.empty() && report->changes.worse.empty();
  return std::max(scorecard.ExitStatus(), good ? kExitOk : kExitFailed);
}

}  // namespace

Command ReportCommand() {
  return {"report", "merge runs of the suite, prove them complete, compare with an earlier run",
          [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("DIR", &options->folders,
                             "folders of run --out: the shards of one run");
            flags.Add("--baseline", &options->baseline, "folder of an earlier run to compare with");
            flags.Add("--html", &options->html, "HTML file to write");
            flags.Add("--junit", &options->junit, "JUnit XML file to write");
            flags.Add("--json", &options->json, "print one JSON line");
            return [options] { return RunReport(*options); };
          }};
}

}  // namespace hlocts::tools

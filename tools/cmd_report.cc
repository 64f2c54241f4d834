// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts report`: merges the shards of a run, checks that they are complete and
// compares them with an earlier run; or compares a nightly run in the run store with the previous
// one.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "reports/nights/summary.h"
#include "reports/run_record.h"
#include "reports/scorecard.h"
#include "reports/store/run_store.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "tools/cli/common.h"
#include "tools/cmd_report_page.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string baseline, store, night, html, markdown, badge, summary, text, junit;
  std::vector<std::string> notes, without;
  int64_t nights = kNightlyRunsShown, not_repeated = -1;
  bool json = false, causes = false;

  bool WantsHistory() const {
    return !html.empty() || !markdown.empty() || !badge.empty() || !summary.empty() ||
           !text.empty();
  }
};

struct Merged {
  reports::MergedRun run;
  reports::RunChanges changes;
  std::string started;
  // The names of the two compared engines if they differ; otherwise empty.
  std::string engine, baseline_engine;
  std::map<std::string, std::vector<std::string>> facts;  // facts of each engine
};

absl::Status WriteIfAsked(const std::string& path, const std::string& text) {
  return path.empty() ? absl::OkStatus() : WriteFile(path, text);
}

// Returns "compared xla with xla@2026.06 of xla0: 3 worse (passed before), ...".
std::string ComparisonText(const Merged& merged, const ReportOptions& options) {
  std::string text = "compared with ";
  if (!merged.engine.empty())
    text = absl::StrCat("compared ", merged.engine, " with ", merged.baseline_engine, " of ");
  return absl::StrCat(text, options.baseline, ": ", merged.changes.worse.size(),
                      " worse (passed before), ", merged.changes.better.size(),
                      " better (pass now), ", merged.changes.other.size(), " changed");
}

// Prints the paths of the files that were written, but not their contents.
void PrintWritten(const ReportOptions& options) {
  for (const auto& [what, path] :
       {std::pair("page", options.html), std::pair("summary in Markdown", options.markdown),
        std::pair("badge", options.badge), std::pair("summary in JSON", options.summary),
        std::pair("text", options.text), std::pair("JUnit", options.junit)}) {
    if (!path.empty()) std::cout << what << ": " << path << "\n";
  }
}

void PrintText(const Merged& merged, const reports::Scorecard& scorecard,
               const ReportOptions& options) {
  std::cout << (options.WantsHistory() ? scorecard.Summary() : scorecard.ToText(true));
  for (const auto& [what, lines] : {std::pair("worse than ", merged.changes.worse),
                                    std::pair("better than ", merged.changes.better),
                                    std::pair("changed since ", merged.changes.other)}) {
    if (lines.empty()) continue;
    std::cout << "\n" << what << options.baseline << ":\n" << absl::StrJoin(lines, "\n") << "\n";
  }
  if (!options.baseline.empty()) std::cout << "\n" << ComparisonText(merged, options) << "\n";
  for (const std::string& problem : merged.run.problems)
    std::cout << "\nincomplete: " << problem << "\n";
  if (merged.run.problems.empty())
    std::cout << "\ncomplete: " << CountText(merged.run.verdicts.size(), "verdict")
              << ", none missing, none duplicated\n";
  PrintWritten(options);
}

void PrintJson(const Merged& merged) {
  nlohmann::ordered_json line = {
      {"verdicts", merged.run.verdicts.size()},
      {"complete", merged.run.problems.empty()},
      {"problems", merged.run.problems},
      {"worse", merged.changes.worse},
      {"better", merged.changes.better},
      {"changed", merged.changes.other},
      {"not_as_expected", std::count_if(merged.run.verdicts.begin(), merged.run.verdicts.end(),
                                        [](const auto& one) { return !one.expected; })}};
  if (!merged.engine.empty()) line["baseline_engine"] = merged.baseline_engine;
  std::cout << JsonText(line) << std::endl;
}

std::set<std::string> EnginesOf(const std::vector<reports::LoadedRun>& runs) {
  std::set<std::string> engines;
  for (const reports::LoadedRun& run : runs)
    engines.insert(run.record.backends.begin(), run.record.backends.end());
  return engines;
}

// Compares engines with the same name. If there are none, each side must have one engine.
absl::Status CompareWith(reports::LoadedRun before, const std::set<std::string>& engines,
                         Merged& merged) {
  const std::set<std::string> old = EnginesOf({before});
  if (std::none_of(old.begin(), old.end(), [&](const auto& one) { return engines.count(one); })) {
    if (old.size() != 1 || engines.size() != 1)
      return InvalidInput("report: ", before.folder, " has the engines ", absl::StrJoin(old, ", "),
                          ", and this run has ", absl::StrJoin(engines, ", "),
                          ": expected a common name, or one engine on each side");
    merged.engine = *engines.begin();
    merged.baseline_engine = *old.begin();
    for (reports::Verdict& verdict : before.verdicts) verdict.backend = merged.engine;
  }
  merged.changes = reports::CompareRuns(before.verdicts, merged.run.verdicts);
  return absl::OkStatus();
}

absl::StatusOr<Merged> Merge(const ReportOptions& options) {
  Merged merged;
  std::vector<reports::LoadedRun> runs;
  for (const std::string& folder : options.folders) {
    HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun run, reports::LoadRun(folder));
    if (merged.started.empty() || run.record.started < merged.started)
      merged.started = run.record.started;
    if (!runs.empty() && run.record.backends != runs[0].record.backends)
      return InvalidInput("report: ", folder, " has other engines than ", runs[0].folder,
                          ": expected the shards of one run; report each engine alone");
    runs.push_back(std::move(run));
  }
  if (!runs.empty()) merged.facts = runs[0].record.facts;
  merged.run = reports::MergeRuns(runs);
  if (!options.baseline.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun before, reports::LoadRun(options.baseline));
    HLOCTS_RETURN_IF_ERROR(CompareWith(std::move(before), EnginesOf(runs), merged));
  }
  return merged;
}

// Returns the label of the baseline. The store orders nightly runs by their labels. If the baseline
// is the later run, its label begins with a quotation mark, which precedes all digits.
std::string BaselineLabel(const ReportOptions& options, const std::string& before,
                          const std::string& started) {
  if (before < started) return before;
  return absl::StrCat("\"", options.baseline, "\" of ", before);
}

// Imports the directories as one or two nightly runs into an in-memory store, from which the page
// is made as for any nightly run.
absl::StatusOr<reports::History> HistoryOfFolders(const ReportOptions& options,
                                                  const Merged& merged) {
  HLOCTS_ASSIGN_OR_RETURN(auto store, reports::RunStore::OpenToWrite(":memory:"));
  reports::ImportOptions import;
  import.incomplete = true;
  if (!options.baseline.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(reports::RunRecord before, reports::ReadRunRecord(options.baseline));
    import.night = BaselineLabel(options, before.started, merged.started);
    import.engine = merged.engine;
    HLOCTS_RETURN_IF_ERROR(store->Import({options.baseline}, import).status());
  }
  import.night = merged.started;
  import.engine.clear();
  HLOCTS_RETURN_IF_ERROR(store->Import(options.folders, import).status());
  HLOCTS_ASSIGN_OR_RETURN(reports::History history, LoadHistory(*store, 2));
  if (!options.baseline.empty() && !history.nights.empty())
    history.nights.back().notes = {absl::StrCat(
        ComparisonText(merged, options),
        "; \"new\" also counts what was unsupported, expected or not run before, but no flakes")};
  return history;
}

// `score` contains the first lines of the Markdown file.
absl::Status WriteHistory(reports::History history, const ReportOptions& options,
                          const std::string& score = "") {
  const reports::NightlyRunDiff changes = reports::NewestChanges(history);
  HLOCTS_RETURN_IF_ERROR(
      WriteIfAsked(options.markdown, score + reports::ToMarkdown(history, changes)));
  HLOCTS_RETURN_IF_ERROR(WriteIfAsked(options.badge, reports::ToBadge(history, changes)));
  HLOCTS_RETURN_IF_ERROR(
      WriteIfAsked(options.summary, reports::ToSummaryJson(history, changes) + "\n"));
  HLOCTS_RETURN_IF_ERROR(WriteIfAsked(options.text, reports::NightlyRunText(history, changes)));
  if (options.html.empty()) return absl::OkStatus();
  return WriteFile(options.html, reports::ToPage(PageInputOf(std::move(history))));
}

int ReportFolders(const ReportOptions& options) {
  auto merged = Merge(options);
  if (!merged.ok()) return Fail(merged.status());
  reports::Scorecard scorecard;
  for (const auto& [backend, facts] : merged->facts) scorecard.Promise(backend, facts);
  for (const reports::Verdict& verdict : merged->run.verdicts) scorecard.Add(verdict);
  absl::Status written =
      WriteIfAsked(options.junit, scorecard.ToJunit(merged->started, merged->run.problems));
  if (written.ok() && options.WantsHistory()) {
    auto history = HistoryOfFolders(options, *merged);
    const std::string score =
        absl::StrReplaceAll(scorecard.Summary(), {{"\n", "\n\n"}});  // one paragraph per engine
    written = history.ok() ? WriteHistory(*std::move(history), options, score) : history.status();
  }
  if (!written.ok()) return Fail(written);
  if (options.causes) std::cout << scorecard.CasesOfCauses();
  if (!options.causes) options.json ? PrintJson(*merged) : PrintText(*merged, scorecard, options);
  bool good = merged->run.problems.empty() && merged->changes.worse.empty();
  return std::max(scorecard.ExitStatus(), good ? kExitOk : kExitFailed);
}

// Returns 1 if a user must act. Failures that the previous nightly run reported do not matter.
int ReportStore(const ReportOptions& options) {
  auto store = reports::RunStore::OpenToRead(options.store);
  const bool records = options.not_repeated >= 0 || !options.without.empty();
  if (store.ok() && records) store = reports::RunStore::OpenToWrite(options.store);
  absl::Status done = store.status();
  if (done.ok() && records)
    done =
        (*store)->RecordReport(options.night, options.notes, options.not_repeated, options.without);
  if (!done.ok()) return Fail(done);
  auto history = LoadHistory(**store, options.nights, options.night);
  if (!history.ok()) return Fail(history.status());
  if (options.not_repeated < 0 && !history->nights.empty())
    for (const std::string& note : options.notes) history->nights.back().notes.push_back(note);
  const reports::NightlyRunDiff changes = reports::NewestChanges(*history);
  std::cout << (options.json ? reports::ToSummaryJson(*history, changes) + "\n"
                             : reports::ToMarkdown(*history, changes));
  const bool red = !history->nights.empty() &&
                   reports::AlarmOf(history->nights.back(), changes) == reports::Alarm::kRed;
  absl::Status written = WriteHistory(*std::move(history), options);
  if (!written.ok()) return Fail(written);
  return red ? kExitFailed : kExitOk;
}

int RunReport(const ReportOptions& options) {
  if (options.causes && (options.json || !options.store.empty()))
    return Fail(InvalidInput("report --causes: prints text on DIR: expected no --json or --store"));
  if (!options.store.empty()) {
    if (options.folders.empty() && options.baseline.empty() && options.junit.empty())
      return ReportStore(options);
    return Fail(InvalidInput("report --store: expected no directory, no --baseline and no --junit ",
                             "(JUnit of one engine: report DIR/NAME/suite/ENGINE --junit=FILE)"));
  }
  if (!options.night.empty() || !options.without.empty() || !options.notes.empty())
    return Fail(InvalidInput("report: --night, --without and --note: expected --store"));
  if (options.folders.empty())
    return Fail(InvalidInput("report: expected a directory of run --out, or --store"));
  return ReportFolders(options);
}

}  // namespace

Command ReportCommand() {
  return {"report", "merge shards of a run, compare it with an earlier run", [](Flags& flags) {
            auto options = std::make_shared<ReportOptions>();
            flags.Positional("DIR", &options->folders, "shards: directories of run --out");
            flags.Add("--baseline", &options->baseline,
                      "directory of another run to compare with: engines of one name, or the only "
                      "engine of each run, as two releases");
            flags.Add("--store", &options->store,
                      "run store, instead of directories: report its newest nightly run");
            flags.Add("--night", &options->night, "with --store: nightly run (the newest)");
            flags.Add("--nights", &options->nights, "with --store: nightly runs on the page", {1});
            flags.Add("--without", &options->without,
                      "with --store: a nightly run that ended without a report; the store records "
                      "that it is never compared with");
            flags.Add("--note", &options->notes,
                      "with --store: a line for readers of this report; may be repeated");
            flags.Add("--not-repeated", &options->not_repeated,
                      "with --store: number of new or changed cases that were not run again; the "
                      "store records it and each --note, also for `hlocts view`");
            flags.Add("--html", &options->html, "HTML page to write: one self-contained file");
            flags.Add("--markdown", &options->markdown, "Markdown file to write: score, changes");
            flags.Add("--badge", &options->badge, "SVG file to write");
            flags.Add("--summary", &options->summary, "JSON file to write: summary, changes");
            flags.Add("--text", &options->text,
                      "text file to write: engines, findings by release, worst ulps, bits checked");
            flags.Add("--junit", &options->junit,
                      "JUnit XML file of DIR to write (not with --store)");
            flags.Add("--causes", &options->causes,
                      "print the unexpected cases of DIR by probable cause, and nothing else");
            flags.Add("--json", &options->json, "print one JSON line");
            return [options] { return RunReport(*options); };
          }};
}

}  // namespace hlocts::tools

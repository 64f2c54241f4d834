// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts replay`: checks whether the failure of a bundle, of a case directory of a
// run, or of a complete run still occurs.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "backends/backend_list.h"
#include "fuzz/triage/bundle.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/base/json_text.h"
#include "spec/base/python_module.h"
#include "spec/files/home_folder.h"
#include "spec/infer/verifier.h"
#include "suites/replay.h"
#include "suites/selection.h"
#include "suites/suite_files.h"
#include "tools/cli/child.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/cli/known_finding.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;

struct ReplayOptions {
  CommonOptions common;
  std::vector<std::string> words;
  std::string backend;
  int64_t runs = 0;  // if not given: 1; for a flake, as many as recorded
  bool explain = false, certificate = false;
};

// Writes the certificate, and checks it with a script that shares no code with this program.
absl::Status Certify(const std::string& folder) {
  const std::string script = HomeFolder() + "/tools/certify/certify.py";
  if (!fs::exists(script))
    return absl::UnavailableError(script + " does not exist, so no certificate is written");
  HLOCTS_ASSIGN_OR_RETURN(int status, RunChild({PythonProgram(), script, folder}));
  constexpr int kNone = 1;
  if (status <= kNone) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(script, " exited with ", status));
}

std::string NotSeenText(const reports::Verdict& recorded, int64_t runs) {
  const auto [failed, all] = fuzz::RecordedRunsOf(recorded);
  return absl::StrCat("the finding was not deterministic (",
                      all > 0 ? absl::StrCat(failed, " of ", all, " runs") : recorded.flake,
                      "); the failure was not seen in ", runs == 1 ? "this run" : "these runs");
}

// Runs an engine on an invalid module, which it must reject. Returns the first failure, if any.
reports::Verdict RejectRepeatedly(const fuzz::Bundle& bundle, backends::Backend& engine,
                                  int64_t runs, OutcomeCounts& counts) {
  reports::Verdict kept;
  for (int64_t i = 0; i < runs && !Interrupted(); ++i) {
    reports::Verdict verdict = fuzz::RunTrial(bundle.sample, engine, bundle.options, true).verdict;
    if (runs > 1) ++counts[std::string(OutcomeName(verdict.kind))];
    if (i == 0 || !IsFailure(kept.kind)) kept = std::move(verdict);
  }
  return kept;
}

// Replays a bundle. The failure still occurs if the verdict is one that campaigns store.
absl::StatusOr<int> ReplayBundle(const ReplayOptions& options, const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(fuzz::Bundle bundle, fuzz::ReadBundle(folder));
  absl::Status valid = VerifyModule(*bundle.sample.module);
  if (!valid.ok() && !bundle.options.invalid) return Annotate(valid, folder + "/module.hlo");
  std::string name = options.backend.empty() ? bundle.backend : options.backend;
  if (options.backend.empty())
    HLOCTS_RETURN_IF_ERROR(CheckRecordedEngine(bundle.result.verdict, folder));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine, backends::MakeBackend(name));
  backends::BackendInfo info = engine->info();
  if (!info.available) return absl::UnavailableError(absl::StrCat(name, ": ", info.error.Text()));
  bundle.options.load = options.common.ToLoadOptions(*bundle.sample.module);
  reports::Verdict verdict;
  OutcomeCounts counts;
  const reports::Verdict& recorded = bundle.result.verdict;
  const int64_t runs = RunsOf(options.runs, recorded, options.common.json, " runs");
  if (bundle.options.invalid) {
    verdict = RejectRepeatedly(bundle, *engine, runs, counts);
  } else {
    auto judge = [&](const backends::RunOutcome& outcome, bool blame) {
      return fuzz::JudgeTrial(bundle.sample, outcome, *engine, bundle.options, blame).verdict;
    };
    RepeatedRun repeated = RunRepeatedly(
        runs, [&] { return fuzz::RunSample(bundle.sample, *engine, bundle.options); },
        [&](const backends::RunOutcome& outcome) { return judge(outcome, false); });
    verdict = judge(repeated.outcome, true);
    counts = std::move(repeated.counts);
  }
  RecordRunCounts(counts, verdict);
  verdict.module = folder;
  reports::Verdict of_case = verdict;
  of_case.case_address = recorded.case_address;
  auto known = KnownFindingOf(std::move(of_case), bundle.sample, !bundle.shrunk_from.empty());
  if (auto own = reports::ReadFindingFile(folder); known && own.ok())
    known = KnownFinding{NameOfFolder(folder), *std::move(own)};
  if (options.common.json) {
    auto json = ParseJson<nlohmann::ordered_json>(JsonLineOf(verdict, counts));
    if (known) known->AddTo(json);
    std::cout << JsonText(json) << std::endl;
  } else {
    PrintVerdict(verdict, false, "", options.explain);
    if (known) std::cout << known->ToLine() << std::endl;
  }
  const int status = ExitStatusOf(verdict);
  if (status == kExitOk && !recorded.flake.empty() && !options.common.json)
    std::cout << NotSeenText(recorded, runs) << std::endl;
  const std::string explanation = reports::ExplanationText(verdict.localisation);
  if (options.explain && !options.common.json && !explanation.empty())
    std::cout << explanation << std::endl;
  if (options.certificate && IsFailure(verdict.kind)) HLOCTS_RETURN_IF_ERROR(Certify(folder));
  return status;
}

// Replays a case directory of a run with `hlocts diff` on its files.
absl::StatusOr<int> ReplayCase(const ReplayOptions& options, const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> words,
                          suites::ReadReplay(folder, options.backend));
  words.insert(words.begin(), ProgramPath());
  if (options.explain) words.push_back("--explain");
  if (options.runs > 1) words.push_back(absl::StrCat("--repeat=", options.runs));
  if (options.common.json) words.push_back("--json");
  if (options.common.timeout_given)
    words.push_back(absl::StrCat("--timeout=", options.common.timeout_seconds, "s"));
  return RunChild(std::move(words));
}

// Returns the directories of the cases of a run that a query matches; all if there are no queries.
absl::StatusOr<std::vector<std::string>> CasesOfRun(const std::string& run,
                                                    const std::vector<std::string>& queries) {
  std::vector<std::string> folders, addresses;
  std::vector<bool> matched(queries.size());
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(run + "/cases", none)) {
    auto address = suites::AddressOfCaseFolder(entry.path());
    if (!address.ok()) {  // this case cannot be replayed, but others can
      if (queries.empty()) folders.push_back(entry.path().string());
      continue;
    }
    addresses.push_back(*std::move(address));
    bool wanted = queries.empty();
    for (size_t i = 0; i < queries.size(); ++i) {
      if (!suites::QueryMatches(queries[i], addresses.back())) continue;
      wanted = matched[i] = true;
    }
    if (wanted) folders.push_back(entry.path().string());
  }
  std::sort(folders.begin(), folders.end());
  if (folders.empty() && queries.empty())
    return InvalidInput(run, ": expected a run with a failure, found none");
  std::sort(addresses.begin(), addresses.end());
  for (size_t i = 0; i < queries.size(); ++i) {
    if (matched[i]) continue;
    return InvalidInput(run, ": no failing case matches \"", queries[i], "\"",
                        suites::NearestQuery(queries[i], addresses));
  }
  return folders;
}

// Returns a pattern for the bundles in a directory of `hlocts fuzz`, or "".
std::string BundlesIn(const fs::path& folder) {
  std::error_code none;
  for (const fs::path& parent : {folder / "findings", folder}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, none))
      if (reports::HasRecordedVerdict(entry.path())) return (parent / "*").string();
  }
  return "";
}

absl::StatusOr<int> ReplayOne(const ReplayOptions& options, const std::string& folder) {
  const bool is_case = fs::exists(folder + "/replay.json");
  if (is_case && options.certificate)
    return InvalidInput(folder, ": --certificate: expected a bundle; shrink makes one of a case");
  if (is_case) return ReplayCase(options, folder);
  if (reports::HasRecordedVerdict(folder)) return ReplayBundle(options, folder);
  if (const std::string bundles = BundlesIn(folder); !bundles.empty())
    return InvalidInput(folder, ": expected a bundle; the bundles are ", bundles);
  return InvalidInput(folder,
                      ": expected a bundle (a directory with module.hlo and verdict.json or "
                      "finding.textproto), a case directory of a run (replay.json) or a run "
                      "(verdicts.jsonl); `hlocts diff` accepts the address of a case");
}

bool IsRun(const std::string& folder) { return fs::exists(folder + "/verdicts.jsonl"); }

absl::StatusOr<std::vector<std::string>> FoldersOf(const ReplayOptions& options) {
  if (options.words.empty()) return InvalidInput("replay: expected a bundle or a run");
  if (!IsRun(options.words[0])) return options.words;
  // The first word is a run; all others are queries.
  std::vector<std::string> queries;
  for (size_t i = 1; i < options.words.size(); ++i) queries.push_back(options.words[i]);
  return CasesOfRun(options.words[0], queries);
}

int RunReplay(const ReplayOptions& options) {
  auto folders = FoldersOf(options);
  if (!folders.ok()) return Fail(folders.status());
  // Numbers of failures that no longer occur, still occur, and could not be replayed.
  int64_t gone = 0, there = 0, failed = 0;
  int status = kExitOk;
  for (const std::string& folder : *folders) {
    if (Interrupted()) break;
    if (!fs::exists(folder)) {
      status = std::max(status, Fail(InvalidInput(folder, ": no such directory")));
      continue;
    }
    auto one = ReplayOne(options, folder);
    const int ended = one.ok() ? *one : Fail(one.status());
    ++(ended == kExitOk ? gone : ended == kExitFailed ? there : failed);
    status = std::max(status, ended);
  }
  if (const int64_t all = gone + there + failed; all > 1 && !options.common.json)
    std::cout << all << " cases: " << there << " still fail or are inconclusive, " << gone
              << " pass, " << failed << " could not be replayed" << std::endl;
  return status;
}

}  // namespace

Command ReplayCommand() {
  return {"replay", "rerun failures; the exit status is 1 if one still occurs", [](Flags& flags) {
            auto options = std::make_shared<ReplayOptions>();
            flags.Positional("FOLDER", &options->words,
                             "bundles, case directories, or directory of a run and queries");
            flags.Add("--backend", &options->backend, "engine, instead of the recorded one");
            AddRepeat(flags, &options->runs);
            flags.Add("--explain", &options->explain, "print the piece that is wrong in isolation");
            flags.Add(
                "--certificate", &options->certificate,
                "write certificate.json into each bundle whose failure still occurs, or check it");
            flags.AddWatch();
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] { return RunReplay(*options); };
          }};
}

}  // namespace hlocts::tools

// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/suite_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "reports/capabilities.h"
#include "reports/scorecard.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "suites/claim.h"
#include "suites/conformance.h"
#include "suites/expectations_update.h"
#include "suites/replay.h"
#include "suites/run_folder.h"
#include "suites/suite_files.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/cli/story.h"
#include "tools/cli/terminal.h"
#include "tools/cli/time_left.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;

// The number of passing cases that earlier releases are known to fail, by engine and release.
using FixedCounts = std::map<std::string, std::map<std::string, int64_t>>;

std::string FixedText(const FixedCounts& counts) {
  std::string text;
  for (const auto& [engine, releases] : counts) {
    for (const auto& [release, count] : releases)
      absl::StrAppend(&text, engine, ": ", count, " known failures are fixed since ", release,
                      "\n");
  }
  return text;
}

// Returns the limits that the list of engines states for these engines (recorded names).
std::string LimitsText(const std::vector<std::string>& engines) {
  std::string text;
  for (const std::string& engine : engines) {
    const auto release = backends::ListedEngine(engine);
    if (release && release->limit_size() > 0)
      absl::StrAppend(&text, engine, " is limited: ", absl::StrJoin(release->limit(), "; "), "\n");
  }
  return text;
}

// Prints the progress of a suite run as one line. A terminal overwrites the line; a log gets a line
// after a few seconds, and then every minute.
class RunProgress {
 public:
  // Every case runs on `engines` engines. Prints nothing if `shown` is false.
  RunProgress(const std::vector<suites::Case>& cases, size_t engines,
              const suites::CaseCosts& costs, bool shown);
  void Began(const std::string& address);
  void Step(const std::string& address, bool surprise);
  void Clear() { line_.Clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  int64_t CostOf(const std::string& address) const;
  double Elapsed() const;
  std::string Text(double elapsed);
  void Show(double elapsed);

  const suites::CaseCosts& costs_;
  bool shown_;
  size_t total_, done_ = 0, unexpected_ = 0;
  TimeLeft left_;
  Clock::time_point start_ = Clock::now();
  double next_ = 0;
  std::map<std::string, double> running_;  // start time by address
  StatusLine line_{std::chrono::seconds(60)};
};

// The assumed cost, in milliseconds, of a case that is not in costs.txt, which lists all cases of
// at least this cost. With an upper bound, the estimate does not begin too low.
constexpr int64_t kUsualCost = suites::kCostlyMilliseconds;
constexpr double kLongSeconds = 5;  // the name of a case that runs longer is printed

// Returns a duration as "48 s", "3 min" or "1 h 20 min".
std::string SpanText(double seconds) {
  if (seconds < 100) return absl::StrFormat("%.0f s", seconds);
  if (seconds < 3600) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.0f h %02.0f min", std::floor(seconds / 3600),
                         std::fmod(seconds, 3600) / 60);
}

RunProgress::RunProgress(const std::vector<suites::Case>& cases, size_t engines,
                         const suites::CaseCosts& costs, bool shown)
    : costs_(costs), shown_(shown), total_(cases.size() * engines) {
  for (const suites::Case& one : cases)
    left_.Expect(static_cast<double>(CostOf(one.address) * static_cast<int64_t>(engines)));
}

int64_t RunProgress::CostOf(const std::string& address) const {
  auto found = costs_.find(address);
  return found == costs_.end() ? kUsualCost : std::max(found->second, kUsualCost);
}

std::string RunProgress::Text(double elapsed) {
  std::string text = absl::StrFormat("%3d%%  %d of %d, %d not as expected, %s",
                                     100 * done_ / std::max(total_, done_), done_, total_,
                                     unexpected_, SpanText(elapsed));
  if (const auto left = left_.At(elapsed))
    absl::StrAppend(&text, ", about ", SpanText(*left), " left");
  auto longest = std::min_element(running_.begin(), running_.end(),
                                  [](const auto& a, const auto& b) { return a.second < b.second; });
  if (longest != running_.end() && elapsed - longest->second > kLongSeconds)
    absl::StrAppend(&text, "; ", longest->first, " for ", SpanText(elapsed - longest->second));
  return text;
}

double RunProgress::Elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void RunProgress::Show(double elapsed) {
  if (!shown_ || elapsed < next_) return;
  next_ = elapsed + 0.2;
  line_.Show(Text(elapsed), /*in_log=*/true);
}

void RunProgress::Began(const std::string& address) {
  const double elapsed = Elapsed();
  running_[address] = elapsed;
  Show(elapsed);
}

void RunProgress::Step(const std::string& address, bool surprise) {
  ++done_;
  unexpected_ += surprise;
  running_.erase(address);
  const double elapsed = Elapsed();
  left_.Finished(elapsed, static_cast<double>(CostOf(address)));
  Show(elapsed);
}

std::string Today(suites::Tier tier) {
  if (tier < suites::Tier::kNightly) return "";  // expectations expire only in larger tiers
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", &utc);
  return text;
}

// Checks that a file can be written. Called before the run, which may take an hour. If `removed`,
// removes the file of an earlier run, which would pass for the result of this one if it is killed.
absl::Status CheckWritable(const std::string& flag, const std::string& path, bool removed) {
  if (path.empty() || path == "-") return absl::OkStatus();
  std::error_code none;
  removed = !fs::exists(path, none) || (removed && fs::is_regular_file(path, none));
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return InvalidInput(flag, ": ", path, ": cannot be written");
  std::fclose(file);
  if (removed) fs::remove(path, none);
  return absl::OkStatus();
}

// Returns the command line that continues this run.
std::string Continuation(const SuiteOptions& options) {
  std::string command = OwnCommandLine();
  if (!absl::StrContains(command, " --out") && !absl::StrContains(command, " '--out"))
    absl::StrAppend(&command, " --out=", suites::ShellQuoted(options.out));
  return absl::StrCat(command, options.resume ? "" : " --resume");
}

class SuiteRun {
 public:
  SuiteRun(const SuiteOptions& options, SuiteRequest request, ExpectationLists expectations,
           std::vector<std::string> without_case)
      : options_(options),
        request_(std::move(request)),
        expectations_(std::move(expectations)),
        without_case_(std::move(without_case)),
        today_(Today(request_.tier)),
        folder_(options.out, request_.runner.diff, request_.record, request_.EnginesByName()) {}

  int Run() {
    absl::Status status = Begin();
    if (!status.ok()) return Fail(status);
    status = RunAll();
    status.Update(Write(status.ok()));
    if (lost_)
      status = Annotate(status, absl::StrCat("the record is incomplete (continue with ",
                                             Continuation(options_), ")"));
    if (!status.ok()) return Fail(status);
    if (Interrupted()) {
      std::fprintf(stderr, "hlocts: interrupted; %s\n",
                   options_.out.empty()
                       ? "the finished verdicts are above"
                       : absl::StrCat("continue with:  ", Continuation(options_)).c_str());
      return InterruptStatus();
    }
    return Conclude();
  }

 private:
  absl::Status Begin() {
    HLOCTS_RETURN_IF_ERROR(Start());
    // The file may be in the directory of --out, which Open creates. If an earlier run is there,
    // the check comes first: the run must not be removed if the file cannot be written.
    if (folder_.HoldsVerdicts())
      HLOCTS_RETURN_IF_ERROR(CheckWritable("--junit", options_.junit, false));
    const auto is_current = [&](const reports::Verdict& earlier) {
      return expectations_.at(earlier.backend).AppliesAlike(earlier, today_);
    };
    HLOCTS_ASSIGN_OR_RETURN(verdicts_, folder_.Open(options_.resume, is_current));
    HLOCTS_RETURN_IF_ERROR(CheckWritable("--junit", options_.junit, true));
    std::map<std::string, std::set<std::string>> engines_of;  // finished engines, by address
    for (const reports::Verdict& earlier : verdicts_) {
      engines_of[earlier.case_address].insert(earlier.backend);
      scorecard_.Add(earlier);
      capabilities_.Add(earlier);
    }
    for (const auto& [backend, facts] : request_.record.facts) scorecard_.Promise(backend, facts);
    for (const suites::Case& one : request_.cases)
      if (engines_of[one.address].size() < request_.engines.size()) remaining_.push_back(one);
    return absl::OkStatus();
  }

  // Starts the engines before --out is opened: a misspelt name, or an engine that does not start,
  // must not discard earlier verdicts. If no engine starts, records the run only if there are none.
  absl::Status Start() {
    absl::Status last;
    auto unavailable = [&](const std::string& name, const absl::Status& why) {
      last = Annotate(why, name);
      scorecard_.AddUnavailable(backends::RecordedName(name), ErrorOf(why));
      Fail(last);
    };
    HLOCTS_ASSIGN_OR_RETURN(engines_, suites::StartEngines(request_.engines, unavailable));
    if (!engines_.all.empty() || !folder_.HoldsVerdicts()) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat("no engine could be started; the earlier run in ", options_.out, " is kept"));
  }

  absl::Status RunAll() {
    RunProgress progress(remaining_, request_.engines.size(), request_.costs,
                         !options_.common.json);
    suites::RunnerOptions& runner = request_.runner;
    runner.is_unexpected = [&](const reports::Verdict& verdict) {
      reports::Verdict copy = verdict;
      Apply(copy);
      return !copy.expected && copy.kind != Outcome::kPass;
    };
    runner.stop = [&] { return Interrupted() || reached_maxfail_ || lost_; };
    runner.began = [&](const suites::Case& one) { progress.Began(one.address); };
    suites::RunCases(remaining_, engines_, runner,
                     [&](const suites::Case& one, const reports::Verdict& verdict) {
                       Take(one, verdict);
                       progress.Step(one.address, !verdicts_.back().expected);
                     });
    return not_written_;
  }

  void Apply(reports::Verdict& verdict) {
    auto list = expectations_.find(verdict.backend);
    if (list != expectations_.end()) list->second.Apply(verdict, today_);
  }

  void Take(const suites::Case& one, const reports::Verdict& verdict) {
    verdicts_.push_back(verdict);
    reports::Verdict& last = verdicts_.back();
    Apply(last);
    scorecard_.Add(last);
    capabilities_.Add(last);
    if (auto list = expectations_.find(last.backend); list != expectations_.end()) {
      const std::string release = list->second.FixedSince(last);
      if (!release.empty()) ++fixed_[last.backend][release];
    }
    not_written_.Update(folder_.Add(one, last));
    lost_ = !not_written_.ok();
    if (options_.common.json) PrintVerdict(last, true);
    costs_[one.address] += std::llround(verdict.case_seconds * 1000);
    unexpected_ += !last.expected;
    const int64_t most = options_.first_only ? 1 : options_.maxfail;
    if (most > 0 && unexpected_ >= most) reached_maxfail_ = true;
  }

  absl::Status Write(bool ran) {
    const std::string about =
        absl::StrCat(capabilities_.ToText(), LimitsText(request_.record.backends));
    absl::Status status = folder_.Finish(absl::StrCat(scorecard_.ToText(true), about),
                                         ran && !Interrupted() && !reached_maxfail_);
    if (!status.ok()) lost_ = true;
    if (lost_) return status;
    if (!options_.common.json && !engines_.all.empty()) {
      PrintDurations();
      std::cout << about << FixedText(fixed_) << scorecard_.ToText(options_.verbose);
    }
    if (!options_.junit.empty())
      status.Update(WriteFile(options_.junit, scorecard_.ToJunit(request_.record.started)));
    if (reached_maxfail_ && !options_.common.json)
      std::cout << "stopped: " << unexpected_ << " not as expected" << std::endl;
    if (!options_.common.json) std::cout << folder_.Summary() << std::flush;
    if (!options_.common.json && !options_.expectations.empty() && !options_.update_expectations &&
        !options_.in_try && absl::c_any_of(verdicts_, [](const reports::Verdict& verdict) {
          return verdict.kind == Outcome::kPass && !verdict.wanted.empty();
        }))
      std::cout << "next: " << OwnCommandLine() << " --update-expectations   (removes the entries "
                << "of cases that pass; an entry for several cases is changed by hand)"
                << std::endl;
    return status;
  }

  void PrintDurations() const {
    if (options_.durations == 0) return;
    std::vector<const reports::Verdict*> slowest;
    for (const reports::Verdict& verdict : verdicts_) slowest.push_back(&verdict);
    std::stable_sort(slowest.begin(), slowest.end(), [](const auto* a, const auto* b) {
      return a->case_seconds > b->case_seconds;
    });
    if (static_cast<int64_t>(slowest.size()) > options_.durations)
      slowest.resize(options_.durations);
    std::cout << "\nslowest cases (seconds, judging included):\n";
    for (const reports::Verdict* verdict : slowest)
      std::printf("  %8.2f  %s  %s\n", verdict->case_seconds, verdict->backend.c_str(),
                  verdict->case_address.c_str());
    std::fflush(stdout);
  }

  int Conclude() {
    const TextAside aside(options_.common.json);
    absl::Status status = options_.claim ? MakeClaim() : absl::OkStatus();
    const int exit_status = scorecard_.ExitStatus(options_.suspect == "fail");
    if (exit_status != kExitOk)
      for (const std::string& line : without_case_) std::cout << "hlocts: " << line << std::endl;
    if (options_.claim && status.ok() && !options_.common.json) {
      std::cout << "claim: " << ProgramAsCalled() << " verify-claim " << options_.out << std::endl;
      if (auto run = reports::LoadRun(options_.out); run.ok())
        std::cout << WhyClaimDiffers(exit_status,
                                     suites::ConformanceOf(run->record, run->verdicts));
    }
    if (status.ok() && options_.update_expectations) status = UpdateExpectations();
    if (status.ok() && options_.update_costs) status = UpdateCosts();
    if (!status.ok()) return Fail(status);
    // Failures that were just added to the expectations do not fail the command.
    return options_.update_expectations && exit_status == kExitFailed ? kExitOk : exit_status;
  }

  absl::Status MakeClaim() const {
    suites::ClaimOptions claim;
    std::ifstream command("/proc/self/cmdline", std::ios::binary);
    for (std::string word; std::getline(command, word, '\0');)
      claim.command.push_back(
          std::ranges::count(options_.queries, word) > 0 ? word : backends::RedactedArgument(word));
    claim.engines = request_.EnginesByName();
    for (const std::string& backend : request_.record.backends)
      claim.expectations_files[backend] = ExpectationsPath(options_, backend);
    return suites::WriteClaim(claim, options_.out);
  }

  // Updates the expectations files with the verdicts, and prints the changes to each file.
  absl::Status UpdateExpectations() const {
    for (const std::string& backend : request_.record.backends) {
      const std::string path = ExpectationsPath(options_, backend);
      std::vector<reports::Verdict> own;
      for (const reports::Verdict& verdict : verdicts_)
        if (verdict.backend == backend) own.push_back(verdict);
      HLOCTS_ASSIGN_OR_RETURN(std::string done,
                              suites::UpdateExpectationsFile(path, own, request_.cases));
      std::cout << path << ": " << done
                << (unexpected_ > 0 ? "; it now has the cases that are not as expected above" : "")
                << "\n";
    }
    return absl::OkStatus();
  }

  // Updates suites/costs.txt with the times of this run.
  absl::Status UpdateCosts() const {
    const std::string path = suites::HomeFolder() + "/suites/costs.txt";
    HLOCTS_ASSIGN_OR_RETURN(suites::CaseCosts known, suites::LoadCosts(path));
    HLOCTS_ASSIGN_OR_RETURN(std::vector<suites::Case> suite,
                            suites::SelectCases({}, suites::Tier::kExhaustive));
    suites::CaseCosts updated = suites::UpdatedCosts(known, costs_, suite);
    std::cout << path << ": " << updated.size() << " costly cases\n";
    return suites::WriteCosts(updated, path);
  }

  const SuiteOptions& options_;
  SuiteRequest request_;
  suites::Engines engines_;
  absl::Status not_written_;
  ExpectationLists expectations_;
  std::vector<std::string> without_case_;  // a line for each entry that selects no case
  std::string today_;
  suites::RunFolder folder_;
  reports::Scorecard scorecard_;
  reports::Capabilities capabilities_;
  FixedCounts fixed_;
  std::vector<suites::Case> remaining_;     // cases without a verdict of an earlier run
  std::vector<reports::Verdict> verdicts_;  // begins with those of the earlier run
  suites::CaseCosts costs_;
  int64_t unexpected_ = 0;
  std::atomic<bool> reached_maxfail_{false}, lost_{false};
};

}  // namespace

int RunSuite(const SuiteOptions& options) {
  auto request = MakeSuiteRequest(options);
  if (!request.ok()) return Fail(request.status());
  auto expectations = LoadExpectations(options, request->record.backends);
  if (!expectations.ok()) return Fail(expectations.status());
  if (options.claim && !options.queries.empty())
    std::fprintf(stderr, "hlocts: --claim of a QUERY: a part of a tier has no conformance level\n");
  auto without_case = EntriesWithoutCase(options, *expectations);
  if (!without_case.ok()) return Fail(without_case.status());
  for (const std::string& line : *without_case) std::fprintf(stderr, "hlocts: %s\n", line.c_str());
  CatchInterrupts(options.out.empty() ? "" : "continue with:  " + Continuation(options));
  return SuiteRun(options, *std::move(request), *std::move(expectations), *std::move(without_case))
      .Run();
}

}  // namespace hlocts::tools

// SPDX-License-Identifier: Apache-2.0
// hlocts run: the conformance suite on engines.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "backends/backend_list.h"
#include "reports/capabilities.h"
#include "reports/run_record.h"
#include "reports/scorecard.h"
#include "spec/files/file_io.h"
#include "suites/claim.h"
#include "suites/costs.h"
#include "suites/expectations.h"
#include "suites/expectations_update.h"
#include "suites/run_folder.h"
#include "suites/runner.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/facts.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/commands.h"
#include "tools/history/release_notes.h"

namespace hlocts::tools {
namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> queries, backends;
  std::string tier = "smoke", shard = "1/1", profile = "default", expectations, junit, out;
  bool claim = false, update_expectations = false, update_costs = false;
  int64_t jobs = 0;
  int64_t cut = 0;
};

std::string Today(suites::Tier tier) {
  if (tier < suites::Tier::kNightly) return "";  // expiry must not turn a presubmit red over night
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", &utc);
  return text;
}

// $GTEST_TOTAL_SHARDS and $GTEST_SHARD_INDEX stand in for --shard, as test runners set them.
absl::Status KeepShard(std::string shard, const suites::CaseCosts& costs,
                       std::vector<suites::Case>& cases, reports::RunRecord& record) {
  const char* total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* index = std::getenv("GTEST_SHARD_INDEX");
  if (shard == "1/1" && total && index) {
    shard = absl::StrCat(std::atoi(index) + 1, "/", total);
  }
  int i = 0, n = 0;
  char rest = 0;
  if (std::sscanf(shard.c_str(), "%d/%d%c", &i, &n, &rest) != 2 || n < 1 || i < 1 || i > n) {
    return InvalidInput("--shard: expected I/N with 1 <= I <= N, found ", shard);
  }
  for (const suites::Case& one : cases) record.selection.push_back(one.address);
  std::sort(record.selection.begin(), record.selection.end());
  record.shard_index = i;
  record.shard_count = n;
  std::vector<int> shards = suites::ShardsOf(record.selection, n, costs);
  std::set<absl::string_view> own;
  for (size_t c = 0; c < shards.size(); ++c) {
    if (shards[c] == i) own.insert(record.selection[c]);
  }
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [&](const suites::Case& one) { return own.count(one.address) == 0; }),
              cases.end());
  return absl::OkStatus();
}

std::string ExpectationsPath(const Options& options, const std::string& backend) {
  return options.expectations.empty() ? suites::ExpectationsPath(backend) : options.expectations;
}

// Expectations of each engine.
absl::StatusOr<std::map<std::string, suites::ExpectationList>> LoadExpectations(
    const Options& options, const std::vector<std::string>& backends) {
  std::map<std::string, suites::ExpectationList> lists;
  for (const std::string& backend : backends) {
    const std::string path = ExpectationsPath(options, backend);
    HLOCTS_ASSIGN_OR_RETURN(lists[backend], suites::ExpectationList::Load(path));
  }
  return lists;
}

class Progress {
 public:
  Progress(size_t total, bool shown) : total_(total), shown_(shown && isatty(STDERR_FILENO)) {}
  void Step(bool surprise) {
    ++done_;
    surprises_ += surprise;
    std::time_t now = std::time(nullptr);
    if (!shown_ || now == last_) return;
    last_ = now;
    std::fprintf(stderr, "\r%zu of %zu, %zu not as expected ", done_, total_, surprises_);
  }
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r%60s\r", "");
  }

 private:
  size_t total_, done_ = 0, surprises_ = 0;
  bool shown_;
  std::time_t last_ = 0;
};

std::string CostsPath() { return suites::HomeFolder() + "/suites/costs.txt"; }

// A case that takes a minute must not be the last one of the last job.
void DearestFirst(const suites::CaseCosts& costs, std::vector<suites::Case>& cases) {
  auto cost = [&](const suites::Case& one) {
    auto found = costs.find(one.address);
    return found == costs.end() ? 0 : found->second;
  };
  std::stable_sort(cases.begin(), cases.end(),
                   [&](const suites::Case& a, const suites::Case& b) { return cost(a) > cost(b); });
}

// suites/costs.txt brought up to what this run took.
absl::Status UpdateCosts(const suites::CaseCosts& measured) {
  HLOCTS_ASSIGN_OR_RETURN(suites::CaseCosts known, suites::LoadCosts(CostsPath()));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<suites::Case> suite,
                          suites::SelectCases({}, suites::Tier::kExhaustive));
  suites::CaseCosts updated = suites::UpdatedCosts(known, measured, suite);
  std::cout << CostsPath() << ": " << updated.size() << " costly cases\n";
  return suites::WriteCosts(updated, CostsPath());
}

// What the command line asks for, checked.
struct Request {
  suites::Tier tier = suites::Tier::kSmoke;
  std::vector<std::string> engines;  // as given; the record has their names
  reports::RunRecord record;
  std::vector<suites::Case> cases;
  suites::RunnerOptions runner;
};

absl::StatusOr<Request> MakeRequest(const Options& options) {
  Request request;
  request.engines = backends::SplitBackendNames(options.backends);
  request.record.backends = backends::RecordedNames(request.engines);
  if (request.record.backends.empty()) return InvalidInput("run: expected --backend");
  request.record.facts = PromisesOf(request.engines, request.record.backends);
  auto tier = suites::TierFromName(options.tier);
  if (!tier) return InvalidInput("--tier: expected smoke, presubmit, nightly or exhaustive");
  auto profile = ProfileFromName(options.profile);
  if (!profile) return InvalidInput("--profile: expected strict, default or relaxed");
  if (options.cut < 0) return InvalidInput("--cut: expected at least 1, found ", options.cut);
  if (options.claim && options.out.empty()) return InvalidInput("--claim: expected --out=DIR");
  request.tier = *tier;
  request.record.tier = options.tier;
  request.record.profile = options.profile;
  request.record.queries = options.queries;
  request.record.started = reports::UtcNow();
  HLOCTS_ASSIGN_OR_RETURN(request.cases, suites::SelectCases(options.queries, *tier));
  HLOCTS_ASSIGN_OR_RETURN(suites::CaseCosts costs, suites::LoadCosts(CostsPath()));
  suites::AddUnmeasuredSweeps(request.cases, costs);
  HLOCTS_RETURN_IF_ERROR(KeepShard(options.shard, costs, request.cases, request.record));
  DearestFirst(costs, request.cases);
  suites::RunnerOptions& runner = request.runner;
  runner.diff.profile = *profile;
  runner.diff.cut = options.cut;
  runner.diff.blame = options.cut > 0;
  runner.diff.load.timeout_seconds = options.common.timeout_seconds;
  runner.diff.load.memory_bytes_max = options.common.memory_bytes_max;
  runner.diff.load.steps_max = options.common.steps_max;
  runner.diff.load.rng_seed = options.common.rng_seed_flag.value_or(0);
  runner.diff.load.custom_calls = options.common.custom_calls;
  runner.jobs = static_cast<int>(
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency()));
  runner.stop = Interrupted;
  return request;
}

absl::Status MakeClaim(const Options& options, const std::vector<std::string>& backends) {
  suites::ClaimOptions claim;
  std::ifstream command("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(command, word, '\0');)
    claim.command.push_back(backends::RecordedWord(word));
  for (const std::string& backend : backends) {
    const std::string path = ExpectationsPath(options, backend);
    claim.expectations_files.push_back(path);
  }
  return suites::WriteClaim(claim, options.out);
}

// The expectations files brought up to the verdicts; prints what was done to each.
absl::Status UpdateExpectations(const Options& options, const std::vector<std::string>& backends,
                                const std::vector<reports::Verdict>& verdicts,
                                const std::vector<suites::Case>& cases) {
  for (const std::string& backend : backends) {
    const std::string path = ExpectationsPath(options, backend);
    std::vector<reports::Verdict> own;
    for (const reports::Verdict& verdict : verdicts) {
      if (verdict.backend == backend) own.push_back(verdict);
    }
    HLOCTS_ASSIGN_OR_RETURN(std::string done, suites::UpdateExpectationsFile(path, own, cases));
    std::cout << path << ": " << done << "\n";
  }
  return absl::OkStatus();
}

int RunSuite(const Options& options) {
  auto request = MakeRequest(options);
  if (!request.ok()) return Fail(request.status());
  const std::vector<std::string>& backends = request->record.backends;
  auto expectations = LoadExpectations(options, backends);
  if (!expectations.ok()) return Fail(expectations.status());
  CatchInterrupts();
  reports::Scorecard scorecard;
  for (const auto& [backend, facts] : request->record.facts) scorecard.Promise(backend, facts);
  reports::Capabilities capabilities;
  suites::RunFolder folder(options.out, request->runner.diff, request->record);
  absl::Status status = folder.Open();
  if (!status.ok()) return Fail(status);
  std::vector<reports::Verdict> verdicts;
  suites::CaseCosts costs;
  FixedCounts fixed;
  {
    Progress progress(request->cases.size() * backends.size(), !options.common.json);
    std::string today = Today(request->tier);
    request->runner.is_surprise = [&](const reports::Verdict& verdict) {
      reports::Verdict copy = verdict;
      auto list = expectations->find(verdict.backend);
      if (list != expectations->end()) list->second.Apply(copy, today);
      return !copy.expected && copy.kind != reports::VerdictKind::kPass;
    };
    auto sink = [&](const suites::Case& one, const reports::Verdict& verdict) {
      reports::Verdict final_verdict = verdict;
      auto list = expectations->find(verdict.backend);
      if (list != expectations->end()) list->second.Apply(final_verdict, today);
      scorecard.Add(final_verdict);
      capabilities.Add(final_verdict);
      if (list != expectations->end()) {
        const std::string release = list->second.FixedSince(final_verdict);
        if (!release.empty()) ++fixed[verdict.backend][release];
      }
      folder.Add(one, final_verdict);
      if (options.common.json) PrintVerdict(final_verdict, true);
      if (options.update_expectations) verdicts.push_back(final_verdict);
      costs[one.address] += std::llround(verdict.case_seconds * 1000);
      progress.Step(!final_verdict.expected);
    };
    status = suites::RunCases(request->cases, request->engines, request->runner, sink);
  }
  std::string text = absl::StrCat(scorecard.ToText(), capabilities.ToText(), LimitsText(backends));
  if (!options.common.json) std::cout << text << FixedText(fixed);
  if (!options.junit.empty()) status.Update(WriteFile(options.junit, scorecard.ToJunit()));
  status.Update(folder.Finish(text, status.ok() && !Interrupted()));
  if (!options.common.json && !options.out.empty()) std::cout << folder.Summary();
  if (!status.ok()) return Fail(status);
  if (Interrupted())
    return Fail(absl::CancelledError("interrupted; the verdicts so far are above"));
  if (options.claim) status = MakeClaim(options, backends);
  if (status.ok() && options.update_expectations) {
    status = UpdateExpectations(options, backends, verdicts, request->cases);
  }
  if (status.ok() && options.update_costs) status = UpdateCosts(costs);
  return status.ok() ? scorecard.ExitStatus() : Fail(status);
}

}  // namespace

Command RunCommand() {
  return {
      "run", "run the conformance suite on engines", [](Flags& flags) {
        auto options = std::make_shared<Options>();
        flags.Positional("QUERY", &options->queries, "address or its beginning; * matches any run");
        flags.Add("--backend", &options->backends, "engine; may be repeated, or a,b");
        flags.Add("--tier", &options->tier, "smoke, presubmit, nightly or exhaustive");
        flags.Add("--shard", &options->shard, "I/N: the I-th of N parts");
        flags.Add("--jobs", &options->jobs, "cases at a time (default: the processors)");
        flags.Add("--cut", &options->cut,
                  "judge pieces of about N floating-point operations too (1: each instruction)");
        flags.Add("--profile", &options->profile, "strict, default or relaxed");
        flags.Add("--expectations", &options->expectations,
                  "expectations file (default: suites/expectations/<backend>.textproto)");
        flags.Add("--junit", &options->junit, "JUnit XML file to write");
        flags.Add("--out", &options->out, "folder for records and failing cases");
        flags.Add("--claim", &options->claim,
                  "make the folder a claim package, for verify-claim (with --out)");
        flags.Add("--update-expectations", &options->update_expectations,
                  "add what was not as expected to the expectations file, take out what passes");
        flags.Add("--update-costs", &options->update_costs,
                  "measure what costly cases take, for --shard (suites/costs.txt)");
        options->common.Declare(flags, /*with_batch=*/false);
        return [options] { return RunSuite(*options); };
      }};
}

}  // namespace hlocts::tools

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "backends/backend_list.h"
#include "generators/shardings.h"
#include "spec/files/file_io.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "suites/selection.h"
#include "suites/sha256.h"
#include "suites/suite_files.h"
#include "tools/cli/facts.h"
#include "tools/cli/flag_values.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/cli/suite_run.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kJobsMax = 1024;
constexpr int64_t kPartitionsMax = 64;

// Keeps only the cases of one shard. Without --shard, $GTEST_TOTAL_SHARDS and $GTEST_SHARD_INDEX,
// which test runners set, select it.
absl::Status KeepShard(std::string shard, const suites::CaseCosts& costs,
                       std::vector<suites::Case>& cases, reports::RunRecord& record) {
  const char* total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* index = std::getenv("GTEST_SHARD_INDEX");
  if (shard == "1/1" && total && index) shard = absl::StrCat(std::atoi(index) + 1, "/", total);
  int i = 0, n = 0;
  char rest = 0;
  if (std::sscanf(shard.c_str(), "%d/%d%c", &i, &n, &rest) != 2 || n < 1 || i < 1 || i > n)
    return InvalidInput("--shard: expected I/N with 1 <= I <= N, found ", shard);
  for (const suites::Case& one : cases) record.selection.push_back(one.address);
  std::sort(record.selection.begin(), record.selection.end());
  record.shard_index = i;
  record.shard_count = n;
  std::vector<int> shards = suites::ShardsOf(record.selection, n, costs);
  std::set<absl::string_view> own;
  for (size_t c = 0; c < shards.size(); ++c)
    if (shards[c] == i) own.insert(record.selection[c]);
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [&](const suites::Case& one) { return own.count(one.address) == 0; }),
              cases.end());
  return absl::OkStatus();
}

// Sorts the cases by descending cost: a case that takes a minute must not be the last to start.
void SortByDescendingCost(const suites::CaseCosts& costs, std::vector<suites::Case>& cases) {
  auto cost = [&](const suites::Case& one) {
    auto found = costs.find(one.address);
    return found == costs.end() ? 0 : found->second;
  };
  std::stable_sort(cases.begin(), cases.end(),
                   [&](const suites::Case& a, const suites::Case& b) { return cost(a) > cost(b); });
}

// Keeps the cases that had unexpected verdicts in the run in `folder`, or else all failing cases.
absl::Status KeepLastFailed(const std::string& folder, std::vector<suites::Case>& cases) {
  HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun run, reports::LoadRun(folder));
  std::vector<std::string> surprises, failures;
  for (const reports::Verdict& verdict : run.verdicts) {
    if (!verdict.expected) surprises.push_back(verdict.case_address);
    if (IsFailure(verdict.kind)) failures.push_back(verdict.case_address);
  }
  const auto& kept = surprises.empty() ? failures : surprises;
  if (kept.empty()) return InvalidInput("--lf: the run in ", folder, " has no failure");
  return suites::KeepAddresses(kept, absl::StrCat("--lf=", folder), cases);
}

absl::Status CheckEngines(const std::vector<std::string>& recorded) {
  if (recorded.empty()) return InvalidInput("run: expected --backend");
  std::set<std::string> seen;
  for (const std::string& name : recorded) {
    if (!seen.insert(name).second)
      return InvalidInput("--backend: ", name, " occurs twice; LABEL=ENGINE gives it another name");
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const SuiteOptions& options) {
  if (options.claim && options.out.empty()) return InvalidInput("--claim: expected --out=DIR");
  if (options.claim && (!options.words.empty() || !options.last_failed.empty() ||
                        options.first_only || options.maxfail > 0)) {
    return InvalidInput("--claim covers whole queries: remove -k, --lf, -x and --maxfail");
  }
  if (options.claim && options.profile == "relaxed")
    return InvalidInput("--claim: expected --profile=default or strict, found relaxed");
  if (options.resume && options.out.empty()) return InvalidInput("--resume: expected --out=DIR");
  if (options.update_expectations && options.expectations.empty())
    return InvalidInput("--update-expectations: expected --expectations=FILE, the file to write");
  const auto folder = std::filesystem::path(options.expectations).parent_path();
  if (options.update_expectations && !folder.empty() && !std::filesystem::is_directory(folder))
    return InvalidInput("--expectations: ", folder.string(), " is not a directory");
  if (options.first_only && options.maxfail > 0)
    return InvalidInput("expected -x or --maxfail, found both");
  if (options.common.json && options.junit == "-")
    return InvalidInput("--junit=- with --json: expected a file");
  if (const std::string& path = options.common.custom_calls; !path.empty())
    HLOCTS_RETURN_IF_ERROR(Annotate(ReadFile(path).status(), "--custom-calls"));
  return absl::OkStatus();
}

// Adds shardings to the modules of the cases; they are the same on every machine. Removes reject
// cases and modules that AddShardings does not accept.
absl::Status ShardCases(int64_t partitions, std::vector<suites::Case>& cases) {
  std::vector<suites::Case> sharded;
  for (suites::Case& one : cases) {
    if (!one.reject_rule.empty() || one.sweep || one.replicas > 1) continue;
    auto module = ParseModule(one.module_text);
    if (!module.ok()) continue;
    uint64_t seed = 0;
    for (const char c : one.address) seed = seed * 31 + static_cast<uint8_t>(c);
    if (!generators::Shard(partitions, seed, **module).ok()) continue;
    one.module_text = PrintModule(**module);
    sharded.push_back(std::move(one));
  }
  if (sharded.empty()) return InvalidInput("--partitions: no case is a program for one device");
  std::fprintf(stderr, "hlocts: %zu of %zu cases are partitioned; the others are omitted\n",
               sharded.size(), cases.size());
  cases = std::move(sharded);
  return absl::OkStatus();
}

// Returns options that affect verdicts and have no field in the record; for a file, its hash.
std::map<std::string, std::string> OptionsOf(const SuiteOptions& options) {
  const SuiteOptions usual;
  std::map<std::string, std::string> given;
  const auto add = [&](const char* name, const auto& value, const auto& otherwise) {
    if (value != otherwise) given[name] = absl::StrCat(value);
  };
  add("partitions", options.partitions, usual.partitions);
  add("cut", options.cut, usual.cut);
  add("suspect", options.suspect, usual.suspect);
  add("steps", options.common.steps_max, usual.common.steps_max);
  add("memory", options.common.memory_bytes_max, usual.common.memory_bytes_max);
  if (options.common.timeout_given) given["timeout"] = DurationText(options.common.timeout_seconds);
  add("rng-seed", options.common.rng_seed_flag.value_or(0), uint64_t{0});
  if (auto hash = suites::Sha256OfFile(options.common.custom_calls); hash.ok())
    given["custom-calls"] = *hash;
  return given;
}

suites::RunnerOptions RunnerOf(const SuiteOptions& options, Profile profile, size_t cases) {
  suites::RunnerOptions runner;
  runner.diff.profile = profile;
  runner.diff.cut = options.cut;
  runner.diff.blame = options.cut > 0;
  runner.diff.describe = true;
  runner.diff.ulps = true;
  runner.diff.unusual = options.unusual;
  runner.diff.suspect = SuspectOf(options.suspect);
  backends::LoadOptions& load = runner.diff.load;
  load.timeout_seconds = options.common.timeout_seconds;
  if (options.common.timeout_given) load.reference_seconds_max = options.common.timeout_seconds;
  load.memory_bytes_max = options.common.memory_bytes_max;
  load.steps_max = options.common.steps_max;
  load.rng_seed = options.common.rng_seed_flag.value_or(0);
  load.custom_calls = options.common.custom_calls;
  int64_t jobs =
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  runner.jobs = static_cast<int>(std::min(jobs, static_cast<int64_t>(cases)));
  runner.stop = Interrupted;
  return runner;
}

}  // namespace

void SuiteOptions::Declare(Flags& flags) {
  flags.Positional("QUERY", &queries, "case address, or a prefix before / : or ,; * is a wildcard");
  flags.Add("--backend", &backends, "engines, comma-separated; repeatable (hlocts help engines)");
  flags.AddTier(&tier, "tier, with the smaller ones (hlocts help tiers)");
  flags.Add("-k", &words, "words in the address: 'bf16 and not (nan or inf)'");
  flags.Add(
      "--lf", &last_failed,
      "directory of a run; only its unexpected results or, without any, its failures are rerun");
  flags.Add("-x", &first_only, "stop at the first unexpected verdict");
  flags.Add("--maxfail", &maxfail, "number of unexpected verdicts after which the run stops", {1});
  flags.Add("--durations", &durations, "print the N slowest cases", {1});
  flags.Add(
      "--resume", &resume,
      "resume the run in --out, or start it; cases whose known failures changed run again; --json "
      "prints only the verdicts of cases that run now");
  flags.Add("--shard", &shard, "I/N: the I-th of N parts (not with --claim)");
  flags.Add("--jobs", &jobs, "parallel cases (default: number of CPUs)", {1, kJobsMax});
  flags.Add("--cut", &cut,
            "also judge pieces of about N floating-point operations (1: each instruction)", {1});
  flags.AddProfile(&profile);
  flags.Add("--expectations", &expectations,
            "known failures (default: suites/expectations/<label or name>.textproto)");
  flags.Add("--junit", &junit, "JUnit XML file to write, with times in the engine");
  flags.Add("--out", &out, "directory for records and failing cases");
  flags.Add(
      "--claim", &claim,
      "make the directory a claim package, for verify-claim (with --out); of a QUERY it claims "
      "a part, which has no conformance level");
  flags.Add("--update-expectations", &update_expectations,
            "add unexpected failures to --expectations and remove entries that pass");
  flags.Add("--update-costs", &update_costs,
            "measure the times of costly cases, for --shard (suites/costs.txt)");
  flags.Add("--partitions", &partitions,
            "number of devices for which engines partition each one-device case, with random "
            "sharding annotations",
            {2, kPartitionsMax});
  AddSuspectFlag(flags, suspect);
  flags.Add("--unusual", &unusual,
            "also record values of a pass that are acceptable but improbable (verdicts.jsonl)");
  flags.Add("--verbose", &verbose,
            "also print all unexpected verdicts, and how tight the sets were");
  flags.AddWatch();
  common.Declare(flags, /*with_batch=*/false, kOfOneModule);
}

std::map<std::string, std::string> SuiteRequest::EnginesByName() const {
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < engines.size(); ++i) names[record.backends[i]] = engines[i];
  return names;
}

absl::StatusOr<SuiteRequest> MakeSuiteRequest(const SuiteOptions& options) {
  SuiteRequest request;
  request.engines = backends::SplitBackendNames(options.backends);
  for (const std::string& engine : request.engines)
    HLOCTS_RETURN_IF_ERROR(backends::ParseBackendName(engine).status());
  request.record.backends = backends::RecordedNames(request.engines);
  HLOCTS_RETURN_IF_ERROR(CheckEngines(request.record.backends));
  request.record.facts = PromisesOf(request.engines, request.record.backends);
  HLOCTS_RETURN_IF_ERROR(CheckOptions(options));
  request.tier = *suites::TierFromName(options.tier);
  request.record.tier = options.tier;
  request.record.profile = options.profile;
  request.record.queries = options.queries;
  request.record.options = OptionsOf(options);
  request.record.started = reports::UtcNow();
  HLOCTS_ASSIGN_OR_RETURN(request.cases, suites::SelectCases(options.queries, request.tier));
  HLOCTS_RETURN_IF_ERROR(suites::KeepWords(options.words, request.cases));
  if (!options.last_failed.empty())
    HLOCTS_RETURN_IF_ERROR(KeepLastFailed(options.last_failed, request.cases));
  HLOCTS_ASSIGN_OR_RETURN(request.costs,
                          suites::LoadCosts(suites::HomeFolder() + "/suites/costs.txt"));
  suites::AddUnmeasuredSweeps(request.cases, request.costs);
  HLOCTS_RETURN_IF_ERROR(KeepShard(options.shard, request.costs, request.cases, request.record));
  if (options.claim && request.record.shard_count > 1)
    return InvalidInput("--claim: a claim needs one whole run: remove --shard");
  if (options.partitions > 0) HLOCTS_RETURN_IF_ERROR(ShardCases(options.partitions, request.cases));
  SortByDescendingCost(request.costs, request.cases);
  request.runner = RunnerOf(options, *ProfileFromName(options.profile), request.cases.size());
  return request;
}

std::string ExpectationsPath(const SuiteOptions& options, const std::string& backend) {
  return options.expectations.empty() ? suites::ExpectationsPath(backend) : options.expectations;
}

absl::StatusOr<std::vector<std::string>> EntriesWithoutCase(const SuiteOptions& options,
                                                            const ExpectationLists& lists) {
  if (options.expectations.empty() || options.update_expectations || lists.empty())
    return std::vector<std::string>();
  HLOCTS_ASSIGN_OR_RETURN(std::vector<suites::Case> cases,
                          suites::SelectCases({}, suites::Tier::kExhaustive));
  return lists.begin()->second.WithoutCase(suites::AddressesOf(cases));
}

absl::StatusOr<ExpectationLists> LoadExpectations(const SuiteOptions& options,
                                                  const std::vector<std::string>& backends) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!options.out.empty() && fs::equivalent(fs::path(options.expectations).parent_path() / ".",
                                             options.out + "/expectations", none))
    return InvalidInput("--expectations: ", options.expectations, ": expected a list outside of ",
                        options.out, "/expectations, which the run replaces");
  if (options.claim && fs::is_fifo(options.expectations, none))
    return InvalidInput("--claim: --expectations: expected a file, which the claim contains");
  ExpectationLists lists;
  const bool must_exist = !options.expectations.empty() && !options.update_expectations;
  for (const std::string& backend : backends) {
    const std::string path = ExpectationsPath(options, backend);
    HLOCTS_ASSIGN_OR_RETURN(lists[backend], suites::ExpectationList::Load(path, must_exist));
  }
  return lists;
}

}  // namespace hlocts::tools

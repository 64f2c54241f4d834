// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/campaign.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/coverage.h"
#include "fuzz/campaign/engines.h"
#include "fuzz/campaign/finding_store.h"
#include "fuzz/campaign/variant_trial.h"
#include "fuzz/triage/failure_signature.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/base/status.h"
#include "spec/files/file_io.h"
#include "spec/infer/verifier.h"

namespace hlocts::fuzz {
namespace {

// The state of a campaign on disk: which modules are done. The file is replaced atomically.
struct CampaignState {
  uint64_t seed = 1;
  std::string recipe;                 // the options that determine the modules
  std::vector<std::string> backends;  // as recorded; a resumed campaign may use other engines
  int64_t next = 0;                   // all numbers below this are done
  std::set<int64_t> done;             // numbers above `next` that are done

  void Done(int64_t number);
  bool IsDone(int64_t number) const { return number < next || done.count(number) > 0; }

  absl::Status Save(const std::string& path) const;
  // Returns an error if the file is missing or its state has another seed or recipe.
  absl::Status Load(const std::string& path);
};

void CampaignState::Done(int64_t number) {
  done.insert(number);
  while (!done.empty() && *done.begin() == next) {
    done.erase(done.begin());
    ++next;
  }
}

absl::Status CampaignState::Save(const std::string& path) const {
  nlohmann::ordered_json json;
  json["seed"] = seed;
  json["recipe"] = recipe;
  json["backends"] = backends;
  json["next"] = next;
  json["done"] = done;
  return WriteFile(path, JsonText(json) + "\n");
}

absl::Status CampaignState::Load(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  auto json = ParseJson<nlohmann::json>(text);
  if (!json.is_object() || !json["seed"].is_number_unsigned() ||
      !json["next"].is_number_integer() || !json["recipe"].is_string() ||
      !json["done"].is_array()) {
    return InvalidInput(path, ": expected an object with seed, recipe, next and done");
  }
  if (json["seed"].get<uint64_t>() != seed) {
    return InvalidInput(path, ": expected a campaign of seed ", seed, ", found seed ",
                        json["seed"].get<uint64_t>());
  }
  // Files from before version 1.0 use another word for variants.
  const std::string found =
      absl::StrReplaceAll(json["recipe"].get<std::string>(), {{", twins ", ", variants "}});
  if (found != recipe) {
    return InvalidInput(path, ": expected a campaign of the modules ", recipe, ", found ", found);
  }
  next = json["next"].get<int64_t>();
  for (const auto& number : json["done"]) {
    if (number.is_number_integer()) done.insert(number.get<int64_t>());
  }
  return absl::OkStatus();
}

// Renames the directory of a campaign to the first name of OUT.1, OUT.2, ... that does not exist.
absl::Status RenameOldCampaign(const std::string& out) {
  std::error_code error;
  for (int number = 1; number < 10'000; ++number) {
    const std::string aside = absl::StrCat(out, ".", number);
    if (std::filesystem::exists(aside)) continue;
    std::filesystem::rename(out, aside, error);
    return error ? InvalidInput(aside, ": ", error.message()) : absl::OkStatus();
  }
  return InvalidInput(out, ": cannot be renamed: all names up to ", out, ".9999 exist");
}

std::string StatePath(const std::string& out) { return out + "/state.json"; }

absl::Status MakeLocked(const std::string& out, FolderLock& lock) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) return InvalidInput("--out: ", out, ": ", error.message());
  auto taken = FolderLock::Take(out);
  if (!taken.ok()) return Annotate(taken.status(), "--out");
  lock = *std::move(taken);
  return absl::OkStatus();
}

// Creates and locks the directory. An existing campaign in it is renamed if `restart`, kept if
// `resume`, and an error if both are false. Returns true if it is kept.
absl::StatusOr<bool> OpenFolder(const std::string& out, bool resume, bool restart,
                                FolderLock& lock) {
  HLOCTS_RETURN_IF_ERROR(MakeLocked(out, lock));
  const bool exists = std::filesystem::exists(StatePath(out));
  if (exists && !resume && !restart) {
    return InvalidInput("--out: ", out,
                        " contains a campaign: expected --resume to continue it, --restart to "
                        "rename it, or another directory");
  }
  if (!exists || !restart) return exists;
  HLOCTS_RETURN_IF_ERROR(RenameOldCampaign(out));
  HLOCTS_RETURN_IF_ERROR(MakeLocked(out, lock));
  return false;
}

using Clock = std::chrono::steady_clock;

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options), store_(options), guide_(options) {}

  absl::Status Begin();
  void Work(Engines& engines);  // called by each job's thread
  bool IsFinished() const { return failed_ || options_.stop() || SecondsLeft() <= 0; }
  // Returns true if trials in progress should stop.
  bool Stop() const { return failed_ || options_.stop() || SecondsLeft() <= -kGraceSeconds; }
  CampaignStatus Status();
  absl::Status SaveState();
  absl::Status failure() {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  // Trials in progress may exceed the time of the campaign by this many seconds.
  static constexpr double kGraceSeconds = 1;

  double SecondsLeft() const;
  // Returns true if no new module should be generated.
  bool IsGenerationDone() const {
    return IsFinished() || (options_.shrink_last && SecondsLeft() < options_.seconds_max / 3);
  }
  void DrawModules(Engines& engines);
  void BeginShrinking();
  void ShrinkPending(Engines& engines);
  // Both return false if the campaign ended before the trial; module `number` is then not done.
  bool TryModule(int64_t number, Engines& engines, bool again);
  bool TryVariants(int64_t number, const Sample& sample, const FoundBy& found,
                   std::vector<TrialResult>& results);
  bool Judged(const Sample& sample, TrialResult result, const FoundBy& found,
              std::vector<TrialResult>& results);
  void Count(const Module& module, bool valid, const std::vector<TrialResult>& results,
             const std::string& origin);
  void Fail(const absl::Status& status);
  void AddSeconds(double& sum, double seconds) {
    std::lock_guard<std::mutex> lock(mutex_);
    sum += seconds;
  }

  const CampaignOptions& options_;
  FolderLock lock_;
  FindingStore store_;
  Guide guide_;
  Clock::time_point start_ = Clock::now();
  std::atomic<int64_t> next_number_{0};
  std::atomic<bool> failed_{false};
  std::atomic<bool> stores_unshrunk_{false};
  std::mutex mutex_;
  CampaignStatus status_;
  CampaignState state_;
  std::set<int64_t>
      pending_shrinks_;  // numbers of modules that an earlier run had no time to shrink
  Cells cells_;
  absl::Status failure_;
};

absl::Status Campaign::Begin() {
  HLOCTS_ASSIGN_OR_RETURN(const bool exists,
                          OpenFolder(options_.out, options_.resume, options_.restart, lock_));
  status_.jobs = options_.jobs;
  state_.seed = options_.seed;
  state_.recipe = status_.recipe = RecipeOf(options_);
  state_.backends = backends::RecordedNames(options_.backends);
  stores_unshrunk_ = options_.shrink_last;
  next_number_ = options_.only.value_or(0);
  status_.resumed = exists;
  status_.only = options_.only.has_value();
  if (!exists) return SaveState();
  HLOCTS_RETURN_IF_ERROR(state_.Load(StatePath(options_.out)));
  next_number_ = state_.next;
  HLOCTS_RETURN_IF_ERROR(store_.Load());
  if (options_.shrink_evaluations > 0) pending_shrinks_ = store_.NumbersToShrink();
  return absl::OkStatus();
}

double Campaign::SecondsLeft() const {
  if (options_.seconds_max <= 0) return std::numeric_limits<double>::infinity();
  return options_.seconds_max - std::chrono::duration<double>(Clock::now() - start_).count();
}

void Campaign::Fail(const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  failure_.Update(status);
  failed_ = true;
}

void Campaign::Work(Engines& engines) {
  if (!options_.shrink_last) ShrinkPending(engines);
  DrawModules(engines);
  if (!options_.shrink_last) return;
  BeginShrinking();
  ShrinkPending(engines);
}

void Campaign::BeginShrinking() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!stores_unshrunk_) return;
  pending_shrinks_ = store_.NumbersToShrink();
  stores_unshrunk_ = false;
}

void Campaign::DrawModules(Engines& engines) {
  while (!IsGenerationDone()) {
    int64_t number = next_number_++;
    if (options_.only ? number > *options_.only
                      : options_.modules_max > 0 && number >= options_.modules_max)
      return;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (state_.IsDone(number)) continue;
    }
    if (!TryModule(number, engines, /*again=*/false)) continue;
    std::lock_guard<std::mutex> lock(mutex_);
    state_.Done(number);
  }
}

void Campaign::ShrinkPending(Engines& engines) {
  while (!IsFinished()) {
    int64_t number = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (pending_shrinks_.empty()) return;
      number = *pending_shrinks_.begin();
      pending_shrinks_.erase(pending_shrinks_.begin());
    }
    TryModule(number, engines, /*again=*/true);
  }
}

bool Campaign::TryModule(int64_t number, Engines& engines, bool again) {
  generators::Generated generated =
      options_.guided ? guide_.Make(number) : CampaignModule(options_, number);
  absl::Status verified = VerifyModule(*generated.module);
  TrialOptions trial = options_.trial;
  trial.invalid = !generated.broken_rule.empty();
  trial.load.stop = [this] { return Stop(); };
  bool as_meant = trial.invalid ? RuleOf(verified) == generated.broken_rule : verified.ok();
  const Sample sample = {std::move(generated.module), std::move(generated.arguments)};
  std::string origin =
      absl::StrCat("seed ", options_.seed, ", module ", number, ", ",
                   StreamText(options_, generated.stream), WithoutOf(options_, ","));
  std::vector<TrialResult> results;
  if (!as_meant) {
    absl::Status stored = store_.AddGeneratorDefect(sample, verified, origin);
    if (!stored.ok()) Fail(stored);
  }
  for (size_t e = 0; as_meant && e < engines.tested.size(); ++e) {
    std::string name = backends::RecordedName(options_.backends[e]);
    TimedEngine& engine = *engines.tested[e];
    const double waited_before = engine.seconds();
    FoundBy found = {name, &engine, engines.reference.get(), origin, number, trial, again};
    TrialOptions first = trial;
    first.load.reuse = true;  // all iterations of a loop run the same executables
    bool variants = options_.variants > 0 && !trial.invalid;
    bool in_time =
        variants ? TryVariants(number, sample, found, results)
                 : Judged(sample, RunTrial(sample, *found.engine, first, false), found, results);
    AddSeconds(status_.engine_seconds, engine.seconds() - waited_before);
    if (!in_time) return false;
  }
  if (!again) Count(*sample.module, as_meant, results, origin);
  return true;
}

bool Campaign::Judged(const Sample& sample, TrialResult result, const FoundBy& found,
                      std::vector<TrialResult>& results) {
  // After a stop only a wrong value is a finding: the stop may have caused any other verdict.
  if (result.verdict.kind != Outcome::kFail && Stop()) return false;
  result.verdict.seed = options_.seed;
  if (CountsAsFinding(result.verdict.kind)) {
    double seconds = 0;
    {
      Stopwatch work(seconds);
      absl::Status stored =
          store_.Add(sample, result, found, [this] { return stores_unshrunk_ || IsFinished(); });
      if (!stored.ok()) Fail(stored);
    }
    AddSeconds(status_.failure_seconds, seconds);
  }
  results.push_back(std::move(result));
  return true;
}

bool Campaign::TryVariants(int64_t number, const Sample& sample, const FoundBy& found,
                           std::vector<TrialResult>& results) {
  const TrialOptions& trial = found.trial;
  backends::RunOutcome outcome = RunSample(sample, *found.engine, trial);
  if (!outcome.has_values()) {
    return Judged(sample, JudgeTrial(sample, outcome, *found.engine, trial, false), found, results);
  }
  generators::SeedSource choose(~options_.seed, static_cast<uint64_t>(number));
  for (int i = 0; i < options_.variants; ++i) {
    auto drawn = generators::DrawVariant(*sample.module, sample.arguments, choose);
    if (!drawn.ok()) return Fail(drawn.status()), false;
    if (!*drawn) return true;
    Sample variant = {std::move((*drawn)->module), std::move((*drawn)->arguments)};
    FoundBy by_variant = found;
    absl::StrAppend(&by_variant.origin, ", variant ", (*drawn)->recipe.ToText());
    VariantTrial tried = RunVariant(sample, outcome, variant, *found.engine, trial);
    if (!Judged(tried.is_variant ? variant : sample, std::move(tried.result), by_variant, results))
      return false;
    std::lock_guard<std::mutex> lock(mutex_);
    ++status_.variants;
    status_.variants_judged += !tried.same;
  }
  return true;
}

void Campaign::Count(const Module& module, bool valid, const std::vector<TrialResult>& results,
                     const std::string& origin) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++status_.modules;
  status_.valid += valid;
  status_.instructions += CountInstructions(module);
  AddCells(module, cells_);
  for (const TrialResult& result : results) {
    const reports::Verdict& verdict = result.verdict;
    status_.CountVerdict(verdict);
    if (!IsUndecided(verdict.kind)) continue;
    const absl::Status listed =
        AppendLine(options_.out + "/undecided.jsonl",
                   {{"backend", verdict.backend},
                    {"verdict", OutcomeName(verdict.kind)},
                    {"origin", origin},
                    {"reason", reports::FirstLine(reports::FoldedReason(verdict))}});
    failed_ = failed_ || !listed.ok();
    failure_.Update(listed);
  }
}

CampaignStatus Campaign::Status() {
  std::lock_guard<std::mutex> lock(mutex_);
  status_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  status_.cells = static_cast<int64_t>(cells_.size());
  status_.buckets = store_.buckets();
  status_.failures = store_.failures();
  status_.not_shrunk = store_.not_shrunk();
  return status_;
}

absl::Status Campaign::SaveState() {
  CampaignState state;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    state = state_;
  }
  return state.Save(StatePath(options_.out));
}

}  // namespace

absl::StatusOr<CampaignStatus> RunCampaign(const CampaignOptions& given,
                                           const std::function<void(const CampaignStatus&)>& tick) {
  CampaignOptions options = given;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Engines> engines, StartJobs(options.backends, options.jobs));
  options.jobs = static_cast<int>(engines.size());
  for (const Engines& of_job : engines) {
    options.generator.types &= CommonTypes(of_job);
    options.generator.dynamic_parameters &= AllTakeDynamicArguments(of_job);
  }
  Campaign campaign(options);
  HLOCTS_RETURN_IF_ERROR(campaign.Begin());
  std::vector<std::thread> threads;
  std::atomic<int> running{options.jobs};
  for (int job = 0; job < options.jobs; ++job) {
    try {
      threads.emplace_back([&, job] {
        campaign.Work(engines[job]);
        --running;
      });
    } catch (const std::system_error&) {
      if (threads.empty()) throw;
      --running;  // fewer threads are sufficient
    }
  }
  auto last = Clock::now();
  absl::Status saved;
  while (running > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (Clock::now() - last < std::chrono::seconds(1)) continue;
    last = Clock::now();
    saved.Update(campaign.SaveState());
    tick(campaign.Status());
  }
  for (std::thread& thread : threads) thread.join();
  saved.Update(campaign.SaveState());
  HLOCTS_RETURN_IF_ERROR(campaign.failure());
  HLOCTS_RETURN_IF_ERROR(saved);
  CampaignStatus status = campaign.Status();
  status.ended = true;
  tick(status);
  return status;
}

}  // namespace hlocts::fuzz

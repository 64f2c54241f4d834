#include "fuzz/campaign.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "fuzz/coverage.h"
#include "fuzz/finding_store.h"
#include "fuzz/symptom.h"
#include "fuzz/twin_trial.h"
#include "nlohmann/json.hpp"
#include "reports/effective_bits.h"
#include "spec/files/file_io.h"
#include "spec/infer/verifier.h"

namespace hlocts {
namespace {

using Clock = std::chrono::steady_clock;

struct Engines {
  std::vector<std::unique_ptr<Backend>> tested;
  std::unique_ptr<Backend> reference;  // intermediate values for the shrinker
};

absl::StatusOr<Engines> StartEngines(const std::vector<std::string>& names) {
  Engines engines;
  for (const std::string& name : names) {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> engine, MakeBackend(name));
    BackendInfo info = engine->info();
    if (!info.available) return absl::UnavailableError(absl::StrCat(name, ": ", info.reason));
    engines.tested.push_back(std::move(engine));
  }
  HLOCTS_ASSIGN_OR_RETURN(engines.reference, MakeBackend("reference"));
  return engines;
}

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options), store_(options) {}

  absl::Status Begin();
  void Work();
  bool Over() const;
  CampaignStatus Status();
  absl::Status SaveState();
  absl::Status failure() {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  Generated Make(int64_t number) const;
  void TryModule(int64_t number, Engines& engines);
  void TryTwins(int64_t number, const Sample& sample, const FoundBy& found,
                std::vector<TrialResult>& results);
  void Judged(const Sample& sample, TrialResult result, const FoundBy& found,
              std::vector<TrialResult>& results);
  void Count(const Generated& generated, bool valid, const std::vector<TrialResult>& results);
  void Done(int64_t number);
  void Fail(const absl::Status& status);

  const CampaignOptions& options_;
  FindingStore store_;
  Clock::time_point start_ = Clock::now();
  std::atomic<int64_t> next_number_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  CampaignStatus status_;
  std::set<int64_t> done_;  // beyond status_.next
  Cells cells_;
  absl::Status failure_;
};

std::string StatePath(const CampaignOptions& options) { return options.out + "/state.json"; }

absl::Status Campaign::Begin() {
  std::error_code error;
  std::filesystem::create_directories(options_.out, error);
  if (error) return absl::InternalError(absl::StrCat(options_.out, ": ", error.message()));
  status_.jobs = options_.jobs;
  if (!options_.resume) return SaveState();
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(StatePath(options_)));
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json["seed"].is_number_unsigned() || !json["next"].is_number_integer()) {
    return InvalidInput(StatePath(options_), ": expected seed and next");
  }
  if (json["seed"].get<uint64_t>() != options_.seed) {
    return InvalidInput(StatePath(options_), ": a campaign of seed ", json["seed"].get<uint64_t>(),
                        ", not ", options_.seed);
  }
  status_.next = json["next"].get<int64_t>();
  next_number_ = status_.next;
  return store_.Load();
}

bool Campaign::Over() const {
  if (failed_ || options_.stop()) return true;
  double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  return options_.seconds_max > 0 && seconds >= options_.seconds_max;
}

void Campaign::Fail(const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  failure_.Update(status);
  failed_ = true;
}

void Campaign::Work() {
  auto engines = StartEngines(options_.backends);
  if (!engines.ok()) return Fail(engines.status());
  while (!Over()) {
    int64_t number = next_number_++;
    if (options_.modules_max > 0 && number >= options_.modules_max) return;
    TryModule(number, *engines);
  }
}

Generated Campaign::Make(int64_t number) const {
  constexpr int64_t kInvalidEvery = 12;
  std::optional<Stream> stream = options_.stream;
  if (!stream && number % kInvalidEvery == kInvalidEvery - 1) stream = Stream::kNegative;
  if (!stream) return GenerateNumbered(options_.seed, static_cast<uint64_t>(number), options_.generator);
  SeedSource choose(options_.seed, static_cast<uint64_t>(number));
  GeneratorOptions generator = options_.generator;
  generator.stream = *stream;
  return Generate(choose, generator);
}

void Campaign::TryModule(int64_t number, Engines& engines) {
  Generated generated = Make(number);
  absl::Status verified = VerifyModule(*generated.module);
  TrialOptions trial = options_.trial;
  trial.invalid = !generated.broken_rule.empty();
  bool as_meant = trial.invalid ? RuleOf(verified) == generated.broken_rule : verified.ok();
  Sample sample = {generated.module->Clone(), generated.arguments};
  std::string origin = absl::StrCat("seed ", options_.seed, ", module ", number, ", stream ",
                                    StreamName(generated.stream));
  std::vector<TrialResult> results;
  if (!as_meant) {
    absl::Status stored = store_.AddGeneratorDefect(sample, verified, origin);
    if (!stored.ok()) Fail(stored);
  }
  for (size_t e = 0; as_meant && e < engines.tested.size(); ++e) {
    FoundBy found = {options_.backends[e], engines.tested[e].get(), engines.reference.get(), origin, trial};
    if (options_.twins > 0 && !trial.invalid) {
      TryTwins(number, sample, found, results);
      continue;
    }
    Judged(sample, RunTrial(sample, *found.engine, trial, false), found, results);
  }
  Count(generated, as_meant, results);
  Done(number);
}

void Campaign::Judged(const Sample& sample, TrialResult result, const FoundBy& found,
                      std::vector<TrialResult>& results) {
  result.verdict.seed = options_.seed;
  if (CountsAsFinding(result.verdict.kind)) {
    absl::Status stored = store_.Add(sample, result, found, [this] { return Over(); });
    if (!stored.ok()) Fail(stored);
  }
  results.push_back(std::move(result));
}

void Campaign::TryTwins(int64_t number, const Sample& sample, const FoundBy& found,
                        std::vector<TrialResult>& results) {
  const TrialOptions& trial = found.trial;
  RunOutcome outcome =
      RunModule(*found.engine, *sample.module, DevicesOf(sample, trial), sample.Request());
  if (outcome.kind != OutcomeKind::kValues) {
    return Judged(sample, JudgeTrial(sample, outcome, *found.engine, trial, false), found, results);
  }
  SeedSource choose(~options_.seed, static_cast<uint64_t>(number));
  for (int i = 0; i < options_.twins; ++i) {
    auto drawn = DrawTwin(*sample.module, sample.arguments, choose);
    if (!drawn.ok()) return Fail(drawn.status());
    if (!*drawn) return;
    Sample twin = {std::move((*drawn)->module), std::move((*drawn)->arguments)};
    FoundBy by_twin = found;
    absl::StrAppend(&by_twin.origin, ", twin ", (*drawn)->recipe.ToText());
    TwinTrial tried = RunTwin(sample, outcome, twin, *found.engine, trial);
    Judged(tried.of_twin ? twin : sample, std::move(tried.result), by_twin, results);
    std::lock_guard<std::mutex> lock(mutex_);
    ++status_.twins;
    status_.twins_judged += !tried.same;
  }
}

void Campaign::Count(const Generated& generated, bool valid, const std::vector<TrialResult>& results) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++status_.modules;
  status_.valid += valid;
  status_.instructions += CountInstructions(*generated.module);
  AddCells(*generated.module, cells_);
  for (const TrialResult& result : results) {
    const Verdict& verdict = result.verdict;
    ++status_.verdicts[std::string(VerdictName(verdict.kind))];
    status_.elements += static_cast<double>(verdict.elements);
    status_.bits_checked += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
    status_.CountLittleSaid(verdict);
  }
}

void Campaign::Done(int64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  done_.insert(number);
  while (!done_.empty() && *done_.begin() == status_.next) {
    done_.erase(done_.begin());
    ++status_.next;
  }
}

CampaignStatus Campaign::Status() {
  std::lock_guard<std::mutex> lock(mutex_);
  status_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  status_.cells = static_cast<int64_t>(cells_.size());
  status_.buckets = store_.buckets();
  status_.known = store_.known();
  return status_;
}

absl::Status Campaign::SaveState() {
  nlohmann::ordered_json json;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    json["seed"] = options_.seed;
    json["next"] = status_.next;
  }
  return WriteFile(StatePath(options_), json.dump() + "\n");
}

}  // namespace

void CampaignStatus::CountLittleSaid(const Verdict& verdict) {
  unspecified += static_cast<double>(verdict.unspecified_elements);
  below_two_bits += static_cast<double>(ElementsBelowTwoBits(verdict));
  for (const auto& [precision, quarters] : verdict.effective_quarters) {
    floats += static_cast<double>(std::accumulate(quarters.begin(), quarters.end(), int64_t{0}));
  }
}

std::string CampaignStatus::ToJson() const {
  nlohmann::ordered_json json;
  json["modules"] = modules;
  json["seconds"] = seconds;
  json["jobs"] = jobs;
  json["valid"] = valid;
  json["instructions_mean"] = modules == 0 ? 0.0 : static_cast<double>(instructions) / static_cast<double>(modules);
  json["verdicts"] = nlohmann::ordered_json(verdicts);
  json["cells"] = cells;
  json["buckets"] = buckets;
  auto count = verdicts.find("inconclusive");
  json["inconclusive"] = count == verdicts.end() ? 0 : count->second;
  json["bits_checked_mean"] = elements == 0 ? 0.0 : bits_checked / elements;
  json["unspecified_share"] = elements == 0 ? 0.0 : unspecified / elements;
  json["below_two_bits_share"] = floats == 0 ? 0.0 : below_two_bits / floats;
  json["known"] = known;
  if (twins > 0) json["twins"] = twins, json["twins_judged"] = twins_judged;
  return json.dump();
}

std::string CampaignStatus::ToText() const {
  std::string text = absl::StrFormat("%d modules in %.0f s (%.1f/s), %d valid, %d cells, %d buckets, %d known;", modules,
                                     seconds, seconds > 0 ? static_cast<double>(modules) / seconds : 0.0, valid,
                                     cells, buckets, known);
  for (const auto& [word, count] : verdicts) absl::StrAppend(&text, " ", count, " ", word);
  if (twins > 0) absl::StrAppend(&text, "; ", twins, " twins, ", twins_judged, " judged");
  return text;
}

absl::StatusOr<CampaignStatus> RunCampaign(const CampaignOptions& options,
                                           const std::function<void(const CampaignStatus&)>& tick) {
  Campaign campaign(options);
  HLOCTS_RETURN_IF_ERROR(campaign.Begin());
  std::vector<std::thread> threads;
  std::atomic<int> running{options.jobs};
  for (int job = 0; job < options.jobs; ++job) {
    threads.emplace_back([&] {
      campaign.Work();
      --running;
    });
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
  tick(status);
  return status;
}

}  // namespace hlocts

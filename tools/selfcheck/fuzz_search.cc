// SPDX-License-Identifier: Apache-2.0
// The search: one stream of modules, all faults that are not yet found.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "backends/selftest/faults/fault.h"
#include "fuzz/campaign/twin_trial.h"
#include "fuzz/triage/failure_signature.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/infer/verifier.h"
#include "spec/ir/surgery.h"
#include "tools/bench/processor_time.h"
#include "tools/selfcheck/fuzz_check.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

// What the searching process was about to do, in memory that outlives it.
struct Progress {
  int64_t steps = 0;   // grows with each trial
  int64_t number = 0;  // of the module
  int64_t fault = -1;  // index, -1: between faults
  double seconds = 0;  // of a campaign until this module
};

struct Planted {
  size_t index;  // into the records
  const backends::Fault* fault;
  std::unique_ptr<backends::Backend> engine;
};

// With every array of the entry as an output: where a fault changes none of them, the pieces of the
// module are right as well.
fuzz::Sample WithPieces(const fuzz::Sample& sample) {
  return sample.module->entry()->root()->shape().IsArray() ? fuzz::WithAllValues(sample)
                                                           : sample.Clone();
}

class Search {
 public:
  Search(const FuzzCheckOptions& options, Progress& progress, std::FILE* out)
      : options_(options),
        progress_(progress),
        out_(out),
        reference_(*backends::MakeInProcessBackend("reference")) {}

  void Add(size_t index, const std::string& id) {
    planted_.push_back(
        {index, backends::FindFault(id), *backends::MakeInProcessBackend("canary:" + id)});
  }

  void Run() {
    for (; !planted_.empty() && progress_.seconds < options_.seconds; ++progress_.number) {
      double before = OwnSeconds();
      generators::Generated generated = fuzz::CampaignModule(options_.campaign, progress_.number);
      fuzz::Sample sample = {std::move(generated.module), std::move(generated.arguments)};
      fuzz::TrialOptions trial = options_.campaign.trial;
      trial.invalid = !VerifyModule(*sample.module).ok();
      fuzz::RunTrial(sample, *reference_, trial, false);
      double taken = OwnSeconds() - before;
      TryAll(sample, trial);
      progress_.seconds += taken;
    }
  }

 private:
  void TryAll(const fuzz::Sample& sample, const fuzz::TrialOptions& trial) {
    fuzz::Sample all = trial.invalid ? sample.Clone() : WithPieces(sample);
    backends::RunOutcome right;
    if (!trial.invalid) right = fuzz::RunSample(all, *reference_, trial);
    for (size_t i = 0; i < planted_.size();) {
      progress_.fault = static_cast<int64_t>(planted_[i].index);
      ++progress_.steps;
      bool found = Finds(planted_[i], sample, all, right, trial);
      progress_.fault = -1;
      if (found) planted_.erase(planted_.begin() + static_cast<std::ptrdiff_t>(i));
      if (!found) ++i;
    }
  }

  bool Finds(Planted& planted, const fuzz::Sample& sample, const fuzz::Sample& all,
             const backends::RunOutcome& right, const fuzz::TrialOptions& trial) {
    const backends::Fault& fault = *planted.fault;
    if (trial.invalid ? fault.forgotten_rule.empty() : !backends::AppliesTo(fault, *sample.module))
      return false;
    // Faults of the outputs see the outputs that the module has.
    if (!trial.invalid && right.kind != backends::OutcomeKind::kValues) return false;
    if (!trial.invalid && !fault.outputs) {
      backends::RunOutcome outcome = fuzz::RunSample(all, *planted.engine, trial);
      bool same = outcome.kind == backends::OutcomeKind::kValues &&
                  fuzz::SameOutputs(right.result.outputs, outcome.result.outputs);
      if (same) return false;
    }
    double before = OwnSeconds();
    reports::Verdict verdict = fuzz::RunTrial(sample, *planted.engine, trial, false).verdict;
    if (!fuzz::CountsAsFinding(verdict.kind)) return false;
    Json line = {{"index", planted.index},
                 {"number", progress_.number},
                 {"seconds", progress_.seconds + OwnSeconds() - before},
                 {"verdict", reports::VerdictName(verdict.kind)}};
    std::fprintf(out_, "%s\n", JsonText(line).c_str());
    std::fflush(out_);
    return true;
  }

  const FuzzCheckOptions& options_;
  Progress& progress_;
  std::FILE* out_;
  std::unique_ptr<backends::Backend> reference_;
  std::vector<Planted> planted_;
};

// One of the processes that share the faults; started again behind a fault that ended it.
class SearchProcess {
 public:
  SearchProcess(const std::vector<std::string>& ids, std::vector<FuzzRecord>& records,
                const FuzzCheckOptions& options, std::set<size_t> mine)
      : ids_(ids),
        records_(records),
        options_(options),
        open_(std::move(mine)),
        out_(std::tmpfile()) {
    void* memory =
        mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    HLOCTS_CHECK(memory != MAP_FAILED && out_ != nullptr);
    progress_ = new (memory) Progress();
  }

  void Start() {
    pid_ = fork();
    HLOCTS_CHECK(pid_ >= 0);
    seen_ = -1;
    if (pid_ > 0) return;
    std::fseek(out_, 0, SEEK_END);
    Search search(options_, *progress_, out_);
    for (size_t index : open_) search.Add(index, ids_[index]);
    search.Run();
    _exit(0);
  }

  // True when the search is over.
  bool Poll() {
    constexpr auto kHangs = std::chrono::seconds(60);
    auto now = std::chrono::steady_clock::now();
    if (progress_->steps != seen_) seen_ = progress_->steps, since_ = now;
    bool hangs = now - since_ > kHangs;
    if (hangs) kill(pid_, SIGKILL);
    int status = 0;
    if (waitpid(pid_, &status, hangs ? 0 : WNOHANG) != pid_) return false;
    ReadFound();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Close();
    // What was being tried ended the process: found, in its own way.
    HLOCTS_CHECK(progress_->fault >= 0);
    size_t index = static_cast<size_t>(progress_->fault);
    Found(index, progress_->number, progress_->seconds, hangs ? "timeout" : "crash");
    progress_->fault = -1;
    Start();
    return false;
  }

 private:
  void Found(size_t index, int64_t number, double seconds, const std::string& verdict) {
    FuzzRecord& record = records_[index];
    record.found = true, record.number = number, record.seconds = seconds, record.verdict = verdict;
    open_.erase(index);
  }
  void ReadFound() {
    std::fseek(out_, 0, SEEK_SET);
    char line[1024];
    while (std::fgets(line, sizeof(line), out_)) {
      Json json = ParseJson<Json>(line);
      Found(json["index"].get<size_t>(), json["number"].get<int64_t>(),
            json["seconds"].get<double>(), json["verdict"].get<std::string>());
    }
  }
  bool Close() {
    for (size_t index : open_) {
      records_[index].number = progress_->number, records_[index].seconds = progress_->seconds;
    }
    std::fclose(out_);
    munmap(progress_, sizeof(Progress));
    return true;
  }

  const std::vector<std::string>& ids_;
  std::vector<FuzzRecord>& records_;
  const FuzzCheckOptions& options_;
  std::set<size_t> open_;
  std::FILE* out_;
  Progress* progress_;
  pid_t pid_ = 0;
  int64_t seen_ = -1;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace

fuzz::CampaignOptions PlantedCampaign(uint64_t seed) {
  fuzz::CampaignOptions campaign;
  campaign.seed = seed;
  campaign.trial.cut = 4;
  campaign.generator.replicas_max = 4;
  campaign.trial.load = BoundedLoad();
  return campaign;
}

std::vector<FuzzRecord> SearchFaults(const std::vector<std::string>& ids,
                                     const FuzzCheckOptions& options) {
  std::vector<FuzzRecord> records(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    records[i].fault = ids[i];
    if (const backends::Fault* fault = backends::FindFault(ids[i]))
      records[i].fault_class = std::string(backends::FaultClassName(fault->fault_class));
  }
  std::vector<std::unique_ptr<SearchProcess>> running;
  for (int job = 0; job < options.jobs; ++job) {
    std::set<size_t> mine;
    for (size_t i = static_cast<size_t>(job); i < ids.size();
         i += static_cast<size_t>(options.jobs))
      mine.insert(i);
    if (mine.empty()) continue;
    running.push_back(std::make_unique<SearchProcess>(ids, records, options, std::move(mine)));
    running.back()->Start();
  }
  while (!running.empty()) {
    usleep(20'000);
    for (size_t i = 0; i < running.size();) {
      if (running[i]->Poll()) {
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }
  return records;
}

}  // namespace hlocts::tools

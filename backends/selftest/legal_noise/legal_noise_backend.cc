// SPDX-License-Identifier: Apache-2.0
// The engine legal-noise, which is never wrong and rarely equal to the reference. A failure of it
// is a defect of the judge.
#include "absl/strings/numbers.h"
#include "backends/adapters/reference/reference_run.h"
#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "spec/base/version.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/targets/targets.h"

namespace hlocts::backends {
namespace {

class NoiseExecutable : public Executable {
 public:
  NoiseExecutable(std::unique_ptr<Module> module, const LoadOptions& options, uint64_t seed,
                  Profile profile, TargetFacts facts, bool typical, int64_t partitions)
      : module_(std::move(module)),
        options_(options),
        seed_(seed),
        profile_(profile),
        facts_(std::move(facts)),
        typical_(typical),
        partitions_(partitions) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    NoiseHook hook(seed_, profile_, facts_, typical_, partitions_);
    return RunHooked(*module_, options_, request, &hook);
  }

 private:
  std::unique_ptr<Module> module_;
  LoadOptions options_;
  uint64_t seed_;
  Profile profile_;
  TargetFacts facts_;
  bool typical_;
  int64_t partitions_;
};

class NoiseBackend : public Backend {
 public:
  NoiseBackend(std::string name, uint64_t seed, Profile profile, std::vector<std::string> facts,
               bool typical, int64_t partitions)
      : name_(std::move(name)),
        seed_(seed),
        profile_(profile),
        facts_(std::move(facts)),
        typical_(typical),
        partitions_(partitions) {}

  BackendInfo info() override {
    BackendInfo info;
    info.name = name_;
    info.version = kVersion;
    info.capabilities = {"execute",     "verify",     "replicas",  "infeed",
                         "custom-call", "our-parser", "partitions"};
    // Random bits equal the reference's. The engine uses every other freedom.
    info.facts = facts_;
    info.facts.push_back("rng.xla_layout");
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    TargetFacts facts;
    for (const std::string& fact : facts_) HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, facts));
    return std::unique_ptr<Executable>(std::make_unique<NoiseExecutable>(
        module.Clone(), options, seed_, profile_, std::move(facts), typical_, partitions_));
  }

 private:
  std::string name_;
  uint64_t seed_;
  Profile profile_;
  std::vector<std::string> facts_;
  bool typical_;
  int64_t partitions_;
};

// Parses the option `facts`. Rejects facts that limit the depth of sums, since this engine makes
// sums of any depth.
absl::StatusOr<std::vector<std::string>> FactsOfOption(const std::string& text) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> facts, FactsOfWords(text));
  for (const std::string& fact : facts) {
    TargetFacts scratch;
    HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, scratch));
    if (scratch.reduce_height || scratch.dot_height) {
      return InvalidInput("legal-noise: facts: it makes chains of any length, found ", fact);
    }
  }
  return facts;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeLegalNoiseBackend(BackendName name) {
  std::string seed_text = name.TakeOption("seed"), profile_text = name.TakeOption("profile");
  uint64_t seed = 1;
  if (!seed_text.empty() && !absl::SimpleAtoi(seed_text, &seed)) {
    return InvalidInput("backend \"", name.text, "\": seed: expected a number, found ", seed_text);
  }
  auto profile = ProfileFromName(profile_text.empty() ? "default" : profile_text);
  if (!profile) {
    return InvalidInput("backend \"", name.text,
                        "\": profile: expected strict, default or relaxed, found ", profile_text);
  }
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> facts, FactsOfOption(name.TakeOption("facts")));
  const bool typical = name.TakeOption("typical") == "1";
  const std::string partitions_text = name.TakeOption("partitions");
  int64_t partitions = 1;
  if (!partitions_text.empty() &&
      (!absl::SimpleAtoi(partitions_text, &partitions) || partitions < 1)) {
    return InvalidInput("backend \"", name.text,
                        "\": partitions: expected a positive number, found ", partitions_text);
  }
  if (!name.options.empty()) {
    return InvalidInput(
        "backend \"", name.text,
        "\": expected seed, profile, facts, typical, partitions or isolation, found ",
        name.options[0].first);
  }
  return std::unique_ptr<Backend>(std::make_unique<NoiseBackend>(
      name.text, seed, *profile, std::move(facts), typical, partitions));
}

}  // namespace hlocts::backends

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

struct NoiseOptions {
  uint64_t seed = 1;
  Profile profile = Profile::kDefault;
  std::vector<std::string> facts;
  bool typical = false;
  int64_t partitions = 1;
};

class NoiseExecutable : public Executable {
 public:
  NoiseExecutable(std::unique_ptr<Module> module, const LoadOptions& options, NoiseOptions noise,
                  TargetFacts facts)
      : module_(std::move(module)),
        options_(options),
        noise_(std::move(noise)),
        facts_(std::move(facts)) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    NoiseHook hook(noise_.seed, noise_.profile, facts_, noise_.typical, noise_.partitions);
    return RunHooked(*module_, options_, request, &hook);
  }

 private:
  std::unique_ptr<Module> module_;
  LoadOptions options_;
  NoiseOptions noise_;
  TargetFacts facts_;
};

class NoiseBackend : public Backend {
 public:
  NoiseBackend(std::string name, NoiseOptions noise)
      : name_(std::move(name)), noise_(std::move(noise)) {}

  BackendInfo info() override {
    BackendInfo info{.name = name_, .version = kVersion};
    info.capabilities = {"execute",     "verify",     "replicas",  "infeed",
                         "custom-call", "our-parser", "partitions"};
    // Random bits equal the reference's. The engine uses every other freedom.
    info.facts = noise_.facts;
    info.facts.push_back("rng.xla_layout");
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    TargetFacts facts;
    for (const std::string& fact : noise_.facts) HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, facts));
    return std::make_unique<NoiseExecutable>(module.Clone(), options, noise_, std::move(facts));
  }

 private:
  std::string name_;
  NoiseOptions noise_;
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
  NoiseOptions noise;
  const std::string seed_text = name.TakeOption("seed");
  if (!seed_text.empty() && !absl::SimpleAtoi(seed_text, &noise.seed)) {
    return InvalidInput("backend \"", name.text, "\": seed: expected a number, found ", seed_text);
  }
  const std::string profile_text = name.TakeOption("profile");
  const auto profile = ProfileFromName(profile_text.empty() ? "default" : profile_text);
  if (!profile) {
    return InvalidInput("backend \"", name.text,
                        "\": profile: expected strict, default or relaxed, found ", profile_text);
  }
  noise.profile = *profile;
  HLOCTS_ASSIGN_OR_RETURN(noise.facts, FactsOfOption(name.TakeOption("facts")));
  noise.typical = name.TakeOption("typical") == "1";
  const std::string partitions = name.TakeOption("partitions");
  if (!partitions.empty() &&
      (!absl::SimpleAtoi(partitions, &noise.partitions) || noise.partitions < 1)) {
    return InvalidInput("backend \"", name.text,
                        "\": partitions: expected a positive number, found ", partitions);
  }
  if (!name.options.empty()) {
    return InvalidInput(
        "backend \"", name.text,
        "\": expected seed, profile, facts, typical, partitions or isolation, found ",
        name.options[0].first);
  }
  return std::make_unique<NoiseBackend>(name.text, std::move(noise));
}

}  // namespace hlocts::backends

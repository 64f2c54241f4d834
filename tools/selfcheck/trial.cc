// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/trial.h"

#include <utility>

#include "backends/backend_list.h"
#include "generators/module_generator.h"
#include "spec/infer/verifier.h"
#include "spec/ops/partitions.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"

namespace hlocts::tools {

// Limits the steps: a loop that a fault makes endless must not delay the other trials.
backends::LoadOptions BoundedLoad() {
  backends::LoadOptions load;
  load.steps_max = 20'000;
  load.memory_bytes_max = int64_t{1} << 30;
  return load;
}

namespace {

absl::Status Prepare(const suites::Case& one, Trial& trial) {
  HLOCTS_ASSIGN_OR_RETURN(trial.module, ParseModule(one.module_text));
  HLOCTS_RETURN_IF_ERROR(VerifyModule(*trial.module));
  trial.load = suites::LoadOptionsOf(one, *trial.module, BoundedLoad());
  HLOCTS_ASSIGN_OR_RETURN(trial.request, suites::MakeRequest(one, *trial.module, trial.load));
  return absl::OkStatus();
}

}  // namespace

std::vector<Trial> TrialsOfCases(const std::vector<suites::Case>& cases, int64_t& left_out) {
  std::vector<Trial> trials;
  auto reference = backends::MakeInProcessBackend("reference");
  HLOCTS_CHECK(reference.ok());
  for (const suites::Case& one : cases) {
    Trial trial{.name = one.address, .one = &one, .valid = one.reject_rule.empty()};
    if (!trial.valid) {
      auto module = ParseModule(one.module_text);
      trial.load = BoundedLoad();
      if (module.ok()) {
        trial.module = *std::move(module);
        trials.push_back(std::move(trial));
      }
      continue;
    }
    if (!Prepare(one, trial).ok()) {
      ++left_out;
      continue;
    }
    backends::RunOutcome outcome =
        backends::RunModule(**reference, *trial.module, trial.load, trial.request);
    if (!outcome.has_values()) {
      ++left_out;
      continue;
    }
    trial.expected = std::move(outcome.result);
    trials.push_back(std::move(trial));
  }
  return trials;
}

Trial GeneratedTrial(uint64_t seed, uint64_t number) {
  static backends::Backend& reference = *backends::MakeInProcessBackend("reference")->release();
  Trial trial;
  trial.name = absl::StrCat("generated:", seed, ":", number);
  generators::Generated generated =
      generators::GenerateNumbered(seed, number, generators::GeneratorOptions());
  trial.module = std::move(generated.module);
  trial.load = BoundedLoad();
  trial.load.replicas = trial.module->replica_count;
  trial.load.partitions = ArgumentPartitions(*trial.module);
  trial.request.arguments.assign(static_cast<size_t>(trial.load.replicas * trial.load.partitions),
                                 generated.arguments);
  backends::RunOutcome outcome =
      backends::RunModule(reference, *trial.module, trial.load, trial.request);
  trial.valid = outcome.has_values();
  trial.expected = std::move(outcome.result);
  return trial;
}

std::vector<Trial> GeneratedTrials(uint64_t seed, int64_t count) {
  std::vector<Trial> trials;
  for (int64_t i = 0; i < count; ++i) {
    Trial trial = GeneratedTrial(seed, static_cast<uint64_t>(i));
    if (trial.valid) trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace hlocts::tools

// SPDX-License-Identifier: Apache-2.0
// Runs a campaign: generates numbered modules, runs each on every engine, judges the results,
// shrinks failures, assigns them to buckets and stores bundles.
//
// The seed and the number of a module identify a finding: they yield the same module on every
// machine, for any --jobs. A new field of CampaignStatus also belongs in ToJson (CONTRACT.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/triage/trial.h"
#include "generators/module_generator.h"

namespace hlocts::fuzz {

// The expectation that explains a failure.
struct KnownBy {
  std::string signature, link, clause, reason;
  bool memory = false;  // Expectation::memory
};

struct CampaignOptions {
  std::vector<std::string> backends;
  uint64_t seed = 1;
  int64_t modules_max = 0;  // 0: unlimited
  // Runs only the module with this number.
  std::optional<int64_t> only;
  double seconds_max = 0;  // 0: unlimited; trials in progress are aborted a second later
  int jobs = 1;
  bool resume = false;   // continue from state.json in `out`, if it exists
  bool restart = false;  // rename an existing campaign, which is an error if both are false
  std::string out;       // directory for bundles, findings.jsonl, undecided.jsonl and state.json
  TrialOptions trial;
  generators::GeneratorOptions generator;
  std::optional<generators::Stream> stream;  // nullopt: all streams
  // If above 1, every module has shardings for this many devices or a divisor of this number.
  int64_t partitions_max = 1;
  bool guided = false;  // use the weights of coverage.h
  // If above 0, each valid module runs together with this many metamorphic variants. Results are
  // judged only if an engine returns different values for a variant.
  int variants = 0;
  int shrink_evaluations = 400;  // number of trials per finding; 0: store without shrinking
  double shrink_seconds = 60;    // per finding
  // Runs all modules before any is shrunk. Shrinking begins in the last third of the time or when
  // all modules have run. Until then, failures are stored unshrunk.
  bool shrink_last = false;
  std::function<bool()> stop = [] { return false; };
  // Returns the expectation that explains the failure. An explained failure is counted, but neither
  // shrunk nor stored. `needs` (failure_traits.h) is null for an unshrunk failure.
  using Known = std::optional<KnownBy>(const std::string& signature,
                                       const reports::Verdict& verdict,
                                       const std::set<std::string>* needs);
  std::function<Known> known = [](const auto&...) { return std::nullopt; };
};

// Returns true for a verdict that is neither a pass nor a finding although the module ran. Modules
// with such a verdict are listed in undecided.jsonl.
inline bool IsUndecided(Outcome kind) {
  return IsInconclusive(kind) || kind == Outcome::kSuspect || kind == Outcome::kNanBits;
}

// Numbers of failures of this run: those that are a new finding, repeat an earlier failure, or are
// known, and the failures of earlier runs that are known now.
struct FailureCounts {
  int64_t fresh = 0, repeated = 0, known = 0, known_earlier = 0;
};

struct CampaignStatus {
  bool resumed = false;  // true: earlier runs found some of the buckets
  bool only = false;     // true: the campaign is one module
  int64_t modules = 0;   // of this run: generated, and judged on every engine
  double seconds = 0;    // duration of this run
  int jobs = 1;
  // Seconds of this run, summed over its jobs: those spent waiting for engines, and those spent on
  // failures (cutting, shrinking, writing).
  double engine_seconds = 0, failure_seconds = 0;
  int64_t valid = 0;  // modules whose validity is the one that the generator intended
  int64_t instructions = 0;
  std::map<std::string, int64_t> verdicts;  // by name
  int64_t cells = 0;
  int64_t buckets = 0;  // new findings of all runs: buckets that no expectation explains
  FailureCounts failures;
  int64_t not_shrunk = 0;                 // buckets stored unshrunk for lack of time
  double elements = 0, bits_checked = 0;  // sums over verdicts
  int64_t variants = 0;                   // metamorphic variants that ran
  int64_t variants_judged = 0;            // variants whose outputs differ from the original's

  double unspecified = 0;                 // elements for which any value is accepted
  double barely_checked = 0;              // unspecified, or fewer than two bits checked
  double floats = 0, below_two_bits = 0;  // float elements; fewer than two bits checked

  bool ended = false;  // true: this is the final status of the campaign
  std::string recipe;  // the result of RecipeOf

  void CountVerdict(const reports::Verdict& verdict);
  std::string ToJson() const;  // one line (CONTRACT.md)
  std::string ToText() const;
};

// Returns module `number` of the campaign. Every twelfth module is invalid (negative stream). Every
// seventh may have replicas if the generator's options allow more than one replica.
generators::Generated CampaignModule(const CampaignOptions& options, int64_t number);
// Returns the options that, with the seed, determine the modules.
std::string RecipeOf(const CampaignOptions& options);
// Returns the stream of a module, e.g. "stream defined (drawn, no --stream)".
std::string StreamText(const CampaignOptions& options, generators::Stream stream);
// Returns the element types that no module uses, separated by `between`, e.g. ", without s1,u1".
// Returns "" if all types are used.
std::string WithoutOf(const CampaignOptions& options, const char* between);

// Runs a campaign. Calls `tick` about once a second and at the end. Returns an error if an engine
// cannot be started, a directory cannot be written, or a stored state has another seed or recipe.
absl::StatusOr<CampaignStatus> RunCampaign(const CampaignOptions& options,
                                           const std::function<void(const CampaignStatus&)>& tick);

}  // namespace hlocts::fuzz

// SPDX-License-Identifier: Apache-2.0
// A campaign: modules by number, each on every engine, judged; failures shrunk, sorted into buckets
// and stored as bundles.
//
// A finding is a seed and a number: they give the same module on every machine, whatever --jobs. A
// new count also appears in the last JSON line (CONTRACT.md).
#ifndef HLOCTS_FUZZ_CAMPAIGN_CAMPAIGN_H_
#define HLOCTS_FUZZ_CAMPAIGN_CAMPAIGN_H_

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

struct CampaignOptions {
  std::vector<std::string> backends;
  uint64_t seed = 1;
  int64_t modules_max = 0;  // 0: no end
  // One module of the campaign, by its number, and none beside it.
  std::optional<int64_t> only;
  double seconds_max = 0;  // 0: no end; what has begun by then is given up a second later
  int jobs = 1;
  bool resume = false;   // continues from state.json in `out`, if it exists
  bool restart = false;  // moves an existing campaign aside; it is an error without either flag
  std::string out;       // directory of bundles, findings.jsonl and state.json
  TrialOptions trial;
  generators::GeneratorOptions generator;
  std::optional<generators::Stream> stream;  // one stream only
  // Above 1: every module is annotated for this many devices or a divisor of them.
  int64_t partitions_max = 1;
  bool guided = false;  // drawn with the weights of guide.h
  // Above 0: the metamorphic lane. Each valid module runs with this many metamorphic variants, and
  // is judged only if an engine treats them differently.
  int twins = 0;
  int shrink_evaluations = 400;  // of one finding; 0: findings are stored unshrunk
  double shrink_seconds = 60;    // of one finding
  // Runs all modules first: failures are stored unshrunk, and shrunk in the last third of the time
  // or once no modules are left.
  bool shrink_last = false;
  std::function<bool()> stop = [] { return false; };
  // An explained failure of that engine: counted, no bundle. `needs` (failure_traits.h) of the
  // shrunk module; null before: what is explained without them is not shrunk.
  using Known = bool(const std::string& signature, const reports::Verdict& verdict,
                     const std::set<std::string>* needs);
  std::function<Known> known = [](const auto&...) { return false; };
};

struct CampaignStatus {
  int64_t modules = 0;  // generated and, on every engine, judged
  double seconds = 0;   // of this run
  int jobs = 1;
  // Time of this run, summed over its jobs: waiting for engines, and work on failures (cutting,
  // shrinking, writing).
  double engine_seconds = 0, failure_seconds = 0;
  int64_t valid = 0;  // modules that the verifier judged as the generator meant them
  int64_t instructions = 0;
  std::map<std::string, int64_t> verdicts;  // by word
  int64_t cells = 0;
  int64_t buckets = 0;                    // new ones: not known
  int64_t known = 0;                      // findings that an expectation explains
  int64_t not_shrunk = 0;                 // buckets stored unshrunk, for lack of time
  double elements = 0, bits_checked = 0;  // sums over verdicts
  int64_t twins = 0;                      // of the metamorphic lane
  int64_t twins_judged = 0;               // those with other outputs than their module's

  double unspecified = 0;                 // elements of which any value is accepted
  double hardly_checked = 0;              // those, or with fewer than two effective bits
  double floats = 0, below_two_bits = 0;  // floating-point elements; those with few effective bits

  bool ended = false;  // the last one that a campaign tells
  // The options that, with the seed, determine the module of a number.
  std::string recipe;

  void CountVerdict(const reports::Verdict& verdict);
  std::string ToJson() const;  // one line, by contract
  std::string ToText() const;
};

// Module `number` of the campaign: every twelfth is of the negative stream, every eighth may have
// replicas where the generator's options allow more than one.
generators::Generated CampaignModule(const CampaignOptions& options, int64_t number);
// The options that, with the seed, determine the module of a number.
std::string RecipeOf(const CampaignOptions& options);
// ", without s1 u1": the element types that no module has; "" for none.
std::string WithoutOf(const CampaignOptions& options);

// `tick` is called about once a second and once at the end. Errors: an engine that cannot be
// started, a folder that cannot be written, a state of another seed.
absl::StatusOr<CampaignStatus> RunCampaign(const CampaignOptions& options,
                                           const std::function<void(const CampaignStatus&)>& tick);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_CAMPAIGN_H_

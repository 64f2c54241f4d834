// SPDX-License-Identifier: Apache-2.0
// Measures cost and coverage of a campaign (results/bench/fuzz.txt). Seconds: processor time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

struct RateRow {
  int64_t modules = 0, valid = 0;
  double seconds = 0;
  double instructions_mean = 0, bits_checked_mean = 0, inconclusive_share = 0;
  double Rate() const { return seconds > 0 ? static_cast<double>(modules) / seconds : 0; }
};

// Generates and verifies modules of the campaign `seed`.
RateRow BenchGenerate(uint64_t seed, double seconds, int64_t modules_max);
// Like BenchGenerate, but also runs the modules on `backend` and judges them, as `hlocts fuzz`
// does. The measured time includes that of the workers.
absl::StatusOr<RateRow> BenchDifferential(const std::string& backend, uint64_t seed,
                                          double seconds);

// The cost of generating, running and judging modules that pass: the time of this process, and of
// the engine's worker, which includes reading requests and writing replies.
struct HarnessRow {
  int64_t modules = 0;
  double own_seconds = 0, worker_seconds = 0;
};
absl::StatusOr<HarnessRow> BenchHarness(const std::string& backend, uint64_t seed, int64_t modules);

struct ReachRow {
  int64_t modules = 0;
  int64_t cells = 0;                      // operation x types x ranks x class of attributes
  int64_t typed = 0, typed_legal = 0;     // operation x type
  int64_t pairs = 0, pairs_possible = 0;  // producer x consumer
  std::string typed_missing;              // " operation/type" for each missing pair
  std::string pairs_missing;              // " producer:consumer,consumer" for each producer
};
// Returns the coverage after generating and verifying for each of these numbers of seconds.
std::vector<ReachRow> BenchReach(uint64_t seed, const std::vector<double>& marks);

// Numbers of cells (fuzz/campaign/coverage.h) that three methods reach in the same time. `swarm`,
// the method of campaigns: each module uses a random subset of all choices. `fixed`: each uses all.
// `guided`: `swarm` with weights that favour choices that reached new cells.
struct ArmsRow {
  double seconds = 0;
  int64_t swarm = 0, fixed = 0, guided = 0;
};
void BenchArms(uint64_t seed, const std::vector<double>& marks,
               const std::function<void(const ArmsRow&)>& at_mark);

// Returns the share of valid modules when decisions are mutated and crossed over repeatedly.
double BenchMutatedValid(uint64_t seed, double seconds);

}  // namespace hlocts::tools

// SPDX-License-Identifier: Apache-2.0
// Planted faults as engines of a campaign: how soon is each one found, and how small does it
// become?
#ifndef HLOCTS_TOOLS_SELFCHECK_FUZZ_CHECK_H_
#define HLOCTS_TOOLS_SELFCHECK_FUZZ_CHECK_H_

#include <functional>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace hlocts::tools {

struct FuzzRecord {
  std::string fault, fault_class;
  bool found = false;
  int64_t number = 0;  // the campaign's module that showed it; modules tried, when none did
  double seconds = 0;  // processor time of a campaign against this fault alone until then
  std::string verdict;
  // After shrinking; not for those that crash or hang.
  bool shrunk = false;
  std::string signature;     // the bucket
  int64_t instructions = 0;  // parameters and constants not counted
  int64_t elements = 0;      // of the largest array
  int64_t evaluations = 0;
  double shrink_seconds = 0;  // processor time
  bool drifted = false;       // blames another operation than the module that was found
  int replays = 0;            // of 3, from the bundle read again
};

struct FuzzCheckOptions {
  fuzz::CampaignOptions campaign;  // seed, stream, generator, trial
  double seconds = 60;             // processor time of each fault's campaign, at most
  int jobs = 1;
  std::string bundles;  // folder that keeps them, each by its fault's name; "": none is kept
};

// The options that `hlocts fuzz --seed=S` runs with, but for limits that a fault's endless loop
// meets.
fuzz::CampaignOptions PlantedCampaign(uint64_t seed);

// The campaigns run side by side over one stream of modules: what all of them do alike (generate,
// verify, run, judge) is done and timed once. In the order of `ids`.
std::vector<FuzzRecord> SearchFaults(const std::vector<std::string>& ids,
                                     const FuzzCheckOptions& options);
// Each record that was found: its module shrunk, stored as a bundle and replayed.
void ShrinkFound(std::vector<FuzzRecord>& records, const FuzzCheckOptions& options);

// Shares, medians and what misses the goals, in words.
std::string FuzzCheckText(const std::vector<FuzzRecord>& records, const FuzzCheckOptions& options);
bool FuzzGoalsKept(const std::vector<FuzzRecord>& records);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_FUZZ_CHECK_H_

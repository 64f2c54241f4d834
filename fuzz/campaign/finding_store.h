// SPDX-License-Identifier: Apache-2.0
// The findings of a campaign: buckets, one bundle each. Thread-safe.
#ifndef HLOCTS_FUZZ_CAMPAIGN_FINDING_STORE_H_
#define HLOCTS_FUZZ_CAMPAIGN_FINDING_STORE_H_

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fuzz/campaign/campaign.h"
#include "fuzz/triage/bucket.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/failure_signature.h"

namespace hlocts::fuzz {

// Several faults may share a signature: it is shrunk at the first occurrence, the second, the
// fourth...
inline bool IsToShrink(int64_t times_met) { return (times_met & (times_met - 1)) == 0; }
// Uncut modules look alike for many faults: the first 64 of a signature are cut, later ones as
// above.
inline bool IsToCut(int64_t times_met) { return times_met <= 64 || IsToShrink(times_met); }

// The engines and module that produced a finding.
struct FoundBy {
  std::string backend;
  backends::Backend* engine;
  backends::Backend* reference;
  std::string origin;  // for the reader
  int64_t number;      // of the module in its campaign
  TrialOptions trial;
};

class FindingStore {
 public:
  explicit FindingStore(const CampaignOptions& options) : options_(options) {}

  // Reads findings.jsonl of a campaign that is resumed.
  absl::Status Load();
  // Modules that were stored unshrunk. Their signatures count as new the next time.
  std::set<int64_t> NumbersToShrink();
  // A module whose values are wrong is cut, and each instruction that is wrong by itself is a
  // finding; otherwise the module is. A finding whose signature IsToShrink is shrunk, or stored
  // unshrunk if `stop` becomes true first; others are only counted. The smallest module of each
  // bucket is stored. Errors: of the file system.
  absl::Status Add(const Sample& sample, const TrialResult& result, const FoundBy& found,
                   const std::function<bool()>& stop);
  // A module that the verifier does not judge as the generator meant it.
  absl::Status AddGeneratorDefect(const Sample& sample, const absl::Status& verified,
                                  const std::string& origin);
  int64_t buckets();
  int64_t known();
  int64_t not_shrunk();

 private:
  struct Bucket {
    int64_t met = 0;
    int64_t instructions = 0;  // of the stored module
    std::string folder;
  };
  using Key = std::pair<std::string, std::string>;  // backend, signature or bucket
  struct Entry {                                    // one line of findings.jsonl
    Key key, met_as;
    std::string origin;
    int evaluations = 0;
    std::optional<int64_t> to_shrink;  // the module's number, if it is stored unshrunk
    bool known = false;                // shrunk, an expectation explains it: nothing is stored
    FailureTraits remains = {};        // of the module that is stored
  };
  absl::Status AddOne(const Sample& sample, const TrialResult& result, const FoundBy& found,
                      const std::function<bool()>& stop);
  int64_t CountIn(std::map<Key, int64_t>& times, const Key& key);  // this one counted
  bool ShrinkInto(Bundle& bundle, Entry& entry, const FoundBy& found,
                  const std::function<bool()>& stop);
  absl::Status Store(const Bundle& bundle, const Entry& entry);
  absl::Status CountKnown(const Entry& entry);
  // Removes a bucket that was stored unshrunk: its parts replace it, or an expectation explains it.
  absl::Status Retire(const Entry& entry);
  absl::Status CountAgain(const Key& met_as);  // one that is not shrunk this time
  void Forget(const Key& key);
  void Drop(const Key& bucket);
  // The bucket that the finding counts in; those that it takes in are dropped.
  Key BucketKeyOf(const Entry& entry);
  absl::Status Append(const Entry& entry, const Sample& sample, const std::string& folder);

  const CampaignOptions& options_;
  std::mutex mutex_;
  std::map<Key, int64_t> met_;  // how often, by signature before shrinking
  std::map<Key, int64_t> cut_;  // the same, before cutting
  std::map<Key, Bucket> buckets_;
  std::map<std::string, BucketSet> sets_;  // by backend
  std::map<Key, int64_t> to_shrink_;       // met_as of a bucket that is stored unshrunk, its number
  int64_t known_ = 0;
  std::set<Key> known_as_;  // signatures before shrinking of those
};

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_FINDING_STORE_H_

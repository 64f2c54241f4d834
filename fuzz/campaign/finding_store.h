// SPDX-License-Identifier: Apache-2.0
// The findings of a campaign: buckets with one bundle each. Thread-safe.
#pragma once

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
#include "nlohmann/json_fwd.hpp"

namespace hlocts::fuzz {

// Returns true for occurrences 1, 2, 4, 8, ... of a signature. Only these occurrences are shrunk:
// not only the first, because several defects may have the same signature.
inline bool IsToShrink(int64_t times_met) { return (times_met & (times_met - 1)) == 0; }
// Returns true for the first 64 occurrences of a signature, and for later ones if IsToShrink does.
// More modules are cut than shrunk, because more defects share the signature of an uncut module.
inline bool IsToCut(int64_t times_met) { return times_met <= 64 || IsToShrink(times_met); }

// The engine and module that produced a finding.
struct FoundBy {
  std::string backend;
  backends::Backend* engine;
  backends::Backend* reference;
  std::string origin;  // description of the origin for people
  int64_t number;      // of the module in its campaign
  TrialOptions trial;
};

// Appends a line to a file of JSON lines.
absl::Status AppendLine(const std::string& path, const nlohmann::ordered_json& json);

class FindingStore {
 public:
  explicit FindingStore(const CampaignOptions& options) : options_(options) {}

  // Reads findings.jsonl of a resumed campaign.
  absl::Status Load();
  // Returns the numbers of modules stored unshrunk, and resets the counts of their signatures.
  std::set<int64_t> NumbersToShrink();
  // Adds a failure. A module with wrong values is cut: each instruction that is wrong in isolation
  // becomes a finding. If there is none, the module becomes one. A finding is shrunk if IsToShrink
  // is true, or stored unshrunk if `stop` returns true first. Other findings are only counted. The
  // smallest module of each bucket is stored. Returns file system errors.
  absl::Status Add(const Sample& sample, const TrialResult& result, const FoundBy& found,
                   const std::function<bool()>& stop);
  // Adds a module that the verifier accepts or rejects against the intention of the generator.
  absl::Status AddGeneratorDefect(const Sample& sample, const absl::Status& verified,
                                  const std::string& origin);
  int64_t buckets();
  int64_t known();
  int64_t not_shrunk();

 private:
  struct Bucket {
    int64_t met = 0;
    int64_t instructions = 0;  // number in the stored module
    std::string folder;
  };
  using Key = std::pair<std::string, std::string>;  // name of the engine; signature or bucket
  struct Entry {                                    // one line of findings.jsonl
    Key key, original_key;
    std::string origin;
    int evaluations = 0;
    std::optional<int64_t> to_shrink;  // the number of a module that is stored unshrunk
    std::optional<KnownBy> known;      // the expectation of a shrunk finding; not stored
    FailureTraits remains = {};        // traits of the stored module
  };
  absl::Status AddOne(const Sample& sample, const TrialResult& result, const FoundBy& found,
                      const std::function<bool()>& stop);
  int64_t CountIn(std::map<Key, int64_t>& times, const Key& key);  // includes this occurrence
  bool ShrinkInto(Bundle& bundle, Entry& entry, const FoundBy& found,
                  const std::function<bool()>& stop);
  absl::Status Store(const Bundle& bundle, const Entry& entry);
  absl::Status CountKnown(const Entry& entry);
  void AddConsequence(const Entry& entry, reports::Verdict& verdict);
  // Removes an unshrunk bucket that is replaced by its parts, or that an expectation explains.
  absl::Status RemoveBucket(const Entry& entry);
  absl::Status CountAgain(const Key& original_key);  // counts one more without shrinking it
  void Forget(const Key& key);
  void Drop(const Key& bucket);
  // Returns the bucket of the finding, and drops the buckets that this bucket absorbs.
  Key BucketKeyOf(const Entry& entry);
  absl::Status Append(const Entry& entry, const Sample& sample, const std::string& folder);

  const CampaignOptions& options_;
  std::mutex mutex_;
  std::map<Key, int64_t> met_;  // occurrences, by signature before shrinking
  std::map<Key, int64_t> cut_;  // occurrences, by signature before cutting
  std::map<Key, Bucket> buckets_;
  std::map<std::string, BucketSet> sets_;        // by backend
  std::map<Key, int64_t> to_shrink_;             // module number of each unshrunk bucket
  std::map<std::string, KnownBy> corrupted_by_;  // by origin: a known failure that writes outside
                                                 // of buffers, so that the module may crash later
  int64_t known_ = 0;
  std::set<Key> known_as_;  // signatures of known findings before shrinking
};

}  // namespace hlocts::fuzz

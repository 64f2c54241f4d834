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
  bool again = false;  // true: the module ran before, and only its failure is shrunk now
};

// The class of a failure in a campaign: kRepeated if its signature or its bucket was met before. A
// module that is cut has the first class of its parts.
enum class Fate : uint8_t { kNew, kRepeated, kKnown };

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
  int64_t not_shrunk();
  // Returns the numbers of failures of this run, and of known failures of earlier runs.
  FailureCounts failures();

 private:
  struct Bucket {
    int64_t met = 0;
    int64_t instructions = 0;  // number in the stored module
    std::string folder;
    bool unshrunk = false;       // true: the stored module is in to_shrink_
    bool perhaps_known = false;  // true: unshrunk, and an expectation matches; no bundle is stored
  };
  using Key = std::pair<std::string, std::string>;  // name of the engine; signature or bucket
  struct Entry {                                    // one line of findings.jsonl
    Key key, original_key;
    std::string origin;
    int64_t number = -1;  // of the module; -1: none
    int evaluations = 0;
    bool unshrunk = false;         // true: stored unshrunk for lack of time
    std::optional<KnownBy> known;  // the expectation that explains it, if shrunk, or matches it
    FailureTraits remains = {};    // traits of the stored module
  };
  absl::StatusOr<Fate> AddParts(const Sample& sample, const TrialResult& result,
                                const FoundBy& found, const std::function<bool()>& stop);
  absl::StatusOr<Fate> AddOne(const Sample& sample, const TrialResult& result, const FoundBy& found,
                              const std::function<bool()>& stop);
  // Counts an occurrence. Returns true if `is` is true for its number or if it is pending.
  bool Count(std::map<Key, int64_t>& times, const Entry& entry, bool (*is)(int64_t));
  bool ShrinkInto(Bundle& bundle, Entry& entry, const FoundBy& found,
                  const std::function<bool()>& stop);
  absl::StatusOr<Fate> Store(const Bundle& bundle, const Entry& entry);
  absl::StatusOr<Fate> AddKnown(const Entry& entry);
  void AddConsequence(const Entry& entry, reports::Verdict& verdict);
  // Returns true if the campaign has an unshrunk bundle of this failure of this very module.
  bool IsPending(const Entry& entry) const;
  // Removes the unshrunk bucket of a module that is replaced by its parts, or that an expectation
  // explains. The bucket of another module with the same signature stays.
  absl::Status RemovePending(const Entry& entry);
  // Adds an occurrence. Returns true if its module is to be stored as that of the bucket.
  static bool Takes(Bucket& bucket, bool unshrunk, int64_t instructions);
  // Removes a bucket with this state. Its bundle stays until the records name its successor.
  void Drop(const Key& key, bool unshrunk);
  void RemoveDroppedBundles();
  // Returns the bucket of the finding, and drops the buckets that this bucket absorbs.
  Key BucketKeyOf(const Entry& entry);
  nlohmann::ordered_json LineOf(const Entry& entry) const;
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
  std::set<std::string> dropped_;                // directories of dropped buckets
  std::map<Key, Fate> fates_;         // of each failure of this run, by engine and origin
  std::map<Fate, int64_t> failures_;  // numbers of these failures
  int64_t known_earlier_ = 0;         // failures of earlier runs that are known now
};

}  // namespace hlocts::fuzz

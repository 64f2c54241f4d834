// The findings of a campaign: buckets, one bundle each. Thread-safe.
#ifndef HLOCTS_FUZZ_FINDING_STORE_H_
#define HLOCTS_FUZZ_FINDING_STORE_H_

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "fuzz/bundle.h"
#include "fuzz/campaign.h"
#include "fuzz/symptom.h"

namespace hlocts {

// Who met a finding, and what with.
struct FoundBy {
  std::string backend;
  Backend* engine;
  Backend* reference;
  std::string origin;  // for people
  TrialOptions trial;
};

class FindingStore {
 public:
  explicit FindingStore(const CampaignOptions& options) : options_(options) {}

  // Reads findings.jsonl of a campaign that is resumed.
  absl::Status Load();
  // A signature met before only counts. A new one is shrunk; the smallest module of each bucket is
  // stored. Errors: of the file system.
  absl::Status Add(const Sample& sample, const TrialResult& result, const FoundBy& found,
                   const std::function<bool()>& stop);
  // A module that the verifier does not judge as the generator meant it.
  absl::Status AddGeneratorDefect(const Sample& sample, const absl::Status& verified,
                                  const std::string& origin);
  int64_t buckets();
  int64_t known();

 private:
  struct Bucket {
    int64_t met = 0;
    int64_t instructions = 0;  // of the stored module
    std::string folder;
  };
  using Key = std::pair<std::string, std::string>;  // backend, signature
  bool MetBefore(const Key& key);
  absl::Status Store(Bundle bundle, const Key& key, const Key& met_as, int evaluations);
  absl::Status Append(const std::string& line);

  const CampaignOptions& options_;
  std::mutex mutex_;
  std::set<Key> met_;  // signatures before shrinking
  std::map<Key, Bucket> buckets_;
  int64_t known_ = 0;
};

}  // namespace hlocts

#endif  // HLOCTS_FUZZ_FINDING_STORE_H_

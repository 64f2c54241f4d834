// SPDX-License-Identifier: Apache-2.0
// The releases of engines that can run a failure, oldest first.
//
// A release of jaxlib is reached through StableHLO. A pattern that the conversion folds never
// reaches the compiler; such a pass is marked `?`, and neither the first nor the last failing
// release depends on it.
#ifndef HLOCTS_TOOLS_HISTORY_RELEASES_H_
#define HLOCTS_TOOLS_HISTORY_RELEASES_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/engines.pb.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/history.h"

namespace hlocts::tools {

struct Answer {
  fuzz::Cell cell = fuzz::Cell::kNotRun;
  std::string verdict;  // a word of CONTRACT.md, "" without a verdict
  std::string reason;   // of the verdict, or why there is none
  std::string version;  // with the options it ran with
  bool cached = false;
};

// A release's line in a history.
struct Row {
  std::string name, date;
  Answer answer;
};

struct Subject {
  std::string path;  // as given
  bool is_bundle = false;
  std::string options;  // of every release, "?partitioner=shardy"; "" for none
  fuzz::Bundle bundle;
  // The failure that is followed; for a module any that would count as a finding.
  std::optional<Outcome> wanted;
  std::vector<Answer> answers;  // of each release
  std::vector<Row> kept;        // from its history.json; empty for a module
};

// The releases to run next: one step of a search, all open ones with `all`.
std::vector<size_t> NextReleases(const Subject& subject, bool all);

class Releases {
 public:
  // `words`: names, or their part before '@', also with commas; none: xla and jaxlib. Errors: no
  // entry of that name.
  static absl::StatusOr<Releases> Select(const std::vector<std::string>& words);
  size_t size() const { return engines_.size(); }
  const engines::Engine& engine(size_t release) const { return engines_[release]; }
  // Answers for releases that were not run, or are missing with the reason. `installs`: releases
  // that can be installed are not missing.
  std::vector<Answer> Unasked(bool installs) const;
  // Starts the release once for all subjects, after `prepare`; cached answers are not run again.
  using Prepare = std::function<void(const engines::Engine&)>;
  void Ask(size_t release, const std::vector<Subject*>& subjects, bool no_cache,
           const Prepare& prepare);

 private:
  std::vector<engines::Engine> engines_;
};

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_HISTORY_RELEASES_H_

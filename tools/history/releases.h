// SPDX-License-Identifier: Apache-2.0
// The releases of engines that can run a failure, oldest first.
//
// A release of jaxlib gets modules as StableHLO. If the conversion folds a pattern, the compiler
// never gets it. A pass on such a module is marked `?` and is ignored in the search for the first
// and the last failing release.
#pragma once

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
  std::string verdict;  // a word of CONTRACT.md, or "" if there is no verdict
  std::string reason;   // reason of the verdict, or of its absence
  std::string version;  // version and options of the run
  bool cached = false;
};

// The answer of one release, as a row of a history.
struct Row {
  std::string name, date;
  Answer answer;
};
// Merges the rows, oldest first. A release keeps its old answer if it has no new one. Answers with
// other options are another sequence: the new answers replace those with options that none has.
std::vector<Row> WithKept(std::vector<Row> rows, const std::vector<Row>& kept);

struct Subject {
  std::string path;  // as given by the user
  bool is_bundle = false;
  std::string options;  // of every release, e.g. "?partitioner=shardy"; or ""
  fuzz::Bundle bundle;
  // The failure to look for. Unset for a module: any finding then is the failure.
  std::optional<Outcome> wanted;
  std::vector<Answer> answers;     // one for each release
  std::optional<size_t> recorded;  // the release of the bundle's run, if it is selected
  bool searched = false;           // for a failing piece, because no release showed a failure
  std::string piece;               // the piece that replaced the module, or ""
  std::vector<Row> kept;           // rows of history.json; empty for a module
};

class Releases {
 public:
  // Selects releases by name, or by the part of the name before '@'. Options may follow after '?'.
  // Words may contain several names, separated by commas. If there are no words, selects xla and
  // jaxlib. Returns an error if a name has no entry.
  static absl::StatusOr<Releases> Select(const std::vector<std::string>& words);
  size_t size() const { return engines_.size(); }
  const engines::Engine& engine(size_t release) const { return engines_[release].engine; }
  // Returns the selected release that `verdict` judges, or nullopt if that release is not selected.
  std::optional<size_t> Find(const reports::Verdict& verdict) const;
  // Returns the name with options, e.g. "xla@0.11.2?xla_cpu_enable_fast_min_max=true".
  std::string NameOf(size_t release) const;
  // Returns the answers of releases before any run: "not run", or "missing" with the reason. If
  // `installs`, releases that can be installed are "not run".
  std::vector<Answer> InitialAnswers(bool installs) const;
  // Returns the releases to run next: a step of each family's bisection or, if `all`, all without
  // an answer. Families are bisected apart, because they share neither version nor converter.
  std::vector<size_t> Next(const Subject& subject, bool all) const;
  // Calls `prepare` and starts the release once for all subjects, unless all answers are cached.
  using Prepare = std::function<void(const engines::Engine&)>;
  void Ask(size_t release, const std::vector<Subject*>& subjects, bool no_cache,
           const Prepare& prepare);
  // If no release shows a failure, searches once, on a release that ran (the newest first), for a
  // piece that fails in isolation. If there is one, replaces the module by it and returns true.
  bool ContinueWithPiece(Subject& subject, const Prepare& prepare) const;

 private:
  struct Release {
    engines::Engine engine;
    std::string options;  // as given, without '?'
  };
  std::vector<Release> engines_;
};

}  // namespace hlocts::tools

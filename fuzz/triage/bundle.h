// SPDX-License-Identifier: Apache-2.0
// A bundle is a directory that describes a failure (CONTRACT.md, "Repro bundle"): it can be read,
// replayed and turned into a test.
#pragma once

#include <limits>
#include <string>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct Bundle {
  Sample sample;
  std::string backend;  // full name, as needed to replay
  TrialOptions options;
  TrialResult result;
  std::string signature;
  std::string origin;    // for people: stream, seed, number
  std::string plugin;    // SHA-256 of the engine's plugin file, if it is known
  std::string expected;  // acceptance set, as lines of JSON
  bool unshrunk = false;
  std::string shrunk_from = "";  // SHA-256 of the text of the module that `shrink` was given
  std::string jax = "jax";       // the package to install for the script of JAX
};

// Returns the content of the file inputs.txt.
std::string InputsText(const Sample& sample);

// The limit of a campaign, which stores many bundles.
inline constexpr size_t kBundleBytesMax = 64 * 1024;

// Writes the directory and returns its size. If it exceeds `bytes_max`, omits the acceptance set
// and then the outputs; a replay recomputes both. Returns kResourceExhausted if the other files
// exceed it too.
absl::StatusOr<size_t> WriteBundle(const Bundle& bundle, const std::string& folder,
                                   size_t bytes_max = std::numeric_limits<size_t>::max());

// Writes the line "NAME: TEXT" to the README.md of a bundle, in place of an earlier line with this
// name. A finding has no such file: tools/certify makes its page.
absl::Status WriteReadmeLine(const std::string& folder, const std::string& line);

// Returns true if JAX can run the engine: XLA's releases, and plugins by path or label. Returns
// false for this project's engines, and for those that accept StableHLO without JAX.
bool RunsInJax(absl::string_view backend);

// Returns true if the engine is a plugin file that JAX can run. Bundles do not record its path.
bool IsPluginFile(absl::string_view backend);

// Reads module, inputs, engine, options and verdict from a directory.
absl::StatusOr<Bundle> ReadBundle(const std::string& folder);

// The counts of a recorded verdict: runs with its outcome, and all runs. Both are 0 if none are
// recorded.
struct RecordedRuns {
  int64_t failed = 0, all = 0;
};
RecordedRuns RecordedRunsOf(const reports::Verdict& verdict);

}  // namespace hlocts::fuzz

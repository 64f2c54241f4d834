// SPDX-License-Identifier: Apache-2.0
// Repro bundles (contracts: "Repro bundle"): a failure as a directory of at most 64 KB that can be
// read, replayed and turned into a test.
#ifndef HLOCTS_FUZZ_TRIAGE_BUNDLE_H_
#define HLOCTS_FUZZ_TRIAGE_BUNDLE_H_

#include <string>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct Bundle {
  Sample sample;
  std::string backend;  // name as given: what replays
  TrialOptions options;
  TrialResult result;
  std::string signature;
  std::string origin;    // the source, for the reader: stream, seed, number
  std::string expected;  // lines of the acceptance set
};

inline constexpr size_t kBundleBytesMax = 64 * 1024;

// Writes the directory. If it would exceed 64 KB, the acceptance set is left out, then the engine's
// outputs (a replay recomputes both); kResourceExhausted if module and inputs alone exceed it.
absl::Status WriteBundle(const Bundle& bundle, const std::string& folder);

// Returns true if JAX runs the engine: XLA's releases, and plugins by path or label. Not ours, and
// not those that take StableHLO without it.
bool RunsInJax(absl::string_view backend);

// Reads module, inputs, engine, options and verdict from a directory.
absl::StatusOr<Bundle> ReadBundle(const std::string& folder);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_BUNDLE_H_

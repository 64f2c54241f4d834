// SPDX-License-Identifier: Apache-2.0
// Repro bundles (contracts: "Repro bundle"): a failure as a folder of at most 64 KB that anybody
// can read, replay and turn into a test.
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
  std::string origin;    // where it came from, for people: stream, seed, number
  std::string expected;  // lines of the acceptance set
};

inline constexpr size_t kBundleBytesMax = 64 * 1024;

// Writes the folder. Where all would be more than 64 KB, the acceptance set is left out, then the
// engine's outputs (both are computed again by a replay); kResourceExhausted when module and inputs
// alone are more.
absl::Status WriteBundle(const Bundle& bundle, const std::string& folder);

// Whether JAX runs the engine: XLA's releases, and plugins by path or label. Not ours, and not
// those that take StableHLO without it.
bool RunsInJax(absl::string_view backend);

// Module, inputs, engine, options and verdict of a folder.
absl::StatusOr<Bundle> ReadBundle(const std::string& folder);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_BUNDLE_H_

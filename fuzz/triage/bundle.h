// SPDX-License-Identifier: Apache-2.0
// Bundles (CONTRACT.md, "Repro bundle"): a bundle is a directory of at most 64 KB that describes a
// failure, so that it can be read, replayed and turned into a test.
#pragma once

#include <string>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct Bundle {
  Sample sample;
  std::string backend;  // full name, as needed to replay
  TrialOptions options;
  TrialResult result;
  std::string signature;
  std::string origin;    // for the reader: stream, seed, number
  std::string plugin;    // SHA-256 of the engine's plugin file, if it is known
  std::string expected;  // acceptance set, as lines of JSON
};

// Returns the content of inputs.txt.
std::string InputsText(const Sample& sample);

inline constexpr size_t kBundleBytesMax = 64 * 1024;

// Writes the directory. If it exceeds 64 KB, omits the acceptance set, and then the engine's
// outputs; a replay recomputes both. Returns kResourceExhausted if the other files exceed 64 KB.
absl::Status WriteBundle(const Bundle& bundle, const std::string& folder);

// Returns true if JAX can run the engine: XLA's releases, and plugins by path or label. Returns
// false for our engines, and for those that take StableHLO without JAX.
bool RunsInJax(absl::string_view backend);

// Returns true if JAX can run the engine and it is a plugin file, whose path is not recorded.
bool IsPluginFile(absl::string_view backend);

// Reads module, inputs, engine, options and verdict from a directory.
absl::StatusOr<Bundle> ReadBundle(const std::string& folder);

}  // namespace hlocts::fuzz

// SPDX-License-Identifier: Apache-2.0
// Writes and checks claims. A claim is the directory of a run together with hashes of the suite,
// the engine and the results; other users can check it (`hlocts verify-claim`).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::suites {

// The contents of a claim that are not in the directory of the run.
struct ClaimOptions {
  std::vector<std::string> command;  // the command line of the user
  // For each recorded engine: its name on the command line, whose plugin is hashed, and its file of
  // known failures, which is copied into the directory if it exists.
  std::map<std::string, std::string> engines, expectations_files;
};

// Writes claim.json and SHA256SUMS to the directory of a finished `hlocts run --out`. Writes no
// claim and fails if a plugin is not the file that the run hashed at its start.
absl::Status WriteClaim(const ClaimOptions& options, const std::string& folder);

// Returns the conditions that the claim violates, or {} if it is intact. Sets `suite_differs` if
// these may only be due to the suite of this tree. Fails if the directory contains neither
// claim.json nor SHA256SUMS. The conditions are:
//   - SHA256SUMS lists each file once, with its hash, and claim.json can be read
//   - the suite of this tree is the one that was run
//   - every selected case of the run's tier has one verdict on each engine
//   - the counts of the claim are those of the verdicts, and a verdict is `expected` if and only if
//     the expectations in the directory say so
// conformance.h decides whether the engine conforms.
absl::StatusOr<std::vector<std::string>> CheckClaim(const std::string& folder, bool& suite_differs);

}  // namespace hlocts::suites

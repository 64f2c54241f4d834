// SPDX-License-Identifier: Apache-2.0
// Writes and checks claims. A claim is the directory of a run together with hashes of the suite,
// the engine and the results, so that other users can check it (`hlocts verify-claim`).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::suites {

// The contents of a claim other than the files of the directory.
struct ClaimOptions {
  std::vector<std::string> command;  // as typed by the user
  // For each recorded engine: its name on the command line, whose plugin is hashed, and its file of
  // known failures, which is copied into the directory if it exists.
  std::map<std::string, std::string> engines, expectations_files;
};

// Writes claim.json and SHA256SUMS of a directory that `hlocts run --out` has finished. Fails,
// without a claim, if a plugin is not the file that the run hashed when it started.
absl::Status WriteClaim(const ClaimOptions& options, const std::string& folder);

// Returns the conditions that are violated; none if the claim is intact. Fails if the directory has
// neither claim.json nor SHA256SUMS.
//   - SHA256SUMS lists each file once, with its hash, and claim.json can be read
//   - the suite here is the one that was run
//   - every case of its tier has one verdict on each engine
//   - the counts claimed are those of the verdicts, and the verdicts are `expected` exactly if the
//     expectations of the package state this
// conformance.h decides whether the engine conforms.
absl::StatusOr<std::vector<std::string>> CheckClaim(const std::string& folder);

}  // namespace hlocts::suites

// SPDX-License-Identifier: Apache-2.0
// The claim package: a run's directory that records by hashes the suite, the engine and the result,
// so that others can check it (`hlocts verify-claim`).
#ifndef HLOCTS_SUITES_CLAIM_H_
#define HLOCTS_SUITES_CLAIM_H_

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::suites {

// The contents of a claim other than the files of the directory.
struct ClaimOptions {
  std::vector<std::string> command;  // as typed
  // By the engine's recorded name: the name it was given as (its plugin is hashed), and the file of
  // its known failures, copied into the directory where it exists.
  std::map<std::string, std::string> engines, expectations_files;
};

// Writes claim.json of a directory that `hlocts run --out` has finished.
absl::Status WriteClaim(const ClaimOptions& options, const std::string& folder);

// The conditions that do not hold; empty: the claim is intact. An error when there is no claim to
// check.
//   - the files are the ones that were hashed
//   - the suite here is the one that was run
//   - every case of its tier has one verdict on each engine
//   - the counts claimed are those of the verdicts, and the verdicts say `expected` as the
//     expectations of the package do
// Conformance of the engine is another question (conformance.h).
absl::StatusOr<std::vector<std::string>> CheckClaim(const std::string& folder);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_CLAIM_H_

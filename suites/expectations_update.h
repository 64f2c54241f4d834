// SPDX-License-Identifier: Apache-2.0
// Updates an expectations file from the results of a run (`hlocts run --update-expectations`).
// Comments and the order of entries do not change.
#pragma once

#include <string>
#include <vector>

#include "reports/verdict_fwd.h"
#include "suites/case.h"

namespace hlocts::suites {

// Returns the text of an expectations file, updated with the verdicts of one engine. Entries whose
// query selects several addresses are not changed. `done` receives a summary of the changes:
//   - an entry for one address that now passes (or is unsupported) is removed;
//   - an entry whose verdict has changed gets the new one; a user must check kind and reason;
//   - an unexpected verdict without an entry gets one at the end, of kind UNIMPLEMENTED for
//     `rejected`, else BUG, with a reason that begins with "Not explained yet: ".
std::string UpdatedExpectations(const std::string& text,
                                const std::vector<reports::Verdict>& verdicts,
                                const std::vector<Case>& cases, std::string* done);

// Updates a file, which is created if it does not exist. Returns a summary of the changes.
absl::StatusOr<std::string> UpdateExpectationsFile(const std::string& path,
                                                   const std::vector<reports::Verdict>& verdicts,
                                                   const std::vector<Case>& cases);

}  // namespace hlocts::suites

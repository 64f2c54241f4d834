// SPDX-License-Identifier: Apache-2.0
// `hlocts run --update-expectations`: updates the textproto file to the results of a run, and keeps
// comments and the order of the other entries.
#ifndef HLOCTS_SUITES_EXPECTATIONS_UPDATE_H_
#define HLOCTS_SUITES_EXPECTATIONS_UPDATE_H_

#include <string>
#include <vector>

#include "reports/verdict_fwd.h"
#include "suites/case.h"

namespace hlocts::suites {

// The text of an expectations file after the verdicts of one engine:
//   - an entry whose query is one address that passed now (or is unsupported) is removed;
//   - one whose verdict has changed gets the new one; kind and reason stay for a person to
//   check;
//   - a verdict that no entry covers gets an entry at the end, kind UNIMPLEMENTED for `rejected`,
//   else
//     BUG, its reason beginning "Not explained yet: ".
// Queries that select more than one address are left alone. `done` says what was changed.
std::string UpdatedExpectations(const std::string& text,
                                const std::vector<reports::Verdict>& verdicts,
                                const std::vector<Case>& cases, std::string* done);

// The same for a file, which may not exist yet; returns the changes.
absl::StatusOr<std::string> UpdateExpectationsFile(const std::string& path,
                                                   const std::vector<reports::Verdict>& verdicts,
                                                   const std::vector<Case>& cases);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_EXPECTATIONS_UPDATE_H_

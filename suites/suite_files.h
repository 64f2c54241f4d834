// SPDX-License-Identifier: Apache-2.0
// Where the suite's data lies: the source tree this program was built from, or $HLOCTS_HOME.
#ifndef HLOCTS_SUITES_SUITE_FILES_H_
#define HLOCTS_SUITES_SUITE_FILES_H_

#include <string>
#include <vector>

#include "suites/case.h"

namespace hlocts::suites {

std::string HomeFolder();
// All cases that a query selects (all without queries), of this tier and the smaller ones.
absl::StatusOr<std::vector<Case>> SelectCases(const std::vector<std::string>& queries, Tier tier);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_SUITE_FILES_H_

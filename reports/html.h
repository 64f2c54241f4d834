// SPDX-License-Identifier: Apache-2.0
// A run as one HTML file without anything outside it: scorecards, what failed and how to see it
// again, and the matrix of clauses and cases.
#ifndef HLOCTS_REPORTS_HTML_H_
#define HLOCTS_REPORTS_HTML_H_

#include <string>
#include <vector>

#include "reports/clause_matrix.h"
#include "reports/run_record.h"
#include "reports/verdict.h"

namespace hlocts::reports {

struct HtmlReport {
  std::string title;
  MergedRun run;
  std::map<std::string, std::vector<std::string>> facts;  // what each engine promises
  RunChanges changes;                                     // against a baseline, or empty
  std::vector<ClauseRow> registry;                        // of the documents, or empty
  ClausesOfCases clauses;                                 // of each case, by address
};

std::string ToHtml(const HtmlReport& report);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_HTML_H_

// SPDX-License-Identifier: Apache-2.0
// The two-way matrix of clauses and cases as part of the HTML report: every clause of the documents
// with its state, its cases, what each engine made of them and the planted fault that shows them to
// test something; what the run does not reach in front; then every case with its clauses.
#ifndef HLOCTS_REPORTS_CLAUSE_MATRIX_H_
#define HLOCTS_REPORTS_CLAUSE_MATRIX_H_

#include <map>
#include <string>
#include <vector>

#include "reports/verdict.h"

namespace hlocts::reports {

// A clause as the report shows it.
struct ClauseRow {
  std::string id;
  std::string document;  // title for people
  int section = 0;       // in the document: its order there
  std::string source;    // document and section
  std::string address;   // of the section
  std::string text;
  std::string state;                  // tested, freedom, untestable, open
  std::string note;                   // ruling or reason
  std::string fault, noticed_by;      // planted, and one of its cases that notices it
  std::vector<std::string> programs;  // tests that stand in for cases
};

// `clauses` by address of the case, of all cases that there are, whether the run has them or not.
using ClausesOfCases = std::map<std::string, std::vector<std::string>>;
std::string ClauseMatrixHtml(const std::vector<ClauseRow>& rows, const ClausesOfCases& clauses,
                             const std::vector<Verdict>& verdicts);

// One line of evidence for all parameters of a case: movement/pad:types; the id of its row.
std::string CaseName(const std::string& address);

// Text as HTML shows it.
std::string Escaped(absl::string_view text);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_CLAUSE_MATRIX_H_

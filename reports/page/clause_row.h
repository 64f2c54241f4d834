// SPDX-License-Identifier: Apache-2.0
// A clause of the documents as the page shows it.
#ifndef HLOCTS_REPORTS_PAGE_CLAUSE_ROW_H_
#define HLOCTS_REPORTS_PAGE_CLAUSE_ROW_H_

#include <map>
#include <string>
#include <vector>

namespace hlocts::reports {

struct ClauseRow {
  std::string id;
  std::string document;  // title for people
  int section = 0;       // in the document: its order there
  std::string source;    // document and section
  std::string address;   // of the section
  std::string text;
  std::string state;                  // tested, freedom, untestable, open
  std::string note;                   // ruling or reason
  std::string fault, noticed_by;      // the seeded fault, and one of its cases that notices it
  std::vector<std::string> programs;  // tests that replace cases
};

// Clauses by the address of the case, for all cases, in a run or not.
using ClausesOfCases = std::map<std::string, std::vector<std::string>>;

// One line of evidence for all parameters of a case: movement/pad:types.
std::string CaseName(const std::string& address);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_PAGE_CLAUSE_ROW_H_

// SPDX-License-Identifier: Apache-2.0
// Defines a clause of the documents as the page shows it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace hlocts::reports {

struct ClauseRow {
  std::string id;
  std::string document;  // human-readable title
  int section = 0;       // position of the section in the document
  std::string source;    // document and section
  std::string address;   // address of the section
  std::string text;
  std::string state;                  // tested, freedom, untestable or open
  std::string note;                   // ruling or reason
  std::string fault, noticed_by;      // the seeded fault, and a case that detects it
  std::vector<std::string> programs;  // tests that replace cases
};

// The clauses that each case cites, by address, for all cases of the suite.
using ClausesOfCases = std::map<std::string, std::vector<std::string>>;

// Returns the name of a case without its parameters: movement/pad:types.
std::string CaseName(const std::string& address);

}  // namespace hlocts::reports

// SPDX-License-Identifier: Apache-2.0
// Writes nightly runs as one HTML file without external resources.
//
// The page is a single file because users mail it and open it without a network. Its content policy
// forbids every request. Text from modules and messages is escaped by textContent (tables.js) or
// Escaped (page.cc). A new part needs a section of page.html, a function in records.js, a call in
// main.js and a line of page_test.py.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// A clause of the documents as the page shows it.
struct ClauseRow {
  std::string id;
  std::string document;  // human-readable title
  int section = 0;       // position of the section in the document
  std::string source;    // document and section
  std::string address;   // address of the section
  std::string text;
  std::string state;                  // tested, freedom, untestable or open
  std::string note;                   // ruling or reason
  std::string fault;                  // a seeded fault that a case detects
  std::vector<std::string> programs;  // test programs that check it instead of cases
};

// The clauses that each case cites, by address, for all cases of the suite.
using ClausesOfCases = std::map<std::string, std::vector<std::string>>;

struct PageInput {
  std::string title = "hlocts";
  History history;
  std::vector<ClauseRow> clauses;            // all clauses, in the documents' order
  ClausesOfCases clauses_of_cases;           // by address
  std::map<std::string, int64_t> weights;    // "elementwise/mul": how often real programs use it
  std::vector<std::string> releases_listed;  // engines that can be installed
};

// Returns the page that compares the newest nightly run with the previous one.
std::string ToPage(const PageInput& input);

// Adds the number of uses of each opcode in HLO text to `weights`.
void CountOpcodes(absl::string_view hlo, std::map<std::string, int64_t>& weights);

}  // namespace hlocts::reports
